/* split.h: splits a function into parts for the device and for the host. */
#ifndef TILEWRIGHT_RUNTIME_SPLIT_H
#define TILEWRIGHT_RUNTIME_SPLIT_H

#include "ir/op.h"
#include "support/arena.h"

/* Returns why an operation does not run on the device; NULL: it does. */
typedef const char *rt_refusal_fn(void *user, ir_op *op);

/* The host's part. */
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

/* Moves what the device supports, as much as possible at a time, to separate functions
 * beside `func`, replaced by calls; also in bodies of loops and branches. The rest, and
 * parts too small for a call, stay in place. */
void rt_split_function(ir_op *func, rt_refusal_fn *refusal, void *user, rt_split *out);
void rt_split_free(rt_split *s);

/* Returns the index of the segment that a call invokes, -1 for any other call. */
int64_t rt_segment_of(const ir_op *call);

#endif
