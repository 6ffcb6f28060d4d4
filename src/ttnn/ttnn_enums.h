/* ttnn_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P begins the
 * names. */
#ifndef TILEWRIGHT_TTNN_TTNN_ENUMS_H
#define TILEWRIGHT_TTNN_TTNN_ENUMS_H

#define TTNN_CASES_BFPDtype(X, P)                                                          \
    X(P, None, 0, "none")                                                                  \
    X(P, BFP_BFloat8, 1, "bfp_bf8")                                                        \
    X(P, BFP_BFloat4, 2, "bfp_bf4")

#define TTNN_CASES_BufferType(X, P)                                                        \
    X(P, DRAM, 0, "dram")                                                                  \
    X(P, L1, 1, "l1")                                                                      \
    X(P, SystemMemory, 2, "system_memory")                                                 \
    X(P, L1Small, 3, "l1_small")                                                           \
    X(P, Trace, 4, "trace")

#define TTNN_CASES_ComputeKernelMathFidelity(X, P)                                         \
    X(P, LoFi, 0, "lofi")                                                                  \
    X(P, HiFi2, 2, "hifi2")                                                                \
    X(P, HiFi3, 3, "hifi3")                                                                \
    X(P, HiFi4, 4, "hifi4")

#define TTNN_CASES_ComputeKernelUnpackToDestMode(X, P)                                     \
    X(P, Fp32, 0, "fp32")                                                                  \
    X(P, Default, 1, "default")

#define TTNN_CASES_Conv2dSliceType(X, P)                                                   \
    X(P, DramHeight, 0, "dram_height")                                                     \
    X(P, DramWidth, 1, "dram_width")                                                       \
    X(P, L1Full, 2, "l1_full")

#define TTNN_CASES_DataMovementProcessor(X, P)                                             \
    X(P, RiscV0, 0, "riscv0")                                                              \
    X(P, RiscV1, 1, "riscv1")

#define TTNN_CASES_KernelCoreType(X, P)                                                    \
    X(P, Worker, 0, "worker")                                                              \
    X(P, Eth, 1, "eth")

#define TTNN_CASES_Layout(X, P)                                                            \
    X(P, RowMajor, 0, "row_major")                                                         \
    X(P, Tile, 1, "tile")                                                                  \
    X(P, Invalid, 2, "invalid")

#define TTNN_CASES_MathFidelity(X, P)                                                      \
    X(P, LoFi, 0, "lofi")                                                                  \
    X(P, HiFi2, 2, "hifi2")                                                                \
    X(P, HiFi3, 3, "hifi3")                                                                \
    X(P, HiFi4, 4, "hifi4")

#define TTNN_CASES_NocMode(X, P)                                                           \
    X(P, DedicatedNoc, 0, "dedicated_noc")                                                 \
    X(P, DynamicNoc, 1, "dynamic_noc")

#define TTNN_CASES_OptionalMathFidelity(X, P)                                              \
    X(P, LoFi, 0, "lofi")                                                                  \
    X(P, HiFi2, 2, "hifi2")                                                                \
    X(P, HiFi3, 3, "hifi3")                                                                \
    X(P, HiFi4, 4, "hifi4")                                                                \
    X(P, Undefined, 5, "undefined")

#define TTNN_CASES_PlacementType(X, P)                                                     \
    X(P, Replicate, 0, "replicate")                                                        \
    X(P, Shard, 1, "shard")

#define TTNN_CASES_ShardDistributionStrategy(X, P)                                         \
    X(P, RoundRobin1D, 0, "round_robin_1d")                                                \
    X(P, Grid2D, 1, "grid_2d")

#define TTNN_CASES_ShardOrientation(X, P)                                                  \
    X(P, RowMajor, 0, "row_major")                                                         \
    X(P, ColMajor, 1, "col_major")

#define TTNN_CASES_TensorMemoryLayout(X, P)                                                \
    X(P, Interleaved, 0, "interleaved")                                                    \
    X(P, HeightSharded, 2, "height_sharded")                                               \
    X(P, WidthSharded, 3, "width_sharded")                                                 \
    X(P, BlockSharded, 4, "block_sharded")                                                 \
    X(P, NDSharded, 5, "nd_sharded")

#define TTNN_CASES_UnaryOpType(X, P)                                                       \
    X(P, Exp, 0, "exp")                                                                    \
    X(P, Recip, 1, "recip")                                                                \
    X(P, Gelu, 2, "gelu")                                                                  \
    X(P, Relu, 3, "relu")                                                                  \
    X(P, Sqrt, 4, "sqrt")                                                                  \
    X(P, Sigmoid, 5, "sigmoid")                                                            \
    X(P, Log, 6, "log")                                                                    \
    X(P, Tanh, 7, "tanh")                                                                  \
    X(P, Log2, 8, "log2")                                                                  \
    X(P, Log10, 9, "log10")                                                                \
    X(P, Sin, 10, "sin")                                                                   \
    X(P, Cos, 11, "cos")                                                                   \
    X(P, Abs, 12, "abs")                                                                   \
    X(P, AbsInt32, 13, "abs_int32")                                                        \
    X(P, Sign, 14, "sign")                                                                 \
    X(P, Square, 15, "square")                                                             \
    X(P, Eqz, 16, "eqz")                                                                   \
    X(P, Nez, 17, "nez")                                                                   \
    X(P, Gtz, 18, "gtz")                                                                   \
    X(P, Ltz, 19, "ltz")                                                                   \
    X(P, Gez, 20, "gez")                                                                   \
    X(P, Lez, 21, "Lez")                                                                   \
    X(P, ReluMax, 22, "relu_max")                                                          \
    X(P, ReluMin, 23, "relu_min")                                                          \
    X(P, Power, 24, "power")                                                               \
    X(P, LeakyRelu, 25, "leaky_relu")                                                      \
    X(P, Elu, 26, "elu")                                                                   \
    X(P, Exp2, 27, "exp2")                                                                 \
    X(P, Heaviside, 28, "heaviside")                                                       \
    X(P, Expm1, 29, "expm1")                                                               \
    X(P, Signbit, 30, "signbit")                                                           \
    X(P, Asin, 31, "asin")                                                                 \
    X(P, Acos, 32, "acos")                                                                 \
    X(P, Rsqrt, 33, "rsqrt")                                                               \
    X(P, Relu6, 34, "relu6")                                                               \
    X(P, Atan, 35, "atan")                                                                 \
    X(P, Erf, 36, "erf")                                                                   \
    X(P, Erfc, 37, "erfc")                                                                 \
    X(P, IsInf, 38, "is_inf")                                                              \
    X(P, IsPosInf, 39, "is_pos_inf")                                                       \
    X(P, IsNegInf, 40, "is_neg_inf")                                                       \
    X(P, IsNan, 41, "is_nan")                                                              \
    X(P, LogicalNotUnary, 42, "logical_not_unary")                                         \
    X(P, IsFinite, 43, "is_finite")                                                        \
    X(P, Erfinv, 44, "erfinv")                                                             \
    X(P, I0, 45, "i0")                                                                     \
    X(P, I1, 46, "i1")                                                                     \
    X(P, Tan, 47, "tan")                                                                   \
    X(P, Rsub, 48, "rsub")                                                                 \
    X(P, Rdiv, 49, "rdiv")                                                                 \
    X(P, Silu, 50, "silu")                                                                 \
    X(P, SoftPlus, 51, "soft_plus")                                                        \
    X(P, Identity, 52, "identity")                                                         \
    X(P, Neg, 53, "neg")                                                                   \
    X(P, AddUnarySfpu, 54, "add_unary_sfpu")                                               \
    X(P, SubUnarySfpu, 55, "sub_unary_sfpu")                                               \
    X(P, MulUnarySfpu, 56, "mul_unary_sfpu")                                               \
    X(P, DivUnarySfpu, 57, "div_unary_sfpu")                                               \
    X(P, IdentityUint32, 58, "identity_uint32")                                            \
    X(P, UnaryNe, 59, "unary_ne")                                                          \
    X(P, UnaryGt, 60, "unary_gt")                                                          \
    X(P, UnaryLt, 61, "unary_lt")                                                          \
    X(P, TiledProd, 62, "tiled_prod")                                                      \
    X(P, Typecast, 63, "typecast")                                                         \
    X(P, BitwiseXor, 64, "bitwise_xor")                                                    \
    X(P, BitwiseNot, 65, "bitwise_not")                                                    \
    X(P, BitwiseAnd, 66, "bitwise_and")                                                    \
    X(P, BitwiseOr, 67, "bitwise_or")                                                      \
    X(P, RightShift, 68, "right_shift")                                                    \
    X(P, Floor, 69, "floor")                                                               \
    X(P, Ceil, 70, "ceil")                                                                 \
    X(P, Round, 71, "round")                                                               \
    X(P, LeftShift, 72, "left_shift")                                                      \
    X(P, Remainder, 73, "remainder")                                                       \
    X(P, Fmod, 74, "fmod")                                                                 \
    X(P, Dropout, 75, "dropout")                                                           \
    X(P, Fill, 76, "fill")                                                                 \
    X(P, PreluSfpu, 77, "prelu_sfpu")                                                      \
    X(P, ZeroPoint, 78, "zero_point")                                                      \
    X(P, Hardsigmoid, 79, "hardsigmoid")

#endif
