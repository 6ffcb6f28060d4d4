/* group_run.c: runs a group, strip by strip. */
#include "runtime/group_impl.h"

typedef struct strip_state {
    const float *leaf[LEAVES], *result[OPS];
    float leaves[LEAVES][KRN_STRIP];
    union {
        float registers[REGISTERS][KRN_STRIP];
        float number[REGISTERS * KRN_STRIP]; /* repeated, for plain groups (below) */
    };
    struct {
        int64_t at;
        size_t n;
    } repeated[LEAVES]; /* which number fills so much of a leaf's strip; no n: none yet */
    double sum;         /* of the tail */
} strip_state;

/* Touches a line of the next page of results, so that its address translation is ready:
 * else the processor stalls at every page. */
static void ask_ahead(const group *g, const group_op *op, int64_t out_at)
{
    enum { PAGE = 4096 };
    const uintptr_t at =
        (uintptr_t)rt_data(op->out) + (uintptr_t)out_at * tw_dtype_size(op->out->dtype);
    if (g->asks && op->store)
        __builtin_prefetch((const void *)(at + PAGE));
}

static const float *load_leaf(const group *g, const leaf *l, int64_t at, int64_t stride,
                              size_t n, float *to)
{
    const rt_value *v = l->value;
    if (l->raw && stride == 0) { /* one value, in every element of the strip */
        uint16_t *strip = (void *)to;
        const uint16_t value = ((const uint16_t *)rt_data(v))[at];
        for (size_t i = 0; i < n; i++)
            strip[i] = value;
        return to;
    }
    if (l->raw)
        return (const void *)((const uint16_t *)rt_data(v) + at);
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

/* Stores a strip of results to memory. */
static void put(const group *g, const rt_value *v, const float *from, size_t n,
                int64_t out_at)
{
    char *to = (char *)rt_data(v) + (size_t)out_at * tw_dtype_size(v->dtype);
    uint16_t bits[KRN_STRIP];
    if (v->dtype == TW_F32 && g->streams) {
        g->set->stream(from, n * sizeof *from, to);
    } else if (v->dtype == TW_BF16 && g->streams) {
        g->set->store_bf16(from, n, bits);
        g->set->stream(bits, n * sizeof *bits, to);
    } else if (v->dtype == TW_BF16) {
        g->set->store_bf16(from, n, (uint16_t *)(void *)to);
    } else {
        rt_store_f32(v->dtype, from, n, to, 0);
    }
}

/* Rounds as if it had been stored and loaded again. */
static void round_strip(const group *g, tw_dtype t, float *strip, size_t n)
{
    const float *self[ARITY] = {strip};
    uint64_t rounded[KRN_STRIP];
    if (t == TW_BF16) {
        g->set->fn[KRN_STRIP_round_bf16](self, strip, n, NULL);
    } else if (t != TW_F32) {
        rt_store_f32(t, strip, n, rounded, 0);
        rt_load_f32(t, rounded, 0, n, strip);
    }
}

static bool begins_a_line(const void *to)
{
    return ((uintptr_t)to & 63) == 0;
}

static void run_raw(const group *g, const group_op *op, const strip_state *s,
                    int64_t out_at, size_t n)
{
    const uint16_t *in[ARITY] = {0};
    uint16_t results[KRN_STRIP], *to = (uint16_t *)rt_data(op->out) + out_at;
    krn_strip_bf16 *const streamed =
        g->streams && begins_a_line(to) ? g->set->streamed_halves[op->id] : NULL;
    const bool staged = g->streams && !streamed;
    size_t most = staged ? KRN_STRIP : n;
    for (size_t done = 0; done < n; done += most) {
        most = TW_MIN(most, n - done);
        for (int k = 0; k < op->arity; k++)
            in[k] = (const uint16_t *)(const void *)s->leaf[op->in[k]] + done;
        (streamed ? streamed : g->set->bf16[op->id])(in, most, staged ? results : to + done,
                                                     op->args);
        if (staged)
            g->set->stream(results, most * sizeof *results, to + done);
    }
}

static void run_op(const group *g, const group_op *op, strip_state *s, int index,
                   int64_t out_at, size_t n)
{
    const float *in[ARITY] = {0};
    if (op->raw) {
        run_raw(g, op, s, out_at, n);
        return;
    }
    for (int k = 0; k < op->arity; k++)
        in[k] = op->in[k] < LEAVES ? s->leaf[op->in[k]] : s->result[op->in[k] - LEAVES];
    const tw_dtype t = op->out->dtype;
    float *const real =
        op->store && t == TW_F32 ? (float *)rt_data(op->out) + out_at : NULL;
    const bool streamed = real && g->streams && g->set->streamed[op->id] && !op->reread &&
                          begins_a_line(real);
    const bool direct = real && (streamed || !g->streams);
    float *to = direct ? real : s->registers[op->target];
    (streamed ? g->set->streamed[op->id] : op->fn)(in, to, n, op->args);
    s->result[index] = to;
    if (op->store && !direct)
        put(g, op->out, to, n, out_at);
    if ((op->reread || !op->store) && !op->rounded) /* as later operations read them */
        round_strip(g, t, to, n);
}

/* Whether a short loop goes from memory to memory: beside it the calls for each strip would
 * show (a sum of two f32 tensors of 1024x1024: 15 %). */
static bool is_plain(const group *g)
{
    const group_op *op = &g->ops[0];
    bool plain = g->n_ops == 1 && !g->tail.out && op->store && op->out->dtype == TW_F32 &&
                 g->set->rounded[op->id];
    for (int i = 0; i < g->n_leaves; i++)
        plain &= g->leaves[i].value->dtype == TW_F32;
    return plain;
}

/* Whether every strip goes past the caches, by a function that reads memory. */
static bool is_streamed(const group *g, int64_t length)
{
    const group_op *op = &g->ops[0];
    bool streamed = g->streams && g->n_ops == 1 && !g->tail.out && op->store &&
                    op->out->dtype == TW_F32 && g->set->streamed[op->id] &&
                    begins_a_line(rt_data(op->out)) && length % KRN_STRIP == 0;
    for (int i = 0; i < g->n_leaves; i++)
        streamed &= g->leaves[i].value->dtype == TW_F32;
    return streamed;
}

/* Elements that are processed at once: a strip, but a whole row where nothing is kept in
 * strips between, and as much as the repeated number fills where one is. */
static int64_t elements_at_once(const group *g, int64_t length)
{
    const int last = g->walk.rank - 1;
    const bool plain = is_plain(g);
    int numbers = 0;
    bool whole = g->ops[0].raw ? !g->streams || g->set->streamed_halves[g->ops[0].id]
                               : (plain && !g->streams) || is_streamed(g, length);
    for (int i = 0; i < g->n_leaves; i++) {
        const int64_t stride = last < 0 ? 1 : g->leaves[i].walk_strides[last];
        numbers += stride == 0;
        whole &= stride == 0 || stride == 1;
    }
    if (!whole || numbers > 1 || (numbers && !plain))
        return KRN_STRIP;
    return numbers ? REGISTERS * KRN_STRIP : TW_MAX(length, (int64_t)KRN_STRIP);
}

/* What an operation is whose operand `number` is one number. */
typedef struct with_number {
    krn_strip_id of, is;
    bool either; /* the number may also come first */
} with_number;

/* The function of a plain group that takes one of its two operands as a number, which
 * need not be repeated then; none if there is no such number. */
static krn_strip_id function_of_number(const group *g, int *out_number)
{
    static const with_number rows[] = {
        {KRN_STRIP_add, KRN_STRIP_add_number, true},
        {KRN_STRIP_multiply, KRN_STRIP_multiply_number, true},
        {KRN_STRIP_div, KRN_STRIP_div_number, false},
        {KRN_STRIP_subtract, KRN_STRIP_subtract_number, false},
    };
    const group_op *op = &g->ops[0];
    const int last = g->walk.rank - 1;
    if (last < 0 || g->n_leaves != 2 || g->streams || !is_plain(g))
        return KRN_STRIP_none;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        for (int k = rows[i].either ? 0 : 1; k < 2 && op->id == rows[i].of; k++)
            if (g->leaves[op->in[k]].walk_strides[last] == 0 &&
                g->leaves[op->in[1 - k]].walk_strides[last] == 1) {
                *out_number = k;
                return rows[i].is;
            }
    return KRN_STRIP_none;
}

static bool run_with_number(const group *g, const int64_t *at, int64_t out_at,
                            int64_t length)
{
    const group_op *op = &g->ops[0];
    int number;
    const krn_strip_id id = function_of_number(g, &number);
    if (id == KRN_STRIP_none)
        return false;
    const int x = op->in[1 - number], c = op->in[number];
    const float *in[ARITY] = {(const float *)rt_data(g->leaves[x].value) + at[x]};
    const float *value = (const float *)rt_data(g->leaves[c].value) + at[c];
    ask_ahead(g, op, out_at);
    g->set->fn[id](in, (float *)rt_data(op->out) + out_at, (size_t)length, value);
    return true;
}

/* Asks for the strips of the next row, where rows are so short that the processor does not
 * see it coming. */
static void ask_for_next_row(const group *g, const int64_t *at, int64_t length)
{
    enum { SHORT = 4 * KRN_STRIP, LINE = 64 };
    const int last = g->walk.rank - 1;
    if (last < 1 || length > SHORT)
        return;
    for (int i = 0; i < g->n_leaves; i++) {
        const leaf *l = &g->leaves[i];
        const int64_t size = (int64_t)tw_dtype_size(l->value->dtype);
        const char *next =
            (const char *)rt_data(l->value) + (at[i] + l->walk_strides[last - 1]) * size;
        for (int64_t k = 0; l->walk_strides[last] == 1 && k < length * size; k += LINE)
            __builtin_prefetch(next + k);
    }
}

static void run_row(const group *g, strip_state *s, const int64_t *at, int64_t out_at,
                    int64_t length)
{
    int last = g->walk.rank - 1;
    if (run_with_number(g, at, out_at, length))
        return;
    const int64_t most = elements_at_once(g, length);
    ask_for_next_row(g, at, length);
    for (int64_t done = 0; done < length; done += most) {
        size_t n = (size_t)TW_MIN(most, length - done);
        for (int i = 0; i < g->n_leaves; i++) {
            int64_t stride = last >= 0 ? g->leaves[i].walk_strides[last] : 1;
            const size_t filled = stride ? n : (size_t)TW_MIN(most, length);
            if (stride == 0 && s->repeated[i].at == at[i] && s->repeated[i].n >= filled)
                continue; /* the strip already holds the value, perhaps of the last row */
            s->leaf[i] = load_leaf(g, &g->leaves[i], at[i] + done * stride, stride, filled,
                                   most > KRN_STRIP ? s->number : s->leaves[i]);
            s->repeated[i].at = at[i];
            s->repeated[i].n = stride ? 0 : filled;
        }
        for (int i = 0; i < g->n_ops; i++) {
            ask_ahead(g, &g->ops[i], out_at + done);
            run_op(g, &g->ops[i], s, i, out_at + done, n);
        }
        if (g->tail.out)
            s->sum = rt_tail_take(g->set, &g->tail, s->result[g->tail_of], n, s->sum);
    }
}

/* Tasks are split at strip boundaries, so that a strip is the same in any partition; a row
 * that is reduced stays whole. A task takes some microseconds: handing it over takes one.
 */
static int64_t elements_of_task(const group *g)
{
    enum { MOST = 64, LEAST = 4 };
    return (int64_t)TW_MAX(MOST / TW_MAX(g->n_ops, 1), LEAST) * KRN_STRIP;
}

typedef struct group_job {
    const group *g;
    int64_t rows, length, parts; /* parts of a row */
    int64_t part;                /* elements of a part */
    int64_t together;            /* rows per task */
} group_job;

/* Moves to row `row` of the walk: computes the offsets of its leaves. */
static void find_row(const group *g, int64_t row, int64_t *index, int64_t *at)
{
    for (int d = g->walk.rank - 2; d >= 0; d--) {
        index[d] = row % g->walk.dims[d];
        row /= g->walk.dims[d];
        for (int k = 0; k < g->n_leaves; k++)
            at[k] += index[d] * g->leaves[k].walk_strides[d];
    }
}

static void next_row(const group *g, int64_t *index, int64_t *at)
{
    for (int d = g->walk.rank - 2; d >= 0; d--) {
        for (int k = 0; k < g->n_leaves; k++)
            at[k] += g->leaves[k].walk_strides[d];
        if (++index[d] < g->walk.dims[d])
            return;
        for (int k = 0; k < g->n_leaves; k++)
            at[k] -= g->leaves[k].walk_strides[d] * g->walk.dims[d];
        index[d] = 0;
    }
}

static void run_task(void *context, int64_t task, int thread)
{
    const group_job *j = context;
    const group *g = j->g;
    int64_t index[RT_MAX_RANK] = {0}, at[LEAVES] = {0};
    int64_t row = task / j->parts * j->together, from = task % j->parts * j->part;
    const int64_t length = j->parts == 1 ? j->length : TW_MIN(j->part, j->length - from);
    strip_state s;
    for (int k = 0; k < g->n_leaves; k++) {
        at[k] = g->leaves[k].splat ? 0 : g->leaves[k].at;
        s.repeated[k].n = 0;
    }
    find_row(g, row, index, at);
    for (int k = 0; from && k < g->n_leaves; k++)
        at[k] += from * (g->walk.rank ? g->leaves[k].walk_strides[g->walk.rank - 1] : 1);
    for (const int64_t end = TW_MIN(row + j->together, j->rows); row < end; row++) {
        s.sum = g->tail.start;
        run_row(g, &s, at, row * j->length + from, length);
        if (g->tail.out) {
            const float f = (float)(s.sum / g->tail.share);
            rt_store_f32(g->tail.out->dtype, &f, 1, rt_data(g->tail.out), (size_t)row);
        }
        next_row(g, index, at);
    }
    if (g->streams && thread > 0) /* the calling thread's stores are fenced once, at the
                                   * end */
        g->set->fence();
}

void rt_group_run(const rt_step *step)
{
    const group *g = step->state;
    group_job j = {.g = g,
                   .rows = 1,
                   .length = 1,
                   .parts = 1,
                   .part = elements_of_task(g),
                   .together = 1};
    for (int d = 0; d < g->walk.rank; d++) {
        if (g->walk.dims[d] == 0)
            return;
        j.rows *= d < g->walk.rank - 1 ? g->walk.dims[d] : 1;
        j.length = g->walk.dims[d];
    }
    if (j.length < j.part)
        j.together = j.part / j.length;
    else if (!g->tail.out)
        j.parts = (j.length + j.part - 1) / j.part;
    rt_parallel(step, (j.rows + j.together - 1) / j.together * j.parts, run_task, &j);
    if (g->streams)
        g->set->fence();
}
