/* import_meshes.c: gives each used mesh one name and removes axes of size 1 from
 * shardings. */
#include "ir/pass/pass.h"
#include "sdy/import/functions.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- sdy-lift-inlined-meshes -------------------------------------------------------- */

/* A mesh, or the name of an erased one, and the name that replaces it. */
typedef struct lifted {
    ir_attr from, name;
} lifted;

typedef struct lifting {
    ir_op *module;
    lifted *at;
    size_t n, capacity;
    ir_op *last; /* last mesh inserted */
    unsigned counter;
} lifting;

static ir_attr find(const lifting *l, ir_attr from)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].from == from)
            return l->at[i].name;
    return NULL;
}

static void remember(lifting *l, ir_attr from, ir_attr name)
{
    lifted made = {from, name};
    TW_PUSH(l->at, l->n, l->capacity, made);
}

static ir_attr ref_to(const ir_op *mesh)
{
    return ir_symbol_ref(mesh->ctx, ir_symbol_name(mesh));
}

/* Keeps the first of equal meshes. */
static void merge_equal(lifting *l)
{
    for (ir_op *op = ir_op_body(l->module, 0)->first, *next; op; op = next) {
        next = op->next;
        if (op->def != SDY_OP(mesh))
            continue;
        ir_attr known = find(l, ir_op_attr(op, "mesh"));
        if (known) {
            remember(l, ref_to(op), known);
            ir_op_erase(op);
        } else {
            remember(l, ir_op_attr(op, "mesh"), ref_to(op));
            l->last = op;
        }
    }
}

static ir_attr name_mesh(lifting *l, ir_attr mesh)
{
    char name[64] = "mesh";
    ir_context *ctx = l->module->ctx;
    if (sdy_mesh_is_maximal(mesh))
        snprintf(name, sizeof name, "maximal_mesh_%lld",
                 (long long)mesh->params[1]->items[0]->value);
    else if (sdy_mesh_is_empty(mesh))
        snprintf(name, sizeof name, "empty_mesh");
    ir_block *body = ir_op_body(l->module, 0);
    ir_builder b = l->last ? ir_builder_after(l->last)
                           : ir_builder_at_start(ctx, body, l->module->loc);
    b.loc = l->module->loc;
    l->last = ir_build_op(
        &b, SDY_OP(mesh), NULL, 0, NULL, 0,
        IR_ATTRS({"sym_name", ir_string_attr(ctx, tw_str_from(name))}, {"mesh", mesh}), 0);
    sdy_make_unique(l->module, l->last, &l->counter);
    return ref_to(l->last);
}

static ir_attr lift(lifting *l, ir_attr mesh_or_ref)
{
    ir_attr name = find(l, mesh_or_ref);
    if (name || !ir_attr_is(mesh_or_ref, IR_ATTR_DIALECT))
        return name;
    ir_attr mesh = mesh_or_ref;
    if (mesh->def == STABLEHLO_ATTR(mesh)) {
        ir_context *ctx = mesh->ctx;
        ir_attr axes = ir_attr_param(mesh, "axes"), items[64];
        uint32_t n = TW_MIN(sdy_length(axes), (uint32_t)TW_COUNT(items));
        for (uint32_t i = 0; i < n; i++)
            items[i] = ir_dialect_attr(ctx, SDY_ATTR(mesh_axis), axes->items[i]->params, 2);
        ir_attr params[] = {ir_array_attr(ctx, items, n), ir_array_attr(ctx, NULL, 0)};
        mesh = ir_dialect_attr(ctx, SDY_ATTR(mesh), params, 2);
    } else if (mesh->def != SDY_ATTR(mesh)) {
        return NULL;
    }
    name = name_mesh(l, mesh);
    remember(l, mesh_or_ref, name);
    return name;
}

static ir_attr lift_sharding(void *user, const sdy_site *site, ir_attr sharding)
{
    (void)site;
    ir_attr name = lift(user, sharding->params[SDY_MESH]);
    return name ? sdy_with(sharding, SDY_MESH, name) : sharding;
}

static ir_walk lift_groups(ir_op *op, void *user)
{
    ir_attr groups = strncmp(op->def->name, "stablehlo.", 10) == 0
                         ? ir_op_attr(op, "replica_groups")
                         : NULL;
    if (!ir_attr_is(groups, IR_ATTR_DIALECT) ||
        groups->def != STABLEHLO_ATTR(replica_group_mesh_axes))
        return IR_WALK_ON;
    ir_attr params[] = {lift(user, groups->params[0]), groups->params[1]};
    if (params[0])
        ir_op_set_attr(op, "replica_groups",
                       ir_dialect_attr(op->ctx, groups->def, params, 2));
    return IR_WALK_ON;
}

/* {axes = [{name = "x", size = 2}], device_ids = dense<...>} */
static ir_attr as_dictionary(ir_context *ctx, ir_attr mesh)
{
    ir_attr axes = mesh->params[0], ids = mesh->params[1];
    ir_attr *items = tw_xmalloc((sdy_length(axes) + 1u) * sizeof *items);
    for (uint32_t i = 0; i < sdy_length(axes); i++) {
        ir_named_attr entries[] = {{ir_ident_from(ctx, "name"), axes->items[i]->params[0]},
                                   {ir_ident_from(ctx, "size"),
                                    ir_i64_attr(ctx, axes->items[i]->params[1]->value)}};
        items[i] = ir_dict_attr(ctx, entries, TW_COUNT(entries));
    }
    ir_named_attr fields[2] = {
        {ir_ident_from(ctx, "axes"), ir_array_attr(ctx, items, sdy_length(axes))}};
    free(items);
    if (!sdy_length(ids))
        return ir_dict_attr(ctx, fields, 1);
    int64_t *values = tw_xmalloc(ids->count * sizeof *values), n = ids->count;
    for (uint32_t i = 0; i < ids->count; i++)
        values[i] = ids->items[i]->value;
    ir_type type = ir_tensor_type(ir_integer_type(ctx, 64, IR_SIGNLESS), &n, 1, NULL);
    fields[1] = (ir_named_attr){ir_ident_from(ctx, "device_ids"),
                                ir_dense_i64(type, values, ids->count)};
    free(values);
    return ir_dict_attr(ctx, fields, 2);
}

static bool run_lift(ir_op *module, pass_run *run)
{
    (void)run;
    lifting l = {.module = module};
    merge_equal(&l);
    sdy_transform(module, lift_sharding, &l);
    ir_walk_pre(module, lift_groups, &l);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == SDY_OP(mesh) && !ir_op_attr(op, "stablehlo.mesh"))
            ir_op_set_attr(op, "stablehlo.mesh",
                           as_dictionary(module->ctx, ir_op_attr(op, "mesh")));
    free(l.at);
    return true;
}

/* ---- sdy-remove-size-one-axes ------------------------------------------------------- */

static ir_attr without_ones(ir_attr list, ir_attr mesh)
{
    sdy_axes kept = {.n = 0};
    for (uint32_t i = 0; i < sdy_length(list); i++)
        if (sdy_axis_size(mesh, list->items[i]) != 1)
            sdy_axes_add(&kept, list->items[i]);
    return sdy_axes_array(mesh->ctx, &kept);
}

static ir_attr remove_ones(void *user, const sdy_site *site, ir_attr sharding)
{
    (void)user;
    ir_attr mesh = sdy_mesh_of(site->op, sharding);
    uint32_t rank = sdy_sharding_rank(sharding);
    if (!mesh)
        return sharding;
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        ir_attr dim = sdy_dim_at(sharding, i);
        ir_attr axes = without_ones(dim->params[SDY_DIM_AXES], mesh);
        bool is_trivial = !sdy_length(axes) && sdy_is_closed(dim);
        dims[i] = sdy_dim(mesh->ctx, axes, sdy_is_closed(dim),
                          is_trivial ? NULL : dim->params[SDY_DIM_PRIORITY]);
    }
    ir_attr made = sdy_with(sharding, SDY_DIMS, ir_array_attr(mesh->ctx, dims, rank));
    free(dims);
    made = sdy_with(made, SDY_REPLICATED,
                    without_ones(sharding->params[SDY_REPLICATED], mesh));
    return sdy_with(made, SDY_UNREDUCED,
                    without_ones(sharding->params[SDY_UNREDUCED], mesh));
}

static bool run_ones(ir_op *module, pass_run *run)
{
    (void)run;
    sdy_transform(module, remove_ones, NULL);
    return true;
}

/* ---- sdy-inline-meshes -------------------------------------------------------------- */

static ir_attr inline_sharding(void *user, const sdy_site *site, ir_attr sharding)
{
    (void)user;
    ir_attr mesh = sdy_mesh_of(site->op, sharding);
    return mesh ? sdy_with(sharding, SDY_MESH, mesh) : sharding;
}

static ir_attr as_stablehlo(ir_context *ctx, ir_attr mesh)
{
    ir_attr axes = mesh->params[0],
            ids = ir_dict_get(as_dictionary(ctx, mesh), TW_STR("device_ids"));
    ir_attr *items = tw_xmalloc((sdy_length(axes) + 1u) * sizeof *items);
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        items[i] =
            ir_dialect_attr(ctx, STABLEHLO_ATTR(mesh_axis), axes->items[i]->params, 2);
    ir_attr params[] = {ir_array_attr(ctx, items, sdy_length(axes)), ids};
    free(items);
    return ir_dialect_attr(ctx, STABLEHLO_ATTR(mesh), params, 2);
}

static ir_walk inline_groups(ir_op *op, void *user)
{
    (void)user;
    ir_attr groups = strncmp(op->def->name, "stablehlo.", 10) == 0
                         ? ir_op_attr(op, "replica_groups")
                         : NULL;
    if (!ir_attr_is(groups, IR_ATTR_DIALECT) ||
        groups->def != STABLEHLO_ATTR(replica_group_mesh_axes) ||
        !ir_attr_is(groups->params[0], IR_ATTR_SYMBOL_REF))
        return IR_WALK_ON;
    ir_op *mesh = ir_symbol_resolve(op, groups->params[0]);
    if (!ir_op_is(mesh, SDY_OP(mesh)))
        return IR_WALK_ON;
    ir_attr params[] = {as_stablehlo(op->ctx, ir_op_attr(mesh, "mesh")), groups->params[1]};
    ir_op_set_attr(op, "replica_groups", ir_dialect_attr(op->ctx, groups->def, params, 2));
    return IR_WALK_ON;
}

static bool run_inline(ir_op *module, pass_run *run)
{
    (void)run;
    sdy_transform(module, inline_sharding, NULL);
    ir_walk_pre(module, inline_groups, NULL);
    for (ir_op *op = ir_op_body(module, 0)->first, *next; op; op = next) {
        next = op->next;
        if (op->def == SDY_OP(mesh))
            ir_op_erase(op);
    }
    return true;
}

const pass_def sdy_lift_inlined_meshes_pass = {
    .name = "sdy-lift-inlined-meshes",
    .title = "LiftInlinedMeshesPass",
    .summary = "Converts inlined meshes in shardings to named ones, without duplicates.",
    .anchor = "builtin.module",
    .run = run_lift,
};

const pass_def sdy_remove_size_one_axes_pass = {
    .name = "sdy-remove-size-one-axes",
    .title = "RemoveSizeOneAxesPass",
    .summary = "Removes axes of size 1 from shardings.",
    .anchor = "builtin.module",
    .run = run_ones,
};

const pass_def sdy_inline_meshes_pass = {
    .name = "sdy-inline-meshes",
    .title = "InlineMeshesPass",
    .summary = "Inlines named meshes.",
    .anchor = "builtin.module",
    .run = run_inline,
};
