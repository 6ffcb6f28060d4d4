/* mesh.c: converts multi-device programs: sharding onto and off the mesh, and
 * collectives.
 *
 * A manual computation, or GSPMD's calls around local shapes, become ttir.mesh_shard and
 * the operations between. Presharded arguments and results have local shapes. TTIR's
 * collectives name the mesh axis along which groups of devices lie: groups along no axis
 * are rejected. */
#include "ttir/from_stablehlo/mesh.h"

#include "mlir/func/func.h"
#include "sdy/mesh/gspmd.h"
#include "sdy/mesh/mesh.h"
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <stdlib.h>

enum { MAX_DIMS = 32, MAX_DEVICES = 4096 };

static ir_attr enum_of(ir_context *ctx, const ir_attr_def *def, const char *text)
{
    return ir_enum_attr(ctx, def,
                        ir_enum_by_text(def->enumeration, tw_str_from(text))->value);
}

static ir_op *module_of(ir_op *op)
{
    while (ir_op_parent(op))
        op = ir_op_parent(op);
    return op;
}

/* ---- axes --------------------------------------------------------------------------- */

/* The mesh's extents; 0 if the program has none. */
static int64_t mesh_extents(ir_op *module, int64_t out[MAX_DIMS])
{
    ir_op *op = mesh_first(module);
    ir_attr axes = op ? ir_op_attr(op, "mesh")->params[0] : NULL;
    if (sdy_length(axes) > MAX_DIMS ||
        (op && sdy_length(ir_op_attr(op, "mesh")->params[1])))
        return 0;
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        out[i] = ir_attr_int(axes->items[i]->params[1], 1);
    return sdy_length(axes);
}

/* True if all groups are lines of `size` devices, `stride` apart. */
static bool are_lines(const int64_t *ids, int64_t n, int64_t size, int64_t stride)
{
    for (int64_t g = 0; g < n / size; g++) {
        int64_t first = g / stride * stride * size + g % stride;
        for (int64_t i = 0; i < size; i++)
            if (ids[g * size + i] != first + i * stride)
                return false;
    }
    return true;
}

/* The axis along which the groups lie, -1 if there is none. Without a known mesh, one of
 * two axes is assumed. */
static int64_t cluster_axis(ir_op *op)
{
    int64_t extents[MAX_DIMS], found = -1, stride = 1;
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2)
        return -1;
    int64_t n = ir_type_num_elements(groups->type), size = groups->type->dims[1];
    if (n < 1 || n > MAX_DEVICES || size < 1)
        return -1;
    int64_t *ids = tw_xmalloc((size_t)n * sizeof *ids);
    for (int64_t i = 0; i < n; i++)
        ids[i] = ir_dense_int(groups, (size_t)i);
    int64_t rank = mesh_extents(module_of(op), extents), total = 1;
    for (int64_t d = 0; d < rank; d++)
        total *= extents[d];
    if (total == 1) /* no mesh is known */
        rank = 0;
    if (!rank && size == 1)
        found = are_lines(ids, n, 1, 1) ? 0 : -1;
    else if (!rank)
        found = are_lines(ids, n, size, 1) ? 1 : are_lines(ids, n, size, n / size) ? 0 : -1;
    for (int64_t d = rank; d > 0; d--) {
        if (extents[d - 1] == size && found < 0 && are_lines(ids, n, size, stride))
            found = d - 1;
        stride *= extents[d - 1];
    }
    free(ids);
    return rank && stride != n ? -1 : found;
}

static ir_attr ui32(ir_context *ctx, int64_t n)
{
    return ir_integer_attr(ir_integer_type(ctx, 32, IR_UNSIGNED), n);
}

/* ---- collectives -------------------------------------------------------------------- */

static ir_attr reduction_of(ir_op *op)
{
    static const struct {
        uint16_t row;
        int64_t kind;
    } rows[] = {
        {STABLEHLO_add, TTCORE_ReduceType_Sum},
        {STABLEHLO_maximum, TTCORE_ReduceType_Max},
        {STABLEHLO_minimum, TTCORE_ReduceType_Min},
    };
    const ir_op *made = s2t_combiner(op, 0);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (made && made->def == &stablehlo_ops[rows[i].row])
            return ir_enum_attr(op->ctx, TTCORE_ATTR(reduce_type), rows[i].kind);
    return NULL;
}

bool s2t_all_reduce(ir_op *op, ir_builder *b)
{
    int64_t axis = cluster_axis(op);
    ir_attr kind = reduction_of(op);
    if (axis < 0 || !kind)
        return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i],
                              ir_build1(b, TTIR_OP(all_reduce), op->results[i].type,
                                        IR_VALUES(op->operands[i].value),
                                        IR_ATTRS({"reduce_type", kind},
                                                 {"cluster_axis", ui32(b->ctx, axis)})));
    ir_op_erase(op);
    return true;
}

bool s2t_all_gather(ir_op *op, ir_builder *b)
{
    int64_t axis = cluster_axis(op), dim = ir_op_int(op, "all_gather_dim", 0);
    return axis >= 0 && op->n_operands == 1 &&
           s2t_done(op, ir_build1(b, TTIR_OP(all_gather), op->results[0].type,
                                  IR_VALUES(op->operands[0].value),
                                  IR_ATTRS({"all_gather_dim", ir_si32_attr(b->ctx, dim)},
                                           {"cluster_axis", ui32(b->ctx, axis)})));
}

bool s2t_reduce_scatter(ir_op *op, ir_builder *b)
{
    int64_t axis = cluster_axis(op), dim = ir_op_int(op, "scatter_dimension", 0);
    ir_attr kind = reduction_of(op);
    return axis >= 0 && kind &&
           s2t_done(op, ir_build1(b, TTIR_OP(reduce_scatter), op->results[0].type,
                                  IR_VALUES(op->operands[0].value),
                                  IR_ATTRS({"reduce_type", kind},
                                           {"scatter_dim", ir_si32_attr(b->ctx, dim)},
                                           {"cluster_axis", ui32(b->ctx, axis)})));
}

bool s2t_all_to_all(ir_op *op, ir_builder *b)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (op->n_operands != 1 || !ir_attr_is(groups, IR_ATTR_DENSE))
        return false;
    return s2t_done(
        op,
        ir_build1(
            b, TTIR_OP(all_to_all), op->results[0].type, IR_VALUES(op->operands[0].value),
            IR_ATTRS(
                {"split_dim", ir_si32_attr(b->ctx, ir_op_int(op, "split_dimension", 0))},
                {"concat_dim", ir_si32_attr(b->ctx, ir_op_int(op, "concat_dimension", 0))},
                {"split_count", ir_si32_attr(b->ctx, ir_op_int(op, "split_count", 1))},
                {"replica_groups", groups})));
}

bool s2t_collective_permute(ir_op *op, ir_builder *b)
{
    return s2t_done(op, ir_build1(b, TTIR_OP(collective_permute), op->results[0].type,
                                  IR_VALUES(op->operands[0].value),
                                  IR_ATTRS({"source_target_pairs",
                                            ir_op_attr(op, "source_target_pairs")})));
}

bool s2t_collective_broadcast(ir_op *op, ir_builder *b)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    return ir_attr_is(groups, IR_ATTR_DENSE) && op->n_operands == 1 &&
           s2t_done(op, ir_build1(b, TTIR_OP(collective_broadcast), op->results[0].type,
                                  IR_VALUES(op->operands[0].value),
                                  IR_ATTRS({"replica_groups", groups})));
}

/* ---- sharding onto and off the mesh ------------------------------------------------- */

typedef struct shard_spec {
    bool devices;
    int64_t shape[MAX_DIMS], dims[MAX_DIMS];
    size_t rank, axes;
} shard_spec;

static ir_value *mesh_shard(ir_builder *b, ir_value *v, ir_type to, const shard_spec *s,
                            bool on)
{
    static const int64_t one[] = {1}, none[] = {-1};
    ir_context *ctx = b->ctx;
    bool d = s->devices;
    return ir_build1(
        b, TTIR_OP(mesh_shard), to, IR_VALUES(v),
        IR_ATTRS(
            {"shard_type",
             enum_of(ctx, TTCORE_ATTR(shard_type), d ? "devices" : "replicate")},
            {"shard_direction", enum_of(ctx, TTCORE_ATTR(shard_direction),
                                        on ? "full_to_shard" : "shard_to_full")},
            {"shard_shape", ir_dense_i64_array(ctx, d ? s->shape : one, d ? s->rank : 1)},
            {"shard_dims", ir_dense_i64_array(ctx, d ? s->dims : none, d ? s->axes : 1)}));
}

/* The axes of a dimension must be whole and in mesh order, which is all that a shard
 * attribute can express.  Returns the reason of failure. */
static const char *read_dim(ir_attr dim, size_t d, ir_attr mesh, shard_spec *s)
{
    ir_attr axes = dim->params[SDY_DIM_AXES];
    int64_t last = -1;
    if (!sdy_is_closed(dim))
        return "Sharding with open dimension is currently not supported.";
    for (uint32_t i = 0; i < sdy_length(axes); i++) {
        int64_t axis_index = sdy_axis_index(mesh, axes->items[i]);
        int64_t size = axis_index < 0 ? 1 : sdy_axis_size(mesh, axes->items[i]);
        if (sdy_sub_axis(axes->items[i]))
            return "Sharding with subaxis partitioning is currently not supported.";
        if (axis_index < 0 || (size > 1 && axis_index < last))
            return "Axes that shard a dimension must be in the order of the mesh.";
        s->shape[d] *= size;
        if (size > 1) {
            s->dims[axis_index] = (int64_t)d;
            last = axis_index;
        }
    }
    return NULL;
}

static const char *read_shard_spec(ir_attr sharding, ir_attr mesh, shard_spec *s)
{
    *s = (shard_spec){.rank = sdy_sharding_rank(sharding),
                      .axes = sdy_length(mesh->params[0])};
    if (s->rank > MAX_DIMS || s->axes > MAX_DIMS)
        return "Sharding has too many dimensions.";
    if (sdy_mesh_is_maximal(mesh))
        return "Sharding on one device of several is not supported.";
    if (s->axes && sdy_length(mesh->params[1]))
        return "Mesh with an order of devices of its own is not supported.";
    for (size_t i = 0; i < s->axes; i++)
        s->dims[i] = -1;
    for (size_t d = 0; d < s->rank; d++) {
        s->shape[d] = 1;
        const char *wrong = read_dim(sdy_dim_at(sharding, d), d, mesh, s);
        if (wrong)
            return wrong;
        s->devices |= s->shape[d] > 1;
    }
    return NULL;
}

static bool is_presharded(ir_attr status)
{
    return status &&
           status == enum_of(status->ctx, TTCORE_ATTR(shard_status), "presharded");
}

static ir_op *function_of(const ir_value *arg)
{
    ir_block *block = arg->is_argument ? ir_value_block(arg) : NULL;
    ir_op *owner = block && block->region ? block->region->owner : NULL;
    return owner && mesh_is_function(owner) && block == owner->regions[0].first ? owner
                                                                                : NULL;
}

/* The function result that returns the value, -1 if none does. */
static int64_t returned_as(const ir_value *v)
{
    for (ir_operand *u = v->uses; u; u = u->next_use)
        if (u->owner->def == FUNC_OP(return ))
            return (int64_t)ir_operand_number(u);
    return -1;
}

static bool comes_split(ir_value *v)
{
    ir_op *func = function_of(v);
    return func && is_presharded(func_arg_attr(func, v->index, MESH_STATUS));
}

static bool goes_split(ir_op *op, const ir_value *v)
{
    int64_t at = returned_as(v);
    ir_op *func = ir_op_parent(op);
    return at >= 0 && func && mesh_is_function(func) &&
           is_presharded(func_result_attr(func, (size_t)at, MESH_STATUS));
}

/* Gives a presharded argument its local type. */
static bool set_local_type(ir_op *op, ir_value *arg, ir_type type)
{
    for (ir_operand *u = arg->uses; u; u = u->next_use)
        if (arg->type != type && u->owner != op)
            return false;
    arg->type = type;
    return true;
}

static bool report(ir_op *op, const char *wrong)
{
    return !wrong || ir_op_error(op, "%s", wrong);
}

bool s2t_manual_computation(ir_op *op, ir_builder *b)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body->last, *func = ir_op_parent(op);
    ir_attr in = ir_op_attr(op, "in_shardings")->params[0];
    ir_attr out = ir_op_attr(op, "out_shardings")->params[0];
    shard_spec s;
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *v = op->operands[i].value;
        ir_type local = body->args[i]->type;
        if (comes_split(v)) {
            if (!set_local_type(op, v, local))
                return ir_op_error(op, "takes a presharded argument that has other users");
        } else {
            ir_attr mesh = sdy_mesh_of(op, in->items[i]);
            if (!report(op, mesh ? read_shard_spec(in->items[i], mesh, &s)
                                 : "Mesh is missing."))
                return false;
            v = mesh_shard(b, v, local, &s, true);
        }
        ir_value_replace_uses(body->args[i], v);
    }
    if (body->first != end)
        ir_block_splice(op->block, op, body, body->first, end->prev);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = end->operands[i].value;
        if (!goes_split(op, &op->results[i])) {
            ir_attr mesh = sdy_mesh_of(op, out->items[i]);
            if (!report(op, mesh ? read_shard_spec(out->items[i], mesh, &s)
                                 : "Mesh is missing."))
                return false;
            v = mesh_shard(b, v, op->results[i].type, &s, false);
        }
        ir_value_replace_uses(&op->results[i], v);
    }
    ir_op_erase(op);
    func_refresh_type(func);
    return true;
}

/* ---- GSPMD -------------------------------------------------------------------------- */

static bool read_gspmd(ir_op *op, ir_op *from, shard_spec *s)
{
    ir_attr call = ir_op_attr(op, MESH_GSPMD), operand = ir_op_attr(from, MESH_GSPMD);
    gspmd_sharding g;
    if (!ir_attr_is(call, IR_ATTR_STRING) || !ir_attr_is(operand, IR_ATTR_STRING))
        return ir_op_error(op, "@SPMD* custom call is missing mhlo.sharding attribute.");
    if (!report(op, gspmd_read(ir_attr_str(call), ir_attr_str(operand), &g)))
        return false;
    *s = (shard_spec){.devices = g.devices, .rank = g.rank, .axes = 2};
    for (size_t i = 0; i < g.rank; i++)
        s->shape[i] = g.shape[i];
    memcpy(s->dims, g.dims, sizeof g.dims);
    return true;
}

/* Only annotates its operand; the following shape call, if any, converts both. */
bool s2t_sharding_call(ir_op *op, ir_builder *b)
{
    (void)b;
    if (op->n_operands != 1 || op->n_results != 1 ||
        op->operands[0].value->type != op->results[0].type)
        return false;
    for (ir_operand *u = op->results[0].uses; u; u = u->next_use)
        if (mesh_is_shape_call(u->owner))
            return true;
    return s2t_done(op, op->operands[0].value);
}

bool s2t_shape_call(ir_op *op, ir_builder *b)
{
    ir_op *from = op->n_operands == 1 ? ir_value_def(op->operands[0].value) : NULL;
    ir_op *func = ir_op_parent(op);
    bool on = mesh_is_call(op, "SPMDFullToShardShape");
    shard_spec s;
    if (!from || !mesh_is_call(from, "Sharding") || from->n_operands != 1 ||
        op->n_results != 1 || !mesh_is_function(func))
        return false;
    ir_value *in = from->operands[0].value, *v;
    bool split = is_presharded(ir_op_attr(from, MESH_STATUS));
    if (split && on && function_of(in)) {
        if (!set_local_type(from, in, op->results[0].type))
            return false;
        v = in;
    } else if (split && !on && returned_as(&op->results[0]) >= 0) {
        v = in;
    } else {
        if (!read_gspmd(op, from, &s))
            return false;
        v = mesh_shard(b, in, op->results[0].type, &s, on);
    }
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    if (ir_op_is_unused(from))
        ir_op_erase(from);
    func_refresh_type(func);
    return true;
}

/* ---- composites and meshes ---------------------------------------------------------- */

/* The shard of a replicated tensor: sliced along the mesh axes, one after the other. */
bool s2t_slice_composite(ir_op *op, ir_builder *b)
{
    ir_attr own = ir_op_attr(op, "composite_attributes");
    ir_attr sharding = own ? ir_dict_get(own, TW_STR("out_sharding")) : NULL;
    if (!ir_attr_is(sharding, IR_ATTR_DIALECT) || sharding->def != SDY_ATTR(sharding) ||
        op->n_operands != 1 || op->n_results != 1)
        return false;
    ir_attr mesh = sdy_mesh_of(op, sharding);
    ir_value *v = op->operands[0].value;
    shard_spec s;
    if (!mesh || read_shard_spec(sdy_closed(sharding), mesh, &s) ||
        s.rank != v->type->count)
        return false;
    for (size_t d = 0; d < s.rank; d++)
        if (op->results[0].type->dims[d] * s.shape[d] != v->type->dims[d])
            return false;
    for (size_t a = 0; a < s.axes; a++) {
        int64_t dims[MAX_DIMS], d = s.dims[a];
        if (d < 0)
            continue;
        memcpy(dims, v->type->dims, s.rank * sizeof dims[0]);
        dims[d] /= ir_attr_int(mesh->params[0]->items[a]->params[1], 1);
        v = ir_build1(b, TTIR_OP(mesh_partition), ir_type_with_shape(v->type, dims, s.rank),
                      IR_VALUES(v),
                      IR_ATTRS({"dim", ir_si32_attr(b->ctx, d)},
                               {"cluster_axis", ui32(b->ctx, (int64_t)a)}));
    }
    return s2t_done(op, v);
}

void s2t_record_meshes(ir_op *module)
{
    ir_context *ctx = module->ctx;
    ir_attr *list = NULL, had = ir_op_attr(module, "ttcore.meshes");
    size_t n = 0, capacity = 0;
    for (uint32_t i = 0; had && i < sdy_length(had->params[0]); i++)
        TW_PUSH(list, n, capacity, had->params[0]->items[i]);
    for (ir_op *op = ir_op_body(module, 0)->first, *next; op; op = next) {
        next = op->next;
        ir_attr axes = op->def == SDY_OP(mesh) ? ir_op_attr(op, "mesh")->params[0] : NULL;
        ir_attr name = ir_op_attr(op, "sym_name");
        uint32_t rank = sdy_length(axes);
        bool known = false;
        if (!axes)
            continue;
        for (size_t i = 0; i < n; i++)
            known |= list[i]->params[0] == name;
        ir_attr *dims = TW_ARENA_ARRAY(ir_context_arena(ctx), ir_attr, rank + 1);
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = axes->items[i]->params[1];
        ir_attr params[] = {name, ir_array_attr(ctx, dims, rank)};
        if (!known && rank)
            TW_PUSH(list, n, capacity,
                    ir_dialect_attr(ctx, TTCORE_ATTR(mesh), params, TW_COUNT(params)));
        ir_op_erase(op);
    }
    ir_attr all = ir_array_attr(ctx, list, (uint32_t)n);
    free(list);
    if (n)
        ir_op_set_attr(module, "ttcore.meshes",
                       ir_dialect_attr(ctx, TTCORE_ATTR(meshes), &all, 1));
}
