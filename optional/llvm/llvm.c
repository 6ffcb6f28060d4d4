/* llvm.c: the tables of the llvm dialect. */
#include "llvm/llvm.h"

#include "mlir/cf/cf_syntax.h"
#include "llvm/llvm_hooks.h"

#define CONSTRAINT(id, of, is, says)                                                       \
    static const ir_constraint id = {.name = of, .pred = is, .text = says}

#define FLOAT "(f16 or bf16 or f32 or f64 or f80 or f128 or LLVMPPCFP128Type)"
#define OUTER                                                                              \
    "(signless_int or " FLOAT " or VectorType and rank == 1 or LLVMPointerType or "        \
    "LLVMStructType or LLVMArrayType or LLVMFunctionType or LLVMVoidType or "              \
    "LLVMTokenType or LLVMLabelType or LLVMMetadataType or LLVMX86AMXType)"
#define OR_VECTOR(of) of " or VectorType and rank == 1 and elem(" of ")"

CONSTRAINT(any, "LLVM_Type", OUTER, "LLVM dialect-compatible type");
CONSTRAINT(nonaggregate, "LLVM_AnyNonAggregate",
           OUTER " and not (LLVMStructType or LLVMArrayType)",
           "LLVM-compatible non-aggregate type");
CONSTRAINT(aggregate, "LLVM_AnyAggregate", "LLVMStructType or LLVMArrayType",
           "LLVM aggregate type");
CONSTRAINT(pointer, "LLVM_AnyPointer", "LLVMPointerType", "LLVM pointer type");
CONSTRAINT(pointers, "LLVM_ScalarOrVectorOf<LLVM_AnyPointer>", OR_VECTOR("LLVMPointerType"),
           "LLVM pointer type or LLVM dialect-compatible vector of LLVM pointer type");
CONSTRAINT(integer, "AnySignlessInteger", "signless_int", "signless integer");
CONSTRAINT(bits, "LLVM_ScalarOrVectorOf<I1>", OR_VECTOR("i1"),
           "1-bit signless integer or LLVM dialect-compatible vector of 1-bit signless "
           "integer");
CONSTRAINT(integers, "LLVM_ScalarOrVectorOf<AnySignlessInteger>", OR_VECTOR("signless_int"),
           "signless integer or LLVM dialect-compatible vector of signless integer");
CONSTRAINT(comparable, "AnyTypeOf<LLVM_ScalarOrVectorOf<AnySignlessInteger>, ...>",
           OR_VECTOR("(signless_int or LLVMPointerType)"),
           "signless integer or LLVM dialect-compatible vector of signless integer or LLVM "
           "pointer type or LLVM dialect-compatible vector of LLVM pointer type");
CONSTRAINT(
    floats, "LLVM_ScalarOrVectorOf<LLVM_AnyFloat>", OR_VECTOR(FLOAT),
    "floating point LLVM type or LLVM dialect-compatible vector of floating point LLVM "
    "type");
CONSTRAINT(atomic, "LLVM_AtomicRMWType",
           OR_VECTOR("(" FLOAT " or LLVMPointerType or signless_int)"),
           "floating point LLVM type or LLVM pointer type or signless integer or LLVM "
           "dialect-compatible fixed-length vector type");
CONSTRAINT(exchanged, "AnyTypeOf<AnySignlessInteger, LLVM_AnyPointer>",
           "(signless_int or LLVMPointerType)", "signless integer or LLVM pointer type");

#define ENUM_CONSTRAINT(id, of, mnemonic, says)                                            \
    static const ir_constraint id = {.name = "LLVM_" of "Attr",                            \
                                     .pred = of "Attr",                                    \
                                     .text = says,                                         \
                                     .storage = of "Attr",                                 \
                                     .def = "llvm." mnemonic}
ENUM_CONSTRAINT(cconv, "CConv", "cconv", "LLVM Calling Convention specification");
ENUM_CONSTRAINT(fastmath, "FastmathFlags", "fastmath", "LLVM fastmath flags");
ENUM_CONSTRAINT(linkage, "Linkage", "linkage", "LLVM linkage specification");
ENUM_CONSTRAINT(frame_pointer, "FramePointerKind", "framePointerKind",
                "LLVM frame pointer kind specification");
ENUM_CONSTRAINT(uwtable, "UWTableKind", "uwtableKind", "LLVM UnwindTableKind");
ENUM_CONSTRAINT(tailcallkind, "TailCallKind", "tailcallkind",
                "LLVM Tail Call Kind specification");

ENUM_CONSTRAINT(dereferenceable, "Dereferenceable", "dereferenceable",
                "LLVM dereferenceable attribute");
ENUM_CONSTRAINT(memory_effects, "MemoryEffects", "memory_effects", "LLVM memory effects");
ENUM_CONSTRAINT(target_features, "TargetFeatures", "target_features",
                "LLVM target features attribute");
ENUM_CONSTRAINT(vec_type_hint, "VecTypeHint", "vec_type_hint", "vector type hint");
ENUM_CONSTRAINT(vscale_range, "VScaleRange", "vscale_range", "");

/* Enums that are stored as integers. */
#define INTEGER_CONSTRAINT(id, type_name)                                                  \
    static const ir_constraint id = {.name = "LLVM_" #id,                                  \
                                     .pred = "IntegerAttr and value_type(" type_name ")",  \
                                     .text = type_name " integer attribute",               \
                                     .storage = "IntegerAttr",                             \
                                     .value_type = type_name}
INTEGER_CONSTRAINT(small, "i32");
#define NUMBER_CONSTRAINT(id, of, says)                                                    \
    static const ir_constraint id = {.name = "LLVM_" #of,                                  \
                                     .pred = "IntegerAttr and value_type(i32)",            \
                                     .text = says,                                         \
                                     .storage = "IntegerAttr",                             \
                                     .value_type = "i32",                                  \
                                     .enumeration = &llvm_enum_##of,                       \
                                     .is_number = true}
NUMBER_CONSTRAINT(overflow, IntegerOverflowFlags, "LLVM integer overflow flags");
NUMBER_CONSTRAINT(no_wrap, GEPNoWrapFlags, "::mlir::LLVM::GEPNoWrapFlags");
static const ir_constraint function_type = {.name = "TypeAttrOf",
                                            .pred =
                                                "TypeAttr and type_value(LLVMFunctionType)",
                                            .text = "type attribute of LLVM function type",
                                            .storage = "TypeAttr"};

#define CASES_CONSTRAINT(id, of, cases)                                                    \
    static const ir_constraint id = {.name = "LLVM_" #id,                                  \
                                     .pred = "IntegerAttr and value_type(i64)",            \
                                     .text =                                               \
                                         "allowed 64-bit signless integer cases: " cases,  \
                                     .storage = "IntegerAttr",                             \
                                     .value_type = "i64",                                  \
                                     .enumeration = &llvm_enum_##of,                       \
                                     .as_integer = true}
#define KEYWORD_CONSTRAINT(id, of, cases)                                                  \
    static const ir_constraint id = {.name = "LLVM_" #of,                                  \
                                     .pred = "IntegerAttr and value_type(i64)",            \
                                     .text =                                               \
                                         "allowed 64-bit signless integer cases: " cases,  \
                                     .storage = "IntegerAttr",                             \
                                     .value_type = "i64",                                  \
                                     .enumeration = &llvm_enum_##of}
KEYWORD_CONSTRAINT(comdat_kind, Comdat, "0, 1, 2, 3, 4");
KEYWORD_CONSTRAINT(ordering, AtomicOrdering, "0, 1, 2, 4, 5, 6, 7");
KEYWORD_CONSTRAINT(atomic_operation, AtomicBinOp,
                   "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
                   "20");
CASES_CONSTRAINT(integer_predicate, ICmpPredicate, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9");
CASES_CONSTRAINT(float_predicate, FCmpPredicate,
                 "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15");
CASES_CONSTRAINT(unnamed_addr, UnnamedAddr, "0, 1, 2");
CASES_CONSTRAINT(visibility, Visibility, "0, 1, 2");

#define IR_DIALECT llvm
#define IR_ROWS "llvm/llvm.def"
#include "ir/dialect_tables.h"

const ir_dialect llvm_dialect = {
    .name = "llvm",
    .record_prefix = "LLVM_",
    .name_space = "LLVM",
    IR_DIALECT_TABLES,
    .uses_properties = true,
};
