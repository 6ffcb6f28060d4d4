/* mesh.h: converts multi-device operations (mesh.c). */
#ifndef TILEWRIGHT_TTIR_FROM_STABLEHLO_MESH_H
#define TILEWRIGHT_TTIR_FROM_STABLEHLO_MESH_H

#include "ir/op.h"

typedef bool s2t_mesh_fn(ir_op *op, ir_builder *b);

s2t_mesh_fn s2t_all_gather, s2t_all_reduce, s2t_all_to_all, s2t_collective_broadcast,
    s2t_collective_permute, s2t_reduce_scatter;
s2t_mesh_fn s2t_manual_computation; /* sdy.manual_computation */
s2t_mesh_fn s2t_sharding_call;      /* @Sharding */
s2t_mesh_fn s2t_shape_call;         /* @SPMDFullToShardShape, @SPMDShardToFullShape */
s2t_mesh_fn s2t_slice_composite;    /* "sdy.all_slice" */
/* Records each sdy.mesh in the module's ttcore.meshes. */
void s2t_record_meshes(ir_op *module);

#endif
