/* experts.c: mixtures of experts on one device: the choice of each token's experts,
 * products with the experts' weights that are in use, and the exchange of tokens, which is
 * a copy where one device owns every expert. Also the scores of an indexer for sparse
 * attention. */
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>

/* ---- topk_router_gpt */

typedef struct router {
    int64_t rows, experts, keep;
    krn_gemm_plan plan;
    const rt_buffer *scratch;
    uint16_t *product; /* bf16 [rows, experts] */
    float *logits, *bias, *row;
    int64_t *order;
} router;

/* Keeps the indices of the largest logits of a row, the lower index first among equal ones.
 */
static void choose(const float *logits, int64_t n, int64_t keep, int64_t *order)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = kept;
        while (at > 0 && (logits[i] > logits[order[at - 1]] ||
                          (isnan(logits[i]) && !isnan(logits[order[at - 1]]))))
            at--;
        if (at >= keep)
            continue;
        kept += kept < keep;
        memmove(order + at + 1, order + at, (size_t)(kept - at - 1) * sizeof *order);
        order[at] = i;
    }
}

/* In place: exp of the distance to the first value, which is the largest, over the sum. */
static void softmax_of_sorted(float *x, int64_t n)
{
    float sum = 0;
    const float most = x[0];
    for (int64_t i = 0; i < n; i++)
        sum += x[i] = expf(x[i] - most);
    for (int64_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* The logits are rounded to bf16 after the product and after the bias, as the device's
 * registers are. */
static void run_router(const rt_step *step)
{
    const router *r = step->state;
    const krn_gemm_args args = {.a = rt_data(step->in[0]),
                                .b = rt_data(step->in[1]),
                                .c = r->product,
                                .scratch = r->scratch->data};
    krn_gemm_run(&r->plan, &args, step->pool);
    const size_t count = (size_t)(r->rows * r->experts);
    rt_reals_load(step->in[2], r->bias);
    rt_load_f32(TW_BF16, r->product, 0, count, r->logits);
    for (size_t i = 0; i < count; i++)
        r->logits[i] += r->bias[i];
    rt_store_f32(TW_BF16, r->logits, count, r->product, 0);
    rt_load_f32(TW_BF16, r->product, 0, count, r->logits);
    const rt_value *indices = step->outs[0], *weights = step->outs[1];
    for (int64_t i = 0; i < r->rows; i++) {
        const float *logits = r->logits + i * r->experts;
        choose(logits, r->experts, r->keep, r->order);
        for (int64_t k = 0; k < r->keep; k++)
            r->row[k] = logits[r->order[k]];
        softmax_of_sorted(r->row, r->keep);
        rt_store_i64(indices->dtype, r->order, (size_t)r->keep, rt_data(indices),
                     (size_t)(i * r->keep));
        rt_store_f32(weights->dtype, r->row, (size_t)r->keep, rt_data(weights),
                     (size_t)(i * r->keep));
    }
}

tw_status rt_prepare_router(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *weight = step->in[1], *bias = step->in[2];
    const rt_value *indices = step->outs[0], *weights = step->outs[1];
    router *r = TW_ARENA_NEW(&plan->arena, router);
    if (x->rank != 2 || weight->rank != 2 || bias->rank != 2)
        return rt_misfit(op);
    r->rows = x->dims[0];
    r->experts = weight->dims[1];
    r->keep = ir_op_int(op, "k", 0);
    if (weight->dims[0] != x->dims[1] || bias->count != r->rows * r->experts ||
        r->keep < 1 || r->keep > r->experts || indices->count != r->rows * r->keep ||
        weights->count != indices->count || rt_is_float(indices->dtype) ||
        !rt_is_float(weights->dtype) || !rt_is_float(x->dtype))
        return rt_misfit(op);
    const krn_gemm_desc product = {
        .m = r->rows,
        .n = r->experts,
        .k = x->dims[1],
        .a = x->dtype,
        .b = weight->dtype,
        .c = TW_BF16,
        .threads = rt_product_threads(plan->pool, r->rows * r->experts, x->dims[1])};
    TW_TRY(krn_gemm_prepare(&product, &r->plan));
    const size_t count = (size_t)(r->rows * r->experts) + 1;
    r->scratch = rt_shared_scratch(plan, r->plan.scratch_bytes);
    r->product = rt_scratch_alloc(plan, count * sizeof *r->product);
    r->logits = rt_scratch_alloc(plan, count * sizeof *r->logits);
    r->bias = rt_reals_room(plan, bias);
    r->row = rt_scratch_alloc(plan, (size_t)r->keep * sizeof *r->row);
    r->order = rt_scratch_alloc(plan, (size_t)(r->keep + 1) * sizeof *r->order);
    step->state = r;
    step->run = run_router;
    return TW_SUCCESS;
}

/* ---- sparse_matmul */

typedef struct sparse {
    krn_gemm_plan plan; /* of one block */
    const rt_buffer *scratch;
    int64_t groups, experts; /* sparsity is [groups, experts], as the result's blocks */
    bool each;               /* A has a block for each expert, not one for each group */
    size_t a_bytes, b_bytes, c_bytes; /* of a block */
} sparse;

/* Blocks that sparsity leaves out are unspecified on the device, zero here. */
static void run_sparse(const rt_step *step)
{
    const sparse *s = step->state;
    const rt_value *sparsity = step->in[2];
    for (int64_t at = 0; at < s->groups * s->experts && !rt_stopped(step); at++) {
        const int64_t expert = at % s->experts;
        char *c = (char *)rt_data(step->out) + (size_t)at * s->c_bytes;
        if (rt_real_at(sparsity, at) == 0) {
            memset(c, 0, s->c_bytes);
            continue;
        }
        const int64_t block = s->each ? at : at / s->experts;
        const krn_gemm_args args = {
            .a = (const char *)rt_data(step->in[0]) + (size_t)block * s->a_bytes,
            .b = (const char *)rt_data(step->in[1]) + (size_t)expert * s->b_bytes,
            .c = c,
            .scratch = s->scratch->data,
        };
        krn_gemm_run(&s->plan, &args, step->pool);
    }
}

tw_status rt_prepare_sparse_product(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *a = step->in[0], *b = step->in[1], *sparsity = step->in[2];
    sparse *s = TW_ARENA_NEW(&plan->arena, sparse);
    if (a->rank < 4 || b->rank != 4 || b->dims[0] != 1)
        return rt_misfit(op);
    krn_gemm_desc d = {.m = rt_dim(a, -2),
                       .n = b->dims[3],
                       .k = b->dims[2],
                       .a = a->dtype,
                       .b = b->dtype,
                       .c = step->out->dtype};
    s->experts = b->dims[1];
    s->each = ir_op_bool(op, "is_input_a_sparse");
    s->groups = s->experts ? sparsity->count / s->experts : 0;
    const int64_t blocks = s->groups * s->experts;
    if (rt_dim(a, -1) != d.k || sparsity->count != blocks ||
        a->count != (s->each ? blocks : s->groups) * d.m * d.k ||
        step->out->count != blocks * d.m * d.n)
        return rt_misfit(op);
    d.threads = rt_product_threads(plan->pool, d.m * d.n, d.k);
    TW_TRY(krn_gemm_prepare(&d, &s->plan));
    s->scratch = rt_shared_scratch(plan, s->plan.scratch_bytes);
    s->a_bytes = (size_t)(d.m * d.k) * tw_dtype_size(a->dtype);
    s->b_bytes = (size_t)(d.k * d.n) * tw_dtype_size(b->dtype);
    s->c_bytes = (size_t)(d.m * d.n) * tw_dtype_size(step->out->dtype);
    step->state = s;
    step->run = run_sparse;
    return TW_SUCCESS;
}

/* ---- exchanges of tokens */

typedef struct exchange {
    int64_t tokens, experts, chosen, row; /* row: elements of a token, or tokens reduced */
    int64_t
        *local; /* expert -> its index among the device's experts, -1: not the device's */
    const rt_value *mapping;
} exchange;

static tw_status several_devices(const ir_op *op)
{
    return tw_error(TW_UNSUPPORTED,
                    "'%s' over more than one device is not implemented by the runtime",
                    op->def->name);
}

/* Each result has an operand's values: the tokens of all devices are this one's. */
static void run_dispatch(const rt_step *step)
{
    for (uint32_t i = 0; i < step->n_outs; i++)
        rt_convert_into(step->in[i]->dtype, rt_data(step->in[i]), step->outs[i]);
}

tw_status rt_prepare_dispatch(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    if (ir_op_int(op, "num_devices", 1) != 1)
        return several_devices(op);
    for (uint32_t i = 0; i < step->n_outs; i++)
        if (i >= step->n_in || step->in[i]->count != step->outs[i]->count)
            return rt_misfit(op);
    step->on_grid = true;
    step->run = run_dispatch;
    return TW_SUCCESS;
}

/* Numbers the experts that column 0 of the mapping [.., experts, 1] gives to the device. */
static void number_experts(const exchange *e)
{
    int64_t next = 0;
    for (int64_t i = 0; i < e->experts; i++)
        e->local[i] = rt_real_at(e->mapping, i) != 0 ? next++ : -1;
}

static bool read_mapping(rt_plan *plan, const ir_op *op, const rt_step *step, exchange *e)
{
    e->mapping = rt_operand(op, step, "expert_mapping");
    e->experts = e->mapping->count;
    e->local = rt_scratch_alloc(plan, (size_t)(e->experts + 1) * sizeof *e->local);
    return e->mapping->rank >= 1 && rt_dim(e->mapping, -1) == 1;
}

/* [experts, tokens, row] -> [chosen, tokens, row]: what each token's chosen experts made of
 * it; zero where metadata names no expert of the device. */
static void run_combine(const rt_step *step)
{
    const exchange *e = step->state;
    const rt_value *x = step->in[0], *metadata = step->in[1], *out = step->out;
    const size_t bytes = (size_t)e->row * tw_dtype_size(x->dtype);
    const int64_t given = e->tokens ? metadata->count / e->tokens : 0;
    number_experts(e);
    for (int64_t at = 0; at < e->chosen * e->tokens; at++) {
        const int64_t token = at % e->tokens;
        const int64_t id = rt_int_at(metadata, token * given + at / e->tokens);
        const int64_t expert = id >= 0 && id < e->experts ? e->local[id] : -1;
        char *to = (char *)rt_data(out) + (size_t)at * bytes;
        if (expert < 0)
            memset(to, 0, bytes);
        else
            memcpy(to,
                   (const char *)rt_data(x) + (size_t)(expert * e->tokens + token) * bytes,
                   bytes);
    }
}

tw_status rt_prepare_combine(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *metadata = step->in[1];
    exchange *e = TW_ARENA_NEW(&plan->arena, exchange);
    if (ir_op_int(op, "num_devices", 1) != 1)
        return several_devices(op);
    if (!read_mapping(plan, op, step, e) || x->rank < 2 || !x->dims[0])
        return rt_misfit(op);
    e->row = rt_dim(x, -1);
    e->tokens = e->row ? x->count / x->dims[0] / e->row : 0;
    e->chosen = ir_op_int(op, "num_experts_per_tok", 0);
    if (x->dims[0] != e->experts || metadata->count < e->chosen * e->tokens ||
        (e->tokens && metadata->count % e->tokens) || x->dtype != step->out->dtype ||
        step->out->count != e->chosen * e->tokens * e->row)
        return rt_misfit(op);
    step->state = e;
    step->run = run_combine;
    return TW_SUCCESS;
}

/* The score of each expert of the device for the tokens that chose it, and, of each run of
 * `row` tokens, the experts that one of them chose. */
static void run_remap(const rt_step *step)
{
    const exchange *e = step->state;
    const rt_value *scores = step->in[0], *metadata = step->in[2];
    const rt_value *mapping = step->outs[0], *reduced = step->outs[1];
    const float one = 1;
    number_experts(e);
    for (uint32_t i = 0; i < 2; i++)
        memset(rt_data(step->outs[i]), 0,
               (size_t)step->outs[i]->count * tw_dtype_size(step->outs[i]->dtype));
    for (int64_t token = 0; token < e->tokens; token++)
        for (int64_t k = 0; k < e->chosen; k++) {
            const int64_t id = rt_int_at(metadata, token * e->chosen + k);
            if (id < 0 || id >= e->experts || e->local[id] < 0)
                continue;
            const float score = rt_real_at(scores, token * e->experts + id);
            const int64_t expert = e->local[id];
            rt_store_f32(mapping->dtype, &score, 1, rt_data(mapping),
                         (size_t)(token * e->experts + expert));
            rt_store_f32(reduced->dtype, &one, 1, rt_data(reduced),
                         (size_t)(token / e->row * e->experts + expert));
        }
}

tw_status rt_prepare_remap(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *scores = step->in[0], *metadata = step->in[2];
    const rt_value *mapping = step->outs[0], *reduced = step->outs[1];
    exchange *e = TW_ARENA_NEW(&plan->arena, exchange);
    if (!read_mapping(plan, op, step, e))
        return several_devices(op);
    e->row = ir_op_int(op, "reduction_size", 0);
    e->chosen = metadata->rank ? rt_dim(metadata, -1) : 0;
    e->tokens = e->chosen ? metadata->count / e->chosen : 0;
    if (e->row < 1 || scores->count != e->tokens * e->experts ||
        mapping->count != e->tokens * e->experts ||
        reduced->count != (e->tokens + e->row - 1) / e->row * e->experts)
        return rt_misfit(op);
    step->state = e;
    step->run = run_remap;
    return TW_SUCCESS;
}

/* ---- indexer_score_dsa */

typedef struct indexer {
    krn_gemm_plan plan; /* all heads' queries by the keys */
    const rt_buffer *scratch;
    int64_t heads, queries, keys, first; /* first: position of the first query */
    float *scores, *weights, *sums;
} indexer;

/* score[s][t] = sum over heads of relu(q . k) * weight; -inf for keys behind the query. */
static void run_indexer(const rt_step *step)
{
    const indexer *x = step->state;
    const krn_gemm_args args = {.a = rt_data(step->in[0]),
                                .b = rt_data(step->in[1]),
                                .c = x->scores,
                                .scratch = x->scratch->data};
    krn_gemm_run(&x->plan, &args, step->pool);
    rt_reals_load(step->in[2], x->weights);
    for (int64_t s = 0; s < x->queries && !rt_stopped(step); s++) {
        for (int64_t t = 0; t < x->keys; t++)
            x->sums[t] = t > x->first + s ? -INFINITY : 0;
        for (int64_t h = 0; h < x->heads; h++) {
            const float *row = x->scores + (h * x->queries + s) * x->keys;
            const float weight = x->weights[h * x->queries + s];
            for (int64_t t = 0; t < x->keys && t <= x->first + s; t++)
                x->sums[t] += (row[t] < 0 ? 0 : row[t]) * weight;
        }
        rt_store_f32(step->out->dtype, x->sums, (size_t)x->keys, rt_data(step->out),
                     (size_t)(s * x->keys));
    }
}

tw_status rt_prepare_indexer(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *q = step->in[0], *k = step->in[1], *weights = step->in[2];
    indexer *x = TW_ARENA_NEW(&plan->arena, indexer);
    if (q->rank != 4 || k->rank != 4 || q->dims[0] != 1 || k->dims[0] != 1 ||
        k->dims[1] != 1 || k->dims[3] != q->dims[3])
        return rt_misfit(op);
    x->heads = q->dims[1];
    x->queries = q->dims[2];
    x->keys = k->dims[2];
    x->first = ir_op_int(op, "chunk_start_idx", 0);
    if (weights->count != x->heads * x->queries ||
        step->out->count != x->queries * x->keys || !rt_is_float(step->out->dtype) ||
        !rt_is_float(q->dtype))
        return rt_misfit(op);
    const krn_gemm_desc product = {
        .m = x->heads * x->queries,
        .n = x->keys,
        .k = q->dims[3],
        .a = q->dtype,
        .b = k->dtype,
        .c = TW_F32,
        .transpose_b = true,
        .threads =
            rt_product_threads(plan->pool, x->heads * x->queries * x->keys, q->dims[3])};
    TW_TRY(krn_gemm_prepare(&product, &x->plan));
    x->scratch = rt_shared_scratch(plan, x->plan.scratch_bytes);
    x->scores = rt_scratch_alloc(plan, ((size_t)(x->heads * x->queries * x->keys) + 1) *
                                           sizeof *x->scores);
    x->weights = rt_reals_room(plan, weights);
    x->sums = rt_scratch_alloc(plan, ((size_t)x->keys + 1) * sizeof *x->sums);
    step->state = x;
    step->run = run_indexer;
    return TW_SUCCESS;
}
