/* collectives.c: sdy-reshard-to-collectives: lowers a reshard to collectives.
 *
 * The common prefix of both shardings is removed.  Then, at most twice: axes that only
 * the target has are sliced, in their dimension or in one from which an all_to_all moves
 * them on; axes are permuted where sizes allow it; moved from the end of one dimension to
 * the end of another; and gathered where they are unwanted.  Cheap steps come first:
 * slices shrink the data, gathers grow it. */
#include "ir/pass/pass.h"
#include "sdy/propagation/projection.h"
#include "sdy/propagation/shardings.h"
#include "support/arena.h"
#include "support/number.h"

#include <stdlib.h>

enum { MAX_AXES = 64 };

typedef struct axes {
    ir_attr at[MAX_AXES];
    uint32_t n;
} axes;

typedef struct route {
    ir_builder b;
    ir_value *v;
    ir_attr mesh, ref, target_ref, unreduced, reduction;
    uint32_t rank;
    axes in[SDY_MAX_DIMS], out[SDY_MAX_DIMS]; /* remaining source and target axes */
    axes now[SDY_MAX_DIMS];                   /* the sharding of the current value */
    int64_t room[SDY_MAX_DIMS];
    bool full; /* a list overflowed */
} route;

/* ---- lists -------------------------------------------------------------------------- */

static void insert(route *r, axes *list, uint32_t at, ir_attr axis)
{
    if (list->n == MAX_AXES) {
        r->full = true;
        return;
    }
    for (uint32_t i = list->n++; i > at; i--)
        list->at[i] = list->at[i - 1];
    list->at[at] = axis;
}

static void erase(axes *list, uint32_t at)
{
    list->n--;
    for (uint32_t i = at; i < list->n; i++)
        list->at[i] = list->at[i + 1];
}

static void push(route *r, axes *list, ir_attr axis)
{
    insert(r, list, list->n, axis);
}

static void push_joined(route *r, axes *list, ir_attr axis)
{
    ir_attr *last = list->n ? &list->at[list->n - 1] : NULL;
    if (last && sdy_axes_join(*last, axis))
        *last = sdy_axis_joined(*last, axis, r->mesh);
    else
        push(r, list, axis);
}

static bool find(const axes *lists, uint32_t n, ir_attr axis, uint32_t *dim, uint32_t *at)
{
    for (*dim = 0; *dim < n; (*dim)++)
        for (*at = 0; *at < lists[*dim].n; (*at)++)
            if (lists[*dim].at[*at] == axis)
                return true;
    return false;
}

static bool is_in(const route *r, const axes *lists, ir_attr axis)
{
    uint32_t dim, at;
    return find(lists, r->rank, axis, &dim, &at);
}

static int64_t size_of(const route *r, ir_attr axis)
{
    return sdy_axis_size(r->mesh, axis);
}

static int64_t total(const route *r, const axes *list)
{
    int64_t size = 1;
    for (uint32_t i = 0; i < list->n; i++)
        size *= size_of(r, list->at[i]);
    return size;
}

static bool divide(int64_t a, int64_t b)
{
    return a % b == 0 || b % a == 0;
}

/* Removes the axes from `start` on from the end of the value's sharding. */
static void pop_back(axes *now, const axes *list, uint32_t start)
{
    for (uint32_t i = list->n; i > start && now->n; i--) {
        ir_attr *last = &now->at[now->n - 1];
        ir_attr before =
            *last == list->at[i - 1] ? NULL : sdy_axis_before(*last, list->at[i - 1]);
        if (before)
            *last = before;
        else
            now->n--;
    }
}

/* Splits an axis into the part that fits into `room` and the rest; false if none fits. */
static bool fit(const route *r, ir_attr axis, int64_t *room, ir_attr *within, ir_attr *rest)
{
    int64_t size = size_of(r, axis);
    *rest = NULL;
    if (*room <= 1 || !divide(size, *room))
        return false;
    if (*room >= size) {
        *room /= size;
        *within = axis;
        return true;
    }
    *within = sdy_axis_part(axis, sdy_pre_size(axis), *room);
    *rest = sdy_axis_part(axis, sdy_pre_size(axis) * *room, size / *room);
    *room = 1;
    return true;
}

/* ---- parts of axes ------------------------------------------------------------------ */

static int by_axis(const void *x, const void *y)
{
    ir_attr a = *(const ir_attr *)x, b = *(const ir_attr *)y;
    tw_str p = sdy_axis_name(a), q = sdy_axis_name(b);
    int order = memcmp(p.data, q.data, TW_MIN(p.size, q.size));
    if (order || p.size != q.size)
        return order ? order : p.size < q.size ? -1 : 1;
    return sdy_pre_size(a) < sdy_pre_size(b)   ? -1
           : sdy_pre_size(a) > sdy_pre_size(b) ? 1
                                               : 0;
}

static ir_attr overlap(const route *r, ir_attr a, ir_attr b)
{
    int64_t begin = TW_MAX(sdy_pre_size(a), sdy_pre_size(b));
    int64_t end = TW_MIN(sdy_next_pre_size(a, r->mesh), sdy_next_pre_size(b, r->mesh));
    if (sdy_axis_contains(b, a))
        return a;
    return sdy_axis_contains(a, b) ? b : sdy_axis_part(a, begin, end / begin);
}

/* Splits axes at the boundaries of others, in order. */
static void align(route *r, axes *list, const axes *others)
{
    for (uint32_t i = 0; i < list->n;) {
        ir_attr axis = list->at[i];
        uint32_t k = 0;
        bool ended = false;
        while (k < others->n && !sdy_axes_overlap(axis, others->at[k]))
            k++;
        while (k < others->n && sdy_axes_can_coexist(others->at[k], axis) &&
               !sdy_axis_contains(others->at[k], axis) &&
               sdy_axes_overlap(others->at[k], axis)) {
            ir_attr other = others->at[k], before = NULL;
            if (sdy_pre_size(axis) < sdy_pre_size(other))
                before = sdy_axis_before(axis, other);
            ir_attr after =
                sdy_next_pre_size(axis, r->mesh) > sdy_next_pre_size(other, r->mesh)
                    ? sdy_axis_after(axis, other, r->mesh)
                    : NULL;
            erase(list, i);
            if (before)
                insert(r, list, i++, before);
            insert(r, list, i++, overlap(r, axis, other));
            ended = !after;
            if (!after)
                break;
            insert(r, list, i, after);
            axis = after;
            k++;
        }
        i += !ended;
    }
}

static void ordered(route *r, const axes *lists, axes *out)
{
    out->n = 0;
    for (uint32_t d = 0; d < r->rank; d++)
        for (uint32_t i = 0; i < lists[d].n; i++)
            push(r, out, lists[d].at[i]);
    qsort(out->at, out->n, sizeof *out->at, by_axis);
}

static void align_all(route *r, axes *lists, const axes *others)
{
    for (uint32_t d = 0; d < r->rank && others->n; d++)
        align(r, &lists[d], others);
}

/* ---- emitted operations ------------------------------------------------------------- */

static ir_attr array_of(const route *r, const axes *list)
{
    return ir_array_attr(r->b.ctx, list->at, list->n);
}

static ir_attr sharding_now(const route *r)
{
    ir_attr dims[SDY_MAX_DIMS];
    for (uint32_t d = 0; d < r->rank; d++)
        dims[d] = sdy_dim(r->b.ctx, array_of(r, &r->now[d]), true, NULL);
    ir_attr params[] = {r->ref, ir_array_attr(r->b.ctx, dims, r->rank),
                        ir_array_attr(r->b.ctx, NULL, 0), r->unreduced, r->reduction};
    return ir_dialect_attr(r->b.ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
}

static void make(route *r, const ir_op_def *def, const char *name, ir_attr value)
{
    r->v = ir_build1(&r->b, def, r->v->type, IR_VALUES(r->v),
                     IR_ATTRS({name, value}, {"out_sharding", sharding_now(r)}));
}

static ir_attr lists_of(const route *r, const axes *lists)
{
    ir_attr items[SDY_MAX_DIMS];
    for (uint32_t d = 0; d < r->rank; d++) {
        ir_attr list = array_of(r, &lists[d]);
        items[d] = ir_dialect_attr(r->b.ctx, SDY_ATTR(axis_ref_list), &list, 1);
    }
    ir_attr all = ir_array_attr(r->b.ctx, items, r->rank);
    return ir_dialect_attr(r->b.ctx, SDY_ATTR(list_of_axis_ref_lists), &all, 1);
}

/* Distributes axes to dimensions with room; `step` 0: all from one list, 1: each from its
 * own.  Moved axes are recorded in `sliced` unless NULL. */
static void deal_out(route *r, axes *from, size_t step, bool front, axes *sliced)
{
    axes split = {.n = 0};
    for (uint32_t d = 0; d < r->rank; d++) {
        axes *list = &from[d * step];
        uint32_t position = front ? 0 : r->in[d].n;
        for (uint32_t i = 0; i < list->n && r->room[d] > 1;) {
            ir_attr within, rest;
            if (!fit(r, list->at[i], &r->room[d], &within, &rest)) {
                i++;
                continue;
            }
            erase(list, i);
            insert(r, &r->in[d], position++, within);
            if (sliced) {
                push_joined(r, &sliced[d], within);
                push_joined(r, &r->now[d], within);
            }
            if (!rest)
                continue;
            push(r, &split, within);
            insert(r, list, 0, rest);
            i++;
        }
    }
    qsort(split.at, split.n, sizeof *split.at, by_axis);
    align_all(r, r->out, &split);
}

/* ---- slices ------------------------------------------------------------------------- */

/* Axes of another dimension that follow there on the last axis here and move together
 * with it: if they are sliced here first, one all_to_all moves all of them. */
static bool slice_for_move(route *r, uint32_t src, axes *sliced)
{
    axes *in = &r->in[src];
    uint32_t dim, at, from = in->n;
    int64_t common = 1, added = 1;
    if (!in->n || r->out[src].n || !find(r->out, r->rank, in->at[in->n - 1], &dim, &at) ||
        r->in[dim].n)
        return false;
    const axes *target = &r->out[dim];
    uint32_t begin = at + 1, end = begin;
    if (begin == target->n || is_in(r, r->in, target->at[begin]))
        return false;
    for (uint32_t k = begin; from > 0 && k > 0 && in->at[from - 1] == target->at[k - 1];
         k--)
        common *= size_of(r, in->at[--from]);
    for (uint32_t i = from; i > 0; i--) {
        uint32_t other, position;
        if (find(r->out, r->rank, in->at[i - 1], &other, &position) && other == dim)
            return false;
    }
    for (; end < target->n && !is_in(r, r->in, target->at[end]); end++)
        added *= size_of(r, target->at[end]);
    int64_t sharded = total(r, &r->now[src]) * added;
    if (sharded == 0 || r->v->type->dims[src] % sharded)
        return false;
    r->room[dim] /= common * added;
    for (uint32_t i = begin; i < end; i++) {
        ir_attr axis = target->at[i];
        push(r, in, axis);
        push_joined(r, &sliced[src], axis);
        push_joined(r, &r->now[src], axis);
    }
    return true;
}

/* Axes of a dimension's target that fit into it. */
static bool slice_own(route *r, uint32_t d, axes *sliced, axes *others)
{
    axes *in = &r->in[d], *out = &r->out[d];
    bool any = false;
    for (uint32_t i = 0; i < out->n;) {
        ir_attr axis = out->at[i], within, rest;
        if (is_in(r, r->in, axis)) {
            i++;
            continue;
        }
        if (!fit(r, axis, &r->room[d], &within, &rest)) {
            push(r, others, axis);
            i++;
            continue;
        }
        any = true;
        push_joined(r, &sliced[d], within);
        push_joined(r, &r->now[d], within);
        if (!in->n && i == 0) {
            erase(out, 0);
        } else {
            push(r, in, within);
            out->at[i++] = within;
        }
        if (rest) {
            insert(r, out, i++, rest);
            push(r, others, rest);
        }
    }
    return any;
}

static void try_slice(route *r)
{
    axes *sliced = calloc(r->rank + 1u, sizeof *sliced), others = {.n = 0};
    bool any = false;
    if (!sliced)
        return;
    for (uint32_t d = 0; d < r->rank; d++) {
        int64_t a = total(r, &r->in[d]), z = total(r, &r->out[d]);
        r->room[d] = z / tw_gcd(a, z);
    }
    for (uint32_t d = 0; d < r->rank; d++)
        any |= slice_for_move(r, d, sliced);
    for (uint32_t d = 0; d < r->rank; d++)
        any |= slice_own(r, d, sliced, &others);
    deal_out(r, &others, 0, false, sliced);
    for (uint32_t d = 0; d < r->rank; d++)
        any |= sliced[d].n > 0;
    if (any)
        make(r, SDY_OP(all_slice), "slicing_axes", lists_of(r, sliced));
    free(sliced);
}

/* ---- permutation -------------------------------------------------------------------- */

/* True if the axes of a dimension cannot be moved away in their present order. */
static bool is_out_of_order(const route *r, uint32_t d, ir_attr *unwanted)
{
    const axes *in = &r->in[d];
    bool seen[SDY_MAX_DIMS] = {false};
    int64_t last_dim = -1, last_at = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t dim, at;
        int64_t now = -1;
        if (find(r->out, r->rank, in->at[i], &dim, &at)) {
            now = dim;
            if ((dim == d || seen[dim]) && (last_dim != now || at != last_at + 1))
                return true;
            seen[dim] = true;
            last_at = at;
        } else if (last_dim >= 0 && !r->out[d].n) {
            return true;
        } else {
            *unwanted = in->at[i];
        }
        last_dim = now;
    }
    return false;
}

static bool should_permute(const route *r)
{
    ir_attr unwanted = NULL, wanted = NULL;
    for (uint32_t d = 0; d < r->rank; d++) {
        const axes *in = &r->in[d], *out = &r->out[d];
        if (in->n && out->n && divide(size_of(r, in->at[0]), size_of(r, out->at[0])))
            return true;
        for (uint32_t i = 0; i < out->n; i++)
            if (!is_in(r, r->in, out->at[i]))
                wanted = out->at[i];
        if (is_out_of_order(r, d, &unwanted))
            return true;
    }
    return wanted && unwanted && divide(size_of(r, wanted), size_of(r, unwanted));
}

/* Puts target axes into the room of the present ones. */
static void exchange(route *r, uint32_t d, const axes *before, axes *left, axes *spare)
{
    axes *in = &r->in[d], *out = &r->out[d];
    int64_t used = total(r, in);
    ir_attr within, rest;
    r->room[d] = used;
    pop_back(&r->now[d], in, 0);
    while (r->room[d] > 1 && out->n && fit(r, out->at[0], &r->room[d], &within, &rest)) {
        erase(out, 0);
        push_joined(r, &r->now[d], within);
        if (rest)
            insert(r, out, 0, rest);
    }
    for (uint32_t i = 0; i < out->n; i++)
        push(r, left, out->at[i]);
    used /= r->room[d];
    for (uint32_t i = 0; i < in->n;) {
        if (is_in(r, before, in->at[i]))
            erase(in, i);
        else
            i++;
    }
    uint32_t first = 0; /* axes that do not fit stay before those that do */
    while (used > 1 && in->n && fit(r, in->at[0], &used, &within, &rest)) {
        erase(in, 0);
        push(r, spare, within);
        if (rest)
            insert(r, in, 0, rest);
    }
    for (; in->n; erase(in, 0))
        insert(r, spare, first++, in->at[0]);
}

static void permute(route *r)
{
    axes *before = calloc(r->rank + 1u, sizeof *before);
    axes *spare = calloc(r->rank + 1u, sizeof *spare), left = {.n = 0}, all = {.n = 0};
    if (before && spare) {
        memcpy(before, r->out, r->rank * sizeof *before);
        for (uint32_t d = 0; d < r->rank; d++)
            exchange(r, d, before, &left, &spare[d]);
        deal_out(r, &left, 0, false, NULL);
        deal_out(r, spare, 1, true, NULL);
        for (uint32_t d = 0; d < r->rank; d++)
            for (uint32_t i = 0; i < spare[d].n; i++)
                push(r, &all, spare[d].at[i]);
        deal_out(r, &all, 0, true, NULL);
        for (uint32_t d = 0; d < r->rank; d++)
            for (uint32_t i = 0; i < r->in[d].n; i++)
                push_joined(r, &r->now[d], r->in[d].at[i]);
    }
    free(before);
    free(spare);
}

static void try_permute(route *r)
{
    if (should_permute(r))
        permute(r);
    else if (r->ref == r->target_ref)
        return;
    r->ref = r->target_ref;
    r->v = ir_build1(&r->b, SDY_OP(collective_permute), r->v->type, IR_VALUES(r->v),
                     IR_ATTRS({"out_sharding", sharding_now(r)}));
}

/* ---- from one dimension to another -------------------------------------------------- */

static bool try_move(route *r, uint32_t src, bool any_order)
{
    axes *in = &r->in[src], moved = {.n = 0};
    uint32_t start = in->n, to = 0, dim, at;
    bool found = false;
    while (start > 0 && find(r->out, r->rank, in->at[start - 1], &dim, &at) && dim != src &&
           (!found || dim == to)) {
        to = dim;
        found = true;
        start--;
    }
    if (!found)
        return false;
    axes *out = &r->out[to], *there = &r->in[to];
    for (uint32_t i = start; !any_order && i < in->n; i++)
        if (i - start >= out->n || in->at[i] != out->at[i - start])
            return false;
    pop_back(&r->now[src], in, start);
    while (start < in->n) {
        ir_attr axis = in->at[start];
        push_joined(r, &moved, axis);
        push_joined(r, &r->now[to], axis);
        erase(in, start);
        if (!there->n && out->n && out->at[0] == axis)
            erase(out, 0);
        else
            push(r, there, axis);
    }
    ir_context *ctx = r->b.ctx;
    ir_attr params[] = {array_of(r, &moved), ir_raw_int(ctx, src), ir_raw_int(ctx, to)};
    ir_attr one = ir_dialect_attr(ctx, SDY_ATTR(all_to_all_param), params, 3);
    ir_attr list = ir_array_attr(ctx, &one, 1);
    make(r, SDY_OP(all_to_all), "params",
         ir_dialect_attr(ctx, SDY_ATTR(all_to_all_param_list), &list, 1));
    return true;
}

static void try_moves(route *r, bool any_order)
{
    for (uint32_t d = 0; d < r->rank; d++)
        while (!r->full && try_move(r, d, any_order))
            ;
}

/* ---- gathers ------------------------------------------------------------------------ */

/* With `everything`, gathers all axes of the value's sharding. */
static void try_gather(route *r, bool everything)
{
    axes *gathered = calloc(r->rank + 1u, sizeof *gathered);
    bool any = false;
    for (uint32_t d = 0; d < r->rank && gathered; d++) {
        axes *in = &r->in[d];
        uint32_t start = in->n;
        if (everything) {
            gathered[d] = r->now[d];
            r->now[d].n = in->n = 0;
            any |= gathered[d].n > 0;
            continue;
        }
        while (start > 0 && !is_in(r, r->out, in->at[start - 1]))
            start--;
        pop_back(&r->now[d], in, start);
        while (start < in->n) {
            push_joined(r, &gathered[d], in->at[start]);
            erase(in, start);
        }
        any |= gathered[d].n > 0;
    }
    if (any)
        make(r, SDY_OP(all_gather), "gathering_axes", lists_of(r, gathered));
    free(gathered);
}

static bool is_there(const route *r)
{
    for (uint32_t d = 0; d < r->rank; d++)
        if (r->in[d].n || r->out[d].n)
            return false;
    return r->ref == r->target_ref;
}

/* ---- a reshard ---------------------------------------------------------------------- */

static bool read(route *r, ir_attr sharding, axes *lists)
{
    for (uint32_t d = 0; d < r->rank; d++) {
        ir_attr list = sdy_dim_at(sharding, d)->params[SDY_DIM_AXES];
        lists[d].n = 0;
        for (uint32_t i = 0; i < sdy_length(list); i++)
            push(r, &lists[d], list->items[i]);
    }
    return !r->full;
}

static void drop_common(route *r)
{
    axes in, out;
    ordered(r, r->in, &in);
    ordered(r, r->out, &out);
    align_all(r, r->in, &out);
    align_all(r, r->out, &in);
    for (uint32_t d = 0; d < r->rank; d++)
        while (r->in[d].n && r->out[d].n && r->in[d].at[0] == r->out[d].at[0]) {
            erase(&r->in[d], 0);
            erase(&r->out[d], 0);
        }
}

/* Goes through a fully replicated value, which is always possible. */
static void go_through_replicated(route *r, ir_attr to)
{
    axes *target = calloc(r->rank + 1u, sizeof *target);
    try_gather(r, true);
    r->ref = r->target_ref;
    if (target && read(r, to, target)) {
        memcpy(r->now, target, r->rank * sizeof *target);
        make(r, SDY_OP(all_slice), "slicing_axes", lists_of(r, target));
    }
    free(target);
}

static ir_value *convert(ir_op *op, ir_value *input, ir_attr from, ir_attr to)
{
    route *r = calloc(1, sizeof *r);
    ir_value *result = NULL;
    if (!r)
        return NULL;
    r->b = ir_builder_before(op);
    r->v = input;
    r->mesh = sdy_mesh_of(op, from);
    r->ref = from->params[SDY_MESH];
    r->target_ref = to->params[SDY_MESH];
    r->unreduced = to->params[SDY_UNREDUCED];
    r->reduction = to->params[SDY_REDUCTION];
    r->rank = sdy_sharding_rank(from);
    if (read(r, from, r->in) && read(r, to, r->out) && read(r, from, r->now)) {
        drop_common(r);
        for (int i = 0; i < 2 && !r->full && !is_there(r); i++) {
            try_slice(r);
            try_permute(r);
            try_moves(r, false);
            try_moves(r, true);
            try_gather(r, false);
        }
        if (!is_there(r))
            go_through_replicated(r, to);
        result = r->v;
    }
    free(r);
    return result;
}

static bool is_replicated(ir_attr sharding)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sdy_dim_at(sharding, i)->params[SDY_DIM_AXES]))
            return false;
    return !sdy_length(sharding->params[SDY_UNREDUCED]);
}

static bool is_single(ir_op *op, ir_attr sharding)
{
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    return !mesh || sdy_mesh_is_maximal(mesh);
}

/* False after an error. */
static bool visit(ir_op *op, bool keep_redundant)
{
    ir_value *input = op->operands[0].value;
    ir_attr to = ir_op_attr(op, "sharding"), own;
    while (ir_op_is(ir_value_def(input), SDY_OP(propagation_barrier)))
        input = ir_value_def(input)->operands[0].value;
    own = sdy_get(input);
    if (keep_redundant && sdy_shardings_equal(own, to, false))
        return true;
    ir_attr from = own ? own
                       : sdy_replicated(op->ctx, to->params[SDY_MESH],
                                        sdy_rank(op->results[0].type), false);
    uint32_t rank = sdy_sharding_rank(from);
    if (is_single(op, from) || is_single(op, to) || rank != sdy_sharding_rank(to) ||
        rank > SDY_MAX_DIMS)
        return true;
    if (is_replicated(to)) {
        if (is_replicated(from)) {
            ir_value_replace_uses(&op->results[0], op->operands[0].value);
            ir_op_erase(op);
            return true;
        }
        to = sdy_replicated(op->ctx, from->params[SDY_MESH], rank, true);
    }
    ir_attr meshes[] = {sdy_mesh_of(op, from), sdy_mesh_of(op, to)};
    if (meshes[0]->params[0] != meshes[1]->params[0])
        return true;
    if (from->params[SDY_UNREDUCED] != to->params[SDY_UNREDUCED])
        return ir_op_error(op, "cannot become collectives: its unreduced axes change");
    ir_value *made = convert(op, input, from, to);
    if (!made)
        return ir_op_error(op, "has more axes than collectives are made for");
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
    return true;
}

static bool is_reshard(const ir_op *op)
{
    return op->def == SDY_OP(reshard);
}

static bool run(ir_op *func, pass_run *run)
{
    ir_op_list list;
    bool ok = true;
    list = ir_ops_in(func, is_reshard);
    for (size_t i = 0; i < list.n && ok; i++)
        ok = visit(list.at[i], pass_option_bool(run, "keep-redundant-reshards"));
    free(list.at);
    return ok;
}

const pass_def sdy_reshard_to_collectives_pass = {
    .name = "sdy-reshard-to-collectives",
    .title = "ReshardToCollectivesPass",
    .summary = "Lowers reshards to collectives.",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def, {"keep-redundant-reshards", PASS_BOOL, "false",
                                         "Also lower reshards that change nothing"}),
};
