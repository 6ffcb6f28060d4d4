/* verify_dominance.c: checks that definitions dominate uses, in the words and the order of
 * MLIR: operations of a region first, then nested ones, the last first; unreachable blocks
 * may use anything; isolated operations are skipped. */
#include "ir/op.h"
#include "ir/verify_impl.h"

#include <stdlib.h>

/* The blocks of a region that are reachable from its entry without passing `without` (may
 * be NULL); indexed by the blocks' `order`, which is set. */
static bool *reach(ir_region *region, const ir_block *without)
{
    size_t count = 0, top = 0;
    for (ir_block *x = region->first; x; x = x->next)
        x->order = (uint32_t)count++;
    bool *reached = tw_xcalloc(count, 1);
    ir_block **stack = tw_xmalloc(count * sizeof *stack);
    if (region->first != without) {
        stack[top++] = region->first;
        reached[0] = true;
    }
    while (top) {
        ir_block *x = stack[--top];
        for (uint16_t i = 0; x->last && i < x->last->n_successors; i++) {
            ir_block *next = x->last->successors[i];
            if (next != without && next->region == region && !reached[next->order]) {
                reached[next->order] = true;
                stack[top++] = next;
            }
        }
    }
    free(stack);
    return reached;
}

/* a dominates b iff b cannot be reached from the entry without passing a: quadratic, but
 * regions have few blocks here. */
static bool block_dominates(ir_region *region, ir_block *a, ir_block *b)
{
    if (a == b || a == region->first)
        return true;
    bool *reached = reach(region, a);
    bool result = !reached[b->order];
    free(reached);
    return result;
}

static bool is_graph(const ir_op *op)
{
    return op && (op->def->traits & (IR_GRAPH_REGION | IR_UNREGISTERED));
}

/* The walk of one check. */
typedef struct check {
    ir_op *root;
    const ir_block
        *numbered; /* the last block outside of root whose operations were numbered */
} check;

/* Numbers the operations of a block that the caller's walk did not see: one that root is
 * in. */
static void number_outside(check *c, const ir_block *b)
{
    if (b == c->numbered)
        return;
    uint32_t order = 0;
    for (ir_op *op = b->first; op; op = op->next)
        op->order = order++;
    c->numbered = b;
}

static bool is_inside_root(const check *c, const ir_block *b)
{
    for (const ir_op *op = b->region->owner; op; op = ir_op_parent(op))
        if (op == c->root)
            return true;
    return false;
}

/* True if the value's definition dominates this use. Climbs from the user to the value's
 * region. */
static bool dominates(check *c, ir_value *v, ir_op *user)
{
    ir_block *home = ir_value_block(v);
    if (!home)
        return false;
    ir_op *at = user;
    while (at && (!at->block || at->block->region != home->region)) {
        at = ir_op_parent(at);
        if (!at)
            return false;
    }
    if (!at)
        return false;
    ir_op *def = ir_value_def(v);
    if (is_graph(home->region->owner))
        return true;
    if (at->block != home)
        return block_dominates(home->region, home, at->block);
    if (def && !is_inside_root(c, home))
        number_outside(c, home);
    return !def || (def != at && def->order < at->order);
}

/* ---- messages ----------------------------------------------------------------------- */

static bool is_inside(const ir_region *inner, const ir_region *outer)
{
    for (const ir_op *op = inner ? inner->owner : NULL; op; op = ir_op_parent(op))
        if (op->block && op->block->region == outer)
            return true;
    return false;
}

static const char *relation(const ir_region *use, const ir_region *def)
{
    return use == def            ? "in the same region"
           : is_inside(use, def) ? "in a parent region"
           : is_inside(def, use) ? "in a child region"
                                 : NULL;
}

static bool report(ir_op *op, uint32_t operand)
{
    ir_value *v = op->operands[operand].value;
    ir_op *def = ir_value_def(v);
    const ir_block *home = ir_value_block(v);
    const ir_region *in = home ? home->region : NULL, *use = op->block->region;
    const char *where =
        def && def->block == op->block ? "in the same block" : relation(use, in);
    ir_error_at_op(op, "operand #%u does not dominate this use", operand);
    if (def) {
        ir_note(op->ctx, def->loc, "operand defined here (op %s)",
                where ? where : "is neither in a parent nor in a child region");
    } else if (in && in->owner) {
        unsigned index = 0;
        for (const ir_block *b = in->first; b && b != home; b = b->next)
            index++;
        ir_note(op->ctx, in->owner->loc,
                "operand defined as a block argument (block #%u %s)", index,
                where ? where : "neither in a parent nor in a child region");
    }
    return false;
}

/* ---- the walk ----------------------------------------------------------------------- */

static bool check_op(check *c, ir_op *op)
{
    const ir_block *b = op->block;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        const ir_op *def = ir_value_def(v);
        /* the common case first: same block, earlier */
        if (TW_LIKELY(def ? def->block == b && def->order < op->order : v->owner == b))
            continue;
        if (!dominates(c, v, op))
            return report(op, i);
    }
    return true;
}

typedef struct op_stack {
    ir_op **at;
    uint32_t count, capacity;
} op_stack;

static bool check_block(check *c, ir_block *b, bool reachable, op_stack *inside)
{
    for (ir_op *o = b->first; o; o = o->next) {
        if (reachable && !check_op(c, o))
            return false;
        if (o->n_regions && !(o->def->traits & IR_ISOLATED))
            TW_PUSH(inside->at, inside->count, inside->capacity, o);
    }
    return true;
}

static bool check_region(check *c, ir_region *region, op_stack *inside)
{
    bool ok = true, *reached = NULL;
    if (region->first != region->last && !is_graph(region->owner))
        reached = reach(region, NULL);
    uint32_t k = 0;
    for (ir_block *b = region->first; b && ok; b = b->next, k++)
        ok = check_block(c, b, !reached || reached[k], inside);
    free(reached);
    return ok;
}

bool ir_check_dominance(ir_op *op)
{
    check c = {.root = op};
    op_stack inside = {0};
    bool ok = true;
    TW_PUSH(inside.at, inside.count, inside.capacity, op);
    while (ok && inside.count) {
        ir_op *o = inside.at[--inside.count];
        for (uint16_t r = 0; r < o->n_regions && ok; r++)
            ok = check_region(&c, &o->regions[r], &inside);
    }
    free(inside.at);
    return ok;
}
