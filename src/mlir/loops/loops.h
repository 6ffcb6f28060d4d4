/* loops.h: transformations of single loops and nests (scf.for, scf.forall, scf.parallel,
 * affine.for), shared by passes and the interpreter of transforms.
 *
 * Functions that return bool or NULL change nothing on failure. */
#ifndef TILEWRIGHT_MLIR_LOOPS_LOOPS_H
#define TILEWRIGHT_MLIR_LOOPS_LOOPS_H

#include "ir/op.h"
#include "mlir/affine/mapping.h"

enum {
    LOOP_CAPACITY = 64,        /* loops of a nest, dimensions of a loop */
    LOOP_MAX_COPIES = 1 << 16, /* of a body: no unrolling beyond that */
};

/* ---- build.c: values for bounds ----------------------------------------------------- */

/* Sets *out to the value of a constant of integer or index type; false for other values. */
bool loop_constant(const ir_value *v, int64_t *out);
ir_value *loop_build_constant(ir_builder *b, ir_type type, int64_t value);
/* Builds an arith operation on two values of one type; folded if its row has a fold. */
ir_value *loop_arith(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
ir_value *loop_arith_folded(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
/* The value of the mapping's only result: a constant, one of its values, or a new
 * affine.apply. */
ir_value *loop_affine_value(ir_builder *b, const affine_mapping *m);
/* The same for an expression of symbols, with their defining operations composed into
 * it. */
ir_value *loop_affine_folded(ir_builder *b, ir_affine e, ir_value *const *symbols,
                             uint32_t n);
/* The number of the terminator's operands or of the loop's initial values; *first is the
 * first one's index. */
size_t loop_inits(const ir_op *loop, size_t *first);

/* Builds an scf.for without carried values: an argument for the index, scf.yield. */
ir_op *scf_for_build(ir_builder *b, ir_value *from, ir_value *to, ir_value *step);
/* Builds an affine.for from 0 to a value that is a valid symbol, in steps of 1. */
ir_op *affine_for_build(ir_builder *b, ir_value *to);

/* ---- bounds.c ------------------------------------------------------------------ */

/* The trip count of an scf.for, -1 if it is not known (also for unsigned ones). */
int64_t scf_for_trips(const ir_op *loop);
/* A bound of an affine.for with its values; false if it is too large. */
bool affine_for_bound(const ir_op *loop, bool lower, affine_mapping *out);
void affine_for_set_bound(ir_op *loop, bool lower, const affine_mapping *m);
int64_t affine_for_step(const ir_op *loop);
/* The trip count of an affine.for, one expression for each of its upper bounds; false
 * unless it has a single lower bound. */
bool affine_for_count(const ir_op *loop, affine_mapping *out);
/* The constant trip count, the minimum over several; -1 if it is not known. */
int64_t affine_for_trips(const ir_op *loop);
/* The largest known divisor of the trip count. */
uint64_t affine_for_divisor(const ir_op *loop);
/* The loop and the loops perfectly nested in it; returns their count. */
size_t loop_nest(ir_op *root, ir_op **out, size_t max);

/* ---- one file each ------------------------------------------------------------------ */

/* Replaces a loop that runs once by its body, and one that never runs by its initial
 * values: scf.for, and scf.forall that runs once. */
bool loop_promote(ir_op *loop);
/* The same for an affine.for that runs once. */
bool affine_for_promote(ir_op *loop);
/* Unrolls the body `factor` times; remaining iterations become a second loop. */
bool loop_unroll(ir_op *loop, uint64_t factor);
/* Creates the second loop of an affine.for whose trip count is not a multiple of
 * `factor`. */
bool affine_for_cleanup(ir_op *loop, uint64_t factor);
/* Unrolls and jams: the copies are merged inside the loops that the body holds. */
bool loop_unroll_jam(ir_op *loop, uint64_t factor);
/* Peels the iterations after the last full step (or the first iteration) into a loop of
 * their own, after (before) this one. */
ir_op *loop_peel_last(ir_op *loop);
ir_op *loop_peel_first(ir_op *loop);
/* Coalesces a perfect nest into one loop; scf.for: each band that allows it. */
bool loop_coalesce(ir_op *loop);
/* Tiles a nest: loops over tiles around loops within a tile; returns the outermost one. */
ir_op *loop_tile(ir_op *root, const int64_t *sizes, size_t n);
/* Converts to a nest of scf.for (`out`, outermost first), or to an scf.parallel. */
size_t loop_forall_to_for(ir_op *forall, ir_op **out);
ir_op *loop_forall_to_parallel(ir_op *forall);
ir_op *loop_parallel_to_for(ir_op *parallel);
/* Fuses the loops: the first loop's body before the second one's, at the second's
 * position. */
ir_op *loop_fuse(ir_op *target, ir_op *source);
/* Outlines the loop into a function and calls it; false if it does not have exactly one
 * region. */
bool loop_outline(ir_op *loop, tw_str name, ir_op **func, ir_op **call);
/* Software-pipelines the loop: an iteration starts `interval` cycles after the previous
 * one. */
ir_op *loop_pipeline(ir_op *loop, int64_t interval, int64_t read_latency);

#endif
