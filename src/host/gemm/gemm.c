/* gemm.c: planning and running matrix products (see gemm.h): shapes and strides are
 * checked, batches folded and the product blocked once; run then distributes blocks over
 * the threads. */
#include "host/gemm/gemm.h"

#include "host/gemm/gemm_core.h"
#include "host/gemm/gemm_exact.h"
#include "host/parallel.h"
#include "support/number.h"

#define ALIGN 64
/* Up to this many bytes of B for all threads together, each thread packs its own B:
 * fetching half of it from another core's cache takes longer than packing it. */
#define OWN_B_BYTES (2 << 20)

static bool is_float32ish(tw_dtype t)
{
    return t == TW_F32 || t == TW_BF16 || t == TW_F16;
}

/* ---- planning */

static tw_status check_sizes(const krn_gemm_desc *d)
{
    const int64_t most = INT64_C(1) << 40;

    if (d->m < 0 || d->n < 0 || d->k < 0 || d->m > most || d->n > most || d->k > most)
        return tw_error(TW_INVALID, "matmul: bad sizes m=%lld n=%lld k=%lld",
                        (long long)d->m, (long long)d->n, (long long)d->k);
    if (d->batch_rank_a < 0 || d->batch_rank_a > KRN_MAX_RANK || d->batch_rank_b < 0 ||
        d->batch_rank_b > KRN_MAX_RANK)
        return tw_error(TW_INVALID,
                        "matmul: %d and %d batch dimensions, at most %d are possible",
                        d->batch_rank_a, d->batch_rank_b, KRN_MAX_RANK);
    return TW_SUCCESS;
}

static tw_status check_stride(const char *name, int64_t *stride, int64_t columns)
{
    if (*stride == 0)
        *stride = columns;
    if (*stride < columns)
        return tw_error(TW_INVALID,
                        "matmul: rows of %s are %lld elements apart but have %lld", name,
                        (long long)*stride, (long long)columns);
    return TW_SUCCESS;
}

/* Batch axes of the result, with their strides in A and B, in matrices. */
static tw_status plan_batch(krn_gemm_plan *p)
{
    const krn_gemm_desc *d = &p->desc;
    int64_t stride_a = 1, stride_b = 1;

    p->batch_rank = TW_MAX(d->batch_rank_a, d->batch_rank_b);
    p->batches = 1;
    for (int i = p->batch_rank - 1; i >= 0; i--) {
        const int ia = i - (p->batch_rank - d->batch_rank_a);
        const int ib = i - (p->batch_rank - d->batch_rank_b);
        const int64_t na = ia >= 0 ? d->batch_a[ia] : 1, nb = ib >= 0 ? d->batch_b[ib] : 1;
        if (na < 0 || nb < 0 || (na != nb && na != 1 && nb != 1))
            return tw_error(
                TW_INVALID,
                "matmul: batch dimension %d of the result is %lld in a and %lld in b", i,
                (long long)na, (long long)nb);
        p->batch[i] = na == 1 ? nb : na;
        p->batch_stride_a[i] = na == 1 ? 0 : stride_a;
        p->batch_stride_b[i] = nb == 1 ? 0 : stride_b;
        stride_a *= na;
        stride_b *= nb;
        p->batches *= p->batch[i];
    }
    p->batches_b = stride_b;
    return TW_SUCCESS;
}

/* A batch of A with a single B is one taller A. */
static void fold_batch(krn_gemm_plan *p)
{
    krn_gemm_desc *d = &p->desc;

    if (p->batches_b != 1 || d->transpose_a || p->batches <= 1)
        return;
    d->m *= p->batches;
    p->batches = 1;
    p->batch_rank = 0;
    d->batch_rank_a = d->batch_rank_b = 0;
}

static tw_status check_types(const krn_gemm_desc *d)
{
    if (is_float32ish(d->a) && is_float32ish(d->b) && is_float32ish(d->c)) {
        if (!d->bias || is_float32ish(d->bias_dtype))
            return TW_SUCCESS;
        return tw_error(TW_UNSUPPORTED, "matmul: bias of type %s",
                        tw_dtype_name(d->bias_dtype));
    }
    return krn_gemm_exact_check(d);
}

/* A is read in place if packing would cost more than it saves: few columns to reuse it for,
 * and rows whose cells do not fall into the same sets of the first-level cache. */
static bool may_read_a(const krn_gemm_plan *p)
{
    const krn_gemm_desc *d = &p->desc;
    const int cell = p->kernels->cell;

    if (d->transpose_a || d->a != (cell == 1 ? TW_F32 : TW_BF16))
        return false;
    if (d->k % cell != 0 || d->row_stride_a % cell != 0)
        return false;
    return d->n <= 8 * p->kernels->nr;
}

/* B is read in place if few rows would use the packed form. */
static bool may_read_b(const krn_gemm_plan *p)
{
    const krn_gemm_desc *d = &p->desc;

    return !d->constant_b && !d->transpose_b && d->b == TW_F32 && p->kernels->cell == 1 &&
           (p->kernels->masked || d->n % p->kernels->nr == 0) && d->m <= 4 * p->kernels->mr;
}

static void plan_blocks(krn_gemm_plan *p)
{
    const krn_gemm_desc *d = &p->desc;
    const krn_gemm_kernels *kernels = p->kernels;
    const int64_t cells = tw_ceil_div(d->k, kernels->cell);
    const bool bf16_by_kernel = d->c == TW_BF16 && d->act != KRN_GEMM_CALL;

    p->direct_a = may_read_a(p);
    p->direct_b = may_read_b(p);
    p->block_c = d->c != TW_F32;
    const krn_gemm_cut cut =
        krn_gemm_choose_cut(kernels, p->batches, d->m, d->n, d->k, d->threads, p->block_c);
    p->mc = cut.mc;
    p->nc = cut.nc;
    p->kc = cut.kc;
    p->ks = cut.ks;
    if (p->direct_b && kernels->rows_in_place)
        p->kc = p->ks = TW_MIN(p->kc, kernels->rows_in_place);
    if (bf16_by_kernel && d->k <= p->kc)
        p->block_c = false;
    p->b_matrix_bytes = (size_t)(tw_ceil_div(d->n, kernels->nr) * kernels->nr * cells) * 4;
    p->a_pack_bytes =
        p->direct_a ? 0 : tw_align_up((size_t)(p->mc * p->ks / kernels->cell) * 4, ALIGN);
    p->c_block_bytes =
        p->block_c ? tw_align_up((size_t)(p->mc * TW_MIN(p->nc, d->n)) * 4, ALIGN) : 0;

    const size_t packed = (size_t)p->batches_b * p->b_matrix_bytes;
    p->packed_b_bytes = d->constant_b ? packed : 0;
    const bool packs = !d->constant_b && !p->direct_b; /* during the run */
    const bool own = packs && d->threads > 1 && p->batches == 1 &&
                     (size_t)d->threads * packed <= OWN_B_BYTES;
    p->own_b_bytes = own ? tw_align_up(packed, ALIGN) : 0;
    p->scratch_bytes =
        (size_t)d->threads * (p->a_pack_bytes + p->c_block_bytes + p->own_b_bytes) +
        (d->bias ? tw_align_up((size_t)d->n * 4, ALIGN) : 0) + (packs && !own ? packed : 0);
}

tw_status krn_gemm_prepare_for(const krn_gemm_desc *desc, const krn_gemm_kernels *f32,
                               const krn_gemm_kernels *bf16, krn_gemm_plan *out_plan)
{
    krn_gemm_plan p = {.desc = *desc};
    krn_gemm_desc *d = &p.desc;

    TW_TRY(check_sizes(d));
    TW_TRY(check_types(d));
    TW_TRY(check_stride("a", &d->row_stride_a, d->transpose_a ? d->m : d->k));
    TW_TRY(check_stride("b", &d->row_stride_b, d->transpose_b ? d->k : d->n));
    TW_TRY(check_stride("c", &d->row_stride_c, d->n));
    TW_TRY(plan_batch(&p));
    d->threads = TW_MAX(d->threads, 1);
    fold_batch(&p);
    if (is_float32ish(d->a)) {
        if (d->a == TW_BF16 && d->b == TW_BF16)
            p.kernels = bf16;
        if (!p.kernels)
            p.kernels = f32;
        plan_blocks(&p);
    } else {
        krn_gemm_exact_plan(&p);
    }
    *out_plan = p;
    return TW_SUCCESS;
}

tw_status krn_gemm_prepare(const krn_gemm_desc *desc, krn_gemm_plan *out_plan)
{
    return krn_gemm_prepare_for(desc, krn_gemm_kernels_f32(), krn_gemm_kernels_bf16(),
                                out_plan);
}

const char *krn_gemm_kernel_name(const krn_gemm_plan *plan)
{
    return plan->kernels ? plan->kernels->name : "plain";
}

/* ---- running */

/* Bytes of B packed in one task: bounds a cancellation's delay to some milliseconds. */
#define PACK_AT_ONCE (8 << 20)
/* Bytes of a constant B that a task packs. */
#define PACKED_PART (1 << 20)

typedef struct gemm_job {
    const krn_gemm_plan *plan;
    const krn_gemm_args *args;
    const float *bias;
    const char *b;                                    /* packed, or the caller's rows */
    char *pack_to;                                    /* packing B: its destination */
    char *threads;                                    /* scratch of thread 0 */
    int64_t row_blocks, column_blocks, panels, parts; /* parts: of panels, to pack */
    bool *has_b;    /* threads that have packed their own B */
    int64_t *has_a; /* 1 + the block of rows whose A a thread has packed last; 0: none */
    const struct tw_threadpool *pool;
} gemm_job;

static krn_lines matrix_b(const krn_gemm_plan *p, const void *b, int64_t index)
{
    const krn_gemm_desc *d = &p->desc;
    const int64_t rows = d->transpose_b ? d->n : d->k;
    const size_t bytes = (size_t)(rows * d->row_stride_b) * tw_dtype_size(d->b);
    return (krn_lines){(const char *)b + (size_t)index * bytes, d->b, d->row_stride_b};
}

static void pack_part(void *context, int64_t task, int thread)
{
    const gemm_job *job = context;
    const krn_gemm_plan *p = job->plan;
    const int64_t index = task / job->parts, part = task % job->parts;
    const krn_lines b = matrix_b(p, job->b, index);
    (void)thread;
    krn_gemm_pack_panels(p->kernels, &b, p->desc.transpose_b, p->desc.k, p->desc.n,
                         job->panels * part / job->parts,
                         job->panels * (part + 1) / job->parts,
                         job->pack_to + (size_t)index * p->b_matrix_bytes);
}

void krn_gemm_pack_b(const krn_gemm_plan *plan, const void *b, void *packed,
                     struct tw_threadpool *pool)
{
    if (!plan->kernels) {
        krn_gemm_exact_pack(plan, b, packed);
        return;
    }
    gemm_job job = {.plan = plan,
                    .b = b,
                    .pack_to = packed,
                    .panels = tw_ceil_div(plan->desc.n, plan->kernels->nr)};
    job.parts = TW_MAX(
        TW_MIN(job.panels, tw_ceil_div((int64_t)plan->b_matrix_bytes, PACKED_PART)), 1);
    krn_parallel(pool, 0, plan->batches_b * job.parts, pack_part, &job);
}

static void pack_rows(const void *context, const krn_gemm_kernels *kernels, uint32_t *dst,
                      int64_t row, int count, int64_t k0, int64_t k_end)
{
    krn_pack_across(kernels, dst, count, context, row, count, k0, k_end);
}

static void pack_columns(const void *context, const krn_gemm_kernels *kernels,
                         uint32_t *dst, int64_t row, int count, int64_t k0, int64_t k_end)
{
    krn_pack_along(kernels, dst, count, context, row, count, k0, k_end);
}

typedef struct finish_job {
    const krn_gemm_plan *plan;
    const krn_gemm_args *args;
    char *c;
} finish_job;

/* Activation by callback, and rounding of blocks that the micro-kernel left in f32. */
static void finish_block(const void *context, float *block, int64_t row_stride, int64_t row,
                         int64_t rows, int64_t column, int64_t columns)
{
    const finish_job *job = context;
    const krn_gemm_desc *d = &job->plan->desc;
    const size_t size = tw_dtype_size(d->c);

    for (int64_t i = 0; i < rows; i++) {
        float *values = block + i * row_stride;
        if (d->act == KRN_GEMM_CALL)
            job->args->act(job->args->act_context, values, (size_t)columns);
        if (d->c != TW_F32)
            krn_from_f32(values, columns, d->c,
                         job->c + (size_t)((row + i) * d->row_stride_c + column) * size);
    }
}

/* Finds the matrices that batch index `batch` of the result multiplies. */
void krn_gemm_find_matrices(const krn_gemm_plan *p, int64_t batch, int64_t *out_a,
                            int64_t *out_b)
{
    int64_t a = 0, b = 0;
    for (int i = p->batch_rank - 1; i >= 0; i--) {
        const int64_t at = batch % p->batch[i];
        batch /= p->batch[i];
        a += at * p->batch_stride_a[i];
        b += at * p->batch_stride_b[i];
    }
    *out_a = a;
    *out_b = b;
}

/* Returns the thread's own B, after its blocks of A and C; packed for its first task. */
static const char *own_b(const gemm_job *job, char *scratch, int thread)
{
    const krn_gemm_plan *p = job->plan;
    char *const to = scratch + p->a_pack_bytes + p->c_block_bytes;
    if (!job->has_b[thread]) {
        const krn_lines b = matrix_b(p, job->b, 0);
        krn_gemm_pack_panels(p->kernels, &b, p->desc.transpose_b, p->desc.k, p->desc.n, 0,
                             job->panels, to);
        job->has_b[thread] = true;
    }
    return to;
}

/* True if the thread packed these rows for its last task; if not, it does now. */
static bool packed_a(const gemm_job *job, int64_t rows, int thread)
{
    if (job->plan->ks < job->plan->desc.k) /* packed in parts, one after another */
        return false;
    const bool has = job->has_a[thread] == rows + 1;
    job->has_a[thread] = rows + 1;
    return has;
}

static void run_block(void *context, int64_t task, int thread)
{
    const gemm_job *job = context;
    const krn_gemm_plan *p = job->plan;
    const krn_gemm_desc *d = &p->desc;
    const int64_t jb = task % job->column_blocks,
                  ib = task / job->column_blocks % job->row_blocks;
    const int64_t batch = task / job->column_blocks / job->row_blocks;
    int64_t ia, ibm;
    krn_gemm_find_matrices(p, batch, &ia, &ibm);

    const krn_lines a = {
        (const char *)job->args->a +
            (size_t)(ia * (d->transpose_a ? d->k : d->m) * d->row_stride_a) *
                tw_dtype_size(d->a),
        d->a, d->row_stride_a};
    char *c = (char *)job->args->c +
              (size_t)(batch * d->m * d->row_stride_c) * tw_dtype_size(d->c);
    const bool by_kernel = d->c == TW_BF16 && d->act != KRN_GEMM_CALL;
    const finish_job finish = {p, job->args, c};
    krn_gemm_core core = {
        .kernels = p->kernels,
        .k = d->k,
        .kc = p->kc,
        .ks = p->ks,
        .a = p->direct_a ? a.base : NULL,
        .a_row = a.line_stride * (ptrdiff_t)tw_dtype_size(d->a),
        .pack_rows = p->direct_a || packed_a(job, task / job->column_blocks, thread) ? NULL
                     : d->transpose_a ? pack_columns
                                      : pack_rows,
        .pack_context = &a,
        .b_panel = (ptrdiff_t)(tw_ceil_div(d->k, p->kernels->cell) * p->kernels->nr * 4),
        .b_step = p->kernels->nr * 4,
        .c = d->c == TW_F32 ? (float *)c : NULL,
        .c_row = d->row_stride_c,
        .c16 = by_kernel ? (uint16_t *)c : NULL,
        .c16_row = d->row_stride_c,
        .finish =
            d->act == KRN_GEMM_CALL || (d->c != TW_F32 && !by_kernel) ? finish_block : NULL,
        .finish_context = &finish,
        .bias = job->bias,
        .relu = d->act == KRN_GEMM_RELU || d->act == KRN_GEMM_RELU6,
        .six = d->act == KRN_GEMM_RELU6,
        .pool = job->pool,
    };
    char *scratch = job->threads +
                    (size_t)thread * (p->a_pack_bytes + p->c_block_bytes + p->own_b_bytes);
    if (p->own_b_bytes) {
        core.b = own_b(job, scratch, thread);
    } else if (p->direct_b) {
        core.b = matrix_b(p, job->b, ibm).base;
        core.b_panel = p->kernels->nr * 4;
        core.b_step = d->row_stride_b * 4;
    } else {
        core.b = job->b + (size_t)ibm * p->b_matrix_bytes;
    }

    const int64_t row = d->m * ib / job->row_blocks;
    const int64_t rows = d->m * (ib + 1) / job->row_blocks - row;
    const int64_t column = jb * p->nc;
    krn_gemm_block(&core, row, rows, column, TW_MIN(p->nc, d->n - column),
                   (uint32_t *)scratch, (float *)(scratch + p->a_pack_bytes));
}

void krn_gemm_run(const krn_gemm_plan *plan, const krn_gemm_args *args,
                  struct tw_threadpool *pool)
{
    const krn_gemm_desc *d = &plan->desc;
    char *scratch = args->scratch;

    if (d->m == 0 || d->n == 0 || plan->batches == 0)
        return;
    assert(((uintptr_t)scratch & (ALIGN - 1)) == 0);
    if (!plan->kernels) {
        krn_gemm_exact_run(plan, args, pool);
        return;
    }

    gemm_job job = {
        .plan = plan,
        .args = args,
        .b = args->b,
        .row_blocks = tw_ceil_div(d->m, plan->mc),
        .column_blocks = tw_ceil_div(d->n, plan->nc),
        .panels = tw_ceil_div(d->n, plan->kernels->nr),
        .pool = pool,
    };
    if (d->bias) {
        job.bias = (float *)scratch;
        krn_to_f32(args->bias, d->bias_dtype, d->n, (float *)scratch);
        scratch += tw_align_up((size_t)d->n * 4, ALIGN);
    }
    bool has_b[TW_MAX_THREADS] = {0};
    job.has_b = has_b;
    int64_t rows_of[TW_MAX_THREADS] = {0};
    job.has_a = rows_of;
    if (!d->constant_b && !plan->direct_b && !plan->own_b_bytes) {
        job.pack_to = scratch;
        const int64_t pieces = tw_ceil_div((int64_t)plan->b_matrix_bytes, PACK_AT_ONCE);
        job.parts = TW_MIN(job.panels, TW_MAX(d->threads > 1 ? 4 * d->threads : 1, pieces));
        krn_parallel(pool, d->threads, plan->batches_b * job.parts, pack_part, &job);
        job.b = scratch;
        scratch += (size_t)plan->batches_b * plan->b_matrix_bytes;
    }
    job.threads = scratch;
    krn_parallel(pool, d->threads, plan->batches * job.row_blocks * job.column_blocks,
                 run_block, &job);
}
