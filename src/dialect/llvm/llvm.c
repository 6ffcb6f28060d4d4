/* llvm.c: the table of the llvm dialect. */
#include "dialect/llvm/llvm.h"

#include "dialect/constraints.h"

static const ir_constraint integers = {
    .name = "LLVM_ScalarOrVectorOf<AnySignlessInteger>",
    .pred = "(or signless-int (and isa:VectorType (elem signless-int)))",
    .text = "signless integer or LLVM dialect-compatible vector of signless integer",
};
static const ir_constraint floats = {
    .name = "LLVM_ScalarOrVectorOf<LLVM_AnyFloat>",
    .pred = "(or isa:FloatType (and isa:VectorType (elem isa:FloatType)))",
    .text = "floating point LLVM type or LLVM dialect-compatible vector of floating point "
            "LLVM type",
};

#define BINARY(op_name, type_constraint, more)                                             \
    {                                                                                      \
        .name = op_name,                                                                   \
        .operands =                                                                        \
            IR_LIST(ir_operand_def, {"lhs", &type_constraint}, {"rhs", &type_constraint}), \
        .results = IR_LIST(ir_operand_def, {"res", &type_constraint}),                     \
        .traits = IR_B(PURE) | IR_B(NO_MEMORY_EFFECT) | IR_B(SAME_TYPE) | (more),          \
        .format = "$lhs `,` $rhs attr-dict `:` type($res)",                                \
    },
#define TW_INTEGERS(name, more) BINARY(name, integers, more)
#define TW_FLOATS(name) BINARY(name, floats, 0)

static const ir_op_def ops[] = {
#include "dialect/llvm/llvm.def"
};

const ir_dialect llvm_dialect = {
    .name = "llvm",
    .ops = {ops, TW_COUNT(ops)},
    .uses_properties = true,
};
