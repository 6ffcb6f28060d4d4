/* conv_run.c: convolutions as matrix products whose rows are read in place.
 *
 * The weights are packed like any B, ordered by depth (taps outer, channels inner). The
 * input is first copied to an image with padding, dilation and dense channels, unless it
 * already has that form; then row `position` of A is, for each run of depth (the taps of
 * one window row with their channels), a contiguous run of the image, and adjacent
 * positions have a common stride: the micro-kernel reads them without packing A. */
#include "host/conv/conv_run.h"

#include "host/gemm/gemm_core.h"
#include "host/parallel.h"
#include "support/bf16_f16.h"
#include "support/number.h"
#include "support/threadpool.h"

#define ALIGN 64

/* ---- weights */

static float weight_f32(const void *weights, tw_dtype dtype, int64_t i)
{
    return dtype == TW_F32    ? ((const float *)weights)[i]
           : dtype == TW_BF16 ? tw_bf16_value(((const uint16_t *)weights)[i])
                              : tw_f16_value(((const uint16_t *)weights)[i]);
}

typedef struct pack_job {
    const krn_conv_plan *plan;
    const void *weights;
    char *packed;
} pack_job;

/* `count` output channels from `first` on of f32 weights for f32 kernels: one copy. */
static tw_status copy_panel(const pack_job *job, int64_t group, int64_t first, int count,
                            float *dst, struct tw_threadpool *pool)
{
    const krn_conv_plan *p = job->plan;
    enum { AXES = KRN_CONV_MAX_SPATIAL };
    const int64_t none[AXES] = {0};
    int64_t size[AXES + 2], src[AXES + 2], to[AXES + 2];
    int64_t from = krn_conv_weight_at(p, group, none, 0, first);
    int64_t row = p->kernels->nr * p->channels_padded;
    krn_copy_plan copy;

    for (int i = AXES - 1; i >= 0; row *= p->taps[i], i--) {
        size[i] = p->taps[i];
        src[i] = p->reverse[i] ? -p->weights.spatial[i] : p->weights.spatial[i];
        to[i] = row;
        from += p->reverse[i] ? (p->taps[i] - 1) * p->weights.spatial[i] : 0;
    }
    size[AXES] = p->channels;
    src[AXES] = p->weights.batch;
    to[AXES] = p->kernels->nr;
    size[AXES + 1] = count;
    src[AXES + 1] = p->weights.feature;
    to[AXES + 1] = 1;
    TW_TRY(krn_plan_copy(sizeof *dst, AXES + 2, size, src, from, to, 0, &copy));
    krn_copy_run(&copy, job->weights, dst, pool);
    return TW_SUCCESS;
}

/* One panel: nr output channels of a group, all of the depth. Threads share it where there
 * are too few panels for them. */
static void pack_panel_on(const pack_job *job, int64_t task, struct tw_threadpool *pool)
{
    const krn_conv_plan *p = job->plan;
    const int64_t nr = p->kernels->nr, panels = tw_ceil_div(p->outputs, nr);
    const int64_t group = task / panels, first = task % panels * nr;
    const int count = (int)TW_MIN(nr, p->outputs - first);
    const int cell = p->kernels->cell;
    uint32_t *dst =
        (uint32_t *)(job->packed + group * p->weights_group_bytes) + first * (p->k / cell);

    if (count < nr || p->channels < p->channels_padded)
        memset(dst, 0, (size_t)(nr * (p->k / cell)) * sizeof *dst);
    if (cell == 1 && p->desc.weights == TW_F32) {
        tw_status status = copy_panel(job, group, first, count, (float *)dst, pool);
        assert(status == TW_SUCCESS); /* floats over five axes can be copied */
        tw_status_free(status);
        return;
    }
    for (int64_t k = 0; k < p->k; k++) {
        const int64_t channel = k % p->channels_padded;
        int64_t rest = k / p->channels_padded, tap[KRN_CONV_MAX_SPATIAL];
        if (channel >= p->channels)
            continue;
        for (int i = KRN_CONV_MAX_SPATIAL - 1; i >= 0; i--) {
            tap[i] = rest % p->taps[i];
            rest /= p->taps[i];
            if (p->reverse[i])
                tap[i] = p->taps[i] - 1 - tap[i];
        }
        const int64_t at = krn_conv_weight_at(p, group, tap, channel, first);
        for (int j = 0; j < count; j++) {
            const int64_t from = at + j * p->weights.feature;
            if (cell == 1)
                ((float *)dst)[k * nr + j] =
                    weight_f32(job->weights, p->desc.weights, from);
            else
                ((uint16_t *)dst)[(k / 2 * nr + j) * 2 + k % 2] =
                    ((const uint16_t *)job->weights)[from];
        }
    }
}

static void pack_panel(void *context, int64_t task, int thread)
{
    (void)thread;
    pack_panel_on(context, task, NULL);
}

void krn_conv_pack_weights(const krn_conv_plan *plan, const void *weights, void *packed,
                           struct tw_threadpool *pool)
{
    if (plan->path == KRN_CONV_EXACT) {
        memcpy(packed, weights,
               (size_t)krn_count(plan->desc.spatial_rank + 2, plan->desc.weights_shape) *
                   tw_dtype_size(plan->desc.weights));
        return;
    }
    if (plan->path == KRN_CONV_DEPTHWISE) {
        krn_conv_depthwise_pack(plan, weights, packed);
        return;
    }
    if (plan->path == KRN_CONV_WINOGRAD) {
        krn_conv_winograd_pack(plan, weights, packed, pool);
        return;
    }
    pack_job job = {plan, weights, packed};
    const int64_t panels = plan->groups * tw_ceil_div(plan->outputs, plan->kernels->nr);
    if (panels < krn_threads(pool))
        for (int64_t i = 0; i < panels; i++)
            pack_panel_on(&job, i, pool);
    else
        krn_parallel(pool, 0, panels, pack_panel, &job);
}

bool krn_conv_scale_weights(const krn_conv_plan *plan, const float *scale, void *packed)
{
    float *weights = packed;
    if (plan->path != KRN_CONV_DEPTHWISE)
        return false;
    const int64_t taps = plan->taps[0] * plan->taps[1] * plan->taps[2];
    for (int64_t t = 0; t < taps; t++, weights += plan->groups)
        for (int64_t c = 0; c < plan->groups; c++)
            weights[c] *= scale[c];
    return true;
}

/* ---- the product */

typedef struct conv_job {
    const krn_conv_plan *plan;
    const krn_gemm_args *args;
    const float *bias;
    const char *image, *weights;
    char *blocks;      /* scratch of thread 0 */
    int64_t row, rows; /* of the product: those of the image */
    int64_t row_blocks, column_blocks;
    const struct tw_threadpool *pool;
} conv_job;

typedef struct group_job {
    const conv_job *job;
    int64_t group;
    const char *image;
} group_job;

/* Returns the image's element k0 of the depth, for the first position of a line. */
static const char *line_at(const void *context, int64_t line, int64_t k0)
{
    const group_job *g = context;
    const krn_conv_plan *p = g->job->plan;
    const krn_conv_position position = krn_conv_locate(p, line * p->line);
    const int64_t depth = TW_MAX(p->channels_padded, 1);
    int64_t at = k0 % depth * p->image.feature, rest = k0 / depth;

    at += position.batch * p->image.batch;
    for (int i = KRN_CONV_MAX_SPATIAL - 1; i >= 0; i--) {
        const int64_t tap = rest % p->taps[i];
        rest /= p->taps[i];
        at += (position.at[i] * p->stride[i] + tap * p->dilation[i]) * p->image.spatial[i];
    }
    return g->image + at * (4 / p->kernels->cell);
}

/* Returns the result's first channel of the group, for the first position of a line. */
static char *out_line_at(const void *context, int64_t line)
{
    const group_job *g = context;
    const krn_conv_plan *p = g->job->plan;
    const krn_conv_position position = krn_conv_locate(p, line * p->line);
    return (char *)g->job->args->c +
           (krn_conv_group_out(p, g->group) + krn_conv_offset(&p->out, &position)) *
               (int64_t)tw_dtype_size(p->desc.out);
}

static void store_element(void *out, tw_dtype dtype, int64_t at, float v)
{
    if (dtype == TW_F32)
        ((float *)out)[at] = v;
    else
        ((uint16_t *)out)[at] =
            dtype == TW_BF16 ? tw_bf16_nearest_even(v) : tw_f16_nearest_even(v);
}

/* Activation by callback, rounding, and results whose rows are not dense. */
static void finish_block(const void *context, float *block, int64_t row_stride, int64_t row,
                         int64_t rows, int64_t column, int64_t columns)
{
    const group_job *g = context;
    const krn_conv_plan *p = g->job->plan;
    const krn_conv_desc *d = &p->desc;
    const krn_gemm_args *args = g->job->args;
    const int64_t size = (int64_t)tw_dtype_size(d->out);
    const int64_t base = krn_conv_group_out(p, g->group) + column * p->out.feature;

    for (int64_t i = 0; i < rows; i++) {
        float *values = block + i * row_stride;
        if (d->act == KRN_GEMM_CALL)
            args->act(args->act_context, values, (size_t)columns);
        if (p->dense_out) {
            if (d->out != TW_F32)
                krn_from_f32(values, columns, d->out,
                             (char *)args->c + (base + (row + i) * p->out_row) * size);
            continue;
        }
        const krn_conv_position position = krn_conv_locate(p, row + i);
        const int64_t to = base + krn_conv_offset(&p->out, &position);
        if (p->out.feature == 1) {
            krn_from_f32(values, columns, d->out, (char *)args->c + to * size);
            continue;
        }
        for (int64_t j = 0; j < columns; j++)
            store_element(args->c, d->out, to + j * p->out.feature, values[j]);
    }
}

static void run_block(void *context, int64_t task, int thread)
{
    const conv_job *job = context;
    const krn_conv_plan *p = job->plan;
    const krn_conv_desc *d = &p->desc;
    const int64_t jb = task % job->column_blocks,
                  ib = task / job->column_blocks % job->row_blocks;
    const int64_t group = task / job->column_blocks / job->row_blocks;
    const int cell = p->kernels->cell;
    char *const out = (char *)job->args->c +
                      krn_conv_group_out(p, group) * (int64_t)tw_dtype_size(d->out);
    const group_job g = {job, group, job->image + group * p->image_step * (4 / cell)};
    const krn_gemm_core core = {
        .kernels = p->kernels,
        .k = p->k,
        .kc = p->kc,
        .ks = p->k,
        .run = p->run,
        .a_run = p->kc > p->run ? p->run_step * (4 / cell) : 0,
        .a_row = p->image_row * (4 / cell),
        .a_step = p->image.feature * 4,
        .line = p->line,
        .line_at = line_at,
        .line_context = &g,
        .b = job->weights + group * p->weights_group_bytes,
        .b_panel = p->k / cell * p->kernels->nr * 4,
        .b_step = p->kernels->nr * 4,
        .c = p->into_out && d->out == TW_F32 ? (float *)out : NULL,
        .c_row = p->out_row,
        .c16 = p->into_out && d->out == TW_BF16 ? (uint16_t *)out : NULL,
        .c16_row = p->out_row,
        .out_line_at = p->into_out && !p->dense_out ? out_line_at : NULL,
        .finish = d->act == KRN_GEMM_CALL || !p->into_out ? finish_block : NULL,
        .finish_context = &g,
        .bias = job->bias ? job->bias + group * p->outputs : NULL,
        .scale = job->args->scale ? job->args->scale + group * p->outputs : NULL,
        .relu = d->act == KRN_GEMM_RELU || d->act == KRN_GEMM_RELU6,
        .six = d->act == KRN_GEMM_RELU6,
        .pool = job->pool,
    };
    const int64_t row = job->rows * ib / job->row_blocks;
    const int64_t rows = job->rows * (ib + 1) / job->row_blocks - row;
    const int64_t column = jb * p->nc;
    krn_gemm_block(&core, job->row + row, rows, column, TW_MIN(p->nc, p->outputs - column),
                   NULL, (float *)(job->blocks + (size_t)thread * p->c_block_bytes));
}

typedef struct margins_job {
    const krn_conv_plan *plan;
    char *image;
} margins_job;

static bool is_inner(const krn_conv_plan *p, int axis, int64_t at)
{
    return at >= p->inner_first[axis] && at < p->inner_first[axis] + p->inner_size[axis];
}

/* Zeroes what the copy leaves of a plane: whole lines, or both ends of them. */
static void zero_margins(void *context, int64_t plane, int thread)
{
    const margins_job *job = context;
    const krn_conv_plan *p = job->plan;
    const size_t cell = (size_t)p->channels_padded * (4 / (size_t)p->kernels->cell);
    const size_t line = (size_t)p->full_size[2] * cell;
    const size_t left = (size_t)p->inner_first[2] * cell;
    const size_t right = left + (size_t)p->inner_size[2] * cell;
    const bool inner = is_inner(p, 0, plane % p->full_size[0]);
    char *at = job->image + (size_t)(plane * p->full_size[1]) * line;
    (void)thread;
    for (int64_t y = 0; y < p->full_size[1]; y++, at += line) {
        const bool copied = inner && is_inner(p, 1, y);
        memset(at, 0, copied ? left : line);
        if (copied)
            memset(at + right, 0, line - right);
    }
}

/* The input in the kernels' element type. */
static const char *in_native_type(const krn_conv_plan *p, const void *in, char *wide)
{
    const krn_conv_desc *d = &p->desc;
    if (!p->converted)
        return in;
    krn_to_f32(in, d->in, krn_count(d->spatial_rank + 2, d->in_shape), (float *)wide);
    return wide;
}

/* Copies images to scratch in the form that the product reads; returns that. */
static const char *make_image(const krn_conv_plan *p, const char *in, char *scratch,
                              struct tw_threadpool *pool)
{
    static const uint64_t zero;

    if (!p->copied)
        return in;
    if (p->zeroed && p->margins_only)
        krn_parallel(pool, 0, p->image_batch * p->full_size[0], zero_margins,
                     &(margins_job){p, scratch});
    else if (p->zeroed)
        krn_fill(8, &zero, (int64_t)(p->image_bytes / 8), scratch, pool);
    krn_copy_run(&p->copy, in, scratch, pool);
    return scratch;
}

void krn_conv_run(const krn_conv_plan *plan, const krn_gemm_args *args,
                  struct tw_threadpool *pool)
{
    const krn_conv_desc *d = &plan->desc;
    char *scratch = args->scratch;

    if (plan->m == 0 || plan->outputs == 0)
        return;
    if (plan->path == KRN_CONV_EXACT) {
        krn_conv_exact_run(plan, args, pool);
        return;
    }
    assert(((uintptr_t)scratch & (ALIGN - 1)) == 0);
    if (plan->path == KRN_CONV_DEPTHWISE) {
        krn_conv_depthwise_run(plan, args, pool);
        return;
    }
    conv_job job = {
        .plan = plan,
        .args = args,
        .weights = args->b,
        .column_blocks = tw_ceil_div(plan->outputs, plan->nc),
        .pool = pool,
    };
    if (d->bias) {
        const int64_t n = plan->groups * plan->outputs;
        job.bias = (float *)scratch;
        krn_to_f32(args->bias, d->bias_dtype, n, (float *)scratch);
        scratch += tw_align_up((size_t)n * 4, ALIGN);
    }
    if (!d->constant_weights) {
        krn_conv_pack_weights(plan, args->b, scratch, pool);
        job.weights = scratch;
        scratch += tw_align_up((size_t)(plan->groups * plan->weights_group_bytes), ALIGN);
    }
    if (plan->path == KRN_CONV_WINOGRAD) {
        krn_conv_winograd_run(plan, args, scratch, job.bias, job.weights, pool);
        return;
    }
    const char *in = in_native_type(plan, args->a, scratch + plan->image_bytes);
    const int64_t images = plan->batch / plan->image_batch;
    job.blocks = scratch + plan->image_bytes + plan->converted_bytes;
    job.rows = plan->m / images;
    job.row_blocks = tw_ceil_div(job.rows, plan->mc);
    for (int64_t i = 0; i < images && !tw_threadpool_cancelled(pool); i++) {
        job.row = i * job.rows;
        job.image = make_image(plan, in, scratch, pool);
        if (plan->path == KRN_CONV_WINOGRAD_GRADIENT &&
            krn_conv_winograd_gradient_run(plan, args, job.image, job.weights, job.blocks,
                                           pool))
            return;
        krn_parallel(pool, d->threads, plan->groups * job.row_blocks * job.column_blocks,
                     run_block, &job);
        in += plan->in.batch * (4 / plan->kernels->cell);
    }
}
