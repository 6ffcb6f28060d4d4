/* apply_interchange.c: d2m-generic-apply-interchange: reorders the last three loop
 * dimensions of generics that multiply matrices. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"

enum { MATMUL_DIMS = 3 };

static bool is_permutation(const int64_t *order, int64_t n)
{
    unsigned seen = 0;
    for (int64_t i = 0; i < n; i++)
        if (order[i] >= 0 && order[i] < MATMUL_DIMS)
            seen |= 1U << order[i];
    return n == MATMUL_DIMS && seen == 7;
}

/* Maps (M, K), (K, N), (M, N) in the last two results, the last loop reduces alone. */
static bool is_matmul(const d2m_generic *g)
{
    if (g->n_loops < MATMUL_DIMS || g->n_io != 3)
        return false;
    for (uint32_t d = 0; d < g->n_loops; d++)
        if (d2m_generic_is_reduction_loop(g, d) != (d == g->n_loops - 1))
            return false;
    ir_affine last[3][2];
    for (size_t i = 0; i < 3; i++) {
        ir_affine_map map = d2m_generic_map(g, i);
        if (map->n_results < 2 || map->n_results != d2m_generic_map(g, 0)->n_results)
            return false;
        last[i][0] = map->results[map->n_results - 2];
        last[i][1] = map->results[map->n_results - 1];
    }
    return last[0][0] == last[2][0] && last[0][1] == last[1][0] && last[1][1] == last[2][1];
}

static ir_walk renumber(ir_op *op, void *user)
{
    const int64_t *to = user;
    int64_t dim;
    if ((op->def == D2M_OP(iter_index) || op->def == D2M_OP(block_index)) &&
        (dim = ir_op_int(op, "dim", -1)) >= 0 && dim < D2M_MAX_RANK && to[dim] >= 0)
        ir_op_set_attr(op, "dim", ir_i64_attr(op->ctx, to[dim]));
    return IR_WALK_ON;
}

/* Loop i of the result is loop from[i]. */
static void interchange(const d2m_generic *g, const int64_t *from)
{
    ir_context *ctx = g->op->ctx;
    int64_t to[D2M_MAX_RANK];
    ir_affine moved[D2M_MAX_RANK];
    ir_affine_map maps[3];
    ir_attr iterators[D2M_MAX_RANK], factors[D2M_MAX_RANK];
    for (size_t i = 0; i < D2M_MAX_RANK; i++)
        to[i] = -1;
    for (uint32_t i = 0; i < g->n_loops; i++) {
        to[from[i]] = i;
        moved[from[i]] = ir_affine_dim(ctx, i);
        iterators[i] = g->iterators->items[from[i]];
        factors[i] = g->factors->items[from[i]];
    }
    ir_affine_map permutation = ir_affine_map_get(ctx, g->n_loops, 0, moved, g->n_loops);
    for (size_t i = 0; i < 3; i++)
        maps[i] = d2m_compose(ctx, d2m_generic_map(g, i), permutation);
    ir_op_set_attr(g->op, "indexing_maps", d2m_maps_attr(ctx, maps, 3));
    ir_op_set_attr(g->op, "iterator_types", ir_array_attr(ctx, iterators, g->n_loops));
    ir_op_set_attr(g->op, "block_factors", ir_array_attr(ctx, factors, g->n_loops));
    ir_walk_pre(g->op, renumber, to);
}

static bool visit(ir_op *op, const int64_t *order)
{
    d2m_generic g;
    int64_t from[D2M_MAX_RANK];
    if (!d2m_generic_read(op, &g))
        return false;
    if (!is_matmul(&g))
        return true;
    uint32_t outer = g.n_loops - MATMUL_DIMS;
    for (uint32_t i = 0; i < g.n_loops; i++)
        from[i] = i < outer ? i : outer + order[i - outer];
    interchange(&g, from);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t order[MATMUL_DIMS];
    if (pass_option_str(run, "matmul-interchange").size == 0)
        return true;
    if (!is_permutation(order,
                        pass_option_ints(run, "matmul-interchange", order, MATMUL_DIMS)))
        return ir_error(module->ctx, module->loc,
                        "matmul-interchange must be a permutation of 0,1,2");
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; ok && i < generics.n; i++)
        ok = visit(generics.at[i], order);
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_generic_apply_interchange_pass = {
    .name = "d2m-generic-apply-interchange",
    .title = "D2MGenericApplyInterchange",
    .summary = "Interchange the loops of d2m.generic operations that multiply matrices",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"matmul-interchange", PASS_LIST, "",
                 "The order of the innermost three loops (rows, columns, reduction); "
                 "empty: as they are"}),
};
