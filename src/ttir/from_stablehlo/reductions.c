/* reductions.c: reduce and reduce_window. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <math.h>

enum { CAPACITY = 32 };

/* True if the initial value is neutral. */
static bool is_neutral(ir_value *init, uint16_t combiner, ir_type element)
{
    double value;
    if (!s2t_splat_value(init, &value))
        return false;
    bool whole = element->kind == IR_TYPE_INTEGER;
    bool is_unsigned = element->sign == IR_UNSIGNED || element->width == 1;
    double low = !whole        ? -INFINITY
                 : is_unsigned ? 0
                               : -ldexp(1, (int)TW_MIN(element->width, 32) - 1);
    double high = !whole ? INFINITY
                  : element->width == 1
                      ? 1
                      : ldexp(1, (int)TW_MIN(element->width, 32) - !is_unsigned) - 1;
    switch (combiner) {
    case STABLEHLO_add:
    case STABLEHLO_or:
        return value == 0;
    case STABLEHLO_maximum:
        return value <= low;
    case STABLEHLO_minimum:
        return value >= high;
    default: /* true may be stored as 1 or as all ones */
        return value == 1 || (element->width == 1 && value == -1);
    }
}

/* The dimension of `from` that a reshape to `to` keeps as dimension `dim`; -1 if none. */
static int64_t dimension_before(ir_type from, ir_type to, int64_t dim)
{
    int64_t trailing = 1, size = to->dims[dim];
    for (int64_t i = dim + 1; i < to->count; i++)
        trailing *= to->dims[i];
    int64_t n = 1;
    for (int64_t i = from->count; i-- > 0; n *= from->dims[i])
        if (from->dims[i] == size && n == trailing)
            return i;
    return -1;
}

/* True if a value is an iota along a dimension. */
static bool counts_along(const ir_value *v, int64_t dim)
{
    for (const ir_op *def = ir_value_def(v); def; def = ir_value_def(v)) {
        if (def->def == TTIR_OP(arange))
            return ir_op_int(def, "arange_dimension", 0) == dim &&
                   ir_op_int(def, "start", 0) == 0 && ir_op_int(def, "step", 1) == 1;
        if (def->def != TTIR_OP(reshape) && def->def != TTIR_OP(broadcast))
            return false;
        ir_type from = def->operands[0].value->type;
        if (def->def == TTIR_OP(reshape))
            dim = dimension_before(from, v->type, dim);
        else if (from->dims[dim] != v->type->dims[dim])
            return false;
        if (dim < 0)
            return false;
        v = def->operands[0].value;
    }
    return false;
}

/* True if an integer type can hold all indices of a dimension. */
static bool holds_indices(ir_type element, int64_t size)
{
    return element->kind == IR_TYPE_INTEGER && element->width > 1 &&
           (double)size <= ldexp(1, (int)element->width - (element->sign != IR_UNSIGNED));
}

/* argmax or argmin: two inputs, the second an iota along the reduced dimension, only the
 * second result used.  The initial pair must never change the result: its value loses
 * against all others, and on a tie the other pair has the smaller index. */
static bool is_arg_reduction(const ir_op *op, int64_t dim, bool *out_least)
{
    double first;
    if (op->n_operands != 4 || op->n_results != 2 || op->results[0].uses ||
        !holds_indices(ir_type_element(op->results[1].type),
                       op->operands[0].value->type->dims[dim]) ||
        !s2t_picks_extreme(op, out_least) || !counts_along(op->operands[1].value, dim) ||
        !s2t_splat_value(op->operands[3].value, &first) || first != 0)
        return false;
    return is_neutral(op->operands[2].value,
                      *out_least ? STABLEHLO_minimum : STABLEHLO_maximum,
                      ir_type_element(op->operands[0].value->type));
}

/* Reverses the order: negated floats, or ~x for integers, which unlike -x has no
 * overflow. */
static ir_value *reversed(ir_builder *b, ir_value *x)
{
    bool whole = ir_type_element(x->type)->kind == IR_TYPE_INTEGER;
    return ir_build1(b, whole ? TTIR_OP(bitwise_not) : TTIR_OP(neg), x->type, IR_VALUES(x),
                     NULL, 0);
}

/* Broadcasts the initial value of a reduction. */
static ir_value *everywhere(ir_builder *b, ir_value *init, ir_type type)
{
    int64_t ones[CAPACITY];
    for (uint32_t d = 0; d < type->count; d++)
        ones[d] = 1;
    return s2t_broadcast(b, s2t_reshape(b, init, ones, type->count), type->dims,
                         type->count);
}

static bool has_no_elements(ir_type type)
{
    for (uint32_t d = 0; d < type->count; d++)
        if (type->dims[d] == 0)
            return true;
    return false;
}

bool s2t_reduce(ir_op *op, ir_builder *b)
{
    static const struct {
        uint16_t from, to, combine;
    } table[] = {{STABLEHLO_add, TTIR_sum, TTIR_add},
                 {STABLEHLO_maximum, TTIR_max, TTIR_maximum},
                 {STABLEHLO_minimum, TTIR_min, TTIR_minimum},
                 {STABLEHLO_multiply, TTIR_prod, TTIR_multiply},
                 {STABLEHLO_and, TTIR_reduce_and, TTIR_logical_and},
                 {STABLEHLO_or, TTIR_reduce_or, TTIR_logical_or}};
    int64_t dims[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dimensions"), dims, CAPACITY);
    ir_attr dim_arg = n >= 0 ? ir_i32_array_attr(b->ctx, dims, (size_t)n) : NULL;
    if (n < 0)
        return false;
    bool smallest;
    if (n == 1 && is_arg_reduction(op, dims[0], &smallest)) {
        ir_value *x = op->operands[0].value;
        x = smallest ? reversed(b, x) : x;
        ir_value *v = ir_build1(
            b, TTIR_OP(argmax), op->results[1].type, IR_VALUES(x),
            IR_ATTRS({"keep_dim", ir_bool_attr(b->ctx, false)}, {"dim_arg", dim_arg}));
        ir_value_replace_uses(&op->results[1], v);
        ir_op_erase(op);
        return true;
    }
    if (op->n_results != 1)
        return s2t_several_results(op, b);
    if (has_no_elements(op->operands[0].value->type) &&
        !has_no_elements(op->results[0].type)) /* the body is never executed */
        return s2t_done(op, everywhere(b, op->operands[1].value, op->results[0].type));
    const ir_op *inner = s2t_combiner(op, 0);
    if (!inner)
        return false;
    for (size_t i = 0; i < TW_COUNT(table); i++) {
        if (inner->def != &stablehlo_ops[table[i].from])
            continue;
        bool bits = table[i].from == STABLEHLO_and || table[i].from == STABLEHLO_or;
        if (bits != ir_type_is_integer(ir_type_element(op->results[0].type), 1) && bits)
            return false; /* bitwise on integers: TTIR reduces booleans only */
        ir_value *v = op->operands[0].value; /* no reduced dimension: identity */
        if (n > 0)
            v = ir_build1(
                b, &ttir_ops[table[i].to], op->results[0].type, IR_VALUES(v),
                IR_ATTRS({"keep_dim", ir_bool_attr(b->ctx, false)}, {"dim_arg", dim_arg}));
        ir_value *init = op->operands[1].value;
        if (!is_neutral(init, table[i].from, ir_type_element(v->type))) {
            v = ir_build1(b, &ttir_ops[table[i].combine], v->type,
                          IR_VALUES(v, everywhere(b, init, v->type)), NULL, 0);
        }
        return s2t_done(op, v);
    }
    return false;
}

typedef struct window {
    int64_t size[CAPACITY], stride[CAPACITY], dilation[CAPACITY], low[CAPACITY],
        high[CAPACITY];
    size_t rank;
} window;

static bool read_window(const ir_op *op, window *w)
{
    int64_t pads[2 * CAPACITY], base[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "window_dimensions"), w->size, CAPACITY);
    if (n < 1)
        return false;
    w->rank = (size_t)n;
    if (ir_attr_ints(ir_op_attr(op, "window_strides"), w->stride, CAPACITY) != n)
        for (int64_t i = 0; i < n; i++)
            w->stride[i] = 1;
    if (ir_attr_ints(ir_op_attr(op, "window_dilations"), w->dilation, CAPACITY) != n)
        for (int64_t i = 0; i < n; i++)
            w->dilation[i] = 1;
    bool padded = ir_attr_ints(ir_op_attr(op, "padding"), pads, 2 * CAPACITY) == 2 * n;
    bool based = ir_attr_ints(ir_op_attr(op, "base_dilations"), base, CAPACITY) == n;
    for (int64_t i = 0; i < n; i++) {
        w->low[i] = padded ? pads[2 * i] : 0;
        w->high[i] = padded ? pads[2 * i + 1] : 0;
        if (based && base[i] != 1)
            return false;
    }
    return true;
}

/* A window over a whole axis with n-1 elements of padding in front: a cumulative sum. */
static int cumulative_dim(const ir_op *op, const window *w)
{
    ir_type t = op->operands[0].value->type;
    int dim = -1;
    for (size_t i = 0; i < w->rank; i++) {
        if (w->stride[i] != 1 || w->dilation[i] != 1 || w->high[i] != 0)
            return -1;
        if (w->size[i] == 1 && w->low[i] == 0)
            continue;
        if (dim >= 0 || w->size[i] != t->dims[i] || w->low[i] != w->size[i] - 1)
            return -1;
        dim = (int)i;
    }
    for (size_t i = 0; i < w->rank && dim < 0;
         i++) /* windows of one element: any dimension */
        dim = t->dims[i] == 1 ? (int)i : -1;
    return dim;
}

/* True if windows affect a dimension. */
static bool moves_along(const window *w, size_t i)
{
    return w->size[i] > 1 || w->stride[i] > 1 || w->low[i] || w->high[i];
}

/* For a pool whose window spans two dimensions: permutes them to positions 1 and 2. NULL
 * if there are more, or padding is negative. */
static ir_value *pool_image(ir_builder *b, ir_value *x, ir_type result, const window *w,
                            const ir_op_def *def, double times)
{
    int64_t order[4], back[4], spatial[2] = {2, 3}, n = 0;
    for (size_t i = 0; i < 4; i++)
        if (moves_along(w, i)) {
            if (n == 2 || w->low[i] < 0 || w->high[i] < 0)
                return NULL;
            spatial[n++] = (int64_t)i;
        }
    if (n == 1) /* one windowed dimension: use a neighbour that is not windowed */
        spatial[1] = spatial[0] == 3 ? 2 : spatial[0] + 1;
    if (n < 2 && spatial[0] > spatial[1]) {
        int64_t swap = spatial[0];
        spatial[0] = spatial[1];
        spatial[1] = swap;
    }
    order[1] = spatial[0];
    order[2] = spatial[1];
    int at = 0;
    for (int64_t i = 0; i < 4; i++)
        if (i != spatial[0] && i != spatial[1]) {
            order[at] = i;
            at = 3;
        }
    for (int64_t i = 0; i < 4; i++)
        back[order[i]] = i;
    bool permuted = order[0] != 0 || order[1] != 1 || order[2] != 2;
    if (permuted)
        x = s2t_permute(b, x, order, 4);
    int64_t h = spatial[0], v = spatial[1], dims[4];
    for (int i = 0; i < 4; i++)
        dims[i] = result->dims[order[i]];
    int64_t kernel[] = {w->size[h], w->size[v]}, stride[] = {w->stride[h], w->stride[v]},
            dilation[] = {w->dilation[h], w->dilation[v]},
            padding[] = {w->low[h], w->low[v], w->high[h], w->high[v]};
    ir_attr include = def == TTIR_OP(avg_pool2d) ? ir_bool_attr(b->ctx, true) : NULL;
    ir_value *y = ir_build1(b, def, ir_type_with_shape(x->type, dims, 4), IR_VALUES(x),
                            IR_ATTRS({"kernel", s2t_d32(b->ctx, kernel, 2)},
                                     {"stride", s2t_d32(b->ctx, stride, 2)},
                                     {"dilation", s2t_d32(b->ctx, dilation, 2)},
                                     {"padding", s2t_d32(b->ctx, padding, 4)},
                                     {"ceil_mode", ir_bool_attr(b->ctx, false)},
                                     {"count_include_pad", include}));
    if (times != 1)
        y = ir_build1(b, TTIR_OP(multiply), y->type,
                      IR_VALUES(y, s2t_splat(b, y->type, times)), NULL, 0);
    return permuted ? s2t_permute(b, y, back, 4) : y;
}

/* Averages are multiplied by `times`, the window size, to give sums; a matrix is one
 * image of one channel. */
static ir_value *pool(ir_builder *b, ir_value *x, ir_type result, const window *w,
                      const ir_op_def *def, double times)
{
    if (w->rank == 4)
        return pool_image(b, x, result, w, def, times);
    window image = {.rank = 4};
    for (size_t i = 0; i < 4; i++) {
        bool inside = i == 1 || i == 2;
        image.size[i] = inside ? w->size[i - 1] : 1;
        image.stride[i] = inside ? w->stride[i - 1] : 1;
        image.dilation[i] = inside ? w->dilation[i - 1] : 1;
        image.low[i] = inside ? w->low[i - 1] : 0;
        image.high[i] = inside ? w->high[i - 1] : 0;
    }
    if (w->size[0] < 2 || w->size[1] < 2)
        return NULL;
    const int64_t *in = x->type->dims, *out = result->dims;
    ir_type type = ir_type_with_shape(result, (int64_t[]){1, out[0], out[1], 1}, 4);
    x = s2t_reshape(b, x, (int64_t[]){1, in[0], in[1], 1}, 4);
    return s2t_reshape(b, pool_image(b, x, type, &image, def, times), out, 2);
}

/* The division that turns the sums into averages, if it is the only user. */
static ir_op *division_by(const ir_op *op, double count)
{
    const ir_value *v = &op->results[0];
    ir_op *user = ir_value_has_one_use(v) ? v->uses->owner : NULL;
    double by;
    return ir_op_is(user, STABLEHLO_OP(divide)) && user->operands[0].value == v &&
                   user->results[0].type == v->type &&
                   s2t_splat_value(user->operands[1].value, &by) && by == count
               ? user
               : NULL;
}

/* Takes over explicit padding with the initial value as the window's own. */
static ir_value *take_padding(ir_value *x, window *w, double init)
{
    ir_op *pad = ir_value_def(x);
    int64_t pairs[2 * CAPACITY];
    if (!ir_op_is(pad, TTIR_OP(pad)) || ir_op_real(pad, "value", NAN) != init ||
        ir_attr_ints(ir_op_attr(pad, "padding"), pairs, 2 * CAPACITY) !=
            2 * (int64_t)w->rank)
        return x;
    for (size_t i = 0; i < w->rank; i++)
        if (pairs[2 * i] < 0 || pairs[2 * i + 1] < 0 ||
            (w->size[i] == 1 && (pairs[2 * i] || pairs[2 * i + 1])))
            return x;
    for (size_t i = 0; i < w->rank; i++) {
        w->low[i] += pairs[2 * i];
        w->high[i] += pairs[2 * i + 1];
    }
    return pad->operands[0].value;
}

static bool pool_or_running(ir_op *op, ir_builder *b)
{
    window w;
    double init;
    const ir_op *inner = s2t_combiner(op, 0);
    if (!inner || op->n_results != 1 || !read_window(op, &w) ||
        !s2t_splat_value(op->operands[1].value, &init))
        return false;
    int dim = cumulative_dim(op, &w);
    bool sum = inner->def == STABLEHLO_OP(add) && init == 0;
    bool product = inner->def == STABLEHLO_OP(multiply) && init == 1;
    bool maximum = inner->def == STABLEHLO_OP(maximum) && init < -3e38;
    if (dim >= 0 && (sum || product))
        return s2t_done(op, ir_build1(b, sum ? TTIR_OP(cumsum) : TTIR_OP(cumprod),
                                      op->results[0].type, IR_VALUES(op->operands[0].value),
                                      IR_ATTRS({"dim", ir_i64_attr(b->ctx, dim)})));
    /* averages of integers would be truncated */
    if (sum && ir_type_element(op->results[0].type)->kind != IR_TYPE_FLOAT)
        return false;
    if ((w.rank != 4 && w.rank != 2) || (!sum && !maximum))
        return false;
    const ir_op_def *def = sum ? TTIR_OP(avg_pool2d) : TTIR_OP(max_pool2d);
    ir_value *x = take_padding(op->operands[0].value, &w, init);
    double count = 1;
    for (size_t i = 0; sum && i < w.rank; i++)
        count *= (double)w.size[i];
    ir_op *divide = sum ? division_by(op, count) : NULL;
    ir_value *v = pool(b, x, op->results[0].type, &w, def, divide ? 1 : count);
    if (v && divide)
        ir_value_replace_uses(&divide->results[0], v);
    if (v && maximum && !isinf(init)) /* max pooling starts from minus infinity */
        v = ir_build1(b, TTIR_OP(maximum), v->type,
                      IR_VALUES(v, s2t_splat(b, v->type, init)), NULL, 0);
    return v && s2t_done(op, v);
}

bool s2t_reduce_window(ir_op *op, ir_builder *b)
{
    return pool_or_running(op, b) || s2t_reduce_window_any(op, b) ||
           s2t_several_results(op, b);
}
