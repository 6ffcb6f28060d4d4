/* chlo_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_CHLO_ENUMS_H
#define TILEWRIGHT_DIALECT_CHLO_ENUMS_H

#include "ir/dialect.h"

#define CHLO_CASES_ComparisonDirection(X)                                                  \
    X(EQ, 0, "EQ")                                                                         \
    X(NE, 1, "NE")                                                                         \
    X(GE, 2, "GE")                                                                         \
    X(GT, 3, "GT")                                                                         \
    X(LE, 4, "LE")                                                                         \
    X(LT, 5, "LT")

#define CHLO_CASES_ComparisonType(X)                                                       \
    X(NOTYPE, 0, "NOTYPE")                                                                 \
    X(FLOAT, 1, "FLOAT")                                                                   \
    X(TOTALORDER, 2, "TOTALORDER")                                                         \
    X(SIGNED, 3, "SIGNED")                                                                 \
    X(UNSIGNED, 4, "UNSIGNED")

#define CHLO_CASES_Precision(X)                                                            \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(HIGH, 1, "HIGH")                                                                     \
    X(HIGHEST, 2, "HIGHEST")

#define X(symbol, value, text) CHLO_ENUM(symbol) = value,
#define CHLO_ENUM(symbol) CHLO_ComparisonDirection_##symbol
enum { CHLO_CASES_ComparisonDirection(X) };
#undef CHLO_ENUM
#define CHLO_ENUM(symbol) CHLO_ComparisonType_##symbol
enum { CHLO_CASES_ComparisonType(X) };
#undef CHLO_ENUM
#define CHLO_ENUM(symbol) CHLO_Precision_##symbol
enum { CHLO_CASES_Precision(X) };
#undef CHLO_ENUM
#undef X

extern const ir_enum_def chlo_enum_ComparisonDirection;
extern const ir_enum_def chlo_enum_ComparisonType;
extern const ir_enum_def chlo_enum_Precision;

#endif
