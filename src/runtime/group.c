/* group.c: groups: their dimensions and registers, and joining of operations. */
#include "host/isa.h"
#include "runtime/group_impl.h"
#include "runtime/joins.h"
#include "runtime/views.h"

/* ---- dimensions --------------------------------------------------------------------- */

rt_walk rt_walk_of(const rt_value *out)
{
    rt_walk w = {.rank = out->rank};
    for (int d = 0; d < out->rank; d++)
        w.dims[d] = out->dims[d];
    return w;
}

bool rt_broadcast_strides(const rt_value *v, const rt_value *out, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = 0; d < out->rank; d++)
        strides[d] = 0;
    for (int d = v->rank - 1; d >= 0; d--) {
        int at = out->rank - v->rank + d;
        if (at < 0 || (v->dims[d] != 1 && v->dims[d] != out->dims[at]))
            return false;
        strides[at] = v->dims[d] == 1 && out->dims[at] != 1 ? 0 : stride;
        stride *= v->dims[d];
    }
    return true;
}

void rt_merge_dims(rt_walk *w, int64_t *const *strides, size_t count)
{
    int kept = 0;
    for (int d = 1; d < w->rank; d++) {
        bool merge = true;
        for (size_t k = 0; k < count; k++)
            merge &= strides[k][kept] == strides[k][d] * w->dims[d];
        if (merge)
            w->dims[kept] *= w->dims[d];
        else
            w->dims[++kept] = w->dims[d];
        for (size_t k = 0; k < count; k++)
            strides[k][kept] = strides[k][d];
    }
    if (w->rank)
        w->rank = kept + 1;
}

/* A group's dimensions are the result's without those of size 1, so that operations on
 * reshapes of each other have the same ones. Fills in the strides over them. */
static rt_walk without_ones(const rt_value *out, int64_t *strides)
{
    rt_walk w = {0};
    for (int d = 0; d < out->rank; d++)
        if (out->dims[d] != 1) {
            strides[w.rank] = strides[d];
            w.dims[w.rank++] = out->dims[d];
        }
    return w;
}

/* ---- registers ---------------------------------------------------------------------- */

/* Assigns a register to each operation, reusing those whose value is dead; false if there
 * are too few. */
static bool assign_registers(group *g)
{
    int last_use[OPS];
    bool busy[REGISTERS] = {0};
    for (int i = 0; i < g->n_ops; i++) {
        last_use[i] = i;
        for (int k = 0; k < g->ops[i].arity; k++)
            if (g->ops[i].in[k] >= LEAVES)
                last_use[g->ops[i].in[k] - LEAVES] = i;
    }
    if (g->tail.out)
        last_use[g->tail_of] = g->n_ops;
    for (int i = 0; i < g->n_ops; i++) {
        int r = 0;
        while (r < REGISTERS && busy[r])
            r++;
        if (r == REGISTERS)
            return false;
        g->ops[i].target = (int8_t)r;
        busy[r] = true;
        for (int k = 0; k <= i; k++)
            if (last_use[k] == i)
                busy[g->ops[k].target] = false;
    }
    return true;
}

static void find_rereads(group *g)
{
    for (int i = 0; i < g->n_ops; i++)
        for (int k = 0; k < g->ops[i].arity; k++)
            if (g->ops[i].in[k] >= LEAVES)
                g->ops[g->ops[i].in[k] - LEAVES].reread = true;
    if (g->tail.out)
        g->ops[g->tail_of].reread = true;
}

bool rt_group_finalize(group *g)
{
    find_rereads(g);
    int64_t *strides[LEAVES + 1];
    size_t n = 0;
    g->walk = g->shape;
    for (int i = 0; i < g->n_leaves; i++) {
        leaf *l = &g->leaves[i];
        memcpy(l->walk_strides, l->strides, sizeof l->strides);
        if (l->splat)
            memset(l->walk_strides, 0, sizeof l->walk_strides);
        strides[n++] = l->walk_strides;
    }
    if (g->tail.out) {
        memcpy(g->tail_strides, g->tail.strides, sizeof g->tail_strides);
        strides[n++] = g->tail_strides;
    }
    rt_merge_dims(&g->walk, strides, n);
    return assign_registers(g);
}

/* ---- splat constants ----------------------------------------------------------------- */

/* True if all elements of a constant are equal, as in filled tensors: it is then read
 * once. */
static bool is_splat(const rt_value *v)
{
    const size_t size = tw_dtype_size(v->dtype);
    const char *data = rt_data(v);
    return v->buffer->constant && v->count > 1 && data &&
           memcmp(data, data + size, ((size_t)v->count - 1) * size) == 0;
}

/* Constants are known now. */
static void finalize_group(rt_step *step)
{
    group *g = step->state;
    for (int i = 0; i < g->n_leaves; i++) {
        leaf *l = &g->leaves[i];
        l->splat = is_splat(l->value);
    }
    rt_group_finalize(g);
}

/* ---- construction -------------------------------------------------------------------- */

/* Strips of fewer elements cost more than the copy that they save. */
enum { WORTH_A_VIEW = 128 };

/* True if that many elements, or all, are adjacent in the order of reading. */
static bool has_long_runs(const rt_value *v, const int64_t *strides)
{
    int64_t run = 1;
    for (int d = v->rank - 1; d >= 0 && (v->dims[d] == 1 || strides[d] == run); d--)
        run *= v->dims[d];
    return run >= WORTH_A_VIEW || run == v->count;
}

/* Reads operand k through the slices and permutations that make it, where rows of it are
 * adjacent in memory. */
static void read_view(const rt_plan *plan, rt_step *step, uint32_t k, leaf *l)
{
    const rt_value *v = step->in[k];
    rt_view found;
    if (!rt_view_of(plan, step->in[k], v->rank, v->dims, &found) ||
        !has_long_runs(v, found.strides))
        return;
    for (int d = 0; d < v->rank; d++)
        if (v->dims[d] != 1) /* else its stride is 0 */
            l->strides[step->out->rank - v->rank + d] = found.strides[d];
    l->at = found.at;
    l->view = true;
    l->value = step->in[k] = found.base;
}

tw_status rt_group_prepare(rt_plan *plan, rt_step *step, krn_strip_id fn, const float *args)
{
    group *g = TW_ARENA_NEW(&plan->arena, group);
    group_op *op = &g->ops[0];
    g->set = krn_strips();
    g->n_ops = 1;
    g->n_leaves = (int)step->n_in;
    op->fn = g->set->fn[fn];
    op->id = fn;
    op->arity = (uint8_t)step->n_in;
    op->out = step->out;
    op->store = true;
    op->args[0] = args[0];
    op->args[1] = args[1];
    for (uint32_t k = 0; k < step->n_in; k++) {
        leaf *l = &g->leaves[k];
        op->in[k] = (int8_t)k;
        l->value = step->in[k];
        if (!rt_broadcast_strides(step->in[k], step->out, l->strides))
            return tw_error(TW_INVALID, "'%s': operand %u does not broadcast to the result",
                            step->name, k);
        read_view(plan, step, k, l);
        without_ones(step->out, l->strides);
    }
    int64_t none[RT_MAX_RANK] = {0};
    g->shape = without_ones(step->out, none);
    bool ok = rt_group_finalize(g);
    assert(ok);
    (void)ok;
    step->state = g;
    step->run = rt_group_run;
    step->finalize = finalize_group;
    return TW_SUCCESS;
}

bool rt_is_group(const rt_step *step)
{
    return step->run == rt_group_run;
}

bool rt_group_stores(const rt_step *step, const rt_value *v)
{
    const group *g = step->state;
    for (int i = 0; i < g->n_ops; i++)
        if (g->ops[i].out == v)
            return g->ops[i].store;
    return true;
}

static bool same_shape(const rt_walk *a, const rt_walk *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 ||
            memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

static bool same_leaf(const leaf *a, const leaf *b, int rank)
{
    /* views of one buffer are equal */
    return a->value->buffer == b->value->buffer && a->value->dtype == b->value->dtype &&
           a->at == b->at &&
           (rank == 0 ||
            memcmp(a->strides, b->strides, (size_t)rank * sizeof *a->strides) == 0);
}

/* True if the leaf is an operation's result, maybe reshaped: its elements in order. */
static bool is_result(const group_op *op, const leaf *l)
{
    return op->out->buffer == l->value->buffer && op->out->dtype == l->value->dtype &&
           op->out->count == l->value->count && !l->view;
}

/* Returns the operand of the joined group that corresponds to a leaf of b: a result of a, a
 * known leaf or a new one. */
static int map_leaf(group *g, int a_ops, const leaf *l)
{
    for (int i = 0; i < a_ops; i++)
        if (is_result(&g->ops[i], l))
            return LEAVES + i;
    for (int i = 0; i < g->n_leaves; i++)
        if (same_leaf(&g->leaves[i], l, g->shape.rank))
            return i;
    if (g->n_leaves == LEAVES)
        return -1;
    g->leaves[g->n_leaves] = *l;
    return g->n_leaves++;
}

bool rt_group_join(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out)
{
    const group *ga = a->state, *gb = b->state;
    if (!same_shape(&ga->shape, &gb->shape) || ga->n_ops + gb->n_ops > OPS || ga->tail.out)
        return false;
    /* other elements of a's result, or the same ones in another order: not a strip of it */
    for (int i = 0; i < gb->n_leaves; i++)
        for (int k = 0; k < ga->n_ops; k++)
            if (gb->leaves[i].value->buffer == ga->ops[k].out->buffer &&
                !is_result(&ga->ops[k], &gb->leaves[i]))
                return false;
    group joined = *ga;
    for (int i = 0; i < gb->n_ops; i++) {
        group_op *op = &joined.ops[joined.n_ops];
        *op = gb->ops[i];
        for (int k = 0; k < op->arity; k++) {
            int operand = op->in[k] >= LEAVES
                              ? op->in[k] + ga->n_ops
                              : map_leaf(&joined, ga->n_ops, &gb->leaves[op->in[k]]);
            if (operand < 0)
                return false;
            op->in[k] = (int8_t)operand;
        }
        joined.n_ops++;
    }
    if (!rt_group_finalize(&joined))
        return false;
    group *g = TW_ARENA_NEW(&plan->arena, group);
    *g = joined;
    *out = *b;
    out->state = g;
    out->name = tw_arena_printf(&plan->arena, "%s+%s", a->name,
                                strncmp(b->name, "ttnn.", 5) == 0 ? b->name + 5 : b->name);
    return true;
}

bool rt_group_end(rt_plan *plan, const rt_step *a, const rt_step *b, rt_step *out)
{
    const group *ga = a->state;
    rt_tail tail;
    int from = 0;
    if (ga->tail.out || !rt_reduce_as_tail(b, &tail))
        return false;
    while (from < ga->n_ops && ga->ops[from].out != b->in[0])
        from++;
    if (from == ga->n_ops)
        return false;
    group *g = TW_ARENA_NEW(&plan->arena, group);
    *g = *ga;
    g->tail = tail;
    without_ones(ga->ops[from].out, g->tail.strides);
    g->tail_of = from;
    /* one row, one result: only the last of the merged dimensions is reduced */
    bool fits = rt_group_finalize(g) && g->walk.rank > 0;
    for (int d = 0; fits && d < g->walk.rank; d++)
        fits = (g->tail_strides[d] == 0) == (d == g->walk.rank - 1);
    if (!fits)
        return false;
    *out = *a;
    out->state = g;
    out->name = tw_arena_printf(&plan->arena, "%s+%s", a->name, b->name + 5);
    return true;
}

/* ---- large ones ---- */

enum { MANY_OPERANDS = 4 };

/* Results bypass the caches if the group's data would not stay there anyway (with many
 * operands: if more than half of it would not): then memory is not read before it is
 * overwritten. With few operands that pays for a single f32 operation only, and if result
 * pages are prefetched; with several operations the intermediate strips would wait behind
 * such stores (16M f32: GELU 5.3 instead of 6.5 ms, but abs-sin-neg-exp 9.9 instead of
 * 9.4). */
static void choose_streams(group *g)
{
    const bool many = g->n_leaves >= MANY_OPERANDS;
    const bool one = g->n_ops == 1 && g->ops[0].out->dtype == TW_F32;
    size_t bytes = 0;
    for (int i = 0; i < g->n_leaves; i++)
        bytes += (size_t)TW_MIN(g->leaves[i].value->count, g->ops[0].out->count) *
                 tw_dtype_size(g->leaves[i].value->dtype);
    for (int i = 0; i < g->n_ops; i++)
        if (g->ops[i].store)
            bytes += (size_t)g->ops[i].out->count * tw_dtype_size(g->ops[i].out->dtype);
    g->streams = many ? bytes >= krn_cache_bytes() / 2 : one && bytes >= krn_cache_bytes();
    g->asks = g->streams && !many;
}

krn_strip_id rt_group_single(const rt_step *step)
{
    const group *g = step->state;
    return rt_is_group(step) && g->n_ops == 1 && g->n_leaves == 1 && !g->tail.out &&
                   !g->leaves[0].view
               ? g->ops[0].id
               : KRN_STRIP_none;
}

/* ---- complete groups ---- */

void rt_group_trim(rt_step *step, rt_group_needed *needed, const void *context)
{
    group *g = step->state;
    for (int i = 0; i < g->n_ops && (g->n_ops > 1 || g->tail.out); i++)
        g->ops[i].store = needed(context, g->ops[i].out->buffer);
    if (g->n_ops > 1)
        rt_group_combine(g);
    for (int i = 0; i < g->n_ops; i++)
        g->ops[i].reread = false;
    choose_streams(g);
    const bool fits = rt_group_finalize(g); /* with fewer live values there are enough
                                             * registers */
    assert(fits);
    (void)fits;
    rt_group_round(g);
    rt_group_read_raw(g);
}
