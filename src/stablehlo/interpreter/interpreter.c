/* interpreter.c: the tables of the interpreter dialect, and the verifier of
 * interpreter.run_parallel's grid of functions. */
#include "stablehlo/interpreter/interpreter.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo_constraints.h"

/* Reports at the operation, without its name. */
#define FAIL(op, ...) ir_error((op)->ctx, (op)->loc, __VA_ARGS__)

/* The type of the function that `ref` names in the module; NULL after an error. */
static ir_type function_named(ir_op *op, ir_attr ref)
{
    tw_str name = ir_symbol_leaf(ref);
    ir_op *table = ir_nearest_symbol_table(op);
    ir_op *function = table ? ir_symbol_lookup(table, name) : NULL;
    ir_attr type =
        ir_op_is(function, FUNC_OP(func)) ? ir_op_attr(function, "function_type") : NULL;
    if (ir_attr_is(type, IR_ATTR_TYPE))
        return type->type;
    FAIL(op, "Function \"%.*s\" not found", (int)name.size, name.data);
    return NULL;
}

static bool check_infeed(ir_op *op, ir_attr infeed)
{
    if (infeed->count == 0)
        return FAIL(op, "infeed attribute is optional or should not be empty");
    for (uint32_t i = 0; i < infeed->count; i++) {
        tw_str name = ir_symbol_leaf(infeed->items[i]);
        ir_type type = function_named(op, infeed->items[i]);
        if (!type)
            return false;
        if (type->results != 1)
            return FAIL(op, "Function \"%.*s\" should return 1 tensor but returns %u",
                        (int)name.size, name.data, type->results);
        if (!ir_type_is_shaped(ir_function_results(type)[0]))
            return FAIL(
                op,
                "Function \"%.*s\" should return a tensor type, but instead returns "
                "'%s'",
                (int)name.size, name.data,
                ir_type_text(op->ctx, ir_function_results(type)[0]));
    }
    return true;
}

static bool interpreter_verify_run_parallel(ir_op *op)
{
    ir_attr programs = ir_op_attr(op, "programs"), infeed = ir_op_attr(op, "infeed");
    uint64_t inputs = 0, results = 0;
    if (programs->count == 0 || programs->items[0]->count == 0)
        return FAIL(op, "`programs` attribute cannot be empty");
    uint32_t partitions = programs->items[0]->count;
    for (uint32_t r = 0; r < programs->count; r++) {
        ir_attr row = programs->items[r];
        if (row->count != partitions)
            return FAIL(op,
                        "Sizes of second dimension of `programs` should all match %u but "
                        "got %u",
                        partitions, row->count);
        for (uint32_t i = 0; i < row->count; i++) {
            ir_type type = function_named(op, row->items[i]);
            if (!type)
                return false;
            inputs += type->count;
            results += type->results;
        }
    }
    if (op->n_operands != inputs)
        return FAIL(op,
                    "Number of inputs (%u) should match the sum of the number of inputs of "
                    "all programs (%llu)",
                    op->n_operands, (unsigned long long)inputs);
    if (op->n_results != results)
        return FAIL(op,
                    "Number of results (%u) should match the sum of the number of results "
                    "of all programs (%llu)",
                    op->n_results, (unsigned long long)results);
    return !infeed || check_infeed(op, infeed);
}

#define IR_DIALECT interpreter
#define IR_ROWS "stablehlo/interpreter/interpreter.def"
#define IR_CONSTRAINTS "stablehlo/interpreter/interpreter_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect interpreter_dialect = {
    .name = "interpreter",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
