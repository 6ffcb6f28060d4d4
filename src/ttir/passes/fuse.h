/* fuse.h: the parts of ttir-fusing. */
#ifndef TILEWRIGHT_TTIR_PASSES_FUSE_H
#define TILEWRIGHT_TTIR_PASSES_FUSE_H

#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

/* What patterns find in rw->user. */
typedef struct ttir_fuse_options {
    /* Nothing is taken for something similar: constants that are only near the right ones,
     * gelu for its approximation, one type's arithmetic for another's. */
    bool exact;
} ttir_fuse_options;

static inline bool ttir_fuse_exact(const rw_rewriter *rw)
{
    return ((const ttir_fuse_options *)rw->user)->exact;
}

/* activations */
rw_pattern_fn ttir_fuse_relu, ttir_fuse_relu6, ttir_fuse_hardsigmoid, ttir_fuse_silu;
rw_pattern_fn ttir_fuse_mish, ttir_fuse_gelu;
/* convolutions */
rw_pattern_fn ttir_tag_conv_weight, ttir_fuse_conv_bias, ttir_fuse_conv_pad;
rw_pattern_fn ttir_fuse_conv_scale, ttir_split_batch_norm, ttir_fuse_two_convs;
/* products */
rw_pattern_fn ttir_fuse_bias, ttir_absorb_permute, ttir_slice_operands;
rw_pattern_fn ttir_fuse_shared_operand; /* fuse_shared.c */
/* reductions and norms */
rw_pattern_fn ttir_fuse_kept_dims, ttir_fuse_softmax, ttir_fuse_stable_softmax;
rw_pattern_fn ttir_fuse_mean, ttir_join_spatial_dims, ttir_fuse_rms_norm;
/* norms that are written out (fuse_norm.c) */
rw_pattern_fn ttir_fuse_written_norm, ttir_fuse_norm_weight, ttir_fuse_norm_bias;
/* moving */
rw_pattern_fn ttir_fuse_attention; /* fuse_attention.c */
rw_pattern_fn ttir_fuse_rope, ttir_fuse_rope_halves, ttir_fuse_rope_pairs; /* fuse_rope.c */
rw_pattern_fn ttir_fuse_heads, ttir_fuse_repeat, ttir_fuse_topk;

/* The value behind broadcasts and reshapes. */
ir_value *ttir_behind_shapes(ir_value *v);
/* The value, behind broadcasts and reshapes (and casts), of which v repeats the elements
 * along its last dimension in every row; NULL if rows differ. */
ir_value *ttir_row_vector(ir_value *v, bool casts);
/* Whether the last dimension is 1, as behind a reduction that keeps it; of scalars too. */
bool ttir_has_kept_dim(ir_type t);
/* Whether it is `fill` everywhere, seen through broadcasts and reshapes. */
bool ttir_is_all(ir_value *v, double fill, double tolerance);
/* The two operands in the order in which `is` holds for the first; false if for neither. */
bool ttir_either(const ir_op *op, const ir_op_def *first, ir_value **out_first,
                 ir_value **out_other);

#endif
