/* shardings.h: shardings of values: where they are stored, updating them, and their flow
 * through operations with regions.
 *
 * A value's sharding is an attribute of its holder: the function of an argument, the
 * operation of a result, or the sdy.data_flow_edge after a value that represents several
 * (what a loop carries).  Values without a holder have none. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_SHARDINGS_H
#define TILEWRIGHT_SDY_PROPAGATION_SHARDINGS_H

#include "sdy/sdy.h"
#include "sdy/sdy_axes.h"
#include "sdy/sdy_verify.h"

/* ---- one sharding ------------------------------------------------------------------- */

/* Parameters of #sdy.sharding and #sdy.dimension_sharding. */
enum { SDY_MESH, SDY_DIMS, SDY_REPLICATED, SDY_UNREDUCED, SDY_REDUCTION, SDY_N_PARAMS };
enum { SDY_DIM_AXES, SDY_DIM_CLOSED, SDY_DIM_PRIORITY };
/* Rank limit of passes on shardings; they ignore or reject higher ranks. */
enum { SDY_MAX_DIMS = 32 };

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
/* True without axes, also replicated and unreduced ones. */
bool sdy_is_empty(ir_attr sharding);
/* The same axes, closed, without replicated axes and priorities. */
ir_attr sdy_closed(ir_attr sharding);
ir_attr sdy_per_value(ir_context *ctx, const ir_attr *shardings, size_t n);
/* Product of the sizes of a dimension's axes. */
int64_t sdy_dim_size(ir_attr dim, ir_attr mesh);
uint32_t sdy_rank(ir_type t);  /* 0 if it has no dimensions */
bool sdy_is_static(ir_type t); /* a ranked shape of static sizes */
static inline bool sdy_mesh_is_maximal(ir_attr mesh)
{
    return !sdy_length(mesh->params[0]) && sdy_length(mesh->params[1]) == 1;
}
static inline bool sdy_mesh_is_empty(ir_attr mesh)
{
    return !sdy_length(mesh->params[0]) && !sdy_length(mesh->params[1]);
}

/* Adds to `out` the parts of the axes that none of `others` covers. */
void sdy_axes_minus(const ir_attr *axes, size_t n, const ir_attr *others, size_t n_others,
                    ir_attr mesh, sdy_axes *out);

/* ---- of values ---------------------------------------------------------------------- */

/* The value that holds the sharding of this one; NULL if it can have none. */
ir_value *sdy_shardable(ir_value *v);
ir_attr sdy_get(ir_value *v);
void sdy_set(ir_value *v, ir_attr sharding);
ir_attr sdy_result_sharding(const ir_op *func, size_t i); /* of a function's result */
void sdy_set_result_sharding(ir_op *func, size_t i, ir_attr sharding);
/* The shardings in the operation's `sdy.sharding` attribute, or NULL. */
ir_attr sdy_shardings_of(const ir_op *op);

/* The mesh (or its name, in `out_ref`) that all shardings share, NULL entries ignored.
 * NULL if there is none or several. */
ir_attr sdy_common_mesh(ir_op *op, const ir_attr *shardings, size_t n, bool ignore_ids,
                        ir_attr *out_ref);

/* Storage of one sharding: entry `index` of an attribute. */
typedef struct sdy_site {
    ir_op *op;
    const char *attr;
    uint32_t index;
} sdy_site;

ir_attr sdy_site_get(const sdy_site *site);
void sdy_site_set(const sdy_site *site, ir_attr sharding);
ir_value *sdy_site_value(const sdy_site *site); /* NULL for a function's result */
/* Replaces each sharding below `root` by the result of `change`. */
typedef ir_attr sdy_change_fn(void *user, const sdy_site *site, ir_attr sharding);
void sdy_transform(ir_op *root, sdy_change_fn *change, void *user);

/* The entry function: the only one, or @main; NULL if there is none, sdy_main with an
 * error. */
ir_op *sdy_find_main(ir_op *module);
ir_op *sdy_main(ir_op *module);
/* Inserts reshards around an operation whose results are on one device (placement.c);
 * false after an error. */
bool sdy_place_on_device(ir_op *op, bool *placed);
ir_op *sdy_callee(ir_op *call); /* NULL if it is no function with a body */

/* Replaces every sdy.constant below by StableHLO's. */
void sdy_constants_to_stablehlo(ir_op *root);

/* ---- flow through regions (flow.c) -------------------------------------------------- */

/* Operations whose regions take and return values: while, case, optimization_barrier,
 * manual and named computations. */
bool sdy_is_flow_op(const ir_op *op);
/* Region arguments that own an edge, in order (results all do).  Returns the count. */
size_t sdy_arg_owners(ir_op *op, ir_value ***out);
/* The owner of the edge with that target, NULL if the value has none. */
ir_value *sdy_edge_owner(ir_value *target);
ir_op *sdy_edge_to(ir_value *target); /* its sdy.data_flow_edge, NULL if none */
ir_op *sdy_edge_from(const ir_operand *source);
/* The sources of an edge, at most `max`; the targets other than its owner. */
size_t sdy_edge_sources(ir_op *edge, ir_value **out, size_t max);
size_t sdy_edge_targets(ir_op *edge, ir_value *out[2]);
/* The sharding of an edge as its sources see it, and the inverse. */
ir_attr sdy_edge_outside(ir_op *edge, ir_attr sharding);
ir_attr sdy_edge_inside(ir_op *edge, ir_attr sharding);
/* Inserts an sdy.data_flow_edge after each owner. */
void sdy_add_edges(ir_op *op);
/* A manual computation's sharding with the free axes of `inner` after its manual ones. */
ir_attr sdy_with_free_axes(ir_attr outer, ir_attr inner, ir_attr manual_axes);
/* A sharding without its manual axes. */
ir_attr sdy_without_manual(ir_attr sharding, ir_attr manual_axes);

/* Why passes' options about debugging have no effect. */
#define SDY_NO_ORIGINS "shardings keep no record of their origin"
/* Options of passes that would record where shardings come from, or keep the record. */
#define SDY_ORIGIN_OPTIONS(prefix, verb)                                                   \
    {prefix "debug-sharding-origins", PASS_BOOL, "false", verb " origins of shardings",    \
     SDY_NO_ORIGINS},                                                                      \
    {                                                                                      \
        prefix "debug-propagation-edge-sharding", PASS_BOOL, "false",                      \
            verb " edges of shardings", SDY_NO_ORIGINS                                     \
    }

#endif
