/* blockfloat.c: see blockfloat.h. */
#include "support/blockfloat.h"

#include "support/base.h"

#include <math.h>
#include <string.h>

bool tw_dtype_is_block(tw_dtype dtype)
{
    return dtype >= TW_BFP_F8 && dtype <= TW_BFP_BF2;
}

int tw_block_magnitude_bits(tw_dtype dtype)
{
    return dtype <= TW_BFP_BF8 ? 7 : dtype <= TW_BFP_BF4 ? 3 : 1;
}

/* Formats with a 5-bit exponent cover the exponent range of a 16-bit float. */
static bool has_small_exponent(tw_dtype dtype)
{
    return dtype == TW_BFP_F8 || dtype == TW_BFP_F4 || dtype == TW_BFP_F2;
}

static uint32_t bits_of(tw_dtype dtype, float x)
{
    uint32_t bits;
    if (has_small_exponent(dtype)) { /* saturates; values below 2^-14 are flushed to zero */
        x = x > 65504.0f ? 65504.0f : x < -65504.0f ? -65504.0f : x;
        x = fabsf(x) < 0x1p-14f ? 0 : x;
    }
    memcpy(&bits, &x, 4);
    return bits;
}

/* Rounds a 24-bit significand to `width` bits, `down` below the shared exponent. */
static uint32_t host_magnitude(uint32_t significand, uint32_t down, int width)
{
    uint32_t drop = 24 - (uint32_t)width, half = 1u << (drop - 1);
    uint32_t kept = down < 24 ? significand >> down : 0;
    uint32_t rest = kept & ((1u << drop) - 1), m = kept >> drop;
    m += rest > half || (rest == half && m & 1);
    return TW_MIN(m, (1u << width) - 1);
}

/* The packer uses 8 bits of the significand. */
static uint32_t packer_magnitude(uint32_t significand, uint32_t down, int width)
{
    uint32_t m = down < 8 ? ((significand >> 16) + (1u << down)) >> (down + 1) : 0;
    return TW_MIN(m, 127u) >> (7 - width);
}

uint16_t tw_block_early(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    const uint16_t half = (uint16_t)(bits >> 16);
    if (!(half & 0x7F80)) /* zeros of both signs and subnormals */
        return 0;
    return (half & 0x7F80) == 0x7F80 ? half : (uint16_t)((half + 1) & ~1u);
}

uint8_t tw_block_encode(tw_dtype dtype, tw_block_rounding how, const float *x, size_t n,
                        uint8_t *codes)
{
    uint32_t bits[TW_BLOCK], max = 0;
    int width = tw_block_magnitude_bits(dtype);
    for (size_t i = 0; i < n; i++) {
        bits[i] = bits_of(dtype, x[i]);
        max = TW_MAX(max, bits[i] >> 23 & 255);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t exponent = bits[i] >> 23 & 255, m = 0;
        uint32_t significand = 1u << 23 | (bits[i] & 0x7FFFFF);
        if (exponent) /* subnormal values count as zero */
            m = how == TW_BLOCK_HOST ? host_magnitude(significand, max - exponent, width)
                                     : packer_magnitude(significand, max - exponent, width);
        codes[i] = (uint8_t)(m ? m | (bits[i] >> 31) << width : 0);
    }
    return (uint8_t)max;
}

void tw_block_decode(tw_dtype dtype, uint8_t exponent, const uint8_t *codes, size_t n,
                     uint16_t *bf16)
{
    int width = tw_block_magnitude_bits(dtype);
    for (size_t i = 0; i < n; i++) {
        uint32_t m = (uint32_t)(codes[i] & ((1u << width) - 1)) << (7 - width);
        uint32_t sign = codes[i] >> width & 1, e = exponent;
        if (!m) { /* minus zero is read as minus infinity; this code never writes one */
            bf16[i] = sign ? 0xFF80 : 0;
            continue;
        }
        for (; !(m & 64); m <<= 1)
            e--; /* wraps at 256, as the unpacker does */
        bf16[i] = (uint16_t)(sign << 15 | (e & 255) << 7 | (m & 63) << 1);
    }
}

void tw_block_round(tw_dtype dtype, tw_block_rounding how, const float *from, size_t rows,
                    size_t row, uint16_t *to)
{
    uint8_t codes[TW_BLOCK];
    for (size_t r = 0; r < rows; r++)
        for (size_t at = 0; at < row; at += TW_BLOCK) {
            size_t n = TW_MIN((size_t)TW_BLOCK, row - at), i = r * row + at;
            uint8_t exponent = tw_block_encode(dtype, how, from + i, n, codes);
            tw_block_decode(dtype, exponent, codes, n, to + i);
        }
}

/* Rounds rows of values in place of a float array; `early`: as the packer reads them. */
static bool round_floats(tw_dtype dtype, tw_block_rounding how, bool early,
                         const float *from, size_t rows, size_t row, float *to)
{
    uint16_t bits[TW_BLOCK];
    float values[TW_BLOCK];
    if (!tw_dtype_is_block(dtype))
        return false;
    for (size_t r = 0; r < rows; r++)
        for (size_t at = 0; at < row; at += TW_BLOCK) {
            size_t n = TW_MIN((size_t)TW_BLOCK, row - at), i = r * row + at;
            for (size_t k = 0; k < n; k++) {
                const uint32_t wide = (uint32_t)tw_block_early(from[i + k]) << 16;
                memcpy(values + k, early ? (const void *)&wide : from + i + k, 4);
            }
            tw_block_round(dtype, how, values, 1, n, bits);
            for (size_t k = 0; k < n; k++) {
                const uint32_t wide = (uint32_t)bits[k] << 16;
                memcpy(to + i + k, &wide, sizeof wide);
            }
        }
    return true;
}

TW_EXPORT bool tw_dtype_round_blocks(tw_dtype dtype, const float *from, size_t rows,
                                     size_t row, float *to)
{
    return round_floats(dtype, TW_BLOCK_HOST, false, from, rows, row, to);
}

TW_EXPORT bool tw_dtype_pack_blocks(tw_dtype dtype, const float *from, size_t rows,
                                    size_t row, float *to)
{
    return round_floats(dtype, TW_BLOCK_PACKER, true, from, rows, row, to);
}
