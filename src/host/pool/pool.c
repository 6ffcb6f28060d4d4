/* pool.c: plans of window reductions, and their fast paths: channels last, and running
 * sums. */
#include "host/pool/pool.h"

#include <math.h>

#include "host/gemm/gemm_pack.h"
#include "host/parallel.h"
#include "host/pool/pool_loops.h"
#include "host/pool/pool_plan.h"
#include "support/bf16_f16.h"

enum { PATH_GENERAL, PATH_CHANNELS, PATH_SCAN };

#define TAPS 256      /* pointers collected at a time */
#define KNOWN_ROWS 32 /* of a window: looked up once for a line of the result */
#define STRIP 512     /* channels whose results are accumulated before rounding */

void krn_window_desc_init(krn_window_desc *out_desc, tw_dtype dtype, krn_window_kind kind,
                          int rank, const int64_t *shape)
{
    *out_desc = (krn_window_desc){.dtype = dtype, .kind = kind, .rank = rank};
    for (int i = 0; i < rank && i < KRN_MAX_RANK; i++) {
        out_desc->shape[i] = shape[i];
        out_desc->window[i] = out_desc->stride[i] = 1;
        out_desc->dilation[i] = out_desc->base_dilation[i] = 1;
    }
}

/* ---- planning */

static bool is_real(tw_dtype t)
{
    return t == TW_F32 || t == TW_BF16 || t == TW_F16 || t == TW_F64;
}

static tw_status check(const krn_window_desc *d)
{
    const bool bits = d->kind == KRN_WINDOW_AND || d->kind == KRN_WINDOW_OR;
    const bool mean = d->kind == KRN_WINDOW_MEAN || d->kind == KRN_WINDOW_MEAN_INSIDE;

    if (d->rank < 0 || d->rank > KRN_MAX_RANK)
        return tw_error(TW_UNSUPPORTED, "pooling of rank %d: at most %d is possible",
                        d->rank, KRN_MAX_RANK);
    if (tw_dtype_size(d->dtype) == 0 || (bits && is_real(d->dtype)) ||
        (mean && !is_real(d->dtype)))
        return tw_error(TW_UNSUPPORTED, "pooling (kind %d) of type %s", (int)d->kind,
                        tw_dtype_name(d->dtype));
    for (int i = 0; i < d->rank; i++)
        if (d->shape[i] < 0 || d->window[i] < 1 || d->stride[i] < 1 || d->dilation[i] < 1 ||
            d->base_dilation[i] < 1)
            return tw_error(
                TW_INVALID,
                "pooling: axis %d of size %lld has window %lld, stride %lld, dilation "
                "%lld, base dilation %lld; all must be at least 1",
                i, (long long)d->shape[i], (long long)d->window[i], (long long)d->stride[i],
                (long long)d->dilation[i], (long long)d->base_dilation[i]);
    return TW_SUCCESS;
}

static tw_status plan_axis(krn_window_plan *p, int i)
{
    const krn_window_desc *d = &p->desc;
    const int64_t dilated =
        d->shape[i] > 0 ? (d->shape[i] - 1) * d->base_dilation[i] + 1 : 0;
    const int64_t padded = dilated + d->pad_low[i] + d->pad_high[i];
    const int64_t room = padded - d->dilation[i] * (d->window[i] - 1) - 1;

    if (padded < 0)
        return tw_error(
            TW_INVALID, "pooling: axis %d of size %lld cannot lose %lld and %lld", i,
            (long long)d->shape[i], -(long long)d->pad_low[i], -(long long)d->pad_high[i]);
    p->out_shape[i] = room >= 0 ? room / d->stride[i] + 1 : 0;
    if (d->ceil_mode && room >= 0) {
        p->out_shape[i] = (room + d->stride[i] - 1) / d->stride[i] + 1;
        if ((p->out_shape[i] - 1) * d->stride[i] >= dilated + d->pad_low[i])
            p->out_shape[i]--;
    }
    return TW_SUCCESS;
}

static bool idle(const krn_window_desc *d, int i)
{
    return d->window[i] == 1 && d->stride[i] == 1 && d->base_dilation[i] == 1 &&
           d->pad_low[i] == 0 && d->pad_high[i] == 0;
}

/* True for a cumulative operation: one axis, whose windows all begin before the input or
 * all end after it. */
static bool is_scan(const krn_window_plan *p, int *out_axis, bool *out_backwards)
{
    const krn_window_desc *d = &p->desc;
    int axis = -1;

    if (d->kind > KRN_WINDOW_MUL || d->dtype == TW_BF16 || d->dtype == TW_F16 ||
        d->dtype == TW_BOOL || d->dtype == TW_I16 || d->dtype == TW_U16)
        return false;
    for (int i = 0; i < d->rank; i++) {
        if (idle(d, i))
            continue;
        if (axis >= 0)
            return false;
        axis = i;
    }
    if (axis < 0 || d->window[axis] != d->shape[axis] || d->stride[axis] != 1 ||
        d->dilation[axis] != 1 || d->base_dilation[axis] != 1 || d->ceil_mode)
        return false;
    const int64_t before = d->pad_low[axis], after = d->pad_high[axis];
    const int64_t all = d->shape[axis] - 1;
    if (!(before == all && after == 0) && !(before == 0 && after == all))
        return false;
    *out_axis = axis;
    *out_backwards = before == 0 && all > 0;
    return true;
}

static bool is_channels_last(const krn_window_desc *d)
{
    const bool kind = d->kind <= KRN_WINDOW_MIN || d->kind >= KRN_WINDOW_MEAN;
    return kind && (d->dtype == TW_F32 || d->dtype == TW_BF16) && d->rank >= 2 &&
           idle(d, d->rank - 1) && d->shape[d->rank - 1] >= 4;
}

tw_status krn_window_prepare(const krn_window_desc *desc, krn_window_plan *out_plan)
{
    krn_window_plan p = {.desc = *desc, .out_count = 1};
    int axis;
    bool backwards;

    TW_TRY(check(&p.desc));
    for (int i = 0; i < p.desc.rank; i++) {
        TW_TRY(plan_axis(&p, i));
        p.out_count *= p.out_shape[i];
    }
    p.path = is_scan(&p, &axis, &backwards) ? PATH_SCAN
             : is_channels_last(&p.desc)    ? PATH_CHANNELS
                                            : PATH_GENERAL;
    *out_plan = p;
    return TW_SUCCESS;
}

/* ---- channels last */

static float identity(krn_window_kind kind)
{
    return kind == KRN_WINDOW_MAX ? -INFINITY : kind == KRN_WINDOW_MIN ? INFINITY : 0;
}

static krn_loop_kind loop_kind(krn_window_kind kind)
{
    return kind == KRN_WINDOW_MAX   ? KRN_LOOP_MAX
           : kind == KRN_WINDOW_MIN ? KRN_LOOP_MIN
                                    : KRN_LOOP_SUM;
}

/* Combines any number of pixels, TAPS at a time: the partial result is one of the next
 * inputs. */
typedef struct pixel_sum {
    const krn_pool_loops *loops;
    krn_loop_kind kind;
    tw_dtype dtype;
    int64_t channels;
    float start;
    float *sums; /* channels floats */
    int64_t pending;
    bool begun;
    const void **in; /* TAPS of them */
} pixel_sum;

static void combine_pending(pixel_sum *s, float scale)
{
    const float *const so_far = s->sums;
    float rest[STRIP];

    if (s->dtype == TW_F32) {
        if (s->begun)
            s->in[s->pending++] = so_far;
        s->loops->pool_f32(s->kind, s->sums, (const float *const *)s->in, s->pending,
                           s->channels, s->start, scale);
    } else if (!s->begun) {
        s->loops->pool_bf16(s->kind, s->sums, (const uint16_t *const *)s->in, s->pending,
                            s->channels, s->start, scale);
    } else {
        const float *both[2] = {so_far, rest};
        s->loops->pool_bf16(s->kind, rest, (const uint16_t *const *)s->in, s->pending,
                            s->channels, s->start, 1);
        s->loops->pool_f32(s->kind, s->sums, both, 2, s->channels, s->start, scale);
    }
    s->pending = 0;
    s->begun = true;
}

static void add_pixel(pixel_sum *s, const void *pixel)
{
    if (s->pending == TAPS - 1)
        combine_pending(s, 1);
    s->in[s->pending++] = pixel;
}

typedef struct window_job {
    const krn_window_plan *plan;
    const krn_pool_loops *loops;
    const char *in;
    char *out;
    int64_t in_stride[KRN_MAX_RANK];
} window_job;

/* Where row `row` of a line's windows begins in the input; -1 in padding. */
static int64_t row_from(const window_job *job, const int64_t *at, int64_t row)
{
    const krn_window_plan *p = job->plan;
    int64_t from = 0;
    for (int i = p->desc.rank - 3; i >= 0; i--) {
        const int64_t x = krn_window_source(p, i, at[i], row % p->desc.window[i]);
        if (x < 0)
            return -1;
        row /= p->desc.window[i];
        from += x * job->in_stride[i];
    }
    return from;
}

/* What the positions of a line share: the rows of their windows, of which the first ones
 * are looked up once, and the number that a mean divides by, padding included. */
typedef struct window_rows {
    const int64_t *at; /* of the axes before the last but one */
    int64_t n, counted, from[KNOWN_ROWS];
} window_rows;

static window_rows rows_of(const window_job *job, const int64_t *at)
{
    const krn_window_desc *d = &job->plan->desc;
    window_rows rows = {.at = at, .n = krn_count(d->rank - 2, d->window), .counted = 1};
    for (int64_t r = 0; r < TW_MIN(rows.n, KNOWN_ROWS); r++)
        rows.from[r] = row_from(job, at, r);
    for (int i = 0; i < d->rank - 2; i++)
        rows.counted *= krn_window_counted(job->plan, i, at[i]);
    return rows;
}

/* Adds the pixels of the window of the line's position `x`; returns the number of taps that
 * a mean divides by. */
static int64_t add_window(const window_job *job, const window_rows *rows, int64_t x,
                          int64_t channel, pixel_sum *sum)
{
    const krn_window_plan *p = job->plan;
    const int axis = p->desc.rank - 2;
    const int64_t element = (int64_t)tw_dtype_size(p->desc.dtype);
    int64_t inside = 0;

    for (int64_t r = 0; r < rows->n; r++) {
        const int64_t row = r < KNOWN_ROWS ? rows->from[r] : row_from(job, rows->at, r);
        for (int64_t t = 0; row >= 0 && t < p->desc.window[axis]; t++) {
            const int64_t from = krn_window_source(p, axis, x, t);
            if (from < 0)
                continue;
            add_pixel(sum,
                      job->in + (row + from * job->in_stride[axis] + channel) * element);
            inside++;
        }
    }
    return p->desc.kind == KRN_WINDOW_MEAN_INSIDE
               ? inside
               : rows->counted * krn_window_counted(p, axis, x);
}

/* All positions of the last axis but one; `task` indexes the axes before. */
static void channels_line(void *context, int64_t task, int thread)
{
    const window_job *job = context;
    const krn_window_plan *p = job->plan;
    const krn_window_desc *d = &p->desc;
    const int last = d->rank - 1;
    const int64_t channels = d->shape[last], line = p->out_shape[last - 1];
    const bool mean = d->kind >= KRN_WINDOW_MEAN;
    int64_t at[KRN_MAX_RANK], rest = task;
    float sums[STRIP];
    const void *pixels[TAPS];
    (void)thread;

    for (int i = last - 2; i >= 0; i--) {
        at[i] = rest % p->out_shape[i];
        rest /= p->out_shape[i];
    }
    const window_rows rows = rows_of(job, at);
    for (int64_t x = 0; x < line; x++) {
        const int64_t to = (task * line + x) * channels;
        for (int64_t c = 0; c < channels; c += STRIP) {
            pixel_sum sum = {.loops = job->loops,
                             .kind = loop_kind(d->kind),
                             .dtype = d->dtype,
                             .channels = TW_MIN(STRIP, channels - c),
                             .start = identity(d->kind),
                             .in = pixels};
            sum.sums = d->dtype == TW_F32 ? (float *)job->out + to + c : sums;
            const int64_t counted = add_window(job, &rows, x, c, &sum);
            combine_pending(&sum, mean ? 1.0f / (float)counted : 1);
            if (d->dtype != TW_F32)
                krn_from_f32(sums, sum.channels, d->dtype, (uint16_t *)job->out + to + c);
        }
    }
}

static void run_channels(const krn_window_plan *p, const void *in, void *out,
                         struct tw_threadpool *pool)
{
    window_job job = {.plan = p, .loops = krn_pool_loops_best(), .in = in, .out = out};
    krn_dense_strides(p->desc.rank, p->desc.shape, job.in_stride);
    krn_parallel(pool, 0, krn_count(p->desc.rank - 2, p->out_shape), channels_line, &job);
}

/* ---- running sums along an axis */

#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define SMALLER(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))
#define SCAN_LOOP(expression)                                                              \
    for (int64_t i = 1; i < n; i++, x += step, y += step)                                  \
        for (int64_t j = 0; j < inner; j++) {                                              \
            const type a = y[j], b = (x + step)[j];                                        \
            (y + step)[j] = (type)(expression);                                            \
        }                                                                                  \
    break;
/* x and y are at the first row of the scan; step leads to the next. `type` is a typedef in
 * scope. */
#define SCAN(name, element)                                                                \
    static void name(krn_window_kind kind, const void *in, void *out, int64_t n,           \
                     int64_t inner, int64_t step)                                          \
    {                                                                                      \
        typedef element type;                                                              \
        const type *x = in;                                                                \
        type *y = out;                                                                     \
        memcpy(y, x, (size_t)inner * sizeof *y);                                           \
        switch (kind) {                                                                    \
        case KRN_WINDOW_MAX:                                                               \
            SCAN_LOOP(LARGER(a, b))                                                        \
        case KRN_WINDOW_MIN:                                                               \
            SCAN_LOOP(SMALLER(a, b))                                                       \
        case KRN_WINDOW_MUL:                                                               \
            SCAN_LOOP(a *b)                                                                \
        default:                                                                           \
            SCAN_LOOP(a + b)                                                               \
        }                                                                                  \
    }
SCAN(scan_f32, float)
SCAN(scan_f64, double)
SCAN(scan_u8, uint8_t)
SCAN(scan_u32, uint32_t)
SCAN(scan_u64, uint64_t)
SCAN(scan_i8, int8_t)
SCAN(scan_i32, int32_t)
SCAN(scan_i64, int64_t)

/* Sums and products of signed integers wrap like unsigned ones; 16-bit types are left to
 * the general path. */
static void scan(tw_dtype dtype, krn_window_kind kind, const void *in, void *out, int64_t n,
                 int64_t inner, int64_t step)
{
    const bool ordered = kind == KRN_WINDOW_MAX || kind == KRN_WINDOW_MIN;
    switch (dtype) {
    case TW_F32:
        scan_f32(kind, in, out, n, inner, step);
        break;
    case TW_F64:
        scan_f64(kind, in, out, n, inner, step);
        break;
    case TW_I8:
        (ordered ? scan_i8 : scan_u8)(kind, in, out, n, inner, step);
        break;
    case TW_U8:
        scan_u8(kind, in, out, n, inner, step);
        break;
    case TW_I32:
        (ordered ? scan_i32 : scan_u32)(kind, in, out, n, inner, step);
        break;
    case TW_U32:
        scan_u32(kind, in, out, n, inner, step);
        break;
    case TW_I64:
        (ordered ? scan_i64 : scan_u64)(kind, in, out, n, inner, step);
        break;
    default:
        assert(dtype == TW_U64);
        scan_u64(kind, in, out, n, inner, step);
    }
}

static void run_scan(const krn_window_plan *p, const char *in, char *out)
{
    const krn_window_desc *d = &p->desc;
    const int64_t size = (int64_t)tw_dtype_size(d->dtype);
    int axis = 0;
    bool backwards = false;

    is_scan(p, &axis, &backwards);
    const int64_t outer = krn_count(axis, d->shape), n = d->shape[axis];
    const int64_t inner = krn_count(d->rank - axis - 1, d->shape + axis + 1);
    for (int64_t o = 0; o < outer; o++) {
        const int64_t first = (o * n + (backwards ? n - 1 : 0)) * inner * size;
        scan(d->dtype, d->kind, in + first, out + first, n, inner,
             backwards ? -inner : inner);
    }
}

/* True if a start value is the kind's identity: zero for sums, minus infinity for maxima,
 * ... */
static bool is_identity(const krn_window_desc *d, const void *init)
{
    float f;

    if (!d->has_init)
        return true;
    if (d->dtype != TW_F32 && d->dtype != TW_BF16)
        return false;
    krn_to_f32(init, d->dtype, 1, &f);
    return d->kind == KRN_WINDOW_MUL ? f == 1 : f == identity(d->kind);
}

void krn_window_run(const krn_window_plan *plan, const void *in, const void *init,
                    void *out, struct tw_threadpool *pool)
{
    if (plan->out_count == 0)
        return;
    if (plan->path == PATH_GENERAL || !is_identity(&plan->desc, init))
        krn_window_general(plan, in, init, out, pool);
    else if (plan->path == PATH_SCAN)
        run_scan(plan, in, out);
    else
        run_channels(plan, in, out, pool);
}

/* ---- mean over the middle axis */

typedef struct middle_job {
    tw_dtype dtype;
    int64_t inner, channels;
    const krn_pool_loops *loops;
    const char *in;
    char *out;
} middle_job;

static void middle_row(void *context, int64_t task, int thread)
{
    const middle_job *job = context;
    const int64_t size = (int64_t)tw_dtype_size(job->dtype);
    float sums[STRIP];
    const void *pixels[TAPS];
    (void)thread;

    for (int64_t c = 0; c < job->channels; c += STRIP) {
        pixel_sum sum = {.loops = job->loops,
                         .kind = KRN_LOOP_SUM,
                         .dtype = job->dtype,
                         .channels = TW_MIN(STRIP, job->channels - c),
                         .sums = sums,
                         .in = pixels};
        for (int64_t i = 0; i < job->inner; i++)
            add_pixel(&sum, job->in + ((task * job->inner + i) * job->channels + c) * size);
        combine_pending(&sum, 1.0f / (float)job->inner);
        krn_from_f32(sums, sum.channels, job->dtype,
                     job->out + (task * job->channels + c) * size);
    }
}

tw_status krn_mean_middle(tw_dtype dtype, int64_t outer, int64_t inner, int64_t channels,
                          const void *in, void *out, struct tw_threadpool *pool)
{
    if (dtype != TW_F32 && dtype != TW_BF16)
        return tw_error(TW_UNSUPPORTED, "global average pooling of type %s",
                        tw_dtype_name(dtype));
    middle_job job = {dtype, inner, channels, krn_pool_loops_best(), in, out};
    krn_parallel(pool, 0, outer, middle_row, &job);
    return TW_SUCCESS;
}
