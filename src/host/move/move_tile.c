/* move_tile.c: conversion between row-major tensors and tile storage (see move.h). */
#include "host/move/move.h"
#include "host/parallel.h"

#define TILE 32
#define FACE 16
#define PARALLEL_BYTES (256 * 1024)

tw_status krn_plan_tiles(int element, int rank, const int64_t *shape,
                         krn_tile_plan *out_plan)
{
    krn_tile_plan p = {.element = element, .outer = 1, .rows = 1, .columns = 1};

    if (element != 1 && element != 2 && element != 4 && element != 8)
        return tw_error(TW_UNSUPPORTED,
                        "tiles of %d-byte elements: 1, 2, 4 or 8 are possible", element);
    if (rank < 0 || rank > KRN_MAX_RANK)
        return tw_error(TW_UNSUPPORTED,
                        "tiles of a tensor of rank %d: at most %d is possible", rank,
                        KRN_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return tw_error(TW_INVALID, "tiles: axis %d has size %lld", i,
                            (long long)shape[i]);
        *(i == rank - 1 ? &p.columns : i == rank - 2 ? &p.rows : &p.outer) *= shape[i];
    }
    p.row_tiles = (p.rows + TILE - 1) / TILE;
    p.column_tiles = (p.columns + TILE - 1) / TILE;
    p.tiled_bytes =
        (size_t)(p.outer * p.row_tiles * p.column_tiles) * TILE * TILE * (size_t)element;
    *out_plan = p;
    return TW_SUCCESS;
}

typedef struct tile_job {
    const krn_tile_plan *plan;
    const char *src;
    const void *pad;
    char *dst;
    int64_t parts;
} tile_job;

static size_t face_row_offset(int row, int face_column)
{
    return (size_t)((row / FACE * 2 + face_column) * FACE * FACE + row % FACE * FACE);
}

static void fill_bytes(char *dst, const void *pad, size_t element, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(dst + (size_t)i * element, pad, element);
}

/* One row of tiles; `task` also counts over the outer axes. */
static void tilize_row(const tile_job *job, int64_t row)
{
    const krn_tile_plan *p = job->plan;
    const size_t element = (size_t)p->element;
    const int64_t outer = row / p->row_tiles, first = row % p->row_tiles * TILE;
    char *tile = job->dst + (size_t)(row * p->column_tiles) * TILE * TILE * element;

    for (int64_t t = 0; t < p->column_tiles; t++, tile += TILE * TILE * element)
        for (int r = 0; r < TILE; r++)
            for (int f = 0; f < 2; f++) {
                char *dst = tile + face_row_offset(r, f) * element;
                const int64_t column = t * TILE + f * FACE;
                const int64_t inside =
                    first + r < p->rows ? TW_MAX(TW_MIN(FACE, p->columns - column), 0) : 0;
                const int64_t at = (outer * p->rows + first + r) * p->columns + column;
                if (inside > 0)
                    memcpy(dst, job->src + (size_t)at * element, (size_t)inside * element);
                if (inside < FACE)
                    fill_bytes(dst + (size_t)inside * element, job->pad, element,
                               FACE - inside);
            }
}

static void untilize_row(const tile_job *job, int64_t row)
{
    const krn_tile_plan *p = job->plan;
    const size_t element = (size_t)p->element;
    const int64_t outer = row / p->row_tiles, first = row % p->row_tiles * TILE;
    const char *tile = job->src + (size_t)(row * p->column_tiles) * TILE * TILE * element;
    const int rows = (int)TW_MIN(TILE, p->rows - first);

    for (int64_t t = 0; t < p->column_tiles; t++, tile += TILE * TILE * element)
        for (int r = 0; r < rows; r++)
            for (int f = 0; f < 2; f++) {
                const int64_t column = t * TILE + f * FACE;
                const int64_t inside = TW_MIN(FACE, p->columns - column);
                const int64_t at = (outer * p->rows + first + r) * p->columns + column;
                if (inside > 0)
                    memcpy(job->dst + (size_t)at * element,
                           tile + face_row_offset(r, f) * element,
                           (size_t)inside * element);
            }
}

static void tilize_task(void *context, int64_t task, int thread)
{
    const tile_job *job = context;
    const int64_t n = job->plan->outer * job->plan->row_tiles;
    (void)thread;
    for (int64_t r = n * task / job->parts; r < n * (task + 1) / job->parts; r++)
        tilize_row(job, r);
}

static void untilize_task(void *context, int64_t task, int thread)
{
    const tile_job *job = context;
    const int64_t n = job->plan->outer * job->plan->row_tiles;
    (void)thread;
    for (int64_t r = n * task / job->parts; r < n * (task + 1) / job->parts; r++)
        untilize_row(job, r);
}

static int64_t parts_of(const krn_tile_plan *plan, struct tw_threadpool *pool)
{
    if (!pool || plan->tiled_bytes < PARALLEL_BYTES)
        return 1;
    return TW_MIN(plan->outer * plan->row_tiles, 4 * krn_threads(pool));
}

void krn_tilize(const krn_tile_plan *plan, const void *src, const void *pad, void *dst,
                struct tw_threadpool *pool)
{
    tile_job job = {plan, src, pad, dst, parts_of(plan, pool)};
    krn_parallel(pool, 0, job.parts, tilize_task, &job);
}

void krn_untilize(const krn_tile_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool)
{
    tile_job job = {plan, src, NULL, dst, parts_of(plan, pool)};
    krn_parallel(pool, 0, job.parts, untilize_task, &job);
}
