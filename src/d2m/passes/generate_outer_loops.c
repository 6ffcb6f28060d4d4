/* generate_outer_loops.c: d2m-generate-outer-loops: the loops over blocks of a d2m.generic
 * are built around its body.
 *
 * Dimension d becomes an affine.for up to d2m.get_block_factor(d) that is marked
 * d2m.blocking_loop = d, and d2m.reduction_loop where it reduces.  Then d2m.iter_index(d)
 * is that loop's index, and d2m.block_index(d) the index plus d2m.block_offset(d). */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"

static bool is_blocking_loop(const ir_op *op)
{
    return op->def == AFFINE_OP(for) && ir_op_attr(op, "d2m.blocking_loop");
}

static bool has_blocking_loop(const ir_block *body)
{
    for (const ir_op *op = body->first; op; op = op->next)
        if (is_blocking_loop(op))
            return true;
    return false;
}

/* Builds the nest at the start of the body and moves all other operations into it. */
static void build_nest(const d2m_generic *g, ir_block *body, ir_op **loops)
{
    ir_context *ctx = g->op->ctx;
    ir_op *first = body->first, *last = body->last;
    ir_value *bounds[D2M_MAX_RANK];
    ir_builder b = ir_builder_at_start(ctx, body, g->op->loc);
    for (uint32_t d = 0; d < g->n_loops; d++)
        bounds[d] = d2m_build_dim_query(&b, D2M_OP(get_block_factor), d);
    for (uint32_t d = 0; d < g->n_loops; d++) {
        loops[d] = affine_for_build(&b, bounds[d]);
        ir_op_set_attr(loops[d], "d2m.blocking_loop", ir_i64_attr(ctx, d));
        if (d2m_generic_is_reduction_loop(g, d))
            ir_op_set_attr(loops[d], "d2m.reduction_loop", ir_unit_attr(ctx));
        b = ir_builder_before(ir_op_body(loops[d], 0)->last);
        b.loc = g->op->loc;
    }
    ir_block *inner = ir_op_body(loops[g->n_loops - 1], 0);
    if (first)
        ir_block_splice(inner, inner->last, body, first, last);
}

static bool is_index_query(const ir_op *op)
{
    return op->def == D2M_OP(block_index) || op->def == D2M_OP(iter_index);
}

static bool lower_index_query(const d2m_generic *g, ir_op *op, ir_op *const *loops)
{
    int64_t dim = ir_op_int(op, "dim", -1);
    if (dim < 0 || dim >= g->n_loops)
        return ir_op_error(op, "dimension %lld is not one of the generic's %u loops",
                           (long long)dim, g->n_loops);
    ir_builder b = ir_builder_before(op);
    ir_value *index = ir_op_body(loops[dim], 0)->args[0];
    if (op->def == D2M_OP(block_index))
        index = loop_arith(&b, ARITH_OP(addi), index,
                           d2m_build_dim_query(&b, D2M_OP(block_offset), dim));
    ir_value_replace_uses(ir_op_result(op, 0), index);
    ir_op_erase(op);
    return true;
}

static bool build_loops(ir_op *op)
{
    d2m_generic g;
    ir_op *loops[D2M_MAX_RANK];
    if (!d2m_generic_read(op, &g))
        return false;
    ir_block *body = d2m_generic_body(&g, 0);
    if (g.n_loops == 0 || op->n_regions != 1 || !body || has_blocking_loop(body))
        return true;
    if (op->n_results)
        return ir_op_error(op, "has tensor results: run bufferization before loops over "
                               "blocks are generated");
    build_nest(&g, body, loops);
    ir_op_list queries = ir_ops_in(op, is_index_query);
    bool ok = true;
    for (size_t i = 0; ok && i < queries.n; i++)
        ok = lower_index_query(&g, queries.at[i], loops);
    ir_op_list_free(&queries);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, d2m_is_generic, build_loops);
}

const pass_def d2m_generate_outer_loops_pass = {
    .name = "d2m-generate-outer-loops",
    .title = "D2MGenerateOuterLoops",
    .summary = "Build the loops over the blocks of d2m.generic operations",
    .anchor = "builtin.module",
    .run = run,
};
