/* stablehlo_to_ttir.h: conversion functions by subject.
 *
 * Each converts one operation whose producers are already converted: it builds the TTIR
 * operations before it, replaces the results with s2t_done and returns true; false means
 * that its conditions are not met and nothing has been changed. */
#ifndef TILEWRIGHT_TTIR_FROM_STABLEHLO_STABLEHLO_TO_TTIR_H
#define TILEWRIGHT_TTIR_FROM_STABLEHLO_STABLEHLO_TO_TTIR_H

#include "ir/pass/pass.h"
#include "stablehlo/stablehlo.h"
#include "ttir/ttir.h"

typedef bool s2t_fn(ir_op *op, ir_builder *b);

/* Converts an operation of any dialect; unhandled ones stay. */
bool s2t_convert(ir_op *op);

/* False if no form of the operation has a conversion to TTIR, in this pass or in those of
 * stablehlo-to-ttir-pipeline before it. */
bool s2t_has_row(const ir_op_def *def);
/* Reports an operation that is not converted; false. */
bool s2t_refuse(const ir_op *op);

/* Replaces the only result and erases the operation. */
bool s2t_done(ir_op *op, ir_value *value);

s2t_fn s2t_convolution;                               /* convolution.c */
s2t_fn s2t_reduce, s2t_reduce_window;                 /* reductions.c */
s2t_fn s2t_chlo;                                      /* chlo.c */
s2t_fn s2t_custom_call;                               /* custom_calls.c */
s2t_fn s2t_reduce_window_any, s2t_select_and_scatter; /* windows.c */
ir_value *s2t_convolution_3d(ir_builder *b, ir_value *x, ir_value *w, const int64_t *stride,
                             const int64_t *dilation, int64_t groups, const int64_t *out);
s2t_fn s2t_batch_norm_grad, s2t_several_results;
s2t_fn s2t_sort;                                 /* sort.c */
s2t_fn s2t_gather, s2t_dynamic_slice;            /* indexing.c */
s2t_fn s2t_scatter;                              /* scatter.c */
s2t_fn s2t_dynamic, s2t_map, s2t_count_bits;     /* static_forms.c */
s2t_fn s2t_triangular_solve;                     /* solve.c */
s2t_fn s2t_einsum;                               /* einsum.c */
s2t_fn s2t_gather_any, s2t_dynamic_update_slice; /* positions.c */
/* Rows of a matrix, as many as there are ids in any shape: an embedding, or for integers a
 * gather, since the chip's embedding rounds to bf16. */
ir_value *s2t_take_rows(ir_builder *b, ir_value *table, ir_value *ids);
bool s2t_scatter_any(ir_op *op, ir_builder *b, ir_attr reduce);
/* Indices as i32; unsigned ones beyond its range become its maximum. */
ir_value *s2t_index_as_i32(ir_builder *b, ir_value *v);
/* inside && 0 <= v && v <= high; `inside` may be NULL. */
ir_value *s2t_within(ir_builder *b, ir_value *inside, ir_value *v, int64_t high);
s2t_fn s2t_round_even, s2t_shift_arithmetic, s2t_remainder, s2t_reduce_precision,
    s2t_dimension_size, s2t_quantize, s2t_rng, s2t_rng_bits,
    s2t_batch_norm_training; /* arithmetic.c */

/* ---- bodies (bodies.c) -------------------------------------------------------------- */
/* The operation of a region that applies it to its two arguments, in either order, and
 * returns the result; NULL for any other region. */
const ir_op *s2t_combiner(const ir_op *op, size_t region);
/* True if a reduction's body selects, from two (value, index) pairs, the index of the
 * larger value (or the smaller one: out_least), the first of equal ones. */
bool s2t_picks_extreme(const ir_op *op, bool *out_least);

/* ---- building blocks ---------------------------------------------------------------- */
ir_value *s2t_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank);
/* out.dims[i] = in.dims[permutation[i]] */
ir_value *s2t_permute(ir_builder *b, ir_value *v, const int64_t *permutation, size_t rank);
ir_value *s2t_broadcast(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank);
/* The same as an explicit operation that materialises all elements, which scatter
 * requires. */
ir_value *s2t_repeat(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank);
ir_value *s2t_slice(ir_builder *b, ir_value *v, const int64_t *begins, const int64_t *ends,
                    const int64_t *steps);
ir_value *s2t_splat(ir_builder *b, ir_type type, double value);
/* The value of a splat constant in another shape; NULL if it is none. */
ir_value *s2t_splat_like(ir_builder *b, ir_type type, ir_value *v);
/* x with `low`, `high` elements around it and `interior` between its elements. */
ir_value *s2t_pad(ir_builder *b, ir_value *x, const int64_t *low, const int64_t *high,
                  const int64_t *interior, double value);
/* The splat value behind reshapes, broadcasts and casts of a constant; false if none. */
bool s2t_splat_value(ir_value *v, double *out);
ir_attr s2t_d32(ir_context *ctx, const int64_t *values, size_t count);

#endif
