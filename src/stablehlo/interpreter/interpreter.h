/* interpreter.h: the interpreter dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_INTERPRETER_H
#define TILEWRIGHT_DIALECT_INTERPRETER_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) INTERPRETER_##id,
#include "stablehlo/interpreter/interpreter.def"
    INTERPRETER_OP_COUNT
};

extern const ir_dialect interpreter_dialect;
extern const ir_op_def interpreter_ops[];
#define INTERPRETER_OP(id) (&interpreter_ops[INTERPRETER_##id])

#endif
