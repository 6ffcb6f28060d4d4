/* canonicalize.c: canonicalizes sdy's collectives and manual computations: erases no-ops
 * and pairs that cancel, and merges pairs that one op can express. */
#include "mlir/passes/canonical.h"
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"

#include <stdlib.h>

static const char label[] = "sdy-collective";

static ir_op *producer(const ir_op *op, const ir_op_def *def)
{
    ir_op *made = ir_value_def(op->operands[0].value);
    return ir_op_is(made, def) ? made : NULL;
}

static ir_attr list_of(const ir_op *op, const char *name)
{
    return ir_op_attr(op, name)->params[0];
}

static ir_value *build(rw_rewriter *rw, const ir_op *like, const ir_op_def *def,
                       ir_value *tensor, const char *name, ir_attr axes, ir_attr sharding,
                       ir_attr reduction)
{
    rw->b.loc = like->loc;
    return ir_build1(
        &rw->b, def, like->results[0].type, IR_VALUES(tensor),
        IR_ATTRS({name, axes}, {"out_sharding", sharding}, {"reduction_op", reduction}));
}

/* ---- collectives without axes ------------------------------------------------------- */

static bool is_empty(const ir_op *op)
{
    static const char *const names[] = {"gathering_axes", "slicing_axes", "reduction_axes",
                                        "reduce_scatter_axes"};
    ir_attr axes = NULL;
    for (size_t i = 0; i < TW_COUNT(names) && !axes; i++)
        axes = ir_def_prop_index(op->def, tw_str_from(names[i])) != SIZE_MAX
                   ? ir_op_attr(op, names[i])
                   : NULL;
    if (!axes)
        return false;
    ir_attr list = axes->params[0];
    for (uint32_t i = 0; i < sdy_length(list); i++)
        if (list->items[i]->def == SDY_ATTR(axis_ref) ||
            sdy_length(list->items[i]->params[0]))
            return false;
    return true;
}

static bool drop_empty(ir_op *op, rw_rewriter *rw)
{
    if (!is_empty(op))
        return false;
    rw_replace1(rw, op, op->operands[0].value);
    return true;
}

static bool drop_permute(ir_op *op, rw_rewriter *rw)
{
    ir_attr from = sdy_sharding_of(op->operands[0].value);
    if (!from || !sdy_shardings_equal(from, ir_op_attr(op, "out_sharding"), false))
        return false;
    rw_replace1(rw, op, op->operands[0].value);
    return true;
}

/* ---- pairs -------------------------------------------------------------------------- */

static bool slice_of_gather(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, SDY_OP(all_gather));
    if (!inner || ir_op_attr(inner, "gathering_axes") != ir_op_attr(op, "slicing_axes"))
        return false;
    rw_replace1(rw, op, inner->operands[0].value);
    return true;
}

static bool reduce_of_replicated(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, SDY_OP(replicated_to_unreduced));
    if (!inner || ir_op_attr(inner, "axes") != ir_op_attr(op, "reduction_axes"))
        return false;
    rw_replace1(rw, op, inner->operands[0].value);
    return true;
}

static bool reduce_of_sharded(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = producer(op, SDY_OP(sharded_to_unreduced));
    ir_attr mesh = inner ? sdy_mesh_of(inner, ir_op_attr(inner, "out_sharding")) : NULL;
    sdy_axes axes = {.n = 0};
    if (!mesh)
        return false;
    ir_attr per_dim = list_of(inner, "axes");
    for (uint32_t i = 0; i < sdy_length(per_dim); i++)
        if (!sdy_axes_add_all(&axes, per_dim->items[i]->params[0]))
            return false;
    sdy_axes_sort(&axes, mesh);
    if (!sdy_axes_equal(&axes, list_of(op, "reduction_axes")))
        return false;
    rw_replace1(rw, op,
                build(rw, op, SDY_OP(all_gather), inner->operands[0].value,
                      "gathering_axes", ir_op_attr(inner, "axes"),
                      ir_op_attr(op, "out_sharding"), NULL));
    return true;
}

static bool touches(ir_attr moves, int64_t dim)
{
    for (uint32_t i = 0; i < sdy_length(moves); i++)
        if (moves->items[i]->params[1]->value == dim ||
            moves->items[i]->params[2]->value == dim)
            return true;
    return false;
}

/* Merges two all_to_alls between different dimensions, parameters ordered by source
 * dimension. */
static bool join_exchanges(ir_op *op, rw_rewriter *rw)
{
    enum { MAX_MOVES = 64 };
    ir_attr both[MAX_MOVES];
    uint32_t n = 0;
    ir_op *inner = producer(op, SDY_OP(all_to_all));
    if (!op->results[0].uses) {
        rw_erase(rw, op);
        return true;
    }
    if (!inner || !ir_value_has_one_use(&inner->results[0]))
        return false;
    ir_attr lists[] = {list_of(inner, "params"), list_of(op, "params")};
    if (sdy_length(lists[0]) + sdy_length(lists[1]) > MAX_MOVES)
        return false;
    for (uint32_t i = 0; i < sdy_length(lists[1]); i++)
        if (touches(lists[0], lists[1]->items[i]->params[1]->value) ||
            touches(lists[0], lists[1]->items[i]->params[2]->value))
            return false;
    for (size_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < sdy_length(lists[l]); i++) {
            uint32_t k = n++;
            int64_t source = lists[l]->items[i]->params[1]->value;
            for (; k > 0 && both[k - 1]->params[1]->value > source; k--)
                both[k] = both[k - 1];
            both[k] = lists[l]->items[i];
        }
    ir_attr list = ir_array_attr(op->ctx, both, n);
    ir_attr params = ir_dialect_attr(op->ctx, SDY_ATTR(all_to_all_param_list), &list, 1);
    rw_replace1(rw, op,
                build(rw, op, SDY_OP(all_to_all), inner->operands[0].value, "params",
                      params, ir_op_attr(op, "out_sharding"), NULL));
    return true;
}

/* ---- all_reduce then all_slice: reduce_scatter -------------------------------------- */

enum { MAX_RANK = 64 };

/* The axes of a slice that the scatter takes over, and those left. */
typedef struct scatter {
    ir_attr taken[MAX_RANK], left[MAX_RANK], dims[MAX_RANK];
    uint32_t rank;
    bool any_left;
} scatter;

static bool take(sdy_axes *from, ir_attr axis)
{
    for (size_t i = 0; i < from->n; i++)
        if (from->at[i] == axis) {
            from->at[i] = from->at[--from->n];
            return true;
        }
    return false;
}

/* Takes the leading axes of each dimension that are being reduced; false if some are in
 * no dimension. */
static bool split_axes(const ir_op *reduce, const ir_op *slice, scatter *out)
{
    ir_context *ctx = reduce->ctx;
    ir_attr per_dim = list_of(slice, "slicing_axes");
    ir_attr to = ir_op_attr(reduce, "out_sharding");
    ir_attr from = sdy_sharding_of(reduce->operands[0].value);
    ir_attr mesh = sdy_mesh_of((ir_op *)reduce, to);
    sdy_axes open = {.n = 0}, axes;
    out->rank = sdy_length(per_dim);
    if (!mesh || out->rank > MAX_RANK || out->rank != sdy_sharding_rank(to) ||
        (from && sdy_sharding_rank(from) != out->rank) ||
        !sdy_axes_add_all(&open, list_of(reduce, "reduction_axes")))
        return false;
    for (uint32_t i = 0; i < out->rank; i++) {
        ir_attr list = per_dim->items[i]->params[0];
        uint32_t n = 0;
        while (n < sdy_length(list) && take(&open, list->items[n]))
            n++;
        ir_attr first = ir_array_attr(ctx, n ? list->items : NULL, n);
        ir_attr rest = ir_array_attr(ctx, n < sdy_length(list) ? list->items + n : NULL,
                                     sdy_length(list) - n);
        out->taken[i] = ir_dialect_attr(ctx, SDY_ATTR(axis_ref_list), &first, 1);
        out->left[i] = ir_dialect_attr(ctx, SDY_ATTR(axis_ref_list), &rest, 1);
        out->any_left |= rest->count > 0;
        axes.n = 0;
        if (from)
            sdy_axes_add_all(&axes, from->params[1]->items[i]->params[0]);
        for (uint32_t k = 0; k < n; k++)
            sdy_axes_add_joined(&axes, list->items[k], mesh);
        ir_attr dim[] = {sdy_axes_array(ctx, &axes), ir_raw_int(ctx, 1), NULL};
        out->dims[i] = ir_dialect_attr(ctx, SDY_ATTR(dimension_sharding), dim, 3);
    }
    return open.n == 0;
}

static bool is_first_of_equals(const ir_op *reduce, ir_op *slice)
{
    for (ir_operand *use = reduce->results[0].uses; use; use = use->next_use)
        if (use->owner->def != slice->def || use->owner->block != slice->block ||
            ir_op_attr(use->owner, "slicing_axes") != ir_op_attr(slice, "slicing_axes") ||
            (use->owner != slice && ir_op_before(use->owner, slice)))
            return false;
    return true;
}

static ir_attr list_attr(ir_context *ctx, const ir_attr *items, uint32_t n)
{
    ir_attr list = ir_array_attr(ctx, items, n);
    return ir_dialect_attr(ctx, SDY_ATTR(list_of_axis_ref_lists), &list, 1);
}

static bool fuse_scatter(ir_op *op, rw_rewriter *rw)
{
    ir_op *reduce = producer(op, SDY_OP(all_reduce));
    scatter s = {.rank = 0};
    if (!reduce || !is_first_of_equals(reduce, op) || !split_axes(reduce, op, &s))
        return false;
    ir_attr to = ir_op_attr(op, "out_sharding");
    ir_attr params[] = {ir_op_attr(reduce, "out_sharding")->params[0],
                        ir_array_attr(op->ctx, s.dims, s.rank), to->params[2],
                        to->params[3], to->params[4]};
    ir_attr sharding =
        ir_dialect_attr(op->ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
    ir_value *result = build(rw, reduce, SDY_OP(reduce_scatter), reduce->operands[0].value,
                             "reduce_scatter_axes", list_attr(op->ctx, s.taken, s.rank),
                             sharding, ir_op_attr(reduce, "reduction_op"));
    if (s.any_left)
        result = build(rw, op, SDY_OP(all_slice), result, "slicing_axes",
                       list_attr(op->ctx, s.left, s.rank), to, NULL);
    while (reduce->results[0].uses)
        rw_replace1(rw, reduce->results[0].uses->owner, result);
    rw_erase(rw, reduce);
    return true;
}

/* ---- manual_computation ------------------------------------------------------------- */

static bool drop_unused_inputs(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    ir_attr shardings = list_of(op, "in_shardings");
    uint32_t n = op->n_operands, kept = 0;
    if (!body || body->n_args != n || sdy_length(shardings) != n)
        return false;
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    ir_attr *in = tw_xmalloc((n + 1) * sizeof *in);
    for (uint32_t i = 0; i < n; i++)
        if (body->args[i]->uses) {
            values[kept] = op->operands[i].value;
            in[kept++] = shardings->items[i];
        }
    if (kept < n) {
        ir_attr list = ir_array_attr(op->ctx, in, kept);
        for (uint32_t i = n; i-- > 0;)
            if (!body->args[i]->uses)
                ir_block_erase_arg(body, i);
        ir_op_splice_operands(op, 0, n, values, kept);
        ir_op_set_attr(op, "in_shardings",
                       ir_dialect_attr(op->ctx, SDY_ATTR(sharding_per_value), &list, 1));
        rw_modified(rw, op);
    }
    free(values);
    free(in);
    return kept < n;
}

/* The product of the sizes of the computation's manual axes. */
static int64_t manual_size(ir_op *op)
{
    ir_attr lists[] = {list_of(op, "in_shardings"), list_of(op, "out_shardings")};
    ir_attr names = list_of(op, "manual_axes"), mesh = NULL;
    int64_t size = 1;
    for (size_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < sdy_length(lists[l]); i++) {
            ir_attr m = sdy_mesh_of(op, lists[l]->items[i]);
            mesh = m && sdy_length(m->params[0]) ? m : mesh;
        }
    for (uint32_t i = 0; mesh && i < sdy_length(names); i++)
        for (uint32_t k = 0; k < sdy_length(mesh->params[0]); k++) {
            ir_attr axis = mesh->params[0]->items[k];
            if (tw_str_equal(ir_attr_str(axis->params[0]), ir_attr_str(names->items[i])))
                size *= axis->params[1]->value;
        }
    return size;
}

/* A computation over axes of size 1 is replaced by its body; one without operands and
 * results is erased. */
static bool inline_trivial(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL;
    if (!end || body != op->regions[0].last)
        return false;
    if (op->n_operands == 0 && op->n_results == 0 && end == body->first) {
        rw_erase(rw, op);
        return true;
    }
    if (manual_size(op) != 1)
        return false;
    for (uint32_t i = 0; i < body->n_args; i++)
        rw_replace_uses(rw, body->args[i], op->operands[i].value);
    rw_replace_by_block(rw, op, body);
    return true;
}

static const rw_pattern patterns[] = {
    {SDY_OP(all_gather), drop_empty, label},
    {SDY_OP(all_slice), drop_empty, label},
    {SDY_OP(all_slice), slice_of_gather, label},
    {SDY_OP(all_slice), fuse_scatter, label},
    {SDY_OP(all_reduce), drop_empty, label},
    {SDY_OP(all_reduce), reduce_of_replicated, label},
    {SDY_OP(all_reduce), reduce_of_sharded, label},
    {SDY_OP(all_to_all), join_exchanges, label},
    {SDY_OP(collective_permute), drop_permute, label},
    {SDY_OP(reduce_scatter), drop_empty, label},
    {SDY_OP(manual_computation), drop_unused_inputs, NULL},
    {SDY_OP(manual_computation), inline_trivial, NULL},
};

const rw_pattern_table canonicalize_sdy = {patterns, TW_COUNT(patterns)};
