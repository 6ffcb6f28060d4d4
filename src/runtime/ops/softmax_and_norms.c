/* softmax_and_norms.c: operations along one dimension: softmax, layer_norm, rms_norm,
 * cumulative sums and products.
 *
 * Sums of floats are accumulated in double precision, or in f32 within strips and then in
 * double. A task is several rows; each thread has its own scratch rows. */
#include "host/isa.h"
#include "host/strips/strip.h"
#include "runtime/group.h"
#include "runtime/plan.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <float.h>
#include <math.h>

/* A block of softmax's row: it holds exp(x - shift) and must be multiplied by `factor`. */
typedef struct block {
    double shift, sum;
    float factor;
} block;

/* The tensor as [outer, length, inner]. */
typedef struct axis {
    int64_t outer, length, inner;
    float *row;
    float *next_max;    /* max of the next row */
    uint16_t *bf16_row; /* a row of bf16 results, staged for stores past the caches */
    block *blocks;      /* of a row, when softmax stores rows late */
    size_t n_blocks;
    size_t room;  /* elements between the threads' scratch rows */
    bool streams; /* results bypass the caches, which they would fill */
    bool far;     /* operands and results do not fit into the caches at all */
    bool begins;  /* the current row is the first of its task */
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
    a->bf16_row = rt_scratch_alloc(plan, threads * a->room * sizeof *a->bf16_row);
    a->next_max = rt_scratch_alloc(plan, threads * a->room * sizeof *a->next_max);
    step->state = *out = a;
    return TW_SUCCESS;
}

/* Returns a row as f32: in place, or converted to the scratch row. */
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

/* Stores a row of results, (x * scale + shift) * weight + bias. */
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

/* True if rows of bf16 give rows of bf16, which are read and written unconverted. */
static bool is_bf16(const rt_step *step, const axis *a)
{
    return a->inner == 1 && step->in[0]->dtype == TW_BF16 && step->out->dtype == TW_BF16;
}

/* Staging buffer for a bf16 output row, and its flush. */
static uint16_t *bf16_row_at(const rt_step *step, const axis *a, int64_t at)
{
    return a->streams ? a->bf16_row : (uint16_t *)rt_data(step->out) + at;
}

static void send_halves(const rt_step *step, const axis *a, int64_t at)
{
    if (a->streams)
        a->set->stream(a->bf16_row, (size_t)a->length * sizeof *a->bf16_row,
                       (uint16_t *)rt_data(step->out) + at);
}

/* Returns the same with a thread's scratch. */
static axis of_thread(const axis *a, int thread)
{
    axis mine = *a;
    const size_t skip = (size_t)thread * a->room;
    mine.row += skip;
    mine.blocks = a->blocks ? a->blocks + (size_t)thread * a->n_blocks : NULL;
    mine.next_max += skip;
    mine.bf16_row += skip;
    return mine;
}

typedef void row_fn(const rt_step *step, const axis *a, int64_t at);
typedef void rows_fn(const rt_step *step, const axis *a, int64_t row, int64_t end);

typedef struct row_job {
    const rt_step *step;
    const axis *a;
    row_fn *work;     /* for one row, */
    rows_fn *by_many; /* or for all rows of a task */
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

/* Values computed ahead for the next row are lost at the end of a task (some microseconds),
 * so a single thread processes all rows in one task. A row's result does not depend on
 * where its task begins. */
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

/* Returns the row after the one at `at`, or that one again. */
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
    const float next_max = !a->begins && in_turn ? *a->next_max : a->set->max(from, n);
    const double sum = a->set->exp_sum(from, n, next_max, a->row, next, a->next_max);
    finish_row(step, a, a->row, (float)(1 / sum), 0, NULL, NULL, at);
}

static void softmax_halves(const rt_step *step, const axis *a, int64_t at)
{
    const size_t n = (size_t)a->length;
    const uint16_t *x = rt_data(step->in[0]);
    const float next_max = a->begins ? a->set->max_bf16(x + at, n) : *a->next_max;
    const double sum = a->set->exp_sum_bf16(x + at, n, next_max, a->row,
                                            x + row_after(a, at), a->next_max);
    a->set->scale_to_bf16(a->row, n, (float)(1 / sum), (uint16_t *)rt_data(step->out) + at);
}

/* While a row's exponentials are computed, the previous row is stored, and the next data
 * read is searched for its maximum. That happens in blocks, which stay in the first-level
 * cache between the two passes; their exponentials are relative to the maximum so far, and
 * when the row is complete, a factor for each block corrects them. */
enum { BLOCK = 1024 };

static size_t block_length(const axis *a, size_t b)
{
    return TW_MIN((size_t)a->length - b * BLOCK, (size_t)BLOCK);
}

static void weigh_blocks(const axis *a)
{
    double next_max = -INFINITY, sum = 0;
    if (a->n_blocks == 1) {
        a->blocks->factor = (float)(1 / a->blocks->sum);
        return;
    }
    for (size_t b = 0; b < a->n_blocks; b++)
        next_max = TW_MAX(next_max, a->blocks[b].shift);
    for (size_t b = 0; b < a->n_blocks; b++) {
        block *x = &a->blocks[b];
        x->shift = x->shift == next_max ? 1 : exp(x->shift - next_max);
        sum += x->sum * x->shift;
    }
    for (size_t b = 0; b < a->n_blocks; b++)
        a->blocks[b].factor = (float)(a->blocks[b].shift / sum);
}

/* Computes one row, and stores the previous one, if any. Expects the maximum of the first
 * block, and leaves that of the next row. */
static void softmax_blocks(const axis *a, const float *from, bool first, bool last,
                           float *out)
{
    for (size_t b = 0; b < a->n_blocks; b++) {
        const size_t n = block_length(a, b), at = b * BLOCK;
        const bool ends = b + 1 == a->n_blocks;
        const size_t after = ends ? block_length(a, 0) : block_length(a, b + 1);
        /* A shorter block is searched together with the values before it, which belong to
         * its row. The very last block is searched again. */
        const float *next = !ends ? from + at + after : last ? from + at : from + a->length;
        /* if all are -inf the exponentials are 0, not NaN */
        const float shift = TW_MAX(*a->next_max, -FLT_MAX);
        block *x = &a->blocks[b];
        x->sum = first
                     ? a->set->exp_sum(from + at, n, shift, a->row + at, next, a->next_max)
                     : a->set->exp_sum_send[a->far](from + at, n, shift, a->row + at, next,
                                                    a->next_max, x->factor,
                                                    out + at - a->length);
        x->shift = (double)shift;
        if (ends && !last && after > n)
            *a->next_max =
                TW_MAX(*a->next_max, a->set->max(from + a->length + n, after - n));
    }
    weigh_blocks(a);
}

/* Returns a start for the scratch row half a page off the data read: reading at a
 * multiple of the page size from recent stores waits for them (1024 rows of 1024: 280
 * for 210 us). */
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
    *a->next_max = a->set->max(from, block_length(a, 0));
    for (int64_t r = 0; r < count && !rt_stopped(step); r++)
        softmax_blocks(a, from + r * a->length, r == 0, r + 1 == count,
                       out + r * a->length);
    out += (count - 1) * a->length;
    for (size_t b = 0; b < a->n_blocks; b++)
        a->set->norm_stream(a->row + b * BLOCK, block_length(a, b), a->blocks[b].factor, 0,
                            NULL, NULL, out + b * BLOCK);
}

/* The same computation if the result is not aligned to a cache line: values must not depend
 * on alignment. */
static void softmax_in_place(const rt_step *step, const axis *a, int64_t row)
{
    const float *from = (const float *)rt_data(step->in[0]) + row;
    float *out = (float *)rt_data(step->out) + row;
    for (size_t b = 0; b < a->n_blocks; b++) {
        const size_t n = block_length(a, b), at = b * BLOCK, more = b ? BLOCK - n : 0;
        const float next_max = a->set->max(from + at - more, n + more);
        const float shift = TW_MAX(next_max, -FLT_MAX);
        a->blocks[b].sum =
            a->set->exp_sum(from + at, n, shift, a->row + at, from + at, a->next_max);
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
    row_fn *by_row = is_bf16(step, a) ? softmax_halves
                     : a->blocks      ? softmax_in_place
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
    axis a; /* first: row functions get a pointer to it */
    const rt_value *weight, *bias;
    float *weights, *biases; /* as f32, rearranged for bf16 rows */
    double epsilon;
    bool rms;
} norm;

enum { MAX_IN_PAIRS = 1536 }; /* four such rows of f32 are 24 KiB */

/* Returns the scale of a row, from the sum of squares about its mean. */
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
                         bf16_row_at(step, a, at));
    send_halves(step, a, at);
}

/* Returns the function that processes two rows at a time, if they and the parameters fit in
 * the first-level cache. */
static krn_norm_next *in_pairs(const rt_step *step, const norm *n)
{
    const axis *a = &n->a;
    const bool aligned = ((uintptr_t)rt_data(step->out) & 63) == 0;
    if (n->rms || a->inner != 1 || a->length % 64 || a->length > MAX_IN_PAIRS ||
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

static void load_parameters(const axis *a, const rt_value *v, bool bf16_row, float *to)
{
    if (!v)
        return;
    rt_load_f32(v->dtype, rt_data(v), 0, (size_t)a->length, bf16_row ? a->row : to);
    if (bf16_row)
        a->set->arrange(a->row, (size_t)a->length, to);
}

static void run_norm(const rt_step *step)
{
    const norm *n = step->state;
    const bool bf16_row = is_bf16(step, &n->a);
    load_parameters(&n->a, n->weight, bf16_row, n->weights);
    load_parameters(&n->a, n->bias, bf16_row, n->biases);
    run_rows(step, &n->a, bf16_row ? norm_halves : norm_row,
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

/* Integers wrap to their type's width when stored. */
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
