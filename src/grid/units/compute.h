/* compute.h: interfaces between the parts of the compute unit: the unpackers, the matrix
 * unit, DST, the packer.
 *
 * Values are modelled as f32 arithmetic with the hardware's roundings: f32 to tf32 in
 * source registers, the matrix unit's result to nearest in a 16-bit DST, and the packer's
 * rules. Inits are checked by the operations that need them if their state is modelled
 * here; the others only cost their time. */
#ifndef TILEWRIGHT_GRID_UNITS_COMPUTE_H
#define TILEWRIGHT_GRID_UNITS_COMPUTE_H

#include "grid/units/code.h"
#include "ttkernel/ttkernel.h"

enum { N = DEV_TILE_ELEMENTS, SIDE = DEV_TILE_SIDE };

/* Reports an unexpected owner of DST, once: the state is then set to the expected one. */
void dev_dst_owns(dev_thread *t, ir_op *op, dev_dst_state wanted);
/* Returns a tile of DST; NULL after a report. `use` also reports an unwritten one. */
dev_slot *dev_dst_slot(dev_thread *t, ir_op *op, int64_t index);
dev_slot *dev_dst_use(dev_thread *t, ir_op *op, int64_t index);
/* Copies to the tile's own bytes if it still refers to a page. */
void dev_dst_fill(dev_thread *t, dev_slot *s);
/* Rounds what the matrix unit has written. */
void dev_dst_finish(dev_thread *t, dev_slot *s);

/* Returns a tile that the unpackers read for the matrix unit, its buffer, and its bytes;
 * NULL after a report. `source`: its register. */
const uint8_t *dev_unpack_source(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                                 dev_source source, dev_cb **cb, size_t *bytes);
#endif
