/* localize.c: prepares for local shapes: replicates values whose shards differ in ways
 * their operation cannot express; removes tuples and redundant collectives. */
#include "ir/pass/pass.h"
#include "mlir/passes/canonical.h"
#include "sdy/mesh/mesh.h"
#include "sdy/propagation/projection.h"
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"

#include <stdlib.h>

/* ---- replicate-non-splittable-values ------------------------------------------------ */

static ir_attr own_sharding(const ir_op *op)
{
    ir_attr all = sdy_shardings_of(op);
    return all && sdy_length(all->params[0]) ? all->params[0]->items[0] : NULL;
}

static int64_t parts_of(ir_attr sharding, size_t d, ir_attr mesh)
{
    return sdy_dim_size(sdy_dim_at(sharding, d), mesh);
}

static bool splits_constant(const ir_op *op, ir_attr sharding, ir_attr mesh)
{
    ir_attr dense = ir_op_attr(op, "value");
    if (!ir_attr_is(dense, IR_ATTR_DENSE) || (dense->splat & 2))
        return true;
    ir_type local = mesh_local_type(dense->type, sharding, mesh);
    return !local || mesh_local_constant(dense, local); /* NULL: cannot be split evenly */
}

/* An iota split along its dimension would need the device's index. */
static bool splits_iota(const ir_op *op, ir_attr sharding, ir_attr mesh)
{
    int64_t d = ir_op_int(op, "iota_dimension", 0);
    (void)mesh;
    return d >= sdy_sharding_rank(sharding) ||
           !sdy_length(sdy_dim_at(sharding, (size_t)d)->params[SDY_DIM_AXES]);
}

/* Slices of whole dimensions, or strided ones to the end whose shards start at the same
 * phase. */
static bool splits_slice(const ir_op *op, ir_attr sharding, ir_attr mesh)
{
    ir_type in = op->operands[0].value->type;
    int64_t start[SDY_MAX_DIMS], limit[SDY_MAX_DIMS], stride[SDY_MAX_DIMS];
    if (ir_attr_ints(ir_op_attr(op, "start_indices"), start, SDY_MAX_DIMS) != in->count ||
        ir_attr_ints(ir_op_attr(op, "limit_indices"), limit, SDY_MAX_DIMS) != in->count ||
        ir_attr_ints(ir_op_attr(op, "strides"), stride, SDY_MAX_DIMS) != in->count)
        return true;
    for (uint32_t d = 0; d < in->count; d++) {
        int64_t parts = parts_of(sharding, d, mesh);
        bool to_end = limit[d] == in->dims[d];
        if (!sdy_length(sdy_dim_at(sharding, d)->params[SDY_DIM_AXES]) ||
            (start[d] == 0 && to_end && stride[d] == 1))
            continue;
        if (stride[d] <= 1 || start[d] >= stride[d] || !to_end || in->dims[d] % parts ||
            in->dims[d] / parts % stride[d])
            return false;
    }
    return true;
}

/* True if devices would have to exchange data: a split dimension of the result is a
 * permutation factor. */
static bool permutes(ir_op *op, ir_attr sharding, ir_attr mesh)
{
    ir_attr rule = sdy_rule_of(op, false, false);
    ir_attr results = rule ? rule->params[SDY_RULE_RESULTS] : NULL;
    ir_attr dims = sdy_length(results) ? results->items[0]->params[0] : NULL;
    for (uint32_t d = 0; d < sdy_length(dims); d++) {
        ir_attr factors = dims->items[d]->params[0];
        for (uint32_t i = 0; i < sdy_length(factors); i++)
            if (sdy_rule_lists(rule, SDY_RULE_PERMUTATION,
                               ir_attr_int(factors->items[i], -1)) &&
                parts_of(sharding, d, mesh) > 1)
                return true;
    }
    return false;
}

bool mesh_can_split(ir_op *op, ir_attr sharding, ir_attr mesh)
{
    static const struct {
        uint16_t row;
        bool (*splits)(const ir_op *op, ir_attr sharding, ir_attr mesh);
    } rows[] = {
        {STABLEHLO_constant, splits_constant},
        {STABLEHLO_iota, splits_iota},
        {STABLEHLO_slice, splits_slice},
    };
    ir_type t = op->n_results ? op->results[0].type : NULL;
    if (!sdy_is_static(t) || t->count > SDY_MAX_DIMS ||
        sdy_sharding_rank(sharding) != t->count || !mesh_splits(sharding, mesh))
        return true;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return rows[i].splits(op, sharding, mesh);
    return !permutes(op, sharding, mesh);
}

bool mesh_needs_replicated(ir_op *op, uint32_t operand, ir_attr mesh)
{
    ir_value *v = op->operands[operand].value;
    ir_attr sharding = mesh_sharding_of(v);
    bool split[SDY_MAX_DIMS] = {false}, any = false;
    for (uint32_t d = 0; sharding && d < sdy_sharding_rank(sharding) && d < SDY_MAX_DIMS;
         d++)
        any |= split[d] = parts_of(sharding, d, mesh) > 1;
    return any && sdy_sums_wrongly(op, operand, split);
}

static void replicate(ir_op *op, const mesh_unsolved *at)
{
    ir_attr sharding = own_sharding(op);
    if (!sharding || mesh_can_split(op, sharding, at->axes))
        return;
    ir_attr whole = sdy_replicated(op->ctx, at->ref, sdy_sharding_rank(sharding), true);
    ir_op_set_attr(op, MESH_SHARDING, sdy_per_value(op->ctx, &whole, 1));
}

static bool run_replicate(ir_op *module, pass_run *run)
{
    (void)run;
    return mesh_each_unsolved(module, replicate);
}

/* ---- decompose-custom-call-tuples --------------------------------------------------- */

static bool run_tuples(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(module, NULL);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        if (op->def != STABLEHLO_OP(tuple))
            continue;
        for (size_t k = i + 1; k < all.n; k++) { /* members are handled by later entries */
            ir_op *user = all.at[k];
            if (!user || user->def != STABLEHLO_OP(get_tuple_element) ||
                user->operands[0].value != &op->results[0])
                continue;
            int64_t at = ir_op_int(user, "index", 0);
            if (at < 0 || at >= op->n_operands)
                continue;
            ir_value_replace_uses(&user->results[0], op->operands[at].value);
        }
    }
    for (size_t i = all.n; i > 0; i--) {
        ir_op *op = all.at[i - 1];
        if ((op->def == STABLEHLO_OP(get_tuple_element) ||
             op->def == STABLEHLO_OP(tuple)) &&
            ir_op_is_unused(op))
            ir_op_erase(op);
    }
    free(all.at);
    return true;
}

/* ---- shardy-ccl-canonicalization ---------------------------------------------------- */

static bool run_canonicalize(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all;
    transform_canonicalize(module, &(rw_options){.no_constant_cse = true},
                           TW_STR("sdy-collective"), TW_STR(""));
    all = ir_ops_in_post(module, NULL);
    for (size_t i = all.n; i > 0; i--)
        if (all.at[i - 1]->n_results && ir_op_is_unused(all.at[i - 1]) &&
            ir_def_has(all.at[i - 1]->def, "CollectiveOpInterface"))
            ir_op_erase(all.at[i - 1]);
    free(all.at);
    return true;
}

const pass_def replicate_non_splittable_values_pass = {
    .name = "replicate-non-splittable-values",
    .title = "ReplicateNonSplittableValuesPass",
    .summary = "Replicates values whose operations cannot be computed shard by shard.",
    .anchor = "builtin.module",
    .run = run_replicate,
};

const pass_def decompose_custom_call_tuples_pass = {
    .name = "decompose-custom-call-tuples",
    .title = "DecomposeCustomCallTuplesPass",
    .summary = "Replaces members of tuples by the values the tuples were built from.",
    .anchor = "builtin.module",
    .run = run_tuples,
};

const pass_def shardy_ccl_canonicalization_pass = {
    .name = "shardy-ccl-canonicalization",
    .title = "ShardyCCLCanonicalizationPass",
    .summary = "Canonicalizes collectives.",
    .anchor = "builtin.module",
    .run = run_canonicalize,
};
