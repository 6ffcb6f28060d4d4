/* tosa_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TOSA_ENUMS_H
#define TILEWRIGHT_DIALECT_TOSA_ENUMS_H

#include "ir/dialect.h"

#define TOSA_CASES_BlockSize(X) X(BLOCK_SIZE_32, 1, "BLOCK_SIZE_32")

#define TOSA_CASES_NanPropagationMode(X)                                                   \
    X(PROPAGATE, 1, "PROPAGATE")                                                           \
    X(IGNORE, 2, "IGNORE")

#define TOSA_CASES_ResizeMode(X)                                                           \
    X(NEAREST_NEIGHBOR, 1, "NEAREST_NEIGHBOR")                                             \
    X(BILINEAR, 2, "BILINEAR")

#define TOSA_CASES_RoundingMode(X)                                                         \
    X(SINGLE_ROUND, 1, "SINGLE_ROUND")                                                     \
    X(INEXACT_ROUND, 2, "INEXACT_ROUND")                                                   \
    X(DOUBLE_ROUND, 3, "DOUBLE_ROUND")

extern const ir_enum_def tosa_enum_BlockSize;
extern const ir_enum_def tosa_enum_NanPropagationMode;
extern const ir_enum_def tosa_enum_ResizeMode;
extern const ir_enum_def tosa_enum_RoundingMode;

#endif
