/* kernel_dst.hpp: access to the values of a tile in DST, for functions of the vector unit
 * that are not operations of TTKernel: those below, and kernels' own (kernel_sfpi.hpp). */
#pragma once

#include "kernel_compute.hpp"

namespace tw {

/* A tile in DST while a function works on it: four consecutive faces of 16x16 values.
 * Written values are rounded to DST's width at the end. */
class dst_tile {
    at where;
    int64_t index;
    unsigned instructions;
    bool integers, changed;

    TW_QUIET dst_tile(int64_t i, unsigned n, bool ints, bool fresh, at at)
        : where(at), index(i), instructions(n), integers(ints), changed(fresh),
          f((float *)(uintptr_t)ask(at, TW_ASK_TILE, i, fresh, ints)), i((int32_t *)f)
    {
    }

  public:
    float *f;
    int32_t *i;

    /* read and written; only read; only written */
    static TW_QUIET dst_tile in_place(int64_t i, unsigned n, bool ints, at at)
    {
        dst_tile t(i, n, ints, false, at);
        t.changed = true;
        return t;
    }
    static TW_QUIET dst_tile source(int64_t i, bool ints, at at) { return {i, 0, ints, false, at}; }
    static TW_QUIET dst_tile target(int64_t i, unsigned n, bool ints, at at)
    {
        return {i, n, ints, true, at};
    }
    TW_QUIET dst_tile(dst_tile &&o)
        : where(o.where), index(o.index), instructions(o.instructions), integers(o.integers),
          changed(o.changed), f(o.f), i(o.i)
    {
        o.changed = false;
    }
    TW_QUIET ~dst_tile()
    {
        if (changed)
            ask(where, TW_SAY_TILE, index, integers, 32 * instructions);
    }
};

constexpr unsigned face_index(unsigned row, unsigned column)
{
    return ((row >> 4) * 2 + (column >> 4)) * 256 + (row & 15) * 16 + (column & 15);
}
TW_QUIET inline float as_float(uint32_t bits)
{
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

/* Instruction counts per tile are estimates, as for other functions. */
template <class F> TW_QUIET inline void floats(int64_t tile, unsigned n, at at, F function)
{
    dst_tile t = dst_tile::in_place(tile, n, false, at);
    for (unsigned k = 0; k < 1024; k++)
        t.f[k] = function(t.f[k]);
}
template <class F> TW_QUIET inline void integers(int64_t tile, unsigned n, at at, F function)
{
    dst_tile t = dst_tile::in_place(tile, n, true, at);
    for (unsigned k = 0; k < 1024; k++)
        t.i[k] = (int32_t)function(t.i[k]);
}
template <class F>
TW_QUIET inline void of_two(int64_t a, int64_t b, int64_t out, unsigned n, at at, F function)
{
    dst_tile x = dst_tile::source(a, false, at), y = dst_tile::source(b, false, at),
             z = out == a || out == b ? dst_tile::in_place(out, n, false, at)
                                      : dst_tile::target(out, n, false, at);
    for (unsigned k = 0; k < 1024; k++)
        z.f[k] = function(x.f[k], y.f[k]);
}
template <class F>
TW_QUIET inline void of_two_integers(int64_t a, int64_t b, int64_t out, unsigned n, at at,
                                     F function)
{
    dst_tile x = dst_tile::source(a, true, at), y = dst_tile::source(b, true, at),
             z = out == a || out == b ? dst_tile::in_place(out, n, true, at)
                                      : dst_tile::target(out, n, true, at);
    for (unsigned k = 0; k < 1024; k++)
        z.i[k] = (int32_t)function(x.i[k], y.i[k]);
}

inline float running_sum[32]; /* cumsum_tile: sums of the last tile's columns */
inline float zero_point;      /* of quant_tile and similar */
inline uint64_t dropout_state;

} // namespace tw

#define TW_TILE_INIT(name) template <auto...> TW_QUIET inline void name##_init(...) {}

/* ---- exp, which is an operation ------------------------------------------------------ */

/* Template arguments of exp's functions, whose order depends on the release: approximate,
 * scaled, clamping, iterations; or approximate, fast, scaled, check, clamping, iterations.
 * Of inits: approximate, (fast,) the scale's bits, clamping. */
namespace tw {
constexpr uint32_t one = 0x3F800000;
inline uint32_t exp_scale = one; /* of the init; approximate functions have it built in */

template <auto... o> struct exp_options {
    static constexpr unsigned n = sizeof...(o);
    static constexpr int64_t v[] = {(int64_t)o..., 0, 0, 0};
    static constexpr bool clamps[] = {std::is_same_v<decltype(o), InputClamping>..., false, false,
                                      false};
    static constexpr bool approximate = n > 0 && v[0], longer = n > 2 && !clamps[2];
    static constexpr bool scaled = longer ? v[2] : n > 1 && v[1];
    static constexpr unsigned last = !longer ? 3 : clamps[4] ? 5 : 4;
    static constexpr int64_t iterations = n > last ? v[last] : 8;
    static constexpr uint32_t scale = n > 1 && v[1] > 1 ? v[1] : longer && v[2] > 1 ? v[2] : one;
};
} // namespace tw
template <auto... options> TW_QUIET inline void exp_tile_init(TW_AT)
{
    using given = tw::exp_options<options...>;
    const int64_t a[] = {given::approximate, given::scale, tw::absent};
    tw::exp_scale = given::scale;
    tw::run(tw::op_exp_tile_init, 0, at, 0, nullptr, 3, a);
}
template <auto...> TW_QUIET inline void exp_tile_init(bool, TW_AT) { exp_tile_init(at); }
/* The scale is a bf16. Approximate functions take the init's, an f32: one that is not a
 * bf16 value is multiplied separately. */
template <auto... options>
TW_QUIET inline void exp_tile(int64_t dst, int mode = 4, uint16_t scale = 0x3F80, TW_AT)
{
    using given = tw::exp_options<options...>;
    uint32_t by = given::scaled ? (uint32_t)scale << 16 : tw::one;
    if (given::approximate && tw::exp_scale != tw::one)
        by = tw::exp_scale;
    if (by & 0xFFFF) {
        float factor = tw::as_float(by);
        tw::floats(dst, 1, at, [factor](float x) TW_QUIET { return x * factor; });
        by = tw::one;
    }
    /* a whole tile is also 32 iterations that start at its first face and go on */
    const int64_t n = mode == 0 && given::iterations == 32 ? 8 : given::iterations;
    const int64_t a[] = {given::approximate, tw::absent, n,
                         by == tw::one ? tw::absent : (int64_t)by};
    tw::run(tw::op_exp_tile, 1, at, 1, &dst, 4, a);
}
/* on hardware the packer's processor computes this */
template <auto... options> TW_QUIET inline void exp_packthread_tile_init(TW_AT)
{
    exp_tile_init<options...>(at);
}
template <auto... options>
TW_QUIET inline void exp_packthread_tile(int64_t dst, int mode = 4, uint16_t scale = 0x3F80, TW_AT)
{
    exp_tile<options...>(dst, mode, scale, at);
}
namespace ckernel {
using ::exp_packthread_tile;
using ::exp_packthread_tile_init;
using ::exp_tile;
using ::exp_tile_init;
} // namespace ckernel

/* ---- of two tiles --------------------------------------------------------------------- */

namespace tw {
/* the order of SFPSWAP, which compares floats as sign and magnitude: -0 before +0, NaN
 * beyond the infinities */
TW_QUIET inline bool is_less(float x, float y)
{
    int32_t a = (int32_t)(uint32_t)bits_of(x), b = (int32_t)(uint32_t)bits_of(y);
    return (a ^ (a >> 31 & 0x7FFFFFFF)) < (b ^ (b >> 31 & 0x7FFFFFFF));
}
} // namespace tw
TW_TILE_INIT(max_tile)
TW_QUIET inline void max_tile(int64_t a, int64_t b, TW_AT)
{
    tw::of_two(a, b, a, 4, at, [](float x, float y) TW_QUIET { /* NaN as in binary_max_tile */
        return x != x || y != y ? x + y : tw::is_less(x, y) ? y : x;
    });
}
TW_TILE_INIT(rsub_binary_tile)
TW_QUIET inline void rsub_binary_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::of_two(a, b, out, 4, at, [](float x, float y) TW_QUIET { return y - x; });
}
TW_QUIET inline void rsub_binary_tile(int64_t a, int64_t b, TW_AT) { rsub_binary_tile(a, b, a, at); }
/* keeps elements whose mask is not 0 */
TW_TILE_INIT(mask_tile)
TW_QUIET inline void mask_tile(int64_t tile, int64_t mask,
                               DataFormat format = DataFormat::Float16_b, TW_AT)
{
    if (format == DataFormat::Int32)
        tw::of_two_integers(tile, mask, tile, 4, at, [](int32_t x, int32_t m) TW_QUIET { return m ? x : 0; });
    else
        tw::of_two(tile, mask, tile, 4, at, [](float x, float m) TW_QUIET { return m == 0 ? 0 : x; });
}
TW_QUIET inline void mask_posinf_tile(int64_t tile, int64_t mask, TW_AT)
{
    tw::of_two(tile, mask, tile, 4, at,
               [](float x, float m) TW_QUIET { return m == 0 ? __builtin_inff() : x; });
}
namespace tw {
TW_QUIET inline uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
TW_QUIET inline uint32_t size_of(int32_t x) { return x < 0 ? -(uint32_t)x : (uint32_t)x; }
} // namespace tw
TW_TILE_INIT(gcd_tile)
TW_QUIET inline void gcd_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::of_two_integers(a, b, out, 240, at, [](int32_t x, int32_t y) TW_QUIET {
        return tw::greatest_divisor(tw::size_of(x), tw::size_of(y));
    });
}
TW_QUIET inline void gcd_tile(int64_t a, int64_t b, TW_AT) { gcd_tile(a, b, a, at); }
TW_TILE_INIT(lcm_tile)
TW_QUIET inline void lcm_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::of_two_integers(a, b, out, 260, at, [](int32_t x, int32_t y) TW_QUIET {
        uint32_t p = tw::size_of(x), q = tw::size_of(y), d = tw::greatest_divisor(p, q);
        return d ? p / d * q : 0;
    });
}
TW_QUIET inline void lcm_tile(int64_t a, int64_t b, TW_AT) { lcm_tile(a, b, a, at); }

/* to 8 bits, between 32 and 8 bits, and back; the second tile holds scales */
namespace tw {
TW_QUIET inline int32_t to_8_bits(float x)
{
    float r = __builtin_rintf(x);
    return (int32_t)(r < -127 ? -127 : r < 127 ? r : 127); /* NaN saturates too */
}
} // namespace tw
#define TW_QUANT_INIT(name)                                                                \
    TW_QUIET inline void name##_init(uint32_t zero_point)                                  \
    {                                                                                      \
        tw::zero_point = tw::as_float(zero_point);                                         \
    }
TW_QUANT_INIT(quant_tile)
TW_QUANT_INIT(requant_tile)
TW_QUANT_INIT(dequant_tile)
TW_QUIET inline void quant_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::dst_tile x = tw::dst_tile::source(a, false, at), y = tw::dst_tile::source(b, false, at);
    int32_t result[1024];
    for (unsigned k = 0; k < 1024; k++)
        result[k] = tw::to_8_bits(x.f[k] * y.f[k] + tw::zero_point);
    tw::dst_tile z = tw::dst_tile::target(out, 6, true, at);
    __builtin_memcpy(z.i, result, sizeof result);
}
TW_QUIET inline void requant_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::dst_tile x = tw::dst_tile::source(a, true, at), y = tw::dst_tile::source(b, false, at);
    int32_t result[1024];
    for (unsigned k = 0; k < 1024; k++)
        result[k] = tw::to_8_bits((float)x.i[k] * y.f[k] + tw::zero_point);
    tw::dst_tile z = tw::dst_tile::target(out, 7, true, at);
    __builtin_memcpy(z.i, result, sizeof result);
}
TW_QUIET inline void dequant_tile(int64_t a, int64_t b, int64_t out, TW_AT)
{
    tw::dst_tile x = tw::dst_tile::source(a, true, at), y = tw::dst_tile::source(b, false, at);
    float result[1024];
    for (unsigned k = 0; k < 1024; k++)
        result[k] = ((float)x.i[k] - tw::zero_point) * y.f[k];
    tw::dst_tile z = tw::dst_tile::target(out, 6, false, at);
    __builtin_memcpy(z.f, result, sizeof result);
}
TW_QUIET inline void quant_tile(int64_t a, int64_t b, TW_AT) { quant_tile(a, b, a, at); }
TW_QUIET inline void requant_tile(int64_t a, int64_t b, TW_AT) { requant_tile(a, b, a, at); }
TW_QUIET inline void dequant_tile(int64_t a, int64_t b, TW_AT) { dequant_tile(a, b, a, at); }

/* ---- of an integer tile and a scalar ------------------------------------------------- */

#define TW_WITH_NUMBER(name, expression)                                                   \
    TW_TILE_INIT(name)                                                                     \
    TW_QUIET inline void name(int64_t tile, uint32_t p, TW_AT)                             \
    {                                                                                      \
        tw::integers(tile, 4, at, [p](int32_t x) TW_QUIET { return expression; });                  \
    }
TW_WITH_NUMBER(bitwise_and_tile, (uint32_t)x & p)
TW_WITH_NUMBER(bitwise_or_tile, (uint32_t)x | p)
TW_WITH_NUMBER(bitwise_xor_tile, (uint32_t)x ^ p)
TW_WITH_NUMBER(left_shift_tile, p < 32 ? (uint32_t)x << p : 0)
TW_WITH_NUMBER(right_shift_tile, x >> (p < 31 ? p : 31))
TW_WITH_NUMBER(unary_eq_tile_int32, x == (int32_t)p)
TW_WITH_NUMBER(unary_ne_tile_int32, x != (int32_t)p)

#define TW_OF_INTEGERS(name, expression)                                                   \
    TW_QUIET inline void name(int64_t tile, TW_AT)                                         \
    {                                                                                      \
        tw::integers(tile, 3, at, [](int32_t x) TW_QUIET { return expression; });                   \
    }
TW_OF_INTEGERS(eqz_tile_uint16, x == 0)
TW_OF_INTEGERS(nez_tile_uint16, x != 0)
TW_OF_INTEGERS(identity_tile_uint32, x)

/* ---- of a tile -------------------------------------------------------------------------- */

#define TW_OF_FLOATS(name, instructions, expression)                                       \
    TW_TILE_INIT(name)                                                                     \
    TW_QUIET inline void name(int64_t tile, TW_AT)                                         \
    {                                                                                      \
        tw::floats(tile, instructions, at, [](float x) -> float { return expression; });   \
    }
/* modified Bessel functions of order 0 and 1: sums of (x^2/4)^k / (k! (k+n)!) */
namespace tw {
TW_QUIET inline double bessel(double x, int order)
{
    double term = order ? x / 2 : 1, sum = 0;
    for (int k = 1; k < 400 && __builtin_fabs(term) > 1e-17 * __builtin_fabs(sum); k++) {
        sum += term;
        term *= x * x / 4 / (k * (double)(k + order));
    }
    return sum + term;
}
/* Newton iterations from an initial estimate (Winitzki's formula) */
TW_QUIET inline double inverse_error(double x)
{
    if (!(x > -1 && x < 1))
        return x == 1 ? __builtin_inf() : x == -1 ? -__builtin_inf() : __builtin_nan("");
    double l = __builtin_log(1 - x * x), t = 2 / (3.14159265358979323846 * 0.147) + l / 2;
    double y = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(t * t - l / 0.147) - t), x);
    for (int k = 0; k < 4; k++)
        y -= (__builtin_erf(y) - x) * 0.88622692545275801 * __builtin_exp(y * y);
    return y;
}
} // namespace tw
TW_OF_FLOATS(i0_tile, 24, (float)tw::bessel(x, 0))
TW_OF_FLOATS(i1_tile, 26, (float)tw::bessel(x, 1))
TW_OF_FLOATS(erfinv_tile, 40, (float)tw::inverse_error(x))
TW_OF_FLOATS(ceil_tile_float32, 6, __builtin_ceilf(x))
TW_OF_FLOATS(floor_tile_float32, 6, __builtin_floorf(x))
TW_OF_FLOATS(logical_not_unary_tile, 4, x == 0)

TW_TILE_INIT(round_tile)
TW_QUIET inline void round_tile(int64_t tile, int32_t decimals, TW_AT)
{
    float scale = __builtin_powf(10, (float)decimals);
    tw::floats(tile, 10, at, [=](float x) TW_QUIET { return __builtin_rintf(x * scale) / scale; });
}
TW_TILE_INIT(softplus_tile)
TW_QUIET inline void softplus_tile(int64_t tile, uint32_t beta, uint32_t inverse,
                                   uint32_t threshold, TW_AT)
{
    float b = tw::as_float(beta), i = tw::as_float(inverse), t = tw::as_float(threshold);
    tw::floats(tile, 30, at, [=](float x) TW_QUIET {
        return b * x > t ? x : i * __builtin_log1pf(__builtin_expf(b * x));
    });
}
/* the operand is an f16: one over the base's logarithm */
TW_TILE_INIT(log_with_base_tile)
TW_QUIET inline void log_with_base_tile(int64_t tile, uint32_t scale, TW_AT)
{
    int exponent = (int)(scale >> 10 & 31);
    float f = (float)(1024 + (scale & 1023)) * __builtin_ldexpf(1, exponent - 25);
    if (scale >> 15 & 1)
        f = -f;
    tw::floats(tile, 17, at, [f](float x) TW_QUIET { return __builtin_logf(x) * f; });
}
/* pairs of columns are complex numbers: multiplied by i */
TW_TILE_INIT(alt_complex_rotate90_tile)
TW_QUIET inline void alt_complex_rotate90_tile(int64_t tile, TW_AT)
{
    tw::dst_tile t = tw::dst_tile::in_place(tile, 4, false, at);
    for (unsigned k = 0; k < 1024; k += 2) {
        float real = t.f[k];
        t.f[k] = -t.f[k + 1];
        t.f[k + 1] = real;
    }
}
template <auto...> TW_QUIET inline void transpose_wh_dest_init_short() {}
template <auto...> TW_QUIET inline void transpose_wh_dest(int64_t tile, TW_AT)
{
    tw::dst_tile t = tw::dst_tile::in_place(tile, 16, false, at);
    for (unsigned row = 0; row < 32; row++)
        for (unsigned column = 0; column < row; column++)
            std::swap(t.f[tw::face_index(row, column)], t.f[tw::face_index(column, row)]);
}
/* sums down the columns, continued from the previous tile unless it is the first */
TW_TILE_INIT(cumsum_tile)
TW_QUIET inline void cumsum_tile(int64_t tile, bool first = true, TW_AT)
{
    tw::dst_tile t = tw::dst_tile::in_place(tile, 40, false, at);
    for (unsigned column = 0; column < 32; column++) {
        float sum = first ? 0 : tw::running_sum[column];
        for (unsigned row = 0; row < 32; row++)
            t.f[tw::face_index(row, column)] = sum += t.f[tw::face_index(row, column)];
        tw::running_sum[column] = sum;
    }
}
/* zeroes elements with the probability (of 2^31), scales the others; own random numbers */
TW_QUIET inline void dropout_kernel_init(uint32_t seed)
{
    tw::dropout_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
}
TW_QUIET inline void dropout_tile(int64_t tile, uint32_t probability, uint32_t scale, TW_AT)
{
    float by = tw::as_float(scale);
    tw::floats(tile, 8, at, [=](float x) TW_QUIET {
        uint64_t &s = tw::dropout_state; /* xorshift64 */
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return (uint32_t)(s >> 33) < probability ? 0 : x * by;
    });
}

/* ---- DST to rows of a circular buffer ------------------------------------------------ */

/* `columns` consecutive tiles per row, as a row-major matrix `all_columns` tiles wide: page
 * by page, the rows in a page of it. */
template <uint32_t columns = 8, uint32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_dst_init_short(uint32_t out, uint32_t = 16, uint32_t = 4, TW_AT)
{
    pack_reconfig_data_format(out, at);
}
template <uint32_t columns = 8, uint32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_dst_init(uint32_t out, uint32_t = 16, uint32_t = 4, TW_AT)
{
    pack_reconfig_data_format(out, at);
}
template <uint32_t columns = 8, uint32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_dst(uint32_t out, uint32_t rows = 1, uint32_t block = 0,
                                       uint32_t = 16, uint32_t = 4, TW_AT)
{
    static_assert(columns == all_columns, "blocks of a wider matrix: pack them by themselves");
    tw::hand_over(at);
    float tiles[columns][1024];
    for (uint32_t row = 0; row < rows; row++) {
        float *from[columns];
        for (uint32_t k = 0; k < columns; k++) {
            from[k] = (float *)(uintptr_t)tw::ask(at, TW_ASK_PACKED_TILE, row * columns + k);
            __builtin_memcpy(tiles[k], from[k], sizeof tiles[k]);
        }
        for (uint32_t k = 0; k < columns * 1024; k++) {
            uint32_t column = k % (32 * columns);
            from[k / 1024][k % 1024] =
                tiles[column / 32][tw::face_index(k / (32 * columns), column % 32)];
        }
        for (uint32_t k = 0; k < columns; k++)
            pack_tile<true>(row * columns + k, out, (block * rows + row) * columns + k, at);
        for (uint32_t k = 0; k < columns; k++) {
            from[k] = (float *)(uintptr_t)tw::ask(at, TW_ASK_PACKED_TILE, row * columns + k);
            __builtin_memcpy(from[k], tiles[k], sizeof tiles[k]);
        }
    }
}
