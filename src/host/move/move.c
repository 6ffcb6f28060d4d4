/* move.c: builders of copy plans: each expresses an operation as two strided views and
 * checks that they fit. */
#include "host/move/move.h"

#include "host/parallel.h"

static tw_status check_shape(const char *op, int rank, const int64_t *shape)
{
    if (rank < 0 || rank > KRN_MAX_RANK)
        return tw_error(TW_UNSUPPORTED, "%s of rank %d: at most %d is possible", op, rank,
                        KRN_MAX_RANK);
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0)
            return tw_error(TW_INVALID, "%s: axis %d has size %lld", op, i,
                            (long long)shape[i]);
    return TW_SUCCESS;
}

static tw_status check_axis(const char *op, int rank, int axis)
{
    if (axis < 0 || axis >= rank)
        return tw_error(TW_INVALID, "%s along axis %d of a tensor of rank %d", op, axis,
                        rank);
    return TW_SUCCESS;
}

tw_status krn_plan_permute(int element, int rank, const int64_t *shape, const int64_t *perm,
                           krn_copy_plan *out_plan)
{
    int64_t in[KRN_MAX_RANK], size[KRN_MAX_RANK], src[KRN_MAX_RANK], dst[KRN_MAX_RANK];
    unsigned seen = 0;

    TW_TRY(check_shape("permute", rank, shape));
    krn_dense_strides(rank, shape, in);
    for (int i = 0; i < rank; i++) {
        if (perm[i] < 0 || perm[i] >= rank || (seen >> perm[i] & 1))
            return tw_error(
                TW_INVALID,
                "permute: entry %d is %lld, which is not a permutation of 0..%d", i,
                (long long)perm[i], rank - 1);
        seen |= 1u << perm[i];
        size[i] = shape[perm[i]];
        src[i] = in[perm[i]];
    }
    krn_dense_strides(rank, size, dst);
    return krn_plan_copy(element, rank, size, src, 0, dst, 0, out_plan);
}

tw_status krn_plan_slice(int element, int rank, const int64_t *shape, const int64_t *begin,
                         const int64_t *step, const int64_t *size, krn_copy_plan *out_plan)
{
    int64_t in[KRN_MAX_RANK], src[KRN_MAX_RANK], dst[KRN_MAX_RANK], offset = 0;
    bool empty = false;

    TW_TRY(check_shape("slice", rank, shape));
    TW_TRY(check_shape("slice", rank, size));
    krn_dense_strides(rank, shape, in);
    for (int i = 0; i < rank; i++) {
        const int64_t by = step ? step[i] : 1;
        empty |= size[i] == 0;
        if (size[i] > 0 &&
            (begin[i] < 0 || begin[i] >= shape[i] || begin[i] + (size[i] - 1) * by < 0 ||
             begin[i] + (size[i] - 1) * by >= shape[i]))
            return tw_error(
                TW_INVALID,
                "slice: axis %d of size %lld, %lld elements from %lld in steps of %lld", i,
                (long long)shape[i], (long long)size[i], (long long)begin[i],
                (long long)by);
        src[i] = in[i] * by;
        offset += begin[i] * in[i];
    }
    krn_dense_strides(rank, size, dst);
    return krn_plan_copy(element, rank, size, src, empty ? 0 : offset, dst, 0, out_plan);
}

tw_status krn_plan_reverse(int element, int rank, const int64_t *shape, unsigned axes,
                           krn_copy_plan *out_plan)
{
    int64_t begin[KRN_MAX_RANK], step[KRN_MAX_RANK];

    TW_TRY(check_shape("reverse", rank, shape));
    for (int i = 0; i < rank; i++) {
        const bool flip = axes >> i & 1;
        begin[i] = flip ? shape[i] - 1 : 0;
        step[i] = flip ? -1 : 1;
    }
    if (axes >> rank)
        return tw_error(TW_INVALID, "reverse: axes 0x%x of a tensor of rank %d", axes,
                        rank);
    return krn_plan_slice(element, rank, shape, begin, step, shape, out_plan);
}

tw_status krn_plan_broadcast(int element, int in_rank, const int64_t *in_shape,
                             const int64_t *dims, int out_rank, const int64_t *out_shape,
                             krn_copy_plan *out_plan)
{
    int64_t in[KRN_MAX_RANK], src[KRN_MAX_RANK] = {0}, dst[KRN_MAX_RANK];
    unsigned seen = 0;

    TW_TRY(check_shape("broadcast", in_rank, in_shape));
    TW_TRY(check_shape("broadcast", out_rank, out_shape));
    krn_dense_strides(in_rank, in_shape, in);
    krn_dense_strides(out_rank, out_shape, dst);
    for (int i = 0; i < in_rank; i++) {
        const int64_t to = dims ? dims[i] : i + out_rank - in_rank;
        if (to < 0 || to >= out_rank || (seen >> to & 1))
            return tw_error(TW_INVALID, "broadcast: axis %d goes to axis %lld of %d", i,
                            (long long)to, out_rank);
        if (in_shape[i] != out_shape[to] && in_shape[i] != 1)
            return tw_error(
                TW_INVALID, "broadcast: axis %d of size %lld to axis %lld of size %lld", i,
                (long long)in_shape[i], (long long)to, (long long)out_shape[to]);
        seen |= 1u << to;
        src[to] = in_shape[i] == 1 ? 0 : in[i];
    }
    return krn_plan_copy(element, out_rank, out_shape, src, 0, dst, 0, out_plan);
}

tw_status krn_plan_repeat(int element, int rank, const int64_t *shape, const int64_t *times,
                          krn_copy_plan *out_plan)
{
    int64_t in[KRN_MAX_RANK], size[2 * KRN_MAX_RANK];
    int64_t src[2 * KRN_MAX_RANK], dst[2 * KRN_MAX_RANK];

    TW_TRY(check_shape("repeat", rank, shape));
    TW_TRY(check_shape("repeat", rank, times));
    krn_dense_strides(rank, shape, in);
    for (int i = 0; i < rank; i++) { /* an axis becomes (times, size) */
        size[2 * i] = times[i];
        size[2 * i + 1] = shape[i];
        src[2 * i] = 0;
        src[2 * i + 1] = in[i];
    }
    krn_dense_strides(2 * rank, size, dst);
    return krn_plan_copy(element, 2 * rank, size, src, 0, dst, 0, out_plan);
}

tw_status krn_plan_repeat_interleave(int element, int rank, const int64_t *shape, int axis,
                                     int64_t times, krn_copy_plan *out_plan)
{
    int64_t outer = 1, inner = 1;

    TW_TRY(check_shape("repeat_interleave", rank, shape));
    TW_TRY(check_axis("repeat_interleave", rank, axis));
    if (times < 0)
        return tw_error(TW_INVALID, "repeat_interleave: %lld repeats", (long long)times);
    for (int i = 0; i < axis; i++)
        outer *= shape[i];
    for (int i = axis + 1; i < rank; i++)
        inner *= shape[i];
    const int64_t n = shape[axis];
    const int64_t size[] = {outer, n, times, inner}, src[] = {n * inner, inner, 0, 1};
    int64_t dst[4];
    krn_dense_strides(4, size, dst);
    return krn_plan_copy(element, 4, size, src, 0, dst, 0, out_plan);
}

/* Of n elements at offset + i * step: the first at or past 0, and how many are below
 * size. */
static void clip(int64_t n, int64_t offset, int64_t step, int64_t size, int64_t *out_first,
                 int64_t *out_count)
{
    const int64_t first = offset < 0 ? (-offset + step - 1) / step : 0;
    const int64_t end =
        size - offset > 0 ? TW_MIN(n, (size - offset + step - 1) / step) : 0;
    *out_first = first;
    *out_count = TW_MAX(end - first, 0);
}

tw_status krn_plan_place(int element, int rank, const int64_t *in_shape,
                         const int64_t *out_shape, const int64_t *offset,
                         const int64_t *step, krn_copy_plan *out_plan)
{
    int64_t in[KRN_MAX_RANK], out[KRN_MAX_RANK], size[KRN_MAX_RANK], dst[KRN_MAX_RANK];
    int64_t src_offset = 0, dst_offset = 0;

    TW_TRY(check_shape("place", rank, in_shape));
    TW_TRY(check_shape("place", rank, out_shape));
    krn_dense_strides(rank, in_shape, in);
    krn_dense_strides(rank, out_shape, out);
    for (int i = 0; i < rank; i++) {
        const int64_t by = step ? step[i] : 1;
        int64_t first;
        if (by < 1)
            return tw_error(TW_INVALID, "place: axis %d in steps of %lld", i,
                            (long long)by);
        clip(in_shape[i], offset[i], by, out_shape[i], &first, &size[i]);
        src_offset += first * in[i];
        dst_offset += (offset[i] + first * by) * out[i];
        dst[i] = out[i] * by;
    }
    return krn_plan_copy(element, rank, size, in, src_offset, dst, dst_offset, out_plan);
}

tw_status krn_plan_concat_part(int element, int rank, const int64_t *in_shape,
                               const int64_t *out_shape, int axis, int64_t before,
                               krn_copy_plan *out_plan)
{
    int64_t offset[KRN_MAX_RANK] = {0};

    TW_TRY(check_shape("concat", rank, in_shape));
    TW_TRY(check_axis("concat", rank, axis));
    for (int i = 0; i < rank; i++)
        if (i == axis ? before < 0 || before + in_shape[i] > out_shape[i]
                      : in_shape[i] != out_shape[i])
            return tw_error(
                TW_INVALID,
                "concat: axis %d of the result has size %lld, an input has %lld after "
                "%lld of others",
                i, (long long)out_shape[i], (long long)in_shape[i],
                (long long)(i == axis ? before : 0));
    offset[axis] = before;
    return krn_plan_place(element, rank, in_shape, out_shape, offset, NULL, out_plan);
}

/* ---- pad and roll */

tw_status krn_plan_pad(int element, int rank, const int64_t *shape, const int64_t *low,
                       const int64_t *high, const int64_t *interior, krn_pad_plan *out_plan)
{
    krn_pad_plan p = {.out_count = 1};
    int64_t step[KRN_MAX_RANK];

    TW_TRY(check_shape("pad", rank, shape));
    for (int i = 0; i < rank; i++) {
        const int64_t between = interior ? interior[i] : 0;
        if (between < 0)
            return tw_error(TW_INVALID, "pad: interior padding of axis %d is %lld", i,
                            (long long)between);
        step[i] = between + 1;
        p.out_shape[i] = low[i] + high[i] + shape[i] + TW_MAX(shape[i] - 1, 0) * between;
        if (p.out_shape[i] < 0)
            return tw_error(TW_INVALID,
                            "pad: axis %d of size %lld cannot lose %lld and %lld", i,
                            (long long)shape[i], -(long long)low[i], -(long long)high[i]);
        p.out_count *= p.out_shape[i];
    }
    TW_TRY(krn_plan_place(element, rank, shape, p.out_shape, low, step, &p.copy));
    p.fill = p.copy.count != p.out_count;
    p.element = element;
    *out_plan = p;
    return TW_SUCCESS;
}

void krn_pad_run(const krn_pad_plan *plan, const void *src, const void *value, void *dst,
                 struct tw_threadpool *pool)
{
    if (plan->fill)
        krn_fill(plan->element, value, plan->out_count, dst, pool);
    krn_copy_run(&plan->copy, src, dst, pool);
}

tw_status krn_plan_roll(int element, int rank, const int64_t *shape, int axis,
                        int64_t shift, krn_roll_plan *out_plan)
{
    krn_roll_plan p;
    int64_t part[KRN_MAX_RANK], in[KRN_MAX_RANK];

    TW_TRY(check_shape("roll", rank, shape));
    TW_TRY(check_axis("roll", rank, axis));
    const int64_t n = shape[axis];
    const int64_t by = n ? (shift % n + n) % n : 0;
    memcpy(part, shape, (size_t)rank * sizeof *part);
    krn_dense_strides(rank, shape, in);
    part[axis] = n - by; /* the front moves back, the rest wraps to the front */
    TW_TRY(krn_plan_copy(element, rank, part, in, 0, in, by * in[axis], &p.part[0]));
    part[axis] = by;
    TW_TRY(krn_plan_copy(element, rank, part, in, (n - by) * in[axis], in, 0, &p.part[1]));
    *out_plan = p;
    return TW_SUCCESS;
}

void krn_roll_run(const krn_roll_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool)
{
    for (int i = 0; i < 2; i++)
        krn_copy_run(&plan->part[i], src, dst, pool);
}
