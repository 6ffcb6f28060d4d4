/* to_local.c: sdy-convert-global-to-local: makes a program the computation of one device
 * on its shards, with StableHLO collectives.
 *
 * The shardings of all values are recorded first; then each operation, in order, gets
 * local types, or another form where a shard requires one.  Operations that would need
 * data of other devices are rejected: earlier passes insert the reshards. */
#include "sdy/export/to_local.h"

#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/propagation/groups.h"
#include "sdy/propagation/projection.h"
#include "sdy/propagation/rules.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* ---- helpers ------------------------------------------------------------------------ */

ir_attr to_local_sharding(const to_local *t, const ir_value *v)
{
    return ir_mapping_get(t->shardings, v);
}

ir_type to_local_type(ir_op *op, ir_type type, ir_attr sharding)
{
    int64_t dims[SDY_MAX_DIMS];
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    if (!sharding || !ir_type_is_tensor(type))
        return type;
    if (!mesh || type->count > SDY_MAX_DIMS || sdy_sharding_rank(sharding) != type->count) {
        ir_op_error(op, "failed to resolve mesh");
        return NULL;
    }
    for (uint32_t d = 0; d < type->count; d++) {
        int64_t parts = sdy_dim_size(sdy_dim_at(sharding, d), mesh);
        dims[d] = type->dims[d];
        if (parts > 1 && (dims[d] == IR_DYNAMIC || dims[d] % parts)) {
            ir_op_error(
                op, "dimension %u of '%s' cannot be divided into %lld parts of one size", d,
                ir_type_text(op->ctx, type), (long long)parts);
            return NULL;
        }
        dims[d] = parts > 1 ? dims[d] / parts : dims[d];
    }
    return ir_type_with_shape(type, dims, type->count);
}

bool to_local_replace(to_local *t, ir_op *op, ir_value *value)
{
    if (!value)
        return false;
    ir_attr sharding = to_local_sharding(t, &op->results[0]);
    if (!to_local_sharding(t, value) && sharding)
        ir_mapping_set(t->shardings, value, (void *)(uintptr_t)sharding);
    ir_value_replace_uses(&op->results[0], value);
    ir_op_erase(op);
    return true;
}

/* The index of this device, as tensor<i64>. */
static ir_value *device_number(const to_local *t, ir_builder *b)
{
    ir_type u32 = hlo_scalar_type(ir_integer_type(b->ctx, 32, IR_UNSIGNED));
    ir_type i64 = hlo_scalar_type(ir_integer_type(b->ctx, 64, IR_SIGNLESS));
    ir_value *v =
        ir_build1(b, t->by_replica ? STABLEHLO_OP(replica_id) : STABLEHLO_OP(partition_id),
                  u32, NULL, 0, NULL, 0);
    return ir_build1(b, STABLEHLO_OP(convert), i64, IR_VALUES(v), NULL, 0);
}

static ir_value *take(ir_builder *b, ir_value *v, ir_value *const *starts, ir_type type)
{
    ir_value *operands[SDY_MAX_DIMS + 1] = {v};
    for (uint32_t i = 0; i < type->count; i++)
        operands[i + 1] = starts[i];
    return ir_build1(
        b, STABLEHLO_OP(dynamic_slice), type, operands, type->count + 1u,
        IR_ATTRS({"slice_sizes", ir_dense_i64_array(b->ctx, type->dims, type->count)}));
}

ir_value *to_local_offset(const to_local *t, ir_builder *b, ir_attr mesh, ir_attr axes,
                          int64_t size)
{
    int64_t n = sdy_mesh_size(mesh);
    int64_t *at = tw_xmalloc((size_t)n * sizeof *at);
    if (!sdy_part_indices(mesh, axes->items, axes->count, at)) {
        free(at);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        at[i] *= size;
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_value *device = device_number(t, b);
    ir_value *table = hlo_constant(b, ir_dense_i64(hlo_vector_type(i64, n), at, (size_t)n));
    free(at);
    ir_value *own = take(b, table, &device, hlo_vector_type(i64, 1));
    return hlo_reshape(b, own, NULL, 0);
}

ir_value *to_local_cut(const to_local *t, ir_builder *b, ir_value *tensor, ir_attr mesh,
                       const ir_attr *axes_of_dims, ir_type local)
{
    ir_value *starts[SDY_MAX_DIMS];
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    for (uint32_t d = 0; d < local->count; d++) {
        starts[d] = sdy_length(axes_of_dims[d])
                        ? to_local_offset(t, b, mesh, axes_of_dims[d], local->dims[d])
                        : hlo_int(b, i64, 0);
        if (!starts[d])
            return NULL;
    }
    return take(b, tensor, starts, local);
}

/* ---- operations --------------------------------------------------------------------- */

static bool is_split(const to_local *t, ir_op *op, const ir_value *v, uint32_t d)
{
    ir_attr sharding = to_local_sharding(t, v);
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    return mesh && d < sdy_sharding_rank(sharding) &&
           sdy_dim_size(sdy_dim_at(sharding, d), mesh) > 1;
}

static bool maps_to_needed(ir_attr rule, ir_attr mapping, uint32_t d)
{
    ir_attr dims = mapping->params[0];
    ir_attr factors = d < sdy_length(dims) ? dims->items[d]->params[0] : NULL;
    for (uint32_t i = 0; i < sdy_length(factors); i++) {
        int64_t f = ir_attr_int(factors->items[i], -1);
        if (sdy_rule_lists(rule, SDY_RULE_PERMUTATION, f) ||
            sdy_rule_lists(rule, SDY_RULE_REPLICATION, f))
            return true;
    }
    return false;
}

/* False if a split dimension would need data of other devices. */
static bool is_computable(const to_local *t, ir_op *op)
{
    ir_attr rule = sdy_rule_of(op, false, false);
    if (!rule)
        return true;
    ir_attr in = rule->params[SDY_RULE_OPERANDS], out = rule->params[SDY_RULE_RESULTS];
    for (uint32_t i = 0; i < op->n_operands; i++) {
        bool split[SDY_MAX_DIMS] = {false};
        for (uint32_t d = 0; d < sdy_rank(op->operands[i].value->type) && d < SDY_MAX_DIMS;
             d++)
            split[d] = is_split(t, op, op->operands[i].value, d);
        if (sdy_sums_wrongly(op, i, split))
            return ir_op_error(op,
                               "operand %u is sharded, but the devices' partial results do "
                               "not add up to the result",
                               i);
    }
    for (uint32_t i = 0; i < sdy_length(in) + sdy_length(out); i++) {
        bool operand = i < sdy_length(in);
        uint32_t k = operand ? i : i - sdy_length(in);
        const ir_value *v = operand ? op->operands[k].value : &op->results[k];
        for (uint32_t d = 0; d < sdy_rank(v->type); d++)
            if (is_split(t, op, v, d) &&
                maps_to_needed(rule, (operand ? in : out)->items[k], d))
                return ir_op_error(op,
                                   "dimension %u of %s %u is sharded, but needs device "
                                   "communication",
                                   d, operand ? "operand" : "result", k);
    }
    return true;
}

static bool set_local_types(to_local *t, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type local =
            to_local_type(op, op->results[i].type, to_local_sharding(t, &op->results[i]));
        if (!local)
            return false;
        op->results[i].type = local;
    }
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next)
            for (uint32_t i = 0; i < block->n_args; i++) {
                ir_type local = to_local_type(op, block->args[i]->type,
                                              to_local_sharding(t, block->args[i]));
                if (!local)
                    return false;
                block->args[i]->type = local;
            }
    return true;
}

bool to_local_computable(to_local *t, ir_op *op)
{
    return is_computable(t, op) && set_local_types(t, op);
}

static const struct {
    const ir_op_def *def;
    to_local_fn *convert; /* true: converted, types included */
} special[] = {
    {SDY_OP(all_gather), to_local_all_gather},
    {SDY_OP(all_reduce), to_local_all_reduce},
    {SDY_OP(all_slice), to_local_all_slice},
    {SDY_OP(all_to_all), to_local_all_to_all},
    {SDY_OP(collective_permute), to_local_permute},
    {SDY_OP(constant), to_local_constant},
    {SDY_OP(reduce_scatter), to_local_reduce_scatter},
    {STABLEHLO_OP(concatenate), to_local_concatenate},
    {STABLEHLO_OP(constant), to_local_constant},
    {STABLEHLO_OP(convolution), to_local_convolution},
    {STABLEHLO_OP(dynamic_slice), to_local_dynamic_slice},
    {STABLEHLO_OP(gather), to_local_gather},
    {STABLEHLO_OP(iota), to_local_iota},
    {STABLEHLO_OP(pad), to_local_pad},
    {STABLEHLO_OP(reduce_window), to_local_windows},
    {STABLEHLO_OP(scatter), to_local_scatter},
    {STABLEHLO_OP(select_and_scatter), to_local_windows},
    {STABLEHLO_OP(slice), to_local_slice},
};

static bool convert(to_local *t, ir_op *op)
{
    const char *name = op->def->name;
    ir_loc loc = op->loc;
    to_local_fn *fn = NULL;
    for (size_t i = 0; i < TW_COUNT(special); i++)
        if (op->def == special[i].def)
            fn = special[i].convert;
    return (fn ? fn(t, op) : to_local_computable(t, op)) ||
           ir_error_unlowered(op->ctx, loc, name, NULL);
}

/* ---- the pass ----------------------------------------------------------------------- */

static void note(to_local *t, ir_value *v)
{
    ir_attr sharding = sdy_get(v);
    if (sharding)
        ir_mapping_set(t->shardings, v, (void *)(uintptr_t)sharding);
}

static ir_walk note_values(ir_op *op, void *user)
{
    to_local *t = user;
    ir_attr channel = ir_op_attr(op, "channel_handle");
    if (ir_attr_is(channel, IR_ATTR_DIALECT) &&
        ir_attr_int(channel->params[0], 0) >= t->channel)
        t->channel = ir_attr_int(channel->params[0], 0) + 1;
    for (uint32_t i = 0; i < op->n_results; i++)
        note(t, &op->results[i]);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                note(t, b->args[i]);
    return IR_WALK_ON;
}

/* A declaration has only types to convert. */
static bool convert_declaration(ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    uint32_t n = type->count + type->results;
    ir_type *types = tw_xmalloc((n + 1u) * sizeof *types);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
        ir_attr sharding = i < type->count ? func_arg_attr(func, i, "sdy.sharding")
                                           : sdy_result_sharding(func, i - type->count);
        types[i] = to_local_type(func, type->types[i], sharding);
        ok = types[i] != NULL;
    }
    if (ok)
        ir_op_set_attr(func, "function_type",
                       ir_type_attr(ir_function_type(func->ctx, types, type->count,
                                                     types + type->count, type->results)));
    free(types);
    return ok;
}

/* Inlines a manual computation, whose operands and results have the body's types. */
static void unwrap(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body->last;
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(body->args[i], op->operands[i].value);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], end->operands[i].value);
    if (body->first != end)
        ir_block_splice(op->block, op, body, body->first, end->prev);
    ir_op_erase(op);
}

static bool is_manual(const ir_op *op)
{
    return op->def == SDY_OP(manual_computation);
}

static bool convert_module(to_local *t, ir_op *module)
{
    ir_op_list all = ir_ops_in(module, NULL), manual;
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++) {
        ir_op *op = all.at[i];
        if (op == module || op->def == SDY_OP(mesh))
            continue;
        ok = op->def == FUNC_OP(func) && !ir_op_body(op, 0) ? convert_declaration(op)
                                                            : convert(t, op);
    }
    ir_op_list_free(&all);
    manual = ir_ops_in_post(module, is_manual);
    for (size_t i = 0; i < manual.n && ok; i++)
        unwrap(manual.at[i]);
    ir_op_list_free(&manual);
    for (ir_op *f = ir_op_body(module, 0)->first; f && ok; f = f->next)
        if (f->def == FUNC_OP(func))
            func_refresh_type(f);
    return ok;
}

static bool run_to_local(ir_op *module, pass_run *run)
{
    int64_t replicas = pass_option_int(run, "replica-count");
    if (replicas > 1 && pass_option_int(run, "partition-count") > 1)
        return ir_error(module->ctx, module->loc,
                        "Shardy partitioner convert_global_to_local does not support both "
                        "replica_count > 1 and partition_count > 1 yet.");
    to_local t = {
        .shardings = ir_mapping_create(),
        .channel = 1,
        .by_replica = replicas > 1,
        .per_dim = pass_option_bool(run, "per-dim-all-gather"),
        .combine = pass_option_bool(run, "combine-multi-dimension-reduce-scatter"),
        .by_axes = pass_option_bool(run, "enable-rgv3"),
    };
    ir_walk_pre(module, note_values, &t);
    bool ok = convert_module(&t, module);
    ir_mapping_free(t.shardings);
    return ok;
}

const pass_def sdy_convert_global_to_local_pass = {
    .name = "sdy-convert-global-to-local",
    .title = "ConvertGlobalToLocalPass",
    .summary =
        "Converts a program on global tensors to one device's program on local shards.",
    .anchor = "builtin.module",
    .run = run_to_local,
    .options = IR_LIST(
        pass_option_def,
        {"per-dim-all-gather", PASS_BOOL, "false", "Gather several dimensions in sequence"},
        {"combine-multi-dimension-reduce-scatter", PASS_BOOL, "false",
         "Scatter several dimensions at once"},
        {"enable-rgv3", PASS_BOOL, "false", "Write replica groups as axes of a mesh"},
        {"replica-count", PASS_INT, "1", "Number of replicas"},
        {"partition-count", PASS_INT, "1", "Number of partitions"}),
};
