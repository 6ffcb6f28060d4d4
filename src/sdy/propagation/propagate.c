/* propagate.c: propagates shardings over a module to a fixed point.
 *
 * Operations are visited in order; users and producers of a value whose sharding has
 * changed are visited again.  Members of a sharding group change together.  The level
 * determines the allowed directions (callers of sdy_propagate_to raise it step by step). */
#include "sdy/propagation/propagate.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/func/func.h"
#include "sdy/propagation/projection.h"
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"

#include <stdlib.h>

typedef struct member {
    ir_value *value;
    int64_t group;
} member;

struct sdy_propagation {
    ir_op *module;
    const sdy_propagate_options *options;
    member *members;
    size_t n_members, members_capacity;
    ir_op_list calls;
    ir_op_list list; /* worklist, taken from the end; NULL: erased */
    ir_mapping *position;
    ir_value **changed; /* values whose users must be revisited */
    size_t n_changed, changed_capacity;
    ir_mapping *noted; /* values -> last iteration in which they were in the list */
    uintptr_t iteration;
    bool aggressive;
    int level;
    ir_op *current;
};

typedef struct sdy_propagation state;

/* ---- worklist ----------------------------------------------------------------------- */

static void push(state *s, ir_op *op)
{
    if (!op || op == s->current || ir_mapping_get(s->position, op))
        return;
    TW_PUSH(s->list.at, s->list.n, s->list.capacity, op);
    ir_mapping_set(s->position, op, (void *)(uintptr_t)s->list.n);
}

static ir_op *pop(state *s)
{
    while (s->list.n) {
        ir_op *op = s->list.at[--s->list.n];
        if (op) {
            ir_mapping_set(s->position, op, NULL);
            return op;
        }
    }
    return NULL;
}

static void forget(state *s, const ir_op *op)
{
    uintptr_t at = (uintptr_t)ir_mapping_get(s->position, op);
    if (at) {
        s->list.at[at - 1] = NULL;
        ir_mapping_set(s->position, op, NULL);
    }
}

static ir_walk collect(ir_op *op, void *user)
{
    state *s = user;
    if (op != s->module)
        push(s, op);
    return IR_WALK_ON;
}

static bool is_call(const ir_op *op)
{
    return op->def == FUNC_OP(call);
}

/* ---- affected operations ------------------------------------------------------------ */

/* Once per iteration, since functions may call each other. */
static void note_once(state *s, ir_value *v)
{
    if ((uintptr_t)ir_mapping_get(s->noted, v) == s->iteration)
        return;
    ir_mapping_set(s->noted, v, (void *)s->iteration);
    TW_PUSH(s->changed, s->n_changed, s->changed_capacity, v);
}

/* A value returned by a function affects its callers; other users revisit the function. */
static void visit_callers(state *s, const ir_operand *use)
{
    ir_op *func = ir_op_parent(use->owner);
    bool called = false;
    for (size_t i = 0; i < s->calls.n; i++) {
        ir_op *call = s->calls.at[i];
        if (sdy_callee(call) != func)
            continue;
        called = true;
        if (ir_operand_number(use) < call->n_results)
            note_once(s, &call->results[ir_operand_number(use)]);
    }
    if (!called)
        push(s, func);
}

static void visit_user(state *s, ir_operand *use)
{
    ir_op *user = use->owner, *edge = sdy_edge_from(use);
    ir_op *callee = sdy_callee(user);
    if (edge)
        push(s, edge);
    else if (user->def == FUNC_OP(return ))
        visit_callers(s, use);
    else if (user->def->traits & IR_TERMINATOR)
        push(s, ir_op_parent(user));
    else if (callee && ir_operand_number(use) < ir_op_body(callee, 0)->n_args)
        note_once(s, ir_op_body(callee, 0)->args[ir_operand_number(use)]);
    else
        push(s, user);
}

static void note_change(state *s, ir_value *v)
{
    ir_op *op = ir_value_def(v);
    s->iteration++;
    s->n_changed = 0;
    if (ir_op_is(op, SDY_OP(data_flow_edge))) {
        ir_value *targets[2];
        size_t n = sdy_edge_targets(op, targets);
        for (size_t i = 0; i < n; i++)
            note_once(s, targets[i]);
    }
    push(s, op ? op : ir_value_block(v)->region->owner);
    note_once(s, v);
    for (size_t i = 0; i < s->n_changed; i++)
        for (ir_operand *use = s->changed[i]->uses; use; use = use->next_use)
            visit_user(s, use);
}

/* ---- groups ------------------------------------------------------------------------- */

static ir_walk collect_member(ir_op *op, void *user)
{
    state *s = user;
    member m;
    if (op->def != SDY_OP(sharding_group))
        return IR_WALK_ON;
    m.value = op->operands[0].value;
    m.group = ir_op_int(op, "group_id", 0);
    TW_PUSH(s->members, s->n_members, s->members_capacity, m);
    return IR_WALK_ON;
}

static int64_t group_of(const state *s, const ir_value *v)
{
    for (size_t i = 0; i < s->n_members; i++)
        if (s->members[i].value == v)
            return s->members[i].group;
    return -1;
}

static void set_group(state *s, ir_value *v, ir_attr sharding, bool quiet)
{
    int64_t group = s->n_members ? group_of(s, v) : -1;
    for (size_t i = 0; i < s->n_members && group >= 0; i++) {
        ir_value *other = s->members[i].value;
        if (s->members[i].group != group || other == v)
            continue;
        sdy_set(other, sharding);
        if (!quiet)
            note_change(s, other);
    }
}

/* Inserts an open constraint after a group member that replaces it in later uses. */
static ir_value *open_up(ir_value *v, ir_attr sharding)
{
    ir_op *def = ir_value_def(v);
    ir_builder b =
        def ? ir_builder_after(def)
            : ir_builder_at_start(sharding->ctx, ir_value_block(v), ir_value_loc(v));
    ir_attr open =
        sdy_replicated(sharding->ctx, sharding->params[SDY_MESH], sdy_rank(v->type), false);
    b.loc = ir_value_loc(v);
    ir_value *made = ir_build1(&b, SDY_OP(sharding_constraint), v->type, IR_VALUES(v),
                               IR_ATTRS({"sharding", open}));
    ir_value_replace_uses(v, made);
    ir_op_set_operand(ir_value_def(made), 0, v);
    return made;
}

static bool has_axes(ir_attr sharding)
{
    if (!sharding || sdy_is_empty(sharding) == false)
        return sharding != NULL;
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_is_closed(sdy_dim_at(sharding, i)))
            return true;
    return false;
}

static void warn_of_conflict(const ir_value *v, int64_t group)
{
    ir_op *op = v->is_argument ? ir_value_block(v)->region->owner : ir_value_def(v);
    ir_warning(
        op->ctx, op->loc,
        "The initial operand shardings on the sharding groups of groupID: %lld do not "
        "match. Inserting an open sharding constraint to all constrained values. This "
        "can be caused when shardings from different values are grouped (e.g. from "
        "jax.shard_alike) but have separate inconsistent sharding constraints on them.",
        (long long)group);
}

/* Gives the members of a group a common initial sharding. */
static void begin_group(state *s, int64_t group)
{
    ir_attr common = NULL;
    ir_value *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < s->n_members && !differ; i++) {
        if (s->members[i].group != group)
            continue;
        ir_attr sharding = sdy_get(s->members[i].value);
        first = first ? first : s->members[i].value;
        if (!has_axes(sharding))
            continue;
        differ = common && common != sharding;
        common = common ? common : sharding;
    }
    if (differ)
        warn_of_conflict(first, group);
    for (size_t i = 0; i < s->n_members && common; i++) {
        if (s->members[i].group != group)
            continue;
        if (differ)
            s->members[i].value = open_up(s->members[i].value, common);
        else
            sdy_set(s->members[i].value, common);
    }
}

static void begin_groups(state *s)
{
    ir_walk_pre(s->module, collect_member, s);
    int64_t max = -1;
    for (size_t i = 0; i < s->n_members; i++)
        max = TW_MAX(max, s->members[i].group);
    for (int64_t group = 0; group <= max; group++)
        begin_group(s, group);
}

/* ---- directions --------------------------------------------------------------------- */

bool sdy_is_elementwise(const ir_op *op)
{
    if ((op->def->traits & IR_ELEMENTWISE) ||
        ir_def_has(op->def, "HLO_BroadcastingElementwise"))
        return true;
    if (op->def == STABLEHLO_OP(bitcast_convert)) {
        ir_type a = op->operands[0].value->type, b = op->results[0].type;
        return sdy_rank(a) == sdy_rank(b);
    }
    return op->def == SDY_OP(propagation_barrier) ||
           op->def == SDY_OP(sharding_constraint) || op->def == SDY_OP(reshard);
}

static bool has_shared_operand(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *v = op->operands[i].value;
        if (!ir_value_has_one_use(v) && sdy_rank(v->type) > 0)
            return true;
    }
    return false;
}

static bool moves_memory(const ir_op *op)
{
    tw_str target = op->def == STABLEHLO_OP(custom_call)
                        ? ir_attr_str(ir_op_attr(op, "call_target_name"))
                        : TW_STR("");
    return tw_str_is(target, "MoveToDevice") || tw_str_is(target, "MoveToHost");
}

static int pass_through(const ir_op *op, bool shared_too)
{
    if (!shared_too && has_shared_operand(op))
        return SDY_PropagationDirection_NONE;
    if (sdy_is_elementwise(op) || moves_memory(op) || op->def == STABLEHLO_OP(reshape) ||
        op->def == STABLEHLO_OP(transpose) || op->def == SDY_OP(data_flow_edge) ||
        op->def == SDY_OP(func_data_flow_edge))
        return SDY_PropagationDirection_BOTH;
    return op->def == STABLEHLO_OP(dynamic_slice) ||
                   op->def == STABLEHLO_OP(dynamic_update_slice)
               ? SDY_PropagationDirection_FORWARD
               : SDY_PropagationDirection_NONE;
}

static bool is_pass_factor(ir_attr rule, uint32_t factor)
{
    return !sdy_rule_lists(rule, SDY_RULE_REDUCTION, factor) &&
           !sdy_rule_lists(rule, SDY_RULE_REPLICATION, factor) &&
           !sdy_rule_lists(rule, SDY_RULE_PERMUTATION, factor);
}

/* The directions that a level adds: for the two kinds of pass-through operations, then
 * for pass-through factors, then all but broadcasts forward, then all. */
static int allowed_at(const ir_op *op, ir_attr rule, uint32_t factor, int level)
{
    int no_broadcast = op->def == STABLEHLO_OP(broadcast_in_dim)
                           ? SDY_PropagationDirection_BACKWARD
                           : SDY_PropagationDirection_BOTH;
    switch (level) {
    case 0:
    case 1:
        return pass_through(op, level == 1);
    case 2:
        return is_pass_factor(rule, factor) ? no_broadcast : SDY_PropagationDirection_NONE;
    case 3:
        return no_broadcast;
    default:
        return SDY_PropagationDirection_BOTH;
    }
}

static int either(int a, int b)
{
    return a | b; /* NONE 0, FORWARD 1, BACKWARD 2, BOTH 3 */
}

static int direction_at(const sdy_step *step, uint32_t factor)
{
    int allowed = SDY_PropagationDirection_NONE;
    if (sdy_rule_lists(step->rule, SDY_RULE_BLOCKED, factor))
        return SDY_PropagationDirection_NONE;
    if (ir_op_is(step->op, SDY_OP(propagation_barrier)))
        return (int)ir_enum_value(ir_op_attr(step->op, "allowed_direction"), 0);
    for (int level = 0; level <= step->level; level++)
        allowed = either(allowed, allowed_at(step->op, step->rule, factor, level));
    return allowed;
}

/* ---- one operation ------------------------------------------------------------------ */

/* The tensors of a rule: values, or (`func`) results of a function. */
typedef struct tensors {
    ir_value **values;
    ir_attr *shardings;
    size_t n_operands, n, values_capacity, shardings_capacity;
    ir_op *edge; /* its sharding applies to all targets */
    ir_op *func; /* the last tensor is its result `result` */
    size_t result;
} tensors;

static void set_tensor(state *s, const tensors *t, size_t i, ir_attr sharding)
{
    if (t->func && i == t->n_operands) {
        sdy_set_result_sharding(t->func, t->result, sharding);
        return;
    }
    ir_value *v = sdy_shardable(t->values[i]);
    if (!v)
        return;
    if (t->edge && i == t->n_operands)
        ir_op_set_attr(t->edge, "sharding", sdy_edge_inside(t->edge, sharding));
    else
        sdy_set(v, sharding);
    if (!t->func)
        note_change(s, v);
    set_group(s, v, sharding, t->func != NULL);
}

static void propagate_tensors(state *s, ir_op *op, const tensors *t, ir_attr rule,
                              bool conservative)
{
    ir_attr ref = NULL;
    ir_attr mesh = sdy_common_mesh(op, t->shardings, t->n, false, &ref);
    if (!mesh || sdy_mesh_is_maximal(mesh) ||
        sdy_length(rule->params[SDY_RULE_OPERANDS]) != t->n_operands ||
        sdy_length(rule->params[SDY_RULE_RESULTS]) != t->n - t->n_operands)
        return;
    sdy_projection *p = sdy_project(rule, mesh, t->shardings, false);
    if (!p)
        return;
    sdy_step step = {.op = op,
                     .aggressive = s->aggressive,
                     .conservative = conservative,
                     .elementwise = sdy_is_elementwise(op),
                     .direction = direction_at,
                     .rule = rule,
                     .level = t->func ? SDY_ALL_LEVELS : s->level};
    sdy_propagate_factors(p, &step);
    for (size_t i = 0; i < t->n; i++) {
        if (!p->tensors[i].updated)
            continue;
        ir_attr now = sdy_unproject(p, i, ref), was = t->shardings[i];
        if (now != was && (was || !sdy_is_empty(now)))
            set_tensor(s, t, i, now);
    }
    sdy_projection_free(p);
}

static void add(tensors *t, ir_value *v)
{
    size_t n = t->n;
    TW_PUSH(t->values, n, t->values_capacity, v);
    TW_PUSH(t->shardings, t->n, t->shardings_capacity, sdy_get(v));
}

/* Frees the tensors' lists. */
static void propagate_along(state *s, ir_op *op, tensors *t, ir_attr rule,
                            bool conservative)
{
    propagate_tensors(s, op, t, rule, conservative);
    free(t->values);
    free(t->shardings);
}

static void visit_registered(state *s, ir_op *op)
{
    tensors t = {.n = 0};
    ir_attr rule = sdy_rule_of(op, s->options->conservative, true);
    if (!rule)
        return;
    for (uint32_t i = 0; i < op->n_operands; i++)
        add(&t, op->operands[i].value);
    t.n_operands = t.n;
    for (uint32_t i = 0; i < op->n_results; i++)
        add(&t, &op->results[i]);
    propagate_along(s, op, &t, rule, s->options->conservative);
}

static void visit_edge(state *s, ir_op *edge)
{
    tensors t = {.edge = edge};
    ir_type type = edge->results[0].type;
    ir_value *sources[32];
    size_t n = sdy_edge_sources(edge, sources, TW_COUNT(sources));
    if (!sdy_is_static(type) || !n)
        return;
    for (size_t i = 0; i < n; i++)
        add(&t, sources[i]);
    t.n_operands = t.n;
    add(&t, &edge->results[0]);
    t.shardings[n] = sdy_edge_outside(edge, t.shardings[n]);
    propagate_along(s, edge, &t, sdy_identity_rule(type, n, 1), false);
}

/* Between a function's argument and its calls, or a call's result and its function. */
static void visit_function_edge(state *s, ir_op *edge)
{
    tensors t = {.n = 0};
    ir_value *inner = edge->operands[0].value;
    if (!sdy_is_static(edge->results[0].type))
        return;
    if (inner->is_argument) {
        ir_op *func = ir_value_block(inner)->region->owner;
        for (size_t i = 0; i < s->calls.n; i++)
            if (sdy_callee(s->calls.at[i]) == func &&
                inner->index < s->calls.at[i]->n_operands)
                add(&t, s->calls.at[i]->operands[inner->index].value);
    } else {
        ir_op *func = sdy_callee(ir_value_def(inner));
        ir_op *end = func ? ir_op_body(func, 0)->last : NULL;
        if (ir_op_is(end, FUNC_OP(return )) && inner->index < end->n_operands)
            add(&t, end->operands[inner->index].value);
    }
    if (!t.n)
        return;
    t.n_operands = t.n;
    add(&t, &edge->results[0]);
    propagate_along(s, edge, &t, sdy_identity_rule(edge->results[0].type, t.n_operands, 1),
                    false);
}

static void visit_barrier(state *s, ir_op *op)
{
    tensors t = {.n = 0};
    add(&t, op->operands[0].value);
    t.n_operands = 1;
    add(&t, &op->results[0]);
    propagate_along(s, op, &t, sdy_identity_rule(op->results[0].type, 1, 1), false);
}

static void visit(state *s, ir_op *op)
{
    if (op->def == SDY_OP(propagation_barrier))
        visit_barrier(s, op);
    else if (op->def == SDY_OP(data_flow_edge))
        visit_edge(s, op);
    else if (op->def == SDY_OP(func_data_flow_edge))
        visit_function_edge(s, op);
    else
        visit_registered(s, op);
}

/* Between the values returned by an entry function and its result shardings. */
static void visit_results_of(state *s, ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op *end = body ? body->last : NULL;
    for (uint32_t i = 0; ir_op_is(end, FUNC_OP(return )) && i < end->n_operands; i++) {
        tensors t = {.func = func, .result = i, .n_operands = 1};
        ir_value *v = end->operands[i].value;
        if (!sdy_is_static(v->type))
            continue;
        add(&t, v);
        add(&t, v);
        t.shardings[1] = sdy_result_sharding(func, i);
        propagate_along(s, func, &t, sdy_identity_rule(v->type, 1, 1), false);
    }
}

/* The entry is main; with several functions and no main, every public function. */
static void visit_results(state *s)
{
    ir_op *main = sdy_find_main(s->module);
    for (ir_op *f = ir_op_body(s->module, 0)->first; f; f = f->next)
        if (f->def == FUNC_OP(func) && (main ? f == main : ir_symbol_is_public(f)))
            visit_results_of(s, f);
}

static void erase_dead(state *s, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        push(s, ir_value_def(op->operands[i].value));
    forget(s, op);
    ir_op_erase(op);
}

static void run_strategy(state *s, bool is_aggressive)
{
    s->aggressive = is_aggressive;
    visit_results(s);
    ir_walk_pre(s->module, collect, s);
    for (size_t i = 0; i < s->list.n / 2; i++) {
        ir_op *swap = s->list.at[i];
        s->list.at[i] = s->list.at[s->list.n - 1 - i];
        s->list.at[s->list.n - 1 - i] = swap;
    }
    for (size_t i = 0; i < s->list.n; i++)
        ir_mapping_set(s->position, s->list.at[i], (void *)(uintptr_t)(i + 1));
    for (ir_op *op; (op = pop(s));) {
        if (op->n_regions == 0 && rw_is_trivially_dead(op)) {
            erase_dead(s, op);
            continue;
        }
        s->current = op;
        visit(s, op);
        s->current = NULL;
    }
    visit_results(s);
}

void sdy_propagate_to(sdy_propagation *s, int level)
{
    s->level = level;
    if (s->options->strategy != SDY_AGGRESSIVE)
        run_strategy(s, false);
    if (s->options->strategy != SDY_BASIC)
        run_strategy(s, true);
}

/* ---- setup and teardown ------------------------------------------------------------- */

static ir_walk check_types(ir_op *op, void *user)
{
    bool *ok = user;
    for (uint32_t i = 0; i < op->n_results && *ok; i++) {
        ir_type t = op->results[i].type;
        if (ir_type_is_shaped(t) && !sdy_is_static(t))
            *ok = ir_error(op->ctx, op->loc,
                           "Shardy propagation only supports ranked tensors with a static "
                           "shape. type: '%s'",
                           ir_type_text(op->ctx, t));
        else if (t->kind == IR_TYPE_TUPLE)
            *ok = ir_error(op->ctx, op->loc,
                           "Shardy propagation doesn't support tuples: '%s'",
                           ir_type_text(op->ctx, t));
    }
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

sdy_propagation *sdy_propagation_begin(ir_op *module, const sdy_propagate_options *options)
{
    bool ok = true;
    ir_walk_pre(module, check_types, &ok);
    if (!ok)
        return NULL;
    state *s = tw_xmalloc(sizeof *s);
    *s = (state){.module = module,
                 .options = options,
                 .position = ir_mapping_create(),
                 .noted = ir_mapping_create(),
                 .calls = ir_ops_in(module, is_call)};
    begin_groups(s);
    return s;
}

void sdy_propagation_end(sdy_propagation *s)
{
    if (!s->options->keep_rules)
        sdy_drop_rules(s->module);
    free(s->members);
    free(s->calls.at);
    free(s->list.at);
    ir_mapping_free(s->position);
    ir_mapping_free(s->noted);
    free(s->changed);
    free(s);
}
