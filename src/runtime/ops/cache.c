/* cache.c: key and value caches, updated in place. */
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <string.h>

typedef struct cache {
    rt_value *cache;
    const rt_value *input, *index, *pages, *batch;
    int64_t batch_offset;
    bool shared;
} cache;

/* Copies n elements from the input to the cache, converted. */
static void put(const cache *c, int64_t from, int64_t to, int64_t n)
{
    rt_convert(
        c->input->dtype,
        (const char *)rt_data(c->input) + (size_t)from * tw_dtype_size(c->input->dtype),
        c->cache->dtype,
        (char *)rt_data(c->cache) + (size_t)to * tw_dtype_size(c->cache->dtype), (size_t)n);
}

static int64_t clamped(int64_t i, int64_t count)
{
    return TW_MAX(TW_MIN(i, count - 1), 0);
}

/* cache[offset + u, :, index, :] = input[0, :, u, :] */
static void run_update(const rt_step *step)
{
    const cache *c = step->state;
    const int64_t *dims = c->cache->dims, *in = c->input->dims;
    int64_t at = clamped(rt_int_at(c->index, 0), dims[2]), d = dims[3];
    for (int64_t u = 0; u < in[2]; u++)
        for (int64_t h = 0; h < dims[1]; h++)
            put(c, (h * in[2] + u) * d,
                (((c->batch_offset + u) * dims[1] + h) * dims[2] + at) * d, d);
}

/* Rows 0 .. s-1 of each sequence; rows up to the next tile become zero. */
static void run_fill(const rt_step *step)
{
    const cache *c = step->state;
    const int64_t *dims = c->cache->dims, *in = c->input->dims;
    int64_t d = dims[3], s = in[2], full = (s + 31) / 32 * 32;
    size_t size = tw_dtype_size(c->cache->dtype);
    for (int64_t b = 0; b < in[0]; b++)
        for (int64_t h = 0; h < dims[1]; h++) {
            int64_t to = ((c->batch_offset + b) * dims[1] + h) * dims[2] * d;
            put(c, (b * dims[1] + h) * s * d, to, s * d);
            if (full <= dims[2])
                memset((char *)rt_data(c->cache) + (size_t)(to + s * d) * size, 0,
                       (size_t)((full - s) * d) * size);
        }
}

/* Returns the block of a user's position p: from the page table, else the user's own,
 * unless all share one. */
static int64_t block_of(const cache *c, int64_t user, int64_t p)
{
    int64_t page = c->shared ? 0 : user;
    if (c->pages) {
        int64_t n = rt_dim(c->pages, -1), users = c->pages->count / n;
        page = rt_int_at(c->pages,
                         clamped(user, users) * n + clamped(p / c->cache->dims[2], n));
    }
    return clamped(page, c->cache->dims[0]);
}

/* input [1, users, padded heads, d]; a user with index -1 is skipped. */
static void run_paged_update(const rt_step *step)
{
    const cache *c = step->state;
    const int64_t *dims = c->cache->dims, *in = c->input->dims;
    for (int64_t u = 0; u < in[1]; u++) {
        int64_t p = rt_int_at(c->index, u);
        if (p < 0)
            continue;
        if (!c->pages)
            p = clamped(p, dims[2]);
        for (int64_t h = 0; h < dims[1]; h++)
            put(c, (u * in[2] + h) * dims[3],
                ((block_of(c, u, p) * dims[1] + h) * dims[2] + p % dims[2]) * dims[3],
                dims[3]);
    }
}

static void run_paged_fill(const rt_step *step)
{
    const cache *c = step->state;
    const int64_t *dims = c->cache->dims, *in = c->input->dims;
    for (int64_t b = 0; b < in[0]; b++) {
        int64_t user = c->batch ? rt_int_at(c->batch, TW_MIN(b, c->batch->count - 1)) : b;
        for (int64_t p = 0; p < in[2]; p++)
            for (int64_t h = 0; h < dims[1]; h++)
                put(c, ((b * in[1] + h) * in[2] + p) * dims[3],
                    ((block_of(c, user, p) * dims[1] + h) * dims[2] + p % dims[2]) *
                        dims[3],
                    dims[3]);
    }
}

/* True if the input's extents fit into the cache for each of the four operations. */
static bool fits(const cache *c, uint16_t row)
{
    const int64_t *dims = c->cache->dims, *in = c->input->dims;
    if (c->cache->rank != 4 || c->input->rank != 4 || c->cache->count == 0 ||
        in[3] != dims[3])
        return false;
    switch (row) {
    case TTNN_update_cache:
        return in[0] == 1 && in[1] == dims[1] && c->index->count > 0 &&
               c->batch_offset >= 0 && c->batch_offset + in[2] <= dims[0];
    case TTNN_fill_cache:
        return in[1] == dims[1] && in[2] <= dims[2] && c->batch_offset >= 0 &&
               c->batch_offset + in[0] <= dims[0];
    case TTNN_paged_update_cache:
        return in[0] == 1 && in[2] >= dims[1] && c->index->count >= in[1] &&
               (!c->pages || c->pages->count > 0);
    default:
        return in[1] == dims[1] && c->pages && c->pages->count > 0;
    }
}

tw_status rt_prepare_cache(rt_plan *plan, ir_op *op, rt_step *step)
{
    cache *c = TW_ARENA_NEW(&plan->arena, cache);
    uint16_t row = (uint16_t)(op->def - ttnn_ops);
    c->cache = rt_operand(op, step, "cache");
    c->input = rt_operand(op, step, "input");
    if (row == TTNN_update_cache || row == TTNN_paged_update_cache)
        c->index = rt_operand(op, step, "update_index");
    if (row == TTNN_paged_update_cache || row == TTNN_paged_fill_cache)
        c->pages = rt_operand(op, step, "page_table");
    if (row == TTNN_paged_fill_cache)
        c->batch = rt_operand(op, step, "batch_idx_tensor");
    c->shared = row == TTNN_paged_update_cache && ir_op_bool(op, "share_cache");
    c->batch_offset = ir_op_int(op, "batch_offset", 0);
    if (!fits(c, row))
        return rt_misfit(op);
    rt_write_in_place(step, c->cache);
    step->state = c;
    step->run = row == TTNN_update_cache         ? run_update
                : row == TTNN_fill_cache         ? run_fill
                : row == TTNN_paged_update_cache ? run_paged_update
                                                 : run_paged_fill;
    return TW_SUCCESS;
}
