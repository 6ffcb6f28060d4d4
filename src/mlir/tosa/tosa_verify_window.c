/* tosa_verify_window.c: verifies windows of convolutions and pools: strides, padding, and
 * result sizes.  Messages are MLIR's. */
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"

enum { MAX_DIMS = 3 };

typedef struct window {
    int64_t pad[2 * MAX_DIMS], stride[MAX_DIMS], dilation[MAX_DIMS], kernel[MAX_DIMS];
} window;

/* Names of dimensions in messages: two-dimensional operations skip the first of three. */
static const struct {
    const char *name, *axis, *before, *after;
} names[MAX_DIMS] = {{"depth", "d", "front", "back"},
                     {"height", "y", "top", "bottom"},
                     {"width", "x", "left", "right"}};

/* Checks that all values of a list are at least `min`. */
static bool check_minimum(ir_op *op, const char *attr, const char *what, int64_t min,
                          int64_t *out)
{
    int64_t n = ir_attr_ints(ir_op_attr(op, attr), out, 2 * MAX_DIMS);
    for (int64_t i = 0; i < n; i++) {
        if (out[i] >= min)
            continue;
        tw_strbuf text = {0};
        for (int64_t k = 0; k < n; k++)
            tw_strbuf_printf(&text, "%s%lld", k ? ", " : "", (long long)out[k]);
        ir_op_error(op, "expect all %s values to be >= %lld, got %s", what, (long long)min,
                    tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        return false;
    }
    return true;
}

static bool check_size(ir_op *op, const char *name, int64_t calculated, int64_t size)
{
    return size == IR_DYNAMIC || size == calculated ||
           ir_op_error(op,
                       "calculated output %s did not match expected: calculated=%lld, "
                       "expected=%lld",
                       name, (long long)calculated, (long long)size);
}

/* ---- pools --------------------------------------------------------------------------- */

static bool check_pool_size(ir_op *op, const window *w, int d)
{
    int64_t in = ir_op_operand(op, 0)->type->dims[d + 1], before = w->pad[2 * d],
            after = w->pad[2 * d + 1];
    if (in == IR_DYNAMIC)
        return true;
    int64_t span = in + before + after - w->kernel[d];
    if (span % w->stride[d])
        return ir_op_error(
            op,
            "expected input_%s + pad_%s + pad_%s - kernel_%s to be wholly divisible by "
            "stride_%s, got (%lld + %lld + %lld - %lld) / %lld",
            names[d + 1].name, names[d + 1].before, names[d + 1].after, names[d + 1].axis,
            names[d + 1].axis, (long long)in, (long long)before, (long long)after,
            (long long)w->kernel[d], (long long)w->stride[d]);
    return check_size(op, names[d + 1].name, span / w->stride[d] + 1,
                      op->results[0].type->dims[d + 1]);
}

static bool check_pool_padding(ir_op *op, const window *w, int d, const char *sides)
{
    int64_t before = w->pad[2 * d], after = w->pad[2 * d + 1];
    return (before < w->kernel[d] && after < w->kernel[d]) ||
           ir_op_error(op,
                       "expected %s padding to be less than the %s of the kernel, got "
                       "pad_%s=%lld, pad_%s=%lld, kernel_%s=%lld",
                       sides, names[d + 1].name, names[d + 1].before, (long long)before,
                       names[d + 1].after, (long long)after, names[d + 1].axis,
                       (long long)w->kernel[d]);
}

bool tosa_check_pool_window(ir_op *op)
{
    window w;
    if (!check_minimum(op, "kernel", "kernel", 1, w.kernel) ||
        !check_minimum(op, "stride", "stride", 1, w.stride) ||
        !check_minimum(op, "pad", "padding", 0, w.pad) ||
        !check_pool_padding(op, &w, 1, "left/right") ||
        !check_pool_padding(op, &w, 0, "top/bottom"))
        return false;
    if (!ir_type_is_ranked(ir_op_operand(op, 0)->type) ||
        !ir_type_is_ranked(op->results[0].type))
        return true;
    return check_pool_size(op, &w, 0) && check_pool_size(op, &w, 1);
}

/* ---- convolutions -------------------------------------------------------------------- */

static bool check_conv_size(ir_op *op, const window *w, int d, int skipped, int kernel_dim)
{
    int64_t in = ir_op_operand(op, 0)->type->dims[d + 1],
            kernel = ir_op_operand(op, 1)->type->dims[kernel_dim], before = w->pad[2 * d],
            after = w->pad[2 * d + 1];
    const char *name = names[d + skipped].name, *axis = names[d + skipped].axis;
    if (in == IR_DYNAMIC || kernel == IR_DYNAMIC)
        return true;
    int64_t span = in - 1 + before + after - (kernel - 1) * w->dilation[d];
    if (span % w->stride[d])
        return ir_op_error(
            op,
            "expected input_%s - 1 + pad_%s + pad_%s - (kernel_%s - 1) * dilation_%s to be "
            "wholly divisible by stride_%s, got (%lld - 1 + %lld + %lld - (%lld - 1) * "
            "%lld) / %lld",
            name, names[d + skipped].before, names[d + skipped].after, name, axis, axis,
            (long long)in, (long long)before, (long long)after, (long long)kernel,
            (long long)w->dilation[d], (long long)w->stride[d]);
    return check_size(op, name, span / w->stride[d] + 1, op->results[0].type->dims[d + 1]);
}

bool tosa_check_conv_window(ir_op *op)
{
    window w;
    int dims = op->def == TOSA_OP(conv3d) ? 3 : 2;
    int first_kernel = op->def == TOSA_OP(depthwise_conv2d) ? 0 : 1;
    if (!check_minimum(op, "pad", "padding", 0, w.pad) ||
        !check_minimum(op, "stride", "stride", 1, w.stride) ||
        !check_minimum(op, "dilation", "dilation", 1, w.dilation))
        return false;
    if (!ir_type_is_ranked(ir_op_operand(op, 0)->type) ||
        !ir_type_is_ranked(ir_op_operand(op, 1)->type) ||
        !ir_type_is_ranked(op->results[0].type))
        return true;
    for (int d = 0; d < dims; d++)
        if (!check_conv_size(op, &w, d, MAX_DIMS - dims, first_kernel + d))
            return false;
    return true;
}
