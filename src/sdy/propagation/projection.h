/* projection.h: shardings of an operation's tensors, seen by the factors of its rule.
 *
 * A dimension is one factor or several, major first; its axes are dealt out to them: each
 * factor takes axes (or parts of an axis) as long as they divide what is left of it, the
 * minor-most takes the rest.  Axes that do not divide a factor overflow: such a factor and
 * those minor to it take no more. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_PROJECTION_H
#define TILEWRIGHT_SDY_PROPAGATION_PROJECTION_H

#include "sdy/propagation/shardings.h"

/* Parameters of #sdy.op_sharding_rule. */
enum {
    SDY_RULE_SIZES,
    SDY_RULE_OPERANDS,
    SDY_RULE_RESULTS,
    SDY_RULE_REDUCTION,
    SDY_RULE_REPLICATION,
    SDY_RULE_PERMUTATION,
    SDY_RULE_BLOCKED
};

enum { SDY_MOST_FACTOR_AXES = 32 };

typedef struct sdy_factor_axes {
    ir_attr at[SDY_MOST_FACTOR_AXES];
    uint32_t n;
} sdy_factor_axes;

typedef struct sdy_factor_sharding {
    sdy_factor_axes axes, overflow;
    bool present, closed, minor_most;
} sdy_factor_sharding;

typedef struct sdy_tensor_factors {
    sdy_factor_sharding *factors; /* of the rule */
    ir_attr mapping;              /* the rule's, of this tensor */
    ir_attr replicated, unreduced, reduction;
    bool updated;
} sdy_tensor_factors;

typedef struct sdy_projection {
    ir_attr mesh;
    int64_t *sizes; /* of factors */
    uint32_t n_factors;
    size_t n_operands, n_tensors; /* operands, then results */
    sdy_tensor_factors *tensors;
} sdy_projection;

/* NULL shardings are of nothing, open or closed.  NULL if one has more axes than we can
 * keep, or does not fit the rule. */
sdy_projection *sdy_project(ir_attr rule, ir_attr mesh, const ir_attr *shardings,
                            bool closed_if_missing);
void sdy_projection_free(sdy_projection *p);
/* The sharding of a tensor as its factors say. */
ir_attr sdy_unproject(const sdy_projection *p, size_t tensor, ir_attr mesh_ref);
/* Whether a factor is in a list of the rule (SDY_RULE_REDUCTION, ...). */
bool sdy_rule_lists(ir_attr rule, size_t list, int64_t factor);

/* A part of an axis. */
ir_attr sdy_axis_part(ir_attr axis, int64_t pre_size, int64_t size);
/* Whether `a` is where `of` begins, or all of it. */
bool sdy_axis_is_prefix(ir_attr a, ir_attr of);
typedef enum sdy_prefix { SDY_NO_PREFIX, SDY_STRICT_PREFIX, SDY_EQUAL } sdy_prefix;
sdy_prefix sdy_axes_prefix(const sdy_factor_axes *a, const sdy_factor_axes *of);
/* Takes `axes` over if they continue the factor's own; whether they do. */
bool sdy_expand(sdy_tensor_factors *t, uint32_t factor, const sdy_factor_axes *axes);

/* ---- one step (factors.c) ----------------------------------------------------------- */

typedef struct sdy_step {
    const ir_op *op;
    bool aggressive, conservative, elementwise;
    /* SDY_PropagationDirection_..., for each factor */
    int (*direction)(const struct sdy_step *step, uint32_t factor);
    ir_attr rule;
    int level; /* for `direction` */
} sdy_step;

/* Spreads axes along factors; tensors that have more axes now are marked. */
void sdy_propagate_factors(sdy_projection *p, const sdy_step *step);

#endif
