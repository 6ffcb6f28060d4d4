/* attention.h: scaled dot product attention, planned once and run without allocating.
 *
 *     out[b][h][i] = sum over keys j of softmax(scale * q[b][h][i] . k[b][h'][j] + mask)
 * v[b][h'][j]
 *
 * where h' = h / (heads / kv_heads). Rows of queries are multiplied with blocks of keys by
 * the micro-kernels of host/gemm; the maximum and the sum of a row run over the blocks, so
 * that no matrix of all logits is stored. A few rows (decoding) read keys and values
 * without packing them, once for all rows that share them.
 *
 * Query i of sequence b attends to keys in [i + origin[b] - back, i + origin[b] + ahead]; a
 * query that attends to nothing gives zeros. Blocks of keys outside are not computed. With
 * bf16 queries, keys and values on a machine with bf16 dot products, probabilities are
 * rounded to bf16 before they multiply the values; else everything is f32. Results do not
 * depend on the number of threads, but may depend on the instruction set. */
#ifndef TILEWRIGHT_HOST_ATTENTION_ATTENTION_H
#define TILEWRIGHT_HOST_ATTENTION_ATTENTION_H

#include "support/status.h"
#include "tilewright/dtype.h"

struct krn_gemm_kernels;
struct tw_threadpool;

/* Elements between sequences, heads and rows of a tensor; a row is contiguous. */
typedef struct krn_attention_strides {
    int64_t batch, head, row;
} krn_attention_strides;

typedef struct krn_attention_desc {
    int64_t batch, heads, kv_heads, queries, keys, depth, value_depth;
    tw_dtype q, k, v, out; /* f32, bf16 or f16 */
    krn_attention_strides q_strides, k_strides, v_strides, out_strides;
    tw_dtype mask; /* f32 or bf16; added to scaled logits, if run gets one */
    krn_attention_strides mask_strides;
    bool mask_of_key; /* false: a row of the mask is one element for all keys */
    float scale;
    int64_t back, ahead; /* keys before and after a query's own; INT64_MAX: all */
    int64_t sinks;       /* logits of each head that take part in the sum only */
    int threads;
} krn_attention_desc;

typedef struct krn_attention_plan {
    krn_attention_desc desc;
    size_t scratch_bytes; /* 64-byte aligned */
    /* Internal to attention. */
    const struct krn_gemm_kernels *kernels;
    bool few;            /* rows that share keys are few: nothing is packed */
    bool joined;         /* rows are the heads of a group, of one query each */
    int64_t rows, block; /* rows that are divided into blocks of at most that many */
    int64_t depth_cells;
    size_t key_bytes, value_bytes; /* packed, of one head */
    size_t thread_bytes, p_at, o_at, a_at;
} krn_attention_plan;

typedef struct krn_attention_args {
    const void *q, *k, *v, *mask; /* mask may be NULL */
    const float *sink;            /* [head][sinks], or NULL */
    const int64_t *origin;        /* of each sequence */
    void *out, *scratch;
} krn_attention_args;

/* TW_UNSUPPORTED names element types. */
TW_NODISCARD tw_status krn_attention_prepare(const krn_attention_desc *desc,
                                             krn_attention_plan *out_plan);
/* pool may be NULL: one thread. */
void krn_attention_run(const krn_attention_plan *plan, const krn_attention_args *args,
                       struct tw_threadpool *pool);

#endif
