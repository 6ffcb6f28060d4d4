/* groups.h: the devices of a mesh: the groups that communicate along axes, and the shard
 * of a tensor that each device holds. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_GROUPS_H
#define TILEWRIGHT_SDY_PROPAGATION_GROUPS_H

#include "sdy/sdy_axes.h"

/* Limit for lists of individual devices; larger meshes have none. */
enum { SDY_MAX_DEVICES = 1 << 20 };

/* Lists of devices that differ only along these axes (or sub-axes), in the order of the
 * axes: dense<[[0, 2], [1, 3]]>.  NULL if an axis is not in the mesh, or there are too
 * many devices. */
ir_attr sdy_replica_groups(ir_attr mesh, const ir_attr *axes, size_t n);
/* Device count; SDY_MAX_DEVICES + 1 if larger. */
int64_t sdy_mesh_size(ir_attr mesh);
/* For each device, the index of its shard of a dimension split by the axes; false under
 * the same conditions. */
bool sdy_part_indices(ir_attr mesh, const ir_attr *axes, size_t n, int64_t *out);
int64_t sdy_axes_size(ir_attr mesh, const ir_attr *axes, size_t n);

/* The source-target pairs of devices that permute shards from the layout of sharding
 * `from` to that of `to`.  NULL after an error at `op`. (local_exchanges.c) */
ir_attr sdy_permutation(ir_op *op, ir_attr from, ir_attr to);
/* Fills the body of a StableHLO collective with the reduction of the Shardy op `of`. */
void sdy_fill_reduction(ir_op *exchange, const ir_op *of);

#endif
