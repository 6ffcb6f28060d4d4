/* compute.h: making ttl.compute operations, and cutting them in two. */
#ifndef TILEWRIGHT_TTL_PASSES_COMPUTE_H
#define TILEWRIGHT_TTL_PASSES_COMPUTE_H

#include "ttl/ttl_info.h"

enum { TTL_MAX_INPUTS = 64 }; /* of one ttl.compute */

typedef struct ttl_compute {
    ir_op *op;
    ir_block *block;
    ir_builder body; /* at its end */
} ttl_compute;

/* A ttl.compute with tiles of its operands (inputs, then outputs) as its block's arguments
 * and no operations; a map of `maps` for each operand, an iterator type for each loop. */
ttl_compute ttl_compute_begin(ir_builder *b, ir_value *const *operands, size_t n_inputs,
                              size_t n_outputs, ir_attr maps, ir_attr iterator_types,
                              const ir_type *results);

/* convert_ttl_to_compute.c: an operation on blocks, with all that leads to it, as a
 * ttl.compute instead; `op` has no uses afterwards.  The result goes to the buffer
 * that a ttl.attach_cb of it names.  false after an error. */
bool ttl_compute_chain(ir_op *op);
/* Which tile of an operand an operation that reads buffers needs for the tile (d0, d1) of
 * its result, as a map; `def` is its form for blocks or for tiles. */
ir_attr ttl_compute_map_for(const ir_op *op, uint32_t operand, ir_type block,
                            ir_type result);

/* cut.c: circular buffers of a thread's own, numbered behind all others, through which
 * a part of what it computes goes; the caller that launches the kernel gives it these
 * buffers, too. Each returns false after an error. */

/* A buffer for one block of this type, free at an operation; NULL after an error. */
ir_value *ttl_scratch_buffer(ir_op *at, ir_type block);
/* The operands of operations that read buffers are stored where they are computed: of
 * operations on blocks in a function, */
bool ttl_cut_block_operands(ir_op *func);
/* and of those on tiles in a ttl.compute, which another one may replace. */
bool ttl_cut_tile_operands(ir_op *compute);
/* Has one part of a ttl.compute computed by another one in front of it, so that each needs
 * fewer registers; *out_first is NULL where it cannot be cut. */
bool ttl_cut_in_two(ir_op *compute, ir_op **out_first, ir_op **out_second);

#endif
