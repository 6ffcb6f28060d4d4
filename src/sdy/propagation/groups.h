/* groups.h: the devices of a mesh: which of them exchange data along axes, and which part
 * of a tensor each has. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_GROUPS_H
#define TILEWRIGHT_SDY_PROPAGATION_GROUPS_H

#include "sdy/sdy_axes.h"

/* Groups name each device: of larger meshes nothing is said. */
enum { SDY_MOST_DEVICES = 1 << 20 };

/* Lists of the devices that differ on these axes (or parts of axes) only, in the order of
 * the axes: dense<[[0, 2], [1, 3]]>.  NULL if an axis is none of the mesh, or there are too
 * many. */
ir_attr sdy_replica_groups(ir_attr mesh, const ir_attr *axes, size_t n);
/* Devices; SDY_MOST_DEVICES + 1 where there are more. */
int64_t sdy_mesh_size(ir_attr mesh);
/* The number of the part that a device has of what the axes split, for each device; false
 * as above. */
bool sdy_part_numbers(ir_attr mesh, const ir_attr *axes, size_t n, int64_t *out);
int64_t sdy_axes_size(ir_attr mesh, const ir_attr *axes, size_t n);

/* Who hands its part to whom, so that a tensor that lies as `from` says lies as `to`: pairs
 * of devices.  NULL after an error at `op`. (local_exchanges.c) */
ir_attr sdy_permutation(ir_op *op, ir_attr from, ir_attr to);
/* Puts the reduction that `of` (of Shardy) names into the body of an exchange of
 * StableHLO's. */
void sdy_fill_reduction(ir_op *exchange, const ir_op *of);

#endif
