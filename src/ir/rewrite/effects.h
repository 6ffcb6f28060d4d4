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

/* True if an operation writes one of the results in place, or frees it: two such operations
 * with the same attributes are two tensors. */
bool rw_has_changed_result(const ir_op *op);

bool rw_is_symbol(const ir_op *op);

#endif
