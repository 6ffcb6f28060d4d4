/* kernel_attention.hpp: calls of the vendor's attention kernels that belong to its low-level
 * library: the maximum of a row of tiles, matmuls and differences in forms that save
 * instructions, functions of a tile's first column.
 *
 * Functions of a column are exact. What they cost is counted in the vendor's sources. */
#pragma once

#include "kernel_newer.hpp"

/* ---- the maximum of each row of several tiles ----------------------------------------------- */

namespace tw {
inline uint32_t row_out;
inline bool row_begun; /* the init's operands are known at the first row only */
inline uint32_t row_columns;
} // namespace tw

/* A tile that DST holds takes part. */
namespace tw {
TW_QUIET inline void max_of_row(uint32_t in, uint32_t scaler, uint32_t first, uint32_t dst,
                                uint32_t n, at at)
{
    if (!row_begun)
        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, scaler, row_out, at);
    row_begun = true;
    for (uint32_t i = 0; i < n; i++)
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, scaler, first + i, 0, dst, at);
}
} // namespace tw
namespace ckernel {
template <auto...> TW_QUIET inline void reduce_block_max_row_init(uint32_t out)
{
    tw::row_out = out, tw::row_begun = false;
}
template <uint32_t columns, auto...>
TW_QUIET inline void reduce_block_max_row(uint32_t in, uint32_t scaler, uint32_t first,
                                          uint32_t dst, TW_AT)
{
    tw::max_of_row(in, scaler, first, dst, columns, at);
}
template <auto...> TW_QUIET inline void reduce_block_max_row_uninit(uint32_t, TW_AT)
{
    reduce_uninit(at);
}
TW_QUIET inline void reduce_block_max_row_init_runtime(uint32_t out, uint32_t columns, uint32_t,
                                                       uint32_t, bool = false, uint32_t = 4)
{
    tw::row_columns = columns;
    reduce_block_max_row_init(out);
}
/* The trigger lets hardware begin with the first half of a row; here the row is there. */
TW_QUIET inline void reduce_block_max_row_runtime(uint32_t in, uint32_t scaler, uint32_t first,
                                                  uint32_t dst, bool = false, bool = false,
                                                  uint32_t = 4, TW_AT)
{
    tw::max_of_row(in, scaler, first, dst, tw::row_columns, at);
}
TW_QUIET inline void reduce_block_max_row_uninit_runtime(uint32_t, bool = false, bool = false,
                                                         TW_AT)
{
    reduce_uninit(at);
}

/* ---- matmuls and differences ---------------------------------------------------------- */

#define TW_MATMUL_INIT(name)                                                               \
    template <auto...>                                                                     \
    TW_QUIET inline void name(uint32_t a, uint32_t b, bool transpose = false,              \
                              uint32_t columns = 1, uint32_t rows = 1, uint32_t inner = 1, \
                              TW_AT)                                                       \
    {                                                                                      \
        mm_block_init_short(a, b, transpose, (int32_t)columns, (int32_t)rows,              \
                            (int32_t)inner, at);                                           \
    }
TW_MATMUL_INIT(mm_no_mop_init_short)
TW_MATMUL_INIT(mm_no_mop_reinit_short)
template <auto...>
TW_QUIET inline void matmul_block_no_mop(uint32_t a, uint32_t b, uint32_t tile_a,
                                         uint32_t tile_b, uint32_t dst, bool transpose,
                                         uint32_t columns, uint32_t rows, uint32_t inner, TW_AT)
{
    matmul_block(a, b, tile_a, tile_b, dst, transpose, (int32_t)columns, (int32_t)rows,
                 (int32_t)inner, at);
}
/* The fidelity is the launch's. */
} // namespace ckernel
namespace tw {
TW_QUIET inline void other_fidelity(at at)
{
    end_with("a matmul at another fidelity than the launch's is not simulated", at);
}
} // namespace tw
namespace ckernel {
#define TW_MATMUL_FIDELITY(name)                                                           \
    template <auto> TW_QUIET inline void name(uint32_t, uint32_t, bool = false,            \
                                              uint32_t = 1, uint32_t = 1, uint32_t = 1,    \
                                              TW_AT)                                       \
    {                                                                                      \
        tw::other_fidelity(at);                                                             \
    }
TW_MATMUL_FIDELITY(mm_no_mop_init_short_fidelity)
TW_MATMUL_FIDELITY(mm_no_mop_reinit_short_fidelity)
template <auto>
TW_QUIET inline void matmul_block_no_mop_fidelity(uint32_t, uint32_t, uint32_t, uint32_t,
                                                  uint32_t, bool, uint32_t, uint32_t, uint32_t,
                                                  TW_AT)
{
    tw::other_fidelity(at);
}
TW_QUIET inline void matmul_set_in1_column_stride(uint32_t, uint32_t tiles, TW_AT)
{
    if (tiles != 1)
        tw::end_with("columns of a matmul's second operand that lie apart are not simulated", at);
}
TW_QUIET inline void sub_bcast_cols_init_short_custom(uint32_t a, uint32_t b, uint32_t, TW_AT)
{
    sub_bcast_cols_init_short(a, b, at);
}
TW_QUIET inline void sub_tiles_bcast_cols_custom(uint32_t a, uint32_t b, uint32_t tile_a,
                                                 uint32_t tile_b, uint32_t dst, uint32_t n,
                                                 TW_AT)
{
    for (uint32_t i = 0; i < n; i++)
        sub_tiles_bcast_cols(a, b, tile_a + i, tile_b, dst + i, at);
}

} // namespace ckernel

/* ---- functions of a tile's first column --------------------------------------------------- */

namespace tw {
/* The even columns of a face, in which the first one is. */
template <class F> TW_QUIET inline void of_even_columns(unsigned cost, F function)
{
    for (int i = 0; i < 4; i++) {
        sfpi::vFloat v = sfpi::dst_reg[0];
        for (float &lane : v.lane)
            lane = function(lane);
        sfpi::instructions += cost;
        sfpi::dst_reg[0] = v;
        sfpi::dst_reg += 2;
    }
}
} // namespace tw
namespace ckernel::sfpu {
template <bool = false> TW_QUIET inline void sfpu_reciprocal_init() {}

template <bool wide> TW_QUIET inline void calculate_recip_first_column()
{
    tw::of_even_columns(wide ? 14 : 10, [](float x) TW_QUIET { return 1 / x; });
}
template <bool, uint16_t scale, bool wide>
TW_QUIET inline void calculate_exponential_first_column()
{
    tw::of_even_columns(wide ? 32 : 28, [](float x) TW_QUIET {
        return __builtin_expf(x * tw::as_float((uint32_t)scale << 16));
    });
}
template <bool wide>
TW_QUIET inline void calculate_softplus_first_column(uint32_t beta, uint32_t, uint32_t threshold)
{
    const float b = tw::as_float(beta), most = tw::as_float(threshold);
    tw::of_even_columns(wide ? 40 : 30, [b, most](float x) TW_QUIET {
        return b * x > most ? x : __builtin_log1pf(__builtin_expf(b * x)) / b;
    });
}
/* Tiles 0 and 1 hold maxima of two parts and tiles 3 and 4 (or 2) their sums; they become the
 * factors of both parts and, in tiles 2 and 3, the common maximum and sum. */
template <bool wide, bool four_tiles = false>
TW_QUIET inline void calculate_fused_max_sub_exp_add_tile(int scale)
{
    const float by = tw::as_float((uint32_t)(uint16_t)scale << 16);
    for (int i = 0; i < 4; i++) {
        sfpi::vFloat a = sfpi::dst_reg[0], b = sfpi::dst_reg[32], sum_a = sfpi::dst_reg[96],
                     sum_b = sfpi::dst_reg[four_tiles ? 64 : 128];
        sfpi::vFloat most = sfpi::max(a, b), factor_a, factor_b;
        for (int k = 0; k < sfpi::lanes; k++) {
            factor_a.lane[k] = __builtin_expf((a.lane[k] - most.lane[k]) * by);
            factor_b.lane[k] = __builtin_expf((b.lane[k] - most.lane[k]) * by);
        }
        sfpi::instructions += 2 * (wide ? 32 : 28);
        sfpi::dst_reg[0] = factor_a;
        sfpi::dst_reg[32] = factor_b;
        sfpi::dst_reg[64] = most;
        sfpi::dst_reg[96] = factor_a * sum_a + factor_b * sum_b;
        sfpi::dst_reg += 2;
    }
}
enum : uint32_t { ADD_UNARY, SUB_UNARY, MUL_UNARY };
template <bool, uint32_t kind, int iterations, bool = false>
TW_QUIET inline void calculate_binop_with_scalar(uint32_t scalar)
{
    const sfpi::vFloat by = tw::as_float(scalar);
    for (int i = 0; i < iterations; i++) {
        sfpi::vFloat v = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = kind == ADD_UNARY ? v + by : kind == SUB_UNARY ? v - by : v * by;
        sfpi::dst_reg++;
    }
}
} // namespace ckernel::sfpu
namespace ckernel {
using sfpu::ADD_UNARY;
using sfpu::MUL_UNARY;
using sfpu::SUB_UNARY;
} // namespace ckernel

#define TW_ARGUMENTS(...) __VA_ARGS__
/* of a function of ckernel::sfpu and its template arguments in parentheses */
#define SFPU_UNARY_CALL(sync, wide, function, arguments, dst, mode, ...)                   \
    _llk_math_eltwise_unary_sfpu_params_<false>(                                           \
        ::ckernel::sfpu::function<TW_ARGUMENTS arguments>, dst,                            \
        (int)mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_INIT_FN(...) ((void)0)

namespace ckernel {
using ::PackMode;
using ::read_tile_value;

/* Of some faces: those of the first column, or of the first row. */
TW_QUIET inline void binary_max_tile(uint32_t a, uint32_t b, uint32_t out, VectorMode mode, TW_AT)
{
    if (mode == VectorMode::RC)
        return ::binary_max_tile(a, b, out, at);
    _llk_math_eltwise_unary_sfpu_params_(
        [a, b, out]() TW_QUIET {
            for (int i = 0; i < 8; i++) {
                sfpi::vFloat x = sfpi::dst_reg[32 * a], y = sfpi::dst_reg[32 * b];
                sfpi::dst_reg[32 * out] = sfpi::each(x, y, [](float p, float q) TW_QUIET {
                    return p != p || q != q ? p + q : tw::is_less(p, q) ? q : p;
                });
                sfpi::dst_reg++;
            }
        },
        0, (int)mode);
}
} // namespace ckernel

/* ---- below that ---------------------------------------------------------------------------- */

enum class DataCopyType : uint8_t { A2D, B2D };
constexpr bool UnpackToDestEn = true, UnpackToDestDis = false;
namespace ckernel {
using ::DataCopyType;

/* A compute kernel is one thread here: what one of its parts waits for has happened. */
namespace semaphore {
enum : uint8_t { FPU_SFPU, UNPACK_MATH_DONE, PACK_DONE };
} // namespace semaphore
namespace p_stall {
enum : uint32_t { STALL_PACK, STALL_SFPU, STALL_CFG, STALL_SYNC, MATH, WAIT_SFPU };
} // namespace p_stall
TW_QUIET inline void t6_semaphore_init(uint8_t, uint8_t, uint8_t) {}
template <auto...> TW_QUIET inline void t6_semaphore_post(uint8_t) {}
template <auto...> TW_QUIET inline void t6_semaphore_get(uint8_t) {}
template <auto...> TW_QUIET inline void t6_semaphore_wait_on_zero(uint8_t) {}

/* The position in DST, which the calls over faces set. */
namespace p_setrwc {
enum : uint32_t { CLR_NONE, CR_D, SET_D };
} // namespace p_setrwc
namespace math {
TW_QUIET inline void set_addr_mod_base() {}
TW_QUIET inline void clear_addr_mod_base() {}
} // namespace math
} // namespace ckernel
#define TTI_SETRWC(...) tw::end_with("TTI_SETRWC is not simulated", TW_HERE)

#ifdef TW_OWN_POOL_TYPE
#undef PoolType
#endif
