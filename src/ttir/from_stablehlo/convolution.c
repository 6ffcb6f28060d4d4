/* convolution.c: stablehlo.convolution with one to three spatial dimensions.
 *
 * The operation carries dimension numbers, so activations are permuted only where input
 * and output differ; weights are always permuted to O, I/groups, H, W.  With one spatial
 * dimension it is a conv1d, with input dilation a conv_transpose2d if that can express
 * the padding. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 8 };

typedef struct layout {
    int64_t batch, feature; /* kernel: input feature, output feature */
    int64_t spatial[CAPACITY];
    int64_t n;
} layout;

static bool read_layout(ir_attr d, const char *first, const char *second,
                        const char *spatial, layout *out)
{
    out->batch = ir_attr_int(ir_attr_param(d, first), -1);
    out->feature = ir_attr_int(ir_attr_param(d, second), -1);
    out->n = ir_attr_ints(ir_attr_param(d, spatial), out->spatial, CAPACITY);
    return out->n >= 0;
}

typedef struct conv {
    layout in, kernel, out;
    int64_t stride[CAPACITY], lhs[CAPACITY], rhs[CAPACITY], pad[2 * CAPACITY], groups,
        batch_groups;
    int64_t reversed[CAPACITY], n_reversed; /* dimensions of the weight */
} conv;

static bool read_conv(const ir_op *op, conv *c)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    if (!read_layout(d, "inputBatchDimension", "inputFeatureDimension",
                     "inputSpatialDimensions", &c->in) ||
        !read_layout(d, "kernelInputFeatureDimension", "kernelOutputFeatureDimension",
                     "kernelSpatialDimensions", &c->kernel) ||
        !read_layout(d, "outputBatchDimension", "outputFeatureDimension",
                     "outputSpatialDimensions", &c->out))
        return false;
    int64_t n = c->in.n;
    if (n > CAPACITY || c->kernel.n > CAPACITY || c->out.n > CAPACITY)
        return false;
    ir_attr reversal = ir_op_attr(op, "window_reversal");
    c->n_reversed = 0;
    for (uint32_t i = 0; reversal && i < reversal->count && i < n; i++)
        if (ir_dense_array_int(reversal, i))
            c->reversed[c->n_reversed++] = c->kernel.spatial[i];
    for (int64_t i = 0; i < n; i++)
        c->stride[i] = c->lhs[i] = c->rhs[i] = 1, c->pad[2 * i] = c->pad[2 * i + 1] = 0;
    ir_attr_ints(ir_op_attr(op, "window_strides"), c->stride, CAPACITY);
    ir_attr_ints(ir_op_attr(op, "lhs_dilation"), c->lhs, CAPACITY);
    ir_attr_ints(ir_op_attr(op, "rhs_dilation"), c->rhs, CAPACITY);
    ir_attr_ints(ir_op_attr(op, "padding"), c->pad, 2 * CAPACITY);
    c->groups = ir_op_int(op, "feature_group_count", 1);
    c->batch_groups = ir_op_int(op, "batch_group_count", 1);
    return true;
}

/* The weight as O, I/groups, H, W. */
static ir_value *weight_oihw(ir_builder *b, ir_value *w, const layout *k)
{
    int64_t order[] = {k->feature, k->batch, k->spatial[0], k->spatial[1]};
    return s2t_permute(b, w, order, 4);
}

/* Adds a second spatial dimension of size 1. */
static ir_value *widen(ir_builder *b, ir_value *v, layout *l)
{
    int64_t dims[CAPACITY];
    size_t rank = v->type->count;
    memcpy(dims, v->type->dims, rank * sizeof *dims);
    dims[rank] = 1;
    l->spatial[1] = (int64_t)rank;
    l->n = 2;
    return s2t_reshape(b, v, dims, rank + 1);
}

/* Applies to the operands what the operation cannot express: input dilation, padding (or
 * cropping) and kernel reversal. */
static void prepare(ir_builder *b, conv *c, ir_value **x, ir_value **w, bool pads)
{
    int64_t low[CAPACITY] = {0}, high[CAPACITY] = {0}, interior[CAPACITY] = {0};
    bool cuts = pads, dilated = false;
    for (int64_t i = 0; i < 2 * c->in.n; i++)
        cuts |= c->pad[i] < 0;
    for (int64_t i = 0; i < c->in.n; i++)
        dilated |= c->lhs[i] > 1;
    if (cuts || dilated) {
        for (int64_t i = 0; i < c->in.n; i++) {
            int64_t d = c->in.spatial[i];
            interior[d] = c->lhs[i] - 1;
            if (cuts) {
                low[d] = c->pad[2 * i];
                high[d] = c->pad[2 * i + 1];
                c->pad[2 * i] = c->pad[2 * i + 1] = 0;
            }
        }
        *x = s2t_pad(b, *x, low, high, interior, 0);
    }
    if (c->n_reversed)
        *w = ir_build1(b, TTIR_OP(reverse), (*w)->type, IR_VALUES(*w),
                       IR_ATTRS({"dimensions", ir_dense_i64_array(b->ctx, c->reversed,
                                                                  (size_t)c->n_reversed)}));
}

/* Products are accumulated in the result's type: narrow integers are widened first. */
static ir_value *as_element(ir_builder *b, ir_value *v, ir_type element)
{
    if (ir_type_element(v->type) == element)
        return v;
    return ir_build1(b, TTIR_OP(typecast),
                     ir_tensor_type(element, v->type->dims, v->type->count, NULL),
                     IR_VALUES(v), NULL, 0);
}

static ir_value *slice_of(ir_builder *b, ir_value *v, int64_t dim, int64_t part, int64_t of)
{
    int64_t begins[CAPACITY] = {0}, ends[CAPACITY];
    memcpy(ends, v->type->dims, v->type->count * sizeof *ends);
    int64_t size = ends[dim] / of;
    begins[dim] = part * size;
    ends[dim] = begins[dim] + size;
    return s2t_slice(b, v, begins, ends, NULL);
}

/* The spatial dimension of size 1 in output and weight and without padding, if there is
 * just one; else -1. */
static int idle_dimension(const conv *c, const ir_value *x, const ir_value *w)
{
    int idle = -1;
    for (int i = 0; i < 2; i++)
        if (x->type->dims[c->out.spatial[i]] == 1 && w->type->dims[2 + i] == 1) {
            if (idle >= 0 || c->pad[2 * i] || c->pad[2 * i + 1])
                return -1;
            idle = i;
        }
    return idle;
}

static ir_value *without_last(ir_builder *b, ir_value *v, const int64_t *order)
{
    v = s2t_permute(b, v, order, 4);
    return s2t_reshape(b, v, v->type->dims, 3);
}

/* One spatial dimension: permutes to N, L, C and O, I, L, and back to the output order. */
static ir_value *build_conv1d(ir_builder *b, const conv *c, ir_value *x, ir_value *w,
                              const int64_t *dims, int idle)
{
    int along = 1 - idle;
    int64_t in[] = {c->out.batch, c->out.spatial[along], c->out.feature,
                    c->out.spatial[idle]};
    int64_t kernel[] = {0, 1, 2 + along, 2 + idle}, back[4], out[4];
    for (int i = 0; i < 4; i++) {
        back[in[i]] = i;
        out[i] = dims[in[i]];
    }
    x = without_last(b, x, in);
    w = without_last(b, w, kernel);
    ir_value *y = ir_op_result(
        ir_build_op(b, TTIR_OP(conv1d), (ir_type[]){ir_type_with_shape(x->type, out, 3)}, 1,
                    (ir_value *[]){x, w, NULL}, 3,
                    IR_ATTRS({"stride", ir_i32_attr(b->ctx, c->stride[along])},
                             {"padding", s2t_d32(b->ctx, c->pad + 2 * along, 2)},
                             {"dilation", ir_i32_attr(b->ctx, c->rhs[along])},
                             {"groups", ir_i32_attr(b->ctx, c->groups)}),
                    0),
        0);
    return s2t_permute(b, s2t_reshape(b, y, out, 4), back, 4);
}

/* x in the output's order of dimensions, w as O, I, H, W. */
static ir_value *build_conv(ir_builder *b, const conv *c, ir_value *x, ir_value *w,
                            const int64_t *dims)
{
    int64_t padding[] = {c->pad[0], c->pad[2], c->pad[1], c->pad[3]};
    int idle = idle_dimension(c, x, w);
    if (idle >= 0)
        return build_conv1d(b, c, x, w, dims, idle);
    return ir_op_result(
        ir_build_op(b, TTIR_OP(conv2d), (ir_type[]){ir_type_with_shape(x->type, dims, 4)},
                    1, (ir_value *[]){x, w}, 2,
                    IR_ATTRS({"stride", s2t_d32(b->ctx, c->stride, 2)},
                             {"padding", s2t_d32(b->ctx, padding, 4)},
                             {"dilation", s2t_d32(b->ctx, c->rhs, 2)},
                             {"groups", ir_i32_attr(b->ctx, c->groups)},
                             {"batch_dim", ir_i64_attr(b->ctx, c->out.batch)},
                             {"height_dim", ir_i64_attr(b->ctx, c->out.spatial[0])},
                             {"width_dim", ir_i64_attr(b->ctx, c->out.spatial[1])},
                             {"channel_dim", ir_i64_attr(b->ctx, c->out.feature)}),
                    0),
        0);
}

/* Batch groups: each part of the batch is convolved with a part of the output features. */
static ir_value *build_groups(ir_builder *b, const conv *c, ir_value *x, ir_value *w,
                              int64_t *dims)
{
    ir_value *parts[64], *weights[64];
    int64_t n = c->batch_groups;
    if (n == 1)
        return build_conv(b, c, x, w, dims);
    ir_type whole = ir_type_with_shape(x->type, dims, 4);
    dims[c->out.feature] /= n;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = slice_of(b, x, c->out.batch, i, n);
        weights[i] = slice_of(b, w, 0, i, n);
    }
    for (int64_t i = 0; i < n; i++)
        parts[i] = build_conv(b, c, parts[i], weights[i], dims);
    return ir_build1(b, TTIR_OP(concat), whole, parts, (size_t)n,
                     IR_ATTRS({"dim", ir_si32_attr(b->ctx, c->out.feature)}));
}

/* ---- input dilation ----------------------------------------------------------------- */

/* The attributes of a conv_transpose2d. */
typedef struct transposed {
    int64_t padding[4], output_padding[2];
} transposed;

static bool read_transposed(const conv *c, const ir_value *w, transposed *t)
{
    bool dilated = false;
    for (int i = 0; i < 2; i++) {
        int64_t reach = (w->type->dims[c->kernel.spatial[i]] - 1) * c->rhs[i];
        t->padding[i] = t->padding[2 + i] = reach - c->pad[2 * i];
        t->output_padding[i] = c->pad[2 * i + 1] - c->pad[2 * i];
        dilated |= c->lhs[i] > 1;
        if (c->stride[i] != 1 || t->padding[i] < 0 || t->output_padding[i] < 0 ||
            t->output_padding[i] >= TW_MAX(c->lhs[i], c->rhs[i]))
            return false;
    }
    return dilated && c->n_reversed == 0 && c->batch_groups == 1;
}

/* Reverses the weight, as the operation expects; no-op if it was reversed already. */
static ir_value *read_backwards(ir_builder *b, const conv *c, ir_value *w)
{
    ir_op *reverse = ir_value_def(w);
    int64_t order[CAPACITY], dims[2], n = 0;
    bool undone = ir_op_is(reverse, TTIR_OP(reverse));
    if (undone) {
        int64_t k = ir_attr_ints(ir_op_attr(reverse, "dimensions"), order, CAPACITY);
        bool turned[CAPACITY] = {false};
        for (int64_t i = 0; i < k && i < CAPACITY; i++)
            turned[order[i]] = true;
        for (uint32_t d = 0; d < w->type->count; d++) {
            bool spatial =
                (int64_t)d == c->kernel.spatial[0] || (int64_t)d == c->kernel.spatial[1];
            undone &= w->type->dims[d] == 1 || turned[d] == spatial;
        }
    }
    if (undone)
        return reverse->operands[0].value;
    for (int i = 0; i < 2; i++)
        if (w->type->dims[c->kernel.spatial[i]] > 1)
            dims[n++] = c->kernel.spatial[i];
    if (n == 2 && dims[0] > dims[1]) {
        int64_t swap = dims[0];
        dims[0] = dims[1];
        dims[1] = swap;
    }
    if (n == 0)
        return w;
    return ir_build1(b, TTIR_OP(reverse), w->type, IR_VALUES(w),
                     IR_ATTRS({"dimensions", ir_dense_i64_array(b->ctx, dims, (size_t)n)}));
}

/* The weight as I, O/groups, H, W. */
static ir_value *weight_iohw(ir_builder *b, const conv *c, ir_value *w)
{
    int64_t order[] = {c->kernel.batch, c->kernel.feature, c->kernel.spatial[0],
                       c->kernel.spatial[1]};
    w = s2t_permute(b, w, order, 4);
    if (c->groups == 1)
        return w;
    const int64_t *d = w->type->dims;
    int64_t i = d[0], o = d[1] / c->groups, h = d[2], width = d[3];
    static const int64_t groups_first[] = {1, 0, 2, 3, 4};
    w = s2t_reshape(b, w, (int64_t[]){i, c->groups, o, h, width}, 5);
    w = s2t_permute(b, w, groups_first, 5);
    return s2t_reshape(b, w, (int64_t[]){i * c->groups, o, h, width}, 4);
}

static ir_value *build_transposed(ir_builder *b, const conv *c, const transposed *t,
                                  ir_value *x, ir_value *w, const int64_t *dims)
{
    w = weight_iohw(b, c, read_backwards(b, c, w));
    return ir_op_result(
        ir_build_op(b, TTIR_OP(conv_transpose2d),
                    (ir_type[]){ir_type_with_shape(x->type, dims, 4)}, 1,
                    (ir_value *[]){x, w, NULL}, 3,
                    IR_ATTRS({"stride", s2t_d32(b->ctx, c->lhs, 2)},
                             {"padding", s2t_d32(b->ctx, t->padding, 4)},
                             {"output_padding", s2t_d32(b->ctx, t->output_padding, 2)},
                             {"dilation", s2t_d32(b->ctx, c->rhs, 2)},
                             {"groups", ir_i32_attr(b->ctx, c->groups)},
                             {"batch_dim", ir_i64_attr(b->ctx, c->out.batch)},
                             {"height_dim", ir_i64_attr(b->ctx, c->out.spatial[0])},
                             {"width_dim", ir_i64_attr(b->ctx, c->out.spatial[1])},
                             {"channel_dim", ir_i64_attr(b->ctx, c->out.feature)}),
                    0),
        0);
}

/* ---- three dimensions --------------------------------------------------------------- */

/* The input in the output's dimension order. */
static ir_value *in_output_order(ir_builder *b, const conv *c, ir_value *x)
{
    int64_t order[5];
    size_t rank = x->type->count;
    bool same = true;
    order[c->out.batch] = c->in.batch;
    order[c->out.feature] = c->in.feature;
    for (int64_t i = 0; i < c->out.n; i++)
        order[c->out.spatial[i]] = c->in.spatial[i];
    for (size_t i = 0; i < rank; i++)
        same &= order[i] == (int64_t)i;
    return same ? x : s2t_permute(b, x, order, rank);
}

/* True if ttir.conv3d can express it. */
static bool is_plain(const conv *c, ir_type result)
{
    bool plain = c->n_reversed == 0 && c->groups == 1 &&
                 ir_type_element(result)->kind == IR_TYPE_FLOAT;
    for (int64_t i = 0; i < c->in.n; i++)
        plain &= c->lhs[i] == 1 && c->rhs[i] == 1 && c->pad[2 * i] >= 0 &&
                 c->pad[2 * i] == c->pad[2 * i + 1];
    return plain;
}

static ir_value *build_conv3d(ir_builder *b, const conv *c, ir_value *x, ir_value *w,
                              ir_type result)
{
    const layout *k = &c->kernel, *o = &c->out;
    int64_t order[] = {k->feature, k->batch, k->spatial[0], k->spatial[1], k->spatial[2]};
    int64_t padding[] = {c->pad[0], c->pad[2], c->pad[4]};
    x = in_output_order(b, c, x);
    w = s2t_permute(b, w, order, 5);
    ir_type type = ir_type_with_shape(x->type, result->dims, 5);
    return ir_op_result(
        ir_build_op(b, TTIR_OP(conv3d), &type, 1, (ir_value *[]){x, w, NULL}, 3,
                    IR_ATTRS({"stride", s2t_d32(b->ctx, c->stride, 3)},
                             {"padding", s2t_d32(b->ctx, padding, 3)},
                             {"groups", ir_i32_attr(b->ctx, c->groups)},
                             {"batch_dim", ir_i64_attr(b->ctx, o->batch)},
                             {"depth_dim", ir_i64_attr(b->ctx, o->spatial[0])},
                             {"height_dim", ir_i64_attr(b->ctx, o->spatial[1])},
                             {"width_dim", ir_i64_attr(b->ctx, o->spatial[2])},
                             {"channel_dim", ir_i64_attr(b->ctx, o->feature)}),
                    0),
        0);
}

/* Permutes to N, D, H, W, C and O, I, D, H, W, and back to the output's order. */
static bool three_dimensions(ir_op *op, ir_builder *b, conv *c, ir_value *x, ir_value *w)
{
    ir_type result = op->results[0].type;
    const layout *i = &c->in, *k = &c->kernel, *o = &c->out;
    int64_t in[] = {i->batch, i->spatial[0], i->spatial[1], i->spatial[2], i->feature};
    int64_t kernel[] = {k->feature, k->batch, k->spatial[0], k->spatial[1], k->spatial[2]};
    int64_t out[] = {o->batch, o->spatial[0], o->spatial[1], o->spatial[2], o->feature};
    int64_t dims[5], back[5];
    if (is_plain(c, result))
        return s2t_done(op, build_conv3d(b, c, x, w, result));
    for (int d = 0; d < 5; d++) {
        dims[d] = result->dims[out[d]];
        back[out[d]] = d;
    }
    prepare(b, c, &x, &w, true);
    w = s2t_permute(b, w, kernel, 5);
    x = s2t_permute(b, x, in, 5);
    ir_value *y = s2t_convolution_3d(b, x, w, c->stride, c->rhs, c->groups, dims);
    return s2t_done(op, s2t_permute(b, y, back, 5));
}

bool s2t_convolution(ir_op *op, ir_builder *b)
{
    conv c;
    if (!read_conv(op, &c) || c.in.n < 1 || c.in.n > 3 || c.batch_groups > 64 ||
        (c.in.n == 3 && (c.batch_groups > 1 || !ir_type_num_elements(op->results[0].type))))
        return false;
    ir_value *x = op->operands[0].value, *w = op->operands[1].value;
    ir_type result = op->results[0].type;
    bool one = c.in.n == 1;
    x = as_element(b, x, ir_type_element(result));
    w = as_element(b, w, ir_type_element(result));
    if (c.in.n == 3)
        return three_dimensions(op, b, &c, x, w);
    if (one) {
        x = widen(b, x, &c.in);
        w = widen(b, w, &c.kernel);
        c.out.spatial[1] = result->count;
        c.out.n = 2;
        c.stride[1] = c.lhs[1] = c.rhs[1] = 1;
        c.pad[2] = c.pad[3] = 0;
    }
    int64_t dims[4];
    transposed t;
    memcpy(dims, result->dims, result->count * sizeof *dims);
    if (one)
        dims[3] = 1;
    ir_value *y;
    if (read_transposed(&c, w, &t)) {
        y = build_transposed(b, &c, &t, in_output_order(b, &c, x), w, dims);
    } else {
        prepare(b, &c, &x, &w, false);
        x = in_output_order(b, &c, x);
        y = build_groups(b, &c, x, weight_oihw(b, w, &c.kernel), dims);
    }
    if (one)
        y = s2t_reshape(b, y, result->dims, result->count);
    return s2t_done(op, y);
}
