/* group.c: see group.h. */
#include "runtime/group.h"

enum { LEAVES = 16, OPS = 16, REGISTERS = 8, ARITY = 4 };

typedef struct leaf {
    rt_value *value;
    int64_t strides[RT_MAX_RANK]; /* over the unmerged dimensions */
    int64_t walk_strides[RT_MAX_RANK];
} leaf;

typedef struct group_op {
    krn_strip_function *fn;
    krn_strip_id id;
    int8_t in[ARITY]; /* leaf, or LEAVES + operation */
    uint8_t arity;
    int8_t target; /* register for the result */
    float args[2];
    rt_value *out;
    bool store;  /* out is used outside */
    bool reread; /* and inside, where it is seen as stored */
} group_op;

typedef struct group {
    const krn_strip_set *set;
    rt_walk shape, walk; /* as declared, and merged */
    leaf leaves[LEAVES];
    group_op ops[OPS];
    int n_leaves, n_ops;
} group;

/* ---- dimensions
 * ------------------------------------------------------------------------------ */

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

/* ---- registers
 * ---------------------------------------------------------------------------------- */

/* Gives each operation a register, reusing those whose value is not read any more; false
 * if there are too few. */
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
}

static bool settle(group *g)
{
    find_rereads(g);
    int64_t *strides[LEAVES];
    g->walk = g->shape;
    for (int i = 0; i < g->n_leaves; i++) {
        memcpy(g->leaves[i].walk_strides, g->leaves[i].strides,
               sizeof g->leaves[i].strides);
        strides[i] = g->leaves[i].walk_strides;
    }
    rt_merge_dims(&g->walk, strides, (size_t)g->n_leaves);
    return assign_registers(g);
}

/* ---- running
 * -----------------------------------------------------------------------------------------
 */

typedef struct strip_state {
    const float *leaf[LEAVES], *result[OPS];
    float leaves[LEAVES][KRN_STRIP];
    float registers[REGISTERS][KRN_STRIP];
} strip_state;

static const float *load_leaf(const group *g, const leaf *l, int64_t at, int64_t stride,
                              size_t n, float *to)
{
    const rt_value *v = l->value;
    if (stride == 1 && v->dtype == TW_F32)
        return (const float *)rt_data(v) + at;
    if (stride == 1 && v->dtype == TW_BF16) {
        g->set->load_bf16((const uint16_t *)rt_data(v) + at, n, to);
    } else if (stride == 1) {
        rt_load_f32(v->dtype, rt_data(v), (size_t)at, n, to);
    } else if (stride == 0) {
        rt_load_f32(v->dtype, rt_data(v), (size_t)at, 1, to);
        for (size_t i = 1; i < n; i++)
            to[i] = to[0];
    } else {
        for (size_t i = 0; i < n; i++)
            rt_load_f32(v->dtype, rt_data(v), (size_t)(at + (int64_t)i * stride), 1,
                        &to[i]);
    }
    return to;
}

static void run_op(const group *g, const group_op *op, strip_state *s, int index,
                   int64_t out_at, size_t n)
{
    const float *in[ARITY] = {0};
    for (int k = 0; k < op->arity; k++)
        in[k] = op->in[k] < LEAVES ? s->leaf[op->in[k]] : s->result[op->in[k] - LEAVES];
    tw_dtype t = op->out->dtype;
    float *to = op->store && t == TW_F32 ? (float *)rt_data(op->out) + out_at
                                         : s->registers[op->target];
    op->fn(in, to, n, op->args);
    s->result[index] = to;
    if (t == TW_F32)
        return;
    if (op->store && !op->reread) {
        if (t == TW_BF16)
            g->set->store_bf16(to, n, (uint16_t *)rt_data(op->out) + out_at);
        else
            rt_store_f32(t, to, n, rt_data(op->out), (size_t)out_at);
        return;
    }
    if (t == TW_BF16 && !op->store) {
        const float *self[ARITY] = {to};
        g->set->fn[KRN_STRIP_round_bf16](self, to, n, NULL);
    } else if (t == TW_BF16) {
        uint16_t *stored = (uint16_t *)rt_data(op->out) + out_at;
        g->set->store_bf16(to, n, stored);
        g->set->load_bf16(stored, n, to); /* later operations see the rounded numbers */
    } else if (op->store) {
        rt_store_f32(t, to, n, rt_data(op->out), (size_t)out_at);
        rt_load_f32(t, rt_data(op->out), (size_t)out_at, n, to);
    } else {
        uint64_t rounded[KRN_STRIP];
        rt_store_f32(t, to, n, rounded, 0);
        rt_load_f32(t, rounded, 0, n, to);
    }
}

/* Strips of many tensors in turn are no stream that the processor sees: where they are
 * converted first, it is told what comes next.  (f32, read where it lies, gains nothing.)
 */
static void prefetch(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)at + i);
}

static void run_row(const group *g, strip_state *s, const int64_t *at, int64_t out_at,
                    int64_t length)
{
    int last = g->walk.rank - 1;
    size_t sizes[LEAVES];
    for (int i = 0; i < g->n_leaves; i++)
        sizes[i] = tw_dtype_size(g->leaves[i].value->dtype);
    for (int64_t done = 0; done < length; done += KRN_STRIP) {
        size_t n = (size_t)TW_MIN((int64_t)KRN_STRIP, length - done);
        const bool ahead = g->n_leaves > 1 && length - done >= 2 * KRN_STRIP;
        for (int i = 0; i < g->n_leaves; i++) {
            int64_t stride = last >= 0 ? g->leaves[i].walk_strides[last] : 1;
            if (stride == 0 && done > 0)
                continue; /* the strip holds the number already */
            if (ahead && stride == 1 && sizes[i] == 2)
                prefetch((const char *)rt_data(g->leaves[i].value) +
                             (size_t)(at[i] + done + KRN_STRIP) * sizes[i],
                         n * sizes[i]);
            s->leaf[i] = load_leaf(g, &g->leaves[i], at[i] + done * stride, stride,
                                   stride ? n : (size_t)TW_MIN((int64_t)KRN_STRIP, length),
                                   s->leaves[i]);
        }
        for (int i = 0; i < g->n_ops; i++)
            run_op(g, &g->ops[i], s, i, out_at + done, n);
    }
}

static void run_group(const rt_step *step)
{
    const group *g = step->state;
    int64_t index[RT_MAX_RANK] = {0}, at[LEAVES] = {0}, out_at = 0;
    strip_state s;
    for (int d = 0; d < g->walk.rank; d++)
        if (g->walk.dims[d] == 0)
            return;
    int64_t length = g->walk.rank ? g->walk.dims[g->walk.rank - 1] : 1;
    for (;;) {
        run_row(g, &s, at, out_at, length);
        out_at += length;
        int d = g->walk.rank - 2;
        for (; d >= 0; d--) {
            for (int k = 0; k < g->n_leaves; k++)
                at[k] += g->leaves[k].walk_strides[d];
            if (++index[d] < g->walk.dims[d])
                break;
            for (int k = 0; k < g->n_leaves; k++)
                at[k] -= g->leaves[k].walk_strides[d] * g->walk.dims[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* ---- constants of one number
 * ---------------------------------------------------------- */

/* Whether a constant holds one number all over, as filled tensors do: it is then read
 * once. */
static bool is_splat(const rt_value *v)
{
    const size_t size = tw_dtype_size(v->dtype);
    const char *data = rt_data(v);
    return v->buffer->constant && v->count > 1 && data &&
           memcmp(data, data + size, ((size_t)v->count - 1) * size) == 0;
}

static void settle_group(rt_step *step)
{
    group *g = step->state;
    for (int i = 0; i < g->n_leaves; i++) {
        leaf *l = &g->leaves[i];
        const bool fits = rt_broadcast_strides(l->value, step->out, l->strides);
        assert(fits); /* prepare has seen that it does */
        (void)fits;
        if (is_splat(l->value))
            memset(l->strides, 0, sizeof l->strides);
    }
    settle(g);
}

/* ---- making
 * ---------------------------------------------------------------------------------------------
 */

tw_status rt_group_prepare(rt_plan *plan, rt_step *step, krn_strip_id fn, const float *args)
{
    group *g = TW_ARENA_NEW(&plan->arena, group);
    group_op *op = &g->ops[0];
    g->set = krn_strips();
    g->shape = rt_walk_of(step->out);
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
        op->in[k] = (int8_t)k;
        g->leaves[k].value = step->in[k];
        if (!rt_broadcast_strides(step->in[k], step->out, g->leaves[k].strides))
            return tw_error(TW_INVALID, "'%s': operand %u does not broadcast to the result",
                            step->name, k);
    }
    bool ok = settle(g);
    assert(ok);
    (void)ok;
    step->state = g;
    step->run = run_group;
    step->settle = settle_group;
    return TW_SUCCESS;
}

bool rt_is_group(const rt_step *step)
{
    return step->run == run_group;
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
    return a->value == b->value &&
           (rank == 0 ||
            memcmp(a->strides, b->strides, (size_t)rank * sizeof *a->strides) == 0);
}

/* Where a leaf of b is found in the joined group: a result of a, a known leaf or a new one.
 */
static int place_leaf(group *g, int a_ops, const leaf *l)
{
    for (int i = 0; i < a_ops; i++)
        if (g->ops[i].out == l->value)
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
    if (!same_shape(&ga->shape, &gb->shape) || ga->n_ops + gb->n_ops > OPS)
        return false;
    /* a reshape of a's result looks at the same memory under another shape: not a strip */
    for (int i = 0; i < gb->n_leaves; i++)
        for (int k = 0; k < ga->n_ops; k++)
            if (gb->leaves[i].value->buffer == ga->ops[k].out->buffer &&
                gb->leaves[i].value != ga->ops[k].out)
                return false;
    group joined = *ga;
    for (int i = 0; i < gb->n_ops; i++) {
        group_op *op = &joined.ops[joined.n_ops];
        *op = gb->ops[i];
        for (int k = 0; k < op->arity; k++) {
            int place = op->in[k] >= LEAVES
                            ? op->in[k] + ga->n_ops
                            : place_leaf(&joined, ga->n_ops, &gb->leaves[op->in[k]]);
            if (place < 0)
                return false;
            op->in[k] = (int8_t)place;
        }
        joined.n_ops++;
    }
    if (!settle(&joined))
        return false;
    group *g = TW_ARENA_NEW(&plan->arena, group);
    *g = joined;
    *out = *b;
    out->state = g;
    out->name = tw_arena_printf(&plan->arena, "%s+%s", a->name,
                                strncmp(b->name, "ttnn.", 5) == 0 ? b->name + 5 : b->name);
    return true;
}

/* ---- trimming
 * --------------------------------------------------------------------------- */

/* The operation that is the only reader of operation i, or -1. */
static int only_reader(const group *g, int i)
{
    int reader = -1;
    for (int k = i + 1; k < g->n_ops; k++)
        for (int a = 0; a < g->ops[k].arity; a++)
            if (g->ops[k].in[a] == LEAVES + i) {
                if (reader >= 0)
                    return -1;
                reader = k;
            }
    return reader;
}

static bool inner_add(const group *g, int place)
{
    if (place < LEAVES)
        return false;
    const group_op *op = &g->ops[place - LEAVES];
    return op->id == KRN_STRIP_add && !op->store && only_reader(g, place - LEAVES) >= 0 &&
           (op->out->dtype == TW_F32 || op->out->dtype == TW_BF16);
}

static void remove_op(group *g, int at)
{
    for (int i = at; i + 1 < g->n_ops; i++) {
        g->ops[i] = g->ops[i + 1];
        for (int k = 0; k < g->ops[i].arity; k++)
            g->ops[i].in[k] = (int8_t)(g->ops[i].in[k] - (g->ops[i].in[k] > LEAVES + at));
    }
    g->n_ops--;
}

/* Moving a read behind a store could read what was stored, if the two share memory. */
static bool stores_between(const group *g, int from, int to)
{
    bool stores = false;
    for (int i = from; i < to; i++)
        stores |= g->ops[i].store;
    return stores;
}

/* (a + b) + (c + d) in one pass over the strips, with the same roundings. */
static void join_adds(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        group_op *op = &g->ops[i];
        if (op->id != KRN_STRIP_add || !inner_add(g, op->in[0]) ||
            !inner_add(g, op->in[1]) || op->in[0] == op->in[1])
            continue;
        const int left = op->in[0] - LEAVES, right = op->in[1] - LEAVES;
        const group_op *l = &g->ops[left], *r = &g->ops[right];
        if (l->out->dtype != r->out->dtype || stores_between(g, TW_MIN(left, right), i))
            continue;
        op->id = l->out->dtype == TW_F32 ? KRN_STRIP_add4 : KRN_STRIP_add4_bf16;
        op->fn = g->set->fn[op->id];
        op->arity = 4;
        memcpy(op->in, (int8_t[]){l->in[0], l->in[1], r->in[0], r->in[1]}, 4);
        remove_op(g, TW_MAX(left, right));
        remove_op(g, TW_MIN(left, right));
        i -= 2;
    }
}

static bool is_number(const group *g, int place, float lowest, float highest)
{
    float f;
    if (place >= LEAVES || !is_splat(g->leaves[place].value))
        return false;
    rt_load_f32(g->leaves[place].value->dtype, rt_data(g->leaves[place].value), 0, 1, &f);
    return f >= lowest && f <= highest;
}

/* The operation behind a place if it is of this kind and read once only. */
static const group_op *inner(const group *g, int place, krn_strip_id id)
{
    const group_op *op = place >= LEAVES ? &g->ops[place - LEAVES] : NULL;
    return op && op->id == id && !op->store && only_reader(g, place - LEAVES) >= 0 ? op
                                                                                   : NULL;
}

/* x times a number in [lowest, highest], in either order; -1 if it is none. */
static int scaled_place(const group *g, const group_op *product, float lowest,
                        float highest)
{
    return !product                                        ? -1
           : is_number(g, product->in[0], lowest, highest) ? product->in[1]
           : is_number(g, product->in[1], lowest, highest) ? product->in[0]
                                                           : -1;
}

/* 0.5 x erfc(-x sqrt(1/2)), as JAX writes it, is gelu, which rounds once only. */
static void join_gelu(group *g)
{
    const int last = g->n_ops - 1;
    group_op *op = &g->ops[last];
    for (int side = 0; side < 2 && g->n_ops >= 5; side++) {
        const group_op *half = inner(g, op->in[side], KRN_STRIP_multiply);
        const group_op *erfc = inner(g, op->in[1 - side], KRN_STRIP_erfc);
        if (op->id != KRN_STRIP_multiply || !half || !erfc)
            continue;
        const group_op *product = inner(g, erfc->in[0], KRN_STRIP_multiply);
        const int x = scaled_place(g, half, 0.5f, 0.5f);
        const int turned = scaled_place(g, product, 0.70703f, 0.70711f);
        const group_op *neg = turned < 0 ? NULL : inner(g, turned, KRN_STRIP_neg);
        if (x < 0 || !neg || neg->in[0] != x ||
            stores_between(g, x >= LEAVES ? x - LEAVES + 1 : 0, last))
            continue;
        op->id = KRN_STRIP_gelu;
        op->fn = g->set->fn[op->id];
        op->arity = 1;
        op->in[0] = (int8_t)x;
        for (int i = last - 1; i >= 0; i--) /* nothing reads the four any more */
            if (&g->ops[i] == half || &g->ops[i] == erfc || &g->ops[i] == product ||
                &g->ops[i] == neg)
                g->ops[i].fn = NULL;
        for (int i = last - 1; i >= 0; i--)
            if (!g->ops[i].fn)
                remove_op(g, i);
        return;
    }
}

void rt_group_trim(rt_step *step, rt_group_needed *needed, const void *context)
{
    group *g = step->state;
    if (g->n_ops == 1)
        return;
    for (int i = 0; i < g->n_ops; i++)
        g->ops[i].store = needed(context, g->ops[i].out->buffer);
    join_adds(g);
    join_gelu(g);
    for (int i = 0; i < g->n_ops; i++)
        g->ops[i].reread = false;
    const bool fits = settle(g); /* with less to keep there are registers enough */
    assert(fits);
    (void)fits;
}
