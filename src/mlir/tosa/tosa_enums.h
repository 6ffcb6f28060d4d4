/* tosa_enums.h: enum cases as X(P, symbol, value, text); P is the name prefix. */
#ifndef TILEWRIGHT_MLIR_TOSA_TOSA_ENUMS_H
#define TILEWRIGHT_MLIR_TOSA_TOSA_ENUMS_H

#define TOSA_CASES_BlockSize(X, P) X(P, BLOCK_SIZE_32, 1, "BLOCK_SIZE_32")

#define TOSA_CASES_NanPropagationMode(X, P)                                                \
    X(P, PROPAGATE, 1, "PROPAGATE")                                                        \
    X(P, IGNORE, 2, "IGNORE")

#define TOSA_CASES_ResizeMode(X, P)                                                        \
    X(P, NEAREST_NEIGHBOR, 1, "NEAREST_NEIGHBOR")                                          \
    X(P, BILINEAR, 2, "BILINEAR")

#define TOSA_CASES_RoundingMode(X, P)                                                      \
    X(P, SINGLE_ROUND, 1, "SINGLE_ROUND")                                                  \
    X(P, INEXACT_ROUND, 2, "INEXACT_ROUND")                                                \
    X(P, DOUBLE_ROUND, 3, "DOUBLE_ROUND")

#endif
