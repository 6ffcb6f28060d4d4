/* attention.c: attention in blocks (see attention.h). */
#include "host/attention/attention.h"

#include "host/attention/attention_loops.h"
#include "host/gemm/gemm_core.h"
#include "host/parallel.h"
#include "host/strips/strip.h"
#include "support/number.h"

#include <math.h>

#define ALIGN 64
/* Keys of a block: their logits, for all rows of a block, stay in the second-level cache.
 */
#define KEYS 256
/* Rows of logits are a line apart from a power of two, so that they fall into different
 * sets of the first-level cache. */
#define LOGITS_ROW (KEYS + 16)
#define P_ROW (KEYS + 32)
#define ROWS 70 /* of a block, a multiple of the 14 rows of AVX-512's tiles */
#define FEW                                                                                \
    8 /* rows that share keys: packing these would take longer than reading them           \
       */

#if defined(__x86_64__)
const krn_attention_loops *krn_attention_loops_best(void)
{
    const krn_isa isa = krn_isa_chosen();
    return isa >= KRN_ISA_AVX512 ? &krn_attention_loops_avx512
           : isa >= KRN_ISA_AVX2 ? &krn_attention_loops_avx2
                                 : &krn_attention_loops_plain;
}
#else
const krn_attention_loops *krn_attention_loops_best(void)
{
    return &krn_attention_loops_plain;
}
#endif

/* ---- planning */

static bool is_float32ish(tw_dtype t)
{
    return t == TW_F32 || t == TW_BF16 || t == TW_F16;
}

/* Scratch of a thread: logits, bf16 probabilities, sums of values, packed queries. */
static void plan_memory(krn_attention_plan *p)
{
    const krn_attention_desc *d = &p->desc;
    const krn_gemm_kernels *kernels = p->kernels;
    const size_t rows = (size_t)p->block;
    size_t at = tw_align_up(rows * LOGITS_ROW * sizeof(float), ALIGN);

    p->p_at = at;
    at += kernels->cell == 2 && !p->few
              ? tw_align_up(rows * P_ROW * sizeof(uint16_t), ALIGN)
              : 0;
    p->o_at = at;
    at += tw_align_up(rows * (size_t)d->value_depth * sizeof(float), ALIGN);
    p->a_at = at;
    at += tw_align_up(rows * (size_t)(p->few ? d->depth : p->depth_cells) * 4, ALIGN);
    p->thread_bytes = at;
    p->scratch_bytes = at * (size_t)d->threads;
    if (p->few)
        return;
    p->key_bytes =
        (size_t)(tw_ceil_div(d->keys, kernels->nr) * kernels->nr * p->depth_cells) * 4;
    p->value_bytes = (size_t)(tw_ceil_div(d->value_depth, kernels->nr) * kernels->nr *
                              tw_ceil_div(d->keys, kernels->cell)) *
                     4;
    p->scratch_bytes += (size_t)(d->batch * d->kv_heads) * (p->key_bytes + p->value_bytes);
}

tw_status krn_attention_prepare(const krn_attention_desc *desc,
                                krn_attention_plan *out_plan)
{
    krn_attention_plan p = {.desc = *desc};
    krn_attention_desc *d = &p.desc;

    if (!is_float32ish(d->q) || !is_float32ish(d->k) || !is_float32ish(d->v) ||
        !is_float32ish(d->out))
        return tw_error(TW_UNSUPPORTED, "attention: %s, %s, %s -> %s", tw_dtype_name(d->q),
                        tw_dtype_name(d->k), tw_dtype_name(d->v), tw_dtype_name(d->out));
    assert(d->kv_heads > 0 && d->heads % d->kv_heads == 0);
    d->threads = TW_MAX(d->threads, 1);
    const int64_t group = d->heads / d->kv_heads;
    /* f16 is not read in place. */
    p.few = group * d->queries <= FEW && d->k != TW_F16 && d->v != TW_F16;
    p.joined = p.few || d->queries == 1;
    if (d->q == TW_BF16 && d->k == TW_BF16 && d->v == TW_BF16)
        p.kernels = krn_gemm_kernels_bf16();
    if (!p.kernels)
        p.kernels = krn_gemm_kernels_f32();
    p.depth_cells = tw_ceil_div(d->depth, p.kernels->cell);
    p.rows = p.joined ? group * d->queries : d->queries;
    p.block = TW_MIN(p.rows, p.few ? FEW : ROWS / p.kernels->mr * p.kernels->mr);
    plan_memory(&p);
    *out_plan = p;
    return TW_SUCCESS;
}

/* ---- running */

typedef struct job {
    const krn_attention_plan *plan;
    const krn_attention_args *args;
    const krn_attention_loops *loops;
    const krn_strip_set *strips;
    char *keys, *values, *threads; /* scratch */
    int64_t blocks;                /* of the rows of a head, or of a group of heads */
    struct tw_threadpool *pool;
} job;

/* A block of rows while it runs over the keys. */
typedef struct rows {
    const job *job;
    int64_t batch, kv, head, first, count; /* joined: `first` counts rows of the group */
    float *logits, *o;
    uint16_t *p;
    uint32_t *a;
    float most[ROWS];
    double sum[ROWS];
    int64_t low[ROWS], high[ROWS]; /* the keys of each row */
} rows;

static const char *at_element(const void *base, tw_dtype t, int64_t element)
{
    return (const char *)base + element * (int64_t)tw_dtype_size(t);
}

static int64_t head_of(const rows *r, int64_t row)
{
    const krn_attention_plan *p = r->job->plan;
    const krn_attention_desc *d = &p->desc;
    return p->joined ? r->kv * (d->heads / d->kv_heads) + (r->first + row) / d->queries
                     : r->head;
}

static int64_t query_of(const rows *r, int64_t row)
{
    return r->job->plan->joined ? (r->first + row) % r->job->plan->desc.queries
                                : r->first + row;
}

/* Adds without overflow; the bounds are at most INT64_MAX. */
static int64_t plus(int64_t a, int64_t b)
{
    return b > INT64_MAX / 2 ? INT64_MAX / 2 : a + b;
}

/* The first key that no query of a sequence attends to. */
static int64_t keys_of(const krn_attention_plan *p, const krn_attention_args *args,
                       int64_t batch)
{
    const krn_attention_desc *d = &p->desc;
    const int64_t end = plus(d->queries + args->origin[batch], d->ahead);
    return TW_MAX(TW_MIN(end, d->keys), 0);
}

static void find_keys(rows *r, int64_t *low, int64_t *high)
{
    const krn_attention_desc *d = &r->job->plan->desc;
    *low = d->keys;
    *high = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t at = query_of(r, i) + r->job->args->origin[r->batch];
        const int64_t back = d->back > INT64_MAX / 2 ? at : d->back;
        r->low[i] = TW_MAX(at - back, 0);
        r->high[i] = TW_MIN(plus(at, d->ahead), d->keys - 1) + 1;
        if (r->low[i] >= r->high[i])
            continue;
        *low = TW_MIN(*low, r->low[i]);
        *high = TW_MAX(*high, r->high[i]);
    }
}

static void begin(rows *r)
{
    const krn_attention_desc *d = &r->job->plan->desc;
    const int64_t sinks = r->job->args->sink ? d->sinks : 0;
    for (int64_t i = 0; i < r->count; i++) {
        const float *sink = sinks ? r->job->args->sink + head_of(r, i) * sinks : NULL;
        r->most[i] = -INFINITY;
        r->sum[i] = 0;
        for (int64_t j = 0; j < sinks; j++)
            r->most[i] = fmaxf(r->most[i], sink[j]);
        for (int64_t j = 0; j < sinks; j++)
            r->sum[i] += (double)expf(sink[j] - r->most[i]);
    }
    memset(r->o, 0, (size_t)(r->count * d->value_depth) * sizeof *r->o);
}

static void hide(float *from, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        from[j] = -INFINITY;
}

/* Logits of keys [k0, k0 + n) become probabilities relative to the maximum so far; sums of
 * values that were relative to a smaller one are scaled. */
static void soften(rows *r, int64_t i, int64_t k0, int64_t n)
{
    const job *job = r->job;
    const krn_attention_desc *d = &job->plan->desc;
    const void *mask = job->args->mask;
    float *row = r->logits + i * LOGITS_ROW, shift = 0, unused;
    const int64_t low = TW_MIN(TW_MAX(r->low[i] - k0, 0), n);
    const int64_t high = TW_MAX(TW_MIN(r->high[i] - k0, n), low);

    hide(row, low);
    hide(row + high, n - high);
    if (mask) {
        const krn_attention_strides *s = &d->mask_strides;
        mask = at_element(mask, d->mask,
                          r->batch * s->batch + head_of(r, i) * s->head +
                              query_of(r, i) * s->row + (d->mask_of_key ? k0 + low : 0));
    }
    if (mask && !d->mask_of_key) {
        krn_to_f32(mask, d->mask, 1, &shift);
        mask = NULL;
    }
    const float here = job->loops->scale_max(row + low, high - low, d->scale, shift,
                                             d->mask == TW_F32 ? mask : NULL,
                                             d->mask == TW_BF16 ? mask : NULL);
    const float most = here > r->most[i] || here != here ? here : r->most[i];
    if (most == -INFINITY) {
        memset(row, 0, (size_t)n * sizeof *row);
        return;
    }
    if (most != r->most[i] && r->sum[i] != 0) {
        const float factor = expf(r->most[i] - most);
        r->sum[i] *= (double)factor;
        job->loops->scale(r->o + i * d->value_depth, d->value_depth, factor);
    }
    r->most[i] = most;
    memset(row, 0, (size_t)low * sizeof *row);
    memset(row + high, 0, (size_t)(n - high) * sizeof *row);
    if (high > low)
        r->sum[i] += job->strips->exp_sum(row + low, (size_t)(high - low), most, row + low,
                                          row + low, &unused);
}

static void finish(rows *r)
{
    const job *job = r->job;
    const krn_attention_desc *d = &job->plan->desc;
    const krn_attention_strides *s = &d->out_strides;
    for (int64_t i = 0; i < r->count; i++) {
        float *o = r->o + i * d->value_depth;
        const int64_t at =
            r->batch * s->batch + head_of(r, i) * s->head + query_of(r, i) * s->row;
        void *to = (char *)(uintptr_t)at_element(job->args->out, d->out, at);
        if (r->sum[i] != 0) /* else the query attends to nothing: zeros, as in torch */
            job->loops->scale(o, d->value_depth, (float)(1 / r->sum[i]));
        if (d->out == TW_BF16)
            job->strips->store_bf16(o, (size_t)d->value_depth, to);
        else
            krn_from_f32(o, d->value_depth, d->out, to);
    }
}

/* ---- blocks of rows, by the micro-kernels */

static void pack_queries(const void *context, const krn_gemm_kernels *kernels,
                         uint32_t *dst, int64_t row, int count, int64_t k0, int64_t k_end)
{
    krn_pack_across(kernels, dst, count, context, row, count, k0, k_end);
}

static void logits_of_block(const rows *r, int64_t k0, int64_t n)
{
    const krn_attention_plan *p = r->job->plan;
    const krn_attention_desc *d = &p->desc;
    const int64_t at = r->batch * d->q_strides.batch + head_of(r, 0) * d->q_strides.head +
                       query_of(r, 0) * d->q_strides.row;
    const krn_lines q = {at_element(r->job->args->q, d->q, at), d->q,
                         p->joined ? d->q_strides.head : d->q_strides.row};
    const int64_t panel = p->depth_cells * p->kernels->nr * 4;
    const krn_gemm_core core = {
        .kernels = p->kernels,
        .k = d->depth,
        .kc = KRN_GEMM_KC_CELLS * p->kernels->cell,
        .ks = TW_MAX(p->depth_cells, 1) * p->kernels->cell,
        .pack_rows = pack_queries,
        .pack_context = &q,
        .b = r->job->keys + (size_t)(r->batch * d->kv_heads + r->kv) * p->key_bytes +
             k0 / p->kernels->nr * panel,
        .b_panel = panel,
        .b_step = p->kernels->nr * 4,
        .c = r->logits,
        .c_row = LOGITS_ROW,
        .pool = r->job->pool,
    };
    krn_gemm_block(&core, 0, r->count, 0, n, r->a, NULL);
}

static void add_values(const rows *r, int64_t k0, int64_t n, int64_t keys)
{
    const krn_attention_plan *p = r->job->plan;
    const krn_attention_desc *d = &p->desc;
    const int cell = p->kernels->cell, nr = p->kernels->nr;
    const krn_gemm_core core = {
        .kernels = p->kernels,
        .k = n,
        .kc = KEYS,
        .ks = KEYS,
        .a = cell == 2 ? (const char *)r->p : (const char *)r->logits,
        .a_row = cell == 2 ? P_ROW * 2 : LOGITS_ROW * 4,
        .b = r->job->values + (size_t)(r->batch * d->kv_heads + r->kv) * p->value_bytes +
             k0 / cell * nr * 4,
        .b_panel = tw_ceil_div(keys, cell) * nr * 4,
        .b_step = nr * 4,
        .c = r->o,
        .c_row = d->value_depth,
        .add = true,
        .pool = r->job->pool,
    };
    krn_gemm_block(&core, 0, r->count, 0, d->value_depth, NULL, NULL);
}

static void run_block(rows *r)
{
    const krn_attention_plan *p = r->job->plan;
    const int64_t keys = keys_of(p, r->job->args, r->batch);
    int64_t low, high;

    find_keys(r, &low, &high);
    begin(r);
    for (int64_t k0 = low / KEYS * KEYS; k0 < high; k0 += KEYS) {
        const int64_t n = TW_MIN(high - k0, KEYS);
        logits_of_block(r, k0, n);
        for (int64_t i = 0; i < r->count; i++) {
            soften(r, i, k0, n);
            if (p->kernels->cell != 2)
                continue;
            uint16_t *row = r->p + i * P_ROW;
            r->job->strips->store_bf16(r->logits + i * LOGITS_ROW, (size_t)n, row);
            row[n] = 0; /* the other half of the last cell */
        }
        add_values(r, k0, n, keys);
    }
    finish(r);
}

/* ---- few rows: keys and values in place */

static void run_few(rows *r)
{
    const job *job = r->job;
    const krn_attention_desc *d = &job->plan->desc;
    const int64_t key_at = r->batch * d->k_strides.batch + r->kv * d->k_strides.head;
    const int64_t value_at = r->batch * d->v_strides.batch + r->kv * d->v_strides.head;
    float *q = (float *)r->a;
    int64_t low, high;

    for (int64_t i = 0; i < r->count; i++) {
        const int64_t at = r->batch * d->q_strides.batch +
                           head_of(r, i) * d->q_strides.head +
                           query_of(r, i) * d->q_strides.row;
        krn_to_f32(at_element(job->args->q, d->q, at), d->q, d->depth, q + i * d->depth);
    }
    find_keys(r, &low, &high);
    begin(r);
    for (int64_t k0 = low; k0 < high; k0 += KEYS) {
        const int64_t n = TW_MIN(high - k0, KEYS), k_row = d->k_strides.row;
        const int64_t v_row = d->v_strides.row;
        const void *k = at_element(job->args->k, d->k, key_at + k0 * k_row);
        const void *v = at_element(job->args->v, d->v, value_at + k0 * v_row);
        for (int64_t i = 0; i < r->count; i++) {
            float *to = r->logits + i * LOGITS_ROW;
            if (d->k == TW_F32)
                job->loops->dots_f32(q + i * d->depth, k, k_row, n, d->depth, to);
            else
                job->loops->dots_bf16(q + i * d->depth, k, k_row, n, d->depth, to);
            soften(r, i, k0, n);
        }
        for (int64_t i = 0; i < r->count; i += KRN_ATTENTION_TOGETHER) {
            const int count = (int)TW_MIN(r->count - i, KRN_ATTENTION_TOGETHER);
            const float *from = r->logits + i * LOGITS_ROW;
            float *to = r->o + i * d->value_depth;
            if (d->v == TW_F32)
                job->loops->weigh_f32(count, from, LOGITS_ROW, v, v_row, n, d->value_depth,
                                      to, d->value_depth);
            else
                job->loops->weigh_bf16(count, from, LOGITS_ROW, v, v_row, n, d->value_depth,
                                       to, d->value_depth);
        }
    }
    finish(r);
}

/* ---- tasks */

static void pack_head(void *context, int64_t task, int thread)
{
    const job *job = context;
    const krn_attention_plan *p = job->plan;
    const krn_attention_desc *d = &p->desc;
    const int64_t which = task / 2, batch = which / d->kv_heads, kv = which % d->kv_heads;
    const bool key = task % 2 == 0;
    const krn_attention_strides *s = key ? &d->k_strides : &d->v_strides;
    const tw_dtype t = key ? d->k : d->v;
    const int64_t keys = keys_of(p, job->args, batch), nr = p->kernels->nr;
    const krn_lines lines = {
        at_element(key ? job->args->k : job->args->v, t, batch * s->batch + kv * s->head),
        t, s->row};
    (void)thread;
    if (key)
        krn_gemm_pack_panels(p->kernels, &lines, true, d->depth, keys, 0,
                             tw_ceil_div(keys, nr),
                             job->keys + (size_t)which * p->key_bytes);
    else
        krn_gemm_pack_panels(p->kernels, &lines, false, keys, d->value_depth, 0,
                             tw_ceil_div(d->value_depth, nr),
                             job->values + (size_t)which * p->value_bytes);
}

static void run_task(void *context, int64_t task, int thread)
{
    const job *job = context;
    const krn_attention_plan *p = job->plan;
    const krn_attention_desc *d = &p->desc;
    const int64_t block = task % job->blocks, group = d->heads / d->kv_heads;
    const int64_t which = task / job->blocks; /* of a head, or of a group of heads */
    char *scratch = job->threads + (size_t)thread * p->thread_bytes;
    rows r = {.job = job,
              .first = p->rows * block / job->blocks,
              .logits = (float *)scratch,
              .p = (uint16_t *)(scratch + p->p_at),
              .o = (float *)(scratch + p->o_at),
              .a = (uint32_t *)(scratch + p->a_at)};

    r.count = p->rows * (block + 1) / job->blocks - r.first;
    r.batch = which / (p->joined ? d->kv_heads : d->heads);
    r.head = p->joined ? 0 : which % d->heads;
    r.kv = p->joined ? which % d->kv_heads : r.head / group;
    if (p->few)
        run_few(&r);
    else
        run_block(&r);
}

void krn_attention_run(const krn_attention_plan *p, const krn_attention_args *args,
                       struct tw_threadpool *pool)
{
    const krn_attention_desc *d = &p->desc;
    job job = {.plan = p,
               .args = args,
               .loops = krn_attention_loops_best(),
               .strips = krn_strips(),
               .pool = pool};
    char *scratch = args->scratch;

    if (d->batch == 0 || p->rows == 0 || d->heads == 0)
        return;
    assert(((uintptr_t)scratch & (ALIGN - 1)) == 0);
    if (!p->few) {
        const size_t heads = (size_t)(d->batch * d->kv_heads);
        job.keys = scratch;
        job.values = scratch + heads * p->key_bytes;
        scratch = job.values + heads * p->value_bytes;
        krn_parallel(pool, d->threads, (int64_t)heads * 2, pack_head, &job);
    }
    job.threads = scratch;
    job.blocks = tw_ceil_div(p->rows, p->block);
    krn_parallel(pool, d->threads,
                 d->batch * (p->joined ? d->kv_heads : d->heads) * job.blocks, run_task,
                 &job);
}
