/* mesh.c: see mesh.h. */
#include "sdy/mesh/mesh.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"

#include <stdlib.h>

/* ---- queries ------------------------------------------------------------------------ */

bool mesh_is_function(const ir_op *op)
{
    return op->def == FUNC_OP(func);
}

bool mesh_is_call(const ir_op *op, const char *target)
{
    ir_attr name =
        op->def == STABLEHLO_OP(custom_call) ? ir_op_attr(op, "call_target_name") : NULL;
    return ir_attr_is(name, IR_ATTR_STRING) &&
           tw_str_equal(ir_attr_str(name), tw_str_from(target));
}

bool mesh_is_shape_call(const ir_op *op)
{
    return mesh_is_call(op, "SPMDFullToShardShape") ||
           mesh_is_call(op, "SPMDShardToFullShape");
}

ir_op *mesh_first(ir_op *module)
{
    ir_op *op = ir_op_body(module, 0)->first;
    while (op && op->def != SDY_OP(mesh))
        op = op->next;
    return op;
}

ir_op *mesh_only(ir_op *module)
{
    ir_op *mesh = mesh_first(module);
    if (!mesh) {
        ir_error(module->ctx, module->loc,
                 "Pass requires a shardy mesh op to be present in the root module");
        return NULL;
    }
    for (ir_op *op = mesh->next; op; op = op->next)
        if (op->def == SDY_OP(mesh)) {
            ir_error(module->ctx, module->loc,
                     "Pass currently only supports a single shardy mesh op in the module");
            return NULL;
        }
    return mesh;
}

bool mesh_find_unsolved(ir_op *module, mesh_unsolved *out)
{
    *out = (mesh_unsolved){0};
    if (mesh_is_solved(module) || !mesh_first(module))
        return true;
    out->mesh = mesh_only(module);
    if (!out->mesh)
        return false;
    out->axes = ir_op_attr(out->mesh, "mesh");
    out->ref = ir_symbol_ref(module->ctx, ir_symbol_name(out->mesh));
    return true;
}

bool mesh_each_unsolved(ir_op *module, void (*visit)(ir_op *op, const mesh_unsolved *at))
{
    mesh_unsolved at;
    if (!mesh_find_unsolved(module, &at))
        return false;
    ir_op_list all = at.mesh ? ir_ops_in(module, NULL) : (ir_op_list){0};
    for (size_t i = 0; i < all.n; i++)
        visit(all.at[i], &at);
    ir_op_list_free(&all);
    return true;
}

ir_op *mesh_add(ir_op *module, tw_str name, const tw_str axes[2], const int64_t sizes[2])
{
    ir_context *ctx = module->ctx;
    ir_attr made[2];
    for (int i = 0; i < 2; i++) {
        ir_attr axis[] = {ir_string_attr(ctx, axes[i]), ir_raw_int(ctx, sizes[i])};
        made[i] = ir_dialect_attr(ctx, SDY_ATTR(mesh_axis), axis, TW_COUNT(axis));
    }
    ir_attr params[] = {ir_array_attr(ctx, made, 2), ir_array_attr(ctx, NULL, 0)};
    ir_attr mesh = ir_dialect_attr(ctx, SDY_ATTR(mesh), params, TW_COUNT(params));
    ir_builder b = ir_builder_at_start(ctx, ir_op_body(module, 0), IR_LOC_UNKNOWN);
    return ir_build_op(&b, SDY_OP(mesh), NULL, 0, NULL, 0,
                       IR_ATTRS({"sym_name", ir_string_attr(ctx, name)}, {"mesh", mesh}),
                       0);
}

/* True if an argument or result of the function has the attribute. */
static bool is_annotated(const ir_op *func, const char *name)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    for (uint32_t i = 0; i < type->count; i++)
        if (func_arg_attr(func, i, name))
            return true;
    for (uint32_t i = 0; i < type->results; i++)
        if (func_result_attr(func, i, name))
            return true;
    return false;
}

static ir_walk find_shardy(ir_op *op, void *user)
{
    (void)user;
    bool found = op->def == SDY_OP(mesh) || ir_op_attr(op, MESH_SHARDING) ||
                 (mesh_is_function(op) && is_annotated(op, MESH_SHARDING));
    return found ? IR_WALK_STOP : IR_WALK_ON;
}

bool mesh_has_shardy(ir_op *module)
{
    return ir_walk_pre(module, find_shardy, NULL) == IR_WALK_STOP;
}

static ir_walk find_gspmd(ir_op *op, void *user)
{
    (void)user;
    bool found = mesh_is_call(op, "Sharding") || mesh_is_shape_call(op) ||
                 (mesh_is_function(op) && is_annotated(op, MESH_GSPMD));
    return found ? IR_WALK_STOP : IR_WALK_ON;
}

bool mesh_has_gspmd(ir_op *module)
{
    return ir_walk_pre(module, find_gspmd, NULL) == IR_WALK_STOP;
}

static ir_walk find_solution(ir_op *op, void *user)
{
    (void)user;
    ir_attr axes =
        op->def == SDY_OP(manual_computation) ? ir_op_attr(op, "manual_axes") : NULL;
    return axes && sdy_length(axes->params[0]) ? IR_WALK_STOP : IR_WALK_ON;
}

bool mesh_is_solved(ir_op *module)
{
    return ir_walk_pre(module, find_solution, NULL) == IR_WALK_STOP;
}

bool mesh_splits(ir_attr sharding, ir_attr mesh)
{
    for (uint32_t d = 0; sharding && d < sdy_sharding_rank(sharding); d++)
        if (sdy_dim_size(sdy_dim_at(sharding, d), mesh) > 1)
            return true;
    return false;
}

ir_attr mesh_sharding_of(ir_value *v)
{
    ir_block *block = v->is_argument ? ir_value_block(v) : NULL;
    ir_op *owner = block ? block->region->owner : NULL;
    if (owner && owner->def == SDY_OP(manual_computation))
        return sdy_site_get(&(sdy_site){owner, "in_shardings", v->index});
    return sdy_sharding_of(v);
}

static ir_walk drop(ir_op *op, void *user)
{
    (void)user;
    if (ir_op_attr(op, MESH_SHARDING))
        ir_op_set_attr(op, MESH_SHARDING, NULL);
    if (!mesh_is_function(op))
        return IR_WALK_ON;
    ir_type type = ir_op_attr(op, "function_type")->type;
    for (uint32_t i = 0; i < type->count; i++)
        if (func_arg_attr(op, i, MESH_SHARDING))
            func_set_arg_attr(op, i, MESH_SHARDING, NULL);
    for (uint32_t i = 0; i < type->results; i++)
        if (func_result_attr(op, i, MESH_SHARDING))
            func_set_result_attr(op, i, MESH_SHARDING, NULL);
    return IR_WALK_ON;
}

void mesh_drop_shardings(ir_op *module)
{
    ir_walk_pre(module, drop, NULL);
}

/* ---- local shapes ------------------------------------------------------------------- */

bool mesh_local_size(ir_attr dim, ir_attr mesh, int64_t size, int64_t *out)
{
    ir_attr axes = dim->params[SDY_DIM_AXES];
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        if (sdy_sub_axis(axes->items[i]) || sdy_axis_index(mesh, axes->items[i]) < 0)
            return false;
    int64_t parts = sdy_dim_size(dim, mesh);
    if (size == IR_DYNAMIC || parts <= 0 || size % parts)
        return false;
    *out = size / parts;
    return true;
}

ir_type mesh_local_type(ir_type type, ir_attr sharding, ir_attr mesh)
{
    int64_t dims[SDY_MAX_DIMS];
    if (!ir_type_is_ranked(type) || type->count > SDY_MAX_DIMS ||
        sdy_sharding_rank(sharding) != type->count)
        return NULL;
    for (uint32_t d = 0; d < type->count; d++) {
        dims[d] = type->dims[d];
        ir_attr dim = sdy_dim_at(sharding, d);
        if (sdy_length(dim->params[SDY_DIM_AXES]) &&
            !mesh_local_size(dim, mesh, dims[d], &dims[d]))
            return NULL;
    }
    return ir_type_with_shape(type, dims, type->count);
}

ir_attr mesh_local_constant(ir_attr dense, ir_type local)
{
    ir_type whole = dense->type;
    size_t size = ir_dense_element_size(whole->element), n = 0;
    if (whole == local)
        return dense;
    if (!size || dense->splat & 2)
        return NULL;
    if (dense->splat)
        return ir_dense_attr(local, dense->blob->data, size);
    const char *data = dense->blob->data;
    int64_t total = ir_type_num_elements(whole);
    char *part = tw_xmalloc((size_t)ir_type_num_elements(local) * size + 1);
    bool same = true;
    for (int64_t i = 0; i < total && same; i++) {
        int64_t rest = i, first = 0, stride = 1;
        for (uint32_t d = whole->count; d > 0; d--) {
            first += rest % whole->dims[d - 1] % local->dims[d - 1] * stride;
            rest /= whole->dims[d - 1];
            stride *= whole->dims[d - 1];
        }
        if (first == i) /* the first shard's elements, in order */
            memcpy(part + n++ * size, data + (size_t)i * size, size);
        else
            same = memcmp(data + (size_t)i * size, data + (size_t)first * size, size) == 0;
    }
    ir_attr made = same ? ir_dense_attr(local, part, n * size) : NULL;
    free(part);
    return made;
}
