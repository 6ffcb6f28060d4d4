/* format.c: conversions between memory and registers.
 *
 * Sources: tt-isa-documentation UNPACR_Regular.md, Packers/FormatConversion.md,
 * SFPSTORE.md, FloatBitPatterns.md for the device, tt-metal's blockfloat_common for the
 * host. Rules that they leave to the implementation are marked. */
#include "grid/machine/format.h"

#include "host/tiles/tile.h"
#include "support/bf16_f16.h"
#include "support/blockfloat.h"

enum { FACE_ROWS = 64, GROUP = TW_BLOCK };

/* Bits per element of a block float, with its sign; 0 for other formats. */
static int code_bits(tw_dtype format)
{
    return tw_dtype_is_block(format) ? tw_block_magnitude_bits(format) + 1 : 0;
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

/* ---- memory to registers ------------------------------------------------------------ */

/* Unpacks codes, least significant first in their bytes, after a row of exponents. */
static void load_block(tw_dtype format, const uint8_t *bytes, dev_tile *out)
{
    const int bits = code_bits(format), per_byte = 8 / bits;
    const uint8_t *packed = bytes + FACE_ROWS;
    for (int g = 0; g < FACE_ROWS; g++) {
        uint8_t codes[GROUP];
        uint16_t values[GROUP];
        for (int k = 0; k < GROUP; k++) {
            int i = g * GROUP + k;
            codes[k] = packed[i / per_byte] >> i % per_byte * bits & ((1u << bits) - 1);
        }
        tw_block_decode(format, bytes[g], codes, GROUP, values);
        for (int k = 0; k < GROUP; k++)
            out->f[g * GROUP + k] = tw_bf16_value(values[k]);
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
            out->f[i] = tw_f16_value(half[i]);
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
    default: /* block floats; f32, i32, u32 */
        if (code_bits(format))
            load_block(format, bytes, out);
        else
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

/* Truncates f32 to f16; saturates, as unpacking to f16 does. */
static void cut_f16(dev_tile *tile)
{
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++) {
        uint32_t bits = flush(tw_f32_bits(tile->f[i]));
        if ((bits & 0x7F800000) == 0x7F800000)
            continue;
        float x = tw_f32_of_bits(bits & 0xFFFFE000);
        x = x > 65504 ? 65504 : x < -65504 ? -65504 : x;
        tile->f[i] = x < 0x1p-14f && x > -0x1p-14f ? 0 : x;
    }
}

/* The store of the vector unit truncates towards zero. */
void dev_truncate_to_dst(dev_tile *tile, dev_dst_format format)
{
    if (format == DEV_DST_BF16)
        krn_tiles()->cut_bf16(tile->f);
    else if (format == DEV_DST_F16)
        cut_f16(tile);
}

/* The matrix unit rounds the magnitude of its sum to nearest, ties up. */
void dev_round_to_dst(dev_tile *tile, dev_dst_format format)
{
    if (format == DEV_DST_BF16)
        krn_tiles()->round_bf16(tile->f);
    if (format != DEV_DST_F16)
        return;
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++) {
        uint32_t bits = flush(tw_f32_bits(tile->f[i]));
        if ((bits & 0x7F800000) != 0x7F800000)
            tile->f[i] = tw_f32_of_bits((bits + 0x1000) & 0xFFFFE000);
    }
    cut_f16(tile);
}

/* ---- registers to memory ----------------------------------------------------------- */

uint16_t dev_bf16_ties_away(float value)
{
    uint32_t bits = tw_f32_bits(value);
    if ((bits & 0x7F800000) == 0) /* zeros of both signs and subnormals */
        return 0;
    if ((bits & 0x7F800000) == 0x7F800000) /* NaN becomes infinity */
        return (uint16_t)((bits & 0xFF800000) >> 16);
    return (uint16_t)((bits + 0x8000) >> 16);
}

/* Converts f32 to the bf16 bits that the late stage reads; a 16-bit DST already holds bf16.
 */
static uint16_t early_block(float value, bool wide)
{
    return wide ? tw_block_early(value) : (uint16_t)(flush(tw_f32_bits(value)) >> 16);
}

static void store_block(tw_dtype format, tw_block_rounding how, const float *values,
                        uint8_t *bytes)
{
    const int bits = code_bits(format), per_byte = 8 / bits;
    uint8_t *packed = bytes + FACE_ROWS, codes[GROUP];
    memset(packed, 0, (size_t)(DEV_TILE_ELEMENTS / per_byte));
    for (int g = 0; g < FACE_ROWS; g++) {
        bytes[g] = tw_block_encode(format, how, values + g * GROUP, GROUP, codes);
        for (int k = 0; k < GROUP; k++) {
            int i = g * GROUP + k;
            packed[i / per_byte] |= (uint8_t)(codes[k] << i % per_byte * bits);
        }
    }
}

/* The packer's late stage reads bf16, which its early stage converts from DST. */
static void pack_block(tw_dtype format, bool wide, const dev_tile *tile, uint8_t *bytes)
{
    float values[DEV_TILE_ELEMENTS];
    for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
        values[i] = tw_bf16_value(early_block(tile->f[i], wide));
    store_block(format, TW_BLOCK_PACKER, values, bytes);
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
            half[i] = tw_f16_nearest_even(tile->f[i]);
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
    default:
        if (code_bits(format))
            pack_block(format, dst == DEV_DST_F32, tile, bytes);
        else
            memcpy(bytes, tile, 4096);
    }
}

/* ---- the host's conversion --------------------------------------------------------- */

void dev_tile_encode_host(tw_dtype format, const float *values, void *bytes)
{
    uint16_t *half = bytes;
    if (code_bits(format))
        store_block(format, TW_BLOCK_HOST, values, bytes);
    else if (format == TW_F32)
        memcpy(bytes, values, 4096);
    else
        for (int i = 0; i < DEV_TILE_ELEMENTS; i++)
            half[i] = format == TW_BF16 ? tw_bf16_nearest_even(values[i])
                                        : tw_f16_nearest_even(values[i]);
}
