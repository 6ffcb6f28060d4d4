/* blockfloat.h: block floating-point values, as tensors of bfp8, bfp4 and bfp2 hold them.
 *
 * Sixteen adjacent elements of a row share one exponent E; each keeps a sign and a
 * magnitude M of 7, 3 or 1 bits without a hidden one: M / 64 * 2^(E - 127), M / 4 or M
 * alone.  Every such value is exactly representable in bf16, so tensors in memory hold bf16
 * values; these functions round values to the format and pack and unpack tiles. */
#ifndef TILEWRIGHT_SUPPORT_BLOCKFLOAT_H
#define TILEWRIGHT_SUPPORT_BLOCKFLOAT_H

#include "tilewright/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TW_BLOCK = 16 };

typedef enum tw_block_rounding {
    /* Rounding of the host's conversion: significands are cut where the shared exponent
     * leaves no room, then rounded to nearest, ties to even. */
    TW_BLOCK_HOST,
    /* Rounding of the packer with a 16-bit destination register: ties away from zero for 8
     * bits; 4 and 2 bits truncate the 8-bit magnitude. */
    TW_BLOCK_PACKER,
} tw_block_rounding;

bool tw_dtype_is_block(tw_dtype dtype);
/* 7, 3 or 1. */
int tw_block_magnitude_bits(tw_dtype dtype);

/* Rounds `n` values (at most TW_BLOCK) that share an exponent; the packer reads bf16
 * values.  `codes` are sign and magnitude, the sign above the magnitude. */
uint8_t tw_block_encode(tw_dtype dtype, tw_block_rounding how, const float *x, size_t n,
                        uint8_t *codes);
/* The bf16 bits that the packer reads of a f32 value in a 32-bit destination register:
 * truncated, then to six mantissa bits, ties away from zero. */
uint16_t tw_block_early(float x);
void tw_block_decode(tw_dtype dtype, uint8_t exponent, const uint8_t *codes, size_t n,
                     uint16_t *bf16);
/* Rounds rows of `row` values each to bf16 bits; blocks begin at every row's start. */
void tw_block_round(tw_dtype dtype, tw_block_rounding how, const float *from, size_t rows,
                    size_t row, uint16_t *to);

#endif
