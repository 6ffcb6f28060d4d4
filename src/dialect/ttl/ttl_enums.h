/* ttl_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTL_ENUMS_H
#define TILEWRIGHT_DIALECT_TTL_ENUMS_H

#include "ir/dialect.h"

#define TTL_CASES_BcastType(X)                                                             \
    X(Col, 1, "col")                                                                       \
    X(Row, 2, "row")                                                                       \
    X(Scalar, 3, "scalar")

#define TTL_CASES_TransferKind(X)                                                          \
    X(read, 0, "read")                                                                     \
    X(write, 1, "write")

#define X(symbol, value, text) TTL_ENUM(symbol) = value,
#define TTL_ENUM(symbol) TTL_BcastType_##symbol
enum { TTL_CASES_BcastType(X) };
#undef TTL_ENUM
#define TTL_ENUM(symbol) TTL_TransferKind_##symbol
enum { TTL_CASES_TransferKind(X) };
#undef TTL_ENUM
#undef X

extern const ir_enum_def ttl_enum_BcastType;
extern const ir_enum_def ttl_enum_TransferKind;

#endif
