/* shardings.h: the shardings of values: where they are kept, changing them, and how they
 * flow through operations with regions.
 *
 * A value's sharding is an attribute of whoever can hold it: the function of an argument,
 * the operation of a result, or the sdy.data_flow_edge behind a value that stands for
 * several (what a loop carries).  Values that nobody can hold one for have none. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_SHARDINGS_H
#define TILEWRIGHT_SDY_PROPAGATION_SHARDINGS_H

#include "sdy/sdy.h"
#include "sdy/sdy_axes.h"
#include "sdy/sdy_verify.h"

/* ---- one sharding ------------------------------------------------------------------- */

/* Parameters of #sdy.sharding and #sdy.dimension_sharding. */
enum { SDY_MESH, SDY_DIMS, SDY_REPLICATED, SDY_UNREDUCED, SDY_REDUCTION, SDY_N_PARAMS };
enum { SDY_DIM_AXES, SDY_DIM_CLOSED, SDY_DIM_PRIORITY };
/* Of a tensor that steps on shardings know; they leave or refuse what has more. */
enum { SDY_MOST_DIMS = 32 };

ir_attr sdy_with(ir_attr sharding, size_t param, ir_attr value);
ir_attr sdy_dim(ir_context *ctx, ir_attr axes, bool closed, ir_attr priority);
static inline ir_attr sdy_dim_at(ir_attr sharding, size_t i)
{
    return sharding->params[SDY_DIMS]->items[i];
}
static inline bool sdy_is_closed(ir_attr dim)
{
    return ir_attr_int(dim->params[SDY_DIM_CLOSED], 0);
}
/* Without axes, replicated or unreduced ones included. */
bool sdy_is_empty(ir_attr sharding);
/* The same axes, closed and without replicated axes and priorities. */
ir_attr sdy_closed(ir_attr sharding);
ir_attr sdy_per_value(ir_context *ctx, const ir_attr *shardings, size_t n);
/* Elements of a dimension's axes together. */
int64_t sdy_dim_size(ir_attr dim, ir_attr mesh);
uint32_t sdy_rank(ir_type t);  /* 0 of what has no dimensions */
bool sdy_is_static(ir_type t); /* a ranked shape of known sizes */
static inline bool sdy_mesh_is_maximal(ir_attr mesh)
{
    return !sdy_length(mesh->params[0]) && sdy_length(mesh->params[1]) == 1;
}
static inline bool sdy_mesh_is_empty(ir_attr mesh)
{
    return !sdy_length(mesh->params[0]) && !sdy_length(mesh->params[1]);
}

/* Adds to `out` what of the axes none of `others` has. */
void sdy_axes_minus(const ir_attr *axes, size_t n, const ir_attr *others, size_t n_others,
                    ir_attr mesh, sdy_axes *out);

/* ---- of values ---------------------------------------------------------------------- */

/* The value whose sharding stands for this one's; NULL if it can have none. */
ir_value *sdy_shardable(ir_value *v);
ir_attr sdy_get(ir_value *v);
void sdy_set(ir_value *v, ir_attr sharding);
ir_attr sdy_result_sharding(const ir_op *func, size_t i); /* of a function's result */
void sdy_set_result_sharding(ir_op *func, size_t i, ir_attr sharding);
/* All that an operation carries as `sdy.sharding`, NULL if nothing. */
ir_attr sdy_shardings_of(const ir_op *op);

/* The mesh (or its name, in `out_ref`) that all shardings share; NULL entries count for
 * nothing. NULL if there is none, or there are several. */
ir_attr sdy_common_mesh(ir_op *op, const ir_attr *shardings, size_t n, bool ignore_ids,
                        ir_attr *out_ref);

/* A place that holds a sharding: number `index` of an attribute. */
typedef struct sdy_site {
    ir_op *op;
    const char *attr;
    uint32_t index;
} sdy_site;

ir_attr sdy_site_get(const sdy_site *site);
void sdy_site_set(const sdy_site *site, ir_attr sharding);
ir_value *sdy_site_value(const sdy_site *site); /* NULL of a function's result */
/* Puts what `change` makes of each sharding below `root` in its place. */
typedef ir_attr sdy_change_fn(void *user, const sdy_site *site, ir_attr sharding);
void sdy_transform(ir_op *root, sdy_change_fn *change, void *user);

/* The function that a program begins with: the only one, or @main; NULL if there is none,
 * of sdy_main with an error. */
ir_op *sdy_find_main(ir_op *module);
ir_op *sdy_main(ir_op *module);
/* Reshards around an operation whose results are on one device (placement.c); false after
 * an error. */
bool sdy_place_on_device(ir_op *op, bool *placed);
ir_op *sdy_callee(ir_op *call); /* NULL if it is no function with a body */

/* Makes StableHLO's constants of all sdy.constant below. */
void sdy_constants_to_stablehlo(ir_op *root);

/* ---- flow through regions (flow.c) -------------------------------------------------- */

/* Operations whose regions take and return values: while, case, optimization_barrier,
 * manual and named computations. */
bool sdy_is_flow_op(const ir_op *op);
/* Arguments of its regions that own an edge, in order; results all do.  The count. */
size_t sdy_arg_owners(ir_op *op, ir_value ***out);
/* The owner of the edge that leads to the value, NULL if no operation of that kind does. */
ir_value *sdy_edge_owner(ir_value *target);
ir_op *sdy_edge_to(ir_value *target); /* its sdy.data_flow_edge, NULL if none */
ir_op *sdy_edge_from(const ir_operand *source);
/* Where an edge's values come from, at most `max`; which others it leads to. */
size_t sdy_edge_sources(ir_op *edge, ir_value **out, size_t max);
size_t sdy_edge_targets(ir_op *edge, ir_value *out[2]);
/* How the sharding of an edge looks to its sources, and back again. */
ir_attr sdy_edge_outside(ir_op *edge, ir_attr sharding);
ir_attr sdy_edge_inside(ir_op *edge, ir_attr sharding);
/* Puts an sdy.data_flow_edge behind each owner. */
void sdy_add_edges(ir_op *op);
/* A manual computation's sharding with the free axes of `inner` behind its manual ones. */
ir_attr sdy_with_free_axes(ir_attr outer, ir_attr inner, ir_attr manual_axes);
/* What a sharding says beside the manual axes. */
ir_attr sdy_without_manual(ir_attr sharding, ir_attr manual_axes);

/* Why passes' options about debugging have no effect. */
#define SDY_NO_ORIGINS "shardings keep no record of their origin"

#endif
