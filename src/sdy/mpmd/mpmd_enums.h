/* mpmd_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_MPMD_ENUMS_H
#define TILEWRIGHT_DIALECT_MPMD_ENUMS_H

#include "ir/dialect.h"

#define MPMD_CASES_ReductionType(X)                                                        \
    X(kNone, 0, "none")                                                                    \
    X(kAdd, 1, "add")                                                                      \
    X(kMax, 2, "max")                                                                      \
    X(kMin, 3, "min")                                                                      \
    X(kMul, 4, "mul")                                                                      \
    X(kOr, 5, "or")                                                                        \
    X(kAnd, 6, "and")

#define X(symbol, value, text) MPMD_ENUM(symbol) = value,
#define MPMD_ENUM(symbol) MPMD_ReductionType_##symbol
enum { MPMD_CASES_ReductionType(X) };
#undef MPMD_ENUM
#undef X

extern const ir_enum_def mpmd_enum_ReductionType;

#endif
