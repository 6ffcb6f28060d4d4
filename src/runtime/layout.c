/* layout.c: memory layout of a run's buffers.
 *
 * A buffer that lives only within a run gets a fixed part of one arena: first fit in order
 * of first use, among the buffers whose lifetimes overlap. Constants and scratch have their
 * own memory, arguments the caller's. Lifetimes are ranges of active steps; buffers that
 * the caller reads live to the end. */
#include "runtime/group.h"
#include "runtime/plan.h"

#include <stdlib.h>

/* True if the buffer needs a part of the arena: it lives only within a run. */
static bool in_run(const rt_buffer *b)
{
    return !b->external && !b->scratch && !b->constant && !b->apart;
}

static void touch(rt_buffer *b, size_t step)
{
    b->first = b->first == SIZE_MAX ? step : TW_MIN(b->first, step);
    b->last = TW_MAX(b->last, step);
}

static void find_lifetimes(rt_plan *plan)
{
    for (size_t i = 0; i < plan->n_buffers; i++) {
        plan->buffers[i]->first = SIZE_MAX;
        plan->buffers[i]->last = 0;
    }
    for (size_t i = 0; i < plan->n_steps; i++) {
        const rt_step *s = &plan->steps[i];
        size_t at = plan->active_of[i];
        if (at == SIZE_MAX)
            continue;
        const rt_step *active = &plan->active[at];
        for (uint32_t k = 0; k < s->n_in; k++)
            if (s->in[k]->buffer->first != SIZE_MAX)
                touch(s->in[k]->buffer, at); /* else it never leaves its group */
        for (uint32_t k = 0; k < s->n_outs; k++)
            if (active->joined
                    ? active->out == s->outs[k]
                    : !rt_is_group(active) || rt_group_stores(active, s->outs[k]))
                touch(s->outs[k]->buffer, at);
        if (!s->n_outs && s->out)
            touch(s->out->buffer, at);
    }
    for (size_t i = 0; i < plan->n_outputs; i++)
        if (plan->outputs[i]->buffer->first != SIZE_MAX)
            touch(plan->outputs[i]->buffer, plan->n_active);
}

static int earlier_first(const void *a, const void *b)
{
    const rt_buffer *x = *(rt_buffer *const *)a, *y = *(rt_buffer *const *)b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* `held` is sorted by offset and contains the live buffers. */
static size_t first_gap(rt_buffer *const *held, const size_t *offsets, size_t n,
                        size_t bytes, size_t *index)
{
    size_t at = 0, i = 0;
    for (; i < n; i++) {
        if (offsets[i] - at >= bytes)
            break;
        at = offsets[i] + tw_align_up(held[i]->bytes + 64, 64);
    }
    *index = i;
    return at;
}

typedef struct spot {
    rt_buffer *buffer;
    size_t offset;
} spot;

static size_t assign(spot *spots, size_t n)
{
    rt_buffer **held = tw_xmalloc((n + 1) * sizeof(rt_buffer *));
    size_t *offsets = tw_xmalloc((n + 1) * sizeof *offsets), alive = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        rt_buffer *b = spots[i].buffer;
        size_t kept = 0, at, bytes = tw_align_up(b->bytes + 64, 64);
        for (size_t k = 0; k < alive; k++)
            if (held[k]->last >= b->first) {
                held[kept] = held[k];
                offsets[kept++] = offsets[k];
            }
        alive = kept;
        spots[i].offset = first_gap(held, offsets, alive, bytes, &at);
        memmove(held + at + 1, held + at, (alive - at) * sizeof(*held));
        memmove(offsets + at + 1, offsets + at, (alive - at) * sizeof *offsets);
        held[at] = b;
        offsets[at] = spots[i].offset;
        alive++;
        total = TW_MAX(total, spots[i].offset + bytes);
    }
    free(held);
    free(offsets);
    return total;
}

tw_status rt_plan_lay_out(rt_plan *plan)
{
    spot *spots = tw_xcalloc(plan->n_buffers + 1, sizeof *spots);
    rt_buffer **sorted = tw_xmalloc((plan->n_buffers + 1) * sizeof(rt_buffer *));
    size_t n = 0;
    find_lifetimes(plan);
    for (size_t i = 0; i < plan->n_buffers; i++) {
        rt_buffer *b = plan->buffers[i];
        if (!in_run(b))
            continue;
        if (b->first != SIZE_MAX)
            sorted[n++] = b;
        free(b->own); /* it was constant before */
        b->own = b->home = b->data = NULL;
    }
    qsort(sorted, n, sizeof(*sorted), earlier_first);
    for (size_t i = 0; i < n; i++)
        spots[i].buffer = sorted[i];
    size_t bytes = assign(spots, n);
    if (!plan->memory ||
        bytes != plan->memory_bytes) { /* else its pages are there already */
        free(plan->memory);
        plan->memory = tw_malloc_lines(bytes);
        plan->memory_bytes = plan->memory ? bytes : 0;
    }
    if (!plan->memory)
        plan->lacking = bytes;
    for (size_t i = 0; plan->memory && i < n; i++)
        spots[i].buffer->home = spots[i].buffer->data =
            (char *)plan->memory + spots[i].offset;
    free(spots);
    free(sorted);
    return rt_plan_lacks(plan);
}
