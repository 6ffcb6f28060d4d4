/* sort.c: sort and topk along one dimension.
 *
 * A line is read into keys with their indices, merge-sorted (stable) and written back. NaN
 * is larger than any number, as in torch. */
#include "runtime/plan.h"
#include "ttnn/ttnn.h"

#include <math.h>
#include <string.h>

typedef struct entry {
    double key; /* holds every element type: at most 32 bits */
    int64_t index;
} entry;

typedef struct sorting {
    int64_t lines, length, inner; /* lines of `length` elements, `inner` apart */
    int64_t keep;                 /* number of elements to keep of each line */
    bool descending;
    entry *entries, *spare;
} sorting;

/* True if b must come before a. */
static bool out_of_order(const entry *a, const entry *b, bool descending)
{
    if (isnan(a->key) || isnan(b->key))
        return descending ? isnan(b->key) && !isnan(a->key)
                          : isnan(a->key) && !isnan(b->key);
    return descending ? b->key > a->key : b->key < a->key;
}

static void merge(const entry *from, int64_t low, int64_t middle, int64_t high, entry *to,
                  bool descending)
{
    int64_t a = low, b = middle;
    for (int64_t i = low; i < high; i++) {
        bool second =
            a == middle || (b < high && out_of_order(&from[a], &from[b], descending));
        to[i] = from[second ? b++ : a++];
    }
}

static const entry *merge_sort(const sorting *s)
{
    entry *from = s->entries, *to = s->spare;
    for (int64_t width = 1; width < s->length; width *= 2) {
        for (int64_t low = 0; low < s->length; low += 2 * width)
            merge(from, low, TW_MIN(low + width, s->length),
                  TW_MIN(low + 2 * width, s->length), to, s->descending);
        entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void load(const rt_value *x, size_t at, entry *e)
{
    if (rt_is_float(x->dtype)) {
        float f;
        rt_load_f32(x->dtype, rt_data(x), at, 1, &f);
        e->key = (double)f;
    } else {
        int64_t v;
        rt_load_i64(x->dtype, rt_data(x), at, 1, &v);
        e->key = (double)v;
    }
}

static void run_sort(const rt_step *step)
{
    const sorting *s = step->state;
    const rt_value *x = step->in[0], *values = step->outs[0], *indices = step->outs[1];
    size_t size = tw_dtype_size(x->dtype);
    for (int64_t line = 0; line < s->lines; line++) {
        int64_t outer = line / s->inner, column = line % s->inner;
        int64_t in_at = outer * s->length * s->inner + column;
        int64_t out_at = outer * s->keep * s->inner + column;
        for (int64_t i = 0; i < s->length; i++) {
            load(x, (size_t)(in_at + i * s->inner), &s->entries[i]);
            s->entries[i].index = i;
        }
        const entry *sorted = merge_sort(s);
        for (int64_t i = 0; i < s->keep; i++) {
            int64_t to = out_at + i * s->inner, from = in_at + sorted[i].index * s->inner;
            memcpy((char *)rt_data(values) + (size_t)to * size,
                   (const char *)rt_data(x) + (size_t)from * size, size);
            rt_store_i64(indices->dtype, &sorted[i].index, 1, rt_data(indices), (size_t)to);
        }
    }
}

static tw_status prepare(rt_plan *plan, ir_op *op, rt_step *step, bool descending,
                         int64_t keep)
{
    const rt_value *x = step->in[0], *values = step->outs[0], *indices = step->outs[1];
    int64_t dim = ir_op_int(op, "dim", -1);
    dim = dim < 0 ? dim + x->rank : dim;
    if (dim < 0 || dim >= x->rank || values->dtype != x->dtype ||
        indices->count != values->count || rt_is_float(indices->dtype))
        return tw_error(TW_INVALID, "'%s': input and results do not fit", op->def->name);
    sorting *s = TW_ARENA_NEW(&plan->arena, sorting);
    s->length = x->dims[dim];
    s->keep = keep < 0 ? s->length : keep;
    s->descending = descending;
    s->inner = 1;
    for (int d = (int)dim + 1; d < x->rank; d++)
        s->inner *= x->dims[d];
    s->lines = s->length ? x->count / s->length : 0;
    if (s->keep > s->length || values->count != s->lines * s->keep)
        return tw_error(TW_INVALID, "'%s': results do not have %lld elements a line",
                        op->def->name, (long long)s->keep);
    size_t bytes = (size_t)(s->length + 1) * sizeof(entry);
    s->entries = rt_scratch_alloc(plan, bytes);
    s->spare = rt_scratch_alloc(plan, bytes);
    step->state = s;
    step->run = run_sort;
    return TW_SUCCESS;
}

tw_status rt_prepare_sort(rt_plan *plan, ir_op *op, rt_step *step)
{
    return prepare(plan, op, step, ir_op_bool(op, "descending"), -1);
}

tw_status rt_prepare_topk(rt_plan *plan, ir_op *op, rt_step *step)
{
    return prepare(plan, op, step, ir_op_bool(op, "largest"), ir_op_int(op, "k", 1));
}
