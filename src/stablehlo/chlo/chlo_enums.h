/* chlo_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the prefix
 * of the symbols. */
#ifndef TILEWRIGHT_STABLEHLO_CHLO_CHLO_ENUMS_H
#define TILEWRIGHT_STABLEHLO_CHLO_CHLO_ENUMS_H

#define CHLO_CASES_ComparisonDirection(X, P)                                               \
    X(P, EQ, 0, "EQ")                                                                      \
    X(P, NE, 1, "NE")                                                                      \
    X(P, GE, 2, "GE")                                                                      \
    X(P, GT, 3, "GT")                                                                      \
    X(P, LE, 4, "LE")                                                                      \
    X(P, LT, 5, "LT")

#define CHLO_CASES_ComparisonType(X, P)                                                    \
    X(P, NOTYPE, 0, "NOTYPE")                                                              \
    X(P, FLOAT, 1, "FLOAT")                                                                \
    X(P, TOTALORDER, 2, "TOTALORDER")                                                      \
    X(P, SIGNED, 3, "SIGNED")                                                              \
    X(P, UNSIGNED, 4, "UNSIGNED")

#define CHLO_CASES_Precision(X, P)                                                         \
    X(P, DEFAULT, 0, "DEFAULT")                                                            \
    X(P, HIGH, 1, "HIGH")                                                                  \
    X(P, HIGHEST, 2, "HIGHEST")

#endif
