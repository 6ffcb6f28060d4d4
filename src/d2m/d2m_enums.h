/* d2m_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the prefix
 * of the symbols. */
#ifndef TILEWRIGHT_D2M_D2M_ENUMS_H
#define TILEWRIGHT_D2M_D2M_ENUMS_H

#define D2M_CASES_DMAType(X, P)                                                            \
    X(P, Read, 0, "read")                                                                  \
    X(P, Write, 1, "write")                                                                \
    X(P, McastWrite, 2, "mcast_write")

#define D2M_CASES_ReduceDim(X, P)                                                          \
    X(P, R, 0, "R")                                                                        \
    X(P, C, 1, "C")                                                                        \
    X(P, RC, 2, "RC")

#define D2M_CASES_ResolutionStage(X, P)                                                    \
    X(P, Compile, 0, "compile")                                                            \
    X(P, Runtime, 1, "runtime")

#define D2M_CASES_ThreadType(X, P)                                                         \
    X(P, Compute, 0, "compute")                                                            \
    X(P, Datamovement, 1, "datamovement")                                                  \
    X(P, Unified, 2, "unified")

#define D2M_CASES_TileBcastType(X, P)                                                      \
    X(P, None, 0, "none")                                                                  \
    X(P, Col, 1, "col")                                                                    \
    X(P, Row, 2, "row")                                                                    \
    X(P, Scalar, 3, "scalar")

#endif
