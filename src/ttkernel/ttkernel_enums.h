/* ttkernel_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTKERNEL_ENUMS_H
#define TILEWRIGHT_DIALECT_TTKERNEL_ENUMS_H

#include "ir/dialect.h"

#define TTKERNEL_CASES_ArgType(X)                                                          \
    X(CBPort, 0, "cb_port")                                                                \
    X(BufferAddress, 1, "buffer_address")                                                  \
    X(LocalSemaphore, 2, "local_semaphore")                                                \
    X(NamedArgument, 3, "named_argument")                                                  \
    X(GlobalSemaphore, 4, "global_semaphore")                                              \
    X(Scalar, 5, "scalar")                                                                 \
    X(TensorAccessorArgs, 6, "tensor_accessor_args")

#define TTKERNEL_CASES_BcastType(X)                                                        \
    X(None, 0, "none")                                                                     \
    X(Col, 1, "col")                                                                       \
    X(Row, 2, "row")                                                                       \
    X(Scalar, 3, "scalar")

#define TTKERNEL_CASES_BinaryDestReuseType(X)                                              \
    X(DestToSrcA, 0, "dest_to_srca")                                                       \
    X(DestToSrcB, 1, "dest_to_srcb")

#define TTKERNEL_CASES_EltwiseBinaryType(X)                                                \
    X(Add, 0, "add")                                                                       \
    X(Sub, 1, "sub")                                                                       \
    X(Mul, 2, "mul")

#define TTKERNEL_CASES_InputClamping(X)                                                    \
    X(None, 0, "none")                                                                     \
    X(ClampToNegative, 1, "clamp_to_negative")

#define TTKERNEL_CASES_ReduceDim(X)                                                        \
    X(Row, 0, "reduce_dim_row")                                                            \
    X(Col, 1, "reduce_dim_col")                                                            \
    X(Scalar, 2, "reduce_dim_scalar")

#define TTKERNEL_CASES_ReduceType(X)                                                       \
    X(Sum, 0, "reduce_sum")                                                                \
    X(Max, 1, "reduce_max")                                                                \
    X(Avg, 2, "reduce_avg")

/* As the plan of TTL has them; the values are those of its DistributionStrategy. */
#define TTKERNEL_CASES_TensorLayout(X)                                                     \
    X(Sharded, 0, "sharded")                                                               \
    X(Interleaved, 1, "interleaved")                                                       \
    X(Tiled, 3, "tiled")

#define TTKERNEL_CASES_ThreadType(X)                                                       \
    X(Noc, 0, "noc")                                                                       \
    X(Compute, 1, "compute")                                                               \
    X(Ethernet, 2, "ethernet")

#define X(symbol, value, text) TTKERNEL_ENUM(symbol) = value,
#define TTKERNEL_ENUM(symbol) TTKERNEL_ArgType_##symbol
enum { TTKERNEL_CASES_ArgType(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_BcastType_##symbol
enum { TTKERNEL_CASES_BcastType(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_BinaryDestReuseType_##symbol
enum { TTKERNEL_CASES_BinaryDestReuseType(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_EltwiseBinaryType_##symbol
enum { TTKERNEL_CASES_EltwiseBinaryType(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_InputClamping_##symbol
enum { TTKERNEL_CASES_InputClamping(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_ReduceDim_##symbol
enum { TTKERNEL_CASES_ReduceDim(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_ReduceType_##symbol
enum { TTKERNEL_CASES_ReduceType(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_TensorLayout_##symbol
enum { TTKERNEL_CASES_TensorLayout(X) };
#undef TTKERNEL_ENUM
#define TTKERNEL_ENUM(symbol) TTKERNEL_ThreadType_##symbol
enum { TTKERNEL_CASES_ThreadType(X) };
#undef TTKERNEL_ENUM
#undef X

extern const ir_enum_def ttkernel_enum_ArgType;
extern const ir_enum_def ttkernel_enum_BcastType;
extern const ir_enum_def ttkernel_enum_BinaryDestReuseType;
extern const ir_enum_def ttkernel_enum_EltwiseBinaryType;
extern const ir_enum_def ttkernel_enum_InputClamping;
extern const ir_enum_def ttkernel_enum_ReduceDim;
extern const ir_enum_def ttkernel_enum_ReduceType;
extern const ir_enum_def ttkernel_enum_TensorLayout;
extern const ir_enum_def ttkernel_enum_ThreadType;

#endif
