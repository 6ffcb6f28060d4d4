/* pdl.c: sets of patterns, frames of bound items, native functions. */
#include "mlir/pdl/rewrite/pdl.h"

#include "mlir/pdl/rewrite/pdl_impl.h"

#include <stdlib.h>

/* ---- frames -------------------------------------------------------------------------- */

pdl_bound *pdl_slot(pdl_frame *f, const ir_value *handle)
{
    uintptr_t at = (uintptr_t)ir_mapping_get(f->pattern->slots, handle);
    assert(at);
    return &f->slots[at - 1];
}

void pdl_bind(pdl_frame *f, pdl_bound *to, const void *const *items, size_t count)
{
    to->set = true;
    to->count = (uint32_t)count;
    to->items = TW_ARENA_ARRAY(&f->memory, const void *, count + 1);
    memcpy(to->items, items, count * sizeof *items);
    if (to->kind != PDL_KIND_VALUE)
        return;
    to->owners = TW_ARENA_ARRAY(&f->memory, const void *, count + 1);
    for (size_t i = 0; i < count; i++)
        to->owners[i] = items[i] ? ((const ir_value *)items[i])->owner : NULL;
}

bool pdl_unify(pdl_frame *f, const ir_value *handle, const void *const *items, size_t count)
{
    pdl_bound *slot = pdl_slot(f, handle);
    if (slot->set)
        return slot->count == count &&
               memcmp(slot->items, items, count * sizeof *items) == 0;
    pdl_bind(f, slot, items, count);
    return true;
}

static void forget(pdl_bound *b, const void *thing)
{
    for (uint32_t i = 0; b->set && i < b->count; i++) {
        if (b->kind == PDL_KIND_OPERATION && b->items[i] == thing)
            b->items[i] = NULL;
        if (b->kind == PDL_KIND_VALUE && b->owners[i] == thing)
            b->items[i] = b->owners[i] = NULL;
    }
}

void pdl_frame_freed(pdl_frame *f, const void *thing)
{
    f->freed_any = true;
    for (size_t i = 0; i < f->pattern->n_slots; i++)
        forget(&f->slots[i], thing);
    for (size_t i = 0; i < f->n_extra; i++)
        forget(&f->extra[i], thing);
    for (size_t i = 0; i < f->n_made; i++)
        if (f->made[i] == thing)
            f->made[i] = NULL;
    if (f->root == thing)
        f->root = NULL;
}

/* Arguments can be erased from their block without a notification. */
static bool is_alive(const pdl_bound *b, uint32_t i)
{
    const ir_value *v = b->items[i];
    if (!v || b->kind != PDL_KIND_VALUE || !v->is_argument)
        return v != NULL;
    const ir_block *block = b->owners[i];
    for (uint32_t k = 0; k < block->n_args; k++)
        if (block->args[k] == v)
            return true;
    return false;
}

const pdl_bound *pdl_items_of(pdl_frame *f, ir_op *user, ir_value *handle)
{
    const pdl_bound *b = pdl_slot(f, handle);
    if (!b->set) {
        ir_op_error(user, "uses a handle that nothing in the pattern binds");
        return NULL;
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (!is_alive(b, i)) {
            ir_op_error(user, "uses %s that has been erased",
                        b->kind == PDL_KIND_OPERATION ? "an operation" : "a value");
            return NULL;
        }
    return b;
}

bool pdl_results_of(pdl_frame *f, const ir_op *result, ir_op *of, const void *const **out,
                    size_t *count)
{
    ir_attr index = ir_op_attr(result, "index");
    size_t start = 0, n = of->n_results;
    int64_t at = ir_attr_int(index, 0);
    if (at < 0)
        return false;
    if (result->def == PDL_OP(result)) {
        if ((uint64_t)at >= n)
            return false;
        start = (size_t)at;
        n = 1;
    } else if (index && (of->def->traits & IR_RESULT_SEGMENTS)) {
        if ((uint64_t)at >= of->def->results.count ||
            !ir_op_result_group(of, (size_t)at, &start, &n))
            return false;
    } else if (index) { /* a group begins there, and its end is unknown */
        if ((uint64_t)at > n)
            return false;
        start = (size_t)at;
        n -= start;
    }
    if (!pdl_is_range(result->results[0].type) && n != 1)
        return false;
    const void **things = TW_ARENA_ARRAY(&f->memory, const void *, n + 1);
    for (size_t i = 0; i < n; i++)
        things[i] = ir_op_result(of, start + i);
    *out = things;
    *count = n;
    return true;
}

void pdl_bind_constant(pdl_frame *f, const ir_op *op)
{
    const void *item = NULL;
    if (op->def == PDL_OP(attribute)) {
        item = ir_op_attr(op, "value");
    } else if (op->def == PDL_OP(type) && op->props[0]) {
        item = op->props[0]->type;
    } else if (op->def == PDL_OP(types) && op->props[0]) {
        ir_attr list = op->props[0];
        const void **types = TW_ARENA_ARRAY(&f->memory, const void *, list->count + 1);
        for (uint32_t i = 0; i < list->count; i++)
            types[i] = list->items[i]->type;
        pdl_bind(f, pdl_slot(f, &op->results[0]), types, list->count);
    }
    if (item)
        pdl_bind(f, pdl_slot(f, &op->results[0]), &item, 1);
}

/* ---- native functions --------------------------------------------------------------- */

static bool check_given(pdl_frame *f, ir_op *op, const pdl_bound *results)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (!results[i].set)
            return ir_op_error(op, "the function '%s' returned no result #%u",
                               ir_op_attr(op, "name")->ident->text, i);
        if (!pdl_unify(f, &op->results[i], results[i].items, results[i].count))
            return false;
    }
    return true;
}

pdl_verdict pdl_call_native(pdl_frame *f, ir_op *op)
{
    size_t n_args = op->n_operands, n_all = n_args + op->n_results;
    pdl_bound *all = TW_ARENA_ARRAY(&f->memory, pdl_bound, n_all + 1);
    pdl_bound *results = all + n_args;
    for (size_t i = 0; i < n_args; i++) {
        const pdl_bound *known = pdl_items_of(f, op, ir_op_operand(op, i));
        if (!known)
            return PDL_STOP;
        all[i] = *known;
        /* copies are also notified of freed operations */
        all[i].items = (const void **)(void *)tw_arena_copy(
            &f->memory, known->items, known->count * sizeof *known->items);
        if (known->owners)
            all[i].owners = (const void **)(void *)tw_arena_copy(
                &f->memory, known->owners, known->count * sizeof *known->owners);
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        const pdl_bound *blank = pdl_slot(f, &op->results[i]);
        results[i] = (pdl_bound){.kind = blank->kind, .range = blank->range};
    }
    bool constraint = op->def == PDL_OP(apply_native_constraint);
    f->extra = all;
    f->n_extra = n_all;
    f->freed_any = false;
    pdl_verdict verdict = f->natives->call(
        f->natives->user, &(pdl_call){ir_op_attr(op, "name")->ident, constraint, f->root,
                                      all, n_args, results, op->n_results, f});
    f->n_extra = 0;
    if (verdict != PDL_STOP && constraint && f->freed_any) {
        ir_op_error(op, "the constraint '%s' has erased operations; only rewrites may",
                    ir_op_attr(op, "name")->ident->text);
        return PDL_STOP;
    }
    if (constraint && verdict != PDL_STOP && ir_op_bool(op, "isNegated"))
        return verdict == PDL_YES ? PDL_NO : PDL_YES;
    if (verdict != PDL_YES)
        return verdict;
    size_t errors = ir_context_error_count(op->ctx);
    if (check_given(f, op, results))
        return PDL_YES;
    return ir_context_error_count(op->ctx) > errors ? PDL_STOP : PDL_NO;
}

/* ---- applying ----------------------------------------------------------------------- */

pdl_verdict pdl_apply(const pdl_pattern *p, ir_op *op, rw_rewriter *rw,
                      pdl_natives *natives)
{
    if (p->root_def && p->root_def != op->def)
        return PDL_NO;
    pdl_frame f = {.pattern = p, .root = op, .rw = rw, .natives = natives};
    pdl_frame *outer = natives->frame;
    f.slots = TW_ARENA_ARRAY(&f.memory, pdl_bound, p->n_slots + 1);
    memcpy(f.slots, p->blank, p->n_slots * sizeof *f.slots);
    natives->frame = &f;
    pdl_verdict verdict = pdl_match(&f, op);
    if (verdict == PDL_YES)
        verdict = pdl_run_rewrite(&f);
    natives->frame = outer;
    free(f.made);
    tw_arena_free(&f.memory);
    return verdict;
}

/* ---- sets --------------------------------------------------------------------------- */

size_t pdl_patterns_count(const pdl_patterns *set)
{
    return set->count;
}

const pdl_pattern *pdl_patterns_at(const pdl_patterns *set, size_t i)
{
    return &set->at[i];
}

int64_t pdl_pattern_benefit(const pdl_pattern *p)
{
    return p->benefit;
}

const ir_op_def *pdl_pattern_root(const pdl_pattern *p)
{
    return p->root_def;
}
