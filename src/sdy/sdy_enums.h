/* sdy_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_SDY_ENUMS_H
#define TILEWRIGHT_DIALECT_SDY_ENUMS_H

#include "ir/dialect.h"

#define SDY_CASES_EdgeNodeType(X)                                                          \
    X(OPERAND, 0, "operand")                                                               \
    X(RESULT, 1, "result")

#define SDY_CASES_PropagationDirection(X)                                                  \
    X(NONE, 0, "NONE")                                                                     \
    X(FORWARD, 1, "FORWARD")                                                               \
    X(BACKWARD, 2, "BACKWARD")                                                             \
    X(BOTH, 3, "BOTH")

#define SDY_CASES_ReductionOp(X)                                                           \
    X(SUM, 0, "sum")                                                                       \
    X(MAX, 1, "max")                                                                       \
    X(MIN, 2, "min")

#define X(symbol, value, text) SDY_ENUM(symbol) = value,
#define SDY_ENUM(symbol) SDY_EdgeNodeType_##symbol
enum { SDY_CASES_EdgeNodeType(X) };
#undef SDY_ENUM
#define SDY_ENUM(symbol) SDY_PropagationDirection_##symbol
enum { SDY_CASES_PropagationDirection(X) };
#undef SDY_ENUM
#define SDY_ENUM(symbol) SDY_ReductionOp_##symbol
enum { SDY_CASES_ReductionOp(X) };
#undef SDY_ENUM
#undef X

extern const ir_enum_def sdy_enum_EdgeNodeType;
extern const ir_enum_def sdy_enum_PropagationDirection;
extern const ir_enum_def sdy_enum_ReductionOp;

#endif
