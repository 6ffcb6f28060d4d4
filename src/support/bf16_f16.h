/* bf16_f16.h: widening and rounding of single values in the 16-bit float formats.
 *
 * Host kernels, constants and file readers round to nearest, ties to even; a NaN stays a
 * quiet NaN and keeps its sign.  The simulated device rounds otherwise where its hardware
 * does: truncation, ties away from zero and flushed subnormals are in
 * host/tiles/tile_functions.c, block floats in support/blockfloat.h.  Vector forms of the
 * same rounding: host/strips, host/gemm. */
#ifndef TILEWRIGHT_SUPPORT_BF16_F16_H
#define TILEWRIGHT_SUPPORT_BF16_F16_H

#include "support/base.h"

static inline float tw_f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t tw_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float tw_bf16_value(uint16_t bits)
{
    return tw_f32_of_bits((uint32_t)bits << 16);
}

/* Nearest even; NaN keeps its sign and becomes quiet. */
static inline uint16_t tw_bf16_nearest_even(float value)
{
    const uint32_t bits = tw_f32_bits(value);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)((value != value ? bits | 0x400000 : rounded) >> 16);
}

static inline float tw_f16_value(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) /* infinity, NaN */
        return tw_f32_of_bits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return tw_f32_of_bits(sign | ((magnitude << 13) + ((127 - 15) << 23)));
    const float tiny = (float)magnitude * 0x1p-24f; /* subnormal: exact */
    return sign ? -tiny : tiny;
}

static inline uint16_t tw_f16_nearest_even(float value)
{
    const uint32_t bits = tw_f32_bits(value), sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* below 2^-14: adding 0.5 rounds to multiples of 2^-24 */
        const float shifted = tw_f32_of_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (tw_f32_bits(shifted) - 0x3f000000));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

/* Rounds to f32 such that a second rounding gives the result of a single one: the last bit
 * is odd if anything was lost (S. Boldo, G. Melquiond: "When double rounding is odd",
 * 2005). */
static inline float tw_f32_round_to_odd(double value)
{
    float near = (float)value;
    const double back = (double)near;
    if (back == value || value != value)
        return near;
    uint32_t bits = tw_f32_bits(near);
    if (bits & 1)
        return near;
    /* the neighbour on the other side of value; infinity steps down to the largest finite
     */
    const bool away = (value < 0 ? -back : back) < (value < 0 ? -value : value);
    return tw_f32_of_bits(away ? bits + 1 : bits - 1);
}

static inline uint16_t tw_bf16_of_f64(double value)
{
    return tw_bf16_nearest_even(tw_f32_round_to_odd(value));
}

static inline uint16_t tw_f16_of_f64(double value)
{
    return tw_f16_nearest_even(tw_f32_round_to_odd(value));
}

#endif
