/* constants.c: clones each constant for each user before propagation, so that their
 * shardings do not interact, and merges the clones afterwards. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "sdy/import/functions.h"
#include "sdy/propagation/propagate.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static bool contains(const ir_op_list *list, const ir_op *op)
{
    for (size_t i = list->n; i > 0; i--)
        if (list->at[i - 1] == op)
            return true;
    return false;
}

static void add(ir_op_list *list, ir_op *op)
{
    TW_PUSH(list->at, list->n, list->capacity, op);
}

/* ---- splitting ---------------------------------------------------------------------- */

typedef struct names {
    ir_attr *at;
    size_t n, capacity;
} names;

/* Functions and named computations that contain a non-constant operation. */
typedef struct splitting {
    ir_op *module;
    names functions, computations;
    ir_op_list constants, expansions;
    ir_op *func;
    unsigned counter;
} splitting;

static bool has_name(const names *list, ir_attr name)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == name)
            return true;
    return false;
}

static void add_name(names *list, ir_attr name)
{
    if (!has_name(list, name))
        TW_PUSH(list->at, list->n, list->capacity, name);
}

/* True if the result is constant when the operands are. */
static bool preserves(const splitting *s, ir_op *op)
{
    ir_op *callee = sdy_callee(op);
    if (callee)
        return !has_name(&s->functions, sdy_original_name(callee));
    if (op->def == SDY_OP(named_computation))
        return !has_name(&s->computations, ir_op_attr(op, "name"));
    if (!rw_is_pure(op) || (op->def->traits & IR_TERMINATOR))
        return false;
    return op->def == STABLEHLO_OP(broadcast_in_dim) || op->def == STABLEHLO_OP(reshape) ||
           op->def == STABLEHLO_OP(slice) || sdy_is_elementwise(op);
}

static bool is_constant(const splitting *s, ir_op *op)
{
    if (op->def == SDY_OP(constant) || op->def == STABLEHLO_OP(iota))
        return true;
    if (!preserves(s, op))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (!def || !contains(&s->constants, def))
            return false;
    }
    return true;
}

static bool is_scalar(const ir_value *v)
{
    return ir_type_is_ranked(v->type) && v->type->count == 0;
}

static bool is_expansion(const ir_op *op)
{
    return op->def == STABLEHLO_OP(broadcast_in_dim) && is_scalar(op->operands[0].value);
}

static void clone_into(splitting *s, ir_value *v, ir_mapping *map)
{
    ir_op *op = ir_value_def(v);
    if (is_scalar(v) || ir_mapping_get(map, v))
        return;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_value_def(op->operands[i].value))
            clone_into(s, op->operands[i].value, map);
    ir_op *callee = sdy_callee(op);
    ir_op *copy = ir_op_clone(op, map);
    ir_op_insert_before(copy, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_mapping_set(map, &op->results[i], &copy->results[i]);
    if (callee) {
        ir_op *own = sdy_clone_function(s->module, callee, &s->counter);
        ir_op_set_attr(copy, "callee", ir_symbol_ref(op->ctx, ir_symbol_name(own)));
    }
    for (ir_operand *u = v->uses, *next; u; u = next) {
        next = u->next_use;
        if (u->owner->def == SDY_OP(sharding_group))
            ir_op_insert_before(ir_op_clone(u->owner, map), op);
    }
}

static void split_operands(splitting *s, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        ir_op *def = ir_value_def(v);
        if (!def || is_scalar(v) ||
            (!contains(&s->constants, def) && !contains(&s->expansions, def)))
            continue;
        ir_mapping *map = ir_mapping_create();
        clone_into(s, v, map);
        ir_op_set_operand(op, i, ir_mapping_get(map, v));
        ir_mapping_free(map);
    }
}

static void note_not_constant(splitting *s, ir_op *op)
{
    for (ir_op *parent = ir_op_parent(op); parent; parent = ir_op_parent(parent))
        if (parent->def == SDY_OP(named_computation)) {
            add_name(&s->computations, ir_op_attr(parent, "name"));
            break;
        }
    add_name(&s->functions, sdy_original_name(s->func));
}

static void visit(splitting *s, ir_op *op)
{
    if (op->def == FUNC_OP(func) || op->def == SDY_OP(sharding_group))
        return;
    if (is_constant(s, op)) {
        add(&s->constants, op);
        return;
    }
    if (!preserves(s, op) && !(op->def->traits & IR_TERMINATOR))
        note_not_constant(s, op);
    if (is_expansion(op))
        add(&s->expansions, op);
    else
        split_operands(s, op);
}

static void visit_region(splitting *s, ir_region *region)
{
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first, *next; op; op = next) {
            next = op->next;
            visit(s, op);
            for (uint16_t r = 0; op->def != SDY_OP(named_computation) && r < op->n_regions;
                 r++)
                visit_region(s, &op->regions[r]);
        }
}

/* Erases the op unless it has users other than sharding groups. */
static void erase_unused(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (const ir_operand *u = op->results[i].uses; u; u = u->next_use)
            if (u->owner->def != SDY_OP(sharding_group))
                return;
    for (uint32_t i = 0; i < op->n_results; i++)
        while (op->results[i].uses)
            ir_op_erase(op->results[i].uses->owner);
    ir_op_erase(op);
}

static void split_region(splitting *s, ir_region *region)
{
    s->constants.n = s->expansions.n = 0;
    visit_region(s, region);
    for (size_t i = 0; i < s->expansions.n; i++)
        erase_unused(s->expansions.at[i]);
    for (size_t i = s->constants.n; i > 0; i--)
        erase_unused(s->constants.at[i - 1]);
}

/* Replaces stablehlo.constant, whose clones folding would merge again, by sdy.constant. */
static void rename_constants(ir_op *module)
{
    ir_op_list all = ir_ops_in(module, NULL);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        if (op->def != STABLEHLO_OP(constant))
            continue;
        ir_builder b = ir_builder_before(op);
        ir_value *made = ir_build1(&b, SDY_OP(constant), op->results[0].type, NULL, 0,
                                   IR_ATTRS({"value", ir_op_attr(op, "value")}));
        ir_value_def(made)->attrs = op->attrs;
        ir_value_replace_uses(&op->results[0], made);
        ir_op_erase(op);
    }
    ir_op_list_free(&all);
}

static bool run_split(ir_op *module, pass_run *run)
{
    (void)run;
    splitting s = {.module = module};
    ir_op_list functions;
    rename_constants(module);
    bool ok = sdy_functions_in_order(module, &functions);
    for (size_t i = 0; ok && i < functions.n; i++) {
        s.func = functions.at[i];
        ir_op_list all = ir_ops_in_post(s.func, NULL);
        for (size_t k = 0; k < all.n; k++)
            if (all.at[k]->def == SDY_OP(named_computation))
                split_region(&s, &all.at[k]->regions[0]);
        split_region(&s, &s.func->regions[0]);
        ir_op_list_free(&all);
    }
    ir_op_list_free(&functions);
    free(s.functions.at);
    free(s.computations.at);
    ir_op_list_free(&s.constants);
    ir_op_list_free(&s.expansions);
    return ok;
}

/* ---- merging ------------------------------------------------------------------------ */

static bool same_attributes(const ir_op *a, const ir_op *b)
{
    size_t n = ir_def_n_props(a->def);
    for (size_t i = 0; i < n; i++)
        if (a->props[i] != b->props[i])
            return false;
    return a->attrs == b->attrs;
}

static bool is_mergeable(const ir_op *op)
{
    return op->n_results == 1 && (op->def == SDY_OP(constant) || is_expansion(op) ||
                                  (op->def->traits & IR_CONSTANT_LIKE));
}

static bool same(const ir_op *a, const ir_op *b)
{
    if (a->def != b->def || a->block->region != b->block->region ||
        a->results[0].type != b->results[0].type || a->n_operands != b->n_operands ||
        !same_attributes(a, b))
        return false;
    return a->n_operands == 0 || a->operands[0].value == b->operands[0].value;
}

static bool run_merge(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in_post(func, NULL), kept = {.n = 0};
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i], *old = NULL;
        if (!is_mergeable(op))
            continue;
        for (size_t k = 0; k < kept.n && !old; k++)
            if (same(kept.at[k], op))
                old = kept.at[k];
        if (!old) {
            add(&kept, op);
            continue;
        }
        ir_value_replace_uses(&op->results[0], &old->results[0]);
        ir_op_erase(op);
    }
    ir_op_list_free(&all);
    ir_op_list_free(&kept);
    return true;
}

static bool is_sdy_constant(const ir_op *op)
{
    return op->def == SDY_OP(constant);
}

void sdy_constants_to_stablehlo(ir_op *root)
{
    ir_op_list all = ir_ops_in(root, is_sdy_constant);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        ir_builder b = ir_builder_before(op);
        ir_value *made = ir_build1(&b, STABLEHLO_OP(constant), op->results[0].type, NULL, 0,
                                   IR_ATTRS({"value", ir_op_attr(op, "value")}));
        ir_value_def(made)->attrs = op->attrs;
        ir_value_replace_uses(&op->results[0], made);
        ir_op_erase(op);
    }
    ir_op_list_free(&all);
}

const pass_def sdy_constant_or_scalar_splitter_pass = {
    .name = "sdy-constant-or-scalar-splitter",
    .title = "ConstantOrScalarSplitterPass",
    .summary = "Clones constants and broadcast scalars for each user.",
    .anchor = "builtin.module",
    .run = run_split,
};

const pass_def sdy_constant_or_scalar_merger_pass = {
    .name = "sdy-constant-or-scalar-merger",
    .title = "ConstantOrScalarMergerPass",
    .summary = "Merges constants and broadcast scalars with equal shardings.",
    .anchor = "func.func",
    .run = run_merge,
};
