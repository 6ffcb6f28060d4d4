/* local_exchanges.c: sdy-convert-global-to-local: lowers collectives to StableHLO.
 *
 * A collective along several dimensions becomes one along an extra leading dimension, in
 * which the shards are adjacent, followed by a transposition that restores their order. */
#include "sdy/export/to_local.h"
#include "sdy/propagation/groups.h"
#include "sdy/propagation/projection.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

enum { MAX_AXES = 128 };

/* Axes of several dimensions, concatenated. */
typedef struct axes {
    ir_attr at[MAX_AXES];
    size_t n;
} axes;

static bool add_axes(axes *all, ir_attr list)
{
    for (uint32_t i = 0; i < sdy_length(list); i++) {
        if (all->n == MAX_AXES)
            return false;
        all->at[all->n++] = list->items[i];
    }
    return true;
}

static ir_attr as_mesh_axes(ir_attr mesh_ref, const axes *a)
{
    ir_context *ctx = mesh_ref->ctx;
    ir_attr made[MAX_AXES];
    for (size_t i = 0; i < a->n; i++) {
        ir_attr params[] = {a->at[i]->params[0], NULL};
        if (sdy_sub_axis(a->at[i]))
            return NULL;
        made[i] = ir_dialect_attr(ctx, STABLEHLO_ATTR(axis_ref), params, 2);
    }
    ir_attr params[] = {mesh_ref, ir_array_attr(ctx, made, a->n)};
    return ir_dialect_attr(ctx, STABLEHLO_ATTR(replica_group_mesh_axes), params, 2);
}

/* NULL after an error. */
static ir_attr groups_of(const to_local *t, ir_op *op, ir_attr sharding, const axes *a)
{
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL, made = NULL;
    if (!mesh) {
        ir_op_error(op, "failed to resolve mesh");
        return NULL;
    }
    if (t->by_axes)
        made = as_mesh_axes(sharding->params[SDY_MESH], a);
    if (!made)
        made = sdy_replica_groups(mesh, a->at, a->n);
    if (!made)
        ir_op_error(
            op, "names axes that its mesh does not have, or a mesh of too many devices");
    return made;
}

static ir_attr channel(to_local *t, ir_context *ctx)
{
    return hlo_channel(ctx, t->channel++);
}

static ir_value *transpose(ir_builder *b, ir_value *v, const int64_t *order)
{
    int64_t dims[2 * SDY_MAX_DIMS];
    size_t rank = v->type->count;
    for (size_t i = 0; i < rank; i++)
        dims[i] = v->type->dims[order[i]];
    return ir_build1(b, STABLEHLO_OP(transpose), ir_type_with_shape(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"permutation", ir_dense_i64_array(b->ctx, order, rank)}));
}

static bool is_exchangeable(ir_op *op)
{
    ir_type type = op->operands[0].value->type;
    return (ir_type_is_ranked(type) && ir_type_has_static_shape(type) &&
            type->count < SDY_MAX_DIMS) ||
           ir_op_error(op, "needs a tensor of known shape");
}

/* ---- all_reduce --------------------------------------------------------------------- */

static ir_value *reduce(to_local *t, ir_op *op, ir_builder *b, ir_value *v, ir_attr groups)
{
    ir_op *made = ir_build_op(b, STABLEHLO_OP(all_reduce), &v->type, 1, &v, 1,
                              IR_ATTRS({"replica_groups", groups},
                                       {"channel_handle", channel(t, b->ctx)},
                                       {"use_global_device_ids", ir_unit_attr(b->ctx)}),
                              1);
    sdy_fill_reduction(made, op);
    return &made->results[0];
}

bool to_local_all_reduce(to_local *t, ir_op *op)
{
    axes a = {.n = 0};
    ir_builder b = ir_builder_before(op);
    if (!add_axes(&a, ir_op_attr(op, "reduction_axes")->params[0]))
        return false;
    ir_attr groups = groups_of(t, op, ir_op_attr(op, "out_sharding"), &a);
    return groups &&
           to_local_replace(t, op, reduce(t, op, &b, op->operands[0].value, groups));
}

/* ---- all_gather --------------------------------------------------------------------- */

static ir_value *gather(to_local *t, ir_builder *b, ir_value *v, int64_t dim, int64_t parts,
                        ir_attr groups)
{
    ir_type type = hlo_with_size(v->type, dim, v->type->dims[dim] * parts);
    return ir_build1(b, STABLEHLO_OP(all_gather), type, IR_VALUES(v),
                     IR_ATTRS({"all_gather_dim", ir_i64_attr(b->ctx, dim)},
                              {"replica_groups", groups},
                              {"channel_handle", channel(t, b->ctx)},
                              {"use_global_device_ids", ir_unit_attr(b->ctx)}));
}

/* Dimensions that have axes, with the number of shards of each. */
typedef struct cuts {
    int64_t dim[SDY_MAX_DIMS], parts[SDY_MAX_DIMS], n;
    axes all;
} cuts;

static bool find_cuts(ir_op *op, ir_attr lists, ir_attr mesh, cuts *c)
{
    c->n = 0;
    c->all.n = 0;
    for (uint32_t d = 0; d < sdy_length(lists) && d < SDY_MAX_DIMS; d++) {
        ir_attr list = lists->items[d]->params[0];
        if (!sdy_length(list))
            continue;
        c->dim[c->n] = d;
        c->parts[c->n++] = sdy_axes_size(mesh, list->items, list->count);
        if (!add_axes(&c->all, list))
            return ir_op_error(op, "has too many axes");
    }
    return c->n > 0 || ir_op_error(op, "exchanges nothing");
}

static ir_value *gather_at_once(to_local *t, ir_builder *b, ir_value *v, const cuts *c,
                                ir_attr groups, int64_t parts)
{
    int64_t dims[2 * SDY_MAX_DIMS], order[2 * SDY_MAX_DIMS], rank = v->type->count, at = 0;
    int64_t part[SDY_MAX_DIMS];
    memcpy(part, v->type->dims, (size_t)rank * sizeof part[0]);
    dims[0] = 1;
    memcpy(dims + 1, part, (size_t)rank * sizeof part[0]);
    v = hlo_reshape(b, v, dims, (size_t)rank + 1);
    v = gather(t, b, v, 0, parts, groups);
    memcpy(dims, c->parts, (size_t)c->n * sizeof part[0]);
    memcpy(dims + c->n, part, (size_t)rank * sizeof part[0]);
    v = hlo_reshape(b, v, dims, (size_t)(rank + c->n));
    for (int64_t i = 0, next = 0; i < rank; i++) {
        if (next < c->n && c->dim[next] == i) {
            part[i] *= c->parts[next];
            order[at++] = next++;
        }
        order[at++] = i + c->n;
    }
    return hlo_reshape(b, transpose(b, v, order), part, (size_t)rank);
}

bool to_local_all_gather(to_local *t, ir_op *op)
{
    ir_attr sharding = ir_op_attr(op, "out_sharding"), mesh = sdy_mesh_of(op, sharding);
    ir_attr lists = ir_op_attr(op, "gathering_axes")->params[0];
    ir_builder b = ir_builder_before(op);
    ir_value *v = op->operands[0].value;
    cuts c;
    if (!mesh)
        return ir_op_error(op, "failed to resolve mesh");
    if (!is_exchangeable(op) || !find_cuts(op, lists, mesh, &c))
        return false;
    if (c.n > 1 && !t->per_dim) {
        ir_attr groups = groups_of(t, op, sharding, &c.all);
        return groups &&
               to_local_replace(t, op,
                                gather_at_once(t, &b, v, &c, groups,
                                               sdy_axes_size(mesh, c.all.at, c.all.n)));
    }
    for (int64_t i = c.n; i > 0; i--) {
        axes a = {.n = 0};
        add_axes(&a, lists->items[c.dim[i - 1]]->params[0]);
        ir_attr groups = groups_of(t, op, sharding, &a);
        if (!groups)
            return false;
        v = gather(t, &b, v, c.dim[i - 1], c.parts[i - 1], groups);
    }
    return to_local_replace(t, op, v);
}

/* ---- all_slice, reduce_scatter ------------------------------------------------------ */

/* The axes of each dimension, NULL if it has none. */
static size_t axes_of_dims(ir_attr lists, ir_attr out[SDY_MAX_DIMS])
{
    size_t n = sdy_length(lists) < SDY_MAX_DIMS ? sdy_length(lists) : SDY_MAX_DIMS;
    for (size_t i = 0; i < n; i++)
        out[i] = lists->items[i]->params[0];
    return n;
}

bool to_local_all_slice(to_local *t, ir_op *op)
{
    ir_attr sharding = ir_op_attr(op, "out_sharding"), mesh = sdy_mesh_of(op, sharding);
    ir_attr dims[SDY_MAX_DIMS];
    ir_builder b = ir_builder_before(op);
    ir_type local = to_local_type(op, op->results[0].type, sharding);
    if (!mesh)
        return ir_op_error(op, "failed to resolve mesh");
    if (!local || !is_exchangeable(op))
        return false;
    axes_of_dims(ir_op_attr(op, "slicing_axes")->params[0], dims);
    return to_local_replace(t, op,
                            to_local_cut(t, &b, op->operands[0].value, mesh, dims, local));
}

static ir_value *scatter(to_local *t, ir_op *op, ir_builder *b, ir_value *v, ir_type type,
                         int64_t dim, ir_attr groups)
{
    ir_op *made = ir_build_op(b, STABLEHLO_OP(reduce_scatter), &type, 1, &v, 1,
                              IR_ATTRS({"scatter_dimension", ir_i64_attr(b->ctx, dim)},
                                       {"replica_groups", groups},
                                       {"channel_handle", channel(t, b->ctx)},
                                       {"use_global_device_ids", ir_unit_attr(b->ctx)}),
                              1);
    sdy_fill_reduction(made, op);
    return &made->results[0];
}

/* Splits each dimension into [shards, shard] and merges all shard dimensions in front;
 * `local` is the type of a shard. */
static ir_value *parts_in_front(ir_builder *b, ir_value *v, const cuts *c, ir_type local)
{
    int64_t dims[2 * SDY_MAX_DIMS], order[2 * SDY_MAX_DIMS], n = 0, front = 0, total = 1,
                                                             next = 0;
    for (uint32_t i = 0; i < v->type->count; i++) {
        if (next < c->n && c->dim[next] == i) {
            order[front++] = n;
            total *= c->parts[next];
            dims[n++] = c->parts[next++];
        }
        dims[n++] = local->dims[i];
    }
    v = hlo_reshape(b, v, dims, (size_t)n);
    next = 0;
    for (int64_t i = 0; i < n; i++) {
        if (next < c->n && order[next] == i)
            next++;
        else
            order[front++] = i;
    }
    v = transpose(b, v, order);
    dims[0] = total;
    memcpy(dims + 1, local->dims, local->count * sizeof dims[0]);
    return hlo_reshape(b, v, dims, local->count + 1u);
}

bool to_local_reduce_scatter(to_local *t, ir_op *op)
{
    ir_attr sharding = ir_op_attr(op, "out_sharding"), mesh = sdy_mesh_of(op, sharding);
    ir_attr lists = ir_op_attr(op, "reduce_scatter_axes")->params[0], dims[SDY_MAX_DIMS];
    ir_builder b = ir_builder_before(op);
    ir_value *v = op->operands[0].value;
    ir_type local = to_local_type(op, op->results[0].type, sharding);
    cuts c;
    if (!mesh)
        return ir_op_error(op, "failed to resolve mesh");
    if (!local || !is_exchangeable(op) || !find_cuts(op, lists, mesh, &c))
        return false;
    ir_attr groups = groups_of(t, op, sharding, &c.all);
    if (!groups)
        return false;
    if (c.n == 1) {
        v = scatter(t, op, &b, v, local, c.dim[0], groups);
    } else if (t->combine) {
        v = parts_in_front(&b, v, &c, local);
        v = scatter(t, op, &b, v, hlo_with_size(v->type, 0, 1), 0, groups);
        v = hlo_reshape(&b, v, local->dims, local->count);
    } else {
        v = reduce(t, op, &b, v, groups);
        axes_of_dims(lists, dims);
        v = to_local_cut(t, &b, v, mesh, dims, local);
    }
    return to_local_replace(t, op, v);
}

/* ---- all_to_all --------------------------------------------------------------------- */

typedef struct move {
    int64_t from, to, parts;
    ir_attr axes;
} move;

static ir_value *exchange(to_local *t, ir_builder *b, ir_value *v, ir_type type,
                          int64_t split, int64_t concat, int64_t parts, ir_attr groups)
{
    return ir_build1(b, STABLEHLO_OP(all_to_all), type, IR_VALUES(v),
                     IR_ATTRS({"split_dimension", ir_i64_attr(b->ctx, split)},
                              {"concat_dimension", ir_i64_attr(b->ctx, concat)},
                              {"split_count", ir_i64_attr(b->ctx, parts)},
                              {"replica_groups", groups},
                              {"channel_handle", channel(t, b->ctx)}));
}

/* Moves the shards of all targets to the front, exchanges them there, and puts them
 * before their sources. */
static ir_value *exchange_at_once(to_local *t, ir_builder *b, ir_value *v,
                                  const move *moves, int64_t n, ir_attr groups)
{
    int64_t dims[2 * SDY_MAX_DIMS], order[2 * SDY_MAX_DIMS], rank = v->type->count, at = 0;
    cuts c = {.n = n};
    for (int64_t i = 0; i < n; i++) {
        c.dim[i] = moves[i].to;
        c.parts[i] = moves[i].parts;
    }
    ir_type part = v->type;
    for (int64_t i = 0; i < n; i++)
        part = hlo_with_size(part, c.dim[i], part->dims[c.dim[i]] / c.parts[i]);
    v = parts_in_front(b, v, &c, part);
    v = exchange(t, b, v, v->type, 0, 0, v->type->dims[0], groups);
    memcpy(dims, c.parts, (size_t)n * sizeof dims[0]);
    memcpy(dims + n, part->dims, (size_t)rank * sizeof dims[0]);
    v = hlo_reshape(b, v, dims, (size_t)(rank + n));
    for (int64_t i = 0; i < rank; i++) {
        dims[i] = part->dims[i];
        for (int64_t k = 0; k < n; k++)
            if (moves[k].from == i) {
                order[at++] = k;
                dims[i] *= moves[k].parts;
            }
        order[at++] = i + n;
    }
    return hlo_reshape(b, transpose(b, v, order), dims, (size_t)rank);
}

/* Reads the moves sorted by target; false if a source repeats: one exchange each. */
static bool read_moves(ir_op *op, ir_attr mesh, move *moves, int64_t *n, axes *all)
{
    ir_attr list = ir_op_attr(op, "params")->params[0];
    ir_type type = op->operands[0].value->type;
    *n = 0;
    if (sdy_length(list) > SDY_MAX_DIMS)
        return ir_op_error(op, "has %u moves, at most %d are supported", sdy_length(list),
                           SDY_MAX_DIMS);
    for (uint32_t i = 0; i < sdy_length(list); i++) {
        ir_attr own = list->items[i]->params[0];
        move m = {ir_attr_int(list->items[i]->params[1], 0),
                  ir_attr_int(list->items[i]->params[2], 0),
                  sdy_axes_size(mesh, own->items, own->count), own};
        if (type->dims[m.to] % m.parts)
            return ir_op_error(op, "dimension not divisible by num devices per group");
        int64_t at = (*n)++;
        for (; at > 0 && moves[at - 1].to > m.to; at--)
            moves[at] = moves[at - 1];
        moves[at] = m;
    }
    for (int64_t i = 0; i < *n; i++)
        if (!add_axes(all, moves[i].axes))
            return ir_op_error(op, "has too many axes");
    return *n > 0;
}

bool to_local_all_to_all(to_local *t, ir_op *op)
{
    ir_attr sharding = ir_op_attr(op, "out_sharding"), mesh = sdy_mesh_of(op, sharding);
    ir_builder b = ir_builder_before(op);
    ir_value *v = op->operands[0].value;
    move moves[SDY_MAX_DIMS];
    axes all = {.n = 0};
    int64_t n;
    if (!mesh)
        return ir_op_error(op, "failed to resolve mesh");
    if (!is_exchangeable(op) || !read_moves(op, mesh, moves, &n, &all))
        return false;
    ir_attr groups = groups_of(t, op, sharding, &all);
    if (!groups)
        return false;
    if (n > 1)
        return to_local_replace(t, op, exchange_at_once(t, &b, v, moves, n, groups));
    const move *m = &moves[0];
    ir_type type = hlo_with_size(v->type, m->to, v->type->dims[m->to] / m->parts);
    type = hlo_with_size(type, m->from, type->dims[m->from] * m->parts);
    return to_local_replace(t, op,
                            exchange(t, &b, v, type, m->to, m->from, m->parts, groups));
}

/* ---- collective_permute ------------------------------------------------------------- */

/* The sorted boundaries of axes on an axis of the mesh; returns the count. */
static size_t borders(ir_attr axis, ir_attr mesh, const axes *const both[2],
                      int64_t at[MAX_AXES])
{
    size_t n = 0;
    at[n++] = 1;
    at[n++] = sdy_axis_size(mesh, axis);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++) {
            ir_attr a = both[k]->at[i];
            const int64_t ends[] = {sdy_pre_size(a), sdy_next_pre_size(a, mesh)};
            for (int e = 0; e < 2 && sdy_axes_overlap(a, axis); e++) {
                size_t position = 0;
                while (position < n && at[position] < ends[e])
                    position++;
                if ((position < n && at[position] == ends[e]) || n == MAX_AXES)
                    continue;
                memmove(at + position + 1, at + position, (n - position) * sizeof at[0]);
                at[position] = ends[e];
                n++;
            }
        }
    return n;
}

/* The mesh's axes split at the boundaries of either list; false if they are
 * incompatible. */
static bool mesh_parts(ir_attr mesh, const axes *in, const axes *out, axes *parts)
{
    const axes *both[2] = {in, out};
    parts->n = 0;
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++) {
        ir_attr params[] = {mesh->params[0]->items[i]->params[0], NULL};
        ir_attr axis = ir_dialect_attr(mesh->ctx, SDY_ATTR(axis_ref), params, 2);
        int64_t at[MAX_AXES];
        size_t n = borders(axis, mesh, both, at);
        for (size_t k = 0; k + 1 < n; k++) {
            if (at[k + 1] % at[k] || parts->n == MAX_AXES)
                return false;
            parts->at[parts->n++] =
                n == 2 ? axis : sdy_axis_part(axis, at[k], at[k + 1] / at[k]);
        }
    }
    return true;
}

/* The parts of a sharding's axes in its order, then all unused parts. */
static void in_order(const axes *own, const axes *parts, axes *out)
{
    out->n = 0;
    for (size_t i = 0; i <= own->n; i++)
        for (size_t k = 0; k < parts->n; k++) {
            bool wanted = i == own->n || sdy_axis_contains(own->at[i], parts->at[k]);
            for (size_t j = 0; j < out->n && wanted; j++)
                wanted = out->at[j] != parts->at[k];
            if (wanted)
                out->at[out->n++] = parts->at[k];
        }
}

static bool axes_of(ir_attr sharding, axes *out)
{
    bool ok = true;
    out->n = 0;
    for (uint32_t d = 0; d < sdy_sharding_rank(sharding); d++)
        ok &= add_axes(out, sdy_dim_at(sharding, d)->params[SDY_DIM_AXES]);
    return ok;
}

ir_attr sdy_permutation(ir_op *op, ir_attr from, ir_attr to)
{
    enum { MAX_DEVICES = 65536 };
    ir_attr out_mesh = sdy_mesh_of(op, to), in_mesh = from ? sdy_mesh_of(op, from) : NULL;
    axes in, out, parts, ordered;
    if (!out_mesh || !in_mesh) {
        ir_op_error(op, "failed to resolve mesh");
        return NULL;
    }
    int64_t n = sdy_mesh_size(out_mesh);
    if (n != sdy_mesh_size(in_mesh) || n > MAX_DEVICES || !axes_of(from, &in) ||
        !axes_of(to, &out) || !mesh_parts(out_mesh, &in, &out, &parts)) {
        ir_op_error(op,
                    "permutes between meshes of different sizes, or by axes whose parts "
                    "do not fit each other");
        return NULL;
    }
    int64_t *source = tw_xmalloc((size_t)n * 4 * sizeof *source);
    int64_t *target = source + n, *pairs = source + 2 * n;
    in_order(&in, &parts, &ordered);
    bool ok = sdy_part_indices(in_mesh, ordered.at, ordered.n, source);
    in_order(&out, &parts, &ordered);
    ok = ok && sdy_part_indices(out_mesh, ordered.at, ordered.n, target);
    for (int64_t i = 0; i < n && ok; i++) { /* each index belongs to one device */
        pairs[2 * i] = i;
        for (int64_t k = 0; k < n; k++)
            if (target[k] == source[i])
                pairs[2 * i + 1] = k;
    }
    ir_type i64 = ir_integer_type(op->ctx, 64, IR_SIGNLESS);
    ir_type type = ir_tensor_type(i64, (int64_t[]){n, 2}, 2, NULL);
    ir_attr list = ok ? ir_dense_i64(type, pairs, (size_t)n * 2) : NULL;
    free(source);
    if (!ok)
        ir_op_error(op, "names axes that its mesh does not have");
    return list;
}

bool to_local_permute(to_local *t, ir_op *op)
{
    ir_value *v = op->operands[0].value;
    ir_builder b = ir_builder_before(op);
    ir_attr list =
        sdy_permutation(op, to_local_sharding(t, v), ir_op_attr(op, "out_sharding"));
    return list &&
           to_local_replace(t, op,
                            ir_build1(&b, STABLEHLO_OP(collective_permute), v->type,
                                      IR_VALUES(v),
                                      IR_ATTRS({"source_target_pairs", list},
                                               {"channel_handle", channel(t, b.ctx)})));
}
