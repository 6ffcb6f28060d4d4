/* fuse_reduce.c: reductions, softmax and norms written out; heads, repeats, top-k. */
#include "ttir/passes/fuse.h"

#include <math.h>

static bool is_reduction(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_sum,       TTIR_mean,  TTIR_max,
                                    TTIR_min,       TTIR_prod,  TTIR_reduce_and,
                                    TTIR_reduce_or, TTIR_argmax};
    for (size_t i = 0; op && i < TW_COUNT(rows); i++)
        if (op->def == &ttir_ops[rows[i]])
            return true;
    return false;
}

/* The one dimension that is reduced; -1 if there are more. */
static int64_t only_dim(const ir_op *op)
{
    int64_t dims[TTIR_MAX_DIMS];
    bool one = ir_op_attr(op, "dim_arg") && ttir_reduced_dims(op, dims) == 1;
    return one ? dims[0] : -1;
}

static ir_op *kept_reduction(ir_value *v, const ir_op_def *def)
{
    ir_op *op = ttir_producer(v, def);
    return op && ir_op_bool(op, "keep_dim") ? op : NULL;
}

/* A reduction whose reshape puts the dimensions back keeps them itself. */
bool ttir_fuse_kept_dims(ir_op *op, rw_rewriter *rw)
{
    int64_t reduced[TTIR_MAX_DIMS];
    ir_value *v = op->operands[0].value;
    ir_op *reduction = ttir_source(v);
    ir_type to = op->results[0].type;
    if (!is_reduction(reduction) || !ir_value_has_one_use(v) ||
        ir_op_bool(reduction, "keep_dim"))
        return false;
    ir_type from = reduction->operands[0].value->type;
    if (from->count != to->count || to->count > TTIR_MAX_DIMS)
        return false;
    size_t n = ttir_reduced_dims(reduction, reduced);
    for (uint32_t i = 0; i < to->count; i++) {
        bool gone = false;
        for (size_t k = 0; k < n; k++)
            gone |= reduced[k] == i;
        if (to->dims[i] != (gone ? 1 : from->dims[i]))
            return false;
    }
    rw_replace1(rw, op,
                ir_build1(&rw->b, reduction->def, to,
                          IR_VALUES(reduction->operands[0].value),
                          IR_ATTRS({"keep_dim", ir_bool_attr(op->ctx, true)},
                                   {"dim_arg", ir_op_attr(reduction, "dim_arg")})));
    return true;
}

/* ---- softmax ------------------------------------------------------------------------ */

/* v, or what it repeats, if nothing else reads either. */
static ir_value *before_broadcast(ir_value *v)
{
    ir_op *def = ttir_only_producer(v, TTIR_OP(broadcast));
    return def ? def->operands[0].value : v;
}

static size_t use_count(const ir_value *v)
{
    size_t n = 0;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        n++;
    return n;
}

static ir_value *build_softmax(rw_rewriter *rw, ir_value *x, int64_t dim, bool stable)
{
    return ir_build1(&rw->b, TTIR_OP(softmax), x->type, IR_VALUES(x),
                     IR_ATTRS({"dimension", ir_si32_attr(rw->b.ctx, dim)},
                              {"numericStable", ir_bool_attr(rw->b.ctx, stable)}));
}

/* What a cast between floats takes, one that loses no digits unless it may; v otherwise. */
static ir_value *behind_float_cast(ir_value *v, bool lossy)
{
    ir_op *cast = ttir_producer(v, TTIR_OP(typecast));
    ir_value *from = cast ? cast->operands[0].value : v;
    ir_type a = ir_type_element(from->type), b = ir_type_element(v->type);
    bool floats = a->kind == IR_TYPE_FLOAT && b->kind == IR_TYPE_FLOAT;
    return floats && (lossy || b->width >= a->width) ? from : v;
}

/* exp(x) / sum(exp(x)); jax sums narrow numbers as wide ones. */
bool ttir_fuse_softmax(ir_op *op, rw_rewriter *rw)
{
    ir_value *above = op->operands[0].value, *below = op->operands[1].value;
    ir_op *e = ttir_producer(above, TTIR_OP(exp));
    ir_value *total = before_broadcast(below), *wide = behind_float_cast(total, true);
    ir_op *sum = kept_reduction(wide, TTIR_OP(sum));
    if (!e || !sum || use_count(above) != 2 || !ir_value_has_one_use(total) ||
        !ir_value_has_one_use(wide))
        return false;
    ir_value *summed = sum->operands[0].value;
    if (summed != above &&
        (behind_float_cast(summed, false) != above || !ir_value_has_one_use(summed)))
        return false;
    ir_value *x = e->operands[0].value;
    int64_t dim = only_dim(sum);
    if (dim < 0 || x->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, build_softmax(rw, x, dim, false));
    return true;
}

/* The maximum itself; jax compares it with minus infinity first, and puts the dimension
 * back behind that. */
static ir_op *maximum_of(ir_value *v)
{
    ir_op *reshape = ttir_only_producer(v, TTIR_OP(reshape));
    v = reshape ? reshape->operands[0].value : v;
    ir_op *max = ttir_producer(v, TTIR_OP(max)),
          *guard = ttir_producer(v, TTIR_OP(maximum));
    for (uint32_t i = 0; !max && guard && i < 2; i++) {
        double low;
        if (ttir_is_filled(ttir_behind_shapes(guard->operands[1 - i].value), &low) &&
            low < 0 && isinf(low))
            max = ttir_producer(guard->operands[i].value, TTIR_OP(max));
    }
    return max;
}

/* Whether v has the shape of x, with 1 at the dimension. */
static bool is_kept(const ir_value *v, const ir_value *x, int64_t dim)
{
    const ir_type a = v->type, b = x->type;
    bool kept = a->count == b->count;
    for (uint32_t i = 0; kept && i < a->count; i++)
        kept = a->dims[i] == ((int64_t)i == dim ? 1 : b->dims[i]);
    return kept;
}

/* softmax(x - max(x)) does not run over. */
bool ttir_fuse_stable_softmax(ir_op *op, rw_rewriter *rw)
{
    ir_op *sub = ttir_only_producer(op->operands[0].value, TTIR_OP(subtract));
    if (!sub)
        return false;
    ir_value *x = sub->operands[0].value, *top = before_broadcast(sub->operands[1].value);
    ir_op *max = ir_value_has_one_use(top) ? maximum_of(top) : NULL;
    int64_t dim = ttir_dim(ir_op_int(op, "dimension", 0), op->results[0].type->count);
    if (!max || max->operands[0].value != x || only_dim(max) != dim ||
        !is_kept(top, x, dim) || x->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, build_softmax(rw, x, dim, true));
    return true;
}

/* ---- mean --------------------------------------------------------------------------- */

/* sum(x) * (1 / count) */
bool ttir_fuse_mean(ir_op *op, rw_rewriter *rw)
{
    ir_op *sum = ttir_only_producer(op->operands[0].value, TTIR_OP(sum));
    int64_t dims[TTIR_MAX_DIMS], count = 1;
    double fill;
    if (!sum || !ttir_is_filled(op->operands[1].value, &fill) ||
        sum->results[0].type != op->results[0].type)
        return false;
    ir_value *x = sum->operands[0].value;
    if (x->type->count > TTIR_MAX_DIMS || ir_type_element(x->type)->kind != IR_TYPE_FLOAT)
        return false;
    size_t n = ttir_reduced_dims(sum, dims);
    for (size_t i = 0; i < n; i++)
        count *= x->type->dims[dims[i]];
    double want = 1.0 / (double)TW_MAX(count, 1);
    double off = ttir_fuse_exact(rw) ? 1e-6 * want : fmax(1e-4, 1e-4 * want);
    if (count == 0 || fabs(fill - want) > off)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(mean), op->results[0].type, IR_VALUES(x),
                          IR_ATTRS({"keep_dim", ir_op_attr(sum, "keep_dim")},
                                   {"dim_arg", ir_op_attr(sum, "dim_arg")})));
    return true;
}

/* The mean over height and width is one over their product. */
bool ttir_join_spatial_dims(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type t = x->type, to = op->results[0].type;
    if (t->count != 4 || !ir_op_attr(op, "dim_arg") || ttir_reduced_dims(op, dims) != 2 ||
        TW_MIN(dims[0], dims[1]) != 1 || TW_MAX(dims[0], dims[1]) != 2 ||
        !ir_value_has_one_use(x))
        return false;
    const int64_t joined[] = {t->dims[0], 1, t->dims[1] * t->dims[2], t->dims[3]};
    static const int64_t over[] = {2};
    x = ttir_build_reshape(&rw->b, x, joined, 4);
    x = ttir_build_reduce(&rw->b, TTIR_OP(mean), x, over, 1);
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, x, to->dims, to->count));
    return true;
}

/* ---- rms norm ----------------------------------------------------------------------- */

/* v behind casts and shapes that leave the last dimension, of `size`, where it is. */
static ir_value *behind_layout(ir_value *v, int64_t size, bool exact)
{
    for (;;) {
        ir_op *def = ttir_source(v);
        bool cast = ir_op_is(def, TTIR_OP(typecast)) && !exact;
        if (!cast && !ir_op_is(def, TTIR_OP(reshape)) && !ir_op_is(def, TTIR_OP(broadcast)))
            return v;
        ir_type from = def->operands[0].value->type, to = v->type;
        if (!cast && from->count && to->count &&
            from->dims[from->count - 1] != to->dims[to->count - 1] &&
            !(def->def == TTIR_OP(broadcast) && to->dims[to->count - 1] == size))
            return v;
        v = def->operands[0].value;
    }
}

static ir_value *behind_cast(ir_value *v, bool exact)
{
    ir_op *cast = exact ? NULL : ttir_producer(v, TTIR_OP(typecast));
    return cast ? cast->operands[0].value : v;
}

/* v behind casts and shapes that keep a last dimension of size 1, and with it the order of
 * the rows. */
static ir_value *behind_kept(ir_value *v, bool exact)
{
    for (;;) {
        ir_op *def = ttir_source(v);
        bool cast = ir_op_is(def, TTIR_OP(typecast)) && !exact;
        if (!cast && !(ir_op_is(def, TTIR_OP(reshape)) && ttir_has_kept_dim(v->type) &&
                       ttir_has_kept_dim(def->operands[0].value->type)))
            return v;
        v = def->operands[0].value;
    }
}

/* What gives each row of v, of `size` elements, its one value; NULL if v differs within
 * rows or repeats them. */
static ir_value *one_per_row(ir_value *v, int64_t size, bool exact)
{
    int64_t n = ir_type_num_elements(v->type);
    v = behind_cast(v, exact);
    ir_op *broadcast = ttir_producer(v, TTIR_OP(broadcast));
    v = broadcast ? broadcast->operands[0].value : v;
    return ttir_has_kept_dim(v->type) &&
                   (!broadcast || ir_type_num_elements(v->type) * size == n)
               ? behind_kept(v, exact)
               : NULL;
}

/* What a reshape gives a last dimension of size 1; NULL if v is none. */
static ir_value *before_kept(ir_value *v)
{
    ir_op *reshape = v ? ttir_producer(v, TTIR_OP(reshape)) : NULL;
    ir_type from = reshape ? reshape->operands[0].value->type : NULL;
    bool adds = from && v->type->count == from->count + 1 && ttir_has_kept_dim(v->type) &&
                ir_type_num_elements(v->type) == ir_type_num_elements(from);
    return adds ? reshape->operands[0].value : NULL;
}

/* mean(x * x) over the last dimension, plus epsilon, under rsqrt; x and epsilon are found.
 * The mean has kept its dimension, or the rsqrt gets it back. */
static ir_value *squared_under(ir_value *v, int64_t size, bool exact, ir_attr *epsilon)
{
    ir_value *kept = one_per_row(v, size, exact), *dropped = before_kept(kept);
    kept = dropped ? dropped : kept;
    ir_op *rsqrt = kept ? ttir_producer(kept, TTIR_OP(rsqrt)) : NULL;
    ir_op *add =
        rsqrt ? ttir_producer(behind_kept(rsqrt->operands[0].value, exact), TTIR_OP(add))
              : NULL;
    ir_value *mean_value, *eps;
    if (!add || !ttir_either(add, TTIR_OP(mean), &mean_value, &eps))
        return NULL;
    ir_op *mean = ttir_source(mean_value), *full = ttir_producer(eps, TTIR_OP(full));
    *epsilon = full ? ir_op_attr(full, "fill_value") : NULL;
    ir_value *square = mean->operands[0].value;
    if (!ir_attr_is(*epsilon, IR_ATTR_FLOAT) ||
        !(dropped ? mean_value->type->count + 1 == square->type->count
                  : ttir_has_kept_dim(mean_value->type)) ||
        only_dim(mean) != (int64_t)square->type->count - 1)
        return NULL;
    ir_op *mul = ttir_producer(square, TTIR_OP(multiply)),
          *pow = ttir_producer(square, TTIR_OP(pow));
    if (mul && mul->operands[0].value == mul->operands[1].value)
        return mul->operands[0].value;
    if (pow && ttir_is_all(pow->operands[1].value, 2, 1e-6))
        return pow->operands[0].value;
    return NULL;
}

/* Whether the value has the element type, or was computed wider from values of it. */
static bool can_be(const ir_value *v, ir_type element, bool exact)
{
    ir_op *def = ir_value_def(v);
    if (ir_type_element(v->type) == element)
        return true;
    for (uint32_t i = 0; def && !exact && i < def->n_operands; i++) {
        ir_op *cast = ttir_producer(def->operands[i].value, TTIR_OP(typecast));
        if (cast && ir_type_element(cast->operands[0].value->type) == element)
            return true;
    }
    return false;
}

/* gamma * (x * rsqrt(mean(x * x) + epsilon)) */
bool ttir_fuse_rms_norm(ir_op *op, rw_rewriter *rw)
{
    bool exact = ttir_fuse_exact(rw);
    ir_type to = op->results[0].type;
    if (to->count == 0 || to->count > TTIR_MAX_DIMS)
        return false;
    int64_t size = to->dims[to->count - 1];
    for (uint32_t i = 0; i < 4; i++) {
        ir_value *scaled = behind_cast(op->operands[i & 1].value, exact);
        ir_value *gamma = ttir_row_vector(op->operands[1 - (i & 1)].value, !exact);
        ir_op *inner = ttir_producer(scaled, TTIR_OP(multiply));
        ir_attr epsilon;
        if (!inner || !gamma)
            continue;
        ir_value *square =
            squared_under(inner->operands[i >> 1].value, size, exact, &epsilon);
        ir_value *x = behind_layout(inner->operands[1 - (i >> 1)].value, size, exact);
        if (!square || behind_layout(square, size, exact) != x || x->type->count == 0 ||
            x->type->dims[x->type->count - 1] != size ||
            ir_type_num_elements(gamma->type) != size ||
            !can_be(x, ir_type_element(gamma->type), exact) ||
            ir_type_num_elements(x->type) != ir_type_num_elements(to))
            continue;
        gamma = ttir_build_reshape(&rw->b, gamma, &size, 1);
        x = ttir_build_typecast(&rw->b, x, ir_type_element(gamma->type));
        ir_attr shape = ir_dense_i64_array(op->ctx, &size, 1);
        ir_attr eps = ir_f32_attr(op->ctx, ir_attr_real(epsilon, 0));
        ir_op *norm = ir_build_op(
            &rw->b, TTIR_OP(rms_norm), &x->type, 1, (ir_value *[]){x, gamma, NULL}, 3,
            IR_ATTRS({"normalized_shape", shape}, {"epsilon", eps}), 0);
        ir_value *y =
            ttir_build_reshape(&rw->b, ir_op_result(norm, 0), to->dims, to->count);
        rw_replace1(rw, op, ttir_build_typecast(&rw->b, y, ir_type_element(to)));
        return true;
    }
    return false;
}

/* ---- moving ------------------------------------------------------------------------- */

/* [batch, heads, sequence, size] joined to [batch, sequence, heads * size] */
bool ttir_fuse_heads(ir_op *op, rw_rewriter *rw)
{
    int64_t order[TTIR_MAX_DIMS];
    ir_op *permute = ttir_producer(op->operands[0].value, TTIR_OP(permute));
    ir_type to = op->results[0].type;
    if (!permute || ttir_numbers(permute, "permutation", order) != 4 || order[0] != 0 ||
        order[1] != 2 || order[2] != 1 || order[3] != 3)
        return false;
    ir_value *x = permute->operands[0].value;
    const int64_t *d = x->type->dims, joined[] = {d[0], d[2], d[1] * d[3]};
    ir_type type = ir_type_with_shape(x->type, joined, 3);
    bool flat = to->count == 2 && to->dims[0] == d[0] * d[2] && to->dims[1] == joined[2];
    if (!flat && !ttir_same_shape(to, type))
        return false;
    ir_value *y =
        ir_build1(&rw->b, TTIR_OP(concatenate_heads), type, IR_VALUES(x), NULL, 0);
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, y, to->dims, to->count));
    return true;
}

/* The dimension of size 1 that only the longer shape has; -1 if that is not the difference.
 */
static int64_t inserted_one(ir_type from, ir_type to)
{
    uint32_t at = 0;
    if (to->count != from->count + 1)
        return -1;
    while (at < from->count && from->dims[at] == to->dims[at])
        at++;
    for (uint32_t i = at; i < from->count; i++)
        if (from->dims[i] != to->dims[i + 1])
            return -1;
    return to->dims[at] == 1 ? (int64_t)at : -1;
}

/* A dimension put in, repeated and joined to its neighbour repeats that neighbour. */
bool ttir_fuse_repeat(ir_op *op, rw_rewriter *rw)
{
    int64_t factors[TTIR_MAX_DIMS], times[TTIR_MAX_DIMS], at = -1;
    ir_type to = op->results[0].type;
    ir_op *broadcast = ttir_only_producer(op->operands[0].value, TTIR_OP(broadcast));
    ir_op *insert = broadcast
                        ? ttir_only_producer(broadcast->operands[0].value, TTIR_OP(reshape))
                        : NULL;
    if (!insert)
        return false;
    ir_value *x = insert->operands[0].value;
    ir_type from = x->type;
    size_t n = ttir_numbers(broadcast, "broadcast_dimensions", factors);
    for (size_t i = 0; i < n; i++) {
        if (factors[i] == 1)
            continue;
        if (at >= 0)
            return false;
        at = (int64_t)i;
    }
    if (at < 0 || to->count != from->count || n != from->count + 1 ||
        insert->results[0].type->dims[at] != 1)
        return false;
    /* ones may stand beside the one put in: any of them is it */
    int64_t extra = inserted_one(from, insert->results[0].type), grown = -1;
    for (int64_t i = TW_MIN(extra, at); extra >= 0 && i <= TW_MAX(extra, at); i++)
        if (insert->results[0].type->dims[i] != 1)
            return false;
    for (uint32_t i = 0; i < to->count; i++) {
        times[i] = 1;
        if (to->dims[i] == from->dims[i])
            continue;
        if (grown >= 0 || to->dims[i] != from->dims[i] * factors[at])
            return false;
        grown = i;
        times[i] = factors[at];
    }
    if (extra < 0 || grown < 0 || (grown != at && grown != at - 1))
        return false;
    ir_value *y;
    if (grown == at)
        y = ir_build1(
            &rw->b, TTIR_OP(repeat), to, IR_VALUES(x),
            IR_ATTRS({"repeat_dimensions", ir_dense_i64_array(op->ctx, times, to->count)}));
    else
        y = ir_build1(
            &rw->b, TTIR_OP(repeat_interleave), to, IR_VALUES(x),
            IR_ATTRS({"repeats", ir_integer_attr(ir_integer_type(op->ctx, 32, IR_UNSIGNED),
                                                 factors[at])},
                     {"dim", ir_si32_attr(op->ctx, grown)}));
    rw_replace1(rw, op, y);
    return true;
}

/* The first or last k of one dimension, the others whole: which k; 0 if it is not that. */
static int64_t slice_of_ends(ir_op *slice, int64_t dim, bool *tail)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_type t = slice->operands[0].value->type;
    if (ttir_numbers(slice, "begins", begins) != t->count ||
        ttir_numbers(slice, "ends", ends) != t->count ||
        ttir_numbers(slice, "step", steps) != t->count)
        return 0;
    for (uint32_t i = 0; i < t->count; i++) {
        begins[i] = ttir_dim(begins[i], t->dims[i]);
        ends[i] = ttir_dim(ends[i], t->dims[i]);
        if (steps[i] != 1 || (i != dim && (begins[i] != 0 || ends[i] != t->dims[i])))
            return 0;
    }
    if (begins[dim] != 0 && ends[dim] != t->dims[dim])
        return 0;
    *tail = begins[dim] != 0;
    return ends[dim] - begins[dim];
}

/* Sorting of which only the first or last k are read. */
bool ttir_fuse_topk(ir_op *op, rw_rewriter *rw)
{
    ir_op *slices[2] = {0}, *first = NULL;
    ir_type types[2], t = op->operands[0].value->type;
    int64_t dim = ttir_dim(ir_op_int(op, "dim", -1), t->count), k = 0;
    bool tail = false;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *v = &op->results[i];
        if (ir_value_unused(v))
            continue;
        slices[i] = ir_value_has_one_use(v) ? v->uses->owner : NULL;
        if (!ir_op_is(slices[i], TTIR_OP(slice_static)))
            return false;
        if (first && (ir_op_attr(first, "begins") != ir_op_attr(slices[i], "begins") ||
                      ir_op_attr(first, "ends") != ir_op_attr(slices[i], "ends")))
            return false;
        first = slices[i];
        k = slice_of_ends(slices[i], dim, &tail);
        if (k == 0)
            return false;
    }
    /* from the end, topk would give the other order */
    if (!first || dim < 0 || t->count > TTIR_MAX_DIMS || (tail && ttir_fuse_exact(rw)))
        return false;
    int64_t shape[TTIR_MAX_DIMS];
    memcpy(shape, t->dims, t->count * sizeof *shape);
    shape[dim] = k;
    types[0] = ir_type_with_shape(t, shape, t->count);
    types[1] =
        slices[1] ? slices[1]->results[0].type
                  : ir_type_with_element(types[0], ir_integer_type(op->ctx, 32, IR_SIGNED));
    bool largest = ir_op_bool(op, "descending") != tail;
    ir_op *topk = ir_build_op(&rw->b, TTIR_OP(topk), types, 2, &op->operands[0].value, 1,
                              IR_ATTRS({"k", ir_i32_attr(op->ctx, k)},
                                       {"dim", ir_i32_attr(op->ctx, dim)},
                                       {"largest", ir_bool_attr(op->ctx, largest)},
                                       {"sorted", ir_bool_attr(op->ctx, true)}),
                              0);
    for (uint32_t i = 0; i < 2; i++)
        if (slices[i])
            rw_replace1(rw, slices[i], ir_op_result(topk, i));
    return true;
}
