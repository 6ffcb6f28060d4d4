/* bufferization_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_BUFFERIZATION_ENUMS_H
#define TILEWRIGHT_DIALECT_BUFFERIZATION_ENUMS_H

#include "ir/dialect.h"

#define BUFFERIZATION_CASES_LayoutMapOption(X)                                             \
    X(InferLayoutMap, 0, "InferLayoutMap")                                                 \
    X(IdentityLayoutMap, 1, "IdentityLayoutMap")                                           \
    X(FullyDynamicLayoutMap, 2, "FullyDynamicLayoutMap")

#define X(symbol, value, text) BUFFERIZATION_ENUM(symbol) = value,
#define BUFFERIZATION_ENUM(symbol) BUFFERIZATION_LayoutMapOption_##symbol
enum { BUFFERIZATION_CASES_LayoutMapOption(X) };
#undef BUFFERIZATION_ENUM
#undef X

extern const ir_enum_def bufferization_enum_LayoutMapOption;

#endif
