/* mesh_sets.h: sets of meshes with where each comes from, as the inference of meshes keeps
 * them in attributes: who reads a value (its use set), and where it can come from without a
 * transfer (its source set).
 *
 * A set is an array of #mpmd.mesh_with_origins; NULL is the set that nobody has said
 * anything about, which is not the empty one. The mesh "*" stands last and for all others.
 */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_MESH_SETS_H
#define TILEWRIGHT_SDY_MPMD_PASSES_MESH_SETS_H

#include "mpmd/assign.h"

#define MPMD_USE_SET "mpmd.use_set"
#define MPMD_SRC_SET "mpmd.src_set"
#define MPMD_REDUCE                                                                        \
    "mpmd.reduce" /* of operations that could be a reduction over meshes                   \
                   */
#define MPMD_CAN_CONVERT "mpmd.can_convert_to_reduce"

/* ---- sets --------------------------------------------------------------------------- */

/* What an attribute says; NULL if it is none. */
ir_attr mpmd_set_of(ir_attr attr);
ir_attr mpmd_set_attr(ir_context *ctx, ir_attr set); /* and back; NULL stays NULL */
ir_attr mpmd_no_meshes(ir_context *ctx);
/* With a mesh and an origin more; `origin` may be NULL. */
ir_attr mpmd_set_add(ir_context *ctx, ir_attr set, ir_attr mesh, const char *origin);
ir_attr mpmd_set_union(ir_context *ctx, ir_attr a, ir_attr b);
ir_attr mpmd_set_intersect(ir_context *ctx, ir_attr a, ir_attr b);
/* The number of meshes but for "*"; 0 of NULL. */
uint32_t mpmd_set_size(ir_attr set);
static inline ir_attr mpmd_set_mesh(ir_attr set, uint32_t i) /* its name */
{
    return set->items[i]->params[0];
}
static inline bool mpmd_set_empty(ir_attr set) /* not of NULL */
{
    return set && !mpmd_set_size(set);
}
bool mpmd_set_has(ir_attr set, ir_attr mesh);
/* The mesh to take: one of `preferred` if there is any, no input of a broadcast if there is
 * another, the first by the alphabet. NULL of the empty set. */
ir_attr mpmd_set_choose(ir_attr set, ir_attr preferred);
/* The set of one mesh that an mpmd.assign or mpmd.unassign says, with its origin. */
ir_attr mpmd_set_of_assign(const ir_op *op);

/* ---- of values ---------------------------------------------------------------------- */

/* Use sets are never NULL. `list` is "arg_attrs" or "res_attrs". */
ir_attr mpmd_use_set(const ir_op *op); /* `op` may be NULL */
ir_attr mpmd_io_use_set(const ir_op *op, const char *list, size_t i);
ir_attr mpmd_src_set(const ir_op *op);
ir_attr mpmd_io_src_set(const ir_op *op, size_t arg);
/* Through calls and loops to whoever made the value. */
ir_attr mpmd_src_set_of(const ir_value *v);
/* The empty use set is not set, nor the source set NULL. */
void mpmd_put_use_set(ir_op *op, ir_attr set);
void mpmd_put_src_set(ir_op *op, ir_attr set);
void mpmd_put_io_set(ir_op *op, const char *list, size_t i, const char *name, ir_attr set);
/* The set and those of all that read the value. */
ir_attr mpmd_add_users(ir_value *v, ir_attr set);
void mpmd_clear_sets(ir_op *op);          /* of an operation */
void mpmd_clear_io_sets(ir_op *op);       /* of arguments and results */
void mpmd_clear_io_use_sets(ir_op *func); /* of arguments only, and use sets only */

/* ---- operations --------------------------------------------------------------------- */

/* Of no mesh: none of mpmd, and in no fragment. */
bool mpmd_is_meshless(ir_op *op);
/* Where the inference ends: broadcasts and reductions. */
bool mpmd_is_terminal(const ir_op *op);
/* Whether its results go to calls of the same function. */
bool mpmd_is_chained(const ir_op *call);
/* Operations of the body and of loops in it, from the first on; those inside of meshless
 * operations and fragments are not looked at. */
ir_op_list mpmd_flat_ops(ir_op *func);
/* "add" and so on, as the enum's text, of an operation of two operands; NULL if it is no
 * such. */
const char *mpmd_reduction_of(const ir_op *op);
ir_attr mpmd_reduction(ir_context *ctx, const char *text);
/* The operation of two operands that does a #mpmd.reduction; NULL of none. */
const ir_op_def *mpmd_reduction_step(ir_attr reduction);
/* The stablehlo.reduce that takes what the concatenation puts next to each other apart
 * again, and nothing else; its reduction, or NULL. */
ir_op *mpmd_reduce_of_concat(const ir_op *op);
const char *mpmd_reduction_of_body(const ir_op *reduce);

#endif
