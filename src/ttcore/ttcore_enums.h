/* ttcore_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTCORE_ENUMS_H
#define TILEWRIGHT_DIALECT_TTCORE_ENUMS_H

#include "ir/dialect.h"

#define TTCORE_CASES_Arch(X)                                                               \
    X(WormholeB0, 1, "wormhole_b0")                                                        \
    X(Blackhole, 2, "blackhole")                                                           \
    X(Quasar, 3, "quasar")

#define TTCORE_CASES_ArgumentType(X)                                                       \
    X(Input, 0, "input")                                                                   \
    X(Parameter, 1, "parameter")                                                           \
    X(Constant, 2, "constant")                                                             \
    X(Default, 3, "default")

#define TTCORE_CASES_AttentionMaskType(X)                                                  \
    X(None, 0, "none")                                                                     \
    X(Causal, 1, "causal")                                                                 \
    X(Arbitrary, 2, "arbitrary")

#define TTCORE_CASES_CPURole(X)                                                            \
    X(Host, 0, "host")                                                                     \
    X(Device, 1, "device")

#define TTCORE_CASES_ChipCapability(X) X(HostMMIO, 1, "host_mmio")

#define TTCORE_CASES_DataType(X)                                                           \
    X(Float32, 0, "f32")                                                                   \
    X(Float16, 1, "f16")                                                                   \
    X(BFloat16, 2, "bf16")                                                                 \
    X(BFP_Float8, 3, "bfp_f8")                                                             \
    X(BFP_BFloat8, 4, "bfp_bf8")                                                           \
    X(BFP_Float4, 5, "bfp_f4")                                                             \
    X(BFP_BFloat4, 6, "bfp_bf4")                                                           \
    X(BFP_Float2, 7, "bfp_f2")                                                             \
    X(BFP_BFloat2, 8, "bfp_bf2")                                                           \
    X(UInt32, 9, "u32")                                                                    \
    X(UInt16, 10, "u16")                                                                   \
    X(UInt8, 11, "u8")                                                                     \
    X(Int32, 12, "si32")                                                                   \
    X(Bool, 13, "i1")                                                                      \
    X(Int8, 15, "si8")                                                                     \
    X(Int16, 16, "si16")

#define TTCORE_CASES_IteratorType(X)                                                       \
    X(Parallel, 0, "parallel")                                                             \
    X(Reduction, 1, "reduction")

#define TTCORE_CASES_MemorySpace(X)                                                        \
    X(System, 0, "system")                                                                 \
    X(SystemMMIO, 1, "mmio")                                                               \
    X(DeviceDRAM, 2, "dram")                                                               \
    X(DeviceL1, 3, "l1")                                                                   \
    X(RegisterDst, 4, "dst")

#define TTCORE_CASES_MeshShardDirection(X)                                                 \
    X(FullToShard, 0, "full_to_shard")                                                     \
    X(ShardToFull, 1, "shard_to_full")

#define TTCORE_CASES_MeshShardType(X)                                                      \
    X(Replicate, 1, "replicate")                                                           \
    X(Maximal, 2, "maximal")                                                               \
    X(Devices, 3, "devices")

#define TTCORE_CASES_MoEActivationFunction(X)                                              \
    X(Silu, 0, "silu")                                                                     \
    X(SwiGLU, 1, "swiglu")

#define TTCORE_CASES_NocIndex(X)                                                           \
    X(Noc0, 0, "noc0")                                                                     \
    X(Noc1, 1, "noc1")

#define TTCORE_CASES_OOBVal(X)                                                             \
    X(Undef, 0, "undef")                                                                   \
    X(Zero, 1, "zero")                                                                     \
    X(One, 2, "one")                                                                       \
    X(Inf, 3, "inf")                                                                       \
    X(NegInf, 4, "neginf")

#define TTCORE_CASES_ReduceType(X)                                                         \
    X(Sum, 0, "sum")                                                                       \
    X(Mean, 1, "mean")                                                                     \
    X(Max, 2, "max")                                                                       \
    X(Min, 3, "min")                                                                       \
    X(Std, 4, "std")                                                                       \
    X(Var, 5, "var")                                                                       \
    X(Prod, 6, "prod")                                                                     \
    X(Invalid, 7, "invalid")

#define TTCORE_CASES_RoutingMode(X)                                                        \
    X(BidirLineMesh, 0, "bidir_line_mesh")                                                 \
    X(UnidirRingTorus, 1, "unidir_ring_torus")

#define TTCORE_CASES_ShardStatus(X)                                                        \
    X(Presharded, 0, "presharded")                                                         \
    X(Unsharded, 1, "unsharded")

#define TTCORE_CASES_TensorMemoryLayout(X)                                                 \
    X(Interleaved, 0, "interleaved")                                                       \
    X(Sharded, 1, "sharded")

#define TTCORE_CASES_Topology(X)                                                           \
    X(Ring, 0, "ring")                                                                     \
    X(Linear, 1, "linear")                                                                 \
    X(Mesh, 2, "mesh")                                                                     \
    X(Torus, 3, "torus")                                                                   \
    X(Disabled, 4, "disabled")

#define X(symbol, value, text) TTCORE_ENUM(symbol) = value,
#define TTCORE_ENUM(symbol) TTCORE_Arch_##symbol
enum { TTCORE_CASES_Arch(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_ArgumentType_##symbol
enum { TTCORE_CASES_ArgumentType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_AttentionMaskType_##symbol
enum { TTCORE_CASES_AttentionMaskType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_CPURole_##symbol
enum { TTCORE_CASES_CPURole(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_ChipCapability_##symbol
enum { TTCORE_CASES_ChipCapability(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_DataType_##symbol
enum { TTCORE_CASES_DataType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_IteratorType_##symbol
enum { TTCORE_CASES_IteratorType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_MemorySpace_##symbol
enum { TTCORE_CASES_MemorySpace(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_MeshShardDirection_##symbol
enum { TTCORE_CASES_MeshShardDirection(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_MeshShardType_##symbol
enum { TTCORE_CASES_MeshShardType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_MoEActivationFunction_##symbol
enum { TTCORE_CASES_MoEActivationFunction(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_NocIndex_##symbol
enum { TTCORE_CASES_NocIndex(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_OOBVal_##symbol
enum { TTCORE_CASES_OOBVal(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_ReduceType_##symbol
enum { TTCORE_CASES_ReduceType(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_RoutingMode_##symbol
enum { TTCORE_CASES_RoutingMode(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_ShardStatus_##symbol
enum { TTCORE_CASES_ShardStatus(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_TensorMemoryLayout_##symbol
enum { TTCORE_CASES_TensorMemoryLayout(X) };
#undef TTCORE_ENUM
#define TTCORE_ENUM(symbol) TTCORE_Topology_##symbol
enum { TTCORE_CASES_Topology(X) };
#undef TTCORE_ENUM
#undef X

extern const ir_enum_def ttcore_enum_Arch;
extern const ir_enum_def ttcore_enum_ArgumentType;
extern const ir_enum_def ttcore_enum_AttentionMaskType;
extern const ir_enum_def ttcore_enum_CPURole;
extern const ir_enum_def ttcore_enum_ChipCapability;
extern const ir_enum_def ttcore_enum_DataType;
extern const ir_enum_def ttcore_enum_IteratorType;
extern const ir_enum_def ttcore_enum_MemorySpace;
extern const ir_enum_def ttcore_enum_MeshShardDirection;
extern const ir_enum_def ttcore_enum_MeshShardType;
extern const ir_enum_def ttcore_enum_MoEActivationFunction;
extern const ir_enum_def ttcore_enum_NocIndex;
extern const ir_enum_def ttcore_enum_OOBVal;
extern const ir_enum_def ttcore_enum_ReduceType;
extern const ir_enum_def ttcore_enum_RoutingMode;
extern const ir_enum_def ttcore_enum_ShardStatus;
extern const ir_enum_def ttcore_enum_TensorMemoryLayout;
extern const ir_enum_def ttcore_enum_Topology;

#endif
