/* build.h: builds StableHLO operations whose result types follow from their operands. */
#ifndef TILEWRIGHT_STABLEHLO_BUILD_H
#define TILEWRIGHT_STABLEHLO_BUILD_H

#include "ir/op.h"

/* A tensor of i64 (or another integer) of rank 0, or of rank 1. */
ir_type hlo_scalar_type(ir_type element);
ir_type hlo_vector_type(ir_type element, int64_t size);
/* The type with one dimension's size replaced. */
ir_type hlo_with_size(ir_type t, int64_t dim, int64_t size);
/* A device-to-device channel handle. */
ir_attr hlo_channel(ir_context *ctx, int64_t handle);
ir_value *hlo_constant(ir_builder *b, ir_attr value); /* typed as the attribute */
ir_value *hlo_int(ir_builder *b, ir_type element, int64_t value);
ir_value *hlo_zeros(ir_builder *b, ir_type type); /* static shape */
ir_value *hlo_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank);
ir_value *hlo_broadcast(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank,
                        const int64_t *at, size_t n);
ir_value *hlo_slice(ir_builder *b, ir_value *v, const int64_t *start, const int64_t *limit,
                    const int64_t *stride);
ir_value *hlo_iota(ir_builder *b, ir_type type, int64_t dim);
ir_value *hlo_concatenate(ir_builder *b, ir_type type, ir_value *const *parts, size_t n,
                          int64_t dim);
/* The size of a dimension as tensor<i64>; emits an operation if it is dynamic. */
ir_value *hlo_size_of(ir_builder *b, ir_value *v, int64_t dim);
/* The same, always by an operation; folding is left to other passes. */
ir_value *hlo_queried_size(ir_builder *b, ir_value *v, int64_t dim);
/* Integers as tensor<nxi64>. */
ir_value *hlo_integer_constant(ir_builder *b, const int64_t *values, size_t n);
/* tensor<i64> -> tensor<1xi64> */
ir_value *hlo_as_vector(ir_builder *b, ir_value *scalar);
/* Appends a terminator. */
void hlo_return(ir_builder *b, ir_value *const *values, size_t n);
/* Appends a block with arguments of those types to a region. */
ir_block *hlo_add_block(ir_op *op, size_t region, const ir_type *types, size_t n);

#endif
