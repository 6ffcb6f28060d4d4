/* packed.c: packed constants, one for all steps that multiply by them, scratch memory that
 * steps share, and constants that a run no longer reads. */
#include "runtime/packed_shared.h"
#include "runtime/steps.h"

#include <stdlib.h>

typedef struct rt_packed {
    const rt_value *from;
    krn_gemm_plan plan;
    void *data;
    uint64_t made;          /* the finalization of the plan that packed it */
    rt_shared_form *shared; /* instead of `data`, of a constant with a stamp */
    struct rt_packed *next;
} rt_packed;

static rt_packed *entry_of(rt_plan *plan, const rt_value *from,
                           const krn_gemm_plan *product)
{
    rt_packed *known = plan->packed;
    while (known &&
           !(known->from->buffer == from->buffer && rt_same_form(&known->plan, product)))
        known = known->next;
    if (known)
        return known;
    known = TW_ARENA_NEW(&plan->arena, rt_packed);
    *known = (rt_packed){.from = from, .plan = *product, .next = plan->packed};
    return plan->packed = known;
}

static void *shared_form(rt_plan *plan, rt_packed *known, const rt_value *from)
{
    if (!known->shared)
        known->shared = rt_shared_form_acquire(rt_data(from), from->buffer->stamp,
                                               &known->plan, plan->packs, plan->pool);
    if (known->shared && tw_threadpool_cancelled(plan->pool)) { /* it may not be whole */
        rt_shared_form_release(known->shared);
        known->shared = NULL;
        return NULL;
    }
    if (!known->shared && plan->packs)
        plan->lacking = TW_MAX(known->plan.packed_b_bytes, 1);
    return known->shared ? rt_shared_form_data(known->shared) : NULL;
}

void *rt_packed_b(rt_plan *plan, const rt_value *from, const krn_gemm_plan *product)
{
    rt_packed *known = entry_of(plan, from, product);
    if (from->buffer->stamped)
        return shared_form(plan, known, from);
    if (!plan->packs && known->made != plan->finalizations)
        return NULL;
    if (!known->data)
        known->data = rt_scratch_alloc(plan, product->packed_b_bytes);
    if (known->data && known->made != plan->finalizations)
        krn_gemm_pack_b(product, rt_data(from), known->data, plan->pool);
    known->made = plan->finalizations;
    return known->data;
}

void rt_packed_release(rt_plan *plan, const rt_buffer *buffer)
{
    for (rt_packed *p = plan->packed; p; p = p->next)
        if (p->shared && (!buffer || p->from->buffer == buffer)) {
            rt_shared_form_release(p->shared);
            p->shared = NULL;
        }
}

rt_buffer *rt_shared_scratch(rt_plan *plan, size_t bytes)
{
    if (!plan->shared) {
        plan->shared = rt_add_buffer(plan, 0);
        plan->shared->scratch = true;
    }
    rt_buffer *b = plan->shared;
    if (b->own && b->bytes >= bytes)
        return b;
    free(b->own);
    b->own = NULL;
    b->bytes = TW_MAX(bytes, 1);
    rt_own_memory(plan, b);
    return b;
}

/* A packed operand is read in its packed form only. */
static void mark_read(rt_plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const rt_step *s = &plan->steps[i];
        for (uint32_t k = 0; !s->constant && k < s->n_in; k++)
            if (k != 1 || !s->packed)
                s->in[k]->buffer->kept = true;
    }
    for (size_t i = 0; i < plan->n_outputs; i++)
        plan->outputs[i]->buffer->kept = true;
}

void rt_plan_drop_constants(rt_plan *plan)
{
    for (size_t i = 0; i < plan->n_buffers; i++)
        plan->buffers[i]->kept = false;
    mark_read(plan);
    for (size_t i = 0; i < plan->n_buffers; i++) {
        rt_buffer *b = plan->buffers[i];
        if (!b->constant || b->external || b->scratch || b->kept)
            continue;
        free(b->own); /* finalizing again computes it again */
        b->own = b->home = b->data = NULL;
    }
}
