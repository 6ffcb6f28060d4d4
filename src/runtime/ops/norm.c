/* norm.c: normalisations other than layer_norm and rms_norm (softmax_and_norms.c): over
 * groups, over batches, and the parts that several devices share. Computed in f32, sums in
 * f64. */
#include "host/strips/strip.h"
#include "runtime/activation.h"
#include "runtime/joins.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>

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

tw_status rt_prepare_group_norm(rt_plan *plan, ir_op *op, rt_step *step)
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

/* ---- batch normalisation over dimension 1: y = x * scale[c] + shift[c] ---- */

typedef struct batch_norm {
    int64_t outer, channels, inner;
    double epsilon, momentum;
    rt_value *mean, *variance; /* running statistics; NULL: 0 and 1, without update */
    const rt_value *weight, *bias;
    float *scale, *shift; /* of each channel */
    float *x;             /* in training: the input */
    int64_t together;     /* lines of a task */
} batch_norm;

/* Of a channel: y = x * scale + shift. */
static void find_scale(const batch_norm *b, int64_t c, double mean, double variance)
{
    const double weight = b->weight ? (double)rt_real_at(b->weight, c) : 1;
    const double scale = weight / sqrt(variance + b->epsilon);
    b->scale[c] = (float)scale;
    b->shift[c] = (float)((b->bias ? (double)rt_real_at(b->bias, c) : 0) - mean * scale);
}

/* `n` elements from `at` on: of one channel, or (channels last) of all from c on. */
static void scale_strip(const rt_step *step, int64_t c, int64_t at, size_t n)
{
    const batch_norm *b = step->state;
    const krn_strip_set *set = krn_strips();
    const bool rows = b->inner == 1;
    const float *weight = rows ? b->scale + c : NULL, *bias = rows ? b->shift + c : NULL;
    const tw_dtype t = step->in[0]->dtype, to = step->out->dtype;
    float x[KRN_STRIP], y[KRN_STRIP];
    const float *from = x;
    if (t == TW_F32)
        from = (const float *)rt_data(step->in[0]) + at;
    else if (t == TW_BF16)
        set->load_bf16((const uint16_t *)rt_data(step->in[0]) + at, n, x);
    else
        rt_load_f32(t, rt_data(step->in[0]), (size_t)at, n, x);
    const float scale = rows ? 1 : b->scale[c], shift = rows ? 0 : b->shift[c];
    if (to == TW_F32) {
        set->norm(from, n, scale, shift, weight, bias, (float *)rt_data(step->out) + at);
    } else if (to == TW_BF16) {
        set->norm_bf16(from, n, scale, shift, weight, bias,
                       (uint16_t *)rt_data(step->out) + at);
    } else {
        set->norm(from, n, scale, shift, weight, bias, y);
        rt_store_f32(to, y, n, rt_data(step->out), (size_t)at);
    }
}

/* A plane of one channel, or pixels with all of them. */
static void scale_part(void *context, int64_t task, int thread)
{
    const rt_step *step = context;
    const batch_norm *b = step->state;
    const int64_t last = b->inner == 1 ? b->channels : b->inner;
    const int64_t lines = b->outer * b->channels * b->inner / last;
    const int64_t end = TW_MIN((task + 1) * b->together, lines);
    (void)thread;
    for (int64_t line = task * b->together; line < end; line++)
        for (int64_t at = 0; at < last; at += KRN_STRIP)
            scale_strip(step, b->inner == 1 ? at : line % b->channels, line * last + at,
                        (size_t)TW_MIN(last - at, (int64_t)KRN_STRIP));
}

static void scale_all(const rt_step *step)
{
    batch_norm *b = step->state;
    const int64_t last = b->inner == 1 ? b->channels : b->inner;
    if (step->out->count == 0)
        return;
    b->together = (64 * KRN_STRIP + last - 1) / last;
    const int64_t lines = step->out->count / last;
    rt_parallel(step, (lines + b->together - 1) / b->together, scale_part,
                (void *)(uintptr_t)step);
}

static void find_scales(const batch_norm *b)
{
    for (int64_t c = 0; c < b->channels; c++)
        find_scale(b, c, b->mean ? (double)rt_real_at(b->mean, c) : 0,
                   b->variance ? (double)rt_real_at(b->variance, c) : 1);
}

static void run_batch_norm(const rt_step *step)
{
    find_scales(step->state);
    scale_all(step);
}

bool rt_norm_of_channels(const rt_step *step, const float **out_scale,
                         const float **out_shift)
{
    const batch_norm *b = step->state;
    if (step->run != run_batch_norm || !step->channels_last)
        return false;
    for (uint32_t i = 1; i < step->n_in; i++)
        if (!step->in[i]->buffer->constant || step->in[i]->buffer->written)
            return false;
    find_scales(b);
    *out_scale = b->scale;
    *out_shift = b->shift;
    return true;
}

/* Updates a running value: momentum of the new, the rest of the old. */
static void move_towards(const batch_norm *b, rt_value *running, int64_t c, double batch)
{
    if (!running)
        return;
    const double old = (double)rt_real_at(running, c);
    /* With momentum 1 nothing of the old value counts, not even a NaN. */
    const float next =
        (float)(b->momentum == 1 ? batch : b->momentum * batch + (1 - b->momentum) * old);
    rt_store_f32(running->dtype, &next, 1, rt_data(running), (size_t)c);
}

static void run_batch_norm_training(const rt_step *step)
{
    const batch_norm *b = step->state;
    const double count = (double)(b->outer * b->inner);
    rt_reals_load(step->in[0], b->x);
    for (int64_t c = 0; c < b->channels; c++) {
        double sum = 0, square = 0;
        for (int64_t o = 0; o < b->outer; o++)
            for (int64_t i = 0; i < b->inner; i++)
                sum += (double)b->x[(o * b->channels + c) * b->inner + i];
        const double mean = sum / count;
        for (int64_t o = 0; o < b->outer; o++)
            for (int64_t i = 0; i < b->inner; i++) {
                double d = (double)b->x[(o * b->channels + c) * b->inner + i] - mean;
                square += d * d;
            }
        find_scale(b, c, mean, square / count);
        move_towards(b, b->mean, c, mean);
        move_towards(b, b->variance, c, square / count);
    }
    scale_all(step);
}

static bool of_channels(const rt_value *v, int64_t channels)
{
    return !v || v->count == channels;
}

tw_status rt_prepare_batch_norm(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *in = step->in[0];
    const bool training = op->def == TTNN_OP(batch_norm_training);
    batch_norm *b = TW_ARENA_NEW(&plan->arena, batch_norm);
    if (in->rank < 2)
        return rt_misfit(op);
    *b = (batch_norm){.outer = in->dims[0],
                      .channels = in->dims[1],
                      .inner = 1,
                      .epsilon = ir_op_real(op, "epsilon", 1e-5),
                      .momentum = ir_op_real(op, "momentum", 0.1),
                      .mean = rt_operand(op, step, "running_mean"),
                      .variance = rt_operand(op, step, "running_var"),
                      .weight = rt_operand(op, step, "weight"),
                      .bias = rt_operand(op, step, "bias")};
    for (int d = 2; d < in->rank; d++)
        b->inner *= in->dims[d];
    if (step->channels_last) {
        b->channels = in->dims[in->rank - 1];
        b->outer = b->channels ? in->count / b->channels : 0;
        b->inner = 1;
    }
    if (!of_channels(b->mean, b->channels) || !of_channels(b->variance, b->channels) ||
        !of_channels(b->weight, b->channels) || !of_channels(b->bias, b->channels) ||
        step->out->count != in->count)
        return rt_misfit(op);
    if (training && b->mean)
        b->mean->buffer->written = true;
    if (training && b->variance)
        b->variance->buffer->written = true;
    if (training)
        b->x = rt_reals_room(plan, in);
    b->scale = rt_scratch_alloc(plan, (size_t)(b->channels + 1) * sizeof(float));
    b->shift = rt_scratch_alloc(plan, (size_t)(b->channels + 1) * sizeof(float));
    step->state = b;
    step->run = training ? run_batch_norm_training : run_batch_norm;
    return TW_SUCCESS;
}

/* ---- rows, with a residual that is added first ----
 *
 * Across devices a norm is computed in two parts: each device's sums (pre_all_gather), then
 * the norm itself. On one device the second part uses the sums of its own row, and the
 * distributed forms are the plain norms. */

typedef struct rows {
    const rt_value *residual, *weight, *bias;
    rt_activation activation;
    double epsilon;
    int64_t length;
    bool rms;
    float *x, *r, *w, *b, *stats;
} rows;

static void load_rows(const rt_step *step, const rows *n)
{
    rt_reals_load(step->in[0], n->x);
    rt_reals_load(n->residual, n->r);
    rt_reals_load(n->weight, n->w);
    rt_reals_load(n->bias, n->b);
    for (int64_t i = 0; n->residual && i < step->in[0]->count; i++)
        n->x[i] += n->r[i];
}

static double mean_of(const float *x, int64_t n, double minus, bool square)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)x[i] - minus;
        sum += square ? d * d : d;
    }
    return sum / (double)n;
}

static void run_rows(const rt_step *step)
{
    const rows *n = step->state;
    load_rows(step, n);
    for (float *x = n->x; x < n->x + step->in[0]->count; x += n->length) {
        const double mean = n->rms ? 0 : mean_of(x, n->length, 0, false);
        const double scale = 1 / sqrt(mean_of(x, n->length, mean, true) + n->epsilon);
        for (int64_t i = 0; i < n->length; i++)
            x[i] = (float)(((double)x[i] - mean) * scale) * (n->weight ? n->w[i] : 1) +
                   (n->bias ? n->b[i] : 0);
    }
    if (n->activation.act == KRN_GEMM_CALL)
        rt_activation_apply((void *)(uintptr_t)&n->activation, n->x,
                            (size_t)step->in[0]->count);
    else if (n->activation.act == KRN_GEMM_RELU)
        for (int64_t i = 0; i < step->in[0]->count; i++)
            n->x[i] = n->x[i] <= 0 ? 0 : n->x[i];
    rt_store_f32(step->out->dtype, n->x, (size_t)step->out->count, rt_data(step->out), 0);
}

/* The sum of squares in the first column; of 64 columns the sum in the 33rd. */
static void run_sums(const rt_step *step)
{
    const rows *n = step->state;
    const int64_t width = n->rms ? 32 : 64;
    load_rows(step, n);
    memset(n->stats, 0, (size_t)step->out->count * sizeof *n->stats);
    for (int64_t r = 0; r * width < step->out->count; r++) {
        const float *x = n->x + r * n->length;
        const double squares = mean_of(x, n->length, 0, true);
        n->stats[r * width] = (float)(squares * (double)n->length);
        if (!n->rms)
            n->stats[r * width + 32] =
                (float)(mean_of(x, n->length, 0, false) * (double)n->length);
    }
    rt_store_f32(step->out->dtype, n->stats, (size_t)step->out->count, rt_data(step->out),
                 0);
}

tw_status rt_prepare_rows(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *in = step->in[0];
    rows *n = TW_ARENA_NEW(&plan->arena, rows);
    const bool sums = op->def == TTNN_OP(layer_norm_pre_all_gather) ||
                      op->def == TTNN_OP(rms_norm_pre_all_gather);
    n->rms = op->def == TTNN_OP(rms_norm_pre_all_gather) ||
             op->def == TTNN_OP(dit_rms_norm_unary_fused) ||
             op->def == TTNN_OP(distributed_rms_norm);
    n->length = in->rank ? rt_dim(in, -1) : 0;
    n->residual = rt_operand(op, step, "residual");
    if (!n->residual)
        n->residual = rt_operand(op, step, "residual_input");
    n->weight = rt_operand(op, step, "weight");
    n->bias = rt_operand(op, step, "bias");
    n->epsilon =
        ir_op_real(op, "epsilon", op->def == TTNN_OP(distributed_rms_norm) ? 1e-12 : 1e-5);
    TW_TRY(rt_activation_read(op, ir_op_attr(op, "activation"), &n->activation));
    const int64_t rows_in = n->length ? in->count / n->length : 0;
    if (n->length < 1 || !of_channels(n->residual, in->count) ||
        !of_channels(n->weight, n->length) || !of_channels(n->bias, n->length) ||
        step->out->count != (sums ? rows_in * (n->rms ? 32 : 64) : in->count))
        return rt_misfit(op);
    n->x = rt_reals_room(plan, in);
    n->r = rt_reals_room(plan, n->residual);
    n->w = rt_reals_room(plan, n->weight);
    n->b = rt_reals_room(plan, n->bias);
    n->stats = sums ? rt_reals_room(plan, step->out) : NULL;
    step->state = n;
    step->run = sums ? run_sums : run_rows;
    return TW_SUCCESS;
}
