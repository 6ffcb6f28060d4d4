/* complex_parts.h: shared by the files of stablehlo-complex-data-type-conversion. */
#ifndef TILEWRIGHT_STABLEHLO_EXPAND_COMPLEX_PARTS_H
#define TILEWRIGHT_STABLEHLO_EXPAND_COMPLEX_PARTS_H

#include "ir/op.h"
#include "support/arena.h"

enum { HLO_PARTS_RANK = 15 };

/* A complex value as reals: packed, as two parts, or both. */
typedef struct hlo_parts {
    ir_value *packed, *re, *im;
} hlo_parts;

typedef struct hlo_complex_rewrite {
    ir_mapping *parts; /* complex value -> hlo_parts */
    tw_arena arena;
    ir_op **old; /* replaced operations, in order */
    size_t n_old, old_capacity;
    ir_op *made;  /* created by move_packed */
    ir_op *stuck; /* the first that could not be converted */
} hlo_complex_rewrite;

/* Replaces an operation whose operands are converted; false: unsupported. */
typedef bool hlo_complex_fn(hlo_complex_rewrite *c, ir_op *op, ir_builder *b);

hlo_parts *hlo_parts_of(hlo_complex_rewrite *c, ir_value *v); /* with re and im set */
void hlo_set_parts(hlo_complex_rewrite *c, const ir_value *v, ir_value *re, ir_value *im);
/* A StableHLO operation of one or two (y not NULL) operands, of the first one's type. */
ir_value *hlo_real_op(ir_builder *b, uint16_t row, ir_value *x, ir_value *y);

hlo_complex_fn hlo_fft_by_products; /* complex_fft.c */

#endif
