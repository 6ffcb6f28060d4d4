/* move_gather.c: general gather of StableHLO, rows of a table, and torch's gather along an
 * axis. */
#include "host/move/move.h"
#include "host/move/move_index.h"
#include "host/parallel.h"

#define PARALLEL_BYTES (256 * 1024)

tw_status krn_plan_gather(const krn_gather_desc *desc, krn_gather_plan *out_plan)
{
    krn_gather_plan p = {.desc = *desc};
    const krn_gather_desc *d = &p.desc;
    const krn_index_dims dims = {
        .op = "gather",
        .operand_rank = d->operand_rank,
        .indices_rank = d->indices_rank,
        .windows_rank = d->out_rank,
        .operand_shape = d->operand_shape,
        .indices_shape = d->indices_shape,
        .window_count = d->offset_count,
        .dropped_count = d->collapsed_count,
        .batching_count = d->batching_count,
        .map_count = d->map_count,
        .window_dims = d->offset_dims,
        .dropped = d->collapsed_slice_dims,
        .operand_batching = d->operand_batching_dims,
        .indices_batching = d->start_indices_batching_dims,
        .map = d->start_index_map,
        .index_vector_dim = d->index_vector_dim,
        .window_size = d->slice_sizes,
    };

    TW_TRY(krn_check_index_type("gather", d->index_dtype));
    TW_TRY(krn_index_walk_plan(&dims, &p.walk));
    TW_TRY(krn_plan_copy(d->element, p.walk.window_rank, p.walk.window_shape,
                         p.walk.window_operand_stride, 0, p.walk.window_windows_stride, 0,
                         &p.slice));
    krn_dense_strides(d->operand_rank, d->operand_shape, p.operand_stride);
    p.out_count = krn_count(d->out_rank, p.walk.windows_shape);
    p.batches = krn_count(p.walk.batch_rank, p.walk.batch_shape);
    *out_plan = p;
    return TW_SUCCESS;
}

typedef struct gather_job {
    const krn_gather_plan *plan;
    const char *operand;
    const void *indices;
    char *out;
    int64_t parts;
} gather_job;

static void gather_window(const gather_job *job, int64_t batch)
{
    const krn_gather_plan *p = job->plan;
    const krn_gather_desc *d = &p->desc;
    const krn_index_walk *w = &p->walk;
    int64_t from = 0, to = 0, index = 0;

    for (int i = w->batch_rank - 1; i >= 0; i--) {
        const int64_t at = batch % w->batch_shape[i];
        batch /= w->batch_shape[i];
        from += at * w->batch_operand_stride[i];
        to += at * w->batch_windows_stride[i];
        index += at * w->batch_index_stride[i];
    }
    for (int c = 0; c < d->map_count; c++) {
        const int64_t axis = d->start_index_map[c];
        const int64_t start =
            krn_index_at(d->index_dtype, job->indices, index + c * w->component_stride);
        from += krn_clamp(start, 0, d->operand_shape[axis] - d->slice_sizes[axis]) *
                p->operand_stride[axis];
    }
    krn_copy_run(&p->slice, job->operand + from * d->element, job->out + to * d->element,
                 NULL);
}

static void gather_task(void *context, int64_t task, int thread)
{
    const gather_job *job = context;
    const int64_t n = job->plan->batches;
    (void)thread;
    for (int64_t i = n * task / job->parts; i < n * (task + 1) / job->parts; i++)
        gather_window(job, i);
}

void krn_gather_run(const krn_gather_plan *plan, const void *operand, const void *indices,
                    void *out, struct tw_threadpool *pool)
{
    gather_job job = {plan, operand, indices, out, 1};
    if (plan->out_count == 0)
        return;
    if (pool && plan->out_count * plan->desc.element >= PARALLEL_BYTES)
        job.parts = TW_MIN(plan->batches, 4 * krn_threads(pool));
    krn_parallel(pool, 0, job.parts, gather_task, &job);
}

typedef struct take_job {
    size_t row_bytes;
    int64_t rows, count, parts;
    tw_dtype index_dtype;
    const char *table;
    const void *indices;
    char *out;
} take_job;

static void take_task(void *context, int64_t task, int thread)
{
    const take_job *job = context;
    const int64_t end = job->count * (task + 1) / job->parts;
    (void)thread;
    for (int64_t i = job->count * task / job->parts; i < end; i++) {
        const int64_t row =
            krn_clamp(krn_index_at(job->index_dtype, job->indices, i), 0, job->rows - 1);
        memcpy(job->out + (size_t)i * job->row_bytes,
               job->table + (size_t)row * job->row_bytes, job->row_bytes);
    }
}

tw_status krn_take_rows(size_t row_bytes, int64_t rows, tw_dtype index_dtype, int64_t count,
                        const void *table, const void *indices, void *out,
                        struct tw_threadpool *pool)
{
    take_job job = {row_bytes, rows, count, 1, index_dtype, table, indices, out};

    TW_TRY(krn_check_index_type("embedding", index_dtype));
    if (rows <= 0 && count > 0)
        return tw_error(TW_INVALID, "embedding: %lld indices into a table of %lld rows",
                        (long long)count, (long long)rows);
    if (pool && count * (int64_t)row_bytes >= PARALLEL_BYTES)
        job.parts = TW_MIN(count, 4 * krn_threads(pool));
    krn_parallel(pool, 0, job.parts, take_task, &job);
    return TW_SUCCESS;
}

/* ---- torch.gather */

typedef struct axis_job {
    int element, rank, axis;
    tw_dtype index_dtype;
    int64_t size, parts, rows; /* rows: index elements over the last axis */
    const int64_t *index_shape;
    int64_t stride[KRN_MAX_RANK];
    const char *in;
    const void *indices;
    char *out;
} axis_job;

static void axis_row(const axis_job *job, int64_t row)
{
    const int last = job->rank - 1;
    const int64_t n = job->index_shape[last];
    int64_t at = row, base = 0;

    for (int i = last - 1; i >= 0; i--) {
        if (i != job->axis)
            base += at % job->index_shape[i] * job->stride[i];
        at /= job->index_shape[i];
    }
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = krn_clamp(
            krn_index_at(job->index_dtype, job->indices, row * n + j), 0, job->size - 1);
        const int64_t from = base + i * job->stride[job->axis] +
                             (job->axis == last ? 0 : j * job->stride[last]);
        memcpy(job->out + (row * n + j) * job->element, job->in + from * job->element,
               (size_t)job->element);
    }
}

static void axis_task(void *context, int64_t task, int thread)
{
    const axis_job *job = context;
    (void)thread;
    for (int64_t r = job->rows * task / job->parts; r < job->rows * (task + 1) / job->parts;
         r++)
        axis_row(job, r);
}

tw_status krn_gather_axis(int element, int rank, const int64_t *shape, int axis,
                          tw_dtype index_dtype, const int64_t *index_shape, const void *in,
                          const void *indices, void *out, struct tw_threadpool *pool)
{
    TW_TRY(krn_check_index_type("gather", index_dtype));
    if (rank < 1 || rank > KRN_MAX_RANK || axis < 0 || axis >= rank)
        return tw_error(TW_INVALID, "gather along axis %d of a tensor of rank %d", axis,
                        rank);
    for (int i = 0; i < rank; i++)
        if (index_shape[i] < 0 || (i != axis && index_shape[i] > shape[i]))
            return tw_error(TW_INVALID, "gather: axis %d has %lld indices, the input %lld",
                            i, (long long)index_shape[i], (long long)shape[i]);
    const int64_t count = krn_count(rank, index_shape);
    if (count == 0)
        return TW_SUCCESS;
    if (shape[axis] == 0)
        return tw_error(TW_INVALID, "gather: %lld indices into axis %d of size 0",
                        (long long)count, axis);
    axis_job job = {.element = element,
                    .rank = rank,
                    .axis = axis,
                    .index_dtype = index_dtype,
                    .size = shape[axis],
                    .parts = 1,
                    .rows = count / index_shape[rank - 1],
                    .index_shape = index_shape,
                    .in = in,
                    .indices = indices,
                    .out = out};
    krn_dense_strides(rank, shape, job.stride);
    if (pool && count * element >= PARALLEL_BYTES)
        job.parts = TW_MIN(job.rows, 4 * krn_threads(pool));
    krn_parallel(pool, 0, job.parts, axis_task, &job);
    return TW_SUCCESS;
}
