/* placement.c: single-device values, and dot products whose collectives are fused into
 * them later. */
#include "ir/pass/pass.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static bool is_of_sdy(const ir_op *op)
{
    return strncmp(op->def->name, "sdy.", 4) == 0;
}

static bool is_tensor(ir_type t)
{
    return t->kind == IR_TYPE_TENSOR;
}

/* The device of a single-device sharding, otherwise NULL. */
static ir_attr only_device(ir_op *op, ir_attr sharding)
{
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    return mesh && sdy_mesh_is_maximal(mesh) ? mesh->params[1]->items[0] : NULL;
}

static ir_attr global_mesh(ir_op *module)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == SDY_OP(mesh) && sdy_length(ir_op_attr(op, "mesh")->params[0]))
            return ir_symbol_ref(op->ctx, ir_symbol_name(op));
    return NULL;
}

/* The single-device sharding in `out`, NULL if there is none; false after an error. */
static bool device_of(ir_op *op, ir_attr *out, bool *sharded)
{
    *sharded = false;
    *out = NULL;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_attr sharding = is_tensor(op->results[i].type) ? sdy_get(&op->results[i]) : NULL;
        ir_attr device = only_device(op, sharding);
        if (device && *out && only_device(op, *out) != device)
            return ir_op_error(op, "has conflicting single-device result shardings");
        if (device)
            *out = sharding;
        else if (sharding)
            *sharded |= !sdy_is_empty(sharding);
    }
    return true;
}

/* ---- operations on one device in sdy-insert-explicit-reshards ------------------------ */

static ir_value *reshard(ir_builder *b, ir_value *v, ir_attr sharding)
{
    return ir_build1(b, SDY_OP(reshard), v->type, IR_VALUES(v),
                     IR_ATTRS({"sharding", sharding}));
}

/* Sends an operand by way of a replicated copy. */
static void send_operand(ir_builder *b, ir_op *op, uint32_t i, ir_attr there, ir_attr name)
{
    ir_value *v = op->operands[i].value;
    ir_attr whole =
        is_tensor(v->type) ? sdy_replicated(op->ctx, name, sdy_rank(v->type), true) : NULL;
    ir_attr own = whole ? sdy_get(v) : NULL;
    if (!whole || (own && only_device(op, own) == only_device(op, there)))
        return;
    b->loc = ir_value_loc(v);
    if (own && !(sdy_is_empty(own) && own->params[SDY_MESH] == name))
        v = reshard(b, v, whole);
    ir_op_set_operand(op, i, reshard(b, v, there));
}

static void fetch_result(ir_builder *b, ir_value *v, ir_attr target, ir_attr name)
{
    ir_attr whole = sdy_replicated(b->ctx, name, sdy_rank(v->type), true);
    ir_value *here = reshard(b, v, whole), *last = here;
    if (target && target != whole)
        last = reshard(b, here, target);
    ir_value_replace_uses(v, last);
    ir_op_set_operand(ir_value_def(here), 0, v);
}

bool sdy_place_on_device(ir_op *op, bool *placed)
{
    ir_attr there = NULL, name = NULL;
    bool sharded;
    *placed = false;
    if (is_of_sdy(op))
        return true;
    if (!device_of(op, &there, &sharded))
        return false;
    ir_op *module = op;
    while (ir_op_parent(module))
        module = ir_op_parent(module);
    *placed = there != NULL;
    name = there ? global_mesh(module) : NULL;
    if (!name)
        return true;
    there = sdy_replicated(op->ctx, there->params[SDY_MESH], 0, true);
    ir_builder before = ir_builder_before(op), after = ir_builder_after(op);
    after.loc = op->loc;
    for (uint32_t i = 0; i < op->n_operands; i++)
        send_operand(&before, op, i, there, name);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = &op->results[i];
        ir_attr own = is_tensor(v->type) ? sdy_get(v) : NULL;
        if (is_tensor(v->type))
            fetch_result(&after, v, only_device(op, own) ? NULL : own, name);
        sdy_set(v, is_tensor(v->type) ? there : sdy_replicated(op->ctx, name, 0, true));
    }
    return true;
}

/* ---- sdy-resolve-single-device-sharding --------------------------------------------- */

static ir_value *is_device(ir_builder *b, ir_attr device, bool replicas)
{
    ir_context *ctx = b->ctx;
    ir_type id = ir_tensor_type(ir_integer_type(ctx, 32, IR_UNSIGNED), NULL, 0, NULL);
    ir_type wide = ir_tensor_type(ir_integer_type(ctx, 64, IR_SIGNLESS), NULL, 0, NULL);
    ir_type boolean = ir_tensor_type(ir_integer_type(ctx, 1, IR_SIGNLESS), NULL, 0, NULL);
    ir_value *here =
        ir_build1(b, replicas ? STABLEHLO_OP(replica_id) : STABLEHLO_OP(partition_id), id,
                  NULL, 0, NULL, 0);
    here = ir_build1(b, STABLEHLO_OP(convert), wide, IR_VALUES(here), NULL, 0);
    ir_attr device_id = ir_dense_splat_int(wide, ir_attr_int(device, 0));
    ir_value *there =
        ir_build1(b, STABLEHLO_OP(constant), wide, NULL, 0, IR_ATTRS({"value", device_id}));
    ir_attr equal = ir_enum_attr(ctx, STABLEHLO_ATTR(comparison_direction), 0);
    return ir_build1(b, STABLEHLO_OP(compare), boolean, IR_VALUES(here, there),
                     IR_ATTRS({"comparison_direction", equal}));
}

static ir_value *nothing_of(ir_builder *b, ir_type type)
{
    static const unsigned char zeros[16] = {0};
    if (!is_tensor(type))
        return ir_build1(b, STABLEHLO_OP(create_token), type, NULL, 0, NULL, 0);
    size_t size = ir_dense_element_size(ir_type_element(type));
    return ir_build1(b, STABLEHLO_OP(constant), type, NULL, 0,
                     IR_ATTRS({"value", ir_dense_attr(type, zeros, size)}));
}

static void finish(ir_block *block, ir_context *ctx, ir_loc loc, ir_value **values,
                   size_t n)
{
    ir_builder b = ir_builder_at_end(ctx, block, loc);
    ir_build(&b, &(ir_op_state){.def = STABLEHLO_OP(return ),
                                .loc = loc,
                                .operands = values,
                                .n_operands = n});
}

/* Makes operands the values before they were sent to the device. */
static void use_replicated_operands(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (!ir_op_is(def, SDY_OP(reshard)) ||
            !only_device(op, ir_op_attr(def, "sharding")))
            continue;
        ir_op_set_operand(op, i, def->operands[0].value);
        if (ir_op_is_unused(def))
            ir_op_erase(def);
    }
}

static ir_attr axis_list(ir_context *ctx, const sdy_axes *axes)
{
    ir_attr list = sdy_axes_array(ctx, axes);
    return ir_dialect_attr(ctx, SDY_ATTR(axis_ref_list), &list, 1);
}

/* Replicates a single device's value as its sum with zeros from all others. */
static void replicate(ir_op *choice, ir_value *of, ir_value *part, ir_attr mesh_name,
                      ir_builder *b)
{
    ir_context *ctx = b->ctx;
    if (!is_tensor(of->type)) {
        ir_value_replace_uses(of, part);
        return;
    }
    ir_attr all = sdy_replicated(ctx, mesh_name, sdy_rank(of->type), true);
    ir_attr mesh = sdy_mesh_of(choice, all);
    sdy_axes axes = {.n = 0};
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++) {
        ir_attr params[] = {mesh->params[0]->items[i]->params[0], NULL};
        sdy_axes_add(&axes, ir_dialect_attr(ctx, SDY_ATTR(axis_ref), params, 2));
    }
    ir_value *sum = ir_build1(
        b, SDY_OP(all_reduce), of->type, IR_VALUES(part),
        IR_ATTRS({"reduction_axes", axis_list(ctx, &axes)}, {"out_sharding", all}));
    for (ir_operand *use = of->uses, *next; use; use = next) {
        ir_op *user = use->owner;
        next = use->next_use;
        if (user->def == SDY_OP(reshard) && ir_op_attr(user, "sharding") == all) {
            ir_value_replace_uses(&user->results[0], sum);
            ir_op_erase(user);
        }
    }
    ir_value_replace_uses(of, sum);
}

static void resolve(ir_op *op, ir_attr device, ir_attr mesh_name, bool replicas)
{
    ir_context *ctx = op->ctx;
    uint32_t n = op->n_results;
    ir_builder b = ir_builder_before(op);
    ir_type *types = tw_xmalloc((n + 1u) * sizeof *types);
    ir_value **values = tw_xmalloc((n + 1u) * sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        types[i] = op->results[i].type;
    ir_value *here = is_device(&b, device, replicas);
    ir_op *choice = ir_build(
        &b, &(ir_op_state) {
            .def = STABLEHLO_OP(if), .loc = op->loc, .operands = &here, .n_operands = 1,
            .results = types, .n_results = n, .n_regions = 2
        });
    ir_block *yes = ir_block_create(ctx), *no = ir_block_create(ctx);
    ir_region_append(&choice->regions[0], yes);
    ir_region_append(&choice->regions[1], no);
    for (uint32_t i = 0; i < n; i++)
        replicate(choice, &op->results[i], &choice->results[i], mesh_name, &b);
    ir_op_remove(op);
    ir_block_append(yes, op);
    ir_op_set_attr(op, "sdy.sharding", NULL);
    use_replicated_operands(op);
    for (uint32_t i = 0; i < n; i++)
        values[i] = &op->results[i];
    finish(yes, ctx, op->loc, values, n);
    ir_builder none = ir_builder_at_end(ctx, no, op->loc);
    for (uint32_t i = 0; i < n; i++)
        values[i] = nothing_of(&none, types[i]);
    finish(no, ctx, op->loc, values, n);
    free(types);
    free(values);
}

static bool is_of_others(const ir_op *op)
{
    return !is_of_sdy(op);
}

static bool run_resolve(ir_op *func, pass_run *run)
{
    ir_attr mesh = global_mesh(ir_op_parent(func));
    bool replicas = pass_option_int(run, "replica-count") > 1, ok = true;
    if (!mesh)
        return true;
    if (replicas && pass_option_int(run, "partition-count") > 1)
        return ir_op_error(func, "is for several replicas and several partitions");
    ir_op_list all = ir_ops_in_post(func, is_of_others);
    for (size_t i = 0; i < all.n && ok; i++) {
        ir_op *op = all.at[i];
        ir_attr device = NULL;
        bool sharded;
        ok = device_of(op, &device, &sharded) &&
             (!device || !sharded ||
              ir_op_error(op, "has results on one device and sharded ones"));
        if (ok && device)
            resolve(op, only_device(op, device), mesh, replicas);
    }
    free(all.at);
    return ok;
}

/* ---- sdy-remove-all-gather-reduce-scatter-for-cmv1 ---------------------------------- */

static bool is_product(const ir_op *op)
{
    return op->def == STABLEHLO_OP(dot) || op->def == STABLEHLO_OP(dot_general);
}

static void without(ir_op *op)
{
    ir_value_replace_uses(&op->results[0], op->operands[0].value);
    ir_op_erase(op);
}

static bool takes_gathered(ir_op *op)
{
    bool any = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (ir_op_is(def, SDY_OP(all_gather)) && ir_value_has_one_use(&def->results[0])) {
            without(def);
            any = true;
        }
    }
    return any;
}

static void scatter_at_once(ir_op *op)
{
    ir_value *value = &op->results[0];
    ir_op *user = ir_value_has_one_use(value) ? value->uses->owner : NULL;
    ir_attr own = sdy_get(value);
    if (!ir_op_is(user, SDY_OP(reduce_scatter)) || !own ||
        sdy_length(own->params[SDY_UNREDUCED]))
        return;
    sdy_set(value, ir_op_attr(user, "out_sharding"));
    without(user);
}

static bool run_remove(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list products = ir_ops_in_post(func, is_product);
    for (size_t i = 0; i < products.n; i++)
        if (!takes_gathered(products.at[i]))
            scatter_at_once(products.at[i]);
    free(products.at);
    return true;
}

const pass_def sdy_resolve_single_device_sharding_pass = {
    .name = "sdy-resolve-single-device-sharding",
    .title = "ResolveSingleDeviceShardingPass",
    .summary = "Computes single-device values on that device only, and broadcasts them.",
    .anchor = "func.func",
    .run = run_resolve,
    .options = IR_LIST(pass_option_def,
                       {"replica-count", PASS_INT, "1", "Replicas of each partition"},
                       {"partition-count", PASS_INT, "1", "Partitions of each replica"}),
};

const pass_def sdy_remove_all_gather_reduce_scatter_for_cmv1_pass = {
    .name = "sdy-remove-all-gather-reduce-scatter-for-cmv1",
    .title = "RemoveAllGatherReduceScatterForCMV1Pass",
    .summary =
        "Removes collectives adjacent to dot products, to be fused into these later.",
    .anchor = "func.func",
    .run = run_remove,
};
