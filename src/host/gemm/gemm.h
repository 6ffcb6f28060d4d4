/* gemm.h: matrix multiplication, planned once and run without allocating.
 *
 *     C[batch][m][n] = act(sum over k of A[batch][m][k] * B[batch][k][n] + bias[n])
 *
 * krn_gemm_prepare checks a description and fills a plan (a plain value without pointers
 * that may be copied and needs no destruction). A constant B is packed ahead with
 * krn_gemm_pack_b into plan.packed_b_bytes of memory; otherwise krn_gemm_run reads B in
 * place. The caller owns every buffer; scratch is plan.scratch_bytes, 64-byte aligned, and
 * keeps nothing between runs. Runs with different scratch may be concurrent.
 *
 * Element types (a, b -> c)                  accumulated in
 *   f32, bf16, f16 but for the next line -> f32 | bf16 | f16     f32
 *   bf16 x bf16 -> f32 | bf16 | f16          f32; products are exact, subnormal inputs
 *                                            and sums are flushed to zero if the
 *                                            machine has vdpbf16ps
 *   f64 x f64 -> f64                         f64
 *   integers of one type (bool, i8..u64)     64 bits, then wrapped
 *     -> that type, i32 or i64
 *
 * Rounding to bf16 and f16 is to nearest even, once, after the activation. Sums run in
 * blocks of k: results do not depend on the number of threads, but may depend on the
 * machine. k == 0 gives act(bias); if m, n or the batch is zero nothing is written. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_H
#define TILEWRIGHT_HOST_GEMM_GEMM_H

#include "host/shape.h"
#include "support/status.h"
#include "tilewright/dtype.h"

struct krn_gemm_kernels;
struct tw_threadpool;

/* Applied to the f32 sum before rounding. Anything but relu is the caller's strip
 * function. */
typedef enum krn_gemm_act {
    KRN_GEMM_NONE = 0,
    KRN_GEMM_RELU,  /* max(x, 0); NaN stays NaN */
    KRN_GEMM_RELU6, /* min(max(x, 0), 6); floats only */
    KRN_GEMM_CALL,  /* krn_gemm_args.act on strips of rows, in place; called from several
                       threads */
} krn_gemm_act;

typedef void (*krn_strip_fn)(void *context, float *values, size_t count);

typedef struct krn_gemm_desc {
    int64_t m, n, k;
    /* Leading dimensions, aligned at the right as in numpy; sizes of 1 broadcast. */
    int batch_rank_a, batch_rank_b;
    int64_t batch_a[KRN_MAX_RANK], batch_b[KRN_MAX_RANK];
    tw_dtype a, b, c;
    bool transpose_a; /* A is stored [k][m] */
    bool transpose_b; /* B is stored [n][k] */
    /* Elements between stored rows; 0 = dense. Matrices of a batch are contiguous (rows *
     * stride apart). */
    int64_t row_stride_a, row_stride_b, row_stride_c;
    bool constant_b; /* the caller will pack B ahead and pass the packed form to run */
    bool bias; /* a row of n elements of type `bias_dtype` (f32, bf16, f16; or that of c) */
    tw_dtype bias_dtype;
    krn_gemm_act act;
    int threads; /* upper bound on the threads of run's pool; 0 is 1 */
} krn_gemm_desc;

typedef struct krn_gemm_plan {
    krn_gemm_desc desc; /* normalised: batch folded into m where B has no batch */
    int batch_rank;
    int64_t batch[KRN_MAX_RANK]; /* of the result */
    int64_t batch_stride_a[KRN_MAX_RANK],
        batch_stride_b[KRN_MAX_RANK]; /* in matrices; 0 broadcasts */
    int64_t batches, batches_b;
    size_t packed_b_bytes; /* for krn_gemm_pack_b; 0 unless constant_b */
    size_t scratch_bytes;  /* for krn_gemm_run */
    /* Chosen by prepare; internal to gemm. */
    const struct krn_gemm_kernels *kernels;
    int64_t mc, nc, kc, ks;
    size_t b_matrix_bytes, a_pack_bytes, c_block_bytes, own_b_bytes;
    bool direct_a, direct_b, block_c;
} krn_gemm_plan;

typedef struct krn_gemm_args {
    const void *a;
    const void *b; /* the packed form if desc.constant_b */
    const void *bias;
    void *c;
    krn_strip_fn act; /* KRN_GEMM_CALL */
    void *act_context;
    void *scratch;
    const float *scale; /* of a convolution's output channels, before the bias; or NULL */
} krn_gemm_args;

/* TW_INVALID names inconsistent sizes or strides, TW_UNSUPPORTED the element types. */
TW_NODISCARD tw_status krn_gemm_prepare(const krn_gemm_desc *desc, krn_gemm_plan *out_plan);

/* Packs all of B's matrices; `packed` is 64-byte aligned. Plans that differ only in m,
 * batch of A, bias, act, c or threads read the same packed B. */
void krn_gemm_pack_b(const krn_gemm_plan *plan, const void *b, void *packed,
                     struct tw_threadpool *pool);

/* pool may be NULL: one thread. */
void krn_gemm_run(const krn_gemm_plan *plan, const krn_gemm_args *args,
                  struct tw_threadpool *pool);

/* Returns the instruction set of the plan's kernel: "avx512bf16", "avx512", "avx2",
 * "plain". */
const char *krn_gemm_kernel_name(const krn_gemm_plan *plan);

#endif
