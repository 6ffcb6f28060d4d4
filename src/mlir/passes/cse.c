/* cse.c: eliminates common subexpressions.
 *
 * Equivalent operations without effects are merged into the one that dominates, unless an
 * operand is a tensor that is written between them; operations that only read are merged
 * within a block when nothing between them writes. Scopes follow the dominator tree, so a
 * table lookup sees dominating operations only. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/passes/dominators.h"
#include "mlir/passes/equivalence.h"
#include "support/hash.h"

#include <stdlib.h>

/* A scoped hash table: entries are pushed, and popped when their scope ends. */
typedef struct known {
    uint32_t hash, next; /* index + 1 of the next entry in the bucket */
    ir_op *op;
} known;

typedef struct table {
    uint32_t *buckets, mask;
    known *entries;
    size_t count, capacity;
} table;

typedef struct cse {
    table t;
    ir_op **dead;
    size_t n_dead, dead_capacity, n_merged;
    const rw_changes *changes;
} cse;

static void rehash(table *t)
{
    uint32_t size = t->mask ? (t->mask + 1) * 4 : 64;
    free(t->buckets);
    t->buckets = tw_xcalloc(size, sizeof *t->buckets);
    t->mask = size - 1;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t *bucket = &t->buckets[t->entries[i].hash & t->mask];
        t->entries[i].next = *bucket;
        *bucket = (uint32_t)i + 1;
    }
}

static void remember(table *t, ir_op *op, uint32_t hash)
{
    if (!t->buckets || t->count > 2 * (size_t)t->mask)
        rehash(t);
    uint32_t *bucket = &t->buckets[hash & t->mask];
    known k = {hash, *bucket, op};
    TW_PUSH(t->entries, t->count, t->capacity, k);
    *bucket = (uint32_t)t->count;
}

static known *find(table *t, ir_op *op, uint32_t hash)
{
    if (!t->buckets)
        return NULL;
    for (uint32_t i = t->buckets[hash & t->mask]; i; i = t->entries[i - 1].next)
        if (t->entries[i - 1].hash == hash &&
            transform_equivalent(t->entries[i - 1].op, op))
            return &t->entries[i - 1];
    return NULL;
}

/* Entries are popped newest first, so each is the head of its bucket. */
static void leave_scope(table *t, size_t count)
{
    while (t->count > count) {
        known *k = &t->entries[--t->count];
        t->buckets[k->hash & t->mask] = k->next;
    }
}

/* ---- one operation ------------------------------------------------------------------ */

static bool is_single_block(const ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (op->regions[r].first != op->regions[r].last)
            return false;
    return true;
}

static bool written_between(const ir_op *from, const ir_op *to)
{
    for (const ir_op *op = from->next; op && op != to; op = op->next)
        if (rw_effects(op) & ~(unsigned)RW_READ)
            return true;
    return false;
}

/* True if an operation writes one of the results in place, or frees it: two such operations
 * with the same attributes are two tensors. */
static bool has_changed_result(const cse *c, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (rw_changes_of(c->changes, &op->results[i]))
            return true;
    return false;
}

/* True if the table contains this very operation. */
static bool is_known(cse *c, ir_op *op)
{
    known *k = find(&c->t, op, transform_hash(op));
    return k && k->op == op;
}

/* In a graph region a user may come first.  One that is in the table keeps its operands:
 * its hash there depends on them. */
static void replace_uses(cse *c, ir_op *op, ir_op *existing, bool ordered)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (ordered) {
            ir_value_replace_uses(&op->results[i], &existing->results[i]);
            continue;
        }
        for (ir_operand *use = op->results[i].uses, *next; use; use = next) {
            next = use->next_use;
            if (!is_known(c, use->owner))
                ir_op_set_operand(use->owner, ir_operand_number(use),
                                  &existing->results[i]);
        }
    }
    if (!existing->loc.bits && op->loc.bits)
        existing->loc = op->loc;
    if (ir_op_is_unused(op))
        TW_PUSH(c->dead, c->n_dead, c->dead_capacity, op);
}

/* Returns whether the operation is to be erased. */
static bool simplify(cse *c, ir_op *op, bool ordered)
{
    if (op->def->traits & IR_TERMINATOR)
        return false;
    if (rw_is_trivially_dead(op)) {
        TW_PUSH(c->dead, c->n_dead, c->dead_capacity, op);
        return true;
    }
    if (!is_single_block(op))
        return false;
    unsigned effects = rw_effects(op);
    if ((effects & ~(unsigned)RW_READ) || has_changed_result(c, op))
        return false;
    uint32_t hash = transform_hash(op);
    known *k = find(&c->t, op, hash);
    if (!k) {
        remember(&c->t, op, hash);
        return false;
    }
    if (effects ? k->op->block != op->block || written_between(k->op, op)
                : ordered && rw_reads_changing(c->changes, op) &&
                      rw_changed_between(k->op, op)) {
        k->op = op;
        return false;
    }
    replace_uses(c, op, k->op, ordered);
    c->n_merged++;
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

static void simplify_region(cse *c, ir_region *region);

static void simplify_block(cse *c, ir_block *block, bool ordered)
{
    for (ir_op *op = block->first; op; op = op->next) {
        if (op->n_regions) {
            if (op->def->traits & IR_ISOLATED) {
                cse fresh = {.dead = c->dead,
                             .n_dead = c->n_dead,
                             .dead_capacity = c->dead_capacity,
                             .n_merged = c->n_merged,
                             .changes = c->changes};
                for (uint16_t r = 0; r < op->n_regions; r++)
                    simplify_region(&fresh, &op->regions[r]);
                c->dead = fresh.dead;
                c->n_dead = fresh.n_dead;
                c->dead_capacity = fresh.dead_capacity;
                c->n_merged = fresh.n_merged;
                free(fresh.t.buckets);
                free(fresh.t.entries);
            } else {
                for (uint16_t r = 0; r < op->n_regions; r++)
                    simplify_region(c, &op->regions[r]);
            }
        }
        simplify(c, op, ordered);
    }
}

static void simplify_tree(cse *c, const dominators *tree, size_t node)
{
    size_t scope = c->t.count;
    simplify_block(c, tree->blocks[node], true);
    for (size_t i = node + 1; i < tree->count; i++)
        if (tree->parent[i] == node)
            simplify_tree(c, tree, i);
    leave_scope(&c->t, scope);
}

static void simplify_region(cse *c, ir_region *region)
{
    if (!region->first)
        return;
    bool graph = region->owner->def->traits & (IR_GRAPH_REGION | IR_UNREGISTERED);
    if (region->first == region->last) {
        size_t scope = c->t.count;
        simplify_block(c, region->first, !graph);
        leave_scope(&c->t, scope);
    } else if (!graph) {
        dominators tree = dominators_of(region);
        simplify_tree(c, &tree, 0);
        dominators_free(&tree);
    }
}

static bool run(ir_op *op, pass_run *run)
{
    rw_changes changes = rw_changes_in(op);
    cse c = {.changes = &changes};
    for (uint16_t r = 0; r < op->n_regions; r++)
        simplify_region(&c, &op->regions[r]);
    /* Users come after their operands: backwards, so that each is unused when erased. */
    for (size_t i = c.n_dead; i-- > 0;)
        ir_op_erase(c.dead[i]);
    pass_count(run, "num-cse'd", "Number of operations CSE'd", c.n_merged);
    pass_count(run, "num-dce'd", "Number of operations DCE'd",
               c.n_dead > c.n_merged ? c.n_dead - c.n_merged : 0);
    rw_changes_free(&changes);
    free(c.dead);
    free(c.t.buckets);
    free(c.t.entries);
    return true;
}

const pass_def cse_pass = {
    .name = "cse",
    .title = "CSE",
    .summary = "Eliminate common sub-expressions",
    .run = run,
};
