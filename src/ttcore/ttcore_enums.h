/* ttcore_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the
 * prefix of the symbols. */
#ifndef TILEWRIGHT_TTCORE_TTCORE_ENUMS_H
#define TILEWRIGHT_TTCORE_TTCORE_ENUMS_H

#define TTCORE_CASES_Arch(X, P)                                                            \
    X(P, WormholeB0, 1, "wormhole_b0")                                                     \
    X(P, Blackhole, 2, "blackhole")                                                        \
    X(P, Quasar, 3, "quasar")

#define TTCORE_CASES_ArgumentType(X, P)                                                    \
    X(P, Input, 0, "input")                                                                \
    X(P, Parameter, 1, "parameter")                                                        \
    X(P, Constant, 2, "constant")                                                          \
    X(P, Default, 3, "default")

#define TTCORE_CASES_AttentionMaskType(X, P)                                               \
    X(P, None, 0, "none")                                                                  \
    X(P, Causal, 1, "causal")                                                              \
    X(P, Arbitrary, 2, "arbitrary")

#define TTCORE_CASES_CPURole(X, P)                                                         \
    X(P, Host, 0, "host")                                                                  \
    X(P, Device, 1, "device")

#define TTCORE_CASES_ChipCapability(X, P) X(P, HostMMIO, 1, "host_mmio")

#define TTCORE_CASES_DataType(X, P)                                                        \
    X(P, Float32, 0, "f32")                                                                \
    X(P, Float16, 1, "f16")                                                                \
    X(P, BFloat16, 2, "bf16")                                                              \
    X(P, BFP_Float8, 3, "bfp_f8")                                                          \
    X(P, BFP_BFloat8, 4, "bfp_bf8")                                                        \
    X(P, BFP_Float4, 5, "bfp_f4")                                                          \
    X(P, BFP_BFloat4, 6, "bfp_bf4")                                                        \
    X(P, BFP_Float2, 7, "bfp_f2")                                                          \
    X(P, BFP_BFloat2, 8, "bfp_bf2")                                                        \
    X(P, UInt32, 9, "u32")                                                                 \
    X(P, UInt16, 10, "u16")                                                                \
    X(P, UInt8, 11, "u8")                                                                  \
    X(P, Int32, 12, "si32")                                                                \
    X(P, Bool, 13, "i1")                                                                   \
    X(P, Int8, 15, "si8")                                                                  \
    X(P, Int16, 16, "si16")

#define TTCORE_CASES_IteratorType(X, P)                                                    \
    X(P, Parallel, 0, "parallel")                                                          \
    X(P, Reduction, 1, "reduction")

#define TTCORE_CASES_MemorySpace(X, P)                                                     \
    X(P, System, 0, "system")                                                              \
    X(P, SystemMMIO, 1, "mmio")                                                            \
    X(P, DeviceDRAM, 2, "dram")                                                            \
    X(P, DeviceL1, 3, "l1")                                                                \
    X(P, RegisterDst, 4, "dst")

#define TTCORE_CASES_MeshShardDirection(X, P)                                              \
    X(P, FullToShard, 0, "full_to_shard")                                                  \
    X(P, ShardToFull, 1, "shard_to_full")

#define TTCORE_CASES_MeshShardType(X, P)                                                   \
    X(P, Identity, 0, "identity")                                                          \
    X(P, Replicate, 1, "replicate")                                                        \
    X(P, Maximal, 2, "maximal")                                                            \
    X(P, Devices, 3, "devices")

#define TTCORE_CASES_MoEActivationFunction(X, P)                                           \
    X(P, Silu, 0, "silu")                                                                  \
    X(P, SwiGLU, 1, "swiglu")

#define TTCORE_CASES_NocIndex(X, P)                                                        \
    X(P, Noc0, 0, "noc0")                                                                  \
    X(P, Noc1, 1, "noc1")

#define TTCORE_CASES_OOBVal(X, P)                                                          \
    X(P, Undef, 0, "undef")                                                                \
    X(P, Zero, 1, "zero")                                                                  \
    X(P, One, 2, "one")                                                                    \
    X(P, Inf, 3, "inf")                                                                    \
    X(P, NegInf, 4, "neginf")

#define TTCORE_CASES_ReduceType(X, P)                                                      \
    X(P, Sum, 0, "sum")                                                                    \
    X(P, Mean, 1, "mean")                                                                  \
    X(P, Max, 2, "max")                                                                    \
    X(P, Min, 3, "min")                                                                    \
    X(P, Std, 4, "std")                                                                    \
    X(P, Var, 5, "var")                                                                    \
    X(P, Prod, 6, "prod")                                                                  \
    X(P, Invalid, 7, "invalid")

#define TTCORE_CASES_RoutingMode(X, P)                                                     \
    X(P, BidirLineMesh, 0, "bidir_line_mesh")                                              \
    X(P, UnidirRingTorus, 1, "unidir_ring_torus")

#define TTCORE_CASES_ShardStatus(X, P)                                                     \
    X(P, Presharded, 0, "presharded")                                                      \
    X(P, Unsharded, 1, "unsharded")

#define TTCORE_CASES_TensorMemoryLayout(X, P)                                              \
    X(P, Interleaved, 0, "interleaved")                                                    \
    X(P, Sharded, 1, "sharded")

#define TTCORE_CASES_Topology(X, P)                                                        \
    X(P, Ring, 0, "ring")                                                                  \
    X(P, Linear, 1, "linear")                                                              \
    X(P, Mesh, 2, "mesh")                                                                  \
    X(P, Torus, 3, "torus")                                                                \
    X(P, Disabled, 4, "disabled")

#endif
