/* explicit_reshards.c: sdy-insert-explicit-reshards: makes the shardings around each
 * operation compatible, so that it can be computed shard by shard; where they differ, a
 * reshard is inserted, and an all_reduce after a sum over devices. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/export/common_axes.h"
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"

#include <stdlib.h>

enum { CAPACITY = 256 };

static ir_attr list_of(ir_attr sharding, size_t param)
{
    return sharding ? sharding->params[param] : NULL;
}

static const ir_attr *items_of(ir_attr list)
{
    return list ? list->items : NULL;
}

static ir_attr behind_barriers(ir_value *v)
{
    ir_op *op;
    while ((op = ir_value_def(v)) && op->def == SDY_OP(propagation_barrier))
        v = op->operands[0].value;
    return sdy_get(v);
}

static bool is_replicated(ir_attr sharding)
{
    for (uint32_t i = 0; sharding && i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sdy_dim_at(sharding, i)->params[SDY_DIM_AXES]))
            return false;
    return !sdy_length(list_of(sharding, SDY_UNREDUCED));
}

static ir_attr closed_like(ir_attr sharding, ir_type type)
{
    return sdy_replicated(sharding->ctx, sharding->params[SDY_MESH], sdy_rank(type), true);
}

static ir_value *reshard(ir_builder *b, ir_value *v, ir_attr sharding)
{
    return ir_build1(b, SDY_OP(reshard), v->type, IR_VALUES(v),
                     IR_ATTRS({"sharding", sharding}));
}

static void replace_but(ir_value *from, ir_value *to)
{
    ir_op *producer = ir_value_def(to);
    for (ir_operand *u = from->uses, *next; u; u = next) {
        next = u->next_use;
        if (u->owner != producer)
            ir_op_set_operand(u->owner, ir_operand_number(u), to);
    }
}

/* ---- unreduced axes ----------------------------------------------------------------- */

static ir_attr axis_list(ir_context *ctx, const sdy_axes *axes)
{
    ir_attr list = sdy_axes_array(ctx, axes);
    return ir_dialect_attr(ctx, SDY_ATTR(axis_ref_list), &list, 1);
}

static ir_value *all_reduce(ir_builder *b, ir_value *v, const sdy_axes *axes, int64_t kind,
                            ir_attr sharding)
{
    return ir_build1(b, SDY_OP(all_reduce), v->type, IR_VALUES(v),
                     IR_ATTRS({"reduction_axes", axis_list(b->ctx, axes)},
                              {"reduction_op", ir_i32_attr(b->ctx, kind)},
                              {"out_sharding", sharding}));
}

/* Reduces the axes that the operand leaves unreduced and the target does not; returns the
 * operand's new sharding. */
static ir_attr reduce_unreduced(ir_builder *b, ir_op *op, uint32_t i, ir_attr target)
{
    ir_value *v = op->operands[i].value;
    ir_attr from = sdy_get(v), mesh = from ? sdy_mesh_of(op, from) : NULL;
    ir_attr own = list_of(from, SDY_UNREDUCED), kept = list_of(target, SDY_UNREDUCED);
    sdy_axes axes = {.n = 0}, left = {.n = 0};
    if (!mesh || !sdy_length(own))
        return from;
    sdy_axes_minus(own->items, own->count, items_of(kept), sdy_length(kept), mesh, &axes);
    if (!axes.n)
        return from;
    sdy_axes_minus(own->items, own->count, axes.at, axes.n, mesh, &left);
    ir_attr sharding = sdy_with(from, SDY_UNREDUCED, sdy_axes_array(b->ctx, &left));
    int64_t kind = ir_attr_int(from->params[SDY_REDUCTION], SDY_ReductionOp_SUM);
    ir_op_set_operand(op, i, all_reduce(b, v, &axes, kind, sharding));
    return sharding;
}

/* The axes removed from a dimension, if the target keeps exactly the major ones. */
static bool lost_axes(ir_attr from, ir_attr to, ir_attr mesh, sdy_axes *lost)
{
    uint32_t n = sdy_length(to), have = sdy_length(from);
    if (n > have)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        ir_attr a = to->items[i], b = from->items[i];
        if (a == b)
            continue;
        if (i + 1 < n || !sdy_axis_is_prefix(a, b))
            return false;
        sdy_axes_add(lost, sdy_axis_after(b, a, mesh));
    }
    for (uint32_t i = n; i < have; i++)
        sdy_axes_add(lost, from->items[i]);
    return true;
}

/* Makes unreduced the axes that are unreduced in the target only: they come from sharded
 * dimensions, or from replicated ones.  Returns the operand's new sharding, NULL if
 * nothing was done. */
static ir_attr make_unreduced(ir_builder *b, ir_op *op, uint32_t i, ir_attr target)
{
    ir_value *input = op->operands[i].value, *v = input;
    ir_attr from = sdy_get(input), mesh = from ? sdy_mesh_of(op, from) : NULL;
    ir_attr have = list_of(from, SDY_UNREDUCED), want = list_of(target, SDY_UNREDUCED);
    sdy_axes fresh = {.n = 0}, sharded = {.n = 0}, replicated = {.n = 0};
    if (!mesh || !sdy_length(want) || sdy_sharding_rank(from) != sdy_sharding_rank(target))
        return NULL;
    sdy_axes_minus(want->items, want->count, items_of(have), sdy_length(have), mesh,
                   &fresh);
    if (!fresh.n)
        return NULL;
    uint32_t rank = sdy_sharding_rank(from);
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    ir_attr *lists = tw_xmalloc((rank + 1u) * sizeof *lists);
    bool differs = false;
    for (uint32_t d = 0; d < rank; d++) {
        ir_attr a = sdy_dim_at(from, d), z = sdy_dim_at(target, d);
        sdy_axes lost = {.n = 0}, other = {.n = 0}, none = {.n = 0};
        bool major = lost_axes(a->params[0], z->params[0], mesh, &lost);
        dims[d] = z;
        lists[d] = axis_list(b->ctx, &none);
        sdy_axes_minus(lost.at, lost.n, fresh.at, fresh.n, mesh, &other);
        if (major && lost.n && !other.n) {
            lists[d] = axis_list(b->ctx, &lost);
            for (size_t k = 0; k < lost.n; k++)
                sdy_axes_add(&sharded, lost.at[k]);
            dims[d] = a;
        } else {
            differs |= !major || lost.n;
        }
    }
    ir_attr between = ir_array_attr(b->ctx, dims, rank);
    ir_attr per_dim = ir_array_attr(b->ctx, lists, rank);
    free(dims);
    free(lists);
    ir_attr now = from;
    if (differs) {
        now = sdy_with(from, SDY_DIMS, between);
        v = reshard(b, v, now);
    }
    sdy_axes_minus(fresh.at, fresh.n, sharded.at, sharded.n, mesh, &replicated);
    if (replicated.n) {
        sdy_axes all = {.n = 0};
        sdy_axes_add_all(&all, have);
        for (size_t k = 0; k < replicated.n; k++)
            sdy_axes_add(&all, replicated.at[k]);
        sdy_axes_sort(&all, mesh);
        ir_attr params[] = {from->params[SDY_MESH], between, target->params[SDY_REPLICATED],
                            sdy_axes_array(b->ctx, &all), target->params[SDY_REDUCTION]};
        now = ir_dialect_attr(b->ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
        v = ir_build1(
            b, SDY_OP(replicated_to_unreduced), v->type, IR_VALUES(v),
            IR_ATTRS({"axes", axis_list(b->ctx, &replicated)}, {"out_sharding", now}));
    }
    if (sharded.n) {
        ir_attr axes =
            ir_dialect_attr(b->ctx, SDY_ATTR(list_of_axis_ref_lists), &per_dim, 1);
        now = target;
        v = ir_build1(b, SDY_OP(sharded_to_unreduced), v->type, IR_VALUES(v),
                      IR_ATTRS({"axes", axes}, {"out_sharding", now}));
    }
    ir_op_set_operand(op, i, v);
    return now;
}

/* ---- forwarded values --------------------------------------------------------------- */

static ir_builder after_value(ir_value *v)
{
    ir_op *def = ir_value_def(v);
    ir_builder b =
        def ? ir_builder_after(def)
            : ir_builder_at_start(v->type->ctx, ir_value_block(v), ir_value_loc(v));
    b.loc = ir_value_loc(v);
    return b;
}

/* Reshards an operand to the target's sharding (NULL: unset). */
static void bring_to(ir_op *op, uint32_t i, ir_attr target, bool at_value, bool full)
{
    ir_builder b = at_value ? after_value(op->operands[i].value) : ir_builder_before(op);
    b.loc = ir_value_loc(op->operands[i].value);
    ir_attr from = reduce_unreduced(&b, op, i, target);
    ir_attr now = make_unreduced(&b, op, i, target);
    from = now ? now : from;
    if (!full || sdy_shardings_equal(from, target, false))
        return;
    ir_value *v = op->operands[i].value;
    ir_op_set_operand(op, i, reshard(&b, v, target ? target : closed_like(from, v->type)));
}

static void bring_sources(ir_op *op, ir_value *owner, bool full)
{
    ir_attr manual =
        op->def == SDY_OP(manual_computation) ? ir_op_attr(op, "manual_axes") : NULL;
    uint32_t at = owner->index;
    if (owner->is_argument) {
        ir_attr target = sdy_site_get(&(sdy_site){op, "in_shardings", at});
        if (at < op->n_operands)
            bring_to(op, at, target, true, full);
        return;
    }
    ir_attr target = sdy_get(owner);
    if (manual)
        target = sdy_without_manual(target, manual);
    if ((op->def == STABLEHLO_OP(while) || op->def == STABLEHLO_OP(optimization_barrier)) &&
        at < op->n_operands)
        bring_to(op, at, target, true, full);
    for (uint16_t r = op->def == STABLEHLO_OP(while) ? 1 : 0; r < op->n_regions; r++) {
        ir_block *body = op->regions[r].first;
        if (body && body->last && at < body->last->n_operands)
            bring_to(body->last, at, target, true, full);
    }
}

static void visit_flow(ir_op *op, bool full)
{
    ir_value **args;
    for (uint32_t i = 0; i < op->n_results; i++)
        bring_sources(op, &op->results[i], full);
    size_t n = sdy_arg_owners(op, &args);
    for (size_t i = 0; i < n; i++)
        bring_sources(op, args[i], full);
}

static void visit_call(ir_op *call)
{
    ir_op *func = sdy_callee(call);
    ir_attr mesh = NULL;
    bool has = false;
    for (uint32_t i = 0; func && i < call->n_operands; i++) {
        ir_attr s = sdy_site_get(&(sdy_site){func, "arg_attrs", i});
        ir_attr m = s ? sdy_mesh_of(call, s) : NULL;
        if (m && !sdy_mesh_is_maximal(m) && !has) {
            mesh = s->params[SDY_MESH];
            has = true;
        }
    }
    for (uint32_t i = 0; func && i < call->n_operands && !mesh; i++) {
        ir_attr s = sdy_get(call->operands[i].value);
        ir_attr m = s ? sdy_mesh_of(call, s) : NULL;
        if (m && !sdy_mesh_is_maximal(m))
            mesh = s->params[SDY_MESH];
    }
    for (uint32_t i = 0; func && mesh && i < call->n_operands; i++) {
        ir_attr target = sdy_site_get(&(sdy_site){func, "arg_attrs", i});
        ir_type t = call->operands[i].value->type;
        if (!target)
            target = sdy_replicated(call->ctx, mesh, sdy_rank(t), !has);
        bring_to(call, i, target, true, true);
    }
}

/* ---- operations with rules ---------------------------------------------------------- */

typedef struct work {
    ir_op *op;
    ir_attr rule, mesh, ref;
    ir_attr shardings[CAPACITY]; /* of operands, then results */
    int64_t sizes[CAPACITY];
    size_t n;
    sdy_projection *p;
} work;

/* The mesh of most sharded tensors; they may differ in the order of devices. */
static bool choose_mesh(work *w)
{
    ir_attr ref = NULL;
    ir_attr mesh = sdy_common_mesh(w->op, w->shardings, w->n, true, &ref);
    size_t best = 0;
    if (!mesh || sdy_mesh_is_maximal(mesh))
        return false;
    w->mesh = mesh;
    w->ref = ref;
    for (size_t i = 0; i < w->n; i++) {
        size_t same = 0;
        if (is_replicated(w->shardings[i]))
            continue;
        for (size_t k = 0; k <= i; k++)
            same += !is_replicated(w->shardings[k]) &&
                    w->shardings[k]->params[SDY_MESH] == w->shardings[i]->params[SDY_MESH];
        if (same > best) {
            best = same;
            w->ref = w->shardings[i]->params[SDY_MESH];
            w->mesh = sdy_mesh_of(w->op, w->shardings[i]);
        }
    }
    return w->mesh != NULL;
}

/* True if the mesh has another device order. */
static bool is_elsewhere(const work *w, ir_attr sharding)
{
    ir_attr mesh = is_replicated(sharding) ? NULL : sdy_mesh_of(w->op, sharding);
    return mesh && mesh->params[1] != w->mesh->params[1];
}

static void reshard_around(work *w)
{
    ir_op *op = w->op;
    ir_builder b = ir_builder_before(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (w->p->tensors[i].updated || is_elsewhere(w, w->shardings[i])) {
            b.loc = ir_value_loc(op->operands[i].value);
            ir_op_set_operand(
                op, i, reshard(&b, op->operands[i].value, sdy_unproject(w->p, i, w->ref)));
        }
    b = ir_builder_after(op);
    b.loc = op->loc;
    for (uint32_t i = 0; i < op->n_results; i++) {
        size_t at = op->n_operands + i;
        ir_value *result = &op->results[i];
        if (!w->p->tensors[at].updated && !is_elsewhere(w, w->shardings[at]))
            continue;
        ir_attr old = sdy_get(result);
        if (!old)
            old = sdy_replicated(op->ctx, w->ref, sdy_rank(result->type), true);
        replace_but(result, reshard(&b, result, old));
        sdy_set(result, sdy_unproject(w->p, at, w->ref));
    }
}

/* The reduction of partial results; false if no all_reduce can do it. */
static bool reduction_of(const ir_op *op, int64_t *out)
{
    ir_block *body = op->n_regions == 1 ? ir_op_body(op, 0) : NULL;
    *out = SDY_ReductionOp_SUM;
    for (uint32_t i = 0; body && body->last && i < body->last->n_operands; i++) {
        ir_op *made = ir_value_def(body->last->operands[i].value);
        bool boolean =
            made && ir_type_is_integer(ir_type_element(made->results[0].type), 1);
        int64_t kind = SDY_ReductionOp_SUM;
        if (!made)
            return false;
        if (made->def == STABLEHLO_OP(maximum) ||
            (boolean && made->def == STABLEHLO_OP(or)))
            kind = SDY_ReductionOp_MAX;
        else if (made->def == STABLEHLO_OP(minimum) ||
                 (boolean && made->def == STABLEHLO_OP(and)))
            kind = SDY_ReductionOp_MIN;
        else if (made->def != STABLEHLO_OP(add))
            return false;
        if (i && kind != *out)
            return false;
        *out = kind;
    }
    return true;
}

static void sum_up(work *w, const sdy_axes *axes, int64_t kind)
{
    ir_op *op = w->op;
    sdy_axes left = {.n = 0};
    ir_attr first = op->n_results ? sdy_get(&op->results[0]) : NULL;
    ir_attr kept = list_of(first, SDY_UNREDUCED);
    sdy_axes_minus(axes->at, axes->n, items_of(kept), sdy_length(kept), w->mesh, &left);
    if (!left.n)
        return;
    sdy_axes_sort(&left, w->mesh);
    ir_builder b = ir_builder_after(op);
    b.loc = op->loc;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *result = &op->results[i];
        ir_attr sharding = sdy_get(result);
        if (!sharding)
            sharding = sdy_replicated(op->ctx, w->ref, sdy_rank(result->type), true);
        int64_t own = ir_attr_int(sharding->params[SDY_REDUCTION], SDY_ReductionOp_SUM);
        replace_but(result, all_reduce(&b, result, &left,
                                       own == SDY_ReductionOp_SUM ? kind : own, sharding));
    }
}

static void visit_full(work *w)
{
    sdy_projection *p = w->p;
    sdy_factor_axes *common = tw_xmalloc((p->n_factors + 1u) * sizeof *common);
    sdy_axes reduced = {.n = 0};
    int64_t kind;
    bool can_reduce = reduction_of(w->op, &kind);
    sdy_find_common_axes(p, w->rule, w->sizes, common);
    for (uint32_t k = 0; k < p->n_factors; k++) {
        bool reduces = sdy_rule_lists(w->rule, SDY_RULE_REDUCTION, k);
        if (reduces && !can_reduce) /* every device computes the full result */
            common[k].n = 0;
        for (uint32_t i = 0; reduces && i < common[k].n; i++)
            sdy_axes_add(&reduced, common[k].at[i]);
        sdy_update_factor(p, k, &common[k]);
    }
    reshard_around(w);
    sum_up(w, &reduced, kind);
    free(common);
}

/* ---- dot products, in the minimal version ------------------------------------------- */

/* The factor where the result's axes differ from those of an operand, -1 if none does or
 * the result may stay.  Resharding the (smaller) result pays off if its axes are those
 * summed over. */
static int64_t conflict_of(const work *w, sdy_axes *summed)
{
    const sdy_tensor_factors *lhs = &w->p->tensors[0], *rhs = &w->p->tensors[1];
    sdy_axes seen = {.n = 0};
    int64_t found = -1;
    for (uint32_t k = 0; k < w->p->n_factors; k++) {
        const sdy_factor_sharding *l = &lhs->factors[k], *r = &rhs->factors[k];
        const sdy_factor_axes *axes = l->present ? &l->axes : &r->axes;
        int64_t best = l->present && r->present ? TW_MAX(w->sizes[0], w->sizes[1])
                       : l->present             ? w->sizes[0]
                                                : w->sizes[1];
        if (l->present && r->present) {
            if (!sdy_axes_same(&l->axes, &r->axes))
                return -1;
            if (sdy_rule_lists(w->rule, SDY_RULE_REDUCTION, k)) {
                for (uint32_t i = 0; i < axes->n; i++)
                    sdy_axes_add(summed, axes->at[i]);
                continue;
            }
        } else {
            for (uint32_t i = 0; i < axes->n; i++) {
                for (size_t s = 0; s < seen.n; s++)
                    if (sdy_axes_overlap(seen.at[s], axes->at[i]))
                        return -1;
                sdy_axes_add(&seen, axes->at[i]);
            }
        }
        const sdy_factor_sharding *out = &w->p->tensors[2].factors[k];
        if (!out->present || sdy_axes_same(&out->axes, axes))
            continue;
        if (!axes->n || found >= 0 || w->sizes[2] > best)
            return -1;
        found = k;
    }
    return found;
}

static void visit_product(work *w)
{
    sdy_axes summed = {.n = 0};
    ir_attr old = w->shardings[2];
    int64_t at = old ? conflict_of(w, &summed) : -1;
    if (at < 0)
        return;
    sdy_factor_axes *out = &w->p->tensors[2].factors[at].axes;
    bool same = out->n && out->n == summed.n;
    for (uint32_t i = 0; same && i < out->n; i++)
        same = out->at[i] == summed.at[i];
    if (!same)
        return;
    const sdy_factor_sharding *l = &w->p->tensors[0].factors[at];
    *out = l->present ? l->axes : w->p->tensors[1].factors[at].axes;
    ir_value *result = &w->op->results[0];
    sdy_set(result, sdy_unproject(w->p, 2, w->ref));
    ir_builder b = ir_builder_after(w->op);
    b.loc = w->op->loc;
    replace_but(result, reshard(&b, result, old));
}

/* Reduces the axes that the result does not leave unreduced, if it leaves others. */
static void visit_small(work *w)
{
    ir_op *op = w->op;
    sdy_axes reduced = {.n = 0};
    if (op->def == STABLEHLO_OP(dot) || op->def == STABLEHLO_OP(dot_general))
        visit_product(w);
    ir_attr first = op->n_results ? sdy_get(&op->results[0]) : NULL;
    for (uint32_t k = 0; k < w->p->n_factors; k++) {
        sdy_factor_axes axes;
        if (!sdy_length(list_of(first, SDY_UNREDUCED)) ||
            !sdy_rule_lists(w->rule, SDY_RULE_REDUCTION, k) ||
            !sdy_agreed_axes(w->p, k, &axes))
            continue;
        for (uint32_t i = 0; i < axes.n; i++)
            sdy_axes_add(&reduced, axes.at[i]);
    }
    int64_t kind;
    if (reduced.n && reduction_of(op, &kind))
        sum_up(w, &reduced, kind);
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool is_full(const ir_op *op, bool everywhere)
{
    if (everywhere || op->def == FUNC_OP(call))
        return true;
    for (uint32_t i = 0; op->def == STABLEHLO_OP(concatenate) && i < op->n_operands; i++)
        if (sdy_get(op->operands[i].value) !=
            sdy_get((ir_value *)(uintptr_t)&op->results[0]))
            return true;
    return false;
}

static void visit_registered(ir_op *op, bool full)
{
    work w = {.op = op, .n = op->n_operands + op->n_results};
    if (w.n > CAPACITY || !(w.rule = sdy_rule_of(op, false, false)) ||
        ir_attr_int(w.rule->params[7], 0))
        return;
    for (size_t i = 0; i < w.n; i++) {
        ir_value *v =
            i < op->n_operands ? op->operands[i].value : &op->results[i - op->n_operands];
        w.shardings[i] = behind_barriers(v);
        w.sizes[i] = sdy_is_static(v->type) ? ir_type_num_elements(v->type) : 0;
    }
    if (!choose_mesh(&w) || !(w.p = sdy_project(w.rule, w.mesh, w.shardings, true)))
        return;
    if (full)
        visit_full(&w);
    else
        visit_small(&w);
    sdy_projection_free(w.p);
}

static void visit(ir_op *op, bool everywhere)
{
    bool full = is_full(op, everywhere);
    if (sdy_is_flow_op(op)) {
        visit_flow(op, full);
        return;
    }
    if (op->def == FUNC_OP(call)) {
        visit_call(op);
        return;
    }
    ir_builder b = ir_builder_before(op);
    if (op->def == SDY_OP(reshard) &&
        make_unreduced(&b, op, 0, ir_op_attr(op, "sharding"))) {
        ir_value_replace_uses(&op->results[0], op->operands[0].value);
        ir_op_erase(op);
        return;
    }
    ir_attr first = op->n_results ? sdy_get(&op->results[0]) : NULL;
    for (uint32_t i = 0; i < op->n_operands && op->n_results; i++)
        reduce_unreduced(&b, op, i, first);
    visit_registered(op, full);
}

static bool may_reshard(const ir_op *op)
{
    return !(op->def->traits & IR_TERMINATOR) && op->def != FUNC_OP(func);
}

/* Rejects functions with a single-device sharding on arguments or results. */
static bool check_boundary(ir_op *func, const char *attr, const char *what, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ir_attr s = sdy_site_get(&(sdy_site){func, attr, i});
        ir_attr mesh = s ? sdy_mesh_of(func, s) : NULL;
        if (mesh && sdy_mesh_is_maximal(mesh))
            return ir_op_error(func,
                               "function %s %u cannot have a single-device (maximal) "
                               "sharding attribute",
                               what, i);
    }
    return true;
}

static bool run(ir_op *func, pass_run *run)
{
    bool full = pass_option_bool(run, "enable-full-version");
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_block *body = ir_op_body(func, 0);
    ir_op_list list;
    if (!check_boundary(func, "arg_attrs", "argument", type->count) ||
        !check_boundary(func, "res_attrs", "result", type->results))
        return false;
    list = ir_ops_in_post(func, may_reshard);
    bool ok = true, placed;
    for (size_t i = 0; i < list.n && ok; i++) {
        ok = sdy_place_on_device(list.at[i], &placed);
        if (ok && !placed)
            visit(list.at[i], full);
    }
    free(list.at);
    if (!ok)
        return false;
    ir_op *end = body ? body->last : NULL;
    for (uint32_t i = 0; ir_op_is(end, FUNC_OP(return )) && i < end->n_operands; i++)
        bring_to(end, i, sdy_result_sharding(func, i), false, full);
    return true;
}

const pass_def sdy_insert_explicit_reshards_pass = {
    .name = "sdy-insert-explicit-reshards",
    .title = "InsertExplicitReshardsPass",
    .summary = "Inserts reshards where shardings are incompatible with an operation.",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def, {"enable-full-version", PASS_BOOL, "false",
                                         "For every operation, not only where necessary"}),
};
