/* stablehlo_fusing.c: stablehlo-fusing: turns concatenations of one tensor into
 * broadcasts, drops unit index dimensions, and makes scatters of whole rows from element
 * scatters. Sharded operations are skipped: their shardings would have to be carried
 * over. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/build.h"
#include "stablehlo/passes/counting.h"
#include "stablehlo/stablehlo.h"

static bool has_axes(ir_attr sharding)
{
    for (uint32_t d = 0; sharding && d < sdy_sharding_rank(sharding); d++)
        if (sdy_length(sdy_dim_at(sharding, d)->params[SDY_DIM_AXES]))
            return true;
    return false;
}

static bool is_sharded(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (has_axes(mesh_sharding_of(op->operands[i].value)))
            return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (has_axes(mesh_sharding_of(&op->results[i])))
            return true;
    return false;
}

/* True if `wide` is `narrow` with a dimension of `size` inserted at `at`. */
static bool inserts(ir_type narrow, ir_type wide, int64_t at, int64_t size)
{
    if (wide->count != narrow->count + 1 || at < 0 || at >= wide->count ||
        wide->dims[at] != size)
        return false;
    for (int64_t i = 0; i < narrow->count; i++)
        if (wide->dims[i < at ? i : i + 1] != narrow->dims[i])
            return false;
    return true;
}

static ir_op *reshape_of(const ir_value *v)
{
    ir_op *op = ir_value_def(v);
    return op && op->def == STABLEHLO_OP(reshape) ? op : NULL;
}

/* Repeats the tensor along the new dimension `at` of the type. */
static ir_value *repeated(ir_builder *b, ir_value *v, ir_type type, int64_t at)
{
    int64_t dims[SDY_MAX_DIMS];
    for (int64_t i = 0; i < v->type->count; i++)
        dims[i] = i < at ? i : i + 1;
    return hlo_broadcast(b, v, type->dims, type->count, dims, v->type->count);
}

static bool copies_to_broadcast(ir_op *op, rw_rewriter *rw)
{
    ir_value *v = op->operands[0].value;
    ir_type t = op->results[0].type;
    int64_t dim = ir_op_int(op, "dimension", 0), dims[SDY_MAX_DIMS];
    if (op->n_operands < 2 || t->count > SDY_MAX_DIMS || is_sharded(op) ||
        !ir_type_has_static_shape(t) || dim >= v->type->count)
        return false;
    for (uint32_t i = 1; i < op->n_operands; i++)
        if (op->operands[i].value != v)
            return false;
    ir_op *user = ir_value_has_one_use(&op->results[0]) ? op->results[0].uses->owner : NULL;
    if (user && user->def == STABLEHLO_OP(reshape) && !is_sharded(user) &&
        inserts(v->type, user->results[0].type, dim, op->n_operands)) {
        ir_builder b = ir_builder_before(user);
        rw_replace1(rw, user, repeated(&b, v, user->results[0].type, dim));
        return true;
    }
    ir_op *from = reshape_of(v);
    if (from && !is_sharded(from) &&
        inserts(from->operands[0].value->type, v->type, dim, 1)) {
        rw_replace1(rw, op, repeated(&rw->b, from->operands[0].value, t, dim));
        return true;
    }
    if (v->type->dims[dim] != 1)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        dims[i] = i;
    rw_replace1(rw, op, hlo_broadcast(&rw->b, v, t->dims, t->count, dims, t->count));
    return true;
}

/* Drops the index vector dimension of size 1. */
static bool indices_as_they_were(ir_op *op, rw_rewriter *rw)
{
    ir_op *from = reshape_of(op->operands[1].value);
    int64_t at = ir_attr_int(
        ir_attr_param(ir_op_attr(op, "dimension_numbers"), "indexVectorDim"), -1);
    if (!from || is_sharded(from) || is_sharded(op) ||
        at != op->operands[1].value->type->count - 1 ||
        !inserts(from->operands[0].value->type, op->operands[1].value->type, at, 1))
        return false;
    ir_op_set_operand(op, 1, from->operands[0].value);
    rw_modified(rw, op);
    return true;
}

/* ---- rows --------------------------------------------------------------------------- */

/* Rewrites a scatter of elements with iota column indices into a scatter of rows. */
static bool rows_to_windows(ir_op *op, rw_rewriter *rw)
{
    enum { WINDOW, INSERTED, IN_BATCH, AT_BATCH, TO_OPERAND, INDEX_DIM };
    ir_attr numbers = ir_op_attr(op, "scatter_dimension_numbers");
    ir_op *index_op = op->n_operands == 3 ? ir_value_def(op->operands[1].value) : NULL;
    if (!index_op || index_op->def != STABLEHLO_OP(concatenate) ||
        index_op->n_operands != 2 || op->operands[0].value->type->count != 2 ||
        is_sharded(op) || is_sharded(index_op))
        return false;
    ir_value *row = index_op->operands[0].value, *column = index_op->operands[1].value;
    ir_attr to = numbers->params[TO_OPERAND];
    if (sdy_length(numbers->params[WINDOW]) || sdy_length(numbers->params[IN_BATCH]) ||
        sdy_length(to) != 2 || ir_attr_int(to->items[0], -1) != 0 ||
        ir_attr_int(to->items[1], -1) != 1 ||
        ir_attr_int(numbers->params[INDEX_DIM], -1) != 2 ||
        ir_op_int(index_op, "dimension", -1) != 2 || row->type->count != 3 ||
        row->type->dims[2] != 1 || column->type->dims[2] != 1)
        return false;
    if (!ir_type_has_static_shape(row->type) || !hlo_same_along(row, 1) ||
        !hlo_counts_along(column, 1) ||
        row->type->dims[1] > op->operands[0].value->type->dims[1])
        return false;
    ir_context *ctx = op->ctx;
    const int64_t start[3] = {0}, stride[3] = {1, 1, 1};
    const int64_t limit[3] = {row->type->dims[0], 1, 1};
    ir_value *first = hlo_slice(&rw->b, row, start, limit, stride);
    ir_attr zero = ir_raw_int(ctx, 0), one = ir_raw_int(ctx, 1);
    ir_attr none = ir_array_attr(ctx, NULL, 0);
    ir_attr params[] = {ir_array_attr(ctx, &one, 1),
                        ir_array_attr(ctx, &zero, 1),
                        none,
                        none,
                        ir_array_attr(ctx, &zero, 1),
                        one};
    ir_op_set_operand(op, 1, hlo_reshape(&rw->b, first, limit, 2));
    ir_op_set_attr(op, "scatter_dimension_numbers",
                   ir_dialect_attr(ctx, numbers->def, params, TW_COUNT(params)));
    rw_modified(rw, op);
    return true;
}

static bool run_fusing(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {
        {STABLEHLO_OP(concatenate), copies_to_broadcast, NULL},
        {STABLEHLO_OP(gather), indices_as_they_were, NULL},
        {STABLEHLO_OP(scatter), rows_to_windows, NULL},
    };
    (void)run;
    rw_greedy(module, patterns, TW_COUNT(patterns), &(rw_options){.max_iterations = 10});
    return true;
}

const pass_def stablehlo_fusing_pass = {
    .name = "stablehlo-fusing",
    .title = "StableHLOFusingPass",
    .summary = "Fuses StableHLO operations.",
    .anchor = "builtin.module",
    .run = run_fusing,
};
