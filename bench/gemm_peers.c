/* gemm_peers.c: our matmul, OpenBLAS and oneDNN behind one small interface for
 * bench_gemm.py, and the machine's peak.  Operands are dense and row-major; "packed"
 * contenders bring B into their own form once, ahead. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/gemm/gemm.h"
#include "support/arena.h"
#include "support/threadpool.h"

#if HAVE_OPENBLAS
#include <cblas.h>
#endif
#if HAVE_DNNL
#include <dnnl.h>
#endif

#define PUBLIC __attribute__((visibility("default")))

enum { OURS, OURS_PACKED, OPENBLAS, ONEDNN, ONEDNN_PACKED };

typedef struct contender {
    int kind, threads;
    int64_t m, n, k;
    krn_gemm_plan plan;
    krn_gemm_args args;
    tw_threadpool *pool;
    void *packed;
#if HAVE_DNNL
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t product;
    dnnl_exec_arg_t operands[3];
#endif
} contender;

/* With one thread its processor time, so that other load of the machine is not
 * counted. */
static double seconds(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_ours(contender *x, int bf16, int threads)
{
    const tw_dtype t = bf16 ? TW_BF16 : TW_F32;
    const krn_gemm_desc d = {.m = x->m,
                             .n = x->n,
                             .k = x->k,
                             .a = t,
                             .b = t,
                             .c = t,
                             .constant_b = x->kind == OURS_PACKED,
                             .threads = threads};
    tw_status s = krn_gemm_prepare(&d, &x->plan);
    if (!s && threads > 1)
        s = tw_threadpool_create(threads, &x->pool);
    if (s) {
        tw_status_free(s);
        return -1;
    }
    x->args.scratch = tw_xmalloc_lines(x->plan.scratch_bytes);
    x->packed = tw_xmalloc_lines(x->plan.packed_b_bytes);
    if (x->kind == OURS_PACKED)
        krn_gemm_pack_b(&x->plan, x->args.b, x->packed, NULL);
    return 0;
}

#if HAVE_DNNL
static int open_onednn(contender *x, int bf16)
{
    const dnnl_data_type_t type = bf16 ? dnnl_bf16 : dnnl_f32;
    const dnnl_dims_t size_a = {x->m, x->k}, size_b = {x->k, x->n}, size_c = {x->m, x->n};
    dnnl_memory_desc_t a, b, c, free_b;
    dnnl_matmul_desc_t d;
    dnnl_primitive_desc_t chosen;
    dnnl_memory_t ma, mb, mc;
    int failed = 0;

    failed |= dnnl_engine_create(&x->engine, dnnl_cpu, 0);
    failed |= dnnl_stream_create(&x->stream, x->engine, dnnl_stream_default_flags);
    failed |= dnnl_memory_desc_init_by_tag(&a, 2, size_a, type, dnnl_ab);
    failed |= dnnl_memory_desc_init_by_tag(&b, 2, size_b, type, dnnl_ab);
    failed |= dnnl_memory_desc_init_by_tag(&free_b, 2, size_b, type, dnnl_format_tag_any);
    failed |= dnnl_memory_desc_init_by_tag(&c, 2, size_c, type, dnnl_ab);
    failed |=
        dnnl_matmul_desc_init(&d, &a, x->kind == ONEDNN_PACKED ? &free_b : &b, NULL, &c);
    if (failed || dnnl_primitive_desc_create(&chosen, &d, NULL, x->engine, NULL) ||
        dnnl_primitive_create(&x->product, chosen))
        return -1;
    failed |= dnnl_memory_create(&ma, &a, x->engine, (void *)x->args.a);
    failed |= dnnl_memory_create(&mb, &b, x->engine, (void *)x->args.b);
    failed |= dnnl_memory_create(&mc, &c, x->engine, x->args.c);
    if (x->kind == ONEDNN_PACKED) {
        const dnnl_memory_desc_t *own =
            dnnl_primitive_desc_query_md(chosen, dnnl_query_weights_md, 0);
        dnnl_primitive_desc_t reorder_desc;
        dnnl_primitive_t reorder;
        dnnl_memory_t packed;
        failed |= dnnl_memory_create(&packed, own, x->engine, DNNL_MEMORY_ALLOCATE);
        failed |= dnnl_reorder_primitive_desc_create(&reorder_desc, &b, x->engine, own,
                                                     x->engine, NULL);
        if (failed || dnnl_primitive_create(&reorder, reorder_desc))
            return -1;
        const dnnl_exec_arg_t move[2] = {{DNNL_ARG_FROM, mb}, {DNNL_ARG_TO, packed}};
        failed |= dnnl_primitive_execute(reorder, x->stream, 2, move);
        dnnl_stream_wait(x->stream);
        mb = packed;
    }
    x->operands[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, ma};
    x->operands[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, mb};
    x->operands[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, mc};
    return failed ? -1 : 0;
}
#endif

/* NULL if the contender does not exist or does not support the type. */
PUBLIC void *peers_open(int kind, int64_t m, int64_t n, int64_t k, int bf16, int threads,
                        const void *a, const void *b, void *c);
PUBLIC void *peers_open(int kind, int64_t m, int64_t n, int64_t k, int bf16, int threads,
                        const void *a, const void *b, void *c)
{
    contender *x = calloc(1, sizeof *x);
    int failed = -1;

    *x = (contender){.kind = kind,
                     .threads = threads,
                     .m = m,
                     .n = n,
                     .k = k,
                     .args = {.a = a, .b = b, .c = c}};
    if (kind == OURS || kind == OURS_PACKED)
        failed = open_ours(x, bf16, threads);
#if HAVE_OPENBLAS
    if (kind == OPENBLAS && !bf16) {
        openblas_set_num_threads(threads);
        failed = 0;
    }
#endif
#if HAVE_DNNL
    if (kind == ONEDNN || kind == ONEDNN_PACKED)
        failed = open_onednn(x, bf16);
#endif
    if (!failed)
        return x;
    free(x);
    return NULL;
}

static void multiply(contender *x)
{
    krn_gemm_args args = x->args;

    switch (x->kind) {
    case OURS_PACKED:
        args.b = x->packed;
        /* fall through */
    case OURS:
        krn_gemm_run(&x->plan, &args, x->pool);
        break;
#if HAVE_OPENBLAS
    case OPENBLAS:
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)x->m, (int)x->n,
                    (int)x->k, 1, args.a, (int)x->k, args.b, (int)x->n, 0, args.c,
                    (int)x->n);
        break;
#endif
#if HAVE_DNNL
    default:
        dnnl_primitive_execute(x->product, x->stream, 3, x->operands);
        dnnl_stream_wait(x->stream);
#endif
    }
}

/* Seconds for each matmul, over `times` of them. */
double peers_time(void *handle, int times);
PUBLIC double peers_time(void *handle, int times)
{
    const int threads = ((const contender *)handle)->threads;
    const double start = seconds(threads);
    for (int i = 0; i < times; i++)
        multiply(handle);
    return (seconds(threads) - start) / times;
}

void peers_close(void *handle);
PUBLIC void peers_close(void *handle)
{
    contender *x = handle;
    tw_threadpool_release(x->pool);
    free(x->packed);
    free(x->args.scratch);
    free(x);
}

const char *peers_kernel(void *handle);
PUBLIC const char *peers_kernel(void *handle)
{
    return krn_gemm_kernel_name(&((contender *)handle)->plan);
}

#if defined(__x86_64__)
#define EIGHT(op, a, b, c, d, e, f, g, h)                                                  \
    op a "\n" op b "\n" op c "\n" op d "\n" op e "\n" op f "\n" op g "\n" op h "\n"
#define WIDE(op)                                                                           \
    EIGHT(op " %%zmm30,%%zmm31,", "%%zmm0", "%%zmm1", "%%zmm2", "%%zmm3", "%%zmm4",        \
          "%%zmm5", "%%zmm6", "%%zmm7")                                                    \
    EIGHT(op " %%zmm30,%%zmm31,", "%%zmm8", "%%zmm9", "%%zmm10", "%%zmm11", "%%zmm12",     \
          "%%zmm13", "%%zmm14", "%%zmm15")
#define NARROW(op)                                                                         \
    EIGHT(op " %%ymm14,%%ymm15,", "%%ymm0", "%%ymm1", "%%ymm2", "%%ymm3", "%%ymm4",        \
          "%%ymm5", "%%ymm6", "%%ymm7")                                                    \
    op " %%ymm14,%%ymm15,%%ymm8\n" op " %%ymm14,%%ymm15,%%ymm9\n" op                       \
       " %%ymm14,%%ymm15,%%ymm10\n" op " %%ymm14,%%ymm15,%%ymm11\n"

/* Independent multiply-adds on registers, `times` iterations. */
#define REPEAT(code)                                                                       \
    for (int i = 0; i < times; i++)                                                        \
    __asm__ volatile(code ::                                                               \
                         : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",       \
                           "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",      \
                           "xmm13", "xmm14", "xmm15")
#endif

/* Peak multiply-adds of one thread, in operations a second (two a multiply-add); 0:
 * unknown. */
double peers_peak(int bf16);
PUBLIC double peers_peak(int bf16)
{
    double best = 0;
#if defined(__x86_64__)
    const int times = 500000;
    for (int round = 0; round < 8; round++) {
        const double start = seconds(1);
        double operations = 0;
        if (bf16 && __builtin_cpu_supports("avx512bf16")) {
            REPEAT(WIDE("vdpbf16ps"));
            operations = 16.0 * 64;
        } else if (__builtin_cpu_supports("avx512f")) {
            REPEAT(WIDE("vfmadd231ps"));
            operations = 16.0 * 32;
        } else if (__builtin_cpu_supports("fma")) {
            REPEAT(NARROW("vfmadd231ps"));
            operations = 12.0 * 16;
        }
        best = TW_MAX(best, operations * times / (seconds(1) - start));
    }
#else
    (void)bf16;
#endif
    return best;
}
