/* element.h: single values of the 16-bit float formats, for the edges of kernels. */
#ifndef TILEWRIGHT_KERNEL_ELEMENT_H
#define TILEWRIGHT_KERNEL_ELEMENT_H

#include "support/base.h"

static inline float krn_bits_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t krn_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float krn_bf16_value(uint16_t bits)
{
    return krn_bits_f32((uint32_t)bits << 16);
}

/* Nearest even; NaN keeps its sign and becomes quiet. */
static inline uint16_t krn_bf16_bits(float value)
{
    const uint32_t bits = krn_f32_bits(value);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)((value != value ? bits | 0x400000 : rounded) >> 16);
}

static inline float krn_f16_value(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) /* infinity, NaN */
        return krn_bits_f32(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return krn_bits_f32(sign | ((magnitude << 13) + ((127 - 15) << 23)));
    const float tiny = (float)magnitude * 0x1p-24f; /* subnormal: exact */
    return sign ? -tiny : tiny;
}

static inline uint16_t krn_f16_bits(float value)
{
    const uint32_t bits = krn_f32_bits(value), sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* below 2^-14: adding 0.5 rounds at 2^-24 */
        const float shifted = krn_bits_f32(magnitude) + 0.5f;
        return (uint16_t)(sign | (krn_f32_bits(shifted) - 0x3f000000));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

/* To f32 such that rounding once more gives what rounding once would: the last bit is odd
 * if anything was lost (S. Boldo, G. Melquiond: "When double rounding is odd", 2005). */
static inline float krn_f32_to_odd(double value)
{
    float near = (float)value;
    const double back = (double)near;
    if (back == value || value != value)
        return near;
    uint32_t bits = krn_f32_bits(near);
    if (bits & 1)
        return near;
    /* the neighbour on the other side of value; infinity steps down to the largest finite
     */
    const bool away = (value < 0 ? -back : back) < (value < 0 ? -value : value);
    return krn_bits_f32(away ? bits + 1 : bits - 1);
}

static inline uint16_t krn_bf16_from_f64(double value)
{
    return krn_bf16_bits(krn_f32_to_odd(value));
}

static inline uint16_t krn_f16_from_f64(double value)
{
    return krn_f16_bits(krn_f32_to_odd(value));
}

#endif
