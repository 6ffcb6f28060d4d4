/* meaning.h: what the files of this folder share. */
#ifndef TILEWRIGHT_TTIR_TO_STABLEHLO_MEANING_H
#define TILEWRIGHT_TTIR_TO_STABLEHLO_MEANING_H

#include "ir/op.h"

enum { MEANING_DIMS = 16 };

/* One operation of TTIR or TTNN, whose operands are of plain types already. */
typedef struct meaning {
    ir_builder *b;
    ir_op *op;
    ir_type
        type; /* of its result: without encoding, integers without a sign of their own */
} meaning;

/* Builds its result, of the element type that it computes in; NULL: unsupported. */
typedef ir_value *meaning_fn(const meaning *m);

/* An operation by its name without the dialect; NULL if there is none. */
meaning_fn *meaning_of_element(tw_str name); /* elements.c */
meaning_fn *meaning_of_tensor(tw_str name);  /* tensors.c */
/* The same on one value, for fused activations. */
ir_value *meaning_of_activation(const meaning *m, tw_str name, ir_value *x);

ir_value *meaning_in(const meaning *m, const char *operand); /* NULL: it is absent */
ir_value *meaning_convert(const meaning *m, ir_value *x, ir_type element);
/* f32 for narrower floats, the type itself for others: rounding is left to the end. */
ir_type meaning_wide(const meaning *m, ir_type element);
/* Broadcast to dimensions, aligned at the last one. */
ir_value *meaning_broadcast(const meaning *m, ir_value *x, const int64_t *dims,
                            size_t rank);
/* A number in the shape and type of a value. */
ir_value *meaning_number(const meaning *m, double number, ir_value *like);
ir_value *meaning_binary(const meaning *m, const ir_op_def *def, ir_value *x, ir_value *y);
ir_value *meaning_unary(const meaning *m, const ir_op_def *def, ir_value *x);
/* `direction` is a STABLEHLO_ComparisonDirection; the result is i1. */
ir_value *meaning_compare(const meaning *m, int64_t direction, ir_value *x, ir_value *y);
ir_value *meaning_select(const meaning *m, ir_value *pick, ir_value *yes, ir_value *no);

#endif
