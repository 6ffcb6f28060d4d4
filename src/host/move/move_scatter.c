/* move_scatter.c: general scatter of StableHLO with a known combiner, and torch's along an
 * axis. */
#include "host/move/move.h"
#include "host/move/move_index.h"

/* operand[i * operand_step] = combine(operand, updates[i * updates_step]), steps in
 * elements. */
typedef void (*combine_fn)(krn_scatter_kind kind, void *operand, int64_t operand_step,
                           const void *updates, int64_t updates_step, int64_t count);

/* NaN on either side propagates. */
#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

#define LOOP(type, wide, load, store, expression)                                          \
    for (int64_t i = 0; i < count; i++) {                                                  \
        type *const o = (type *)operand + i * operand_step;                                \
        const wide a = load(*o), b = load(((const type *)updates)[i * updates_step]);      \
        *o = store(expression);                                                            \
    }                                                                                      \
    break;
#define COMBINE(name, type, wide, load, store, and_expression, or_expression)              \
    static void name(krn_scatter_kind kind, void *operand, int64_t operand_step,           \
                     const void *updates, int64_t updates_step, int64_t count)             \
    {                                                                                      \
        switch (kind) {                                                                    \
        case KRN_SCATTER_SET:                                                              \
            for (int64_t i = 0; i < count; i++)                                            \
                ((type *)operand)[i * operand_step] =                                      \
                    ((const type *)updates)[i * updates_step];                             \
            break;                                                                         \
        case KRN_SCATTER_ADD:                                                              \
            LOOP(type, wide, load, store, a + b)                                           \
        case KRN_SCATTER_MUL:                                                              \
            LOOP(type, wide, load, store, a *b)                                            \
        case KRN_SCATTER_MAX:                                                              \
            LOOP(type, wide, load, store, LARGER(a, b))                                    \
        case KRN_SCATTER_MIN:                                                              \
            LOOP(type, wide, load, store, SMALLER(a, b))                                   \
        case KRN_SCATTER_AND:                                                              \
            LOOP(type, wide, load, store, and_expression)                                  \
        case KRN_SCATTER_OR:                                                               \
            LOOP(type, wide, load, store, or_expression)                                   \
        }                                                                                  \
    }
#define SAME(v) (v)
#define TO_BOOL(v) ((v) != 0)
/* Floats have no bitwise and/or: these combine their booleans, as in TTIR's reductions. */
#define REAL(name, type, wide, load, store)                                                \
    COMBINE(name, type, wide, load, store, (wide)(a != 0 && b != 0),                       \
            (wide)(a != 0 || b != 0))
#define WHOLE(name, type, wide)                                                            \
    COMBINE(name, type, wide, SAME, (type), (wide)(a & b), (wide)(a | b))

REAL(combine_f32, float, float, SAME, SAME)
REAL(combine_f64, double, double, SAME, SAME)
REAL(combine_bf16, uint16_t, float, tw_bf16_value, tw_bf16_nearest_even)
REAL(combine_f16, uint16_t, float, tw_f16_value, tw_f16_nearest_even)
/* Unsigned arithmetic wraps; signed types differ in max and min only, so their wide type is
 * signed and wide enough for the product, except for i64, whose sum and product use
 * unsigned. */
WHOLE(combine_i8, int8_t, int64_t)
WHOLE(combine_i16, int16_t, int64_t)
WHOLE(combine_i32, int32_t, int64_t)
WHOLE(combine_u8, uint8_t, uint64_t)
WHOLE(combine_u16, uint16_t, uint64_t)
WHOLE(combine_u32, uint32_t, uint64_t)
WHOLE(combine_u64, uint64_t, uint64_t)
COMBINE(combine_bool, uint8_t, uint8_t, TO_BOOL, TO_BOOL, (a & b), (a | b))
WHOLE(combine_i64_ordered, int64_t, int64_t)

static void combine_i64(krn_scatter_kind kind, void *operand, int64_t operand_step,
                        const void *updates, int64_t updates_step, int64_t count)
{
    const bool ordered = kind == KRN_SCATTER_MAX || kind == KRN_SCATTER_MIN;
    (ordered ? combine_i64_ordered : combine_u64)(kind, operand, operand_step, updates,
                                                  updates_step, count);
}

static const combine_fn combiners[TW_DTYPE_COUNT] = {
    [TW_F32] = combine_f32, [TW_F16] = combine_f16, [TW_BF16] = combine_bf16,
    [TW_F64] = combine_f64, [TW_U32] = combine_u32, [TW_U16] = combine_u16,
    [TW_U8] = combine_u8,   [TW_I32] = combine_i32, [TW_BOOL] = combine_bool,
    [TW_I8] = combine_i8,   [TW_I16] = combine_i16, [TW_I64] = combine_i64,
    [TW_U64] = combine_u64,
};

tw_status krn_plan_scatter(const krn_scatter_desc *desc, krn_scatter_plan *out_plan)
{
    krn_scatter_plan p = {.desc = *desc};
    const krn_scatter_desc *d = &p.desc;
    const krn_index_dims dims = {
        .op = "scatter",
        .operand_rank = d->operand_rank,
        .indices_rank = d->indices_rank,
        .windows_rank = d->updates_rank,
        .operand_shape = d->operand_shape,
        .indices_shape = d->indices_shape,
        .window_count = d->window_count,
        .dropped_count = d->inserted_count,
        .batching_count = d->batching_count,
        .map_count = d->map_count,
        .window_dims = d->update_window_dims,
        .dropped = d->inserted_window_dims,
        .operand_batching = d->input_batching_dims,
        .indices_batching = d->scatter_indices_batching_dims,
        .map = d->scatter_dims_to_operand_dims,
        .index_vector_dim = d->index_vector_dim,
        .window_size = p.window_size,
    };

    if ((size_t)d->dtype >= TW_DTYPE_COUNT || !combiners[d->dtype])
        return tw_error(TW_UNSUPPORTED, "scatter of type %s", tw_dtype_name(d->dtype));
    TW_TRY(krn_check_index_type("scatter", d->index_dtype));
    if (d->operand_rank < 0 || d->operand_rank > KRN_MAX_RANK || d->window_count < 0 ||
        d->window_count > KRN_MAX_RANK)
        return tw_error(TW_UNSUPPORTED, "scatter into rank %d with %d window dimensions",
                        d->operand_rank, d->window_count);
    /* The window's size on an operand axis is that of the next window axis of the
     * updates. */
    for (int i = 0, w = 0; i < d->operand_rank; i++) {
        bool one = false;
        for (int j = 0; j < d->inserted_count; j++)
            one |= d->inserted_window_dims[j] == i;
        for (int j = 0; j < d->batching_count; j++)
            one |= d->input_batching_dims[j] == i;
        p.window_size[i] = 1;
        if (one)
            continue;
        if (w == d->window_count || d->update_window_dims[w] < 0 ||
            d->update_window_dims[w] >= d->updates_rank)
            return tw_error(TW_INVALID,
                            "scatter: no window dimension of updates for axis %d", i);
        p.window_size[i] = d->updates_shape[d->update_window_dims[w++]];
    }
    TW_TRY(krn_index_walk_plan(&dims, &p.walk));
    for (int i = 0; i < d->updates_rank; i++)
        if (p.walk.windows_shape[i] != d->updates_shape[i])
            return tw_error(
                TW_INVALID, "scatter: axis %d of updates has size %lld, not %lld", i,
                (long long)d->updates_shape[i], (long long)p.walk.windows_shape[i]);
    krn_dense_strides(d->operand_rank, d->operand_shape, p.operand_stride);
    *out_plan = p;
    return TW_SUCCESS;
}

static void scatter_window(const krn_scatter_plan *p, char *operand, const char *updates)
{
    const krn_index_walk *w = &p->walk;
    const int last = w->window_rank - 1;
    const int64_t element = (int64_t)tw_dtype_size(p->desc.dtype);
    const combine_fn combine = combiners[p->desc.dtype];
    int64_t at[KRN_MAX_RANK] = {0};

    if (last < 0) {
        combine(p->desc.kind, operand, 1, updates, 1, 1);
        return;
    }
    for (;;) {
        combine(p->desc.kind, operand, w->window_operand_stride[last], updates,
                w->window_windows_stride[last], w->window_shape[last]);
        int i = last - 1;
        for (; i >= 0; i--) {
            operand += w->window_operand_stride[i] * element;
            updates += w->window_windows_stride[i] * element;
            if (++at[i] < w->window_shape[i])
                break;
            operand -= at[i] * w->window_operand_stride[i] * element;
            updates -= at[i] * w->window_windows_stride[i] * element;
            at[i] = 0;
        }
        if (i < 0)
            return;
    }
}

void krn_scatter_run(const krn_scatter_plan *p, void *operand, const void *indices,
                     const void *updates)
{
    const krn_scatter_desc *d = &p->desc;
    const krn_index_walk *w = &p->walk;
    const int64_t element = (int64_t)tw_dtype_size(d->dtype);
    const int64_t batches = krn_count(w->batch_rank, w->batch_shape);

    if (krn_count(w->window_rank, w->window_shape) == 0)
        return;
    for (int64_t b = 0; b < batches; b++) {
        int64_t rest = b, to = 0, from = 0, index = 0;
        bool inside = true;
        for (int i = w->batch_rank - 1; i >= 0; i--) {
            const int64_t at = rest % w->batch_shape[i];
            rest /= w->batch_shape[i];
            to += at * w->batch_operand_stride[i];
            from += at * w->batch_windows_stride[i];
            index += at * w->batch_index_stride[i];
        }
        for (int c = 0; c < d->map_count; c++) {
            const int64_t axis = d->scatter_dims_to_operand_dims[c];
            const int64_t start =
                krn_index_at(d->index_dtype, indices, index + c * w->component_stride);
            inside &= start >= 0 && start <= d->operand_shape[axis] - p->window_size[axis];
            to += inside ? start * p->operand_stride[axis] : 0;
        }
        if (inside)
            scatter_window(p, (char *)operand + to * element,
                           (const char *)updates + from * element);
    }
}

tw_status krn_scatter_axis(tw_dtype dtype, krn_scatter_kind kind, int rank,
                           const int64_t *shape, int axis, tw_dtype index_dtype,
                           const int64_t *index_shape, const int64_t *source_shape,
                           const void *indices, const void *source, void *out)
{
    int64_t stride[KRN_MAX_RANK], source_stride[KRN_MAX_RANK];

    if ((size_t)dtype >= TW_DTYPE_COUNT || !combiners[dtype])
        return tw_error(TW_UNSUPPORTED, "scatter of type %s", tw_dtype_name(dtype));
    TW_TRY(krn_check_index_type("scatter", index_dtype));
    if (rank < 1 || rank > KRN_MAX_RANK || axis < 0 || axis >= rank)
        return tw_error(TW_INVALID, "scatter along axis %d of a tensor of rank %d", axis,
                        rank);
    for (int i = 0; i < rank; i++)
        if (index_shape[i] < 0 || index_shape[i] > source_shape[i] ||
            (i != axis && index_shape[i] > shape[i]))
            return tw_error(TW_INVALID,
                            "scatter: axis %d has %lld indices, %lld updates and size %lld",
                            i, (long long)index_shape[i], (long long)source_shape[i],
                            (long long)shape[i]);
    krn_dense_strides(rank, shape, stride);
    krn_dense_strides(rank, source_shape, source_stride);
    const int64_t count = krn_count(rank, index_shape),
                  element = (int64_t)tw_dtype_size(dtype);
    for (int64_t n = 0; n < count; n++) {
        const int64_t index = krn_index_at(index_dtype, indices, n);
        if (index < 0 || index >= shape[axis])
            continue;
        int64_t rest = n, to = index * stride[axis], from = 0;
        for (int i = rank - 1; i >= 0; i--) {
            const int64_t at = rest % index_shape[i];
            rest /= index_shape[i];
            to += i == axis ? 0 : at * stride[i];
            from += at * source_stride[i];
        }
        combiners[dtype](kind, (char *)out + to * element, 1,
                         (const char *)source + from * element, 1, 1);
    }
    return TW_SUCCESS;
}
