/* format.c: conversions between memory and registers.
 *
 * Sources: tt-isa-documentation UNPACR_Regular.md, Packers/FormatConversion.md,
 * SFPSTORE.md, FloatBitPatterns.md for the device, tt-metal's blockfloat_common for the
 * host.  Rules that they leave to the implementation are marked. */
#include "device/format.h"

#include "kernel/element.h"
#include "kernel/tile.h"

enum { FACE_ROWS = 64, GROUP = 16 };

/* Bits of a block float's code with its sign; 0 for other formats. */
static int code_bits(tw_dtype format)
{
    switch (format) {
    case TW_BFP_BF8:
        return 8;
    case TW_BFP_BF4:
        return 4;
    case TW_BFP_BF2:
        return 2;
    default:
        return 0;
    }
}

size_t dev_tile_bytes(tw_dtype format)
{
    int bits = code_bits(format);
    if (bits)
        return FACE_ROWS + (size_t)(DEV_TILE_ELEMENTS * bits / 8);
    switch (format) {
    case TW_F32:
    case TW_U32:
    case TW_I32:
        return 4096;
    case TW_BF16:
    case TW_F16:
    case TW_U16:
        return 2048;
    case TW_U8:
    case TW_BOOL:
        return 1024;
    default:
        return 0;
    }
}

bool dev_format_is_integer(tw_dtype format)
{
    return format == TW_U32 || format == TW_I32 || format == TW_U16 || format == TW_U8 ||
           format == TW_BOOL;
}

/* ---- memory to registers ---------------------------------------------------------------
 */

/* A bfp8 code under exponent e as bf16 bits: the magnitude is shifted up until its top bit
 * shows, the exponent falls with it modulo 256.  "Minus zero" reads as 0xFF80. */
static uint16_t decode_code(unsigned code, unsigned e)
{
    unsigned sign = code >> 7 & 1, magnitude = code & 127;
    if (!magnitude)
        return sign ? 0xFF80 : 0;
    unsigned shift = (unsigned)__builtin_clz(magnitude) - 25;
    magnitude = magnitude << shift & 63;
    return (uint16_t)(sign << 15 | ((e - shift) & 255) << 7 | magnitude << 1);
}

static void load_block(int bits, const uint8_t *bytes, dev_tile *out)
{
    const uint8_t *codes = bytes + FACE_ROWS;
    int per_byte = 8 / bits;
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++) {
        unsigned code = codes[i / per_byte] >> i % per_byte * bits & ((1u << bits) - 1);
        out->f[i] = krn_bf16_value(decode_code(code << (8 - bits), bytes[i / GROUP]));
    }
}

void dev_tile_load(tw_dtype format, const void *bytes, dev_tile *out)
{
    const uint16_t *half = bytes;
    const uint8_t *byte = bytes;
    switch (format) {
    case TW_BF16:
        krn_tiles()->load_bf16(half, out->f);
        break;
    case TW_F16:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            out->f[i] = krn_f16_value(half[i]);
        break;
    case TW_U16:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            out->i[i] = half[i];
        break;
    case TW_U8:
    case TW_BOOL:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            out->i[i] = byte[i];
        break;
    case TW_BFP_BF8:
    case TW_BFP_BF4:
    case TW_BFP_BF2:
        load_block(code_bits(format), bytes, out);
        break;
    default: /* f32, i32, u32 */
        memcpy(out, bytes, 4096);
    }
}

static uint32_t flush(uint32_t bits)
{
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

void dev_round_to_source(dev_tile *tile)
{
    krn_tiles()->cut_tf32(tile->f);
}

/* f32 to f16 by cutting; saturates, as unpacking to f16 does. */
static void cut_f16(dev_tile *tile)
{
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++) {
        uint32_t bits = flush(krn_f32_bits(tile->f[i]));
        if ((bits & 0x7F800000) == 0x7F800000)
            continue;
        float x = krn_bits_f32(bits & 0xFFFFE000);
        x = x > 65504 ? 65504 : x < -65504 ? -65504 : x;
        tile->f[i] = x < 0x1p-14f && x > -0x1p-14f ? 0 : x;
    }
}

/* The vector unit's store truncates towards zero. */
void dev_truncate_to_dst(dev_tile *tile, dev_dst_format format)
{
    if (format == DEV_DST_BF16)
        krn_tiles()->cut_bf16(tile->f);
    else if (format == DEV_DST_F16)
        cut_f16(tile);
}

/* The matrix unit rounds its sum's magnitude to nearest, halves up. */
void dev_round_to_dst(dev_tile *tile, dev_dst_format format)
{
    if (format == DEV_DST_BF16)
        krn_tiles()->round_bf16(tile->f);
    if (format != DEV_DST_F16)
        return;
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++) {
        uint32_t bits = flush(krn_f32_bits(tile->f[i]));
        if ((bits & 0x7F800000) != 0x7F800000)
            tile->f[i] = krn_bits_f32((bits + 0x1000) & 0xFFFFE000);
    }
    cut_f16(tile);
}

/* ---- registers to memory ----------------------------------------------------------- */

uint16_t dev_bf16_ties_away(float value)
{
    uint32_t bits = krn_f32_bits(value);
    if ((bits & 0x7F800000) == 0) /* zeros of both signs and subnormals */
        return 0;
    if ((bits & 0x7F800000) == 0x7F800000) /* NaN becomes infinity */
        return (uint16_t)((bits & 0xFF800000) >> 16);
    return (uint16_t)((bits + 0x8000) >> 16);
}

/* f32 to the bf16 bits that the late stage reads: truncated, then to six mantissa bits,
 * ties away; a 16-bit DST holds bf16 already and skips that. */
static uint16_t early_block(float value, bool wide)
{
    uint16_t bits = (uint16_t)(flush(krn_f32_bits(value)) >> 16);
    if (!wide || (bits & 0x7F80) == 0x7F80 || !(bits & 0x7F80))
        return bits;
    return (uint16_t)((bits + 1) & ~1u);
}

static void put_code(uint8_t *codes, int bits, int i, unsigned code)
{
    int per_byte = 8 / bits;
    codes[i / per_byte] |= (uint8_t)(code >> (8 - bits) << i % per_byte * bits);
}

static void store_block(int bits, bool wide, const float *values, uint8_t *bytes)
{
    memset(bytes, 0, FACE_ROWS + (size_t)(DEV_TILE_ELEMENTS * bits / 8));
    for (int g = 0; g < FACE_ROWS; g++) {
        uint16_t in[GROUP];
        unsigned top = 0;
        for (int k = 0; k < GROUP; k++) {
            in[k] = early_block(values[g * GROUP + k], wide);
            top = TW_MAX(top, (unsigned)(in[k] >> 7 & 255));
        }
        bytes[g] = (uint8_t)top;
        for (int k = 0; k < GROUP; k++) {
            unsigned e = in[k] >> 7 & 255, d = top - e;
            unsigned m = e ? 128 | (in[k] & 127) : 0;
            m = d >= 8 ? 0 : TW_MIN((m + (1u << d)) >> (d + 1), 127u);
            m &= 0x7F << (8 - bits); /* narrower codes are the 8-bit one, truncated */
            put_code(bytes + FACE_ROWS, bits, g * GROUP + k,
                     m ? m | (in[k] >> 8 & 128) : 0);
        }
    }
}

void dev_tile_store(tw_dtype format, dev_dst_format dst, const dev_tile *tile, void *bytes)
{
    uint16_t *half = bytes;
    uint8_t *byte = bytes;
    switch (format) {
    case TW_BF16:
        if (dst == DEV_DST_F32)
            krn_tiles()->store_bf16_away(tile->f, half);
        else
            krn_tiles()->store_bf16_cut(tile->f, half);
        break;
    case TW_F16:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            half[i] = krn_f16_bits(tile->f[i]);
        break;
    case TW_U16:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            half[i] = (uint16_t)tile->i[i];
        break;
    case TW_U8:
    case TW_BOOL:
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            byte[i] = (uint8_t)tile->i[i];
        break;
    case TW_BFP_BF8:
    case TW_BFP_BF4:
    case TW_BFP_BF2:
        store_block(code_bits(format), dst == DEV_DST_F32, tile->f, bytes);
        break;
    default:
        memcpy(bytes, tile, 4096);
    }
}

/* ---- the host's conversion --------------------------------------------------------- */

/* The 24-bit significand is shifted to the group's exponent, dropping bits; what is left is
 * rounded to nearest even. */
static void encode_block_host(int bits, const float *values, uint8_t *bytes)
{
    int keep = bits - 1;
    memset(bytes, 0, FACE_ROWS + (size_t)(DEV_TILE_ELEMENTS * bits / 8));
    for (int g = 0; g < FACE_ROWS; g++) {
        unsigned top = 0;
        for (int k = 0; k < GROUP; k++)
            top = TW_MAX(top, krn_f32_bits(values[g * GROUP + k]) >> 23 & 255);
        bytes[g] = (uint8_t)top;
        for (int k = 0; k < GROUP; k++) {
            uint32_t in = krn_f32_bits(values[g * GROUP + k]), e = in >> 23 & 255;
            uint32_t m = e && top - e < 24 ? (0x800000 | (in & 0x7FFFFF)) >> (top - e) : 0;
            uint32_t drop = 24 - (uint32_t)keep, rest = m & ((1u << drop) - 1),
                     half = 1u << (drop - 1);
            uint32_t code = m >> drop;
            code += rest > half || (rest == half && (code & 1));
            code = TW_MIN(code, (1u << keep) - 1);
            code |= code ? in >> 31 << keep : 0;
            put_code(bytes + FACE_ROWS, bits, g * GROUP + k, code << (8 - bits));
        }
    }
}

void dev_tile_encode_host(tw_dtype format, const float *values, void *bytes)
{
    uint16_t *half = bytes;
    if (code_bits(format))
        encode_block_host(code_bits(format), values, bytes);
    else if (format == TW_F32)
        memcpy(bytes, values, 4096);
    else
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            half[i] =
                format == TW_BF16 ? krn_bf16_bits(values[i]) : krn_f16_bits(values[i]);
}
