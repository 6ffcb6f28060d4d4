/* compute.h: what the parts of the compute thread share: the unpackers, the matrix
 * unit, DST, the packer.
 *
 * Numbers are the value level: f32 arithmetic, rounded where the hardware rounds: f32 to
 * tf32 in source registers, the matrix unit's result to nearest in a 16-bit DST, and the
 * packer's rules.  Inits are checked by the operations that need them only as far as their
 * state lives here; the others cost their call. */
#ifndef TILEWRIGHT_GRID_UNITS_COMPUTE_H
#define TILEWRIGHT_GRID_UNITS_COMPUTE_H

#include "grid/units/code.h"
#include "ttkernel/ttkernel.h"

enum { N = DEV_TILE_ELEMENTS, SIDE = DEV_TILE_SIDE };

/* Reports an owner of DST other than the one wanted; once: it has changed hands then. */
void dev_dst_owns(dev_thread *t, ir_op *op, dev_dst_state wanted);
/* A tile of DST; NULL after a report.  `use` also reports one that nobody wrote. */
dev_slot *dev_dst_slot(dev_thread *t, ir_op *op, int64_t index);
dev_slot *dev_dst_use(dev_thread *t, ir_op *op, int64_t index);
/* Gives the tile bytes of its own where it was lent a page's. */
void dev_dst_fill(dev_thread *t, dev_slot *s);
/* Rounds what the matrix unit has written. */
void dev_dst_finish(dev_thread *t, dev_slot *s);

/* A tile that the unpackers read for the matrix unit, its buffer, and the bytes it takes;
 * NULL after a report.  `source`: where it goes. */
const uint8_t *dev_unpack_source(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                                 dev_source source, dev_cb **cb, size_t *bytes);
#endif
