/* ops_attention.c: scaled dot product attention, for whole sequences and for one position
 * of each user; group normalisation.  Computed in f32. */
#include "dialect/ttnn/ttnn.h"
#include "runtime/steps.h"

#include <math.h>
#include <stdlib.h>

typedef struct attention {
    int64_t batch, heads, kv_heads, queries, keys, depth, value_depth;
    const rt_value *mask, *sink, *position;
    int64_t mask_strides[4]; /* batch, head, query, key; 0 where it stretches */
    int64_t window;          /* 0: none */
    int64_t sinks;           /* of each head */
    float scale;
    bool causal, decode;
    float *q, *k, *v, *m, *s, *logits, *out;
} attention;

/* Whether query i of sequence b sees key j. */
static bool visible(const attention *a, int64_t b, int64_t i, int64_t j)
{
    if (a->decode && a->causal)
        i = rt_int_at(a->position, b);
    if (a->causal)
        return j <= i && (!a->window || i - j < a->window);
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

/* One row of the softmax, then its mixture of values. */
static void attend(const attention *a, int64_t b, int64_t h, int64_t i, const float *q,
                   float *out)
{
    int64_t kv = b * a->kv_heads + h / (a->heads / a->kv_heads);
    const float *keys = a->k + kv * a->keys * a->depth;
    const float *values = a->v + kv * a->keys * a->value_depth;
    float most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < a->keys; j++) {
        float x = dot(q, keys + j * a->depth, a->depth) * a->scale;
        if (a->m)
            x += a->m[b * a->mask_strides[0] + h * a->mask_strides[1] +
                      i * a->mask_strides[2] + j * a->mask_strides[3]];
        a->logits[j] = visible(a, b, i, j) ? x : -INFINITY;
        most = fmaxf(most, a->logits[j]);
    }
    for (int64_t j = 0; j < a->sinks; j++)
        most = fmaxf(most, a->s[h * a->sinks + j]);
    for (int64_t d = 0; d < a->value_depth; d++)
        out[d] = 0;
    for (int64_t j = 0; j < a->sinks; j++)
        sum += expf(a->s[h * a->sinks + j] - most);
    for (int64_t j = 0; j < a->keys; j++) {
        if (a->logits[j] == -INFINITY)
            continue;
        float p = expf(a->logits[j] - most);
        sum += p;
        for (int64_t d = 0; d < a->value_depth; d++)
            out[d] += p * values[j * a->value_depth + d];
    }
    for (int64_t d = 0; d < a->value_depth; d++)
        out[d] /= sum;
}

static void run_attention(const rt_step *step)
{
    const attention *a = step->state;
    rt_reals_load(step->in[0], a->q);
    rt_reals_load(step->in[1], a->k);
    rt_reals_load(step->in[2], a->v);
    rt_reals_load(a->mask, a->m);
    rt_reals_load(a->sink, a->s);
    int64_t row = 0; /* decode: users, heads; else: batch, heads, queries */
    for (int64_t b = 0; b < a->batch; b++)
        for (int64_t h = 0; h < a->heads; h++)
            for (int64_t i = 0; i < a->queries; i++, row++)
                attend(a, b, h, i, a->q + row * a->depth, a->out + row * a->value_depth);
    rt_store_f32(step->out->dtype, a->out, (size_t)step->out->count, rt_data(step->out), 0);
}

/* The mask is [batch, heads, queries, keys], each its size or 1. */
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

static tw_status prepare_attention(rt_plan *plan, ir_op *op, rt_step *step)
{
    attention *a = TW_ARENA_NEW(&plan->arena, attention);
    const rt_value *q = rt_operand(op, step, "query"), *k = rt_operand(op, step, "key"),
                   *v = rt_operand(op, step, "value"), *out = step->out;
    if (q->rank != 4 || k->rank != 4 || v->rank != 4)
        return rt_misfit(op);
    ir_attr causal = ir_op_attr(op, "is_causal");
    a->decode = op->def == TTNN_OP(scaled_dot_product_attention_decode);
    a->causal = !causal || ir_attr_int(causal, 1);
    a->batch = q->dims[a->decode ? 1 : 0];
    a->heads = q->dims[a->decode ? 2 : 1];
    a->queries = a->decode ? 1 : q->dims[2];
    a->kv_heads = k->dims[1];
    a->keys = k->dims[2];
    a->depth = q->dims[3];
    a->value_depth = v->dims[3];
    a->scale = (float)ir_op_real(op, "scale", 1 / sqrt((double)TW_MAX(a->depth, 1)));
    a->window = ir_op_int(op, "sliding_window_size", 0);
    a->mask = rt_operand(op, step, "attention_mask");
    a->sink = rt_operand(op, step, "attention_sink");
    if (a->decode)
        a->position = rt_operand(op, step, "cur_pos_tensor");
    if (a->decode && (a->sink || a->window))
        return tw_error(TW_UNSUPPORTED, "'%s' with a sink or a window is not implemented",
                        op->def->name);
    a->sinks = a->sink && a->heads ? a->sink->count / a->heads : 0;
    if ((a->decode && (q->dims[0] != 1 ||
                       (a->causal && (!a->position || a->position->count < a->batch)))) ||
        a->kv_heads < 1 || a->heads % a->kv_heads || k->dims[0] != a->batch ||
        v->dims[0] != a->batch || v->dims[1] != a->kv_heads || v->dims[2] != a->keys ||
        k->dims[3] != a->depth || out->count * a->depth != q->count * a->value_depth ||
        !read_mask(a))
        return rt_misfit(op);
    a->q = rt_reals_room(plan, q);
    a->k = rt_reals_room(plan, k);
    a->v = rt_reals_room(plan, v);
    a->m = rt_reals_room(plan, a->mask);
    a->s = rt_reals_room(plan, a->sink);
    a->out = rt_reals_room(plan, out);
    a->logits = rt_scratch_alloc(plan, (size_t)(a->keys + 1) * sizeof(float));
    step->state = a;
    step->run = run_attention;
    return TW_SUCCESS;
}

/* ---- group normalisation: input (N, 1, H*W, C) */

typedef struct groups {
    int64_t count;
    double epsilon;
    const rt_value *weight, *bias;
    float *x;
} groups;

static void normalise(const groups *g, const rt_value *x, int64_t n, int64_t group)
{
    int64_t rows = x->dims[2], c = x->dims[3], width = c / g->count;
    float *base = g->x + n * rows * c + group * width;
    double sum = 0, square = 0, m = (double)(rows * width);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < width; k++)
            sum += (double)base[r * c + k];
    double mean = sum / m;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < width; k++) {
            double d = (double)base[r * c + k] - mean;
            square += d * d;
        }
    double factor = 1 / sqrt(square / m + g->epsilon);
    for (int64_t k = 0; k < width; k++) {
        int64_t channel = group * width + k;
        float w = g->weight ? rt_real_at(g->weight, channel) : 1;
        float b = g->bias ? rt_real_at(g->bias, channel) : 0;
        for (int64_t r = 0; r < rows; r++) {
            float *at = &base[r * c + k];
            *at = (float)(((double)*at - mean) * factor) * w + b;
        }
    }
}

static void run_group_norm(const rt_step *step)
{
    const groups *g = step->state;
    const rt_value *x = step->in[0];
    rt_reals_load(x, g->x);
    for (int64_t n = 0; n < x->dims[0]; n++)
        for (int64_t i = 0; i < g->count; i++)
            normalise(g, x, n, i);
    rt_store_f32(step->out->dtype, g->x, (size_t)x->count, rt_data(step->out), 0);
}

static tw_status prepare_group_norm(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    groups *g = TW_ARENA_NEW(&plan->arena, groups);
    g->count = ir_op_int(op, "num_groups", 0);
    g->epsilon = ir_op_real(op, "epsilon", 1e-12);
    g->weight = rt_operand(op, step, "weight");
    g->bias = rt_operand(op, step, "bias");
    if (x->rank != 4 || x->dims[1] != 1 || g->count < 1 || x->dims[3] % g->count ||
        x->count != step->out->count || (g->weight && g->weight->count < x->dims[3]) ||
        (g->bias && g->bias->count < x->dims[3]))
        return rt_misfit(op);
    g->x = rt_reals_room(plan, x);
    step->state = g;
    step->run = run_group_norm;
    return TW_SUCCESS;
}

const rt_kernel rt_attention_kernels[] = {
    {TTNN_group_norm, prepare_group_norm},
    {TTNN_scaled_dot_product_attention, prepare_attention},
    {TTNN_scaled_dot_product_attention_decode, prepare_attention},
    {0, NULL},
};
