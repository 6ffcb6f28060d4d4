/* emitc_enums.h: enum cases as X(P, symbol, value, text); P is the name prefix. */
#ifndef TILEWRIGHT_MLIR_EMITC_EMITC_ENUMS_H
#define TILEWRIGHT_MLIR_EMITC_EMITC_ENUMS_H

#define EMITC_CASES_CmpPredicate(X, P)                                                     \
    X(P, eq, 0, "eq")                                                                      \
    X(P, ne, 1, "ne")                                                                      \
    X(P, lt, 2, "lt")                                                                      \
    X(P, le, 3, "le")                                                                      \
    X(P, gt, 4, "gt")                                                                      \
    X(P, ge, 5, "ge")                                                                      \
    X(P, three_way, 6, "three_way")

#endif
