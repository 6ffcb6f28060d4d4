/* complex_parts.h: what the files of stablehlo-complex-data-type-conversion share. */
#ifndef TILEWRIGHT_STABLEHLO_EXPAND_COMPLEX_PARTS_H
#define TILEWRIGHT_STABLEHLO_EXPAND_COMPLEX_PARTS_H

#include "ir/op.h"
#include "support/arena.h"

enum { HLO_PARTS_RANK = 15 };

/* A complex value as reals: packed, as parts, or both. */
typedef struct hlo_parts {
    ir_value *packed, *re, *im;
} hlo_parts;

typedef struct hlo_complex {
    ir_mapping *parts; /* complex value -> hlo_parts */
    tw_arena arena;
    ir_op **old; /* operations that have been replaced, in their order */
    size_t n_old, old_capacity;
    ir_op *made;  /* by move_packed */
    ir_op *stuck; /* the first that could not be */
} hlo_complex;

/* Takes the place of an operation whose operands are known; false: it cannot. */
typedef bool hlo_complex_fn(hlo_complex *c, ir_op *op, ir_builder *b);

hlo_parts *hlo_parts_of(hlo_complex *c, ir_value *v); /* with re and im */
void hlo_set_parts(hlo_complex *c, const ir_value *v, ir_value *re, ir_value *im);
/* A StableHLO operation of one or two (y not NULL) operands, typed as the first. */
ir_value *hlo_real_op(ir_builder *b, uint16_t row, ir_value *x, ir_value *y);

hlo_complex_fn hlo_fft_by_products; /* complex_fft.c */

#endif
