/* canonicalize_dynamism.c: replaces dynamic operations by their static forms if shape
 * operands are constants and the types agree. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "stablehlo/build.h"
#include "stablehlo/simplify/optimize.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

#include <stdlib.h>

enum { CAPACITY = 64 };

typedef struct integers {
    int64_t at[CAPACITY];
    int64_t n;
} integers;

static bool read(const ir_value *v, integers *out)
{
    out->n = stablehlo_ints(v, out->at, CAPACITY);
    return out->n >= 0 && out->n <= CAPACITY;
}

static bool is_static(const ir_value *v)
{
    return ir_type_has_static_shape(v->type);
}

static ir_attr array(rw_rewriter *rw, const integers *list)
{
    return ir_dense_i64_array(rw->b.ctx, list->at, (size_t)list->n);
}

/* Copies the row's attributes that the static form also has, and discardable ones. */
static bool become(ir_op *op, rw_rewriter *rw, uint16_t row, size_t n_operands,
                   const char *name, ir_attr value)
{
    const ir_op_def *def = &stablehlo_ops[row];
    ir_value *operands[4];
    for (size_t i = 0; i < n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_op *made = ir_build_op(&rw->b, def, &op->results[0].type, 1, operands, n_operands,
                              IR_ATTRS({name ? name : "", value}), 0);
    for (size_t i = 0; i < ir_def_n_props(op->def); i++) {
        const char *own = ir_def_prop_name(op->def, i);
        if (op->props[i] && ir_def_prop_index(def, tw_str_from(own)) != SIZE_MAX)
            ir_op_set_attr(made, own, op->props[i]);
    }
    made->attrs = op->attrs;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static bool broadcast(ir_op *op, rw_rewriter *rw)
{
    integers sizes;
    if (!is_static(op->operands[0].value) || !read(op->operands[1].value, &sizes) ||
        !is_static(&op->results[0]))
        return false;
    return become(op, rw, STABLEHLO_broadcast_in_dim, 1, NULL, NULL);
}

static bool conv(ir_op *op, rw_rewriter *rw)
{
    integers padding;
    if (!read(op->operands[2].value, &padding) || padding.n % 2)
        return false;
    int64_t dims[] = {padding.n / 2, 2};
    ir_type t = ir_tensor_type(ir_integer_type(op->ctx, 64, IR_SIGNLESS), dims, 2, NULL);
    return become(op, rw, STABLEHLO_convolution, 2, "padding",
                  ir_dense_i64(t, padding.at, (size_t)padding.n));
}

static bool gather(ir_op *op, rw_rewriter *rw)
{
    integers sizes;
    return read(op->operands[2].value, &sizes) &&
           become(op, rw, STABLEHLO_gather, 2, "slice_sizes", array(rw, &sizes));
}

static bool iota(ir_op *op, rw_rewriter *rw)
{
    integers shape;
    return read(op->operands[0].value, &shape) && is_static(&op->results[0]) &&
           become(op, rw, STABLEHLO_iota, 0, NULL, NULL);
}

static bool reshape(ir_op *op, rw_rewriter *rw)
{
    integers shape;
    return read(op->operands[1].value, &shape) && is_static(&op->results[0]) &&
           become(op, rw, STABLEHLO_reshape, 1, NULL, NULL);
}

static bool pad(ir_op *op, rw_rewriter *rw)
{
    integers low, high, interior;
    if (!read(op->operands[2].value, &low) || !read(op->operands[3].value, &high) ||
        !read(op->operands[4].value, &interior))
        return false;
    ir_op *made = ir_build_op(&rw->b, STABLEHLO_OP(pad), &op->results[0].type, 1,
                              IR_VALUES(op->operands[0].value, op->operands[1].value),
                              IR_ATTRS({"edge_padding_low", array(rw, &low)},
                                       {"edge_padding_high", array(rw, &high)},
                                       {"interior_padding", array(rw, &interior)}),
                              0);
    made->attrs = op->attrs;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static bool slice(ir_op *op, rw_rewriter *rw)
{
    integers start, limit, stride;
    if (!read(op->operands[1].value, &start) || !read(op->operands[2].value, &limit) ||
        !read(op->operands[3].value, &stride))
        return false;
    ir_op *made = ir_build_op(&rw->b, STABLEHLO_OP(slice), &op->results[0].type, 1,
                              IR_VALUES(op->operands[0].value),
                              IR_ATTRS({"start_indices", array(rw, &start)},
                                       {"limit_indices", array(rw, &limit)},
                                       {"strides", array(rw, &stride)}),
                              0);
    made->attrs = op->attrs;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

/* limit = start + constant: the sizes are known even if the start is not. */
static bool known_sizes(ir_op *op, integers *out)
{
    ir_op *sum = ir_value_def(op->operands[2].value);
    ir_value *start = op->operands[1].value;
    if (!sum || sum->def != STABLEHLO_OP(add))
        return false;
    for (int i = 0; i < 2; i++)
        if (sum->operands[i].value == start && read(sum->operands[1 - i].value, out))
            return true;
    return false;
}

static bool slice_from_somewhere(ir_op *op, rw_rewriter *rw)
{
    integers stride, sizes;
    ir_value *operands[CAPACITY + 1] = {op->operands[0].value};
    if (!read(op->operands[3].value, &stride) || !known_sizes(op, &sizes))
        return false;
    for (int64_t i = 0; i < stride.n; i++)
        if (stride.at[i] != 1)
            return false;
    for (int64_t i = 0; i < sizes.n; i++) {
        int64_t next = i + 1, one = 1;
        ir_value *part = hlo_slice(&rw->b, op->operands[1].value, &i, &next, &one);
        operands[1 + i] = hlo_reshape(&rw->b, part, NULL, 0);
    }
    ir_op *made =
        ir_build_op(&rw->b, STABLEHLO_OP(dynamic_slice), &op->results[0].type, 1, operands,
                    (size_t)sizes.n + 1, IR_ATTRS({"slice_sizes", array(rw, &sizes)}), 0);
    made->attrs = op->attrs;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static bool any_slice(ir_op *op, rw_rewriter *rw)
{
    return slice_from_somewhere(op, rw) || slice(op, rw);
}

/* ---- custom calls: indices_of_shape_operands names a shape operand for each result --- */

static bool is_shape_of(const ir_op *op, uint32_t operand, uint32_t result)
{
    integers shape;
    ir_type t = op->results[result].type;
    if (!ir_type_has_static_shape(t) || !read(op->operands[operand].value, &shape) ||
        shape.n != t->count)
        return false;
    return memcmp(shape.at, t->dims, t->count * sizeof *t->dims) == 0;
}

static bool custom_call(ir_op *op, rw_rewriter *rw)
{
    integers indices;
    bool is_shape[CAPACITY] = {false};
    ir_attr attr = ir_op_attr(op, "indices_of_shape_operands");
    indices.n = ir_attr_ints(attr, indices.at, CAPACITY);
    if (!attr || indices.n != op->n_results || indices.n > CAPACITY ||
        op->n_operands > CAPACITY)
        return false;
    for (int64_t i = 0; i < indices.n; i++) {
        int64_t k = indices.at[i];
        if (k < 0 || k >= op->n_operands || !is_shape_of(op, (uint32_t)k, (uint32_t)i))
            return false;
        is_shape[k] = true;
    }
    ir_value *kept[CAPACITY];
    ir_attr layouts[CAPACITY], all = ir_op_attr(op, "operand_layouts");
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!is_shape[i]) {
            layouts[n] = all && i < all->count ? all->items[i] : NULL;
            kept[n++] = op->operands[i].value;
        }
    ir_op_set_attr(op, "indices_of_shape_operands", NULL);
    if (all)
        ir_op_set_attr(op, "operand_layouts", ir_array_attr(op->ctx, layouts, n));
    ir_op_splice_operands(op, 0, op->n_operands, kept, n);
    rw_modified(rw, op);
    return true;
}

/* An invalid list of shape operands is an error in the program. */
static ir_walk check_custom_call(ir_op *op, void *user)
{
    bool *ok = user;
    ir_attr attr = ir_op_attr(op, "indices_of_shape_operands");
    if (op->def != STABLEHLO_OP(custom_call) || !ir_attr_is(attr, IR_ATTR_DENSE))
        return IR_WALK_ON;
    const int64_t n = ir_attr_ints(attr, NULL, 0);
    const char *head = "indices_of_shape_operands: ";
    if (n != op->n_results)
        *ok = ir_error(op->ctx, op->loc,
                       "%snumber of elements (%lld) must be equal to the number of "
                       "operation results (%u)",
                       head, (long long)n, op->n_results);
    else if (attr->type->count != 1)
        *ok = ir_error(op->ctx, op->loc, "%smust have rank = 1", head);
    else if (!ir_type_is_signless(ir_type_element(attr->type), 64))
        *ok = ir_error(op->ctx, op->loc, "%smust have i64 element type", head);
    for (int64_t i = 0; *ok && i < n; i++) {
        const int64_t at = ir_dense_int(attr, (size_t)i);
        integers shape;
        ir_type t = op->results[i].type;
        if (at < 0 || at >= op->n_operands) {
            *ok = ir_error(op->ctx, op->loc,
                           "%sindex #%lld (%lld) must be within bounds for operation "
                           "operands (from 0 to %u)",
                           head, (long long)i, (long long)at, op->n_operands);
            break;
        }
        if (!ir_type_is_tensor(t) || !read(op->operands[at].value, &shape))
            break;
        bool fits = shape.n == t->count;
        for (int64_t d = 0; fits && d < shape.n; d++)
            fits = t->dims[d] == IR_DYNAMIC || t->dims[d] == shape.at[d];
        if (!fits) {
            tw_strbuf text = {0};
            for (int64_t d = 0; d < shape.n; d++)
                tw_strbuf_printf(&text, "%s%lld", d ? ", " : "", (long long)shape.at[d]);
            *ok = ir_error(op->ctx, op->loc,
                           "%srefinement #%lld ([%s]) must be compatible with operation "
                           "result #%lld ('%s')",
                           head, (long long)i, tw_strbuf_text(&text), (long long)i,
                           ir_type_text(op->ctx, t));
            tw_strbuf_free(&text);
        }
    }
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

bool hlo_make_static(ir_op *op, rw_rewriter *rw)
{
    static const struct {
        uint16_t row;
        rw_pattern_fn *apply;
    } rows[] = {
        {STABLEHLO_custom_call, custom_call},
        {STABLEHLO_dynamic_broadcast_in_dim, broadcast},
        {STABLEHLO_dynamic_conv, conv},
        {STABLEHLO_dynamic_gather, gather},
        {STABLEHLO_dynamic_iota, iota},
        {STABLEHLO_dynamic_pad, pad},
        {STABLEHLO_dynamic_reshape, reshape},
        {STABLEHLO_real_dynamic_slice, any_slice},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return rows[i].apply(op, rw);
    return false;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_walk_pre(func, check_custom_call, &ok);
    if (!ok)
        return false;
    rw_pattern any = {NULL, hlo_make_static, NULL};
    rw_greedy(func, &any, 1, &(rw_options){.max_iterations = 2});
    return true;
}

const pass_def stablehlo_canonicalize_dynamism_pass = {
    .name = "stablehlo-canonicalize-dynamism",
    .title = "StablehloCanonicalizeDynamismPass",
    .summary = "Canonicalizes dynamic StableHLO ops into static ops.",
    .anchor = "func.func",
    .run = run,
};
