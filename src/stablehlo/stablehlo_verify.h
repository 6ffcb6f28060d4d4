/* stablehlo_verify.h: shared by the stablehlo verifiers that are beyond the rule
 * language.
 *
 * All of them report at the operation, without its name, and return false. */
#ifndef TILEWRIGHT_STABLEHLO_STABLEHLO_VERIFY_H
#define TILEWRIGHT_STABLEHLO_STABLEHLO_VERIFY_H

#include "ir/rules/rules.h"

/* ---- types (stablehlo_types.c) ------------------------------------------------------ */

static inline bool stablehlo_sizes_fit(int64_t a, int64_t b)
{
    return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC;
}
bool stablehlo_shapes_fit(ir_type a, ir_type b);
/* True if a value of one type may be used as the other: compatible shapes, within the
 * bounds of encodings; equal elements, quantized ones up to their scales. */
bool stablehlo_types_fit(ir_type a, ir_type b);
bool stablehlo_elements_fit(ir_type a, ir_type b);
/* True if shapes are compatible and elements equal; `any_float`: all floats are equal. */
bool stablehlo_is_like(ir_type a, ir_type b, bool any_float);
/* True if elements of `a` convert to those of `b` without loss; always for floats. */
bool stablehlo_is_promotable(ir_type a, ir_type b);
bool stablehlo_is_quantized(ir_type element);
ir_type stablehlo_scalar(ir_type element);
/* "'tensor<f32>', 'tensor<i32>'" */
void stablehlo_put_types(tw_strbuf *out, ir_context *ctx, const ir_type *types, size_t n);
/* Checks the types of an operation's results against the inferred ones, in one message. */
bool stablehlo_check_inferred(ir_op *op, const ir_type *inferred, size_t n);
/* The most types of a list and the largest rank that checks know; more is an error. */
enum { STABLEHLO_MAX_RANK = 64, STABLEHLO_MAX_VALUES = CHK_MAX_TYPES };
static inline bool stablehlo_set_types(chk_types *out, const ir_type *types, size_t n)
{
    out->n = n < CHK_MAX_TYPES ? n : CHK_MAX_TYPES;
    out->known = n <= CHK_MAX_TYPES;
    for (size_t i = 0; i < out->n; i++)
        out->at[i] = types[i];
    return true;
}
/* Reads the integers of a constant; returns the count, -1 if it is no constant. */
int64_t stablehlo_ints(const ir_value *v, int64_t *out, size_t max);
/* The most specific type consistent with all of these; with `least`, the least specific
 * one covering them. */
bool stablehlo_merge_types(ir_op *op, const ir_type *types, size_t n, bool general,
                           ir_type *out);
/* Bounds of dimensions in the encoding: the count, 0 for none. */
size_t stablehlo_bounds(ir_type type, int64_t *out, size_t max);
/* A tensor type of that shape with bounds encoded as those of `like`. */
ir_type stablehlo_bounded(ir_type like, ir_type element, const int64_t *dims, size_t rank,
                          const int64_t *bounds, size_t n_bounds);

/* Checks the traits that a row of stablehlo or chlo lists as interfaces. */
bool stablehlo_check_traits(ir_op *op);
/* Infers result types from operands, attributes and regions; unknown for operations
 * without inference.  False, after an error, if they contradict each other. */
bool stablehlo_infer(ir_op *op, chk_types *out);

/* ---- speculation (stablehlo_speculation.c) ------------------------------------------ */

/* Speculatability of an operation. */
typedef enum stablehlo_speculation {
    STABLEHLO_SAYS_NOTHING,
    STABLEHLO_MUST_STAY,
    STABLEHLO_AS_REGIONS, /* if all ops in its regions are */
    STABLEHLO_MAY_MOVE,
} stablehlo_speculation;
stablehlo_speculation stablehlo_speculation_of(const ir_op *op);

/* ---- results (stablehlo_infer.c) ---------------------------------------------------- */

bool stablehlo_infer_same(ir_op *op, chk_types *out);
bool stablehlo_infer_real(ir_op *op, chk_types *out);
bool stablehlo_infer_complex(ir_op *op, chk_types *out);
bool stablehlo_infer_boolean(ir_op *op, chk_types *out);
bool stablehlo_infer_dequantized(ir_op *op, chk_types *out);
bool stablehlo_infer_operands(ir_op *op, chk_types *out);
bool stablehlo_infer_select(ir_op *op, chk_types *out);
bool stablehlo_infer_token(ir_op *op, chk_types *out);
bool stablehlo_infer_id(ir_op *op, chk_types *out);
bool stablehlo_infer_size(ir_op *op, chk_types *out);
bool stablehlo_infer_constant(ir_op *op, chk_types *out);
bool stablehlo_infer_member(ir_op *op, chk_types *out);
bool stablehlo_infer_tuple(ir_op *op, chk_types *out);
bool stablehlo_infer_rng(ir_op *op, chk_types *out);
bool stablehlo_infer_transpose(ir_op *op, chk_types *out);
bool stablehlo_infer_slice(ir_op *op, chk_types *out);
bool stablehlo_infer_pad(ir_op *op, chk_types *out);
bool stablehlo_infer_concatenate(ir_op *op, chk_types *out);
bool stablehlo_infer_set_dimension_size(ir_op *op, chk_types *out);
bool stablehlo_infer_batch_norm(ir_op *op, chk_types *out);
bool stablehlo_infer_fft(ir_op *op, chk_types *out);
bool stablehlo_infer_gather(ir_op *op, chk_types *out);
bool stablehlo_infer_dot(ir_op *op, chk_types *out);
bool stablehlo_infer_dot_general(ir_op *op, chk_types *out);

/* ---- calls and communication (stablehlo_calls.c) ------------------------------------ */

bool stablehlo_infer_async_start(ir_op *op, chk_types *out);
bool stablehlo_infer_async_done(ir_op *op, chk_types *out);
bool stablehlo_infer_send(ir_op *op, chk_types *out);
bool stablehlo_verify_recv(ir_op *op);
bool stablehlo_verify_infeed(ir_op *op);
bool stablehlo_verify_custom_call(ir_op *op);

/* ---- quantized elements (stablehlo_quantized.c) ------------------------------------- */

bool stablehlo_verify_add(ir_op *op);
bool stablehlo_verify_quantized_shape(ir_op *op);
bool stablehlo_verify_quantized_product(ir_op *op);
bool stablehlo_verify_quantized_broadcast(ir_op *op);
bool stablehlo_verify_same_scale(ir_op *op);
bool stablehlo_verify_quantized_transpose(ir_op *op);
bool stablehlo_verify_uniform_quantize(ir_op *op);

/* ---- regions (stablehlo_regions.c) -------------------------------------------------- */

/* The terminator of a region's first block, which has the returned values, or NULL. */
ir_op *stablehlo_end_of(const ir_op *op, size_t region);
/* Checks a reducer region: for each input two arguments and a result, all of the shape of
 * the initial value; arguments have (some of) the allowed dimensions. */
bool stablehlo_check_reducer(ir_op *op, size_t region, const ir_type *inputs,
                             const ir_type *inits, size_t n, const int64_t *allowed,
                             size_t n_allowed);
bool stablehlo_infer_conditional(ir_op *op, chk_types *out);
bool stablehlo_infer_map(ir_op *op, chk_types *out);
bool stablehlo_infer_reduce(ir_op *op, chk_types *out);
bool stablehlo_infer_scatter(ir_op *op, chk_types *out);
bool stablehlo_infer_select_and_scatter(ir_op *op, chk_types *out);
bool stablehlo_verify_reduce(ir_op *op);
bool stablehlo_verify_scatter_body(ir_op *op);
bool stablehlo_verify_sort(ir_op *op);
bool stablehlo_verify_while(ir_op *op);

/* ---- windows (stablehlo_windows.c) -------------------------------------------------- */

/* also dynamic_conv with constant padding */
bool stablehlo_infer_convolution(ir_op *op, chk_types *out);
bool stablehlo_infer_reduce_window(ir_op *op, chk_types *out);
bool stablehlo_verify_reduce_window(ir_op *op);
bool stablehlo_verify_select_and_scatter(ir_op *op);
bool stablehlo_verify_convolution(ir_op *op);
bool stablehlo_verify_dynamic_conv(ir_op *op);

/* ---- collectives (stablehlo_collectives.c) ------------------------------------------ */

bool stablehlo_check_all_to_all_groups(ir_op *op);
bool stablehlo_infer_all_to_all(ir_op *op, chk_types *out);
bool stablehlo_infer_collective_result(ir_op *op, chk_types *out);
bool stablehlo_verify_all_gather(ir_op *op);
bool stablehlo_verify_all_reduce(ir_op *op);
bool stablehlo_verify_collective_broadcast(ir_op *op);
bool stablehlo_verify_collective_reduce(ir_op *op);
bool stablehlo_verify_reduce_scatter(ir_op *op);

#endif
