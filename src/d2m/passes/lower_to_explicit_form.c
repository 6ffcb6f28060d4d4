/* lower_to_explicit_form.c: d2m-generic-lower-to-explicit-form: block factors become
 * constants, loops over blocks become scf.for, and the generic loses its blocking
 * attributes. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/affine/lower_affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

/* ---- queries ------------------------------------------------------------------------ */

static bool is_block_query(const ir_op *op)
{
    return op->def == D2M_OP(get_block_factor) || op->def == D2M_OP(block_offset);
}

/* The dimension of the grid that a loop dimension runs over, -1 if there is none. */
static int64_t grid_dim_of(const d2m_generic *g, uint32_t dim)
{
    ir_attr virtual = ir_attr_param(g->grid, "physicalToVirtMap");
    int64_t n = ir_attr_is(virtual, IR_ATTR_AFFINE_MAP) && virtual->map->n_results
                    ? (int64_t) virtual->map->n_results - 1
                    : 2;
    int64_t at = d2m_map_result_of(d2m_generic_output_map(g), dim);
    return at < n ? at : -1;
}

static bool lower_block_query(const d2m_generic *g, ir_op *op)
{
    int64_t dim = ir_op_int(op, "dim", -1);
    if (dim < 0 || dim >= g->n_loops)
        return ir_op_error(op,
                           "dimension %lld is not one of the generic's %u block factors",
                           (long long)dim, g->n_loops);
    ir_builder b = ir_builder_before(op);
    bool is_offset = op->def == D2M_OP(block_offset);
    int64_t at = is_offset ? grid_dim_of(g, (uint32_t)dim) : -1;
    ir_value *value =
        arith_index(&b, is_offset && at < 0 ? 0 : d2m_generic_factor(g, (size_t)dim));
    if (at >= 0)
        value = loop_arith(&b, ARITH_OP(muli), value,
                           d2m_build_dim_query(&b, D2M_OP(core_index), at));
    ir_value_replace_uses(ir_op_result(op, 0), value);
    ir_op_erase(op);
    return true;
}

/* ---- loops -------------------------------------------------------------------------- */

static bool is_blocking_loop(const ir_op *op)
{
    return op->def == AFFINE_OP(for) && ir_op_attr(op, "d2m.blocking_loop");
}

static bool lower_loop(ir_op *op)
{
    affine_mapping lower, upper;
    if (!affine_for_bound(op, true, &lower) || !affine_for_bound(op, false, &upper) ||
        lower.n_results != 1 || upper.n_results != 1 || op->n_results)
        return ir_op_error(op, "a loop over blocks has one lower and one upper bound and "
                               "carries no value");
    ir_builder b = ir_builder_before(op);
    ir_value *from = loop_affine_value(&b, &lower), *to = loop_affine_value(&b, &upper);
    ir_op *loop = scf_for_build(&b, from, to, arith_index(&b, affine_for_step(op)));
    ir_op_set_attr(loop, "d2m.blocking_loop", ir_op_attr(op, "d2m.blocking_loop"));
    if (ir_op_attr(op, "d2m.reduction_loop"))
        ir_op_set_attr(loop, "d2m.reduction_loop", ir_unit_attr(op->ctx));
    ir_block *body = ir_op_body(op, 0), *into = ir_op_body(loop, 0);
    ir_value_replace_uses(body->args[0], into->args[0]);
    if (body->last->prev)
        ir_block_splice(into, into->last, body, body->first, body->last->prev);
    ir_op_erase(op);
    return true;
}

/* ---- generics ----------------------------------------------------------------------- */

static bool lower_generic(ir_op *op)
{
    d2m_generic g;
    bool ok = d2m_generic_read(op, &g);
    if (!ok || g.n_loops == 0)
        return ok;
    ir_op_list queries = ir_ops_in(op, is_block_query);
    for (size_t i = 0; ok && i < queries.n; i++)
        ok = lower_block_query(&g, queries.at[i]);
    ir_op_list_free(&queries);
    ir_op_list loops = ir_ops_in_post(op, is_blocking_loop);
    for (size_t i = 0; ok && i < loops.n; i++)
        ok = lower_loop(loops.at[i]);
    ir_op_list_free(&loops);
    return ok;
}

static void clear_blocking(ir_op *op)
{
    ir_attr none = ir_array_attr(op->ctx, NULL, 0);
    ir_op_set_attr(op, "block_factors", none);
    ir_op_set_attr(op, "indexing_maps", none);
    ir_op_set_attr(op, "iterator_types", none);
}

static bool is_apply(const ir_op *op)
{
    return op->def == AFFINE_OP(apply);
}

/* Indices that were affine in blocks are plain arithmetic from here on. */
static void lower_applies(ir_op *module)
{
    ir_op_list applies = ir_ops_in(module, is_apply);
    for (size_t i = 0; i < applies.n; i++) {
        ir_op *op = applies.at[i];
        ir_affine_map map = ir_op_attr(op, "map")->map;
        ir_builder b = ir_builder_before(op);
        ir_value_replace_uses(ir_op_result(op, 0),
                              lower_expression(&b, op, 0, map->results[0], map->n_dims));
        ir_op_erase(op);
    }
    ir_op_list_free(&applies);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; ok && i < generics.n; i++)
        ok = lower_generic(generics.at[i]);
    for (size_t i = 0; ok && i < generics.n; i++)
        clear_blocking(generics.at[i]);
    ir_op_list_free(&generics);
    if (ok)
        lower_applies(module);
    return ok;
}

const pass_def d2m_lower_to_explicit_form_pass = {
    .name = "d2m-generic-lower-to-explicit-form",
    .title = "D2MLowerToExplicitForm",
    .summary = "Make the loops over blocks of d2m.generic operations explicit",
    .anchor = "builtin.module",
    .run = run,
};
