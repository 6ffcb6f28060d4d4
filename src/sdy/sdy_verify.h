/* sdy_verify.h: checks of shardings and of attributes that hold them. */
#ifndef TILEWRIGHT_SDY_SDY_VERIFY_H
#define TILEWRIGHT_SDY_SDY_VERIFY_H

#include "sdy/sdy_axes.h"

/* Location of errors: the operation, after "'name' op " and the prefix. */
typedef struct sdy_location {
    ir_op *op;
    const char *prefix;
} sdy_location;

/* ---- sdy_sharding.c ----------------------------------------------------------------- */

bool sdy_fail(const sdy_location *w, const char *format, ...) TW_PRINTF(2, 3);
bool sdy_fail_bound(const sdy_location *w, tw_str axis, ir_op *by);
/* The mesh that a sharding names or holds, NULL if there is none of that name. */
ir_attr sdy_mesh_of(ir_op *op, ir_attr sharding);
uint32_t sdy_sharding_rank(ir_attr sharding);
/* The tensor type in a mesh tensor or a portable artifact's type; otherwise the type. */
ir_type sdy_shaped(ir_type type);
/* Checks a list of distinct axes of the mesh; adds them to `seen`, sorted by the mesh. */
bool sdy_check_axes(const sdy_location *w, ir_attr mesh, ir_attr list, sdy_axes *seen);
bool sdy_check_sorted_axes(const sdy_location *w, ir_attr mesh, ir_attr list,
                           const char *what, sdy_axes *seen);
/* `type` NULL: a sharding without a value, which must be replicated. */
bool sdy_check_sharding(const sdy_location *w, ir_attr sharding, ir_type type);
/* The same for a known mesh. */
bool sdy_check_sharding_on(const sdy_location *w, ir_attr mesh, ir_attr sharding,
                           ir_type type);
/* Checks one sharding for each value. */
bool sdy_check_shardings(const sdy_location *w, ir_attr per_value, const ir_type *types,
                         size_t n);

/* ---- sdy_values.c ------------------------------------------------------------------- */

/* True if it has `in_shardings` and `out_shardings` for its body. */
bool sdy_keeps_shardings(const ir_op *op);
/* The sharding of a value, or NULL. */
ir_attr sdy_sharding_of(ir_value *value);
/* The same, through propagation barriers. */
ir_attr sdy_sharding_through_barriers(ir_value *value);
/* A sharding without axes, open or closed. */
ir_attr sdy_replicated(ir_context *ctx, ir_attr mesh_or_ref, size_t rank, bool closed);
/* True if both shardings are equal; NULL is a replicated one. */
bool sdy_shardings_equal(ir_attr a, ir_attr b, bool ignore_unreduced);

/* ---- sdy_rule.c --------------------------------------------------------------------- */

/* Checks #sdy.op_sharding_rule on an operation. */
bool sdy_check_rule(ir_op *op, ir_attr rule);

/* ---- sdy_verify.c: hooks of the rows ------------------------------------------------ */

bool sdy_verify_mesh(ir_context *ctx, ir_loc loc, ir_attr mesh);
bool sdy_verify_mesh_axis(ir_context *ctx, ir_loc loc, ir_attr axis);
bool sdy_verify_sharded_value(ir_op *op); /* an operation with one sharding */
bool sdy_verify_reshard(ir_op *op);
bool sdy_verify_data_flow_edge(ir_op *op);
bool sdy_verify_func_data_flow_edge(ir_op *op);
bool sdy_verify_manual_computation(ir_op *op);
bool sdy_verify_named_computation(ir_op *op);
bool sdy_verify_named_results(ir_op *op);
bool sdy_verify_propagation_barrier(ir_op *op);
bool sdy_verify_constant(ir_op *op);
bool sdy_verify_propagation_edges(ir_context *ctx, ir_loc loc, ir_attr edges);
bool sdy_check_edges(ir_op *op, ir_attr edges);
bool sdy_verify_discardable(ir_op *op, ir_named_attr attr);
bool sdy_verify_function_attr(ir_op *op, bool result, size_t index, ir_named_attr attr);

/* ---- sdy_collectives.c -------------------------------------------------------------- */

bool sdy_verify_all_gather(ir_op *op);
bool sdy_verify_all_reduce(ir_op *op);
bool sdy_verify_all_slice(ir_op *op);
bool sdy_verify_all_to_all(ir_op *op);
bool sdy_verify_collective_permute(ir_op *op);
bool sdy_verify_reduce_scatter(ir_op *op);
bool sdy_verify_replicated_to_unreduced(ir_op *op);
bool sdy_verify_sharded_to_unreduced(ir_op *op);
/* Checks that unreduced axes are introduced and removed only as the operation allows:
 * `introduced` and `removed` are the reductions of such axes, as text of the enum; NULL:
 * none allowed. */
bool sdy_check_unreduced(ir_op *op, ir_attr from, ir_attr to, const char *introduced,
                         const char *removed);

#endif
