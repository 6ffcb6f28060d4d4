/* move_square_avx512.c: a square of 16 by 16 elements of four bytes, transposed in
 * registers. */
#include "host/move/move_square.h"

#include <immintrin.h>

typedef __m512i row;

/* Exchanges the 2x2 squares of quarters: afterwards row i of a group of four holds column i
 * of each 4x4 square of it. */
static inline __attribute__((always_inline)) void within_quarters(row *r)
{
    for (int i = 0; i < 16; i += 4) {
        const row a = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        const row b = _mm512_unpackhi_epi32(r[i], r[i + 1]);
        const row c = _mm512_unpacklo_epi32(r[i + 2], r[i + 3]);
        const row d = _mm512_unpackhi_epi32(r[i + 2], r[i + 3]);
        r[i] = _mm512_unpacklo_epi64(a, c);
        r[i + 1] = _mm512_unpackhi_epi64(a, c);
        r[i + 2] = _mm512_unpacklo_epi64(b, d);
        r[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
}

void krn_transpose_square_avx512(const char *src, int64_t src_step, char *dst,
                                 int64_t dst_step)
{
    row r[16];
    for (int i = 0; i < 16; i++) {
        __builtin_prefetch(src + i * src_step + KRN_SQUARE_AHEAD);
        r[i] = _mm512_loadu_si512(src + i * src_step);
    }
    within_quarters(r);
    for (int i = 0; i < 4; i++) { /* quarter q of row i of group g becomes quarter g of row
                                   * 4 q + i */
        const row a = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x44);
        const row b = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xee);
        const row c = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x44);
        const row d = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xee);
        _mm512_storeu_si512(dst + i * dst_step, _mm512_shuffle_i32x4(a, c, 0x88));
        _mm512_storeu_si512(dst + (4 + i) * dst_step, _mm512_shuffle_i32x4(a, c, 0xdd));
        _mm512_storeu_si512(dst + (8 + i) * dst_step, _mm512_shuffle_i32x4(b, d, 0x88));
        _mm512_storeu_si512(dst + (12 + i) * dst_step, _mm512_shuffle_i32x4(b, d, 0xdd));
    }
}
