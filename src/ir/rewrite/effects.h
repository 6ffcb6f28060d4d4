/* effects.h: what an operation does to memory, read off its row. */
#ifndef TILEWRIGHT_IR_REWRITE_EFFECTS_H
#define TILEWRIGHT_IR_REWRITE_EFFECTS_H

#include "ir/op.h"

enum {
    RW_READ = 1,
    RW_WRITE = 2,
    RW_ALLOC = 4,
    RW_FREE = 8,
    RW_UNKNOWN = 16, /* the row does not say */
    RW_OWN = 32,     /* makes memory that its result names */
};

/* The effects of an operation, those of its regions included. */
unsigned rw_effects(const ir_op *op);

static inline bool rw_is_pure(const ir_op *op)
{
    return rw_effects(op) == 0;
}

/* Whether the operation could go if nobody used its results: it only reads, or makes
 * memory that only its results name. */
bool rw_would_be_dead(const ir_op *op);

bool rw_is_symbol(const ir_op *op);

#endif
