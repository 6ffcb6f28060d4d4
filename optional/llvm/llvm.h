/* llvm.h: the llvm dialect, the subset that other compilers' lowered programs use:
 * functions, globals, memory, arithmetic, branches and calls. */
#ifndef TILEWRIGHT_MLIR_LLVM_LLVM_H
#define TILEWRIGHT_MLIR_LLVM_LLVM_H

#include "llvm/llvm_enums.h"

#define IR_DIALECT llvm
#define IR_PREFIX LLVM
#define IR_ROWS "llvm/llvm.def"
#include "ir/dialect_names.h"

#define LLVM_OP(id) (&llvm_ops[LLVM_##id])

#define LLVM_ATTR(id) (&llvm_attrs[LLVM_ATTR_##id])

#define LLVM_TYPE(id) (&llvm_types[LLVM_TYPE_##id])

/* Parameters of types. */
enum { LLVM_ARRAY_SIZE, LLVM_ARRAY_ELEMENT };
enum { LLVM_STRUCT_NAME, LLVM_STRUCT_PACKED, LLVM_STRUCT_OPAQUE, LLVM_STRUCT_BODY };
/* A named struct is identified by its name: it may contain itself, and its body is defined
 * once in a context.  NULL if it is not defined. */
typedef struct llvm_struct_body {
    ir_attr members; /* types; NULL for an opaque one */
    bool packed, opaque;
} llvm_struct_body;
llvm_struct_body llvm_struct_get(ir_type type);
enum { LLVM_FUNC_RESULT, LLVM_FUNC_INPUTS, LLVM_FUNC_VARIES };

#endif
