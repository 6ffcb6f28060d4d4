/* transform_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P
 * begins the names. */
#ifndef TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_ENUMS_H
#define TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_ENUMS_H

#define TRANSFORM_CASES_FailurePropagationMode(X, P)                                       \
    X(P, Propagate, 1, "propagate")                                                        \
    X(P, Suppress, 2, "suppress")

#define TRANSFORM_CASES_MatchCmpIPredicate(X, P)                                           \
    X(P, eq, 0, "eq")                                                                      \
    X(P, ne, 1, "ne")                                                                      \
    X(P, lt, 2, "lt")                                                                      \
    X(P, le, 3, "le")                                                                      \
    X(P, gt, 4, "gt")                                                                      \
    X(P, ge, 5, "ge")

#define TRANSFORM_CASES_MatchInterfaceEnum(X, P)                                           \
    X(P, LinalgOp, 0, "LinalgOp")                                                          \
    X(P, TilingInterface, 1, "TilingInterface")                                            \
    X(P, LoopLikeInterface, 2, "LoopLikeInterface")

#define TRANSFORM_CASES_TransposeMatmulInput(X, P)                                         \
    X(P, lhs, 0, "lhs")                                                                    \
    X(P, rhs, 1, "rhs")

#endif
