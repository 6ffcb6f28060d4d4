/* dst_registers.h: which register of DST each tile value of a ttl.compute is given: how
 * long values live and a linear scan over that.  The pass is assign_dst.c. */
#ifndef TILEWRIGHT_TTL_PASSES_DST_REGISTERS_H
#define TILEWRIGHT_TTL_PASSES_DST_REGISTERS_H

#include "ir/pass/pass.h"

enum { DST_MAX_REGISTERS = 64 };

typedef struct dst_interval {
    ir_value *value;
    int64_t start, end;
    size_t set;   /* the first interval of the set it is merged with */
    int64_t reg;  /* -1: none yet */
    bool yielded; /* of any of the set */
    bool done;
} dst_interval;

typedef struct dst_state {
    pass_run *run;
    ir_op *op;
    ir_block *body;
    ir_op *yield;
    dst_interval *at;
    size_t count, capacity;
    uint32_t registers;
    bool separate, reloading;
    ir_op_printer *names; /* with -debug-only */
} dst_state;

/* With -debug-only: a line of the log. */
void dst_say(const dst_state *s, const char *format, ...) TW_PRINTF(2, 3);
/* What the log calls a value: the operation, or a block argument with its position. */
void dst_say_value(const dst_state *s, ir_value *v);

/* Whether an operation reads its tile operands in DST.  Copies from buffers count in a
 * first attempt, which keeps an argument in DST from its first copy on. */
bool dst_reads(const dst_state *s, const ir_op *op);
bool dst_uses(const ir_op *op, const ir_value *v);

/* Fills in s->at: from where to where each value lives, and which share a register. */
void dst_find_intervals(dst_state *s);
/* Of a value; NULL: it has none. */
dst_interval *dst_find(const dst_state *s, const ir_value *v);
/* Gives each interval its register; false where there are not enough, which is an error of
 * the operation's if `report` says so. */
bool dst_allocate(dst_state *s, bool report);

#endif
