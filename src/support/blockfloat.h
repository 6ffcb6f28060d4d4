/* blockfloat.h: block floating-point numbers, as tensors of bfp8, bfp4 and bfp2 hold them.
 *
 * Sixteen neighbours in a row share one exponent E; each keeps a sign and a magnitude M of
 * 7, 3 or 1 bits without a hidden one: M / 64 * 2^(E - 127), M / 4 or M alone.  Every such
 * number is exactly a bf16, so that tensors in memory hold the bf16 numbers; these
 * functions bring values onto the grid, and tiles in and out of their bytes. */
#ifndef TILEWRIGHT_SUPPORT_BLOCKFLOAT_H
#define TILEWRIGHT_SUPPORT_BLOCKFLOAT_H

#include "tilewright/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TW_BLOCK = 16 };

typedef enum tw_block_rounding {
    /* What the host's conversion does: significands are cut where the shared exponent
     * leaves no room, then rounded to nearest, ties to even. */
    TW_BLOCK_HOST,
    /* What the packer does with a 16-bit destination register: ties away from zero for
     * 8 bits; 4 and 2 bits are the 8-bit magnitude cut off. */
    TW_BLOCK_PACKER,
} tw_block_rounding;

bool tw_dtype_is_block(tw_dtype dtype);
/* 7, 3 or 1. */
int tw_block_magnitude_bits(tw_dtype dtype);

/* Rounds `n` numbers (at most TW_BLOCK) that share an exponent; the packer reads bf16
 * numbers.  `codes` are sign and magnitude, the sign above the magnitude. */
uint8_t tw_block_encode(tw_dtype dtype, tw_block_rounding how, const float *x, size_t n,
                        uint8_t *codes);
void tw_block_decode(tw_dtype dtype, uint8_t exponent, const uint8_t *codes, size_t n,
                     uint16_t *bf16);
/* Rows of `row` numbers each, blocks starting at every row's start, as bf16 bits. */
void tw_block_round(tw_dtype dtype, tw_block_rounding how, const float *from, size_t rows,
                    size_t row, uint16_t *to);

#endif
