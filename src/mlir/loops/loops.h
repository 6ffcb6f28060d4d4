/* loops.h: what is done to single loops and nests of them (scf.for, scf.forall,
 * scf.parallel, affine.for), for passes and the interpreter of transforms alike.
 *
 * Functions that return bool or NULL change nothing where they fail. */
#ifndef TILEWRIGHT_MLIR_LOOPS_LOOPS_H
#define TILEWRIGHT_MLIR_LOOPS_LOOPS_H

#include "ir/op.h"
#include "mlir/affine/mapping.h"

enum {
    LOOP_MOST = 64,             /* loops of a nest, dimensions of a loop */
    LOOP_MOST_COPIES = 1 << 16, /* of a body: beyond that nothing is unrolled */
};

/* ---- mlir/loops/build.c: values for bounds
 * ------------------------------------------------ */

/* The number of a constant of integer or index type. */
bool loop_constant(const ir_value *v, int64_t *out);
ir_value *loop_number(ir_builder *b, ir_type type, int64_t value);
/* An operation of arith on two values of one type; folded where its row knows how. */
ir_value *loop_arith(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
ir_value *loop_arith_folded(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
/* The value of the mapping's only result: a constant, one of its values, or what an
 * affine.apply makes. */
ir_value *loop_affine_value(ir_builder *b, const affine_mapping *m);
/* The same of an expression of symbols, with what makes these composed into it. */
ir_value *loop_affine_folded(ir_builder *b, ir_affine e, ir_value *const *symbols,
                             uint32_t n);
/* The terminator's operands, and those of a loop's that carry values. */
size_t loop_inits(const ir_op *loop, size_t *first);

/* ---- bounds.c ------------------------------------------------------------------ */

/* How often an scf.for runs, -1 if that is not known (as it is of unsigned ones). */
int64_t scf_for_trips(const ir_op *loop);
/* A bound of an affine.for with its values; false if it is too large. */
bool affine_for_bound(const ir_op *loop, bool lower, affine_mapping *out);
void affine_for_set_bound(ir_op *loop, bool lower, const affine_mapping *m);
int64_t affine_for_step(const ir_op *loop);
/* How often an affine.for runs, one expression for each of its upper bounds; false unless
 * its lower bound is one. */
bool affine_for_count(const ir_op *loop, affine_mapping *out);
/* The number of that, the least of several; -1 if it is not known. */
int64_t affine_for_trips(const ir_op *loop);
/* The largest known divisor of it. */
uint64_t affine_for_divisor(const ir_op *loop);
/* The loop and those nested in it with nothing else in their bodies; how many. */
size_t loop_nest(ir_op *root, ir_op **out, size_t max);

/* ---- one file each ------------------------------------------------------------------ */

/* The body in the loop's place if it runs once, its initial values if it never does:
 * scf.for, and scf.forall that runs once. */
bool loop_promote(ir_op *loop);
/* An affine.for that runs once. */
bool affine_for_promote(ir_op *loop);
/* `factor` copies of the body in a round; what is left over becomes a second loop. */
bool loop_unroll(ir_op *loop, uint64_t factor);
/* The second loop of an affine.for whose rounds are no multiple of `factor`. */
bool affine_for_cleanup(ir_op *loop, uint64_t factor);
/* The same with the copies put together inside the loops that the body holds. */
bool loop_unroll_jam(ir_op *loop, uint64_t factor);
/* Cuts the rounds behind the last full step (or the first round) off as a loop of their
 * own, behind (in front of) this one. */
ir_op *loop_peel_last(ir_op *loop);
ir_op *loop_peel_first(ir_op *loop);
/* One loop of a perfect nest; scf.for: each band of it that can be. */
bool loop_coalesce(ir_op *loop);
/* A loop over tiles around loops over what is in them; returns the outermost one. */
ir_op *loop_tile(ir_op *root, const int64_t *sizes, size_t n);
/* Nests of scf.for (`out`, from outside), or an scf.parallel. */
size_t loop_forall_to_for(ir_op *forall, ir_op **out);
ir_op *loop_forall_to_parallel(ir_op *forall);
ir_op *loop_parallel_to_for(ir_op *parallel);
/* The first loop's body in front of the second one's, at the second's place. */
ir_op *loop_fuse(ir_op *target, ir_op *source);
/* A function of the loop, called in its place; false: it has not one region. */
bool loop_outline(ir_op *loop, tw_str name, ir_op **func, ir_op **call);
/* Rounds that overlap: operations begin `interval` cycles after each other. */
ir_op *loop_pipeline(ir_op *loop, int64_t interval, int64_t read_latency);

#endif
