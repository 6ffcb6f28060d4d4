/* constraints.c: imports user annotations: constraints, groups, manual axes. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/propagation/rules.h"
#include "sdy/propagation/shardings.h"
#include "support/arena.h"

#include <stdlib.h>

/* ---- sdy-apply-sharding-constraints ------------------------------------------------- */

static ir_attr constrained_to(const ir_operand *use)
{
    ir_op *user = use->owner;
    if (user->def == SDY_OP(sharding_constraint))
        return ir_op_attr(user, "sharding");
    if (user->def != SDY_OP(manual_computation))
        return NULL;
    return sdy_site_get(
        &(sdy_site){user, "in_shardings", (uint32_t)ir_operand_number(use)});
}

static bool is_constrained(const ir_value *v, const ir_op *but)
{
    for (const ir_operand *u = v->uses; u; u = u->next_use)
        if (u->owner != but && (u->owner->def == SDY_OP(sharding_constraint) ||
                                u->owner->def == SDY_OP(manual_computation)))
            return true;
    return false;
}

static bool is_all_closed(ir_attr sharding)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (!sdy_is_closed(sdy_dim_at(sharding, i)))
            return false;
    return true;
}

static bool should_apply(ir_value *v, ir_attr sharding)
{
    if (!sharding || !sdy_shardable(v) || sdy_get(v) || !is_all_closed(sharding))
        return false;
    for (const ir_operand *u = v->uses; u; u = u->next_use) {
        ir_attr other = constrained_to(u);
        if (other && other != sharding)
            return false;
    }
    return true;
}

static void move_after(ir_op *op, ir_value *v)
{
    ir_op *def = ir_value_def(v);
    ir_op_remove(op);
    if (def)
        ir_op_insert_after(op, def);
    else
        ir_block_prepend(ir_value_block(v), op);
}

static void replace_but(ir_value *from, ir_value *to, const ir_op *but)
{
    for (ir_operand *u = from->uses, *next; u; u = next) {
        next = u->next_use;
        if (u->owner != but)
            ir_op_set_operand(u->owner, ir_operand_number(u), to);
    }
}

static ir_op *constrain(ir_value *v, ir_attr sharding, ir_loc loc)
{
    ir_op *def = ir_value_def(v);
    ir_builder b = def ? ir_builder_after(def)
                       : ir_builder_at_start(sharding->ctx, ir_value_block(v), loc);
    b.loc = loc;
    return ir_value_def(ir_build1(&b, SDY_OP(sharding_constraint), v->type, IR_VALUES(v),
                                  IR_ATTRS({"sharding", sharding})));
}

/* A constraint on an edge's source would apply to all its targets, so users get a
 * constraint op of their own in place of the value. */
static void apply(ir_op *op, ir_value *v, ir_attr sharding)
{
    if (!should_apply(v, sharding))
        return;
    if (!ir_op_is(ir_value_def(v), SDY_OP(data_flow_edge)) && !sdy_edge_to(v)) {
        sdy_rule_of(op, false, true);
        sdy_set(v, sharding);
        return;
    }
    bool own = op->def == SDY_OP(sharding_constraint);
    ir_op *constraint = own ? op : constrain(v, sharding, op->loc);
    if (own)
        move_after(op, v);
    replace_but(v, &constraint->results[0], constraint);
    if (!sdy_length(sharding->params[SDY_UNREDUCED]))
        return;
    ir_attr now = sdy_get(v);
    if (!now)
        now = sdy_replicated(v->type->ctx, sharding->params[SDY_MESH], sdy_rank(v->type),
                             false);
    now = sdy_with(now, SDY_UNREDUCED, sharding->params[SDY_UNREDUCED]);
    sdy_set(v, sdy_with(now, SDY_REDUCTION, sharding->params[SDY_REDUCTION]));
}

/* The last of a chain of constraints with single uses, NULL if there are not two. */
static ir_op *chain_end(ir_op *head)
{
    ir_value *input = head->operands[0].value;
    ir_op *end = head;
    if (ir_op_is(ir_value_def(input), SDY_OP(sharding_constraint)) || sdy_get(input) ||
        is_constrained(input, head))
        return NULL;
    while (ir_value_has_one_use(&end->results[0]) &&
           end->results[0].uses->owner->def == SDY_OP(sharding_constraint))
        end = end->results[0].uses->owner;
    return end == head || is_constrained(&end->results[0], NULL) ? NULL : end;
}

static void redirect(ir_op *head, ir_op *end)
{
    for (ir_operand *u = head->operands[0].value->uses, *next; u; u = next) {
        ir_op *user = u->owner;
        next = u->next_use;
        if (user != head && user->def != FUNC_OP(return ) && user->block == end->block &&
            ir_op_before(end, user))
            ir_op_set_operand(user, ir_operand_number(u), &end->results[0]);
    }
}

static bool is_constraint(const ir_op *op)
{
    return op->def == SDY_OP(sharding_constraint) || op->def == SDY_OP(manual_computation);
}

static bool run_apply(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list = ir_ops_in_post(module, is_constraint);
    for (size_t i = 0; i < list.n; i++) {
        ir_op *op = list.at[i];
        if (op->def == SDY_OP(sharding_constraint)) {
            ir_op *end = chain_end(op);
            if (end)
                redirect(op, end);
            apply(op, op->operands[0].value, ir_op_attr(op, "sharding"));
            continue;
        }
        for (uint32_t k = 0; k < op->n_operands; k++)
            apply(op, op->operands[k].value,
                  sdy_site_get(&(sdy_site){op, "in_shardings", k}));
    }
    free(list.at);
    return true;
}

/* ---- sdy-sharding-group-import ------------------------------------------------------ */

static bool is_group(const ir_op *op)
{
    return op->def == SDY_OP(sharding_group);
}

static int64_t id_of(const ir_op *group)
{
    return ir_op_int(group, "group_id", 0);
}

static ir_op *enclosing_manual(const ir_op *op)
{
    ir_op *parent = ir_op_parent(op);
    while (parent && parent->def != SDY_OP(manual_computation))
        parent = ir_op_parent(parent);
    return parent;
}

static bool same_shape(ir_type a, ir_type b)
{
    return a->count == b->count &&
           memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0;
}

static bool check_groups(const ir_op_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        ir_op *op = list->at[i], *first = op;
        for (size_t k = 0; k < i && first == op; k++)
            if (id_of(list->at[k]) == id_of(op))
                first = list->at[k];
        if (enclosing_manual(first) != enclosing_manual(op))
            return ir_error(op->ctx, op->loc,
                            "ShardingGroupOps values cannot cross ManualComputationOp "
                            "boundaries for groupId: %lld",
                            (long long)id_of(op));
        if (!same_shape(first->operands[0].value->type, op->operands[0].value->type))
            return ir_error(op->ctx, op->loc,
                            "ShardingGroupOps values must have the same shape for groupId: "
                            "%lld",
                            (long long)id_of(op));
    }
    return true;
}

/* Merges groups that share a value and renumbers them by first occurrence. */
static void unify(const ir_op_list *list, int64_t *leader)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < list->n; i++)
            for (size_t k = 0; k < i; k++) {
                bool joined =
                    id_of(list->at[i]) == id_of(list->at[k]) ||
                    list->at[i]->operands[0].value == list->at[k]->operands[0].value;
                int64_t min = TW_MIN(leader[i], leader[k]);
                if (!joined || leader[i] == leader[k])
                    continue;
                leader[i] = leader[k] = min;
                changed = true;
            }
    }
}

/* Number of groups that precede this one in the program. */
static int64_t rank_among(const int64_t *leader, size_t n, int64_t x)
{
    int64_t rank = 0;
    for (size_t i = 0; i < n && leader[i] != x; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= leader[k] == leader[i];
        rank += !again;
    }
    return rank;
}

static bool run_groups(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list list = ir_ops_in(module, is_group);
    bool ok = check_groups(&list);
    int64_t *leader = tw_xmalloc((list.n + 1) * sizeof *leader);
    for (size_t i = 0; i < list.n; i++)
        leader[i] = id_of(list.at[i]);
    if (ok)
        unify(&list, leader);
    for (size_t i = 0; i < list.n && ok; i++)
        ir_op_set_attr(list.at[i], "group_id",
                       ir_i64_attr(module->ctx, rank_among(leader, list.n, leader[i])));
    for (size_t i = list.n; i > 0 && ok; i--) {
        ir_op *op = list.at[i - 1];
        bool again = false;
        for (size_t k = 0; k + 1 < i; k++)
            again |= list.at[k]->operands[0].value == op->operands[0].value;
        if (again)
            ir_op_erase(op);
    }
    free(leader);
    free(list.at);
    return ok;
}

/* ---- sdy-manual-axes-cleanup -------------------------------------------------------- */

static int index_of(ir_attr mesh, ir_attr name)
{
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++)
        if (tw_str_equal(sdy_axis_name(mesh->params[0]->items[i]), ir_attr_str(name)))
            return (int)i;
    return -1;
}

static ir_attr sorted_names(ir_attr manual_axes, ir_attr mesh)
{
    ir_attr names = manual_axes->params[0];
    ir_attr *items = tw_xmalloc((sdy_length(names) + 1u) * sizeof *items);
    for (uint32_t i = 0; i < sdy_length(names); i++) {
        uint32_t k = i;
        for (; k > 0 && index_of(mesh, items[k - 1]) > index_of(mesh, names->items[i]); k--)
            items[k] = items[k - 1];
        items[k] = names->items[i];
    }
    ir_attr list = ir_array_attr(mesh->ctx, items, sdy_length(names));
    free(items);
    return ir_dialect_attr(mesh->ctx, SDY_ATTR(manual_axes), &list, 1);
}

static ir_attr with_unused(ir_attr sharding, ir_attr names, ir_attr mesh, ir_attr ref)
{
    sdy_axes used = {.n = 0}, unused = {.n = 0};
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        sdy_axes_add_all(&used, sdy_dim_at(sharding, i)->params[SDY_DIM_AXES]);
    sdy_axes_add_all(&used, sharding->params[SDY_REPLICATED]);
    sdy_axes_add_all(&used, sharding->params[SDY_UNREDUCED]);
    for (uint32_t i = 0; i < sdy_length(names); i++) {
        ir_attr params[] = {names->items[i], NULL};
        ir_attr axis = ir_dialect_attr(mesh->ctx, SDY_ATTR(axis_ref), params, 2);
        sdy_axes_minus(&axis, 1, used.at, used.n, mesh, &unused);
    }
    if (!unused.n)
        return sharding;
    sdy_axes all = {.n = 0};
    sdy_axes_add_all(&all, sharding->params[SDY_REPLICATED]);
    for (size_t i = 0; i < unused.n; i++)
        sdy_axes_add(&all, unused.at[i]);
    sdy_axes_sort(&all, mesh);
    ir_attr made = sdy_with(sharding, SDY_REPLICATED, sdy_axes_array(mesh->ctx, &all));
    return sdy_with(made, SDY_MESH, ref);
}

static bool clean(ir_op *op)
{
    ir_attr in = ir_op_attr(op, "in_shardings")->params[0];
    ir_attr out = ir_op_attr(op, "out_shardings")->params[0];
    ir_attr names = ir_op_attr(op, "manual_axes"), ref = NULL;
    ir_block *body = ir_op_body(op, 0);
    size_t n = 0;
    ir_attr *all = TW_ARENA_ARRAY(ir_context_arena(op->ctx), ir_attr,
                                  sdy_length(in) + sdy_length(out) + 1);
    for (uint32_t i = 0; i < sdy_length(in); i++)
        all[n++] = in->items[i];
    for (uint32_t i = 0; i < sdy_length(out); i++)
        all[n++] = out->items[i];
    if (!n)
        return !sdy_length(names->params[0]) || !body || !body->first ||
               body->first->def == SDY_OP(return ) ||
               ir_error(
                   op->ctx, op->loc,
                   "op has manual_axes when there are no in/out shardings and the body "
                   "is not empty. This isn't allowed at this stage, please contact the "
                   "Shardy team or file a bug.");
    ir_attr mesh = sdy_common_mesh(op, all, n, false, &ref);
    if (!mesh)
        return true;
    names = sorted_names(names, mesh);
    ir_op_set_attr(op, "manual_axes", names);
    for (uint32_t i = 0; i < sdy_length(in); i++) {
        sdy_site site = {op, "in_shardings", i};
        if (i < op->n_operands && ir_type_is_shaped(op->operands[i].value->type))
            sdy_site_set(&site, with_unused(in->items[i], names->params[0], mesh, ref));
    }
    for (uint32_t i = 0; i < sdy_length(out); i++) {
        sdy_site site = {op, "out_shardings", i};
        if (i < op->n_results && ir_type_is_shaped(op->results[i].type))
            sdy_site_set(&site, with_unused(out->items[i], names->params[0], mesh, ref));
    }
    return true;
}

static ir_walk clean_op(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def == SDY_OP(manual_computation))
        *ok &= clean(op);
    return IR_WALK_ON;
}

static bool run_cleanup(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_walk_pre(module, clean_op, &ok);
    return ok;
}

const pass_def sdy_apply_sharding_constraints_pass = {
    .name = "sdy-apply-sharding-constraints",
    .title = "ApplyShardingConstraintsPass",
    .summary = "Applies sharding constraints to values.",
    .anchor = "builtin.module",
    .run = run_apply,
    .options = IR_LIST(pass_option_def, SDY_ORIGIN_OPTIONS("", "Record")),
};

const pass_def sdy_sharding_group_import_pass = {
    .name = "sdy-sharding-group-import",
    .title = "ShardingGroupImportPass",
    .summary = "Merges sharding groups with common values, and renumbers them.",
    .anchor = "builtin.module",
    .run = run_groups,
};

const pass_def sdy_manual_axes_cleanup_pass = {
    .name = "sdy-manual-axes-cleanup",
    .title = "ManualAxesCleanupPass",
    .summary = "Sorts manual axes, and replicates along unused ones.",
    .anchor = "builtin.module",
    .run = run_cleanup,
};
