/* ttkernel_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P begins
 * the names. */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_ENUMS_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_ENUMS_H

#define TTKERNEL_CASES_ArgType(X, P)                                                       \
    X(P, CBPort, 0, "cb_port")                                                             \
    X(P, BufferAddress, 1, "buffer_address")                                               \
    X(P, LocalSemaphore, 2, "local_semaphore")                                             \
    X(P, NamedArgument, 3, "named_argument")                                               \
    X(P, GlobalSemaphore, 4, "global_semaphore")                                           \
    X(P, Scalar, 5, "scalar")                                                              \
    X(P, TensorAccessorArgs, 6, "tensor_accessor_args")

#define TTKERNEL_CASES_BcastType(X, P)                                                     \
    X(P, None, 0, "none")                                                                  \
    X(P, Col, 1, "col")                                                                    \
    X(P, Row, 2, "row")                                                                    \
    X(P, Scalar, 3, "scalar")

#define TTKERNEL_CASES_BinaryDestReuseType(X, P)                                           \
    X(P, DestToSrcA, 0, "dest_to_srca")                                                    \
    X(P, DestToSrcB, 1, "dest_to_srcb")

#define TTKERNEL_CASES_EltwiseBinaryType(X, P)                                             \
    X(P, Add, 0, "add")                                                                    \
    X(P, Sub, 1, "sub")                                                                    \
    X(P, Mul, 2, "mul")

#define TTKERNEL_CASES_InputClamping(X, P)                                                 \
    X(P, None, 0, "none")                                                                  \
    X(P, ClampToNegative, 1, "clamp_to_negative")

#define TTKERNEL_CASES_ReduceDim(X, P)                                                     \
    X(P, Row, 0, "reduce_dim_row")                                                         \
    X(P, Col, 1, "reduce_dim_col")                                                         \
    X(P, Scalar, 2, "reduce_dim_scalar")

#define TTKERNEL_CASES_ReduceType(X, P)                                                    \
    X(P, Sum, 0, "reduce_sum")                                                             \
    X(P, Max, 1, "reduce_max")                                                             \
    X(P, Avg, 2, "reduce_avg")

/* As the plan of TTL has them; the values are those of its DistributionStrategy. */
#define TTKERNEL_CASES_TensorLayout(X, P)                                                  \
    X(P, Sharded, 0, "sharded")                                                            \
    X(P, Interleaved, 1, "interleaved")                                                    \
    X(P, Tiled, 3, "tiled")

#define TTKERNEL_CASES_ThreadType(X, P)                                                    \
    X(P, Noc, 0, "noc")                                                                    \
    X(P, Compute, 1, "compute")                                                            \
    X(P, Ethernet, 2, "ethernet")

#endif
