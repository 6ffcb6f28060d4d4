/* aggressive_simplification.c: shorter forms of StableHLO operations, without computing;
 * see optimize.h for what computes. */
#include "transform/stablehlo/optimize.h"

#include "dialect/arith/arith.h"
#include "dialect/shape/shape.h"
#include "dialect/stablehlo/stablehlo.h"
#include "dialect/stablehlo/stablehlo_verify.h"
#include "transform/stablehlo/build.h"
#include "transform/stablehlo/eval.h"
#include "transform/transform.h"

enum { MOST = 64 };

typedef struct numbers {
    int64_t at[MOST];
    int64_t n;
} numbers;

/* ---- asking ------------------------------------------------------------------------- */

static bool is_op(const ir_op *op, uint16_t row)
{
    return op && op->def == &stablehlo_ops[row];
}

static bool is_static(ir_type t)
{
    return ir_type_has_static_shape(t);
}

static bool has_nothing(ir_type t)
{
    return is_static(t) && ir_type_num_elements(t) == 0;
}

static bool is_integer(ir_type t)
{
    return hlo_class_of(t->element) == HLO_INT && !hlo_is_quantized(t->element);
}

/* All elements are that number. */
static bool is_all(const ir_value *v, int64_t number)
{
    ir_attr x = hlo_dense_of(v);
    if (!x || !(x->splat || ir_type_num_elements(x->type) == 1))
        return false;
    switch (hlo_class_of(x->type->element)) {
    case HLO_INT:
        return ir_dense_int(x, 0) == number ||
               (x->type->element->width == 1 && (ir_dense_int(x, 0) & 1) == (number & 1));
    case HLO_FLOAT:
        return ir_dense_real(x, 0) == (double)number;
    default:
        return false;
    }
}

static bool read(const ir_value *v, numbers *out)
{
    out->n = stablehlo_ints(v, out->at, MOST);
    return out->n >= 0 && out->n <= MOST;
}

static bool list_of(const ir_op *op, const char *name, numbers *out)
{
    out->n = ir_attr_ints(ir_op_attr(op, name), out->at, MOST);
    if (out->n < 0)
        out->n = 0;
    return out->n <= MOST;
}

static ir_attr array(rw_rewriter *rw, const numbers *list)
{
    return ir_dense_i64_array(rw->b.ctx, list->at, (size_t)list->n);
}

static bool is_iota(const numbers *list)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->at[i] != i)
            return false;
    return true;
}

static bool is_sorted(const numbers *list)
{
    for (int64_t i = 1; i < list->n; i++)
        if (list->at[i] <= list->at[i - 1])
            return false;
    return true;
}

/* ---- attributes that stay ----------------------------------------------------------- */

static ir_attr entry_of(ir_attr dict, tw_str name)
{
    for (uint32_t i = 0; dict && i < dict->count; i++)
        if (tw_str_equal(ir_ident_str(dict->entries[i].name), name))
            return dict->entries[i].value;
    return NULL;
}

/* Both dictionaries; of entries in both, `over` says what they are, except for payloads,
 * which belong to the operation that was there. */
static ir_attr merge(ir_context *ctx, ir_attr under, ir_attr over)
{
    ir_named_attr entries[2 * MOST];
    size_t n = 0;
    if (under->count > MOST || over->count > MOST)
        return under;
    for (uint32_t i = 0; i < under->count; i++) {
        tw_str name = ir_ident_str(under->entries[i].name);
        ir_attr other = entry_of(over, name), own = under->entries[i].value;
        entries[n] = under->entries[i];
        if (ir_attr_is(other, IR_ATTR_DICT) && ir_attr_is(own, IR_ATTR_DICT))
            entries[n].value = merge(ctx, own, other);
        else if (other && !tw_str_is(name, "xla_metadata_payload"))
            entries[n].value = other;
        n++;
    }
    for (uint32_t i = 0; i < over->count; i++)
        if (!entry_of(under, ir_ident_str(over->entries[i].name)))
            entries[n++] = over->entries[i];
    return ir_dict_attr(ctx, entries, n);
}

/* A value that is there already takes the operation's place and its marks. */
static bool give(ir_op *op, rw_rewriter *rw, ir_value *v)
{
    if (v->type != op->results[0].type)
        return false;
    ir_op *def = ir_value_def(v);
    if (op->attrs && def)
        def->attrs = def->attrs ? merge(op->ctx, def->attrs, op->attrs) : op->attrs;
    rw_replace1(rw, op, v);
    return true;
}

/* A new operation takes its place and its marks. */
static bool put(ir_op *op, rw_rewriter *rw, ir_value *v)
{
    ir_op *def = ir_value_def(v);
    if (v->type != op->results[0].type)
        return false;
    def->attrs = op->attrs;
    rw_replace1(rw, op, v);
    return true;
}

static bool put_constant(ir_op *op, rw_rewriter *rw, ir_attr value)
{
    rw_replace1(rw, op, hlo_constant(&rw->b, value));
    return true;
}

static bool put_number(ir_op *op, rw_rewriter *rw, int64_t number)
{
    ir_type t = op->results[0].type;
    if (!is_static(t))
        return false;
    return put_constant(op, rw,
                        hlo_class_of(t->element) == HLO_INT
                            ? ir_dense_splat_int(t, number)
                            : ir_dense_splat(t, (double)number));
}

static int64_t most_of(const rw_rewriter *rw)
{
    return ((const hlo_optimize *)rw->user)->most_elements;
}

static ir_value *operand(const ir_op *op, size_t i)
{
    return op->operands[i].value;
}

/* ---- arithmetic --------------------------------------------------------------------- */

static bool constant_right(ir_op *op, rw_rewriter *rw)
{
    ir_value *a = operand(op, 0), *b = operand(op, 1);
    if (!hlo_dense_of(a) || hlo_dense_of(b))
        return false;
    ir_op_set_operand(op, 0, b);
    ir_op_set_operand(op, 1, a);
    rw_modified(rw, op);
    return true;
}

static bool simplify_add(ir_op *op, rw_rewriter *rw)
{
    if (constant_right(op, rw))
        return true;
    return is_all(operand(op, 1), 0) && give(op, rw, operand(op, 0));
}

static bool simplify_subtract(ir_op *op, rw_rewriter *rw)
{
    if (operand(op, 0) == operand(op, 1) && is_integer(op->results[0].type))
        return put_number(op, rw, 0);
    return is_all(operand(op, 1), 0) && give(op, rw, operand(op, 0));
}

static bool simplify_multiply(ir_op *op, rw_rewriter *rw)
{
    if (constant_right(op, rw))
        return true;
    if (is_all(operand(op, 1), 1))
        return give(op, rw, operand(op, 0));
    return is_all(operand(op, 1), 0) && is_integer(op->results[0].type) &&
           give(op, rw, operand(op, 1));
}

static bool simplify_and(ir_op *op, rw_rewriter *rw)
{
    if (constant_right(op, rw))
        return true;
    if (is_all(operand(op, 1), 0))
        return give(op, rw, operand(op, 1));
    return (is_all(operand(op, 1), -1) || operand(op, 0) == operand(op, 1)) &&
           give(op, rw, operand(op, 0));
}

static bool simplify_or(ir_op *op, rw_rewriter *rw)
{
    if (constant_right(op, rw))
        return true;
    if (is_all(operand(op, 1), -1))
        return give(op, rw, operand(op, 1));
    return (is_all(operand(op, 1), 0) || operand(op, 0) == operand(op, 1)) &&
           give(op, rw, operand(op, 0));
}

static bool simplify_xor(ir_op *op, rw_rewriter *rw)
{
    if (constant_right(op, rw))
        return true;
    if (operand(op, 0) == operand(op, 1))
        return put_number(op, rw, 0);
    return is_all(operand(op, 1), 0) && give(op, rw, operand(op, 0));
}

/* ---- comparisons and choices -------------------------------------------------------- */

/* The other way round. */
static int64_t turned(int64_t direction)
{
    switch (direction) {
    case STABLEHLO_ComparisonDirection_GE:
        return STABLEHLO_ComparisonDirection_LE;
    case STABLEHLO_ComparisonDirection_GT:
        return STABLEHLO_ComparisonDirection_LT;
    case STABLEHLO_ComparisonDirection_LE:
        return STABLEHLO_ComparisonDirection_GE;
    case STABLEHLO_ComparisonDirection_LT:
        return STABLEHLO_ComparisonDirection_GT;
    default:
        return direction;
    }
}

static bool simplify_compare(ir_op *op, rw_rewriter *rw)
{
    ir_value *a = operand(op, 0), *b = operand(op, 1);
    int64_t how = ir_enum_value(ir_op_attr(op, "comparison_direction"), -1);
    bool equal = how == STABLEHLO_ComparisonDirection_EQ;
    bool unequal = how == STABLEHLO_ComparisonDirection_NE;
    if (a == b && is_integer(a->type))
        return put_number(op, rw,
                          equal || how == STABLEHLO_ComparisonDirection_GE ||
                              how == STABLEHLO_ComparisonDirection_LE);
    if (constant_right(op, rw)) {
        ir_op_set_attr(
            op, "comparison_direction",
            ir_enum_attr(op->ctx, STABLEHLO_ATTR(comparison_direction), turned(how)));
        return true;
    }
    return ir_type_is_integer(a->type->element, 1) &&
           ((unequal && is_all(b, 0)) || (equal && is_all(b, 1))) && give(op, rw, a);
}

/* The negated choice's other way. */
static bool turn_select(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(operand(op, 0));
    ir_value *which = NULL;
    if (is_op(def, STABLEHLO_not)) {
        which = operand(def, 0);
    } else if (is_op(def, STABLEHLO_broadcast_in_dim)) {
        ir_op *inner = ir_value_def(operand(def, 0));
        if (!is_op(inner, STABLEHLO_not))
            return false;
        which = ir_build1(
            &rw->b, STABLEHLO_OP(broadcast_in_dim), def->results[0].type,
            IR_VALUES(operand(inner, 0)),
            IR_ATTRS({"broadcast_dimensions", ir_op_attr(def, "broadcast_dimensions")}));
        ir_value_def(which)->attrs = def->attrs;
    }
    if (!which)
        return false;
    ir_value *yes = operand(op, 1), *no = operand(op, 2);
    ir_op_set_operand(op, 0, which);
    ir_op_set_operand(op, 1, no);
    ir_op_set_operand(op, 2, yes);
    rw_modified(rw, op);
    return true;
}

static bool simplify_select(ir_op *op, rw_rewriter *rw)
{
    if (operand(op, 1) == operand(op, 2) || is_all(operand(op, 0), 1))
        return give(op, rw, operand(op, 1));
    if (is_all(operand(op, 0), 0))
        return give(op, rw, operand(op, 2));
    ir_attr all[3];
    for (size_t i = 0; i < 3; i++)
        if (!(all[i] = hlo_dense_of(operand(op, i))))
            return turn_select(op, rw);
    ir_attr folded = is_static(op->results[0].type) &&
                             ir_type_num_elements(op->results[0].type) <= most_of(rw)
                         ? hlo_eval_constant(op, all, false)
                         : NULL;
    return folded && put_constant(op, rw, folded);
}

/* ---- complex numbers and tuples ----------------------------------------------------- */

static bool simplify_complex(ir_op *op, rw_rewriter *rw)
{
    ir_op *re = ir_value_def(operand(op, 0)), *im = ir_value_def(operand(op, 1));
    return is_op(re, STABLEHLO_real) && is_op(im, STABLEHLO_imag) &&
           operand(re, 0) == operand(im, 0) && give(op, rw, operand(re, 0));
}

static bool simplify_part(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(operand(op, 0));
    return is_op(def, STABLEHLO_complex) &&
           give(op, rw, operand(def, is_op(op, STABLEHLO_imag)));
}

static bool simplify_member(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(operand(op, 0));
    int64_t i = ir_op_int(op, "index", 0);
    return is_op(def, STABLEHLO_tuple) && i >= 0 && i < def->n_operands &&
           give(op, rw, operand(def, (size_t)i));
}

static bool simplify_tuple(ir_op *op, rw_rewriter *rw)
{
    ir_value *whole = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(operand(op, i));
        if (!is_op(def, STABLEHLO_get_tuple_element) || ir_op_int(def, "index", -1) != i ||
            (whole && operand(def, 0) != whole))
            return false;
        whole = operand(def, 0);
    }
    return whole && give(op, rw, whole);
}

/* ---- shapes ------------------------------------------------------------------------- */

static bool simplify_same(ir_op *op, rw_rewriter *rw)
{
    return give(op, rw, operand(op, 0));
}

/* Whether a broadcast only adds dimensions of one, in the order that is there. */
static bool is_reshape(const ir_op *op)
{
    numbers dims;
    ir_type from = operand(op, 0)->type, to = op->results[0].type;
    return list_of(op, "broadcast_dimensions", &dims) && is_static(from) && is_static(to) &&
           ir_type_num_elements(from) == ir_type_num_elements(to) && is_sorted(&dims) &&
           from->count != to->count;
}

/* A broadcast of a broadcast, unless the inner one is a mere reshape. */
static bool merge_broadcasts(ir_op *op, rw_rewriter *rw, const numbers *dims)
{
    numbers inner;
    ir_op *def = ir_value_def(operand(op, 0));
    if (!is_op(def, STABLEHLO_broadcast_in_dim) || is_reshape(def) ||
        !list_of(def, "broadcast_dimensions", &inner))
        return false;
    for (int64_t i = 0; i < inner.n; i++)
        inner.at[i] = dims->at[inner.at[i]];
    ir_op_set_operand(op, 0, operand(def, 0));
    ir_op_set_attr(op, "broadcast_dimensions", array(rw, &inner));
    rw_modified(rw, op);
    return true;
}

static bool simplify_broadcast(ir_op *op, rw_rewriter *rw)
{
    numbers dims;
    ir_value *x = operand(op, 0);
    ir_type from = x->type, to = op->results[0].type;
    if (!list_of(op, "broadcast_dimensions", &dims))
        return false;
    if (from == to && is_iota(&dims))
        return give(op, rw, x);
    if (merge_broadcasts(op, rw, &dims))
        return true;
    if (is_reshape(op))
        return put(op, rw,
                   ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(x), NULL, 0));
    if (is_static(from) && is_static(to) && from->count == to->count &&
        ir_type_num_elements(from) == ir_type_num_elements(to)) {
        numbers order = {.n = dims.n};
        for (int64_t i = 0; i < dims.n; i++)
            order.at[dims.at[i]] = i;
        ir_value *v = ir_build1(&rw->b, STABLEHLO_OP(transpose), to, IR_VALUES(x),
                                IR_ATTRS({"permutation", array(rw, &order)}));
        return put(op, rw, v);
    }
    return false;
}

static bool simplify_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(operand(op, 0));
    if (give(op, rw, operand(op, 0)))
        return true;
    /* a convert to the same elements only forgets sizes */
    bool forgets = is_op(def, STABLEHLO_convert) &&
                   operand(def, 0)->type->element == def->results[0].type->element &&
                   is_static(operand(def, 0)->type);
    if (!forgets && !is_op(def, STABLEHLO_reshape))
        return false;
    ir_op_set_operand(op, 0, operand(def, 0));
    rw_modified(rw, op);
    return true;
}

/* Moves only dimensions of one past others. */
static bool keeps_order(ir_type t, const numbers *order)
{
    int64_t last = -1;
    for (int64_t i = 0; i < order->n; i++) {
        if (t->dims[order->at[i]] == 1)
            continue;
        if (order->at[i] < last)
            return false;
        last = order->at[i];
    }
    return true;
}

static bool simplify_transpose(ir_op *op, rw_rewriter *rw)
{
    numbers order, inner;
    ir_value *x = operand(op, 0);
    ir_op *def = ir_value_def(x);
    if (!list_of(op, "permutation", &order))
        return false;
    if (is_iota(&order))
        return give(op, rw, x);
    if (is_op(def, STABLEHLO_transpose) && list_of(def, "permutation", &inner)) {
        for (int64_t i = 0; i < order.n; i++)
            order.at[i] = inner.at[order.at[i]];
        ir_op_set_operand(op, 0, operand(def, 0));
        ir_op_set_attr(op, "permutation", array(rw, &order));
        rw_modified(rw, op);
        return true;
    }
    return is_static(x->type) && is_static(op->results[0].type) &&
           keeps_order(x->type, &order) &&
           put(op, rw,
               ir_build1(&rw->b, STABLEHLO_OP(reshape), op->results[0].type, IR_VALUES(x),
                         NULL, 0));
}

static bool simplify_reverse(ir_op *op, rw_rewriter *rw)
{
    numbers dims;
    ir_type t = operand(op, 0)->type;
    if (!list_of(op, "dimensions", &dims) || !ir_type_is_tensor(t))
        return false;
    bool moves = false;
    for (int64_t i = 0; i < dims.n; i++)
        moves = moves || (t->dims[dims.at[i]] != 1 && !has_nothing(t));
    ir_attr x = hlo_dense_of(operand(op, 0));
    return (!moves || (x && x->splat)) && give(op, rw, operand(op, 0));
}

static bool simplify_size(ir_op *op, rw_rewriter *rw)
{
    ir_type t = operand(op, 0)->type;
    int64_t dim = ir_op_int(op, "dimension", 0);
    return ir_type_is_tensor(t) && dim >= 0 && dim < t->count &&
           t->dims[dim] != IR_DYNAMIC && put_number(op, rw, t->dims[dim]);
}

static bool simplify_iota(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (!is_static(t) || dim < 0 || dim >= t->count)
        return false;
    if (t->dims[dim] == 1)
        return put_number(op, rw, 0);
    if (t->count < 2)
        return false;
    ir_value *line = hlo_iota(&rw->b, hlo_vector_type(t->element, t->dims[dim]), 0);
    return put(op, rw,
               ir_build1(&rw->b, STABLEHLO_OP(broadcast_in_dim), t, IR_VALUES(line),
                         IR_ATTRS({"broadcast_dimensions",
                                   ir_dense_i64_array(op->ctx, &dim, 1)})));
}

/* ---- slices, pads and what joins ---------------------------------------------------- */

static bool simplify_concatenate(ir_op *op, rw_rewriter *rw)
{
    ir_value *parts[MOST];
    size_t n = 0;
    bool changed = false;
    int64_t dim = ir_op_int(op, "dimension", 0);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = operand(op, i);
        ir_op *def = ir_value_def(v);
        size_t more = 1;
        if (is_op(def, STABLEHLO_concatenate) && ir_op_int(def, "dimension", 0) == dim &&
            ir_value_has_one_use(v))
            more = def->n_operands;
        if (n + more > MOST)
            return false;
        if (has_nothing(v->type) && op->n_operands > 1) {
            changed = true;
        } else if (more > 1) {
            for (size_t k = 0; k < more; k++)
                parts[n++] = operand(def, k);
            changed = true;
        } else {
            parts[n++] = v;
        }
    }
    if (n == 1 && parts[0]->type == op->results[0].type)
        return give(op, rw, parts[0]);
    if (!changed || n == 0)
        return false;
    ir_op_splice_operands(op, 0, op->n_operands, parts, n);
    rw_modified(rw, op);
    return true;
}

/* A slice that lies in one part of what was joined. */
static bool slice_part(ir_op *op, rw_rewriter *rw)
{
    numbers start, limit, stride;
    ir_op *joined = ir_value_def(operand(op, 0));
    if (!is_op(joined, STABLEHLO_concatenate) || !list_of(op, "start_indices", &start) ||
        !list_of(op, "limit_indices", &limit) || !list_of(op, "strides", &stride))
        return false;
    int64_t dim = ir_op_int(joined, "dimension", 0), at = 0;
    for (uint32_t i = 0; i < joined->n_operands; i++) {
        ir_type t = operand(joined, i)->type;
        if (!is_static(t))
            return false;
        if (start.at[dim] >= at && limit.at[dim] <= at + t->dims[dim]) {
            start.at[dim] -= at;
            limit.at[dim] -= at;
            return put(
                op, rw,
                hlo_slice(&rw->b, operand(joined, i), start.at, limit.at, stride.at));
        }
        at += t->dims[dim];
    }
    return false;
}

static bool simplify_slice(ir_op *op, rw_rewriter *rw)
{
    return (is_static(operand(op, 0)->type) && give(op, rw, operand(op, 0))) ||
           slice_part(op, rw);
}

static bool simplify_dynamic_slice(ir_op *op, rw_rewriter *rw)
{
    numbers start = {.n = 0}, limit, one, size;
    ir_value *x = operand(op, 0);
    if (!is_static(x->type) || !list_of(op, "slice_sizes", &size) ||
        op->n_operands != 1 + x->type->count || op->n_operands > MOST)
        return false;
    for (uint32_t i = 0; i < x->type->count; i++) {
        ir_attr at = hlo_dense_of(operand(op, 1 + i));
        if (!at)
            return false;
        int64_t most = x->type->dims[i] - size.at[i], value = ir_dense_int(at, 0);
        start.at[i] = value < 0 ? 0 : value > most ? most : value;
        limit.at[i] = start.at[i] + size.at[i];
        one.at[i] = 1;
    }
    return put(op, rw, hlo_slice(&rw->b, x, start.at, limit.at, one.at));
}

static bool simplify_update(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0), *update = operand(op, 1);
    if (has_nothing(update->type))
        return give(op, rw, x);
    if (update->type != x->type || !is_static(x->type))
        return false;
    for (uint32_t i = 2; i < op->n_operands; i++)
        if (!is_all(operand(op, i), 0))
            return false;
    return give(op, rw, update);
}

static bool simplify_pad(ir_op *op, rw_rewriter *rw)
{
    numbers low, high, inside;
    ir_value *x = operand(op, 0);
    ir_type to = op->results[0].type;
    if (!is_static(x->type) || !is_static(to) || !list_of(op, "edge_padding_low", &low) ||
        !list_of(op, "edge_padding_high", &high) ||
        !list_of(op, "interior_padding", &inside))
        return false;
    if (has_nothing(x->type) && !has_nothing(to))
        return put(op, rw,
                   hlo_broadcast(&rw->b, operand(op, 1), to->dims, to->count, NULL, 0));
    for (int64_t i = 0; i < low.n; i++)
        if (low.at[i] || high.at[i] || inside.at[i])
            return false;
    return give(op, rw, x);
}

/* A gather of one slice whose place is known. */
static bool simplify_gather(ir_op *op, rw_rewriter *rw)
{
    numbers place, size;
    int64_t start[HLO_MOST_RANK] = {0}, limit[HLO_MOST_RANK], one[HLO_MOST_RANK];
    int64_t map[HLO_MOST_RANK], offsets[HLO_MOST_RANK];
    ir_value *x = operand(op, 0), *where = operand(op, 1);
    ir_attr how = ir_op_attr(op, "dimension_numbers");
    ir_type to = op->results[0].type;
    if (!is_static(x->type) || !is_static(to) || !is_static(where->type) ||
        where->type->count > 1 || !read(where, &place) ||
        !list_of(op, "slice_sizes", &size) || x->type->count > HLO_MOST_RANK ||
        size.n != x->type->count)
        return false;
    size_t n_map = hlo_numbers(how, "startIndexMap", map);
    size_t n_offsets = hlo_numbers(how, "offsetDims", offsets);
    int64_t batched[HLO_MOST_RANK];
    if (n_map != (size_t)place.n || n_offsets != to->count ||
        hlo_numbers(how, "operandBatchingDims", batched))
        return false;
    for (size_t i = 0; i < n_map; i++) {
        int64_t d = map[i], most = x->type->dims[d] - size.at[d], value = place.at[i];
        start[d] = value < 0 ? 0 : value > most ? most : value;
    }
    for (int64_t i = 0; i < size.n; i++) {
        limit[i] = start[i] + size.at[i];
        one[i] = 1;
    }
    ir_value *part = hlo_slice(&rw->b, x, start, limit, one);
    if (part->type != to)
        part = ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(part), NULL, 0);
    return put(op, rw, part);
}

/* ---- shapes that come as values ----------------------------------------------------- */

static bool is_shape_of(const ir_value *shape, const ir_value *v)
{
    ir_op *def = ir_value_def(shape);
    return def && def->def == SHAPE_OP(shape_of) && operand(def, 0) == v;
}

static bool broadcast_static(ir_op *op, rw_rewriter *rw)
{
    numbers shape;
    ir_value *x = operand(op, 0);
    ir_type to = op->results[0].type, known = to;
    if (!is_static(x->type))
        return false;
    if (!is_static(to)) {
        if (!read(operand(op, 1), &shape) || shape.n != to->count)
            return false;
        known = ir_tensor_type(to->element, shape.at, to->count, NULL);
    }
    ir_value *v = ir_build1(
        &rw->b, STABLEHLO_OP(broadcast_in_dim), known, IR_VALUES(x),
        IR_ATTRS({"broadcast_dimensions", ir_op_attr(op, "broadcast_dimensions")}));
    ir_value_def(v)->attrs = op->attrs;
    if (known != to)
        v = ir_build1(&rw->b, STABLEHLO_OP(convert), to, IR_VALUES(v), NULL, 0);
    rw_replace1(rw, op, v);
    return true;
}

static bool simplify_dynamic_broadcast(ir_op *op, rw_rewriter *rw)
{
    numbers dims, inner, kept;
    ir_value *x = operand(op, 0), *shape = operand(op, 1);
    ir_op *def = ir_value_def(x);
    ir_type to = op->results[0].type;
    if (!list_of(op, "broadcast_dimensions", &dims))
        return false;
    if (broadcast_static(op, rw))
        return true;
    bool straight = is_iota(&dims) && dims.n == to->count;
    if (straight && (is_shape_of(shape, x) ||
                     (is_op(def, STABLEHLO_dynamic_reshape) && operand(def, 1) == shape)))
        return give(op, rw, x);
    if (straight && list_of(op, "known_nonexpanding_dimensions", &kept) &&
        kept.n == to->count)
        return x->type == to ? give(op, rw, x)
                             : put(op, rw,
                                   ir_build1(&rw->b, STABLEHLO_OP(convert), to,
                                             IR_VALUES(x), NULL, 0));
    if (!is_op(def, STABLEHLO_dynamic_broadcast_in_dim) ||
        !list_of(def, "broadcast_dimensions", &inner) ||
        ir_op_attr(op, "known_expanding_dimensions") ||
        ir_op_attr(op, "known_nonexpanding_dimensions"))
        return false;
    for (int64_t i = 0; i < inner.n; i++)
        inner.at[i] = dims.at[inner.at[i]];
    ir_op_set_operand(op, 0, operand(def, 0));
    ir_op_set_attr(op, "broadcast_dimensions", array(rw, &inner));
    rw_modified(rw, op);
    return true;
}

static bool simplify_dynamic_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = operand(op, 0);
    ir_type to = op->results[0].type;
    ir_op *def = ir_value_def(x);
    if (is_static(to))
        return put(op, rw,
                   ir_build1(&rw->b, STABLEHLO_OP(reshape), to, IR_VALUES(x), NULL, 0));
    if (def && (def->def->traits & IR_ELEMENTWISE) && x->type == to && def->n_operands) {
        bool same = true;
        for (uint32_t i = 0; same && i < def->n_operands; i++) {
            ir_op *shaped = ir_value_def(operand(def, i));
            same = is_op(shaped, STABLEHLO_dynamic_reshape) &&
                   operand(shaped, 1) == operand(op, 1);
        }
        if (same)
            return give(op, rw, x);
    }
    if (!is_op(def, STABLEHLO_dynamic_reshape))
        return false;
    ir_op_set_operand(op, 0, operand(def, 0));
    rw_modified(rw, op);
    return true;
}

static bool simplify_shape_of(ir_op *op, rw_rewriter *rw)
{
    ir_op *def = ir_value_def(operand(op, 0));
    return is_op(def, STABLEHLO_dynamic_reshape) && give(op, rw, operand(def, 1));
}

/* The numbers along one dimension whose size comes with the shape. */
static ir_value *count_up(ir_op *op, rw_rewriter *rw, int64_t dim)
{
    ir_value *shape = operand(op, 0);
    ir_type i64 = ir_integer_type(op->ctx, 64, IR_SIGNLESS), t = shape->type;
    if (t->element != i64)
        shape = ir_build1(&rw->b,
                          t->element->kind == IR_TYPE_INDEX ? ARITH_OP(index_cast)
                                                            : STABLEHLO_OP(convert),
                          ir_tensor_type(i64, t->dims, t->count, NULL), IR_VALUES(shape),
                          NULL, 0);
    int64_t next = dim + 1, one = 1;
    ir_value *size = hlo_slice(&rw->b, shape, &dim, &next, &one);
    ir_type element = op->results[0].type->element;
    return ir_build1(&rw->b, STABLEHLO_OP(dynamic_iota),
                     hlo_vector_type(element, IR_DYNAMIC), IR_VALUES(size),
                     IR_ATTRS({"iota_dimension", ir_i64_attr(op->ctx, 0)}));
}

static bool simplify_dynamic_iota(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (is_static(t))
        return put(op, rw, hlo_iota(&rw->b, t, dim));
    if (dim < 0 || dim >= t->count || t->count < 2)
        return false;
    ir_value *line = t->dims[dim] == IR_DYNAMIC
                         ? count_up(op, rw, dim)
                         : hlo_iota(&rw->b, hlo_vector_type(t->element, t->dims[dim]), 0);
    return put(op, rw,
               ir_build1(&rw->b, STABLEHLO_OP(dynamic_broadcast_in_dim), t,
                         IR_VALUES(line, operand(op, 0)),
                         IR_ATTRS({"broadcast_dimensions",
                                   ir_dense_i64_array(op->ctx, &dim, 1)})));
}

/* ---- regions ------------------------------------------------------------------------ */

/* Which of the values that operations of a body take together the value needs. */
static void need(const ir_value *v, const ir_block *body, bool *needed)
{
    ir_op *def = ir_value_def(v);
    bool opaque = def && def->block == body && def->n_regions;
    for (uint32_t i = 0; i < body->n_args; i++)
        if (v == body->args[i] || opaque)
            needed[i] = true;
    for (uint32_t i = 0; def && def->block == body && i < def->n_operands; i++)
        need(operand(def, i), body, needed);
}

/* The same operation on fewer tensors: those that `kept` names, whose arguments of the
 * body are n apart (2 i and 2 i + 1 where `paired`). */
static bool keep_some(ir_op *op, rw_rewriter *rw, const bool *kept, bool paired)
{
    uint32_t n = op->n_results;
    ir_value *operands[2 * MOST], *results[MOST];
    ir_type types[MOST];
    size_t count = 0, n_operands = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept[i])
            types[count++] = op->results[i].type;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (kept[i % n])
            operands[n_operands++] = operand(op, i);
    ir_op *made =
        ir_build_op(&rw->b, op->def, types, count, operands, n_operands, NULL, 0, 1);
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        if (op->props[i])
            ir_op_set_attr(made, ir_def_prop_name(op->def, i), op->props[i]);
    made->attrs = op->attrs;
    ir_region_take(&made->regions[0], &op->regions[0]);
    ir_block *body = ir_op_body(made, 0);
    for (uint32_t i = n; !paired && i-- > 0;)
        if (!kept[i])
            ir_op_splice_operands(body->last, i, 1, NULL, 0);
    for (bool again = true; again;) {
        again = false;
        for (ir_op *o = body->last->prev, *before; o; o = before) {
            before = o->prev;
            if (rw_is_trivially_dead(o)) {
                rw_erase(rw, o);
                again = true;
            }
        }
    }
    for (uint32_t i = body->n_args; i-- > 0;)
        if (!kept[paired ? i / 2 : i % n])
            ir_block_erase_arg(body, i);
    for (uint32_t i = 0, k = 0; i < n; i++)
        results[i] = kept[i] ? &made->results[k++] : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (results[i])
            rw_replace_uses(rw, &op->results[i], results[i]);
    rw_erase(rw, op);
    return true;
}

/* Tensors that are sorted along although nothing reads them. */
static bool drop_sorted(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    bool needed[2 * MOST] = {false}, kept[MOST];
    uint32_t n = op->n_results, count = 0;
    if (n < 2 || n > MOST || !body || body->n_args != 2 * n || op->n_operands != n)
        return false;
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        need(operand(body->last, i), body, needed);
    for (uint32_t i = 0; i < n; i++) {
        kept[i] = op->results[i].uses || needed[2 * i] || needed[2 * i + 1];
        count += kept[i];
    }
    return count && count < n && keep_some(op, rw, kept, true);
}

/* Tensors that are reduced along although neither users nor other results need them. */
static bool drop_reduced(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    bool kept[MOST] = {false};
    uint32_t n = op->n_results, count = 0;
    if (n < 2 || n > MOST || !body || body->n_args != 2 * n || op->n_operands != 2 * n ||
        body->last->n_operands != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = op->results[i].uses != NULL;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t i = 0; i < n; i++) {
            bool needed[2 * MOST] = {false};
            if (kept[i])
                need(operand(body->last, i), body, needed);
            for (uint32_t k = 0; k < 2 * n; k++)
                kept[k % n] = kept[k % n] || needed[k];
        }
    for (uint32_t i = 0; i < n; i++)
        count += kept[i];
    return count && count < n && keep_some(op, rw, kept, false);
}

static bool simplify_sort(ir_op *op, rw_rewriter *rw)
{
    if (drop_sorted(op, rw))
        return true;
    ir_type t = operand(op, 0)->type;
    int64_t dim = ir_op_int(op, "dimension", -1);
    if (dim >= 0 || !ir_type_is_tensor(t))
        return false;
    ir_op_set_attr(op, "dimension", ir_i64_attr(op->ctx, dim + t->count));
    rw_modified(rw, op);
    return true;
}

static bool simplify_reduce(ir_op *op, rw_rewriter *rw)
{
    numbers dims;
    ir_value *values[MOST];
    uint32_t n = op->n_results;
    if (n > MOST || op->n_operands != 2 * n || !list_of(op, "dimensions", &dims))
        return false;
    if (drop_reduced(op, rw))
        return true;
    bool empty = n > 0;
    for (uint32_t i = 0; i < n; i++)
        empty = empty && has_nothing(operand(op, i)->type) &&
                is_static(op->results[i].type) &&
                operand(op, n + i)->type->element == op->results[i].type->element;
    for (uint32_t i = 0; i < n; i++) {
        ir_type to = op->results[i].type;
        if (!empty && (dims.n || operand(op, i)->type != to))
            return false;
        values[i] = !empty      ? operand(op, i)
                    : to->count ? hlo_broadcast(&rw->b, operand(op, n + i), to->dims,
                                                to->count, NULL, 0)
                                : operand(op, n + i);
    }
    rw_replace(rw, op, values, n);
    return true;
}

/* The place of a carried value that no round changes; n_operands if all change. */
static uint32_t find_invariant(const ir_op *op)
{
    ir_block *body = ir_op_body(op, 1), *condition = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL;
    if (!end || !condition || end->n_operands != op->n_operands ||
        body->n_args != op->n_operands || condition->n_args != op->n_operands)
        return op->n_operands;
    uint32_t i = 0;
    while (i < op->n_operands && operand(end, i) != body->args[i])
        i++;
    return i;
}

/* A value that a loop only carries is read from outside. */
static bool simplify_while(ir_op *op, rw_rewriter *rw)
{
    uint32_t gone = find_invariant(op), n = op->n_operands, kept = 0;
    if (gone == n || n < 2 || n > MOST || op->n_results != n)
        return false;
    ir_value *operands[MOST], *results[MOST];
    ir_type types[MOST];
    for (uint32_t i = 0; i < n; i++)
        if (i != gone) {
            operands[kept] = operand(op, i);
            types[kept++] = op->results[i].type;
        }
    for (size_t r = 0; r < 2; r++) {
        ir_block *block = ir_op_body(op, r);
        rw_replace_uses(rw, block->args[gone], operand(op, gone));
        if (r == 1)
            ir_op_splice_operands(block->last, gone, 1, NULL, 0);
        ir_block_erase_arg(block, gone);
    }
    ir_op *made =
        ir_build_op(&rw->b, STABLEHLO_OP(while), types, kept, operands, kept, NULL, 0, 2);
    for (size_t r = 0; r < 2; r++)
        ir_region_take(&made->regions[r], &op->regions[r]);
    made->attrs = op->attrs;
    for (uint32_t i = 0, k = 0; i < n; i++)
        results[i] = i == gone ? operand(op, gone) : &made->results[k++];
    rw_replace(rw, op, results, n);
    return true;
}

/* ---- tensors of nothing ------------------------------------------------------------- */

/* Results and operands without elements are constants. */
static bool use_nothing(ir_op *op, rw_rewriter *rw)
{
    bool is_ours = strncmp(op->def->name, "stablehlo.", 10) == 0;
    if (!is_ours || (op->def->traits & (IR_CONSTANT_LIKE | IR_TERMINATOR)) ||
        is_op(op, STABLEHLO_optimization_barrier) || op->n_results == 0)
        return false;
    if (is_op(op, STABLEHLO_custom_call) && ir_op_bool(op, "has_side_effect"))
        return false;
    bool changed = false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        if (!ir_type_is_tensor(t) || !has_nothing(t) || !op->results[i].uses ||
            hlo_class_of(t->element) == HLO_OTHER || hlo_is_quantized(t->element))
            continue;
        rw_replace_uses(rw, &op->results[i], hlo_zeros(&rw->b, t));
        changed = true;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = operand(op, i);
        ir_type t = v->type;
        if (!ir_type_is_tensor(t) || !has_nothing(t) || rw_constant(v) ||
            hlo_class_of(t->element) == HLO_OTHER || hlo_is_quantized(t->element))
            continue;
        ir_op_set_operand(op, i, hlo_zeros(&rw->b, t));
        changed = true;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

/* Marks of other programs' calls as the interface of today has them. */
static bool simplify_custom_call(ir_op *op, rw_rewriter *rw)
{
    ir_attr config = ir_op_attr(op, "mhlo.backend_config");
    if (!ir_attr_is(config, IR_ATTR_DICT) || ir_op_attr(op, "backend_config"))
        return false;
    ir_op_set_attr(op, "mhlo.backend_config", NULL);
    ir_op_set_attr(op, "backend_config", config);
    ir_op_set_attr(op, "api_version",
                   ir_integer_attr(ir_integer_type(op->ctx, 32, IR_SIGNLESS),
                                   STABLEHLO_CustomCallApiVersion_API_VERSION_TYPED_FFI));
    rw_modified(rw, op);
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

static bool simplify_any(ir_op *op, rw_rewriter *rw)
{
    static const struct {
        uint16_t row;
        rw_pattern_fn *simplify;
    } rows[] = {
        {STABLEHLO_add, simplify_add},
        {STABLEHLO_and, simplify_and},
        {STABLEHLO_broadcast_in_dim, simplify_broadcast},
        {STABLEHLO_compare, simplify_compare},
        {STABLEHLO_complex, simplify_complex},
        {STABLEHLO_concatenate, simplify_concatenate},
        {STABLEHLO_convert, simplify_same},
        {STABLEHLO_custom_call, simplify_custom_call},
        {STABLEHLO_dynamic_broadcast_in_dim, simplify_dynamic_broadcast},
        {STABLEHLO_dynamic_gather, hlo_make_static},
        {STABLEHLO_dynamic_iota, simplify_dynamic_iota},
        {STABLEHLO_dynamic_pad, hlo_make_static},
        {STABLEHLO_dynamic_reshape, simplify_dynamic_reshape},
        {STABLEHLO_dynamic_slice, simplify_dynamic_slice},
        {STABLEHLO_dynamic_update_slice, simplify_update},
        {STABLEHLO_gather, simplify_gather},
        {STABLEHLO_get_dimension_size, simplify_size},
        {STABLEHLO_get_tuple_element, simplify_member},
        {STABLEHLO_imag, simplify_part},
        {STABLEHLO_iota, simplify_iota},
        {STABLEHLO_maximum, constant_right},
        {STABLEHLO_minimum, constant_right},
        {STABLEHLO_multiply, simplify_multiply},
        {STABLEHLO_or, simplify_or},
        {STABLEHLO_pad, simplify_pad},
        {STABLEHLO_real, simplify_part},
        {STABLEHLO_real_dynamic_slice, hlo_make_static},
        {STABLEHLO_reduce, simplify_reduce},
        {STABLEHLO_reshape, simplify_reshape},
        {STABLEHLO_reverse, simplify_reverse},
        {STABLEHLO_select, simplify_select},
        {STABLEHLO_slice, simplify_slice},
        {STABLEHLO_sort, simplify_sort},
        {STABLEHLO_subtract, simplify_subtract},
        {STABLEHLO_transpose, simplify_transpose},
        {STABLEHLO_tuple, simplify_tuple},
        {STABLEHLO_while, simplify_while},
        {STABLEHLO_xor, simplify_xor},
    };
    if (op->def == SHAPE_OP(shape_of))
        return simplify_shape_of(op, rw);
    if (!is_op(op, STABLEHLO_reverse) && use_nothing(op, rw))
        return true;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return rows[i].simplify(op, rw);
    return false;
}

const rw_pattern hlo_simplify_any = {NULL, simplify_any, "simplify"};

static bool run(ir_op *func, pass_run *run)
{
    hlo_optimize options = {.most_elements = pass_option_int(run, "fold-op-element-limit")};
    rw_greedy(func, &hlo_simplify_any, 1,
              &(rw_options){.bottom_up = true, .user = &options});
    return true;
}

static bool run_both(ir_op *func, pass_run *run)
{
    hlo_optimize options = {
        .most_elements = pass_option_int(run, "fold-op-element-limit"),
        .folds_floats = pass_option_bool(run, "optimize-float"),
        .trusts_declared_effects =
            pass_option_bool(run, "assume-no-undeclared-side-effects"),
    };
    rw_pattern both[] = {hlo_fold_any, hlo_simplify_any};
    rw_greedy(func, both, 2, &(rw_options){.bottom_up = true, .user = &options});
    return true;
}

const pass_def stablehlo_aggressive_simplification_pass = {
    .name = "stablehlo-aggressive-simplification",
    .title = "StablehloAggressiveSimplificationPass",
    .summary = "Canonicalizes StableHLO operations",
    .anchor = "func.func",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"fold-op-element-limit", PASS_INT, "65536",
                                  "How many elements a choice between constants may have"}),
};

const pass_def stablehlo_target_independent_optimization_pass = {
    .name = "stablehlo-target-independent-optimization",
    .title = "StablehloTargetIndependentOptimizationPass",
    .summary = "Runs canonicalizers, folders, and other target-independent optimizations.",
    .anchor = "func.func",
    .run = run_both,
    .options = IR_LIST(
        pass_option_def,
        {"assume-no-undeclared-side-effects", PASS_BOOL, "false",
         "Take it that what declares no side effects has none"},
        {"fold-op-element-limit", PASS_INT, "65536",
         "How many elements a folded constant that is no splat may have"},
        {"optimize-float", PASS_BOOL, "true",
         "Compute floating-point operations too, which may round otherwise elsewhere"}),
};
