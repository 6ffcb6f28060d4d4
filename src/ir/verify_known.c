/* verify_known.c: remembers operations that were found valid, so that an equal one is not
 * checked again.
 *
 * Passes are verified one after the other, and most of a program is the same before and
 * after a pass; layers of a model are equal as well.  What the checks of an operation
 * without regions depend on is hashed to 64 bits: its row, attributes, result types and
 * parent; of each operand the type, the row of the operation that defines it and, of a
 * constant, its attributes; which operands are the same value.  Only dialects whose checks
 * look at nothing else take part (ir_dialect.checks_are_local). */
#include "ir/context.h"
#include "ir/verify_impl.h"
#include "support/arena.h"
#include "support/hash.h"

#include <stdlib.h>

enum { KNOWN_MAX = 1 << 18, KNOWN_DIALECTS = 16, KNOWN_OPERANDS = 32 };

typedef struct known {
    uint64_t *slots; /* 0: empty */
    size_t mask, count;
    size_t n_seen; /* dialects of the context when `rows` was filled */
    size_t n_rows;
    struct {
        const ir_op_def *first, *end;
    } rows[KNOWN_DIALECTS];
} known;

static void destroy(void *memory)
{
    known *k = memory;
    free(k->slots);
    free(k);
}

static known *known_of(ir_context *ctx)
{
    known *k = ir_context_slot(ctx, IR_SLOT_KNOWN_VALID);
    if (!k) {
        k = tw_xcalloc(1, sizeof *k);
        k->mask = 1023;
        k->slots = tw_xcalloc(k->mask + 1, sizeof *k->slots);
        ir_context_set_slot(ctx, IR_SLOT_KNOWN_VALID, k, destroy);
    }
    for (; k->n_seen < ir_context_dialect_count(ctx); k->n_seen++) {
        const ir_dialect *d = ir_context_dialect_at(ctx, k->n_seen);
        if (!d->checks_are_local || k->n_rows == KNOWN_DIALECTS)
            continue;
        k->rows[k->n_rows].first = d->ops.at;
        k->rows[k->n_rows++].end = d->ops.at + d->ops.count;
    }
    return k;
}

/* What a symbol names is not part of the operation. */
static bool names_symbol(const ir_op *op)
{
    for (size_t i = 0, n = ir_def_n_props(op->def); i < n; i++)
        if (ir_attr_is(op->props[i], IR_ATTR_SYMBOL_REF))
            return true;
    return false;
}

static bool takes_part(const known *k, const ir_op *op)
{
    if (op->n_regions || op->n_successors || op->n_operands > KNOWN_OPERANDS ||
        op->def->verify_symbols ||
        (op->def->traits &
         (IR_TERMINATOR | IR_SYMBOL | IR_FUNCTION_LIKE | IR_UNREGISTERED)))
        return false;
    for (size_t i = 0; i < k->n_rows; i++)
        if (op->def >= k->rows[i].first && op->def < k->rows[i].end)
            return !names_symbol(op);
    return false;
}

static uint64_t hash_props(uint64_t h, const ir_op *op)
{
    for (size_t i = 0, n = ir_def_n_props(op->def); i < n; i++)
        h = tw_hash_ptr(h, op->props[i]);
    return h;
}

static uint64_t hash_operand(uint64_t h, const ir_op *op, uint32_t index)
{
    const ir_value *v = op->operands[index].value;
    const ir_op *from = ir_value_def(v);
    uint32_t first = 0;
    while (op->operands[first].value != v)
        first++;
    h = tw_hash_mix(tw_hash_ptr(h, v->type), first);
    h = tw_hash_ptr(h, from ? from->def : NULL);
    return from && (from->def->traits & IR_CONSTANT_LIKE) ? hash_props(h, from) : h;
}

static uint64_t hash_op(const ir_op *op)
{
    const ir_op *parent = ir_op_parent(op);
    uint64_t h = tw_hash_ptr(1, op->def);
    h = tw_hash_ptr(h, parent ? parent->def : NULL);
    h = hash_props(tw_hash_mix(tw_hash_ptr(h, op->attrs), op->n_operands), op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        h = hash_operand(h, op, i);
    for (uint32_t i = 0; i < op->n_results; i++)
        h = tw_hash_ptr(h, op->results[i].type);
    return h ? h : 1;
}

static size_t slot_of(const known *k, uint64_t hash)
{
    size_t at = (size_t)hash & k->mask;
    while (k->slots[at] && k->slots[at] != hash)
        at = (at + 1) & k->mask;
    return at;
}

uint64_t ir_valid_hash(ir_op *op)
{
    const known *k = known_of(op->ctx);
    return takes_part(k, op) ? hash_op(op) : 0;
}

bool ir_is_known_valid(const ir_op *op, uint64_t hash)
{
    const known *k = ir_context_slot(op->ctx, IR_SLOT_KNOWN_VALID);
    return hash && k->slots[slot_of(k, hash)];
}

/* Twice the room when half of it is taken; all is forgotten beyond KNOWN_MAX. */
static void grow(known *k)
{
    known old = *k;
    const bool forget = k->count >= KNOWN_MAX;
    k->mask = forget ? 1023 : old.mask * 2 + 1;
    k->slots = tw_xcalloc(k->mask + 1, sizeof *k->slots);
    k->count = forget ? 0 : k->count;
    for (size_t i = 0; !forget && i <= old.mask; i++)
        if (old.slots[i])
            k->slots[slot_of(k, old.slots[i])] = old.slots[i];
    free(old.slots);
}

void ir_remember_valid(const ir_op *op, uint64_t hash)
{
    known *k = ir_context_slot(op->ctx, IR_SLOT_KNOWN_VALID);
    if (!hash)
        return;
    if (k->count * 2 > k->mask)
        grow(k);
    const size_t at = slot_of(k, hash);
    k->count += !k->slots[at];
    k->slots[at] = hash;
}
