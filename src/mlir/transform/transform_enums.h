/* transform_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TRANSFORM_ENUMS_H
#define TILEWRIGHT_DIALECT_TRANSFORM_ENUMS_H

#include "ir/dialect.h"

#define TRANSFORM_CASES_FailurePropagationMode(X)                                          \
    X(Propagate, 1, "propagate")                                                           \
    X(Suppress, 2, "suppress")

#define TRANSFORM_CASES_MatchCmpIPredicate(X)                                              \
    X(eq, 0, "eq")                                                                         \
    X(ne, 1, "ne")                                                                         \
    X(lt, 2, "lt")                                                                         \
    X(le, 3, "le")                                                                         \
    X(gt, 4, "gt")                                                                         \
    X(ge, 5, "ge")

#define TRANSFORM_CASES_MatchInterfaceEnum(X)                                              \
    X(LinalgOp, 0, "LinalgOp")                                                             \
    X(TilingInterface, 1, "TilingInterface")                                               \
    X(LoopLikeInterface, 2, "LoopLikeInterface")

#define TRANSFORM_CASES_TransposeMatmulInput(X)                                            \
    X(lhs, 0, "lhs")                                                                       \
    X(rhs, 1, "rhs")

#define X(symbol, value, text) TRANSFORM_ENUM(symbol) = value,
#define TRANSFORM_ENUM(symbol) TRANSFORM_FailurePropagationMode_##symbol
enum { TRANSFORM_CASES_FailurePropagationMode(X) };
#undef TRANSFORM_ENUM
#define TRANSFORM_ENUM(symbol) TRANSFORM_MatchCmpIPredicate_##symbol
enum { TRANSFORM_CASES_MatchCmpIPredicate(X) };
#undef TRANSFORM_ENUM
#define TRANSFORM_ENUM(symbol) TRANSFORM_MatchInterfaceEnum_##symbol
enum { TRANSFORM_CASES_MatchInterfaceEnum(X) };
#undef TRANSFORM_ENUM
#define TRANSFORM_ENUM(symbol) TRANSFORM_TransposeMatmulInput_##symbol
enum { TRANSFORM_CASES_TransposeMatmulInput(X) };
#undef TRANSFORM_ENUM
#undef X

extern const ir_enum_def transform_enum_FailurePropagationMode;
extern const ir_enum_def transform_enum_MatchCmpIPredicate;
extern const ir_enum_def transform_enum_MatchInterfaceEnum;
extern const ir_enum_def transform_enum_TransposeMatmulInput;

#endif
