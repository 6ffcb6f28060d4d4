/* allocate.h: what the files of d2m-allocate share: the buffers of a function. */
#ifndef TILEWRIGHT_D2M_PASSES_ALLOCATE_H
#define TILEWRIGHT_D2M_PASSES_ALLOCATE_H

#include "d2m/allocation/buffer_memory.h"
#include "d2m/allocation/planner.h"

typedef struct alloc_options {
    int64_t buffers; /* blocks of a circular buffer */
    bool spill_outputs, force_spill, always_stream;
    d2m_memory l1, dram;
    int64_t banks; /* of DRAM */
} alloc_options;

/* One buffer: a memref.alloc, a block argument, or what a cast from TTNN is made of. */
typedef struct buffer {
    ir_value *value;
    ir_type type; /* as generics see it */
    int64_t l1_bytes, dram_bytes;
    int64_t first, last; /* positions of the definition and the last use */
    ir_op **users;       /* generics, and views on the way to them */
    size_t n_users, users_capacity, n_generics;
    bool is_bound, is_output;
    bool in_generic;
    bool is_speculative; /* a stream buffer that is not needed if its root stays in L1 */
    int64_t space;       /* where it was placed; -1: nowhere */
    d2m_plan_item item;
} buffer;

/* A function and its buffers, in the order of their discovery. */
typedef struct allocation {
    const alloc_options *options;
    ir_op *func;
    buffer *buffers;
    size_t n, capacity;
    ir_mapping *index; /* value -> index + 1 */
    ir_mapping *order; /* operation -> position + 1 */
    ir_op_list in_order;
    ir_op_list generics;
} allocation;

/* allocate_live.c */
void alloc_begin(allocation *a, ir_op *func, const alloc_options *options);
void alloc_end(allocation *a);
int64_t alloc_position(const allocation *a, const ir_op *op); /* -1: outside */
buffer *alloc_find(const allocation *a, const ir_value *v);   /* NULL if unknown */
/* Collects the function's own buffers with their live ranges, then those of generics'
 * operands. */
void alloc_collect_live(allocation *a);
bool alloc_collect_operands(allocation *a);
/* Collects the buffers inside generics; reports those without a role. */
bool alloc_collect_inside(allocation *a);
/* The buffers behind an operand with the operations on the way: calls `visit` for each;
 * false after an error. */
typedef bool alloc_visit_root(allocation *a, ir_op *generic, ir_value *root, ir_type type,
                              ir_op *const *chain, size_t n, void *user);
bool alloc_roots(allocation *a, ir_op *generic, ir_value *operand, alloc_visit_root *visit,
                 void *user);

/* allocate_alias.c: transfers that need no copy. */
void alloc_alias_transfers(allocation *a);
/* The same for speculative stream buffers whose root stayed in L1. */
void alloc_alias_speculative(allocation *a);

#endif
