/* projection.h: shardings of an operation's tensors, projected onto the factors of its
 * rule.
 *
 * A dimension has one factor or several, major first, and its axes are distributed to
 * them: each factor takes axes (or sub-axes) as long as they divide its remaining size,
 * the minor-most takes the rest.  Axes that do not divide a factor overflow: such a
 * factor and those minor to it take no more. */
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

enum { SDY_MAX_FACTOR_AXES = 32 };

typedef struct sdy_factor_axes {
    ir_attr at[SDY_MAX_FACTOR_AXES];
    uint32_t n;
} sdy_factor_axes;

typedef struct sdy_factor_sharding {
    sdy_factor_axes axes, overflow;
    bool present, closed, minor_most;
} sdy_factor_sharding;

typedef struct sdy_tensor_factors {
    sdy_factor_sharding *factors; /* of the rule's factors */
    ir_attr mapping;              /* the rule's mapping for this tensor */
    ir_attr replicated, unreduced, reduction;
    bool updated;
} sdy_tensor_factors;

typedef struct sdy_projection {
    ir_attr mesh;
    int64_t *sizes; /* factor sizes */
    uint32_t n_factors;
    size_t n_operands, n_tensors; /* operands, then results */
    sdy_tensor_factors *tensors;
} sdy_projection;

/* A NULL sharding has no axes and is closed as the flag says.  Returns NULL if one has
 * more axes than fit, or does not match the rule. */
sdy_projection *sdy_project(ir_attr rule, ir_attr mesh, const ir_attr *shardings,
                            bool closed_if_missing);
void sdy_projection_free(sdy_projection *p);
/* The sharding of a tensor composed from its factors. */
ir_attr sdy_unproject(const sdy_projection *p, size_t tensor, ir_attr mesh_ref);
/* True if a factor is in a list of the rule (SDY_RULE_REDUCTION, ...). */
bool sdy_rule_lists(ir_attr rule, size_t list, int64_t factor);

/* A sub-axis. */
ir_attr sdy_axis_part(ir_attr axis, int64_t pre_size, int64_t size);
/* True if `a` is a prefix of `of` or equal to it. */
bool sdy_axis_is_prefix(ir_attr a, ir_attr of);
typedef enum sdy_prefix { SDY_NO_PREFIX, SDY_STRICT_PREFIX, SDY_EQUAL } sdy_prefix;
sdy_prefix sdy_axes_prefix(const sdy_factor_axes *a, const sdy_factor_axes *of);
/* Takes over `axes` if they extend those of the factor; true if so. */
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

/* Propagates axes along factors; tensors that gained axes are marked. */
void sdy_propagate_factors(sdy_projection *p, const sdy_step *step);

#endif
