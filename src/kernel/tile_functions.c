/* tile_functions.c: the functions of tile.h, compiled once for each instruction set
 * (KRN_TILE_SET names the table); plain loops that the compiler turns into vector code,
 * and the compiler's own vectors where it would not. */
#include "kernel/tile.h"

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

/* Subnormal numbers become zeros of their sign. */
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
    EACH
    {
        uint32_t bits = flushed(bits_of(x[i])), cut = bits & 0xFFFF0000;
        uint32_t nan = (bits & 0x7FFFFFFF) > 0x7F800000; /* must not become infinity */
        x[i] = value_of(nan ? cut | 0x400000 : cut);
    }
}

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

typedef float row __attribute__((vector_size(64), aligned(4)));
typedef float row_register __attribute__((vector_size(64)));

/* Eight rows of a result face at a time: they stay in registers. */
enum { ROWS = 8 };

static inline void product_rows(const float *restrict a0, const float *restrict a1,
                                const float *restrict b0, const float *restrict b1,
                                float *restrict out)
{
    row_register sum[ROWS] = {0};
    for (int half = 0; half < 2; half++) {
        const float *a = half ? a1 : a0, *b = half ? b1 : b0;
        for (int k = 0; k < FACE; k++) {
            const row_register line = *(const row *)(b + k * FACE);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
                sum[r] += a[r * FACE + k] * line;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
        *(row *)(out + r * FACE) = sum[r];
}

static void product(const float *restrict a, const float *restrict b, float *restrict out)
{
    for (int fr = 0; fr < 2; fr++)
        for (int fc = 0; fc < 2; fc++)
            for (int top = 0; top < FACE; top += ROWS)
                product_rows(a + fr * 2 * FACE_SIZE + top * FACE,
                             a + (fr * 2 + 1) * FACE_SIZE + top * FACE, b + fc * FACE_SIZE,
                             b + (2 + fc) * FACE_SIZE,
                             out + (fr * 2 + fc) * FACE_SIZE + top * FACE);
}

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
    .transpose = transpose,
    .all = all,
    .fill = fill,
};
