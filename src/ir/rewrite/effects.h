/* effects.h: memory effects of an operation, derived from its row. */
#ifndef TILEWRIGHT_IR_REWRITE_EFFECTS_H
#define TILEWRIGHT_IR_REWRITE_EFFECTS_H

#include "ir/op.h"

enum {
    RW_READ = 1,
    RW_WRITE = 2,
    RW_ALLOC = 4,
    RW_FREE = 8,
    RW_UNKNOWN = 16, /* not declared by the row */
    RW_OWN = 32,     /* allocates memory that its result names */
};

/* The effects of an operation, including those of its regions. */
unsigned rw_effects(const ir_op *op);

static inline bool rw_is_pure(const ir_op *op)
{
    return rw_effects(op) == 0;
}

/* True if the operation could be erased if its results were unused: it only reads, or
 * allocates memory that only its results name. */
bool rw_would_be_dead(const ir_op *op);

/* What the use's owner does to this operand, by its row: RW_WRITE, RW_FREE, or both; what a
 * callee does to its argument is the call's doing. Rows that write, but do not say which
 * operand, write each. */
unsigned rw_use_effects(const ir_operand *use);

/* The tensors that operations write or free: on the value itself or, in dialects whose
 * tensors are memory, through a view of it. */
typedef struct rw_changes {
    ir_mapping *effects; /* value -> RW_WRITE and RW_FREE */
    bool any;            /* there are some */
    bool all;            /* some operation computes anything once more, as traces do */
} rw_changes;

rw_changes rw_changes_in(ir_op *root);
void rw_changes_free(rw_changes *c);
unsigned rw_changes_of(const rw_changes *c, const ir_value *v);

/* False if nothing writes what the operation reads: rw_changed_between need not look. */
bool rw_reads_changing(const rw_changes *c, const ir_op *op);

/* True if what `from` reads may be written before `to`, which it dominates: an operation
 * equal to `from` may then compute something else at `to`. False in dialects whose tensors
 * are values. */
bool rw_changed_between(const ir_op *from, const ir_op *to);

/* True if what the operation reads may be written after it: a later operation that took
 * over its operands could compute something else. */
bool rw_changed_later(const ir_op *op);

/* False if the tensor may be written after the operation, so that it cannot replace what
 * the operation computed. One that is written through the operation's result can. */
bool rw_is_kept(const ir_value *v, const ir_op *op);

/* True if the result, a view of what the operation reads, or a view of it may be read after
 * that was written. */
bool rw_is_read_after_write(const ir_op *view);

/* True if the operation, not one in its regions, may write a tensor in a dialect whose
 * tensors are memory. */
bool rw_writes_tensors(const ir_op *op);

bool rw_is_symbol(const ir_op *op);

#endif
