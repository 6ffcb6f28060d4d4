/* fusing.c: ttir-fusing: combines operations where one operation does their work.
 *
 * Two iterations: weights are marked and products take their biases first, so that the
 * patterns of the second round see the products in their final form. */
#include "ir/pass/pass.h"
#include "ttir/passes/fuse.h"

#include <math.h>

ir_value *ttir_behind_shapes(ir_value *v)
{
    for (ir_op *d = ttir_source(v);
         ir_op_is(d, TTIR_OP(broadcast)) || ir_op_is(d, TTIR_OP(reshape));
         d = ttir_source(v))
        v = d->operands[0].value;
    return v;
}

ir_value *ttir_row_vector(ir_value *v, bool casts)
{
    int64_t size = v->type->count ? v->type->dims[v->type->count - 1] : 0;
    for (ir_op *d = ttir_source(v);
         ir_op_is(d, TTIR_OP(broadcast)) || ir_op_is(d, TTIR_OP(reshape)) ||
         (casts && ir_op_is(d, TTIR_OP(typecast)));
         d = ttir_source(v)) {
        ir_type from = d->operands[0].value->type;
        if (from->count == 0 || from->dims[from->count - 1] != size)
            break;
        v = d->operands[0].value;
    }
    return v->type->count && ir_type_num_elements(v->type) == size ? v : NULL;
}

bool ttir_has_kept_dim(ir_type t)
{
    return t->count == 0 || t->dims[t->count - 1] == 1;
}

bool ttir_is_all(ir_value *v, double fill, double tolerance)
{
    double has;
    return ttir_is_filled(ttir_behind_shapes(v), &has) && fabs(has - fill) <= tolerance;
}

bool ttir_either(const ir_op *op, const ir_op_def *first, ir_value **out_first,
                 ir_value **out_other)
{
    for (uint32_t i = 0; i < 2; i++)
        if (ttir_producer(op->operands[i].value, first)) {
            *out_first = op->operands[i].value;
            *out_other = op->operands[1 - i].value;
            return true;
        }
    return false;
}

static const rw_pattern first_round[] = {
    {TTIR_OP(conv2d), ttir_tag_conv_weight, NULL},
    {TTIR_OP(conv3d), ttir_tag_conv_weight, NULL},
    {TTIR_OP(add), ttir_fuse_bias, NULL},
};

/* Whether a pattern takes part. */
typedef enum when {
    ALWAYS,
    CONV_SCALE,     /* ttnn-enable-conv2d-with-multiply-pattern */
    PERMUTE_MATMUL, /* enable-permute-matmul-fusion */
    SLICE_MATMUL,   /* enable-permute-slice-after-matmul-fusion */
    NORMS,          /* written-norms */
    INEXACT,        /* without exact */
} when;

static const struct {
    const ir_op_def *root;
    rw_pattern_fn *apply;
    when when;
} second_round[] = {
    {TTIR_OP(add), ttir_fuse_conv_bias, ALWAYS},
    {TTIR_OP(conv3d), ttir_fuse_conv_pad, ALWAYS},
    {TTIR_OP(reshape), ttir_fuse_kept_dims, ALWAYS},
    {TTIR_OP(div), ttir_fuse_softmax, ALWAYS},
    {TTIR_OP(softmax), ttir_fuse_stable_softmax, ALWAYS},
    {TTIR_OP(maximum), ttir_fuse_relu, ALWAYS},
    {TTIR_OP(multiply), ttir_fuse_conv_scale, CONV_SCALE},
    {TTIR_OP(batch_norm_inference), ttir_split_batch_norm, CONV_SCALE},
    {TTIR_OP(matmul), ttir_absorb_permute, PERMUTE_MATMUL},
    {TTIR_OP(linear), ttir_absorb_permute, PERMUTE_MATMUL},
    {TTIR_OP(add), ttir_fuse_two_convs, ALWAYS},
    {TTIR_OP(reshape), ttir_fuse_heads, ALWAYS},
    {TTIR_OP(multiply), ttir_fuse_mean, ALWAYS},
    {TTIR_OP(mean), ttir_join_spatial_dims, ALWAYS},
    {TTIR_OP(matmul), ttir_fuse_shared_operand, ALWAYS},
    {TTIR_OP(linear), ttir_fuse_shared_operand, ALWAYS},
    {TTIR_OP(slice_static), ttir_slice_operands, SLICE_MATMUL},
    {TTIR_OP(multiply), ttir_fuse_rms_norm, ALWAYS},
    {TTIR_OP(multiply), ttir_fuse_written_norm, NORMS},
    {TTIR_OP(div), ttir_fuse_written_norm, NORMS},
    {TTIR_OP(multiply), ttir_fuse_norm_weight, NORMS},
    {TTIR_OP(add), ttir_fuse_norm_bias, NORMS},
    {TTIR_OP(multiply), ttir_fuse_gelu, ALWAYS},
    {TTIR_OP(minimum), ttir_fuse_relu6, ALWAYS},
    {TTIR_OP(multiply), ttir_fuse_silu, ALWAYS},
    {TTIR_OP(div), ttir_fuse_hardsigmoid, ALWAYS},
    {TTIR_OP(multiply), ttir_fuse_mish, ALWAYS},
    {TTIR_OP(reshape), ttir_fuse_repeat, ALWAYS},
    {TTIR_OP(matmul), ttir_fuse_attention, ALWAYS},
    {TTIR_OP(sort), ttir_fuse_topk, ALWAYS},
    {TTIR_OP(add), ttir_fuse_rope, INEXACT},
    {TTIR_OP(concat), ttir_fuse_rope_halves, INEXACT},
    {TTIR_OP(reshape), ttir_fuse_rope_pairs, INEXACT},
};

static bool run(ir_op *module, pass_run *run)
{
    rw_pattern patterns[TW_COUNT(second_round)];
    ttir_fuse_options user = {pass_option_bool(run, "exact")};
    const rw_options options = {.user = &user};
    const bool takes_part[] = {
        [ALWAYS] = true,
        [CONV_SCALE] = pass_option_bool(run, "ttnn-enable-conv2d-with-multiply-pattern"),
        [PERMUTE_MATMUL] = pass_option_bool(run, "enable-permute-matmul-fusion"),
        [SLICE_MATMUL] = pass_option_bool(run, "enable-permute-slice-after-matmul-fusion"),
        [NORMS] = pass_option_bool(run, "written-norms"),
        [INEXACT] = !user.exact,
    };
    size_t n = 0;
    for (size_t i = 0; i < TW_COUNT(second_round); i++)
        if (takes_part[second_round[i].when])
            patterns[n++] = (rw_pattern){second_round[i].root, second_round[i].apply, NULL};
    ttir_origins *origins = ttir_origins_begin(module->ctx);
    rw_greedy(module, first_round, TW_COUNT(first_round), &options);
    rw_greedy(module, patterns, n, &options);
    ttir_origins_end(origins);
    return true;
}

const pass_def ttir_fusing_pass = {
    .name = "ttir-fusing",
    .summary = "Combine operations that TTNN has as one",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"ttnn-enable-conv2d-with-multiply-pattern", PASS_BOOL, "false",
         "Multiply a convolution's weights instead of its result"},
        {"enable-permute-matmul-fusion", PASS_BOOL, "false",
         "Let matrix products read transposed operands as they are"},
        {"enable-permute-slice-after-matmul-fusion", PASS_BOOL, "true",
         "Slice a matrix product's operands instead of its result"},
        {"written-norms", PASS_BOOL, "false",
         "Recognise layer norm and rms norm that are written out"},
        {"exact", PASS_BOOL, "false",
         "Only what computes the same: no function for a similar one, no other type, no "
         "composites"}),
};
