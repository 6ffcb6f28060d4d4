/* kernel_tiles.hpp: functions of tiles in DST added to the kernel API in 2026: of two and
 * of three tiles, of integers, sums and extrema within a tile, statistics broadcast over
 * one. As in kernel_dst.hpp, values are exact where hardware approximates. */
#pragma once

#include "kernel_dst.hpp"

namespace tw {
template <class F>
TW_QUIET inline void of_three(int64_t a, int64_t b, int64_t c, int64_t out, unsigned n, at at,
                              F function)
{
    float result[1024];
    {
        dst_tile x = dst_tile::source(a, false, at), y = dst_tile::source(b, false, at),
                 z = dst_tile::source(c, false, at);
        for (unsigned k = 0; k < 1024; k++)
            result[k] = function(x.f[k], y.f[k], z.f[k]);
    }
    dst_tile t = dst_tile::target(out, n, false, at);
    __builtin_memcpy(t.f, result, sizeof result);
}
constexpr bool is_integer(DataFormat format)
{
    return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
           format == DataFormat::UInt16 || format == DataFormat::UInt8;
}
} // namespace tw

/* ---- of two tiles of floats ----------------------------------------------------------- */

#define TW_OF_TWO(name, instructions, expression)                                          \
    TW_TILE_INIT(name)                                                                     \
    template <auto...>                                                                     \
    TW_QUIET inline void name(int64_t a, int64_t b, int64_t out, TW_AT)                    \
    {                                                                                      \
        tw::of_two(a, b, out, instructions, at,                                            \
                   [](float x, float y) -> float { return expression; });                  \
    }
namespace tw {
/* the remainder of floored division, with the sign of y */
TW_QUIET inline float remainder_down(float x, float y)
{
    float r = __builtin_fmodf(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
/* The neighbour of x towards y among values `step` units in the last place of f32 apart;
 * below the smallest normal number it is 0 with its sign. */
TW_QUIET inline float step_to(float x, float y, uint32_t step)
{
    if (x != x || y != y)
        return x + y;
    const uint32_t bits = (uint32_t)bits_of(x == y ? y : x), sign = bits & 0x80000000;
    uint32_t size = bits & 0x7FFFFFFF;
    if (x == 0 && y != 0)
        return y < 0 ? -0.0f : 0.0f;
    if (x != y && (x < y) == !sign)
        size += step;
    else if (x != y)
        size = size < step ? 0 : size - step;
    return as_float(size & 0x7F800000 ? sign | size : sign);
}
TW_QUIET inline float log_of_sum(float x, float y, bool two)
{
    if (x == y && __builtin_isinf(x))
        return x;
    double most = x > y ? x : y, apart = -__builtin_fabs((double)x - y);
    if (two && x == y)
        return (float)(most + 1);
    return two ? (float)(most + __builtin_log1p(__builtin_exp2(apart)) * 1.4426950408889634)
               : (float)(most + __builtin_log1p(__builtin_exp(apart)));
}
TW_QUIET inline float is_close(float x, float y, float relative, float absolute, bool nan)
{
    if (x != x || y != y)
        return nan && x != x && y != y;
    if (__builtin_isinf(x) || __builtin_isinf(y))
        return x == y;
    return __builtin_fabsf(x - y) <= absolute + relative * __builtin_fabsf(y);
}
} // namespace tw
TW_OF_TWO(remainder_binary_tile, 30, tw::remainder_down(x, y))
TW_OF_TWO(fmod_binary_tile, 30, __builtin_fmodf(x, y))
TW_OF_TWO(xlogy_binary_tile, 30, x == 0 && y == y ? 0 : (float)(x * __builtin_log((double)y)))
TW_OF_TWO(logaddexp_binary_tile, 50, tw::log_of_sum(x, y, false))
TW_OF_TWO(logaddexp2_binary_tile, 50, tw::log_of_sum(x, y, true))
TW_OF_TWO(nextafter_binary_tile, 10, tw::step_to(x, y, 1))
TW_OF_TWO(nextafter_bf16_binary_tile, 10, tw::step_to(x, y, 1 << 16))
/* 4 and 25 are the vendor's constants */
TW_OF_TWO(situ_glu_tile, 80,
          (float)(4 * __builtin_tanh(x / 4.0) / (1 + __builtin_exp(-(double)x)) * 25 *
                  __builtin_tanh(y / 25.0)))
TW_TILE_INIT(isclose_binary_tile)
template <bool equal_nan = false>
TW_QUIET inline void isclose_binary_tile(int64_t a, int64_t b, int64_t out, uint32_t relative,
                                         uint32_t absolute, TW_AT)
{
    const float r = tw::as_float(relative), s = tw::as_float(absolute);
    tw::of_two(a, b, out, 12, at,
               [r, s](float x, float y) TW_QUIET { return tw::is_close(x, y, r, s, equal_nan); });
}

/* ---- of two tiles of integers ---------------------------------------------------------- */

#define TW_OF_INTEGER_TILES(name, instructions, expression)                                \
    TW_TILE_INIT(name)                                                                     \
    template <DataFormat format = DataFormat::Int32, auto...>                              \
    TW_QUIET inline void name(int64_t a, int64_t b, int64_t out, TW_AT)                    \
    {                                                                                      \
        constexpr bool is_signed = format == DataFormat::Int32;                            \
        static_assert(tw::is_integer(format), #name " is of integers");                    \
        (void)is_signed;                                                                   \
        tw::of_two_integers(a, b, out, instructions, at, [](int32_t x, int32_t y) -> int32_t { \
            const uint32_t p = (uint32_t)x, q = (uint32_t)y;                               \
            (void)p, (void)q;                                                              \
            return (int32_t)(expression);                                                  \
        });                                                                                \
    }
namespace tw {
/* Division by 0 is RISC-V's (-1, with the dividend as remainder), as is the minimum divided
 * by -1: the vector unit's result is unknown. */
TW_QUIET inline int32_t divided(int32_t x, int32_t y, bool down)
{
    if (y == 0)
        return -1;
    int64_t q = (int64_t)x / y;
    return (int32_t)(q - (down && (int64_t)x % y != 0 && (x < 0) != (y < 0)));
}
TW_QUIET inline int32_t rest(int32_t x, int32_t y, bool down)
{
    if (y == 0)
        return x;
    int64_t r = (int64_t)x % y;
    return (int32_t)(down && r != 0 && (r < 0) != (y < 0) ? r + y : r);
}
} // namespace tw
TW_OF_INTEGER_TILES(div_int32_floor_tile, 60, tw::divided(x, y, true))
TW_OF_INTEGER_TILES(div_int32_trunc_tile, 60, tw::divided(x, y, false))
TW_OF_INTEGER_TILES(remainder_int32_tile, 60, tw::rest(x, y, true))
TW_OF_INTEGER_TILES(remainder_uint32_tile, 60, q ? p % q : p)
TW_OF_INTEGER_TILES(fmod_int32_tile, 60, tw::rest(x, y, false))
TW_OF_INTEGER_TILES(rsub_int_tile, 4, q - p)
TW_OF_INTEGER_TILES(binary_max_uint32_tile, 8, p > q ? p : q)
TW_OF_INTEGER_TILES(binary_min_uint32_tile, 8, p < q ? p : q)
TW_OF_INTEGER_TILES(eq_int_tile, 6, x == y)
TW_OF_INTEGER_TILES(ne_int_tile, 6, x != y)
TW_OF_INTEGER_TILES(lt_int_tile, 8, is_signed ? x < y : p < q)
TW_OF_INTEGER_TILES(gt_int_tile, 8, is_signed ? x > y : p > q)
TW_OF_INTEGER_TILES(le_int_tile, 8, is_signed ? x <= y : p <= q)
TW_OF_INTEGER_TILES(ge_int_tile, 8, is_signed ? x >= y : p >= q)
/* to a float */
TW_TILE_INIT(div_int32_tile)
template <auto...> TW_QUIET inline void div_int32_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    float result[1024];
    {
        tw::dst_tile x = tw::dst_tile::source(a, true, at), y = tw::dst_tile::source(b, true, at);
        for (unsigned k = 0; k < 1024; k++)
            result[k] = (float)((double)x.i[k] / (double)y.i[k]);
    }
    tw::dst_tile z = tw::dst_tile::target(out, 20, false, at);
    __builtin_memcpy(z.f, result, sizeof result);
}

/* ---- of three tiles -------------------------------------------------------------------- */

#define TW_OF_THREE(name, instructions, expression)                                        \
    TW_TILE_INIT(name)                                                                     \
    template <DataFormat format = DataFormat::Float32, auto...>                            \
    TW_QUIET inline void name(int64_t a, int64_t b, int64_t c, int64_t out, TW_AT)         \
    {                                                                                      \
        static_assert(!tw::is_integer(format), #name " of integers is not there");         \
        tw::of_three(a, b, c, out, instructions, at,                                       \
                     [](float x, float y, float z) -> float { return expression; });       \
    }
#define TW_OF_THREE_AND_NUMBER(name, instructions, expression)                             \
    TW_TILE_INIT(name)                                                                     \
    template <DataFormat format = DataFormat::Float32, auto...>                            \
    TW_QUIET inline void name(int64_t a, int64_t b, int64_t c, int64_t out, uint32_t bits, \
                              TW_AT)                                                       \
    {                                                                                      \
        static_assert(!tw::is_integer(format), #name " of integers is not there");         \
        const float value = tw::as_float(bits);                                            \
        tw::of_three(a, b, c, out, instructions, at,                                       \
                     [value](float x, float y, float z) -> float { return expression; });  \
    }
TW_OF_THREE(mac_tile, 5, x * y + z)
TW_OF_THREE(lerp_tile, 7, x + z * (y - x))
TW_OF_THREE(snake_beta_tile, 40,
            (float)(x + __builtin_pow(__builtin_sin((double)y * x), 2) / z))
TW_OF_THREE_AND_NUMBER(addcmul_tile, 8, x + value * y * z)
TW_OF_THREE_AND_NUMBER(addcdiv_tile, 20, x + value * y / z)

/* ---- of a tile ------------------------------------------------------------------------- */

namespace tw {
/* below 1/2 by reflection; recurrence up to 10, where the series in 1/x^2 is accurate
 * enough */
TW_QUIET inline double digamma(double x)
{
    double sum = 0;
    if (x == 0)
        return __builtin_signbit(x) ? __builtin_inf() : -__builtin_inf();
    if (x < 0 && x == __builtin_floor(x))
        return __builtin_nan("");
    if (x < 0.5)
        return digamma(1 - x) - 3.14159265358979323846 /
                                    __builtin_tan(3.14159265358979323846 *
                                                  (x - __builtin_rint(x)));
    for (; x < 10; x++)
        sum -= 1 / x;
    const double y = 1 / (x * x);
    return sum + __builtin_log(x) - 0.5 / x -
           y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}
TW_QUIET inline double gelu_slope(double x)
{
    if (__builtin_isinf(x))
        return x > 0;
    return 0.5 * __builtin_erfc(-x * 0.70710678118654752) +
           x * __builtin_exp(-x * x / 2) * 0.39894228040143268;
}
TW_QUIET inline double tanh_slope(double x)
{
    const double c = 1 / __builtin_cosh(x);
    return c * c;
}
} // namespace tw
#define TW_OF_ONE(name, instructions, expression)                                          \
    TW_TILE_INIT(name)                                                                     \
    template <auto...> TW_QUIET inline void name(int64_t tile, TW_AT)                      \
    {                                                                                      \
        tw::floats(tile, instructions, at,                                                 \
                   [](float x) -> float { return (float)(expression); });                  \
    }
TW_OF_ONE(digamma_tile, 60, tw::digamma(x))
TW_OF_ONE(gelu_derivative_tile, 40, tw::gelu_slope(x))
TW_OF_ONE(tanh_derivative_tile, 30, tw::tanh_slope(x))
TW_OF_ONE(hardmish_tile, 6, x * (x <= -2 ? 0 : x >= 0 ? 1 : x * 0.5f + 1))
TW_TILE_INIT(power_iterative_tile)
template <auto...>
TW_QUIET inline void power_iterative_tile(int64_t tile, uint32_t exponent, TW_AT)
{
    tw::floats(tile, 2 * exponent + 2, at, [exponent](float x) TW_QUIET {
        float power = 1;
        for (uint32_t i = 0; i < exponent; i++)
            power *= x;
        return power;
    });
}

/* ---- within a tile --------------------------------------------------------------------- */

namespace tw {
template <PoolType type> constexpr auto folded(auto x, auto y)
{
    if constexpr (type == PoolType::MAX)
        return x != x || y != y ? x + y : x < y ? y : x;
    else if constexpr (type == PoolType::MIN)
        return x != x || y != y ? x + y : y < x ? y : x;
    else
        return x + y;
}
/* Reduces columns into row 0, or rows into column 0, of values stored as `Number`s; the
 * others become 0, as the packer makes them with llk_pack_reduce_mask_config. */
template <PoolType type, bool columns, class Number> TW_QUIET inline void fold(Number *t)
{
    Number results[32];
    for (unsigned i = 0; i < 32; i++) {
        Number sum = t[columns ? face_index(0, i) : face_index(i, 0)];
        for (unsigned k = 1; k < 32; k++)
            sum = (Number)folded<type>(sum, t[columns ? face_index(k, i) : face_index(i, k)]);
        results[i] = type == PoolType::AVG ? sum / 32 : sum;
    }
    for (unsigned k = 0; k < 1024; k++)
        t[k] = 0;
    for (unsigned i = 0; i < 32; i++)
        t[columns ? face_index(0, i) : face_index(i, 0)] = results[i];
}
} // namespace tw
/* Reductions leave zeros beside their results, so the packer has nothing to mask. */
enum class PackMode : uint8_t { Default, Untilize, Tilize };
template <ReduceDim, auto...> TW_QUIET inline void llk_pack_reduce_mask_config(...) {}
TW_QUIET inline void llk_pack_reduce_mask_clear() {}
/* For integers it is TTKernel's operation, which has no minimum. */
template <PoolType type, DataFormat format, auto...>
TW_QUIET inline void sfpu_reduce_init(TW_AT)
{
    if constexpr (tw::is_integer(format) && type != PoolType::MIN) {
        const int64_t a[] = {(int64_t)type, tw::dtype_of(format)};
        tw::run(tw::op_sfpu_reduce_init, 0, at, 0, nullptr, 2, a);
    }
}
template <PoolType type, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL, auto...>
TW_QUIET inline void sfpu_reduce(int64_t dst, TW_AT)
{
    constexpr bool ints = tw::is_integer(format), columns = dim == ReduceDim::REDUCE_COL;
    static_assert(columns || (dim == ReduceDim::REDUCE_ROW && type != PoolType::AVG),
                  "sfpu_reduce is of columns, or sums and extremes of rows");
    if constexpr (ints && type != PoolType::MIN) {
        const int64_t a[] = {(int64_t)type, tw::dtype_of(format), (int64_t)dim};
        tw::run(tw::op_sfpu_reduce, 1, at, 1, &dst, 3, a);
        return;
    }
    tw::dst_tile t = tw::dst_tile::in_place(dst, 64, ints, at);
    if constexpr (!ints)
        tw::fold<type, columns>(t.f);
    else if constexpr (format == DataFormat::Int32)
        tw::fold<type, columns>(t.i);
    else
        tw::fold<type, columns>((uint32_t *)t.i);
}
/* of `ct` by `rt` tiles */
template <PoolType type, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL, auto...>
TW_QUIET inline void sfpu_reduce(int64_t dst, uint32_t ct, uint32_t rt = 1, TW_AT)
{
    if (ct != 1 || rt != 1)
        tw::ask(at, TW_SAY_MISTAKE,
                (int64_t)(uintptr_t)"sfpu_reduce of blocks of tiles is not there", 1);
    sfpu_reduce<type, format, dim>(dst, at);
}
namespace ckernel {
using ::sfpu_reduce;
using ::sfpu_reduce_init;
} // namespace ckernel

/* ---- a column, a row or a scalar of one tile with all of another --------------------- */

namespace tw {
/* index of the statistic that belongs to element k */
template <BroadcastType kind> constexpr unsigned broadcast_index(unsigned k)
{
    const unsigned face = k >> 8, row = (face >> 1) * 16 + (k >> 4 & 15),
                   column = (face & 1) * 16 + (k & 15);
    return kind == BroadcastType::COL   ? face_index(row, 0)
           : kind == BroadcastType::ROW ? face_index(0, column)
                                        : 0;
}
template <BroadcastType kind, class F>
TW_QUIET inline void map_broadcast(int64_t data, int64_t other, at at, F function)
{
    dst_tile v = dst_tile::source(other, false, at), t = dst_tile::in_place(data, 6, false, at);
    for (unsigned k = 0; k < 1024; k++)
        t.f[k] = function(t.f[k], v.f[broadcast_index<kind>(k)]);
}
template <BroadcastType kind>
TW_QUIET inline void normalize(int64_t data, int64_t mean, int64_t scale, at at,
                               const float *added = nullptr)
{
    dst_tile m = dst_tile::source(mean, false, at), s = dst_tile::source(scale, false, at),
             t = dst_tile::in_place(data, 8, false, at);
    for (unsigned k = 0; k < 1024; k++)
        t.f[k] = ((added ? t.f[k] + added[k] : t.f[k]) - m.f[broadcast_index<kind>(k)]) *
                 s.f[broadcast_index<kind>(k)];
}
} // namespace tw
#define TW_WITH_SPREAD(name, kind, expression)                                             \
    TW_TILE_INIT(name)                                                                     \
    template <auto...> TW_QUIET inline void name(int64_t data, int64_t other, TW_AT)       \
    {                                                                                      \
        tw::map_broadcast<BroadcastType::kind>(data, other, at,                            \
                                             [](float x, float y) TW_QUIET { return expression; }); \
    }
TW_WITH_SPREAD(sfpu_add_bcast_col, COL, x + y)
TW_WITH_SPREAD(sfpu_sub_bcast_col, COL, x - y)
TW_WITH_SPREAD(sfpu_mul_bcast_col, COL, x * y)
TW_WITH_SPREAD(sfpu_add_bcast_row, ROW, x + y)
TW_WITH_SPREAD(sfpu_sub_bcast_row, ROW, x - y)
TW_WITH_SPREAD(sfpu_mul_bcast_row, ROW, x * y)
TW_TILE_INIT(sfpu_bcast_col)
TW_TILE_INIT(sfpu_bcast_row)
TW_TILE_INIT(sfpu_normalize_bcast_scalar)
TW_QUIET inline void sfpu_normalize_bcast_col(int64_t data, int64_t mean, int64_t scale, TW_AT)
{
    tw::normalize<BroadcastType::COL>(data, mean, scale, at);
}
TW_QUIET inline void sfpu_normalize_bcast_scalar(int64_t data, int64_t mean, int64_t scale, TW_AT)
{
    tw::normalize<BroadcastType::SCALAR>(data, mean, scale, at);
}
TW_QUIET inline void sfpu_normalize_bcast_col_two_tiles(int64_t data, int64_t second, int64_t mean,
                                                        int64_t scale, TW_AT)
{
    tw::normalize<BroadcastType::COL>(data, mean, scale, at);
    tw::normalize<BroadcastType::COL>(second, mean, scale, at);
}
TW_QUIET inline void sfpu_residual_normalize_bcast_col(int64_t data, int64_t residual,
                                                       int64_t mean, int64_t scale, TW_AT)
{
    tw::dst_tile r = tw::dst_tile::source(residual, false, at);
    tw::normalize<BroadcastType::COL>(data, mean, scale, at, r.f);
}
