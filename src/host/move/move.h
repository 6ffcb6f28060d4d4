/* move.h: operations that only move elements.
 *
 * Most of them are one copy between two strided views, so they share one plan and one loop:
 *
 *     krn_copy_plan p;
 *     TW_TRY(krn_plan_permute(4, rank, shape, perm, &p));   // sizes are checked here
 *     krn_copy_run(&p, src, dst, pool);                     // no checks, no allocation
 *
 * Elements have 1, 2, 4 or 8 bytes (copies also accept 16, for complex f64). Tensors are
 * dense and row-major; src and dst may not overlap; plans are plain values. Errors:
 * TW_INVALID naming the axis and the inconsistent sizes. */
#ifndef TILEWRIGHT_HOST_MOVE_MOVE_H
#define TILEWRIGHT_HOST_MOVE_MOVE_H

#include "host/move/move_dims.h"
#include "support/status.h"
#include "tilewright/dtype.h"

struct tw_threadpool;

#define KRN_COPY_LOOPS (2 * KRN_MAX_RANK)

/* A loop nest, outermost first, with axes merged and sorted for speed. Strides and offsets
 * are in bytes. */
typedef struct krn_copy_plan {
    int element;
    int loops;
    int64_t size[KRN_COPY_LOOPS];
    int64_t src_stride[KRN_COPY_LOOPS], dst_stride[KRN_COPY_LOOPS];
    int64_t src_offset, dst_offset;
    int64_t count; /* elements written */
    int shape;     /* the kind of inner loop */
} krn_copy_plan;

void krn_copy_run(const krn_copy_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool);

/* Raw views; strides in elements, may be 0 (source) or negative. Not checked against a
 * buffer. */
TW_NODISCARD tw_status krn_plan_copy(int element, int rank, const int64_t *size,
                                     const int64_t *src_stride, int64_t src_offset,
                                     const int64_t *dst_stride, int64_t dst_offset,
                                     krn_copy_plan *out_plan);

/* out axis i = in axis perm[i]. */
TW_NODISCARD tw_status krn_plan_permute(int element, int rank, const int64_t *shape,
                                        const int64_t *perm, krn_copy_plan *out_plan);

/* out[i] = in[begin + i * step], sizes elements per axis; step may be negative. */
TW_NODISCARD tw_status krn_plan_slice(int element, int rank, const int64_t *shape,
                                      const int64_t *begin, const int64_t *step,
                                      const int64_t *size, krn_copy_plan *out_plan);

/* axes: bit i set flips axis i. */
TW_NODISCARD tw_status krn_plan_reverse(int element, int rank, const int64_t *shape,
                                        unsigned axes, krn_copy_plan *out_plan);

/* StableHLO broadcast_in_dim: in axis i becomes out axis dims[i]; sizes equal or 1. dims
 * NULL aligns at the right (numpy's expand). */
TW_NODISCARD tw_status krn_plan_broadcast(int element, int in_rank, const int64_t *in_shape,
                                          const int64_t *dims, int out_rank,
                                          const int64_t *out_shape,
                                          krn_copy_plan *out_plan);

/* out = in tiled times[i] times on axis i. */
TW_NODISCARD tw_status krn_plan_repeat(int element, int rank, const int64_t *shape,
                                       const int64_t *times, krn_copy_plan *out_plan);

/* Repeats every slice along axis `times` times in a row. */
TW_NODISCARD tw_status krn_plan_repeat_interleave(int element, int rank,
                                                  const int64_t *shape, int axis,
                                                  int64_t times, krn_copy_plan *out_plan);

/* Writes in into out at `offset`, elements `step` apart (NULL: 1); parts outside out are
 * dropped. The rest of out is unchanged. This is one input of a concat, the interior of a
 * pad (interior padding is step - 1; negative padding a negative offset), and
 * dynamic_update_slice. */
TW_NODISCARD tw_status krn_plan_place(int element, int rank, const int64_t *in_shape,
                                      const int64_t *out_shape, const int64_t *offset,
                                      const int64_t *step, krn_copy_plan *out_plan);

/* Input i of a concat along axis, after `before` elements of earlier inputs. */
TW_NODISCARD tw_status krn_plan_concat_part(int element, int rank, const int64_t *in_shape,
                                            const int64_t *out_shape, int axis,
                                            int64_t before, krn_copy_plan *out_plan);

/* ---- pad and roll: a few copies */
typedef struct krn_pad_plan {
    krn_copy_plan copy;
    int64_t out_count;
    int element;
    bool fill; /* some output is padding */
    int64_t out_shape[KRN_MAX_RANK];
} krn_pad_plan;
/* interior may be NULL; low and high may be negative. */
TW_NODISCARD tw_status krn_plan_pad(int element, int rank, const int64_t *shape,
                                    const int64_t *low, const int64_t *high,
                                    const int64_t *interior, krn_pad_plan *out_plan);
void krn_pad_run(const krn_pad_plan *plan, const void *src, const void *value, void *dst,
                 struct tw_threadpool *pool);

/* out[(i + shift) mod size] = in[i] on one axis: two copies. */
typedef struct krn_roll_plan {
    krn_copy_plan part[2];
} krn_roll_plan;
TW_NODISCARD tw_status krn_plan_roll(int element, int rank, const int64_t *shape, int axis,
                                     int64_t shift, krn_roll_plan *out_plan);
void krn_roll_run(const krn_roll_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool);

/* ---- creating values */
void krn_fill(int element, const void *value, int64_t count, void *dst,
              struct tw_threadpool *pool);

/* dst[outer][n][inner] = start + i * step on the middle axis: iota and arange. Integers
 * wrap and use the int64 pair, floats the double pair (f32, bf16 and f16 values are
 * computed in f64 and rounded once). TW_UNSUPPORTED for block floats. */
TW_NODISCARD tw_status krn_iota(tw_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                                int64_t start_int, int64_t step_int, double start,
                                double step, void *dst, struct tw_threadpool *pool);

/* ---- gather */
/* StableHLO gather; indices of any integer type; starts are clamped. */
typedef struct krn_gather_desc {
    int element;
    tw_dtype index_dtype;
    int operand_rank, indices_rank, out_rank;
    int64_t operand_shape[KRN_MAX_RANK], indices_shape[KRN_MAX_RANK];
    int64_t slice_sizes[KRN_MAX_RANK];
    int offset_count, collapsed_count, batching_count, map_count;
    int64_t offset_dims[KRN_MAX_RANK];
    int64_t collapsed_slice_dims[KRN_MAX_RANK];
    int64_t operand_batching_dims[KRN_MAX_RANK];
    int64_t start_indices_batching_dims[KRN_MAX_RANK];
    int64_t start_index_map[KRN_MAX_RANK];
    int index_vector_dim;
} krn_gather_desc;

typedef struct krn_gather_plan {
    krn_gather_desc desc;
    krn_index_walk walk; /* walk.windows_shape is the result's shape */
    int64_t out_count, batches;
    int64_t operand_stride[KRN_MAX_RANK];
    krn_copy_plan slice; /* of one window */
} krn_gather_plan;

TW_NODISCARD tw_status krn_plan_gather(const krn_gather_desc *desc,
                                       krn_gather_plan *out_plan);
void krn_gather_run(const krn_gather_plan *plan, const void *operand, const void *indices,
                    void *out, struct tw_threadpool *pool);

/* out[i] = table[clamp(indices[i])], rows of row_bytes: embedding, index_select of rows,
 * take. TW_INVALID for rows == 0 with count > 0, TW_UNSUPPORTED for an index type that is
 * not an integer (or f32/bf16 holding integers, which TTNN allows). */
TW_NODISCARD tw_status krn_take_rows(size_t row_bytes, int64_t rows, tw_dtype index_dtype,
                                     int64_t count, const void *table, const void *indices,
                                     void *out, struct tw_threadpool *pool);

/* torch.gather: out[..i..] = in[.. index[..i..] at axis ..]; out and index have one shape,
 * whose other axes are not larger than in's. Indices are clamped. */
TW_NODISCARD tw_status krn_gather_axis(int element, int rank, const int64_t *shape,
                                       int axis, tw_dtype index_dtype,
                                       const int64_t *index_shape, const void *in,
                                       const void *indices, void *out,
                                       struct tw_threadpool *pool);

/* ---- scatter */
typedef enum krn_scatter_kind {
    KRN_SCATTER_SET, /* last one written wins, in index order */
    KRN_SCATTER_ADD,
    KRN_SCATTER_MUL,
    KRN_SCATTER_MAX,
    KRN_SCATTER_MIN,
    KRN_SCATTER_AND, /* bitwise for integers, logical for floats */
    KRN_SCATTER_OR,
} krn_scatter_kind;

/* StableHLO scatter with a known combiner. A window that is not entirely inside the operand
 * is skipped (as in XLA; the specification would write its inner part). */
typedef struct krn_scatter_desc {
    tw_dtype dtype;
    tw_dtype index_dtype;
    krn_scatter_kind kind;
    int operand_rank, indices_rank, updates_rank;
    int64_t operand_shape[KRN_MAX_RANK], indices_shape[KRN_MAX_RANK];
    int64_t updates_shape[KRN_MAX_RANK];
    int window_count, inserted_count, batching_count, map_count;
    int64_t update_window_dims[KRN_MAX_RANK];
    int64_t inserted_window_dims[KRN_MAX_RANK];
    int64_t input_batching_dims[KRN_MAX_RANK];
    int64_t scatter_indices_batching_dims[KRN_MAX_RANK];
    int64_t scatter_dims_to_operand_dims[KRN_MAX_RANK];
    int index_vector_dim;
} krn_scatter_desc;

typedef struct krn_scatter_plan {
    krn_scatter_desc desc;
    krn_index_walk walk;
    int64_t operand_stride[KRN_MAX_RANK];
    int64_t
        window_size[KRN_MAX_RANK]; /* per operand axis, 1 for inserted and batching axes */
} krn_scatter_plan;

TW_NODISCARD tw_status krn_plan_scatter(const krn_scatter_desc *desc,
                                        krn_scatter_plan *out_plan);
/* In place: `operand` is read and written (copy the input there first). Runs in index order
 * on one thread, so duplicates combine the same way every time. */
void krn_scatter_run(const krn_scatter_plan *plan, void *operand, const void *indices,
                     const void *updates);

/* torch.scatter / scatter_reduce along an axis, in place on `out`; source may be larger
 * than index. Indices out of bounds are skipped. */
TW_NODISCARD tw_status krn_scatter_axis(tw_dtype dtype, krn_scatter_kind kind, int rank,
                                        const int64_t *shape, int axis,
                                        tw_dtype index_dtype, const int64_t *index_shape,
                                        const int64_t *source_shape, const void *indices,
                                        const void *source, void *out);

/* ---- tile storage: 32x32 tiles over the last two axes (rank 1 counts as one row),
 * row-major over tiles; in a tile four 16x16 faces (0,0) (0,1) (1,0) (1,1), each row-major.
 */
typedef struct krn_tile_plan {
    int element;
    int64_t outer, rows, columns; /* logical */
    int64_t row_tiles, column_tiles;
    size_t tiled_bytes;
} krn_tile_plan;
TW_NODISCARD tw_status krn_plan_tiles(int element, int rank, const int64_t *shape,
                                      krn_tile_plan *out_plan);
/* pad: one element for positions outside the tensor. */
void krn_tilize(const krn_tile_plan *plan, const void *src, const void *pad, void *dst,
                struct tw_threadpool *pool);
void krn_untilize(const krn_tile_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool);

#endif
