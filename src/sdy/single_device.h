/* single_device.h: programs with shardings that one device runs alone. */
#ifndef TILEWRIGHT_SDY_SINGLE_DEVICE_H
#define TILEWRIGHT_SDY_SINGLE_DEVICE_H

#include "ir/op.h"

/* Erases shardings, constraints, reshards and groups, and inlines the bodies of named
 * computations and of manual ones for a single device.  Meshes stay. */
void transform_drop_shardings(ir_op *module);

/* Replaces collectives of a device with itself by their operands, and the id of the only
 * device by 0. */
void transform_drop_exchanges(ir_op *module);

#endif
