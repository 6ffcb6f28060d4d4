/* tile_product.h: the product of two tiles in source registers; part of tile_functions.c.
 *
 * Blocks of a result, some rows of two vectors each, stay in registers during the loop over
 * k: enough rows that their sums keep two multipliers busy (a sum has a latency of four
 * cycles), and no more than fit. */
#ifndef TILEWRIGHT_HOST_TILES_TILE_PRODUCT_H
#define TILEWRIGHT_HOST_TILES_TILE_PRODUCT_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
enum { WIDE = 64, MAX_ROWS = 8 }; /* of 32 registers */
#elif defined __AVX2__
enum { WIDE = 32, MAX_ROWS = 6 }; /* of 16 */
#else
enum { WIDE = 16, MAX_ROWS = 6 };
#endif

/* A block's second vector follows the first: in the next face, if a face is as wide. */
enum {
    LANES = WIDE / 4,
    SECOND = LANES / FACE ? FACE_SIZE : LANES,
    BLOCKS = MAX_ROWS == 8 ? 2 : 3, /* per height of a face */
    LESS_ROWS = (FACE - MAX_ROWS) / (BLOCKS - 1),
};

typedef float lanes __attribute__((vector_size(WIDE)));
typedef float lanes_at __attribute__((vector_size(WIDE), aligned(4)));
typedef uint32_t words __attribute__((vector_size(WIDE)));
typedef uint16_t bf16_lanes __attribute__((vector_size(WIDE / 2)));
typedef uint16_t bf16_lanes_at __attribute__((vector_size(WIDE / 2), aligned(2)));

/* Rounded once. Without a fused instruction it is computed in doubles: if a double cannot
 * hold the sum of a 24-bit and a 22-bit value, they are so far apart that the smaller one
 * does not affect the rounding. */
static inline lanes multiply_add(lanes x, lanes y, lanes sum)
{
#if defined __FP_FAST_FMAF || defined __FMA__ || defined __aarch64__
    return sum + x * y;
#else
    typedef double doubles __attribute__((vector_size(2 * WIDE)));
    return __builtin_convertvector(__builtin_convertvector(x, doubles) *
                                           __builtin_convertvector(y, doubles) +
                                       __builtin_convertvector(sum, doubles),
                                   lanes);
#endif
}

/* Destination of a product: stored to the page, added to a page of f32, or rounded to bf16
 * as by round_bf16 and added to a page of bf16 as by sum_bf16. */
typedef enum product_use { TO_PAGE, ONTO_PAGE, ONTO_BF16 } product_use;

/* Rounds sums that are not subnormal; NaN only as instructions produce it. */
static inline words rounded_sum_bits(lanes x)
{
    return ((words)x + 0x8000) & 0xFFFF0000;
}

/* Returns the sum's bf16 bits. NaN is kept: it came from bf16, so its lower half is
 * zero. */
static inline words sum_with_bf16(lanes x, words old)
{
    const words sum = (words)((lanes)rounded_sum_bits(x) + (lanes)(old << 16));
    return (sum + 0x7FFF + (sum >> 16 & 1)) >> 16;
}

static inline void add_to_bf16(lanes x, lanes y, uint16_t *first, uint16_t *second)
{
    const words a = sum_with_bf16(
                    x, __builtin_convertvector(*(const bf16_lanes_at *)first, words)),
                b = sum_with_bf16(
                    y, __builtin_convertvector(*(const bf16_lanes_at *)second, words));
#if defined __AVX2__ && !defined __AVX512F__
    (void)second; /* directly after the first */
    _mm256_storeu_si256(
        (__m256i *)first,
        _mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)a, (__m256i)b), 0xD8));
#else
    *(bf16_lanes_at *)first = __builtin_convertvector(a, bf16_lanes);
    *(bf16_lanes_at *)second = __builtin_convertvector(b, bf16_lanes);
#endif
}

static inline void use_sums(lanes x, lanes y, product_use use, void *page, size_t at)
{
    if (use == ONTO_BF16) {
        uint16_t *to = (uint16_t *)page + at;
        add_to_bf16(x, y, to, to + SECOND);
        return;
    }
    lanes_at *first = (lanes_at *)((float *)page + at),
             *second = (lanes_at *)((float *)page + at + SECOND);
    *first = use == ONTO_PAGE ? x + *first : x;
    *second = use == ONTO_PAGE ? y + *second : y;
}

/* A block's prefetches: a kilobyte of each stream, by half lines. */
enum { STREAMS = LANES / FACE ? 3 : 1, AHEAD = 32, AHEAD_BLOCK = 2 * FACE * AHEAD };

typedef struct product_ahead {
    const char *at[STREAMS];
} product_ahead;

/* `rows` is a compile-time constant in all callers. */
static inline __attribute__((always_inline)) void
product_block(int rows, const float *restrict a, const float *restrict b, product_use use,
              void *restrict page, size_t at, product_ahead ahead)
{
    lanes sum[MAX_ROWS][2];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
        sum[i][0] = sum[i][1] = (lanes){0};
    for (int half = 0; half < 2; half++) {
        const float *left = a + half * FACE_SIZE, *right = b + half * 2 * FACE_SIZE;
#pragma GCC unroll 4
        for (int k = 0; k < FACE; k++) {
            for (int i = 0; i < STREAMS; i++)
                __builtin_prefetch(ahead.at[i] + (half * FACE + k) * AHEAD);
            const lanes x = *(const lanes_at *)(right + k * FACE),
                        y = *(const lanes_at *)(right + k * FACE + SECOND);
#pragma GCC unroll 8
            for (int i = 0; i < rows; i++) {
                const lanes l = left[i * FACE + k] - (lanes){}; /* +0: no work */
                sum[i][0] = multiply_add(l, x, sum[i][0]);
                sum[i][1] = multiply_add(l, y, sum[i][1]);
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
        use_sums(sum[i][0], sum[i][1], use, page, at + (size_t)i * FACE);
}

/* Prefetches of the next operands, distributed over the blocks, a kilobyte each; or all at
 * once. */
static inline product_ahead ahead_of(const krn_next *next, int block)
{
    enum { EACH_TAKES = sizeof(float[KRN_TILE]) / AHEAD_BLOCK };
    const char *const at[] = {next->a, next->b, next->out};
    product_ahead ahead;
    for (int i = 0; i < STREAMS; i++)
        ahead.at[i] = at[(i + block / EACH_TAKES) % 3] + block % EACH_TAKES * AHEAD_BLOCK;
    return ahead;
}

/* All rows of two adjacent vectors. */
static inline __attribute__((always_inline)) void
product_column(const float *restrict a, const float *restrict b, product_use use,
               void *restrict page, size_t at, const krn_next *next, int block)
{
    enum { SECOND_ROW = MAX_ROWS, THIRD_ROW = MAX_ROWS + LESS_ROWS };
    product_block(MAX_ROWS, a, b, use, page, at, ahead_of(next, block));
    product_block(LESS_ROWS, a + SECOND_ROW * FACE, b, use, page, at + SECOND_ROW * FACE,
                  ahead_of(next, block + 1));
    if (BLOCKS == 3)
        product_block(LESS_ROWS, a + THIRD_ROW * FACE, b, use, page, at + THIRD_ROW * FACE,
                      ahead_of(next, block + 2));
}

static inline __attribute__((always_inline)) void
product_to(const float *restrict a, const float *restrict b, product_use use,
           void *restrict page, const krn_next *next)
{
    int block = 0;
    for (size_t row = 0; row < 2; row++)
        for (size_t column = 0; column < 2 * FACE; column += 2 * LANES, block += BLOCKS) {
            const size_t to = column / FACE * FACE_SIZE + column % FACE;
            product_column(a + row * 2 * FACE_SIZE, b + to, use, page,
                           row * 2 * FACE_SIZE + to, next, block);
        }
}

static void product(const float *a, const float *b, float *out)
{
    product_to(a, b, TO_PAGE, out, &(krn_next){a, b, out});
}

static void product_on_page(const float *a, const float *b, bool adds, float *page,
                            const krn_next *next)
{
    if (adds)
        product_to(a, b, ONTO_PAGE, page, next);
    else
        product_to(a, b, TO_PAGE, page, next);
}

/* Compares the bits without the sign, doubled; subtracting one makes zero the largest. */
static bool pairs_fit(const uint16_t *from)
{
    enum { MIN_FINITE = (127 - 40) << 8, INFINITE = 0x7F80 << 1 };
    uint16_t max = 0, min = UINT16_MAX;
    EACH
    {
        const uint16_t bits = (uint16_t)(from[i] << 1), below = (uint16_t)(bits - 1);
        max = TW_MAX(max, bits);
        min = TW_MIN(min, below);
    }
    return max < INFINITE && min >= MIN_FINITE - 1;
}

static void product_onto_bf16(const float *a, const float *b, uint16_t *page,
                              const krn_next *next)
{
    product_to(a, b, ONTO_BF16, page, next);
}

#endif
