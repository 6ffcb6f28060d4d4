/* propagated.c: moves propagated shardings into the types of tensors on meshes:
 * user-specified ones win, transfers do not reshard, and the attributes are removed. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"

/* ---- unreduced axes ----------------------------------------------------------------- */

static ir_attr closed_of(ir_value *v, ir_attr mesh_name)
{
    ir_attr own = sdy_get(v);
    return own ? own
               : sdy_replicated(v->type->ctx,
                                ir_symbol_ref(v->type->ctx, ir_attr_str(mesh_name)),
                                sdy_rank(v->type), true);
}

static void populate_unreduced(ir_op *f)
{
    ir_op *end = mpmd_end(f);
    ir_attr out = ir_op_attr(f, "out_shardings"), mesh = NULL;
    ir_attr *items = tw_xmalloc((f->n_results + 1u) * sizeof *items);
    for (uint32_t i = 0; i < f->n_results; i++)
        items[i] = out ? out->params[0]->items[i]
                       : closed_of(&f->results[i], ir_op_attr(f, "mesh_name"));
    for (uint32_t i = 0; i < f->n_results; i++) {
        ir_op *producer = ir_value_def(end->operands[i].value);
        ir_attr wanted = ir_op_is(producer, SDY_OP(sharding_constraint))
                             ? ir_op_attr(producer, "sharding")
                             : NULL;
        ir_attr axes = wanted ? wanted->params[SDY_UNREDUCED] : NULL;
        if (!sdy_length(axes) || items[i]->params[SDY_UNREDUCED] == axes)
            continue;
        mesh = wanted->params[SDY_MESH];
        items[i] = sdy_with(items[i], SDY_UNREDUCED, axes);
        items[i] = sdy_with(items[i], SDY_REDUCTION, wanted->params[SDY_REDUCTION]);
    }
    for (uint32_t i = 0; mesh && i < f->n_results; i++)
        items[i] = sdy_with(items[i], SDY_MESH, mesh);
    if (mesh)
        ir_op_set_attr(f, "out_shardings", sdy_per_value(f->ctx, items, f->n_results));
    free(items);
}

bool mpmd_populate_unreduced_out_sharding(ir_op *func, pass_run *run)
{
    (void)run;
    ir_visit_ops(func, mpmd_is_fragment, populate_unreduced);
    return true;
}

/* ---- user-specified shardings ------------------------------------------------------- */

/* Truncates each dimension at its first sub-axis. */
static ir_attr without_parts(ir_attr sharding)
{
    ir_context *ctx = sharding->ctx;
    uint32_t rank = sdy_sharding_rank(sharding);
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t d = 0; d < rank; d++) {
        ir_attr dim = sdy_dim_at(sharding, d), axes = dim->params[SDY_DIM_AXES];
        uint32_t whole = 0;
        while (whole < sdy_length(axes) && !sdy_sub_axis(axes->items[whole]))
            whole++;
        dims[d] = whole == sdy_length(axes)
                      ? dim
                      : sdy_dim(ctx, ir_array_attr(ctx, axes->items, whole), true, NULL);
    }
    ir_attr made = sdy_with(sharding, SDY_DIMS, ir_array_attr(ctx, dims, rank));
    free(dims);
    return made;
}

static void warn_of_parts(ir_context *ctx, ir_loc loc, const char *what, uint32_t index,
                          ir_attr was, ir_attr now)
{
    ir_warning(
        ctx, loc,
        "Sub-axes sharding found for %s %u. This is not supported, and sharding will "
        "be tuncated. Original sharding: %s; truncated sharding: %s Please contact "
        "the MPMD team.",
        what, index, ir_attr_text(ctx, was), ir_attr_text(ctx, now));
}

static void enforce_argument(ir_value *arg, bool *warned)
{
    ir_attr was = sdy_get(arg), now = was ? without_parts(was) : NULL;
    if (now != was) {
        sdy_set(arg, now);
        if (!*warned)
            warn_of_parts(was->ctx, ir_value_loc(arg), "arg", arg->index, was, now);
        *warned = true;
    }
    if (now)
        mpmd_set_at_readers(arg, now);
}

static void enforce_result(ir_op *func, uint32_t i, bool *warned)
{
    ir_op *end = mpmd_end(func);
    ir_value *v = end->operands[i].value;
    ir_op *producer = ir_value_def(v);
    ir_attr was = sdy_result_sharding(func, i), now = was ? without_parts(was) : NULL;
    if (now != was) {
        sdy_set(v, now);
        if (!*warned)
            warn_of_parts(was->ctx, end->loc, "result", i, was, now);
        *warned = true;
    }
    if (!now || !producer || (!mpmd_is_fragment(producer) && !mpmd_is_transfer(producer)))
        return;
    sdy_set(v, now);
    mpmd_set_at_readers(v, now);
}

bool mpmd_enforce_user_shardings(ir_op *func, pass_run *run)
{
    bool warned[2] = {false, false};
    (void)run;
    if (!mpmd_is_entry(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        enforce_argument(body->args[i], &warned[0]);
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        enforce_result(func, i, &warned[1]);
    return true;
}

/* ---- into types --------------------------------------------------------------------- */

static void set_type(ir_value *v, ir_attr sharding)
{
    if (sharding && mpmd_is_mesh_tensor(v->type))
        v->type = mpmd_with_sharding(v->type, sharding);
}

static void take_list(ir_op *f, const char *name, bool operands)
{
    ir_attr list = ir_op_attr(f, name);
    for (uint32_t i = 0; list && i < sdy_length(list->params[0]); i++)
        if (i < (operands ? f->n_operands : f->n_results))
            set_type(operands ? f->operands[i].value : &f->results[i],
                     list->params[0]->items[i]);
    ir_op_set_attr(f, name, NULL);
}

static ir_walk into_types(ir_op *op, void *user)
{
    ir_block *body = ir_op_body(op, 0);
    if (mpmd_is_fragment(op)) {
        take_list(op, "in_shardings", true);
        take_list(op, "out_shardings", false);
    }
    for (uint32_t i = 0; op->def == MPMD_OP(for) && i < op->n_operands; i++) {
        ir_attr sharding = sdy_get(op->operands[i].value);
        set_type(op->operands[i].value, sharding);
        set_type(body->args[i], sharding);
        set_type(&op->results[i], sdy_get(&op->results[i]));
    }
    if (mpmd_is_transfer(op)) {
        set_type(op->operands[0].value, sdy_get(op->operands[0].value));
        set_type(&op->results[0], sdy_get(&op->results[0]));
    }
    if (op != user && op->def != STABLEHLO_OP(send) && op->def != STABLEHLO_OP(recv))
        ir_op_set_attr(op, "sdy.sharding", NULL);
    return IR_WALK_ON;
}

static bool same_on_mesh(ir_op *transfer)
{
    ir_attr a = transfer->operands[0].value->type->params[MPMD_TYPE_SHARDING];
    ir_attr b = transfer->results[0].type->params[MPMD_TYPE_SHARDING];
    return !a || !b || a->params[SDY_MESH] != b->params[SDY_MESH] ||
           sdy_shardings_equal(a, b, false) ||
           ir_error_at_op(transfer,
                          "Transfer op has different shardings for the operand and result "
                          "on the same mesh, operand sharding: %s, result sharding: %s",
                          ir_attr_text(transfer->ctx, a), ir_attr_text(transfer->ctx, b));
}

/* Conflicts are reported, and left to the consumer of the types. */
bool mpmd_convert_sdy_shardings_to_mpmd_types(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    ir_walk_post(func, into_types, func);
    for (uint32_t i = 0; i < body->n_args; i++) {
        set_type(body->args[i], sdy_get(body->args[i]));
        sdy_site_set(&(sdy_site){func, "arg_attrs", i}, NULL);
    }
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        sdy_site_set(&(sdy_site){func, "res_attrs", i}, NULL);
    ir_op_set_attr(func, "sdy.sharding", NULL);
    func_refresh_type(func);
    ir_op_list all = ir_ops_in(func, mpmd_is_transfer);
    for (size_t i = 0; i < all.n && same_on_mesh(all.at[i]); i++)
        ;
    ir_op_list_free(&all);
    return true;
}

bool mpmd_convert_sdy_constants(ir_op *func, pass_run *run)
{
    (void)run;
    sdy_constants_to_stablehlo(func);
    return true;
}
