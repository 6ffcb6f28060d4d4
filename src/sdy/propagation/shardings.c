/* shardings.c: reading and changing the shardings of values. */
#include "sdy/propagation/shardings.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static const char own_name[] = "sdy.sharding";

/* ---- one sharding ------------------------------------------------------------------- */

ir_attr sdy_with(ir_attr sharding, size_t param, ir_attr value)
{
    ir_attr params[SDY_N_PARAMS];
    memcpy(params, sharding->params, sizeof params);
    params[param] = value;
    return ir_dialect_attr(sharding->ctx, SDY_ATTR(sharding), params, SDY_N_PARAMS);
}

ir_attr sdy_dim(ir_context *ctx, ir_attr axes, bool closed, ir_attr priority)
{
    ir_attr params[] = {axes ? axes : ir_array_attr(ctx, NULL, 0), ir_raw_int(ctx, closed),
                        priority};
    return ir_dialect_attr(ctx, SDY_ATTR(dimension_sharding), params, TW_COUNT(params));
}

bool sdy_is_empty(ir_attr sharding)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sdy_dim_at(sharding, i)->params[SDY_DIM_AXES]))
            return false;
    return !sdy_length(sharding->params[SDY_REPLICATED]) &&
           !sdy_length(sharding->params[SDY_UNREDUCED]);
}

ir_attr sdy_closed(ir_attr sharding)
{
    ir_context *ctx = sharding->ctx;
    uint32_t rank = sdy_sharding_rank(sharding);
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = sdy_dim(ctx, sdy_dim_at(sharding, i)->params[SDY_DIM_AXES], true, NULL);
    ir_attr made = sdy_with(sharding, SDY_DIMS, ir_array_attr(ctx, dims, rank));
    free(dims);
    return sdy_with(made, SDY_REPLICATED, ir_array_attr(ctx, NULL, 0));
}

ir_attr sdy_per_value(ir_context *ctx, const ir_attr *shardings, size_t n)
{
    ir_attr list = ir_array_attr(ctx, shardings, n);
    return ir_dialect_attr(ctx, SDY_ATTR(sharding_per_value), &list, 1);
}

int64_t sdy_dim_size(ir_attr dim, ir_attr mesh)
{
    ir_attr axes = dim->params[SDY_DIM_AXES];
    int64_t size = 1;
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        size *= sdy_axis_size(mesh, axes->items[i]);
    return size;
}

uint32_t sdy_rank(ir_type t)
{
    t = sdy_shaped(t);
    return ir_type_is_ranked(t) ? t->count : 0;
}

bool sdy_is_static(ir_type t)
{
    t = sdy_shaped(t);
    return ir_type_is_ranked(t) && ir_type_has_static_shape(t);
}

static void minus(ir_attr axis, const ir_attr *others, size_t n, ir_attr mesh,
                  sdy_axes *out)
{
    while (axis) {
        ir_attr first = NULL;
        for (size_t i = 0; i < n; i++)
            if (sdy_axes_overlap(axis, others[i]) &&
                (!first || sdy_compare_axes(mesh, others[i], first) < 0))
                first = others[i];
        if (!first) {
            sdy_axes_add(out, axis);
            return;
        }
        ir_attr before = sdy_axis_before(axis, first);
        if (before)
            sdy_axes_add(out, before);
        axis = sdy_axis_after(axis, first, mesh);
    }
}

void sdy_axes_minus(const ir_attr *axes, size_t n, const ir_attr *others, size_t n_others,
                    ir_attr mesh, sdy_axes *out)
{
    for (size_t i = 0; i < n; i++)
        minus(axes[i], others, n_others, mesh, out);
}

/* ---- sites -------------------------------------------------------------------------- */

static bool is_sharding(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == SDY_ATTR(sharding);
}

static bool is_per_value(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == SDY_ATTR(sharding_per_value);
}

static bool is_function_attr(const char *name)
{
    return strcmp(name, "arg_attrs") == 0 || strcmp(name, "res_attrs") == 0;
}

ir_attr sdy_site_get(const sdy_site *site)
{
    ir_attr list = ir_op_attr(site->op, site->attr), found = NULL;
    if (is_function_attr(site->attr))
        found = ir_attr_is(list, IR_ATTR_ARRAY) && site->index < list->count
                    ? ir_dict_get(list->items[site->index], TW_STR("sdy.sharding"))
                    : NULL;
    else if (is_per_value(list))
        found = site->index < sdy_length(list->params[0])
                    ? list->params[0]->items[site->index]
                    : NULL;
    else
        found = list;
    return is_sharding(found) ? found : NULL;
}

static void set_function_attr(ir_op *func, const char *name, size_t count, size_t i,
                              ir_attr value)
{
    ir_context *ctx = func->ctx;
    ir_attr old = ir_op_attr(func, name);
    ir_attr *items = tw_xmalloc((count + 1) * sizeof *items);
    bool any = false;
    for (size_t k = 0; k < count; k++) {
        items[k] = ir_attr_is(old, IR_ATTR_ARRAY) && k < old->count
                       ? old->items[k]
                       : ir_dict_attr(ctx, NULL, 0);
        if (k == i)
            items[k] = ir_dict_set(ctx, items[k], ir_ident_from(ctx, own_name), value);
        if (!items[k])
            items[k] = ir_dict_attr(ctx, NULL, 0);
        any |= items[k]->count > 0;
    }
    ir_op_set_attr(func, name, any ? ir_array_attr(ctx, items, count) : NULL);
    free(items);
}

static ir_attr replaced(ir_attr per_value, size_t i, ir_attr sharding)
{
    ir_attr list = per_value->params[0];
    ir_attr *items = tw_xmalloc((sdy_length(list) + 1u) * sizeof *items);
    for (uint32_t k = 0; k < sdy_length(list); k++)
        items[k] = k == i ? sharding : list->items[k];
    ir_attr made = sdy_per_value(sharding->ctx, items, sdy_length(list));
    free(items);
    return made;
}

void sdy_site_set(const sdy_site *site, ir_attr sharding)
{
    ir_attr list = ir_op_attr(site->op, site->attr);
    if (is_function_attr(site->attr)) {
        ir_type type = ir_op_attr(site->op, "function_type")->type;
        bool args = site->attr[0] == 'a';
        set_function_attr(site->op, site->attr, args ? type->count : type->results,
                          site->index, sharding);
    } else {
        ir_op_set_attr(site->op, site->attr,
                       is_per_value(list) ? replaced(list, site->index, sharding)
                                          : sharding);
    }
}

ir_value *sdy_site_value(const sdy_site *site)
{
    ir_op *op = site->op;
    ir_block *body = ir_op_body(op, 0);
    bool arg =
        strcmp(site->attr, "arg_attrs") == 0 || strcmp(site->attr, "in_shardings") == 0;
    if (arg)
        return body && site->index < body->n_args ? body->args[site->index] : NULL;
    if (strcmp(site->attr, "res_attrs") == 0)
        return NULL;
    return site->index < op->n_results ? &op->results[site->index] : NULL;
}

/* ---- of values ---------------------------------------------------------------------- */

ir_value *sdy_shardable(ir_value *v)
{
    ir_op *edge = sdy_edge_to(v);
    if (edge)
        return &edge->results[0];
    if (!v->is_argument)
        return v;
    ir_block *block = ir_value_block(v);
    ir_op *owner = block && block->region ? block->region->owner : NULL;
    if (!owner)
        return NULL;
    if (owner->def->traits & IR_FUNCTION_LIKE)
        return block == owner->regions[0].first ? v : NULL;
    if (owner->def == STABLEHLO_OP(async_start) && v->index < owner->n_operands)
        return sdy_shardable(owner->operands[v->index].value);
    return sdy_edge_owner(v);
}

ir_attr sdy_get(ir_value *v)
{
    v = sdy_shardable(v);
    return v ? sdy_sharding_of(v) : NULL;
}

/* Sets one entry of a per-value sharding; new lists get open entries for the others. */
static void set_in_group(ir_op *op, const char *name, const ir_type *types, size_t n,
                         size_t i, ir_attr sharding)
{
    ir_attr list = ir_op_attr(op, name);
    if (is_per_value(list) && i < sdy_length(list->params[0])) {
        ir_op_set_attr(op, name, replaced(list, i, sharding));
        return;
    }
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t k = 0; k < n; k++)
        items[k] = k == i ? sharding
                          : sdy_replicated(op->ctx, sharding->params[SDY_MESH],
                                           sdy_rank(types[k]), false);
    ir_op_set_attr(op, name, sdy_per_value(op->ctx, items, n));
    free(items);
}

static void set_argument(ir_value *v, ir_attr sharding)
{
    ir_block *block = ir_value_block(v);
    ir_op *owner = block->region->owner;
    if (owner->def->traits & IR_FUNCTION_LIKE) {
        sdy_site_set(&(sdy_site){owner, "arg_attrs", v->index}, sharding);
        return;
    }
    ir_attr list = ir_op_attr(owner, "in_shardings");
    if (owner->def == SDY_OP(manual_computation) && is_per_value(list))
        sharding = sdy_with_free_axes(list->params[0]->items[v->index], sharding,
                                      ir_op_attr(owner, "manual_axes"));
    ir_type *types = tw_xmalloc((block->n_args + 1u) * sizeof *types);
    for (uint32_t i = 0; i < block->n_args; i++)
        types[i] = block->args[i]->type;
    set_in_group(owner, "in_shardings", types, block->n_args, v->index, sharding);
    free(types);
}

void sdy_set(ir_value *v, ir_attr sharding)
{
    v = sdy_shardable(v);
    if (!v)
        return;
    if (v->is_argument) {
        set_argument(v, sharding);
        return;
    }
    ir_op *op = ir_value_def(v);
    if (op->def == SDY_OP(data_flow_edge) || op->def == SDY_OP(reshard) ||
        op->def == SDY_OP(sharding_constraint)) {
        ir_op_set_attr(op, "sharding", sharding);
        return;
    }
    if (ir_def_has(op->def, "CollectiveOpInterface")) {
        ir_op_set_attr(op, "out_sharding", sharding);
        return;
    }
    bool region = sdy_keeps_shardings(op);
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    set_in_group(op, region ? "out_shardings" : own_name, types, op->n_results, v->index,
                 sharding);
    free(types);
}

ir_attr sdy_result_sharding(const ir_op *func, size_t i)
{
    return sdy_site_get(&(sdy_site){(ir_op *)(uintptr_t)func, "res_attrs", (uint32_t)i});
}

void sdy_set_result_sharding(ir_op *func, size_t i, ir_attr sharding)
{
    sdy_site_set(&(sdy_site){func, "res_attrs", (uint32_t)i}, sharding);
}

ir_attr sdy_shardings_of(const ir_op *op)
{
    ir_attr list = ir_op_attr(op, own_name);
    return is_per_value(list) ? list : NULL;
}

ir_attr sdy_common_mesh(ir_op *op, const ir_attr *shardings, size_t n, bool ignore_ids,
                        ir_attr *out_ref)
{
    ir_attr mesh = NULL, ref = NULL;
    for (size_t i = 0; i < n; i++) {
        ir_attr other = shardings[i] ? sdy_mesh_of(op, shardings[i]) : NULL;
        if (!other)
            continue;
        if (!mesh || sdy_mesh_is_empty(mesh)) {
            mesh = other;
            ref = shardings[i]->params[SDY_MESH];
            continue;
        }
        if (sdy_mesh_is_empty(other))
            continue;
        if (other != mesh && (!ignore_ids || other->params[0] != mesh->params[0]))
            return NULL;
        if (ignore_ids && !sdy_length(other->params[1])) {
            mesh = other;
            ref = shardings[i]->params[SDY_MESH];
        }
    }
    *out_ref = ref;
    return mesh;
}

/* ---- all of them -------------------------------------------------------------------- */

typedef struct transformation {
    sdy_change_fn *change;
    void *user;
} transformation;

static void transform_site(const transformation *t, sdy_site site)
{
    ir_attr was = sdy_site_get(&site);
    ir_attr now = was ? t->change(t->user, &site, was) : NULL;
    if (now && now != was)
        sdy_site_set(&site, now);
}

static void transform_list(const transformation *t, ir_op *op, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        transform_site(t, (sdy_site){op, name, (uint32_t)i});
}

static ir_walk transform_op(ir_op *op, void *user)
{
    static const char *const names[] = {"in_shardings", "out_shardings", "sharding",
                                        "out_sharding"};
    const transformation *t = user;
    if (op->def == FUNC_OP(func)) {
        ir_type type = ir_op_attr(op, "function_type")->type;
        transform_list(t, op, "arg_attrs", type->count);
        transform_list(t, op, "res_attrs", type->results);
        return IR_WALK_ON;
    }
    bool is_sdy = strncmp(op->def->name, "sdy.", 4) == 0 || sdy_keeps_shardings(op);
    for (size_t i = 0; i < TW_COUNT(names) && is_sdy; i++) {
        ir_attr attr = ir_def_prop_index(op->def, tw_str_from(names[i])) != SIZE_MAX
                           ? ir_op_attr(op, names[i])
                           : NULL;
        if (attr)
            transform_list(t, op, names[i],
                           is_per_value(attr) ? sdy_length(attr->params[0]) : 1);
    }
    ir_attr own = sdy_shardings_of(op);
    if (own)
        transform_list(t, op, own_name, sdy_length(own->params[0]));
    return IR_WALK_ON;
}

void sdy_transform(ir_op *root, sdy_change_fn *change, void *user)
{
    transformation t = {change, user};
    ir_walk_pre(root, transform_op, &t);
}

/* ---- functions ---------------------------------------------------------------------- */

ir_op *sdy_find_main(ir_op *module)
{
    ir_op *only = NULL;
    size_t n = 0;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func)) {
            only = op;
            n++;
        }
    if (n == 1)
        return only;
    ir_op *found = ir_symbol_lookup(module, TW_STR("main"));
    return ir_op_is(found, FUNC_OP(func)) ? found : NULL;
}

ir_op *sdy_main(ir_op *module)
{
    ir_op *found = sdy_find_main(module);
    if (!found)
        ir_op_error(module, "Failed to lookup function: main");
    return found;
}

ir_op *sdy_callee(ir_op *call)
{
    ir_attr name = call->def == FUNC_OP(call) ? ir_op_attr(call, "callee") : NULL;
    ir_op *found = name ? ir_symbol_resolve(call, name) : NULL;
    return ir_op_is(found, FUNC_OP(func)) && ir_op_body(found, 0) ? found : NULL;
}
