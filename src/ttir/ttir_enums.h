/* ttir_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P begins the
 * names. */
#ifndef TILEWRIGHT_TTIR_TTIR_ENUMS_H
#define TILEWRIGHT_TTIR_TTIR_ENUMS_H

#define TTIR_CASES_ReduceDim(X, P)                                                         \
    X(P, R, 0, "R")                                                                        \
    X(P, C, 1, "C")                                                                        \
    X(P, RC, 2, "RC")

#define TTIR_CASES_ThreadType(X, P)                                                        \
    X(P, Compute, 0, "compute")                                                            \
    X(P, Datamovement, 1, "datamovement")

#endif
