/* scratch_nests.h: nests of compute loops that share values through scratch buffers. */
#ifndef TILEWRIGHT_D2M_PASSES_SCRATCH_NESTS_H
#define TILEWRIGHT_D2M_PASSES_SCRATCH_NESTS_H

#include "d2m/generic.h"
#include "d2m/metal_layout.h"

enum { SCRATCH_MAX_LOOPS = 16 };

/* An affine.for of constant bounds. */
typedef struct scratch_loop {
    ir_op *op;
    int64_t from, step, trips;
} scratch_loop;

/* The loop marked d2m.scratch_space_loop and all loops in it, in pre-order. */
typedef struct scratch_nest {
    scratch_loop loops[SCRATCH_MAX_LOOPS];
    size_t n;
    bool is_guarded; /* a d2m.unpack_stall_on_pack is before it */
} scratch_nest;

/* Indices of an element of a scratch buffer. */
typedef struct scratch_access {
    ir_affine_map map;
    ir_value *operands[SCRATCH_MAX_LOOPS];
    size_t n;
} scratch_access;

/* Fuses the scf.for around the nests that are not done: a value is read in the iteration
 * that makes it. False, and nothing changes, if they do not match. */
bool scratch_fuse_loops(ir_op *generic);
/* The nests of constant bounds that are not done; the caller frees them. */
scratch_nest *scratch_nests_of(ir_op *generic, size_t *n);
/* The indices at which a nest accesses what the producer's loops have stored; false if they
 * do not follow from its loops. */
bool scratch_access_of(ir_context *ctx, const scratch_nest *producer,
                       const scratch_nest *nest, scratch_access *out);

#endif
