/* split.h: a function in parts, for the device and for the host. */
#ifndef TILEWRIGHT_RUNTIME_SPLIT_H
#define TILEWRIGHT_RUNTIME_SPLIT_H

#include "ir/op.h"
#include "support/arena.h"

/* Why an operation does not run on the device; NULL: it does. */
typedef const char *rt_refusal_fn(void *user, ir_op *op);

/* What the host must do. */
typedef struct rt_host_part {
    ir_op *op;
    const char *why;
} rt_host_part;

typedef struct rt_split {
    ir_op **segments; /* functions of the module that the device runs, in no order */
    size_t n_segments, segments_capacity;
    rt_host_part *host;
    size_t n_host, host_capacity;
} rt_split;

/* Puts what the device takes, as much as possible at a time, into functions of their own
 * beside `func`, where calls stand for them; bodies of loops and branches, too.  The rest,
 * and what is not worth a call, stays where it is. */
void rt_split_function(ir_op *func, rt_refusal_fn *refusal, void *user, rt_split *out);
void rt_split_free(rt_split *s);

/* The number of the segment that a call stands for, -1 if it is none. */
int64_t rt_segment_of(const ir_op *call);

#endif
