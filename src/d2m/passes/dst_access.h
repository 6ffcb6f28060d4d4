/* dst_access.h: which slots of DST the accesses to buffers of a compute nest go through,
 * and the copies between buffers and slots. */
#ifndef TILEWRIGHT_D2M_PASSES_DST_ACCESS_H
#define TILEWRIGHT_D2M_PASSES_DST_ACCESS_H

#include "ir/op.h"
#include "mlir/loops/loops.h"

enum { DST_MAX_SLOTS = 16, DST_MAX_GUARDS = LOOP_CAPACITY };

/* A load or store that goes through a slot. */
typedef struct dst_access {
    ir_op *op; /* affine.load, affine.store, memref.load or memref.store */
    int64_t slot;
    int64_t tiles;     /* of each slot; 0: as many as the access reaches */
    bool by_iteration; /* each of the nest's iterations has a tile of the slot */
    ir_op *bcast;      /* the load's only user, merged with the copy; or NULL */
    ir_value *guards[DST_MAX_GUARDS]; /* the copy runs unless all of them are 0 */
    size_t n_guards;
} dst_access;

/* A result of a tile operation that other ones read in its slot. */
typedef struct dst_result {
    ir_op *op;
    int64_t slot;
} dst_result;

typedef struct dst_plan {
    ir_op *generic, *root; /* root: the outermost loop; NULL: accesses without loops */
    ir_region *region;
    dst_access *loads, *stores;
    size_t n_loads, n_stores;
    dst_result *results;
    size_t n_results;
    int64_t capacity;
    int64_t iterations; /* how many have a tile in every slot; 0: accesses decide */
} dst_plan;

/* Finds the accesses of the plan's region and gives them slots, in the order of a schedule
 * (slots are freed as soon as values are consumed) or not; false if they are too few. */
bool d2m_plan_dst(dst_plan *plan, bool scheduled);
void d2m_free_plan(dst_plan *plan);
/* Acquires DST and builds the copies.  With `in_place` a load's copy stands in front of its
 * use, else all of them in a nest of their own; with `accumulate` the packer may add to L1
 * instead of reloading sums. */
bool d2m_apply_dst(dst_plan *plan, bool in_place, bool accumulate);

/* The tiles of DST that the access reaches from its slot's first one, and that one. */
int64_t d2m_slot_tiles(const dst_access *access, const ir_op *root);
int64_t d2m_slot_start(const dst_access *access, const ir_op *root);

/* The outermost loop around an operation that holds one linalg operation's loops. */
ir_op *d2m_linalg_root_of(const ir_op *op);
/* Loops of the nest around an operation up to its root, outermost first. */
size_t d2m_nest_loops(const ir_op *op, const ir_op *root, ir_op **out, size_t max);
/* Variables of all loops around an operation in its generic, outermost first. */
size_t d2m_outer_variables(const ir_op *op, ir_value **out, size_t max);
/* True if memory or indices of the access depend on the variable. */
bool d2m_access_depends_on(const ir_op *access, const ir_value *variable);
/* 1: a blocking loop over a reduction dimension, 0: over a parallel one, -1: another loop.
 */
int d2m_blocking_kind(const ir_op *loop);
/* True if copies to DST have a nest of their own in front of the plan's. */
bool d2m_has_copy_nest(const dst_plan *plan);
/* Iterations of the nest around an operation; *out_from_zero: each loop counts up from 0.
 */
int64_t d2m_iterations(const ir_op *op, const ir_op *root, bool *out_from_zero);
/* True if iterations copy a tile to DST again that an earlier one copied: what is broadcast
 * along a loop. */
bool d2m_copies_again(const dst_plan *plan);
/* True if each iteration of the nest computes tiles of its own, in the innermost loop, from
 * what is copied before. */
bool d2m_is_parallel(const dst_plan *plan);
/* The constant bounds of an affine.for; false if they are not constant. */
bool d2m_constant_bounds(const ir_op *loop, int64_t *from, int64_t *step, int64_t *trips);
bool d2m_is_load(const ir_op *op);
bool d2m_is_store(const ir_op *op);
/* The memref of a load or store. */
ir_value *d2m_access_memref(const ir_op *op);

#endif
