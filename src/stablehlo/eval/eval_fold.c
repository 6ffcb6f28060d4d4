/* eval_fold.c: operations of eval.h whose bodies combine elements. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/stablehlo.h"

#include <stdlib.h>

enum { CAPACITY = 64 };

/* ---- memory ------------------------------------------------------------------------- */

/* Values created by bodies live until `forget`, those of `make` as long as operands. */
static hlo_value *make(hlo_eval *e, ir_op *op, ir_type element, const int64_t *dims,
                       size_t rank)
{
    tw_arena *scratch = e->arena;
    e->arena = e->outer;
    hlo_value *v = hlo_new(e, op, element, dims, rank);
    e->arena = scratch;
    return v;
}

static void forget(hlo_eval *e)
{
    tw_arena_reset(e->arena);
}

static bool in_scratch(hlo_eval *e, ir_op *op, hlo_fn *fn)
{
    tw_arena *arena = e->arena, *outer = e->outer, scratch = {.gauge = arena->gauge};
    e->outer = arena;
    e->arena = &scratch;
    bool ok = fn(e, op);
    e->arena = arena;
    e->outer = outer;
    tw_arena_free(&scratch);
    return ok;
}

/* A new scalar argument of a body; never reused, since bodies may keep values. */
static const hlo_value *scalar(hlo_eval *e, ir_op *op, ir_type element, hlo_num x)
{
    hlo_value *v = hlo_new(e, op, element, NULL, 0);
    if (v)
        v->at[0] = x;
    return v;
}

/* acc = body(acc, elements); n of each. */
static bool combine(hlo_eval *e, ir_op *op, size_t region, const hlo_value **acc,
                    const hlo_value *const *elements, size_t n)
{
    const hlo_value *args[2 * CAPACITY];
    memcpy(args, acc, n * sizeof *args);
    memcpy(args + n, elements, n * sizeof *args);
    return hlo_run_region(e, op, region, args, 2 * n, acc, n);
}

static bool group(const hlo_eval *e, ir_op *op, size_t k, const hlo_value **out, size_t *n)
{
    size_t start;
    if (!ir_op_operand_group(op, k, &start, n) || *n > CAPACITY || *n == 0)
        return false;
    for (size_t i = 0; i < *n; i++)
        out[i] = hlo_operand(e, op, start + i);
    return true;
}

/* ---- reduce ------------------------------------------------------------------------- */

static bool eval_reduce(hlo_eval *e, ir_op *op)
{
    const hlo_value *in[CAPACITY], *init[CAPACITY], *acc[CAPACITY], *x[CAPACITY];
    int64_t reduced[HLO_MAX_RANK], dims[HLO_MAX_RANK], kept[HLO_MAX_RANK],
        index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    size_t n, m, rank = 0, n_reduced = hlo_ints(op, "dimensions", reduced);
    if (!group(e, op, 0, in, &n) || !group(e, op, 1, init, &m) || n != m)
        return hlo_stuck(e, op, "these operands");
    for (size_t i = 0; i < in[0]->rank; i++) {
        bool stays = true;
        for (size_t k = 0; k < n_reduced; k++)
            stays &= reduced[k] != (int64_t)i;
        if (stays) {
            dims[rank] = in[0]->dims[i];
            kept[rank++] = (int64_t)i;
        }
    }
    hlo_value *out[CAPACITY];
    for (size_t k = 0; k < n; k++) {
        out[k] = make(e, op, hlo_result_element(e, op, k), dims, rank);
        if (!out[k])
            return false;
        for (size_t i = 0; i < out[k]->n; i++)
            out[k]->at[i] = hlo_convert(init[k]->element, out[k]->element, init[k]->at[0]);
    }
    for (size_t i = 0; i < in[0]->n; i++) {
        for (size_t d = 0; d < rank; d++)
            at[d] = index[kept[d]];
        size_t to = hlo_offset(out[0], at);
        for (size_t k = 0; k < n; k++) {
            acc[k] = scalar(e, op, out[k]->element, out[k]->at[to]);
            x[k] = scalar(e, op, out[k]->element,
                          hlo_convert(in[k]->element, out[k]->element, in[k]->at[i]));
        }
        if (!combine(e, op, 0, acc, x, n))
            return false;
        for (size_t k = 0; k < n; k++)
            out[k]->at[to] = acc[k]->at[0];
        forget(e);
        hlo_next(in[0]->dims, in[0]->rank, index);
    }
    for (size_t k = 0; k < n; k++)
        hlo_set(e, op, k, out[k]);
    return true;
}

/* ---- windows ------------------------------------------------------------------------ */

typedef struct window {
    int64_t size[HLO_MAX_RANK], stride[HLO_MAX_RANK], base[HLO_MAX_RANK],
        dilation[HLO_MAX_RANK], low[HLO_MAX_RANK], high[HLO_MAX_RANK],
        positions[HLO_MAX_RANK];
    size_t rank;
} window;

static void read_or_ones(const ir_op *op, const char *name, int64_t *out, size_t rank)
{
    if (!ir_op_attr(op, name) || hlo_ints(op, name, out) != rank)
        for (size_t i = 0; i < rank; i++)
            out[i] = 1;
}

static int64_t dilated(int64_t size, int64_t by)
{
    return size == 0 ? 0 : (size - 1) * by + 1;
}

static void read_window(const ir_op *op, const hlo_value *in, window *w)
{
    int64_t pads[2 * HLO_MAX_RANK];
    bool pooled = op->def == STABLEHLO_OP(reduce_window);
    w->rank = in->rank;
    read_or_ones(op, "window_dimensions", w->size, w->rank);
    read_or_ones(op, "window_strides", w->stride, w->rank);
    read_or_ones(op, pooled ? "base_dilations" : "", w->base, w->rank);
    read_or_ones(op, pooled ? "window_dilations" : "", w->dilation, w->rank);
    int64_t n = ir_attr_ints(ir_op_attr(op, "padding"), pads, 2 * HLO_MAX_RANK);
    for (size_t i = 0; i < w->rank; i++) {
        w->low[i] = n > 0 ? pads[2 * i] : 0;
        w->high[i] = n > 0 ? pads[2 * i + 1] : 0;
        int64_t inside = dilated(in->dims[i], w->base[i]) + w->low[i] + w->high[i];
        int64_t size = dilated(w->size[i], w->dilation[i]);
        w->positions[i] =
            inside <= 0 || size > inside ? 0 : (inside - size) / w->stride[i] + 1;
    }
}

/* The element at a window position; false for padding and holes. */
static bool shown(const window *w, const hlo_value *in, const int64_t *position,
                  const int64_t *inside, int64_t *out)
{
    for (size_t i = 0; i < w->rank; i++) {
        int64_t at = position[i] * w->stride[i] + inside[i] * w->dilation[i] - w->low[i];
        if (at < 0 || at % w->base[i])
            return false;
        out[i] = at / w->base[i];
    }
    return hlo_inside(in, out);
}

static bool eval_reduce_window(hlo_eval *e, ir_op *op)
{
    const hlo_value *in[CAPACITY], *init[CAPACITY], *acc[CAPACITY], *x[CAPACITY];
    hlo_value *out[CAPACITY];
    int64_t position[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    size_t n, m;
    window w;
    if (!group(e, op, 0, in, &n) || !group(e, op, 1, init, &m) || n != m)
        return hlo_stuck(e, op, "these operands");
    read_window(op, in[0], &w);
    for (size_t k = 0; k < n; k++)
        if (!(out[k] = make(e, op, hlo_result_element(e, op, k), w.positions, w.rank)))
            return false;
    for (size_t i = 0; i < out[0]->n; i++) {
        int64_t inside[HLO_MAX_RANK] = {0};
        for (size_t k = 0; k < n; k++)
            acc[k] = scalar(e, op, out[k]->element,
                            hlo_convert(init[k]->element, out[k]->element, init[k]->at[0]));
        do {
            bool real = shown(&w, in[0], position, inside, at);
            for (size_t k = 0; k < n; k++) {
                hlo_num v = real ? in[k]->at[hlo_offset(in[k], at)] : init[k]->at[0];
                x[k] = scalar(e, op, out[k]->element,
                              hlo_convert(in[k]->element, out[k]->element, v));
            }
            if (!combine(e, op, 0, acc, x, n))
                return false;
        } while (hlo_next(w.size, w.rank, inside));
        for (size_t k = 0; k < n; k++)
            out[k]->at[i] = acc[k]->at[0];
        forget(e);
        hlo_next(w.positions, w.rank, position);
    }
    for (size_t k = 0; k < n; k++)
        hlo_set(e, op, k, out[k]);
    return true;
}

static bool eval_select_and_scatter(hlo_eval *e, ir_op *op)
{
    const hlo_value *in = hlo_operand(e, op, 0), *source = hlo_operand(e, op, 1),
                    *init = hlo_operand(e, op, 2);
    hlo_value *out = make(e, op, hlo_result_element(e, op, 0), in->dims, in->rank);
    int64_t position[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK], best[HLO_MAX_RANK];
    window w;
    read_window(op, in, &w);
    for (size_t i = 0; out && i < out->n; i++)
        out->at[i] = init->at[0];
    for (size_t i = 0; out && i < source->n; i++) {
        int64_t inside[HLO_MAX_RANK] = {0};
        const hlo_value *chosen = NULL;
        do {
            if (!shown(&w, in, position, inside, at))
                continue;
            const hlo_value *x = scalar(e, op, in->element, in->at[hlo_offset(in, at)]);
            const hlo_value *args[] = {chosen, x}, *keep;
            if (chosen && !hlo_run_region(e, op, 0, args, 2, &keep, 1))
                return false;
            if (!chosen || !keep->at[0].i) {
                chosen = x;
                memcpy(best, at, sizeof best);
            }
        } while (hlo_next(w.size, w.rank, inside));
        if (chosen) {
            size_t to = hlo_offset(out, best);
            const hlo_value *acc = scalar(e, op, out->element, out->at[to]);
            const hlo_value *x = scalar(e, op, out->element, source->at[i]);
            if (!combine(e, op, 1, &acc, &x, 1))
                return false;
            out->at[to] = acc->at[0];
        }
        forget(e);
        hlo_next(source->dims, source->rank, position);
    }
    return hlo_set(e, op, 0, out);
}

/* ---- map and sort ------------------------------------------------------------------- */

static bool eval_map(hlo_eval *e, ir_op *op)
{
    const hlo_value *args[CAPACITY], *x, *first = hlo_operand(e, op, 0);
    hlo_value *out = make(e, op, hlo_result_element(e, op, 0), first->dims, first->rank);
    if (op->n_operands > CAPACITY)
        return hlo_stuck(e, op, "this many operands");
    for (size_t i = 0; out && i < out->n; i++) {
        for (uint32_t k = 0; k < op->n_operands; k++) {
            const hlo_value *v = hlo_operand(e, op, k);
            args[k] = scalar(e, op, v->element, v->at[i]);
        }
        if (!hlo_run_region(e, op, 0, args, op->n_operands, &x, 1))
            return false;
        out->at[i] = x->at[0];
        forget(e);
    }
    return hlo_set(e, op, 0, out);
}

typedef struct sorting {
    hlo_eval *e;
    ir_op *op;
    size_t base, stride; /* of the sorted line */
    size_t *order, *spare;
} sorting;

/* *out is true if element b must come before element a. */
static bool is_before(const sorting *s, size_t b, size_t a, bool *out)
{
    const hlo_value *args[2 * CAPACITY], *less;
    for (uint32_t k = 0; k < s->op->n_operands; k++) {
        const hlo_value *v = hlo_operand(s->e, s->op, k);
        args[2 * k] = scalar(s->e, s->op, v->element, v->at[s->base + b * s->stride]);
        args[2 * k + 1] = scalar(s->e, s->op, v->element, v->at[s->base + a * s->stride]);
    }
    if (!hlo_run_region(s->e, s->op, 0, args, 2 * s->op->n_operands, &less, 1))
        return false;
    *out = less->at[0].i;
    forget(s->e);
    return true;
}

static bool merge_sort(const sorting *s, size_t from, size_t to)
{
    if (to - from < 2)
        return true;
    size_t middle = from + (to - from) / 2, a = from, b = middle, n = 0;
    if (!merge_sort(s, from, middle) || !merge_sort(s, middle, to))
        return false;
    while (a < middle || b < to) {
        bool second = a == middle;
        if (a < middle && b < to && !is_before(s, s->order[b], s->order[a], &second))
            return false;
        s->spare[n++] = s->order[second ? b++ : a++];
    }
    memcpy(s->order + from, s->spare, n * sizeof *s->order);
    return true;
}

static bool eval_sort(hlo_eval *e, ir_op *op)
{
    const hlo_value *first = hlo_operand(e, op, 0);
    int64_t along = ir_op_int(op, "dimension", -1);
    along += along < 0 ? (int64_t)first->rank : 0;
    if (op->n_operands > CAPACITY)
        return hlo_stuck(e, op, "this many operands");
    size_t length = first->rank ? (size_t)first->dims[along] : 1, stride = 1;
    for (size_t i = (size_t)along + 1; i < first->rank; i++)
        stride *= (size_t)first->dims[i];
    hlo_value *out[CAPACITY];
    for (uint32_t k = 0; k < op->n_operands; k++)
        if (!(out[k] =
                  make(e, op, hlo_operand(e, op, k)->element, first->dims, first->rank)))
            return false;
    size_t *order = tw_xmalloc((2 * length + 2) * sizeof *order);
    bool ok = true;
    for (size_t line = 0; ok && length && line < first->n / length; line++) {
        sorting s = {e,      op,    line / stride * stride * length + line % stride,
                     stride, order, order + length};
        for (size_t i = 0; i < length; i++)
            order[i] = i;
        ok = merge_sort(&s, 0, length);
        for (uint32_t k = 0; ok && k < op->n_operands; k++)
            for (size_t i = 0; i < length; i++)
                out[k]->at[s.base + i * stride] =
                    hlo_operand(e, op, k)->at[s.base + order[i] * stride];
    }
    free(order);
    for (uint32_t k = 0; ok && k < op->n_operands; k++)
        hlo_set(e, op, k, out[k]);
    return ok;
}

/* ---- scatter ------------------------------------------------------------------------ */

typedef struct scattering {
    int64_t window[HLO_MAX_RANK], inserted[2 * HLO_MAX_RANK], batch[HLO_MAX_RANK],
        index_batch[HLO_MAX_RANK], map[HLO_MAX_RANK], vector;
    int64_t size[HLO_MAX_RANK]; /* window size in the input's dimensions */
    size_t n_window, n_inserted, n_batch, n_map;
} scattering;

static size_t read_ints(const ir_op *op, const char *name, int64_t *out)
{
    return hlo_integers(ir_op_attr(op, "scatter_dimension_numbers"), name, out);
}

static void read_scatter(const ir_op *op, const hlo_value *in, const hlo_value *updates,
                         scattering *s)
{
    s->n_window = read_ints(op, "updateWindowDims", s->window);
    s->n_inserted = read_ints(op, "insertedWindowDims", s->inserted);
    s->n_batch = read_ints(op, "inputBatchingDims", s->batch);
    memcpy(s->inserted + s->n_inserted, s->batch, s->n_batch * sizeof *s->batch);
    s->n_inserted += s->n_batch;
    read_ints(op, "scatterIndicesBatchingDims", s->index_batch);
    s->n_map = read_ints(op, "scatterDimsToOperandDims", s->map);
    s->vector = ir_attr_int(
        ir_attr_param(ir_op_attr(op, "scatter_dimension_numbers"), "indexVectorDim"), 0);
    for (size_t i = 0, k = 0; i < in->rank; i++)
        s->size[i] = hlo_is_in((int64_t)i, s->inserted, s->n_inserted)
                         ? 1
                         : updates->dims[s->window[k++]];
}

/* Computes the input index that an element of the updates is scattered to.  False if
 * `whole_windows` is set and the element's window is partly out of bounds. */
static bool target_of(const scattering *s, const hlo_value *in, const hlo_value *indices,
                      size_t update_rank, const int64_t *index, bool whole_windows,
                      int64_t *out)
{
    int64_t at[HLO_MAX_RANK] = {0}, inside[HLO_MAX_RANK];
    size_t b = 0, o = 0;
    for (size_t i = 0; i < update_rank; i++) {
        if (hlo_is_in((int64_t)i, s->window, s->n_window)) {
            inside[o++] = index[i];
        } else {
            b += (int64_t)b == s->vector;
            at[b++] = index[i];
        }
    }
    bool fits = true;
    memset(out, 0, in->rank * sizeof *out);
    for (size_t i = 0; i < s->n_map; i++) {
        const int64_t d = s->map[i];
        if (s->vector < (int64_t)indices->rank)
            at[s->vector] = (int64_t)i;
        out[d] = hlo_index(indices->element, indices->at[hlo_offset(indices, at)]);
        fits &= out[d] >= 0 && out[d] <= in->dims[d] - s->size[d];
    }
    for (size_t i = 0; i < s->n_batch; i++)
        out[s->batch[i]] = at[s->index_batch[i]];
    for (size_t i = 0, k = 0; i < in->rank; i++)
        if (!hlo_is_in((int64_t)i, s->inserted, s->n_inserted))
            out[i] += inside[k++];
    return fits || !whole_windows;
}

static bool eval_scatter(hlo_eval *e, ir_op *op)
{
    const hlo_value *in[CAPACITY], *indices, *updates[CAPACITY], *acc[CAPACITY],
        *x[CAPACITY];
    hlo_value *out[CAPACITY];
    scattering s = {.n_window = 0};
    int64_t index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    size_t n, m, one;
    if (!group(e, op, 0, in, &n) || !group(e, op, 1, &indices, &one) ||
        !group(e, op, 2, updates, &m) || n != m)
        return hlo_stuck(e, op, "these operands");
    read_scatter(op, in[0], updates[0], &s);
    for (size_t k = 0; k < n; k++) {
        if (!(out[k] = make(e, op, hlo_result_element(e, op, k), in[k]->dims, in[k]->rank)))
            return false;
        for (size_t i = 0; i < in[k]->n; i++)
            out[k]->at[i] = hlo_convert(in[k]->element, out[k]->element, in[k]->at[i]);
    }
    for (size_t i = 0; i < updates[0]->n; i++) {
        bool written =
            target_of(&s, in[0], indices, updates[0]->rank, index, e->whole_windows, at);
        hlo_next(updates[0]->dims, updates[0]->rank, index);
        if (!written || !hlo_inside(in[0], at))
            continue;
        size_t to = hlo_offset(in[0], at);
        for (size_t k = 0; k < n; k++) {
            acc[k] = scalar(e, op, out[k]->element, out[k]->at[to]);
            x[k] = scalar(
                e, op, out[k]->element,
                hlo_convert(updates[k]->element, out[k]->element, updates[k]->at[i]));
        }
        if (!combine(e, op, 0, acc, x, n))
            return false;
        for (size_t k = 0; k < n; k++)
            out[k]->at[to] = acc[k]->at[0];
        forget(e);
    }
    for (size_t k = 0; k < n; k++)
        hlo_set(e, op, k, out[k]);
    return true;
}

static const struct {
    uint16_t row;
    hlo_fn *fn;
} rows[] = {
    {STABLEHLO_map, eval_map},
    {STABLEHLO_reduce, eval_reduce},
    {STABLEHLO_reduce_window, eval_reduce_window},
    {STABLEHLO_scatter, eval_scatter},
    {STABLEHLO_select_and_scatter, eval_select_and_scatter},
    {STABLEHLO_sort, eval_sort},
};

static bool eval_fold(hlo_eval *e, ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return in_scratch(e, op, rows[i].fn);
    return false;
}

hlo_fn *hlo_find_fold(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return eval_fold;
    return NULL;
}
