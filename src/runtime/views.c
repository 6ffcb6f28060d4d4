/* views.c: see views.h. */
#include "runtime/views.h"

#include "host/shape.h"

/* The tensor that a buffer is read as. */
typedef struct view {
    rt_value *base;
    int rank;
    int64_t at, dims[RT_MAX_RANK], strides[RT_MAX_RANK]; /* in elements of `base` */
} view;

static view dense_view(rt_value *v)
{
    view out = {.base = v, .rank = v->rank};
    memcpy(out.dims, v->dims, sizeof out.dims);
    krn_dense_strides(v->rank, v->dims, out.strides);
    return out;
}

/* Removes dimensions of size 1, and joins adjacent ones that have one stride. */
static void simplify(view *v)
{
    int n = 0;
    for (int d = 0; d < v->rank; d++) {
        if (v->dims[d] == 1)
            continue;
        if (n > 0 && v->strides[n - 1] == v->strides[d] * v->dims[d]) {
            v->dims[n - 1] *= v->dims[d];
            v->strides[n - 1] = v->strides[d];
            continue;
        }
        v->dims[n] = v->dims[d];
        v->strides[n++] = v->strides[d];
    }
    v->rank = n;
}

/* Gives the view other dimensions with as many elements, more than none. False if adjacent
 * elements of a new dimension have no common stride. */
static bool reshape(view *v, int rank, const int64_t *dims)
{
    view out = {.base = v->base, .rank = rank, .at = v->at};
    view old = *v;
    simplify(&old);
    int from = old.rank - 1;
    int64_t left = from >= 0 ? old.dims[from] : 1; /* of this dimension, from inside */
    int64_t stride = from >= 0 ? old.strides[from] : 1;
    for (int d = rank - 1; d >= 0; d--) {
        out.dims[d] = dims[d];
        if (dims[d] == 1)
            continue;
        if (left == 1) {
            assert(from > 0); /* both have as many elements */
            from--;
            left = old.dims[from];
            stride = old.strides[from];
        }
        if (left % dims[d])
            return false;
        out.strides[d] = stride;
        stride *= dims[d];
        left /= dims[d];
    }
    *v = out;
    return true;
}

/* True if some step may overwrite the tensor that the operation reads. */
static bool is_overwritten(const ir_op *op)
{
    const ir_value *v = op->operands[0].value;
    for (const ir_op *by = ir_value_def(v); by && rt_is_view(by); by = ir_value_def(v))
        v = by->operands[0].value;
    return rt_is_written(v);
}

static bool find(const rt_plan *plan, rt_value *v, int depth, view *out)
{
    enum { DEPTH = 8 };
    const size_t made = v->buffer->moved_by;
    const rt_step *step = made ? &plan->steps[made - 1] : NULL;
    const rt_moved *moved = step ? rt_moved_by(step) : NULL;
    /* Block floats are rounded again in their new order. */
    const bool exact = step && step->out->format == step->out->dtype;
    if (!moved || !exact || depth == DEPTH || is_overwritten(step->op)) {
        *out = dense_view(v);
        return false;
    }
    view in;
    rt_value *from = step->in[0];
    if (find(plan, from, depth + 1, &in) && !reshape(&in, from->rank, from->dims))
        in = dense_view(from); /* the copied tensor between the two */
    *out = (view){.base = in.base, .rank = step->out->rank, .at = in.at};
    for (int d = 0; d < out->rank; d++) {
        const int64_t stride = in.strides[moved->order[d]];
        out->dims[d] = step->out->dims[d];
        out->strides[d] = stride * moved->steps[d];
        out->at += stride * moved->begins[d];
    }
    return true;
}

bool rt_view_of(const rt_plan *plan, rt_value *v, int rank, const int64_t *dims,
                rt_view *out)
{
    view found;
    if (rt_observed(plan) || v->waiting || v->count == 0 || rank > RT_MAX_RANK ||
        !find(plan, v, 0, &found) || !reshape(&found, rank, dims))
        return false;
    out->base = found.base;
    out->at = found.at;
    memcpy(out->strides, found.strides, (size_t)rank * sizeof *out->strides);
    return true;
}

void rt_views_drop_unread(rt_plan *plan)
{
    size_t kept = plan->n_steps;
    for (size_t i = 0; i < plan->n_buffers; i++)
        plan->buffers[i]->read = 0;
    for (size_t i = 0; i < plan->n_outputs; i++)
        plan->outputs[i]->buffer->read = SIZE_MAX;
    for (size_t i = plan->n_steps; i-- > 0;) {
        rt_step *s = &plan->steps[i];
        if (rt_moved_by(s) && s->out->buffer->read == 0)
            continue;
        for (uint32_t k = 0; k < s->n_in; k++)
            s->in[k]->buffer->read = SIZE_MAX;
        plan->steps[--kept] = *s;
    }
    plan->n_steps -= kept;
    if (kept)
        memmove(plan->steps, plan->steps + kept, plan->n_steps * sizeof *plan->steps);
    for (size_t i = 0; i < plan->n_buffers; i++)
        plan->buffers[i]->moved_by = 0; /* steps have other indices now */
}
