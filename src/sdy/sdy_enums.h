/* sdy_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the prefix
 * of the symbols. */
#ifndef TILEWRIGHT_SDY_SDY_ENUMS_H
#define TILEWRIGHT_SDY_SDY_ENUMS_H

#define SDY_CASES_EdgeNodeType(X, P)                                                       \
    X(P, OPERAND, 0, "operand")                                                            \
    X(P, RESULT, 1, "result")

#define SDY_CASES_PropagationDirection(X, P)                                               \
    X(P, NONE, 0, "NONE")                                                                  \
    X(P, FORWARD, 1, "FORWARD")                                                            \
    X(P, BACKWARD, 2, "BACKWARD")                                                          \
    X(P, BOTH, 3, "BOTH")

#define SDY_CASES_ReductionOp(X, P)                                                        \
    X(P, SUM, 0, "sum")                                                                    \
    X(P, MAX, 1, "max")                                                                    \
    X(P, MIN, 2, "min")

#endif
