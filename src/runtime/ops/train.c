/* train.c: training steps: attention that also returns values for its gradient, that
 * gradient, and AdamW. Computed in f32. */
#include "runtime/steps.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <math.h>

/* ---- attention; all tensors are [batch, heads, rows, depth] ---- */

typedef struct sdpa {
    int64_t batch, heads, kv_heads, queries, keys, depth, value_depth;
    int64_t mask_type;
    const rt_value *mask;     /* [1, 1, queries, keys] */
    rt_value *log_sums;       /* [batch, heads, queries, 32], each in all columns */
    float *q, *k, *v, *m, *l; /* the operands as f32 */
    float *out, *grad;        /* of the result: its value and gradient */
    float *dq, *dk, *dv, *row;
    float scale;
} sdpa;

/* The scaled and masked dot products of one query with all keys. */
static void logits_of(const sdpa *a, const float *q, const float *k, int64_t i, float *to)
{
    for (int64_t j = 0; j < a->keys; j++) {
        float sum = 0;
        for (int64_t d = 0; d < a->depth; d++)
            sum += q[d] * k[j * a->depth + d];
        to[j] = sum * a->scale;
        if (a->mask_type == TTCORE_AttentionMaskType_Causal && j > i)
            to[j] = -INFINITY;
        else if (a->mask)
            to[j] += a->m[i * a->keys + j];
    }
}

static int64_t shared_head(const sdpa *a, int64_t head)
{
    const int64_t b = head / a->heads, h = head % a->heads;
    return b * a->kv_heads + h / (a->heads / a->kv_heads);
}

/* One query; returns its log-sum-exp. */
static float forward(const sdpa *a, int64_t head, int64_t i)
{
    const int64_t kv = shared_head(a, head), at = head * a->queries + i;
    const float *v = a->v + kv * a->keys * a->value_depth;
    float *out = a->out + at * a->value_depth, most = -INFINITY, sum = 0;
    logits_of(a, a->q + at * a->depth, a->k + kv * a->keys * a->depth, i, a->row);
    for (int64_t j = 0; j < a->keys; j++)
        most = fmaxf(most, a->row[j]);
    memset(out, 0, (size_t)a->value_depth * sizeof *out);
    for (int64_t j = 0; j < a->keys; j++) {
        const float p = expf(a->row[j] - most);
        sum += p;
        for (int64_t d = 0; d < a->value_depth; d++)
            out[d] += p * v[j * a->value_depth + d];
    }
    for (int64_t d = 0; d < a->value_depth; d++)
        out[d] /= sum;
    return most + logf(sum);
}

static void run_sdpa(const rt_step *step)
{
    const sdpa *a = step->state;
    rt_reals_load(step->in[0], a->q);
    rt_reals_load(step->in[1], a->k);
    rt_reals_load(step->in[2], a->v);
    rt_reals_load(a->mask, a->m);
    for (int64_t row = 0; row < a->batch * a->heads * a->queries; row++) {
        float columns[32];
        const float log_sum = forward(a, row / a->queries, row % a->queries);
        for (int c = 0; c < 32; c++)
            columns[c] = log_sum;
        if (a->log_sums)
            rt_store_f32(a->log_sums->dtype, columns, 32, rt_data(a->log_sums),
                         (size_t)row * 32);
    }
    rt_store_f32(step->out->dtype, a->out, (size_t)step->out->count, rt_data(step->out), 0);
}

/* p = exp(logits - log-sum-exp), dv = p^T g, dp = g v^T, ds = p (dp - sum(g out)) scale,
 * dq = ds k, dk = ds^T q. */
static void backward(const sdpa *a, int64_t head, int64_t i)
{
    const int64_t kv = shared_head(a, head), at = head * a->queries + i;
    const float *q = a->q + at * a->depth, *k = a->k + kv * a->keys * a->depth;
    const float *v = a->v + kv * a->keys * a->value_depth;
    const float *g = a->grad + at * a->value_depth, *out = a->out + at * a->value_depth;
    float *dq = a->dq + at * a->depth, *dk = a->dk + kv * a->keys * a->depth;
    float *dv = a->dv + kv * a->keys * a->value_depth, u = 0;
    logits_of(a, q, k, i, a->row);
    for (int64_t d = 0; d < a->value_depth; d++)
        u += g[d] * out[d];
    for (int64_t j = 0; j < a->keys; j++) {
        const float p = expf(a->row[j] - a->l[at * 32]);
        float dp = 0;
        for (int64_t d = 0; d < a->value_depth; d++) {
            dp += g[d] * v[j * a->value_depth + d];
            dv[j * a->value_depth + d] += p * g[d];
        }
        const float ds = p * (dp - u) * a->scale;
        for (int64_t d = 0; d < a->depth; d++) {
            dq[d] += ds * k[j * a->depth + d];
            dk[j * a->depth + d] += ds * q[d];
        }
    }
}

static void run_sdpa_bw(const rt_step *step)
{
    const sdpa *a = step->state;
    float *const loaded[] = {a->grad, a->out, a->q, a->k, a->v, a->l};
    float *const made[] = {a->dq, a->dk, a->dv};
    for (size_t i = 0; i < TW_COUNT(loaded); i++)
        rt_reals_load(step->in[i], loaded[i]);
    rt_reals_load(a->mask, a->m);
    for (size_t i = 0; i < TW_COUNT(made); i++)
        memset(made[i], 0, (size_t)step->outs[i]->count * sizeof(float));
    for (int64_t head = 0; head < a->batch * a->heads; head++)
        for (int64_t i = 0; i < a->queries; i++)
            backward(a, head, i);
    for (size_t i = 0; i < TW_COUNT(made); i++)
        rt_store_f32(step->outs[i]->dtype, made[i], (size_t)step->outs[i]->count,
                     rt_data(step->outs[i]), 0);
}

static bool read_sdpa(const ir_op *op, const rt_step *step, sdpa *a)
{
    const rt_value *q = rt_operand(op, step, "query"), *k = rt_operand(op, step, "key"),
                   *v = rt_operand(op, step, "value");
    if (q->rank != 4 || k->rank != 4 || v->rank != 4)
        return false;
    *a = (sdpa){.batch = q->dims[0],
                .heads = q->dims[1],
                .queries = q->dims[2],
                .depth = q->dims[3],
                .kv_heads = k->dims[1],
                .keys = k->dims[2],
                .value_depth = v->dims[3],
                .mask_type = ir_enum_value(ir_op_attr(op, "mask_type"),
                                           TTCORE_AttentionMaskType_Causal)};
    if (a->mask_type == TTCORE_AttentionMaskType_Arbitrary)
        a->mask = rt_operand(op, step, "attention_mask");
    a->scale = (float)(1 / sqrt((double)TW_MAX(a->depth, 1)));
    return a->kv_heads > 0 && a->heads % a->kv_heads == 0 && k->dims[0] == a->batch &&
           v->dims[0] == a->batch && v->dims[1] == a->kv_heads && v->dims[2] == a->keys &&
           k->dims[3] == a->depth && (!a->mask || a->mask->count == a->queries * a->keys);
}

tw_status rt_prepare_sdpa(rt_plan *plan, ir_op *op, rt_step *step)
{
    sdpa *a = TW_ARENA_NEW(&plan->arena, sdpa);
    const bool back = op->def == TTNN_OP(sdpa_bw);
    if (ir_op_real(op, "dropout_probability", 0) != 0)
        return tw_error(TW_UNSUPPORTED, "'%s' with dropout is not implemented",
                        op->def->name);
    if (!read_sdpa(op, step, a))
        return rt_misfit(op);
    const rt_value *q = rt_operand(op, step, "query"), *k = rt_operand(op, step, "key"),
                   *v = rt_operand(op, step, "value");
    const int64_t rows = a->batch * a->heads * a->queries;
    const rt_value *out = back ? step->in[1] : step->out;
    const rt_value *sums = back ? step->in[5] : step->n_outs > 1 ? step->outs[1] : NULL;
    if (out->count != rows * a->value_depth || (sums && sums->count != rows * 32) ||
        (back && (step->in[0]->count != out->count || step->outs[0]->count != q->count ||
                  step->outs[1]->count != k->count || step->outs[2]->count != v->count)))
        return rt_misfit(op);
    a->log_sums = back || step->n_outs < 2 ? NULL : step->outs[1];
    a->q = rt_reals_room(plan, q);
    a->k = rt_reals_room(plan, k);
    a->v = rt_reals_room(plan, v);
    a->m = rt_reals_room(plan, a->mask);
    a->out = rt_reals_room(plan, out);
    a->row = rt_scratch_alloc(plan, (size_t)(a->keys + 1) * sizeof(float));
    if (back) {
        a->grad = rt_reals_room(plan, out);
        a->l = rt_reals_room(plan, sums);
        a->dq = rt_reals_room(plan, q);
        a->dk = rt_reals_room(plan, k);
        a->dv = rt_reals_room(plan, v);
    }
    step->state = a;
    step->run = back ? run_sdpa_bw : run_sdpa;
    return TW_SUCCESS;
}

/* ---- AdamW, in place ---- */

typedef struct adamw {
    double rate, beta1, beta2, beta1_pow, beta2_pow, epsilon, decay;
} adamw;

static void run_adamw(const rt_step *step)
{
    const adamw *a = step->state;
    rt_value *const *v = step->in; /* parameter, gradient, both moments, the second's
                                    * maximum */
    for (int64_t i = 0; i < v[0]->count; i++) {
        const double p = (double)rt_real_at(v[0], i), g = (double)rt_real_at(v[1], i);
        const double m = a->beta1 * (double)rt_real_at(v[2], i) + (1 - a->beta1) * g;
        const double s = a->beta2 * (double)rt_real_at(v[3], i) + (1 - a->beta2) * g * g;
        const double most = step->n_in > 4 ? fmax((double)rt_real_at(v[4], i), s) : s;
        const double size = sqrt(most / (1 - a->beta2_pow)) + a->epsilon;
        const float next[] = {
            (float)(p - a->rate * (m / (1 - a->beta1_pow)) / size - a->rate * a->decay * p),
            (float)m, (float)s, (float)most};
        rt_store_f32(v[0]->dtype, &next[0], 1, rt_data(v[0]), (size_t)i);
        rt_store_f32(v[2]->dtype, &next[1], 1, rt_data(v[2]), (size_t)i);
        rt_store_f32(v[3]->dtype, &next[2], 1, rt_data(v[3]), (size_t)i);
        if (step->n_in > 4)
            rt_store_f32(v[4]->dtype, &next[3], 1, rt_data(v[4]), (size_t)i);
    }
}

tw_status rt_prepare_adamw(rt_plan *plan, ir_op *op, rt_step *step)
{
    adamw *a = TW_ARENA_NEW(&plan->arena, adamw);
    if (ir_op_bool(op, "stochastic_rounding"))
        return tw_error(TW_UNSUPPORTED, "'%s' with stochastic rounding is not implemented",
                        op->def->name);
    *a = (adamw){ir_op_real(op, "lr", 0),          ir_op_real(op, "beta1", 0),
                 ir_op_real(op, "beta2", 0),       ir_op_real(op, "beta1_pow", 0),
                 ir_op_real(op, "beta2_pow", 0),   ir_op_real(op, "epsilon", 0),
                 ir_op_real(op, "weight_decay", 0)};
    for (uint32_t i = 0; i < step->n_in; i++) {
        if (step->in[i]->count != step->in[0]->count)
            return rt_misfit(op);
        if (i != 1)
            step->in[i]->buffer->written = true;
    }
    rt_write_in_place(step, step->in[0]);
    step->state = a;
    step->run = run_adamw;
    return TW_SUCCESS;
}
