/* steps.c: the small passes of stablehlo-pipeline around propagation. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/passes/symbol_refs.h"
#include "sdy/mesh/mesh.h"
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* ---- partially-convert-sdy-to-stablehlo --------------------------------------------- */

static bool run_constants(ir_op *module, pass_run *run)
{
    (void)run;
    sdy_constants_to_stablehlo(module);
    return true;
}

/* ---- decouple-const-fanout ---------------------------------------------------------- */

static bool has_split_argument(const ir_op *func)
{
    for (uint32_t i = 0; i < ir_op_attr(func, "function_type")->type->count; i++) {
        ir_attr sharding = func_arg_attr(func, i, MESH_SHARDING);
        for (uint32_t d = 0; sharding && d < sdy_sharding_rank(sharding); d++)
            if (sdy_length(sdy_dim_at(sharding, d)->params[SDY_DIM_AXES]))
                return true;
    }
    return false;
}

static bool is_wide_constant(const ir_op *op)
{
    ir_op *from = op->def == STABLEHLO_OP(broadcast_in_dim)
                      ? ir_value_def(op->operands[0].value)
                      : NULL;
    return from && from->def == STABLEHLO_OP(constant) && op->results[0].uses &&
           op->results[0].uses->next_use;
}

/* The first use in list order keeps the operation. */
static void clone_for_uses(ir_op *op)
{
    for (ir_operand *u = op->results[0].uses->next_use, *next; u; u = next) {
        next = u->next_use;
        ir_mapping *map = ir_mapping_create();
        ir_op *copy = ir_op_clone(op, map);
        ir_mapping_free(map);
        ir_op_insert_before(copy, u->owner);
        ir_op_set_operand(u->owner, ir_operand_number(u), &copy->results[0]);
    }
}

static bool run_fanout(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next) {
        if (!mesh_is_function(f) || !has_split_argument(f))
            continue;
        ir_op_list all = ir_ops_in(f, is_wide_constant);
        for (size_t i = 0; i < all.n; i++)
            clone_for_uses(all.at[i]);
        ir_op_list_free(&all);
    }
    return true;
}

/* ---- insert-reshards-for-unpropagated-ops ------------------------------------------- */

/* True for a reshape through which no sharding propagates, and for operations without a
 * sharding rule. */
static bool needs_replicated(const ir_op *op)
{
    ir_attr own = sdy_shardings_of(op);
    if (strncmp(op->def->name, "stablehlo.", 10) != 0 || !op->n_results ||
        (own && sdy_length(own->params[0])) || mesh_is_call(op, "Sharding") ||
        mesh_is_shape_call(op))
        return false;
    if (op->def != STABLEHLO_OP(reshape) &&
        sdy_rule_of((ir_op *)(uintptr_t)op, false, false))
        return false;
    for (ir_op *p = ir_op_parent(op); p; p = ir_op_parent(p))
        if (p->def == SDY_OP(manual_computation))
            return false;
    return true;
}

static void make_replicated(ir_op *op, uint32_t i, ir_attr mesh, ir_attr ref)
{
    ir_value *in = op->operands[i].value;
    if (!mesh_splits(mesh_sharding_of(in), mesh))
        return;
    ir_builder b = ir_builder_before(op);
    ir_attr whole = sdy_replicated(op->ctx, ref, sdy_rank(in->type), true);
    ir_op_set_operand(op, i,
                      ir_build1(&b, SDY_OP(reshard), in->type, IR_VALUES(in),
                                IR_ATTRS({"sharding", whole})));
}

static void reshard_unpropagated(ir_op *op, const mesh_unsolved *at)
{
    const bool whole = needs_replicated(op);
    for (uint32_t k = 0; k < op->n_operands; k++)
        if (whole || mesh_needs_replicated(op, k, at->axes))
            make_replicated(op, k, at->axes, at->ref);
}

static bool run_unpropagated(ir_op *module, pass_run *run)
{
    (void)run;
    return mesh_each_unsolved(module, reshard_unpropagated);
}

/* ---- insert-explicit-reshards ------------------------------------------------------- */

static bool run_reshards(ir_op *module, pass_run *run)
{
    return mesh_is_solved(module) ||
           pass_run_nested(run,
                           TW_STR("builtin.module(func.func(sdy-insert-explicit-reshards{"
                                  "enable-full-version=true}))"),
                           module);
}

/* ---- wrap-under-manual-computation -------------------------------------------------- */

/* The sharding of each argument or result; replicated where missing. */
static ir_attr shardings_of(ir_op *func, ir_op *mesh, bool args)
{
    ir_context *ctx = func->ctx;
    ir_type type = ir_op_attr(func, "function_type")->type;
    const ir_type *types = args ? type->types : ir_function_results(type);
    uint32_t n = args ? type->count : type->results;
    ir_attr *all = tw_xmalloc((n + 1u) * sizeof *all);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = args ? func_arg_attr(func, i, MESH_SHARDING)
                      : func_result_attr(func, i, MESH_SHARDING);
        if (all[i])
            continue;
        tw_str name = ir_symbol_name(func);
        ir_op_warning(func,
                      "In function %.*s %s #: %u is not annotated with sdy.sharding. Using "
                      "default sharding annotation (ie all dimensions replicated)",
                      (int)name.size, name.data, args ? "argument" : "result", i);
        all[i] = sdy_replicated(ctx, ir_symbol_ref(ctx, ir_symbol_name(mesh)),
                                sdy_rank(types[i]), false);
        if (args)
            func_set_arg_attr(func, i, MESH_SHARDING, all[i]);
    }
    ir_attr made = sdy_per_value(ctx, all, n);
    free(all);
    return made;
}

static bool wrap(ir_op *func, ir_op *mesh)
{
    ir_context *ctx = func->ctx;
    ir_block *body = ir_op_body(func, 0);
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_op *end = body->last;
    if (func->regions[0].first != func->regions[0].last || !end ||
        end->def != FUNC_OP(return ))
        return ir_op_error(func, "must have one block that returns, to be wrapped in a "
                                 "manual computation");
    ir_attr in = shardings_of(func, mesh, true), out = shardings_of(func, mesh, false);
    ir_attr none = ir_array_attr(ctx, NULL, 0);
    ir_op *first = body->first;
    ir_builder b = ir_builder_at_start(ctx, body, func->loc);
    ir_op *all = ir_build_op(
        &b, SDY_OP(manual_computation), ir_function_results(type), type->results,
        (ir_value *const *)body->args, body->n_args,
        IR_ATTRS({"in_shardings", in}, {"out_shardings", out},
                 {"manual_axes", ir_dialect_attr(ctx, SDY_ATTR(manual_axes), &none, 1)}),
        1);
    ir_block *inner = ir_block_create(ctx);
    ir_region_append(&all->regions[0], inner);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *arg = body->args[i];
        ir_value *own = ir_block_add_arg(ctx, inner, arg->type, ir_value_loc(arg));
        ir_value_replace_uses(arg, own);
        ir_op_set_operand(all, i, arg);
    }
    if (first != end)
        ir_block_splice(inner, NULL, body, first, end->prev);
    ir_value **given = tw_xmalloc((end->n_operands + 1u) * sizeof *given);
    for (uint32_t i = 0; i < end->n_operands; i++)
        given[i] = end->operands[i].value;
    ir_builder at = ir_builder_at_end(ctx, inner, end->loc);
    ir_build(&at, &(ir_op_state){.def = SDY_OP(return ),
                                 .loc = end->loc,
                                 .operands = given,
                                 .n_operands = end->n_operands});
    free(given);
    for (uint32_t i = 0; i < end->n_operands; i++)
        ir_op_set_operand(end, i, &all->results[i]);
    return true;
}

static bool run_wrap(ir_op *module, pass_run *run)
{
    (void)run;
    if (mesh_is_solved(module)) {
        mesh_drop_shardings(module);
        return true;
    }
    if (mesh_has_gspmd(module)) {
        ir_warning(
            module->ctx, module->loc,
            "Wrapping under manual computation pass does not support GSPMD annotated "
            "module for now");
        return true;
    }
    ir_op *mesh = mesh_only(module);
    bool ok = mesh != NULL;
    for (ir_op *f = ir_op_body(module, 0)->first; f && ok; f = f->next)
        if (mesh_is_function(f) && ir_op_body(f, 0) && !ir_symbol_is_private(f))
            ok = wrap(f, mesh) ||
                 ir_error(module->ctx, module->loc,
                          "Could not wrap function body inside a manual computation op");
    return ok;
}

const pass_def partially_convert_sdy_to_stablehlo_pass = {
    .name = "partially-convert-sdy-to-stablehlo",
    .title = "PartiallyConvertSdyToStableHLOPass",
    .summary = "Converts Shardy constants to StableHLO.",
    .anchor = "builtin.module",
    .run = run_constants,
};

const pass_def decouple_const_fanout_pass = {
    .name = "decouple-const-fanout",
    .title = "DecoupleConstFanoutPass",
    .summary = "Clones broadcast constants for each use.",
    .anchor = "builtin.module",
    .run = run_fanout,
};

const pass_def insert_reshards_for_unpropagated_ops_pass = {
    .name = "insert-reshards-for-unpropagated-ops",
    .title = "InsertReshardsForUnpropagatedOpsPass",
    .summary = "Replicates operands of reshapes and calls that shardings did not propagate "
               "through.",
    .anchor = "builtin.module",
    .run = run_unpropagated,
};

const pass_def insert_explicit_reshards_pass = {
    .name = "insert-explicit-reshards",
    .title = "InsertExplicitReshardsPass",
    .summary = "sdy-insert-explicit-reshards, where devices' work is not written out yet.",
    .anchor = "builtin.module",
    .run = run_reshards,
};

const pass_def wrap_under_manual_computation_pass = {
    .name = "wrap-under-manual-computation",
    .title = "WrapUnderManualComputationPass",
    .summary = "Wraps function bodies in manual computations.",
    .anchor = "builtin.module",
    .run = run_wrap,
};
