/* attention.c: scaled dot product attention for whole sequences, for chunks of one, and for
 * one position of each user; keys and values contiguous or in pages. Computed in f32.
 *
 * The variants differ in the layout of queries, the source of a query's position, and
 * defaults: see the rows of `kinds`. */
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>
#include <stdlib.h>

typedef struct attention {
    int64_t batch, heads, kv_heads, queries, keys, depth, value_depth;
    const rt_value *key, *value, *mask, *sink;
    const rt_value *position; /* of the users' queries, or of the first query */
    const rt_value *pages;    /* [user, page]: indices of the blocks of keys */
    int64_t blocks, block;    /* number of blocks, and keys per block */
    int64_t mask_strides[4];  /* batch, head, query, key; 0 where it broadcasts */
    int64_t window;           /* 0: none */
    int64_t sinks;            /* of each head */
    float scale;
    bool causal;
    bool decode; /* layout of queries is [1, user, head, depth] */
    bool latent; /* values are the first features of the keys */
    float *q, *k, *v, *m, *s, *logits, *out;
} attention;

/* True if query i of sequence b attends to key j. A causal query without a position is the
 * first of its sequence, as in attention of one query that was never marked as decoding. */
static bool visible(const attention *a, int64_t b, int64_t i, int64_t j)
{
    if (a->decode)
        i = a->position ? rt_int_at(a->position, b) : a->causal ? 0 : a->keys - 1;
    else if (a->position)
        i += rt_int_at(a->position, 0);
    if (a->decode && a->window && i - j >= a->window)
        return false;
    if (a->causal)
        return j <= i && (!a->window || i - j < a->window);
    if (a->decode)
        return true;
    return !a->window || llabs((long long)(i - j)) <= a->window / 2;
}

static float dot(const float *x, const float *y, int64_t n)
{
    float sums[8] = {0}, all = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        all += x[i] * y[i];
    for (int k = 0; k < 8; k++)
        all += sums[k];
    return all;
}

/* One row of the softmax, then the weighted sum of values. */
static void attend(const attention *a, int64_t b, int64_t h, int64_t i, const float *q,
                   float *logits, float *out)
{
    int64_t kv = b * a->kv_heads + h / (a->heads / a->kv_heads);
    const float *keys = a->k + kv * a->keys * a->depth;
    const int64_t step = a->latent ? a->depth : a->value_depth;
    const float *values = a->v + kv * a->keys * step;
    float most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < a->keys; j++) {
        float x = dot(q, keys + j * a->depth, a->depth) * a->scale;
        if (a->m)
            x += a->m[b * a->mask_strides[0] + h * a->mask_strides[1] +
                      i * a->mask_strides[2] + j * a->mask_strides[3]];
        logits[j] = visible(a, b, i, j) ? x : -INFINITY;
        most = fmaxf(most, logits[j]);
    }
    for (int64_t j = 0; j < a->sinks; j++)
        most = fmaxf(most, a->s[h * a->sinks + j]);
    for (int64_t d = 0; d < a->value_depth; d++)
        out[d] = 0;
    for (int64_t j = 0; j < a->sinks; j++)
        sum += expf(a->s[h * a->sinks + j] - most);
    for (int64_t j = 0; j < a->keys; j++) {
        if (logits[j] == -INFINITY)
            continue;
        float p = expf(logits[j] - most);
        sum += p;
        for (int64_t d = 0; d < a->value_depth; d++)
            out[d] += p * values[j * step + d];
    }
    if (sum == 0)
        return; /* a query that attends to nothing gives zeros, as in torch */
    for (int64_t d = 0; d < a->value_depth; d++)
        out[d] /= sum;
}

/* Copies keys to [user, head, key, depth], from the pages if there are any; indices of
 * pages are clamped. */
static void load_keys(const attention *a, const rt_value *v, float *to)
{
    const int64_t depth = v->dims[3], per_user = a->pages ? a->pages->dims[1] : 0;
    if (!a->pages) {
        rt_reals_load(v, to);
        return;
    }
    for (int64_t b = 0; b < a->batch; b++)
        for (int64_t h = 0; h < a->kv_heads; h++)
            for (int64_t p = 0; p < per_user; p++) {
                const int64_t id = rt_int_at(a->pages, b * per_user + p);
                const int64_t block = TW_MIN(TW_MAX(id, 0), a->blocks - 1);
                const int64_t from = (block * a->kv_heads + h) * a->block * depth;
                const int64_t at = ((b * a->kv_heads + h) * a->keys + p * a->block) * depth;
                rt_load_f32(v->dtype, rt_data(v), (size_t)from, (size_t)(a->block * depth),
                            to + at);
            }
}

/* Rows are ordered by users and heads when decoding, else by batch, heads and queries. */
static void attend_row(void *context, int64_t row, int thread)
{
    const attention *a = context;
    attend(a, row / a->queries / a->heads, row / a->queries % a->heads, row % a->queries,
           a->q + row * a->depth, a->logits + thread * a->keys,
           a->out + row * a->value_depth);
}

static void run_attention(const rt_step *step)
{
    const attention *a = step->state;
    rt_reals_load(step->in[0], a->q);
    load_keys(a, a->key, a->k);
    if (!a->latent)
        load_keys(a, a->value, a->v);
    rt_reals_load(a->mask, a->m);
    rt_reals_load(a->sink, a->s);
    const int64_t rows = a->batch * a->heads * a->queries;
    const int threads = rt_product_threads(step->pool, rows * a->depth, a->keys);
    tw_threadpool_run(step->pool, threads, rows, attend_row, (void *)(uintptr_t)a);
    rt_store_f32(step->out->dtype, a->out, (size_t)step->out->count, rt_data(step->out), 0);
}

/* The mask is [batch, heads, queries, keys], each the full size or 1. */
static bool read_mask(attention *a)
{
    const int64_t sizes[4] = {a->batch, a->heads, a->queries, a->keys};
    int64_t dims[4], stride = 1;
    if (!a->mask)
        return true;
    if (a->mask->rank != 4)
        return false;
    for (int d = 0; d < 4; d++)
        dims[d] = a->mask->dims[d];
    if (a->decode) { /* [batch, 1, heads, keys] */
        dims[1] = a->mask->dims[2];
        dims[2] = a->mask->dims[1];
    }
    for (int d = 3; d >= 0; d--) {
        if (dims[d] != 1 && dims[d] != sizes[d])
            return false;
        a->mask_strides[d] = dims[d] == 1 ? 0 : stride;
        stride *= dims[d];
    }
    return true;
}

static const struct kind {
    uint16_t row;
    bool decode;
    const char *position; /* name of the operand */
} kinds[] = {
    {TTNN_chunked_scaled_dot_product_attention, false, "chunk_start_idx"},
    {TTNN_flash_mla_prefill, false, ""},
    {TTNN_paged_flash_multi_latent_attention_decode, true, "cur_pos_tensor"},
    {TTNN_paged_scaled_dot_product_attention_decode, true, "cur_pos_tensor"},
    {TTNN_scaled_dot_product_attention, false, ""},
    {TTNN_scaled_dot_product_attention_decode, true, "cur_pos_tensor"},
};

static void read_operands(const ir_op *op, const rt_step *step, attention *a)
{
    a->key = rt_operand(op, step, "key");
    a->value = rt_operand(op, step, "value");
    a->mask = rt_operand(op, step, "attention_mask");
    a->sink = rt_operand(op, step, "attention_sink");
    a->pages = rt_operand(op, step, "page_table");
    a->latent = !a->value;
    if (a->latent)
        a->value = a->key;
}

static void read_sizes(const ir_op *op, const rt_value *q, attention *a)
{
    a->batch = q->dims[a->decode ? 1 : 0];
    a->heads = q->dims[a->decode ? 2 : 1];
    a->queries = a->decode ? 1 : q->dims[2];
    a->depth = q->dims[3];
    a->kv_heads = a->key->dims[1];
    a->keys = a->key->dims[2];
    if (a->pages) {
        a->blocks = a->key->dims[0];
        a->block = a->key->dims[2];
        a->keys = a->block * (a->pages->rank == 2 ? a->pages->dims[1] : 0);
    }
    a->value_depth = ir_op_attr(op, "head_dim_v") && a->latent
                         ? ir_op_int(op, "head_dim_v", 0)
                         : a->value->dims[3];
    a->sinks = a->sink && a->heads ? a->sink->count / a->heads : 0;
}

static bool sizes_fit(const attention *a, const rt_value *q, const rt_value *out)
{
    const rt_value *k = a->key, *v = a->value;
    if (a->decode && (q->dims[0] != 1 || (a->position && a->position->count < a->batch)))
        return false;
    if (a->pages && (a->pages->rank != 2 || a->pages->dims[0] != a->batch ||
                     rt_is_float(a->pages->dtype) || a->blocks < 1))
        return false;
    if (!a->decode && a->position && a->position->count < 1)
        return false;
    return a->kv_heads >= 1 && a->heads % a->kv_heads == 0 &&
           (a->pages || k->dims[0] == a->batch) && v->dims[0] == k->dims[0] &&
           v->dims[1] == a->kv_heads && v->dims[2] == k->dims[2] &&
           k->dims[3] == a->depth && a->value_depth >= 0 && a->value_depth <= v->dims[3] &&
           out->count * a->depth == q->count * a->value_depth;
}

tw_status rt_prepare_attention(rt_plan *plan, ir_op *op, rt_step *step)
{
    attention *a = TW_ARENA_NEW(&plan->arena, attention);
    const rt_value *q = rt_operand(op, step, "query"), *out = step->out;
    const struct kind *kind = kinds;
    while (&ttnn_ops[kind->row] != op->def)
        kind++;
    read_operands(op, step, a);
    if (q->rank != 4 || a->key->rank != 4 || a->value->rank != 4)
        return rt_misfit(op);
    a->decode = kind->decode;
    read_sizes(op, q, a);
    ir_attr causal = ir_op_attr(op, "is_causal");
    a->causal = !causal || ir_attr_int(causal, 1);
    if (*kind->position)
        a->position = rt_operand(op, step, kind->position);
    const double usual = 1 / sqrt((double)TW_MAX(a->depth, 1));
    a->scale = (float)ir_op_real(op, "scale", usual);
    a->window = ir_op_int(op, "sliding_window_size", 0);
    if (a->decode && a->sink)
        return tw_error(TW_UNSUPPORTED, "'%s' with a sink is not implemented",
                        op->def->name);
    if (!sizes_fit(a, q, out) || !read_mask(a))
        return rt_misfit(op);
    const size_t keys = (size_t)(a->batch * a->kv_heads * a->keys);
    a->q = rt_reals_room(plan, q);
    a->k = rt_scratch_alloc(plan, (keys * (size_t)a->depth + 1) * sizeof(float));
    a->v =
        a->latent
            ? a->k
            : rt_scratch_alloc(plan, (keys * (size_t)a->value_depth + 1) * sizeof(float));
    a->m = rt_reals_room(plan, a->mask);
    a->s = rt_reals_room(plan, a->sink);
    a->out = rt_reals_room(plan, out);
    a->logits = rt_scratch_alloc(plan, (size_t)tw_threadpool_threads(plan->pool) *
                                           (size_t)(a->keys + 1) * sizeof(float));
    step->state = a;
    step->run = run_attention;
    return TW_SUCCESS;
}
