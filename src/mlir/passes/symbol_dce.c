/* symbol_dce.c: deletes unreferenced symbols.
 *
 * Live are: operations that are not symbols, symbols that are visible from outside, and the
 * symbols they refer to. */
#include "ir/rewrite/effects.h"
#include "mlir/passes/passes.h"
#include "mlir/passes/symbol_refs.h"

#include <stdlib.h>

typedef struct liveness {
    ir_mapping *live;
    ir_op **list;
    size_t count, capacity, erased;
} liveness;

static void mark(liveness *l, ir_op *op)
{
    if (ir_mapping_get(l->live, op))
        return;
    ir_mapping_set(l->live, op, op);
    TW_PUSH(l->list, l->count, l->capacity, op);
}

/* @a::@b keeps both a and b. */
static void mark_ref(ir_op *from, ir_attr ref, void *user)
{
    ir_op *table = ir_op_parent(from) ? ir_op_parent(from) : from;
    for (uint32_t n = 1; n <= ref->count; n++) {
        ir_attr prefix = ir_symbol_ref_nested(from->ctx, ref->items, n);
        ir_op *found = ir_symbol_resolve(table, prefix);
        if (!found)
            return;
        mark(user, found);
    }
}

static void mark_table(liveness *l, ir_op *table, bool hidden);

static void mark_roots(liveness *l, ir_op *table, bool hidden)
{
    for (ir_block *b = table->regions[0].first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next) {
            bool discardable = rw_is_symbol(op) && !ir_symbol_is_public(op) &&
                               (hidden || ir_symbol_is_private(op));
            if (!discardable)
                mark(l, op);
        }
}

static void mark_table(liveness *l, ir_op *table, bool hidden)
{
    liveness inner = {.live = l->live};
    if (table->n_regions)
        mark_roots(&inner, table, hidden);
    while (inner.count) {
        ir_op *op = inner.list[--inner.count];
        if (op->def->traits & IR_SYMBOL_TABLE)
            mark_table(&inner, op, hidden || !rw_is_symbol(op) || ir_symbol_is_private(op));
        symbol_refs_below(op, mark_ref, &inner);
    }
    free(inner.list);
}

static ir_walk sweep(ir_op *table, void *user)
{
    liveness *l = user;
    if (!(table->def->traits & IR_SYMBOL_TABLE) || !table->n_regions)
        return IR_WALK_ON;
    for (ir_block *b = table->regions[0].first; b; b = b->next)
        for (ir_op *op = b->first, *next; op; op = next) {
            next = op->next;
            if (rw_is_symbol(op) && !ir_mapping_get(l->live, op)) {
                ir_op_erase(op);
                l->erased++;
            }
        }
    return IR_WALK_ON;
}

void transform_keep_reached(ir_op *entry)
{
    ir_op *table = ir_op_parent(entry);
    liveness l = {.live = ir_mapping_create()};
    mark(&l, entry);
    for (ir_op *op = ir_op_body(table, 0)->first; op; op = op->next)
        if (op->def != entry->def)
            mark(&l, op);
    while (l.count)
        symbol_refs_below(l.list[--l.count], mark_ref, &l);
    for (ir_op *op = ir_op_body(table, 0)->first, *next; op; op = next) {
        next = op->next;
        if (!ir_mapping_get(l.live, op))
            ir_op_erase(op);
    }
    free(l.list);
    ir_mapping_free(l.live);
}

static bool run(ir_op *op, pass_run *run)
{
    if (!(op->def->traits & IR_SYMBOL_TABLE))
        return ir_op_error(op,
                           "was scheduled to run under SymbolDCE, but does not define a "
                           "symbol table");
    bool hidden = !ir_op_parent(op) || !rw_is_symbol(op) || ir_symbol_is_private(op);
    liveness l = {.live = ir_mapping_create()};
    mark_table(&l, op, hidden);
    ir_walk_pre(op, sweep, &l);
    pass_count(run, "num-dce'd", "Number of symbols DCE'd", l.erased);
    ir_mapping_free(l.live);
    return true;
}

const pass_def symbol_dce_pass = {
    .name = "symbol-dce",
    .title = "SymbolDCE",
    .summary = "Eliminate dead symbols",
    .run = run,
};
