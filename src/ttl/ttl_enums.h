/* ttl_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P begins the
 * names. */
#ifndef TILEWRIGHT_TTL_TTL_ENUMS_H
#define TILEWRIGHT_TTL_TTL_ENUMS_H

#define TTL_CASES_BcastType(X, P)                                                          \
    X(P, Col, 1, "col")                                                                    \
    X(P, Row, 2, "row")                                                                    \
    X(P, Scalar, 3, "scalar")

#define TTL_CASES_TransferKind(X, P)                                                       \
    X(P, read, 0, "read")                                                                  \
    X(P, write, 1, "write")

#define TTL_CASES_MemorySpace(X, P)                                                        \
    X(P, L1, 0, "L1")                                                                      \
    X(P, DRAM, 1, "DRAM")                                                                  \
    X(P, DST, 2, "DST")                                                                    \
    X(P, System, 3, "System")

#define TTL_CASES_DistributionStrategy(X, P)                                               \
    X(P, Sharded, 0, "sharded")                                                            \
    X(P, Interleaved, 1, "interleaved")                                                    \
    X(P, Replicated, 2, "replicated")

/* What operations of TTLSynchronizationInterface wait for. */
#define TTL_CASES_BarrierType(X, P)                                                        \
    X(P, DMARead, 0, "DMARead")                                                            \
    X(P, DMAWrite, 1, "DMAWrite")                                                          \
    X(P, CB, 2, "CB")                                                                      \
    X(P, Semaphore, 3, "Semaphore")

#endif
