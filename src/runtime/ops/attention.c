/* attention.c: scaled dot product attention for whole sequences, for chunks of one, and for
 * one position of each user; keys and values contiguous or in pages. Computed by
 * host/attention.
 *
 * The variants differ in the layout of queries, the source of a query's position, and
 * defaults: see the rows of `kinds`. */
#include "host/attention/attention.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>

typedef struct attention {
    krn_attention_desc desc;
    krn_attention_plan plan;
    const rt_value *key, *value, *mask, *sink;
    const rt_value *position; /* of the users' queries, or of the first query */
    const rt_value *pages;    /* [user, page]: indices of the blocks of keys */
    int64_t blocks, block;    /* number of blocks, and keys per block */
    int64_t window;           /* 0: none */
    bool causal;
    bool decode;              /* layout of queries is [1, user, head, depth] */
    bool latent;              /* values are the first features of the keys */
    char *k, *v;              /* contiguous copies of pages */
    float *m, *s;             /* the mask, if it is scaled or neither f32 nor bf16; sinks */
    int64_t *origin;          /* positions of the first queries */
    const rt_buffer *scratch; /* shared with other steps */
} attention;

/* Copies the keys of the pages to [user, head, key, depth]; indices of pages are clamped.
 * Pages behind the last key that a user attends to are left out. */
static void load_pages(const attention *a, const rt_value *v, char *to)
{
    const krn_attention_desc *d = &a->desc;
    const int64_t per_user = a->pages->dims[1];
    const size_t row = (size_t)v->dims[3] * tw_dtype_size(v->dtype);
    const size_t bytes = (size_t)a->block * row;
    for (int64_t b = 0; b < d->batch; b++) {
        const int64_t ahead = TW_MIN(d->ahead, d->keys);
        const int64_t end = TW_MIN(a->origin[b] + d->queries + ahead, d->keys);
        for (int64_t h = 0; h < d->kv_heads; h++)
            for (int64_t p = 0; p < per_user && p * a->block < end; p++) {
                const int64_t id = rt_int_at(a->pages, b * per_user + p);
                const int64_t block = TW_MIN(TW_MAX(id, 0), a->blocks - 1);
                const char *from =
                    (const char *)rt_data(v) + (size_t)(block * d->kv_heads + h) * bytes;
                memcpy(to + ((size_t)(b * d->kv_heads + h) * (size_t)d->keys +
                             (size_t)(p * a->block)) *
                                row,
                       from, bytes);
            }
    }
}

/* A causal query without a position is the first of its sequence, as in attention of one
 * query that was never marked as decoding; one that is not causal is the last, whatever its
 * position. */
static void find_origins(const attention *a)
{
    const int64_t last = a->causal ? 0 : a->desc.keys - 1;
    const bool read = a->position && (a->causal || !a->decode);
    for (int64_t b = 0; b < a->desc.batch; b++)
        a->origin[b] = read        ? rt_int_at(a->position, a->decode ? b : 0)
                       : a->decode ? last
                                   : 0;
}

/* The kernels scale scores and sinks together, and when decoding also the mask; in front of
 * other attention ttnn divides the mask by the scale. */
static void scale_logits(const attention *a)
{
    const int64_t heads = a->desc.heads, row = heads ? a->sink->count / heads : 0;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < a->desc.sinks; i++)
            a->s[h * a->desc.sinks + i] = a->desc.scale * rt_real_at(a->sink, h * row + i);
}

static void load_mask(const attention *a)
{
    rt_reals_load(a->mask, a->m);
    for (int64_t i = 0; a->decode && i < a->mask->count; i++)
        a->m[i] *= a->desc.scale;
}

static void run_attention(const rt_step *step)
{
    const attention *a = step->state;
    find_origins(a);
    if (a->pages)
        load_pages(a, a->key, a->k);
    if (a->pages && !a->latent)
        load_pages(a, a->value, a->v);
    if (a->m)
        load_mask(a);
    if (a->sink)
        scale_logits(a);
    const void *k = a->pages ? a->k : rt_data(a->key);
    const krn_attention_args args = {
        .q = rt_data(step->in[0]),
        .k = k,
        .v = a->latent  ? k
             : a->pages ? a->v
                        : rt_data(a->value),
        .mask = a->m      ? a->m
                : a->mask ? rt_data(a->mask)
                          : NULL,
        .sink = a->sink ? a->s : NULL,
        .origin = a->origin,
        .out = rt_data(step->out),
        .scratch = a->scratch->data,
    };
    krn_attention_run(&a->plan, &args, step->pool);
}

/* The mask is [batch, heads, queries, keys], each the full size or 1. */
static bool read_mask(attention *a)
{
    krn_attention_desc *d = &a->desc;
    const int64_t sizes[4] = {d->batch, d->heads, d->queries, d->keys};
    int64_t dims[4], strides[4], stride = 1;
    if (!a->mask)
        return true;
    if (a->mask->rank != 4)
        return false;
    for (int i = 0; i < 4; i++)
        dims[i] = a->mask->dims[i];
    if (a->decode) { /* [batch, 1, heads, keys] */
        dims[1] = a->mask->dims[2];
        dims[2] = a->mask->dims[1];
    }
    for (int i = 3; i >= 0; i--) {
        if (dims[i] != 1 && dims[i] != sizes[i])
            return false;
        strides[i] = dims[i] == 1 ? 0 : stride;
        stride *= dims[i];
    }
    d->mask_strides = (krn_attention_strides){strides[0], strides[1], strides[2]};
    d->mask_of_key = strides[3] != 0;
    d->mask = a->mask->dtype == TW_BF16 && !a->decode ? TW_BF16 : TW_F32;
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
    krn_attention_desc *d = &a->desc;
    d->batch = q->dims[a->decode ? 1 : 0];
    d->heads = q->dims[a->decode ? 2 : 1];
    d->queries = a->decode ? 1 : q->dims[2];
    d->depth = q->dims[3];
    d->kv_heads = a->key->dims[1];
    d->keys = a->key->dims[2];
    if (a->pages) {
        a->blocks = a->key->dims[0];
        a->block = a->key->dims[2];
        d->keys = a->block * (a->pages->rank == 2 ? a->pages->dims[1] : 0);
    }
    d->value_depth = ir_op_attr(op, "head_dim_v") && a->latent
                         ? ir_op_int(op, "head_dim_v", 0)
                         : a->value->dims[3];
    /* When decoding only the first column of [heads, 32] counts. */
    d->sinks = a->sink && d->heads ? a->decode ? 1 : a->sink->count / d->heads : 0;
}

static bool sizes_fit(const attention *a, const rt_value *q, const rt_value *out)
{
    const krn_attention_desc *d = &a->desc;
    const rt_value *k = a->key, *v = a->value;
    if (a->decode && (q->dims[0] != 1 || (a->position && a->position->count < d->batch)))
        return false;
    if (a->pages && (a->pages->rank != 2 || a->pages->dims[0] != d->batch ||
                     rt_is_float(a->pages->dtype) || a->blocks < 1))
        return false;
    if (!a->decode && a->position && a->position->count < 1)
        return false;
    if (a->sink && (!d->heads || a->sink->count < d->heads || a->sink->count % d->heads))
        return false;
    return d->kv_heads >= 1 && d->heads % d->kv_heads == 0 &&
           (a->pages || k->dims[0] == d->batch) && v->dims[0] == k->dims[0] &&
           v->dims[1] == d->kv_heads && v->dims[2] == k->dims[2] &&
           k->dims[3] == d->depth && d->value_depth >= 0 && d->value_depth <= v->dims[3] &&
           out->count * d->depth == q->count * d->value_depth;
}

/* Dense tensors [batch, heads, rows, depth]; decoded queries are such ones of one row. */
static krn_attention_strides dense(int64_t heads, int64_t rows, int64_t depth)
{
    return (krn_attention_strides){heads * rows * depth, rows * depth, depth};
}

static void describe(const ir_op *op, const rt_value *q, const rt_value *out, attention *a)
{
    krn_attention_desc *d = &a->desc;
    const int64_t window = a->window;
    d->q = q->dtype;
    d->k = a->key->dtype;
    d->v = a->value->dtype;
    d->out = out->dtype;
    d->q_strides = dense(d->heads, d->queries, d->depth);
    d->k_strides = dense(d->kv_heads, d->keys, d->depth);
    d->v_strides = dense(d->kv_heads, d->keys, a->value->dims[3]);
    d->out_strides = dense(d->heads, d->queries, d->value_depth);
    d->scale = (float)ir_op_real(op, "scale", 1 / sqrt((double)TW_MAX(d->depth, 1)));
    d->ahead = a->causal ? 0 : INT64_MAX;
    d->back = window ? window - 1 : INT64_MAX;
    if (window && !a->causal && !a->decode)
        d->back = d->ahead = window / 2;
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
    a->window = ir_op_int(op, "sliding_window_size", 0);
    if (!sizes_fit(a, q, out) || !read_mask(a))
        return rt_misfit(op);
    describe(op, q, out, a);
    krn_attention_desc *d = &a->desc;
    d->threads = rt_product_threads(plan->pool, d->batch * d->heads * d->queries * d->depth,
                                    d->keys);
    tw_status status = krn_attention_prepare(d, &a->plan);
    if (status)
        return tw_annotate(status, "'%s'", op->def->name);
    const size_t keys = (size_t)(d->batch * d->kv_heads * d->keys);
    if (a->pages)
        a->k = rt_scratch_alloc(plan,
                                keys * (size_t)d->depth * tw_dtype_size(a->key->dtype) + 1);
    if (a->pages && !a->latent)
        a->v = rt_scratch_alloc(
            plan, keys * (size_t)a->value->dims[3] * tw_dtype_size(a->value->dtype) + 1);
    if (a->mask && (a->decode || (a->mask->dtype != TW_F32 && a->mask->dtype != TW_BF16)))
        a->m = rt_reals_room(plan, a->mask);
    a->s = rt_reals_room(plan, a->sink);
    a->origin = TW_ARENA_ARRAY(&plan->arena, int64_t, (size_t)d->batch + 1);
    a->scratch = rt_shared_scratch(plan, a->plan.scratch_bytes);
    step->state = a;
    step->run = run_attention;
    return TW_SUCCESS;
}
