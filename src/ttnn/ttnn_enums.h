/* ttnn_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_TTNN_ENUMS_H
#define TILEWRIGHT_DIALECT_TTNN_ENUMS_H

#include "ir/dialect.h"

#define TTNN_CASES_BFPDtype(X)                                                             \
    X(None, 0, "none")                                                                     \
    X(BFP_BFloat8, 1, "bfp_bf8")                                                           \
    X(BFP_BFloat4, 2, "bfp_bf4")

#define TTNN_CASES_BufferType(X)                                                           \
    X(DRAM, 0, "dram")                                                                     \
    X(L1, 1, "l1")                                                                         \
    X(SystemMemory, 2, "system_memory")                                                    \
    X(L1Small, 3, "l1_small")                                                              \
    X(Trace, 4, "trace")

#define TTNN_CASES_ComputeKernelMathFidelity(X)                                            \
    X(LoFi, 0, "lofi")                                                                     \
    X(HiFi2, 2, "hifi2")                                                                   \
    X(HiFi3, 3, "hifi3")                                                                   \
    X(HiFi4, 4, "hifi4")

#define TTNN_CASES_ComputeKernelUnpackToDestMode(X)                                        \
    X(Fp32, 0, "fp32")                                                                     \
    X(Default, 1, "default")

#define TTNN_CASES_Conv2dSliceType(X)                                                      \
    X(DramHeight, 0, "dram_height")                                                        \
    X(DramWidth, 1, "dram_width")                                                          \
    X(L1Full, 2, "l1_full")

#define TTNN_CASES_DataMovementProcessor(X)                                                \
    X(RiscV0, 0, "riscv0")                                                                 \
    X(RiscV1, 1, "riscv1")

#define TTNN_CASES_KernelCoreType(X)                                                       \
    X(Worker, 0, "worker")                                                                 \
    X(Eth, 1, "eth")

#define TTNN_CASES_Layout(X)                                                               \
    X(RowMajor, 0, "row_major")                                                            \
    X(Tile, 1, "tile")                                                                     \
    X(Invalid, 2, "invalid")

#define TTNN_CASES_MathFidelity(X)                                                         \
    X(LoFi, 0, "lofi")                                                                     \
    X(HiFi2, 2, "hifi2")                                                                   \
    X(HiFi3, 3, "hifi3")                                                                   \
    X(HiFi4, 4, "hifi4")

#define TTNN_CASES_NocMode(X)                                                              \
    X(DedicatedNoc, 0, "dedicated_noc")                                                    \
    X(DynamicNoc, 1, "dynamic_noc")

#define TTNN_CASES_OptionalMathFidelity(X)                                                 \
    X(LoFi, 0, "lofi")                                                                     \
    X(HiFi2, 2, "hifi2")                                                                   \
    X(HiFi3, 3, "hifi3")                                                                   \
    X(HiFi4, 4, "hifi4")                                                                   \
    X(Undefined, 5, "undefined")

#define TTNN_CASES_PlacementType(X)                                                        \
    X(Replicate, 0, "replicate")                                                           \
    X(Shard, 1, "shard")

#define TTNN_CASES_ShardDistributionStrategy(X)                                            \
    X(RoundRobin1D, 0, "round_robin_1d")                                                   \
    X(Grid2D, 1, "grid_2d")

#define TTNN_CASES_ShardOrientation(X)                                                     \
    X(RowMajor, 0, "row_major")                                                            \
    X(ColMajor, 1, "col_major")

#define TTNN_CASES_TensorMemoryLayout(X)                                                   \
    X(Interleaved, 0, "interleaved")                                                       \
    X(HeightSharded, 2, "height_sharded")                                                  \
    X(WidthSharded, 3, "width_sharded")                                                    \
    X(BlockSharded, 4, "block_sharded")                                                    \
    X(NDSharded, 5, "nd_sharded")

#define TTNN_CASES_UnaryOpType(X)                                                          \
    X(Exp, 0, "exp")                                                                       \
    X(Recip, 1, "recip")                                                                   \
    X(Gelu, 2, "gelu")                                                                     \
    X(Relu, 3, "relu")                                                                     \
    X(Sqrt, 4, "sqrt")                                                                     \
    X(Sigmoid, 5, "sigmoid")                                                               \
    X(Log, 6, "log")                                                                       \
    X(Tanh, 7, "tanh")                                                                     \
    X(Log2, 8, "log2")                                                                     \
    X(Log10, 9, "log10")                                                                   \
    X(Sin, 10, "sin")                                                                      \
    X(Cos, 11, "cos")                                                                      \
    X(Abs, 12, "abs")                                                                      \
    X(AbsInt32, 13, "abs_int32")                                                           \
    X(Sign, 14, "sign")                                                                    \
    X(Square, 15, "square")                                                                \
    X(Eqz, 16, "eqz")                                                                      \
    X(Nez, 17, "nez")                                                                      \
    X(Gtz, 18, "gtz")                                                                      \
    X(Ltz, 19, "ltz")                                                                      \
    X(Gez, 20, "gez")                                                                      \
    X(Lez, 21, "Lez")                                                                      \
    X(ReluMax, 22, "relu_max")                                                             \
    X(ReluMin, 23, "relu_min")                                                             \
    X(Power, 24, "power")                                                                  \
    X(LeakyRelu, 25, "leaky_relu")                                                         \
    X(Elu, 26, "elu")                                                                      \
    X(Exp2, 27, "exp2")                                                                    \
    X(Heaviside, 28, "heaviside")                                                          \
    X(Expm1, 29, "expm1")                                                                  \
    X(Signbit, 30, "signbit")                                                              \
    X(Asin, 31, "asin")                                                                    \
    X(Acos, 32, "acos")                                                                    \
    X(Rsqrt, 33, "rsqrt")                                                                  \
    X(Relu6, 34, "relu6")                                                                  \
    X(Atan, 35, "atan")                                                                    \
    X(Erf, 36, "erf")                                                                      \
    X(Erfc, 37, "erfc")                                                                    \
    X(IsInf, 38, "is_inf")                                                                 \
    X(IsPosInf, 39, "is_pos_inf")                                                          \
    X(IsNegInf, 40, "is_neg_inf")                                                          \
    X(IsNan, 41, "is_nan")                                                                 \
    X(LogicalNotUnary, 42, "logical_not_unary")                                            \
    X(IsFinite, 43, "is_finite")                                                           \
    X(Erfinv, 44, "erfinv")                                                                \
    X(I0, 45, "i0")                                                                        \
    X(I1, 46, "i1")                                                                        \
    X(Tan, 47, "tan")                                                                      \
    X(Rsub, 48, "rsub")                                                                    \
    X(Rdiv, 49, "rdiv")                                                                    \
    X(Silu, 50, "silu")                                                                    \
    X(SoftPlus, 51, "soft_plus")                                                           \
    X(Identity, 52, "identity")                                                            \
    X(Neg, 53, "neg")                                                                      \
    X(AddUnarySfpu, 54, "add_unary_sfpu")                                                  \
    X(SubUnarySfpu, 55, "sub_unary_sfpu")                                                  \
    X(MulUnarySfpu, 56, "mul_unary_sfpu")                                                  \
    X(DivUnarySfpu, 57, "div_unary_sfpu")                                                  \
    X(IdentityUint32, 58, "identity_uint32")                                               \
    X(UnaryNe, 59, "unary_ne")                                                             \
    X(UnaryGt, 60, "unary_gt")                                                             \
    X(UnaryLt, 61, "unary_lt")                                                             \
    X(TiledProd, 62, "tiled_prod")                                                         \
    X(Typecast, 63, "typecast")                                                            \
    X(BitwiseXor, 64, "bitwise_xor")                                                       \
    X(BitwiseNot, 65, "bitwise_not")                                                       \
    X(BitwiseAnd, 66, "bitwise_and")                                                       \
    X(BitwiseOr, 67, "bitwise_or")                                                         \
    X(RightShift, 68, "right_shift")                                                       \
    X(Floor, 69, "floor")                                                                  \
    X(Ceil, 70, "ceil")                                                                    \
    X(Round, 71, "round")                                                                  \
    X(LeftShift, 72, "left_shift")                                                         \
    X(Remainder, 73, "remainder")                                                          \
    X(Fmod, 74, "fmod")                                                                    \
    X(Dropout, 75, "dropout")                                                              \
    X(Fill, 76, "fill")                                                                    \
    X(PreluSfpu, 77, "prelu_sfpu")                                                         \
    X(ZeroPoint, 78, "zero_point")                                                         \
    X(Hardsigmoid, 79, "hardsigmoid")

#define X(symbol, value, text) TTNN_ENUM(symbol) = value,
#define TTNN_ENUM(symbol) TTNN_BFPDtype_##symbol
enum { TTNN_CASES_BFPDtype(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_BufferType_##symbol
enum { TTNN_CASES_BufferType(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_ComputeKernelMathFidelity_##symbol
enum { TTNN_CASES_ComputeKernelMathFidelity(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_ComputeKernelUnpackToDestMode_##symbol
enum { TTNN_CASES_ComputeKernelUnpackToDestMode(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_Conv2dSliceType_##symbol
enum { TTNN_CASES_Conv2dSliceType(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_DataMovementProcessor_##symbol
enum { TTNN_CASES_DataMovementProcessor(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_KernelCoreType_##symbol
enum { TTNN_CASES_KernelCoreType(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_Layout_##symbol
enum { TTNN_CASES_Layout(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_MathFidelity_##symbol
enum { TTNN_CASES_MathFidelity(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_NocMode_##symbol
enum { TTNN_CASES_NocMode(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_OptionalMathFidelity_##symbol
enum { TTNN_CASES_OptionalMathFidelity(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_PlacementType_##symbol
enum { TTNN_CASES_PlacementType(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_ShardDistributionStrategy_##symbol
enum { TTNN_CASES_ShardDistributionStrategy(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_ShardOrientation_##symbol
enum { TTNN_CASES_ShardOrientation(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_TensorMemoryLayout_##symbol
enum { TTNN_CASES_TensorMemoryLayout(X) };
#undef TTNN_ENUM
#define TTNN_ENUM(symbol) TTNN_UnaryOpType_##symbol
enum { TTNN_CASES_UnaryOpType(X) };
#undef TTNN_ENUM
#undef X

extern const ir_enum_def ttnn_enum_BFPDtype;
extern const ir_enum_def ttnn_enum_BufferType;
extern const ir_enum_def ttnn_enum_ComputeKernelMathFidelity;
extern const ir_enum_def ttnn_enum_ComputeKernelUnpackToDestMode;
extern const ir_enum_def ttnn_enum_Conv2dSliceType;
extern const ir_enum_def ttnn_enum_DataMovementProcessor;
extern const ir_enum_def ttnn_enum_KernelCoreType;
extern const ir_enum_def ttnn_enum_Layout;
extern const ir_enum_def ttnn_enum_MathFidelity;
extern const ir_enum_def ttnn_enum_NocMode;
extern const ir_enum_def ttnn_enum_OptionalMathFidelity;
extern const ir_enum_def ttnn_enum_PlacementType;
extern const ir_enum_def ttnn_enum_ShardDistributionStrategy;
extern const ir_enum_def ttnn_enum_ShardOrientation;
extern const ir_enum_def ttnn_enum_TensorMemoryLayout;
extern const ir_enum_def ttnn_enum_UnaryOpType;

#endif
