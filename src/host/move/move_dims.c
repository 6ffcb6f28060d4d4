/* move_dims.c: see move_dims.h. The rules are those of the StableHLO specification,
 * "gather" and "scatter". */
#include "host/move/move_dims.h"

static bool contains(const int64_t *list, int count, int64_t v)
{
    for (int i = 0; i < count; i++)
        if (list[i] == v)
            return true;
    return false;
}

static tw_status check_list(const char *op, const char *what, const int64_t *list,
                            int count, int rank)
{
    if (count < 0 || count > rank)
        return tw_error(TW_INVALID, "%s: %d %s of a tensor of rank %d", op, count, what,
                        rank);
    for (int i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= rank || contains(list, i, list[i]))
            return tw_error(TW_INVALID, "%s: %s has %lld, rank is %d", op, what,
                            (long long)list[i], rank);
    return TW_SUCCESS;
}

static tw_status check(const krn_index_dims *d)
{
    if (d->operand_rank < 0 || d->operand_rank > KRN_MAX_RANK || d->indices_rank < 0 ||
        d->indices_rank > KRN_MAX_RANK || d->windows_rank < 0 ||
        d->windows_rank > KRN_MAX_RANK)
        return tw_error(TW_UNSUPPORTED, "%s of ranks %d, %d and %d: at most %d is possible",
                        d->op, d->operand_rank, d->indices_rank, d->windows_rank,
                        KRN_MAX_RANK);
    if (d->index_vector_dim < 0 || d->index_vector_dim > d->indices_rank)
        return tw_error(TW_INVALID, "%s: index_vector_dim %d, indices have rank %d", d->op,
                        d->index_vector_dim, d->indices_rank);
    TW_TRY(check_list(d->op, "window dimensions", d->window_dims, d->window_count,
                      d->windows_rank));
    TW_TRY(check_list(d->op, "dropped dimensions", d->dropped, d->dropped_count,
                      d->operand_rank));
    TW_TRY(check_list(d->op, "batching dimensions", d->operand_batching, d->batching_count,
                      d->operand_rank));
    TW_TRY(check_list(d->op, "batching dimensions of indices", d->indices_batching,
                      d->batching_count, d->indices_rank));
    TW_TRY(check_list(d->op, "the index map", d->map, d->map_count, d->operand_rank));

    const bool implicit = d->index_vector_dim == d->indices_rank;
    const int64_t components = implicit ? 1 : d->indices_shape[d->index_vector_dim];
    if (components != d->map_count)
        return tw_error(TW_INVALID, "%s: indices have %lld components, the map %d", d->op,
                        (long long)components, d->map_count);
    if (d->window_count + d->dropped_count + d->batching_count != d->operand_rank)
        return tw_error(
            TW_INVALID, "%s: %d window, %d dropped and %d batching dimensions of %d", d->op,
            d->window_count, d->dropped_count, d->batching_count, d->operand_rank);
    const int batch = d->indices_rank - !implicit;
    if (d->windows_rank - d->window_count != batch)
        return tw_error(TW_INVALID, "%s: %d batch dimensions, indices have %d", d->op,
                        d->windows_rank - d->window_count, batch);
    for (int i = 0; i < d->operand_rank; i++) {
        const bool one = contains(d->dropped, d->dropped_count, i) ||
                         contains(d->operand_batching, d->batching_count, i);
        if (d->window_size[i] < 0 || d->window_size[i] > d->operand_shape[i] ||
            (one && d->window_size[i] > 1))
            return tw_error(TW_INVALID, "%s: window of %lld on axis %d of size %lld", d->op,
                            (long long)d->window_size[i], i,
                            (long long)d->operand_shape[i]);
    }
    for (int i = 0; i < d->batching_count; i++)
        if (d->operand_shape[d->operand_batching[i]] !=
            d->indices_shape[d->indices_batching[i]])
            return tw_error(TW_INVALID, "%s: batching dimension %d is %lld and %lld", d->op,
                            i, (long long)d->operand_shape[d->operand_batching[i]],
                            (long long)d->indices_shape[d->indices_batching[i]]);
    return TW_SUCCESS;
}

tw_status krn_index_walk_plan(const krn_index_dims *d, krn_index_walk *out_walk)
{
    krn_index_walk w = {.component_stride = 1};
    int64_t operand[KRN_MAX_RANK], indices[KRN_MAX_RANK], windows[KRN_MAX_RANK];
    int batch_dim[KRN_MAX_RANK]; /* of windows */

    TW_TRY(check(d));
    krn_dense_strides(d->operand_rank, d->operand_shape, operand);
    krn_dense_strides(d->indices_rank, d->indices_shape, indices);

    /* Batch axes of windows follow those of indices, window axes those of operand. */
    int from = 0;
    for (int i = 0; i < d->windows_rank; i++) {
        if (contains(d->window_dims, d->window_count, i))
            continue;
        if (from == d->index_vector_dim)
            from++;
        w.windows_shape[i] = d->indices_shape[from];
        w.batch_shape[w.batch_rank] = d->indices_shape[from];
        w.batch_index_stride[w.batch_rank] = indices[from];
        for (int b = 0; b < d->batching_count; b++)
            if (d->indices_batching[b] == from)
                w.batch_operand_stride[w.batch_rank] = operand[d->operand_batching[b]];
        batch_dim[w.batch_rank++] = i;
        from++;
    }
    for (int i = 0; i < d->operand_rank; i++) {
        if (contains(d->dropped, d->dropped_count, i) ||
            contains(d->operand_batching, d->batching_count, i))
            continue;
        w.windows_shape[d->window_dims[w.window_rank]] = d->window_size[i];
        w.window_shape[w.window_rank] = d->window_size[i];
        w.window_operand_stride[w.window_rank++] = operand[i];
    }
    krn_dense_strides(d->windows_rank, w.windows_shape, windows);
    for (int i = 0; i < w.batch_rank; i++)
        w.batch_windows_stride[i] = windows[batch_dim[i]];
    for (int i = 0; i < w.window_rank; i++)
        w.window_windows_stride[i] = windows[d->window_dims[i]];
    if (d->index_vector_dim < d->indices_rank)
        w.component_stride = indices[d->index_vector_dim];
    *out_walk = w;
    return TW_SUCCESS;
}
