/* lower.c: lowers Shardy's collectives to StableHLO.
 *
 * Operands have local shapes already.  Each axis is a collective of its own, among the
 * devices that differ on that axis only: gathered from the minor axis to the major one,
 * so that shards are in order; split in the reverse order. */
#include "sdy/mesh/mesh.h"
#include "sdy/propagation/groups.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"

enum { MAX_AXES = 32 };

typedef struct lowering {
    ir_builder b;
    ir_op *op;
    ir_attr mesh;
    ir_op *made[MAX_AXES * 4]; /* the ops of an all_slice */
    size_t n_made;
} lowering;

/* Only whole axes of the mesh are supported. */
static bool can_exchange(const lowering *l, ir_attr axes)
{
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        if (sdy_sub_axis(axes->items[i]) || sdy_axis_index(l->mesh, axes->items[i]) < 0)
            return ir_op_error(l->op,
                               "exchanges data along a part of an axis, which has no "
                               "form in StableHLO");
    return sdy_length(axes) <= MAX_AXES ||
           ir_op_error(l->op, "exchanges data along %u axes; at most %d are supported",
                       sdy_length(axes), MAX_AXES);
}

static bool divides(const lowering *l, int64_t size, int64_t parts)
{
    return size % parts == 0 ||
           ir_op_error(l->op,
                       "splits %lld elements into %lld parts, which are not of one size",
                       (long long)size, (long long)parts);
}

/* ---- reductions --------------------------------------------------------------------- */

static ir_value *reduce_along(lowering *l, ir_value *v, ir_attr axis)
{
    ir_op *made =
        ir_build_op(&l->b, STABLEHLO_OP(all_reduce), &v->type, 1, &v, 1,
                    IR_ATTRS({"replica_groups", sdy_replica_groups(l->mesh, &axis, 1)},
                             {"channel_handle", hlo_channel(l->b.ctx, 1)}),
                    1);
    sdy_fill_reduction(made, l->op);
    return &made->results[0];
}

static ir_value *lower_reduce(lowering *l, ir_value *v)
{
    ir_attr axes = ir_op_attr(l->op, "reduction_axes")->params[0];
    if (!can_exchange(l, axes))
        return NULL;
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        v = reduce_along(l, v, axes->items[i]);
    return v;
}

/* ---- along dimensions --------------------------------------------------------------- */

typedef ir_value *along_fn(lowering *l, ir_value *v, int64_t dim, ir_attr axis);

static ir_value *gather_along(lowering *l, ir_value *v, int64_t dim, ir_attr axis)
{
    int64_t parts = sdy_axis_size(l->mesh, axis);
    ir_type t = hlo_with_size(v->type, dim, v->type->dims[dim] * parts);
    return ir_build1(&l->b, STABLEHLO_OP(all_gather), t, &v, 1,
                     IR_ATTRS({"all_gather_dim", ir_i64_attr(l->b.ctx, dim)},
                              {"replica_groups", sdy_replica_groups(l->mesh, &axis, 1)},
                              {"channel_handle", hlo_channel(l->b.ctx, 1)}));
}

static ir_value *scatter_along(lowering *l, ir_value *v, int64_t dim, ir_attr axis)
{
    int64_t parts = sdy_axis_size(l->mesh, axis);
    if (!divides(l, v->type->dims[dim], parts))
        return NULL;
    ir_type t = hlo_with_size(v->type, dim, v->type->dims[dim] / parts);
    ir_op *made =
        ir_build_op(&l->b, STABLEHLO_OP(reduce_scatter), &t, 1, &v, 1,
                    IR_ATTRS({"scatter_dimension", ir_i64_attr(l->b.ctx, dim)},
                             {"replica_groups", sdy_replica_groups(l->mesh, &axis, 1)},
                             {"channel_handle", hlo_channel(l->b.ctx, 1)}),
                    1);
    sdy_fill_reduction(made, l->op);
    return &made->results[0];
}

static ir_value *exchange(lowering *l, ir_value *v, ir_type t, int64_t split,
                          int64_t concat, const ir_attr *axes, uint32_t n)
{
    int64_t parts = 1;
    for (uint32_t i = 0; i < n; i++)
        parts *= sdy_axis_size(l->mesh, axes[i]);
    return ir_build1(&l->b, STABLEHLO_OP(all_to_all), t, &v, 1,
                     IR_ATTRS({"split_dimension", ir_i64_attr(l->b.ctx, split)},
                              {"concat_dimension", ir_i64_attr(l->b.ctx, concat)},
                              {"split_count", ir_i64_attr(l->b.ctx, parts)},
                              {"replica_groups", sdy_replica_groups(l->mesh, axes, n)},
                              {"channel_handle", hlo_channel(l->b.ctx, 1)}));
}

static void remember(lowering *l, ir_value *v)
{
    if (l->n_made < TW_COUNT(l->made))
        l->made[l->n_made++] = ir_value_def(v);
}

/* All devices hold the same data, so an all_to_all followed by a slice of part 0 gives
 * each its shard without the device's index. */
static ir_value *slice_along(lowering *l, ir_value *v, int64_t dim, ir_attr axis)
{
    int64_t parts = sdy_axis_size(l->mesh, axis), rank = v->type->count;
    int64_t dims[SDY_MAX_DIMS + 1], start[SDY_MAX_DIMS + 1] = {0}, stride[SDY_MAX_DIMS + 1];
    if (!divides(l, v->type->dims[dim], parts))
        return NULL;
    ir_type local = hlo_with_size(v->type, dim, v->type->dims[dim] / parts);
    for (int64_t i = 0, at = 0; i < rank; i++) {
        if (i == dim)
            dims[at++] = parts;
        dims[at++] = local->dims[i];
    }
    for (int64_t i = 0; i <= rank; i++)
        stride[i] = 1;
    remember(l, v = hlo_reshape(&l->b, v, dims, (size_t)rank + 1));
    remember(l, v = exchange(l, v, v->type, dim, dim, &axis, 1));
    dims[dim] = 1;
    remember(l, v = hlo_slice(&l->b, v, start, dims, stride));
    remember(l, v = hlo_reshape(&l->b, v, local->dims, (size_t)rank));
    return v;
}

static ir_value *lower_per_dim(lowering *l, ir_value *v, const char *attr, along_fn *along,
                               bool minor_first)
{
    ir_attr lists = ir_op_attr(l->op, attr)->params[0];
    for (uint32_t d = 0; d < sdy_length(lists) && v; d++) {
        ir_attr axes = lists->items[d]->params[0];
        uint32_t n = sdy_length(axes);
        if (!can_exchange(l, axes))
            return NULL;
        for (uint32_t i = 0; i < n && v; i++)
            v = along(l, v, d, axes->items[minor_first ? n - 1 - i : i]);
    }
    return v;
}

static ir_value *lower_gather(lowering *l, ir_value *v)
{
    return lower_per_dim(l, v, "gathering_axes", gather_along, true);
}

static ir_value *lower_scatter(lowering *l, ir_value *v)
{
    return lower_per_dim(l, v, "reduce_scatter_axes", scatter_along, false);
}

static ir_value *lower_to_all(lowering *l, ir_value *v)
{
    ir_attr moves = ir_op_attr(l->op, "params")->params[0];
    for (uint32_t i = 0; i < sdy_length(moves) && v; i++) {
        ir_attr axes = moves->items[i]->params[0];
        int64_t from = ir_attr_int(moves->items[i]->params[1], 0), parts = 1;
        int64_t to = ir_attr_int(moves->items[i]->params[2], 0);
        if (!can_exchange(l, axes))
            return NULL;
        for (uint32_t k = 0; k < sdy_length(axes); k++)
            parts *= sdy_axis_size(l->mesh, axes->items[k]);
        if (!divides(l, v->type->dims[to], parts))
            return NULL;
        ir_type t = hlo_with_size(v->type, to, v->type->dims[to] / parts);
        t = hlo_with_size(t, from, t->dims[from] * parts);
        v = exchange(l, v, t, to, from, axes->items, sdy_length(axes));
    }
    return v;
}

/* ---- all_slice ---------------------------------------------------------------------- */

/* "sdy.all_slice1", or with the next unused number. */
static void next_name(ir_op *module, tw_strbuf *name)
{
    for (unsigned n = 1;; n++) {
        name->size = 0;
        tw_strbuf_printf(name, "sdy.all_slice%u", n);
        if (!ir_symbol_lookup(module, (tw_str){name->data, name->size}))
            return;
    }
}

/* If the operand is replicated, the slice becomes a composite. */
static ir_value *as_composite(lowering *l, ir_value *in, ir_value *out)
{
    ir_context *ctx = l->b.ctx;
    ir_op *module = l->op;
    while (ir_op_parent(module))
        module = ir_op_parent(module);
    tw_strbuf name = {0};
    next_name(module, &name);
    ir_op *func = mesh_outline(module, (tw_str){name.data, name.size}, &in, 1, &out, 1,
                               l->made, l->n_made);
    tw_strbuf_free(&name);
    ir_named_attr own = {ir_ident_from(ctx, "out_sharding"),
                         ir_op_attr(l->op, "out_sharding")};
    ir_value *made =
        ir_build1(&l->b, STABLEHLO_OP(composite), out->type, &in, 1,
                  IR_ATTRS({"name", ir_string_attr(ctx, TW_STR("sdy.all_slice"))},
                           {"composite_attributes", ir_dict_attr(ctx, &own, 1)},
                           {"decomposition", ir_symbol_ref(ctx, ir_symbol_name(func))}));
    for (size_t i = l->n_made; i > 0; i--)
        ir_op_erase(l->made[i - 1]);
    return made;
}

static ir_value *lower_slice(lowering *l, ir_value *v)
{
    bool whole = !mesh_splits(mesh_sharding_of(v), l->mesh);
    ir_value *out = lower_per_dim(l, v, "slicing_axes", slice_along, false);
    bool kept = l->n_made < TW_COUNT(l->made);
    return out && out != v && whole && kept ? as_composite(l, v, out) : out;
}

/* ---- all of them -------------------------------------------------------------------- */

static ir_value *lower_permute(lowering *l, ir_value *v)
{
    ir_attr to = ir_op_attr(l->op, "out_sharding");
    ir_attr pairs = sdy_permutation(l->op, mesh_sharding_of(v), to);
    return pairs ? ir_build1(&l->b, STABLEHLO_OP(collective_permute), v->type, IR_VALUES(v),
                             IR_ATTRS({"source_target_pairs", pairs},
                                      {"channel_handle", hlo_channel(l->b.ctx, 1)}))
                 : NULL;
}

bool mesh_lower_collective(ir_op *op)
{
    static const struct {
        uint16_t row;
        ir_value *(*lower)(lowering *l, ir_value *v);
    } rows[] = {
        {SDY_all_gather, lower_gather},      {SDY_all_reduce, lower_reduce},
        {SDY_all_slice, lower_slice},        {SDY_all_to_all, lower_to_all},
        {SDY_reduce_scatter, lower_scatter}, {SDY_collective_permute, lower_permute},
    };
    if (ir_op_is_unused(op)) {
        ir_op_erase(op);
        return true;
    }
    ir_attr sharding = ir_op_attr(op, "out_sharding");
    ir_value *v = op->operands[0].value;
    lowering l = {.b = ir_builder_before(op), .op = op, .mesh = sdy_mesh_of(op, sharding)};
    if (!ir_type_is_ranked(v->type) || v->type->count > SDY_MAX_DIMS ||
        !ir_type_has_static_shape(v->type) || !l.mesh)
        return ir_op_error(op, "needs a tensor of known shape and a mesh");
    if (sdy_mesh_size(l.mesh) > SDY_MAX_DEVICES)
        return ir_op_error(op, "is for a mesh of more than %d devices", SDY_MAX_DEVICES);
    for (size_t i = 0; i < TW_COUNT(rows); i++) {
        if (op->def != &sdy_ops[rows[i].row])
            continue;
        ir_value *made = rows[i].lower(&l, v);
        if (!made)
            return false;
        if (made != v && ir_value_def(made))
            ir_op_set_attr(ir_value_def(made), MESH_SHARDING,
                           sdy_per_value(op->ctx, &sharding, 1));
        ir_value_replace_uses(&op->results[0], made);
        ir_op_erase(op);
        return true;
    }
    return ir_op_error(op, "is unsupported in StableHLO");
}
