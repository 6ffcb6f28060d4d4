/* stablehlo_verify.h: what checks of stablehlo operations that rules cannot say share.
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
/* Whether a value of one type may be one of the other: shapes fit, within the bounds that
 * encodings give; elements are the same, quantized ones but for scales. */
bool stablehlo_types_fit(ir_type a, ir_type b);
bool stablehlo_elements_fit(ir_type a, ir_type b);
/* Shapes fit, elements are the same; with `any_float`, floats are all alike. */
bool stablehlo_is_like(ir_type a, ir_type b, bool any_float);
/* Whether elements of `a` can become those of `b` without loss; floats always. */
bool stablehlo_is_promotable(ir_type a, ir_type b);
bool stablehlo_is_quantized(ir_type element);
ir_type stablehlo_scalar(ir_type element);
/* "'tensor<f32>', 'tensor<i32>'" */
void stablehlo_put_types(tw_strbuf *out, ir_context *ctx, const ir_type *types, size_t n);
/* The types of an operation's results, or else what was inferred, in one message. */
bool stablehlo_check_inferred(ir_op *op, const ir_type *inferred, size_t n);
static inline bool stablehlo_give_types(chk_types *out, const ir_type *types, size_t n)
{
    out->n = n < CHK_MOST_TYPES ? n : CHK_MOST_TYPES;
    out->known = n <= CHK_MOST_TYPES;
    for (size_t i = 0; i < out->n; i++)
        out->at[i] = types[i];
    return true;
}
/* The integers of a value that is a constant; how many, -1 if it is none. */
int64_t stablehlo_ints(const ir_value *v, int64_t *out, size_t max);
/* What is known of a value that is of all of these types; with `least`, of any of them. */
bool stablehlo_merge_types(ir_op *op, const ir_type *types, size_t n, bool least,
                           ir_type *out);
/* Bounds of dimensions in the encoding: how many, 0 for none. */
size_t stablehlo_bounds(ir_type type, int64_t *out, size_t max);
/* A tensor type of that shape whose bounds are written as those of `like`. */
ir_type stablehlo_bounded(ir_type like, ir_type element, const int64_t *dims, size_t rank,
                          const int64_t *bounds, size_t n_bounds);

/* What the traits say that a row of stablehlo or chlo names as interfaces. */
bool stablehlo_check_traits(ir_op *op);
/* The types that operands, attributes and regions give the results; not known for
 * operations that cannot tell.  False where they contradict each other, which it says. */
bool stablehlo_infer(ir_op *op, chk_types *out);

/* ---- speculation (stablehlo_speculation.c) ------------------------------------------ */

/* Whether an operation may run although the program would not reach it. */
typedef enum stablehlo_speculation {
    STABLEHLO_SAYS_NOTHING,
    STABLEHLO_MUST_STAY,
    STABLEHLO_AS_REGIONS, /* if all in its regions may */
    STABLEHLO_MAY_MOVE,
} stablehlo_speculation;
stablehlo_speculation stablehlo_speculation_of(const ir_op *op);

/* ---- results (stablehlo_infer.c) ---------------------------------------------------- */

bool stablehlo_infer_same(ir_op *op, chk_types *out);
bool stablehlo_infer_real(ir_op *op, chk_types *out);
bool stablehlo_infer_complex(ir_op *op, chk_types *out);
bool stablehlo_infer_truth(ir_op *op, chk_types *out);
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

/* ---- calls and exchange (stablehlo_calls.c) ----------------------------------------- */

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

/* Values that a region's first block returns; 0 and NULL for what has no terminator. */
ir_op *stablehlo_end_of(const ir_op *op, size_t region);
/* A region that reduces: for each input two arguments and a result, all of the shape of the
 * initial value; arguments have (some of) the dimensions allowed. */
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

/* dynamic_conv too, where the padding is a constant */
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
