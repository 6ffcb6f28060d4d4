/* interpreter.h: the interpreter dialect: symbols of its rows. */
#ifndef TILEWRIGHT_STABLEHLO_INTERPRETER_INTERPRETER_H
#define TILEWRIGHT_STABLEHLO_INTERPRETER_INTERPRETER_H

#define IR_DIALECT interpreter
#define IR_PREFIX INTERPRETER
#define IR_ROWS "stablehlo/interpreter/interpreter.def"
#include "ir/dialect_names.h"

#define INTERPRETER_OP(id) (&interpreter_ops[INTERPRETER_##id])

#endif
