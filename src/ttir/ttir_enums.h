/* ttir_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTIR_ENUMS_H
#define TILEWRIGHT_DIALECT_TTIR_ENUMS_H

#include "ir/dialect.h"

#define TTIR_CASES_ReduceDim(X)                                                            \
    X(R, 0, "R")                                                                           \
    X(C, 1, "C")                                                                           \
    X(RC, 2, "RC")

#define TTIR_CASES_ThreadType(X)                                                           \
    X(Compute, 0, "compute")                                                               \
    X(Datamovement, 1, "datamovement")

#define X(symbol, value, text) TTIR_ENUM(symbol) = value,
#define TTIR_ENUM(symbol) TTIR_ReduceDim_##symbol
enum { TTIR_CASES_ReduceDim(X) };
#undef TTIR_ENUM
#define TTIR_ENUM(symbol) TTIR_ThreadType_##symbol
enum { TTIR_CASES_ThreadType(X) };
#undef TTIR_ENUM
#undef X

extern const ir_enum_def ttir_enum_ReduceDim;
extern const ir_enum_def ttir_enum_ThreadType;

#endif
