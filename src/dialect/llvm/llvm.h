/* llvm.h: the llvm dialect: arithmetic on scalars and vectors. */
#ifndef TILEWRIGHT_DIALECT_LLVM_H
#define TILEWRIGHT_DIALECT_LLVM_H

#include "ir/dialect.h"

extern const ir_dialect llvm_dialect;

#endif
