/* flatten_sliding_window.c: ttir-flatten-sliding-window: TTNN's convolutions and pools
 * read images as rows of pixels: batch, height and width in one dimension, and the sizes
 * beside. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

static ir_type flattened(ir_type t)
{
    const int64_t dims[] = {1, 1, t->dims[0] * t->dims[1] * t->dims[2], t->dims[3]};
    return ir_type_with_shape(t, dims, 4);
}

/* The layout is the only one that flattened operations have; it is not written. */
static bool is_layout(tw_str name)
{
    return tw_str_is(name, "batch_dim") || tw_str_is(name, "height_dim") ||
           tw_str_is(name, "width_dim") || tw_str_is(name, "channel_dim");
}

static bool flatten(ir_op *op, rw_rewriter *rw)
{
    enum { MAX_ATTRS = 32, MAX_VALUES = 4 };
    ir_named_attr attrs[MAX_ATTRS];
    ir_value *operands[MAX_VALUES], *results[MAX_VALUES];
    ir_type types[MAX_VALUES];
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    size_t n = 0, props = ir_def_n_props(op->def), given = op->n_operands;
    /* Images of another order stay until a pass has brought their channels to the end. */
    static const char *const order[] = {"batch_dim", "height_dim", "width_dim",
                                        "channel_dim"};
    for (int i = 0; i < 4; i++)
        if (ir_op_int(op, order[i], i) != i)
            return false;
    bool indices = op->def == TTIR_OP(max_pool2d_with_indices);
    if (ir_op_attr(op, "flattened_compat_info") || t->count != 4 || props >= MAX_ATTRS ||
        given > MAX_VALUES || op->n_results > MAX_VALUES)
        return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (op->results[i].type->count != 4)
            return false;
        types[i] = flattened(op->results[i].type);
    }
    ir_attr sizes[3];
    for (int i = 0; i < 3; i++)
        sizes[i] = ir_raw_int(op->ctx, t->dims[i]);
    for (size_t i = 0; i < props; i++)
        if (op->props[i] && !is_layout(tw_str_from(ir_def_prop_name(op->def, i))))
            attrs[n++] = (ir_named_attr){
                ir_ident_from(op->ctx, ir_def_prop_name(op->def, i)), op->props[i]};
    attrs[n++] =
        (ir_named_attr){ir_ident_from(op->ctx, "flattened_compat_info"),
                        ir_dialect_attr(op->ctx, TTIR_ATTR(flattened_compat), sizes, 3)};
    operands[0] = ttir_build_reshape(&rw->b, x, flattened(t)->dims, 4);
    for (size_t i = 1; i < given; i++)
        operands[i] = op->operands[i].value;
    if (indices)
        for (given = 1; given <= op->n_results; given++)
            operands[given] =
                ir_build1(&rw->b, TTIR_OP(empty), types[given - 1], NULL, 0, NULL, 0);
    ir_op *flat = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = operands,
                                                  .n_operands = given,
                                                  .results = types,
                                                  .n_results = op->n_results,
                                                  .attrs = attrs,
                                                  .n_attrs = n});
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] =
            ttir_build_reshape(&rw->b, ir_op_result(flat, i), op->results[i].type->dims, 4);
    rw_replace(rw, op, results, op->n_results);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {TTIR_OP(conv2d), flatten, NULL},
        {TTIR_OP(conv_transpose2d), flatten, NULL},
        {TTIR_OP(max_pool2d), flatten, NULL},
        {TTIR_OP(max_pool2d_with_indices), flatten, NULL},
        {TTIR_OP(avg_pool2d), flatten, NULL},
    };
    const rw_options options = {
        .no_fold = true, .no_constant_cse = true, .regions = RW_REGIONS_DISABLED};
    rw_greedy(module, patterns, TW_COUNT(patterns), &options);
    return true;
}

const pass_def ttir_flatten_sliding_window_pass = {
    .name = "ttir-flatten-sliding-window",
    .summary = "Let convolutions and pools read images as rows of pixels",
    .anchor = "builtin.module",
    .run = run,
};
