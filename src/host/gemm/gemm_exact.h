/* gemm_exact.h: matrix products of f64 and of integers, in plain C and threaded. */
#ifndef TILEWRIGHT_HOST_GEMM_GEMM_EXACT_H
#define TILEWRIGHT_HOST_GEMM_GEMM_EXACT_H

#include "host/gemm/gemm.h"

/* True if the types of a description are supported. */
TW_NODISCARD tw_status krn_gemm_exact_check(const krn_gemm_desc *desc);
void krn_gemm_exact_plan(krn_gemm_plan *plan);
void krn_gemm_exact_pack(const krn_gemm_plan *plan, const void *b, void *packed);
void krn_gemm_exact_run(const krn_gemm_plan *plan, const krn_gemm_args *args,
                        struct tw_threadpool *pool);
/* Finds the matrices that batch index `batch` multiplies. */
void krn_gemm_find_matrices(const krn_gemm_plan *plan, int64_t batch, int64_t *out_a,
                            int64_t *out_b);

#endif
