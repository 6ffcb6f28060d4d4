/* windows.c: general reduce_window, select_and_scatter, three-dimensional convolution.
 *
 * The k-th elements of all windows are a strided slice of the padded input: the slices of
 * all window positions are combined one by one, or compared to find the position that
 * each window selects.  Likewise, a convolution over three dimensions is the sum of
 * two-dimensional ones, one per depth slice of the kernel. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 16, MAX_PLACES = 1024 };

typedef struct windows {
    int64_t rank, positions;
    int64_t size[CAPACITY], stride[CAPACITY], base[CAPACITY], dilation[CAPACITY],
        low[CAPACITY], high[CAPACITY];
} windows;

static void read_or_ones(const ir_op *op, const char *name, int64_t *out, int64_t n)
{
    if (ir_attr_ints(ir_op_attr(op, name), out, CAPACITY) != n)
        for (int64_t i = 0; i < n; i++)
            out[i] = 1;
}

static bool read_windows(const ir_op *op, windows *w)
{
    int64_t pads[2 * CAPACITY] = {0};
    w->rank = ir_attr_ints(ir_op_attr(op, "window_dimensions"), w->size, CAPACITY);
    if (w->rank < 1 || w->rank > CAPACITY - 2)
        return false;
    read_or_ones(op, "window_strides", w->stride, w->rank);
    read_or_ones(op, "base_dilations", w->base, w->rank);
    read_or_ones(op, "window_dilations", w->dilation, w->rank);
    if (ir_op_attr(op, "padding") &&
        ir_attr_ints(ir_op_attr(op, "padding"), pads, 2 * CAPACITY) != 2 * w->rank)
        return false;
    w->positions = 1;
    for (int64_t i = 0; i < w->rank; i++) {
        w->low[i] = pads[2 * i];
        w->high[i] = pads[2 * i + 1];
        w->positions *= w->size[i];
        w->base[i] -= 1; /* elements inserted between */
    }
    return w->positions <= MAX_PLACES;
}

static const ir_op_def *combiner(const ir_op *op, size_t region, bool boolean)
{
    static const struct {
        uint16_t from, numeric, boolean;
    } table[] = {{STABLEHLO_add, TTIR_add, TTIR_logical_or},
                 {STABLEHLO_and, TTIR_bitwise_and, TTIR_logical_and},
                 {STABLEHLO_maximum, TTIR_maximum, TTIR_logical_or},
                 {STABLEHLO_minimum, TTIR_minimum, TTIR_logical_and},
                 {STABLEHLO_multiply, TTIR_multiply, TTIR_logical_and},
                 {STABLEHLO_or, TTIR_bitwise_or, TTIR_logical_or}};
    const ir_op *made = s2t_combiner(op, region);
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (made && made->def == &stablehlo_ops[table[i].from])
            return &ttir_ops[boolean ? table[i].boolean : table[i].numeric];
    return NULL;
}

/* The range of the padded input covered by window position `k`. */
static void span_at(const windows *w, int64_t k, const int64_t *out, int64_t *begins,
                    int64_t *ends)
{
    for (int64_t d = w->rank - 1; d >= 0; d--) {
        begins[d] = k % w->size[d] * w->dilation[d];
        ends[d] = begins[d] + (out[d] - 1) * w->stride[d] + 1;
        k /= w->size[d];
    }
}

/* The elements at window position `k`, for all windows. */
static ir_value *slice_at(ir_builder *b, const windows *w, ir_value *x, int64_t k,
                          const int64_t *out)
{
    int64_t begins[CAPACITY], ends[CAPACITY];
    span_at(w, k, out, begins, ends);
    return s2t_slice(b, x, begins, ends, w->stride);
}

bool s2t_reduce_window_any(ir_op *op, ir_builder *b)
{
    windows w;
    double init;
    ir_type t = op->results[0].type;
    const ir_op_def *combine = combiner(op, 0, ir_type_is_integer(ir_type_element(t), 1));
    if (op->n_results != 1 || op->n_operands != 2 || !combine || !read_windows(op, &w) ||
        !s2t_splat_value(op->operands[1].value, &init) || ir_type_num_elements(t) == 0)
        return false;
    ir_value *x = s2t_pad(b, op->operands[0].value, w.low, w.high, w.base, init);
    ir_value *v =
        s2t_splat_like(b, t, op->operands[1].value); /* folds away or counts once */
    for (int64_t k = 0; k < w.positions; k++)
        v = ir_build1(b, combine, t, IR_VALUES(v, slice_at(b, &w, x, k, t->dims)), NULL, 0);
    return s2t_done(op, v);
}

/* ---- select_and_scatter ------------------------------------------------------------- */

typedef struct selection {
    windows w;
    ir_type type, positions,
        boolean; /* of windows: values, selected positions, conditions */
    const ir_op_def *select, *combine;
    bool swapped;         /* the comparison takes the new element first */
    double neutral, init; /* of the combination */
    ir_value *x, *inside; /* padded; 1 for elements that are not padding, or NULL */
} selection;

/* Reads the comparison that decides whether to keep the selected element. */
static bool read_selection(const ir_op *op, selection *s)
{
    static const uint16_t to[] = {[STABLEHLO_ComparisonDirection_EQ] = TTIR_eq,
                                  [STABLEHLO_ComparisonDirection_NE] = TTIR_ne,
                                  [STABLEHLO_ComparisonDirection_GE] = TTIR_ge,
                                  [STABLEHLO_ComparisonDirection_GT] = TTIR_gt,
                                  [STABLEHLO_ComparisonDirection_LE] = TTIR_le,
                                  [STABLEHLO_ComparisonDirection_LT] = TTIR_lt};
    const ir_block *body = ir_op_body(op, 0);
    const ir_op *test = body->first;
    int64_t d = ir_enum_value(ir_op_attr(test, "comparison_direction"), -1);
    if (test->def != STABLEHLO_OP(compare) || test->next != body->last || d < 0 ||
        (size_t)d >= TW_COUNT(to) || body->last->operands[0].value->is_argument)
        return false;
    const ir_value *a = test->operands[0].value, *b = test->operands[1].value;
    s->select = &ttir_ops[to[d]];
    s->swapped = a == body->args[1] && b == body->args[0];
    return s->swapped || (a == body->args[0] && b == body->args[1]);
}

/* Reads the neutral value of the combination: 0, 1, or the initial value itself. */
static bool read_combination(const ir_op *op, selection *s)
{
    s->combine = combiner(op, 1, false);
    if (!s->combine || !s2t_splat_value(op->operands[2].value, &s->init))
        return false;
    bool add = s->combine == TTIR_OP(add), multiply = s->combine == TTIR_OP(multiply);
    bool bound = s->combine == TTIR_OP(maximum) || s->combine == TTIR_OP(minimum);
    s->neutral = add ? 0 : multiply ? 1 : s->init;
    /* fill values are attributes in single precision */
    return add || multiply || (bound && (double)(float)s->init == s->init);
}

/* The position that each window selects, as 32-bit integers. */
static ir_value *selected_positions(ir_builder *b, const selection *s)
{
    const int64_t *out = s->type->dims;
    ir_value *best = slice_at(b, &s->w, s->x, 0, out), *has = NULL;
    ir_value *at = s2t_splat(b, s->positions, 0), *one = s2t_splat(b, s->positions, 1);
    for (int64_t k = 0; k < s->w.positions; k++) {
        ir_value *valid = NULL;
        if (s->inside) {
            ir_value *mask = slice_at(b, &s->w, s->inside, k, out);
            valid = ir_build1(b, TTIR_OP(eq), s->boolean, IR_VALUES(mask, one), NULL, 0);
        }
        if (k == 0) {
            has = valid;
            continue;
        }
        ir_value *v = slice_at(b, &s->w, s->x, k, out);
        ir_value *keep =
            ir_build1(b, s->select, s->boolean,
                      IR_VALUES(s->swapped ? v : best, s->swapped ? best : v), NULL, 0);
        if (valid) { /* select the element if it is the first inside, or wins */
            keep = ir_build1(b, TTIR_OP(logical_and), s->boolean, IR_VALUES(keep, has),
                             NULL, 0);
            ir_value *skip =
                ir_build1(b, TTIR_OP(logical_not), s->boolean, IR_VALUES(valid), NULL, 0);
            keep = ir_build1(b, TTIR_OP(logical_or), s->boolean, IR_VALUES(keep, skip),
                             NULL, 0);
            has = ir_build1(b, TTIR_OP(logical_or), s->boolean, IR_VALUES(has, valid), NULL,
                            0);
        }
        best = ir_build1(b, TTIR_OP(where), s->type, IR_VALUES(keep, best, v), NULL, 0);
        at = ir_build1(b, TTIR_OP(where), s->positions,
                       IR_VALUES(keep, at, s2t_splat(b, s->positions, (double)k)), NULL, 0);
    }
    return at;
}

/* The source's elements selected at position k, dilated to the padded input. */
static ir_value *scatter_position(ir_builder *b, const selection *s, ir_value *at,
                                  int64_t k, ir_value *source)
{
    int64_t low[CAPACITY], ends[CAPACITY], high[CAPACITY], interior[CAPACITY];
    ir_value *numeric = s2t_splat(b, s->positions, (double)k);
    ir_value *here = ir_build1(b, TTIR_OP(eq), s->boolean, IR_VALUES(at, numeric), NULL, 0);
    ir_value *rest = s2t_splat(b, s->type, s->neutral);
    ir_value *part =
        ir_build1(b, TTIR_OP(where), s->type, IR_VALUES(here, source, rest), NULL, 0);
    span_at(&s->w, k, s->type->dims, low, ends);
    for (int64_t d = 0; d < s->w.rank; d++) {
        high[d] = s->x->type->dims[d] - ends[d];
        interior[d] = s->w.stride[d] - 1;
    }
    return s2t_pad(b, part, low, high, interior, s->neutral);
}

bool s2t_select_and_scatter(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value, *source = op->operands[1].value;
    ir_type element = ir_type_element(x->type);
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    selection s = {.type = source->type};
    bool padded = false;
    if ((element->kind != IR_TYPE_FLOAT && element->kind != IR_TYPE_INTEGER) ||
        element == i1 || !read_windows(op, &s.w) || !read_selection(op, &s) ||
        !read_combination(op, &s) || ir_type_num_elements(s.type) == 0)
        return false;
    for (int64_t d = 0; d < s.w.rank; d++) {
        if (s.w.low[d] < 0 || s.w.high[d] < 0)
            return false;
        padded |= s.w.low[d] || s.w.high[d];
    }
    s.positions = ir_type_with_element(s.type, i32);
    s.boolean = ir_type_with_element(s.type, i1);
    s.x = s2t_pad(b, x, s.w.low, s.w.high, s.w.base, 0);
    if (padded)
        s.inside = s2t_pad(b, s2t_splat(b, ir_type_with_element(x->type, i32), 1), s.w.low,
                           s.w.high, s.w.base, 0);
    ir_value *at = selected_positions(b, &s), *sum = NULL;
    for (int64_t k = 0; k < s.w.positions; k++) {
        ir_value *part = scatter_position(b, &s, at, k, source);
        sum =
            sum ? ir_build1(b, s.combine, part->type, IR_VALUES(sum, part), NULL, 0) : part;
    }
    if (padded) {
        int64_t ends[CAPACITY];
        for (int64_t d = 0; d < s.w.rank; d++)
            ends[d] = s.w.low[d] + x->type->dims[d];
        sum = s2t_slice(b, sum, s.w.low, ends, NULL);
    }
    if (s.init != s.neutral)
        sum = ir_build1(b, s.combine, sum->type,
                        IR_VALUES(sum, s2t_splat(b, sum->type, s.init)), NULL, 0);
    return s2t_done(op, sum);
}

/* ---- three-dimensional convolution -------------------------------------------------- */

/* Drops the unit dimension at `index`. */
static ir_value *without(ir_builder *b, ir_value *v, int64_t index)
{
    int64_t dims[CAPACITY], n = 0;
    for (int64_t d = 0; d < (int64_t)v->type->count; d++)
        if (d != index)
            dims[n++] = v->type->dims[d];
    return s2t_reshape(b, v, dims, (size_t)n);
}

/* x: N, D, H, W, C, already padded; w: O, I, D, H, W.  The result is N, D, H, W, O. */
ir_value *s2t_convolution_3d(ir_builder *b, ir_value *x, ir_value *w, const int64_t *stride,
                             const int64_t *dilation, int64_t groups, const int64_t *out)
{
    const int64_t *in = x->type->dims;
    int64_t flat_in[] = {in[0] * out[1], in[2], in[3], in[4]};
    int64_t flat_out[] = {in[0] * out[1], out[2], out[3], out[4]}, pads[4] = {0};
    ir_type type = ir_type_with_shape(x->type, flat_out, 4);
    ir_value *sum = NULL;
    for (int64_t k = 0; k < w->type->dims[2]; k++) {
        int64_t begins[] = {0, k * dilation[0], 0, 0, 0}, steps[] = {1, stride[0], 1, 1, 1};
        int64_t ends[] = {in[0], begins[1] + (out[1] - 1) * stride[0] + 1, in[2], in[3],
                          in[4]};
        int64_t from[] = {0, 0, k, 0, 0}, to[5];
        memcpy(to, w->type->dims, sizeof to);
        to[2] = k + 1;
        ir_value *part = s2t_reshape(b, s2t_slice(b, x, begins, ends, steps), flat_in, 4);
        ir_value *weight = without(b, s2t_slice(b, w, from, to, NULL), 2);
        ir_value *y = ir_op_result(
            ir_build_op(b, TTIR_OP(conv2d), &type, 1, (ir_value *[]){part, weight}, 2,
                        IR_ATTRS({"stride", s2t_d32(b->ctx, stride + 1, 2)},
                                 {"padding", s2t_d32(b->ctx, pads, 4)},
                                 {"dilation", s2t_d32(b->ctx, dilation + 1, 2)},
                                 {"groups", ir_i32_attr(b->ctx, groups)}),
                        0),
            0);
        sum = sum ? ir_build1(b, TTIR_OP(add), type, IR_VALUES(sum, y), NULL, 0) : y;
    }
    return s2t_reshape(b, sum, out, 5);
}
