/* move_square.h: transposition of a square of 16 by 16 elements of four bytes, where an
 * instruction set has registers for it. */
#ifndef TILEWRIGHT_HOST_MOVE_MOVE_SQUARE_H
#define TILEWRIGHT_HOST_MOVE_MOVE_SQUARE_H

#include "support/base.h"

/* Bytes from a row's start to what is asked for ahead of time: rows are more streams than
 * the hardware follows by itself, and the next square of a row begins within its next two
 * lines. */
#define KRN_SQUARE_AHEAD 128

/* Rows are src_step bytes apart; column j becomes the 64 bytes at dst + j * dst_step. */
void krn_transpose_square_avx512(const char *src, int64_t src_step, char *dst,
                                 int64_t dst_step);

#endif
