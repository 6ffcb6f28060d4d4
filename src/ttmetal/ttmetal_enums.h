/* ttmetal_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the
 * prefix of the symbols. */
#ifndef TILEWRIGHT_TTMETAL_TTMETAL_ENUMS_H
#define TILEWRIGHT_TTMETAL_TTMETAL_ENUMS_H

#define TTMETAL_CASES_EthType(X, P)                                                        \
    X(P, Sender, 0, "sender")                                                              \
    X(P, Receiver, 1, "receiver")

#define TTMETAL_CASES_MathFidelity(X, P)                                                   \
    X(P, LoFi, 0, "lofi")                                                                  \
    X(P, HiFi2, 2, "hifi2")                                                                \
    X(P, HiFi3, 3, "hifi3")                                                                \
    X(P, HiFi4, 4, "hifi4")

#define TTMETAL_CASES_UnpackToDestMode(X, P)                                               \
    X(P, Fp32, 0, "fp32")                                                                  \
    X(P, Default, 1, "default")

#endif
