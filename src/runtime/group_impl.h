/* group_impl.h: internals of a group; for group*.c only. */
#ifndef TILEWRIGHT_RUNTIME_GROUP_IMPL_H
#define TILEWRIGHT_RUNTIME_GROUP_IMPL_H

#include "runtime/group.h"

enum { LEAVES = 16, OPS = 24, REGISTERS = 8, ARITY = 8 };

typedef struct leaf {
    rt_value *value;
    bool view;  /* some of its elements, the first one at index `at` */
    bool splat; /* all are equal */
    bool raw;   /* bf16 that its only reader takes unconverted */
    int64_t at;
    int64_t strides[RT_MAX_RANK]; /* over the unmerged dimensions */
    int64_t walk_strides[RT_MAX_RANK];
} leaf;

typedef struct group_op {
    krn_strip_function *fn;
    krn_strip_id id;
    int8_t in[ARITY]; /* leaf, or LEAVES + operation */
    uint8_t arity;
    int8_t target; /* register for the result */
    float args[2];
    rt_value *out;
    bool store;   /* used outside the group */
    bool reread;  /* and inside, where the stored value is read */
    bool rounded; /* fn rounds already, or no rounding is needed */
    bool raw;     /* reads and stores bf16 unconverted */
} group_op;

typedef struct group {
    const krn_strip_set *set;
    rt_walk shape, walk; /* as declared, and with merged dimensions */
    leaf leaves[LEAVES];
    group_op ops[OPS];
    int n_leaves, n_ops;
    rt_tail tail;                      /* of the last dimension, if it has an out */
    int64_t tail_strides[RT_MAX_RANK]; /* over the merged dimensions */
    int tail_of;                       /* the operation whose result it reduces */
    bool streams;                      /* results bypass the caches */
    bool asks;                         /* and their pages are prefetched */
} group;

void rt_group_run(const rt_step *step);
/* Combined operations; then, for the finalized group, operations that need no strips of
 * f32. */
void rt_group_combine(group *g);
void rt_group_round(group *g);
void rt_group_read_raw(group *g);
/* Merges dimensions, and assigns rereads and registers; false if there are too few
 * registers. */
bool rt_group_finalize(group *g);

#endif
