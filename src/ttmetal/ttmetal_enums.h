/* ttmetal_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTMETAL_ENUMS_H
#define TILEWRIGHT_DIALECT_TTMETAL_ENUMS_H

#include "ir/dialect.h"

#define TTMETAL_CASES_EthType(X)                                                           \
    X(Sender, 0, "sender")                                                                 \
    X(Receiver, 1, "receiver")

#define TTMETAL_CASES_MathFidelity(X)                                                      \
    X(LoFi, 0, "lofi")                                                                     \
    X(HiFi2, 2, "hifi2")                                                                   \
    X(HiFi3, 3, "hifi3")                                                                   \
    X(HiFi4, 4, "hifi4")

#define TTMETAL_CASES_UnpackToDestMode(X)                                                  \
    X(Fp32, 0, "fp32")                                                                     \
    X(Default, 1, "default")

#define X(symbol, value, text) TTMETAL_ENUM(symbol) = value,
#define TTMETAL_ENUM(symbol) TTMETAL_EthType_##symbol
enum { TTMETAL_CASES_EthType(X) };
#undef TTMETAL_ENUM
#define TTMETAL_ENUM(symbol) TTMETAL_MathFidelity_##symbol
enum { TTMETAL_CASES_MathFidelity(X) };
#undef TTMETAL_ENUM
#define TTMETAL_ENUM(symbol) TTMETAL_UnpackToDestMode_##symbol
enum { TTMETAL_CASES_UnpackToDestMode(X) };
#undef TTMETAL_ENUM
#undef X

extern const ir_enum_def ttmetal_enum_EthType;
extern const ir_enum_def ttmetal_enum_MathFidelity;
extern const ir_enum_def ttmetal_enum_UnpackToDestMode;

#endif
