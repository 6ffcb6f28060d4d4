/* propagation_passes.c: the propagation passes: basic and aggressive, by operation
 * priorities, and by user-specified priorities of dimensions. */
#include "ir/pass/pass.h"
#include "sdy/propagation/propagate.h"
#include "sdy/propagation/rules.h"
#include "sdy/propagation/shardings.h"
#include "support/arena.h"

#include <stdlib.h>

static sdy_strategy strategy_of(const pass_run *run)
{
    tw_str text = pass_option_str(run, "propagation-strategy");
    if (tw_str_is(text, "basic"))
        return SDY_BASIC;
    return tw_str_is(text, "basic-then-aggressive") ? SDY_BASIC_THEN_AGGRESSIVE
                                                    : SDY_AGGRESSIVE;
}

static sdy_propagate_options options_of(const pass_run *run, sdy_strategy strategy)
{
    return (sdy_propagate_options){
        .strategy = strategy,
        .conservative = pass_option_bool(run, "conservative-propagation"),
        .keep_rules = pass_option_bool(run, "keep-sharding-rules"),
    };
}

static bool run_basic(ir_op *module, pass_run *run)
{
    sdy_propagate_options options = options_of(run, SDY_BASIC);
    sdy_propagation *s = sdy_propagation_begin(module, &options);
    if (!s)
        return false;
    sdy_propagate_to(s, SDY_ALL_LEVELS);
    sdy_propagation_end(s);
    return true;
}

static bool run_aggressive(ir_op *module, pass_run *run)
{
    sdy_propagate_options options = options_of(run, strategy_of(run));
    sdy_propagation *s = sdy_propagation_begin(module, &options);
    if (!s)
        return false;
    sdy_propagate_to(s, SDY_ALL_LEVELS);
    sdy_propagation_end(s);
    return true;
}

/* ---- operation priorities ----------------------------------------------------------- */

static void by_levels(sdy_propagation *s, bool levels)
{
    for (int level = levels ? 0 : SDY_ALL_LEVELS; level <= SDY_ALL_LEVELS; level++)
        sdy_propagate_to(s, level);
}

static bool run_op_priority(ir_op *module, pass_run *run)
{
    sdy_propagate_options options = options_of(run, strategy_of(run));
    sdy_propagation *s = sdy_propagation_begin(module, &options);
    if (!s)
        return false;
    by_levels(s, pass_option_bool(run, "run-op-priority-propagation"));
    sdy_propagation_end(s);
    return true;
}

/* ---- user priorities ----------------------------------------------------------------- */

/* An original sharding with priorities; its dimensions are restored one by one. */
typedef struct reference {
    sdy_site site;
    ir_attr sharding;
} reference;

typedef struct references {
    reference *at;
    size_t n, capacity;
    int64_t *priorities; /* the distinct nonzero ones */
    size_t n_priorities, priorities_capacity;
} references;

static int64_t priority_of(ir_attr dim)
{
    return ir_attr_int(dim->params[SDY_DIM_PRIORITY], 0);
}

static void note_priority(references *r, int64_t priority)
{
    for (size_t i = 0; i < r->n_priorities; i++)
        if (r->priorities[i] == priority)
            return;
    TW_PUSH(r->priorities, r->n_priorities, r->priorities_capacity, priority);
}

static ir_attr with_dims(ir_attr sharding, ir_attr *dims, const sdy_axes *replicated)
{
    ir_context *ctx = sharding->ctx;
    ir_attr made =
        sdy_with(sharding, SDY_DIMS, ir_array_attr(ctx, dims, sdy_sharding_rank(sharding)));
    return sdy_with(made, SDY_REPLICATED, sdy_axes_array(ctx, replicated));
}

/* In mesh order without merging, so that the original axes are restored. */
static void sort(sdy_axes *list, ir_attr mesh)
{
    for (size_t i = 1; i < list->n; i++) {
        ir_attr axis = list->at[i];
        size_t k = i;
        for (; k > 0 && sdy_compare_axes(mesh, list->at[k - 1], axis) > 0; k--)
            list->at[k] = list->at[k - 1];
        list->at[k] = axis;
    }
}

/* Dimensions with a priority start empty, with their axes replicated. */
static ir_attr begin_with(void *user, const sdy_site *site, ir_attr sharding)
{
    references *r = user;
    ir_value *v = sdy_site_value(site);
    uint32_t rank = sdy_sharding_rank(sharding);
    ir_attr mesh = sdy_mesh_of(site->op, sharding);
    sdy_axes replicated = {.n = 0};
    bool waits = false;
    if ((v && sdy_edge_to(v)) || !mesh)
        return sharding;
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    sdy_axes_add_all(&replicated, sharding->params[SDY_REPLICATED]);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = sdy_dim_at(sharding, i), axes = dim->params[SDY_DIM_AXES];
        bool later = priority_of(dim) > 0;
        dims[i] = later ? sdy_dim(sharding->ctx, NULL, true, NULL)
                        : sdy_dim(sharding->ctx, axes, sdy_is_closed(dim), NULL);
        if (!later)
            continue;
        waits = true;
        note_priority(r, priority_of(dim));
        sdy_axes_add_all(&replicated, axes);
    }
    sort(&replicated, mesh);
    ir_attr made = with_dims(sharding, dims, &replicated);
    free(dims);
    if (waits) {
        reference kept = {*site, sharding};
        TW_PUSH(r->at, r->n, r->capacity, kept);
    }
    return made;
}

static bool is_in(const sdy_axes *list, ir_attr axis)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == axis)
            return true;
    return false;
}

static void bring_back(const reference *r, int64_t priority)
{
    ir_attr now = sdy_site_get(&r->site);
    uint32_t rank = sdy_sharding_rank(r->sharding);
    sdy_axes back = {.n = 0}, replicated = {.n = 0};
    bool any = false;
    if (!now || sdy_sharding_rank(now) != rank)
        return;
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = sdy_dim_at(r->sharding, i), axes = dim->params[SDY_DIM_AXES];
        dims[i] = sdy_dim_at(now, i);
        if (priority_of(dim) != priority)
            continue;
        any = true;
        dims[i] = sdy_dim(now->ctx, axes, sdy_is_closed(dim), NULL);
        sdy_axes_add_all(&back, axes);
    }
    ir_attr list = now->params[SDY_REPLICATED];
    for (uint32_t i = 0; i < sdy_length(list); i++)
        if (!is_in(&back, list->items[i]))
            sdy_axes_add(&replicated, list->items[i]);
    if (any)
        sdy_site_set(&r->site, with_dims(now, dims, &replicated));
    free(dims);
}

static int by_number(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static bool run_user_priority(ir_op *module, pass_run *run)
{
    references r = {.n = 0};
    sdy_propagate_options options = options_of(run, strategy_of(run));
    bool levels = pass_option_bool(run, "run-op-priority-propagation");
    sdy_propagation *s = sdy_propagation_begin(module, &options);
    if (!s)
        return false;
    sdy_transform(module, begin_with, &r);
    by_levels(s, levels);
    if (r.n_priorities)
        qsort(r.priorities, r.n_priorities, sizeof *r.priorities, by_number);
    for (size_t k = 0; k < r.n_priorities; k++) {
        for (size_t i = 0; i < r.n; i++)
            bring_back(&r.at[i], r.priorities[k]);
        by_levels(s, levels);
    }
    sdy_propagation_end(s);
    free(r.at);
    free(r.priorities);
    return true;
}

/* ---- rules --------------------------------------------------------------------------- */

static ir_walk populate(ir_op *op, void *user)
{
    const bool *conservative = user;
    sdy_rule_of(op, *conservative, true);
    return IR_WALK_ON;
}

static bool run_populate(ir_op *module, pass_run *run)
{
    bool conservative = pass_option_bool(run, "conservative-propagation");
    ir_walk_pre(module, populate, &conservative);
    sdy_warn_of_unknown(module);
    return true;
}

/* ---- the rows ------------------------------------------------------------------------ */

#define COMMON                                                                             \
    {"keep-sharding-rules", PASS_BOOL, "false", "Leave sharding rules on operations"},     \
        {"conservative-propagation", PASS_BOOL, "false",                                   \
         "Nothing that needs parts of axes or communication"},                             \
        {"dump-directory", PASS_STRING, "", "Where dumps go", "no dumps are written"},     \
        SDY_ORIGIN_OPTIONS("", "Record")
#define STRATEGY                                                                           \
    {                                                                                      \
        "propagation-strategy", PASS_STRING, "aggressive",                                 \
            "basic, aggressive or basic-then-aggressive"                                   \
    }
#define LEVELS                                                                             \
    {                                                                                      \
        "run-op-priority-propagation", PASS_BOOL, "true",                                  \
            "Propagate by operation priorities"                                            \
    }

const pass_def sdy_basic_propagate_pass = {
    .name = "sdy-basic-propagate",
    .title = "BasicPropagationPass",
    .summary = "Propagates shardings on which all tensors agree.",
    .anchor = "builtin.module",
    .run = run_basic,
    .options = IR_LIST(pass_option_def, COMMON),
};

const pass_def sdy_aggressive_propagate_pass = {
    .name = "sdy-aggressive-propagate",
    .title = "AggressivePropagationPass",
    .summary = "Propagates shardings, resolving conflicts for each tensor.",
    .anchor = "builtin.module",
    .run = run_aggressive,
    .options = IR_LIST(pass_option_def, COMMON, STRATEGY),
};

const pass_def sdy_op_priority_propagate_pass = {
    .name = "sdy-op-priority-propagate",
    .title = "OpPriorityPropagationPass",
    .summary = "Propagates shardings by operation priority: pass-through operations first.",
    .anchor = "builtin.module",
    .run = run_op_priority,
    .options = IR_LIST(pass_option_def, COMMON, STRATEGY, LEVELS),
};

const pass_def sdy_user_priority_propagate_pass = {
    .name = "sdy-user-priority-propagate",
    .title = "UserPriorityPropagationPass",
    .summary = "Propagates shardings in the order of user-specified priorities.",
    .anchor = "builtin.module",
    .run = run_user_priority,
    .options = IR_LIST(pass_option_def, COMMON, STRATEGY, LEVELS),
};

const pass_def sdy_populate_op_sharding_rules_pass = {
    .name = "sdy-populate-op-sharding-rules",
    .title = "PopulateOpShardingRulesPass",
    .summary = "Sets the sharding rule of each operation as an attribute.",
    .anchor = "builtin.module",
    .run = run_populate,
    .options = IR_LIST(pass_option_def, {"conservative-propagation", PASS_BOOL, "false",
                                         "Only rules that need no communication"}),
};
