/* build.h: the operations of ttir that passes make most, and small questions that
 * passes ask.  A builder that would change nothing returns the value it was given. */
#ifndef TILEWRIGHT_TTIR_BUILD_H
#define TILEWRIGHT_TTIR_BUILD_H

#include "ttir/ttir.h"

/* Tensors of more dimensions are left alone by the passes. */
enum { TTIR_MAX_DIMS = 16 };

/* The tensor type in another shape, for what passes make between operations: without a
 * layout of ttnn, which is one of the old shape. */
ir_type ttir_type_in_shape(ir_type t, const int64_t *dims, size_t rank);
ir_value *ttir_build_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank);
ir_value *ttir_build_permute(ir_builder *b, ir_value *v, const int64_t *order);
/* `factors`: how often each dimension repeats. */
ir_value *ttir_build_broadcast(ir_builder *b, ir_value *v, const int64_t *factors);
ir_value *ttir_build_broadcast_to(ir_builder *b, ir_value *v, const int64_t *dims);
ir_value *ttir_build_slice(ir_builder *b, ir_value *v, const int64_t *begins,
                           const int64_t *ends, const int64_t *steps);
/* begin up to end of one dimension, all of the others */
ir_value *ttir_build_slice_dim(ir_builder *b, ir_value *v, int64_t dim, int64_t begin,
                               int64_t end);
ir_value *ttir_build_typecast(ir_builder *b, ir_value *v, ir_type element);
ir_value *ttir_build_concat(ir_builder *b, ir_value *const *values, size_t count,
                            int64_t dim);
ir_value *ttir_build_full(ir_builder *b, ir_type type, double fill);
/* Reduces one dimension or several with keep_dim = true. */
ir_value *ttir_build_reduce(ir_builder *b, const ir_op_def *def, ir_value *v,
                            const int64_t *dims, size_t count);
/* The type of the first result of an operation that broadcasts, in the shape that its
 * operands have; the result has TTIR_MAX_DIMS dimensions at the most. */
ir_type ttir_implied_type(const ir_op *op);
/* Element by element: the result has the first operand's type. */
ir_value *ttir_build_unary(ir_builder *b, const ir_op_def *def, ir_value *v);
ir_value *ttir_build_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
/* An operation like `op`, attributes and all, on other operands with another result. */
ir_op *ttir_build_like(ir_builder *b, const ir_op *op, ir_value *const *operands,
                       ir_type result);

/* Whether it is an operation of ttir. */
bool ttir_is_op(const ir_op *op);
/* The operation that makes v if nothing writes what it read, so that another operation may
 * read it instead; else NULL. */
ir_op *ttir_source(const ir_value *v);
/* The operation that makes the first operand, if it is of that row and what it reads is
 * still there for this one to read; else NULL. */
ir_op *ttir_input_op(const ir_op *op, const ir_op_def *def);
/* The source if it is of that row; else NULL. */
ir_op *ttir_producer(const ir_value *v, const ir_op_def *def);
/* The same if nothing else reads the value. */
ir_op *ttir_only_producer(const ir_value *v, const ir_op_def *def);
/* The attribute's numbers; 0 if there are none or more than TTIR_MAX_DIMS. */
size_t ttir_numbers(const ir_op *op, const char *name, int64_t *out);
/* The dimensions that a reduction reduces, counted from the front; all if it names none. */
size_t ttir_reduced_dims(const ir_op *op, int64_t *out);
int64_t ttir_dim(int64_t dim, int64_t rank); /* from the front */
/* Whether they are dimensions of such a rank, each one once. */
bool ttir_are_dims(const int64_t *dims, size_t count, int64_t rank);
bool ttir_same_shape(ir_type a, ir_type b);
/* Whether it is filled with one number: full, zeros, ones; also constants of one value. */
bool ttir_is_filled(const ir_value *v, double *out_fill);
/* The attribute `name` of an argument of a function; NULL if it has none. */
ir_attr ttir_argument_attr(const ir_value *argument, const char *name);
void ttir_set_argument_attr(ir_value *argument, const char *name, ir_attr value);
/* The map of a ttir.rearrange from the result's elements to the input's; NULL if its
 * pattern splits a dimension of the input. */
ir_affine_map ttir_rearrange_map(const ir_op *op);
/* Whether it depends on arguments that are parameters or constants, and on no others. */
bool ttir_traces_to_constants(const ir_value *v);
/* The same, or it depends on no argument at all. */
bool ttir_is_known(const ir_value *v);
/* Until the end, both keep what they find of an operation until that is freed, so that many
 * questions about one function read it once. Begins may be nested. */
typedef struct ttir_origins ttir_origins;
ttir_origins *ttir_origins_begin(ir_context *ctx);
void ttir_origins_end(ttir_origins *o);

#endif
