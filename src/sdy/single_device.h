/* single_device.h: runs programs with shardings on a single device. */
#ifndef TILEWRIGHT_SDY_SINGLE_DEVICE_H
#define TILEWRIGHT_SDY_SINGLE_DEVICE_H

#include "ir/op.h"

/* Erases shardings, constraints, reshards and groups, and inlines named computations and
 * manual ones for a single device.  Meshes stay. */
void transform_drop_shardings(ir_op *module);

/* Replaces single-device collectives by their operands, and the id of the only device by
 * 0. */
void transform_drop_exchanges(ir_op *module);

#endif
