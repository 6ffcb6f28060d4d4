/* export_shardings.c: converts shardings to the form required by partitioning. */
#include "sdy/single_device.h"

#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/propagation/rules.h"
#include "sdy/propagation/shardings.h"
#include "support/arena.h"
#include "support/number.h"

#include <stdlib.h>

/* ---- closing and dropping ----------------------------------------------------------- */

static ir_attr close_one(void *user, const sdy_site *site, ir_attr sharding)
{
    (void)user;
    (void)site;
    return sdy_closed(sharding);
}

static bool run_close(ir_op *module, pass_run *run)
{
    (void)run;
    sdy_transform(module, close_one, NULL);
    return true;
}

/* Removes attributes from operations, and from arguments and results of functions. */
static void drop_from_lists(ir_op *func, const char *list_name, const char *const *names,
                            size_t n)
{
    ir_attr list = ir_op_attr(func, list_name);
    bool any = false;
    if (!ir_attr_is(list, IR_ATTR_ARRAY))
        return;
    ir_attr *items = tw_xmalloc((list->count + 1u) * sizeof *items);
    for (uint32_t i = 0; i < list->count; i++) {
        items[i] = list->items[i];
        for (size_t k = 0; k < n; k++)
            if (ir_dict_get(items[i], tw_str_from(names[k])))
                items[i] = ir_dict_set(func->ctx, items[i],
                                       ir_ident_from(func->ctx, names[k]), NULL);
        if (!items[i])
            items[i] = ir_dict_attr(func->ctx, NULL, 0);
        any |= items[i]->count > 0;
    }
    ir_op_set_attr(func, list_name,
                   any ? ir_array_attr(func->ctx, items, list->count) : NULL);
    free(items);
}

static void drop_attributes(ir_op *module, const char *const *names, size_t n)
{
    ir_op_list all = ir_ops_in(module, NULL);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        for (size_t k = 0; k < n; k++)
            if (ir_op_attr(op, names[k]))
                ir_op_set_attr(op, names[k], NULL);
        if (op->def == FUNC_OP(func)) {
            drop_from_lists(op, "arg_attrs", names, n);
            drop_from_lists(op, "res_attrs", names, n);
        }
    }
    free(all.at);
}

static bool run_drop_all(ir_op *module, pass_run *run)
{
    static const char *const names[] = {"sdy.sharding"};
    (void)run;
    drop_attributes(module, names, TW_COUNT(names));
    for (ir_op *op = ir_op_body(module, 0)->first, *next; op; op = next) {
        next = op->next;
        if (op->def == SDY_OP(mesh))
            ir_op_erase(op);
    }
    return true;
}

/* True for operations that only assign a value to devices; all devices together hold the
 * same value before and after. */
static bool only_places(const ir_op *op)
{
    static const uint16_t rows[] = {
        SDY_all_gather,     SDY_all_slice,           SDY_all_to_all,
        SDY_data_flow_edge, SDY_collective_permute,  SDY_func_data_flow_edge,
        SDY_reshard,        SDY_propagation_barrier, SDY_sharding_constraint};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &sdy_ops[rows[i]])
            return op->n_operands == 1 && op->n_results == 1 &&
                   op->operands[0].value->type == op->results[0].type;
    return false;
}

static bool is_for_one_device(ir_op *op, ir_attr shardings)
{
    for (uint32_t i = 0; i < sdy_length(shardings->params[0]); i++) {
        ir_attr mesh = sdy_mesh_of(op, shardings->params[0]->items[i]);
        ir_attr axes = mesh ? mesh->params[0] : NULL;
        if (!mesh || sdy_length(mesh->params[1]))
            return false;
        for (uint32_t a = 0; a < sdy_length(axes); a++)
            if (ir_attr_int(axes->items[a]->params[1], 0) != 1)
                return false;
    }
    return true;
}

/* True for a body that only forwards its operands. */
static bool is_plain_body(ir_op *op)
{
    if (op->def != SDY_OP(named_computation) &&
        (op->def != SDY_OP(manual_computation) ||
         !is_for_one_device(op, ir_op_attr(op, "in_shardings")) ||
         !is_for_one_device(op, ir_op_attr(op, "out_shardings"))))
        return false;
    ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type != op->operands[i].value->type)
            return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (body->last->operands[i].value->type != op->results[i].type)
            return false;
    return true;
}

static void inline_body(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body->last;
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(body->args[i], op->operands[i].value);
    if (body->first != end)
        ir_block_splice(op->block, op, body, body->first, end->prev);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], end->operands[i].value);
    ir_op_erase(op);
}

void transform_drop_shardings(ir_op *module)
{
    static const char *const names[] = {"sdy.sharding"};
    ir_op_list all = ir_ops_in(module, NULL);
    drop_attributes(module, names, TW_COUNT(names));
    for (size_t i = all.n; i-- > 0;) { /* nested ops first */
        ir_op *op = all.at[i];
        if (op->def == SDY_OP(sharding_group)) {
            ir_op_erase(op);
        } else if (only_places(op)) {
            ir_value_replace_uses(&op->results[0], op->operands[0].value);
            ir_op_erase(op);
        } else if (is_plain_body(op)) {
            inline_body(op);
        }
    }
    free(all.at);
}

static bool run_drop_debug(ir_op *module, pass_run *run)
{
    static const char *const names[] = {
        "sdy.propagation_edges",          "sdy.block_arg_propagation_edges",
        "sdy.result_propagation_edges",   "sdy.sharding_origins",
        "sdy.block_arg_sharding_origins", "sdy.result_sharding_origins"};
    (void)run;
    drop_attributes(module, names, TW_COUNT(names));
    return true;
}

static bool run_drop_rules(ir_op *func, pass_run *run)
{
    (void)run;
    sdy_drop_rules(func);
    return true;
}

static bool run_drop_groups(ir_op *module, pass_run *run)
{
    ir_op_list all;
    (void)run;
    all = ir_ops_in(module, NULL);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i]->def == SDY_OP(sharding_group))
            ir_op_erase(all.at[i]);
    free(all.at);
    return true;
}

static bool run_to_reshard(ir_op *func, pass_run *run)
{
    ir_op_list all;
    (void)run;
    all = ir_ops_in(func, NULL);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        if (op->def != SDY_OP(sharding_constraint))
            continue;
        ir_builder b = ir_builder_before(op);
        ir_value *made = ir_build1(&b, SDY_OP(reshard), op->results[0].type,
                                   IR_VALUES(op->operands[0].value),
                                   IR_ATTRS({"sharding", ir_op_attr(op, "sharding")}));
        ir_value_def(made)->attrs = op->attrs;
        ir_value_replace_uses(&op->results[0], made);
        ir_op_erase(op);
    }
    free(all.at);
    return true;
}

/* ---- function boundaries ------------------------------------------------------------ */

typedef ir_attr dims_fn(ir_attr dim, ir_attr mesh, int64_t size);

static ir_attr change_dims(ir_op *op, ir_attr sharding, ir_type type, dims_fn *change)
{
    ir_attr mesh = sdy_mesh_of(op, sharding);
    uint32_t rank = sdy_sharding_rank(sharding);
    type = sdy_shaped(type);
    if (!mesh || !sdy_is_static(type) || type->count != rank)
        return sharding;
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = change(sdy_dim_at(sharding, i), mesh, type->dims[i]);
    ir_attr made = sdy_with(sharding, SDY_DIMS, ir_array_attr(mesh->ctx, dims, rank));
    free(dims);
    return made;
}

static void change_list(ir_op *op, const char *name, const ir_type *types, size_t n,
                        dims_fn *change)
{
    for (size_t i = 0; i < n; i++) {
        sdy_site site = {op, name, (uint32_t)i};
        ir_attr sharding = sdy_site_get(&site);
        ir_attr made = sharding ? change_dims(op, sharding, types[i], change) : NULL;
        if (made && made != sharding)
            sdy_site_set(&site, made);
    }
}

static void change_function(ir_op *func, dims_fn *change)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    change_list(func, "arg_attrs", type->types, type->count, change);
    change_list(func, "res_attrs", ir_function_results(type), type->results, change);
}

/* The longest prefix of axes that divides the dimension. */
static ir_attr make_even(ir_attr dim, ir_attr mesh, int64_t size)
{
    ir_attr axes = dim->params[SDY_DIM_AXES];
    sdy_axes kept = {.n = 0};
    int64_t whole = sdy_dim_size(dim, mesh);
    if (whole && size % whole == 0)
        return dim;
    for (uint32_t i = 0; i < sdy_length(axes); i++) {
        ir_attr axis = axes->items[i];
        int64_t n = sdy_axis_size(mesh, axis), common = tw_gcd(n, size);
        if (common == 1)
            break;
        if (n == common) {
            sdy_axes_add(&kept, axis);
            size /= common;
            continue;
        }
        ir_attr sizes[] = {ir_raw_int(mesh->ctx, sdy_pre_size(axis)),
                           ir_raw_int(mesh->ctx, common)};
        ir_attr params[] = {axis->params[0],
                            ir_dialect_attr(mesh->ctx, SDY_ATTR(sub_axis_info), sizes, 2)};
        sdy_axes_add(&kept, ir_dialect_attr(mesh->ctx, SDY_ATTR(axis_ref), params, 2));
        break;
    }
    return sdy_dim(mesh->ctx, sdy_axes_array(mesh->ctx, &kept), sdy_is_closed(dim), NULL);
}

static ir_walk make_op_even(ir_op *op, void *user)
{
    (void)user;
    ir_block *body = ir_op_body(op, 0);
    bool inner = op->def == SDY_OP(manual_computation) || op->def == MPMD_OP(fragment);
    if (op->def != FUNC_OP(call) && op->def != MPMD_OP(transfer) && !inner)
        return IR_WALK_ON;
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    change_list(op, inner ? "out_shardings" : "sdy.sharding", types, op->n_results,
                make_even);
    free(types);
    if (!inner || !body)
        return IR_WALK_ON;
    for (uint32_t i = 0; i < body->n_args; i++) { /* arguments have local sizes */
        sdy_site site = {op, "in_shardings", i};
        ir_attr axes = ir_op_attr(op, "manual_axes"), outer = sdy_site_get(&site);
        ir_attr free_axes = outer ? sdy_without_manual(outer, axes) : NULL;
        ir_attr made =
            outer ? change_dims(op, free_axes, body->args[i]->type, make_even) : NULL;
        if (made && made != free_axes)
            sdy_site_set(&site, sdy_with_free_axes(outer, made, axes));
    }
    return IR_WALK_ON;
}

static bool run_even(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func))
            change_function(op, make_even);
    ir_walk_pre(module, make_op_even, NULL);
    return true;
}

/* Truncates open dimensions at the first sub-axis and closes all. */
static ir_attr without_parts(ir_attr dim, ir_attr mesh, int64_t size)
{
    ir_attr axes = dim->params[SDY_DIM_AXES];
    sdy_axes kept = {.n = 0};
    (void)size;
    for (uint32_t i = 0; i < sdy_length(axes); i++) {
        if (!sdy_is_closed(dim) && sdy_sub_axis(axes->items[i]))
            break;
        sdy_axes_add(&kept, axes->items[i]);
    }
    return sdy_dim(mesh->ctx, sdy_axes_array(mesh->ctx, &kept), sdy_is_closed(dim),
                   dim->params[SDY_DIM_PRIORITY]);
}

static bool run_without_parts(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op *main = sdy_main(module);
    if (main)
        change_function(main, without_parts);
    return main != NULL;
}

/* ---- the rows ----------------------------------------------------------------------- */

const pass_def sdy_close_shardings_pass = {
    .name = "sdy-close-shardings",
    .title = "CloseShardingsPass",
    .summary = "Closes all dimensions and drops replicated axes.",
    .anchor = "builtin.module",
    .run = run_close,
};

const pass_def sdy_drop_sharding_and_mesh_pass = {
    .name = "sdy-drop-sharding-and-mesh",
    .title = "DropShardingAndMeshPass",
    .summary = "Drops all shardings and meshes.",
    .anchor = "builtin.module",
    .run = run_drop_all,
};

const pass_def sdy_remove_propagation_debug_info_pass = {
    .name = "sdy-remove-propagation-debug-info",
    .title = "RemovePropagationDebugInfoPass",
    .summary = "Drops debug attributes about the origins of shardings.",
    .anchor = "builtin.module",
    .run = run_drop_debug,
};

const pass_def sdy_drop_sharding_rules_pass = {
    .name = "sdy-drop-sharding-rules",
    .title = "DropShardingRulesPass",
    .summary = "Drops sharding rules that are not user-specified.",
    .anchor = "func.func",
    .run = run_drop_rules,
};

const pass_def sdy_remove_sharding_groups_pass = {
    .name = "sdy-remove-sharding-groups",
    .title = "RemoveShardingGroupsPass",
    .summary = "Drops sharding groups.",
    .anchor = "builtin.module",
    .run = run_drop_groups,
};

const pass_def sdy_sharding_constraint_to_reshard_pass = {
    .name = "sdy-sharding-constraint-to-reshard",
    .title = "ShardingConstraintToReshardPass",
    .summary = "Converts sharding constraints to reshards.",
    .anchor = "func.func",
    .run = run_to_reshard,
};

const pass_def sdy_update_non_divisible_input_output_shardings_pass = {
    .name = "sdy-update-non-divisible-input-output-shardings",
    .title = "UpdateNonDivisibleInputOutputShardingsPass",
    .summary = "Drops axes that do not divide the dimensions of inputs and outputs.",
    .anchor = "builtin.module",
    .run = run_even,
};

const pass_def sdy_remove_sub_axes_in_input_output_shardings_pass = {
    .name = "sdy-remove-sub-axes-in-input-output-shardings",
    .title = "RemoveSubAxesInInputOutputShardingsPass",
    .summary = "Drops sub-axes from the shardings of inputs and outputs.",
    .anchor = "builtin.module",
    .run = run_without_parts,
};
