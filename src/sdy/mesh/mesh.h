/* mesh.h: queries shared by the steps of stablehlo-pipeline: the program's mesh, the kind
 * of its annotations, and shapes local to a device.
 *
 * A program is annotated with Shardy (sdy.*), with GSPMD (mhlo.sharding and calls of
 * @Sharding), or not at all. It is solved if the device-local computation is already in
 * sdy.manual_computation. */
#ifndef TILEWRIGHT_SDY_MESH_MESH_H
#define TILEWRIGHT_SDY_MESH_MESH_H

#include "sdy/propagation/shardings.h"

#define MESH_SHARDING "sdy.sharding"
#define MESH_GSPMD "mhlo.sharding"
#define MESH_FRONTEND "mhlo.frontend_attributes"
#define MESH_STATUS "ttcore.shard_status"
#define MESH_LOCAL_SHAPE "ttcore.local_shape"

bool mesh_is_function(const ir_op *op);
/* True for a stablehlo.custom_call of that target. */
bool mesh_is_call(const ir_op *op, const char *target);
/* True for calls that convert between global and device-local shapes. */
bool mesh_is_shape_call(const ir_op *op);

ir_op *mesh_first(ir_op *module); /* Returns the first sdy.mesh, or NULL */
/* Returns the only mesh; zero or several meshes are an error that states the pass'
 * requirement. */
ir_op *mesh_only(ir_op *module);
/* The only mesh of a program that is not solved yet, with its axes and symbol. */
typedef struct mesh_unsolved {
    ir_op *mesh; /* NULL if there is none, or the program is solved */
    ir_attr axes, ref;
} mesh_unsolved;
/* False after an error of mesh_only. */
bool mesh_find_unsolved(ir_op *module, mesh_unsolved *out);
/* Visits each operation of a module whose mesh is found so; false if finding it failed. */
bool mesh_each_unsolved(ir_op *module, void (*visit)(ir_op *op, const mesh_unsolved *at));
/* Inserts an sdy.mesh of two axes at the beginning. */
ir_op *mesh_add(ir_op *module, tw_str name, const tw_str axes[2], const int64_t sizes[2]);

bool mesh_has_shardy(ir_op *module);
bool mesh_has_gspmd(ir_op *module);
bool mesh_is_solved(ir_op *module);
/* True if an axis of more than one device splits the value. */
bool mesh_splits(ir_attr sharding, ir_attr mesh);
/* Returns the sharding of a value, also of a manual computation's body argument; NULL if
 * it has none. */
ir_attr mesh_sharding_of(ir_value *v);
/* Removes sdy.sharding from the arguments, results and operations of functions. */
void mesh_drop_shardings(ir_op *module);

/* The shard size of a dimension of `size` elements; false if shard sizes differ or a
 * sub-axis splits the dimension. */
bool mesh_local_size(ir_attr dim, ir_attr mesh, int64_t size, int64_t *out);
/* The type of a shard; NULL under the same conditions. */
ir_type mesh_local_type(ir_type type, ir_attr sharding, ir_attr mesh);
/* The shard of a constant if it is the same on all devices; NULL if shards differ. */
ir_attr mesh_local_constant(ir_attr dense, ir_type local);

/* True if an operation with this result sharding can be computed shard by shard: false
 * for constants and slices whose shards differ, and for iotas or moves along a split
 * dimension. */
bool mesh_can_split(ir_op *op, ir_attr sharding, ir_attr mesh);

/* True if an operand must not be split as it is, since partial sums of the devices would
 * not add up to the result. */
bool mesh_needs_replicated(ir_op *op, uint32_t operand, ir_attr mesh);

/* Replaces a collective of sdy, with operands of local shapes, by StableHLO's; false
 * after an error. */
bool mesh_lower_collective(ir_op *op);

/* Outlines adjacent operations into a private function at the end of the module; the
 * marks of flatten-or-convert-composites are not copied. */
ir_op *mesh_outline(ir_op *module, tw_str name, ir_value *const *captures,
                    size_t n_captures, ir_value *const *escapes, size_t n_escapes,
                    ir_op *const *ops, size_t n_ops);

#endif
