/* convert_mesh.c: between the chips of a mesh: spreading and collecting tensors, transfers
 * from chip to chip, experts that live on several. */
#include "ttir/to_ttnn/convert_impl.h"

#include <stdlib.h>

enum { MAX_AXES = 8, MAX_CHIPS = 64 };

/* ---- mesh_shard --------------------------------------------------------------------- */

static bool holds(const int64_t *list, size_t n, int64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

static ir_attr ui32(ir_context *ctx, int64_t v)
{
    return ir_integer_attr(ir_integer_type(ctx, 32, IR_UNSIGNED), v);
}

static ir_attr placement(ir_context *ctx, int64_t dim)
{
    ir_attr params[] = {
        ir_raw_int(ctx, dim >= 0 ? TTNN_PlacementType_Shard : TTNN_PlacementType_Replicate),
        ir_i32_attr(ctx, dim)};
    return ir_dialect_attr(ctx, TTNN_ATTR(placement), params, 2);
}

static bool spread(ir_op *op, ir_builder *b, const int64_t *dims, size_t n,
                   const int64_t mesh[2])
{
    ir_context *ctx = b->ctx;
    ir_attr list[MAX_AXES], shape[] = {ui32(ctx, mesh[0]), ui32(ctx, mesh[1])};
    for (size_t i = 0; i < n; i++)
        list[i] = placement(ctx, dims[i]);
    ir_attr params[] = {ir_array_attr(ctx, list, n), ir_array_attr(ctx, shape, 2)};
    ir_attr config = ir_dialect_attr(ctx, TTNN_ATTR(mesh_mapper_config), params, 2);
    return ttnn_replace_one(op,
                            tnb_op(b, NULL, TTNN_OP(distribute_tensor), op->results[0].type,
                                   IR_VALUES(op->operands[0].value, tnb_device(b, op)),
                                   IR_ATTRS({"mapper_config", config})));
}

/* Along an axis of copies one is taken: some dimension must be named, of extent 1. */
static bool collect(ir_op *op, ir_builder *b, const int64_t *dims, size_t n,
                    const int64_t mesh[2], bool replicated)
{
    ir_context *ctx = b->ctx;
    int64_t used[MAX_AXES], rank = op->operands[0].value->type->count;
    ir_attr list[MAX_AXES], shape[MAX_AXES];
    if (replicated)
        n = 1;
    for (size_t i = 0; i < n; i++) {
        int64_t extent = i < 2 ? mesh[i] : 1;
        used[i] = replicated ? 0 : dims[i];
        if (replicated)
            extent = 1;
        if (used[i] < 0) {
            extent = 1;
            int64_t d = rank - 1;
            while (d >= 0 && (holds(dims, n, d) || holds(used, i, d)))
                d--;
            used[i] = d;
        }
        list[i] = ir_i32_attr(ctx, used[i]);
        shape[i] = ui32(ctx, extent);
    }
    ir_attr params[] = {ir_array_attr(ctx, list, n), ir_array_attr(ctx, shape, n)};
    ir_attr config = ir_dialect_attr(ctx, TTNN_ATTR(mesh_composer_config), params, 2);
    return ttnn_replace_one(op,
                            tnb_op(b, NULL, TTNN_OP(aggregate_tensor), op->results[0].type,
                                   IR_VALUES(op->operands[0].value, tnb_device(b, op)),
                                   IR_ATTRS({"composer_config", config})));
}

bool ttnn_convert_mesh_shard(ir_op *op, ir_builder *b)
{
    int64_t dims[MAX_AXES] = {-1, -1}, mesh[2];
    int64_t n = ir_attr_ints(ir_op_attr(op, "shard_dims"), dims, MAX_AXES);
    int64_t type = ir_enum_value(ir_op_attr(op, "shard_type"), -1);
    int64_t direction = ir_enum_value(ir_op_attr(op, "shard_direction"), -1);
    bool replicated = type == TTCORE_MeshShardType_Replicate;
    if (!replicated && (type != TTCORE_MeshShardType_Devices || n < 1 || n > MAX_AXES))
        return ir_op_error(op, "Unsupported shard type: %s",
                           ir_attr_text(op->ctx, ir_op_attr(op, "shard_type")));
    if (replicated) {
        dims[0] = dims[1] = -1;
        n = 2;
    }
    ttnn_device_mesh(op, mesh);
    if (direction == TTCORE_MeshShardDirection_FullToShard)
        return spread(op, b, dims, (size_t)n, mesh);
    return collect(op, b, dims, (size_t)n, mesh, replicated);
}

/* ---- transfers ---------------------------------------------------------------------- */

static ir_attr coordinate(ir_op *op, int64_t chip)
{
    int64_t mesh[2], at[2];
    ttnn_device_mesh(op, mesh);
    at[0] = chip / mesh[1];
    at[1] = chip % mesh[1];
    return ir_dense_i64_array(op->ctx, at, 2);
}

/* From one chip to another, into what has been received so far. */
static ir_value *send(ir_op *op, ir_builder *b, ir_value *v, int64_t from, int64_t to,
                      ir_value *into)
{
    return tnb_op(b, NULL, TTNN_OP(point_to_point), into->type, IR_VALUES(v, into),
                  IR_ATTRS({"sender_coord", coordinate(op, from)},
                           {"receiver_coord", coordinate(op, to)}));
}

static ir_value *assign(ir_builder *b, ir_value *v)
{
    return tnb_op(b, NULL, TTNN_OP(assign), v->type, IR_VALUES(v), NULL, 0);
}

static ir_value *zeros_like(ir_builder *b, ir_value *v)
{
    ir_attr zero = ir_f32_attr(b->ctx, 0);
    return tnb_op(b, NULL, TTNN_OP(clamp_scalar), v->type, IR_VALUES(v),
                  IR_ATTRS({"min", zero}, {"max", zero}));
}

/* Devices that receive nothing hold zeros afterwards. */
bool ttnn_convert_collective_permute(ir_op *op, ir_builder *b)
{
    ir_attr pairs = ir_op_attr(op, "source_target_pairs");
    ir_value *x = op->operands[0].value;
    int64_t mesh[2];
    if (!ir_attr_is(pairs, IR_ATTR_DENSE))
        return false;
    size_t n = (size_t)ir_type_num_elements(pairs->type) / 2;
    ttnn_device_mesh(op, mesh);
    const int64_t chips = mesh[0] * mesh[1];
    if (n == 0)
        return ttnn_replace_one(op, zeros_like(b, x));
    ir_value *out = assign(b, x);
    bool *reached = tw_xcalloc((size_t)chips + 1, sizeof *reached);
    for (size_t i = 0; i < n; i++) {
        int64_t from = ir_dense_int(pairs, 2 * i), to = ir_dense_int(pairs, 2 * i + 1);
        if (TW_MIN(from, to) < 0 || TW_MAX(from, to) >= chips) {
            free(reached);
            return ir_op_error(op, "names chip %lld of a mesh of %lld",
                               (long long)(from < 0 || from >= chips ? from : to),
                               (long long)chips);
        }
        reached[to] = true;
        if (from != to)
            out = send(op, b, x, from, to, out);
    }
    ir_value *zero = NULL;
    for (int64_t to = 0; to < chips; to++)
        if (!reached[to]) {
            zero = zero ? zero : zeros_like(b, x);
            out = send(op, b, zero, to == 0 ? 1 : 0, to, out);
        }
    free(reached);
    return ttnn_replace_one(op, out);
}

bool ttnn_convert_collective_broadcast(ir_op *op, ir_builder *b)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    ir_value *x = op->operands[0].value;
    if (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2)
        return false;
    int64_t n = groups->type->dims[0], size = groups->type->dims[1];
    ir_value *out = assign(b, x);
    for (int64_t g = 0; g < n; g++)
        for (int64_t i = 1; i < size; i++)
            out = send(op, b, x, ir_dense_int(groups, (size_t)(g * size)),
                       ir_dense_int(groups, (size_t)(g * size + i)), out);
    return ttnn_replace_one(op, out);
}

/* Every chip cuts its tensor and sends the j-th piece to the j-th of its group. */
bool ttnn_convert_all_to_all(ir_op *op, ir_builder *b)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    ir_value *x = op->operands[0].value, *pieces[MAX_CHIPS], *buffers[MAX_CHIPS];
    int64_t dim = ir_op_int(op, "split_dim", 0), begins[TTNN_MAX_RANK] = {0};
    int64_t ends[TTNN_MAX_RANK];
    if (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2 ||
        x->type->count > TTNN_MAX_RANK)
        return false;
    int64_t n = groups->type->dims[0], size = groups->type->dims[1];
    dim += dim < 0 ? x->type->count : 0;
    if (size < 1 || size > MAX_CHIPS || dim < 0 || dim >= x->type->count)
        return false;
    memcpy(ends, x->type->dims, x->type->count * sizeof *ends);
    for (int64_t i = 0; i < size; i++) {
        begins[dim] = i * (x->type->dims[dim] / size);
        ends[dim] = (i + 1) * (x->type->dims[dim] / size);
        pieces[i] = tnb_slice(b, NULL, x, begins, ends);
    }
    for (int64_t i = 0; i < size; i++)
        buffers[i] = assign(b, pieces[i]);
    for (int64_t g = 0; g < n; g++)
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++)
                if (i != j)
                    buffers[i] =
                        send(op, b, pieces[j], ir_dense_int(groups, (size_t)(g * size + i)),
                             ir_dense_int(groups, (size_t)(g * size + j)), buffers[i]);
    int64_t concat = ir_op_int(op, "concat_dim", 0);
    concat += concat < 0 ? x->type->count : 0;
    return ttnn_replace_one(op, tnb_concat(b, NULL, buffers, (size_t)size, concat));
}

/* ---- experts ------------------------------------------------------------------------ */

bool ttnn_convert_dispatch_metadata(ir_op *op, ir_builder *b)
{
    ir_value *mapping = op->operands[3].value;
    if (mapping->type->count == 4)
        mapping = tnb_reshape(b, NULL, mapping, mapping->type->dims + 2, 2);
    ir_type types[] = {op->results[0].type, op->results[1].type, op->results[2].type};
    ir_value *operands[] = {op->operands[0].value,
                            op->operands[1].value,
                            op->operands[2].value,
                            mapping,
                            NULL,
                            NULL,
                            NULL,
                            NULL};
    ir_op *made =
        ir_build_op(b, TTNN_OP(all_to_all_dispatch_metadata), types, 3, operands, 8,
                    IR_ATTRS({"num_devices", ir_op_attr(op, "num_devices")},
                             {"cluster_axis", ir_op_attr(op, "cluster_axis")}),
                    0);
    return ttnn_replace_all(op, made);
}

/* Weights are packed first; what type that gives is found out later. */
bool ttnn_convert_moe_compute(ir_op *op, ir_builder *b)
{
    ir_value *w0 = ir_op_operand_named(op, "w0"), *w1 = ir_op_operand_named(op, "w1"),
             *w2 = ir_op_operand_named(op, "w2"),
             *bias0 = ir_op_operand_named(op, "bias_0");
    ir_context *ctx = b->ctx;
    if (!w0 || w0->type->count < 3)
        return false;
    ir_value *device = tnb_device(b, op);
    ir_attr hidden = ui32(ctx, w0->type->dims[2]);
    ir_attr inner = ir_op_attr(op, "intermediate_size");
    ir_value *packed0 =
        tnb_op(b, "_prepare_w0_w1", TTNN_OP(prepare_moe_compute_w0_w1_weights), w0->type,
               IR_VALUES(w0, w1, bias0, ir_op_operand_named(op, "bias_1"), device),
               IR_ATTRS({"hidden_size", hidden}, {"intermediate_size", inner}));
    ir_value *packed2 =
        tnb_op(b, "_prepare_w2", TTNN_OP(prepare_moe_compute_w2_weights), w2->type,
               IR_VALUES(w2, ir_op_operand_named(op, "bias_2"), device),
               IR_ATTRS({"hidden_size", hidden}, {"intermediate_size", inner}));
    const int64_t mux[1][4] = {{1, 1, 3, 3}};
    ir_value *y = tnb_op(
        b, NULL, TTNN_OP(moe_compute), op->results[0].type,
        IR_VALUES(op->operands[0].value, op->operands[1].value, op->operands[2].value,
                  op->operands[3].value, packed0, packed2, NULL, NULL, device),
        IR_ATTRS({"layer_id", ir_op_attr(op, "layer_id")},
                 {"output_height_shard_dim", ir_op_attr(op, "output_height_shard_dim")},
                 {"intermediate_size", inner},
                 {"has_bias", ir_bool_attr(ctx, bias0 != NULL)},
                 {"activation_function", ir_op_attr(op, "activation_function")},
                 {"cluster_axis", ir_op_attr(op, "cluster_axis")},
                 {"mux_core_range_set", ttnn_core_ranges(ctx, mux, 1)}));
    return ttnn_replace_one(op, y);
}

bool ttnn_convert_tt_lang(ir_op *op, ir_builder *b)
{
    static const char *const names[] = {"kernel_id", "version_tag", "arg_roles",
                                        "shard_spec"};
    ir_attr_by_name attrs[TW_COUNT(names)];
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((op->n_results + 1) * sizeof *types);
    for (size_t i = 0; i < TW_COUNT(names); i++)
        attrs[i] = (ir_attr_by_name){names[i], ir_op_attr(op, names[i])};
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    ir_op *made = ir_build_op(b, TTNN_OP(tt_lang_op), types, op->n_results, operands,
                              op->n_operands, attrs, TW_COUNT(names), 0);
    free(operands);
    free(types);
    return ttnn_replace_all(op, made);
}
