/* local_ops.c: sdy-convert-global-to-local: ops whose attributes are sizes or indices. */
#include "sdy/export/to_local.h"
#include "sdy/propagation/groups.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"

static ir_attr axes_at(ir_attr sharding, int64_t dim)
{
    return sharding && dim >= 0 && dim < sdy_sharding_rank(sharding)
               ? sdy_dim_at(sharding, (size_t)dim)->params[SDY_DIM_AXES]
               : NULL;
}

static int64_t parts_at(ir_op *op, ir_attr sharding, int64_t dim)
{
    ir_attr axes = axes_at(sharding, dim),
            mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    return axes && mesh ? sdy_axes_size(mesh, axes->items, axes->count) : 1;
}

/* Sets the local type of the only result. */
static bool set_local_type(to_local *t, ir_op *op)
{
    ir_type local =
        to_local_type(op, op->results[0].type, to_local_sharding(t, &op->results[0]));
    if (local)
        op->results[0].type = local;
    return local != NULL;
}

static bool mismatch(ir_op *op, int64_t dim)
{
    return ir_op_error(
        op,
        "dimension %lld has mismatched sharding axes. This requires a reshard "
        "which should have been handled by previous passes.",
        (long long)dim);
}

/* ---- constants and iotas ------------------------------------------------------------ */

bool to_local_constant(to_local *t, ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value"), dims[SDY_MAX_DIMS];
    ir_attr sharding = to_local_sharding(t, &op->results[0]);
    ir_type local = to_local_type(op, op->results[0].type, sharding);
    ir_builder b = ir_builder_before(op);
    if (!local)
        return false;
    if (local == op->results[0].type) {
        if (op->def == STABLEHLO_OP(constant))
            return true;
        return to_local_replace(t, op, hlo_constant(&b, value));
    }
    if (ir_attr_is(value, IR_ATTR_DENSE) && value->splat == 1)
        return to_local_replace(
            t, op,
            hlo_constant(&b, ir_dense_attr(local, value->blob->data,
                                           ir_dense_element_size(local->element))));
    for (uint32_t d = 0; d < local->count; d++)
        dims[d] = axes_at(sharding, d);
    ir_value *whole = hlo_constant(&b, value);
    return to_local_replace(
        t, op, to_local_cut(t, &b, whole, sdy_mesh_of(op, sharding), dims, local));
}

bool to_local_iota(to_local *t, ir_op *op)
{
    ir_attr sharding = to_local_sharding(t, &op->results[0]);
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    ir_type local = to_local_type(op, op->results[0].type, sharding);
    ir_builder b = ir_builder_before(op);
    if (!local)
        return false;
    if (local == op->results[0].type)
        return true;
    ir_value *own = hlo_iota(&b, local, dim);
    if (parts_at(op, sharding, dim) == 1)
        return to_local_replace(t, op, own);
    ir_value *offset = to_local_offset(t, &b, sdy_mesh_of(op, sharding),
                                       axes_at(sharding, dim), local->dims[dim]);
    if (!offset)
        return ir_op_error(op, "is sharded by axes that its mesh does not have");
    ir_type scalar = hlo_scalar_type(local->element);
    if (scalar != offset->type)
        offset = ir_build1(&b, STABLEHLO_OP(convert), scalar, IR_VALUES(offset), NULL, 0);
    offset = hlo_broadcast(&b, offset, local->dims, local->count, NULL, 0);
    return to_local_replace(
        t, op, ir_build1(&b, STABLEHLO_OP(add), local, IR_VALUES(own, offset), NULL, 0));
}

/* ---- slices, pads, windows ---------------------------------------------------------- */

bool to_local_concatenate(to_local *t, ir_op *op)
{
    ir_attr out = to_local_sharding(t, &op->results[0]);
    int64_t dim = ir_op_int(op, "dimension", 0);
    if (parts_at(op, out, dim) > 1)
        return ir_op_error(op,
                           "dimension %lld is sharded but the concatenation is on this "
                           "dimension.",
                           (long long)dim);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_attr in = to_local_sharding(t, op->operands[i].value);
        if (parts_at(op, in, dim) > 1)
            return ir_op_error(
                op,
                "operand %u is sharded on concatenation dimension %lld. This "
                "is not supported.",
                i, (long long)dim);
        for (uint32_t d = 0; d < op->results[0].type->count; d++)
            if (d != dim && parts_at(op, in, d) * parts_at(op, out, d) > 1 &&
                axes_at(in, d) != axes_at(out, d))
                return mismatch(op, d);
    }
    return set_local_type(t, op);
}

/* A sharded dimension must be sliced whole, with a stride that divides the shard, so that
 * it continues from shard to shard. */
bool to_local_slice(to_local *t, ir_op *op)
{
    ir_attr in = to_local_sharding(t, op->operands[0].value);
    ir_attr out = to_local_sharding(t, &op->results[0]);
    ir_type part = op->operands[0].value->type; /* already local */
    int64_t start[SDY_MAX_DIMS], limit[SDY_MAX_DIMS], stride[SDY_MAX_DIMS], n = part->count;
    if (ir_attr_ints(ir_op_attr(op, "start_indices"), start, SDY_MAX_DIMS) != n ||
        ir_attr_ints(ir_op_attr(op, "limit_indices"), limit, SDY_MAX_DIMS) != n ||
        ir_attr_ints(ir_op_attr(op, "strides"), stride, SDY_MAX_DIMS) != n)
        return ir_op_error(op, "has no ranges of its operand");
    for (int64_t d = 0; d < n; d++) {
        int64_t parts = parts_at(op, in, d), whole = part->dims[d] * parts;
        if (parts * parts_at(op, out, d) > 1 && axes_at(in, d) != axes_at(out, d))
            return mismatch(op, d);
        if (parts == 1)
            continue;
        if (start[d] != 0 || limit[d] != whole || part->dims[d] % stride[d])
            return ir_op_error(
                op,
                "dimension %lld is sharded but the slice is not a full slice "
                "and requires device communication.",
                (long long)d);
        limit[d] = part->dims[d];
    }
    ir_op_set_attr(op, "limit_indices", ir_dense_i64_array(op->ctx, limit, (size_t)n));
    ir_op_set_attr(op, "sdy.sharding", NULL);
    return set_local_type(t, op);
}

bool to_local_dynamic_slice(to_local *t, ir_op *op)
{
    ir_type whole = op->results[0].type;
    ir_attr in = to_local_sharding(t, op->operands[0].value);
    for (uint32_t d = 0; d < whole->count; d++)
        if (parts_at(op, in, d) > 1 &&
            op->operands[0].value->type->dims[d] * parts_at(op, in, d) != whole->dims[d])
            return ir_op_error(op,
                               "dimension %u is sharded but the slice is not a full slice "
                               "and requires device communication.",
                               d);
    if (!set_local_type(t, op))
        return false;
    ir_type local = op->results[0].type;
    ir_op_set_attr(op, "slice_sizes",
                   ir_dense_i64_array(op->ctx, local->dims, local->count));
    return true;
}

/* Edge padding is at the ends of the whole tensor, which only some devices hold; it must
 * equal the interior padding in total: then each element carries its own. */
bool to_local_pad(to_local *t, ir_op *op)
{
    ir_attr in = to_local_sharding(t, op->operands[0].value);
    ir_attr out = to_local_sharding(t, &op->results[0]);
    int64_t low[SDY_MAX_DIMS], high[SDY_MAX_DIMS], inner[SDY_MAX_DIMS],
        n = op->results[0].type->count;
    if (ir_attr_ints(ir_op_attr(op, "edge_padding_low"), low, SDY_MAX_DIMS) != n ||
        ir_attr_ints(ir_op_attr(op, "edge_padding_high"), high, SDY_MAX_DIMS) != n ||
        ir_attr_ints(ir_op_attr(op, "interior_padding"), inner, SDY_MAX_DIMS) != n)
        return ir_op_error(op, "has no padding of each dimension");
    for (int64_t d = 0; d < n; d++) {
        if (parts_at(op, in, d) * parts_at(op, out, d) == 1)
            continue;
        if (axes_at(in, d) != axes_at(out, d))
            return mismatch(op, d);
        if (low[d] < 0 || high[d] < 0 || low[d] + high[d] != inner[d])
            return ir_op_error(op,
                               "dimension %lld is sharded, but padding it requires device "
                               "communication.",
                               (long long)d);
    }
    return set_local_type(t, op);
}

/* Windows must be disjoint and without padding, so that none spans two devices. */
bool to_local_windows(to_local *t, ir_op *op)
{
    ir_value *from = op->operands[0].value;
    ir_attr in = to_local_sharding(t, from);
    int64_t window[SDY_MAX_DIMS], stride[SDY_MAX_DIMS], padding[2 * SDY_MAX_DIMS],
        n = from->type->count;
    int64_t windows =
        ir_attr_ints(ir_op_attr(op, "window_dimensions"), window, SDY_MAX_DIMS);
    int64_t strides = ir_attr_ints(ir_op_attr(op, "window_strides"), stride, SDY_MAX_DIMS);
    ir_attr pads = ir_op_attr(op, "padding");
    if (pads && ir_attr_ints(pads, padding, 2 * SDY_MAX_DIMS) != 2 * n)
        return ir_op_error(op, "has no padding of each dimension");
    for (int64_t d = 0; d < n; d++) {
        int64_t w = windows == n ? window[d] : 1, s = strides == n ? stride[d] : 1;
        bool padded = pads && (padding[2 * d] || padding[2 * d + 1]);
        if (parts_at(op, in, d) > 1 && (padded || s < w || from->type->dims[d] % s))
            return ir_op_error(
                op, "dimension %lld is sharded but is not a pass-through dimension.",
                (long long)d);
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = &op->results[i];
        ir_type local = to_local_type(op, v->type, to_local_sharding(t, v));
        if (!local)
            return false;
        v->type = local;
    }
    return true;
}

/* Slice sizes of dimensions that are not indexed become the local size. */
bool to_local_gather(to_local *t, ir_op *op)
{
    ir_attr in = to_local_sharding(t, op->operands[0].value);
    ir_type part = op->operands[0].value->type;
    int64_t sizes[SDY_MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, SDY_MAX_DIMS);
    if (n != part->count)
        return ir_op_error(op, "has no size of each dimension");
    for (int64_t d = 0; d < n; d++) {
        int64_t parts = parts_at(op, in, d);
        bool full = sizes[d] == part->dims[d] * parts;
        if (parts > 1 && !full)
            return ir_op_error(
                op,
                "dimension %lld of the operand is sharded, but not all of it "
                "is taken: this requires device communication.",
                (long long)d);
        sizes[d] = parts > 1 ? part->dims[d] : sizes[d];
    }
    ir_op_set_attr(op, "slice_sizes", ir_dense_i64_array(op->ctx, sizes, (size_t)n));
    return set_local_type(t, op);
}

/* ---- scatter ------------------------------------------------------------------------ */

/* Indices relative to the start of this device's shard, as i64: those of other shards are
 * out of bounds, which scatter ignores. */
static ir_value *own_indices(ir_builder *b, ir_value *indices, ir_value *const *offsets,
                             size_t n, int64_t vector_dim)
{
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_type type = ir_type_with_element(indices->type, i64);
    bool single = vector_dim >= (int64_t)type->count;
    ir_value *vector =
        single ? offsets[0]
               : hlo_concatenate(b, hlo_vector_type(i64, (int64_t)n), offsets, n, 0);
    vector = hlo_broadcast(b, vector, type->dims, type->count, &vector_dim, single ? 0 : 1);
    if (indices->type != type)
        indices = ir_build1(b, STABLEHLO_OP(convert), type, IR_VALUES(indices), NULL, 0);
    return ir_build1(b, STABLEHLO_OP(subtract), type, IR_VALUES(indices, vector), NULL, 0);
}

/* If an indexed dimension is split, each device applies the updates inside its shard,
 * provided that windows are single elements there. */
bool to_local_scatter(to_local *t, ir_op *op)
{
    const uint32_t inputs = op->n_operands / 2;
    ir_attr numbers = ir_op_attr(op, "scatter_dimension_numbers");
    ir_attr to = ir_attr_param(numbers, "scatterDimsToOperandDims");
    ir_attr inserted = ir_attr_param(numbers, "insertedWindowDims");
    const int64_t vector_dim = ir_attr_int(ir_attr_param(numbers, "indexVectorDim"), 0);
    ir_value *const first = op->operands[0].value, *offsets[SDY_MAX_DIMS];
    ir_attr in = to_local_sharding(t, first);
    ir_builder b = ir_builder_before(op);
    bool any = false;
    for (uint32_t i = 0; i < to->count; i++)
        any |= parts_at(op, in, to->items[i]->value) > 1;
    for (uint32_t i = 0; any && i < to->count; i++) {
        const int64_t d = to->items[i]->value;
        offsets[i] = hlo_int(&b, ir_integer_type(op->ctx, 64, IR_SIGNLESS), 0);
        if (parts_at(op, in, d) > 1) {
            if (!sdy_lists(inserted, d))
                return ir_op_error(
                    op,
                    "dimension %lld of the operand is sharded, but updates may "
                    "reach over several parts: this requires device "
                    "communication.",
                    (long long)d);
            offsets[i] = to_local_offset(t, &b, sdy_mesh_of(op, in), axes_at(in, d),
                                         first->type->dims[d]);
            if (!offsets[i])
                return ir_op_error(op, "is sharded by axes that its mesh does not have");
        }
        if (vector_dim < (int64_t)op->operands[inputs].value->type->count)
            offsets[i] = hlo_as_vector(&b, offsets[i]);
    }
    if (any)
        ir_op_set_operand(
            op, inputs,
            own_indices(&b, op->operands[inputs].value, offsets, to->count, vector_dim));
    return to_local_computable(t, op);
}

/* Groups are split before the channels of a group. */
bool to_local_convolution(to_local *t, ir_op *op)
{
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    static const struct {
        const char *attr, *dim;
        uint32_t operand;
    } groups[] = {
        {"feature_group_count", "inputFeatureDimension", 0},
        {"batch_group_count", "inputBatchDimension", 0},
    };
    for (size_t i = 0; i < TW_COUNT(groups); i++) {
        int64_t n = ir_op_int(op, groups[i].attr, 1);
        int64_t dim = ir_attr_int(ir_attr_param(numbers, groups[i].dim), 0);
        int64_t parts =
            parts_at(op, to_local_sharding(t, op->operands[groups[i].operand].value), dim);
        int64_t by = parts < n ? parts : n;
        if (n <= 1 || parts <= 1)
            continue;
        if (n % by)
            return ir_op_error(op, "has %lld groups, which %lld devices cannot share",
                               (long long)n, (long long)parts);
        ir_op_set_attr(op, groups[i].attr, ir_i64_attr(op->ctx, n / by));
    }
    ir_op_set_attr(op, "sdy.sharding", NULL);
    return set_local_type(t, op);
}
