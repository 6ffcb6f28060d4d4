/* mesh.h: what the steps of stablehlo-pipeline ask of a program: its mesh, which kind of
 * annotations it has, and the shapes that one device sees.
 *
 * A program comes with Shardy's annotations (sdy.*), with GSPMD's (mhlo.sharding and calls
 * of @Sharding), or with none. It is solved if somebody has put what devices do into
 * sdy.manual_computation already. */
#ifndef TILEWRIGHT_SDY_MESH_MESH_H
#define TILEWRIGHT_SDY_MESH_MESH_H

#include "sdy/propagation/shardings.h"

#define MESH_SHARDING "sdy.sharding"
#define MESH_GSPMD "mhlo.sharding"
#define MESH_FRONTEND "mhlo.frontend_attributes"
#define MESH_STATUS "ttcore.shard_status"
#define MESH_LOCAL_SHAPE "ttcore.local_shape"

bool mesh_is_function(const ir_op *op);
/* A stablehlo.custom_call of that target. */
bool mesh_is_call(const ir_op *op, const char *target);
/* Calls that go from whole tensors to devices' shapes, or back. */
bool mesh_is_shape_call(const ir_op *op);

ir_op *mesh_first(ir_op *module); /* an sdy.mesh, NULL if there is none */
/* The only mesh; without one, or with several, an error that names the pass' demand. */
ir_op *mesh_only(ir_op *module);
/* Where work for devices is not written out yet: the only mesh, its axes and its symbol. */
typedef struct mesh_unsolved {
    ir_op *mesh; /* NULL: there is none, or the program is solved */
    ir_attr axes, ref;
} mesh_unsolved;
/* False after an error of mesh_only. */
bool mesh_find_unsolved(ir_op *module, mesh_unsolved *out);
/* Puts an sdy.mesh of two axes at the beginning. */
ir_op *mesh_add(ir_op *module, tw_str name, const tw_str axes[2], const int64_t sizes[2]);

bool mesh_has_shardy(ir_op *module);
bool mesh_has_gspmd(ir_op *module);
bool mesh_is_solved(ir_op *module);
/* Whether an axis of more than one device splits the value. */
bool mesh_splits(ir_attr sharding, ir_attr mesh);
/* The sharding of a value, of an argument of a manual computation's body, too; NULL if it
 * has none. */
ir_attr mesh_sharding_of(ir_value *v);
/* Takes sdy.sharding off functions' arguments and results and what is in them. */
void mesh_drop_shardings(ir_op *module);

/* The part of `size` elements that a device has; false if the parts differ, or if a part of
 * an axis splits them. */
bool mesh_local_size(ir_attr dim, ir_attr mesh, int64_t size, int64_t *out);
/* The shape of a part; NULL under the same conditions. */
ir_type mesh_local_type(ir_type type, ir_attr sharding, ir_attr mesh);
/* The part of a constant that is the same on all devices; NULL if parts differ. */
ir_attr mesh_local_constant(ir_attr dense, ir_type local);

/* Whether an operation whose result is split so can be computed part by part: constants and
 * slices whose parts are alike, not what counts or moves elements along a split dimension.
 */
bool mesh_can_split(ir_op *op, ir_attr sharding, ir_attr mesh);

/* Whether an operand must not be split as it is: sums of devices would not add up. */
bool mesh_needs_whole(ir_op *op, uint32_t operand, ir_attr mesh);

/* Puts stablehlo's exchange in the place of one of sdy's, with operands of local shapes;
 * false after an error. */
bool mesh_lower_collective(ir_op *op);

/* Moves operations that lie side by side into a private function at the end of the module;
 * the marks of flatten-or-convert-composites stay behind. */
ir_op *mesh_outline(ir_op *module, tw_str name, ir_value *const *captures,
                    size_t n_captures, ir_value *const *escapes, size_t n_escapes,
                    ir_op *const *ops, size_t n_ops);

#endif
