/* softmax_and_norms.c: what runs along one dimension: softmax, layer_norm, rms_norm,
 * cumulative sums and products.
 *
 * Sums of floats run in double precision, or are such sums over strips of f32.  Some rows
 * at a time are a task; each thread has scratch rows of its own. */
#include "host/isa.h"
#include "host/strips/strip.h"
#include "runtime/group.h"
#include "runtime/plan.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <float.h>
#include <math.h>

/* A part of softmax's row: exp(x - shift) was taken of its numbers and is to be multiplied
 * by `factor`. */
typedef struct block {
    double shift, sum;
    float factor;
} block;

/* The tensor as [outer, length, inner]. */
typedef struct axis {
    int64_t outer, length, inner;
    float *row;
    float *most;      /* the largest number of the row that comes next */
    uint16_t *halves; /* a row of results on the way past the caches */
    block *blocks;    /* of a row, where softmax sends rows behind */
    size_t n_blocks;
    size_t room;  /* elements between the scratch rows of threads */
    bool streams; /* results go there: they would fill too much of them */
    bool far;     /* what is read and the results do not fit into them at all */
    bool begins;  /* the row that is computed is its task's first */
    const krn_strip_set *set;
} axis;

enum { PAGE = 1024 }; /* of memory, in floats */

static tw_status make_axis(rt_plan *plan, ir_op *op, rt_step *step, int64_t dim, axis **out)
{
    const rt_value *in = step->in[0];
    axis *a = TW_ARENA_NEW(&plan->arena, axis);
    dim += dim < 0 ? in->rank : 0;
    if (dim < 0 || dim >= in->rank)
        return tw_error(TW_INVALID, "'%s': dimension %lld of %d", op->def->name,
                        (long long)dim, in->rank);
    a->outer = a->inner = 1;
    a->set = krn_strips();
    for (int d = 0; d < in->rank; d++) {
        if (d < dim)
            a->outer *= in->dims[d];
        else if (d > dim)
            a->inner *= in->dims[d];
    }
    a->length = in->dims[dim];
    const size_t bytes = (size_t)in->count * tw_dtype_size(in->dtype) +
                         (size_t)step->out->count * tw_dtype_size(step->out->dtype);
    a->streams = bytes >= krn_cache_bytes() / 4;
    a->far = bytes >= krn_cache_bytes();
    const size_t threads = (size_t)tw_threadpool_threads(plan->pool);
    a->room = tw_align_up((size_t)a->length + 1, KRN_ROW_STEP) + PAGE;
    a->row = rt_scratch_alloc(plan, threads * a->room * sizeof *a->row);
    a->halves = rt_scratch_alloc(plan, threads * a->room * sizeof *a->halves);
    a->most = rt_scratch_alloc(plan, threads * a->room * sizeof *a->most);
    step->state = *out = a;
    return TW_SUCCESS;
}

/* A row as f32: where it lies, or brought into the scratch row. */
static const float *load_row(const axis *a, const rt_value *v, int64_t at)
{
    if (a->inner == 1 && v->dtype == TW_F32)
        return (const float *)rt_data(v) + at;
    if (a->inner == 1)
        rt_load_f32(v->dtype, rt_data(v), (size_t)at, (size_t)a->length, a->row);
    else
        for (int64_t k = 0; k < a->length; k++)
            rt_load_f32(v->dtype, rt_data(v), (size_t)(at + k * a->inner), 1, &a->row[k]);
    return a->row;
}

static void store_row(const axis *a, const rt_value *v, int64_t at)
{
    if (a->inner == 1) {
        rt_store_f32(v->dtype, a->row, (size_t)a->length, rt_data(v), (size_t)at);
        return;
    }
    for (int64_t k = 0; k < a->length; k++)
        rt_store_f32(v->dtype, &a->row[k], 1, rt_data(v), (size_t)(at + k * a->inner));
}

/* ---- softmax and norms -------------------------------------------------------------- */

/* A row of results, (x * scale + shift) * weight + bias, into memory. */
static void finish_row(const rt_step *step, const axis *a, const float *x, float scale,
                       float shift, const float *weight, const float *bias, int64_t at)
{
    const rt_value *out = step->out;
    const size_t n = (size_t)a->length;
    const bool half = out->dtype == TW_BF16 && a->inner == 1;
    const bool real = out->dtype == TW_F32 && a->inner == 1;
    if (half)
        a->set->norm_bf16(x, n, scale, shift, weight, bias, (uint16_t *)rt_data(out) + at);
    else if (real && a->streams)
        a->set->norm_stream(x, n, scale, shift, weight, bias, (float *)rt_data(out) + at);
    else
        a->set->norm(x, n, scale, shift, weight, bias,
                     real ? (float *)rt_data(out) + at : a->row);
    if (!half && !real)
        store_row(a, out, at);
}

/* Rows of bf16 that become rows of bf16 are read and written as they lie. */
static bool of_halves(const rt_step *step, const axis *a)
{
    return a->inner == 1 && step->in[0]->dtype == TW_BF16 && step->out->dtype == TW_BF16;
}

/* Where a row of halves is written first, and how it gets where it belongs. */
static uint16_t *halves_at(const rt_step *step, const axis *a, int64_t at)
{
    return a->streams ? a->halves : (uint16_t *)rt_data(step->out) + at;
}

static void send_halves(const rt_step *step, const axis *a, int64_t at)
{
    if (a->streams)
        a->set->stream(a->halves, (size_t)a->length * sizeof *a->halves,
                       (uint16_t *)rt_data(step->out) + at);
}

/* The same with a thread's scratch. */
static axis of_thread(const axis *a, int thread)
{
    axis mine = *a;
    const size_t skip = (size_t)thread * a->room;
    mine.row += skip;
    mine.blocks = a->blocks ? a->blocks + (size_t)thread * a->n_blocks : NULL;
    mine.most += skip;
    mine.halves += skip;
    return mine;
}

typedef void row_fn(const rt_step *step, const axis *a, int64_t at);
typedef void rows_fn(const rt_step *step, const axis *a, int64_t row, int64_t end);

typedef struct row_job {
    const rt_step *step;
    const axis *a;
    row_fn *work;     /* on one row, */
    rows_fn *by_many; /* or on those of a task */
    int64_t rows, together;
} row_job;

static void run_task(void *context, int64_t task, int thread)
{
    const row_job *j = context;
    axis a = of_thread(j->a, thread);
    int64_t row = task * j->together;
    const int64_t end = TW_MIN(row + j->together, j->rows);
    a.begins = true;
    if (j->by_many)
        j->by_many(j->step, &a, row, end);
    for (; !j->by_many && row < end && !rt_stopped(j->step); row++, a.begins = false)
        j->work(j->step, &a, row / a.inner * a.length * a.inner + row % a.inner);
    if (a.streams || j->by_many)
        a.set->fence();
}

/* What is computed of a row on the way, for the next one, is lost at the end of a task
 * (some microseconds): one thread takes all rows in one.  A row's result is the same
 * wherever its task begins. */
enum { TASK = 1 << 16, FEW_ROWS = 8, TASKS_EACH = 4 };

static void run_rows(const rt_step *step, const axis *a, row_fn *work, rows_fn *by_many)
{
    const int threads = tw_threadpool_threads(step->pool);
    const int64_t rows = a->length ? a->outer * a->inner : 0;
    const int64_t least = TW_MAX(TASK / TW_MAX(a->length, 1), FEW_ROWS);
    const int64_t tasks = threads > 1 ? threads * TASKS_EACH : 1;
    row_job j = {.step = step,
                 .a = a,
                 .work = work,
                 .by_many = by_many,
                 .rows = rows,
                 .together = TW_MAX((rows + tasks - 1) / tasks, least)};
    rt_parallel(step, (rows + j.together - 1) / j.together, run_task, &j);
}

static void each_row(const rt_step *step, const axis *a, row_fn *work)
{
    run_rows(step, a, work, NULL);
}

/* The row that comes after the one at `at`, or that one again. */
static int64_t row_after(const axis *a, int64_t at)
{
    return at + a->length < a->outer * a->length * a->inner ? at + a->length : at;
}

static void softmax_row(const rt_step *step, const axis *a, int64_t at)
{
    const size_t n = (size_t)a->length;
    const float *from = load_row(a, step->in[0], at), *next = from;
    const bool in_turn = from != a->row;
    if (in_turn)
        next = (const float *)rt_data(step->in[0]) + row_after(a, at);
    const float most = !a->begins && in_turn ? *a->most : a->set->max(from, n);
    const double sum = a->set->exp_sum(from, n, most, a->row, next, a->most);
    finish_row(step, a, a->row, (float)(1 / sum), 0, NULL, NULL, at);
}

static void softmax_halves(const rt_step *step, const axis *a, int64_t at)
{
    const size_t n = (size_t)a->length;
    const uint16_t *x = rt_data(step->in[0]);
    const float most = a->begins ? a->set->max_bf16(x + at, n) : *a->most;
    const double sum =
        a->set->exp_sum_bf16(x + at, n, most, a->row, x + row_after(a, at), a->most);
    a->set->scale_to_bf16(a->row, n, (float)(1 / sum), (uint16_t *)rt_data(step->out) + at);
}

/* While a row's exponentials are computed, the row before is on its way to memory, and what
 * is read next is looked at for its largest number.  That happens in blocks, which stay in
 * the first-level cache from one look to the other; their exponentials are relative to that
 * number, and when the row is complete, a factor for each block makes up for it. */
enum { BLOCK = 1024 };

static size_t block_length(const axis *a, size_t b)
{
    return TW_MIN((size_t)a->length - b * BLOCK, (size_t)BLOCK);
}

static void weigh_blocks(const axis *a)
{
    double most = -INFINITY, sum = 0;
    if (a->n_blocks == 1) {
        a->blocks->factor = (float)(1 / a->blocks->sum);
        return;
    }
    for (size_t b = 0; b < a->n_blocks; b++)
        most = TW_MAX(most, a->blocks[b].shift);
    for (size_t b = 0; b < a->n_blocks; b++) {
        block *x = &a->blocks[b];
        x->shift = x->shift == most ? 1 : exp(x->shift - most);
        sum += x->sum * x->shift;
    }
    for (size_t b = 0; b < a->n_blocks; b++)
        a->blocks[b].factor = (float)(a->blocks[b].shift / sum);
}

/* One row, and the one before it on its way, if there is one.  The largest number of the
 * first block is known; so is that of the next row's afterwards. */
static void softmax_blocks(const axis *a, const float *from, bool first, bool last,
                           float *out)
{
    for (size_t b = 0; b < a->n_blocks; b++) {
        const size_t n = block_length(a, b), at = b * BLOCK;
        const bool ends = b + 1 == a->n_blocks;
        const size_t after = ends ? block_length(a, 0) : block_length(a, b + 1);
        /* Of a shorter block the numbers before it are looked at, too: they are of its row.
         * Of the last one of all, once more. */
        const float *next = !ends ? from + at + after : last ? from + at : from + a->length;
        /* of -inf alone the exponentials are 0, not NaN */
        const float shift = TW_MAX(*a->most, -FLT_MAX);
        block *x = &a->blocks[b];
        x->sum =
            first ? a->set->exp_sum(from + at, n, shift, a->row + at, next, a->most)
                  : a->set->exp_sum_send[a->far](from + at, n, shift, a->row + at, next,
                                                 a->most, x->factor, out + at - a->length);
        x->shift = (double)shift;
        if (ends && !last && after > n)
            *a->most = TW_MAX(*a->most, a->set->max(from + a->length + n, after - n));
    }
    weigh_blocks(a);
}

/* Where the scratch row begins half a page off what is read: reading at a distance of whole
 * pages from what was just written waits for it (1024 rows of 1024: 280 for 210 us). */
static float *off_the_page(float *row, const float *from)
{
    const uintptr_t page = PAGE * sizeof *row;
    const uintptr_t off = (uintptr_t)from + page / 2 - (uintptr_t)row;
    return row + off % page / 64 * 64 / sizeof *row;
}

static void softmax_sending(const rt_step *step, const axis *thread, int64_t row,
                            int64_t end)
{
    axis mine = *thread, *const a = &mine;
    const float *from = (const float *)rt_data(step->in[0]) + row * a->length;
    float *out = (float *)rt_data(step->out) + row * a->length;
    const int64_t count = end - row;
    a->row = off_the_page(a->row, from);
    *a->most = a->set->max(from, block_length(a, 0));
    for (int64_t r = 0; r < count && !rt_stopped(step); r++)
        softmax_blocks(a, from + r * a->length, r == 0, r + 1 == count,
                       out + r * a->length);
    out += (count - 1) * a->length;
    for (size_t b = 0; b < a->n_blocks; b++)
        a->set->norm_stream(a->row + b * BLOCK, block_length(a, b), a->blocks[b].factor, 0,
                            NULL, NULL, out + b * BLOCK);
}

/* The same numbers where the result does not begin with a line of the cache: they must not
 * depend on where that is. */
static void softmax_in_place(const rt_step *step, const axis *a, int64_t row)
{
    const float *from = (const float *)rt_data(step->in[0]) + row;
    float *out = (float *)rt_data(step->out) + row;
    for (size_t b = 0; b < a->n_blocks; b++) {
        const size_t n = block_length(a, b), at = b * BLOCK, more = b ? BLOCK - n : 0;
        const float most = a->set->max(from + at - more, n + more);
        const float shift = TW_MAX(most, -FLT_MAX);
        a->blocks[b].sum =
            a->set->exp_sum(from + at, n, shift, a->row + at, from + at, a->most);
        a->blocks[b].shift = (double)shift;
    }
    weigh_blocks(a);
    for (size_t b = 0; b < a->n_blocks; b++)
        a->set->norm_stream(a->row + b * BLOCK, block_length(a, b), a->blocks[b].factor, 0,
                            NULL, NULL, out + b * BLOCK);
}

static void run_softmax(const rt_step *step)
{
    const axis *a = step->state;
    const bool sends = a->blocks && (uintptr_t)rt_data(step->out) % 64 == 0;
    row_fn *by_row = of_halves(step, a) ? softmax_halves
                     : a->blocks        ? softmax_in_place
                                        : softmax_row;
    run_rows(step, a, by_row, sends ? softmax_sending : NULL);
}

tw_status rt_prepare_softmax(rt_plan *plan, ir_op *op, rt_step *step)
{
    axis *a;
    step->run = run_softmax;
    TW_TRY(make_axis(plan, op, step, ir_op_int(op, "dimension", -1), &a));
    if (a->set->exp_sum_send[a->far] && a->streams && a->inner == 1 && a->length &&
        a->length % 64 == 0 && step->in[0]->dtype == TW_F32 && step->out->dtype == TW_F32) {
        a->n_blocks = ((size_t)a->length + BLOCK - 1) / BLOCK;
        a->blocks = rt_scratch_alloc(plan, (size_t)tw_threadpool_threads(plan->pool) *
                                               a->n_blocks * sizeof *a->blocks);
    }
    return TW_SUCCESS;
}

typedef struct norm {
    axis a; /* first: row functions are handed it */
    const rt_value *weight, *bias;
    float *weights, *biases; /* as f32, arranged for halves */
    double epsilon;
    bool rms;
} norm;

enum { MOST_IN_PAIRS = 1536 }; /* four such rows of f32 are 24 KiB */

/* What a row is scaled and shifted by, from the sum of squares about its mean. */
static float scale_of(const norm *n, double square)
{
    return (float)(1 / sqrt(square / (double)n->a.length + n->epsilon));
}

static void norm_row(const rt_step *step, const axis *a, int64_t at)
{
    const norm *n = step->state;
    const float *from = load_row(a, step->in[0], at);
    double mean = 0, square;
    if (n->rms)
        square = a->set->squares(from, (size_t)a->length);
    else
        a->set->moments(from, (size_t)a->length, &mean, &square);
    const float scale = scale_of(n, square);
    finish_row(step, a, from, scale, (float)-mean * scale, n->weight ? n->weights : NULL,
               n->bias ? n->biases : NULL, at);
}

static void norm_halves(const rt_step *step, const axis *a, int64_t at)
{
    const norm *n = step->state;
    const uint16_t *from = (const uint16_t *)rt_data(step->in[0]) + at;
    double mean = 0, square;
    if (n->rms)
        square = a->set->squares_bf16(from, (size_t)a->length);
    else
        a->set->moments_bf16(from, (size_t)a->length, &mean, &square);
    const float scale = scale_of(n, square);
    a->set->norm_of_bf16(from, (size_t)a->length, scale, (float)-mean * scale,
                         n->weight ? n->weights : NULL, n->bias ? n->biases : NULL,
                         halves_at(step, a, at));
    send_halves(step, a, at);
}

/* The function that takes two rows at a time, if they and the parameters stay in the
 * first-level cache together. */
static krn_norm_next *in_pairs(const rt_step *step, const norm *n)
{
    const axis *a = &n->a;
    const bool aligned = ((uintptr_t)rt_data(step->out) & 63) == 0;
    if (n->rms || a->inner != 1 || a->length % 64 || a->length > MOST_IN_PAIRS ||
        step->in[0]->dtype != TW_F32 || step->out->dtype != TW_F32)
        return NULL;
    return !a->streams ? a->set->norm_next : aligned ? a->set->norm_next_stream : NULL;
}

static void norm_pairs(const rt_step *step, const axis *a, int64_t row, int64_t end)
{
    const norm *n = step->state;
    krn_norm_next *const work = in_pairs(step, n);
    const size_t length = (size_t)a->length;
    const float *from = (const float *)rt_data(step->in[0]) + row * a->length;
    float *to = (float *)rt_data(step->out) + row * a->length;
    double mean, square;
    a->set->moments(from, length, &mean, &square);
    for (; row < end && !rt_stopped(step); row++, from += length, to += length) {
        const float scale = scale_of(n, square);
        work(from, length, scale, (float)-mean * scale, n->weight ? n->weights : NULL,
             n->bias ? n->biases : NULL, to, row + 1 < end ? from + length : from, &mean,
             &square);
    }
}

static void load_parameters(const axis *a, const rt_value *v, bool halves, float *to)
{
    if (!v)
        return;
    rt_load_f32(v->dtype, rt_data(v), 0, (size_t)a->length, halves ? a->row : to);
    if (halves)
        a->set->arrange(a->row, (size_t)a->length, to);
}

static void run_norm(const rt_step *step)
{
    const norm *n = step->state;
    const bool halves = of_halves(step, &n->a);
    load_parameters(&n->a, n->weight, halves, n->weights);
    load_parameters(&n->a, n->bias, halves, n->biases);
    run_rows(step, &n->a, halves ? norm_halves : norm_row,
             in_pairs(step, n) ? norm_pairs : NULL);
}

tw_status rt_prepare_norm(rt_plan *plan, ir_op *op, rt_step *step)
{
    axis *a;
    size_t start, count;
    TW_TRY(make_axis(plan, op, step, -1, &a));
    norm *n = TW_ARENA_NEW(&plan->arena, norm);
    n->a = *a;
    n->epsilon = (double)(float)ir_op_real(op, "epsilon", 1e-5);
    n->rms = op->def == TTNN_OP(rms_norm);
    if (ir_op_operand_group(op, 1, &start, &count) && count)
        n->weight = step->in[start];
    if (ir_op_operand_group(op, 2, &start, &count) && count)
        n->bias = step->in[start];
    if ((n->weight && n->weight->count != a->length) ||
        (n->bias && n->bias->count != a->length))
        return tw_error(TW_INVALID, "'%s': weight or bias is not as long as a row",
                        op->def->name);
    const size_t room = tw_align_up((size_t)a->length + 1, KRN_ROW_STEP);
    n->weights = rt_scratch_alloc(plan, room * sizeof *n->weights);
    n->biases = rt_scratch_alloc(plan, room * sizeof *n->biases);
    step->state = n;
    step->run = run_norm;
    return TW_SUCCESS;
}

/* ---- cumulative --------------------------------------------------------------------- */

/* Whole numbers wrap as their type does where they are stored. */
static void accumulate_ints(const rt_step *step, const axis *a, int64_t at, bool product)
{
    uint64_t sum = product;
    for (int64_t k = 0; k < a->length; k++) {
        const uint64_t x = (uint64_t)rt_int_at(step->in[0], at + k * a->inner);
        sum = product ? sum * x : sum + x;
        const int64_t so_far = (int64_t)sum;
        rt_store_i64(step->out->dtype, &so_far, 1, rt_data(step->out),
                     (size_t)(at + k * a->inner));
    }
}

static void accumulate(const rt_step *step, const axis *a, int64_t at, bool product)
{
    if (!rt_is_float(step->in[0]->dtype) && !rt_is_float(step->out->dtype)) {
        accumulate_ints(step, a, at, product);
        return;
    }
    const float *from = load_row(a, step->in[0], at);
    double sum = product;
    for (int64_t k = 0; k < a->length; k++) {
        sum = product ? sum * (double)from[k] : sum + (double)from[k];
        a->row[k] = (float)sum;
    }
    store_row(a, step->out, at);
}

static void cumsum_row(const rt_step *step, const axis *a, int64_t at)
{
    accumulate(step, a, at, false);
}

static void cumprod_row(const rt_step *step, const axis *a, int64_t at)
{
    accumulate(step, a, at, true);
}

static void run_cumsum(const rt_step *step)
{
    each_row(step, step->state, cumsum_row);
}

static void run_cumprod(const rt_step *step)
{
    each_row(step, step->state, cumprod_row);
}

tw_status rt_prepare_cumulative(rt_plan *plan, ir_op *op, rt_step *step)
{
    axis *a;
    step->run = op->def == TTNN_OP(cumsum) ? run_cumsum : run_cumprod;
    return make_axis(plan, op, step, ir_op_int(op, "dim", 0), &a);
}
