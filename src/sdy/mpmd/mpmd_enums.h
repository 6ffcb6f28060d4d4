/* mpmd_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the prefix
 * of the symbols. */
#ifndef TILEWRIGHT_SDY_MPMD_MPMD_ENUMS_H
#define TILEWRIGHT_SDY_MPMD_MPMD_ENUMS_H

#define MPMD_CASES_ReductionType(X, P)                                                     \
    X(P, kNone, 0, "none")                                                                 \
    X(P, kAdd, 1, "add")                                                                   \
    X(P, kMax, 2, "max")                                                                   \
    X(P, kMin, 3, "min")                                                                   \
    X(P, kMul, 4, "mul")                                                                   \
    X(P, kOr, 5, "or")                                                                     \
    X(P, kAnd, 6, "and")

#endif
