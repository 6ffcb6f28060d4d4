/* gemm_exact.c: see gemm_exact.h. One template over the element type; integers are summed
 * in 64 bits, which wraps to the correct sum of any narrower type. */
#include "host/gemm/gemm_exact.h"

#include "host/parallel.h"

#define COLUMNS 64 /* sums kept on the stack at a time */

static bool is_integer(tw_dtype t)
{
    return t == TW_BOOL || t == TW_I8 || t == TW_I16 || t == TW_I32 || t == TW_I64 ||
           t == TW_U8 || t == TW_U16 || t == TW_U32 || t == TW_U64;
}

tw_status krn_gemm_exact_check(const krn_gemm_desc *d)
{
    const bool real = d->a == TW_F64 && d->b == TW_F64 && d->c == TW_F64;
    const bool whole = is_integer(d->a) && d->b == d->a &&
                       (d->c == d->a || (is_integer(d->c) && d->c != TW_BOOL));

    if (!real && !whole)
        return tw_error(
            TW_UNSUPPORTED,
            "matmul: operands of %s and %s with a result of %s: convert them to "
            "one type",
            tw_dtype_name(d->a), tw_dtype_name(d->b), tw_dtype_name(d->c));
    if (d->bias && d->bias_dtype != d->c)
        return tw_error(TW_UNSUPPORTED, "matmul: bias of type %s for a result of type %s",
                        tw_dtype_name(d->bias_dtype), tw_dtype_name(d->c));
    if (d->act == KRN_GEMM_CALL || d->act == KRN_GEMM_RELU6)
        return tw_error(TW_UNSUPPORTED, "matmul: activation on type %s",
                        tw_dtype_name(d->c));
    return TW_SUCCESS;
}

static size_t stored_b(const krn_gemm_plan *p)
{
    const krn_gemm_desc *d = &p->desc;
    return (size_t)(p->batches_b * (d->transpose_b ? d->n : d->k) * d->row_stride_b) *
           tw_dtype_size(d->b);
}

void krn_gemm_exact_plan(krn_gemm_plan *p)
{
    p->kernels = NULL;
    p->packed_b_bytes = p->desc.constant_b ? stored_b(p) : 0;
}

void krn_gemm_exact_pack(const krn_gemm_plan *p, const void *b, void *packed)
{
    memcpy(packed, b, stored_b(p));
}

/* One row of one matrix. a and b advance by these numbers of elements per step of k, b per
 * step of j. */
typedef struct exact_row {
    const void *a, *b, *bias;
    void *c;
    int64_t n, k, a_step, b_step_k, b_step_j;
    tw_dtype c_type;
    bool relu;
} exact_row;

static void store_integers(const exact_row *r, int64_t j, const int64_t *sums, int count)
{
    for (int i = 0; i < count; i++) {
        const int64_t at = j + i;
        uint64_t v = (uint64_t)sums[i];
#define CASE(tag, type)                                                                    \
    case tag:                                                                              \
        v += r->bias ? (uint64_t)((const type *)r->bias)[at] : 0;                          \
        ((type *)r->c)[at] = (type)(r->relu && (type)v < (type)1 ? (type)0 : (type)v);     \
        break;
        switch (r->c_type) {
            CASE(TW_I8, int8_t)
            CASE(TW_I16, int16_t)
            CASE(TW_I32, int32_t)
            CASE(TW_I64, int64_t)
            CASE(TW_U8, uint8_t)
            CASE(TW_U16, uint16_t)
            CASE(TW_U32, uint32_t)
            CASE(TW_U64, uint64_t)
        default: /* bool: true if any product is */
            v += r->bias ? ((const uint8_t *)r->bias)[at] : 0;
            ((uint8_t *)r->c)[at] = v != 0;
        }
#undef CASE
    }
}

static void store_doubles(const exact_row *r, int64_t j, const double *sums, int count)
{
    for (int i = 0; i < count; i++) {
        double v = sums[i] + (r->bias ? ((const double *)r->bias)[j + i] : 0);
        ((double *)r->c)[j + i] = r->relu && v < 0 ? 0 : v;
    }
}

#define ROW_FUNCTION(name, type, sum_type, store)                                          \
    static void name(const exact_row *r)                                                   \
    {                                                                                      \
        const type *a = r->a;                                                              \
        for (int64_t j = 0; j < r->n; j += COLUMNS) {                                      \
            const int count = (int)TW_MIN(COLUMNS, r->n - j);                              \
            sum_type sums[COLUMNS] = {0};                                                  \
            for (int64_t k = 0; k < r->k; k++) {                                           \
                const type *b = (const type *)r->b + k * r->b_step_k + j * r->b_step_j;    \
                const sum_type x = (sum_type)a[k * r->a_step];                             \
                for (int i = 0; i < count; i++)                                            \
                    sums[i] += x * (sum_type)b[i * r->b_step_j];                           \
            }                                                                              \
            store(r, j, sums, count);                                                      \
        }                                                                                  \
    }
#define INTEGER_STORE(r, j, sums, count)                                                   \
    store_integers(r, j, (const int64_t *)(sums), count)
ROW_FUNCTION(row_f64, double, double, store_doubles)
ROW_FUNCTION(row_i8, int8_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_i16, int16_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_i32, int32_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_i64, int64_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_u8, uint8_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_u16, uint16_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_u32, uint32_t, uint64_t, INTEGER_STORE)
ROW_FUNCTION(row_u64, uint64_t, uint64_t, INTEGER_STORE)

static void (*const row_functions[TW_DTYPE_COUNT])(const exact_row *) = {
    [TW_F64] = row_f64, [TW_I8] = row_i8,   [TW_I16] = row_i16, [TW_I32] = row_i32,
    [TW_I64] = row_i64, [TW_U8] = row_u8,   [TW_U16] = row_u16, [TW_U32] = row_u32,
    [TW_U64] = row_u64, [TW_BOOL] = row_u8,
};

typedef struct exact_job {
    const krn_gemm_plan *plan;
    const krn_gemm_args *args;
} exact_job;

static void run_row(void *context, int64_t task, int thread)
{
    const exact_job *job = context;
    const krn_gemm_plan *p = job->plan;
    const krn_gemm_desc *d = &p->desc;
    const int64_t batch = task / d->m, i = task % d->m;
    const int64_t size = (int64_t)tw_dtype_size(d->a),
                  c_size = (int64_t)tw_dtype_size(d->c);
    int64_t ia, ib;
    (void)thread;

    krn_gemm_find_matrices(p, batch, &ia, &ib);
    const int64_t a_at = ia * (d->transpose_a ? d->k : d->m) * d->row_stride_a +
                         i * (d->transpose_a ? 1 : d->row_stride_a);
    const int64_t b_at = ib * (d->transpose_b ? d->n : d->k) * d->row_stride_b;
    const exact_row r = {
        .a = (const char *)job->args->a + a_at * size,
        .b = (const char *)job->args->b + b_at * size,
        .bias = d->bias ? job->args->bias : NULL,
        .c = (char *)job->args->c + (batch * d->m + i) * d->row_stride_c * c_size,
        .n = d->n,
        .k = d->k,
        .a_step = d->transpose_a ? d->row_stride_a : 1,
        .b_step_k = d->transpose_b ? 1 : d->row_stride_b,
        .b_step_j = d->transpose_b ? d->row_stride_b : 1,
        .c_type = d->c,
        .relu = d->act == KRN_GEMM_RELU,
    };
    row_functions[d->a](&r);
}

void krn_gemm_exact_run(const krn_gemm_plan *p, const krn_gemm_args *args,
                        struct tw_threadpool *pool)
{
    exact_job job = {p, args};
    krn_parallel(pool, p->desc.threads, p->batches * p->desc.m, run_row, &job);
}
