/* simplify.h: the patterns of stablehlo-aggressive-simplification, one per operation, and
 * their helpers. */
#ifndef TILEWRIGHT_STABLEHLO_SIMPLIFY_SIMPLIFY_H
#define TILEWRIGHT_STABLEHLO_SIMPLIFY_SIMPLIFY_H

#include "stablehlo/simplify/optimize.h"
#include "stablehlo/stablehlo.h"

enum { HS_CAPACITY = 64 };

typedef struct hs_integers {
    int64_t at[HS_CAPACITY];
    int64_t n;
} hs_integers;

/* ---- queries ------------------------------------------------------------------------ */

bool hs_is(const ir_op *op, uint16_t row);
bool hs_is_static(ir_type t);
bool hs_has_nothing(ir_type t); /* a tensor without elements */
bool hs_is_integer(ir_type t);  /* and not quantized */
/* True if all elements equal the integer. */
bool hs_is_all(const ir_value *v, int64_t integer);
/* Reads the integers of a constant or an attribute (none if it is absent); false if there
 * are more than HS_CAPACITY or the value is no constant. */
bool hs_read(const ir_value *v, hs_integers *out);
bool hs_list(const ir_op *op, const char *name, hs_integers *out);
ir_attr hs_array(rw_rewriter *rw, const hs_integers *list);
bool hs_is_iota(const hs_integers *list);
bool hs_is_sorted(const hs_integers *list); /* strictly increasing */
/* The element limit for folding a select of constants. */
int64_t hs_fold_limit(const rw_rewriter *rw);
ir_value *hs_operand(const ir_op *op, size_t i);

/* ---- replacing an operation; false where the types differ --------------------------- */

/* Replaces the operation by an existing value, merging its attributes. */
bool hs_replace(ir_op *op, rw_rewriter *rw, ir_value *v);
/* Replaces the operation by a new one, merging its attributes. */
bool hs_replace_new(ir_op *op, rw_rewriter *rw, ir_value *v);
bool hs_put_constant(ir_op *op, rw_rewriter *rw, ir_attr value);
bool hs_replace_by_integer(ir_op *op, rw_rewriter *rw, int64_t integer);

/* ---- patterns ----------------------------------------------------------------------- */

rw_pattern_fn hs_constant_right, hs_simplify_add, hs_simplify_and, hs_simplify_compare,
    hs_simplify_complex, hs_simplify_member, hs_simplify_multiply, hs_simplify_or,
    hs_simplify_part, hs_simplify_select, hs_simplify_subtract, hs_simplify_tuple,
    hs_simplify_xor; /* simplify_math.c */
rw_pattern_fn hs_simplify_broadcast, hs_simplify_concatenate, hs_simplify_dynamic_slice,
    hs_simplify_gather, hs_simplify_iota, hs_simplify_pad, hs_simplify_reshape,
    hs_simplify_reverse, hs_simplify_same, hs_simplify_size, hs_simplify_slice,
    hs_simplify_transpose, hs_simplify_update; /* simplify_shape.c */
rw_pattern_fn hs_simplify_dynamic_broadcast, hs_simplify_dynamic_iota,
    hs_simplify_dynamic_reshape, hs_simplify_shape_of; /* simplify_dynamic.c */
rw_pattern_fn hs_simplify_reduce, hs_simplify_sort,
    hs_simplify_while; /* simplify_regions.c */

#endif
