/* tile_functions.c: the functions of tile.h, compiled once for each instruction set
 * (KRN_TILE_SET names the table); plain loops that the compiler vectorizes, and explicit
 * vectors where it does not. */
#include "host/tiles/tile.h"

#include "support/bf16_f16.h"

#define EACH for (size_t i = 0; i < KRN_TILE; i++)

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float value_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Subnormals become zeros of their sign. */
static inline uint32_t flushed(uint32_t bits)
{
    return bits & 0x7F800000 ? bits : bits & 0x80000000;
}

static void load_bf16(const uint16_t *restrict from, float *restrict to)
{
    EACH to[i] = value_of((uint32_t)from[i] << 16);
}

static void store_bf16_cut(const float *restrict from, uint16_t *restrict to)
{
    EACH to[i] = (uint16_t)(bits_of(from[i]) >> 16);
}

static void store_bf16_away(const float *restrict from, uint16_t *restrict to)
{
    EACH
    {
        uint32_t bits = bits_of(from[i]), exponent = bits & 0x7F800000;
        uint32_t rounded = exponent == 0x7F800000 ? bits & 0xFF800000 : bits + 0x8000;
        to[i] = (uint16_t)(exponent ? rounded >> 16 : 0);
    }
}

static uint32_t cut_to_bf16(uint32_t all)
{
    uint32_t bits = flushed(all), cut = bits & 0xFFFF0000;
    uint32_t nan = (bits & 0x7FFFFFFF) > 0x7F800000; /* must not become infinity */
    return nan ? cut | 0x400000 : cut;
}

static void cut_tf32(float *x)
{
    EACH x[i] = value_of(flushed(bits_of(x[i])) & 0xFFFFE000);
}

static void round_bf16(float *x)
{
    EACH
    {
        uint32_t bits = flushed(bits_of(x[i]));
        uint32_t special = (bits & 0x7F800000) == 0x7F800000;
        x[i] = value_of(special ? bits : (bits + 0x8000) & 0xFFFF0000);
    }
}

static void cut_bf16(float *x)
{
    EACH x[i] = value_of(cut_to_bf16(bits_of(x[i])));
}

static void load_tf32(const void *from, float *restrict to)
{
    const char *bytes = from;
    EACH
    {
        uint32_t bits;
        memcpy(&bits, bytes + 4 * i, 4);
        to[i] = value_of(flushed(bits) & 0xFFFFE000);
    }
}

static void sum_bf16(const float *restrict tile, uint16_t *restrict page)
{
    EACH
    {
        page[i] = tw_bf16_nearest_even(tile[i] + tw_bf16_value(page[i]));
    }
}

/* Two at a time, as pairs in a word. A NaN produced by an operation is quiet: truncating it
 * does not give infinity. */
#define BF16(name, operator)                                                               \
    static void name(const uint16_t *restrict a, const uint16_t *restrict b,               \
                     uint16_t *restrict out)                                               \
    {                                                                                      \
        for (size_t i = 0; i < KRN_TILE; i += 2) {                                         \
            uint32_t x, y;                                                                 \
            memcpy(&x, a + i, 4);                                                          \
            memcpy(&y, b + i, 4);                                                          \
            const float low = value_of(x << 16) operator value_of(y << 16),                \
                        high = value_of(x & 0xFFFF0000) operator value_of(y & 0xFFFF0000); \
            x = (flushed(bits_of(high)) & 0xFFFF0000) | flushed(bits_of(low)) >> 16;       \
            memcpy(out + i, &x, 4);                                                        \
        }                                                                                  \
    }
BF16(add_bf16, +)
BF16(subtract_bf16, -)
BF16(multiply_bf16, *)

static void add(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] + b[i];
}

static void subtract(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] - b[i];
}

static void multiply(const float *a, const float *b, float *out)
{
    EACH out[i] = a[i] * b[i];
}

/* ---- faces ------------------------------------------------------------------------- */

enum { FACE = 16, FACE_SIZE = FACE * FACE };

#include "host/tiles/tile_product.h"
#ifdef __AVX512BF16__
#include "host/tiles/tile_pairs.h"
#endif

static void transpose(const float *restrict from, float *restrict to)
{
    for (int f = 0; f < 4; f++) {
        const float *in = from + f * FACE_SIZE;
        float *out = to + (f == 1 ? 2 : f == 2 ? 1 : f) * FACE_SIZE;
        for (int r = 0; r < FACE; r++)
            for (int c = 0; c < FACE; c++)
                out[r * FACE + c] = in[c * FACE + r];
    }
}

static bool all(const uint32_t *words, size_t n, uint32_t word)
{
    uint32_t different = 0;
    for (size_t i = 0; i < n; i++)
        different |= words[i] ^ word;
    return different == 0;
}

static void fill(uint32_t *words, size_t n, uint32_t word)
{
    for (size_t i = 0; i < n; i++)
        words[i] = word;
}

extern const krn_tile_set KRN_TILE_SET;
const krn_tile_set KRN_TILE_SET = {
    .isa = KRN_TILE_ISA,
#ifdef __AVX512F__
    .fetches = true,
#endif
    .load_bf16 = load_bf16,
    .store_bf16_cut = store_bf16_cut,
    .store_bf16_away = store_bf16_away,
    .cut_tf32 = cut_tf32,
    .round_bf16 = round_bf16,
    .cut_bf16 = cut_bf16,
    .add = add,
    .subtract = subtract,
    .multiply = multiply,
    .product = product,
    .product_on_page = product_on_page,
    .pairs_fit = pairs_fit,
    .product_onto_bf16 = product_onto_bf16,
#ifdef __AVX512BF16__
    .product_bf16 = product_bf16,
    .pair_left = pair_left,
    .pair_right = pair_right,
    .product_pairs = product_pairs,
    .product_pairs_onto = product_pairs_onto,
#endif
    .load_tf32 = load_tf32,
    .sum_bf16 = sum_bf16,
    .add_bf16 = add_bf16,
    .subtract_bf16 = subtract_bf16,
    .multiply_bf16 = multiply_bf16,
    .transpose = transpose,
    .all = all,
    .fill = fill,
};
