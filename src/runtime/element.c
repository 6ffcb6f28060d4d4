/* element.c: conversion of tensors' elements. */
#include "host/strips/strip.h"
#include "runtime/plan.h"
#include "support/bf16_f16.h"
#include "support/blockfloat.h"

#include <math.h>

bool rt_is_float(tw_dtype t)
{
    return t == TW_F32 || t == TW_BF16 || t == TW_F16 || t == TW_F64;
}

#define LOAD(type, expr)                                                                   \
    {                                                                                      \
        const type *p = (const type *)from + at;                                           \
        for (size_t i = 0; i < n; i++)                                                     \
            to[i] = expr;                                                                  \
        return;                                                                            \
    }

void rt_load_f32(tw_dtype t, const void *from, size_t at, size_t n, float *to)
{
    switch (t) {
    case TW_F32:
        memcpy(to, (const float *)from + at, n * 4);
        return;
    case TW_BF16:
        if (n > 8) {
            krn_strips()->load_bf16((const uint16_t *)from + at, n, to);
            return;
        }
        LOAD(uint16_t, tw_bf16_value(p[i]))
    case TW_F16:
        LOAD(uint16_t, tw_f16_value(p[i]))
    case TW_F64:
        LOAD(double, (float)p[i])
    case TW_I32:
        LOAD(int32_t, (float)p[i])
    case TW_U32:
        LOAD(uint32_t, (float)p[i])
    case TW_U16:
        LOAD(uint16_t, p[i])
    case TW_U8:
    case TW_BOOL:
        LOAD(uint8_t, p[i])
    case TW_I8:
        LOAD(int8_t, p[i])
    case TW_I16:
        LOAD(int16_t, p[i])
    case TW_I64:
        LOAD(int64_t, (float)p[i])
    case TW_U64:
        LOAD(uint64_t, (float)p[i])
    default:
        assert(!"element type without numbers");
    }
}

/* Truncates towards zero; values out of range and NaN give the lowest integer, as on x86
 * and in torch. Narrower types keep the low bits. */
static int32_t truncate32(float f)
{
    return f >= -0x1p31f && f < 0x1p31f ? (int32_t)f : INT32_MIN;
}

static int64_t whole64(float f)
{
    return f >= -0x1p63f && f < 0x1p63f ? (int64_t)f : INT64_MIN;
}

void rt_load_i64(tw_dtype t, const void *from, size_t at, size_t n, int64_t *to)
{
    switch (t) {
    case TW_I32:
        LOAD(int32_t, p[i])
    case TW_U32:
        LOAD(uint32_t, p[i])
    case TW_U16:
        LOAD(uint16_t, p[i])
    case TW_U8:
    case TW_BOOL:
        LOAD(uint8_t, p[i])
    case TW_I8:
        LOAD(int8_t, p[i])
    case TW_I16:
        LOAD(int16_t, p[i])
    case TW_I64:
        LOAD(int64_t, p[i])
    case TW_U64:
        LOAD(uint64_t, (int64_t)p[i])
    default: {
        float real;
        for (size_t i = 0; i < n; i++) {
            rt_load_f32(t, from, at + i, 1, &real);
            to[i] = whole64(real);
        }
    }
    }
}

#define STORE(type, expr)                                                                  \
    {                                                                                      \
        type *p = (type *)to + at;                                                         \
        for (size_t i = 0; i < n; i++)                                                     \
            p[i] = (type)(expr);                                                           \
        return;                                                                            \
    }

void rt_store_f32(tw_dtype t, const float *from, size_t n, void *to, size_t at)
{
    switch (t) {
    case TW_F32:
        memcpy((float *)to + at, from, n * 4);
        return;
    case TW_BF16:
        if (n > 8) {
            krn_strips()->store_bf16(from, n, (uint16_t *)to + at);
            return;
        }
        STORE(uint16_t, tw_bf16_nearest_even(from[i]))
    case TW_F16:
        STORE(uint16_t, tw_f16_nearest_even(from[i]))
    case TW_F64:
        STORE(double, from[i])
    case TW_I32:
        STORE(int32_t, truncate32(from[i]))
    case TW_U32:
        STORE(uint32_t, whole64(from[i]))
    case TW_U16:
        STORE(uint16_t, whole64(from[i]))
    case TW_U8:
        STORE(uint8_t, whole64(from[i]))
    case TW_BOOL:
        STORE(uint8_t, from[i] != 0)
    case TW_I8:
        STORE(int8_t, whole64(from[i]))
    case TW_I16:
        STORE(int16_t, whole64(from[i]))
    case TW_I64:
        STORE(int64_t, whole64(from[i]))
    case TW_U64:
        STORE(uint64_t, whole64(from[i]))
    default:
        assert(!"element type without numbers");
    }
}

void rt_store_i64(tw_dtype t, const int64_t *from, size_t n, void *to, size_t at)
{
    switch (t) {
    case TW_F32:
        STORE(float, from[i])
    case TW_F64:
        STORE(double, from[i])
    case TW_BF16:
        STORE(uint16_t, tw_bf16_nearest_even((float)from[i]))
    case TW_F16:
        STORE(uint16_t, tw_f16_nearest_even((float)from[i]))
    case TW_I32:
    case TW_U32:
        STORE(uint32_t, from[i])
    case TW_U16:
    case TW_I16:
        STORE(uint16_t, from[i])
    case TW_U8:
    case TW_I8:
        STORE(uint8_t, from[i])
    case TW_BOOL:
        STORE(uint8_t, from[i] != 0)
    case TW_I64:
    case TW_U64:
        STORE(uint64_t, from[i])
    default:
        assert(!"element type without numbers");
    }
}

/* True for integers that f32 holds exactly. */
static bool is_narrow(tw_dtype t)
{
    return t == TW_BOOL || t == TW_U8 || t == TW_I8 || t == TW_U16 || t == TW_I16;
}

void rt_convert(tw_dtype from_type, const void *from, tw_dtype to_type, void *to, size_t n)
{
    enum { STRIP = 256 };
    if (from_type == to_type) {
        if (n && from != to)
            memcpy(to, from, n * tw_dtype_size(to_type));
        return;
    }
    if (from_type == TW_BF16 && to_type == TW_BOOL) { /* masks: without the way over f32 */
        const uint16_t *bits = from;
        uint8_t *flags = to;
        for (size_t i = 0; i < n; i++)
            flags[i] = (bits[i] & 0x7fff) != 0;
        return;
    }
    const bool by_reals =
        rt_is_float(from_type) || (is_narrow(from_type) && rt_is_float(to_type));
    for (size_t at = 0; at < n; at += STRIP) {
        size_t m = TW_MIN((size_t)STRIP, n - at);
        if (by_reals) {
            float reals[STRIP];
            rt_load_f32(from_type, from, at, m, reals);
            rt_store_f32(to_type, reals, m, to, at);
        } else {
            int64_t ints[STRIP];
            rt_load_i64(from_type, from, at, m, ints);
            rt_store_i64(to_type, ints, m, to, at);
        }
    }
}

void rt_convert_into(tw_dtype from_type, const void *from, const rt_value *to)
{
    size_t row = to->rank ? (size_t)to->dims[to->rank - 1] : 1;
    float strip[TW_BLOCK];
    if (!tw_dtype_is_block(to->format)) {
        rt_convert(from_type, from, to->dtype, rt_data(to), (size_t)to->count);
        return;
    }
    for (size_t start = 0; start < (size_t)to->count; start += row)
        for (size_t at = 0; at < row; at += TW_BLOCK) {
            size_t n = TW_MIN((size_t)TW_BLOCK, row - at);
            rt_load_f32(from_type, from, start + at, n, strip);
            tw_block_round(to->format, TW_BLOCK_HOST, strip, 1, n,
                           (uint16_t *)rt_data(to) + start + at);
        }
}
