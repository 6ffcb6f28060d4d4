/* decompose_conv.c: convolutions in groups over many channels, a few groups at a time. */
#include "ttnn/build.h"
#include "ttnn/passes/decomposition.h"

#include <stdlib.h>

/* More channels than this in one convolution in groups do not fit into L1. */
enum { MAX_CHANNELS = 4096 };

/* How many groups one part takes: a divisor of all of them, as large as fits, with whole
 * tiles of channels if one has that; 0 if not even one group fits. */
static int64_t groups_of_part(int64_t groups, int64_t in, int64_t out)
{
    int64_t largest = 0;
    for (int64_t n = TW_MIN(groups, MAX_CHANNELS / TW_MAX(in, out)); n >= 1; n--) {
        if (groups % n)
            continue;
        if (n * in % TTNN_TILE == 0 && n * out % TTNN_TILE == 0)
            return n;
        largest = TW_MAX(largest, n);
    }
    return largest;
}

static ir_value *part_of(ir_builder *b, ir_value *v, uint32_t dim, int64_t at, int64_t n)
{
    int64_t from[TTNN_MAX_RANK] = {0}, to[TTNN_MAX_RANK];
    memcpy(to, v->type->dims, v->type->count * sizeof *to);
    from[dim] = at * n;
    to[dim] = from[dim] + n;
    return tnb_slice(b, NULL, v, from, to);
}

bool ttnn_split_grouped_conv(ir_op *op, rw_rewriter *rw)
{
    ir_context *ctx = op->ctx;
    ir_value *x = op->operands[0].value, *w = op->operands[1].value,
             *bias = ir_op_operand_named(op, "bias");
    const int64_t groups = ir_op_int(op, "groups", 1), in = ir_op_int(op, "in_channels", 0),
                  out = ir_op_int(op, "out_channels", 0);
    /* Packed weights do not begin with the channels that come out. */
    if (groups <= 1 || TW_MAX(in, out) <= MAX_CHANNELS || in % groups || out % groups ||
        !x->type->count || !w->type->count || w->type->dims[0] != out)
        return false;
    const int64_t some = groups_of_part(groups, in / groups, out / groups);
    if (!some || some == groups)
        return false;
    const int64_t ins = some * (in / groups), outs = some * (out / groups),
                  n = groups / some;
    ir_type result = op->results[0].type;
    int64_t dims[TTNN_MAX_RANK];
    memcpy(dims, result->dims, result->count * sizeof *dims);
    dims[result->count - 1] = outs;
    ir_type type = ttnn_tensor_reshaped(result, dims, result->count);
    ir_value **parts = tw_xmalloc((size_t)n * sizeof *parts);
    for (int64_t i = 0; i < n; i++) {
        ir_value *operands[8];
        for (uint32_t k = 0; k < op->n_operands; k++)
            operands[k] = op->operands[k].value;
        operands[0] = part_of(&rw->b, x, x->type->count - 1, i, ins);
        operands[1] = part_of(&rw->b, w, 0, i, outs);
        if (bias)
            operands[2] = part_of(&rw->b, bias, bias->type->count - 1, i, outs);
        ir_op *part = tnb_clone(&rw->b, NULL, op, operands, &type);
        ir_op_set_attr(part, "in_channels", ir_i32_attr(ctx, ins));
        ir_op_set_attr(part, "out_channels", ir_i32_attr(ctx, outs));
        ir_op_set_attr(part, "groups", ir_i32_attr(ctx, some));
        parts[i] = ir_op_result(part, 0);
    }
    ir_value *y = tnb_concat(&rw->b, NULL, parts, (size_t)n, (int64_t)result->count - 1);
    free(parts);
    y->type = result;
    rw_replace1(rw, op, y);
    return true;
}
