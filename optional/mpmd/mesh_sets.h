/* mesh_sets.h: sets of meshes with their origins, which mesh inference stores in
 * attributes: the use set of a value (the meshes of its users) and its source set (the
 * meshes where it is available without a transfer).
 *
 * A set is an array of #mpmd.mesh_with_origins; NULL means unknown, which differs from
 * the empty set. The mesh "*" sorts last and denotes all other meshes. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_MESH_SETS_H
#define TILEWRIGHT_SDY_MPMD_PASSES_MESH_SETS_H

#include "mpmd/assign.h"

#define MPMD_USE_SET "mpmd.use_set"
#define MPMD_SRC_SET "mpmd.src_set"
#define MPMD_REDUCE                                                                        \
    "mpmd.reduce" /* on operations that may be a reduction over meshes                     \
                     \ */
#define MPMD_CAN_CONVERT "mpmd.can_convert_to_reduce"

/* ---- sets --------------------------------------------------------------------------- */

/* The set stored in an attribute; NULL if there is none. */
ir_attr mpmd_set_of(ir_attr attr);
ir_attr mpmd_set_attr(ir_context *ctx, ir_attr set); /* inverse; NULL stays NULL */
ir_attr mpmd_no_meshes(ir_context *ctx);
/* Adds a mesh and an origin; `origin` may be NULL. */
ir_attr mpmd_set_add(ir_context *ctx, ir_attr set, ir_attr mesh, const char *origin);
ir_attr mpmd_set_union(ir_context *ctx, ir_attr a, ir_attr b);
ir_attr mpmd_set_intersect(ir_context *ctx, ir_attr a, ir_attr b);
/* Number of meshes other than "*"; 0 for NULL. */
uint32_t mpmd_set_size(ir_attr set);
static inline ir_attr mpmd_set_mesh(ir_attr set, uint32_t i) /* its name */
{
    return set->items[i]->params[0];
}
static inline bool mpmd_set_empty(ir_attr set) /* false for NULL */
{
    return set && !mpmd_set_size(set);
}
bool mpmd_set_has(ir_attr set, ir_attr mesh);
/* Chooses a mesh: one of `preferred` if there is any, else one that is no broadcast input
 * if possible, else the first alphabetically. NULL for the empty set. */
ir_attr mpmd_set_choose(ir_attr set, ir_attr preferred);
/* The one-mesh set of an mpmd.assign or mpmd.unassign, with its origin. */
ir_attr mpmd_set_of_assign(const ir_op *op);

/* ---- of values ---------------------------------------------------------------------- */

/* Use sets are never NULL. `list` is "arg_attrs" or "res_attrs". */
ir_attr mpmd_use_set(const ir_op *op); /* `op` may be NULL */
ir_attr mpmd_io_use_set(const ir_op *op, const char *list, size_t i);
ir_attr mpmd_src_set(const ir_op *op);
ir_attr mpmd_io_src_set(const ir_op *op, size_t arg);
/* The source set of the value's producer, through calls and loops. */
ir_attr mpmd_src_set_of(const ir_value *v);
/* An empty use set and a NULL source set are not stored. */
void mpmd_put_use_set(ir_op *op, ir_attr set);
void mpmd_put_src_set(ir_op *op, ir_attr set);
void mpmd_put_io_set(ir_op *op, const char *list, size_t i, const char *name, ir_attr set);
/* The union of the set and the use sets of the value's users. */
ir_attr mpmd_add_users(ir_value *v, ir_attr set);
void mpmd_clear_sets(ir_op *op);          /* of an operation */
void mpmd_clear_io_sets(ir_op *op);       /* of arguments and results */
void mpmd_clear_io_use_sets(ir_op *func); /* of arguments only, and use sets only */

/* ---- operations --------------------------------------------------------------------- */

/* True for operations without a mesh: not of mpmd, and not in a fragment. */
bool mpmd_is_meshless(ir_op *op);
/* Broadcasts and reductions, where inference stops. */
bool mpmd_is_terminal(const ir_op *op);
/* True if its results are passed to calls of the same function. */
bool mpmd_is_chained(const ir_op *call);
/* Operations of the body and of loops in it, in order; those nested in meshless
 * operations and fragments are skipped. */
ir_op_list mpmd_flat_ops(ir_op *func);
/* "add" and so on, the enum's text, for a binary operation; NULL if it is no reduction. */
const char *mpmd_reduction_of(const ir_op *op);
ir_attr mpmd_reduction(ir_context *ctx, const char *text);
/* The binary operation of a #mpmd.reduction; NULL for none. */
const ir_op_def *mpmd_reduction_step(ir_attr reduction);
/* The stablehlo.reduce that is the only user of the concatenation and reduces exactly the
 * concatenated dimension, of one element per operand; NULL otherwise. */
ir_op *mpmd_reduce_of_concat(const ir_op *op);
const char *mpmd_reduction_of_body(const ir_op *reduce);

#endif
