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

#define TTL_CASES_MemorySpace(X)                                                           \
    X(L1, 0, "L1")                                                                         \
    X(DRAM, 1, "DRAM")                                                                     \
    X(DST, 2, "DST")                                                                       \
    X(System, 3, "System")

#define TTL_CASES_DistributionStrategy(X)                                                  \
    X(Sharded, 0, "sharded")                                                               \
    X(Interleaved, 1, "interleaved")                                                       \
    X(Replicated, 2, "replicated")

/* What operations of TTLSynchronizationInterface wait for. */
#define TTL_CASES_BarrierType(X)                                                           \
    X(DMARead, 0, "DMARead")                                                               \
    X(DMAWrite, 1, "DMAWrite")                                                             \
    X(CB, 2, "CB")                                                                         \
    X(Semaphore, 3, "Semaphore")

#define X(symbol, value, text) TTL_ENUM(symbol) = value,
#define TTL_ENUM(symbol) TTL_BcastType_##symbol
enum { TTL_CASES_BcastType(X) };
#undef TTL_ENUM
#define TTL_ENUM(symbol) TTL_TransferKind_##symbol
enum { TTL_CASES_TransferKind(X) };
#undef TTL_ENUM
#define TTL_ENUM(symbol) TTL_MemorySpace_##symbol
enum { TTL_CASES_MemorySpace(X) };
#undef TTL_ENUM
#define TTL_ENUM(symbol) TTL_DistributionStrategy_##symbol
enum { TTL_CASES_DistributionStrategy(X) };
#undef TTL_ENUM
#define TTL_ENUM(symbol) TTL_BarrierType_##symbol
enum { TTL_CASES_BarrierType(X) };
#undef TTL_ENUM
#undef X

extern const ir_enum_def ttl_enum_BcastType;
extern const ir_enum_def ttl_enum_TransferKind;
extern const ir_enum_def ttl_enum_MemorySpace;
extern const ir_enum_def ttl_enum_DistributionStrategy;
extern const ir_enum_def ttl_enum_BarrierType;

#endif
