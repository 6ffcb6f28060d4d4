/* allocate_live.c: the buffers of a function for d2m-allocate: live ranges, the generics
 * that use them, sizes. */
#include "d2m/generic.h"
#include "d2m/passes/allocate.h"

#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "ttir/ttir.h"

#include <stdlib.h>

/* ---- positions ---------------------------------------------------------------------- */

void alloc_begin(allocation *a, ir_op *func, const alloc_options *options)
{
    *a = (allocation){.options = options,
                      .func = func,
                      .index = ir_mapping_create(),
                      .order = ir_mapping_create(),
                      .in_order = ir_ops_in_post(func, NULL),
                      .generics = d2m_generics_in(func)};
    for (size_t i = 0; i < a->in_order.n; i++)
        ir_mapping_set(a->order, a->in_order.at[i], (void *)(uintptr_t)(i + 1));
}

void alloc_end(allocation *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->buffers[i].users);
    free(a->buffers);
    ir_mapping_free(a->index);
    ir_mapping_free(a->order);
    ir_op_list_free(&a->in_order);
    ir_op_list_free(&a->generics);
}

int64_t alloc_position(const allocation *a, const ir_op *op)
{
    return (int64_t)(uintptr_t)ir_mapping_get(a->order, op) - 1;
}

buffer *alloc_find(const allocation *a, const ir_value *v)
{
    uintptr_t at = (uintptr_t)ir_mapping_get(a->index, v);
    return at ? &a->buffers[at - 1] : NULL;
}

static buffer *add_buffer(allocation *a, ir_value *v, ir_type type)
{
    buffer *known = alloc_find(a, v);
    if (known)
        return known;
    const alloc_options *o = a->options;
    buffer fresh = {
        .value = v,
        .type = type,
        .first = -1,
        .last = -1,
        .space = -1,
        .l1_bytes =
            d2m_allocation_bytes(type, TTCORE_MemorySpace_DeviceL1, &o->l1, o->banks, 1),
        .dram_bytes = d2m_allocation_bytes(type, TTCORE_MemorySpace_DeviceDRAM, &o->dram,
                                           o->banks, 1),
    };
    TW_PUSH(a->buffers, a->n, a->capacity, fresh);
    ir_mapping_set(a->index, v, (void *)(uintptr_t)a->n);
    return &a->buffers[a->n - 1];
}

/* ---- live ranges -------------------------------------------------------------------- */

/* The operation of `block` that holds `op`, or NULL. */
static ir_op *holder_in(const ir_block *block, ir_op *op)
{
    while (op && op->block != block)
        op = ir_op_parent(op);
    return op;
}

static bool extends_life(const ir_op *op)
{
    return op->def == D2M_OP(view_layout) || op->def == D2M_OP(composite_view) ||
           op->def == D2M_OP(create_global_semaphore);
}

/* The last position where the buffer or a view of it is used. */
static int64_t last_use(const allocation *a, ir_op *alloc)
{
    int64_t last = alloc_position(a, alloc);
    ir_op **views = NULL;
    size_t n = 0, capacity = 0;
    TW_PUSH(views, n, capacity, alloc);
    for (size_t i = 0; i < n; i++)
        for (ir_operand *use = views[i]->results[0].uses; use; use = use->next_use) {
            ir_op *holder = holder_in(alloc->block, use->owner);
            int64_t at = holder ? alloc_position(a, holder) : (int64_t)a->in_order.n - 2;
            last = TW_MAX(last, at);
            bool seen = !extends_life(use->owner) || use->owner->block != alloc->block;
            for (size_t k = 0; !seen && k < n; k++)
                seen = views[k] == use->owner;
            if (!seen)
                TW_PUSH(views, n, capacity, use->owner);
        }
    free(views);
    return last;
}

static bool is_memory_of_device(ir_type type)
{
    int64_t space = type->kind == IR_TYPE_MEMREF ? d2m_space_of(type) : -1;
    return space == TTCORE_MemorySpace_DeviceL1 || space == TTCORE_MemorySpace_DeviceDRAM;
}

void alloc_collect_live(allocation *a)
{
    for (size_t i = 0; i < a->in_order.n; i++) {
        ir_op *op = a->in_order.at[i];
        if (op->def != MEMREF_OP(alloc) || d2m_generic_around(op) ||
            !is_memory_of_device(op->results[0].type))
            continue;
        buffer *b = add_buffer(a, ir_op_result(op, 0), op->results[0].type);
        b->first = (int64_t)i;
        b->last = last_use(a, op);
    }
}

/* ---- operands of generics ----------------------------------------------------------- */

typedef struct chain {
    ir_op **at;
    size_t n, capacity;
} chain;

static bool walk_chain(allocation *a, ir_op *generic, ir_value *v, chain *c,
                       alloc_visit_root *visit, void *user)
{
    size_t start = c->n;
    for (ir_op *op; (op = ir_value_def(v)) != NULL;) {
        TW_PUSH(c->at, c->n, c->capacity, op);
        bool ok = true, ends = true;
        if (op->def == MEMREF_OP(alloc)) {
            ok = visit(a, generic, v, v->type, c->at, c->n, user);
        } else if (op->def == TTIR_OP(ttnn_metal_layout_cast)) {
            ok = visit(a, generic, ir_op_operand(op, 0), v->type, c->at, c->n, user);
        } else if (op->def == D2M_OP(composite_view)) {
            for (uint32_t i = 0; ok && i < op->n_operands; i++)
                ok = walk_chain(a, generic, ir_op_operand(op, i), c, visit, user);
        } else if (extends_life(op)) {
            v = ir_op_operand(op, 0);
            ends = false;
        } else {
            ok = ir_op_error(generic, "unexpected op '%s' in the def chain for an operand",
                             op->def->name);
        }
        if (ends) {
            c->n = start;
            return ok;
        }
    }
    bool ok = v->type->kind == IR_TYPE_MEMREF
                  ? visit(a, generic, v, v->type, c->at, c->n, user)
                  : ir_op_error(generic, "expected a buffer behind an operand, found '%s'",
                                ir_type_text(a->func->ctx, v->type));
    c->n = start;
    return ok;
}

bool alloc_roots(allocation *a, ir_op *generic, ir_value *operand, alloc_visit_root *visit,
                 void *user)
{
    chain c = {0};
    bool ok = walk_chain(a, generic, operand, &c, visit, user);
    free(c.at);
    return ok;
}

typedef struct operand_kind {
    bool is_output, is_explicit;
} operand_kind;

static bool note_root(allocation *a, ir_op *generic, ir_value *root, ir_type type,
                      ir_op *const *chain, size_t n, void *user)
{
    const operand_kind *kind = user;
    if (type->kind != IR_TYPE_MEMREF)
        return ir_op_error(generic, "expected a buffer behind an operand, found '%s'",
                           ir_type_text(a->func->ctx, type));
    buffer *b = add_buffer(a, root, type);
    bool known = false;
    for (size_t i = b->n_users; !known && i-- > 0;)
        known = b->users[i] == generic;
    if (!known) {
        TW_PUSH(b->users, b->n_users, b->users_capacity, generic);
        b->n_generics++;
    }
    for (size_t i = 0; i < n; i++) {
        TW_PUSH(b->users, b->n_users, b->users_capacity, chain[i]);
        /* The parts of a composite view are in one memory: none moves alone. */
        b->is_bound |= chain[i]->def == D2M_OP(composite_view) && chain[i]->n_operands > 1;
    }
    b->is_bound |= kind->is_explicit;
    b->is_output |= kind->is_output;
    return true;
}

static bool collect_generic(allocation *a, ir_op *op)
{
    d2m_generic g;
    if (!d2m_generic_read(op, &g))
        return false;
    operand_kind kind = {.is_explicit = d2m_generic_is_explicit(&g)};
    for (uint32_t i = 0; i < g.n_io; i++) {
        kind.is_output = d2m_generic_is_output(&g, i);
        if (!alloc_roots(a, op, d2m_generic_operand(&g, i), note_root, &kind))
            return false;
    }
    return true;
}

/* True if the use belongs to a known generic or a view, or returns the buffer. */
static bool is_known_use(const ir_mapping *users, ir_op *user)
{
    if (user->def == FUNC_OP(return ) || ir_mapping_get(users, user))
        return true;
    ir_op *generic = user->def == D2M_OP(remote_load) || user->def == D2M_OP(remote_store)
                         ? d2m_generic_around(user)
                         : NULL;
    return generic && ir_mapping_get(users, generic);
}

/* A buffer with any other use stays where the program has it. */
static void bind_by_uses(buffer *b)
{
    ir_op *alloc = ir_value_def(b->value);
    if (b->is_bound || !b->n_users || !ir_op_is(alloc, MEMREF_OP(alloc)))
        return;
    ir_mapping *users = ir_mapping_create();
    for (size_t i = 0; i < b->n_users; i++)
        ir_mapping_set(users, b->users[i], b->users[i]);
    for (const ir_operand *use = b->value->uses; use && !b->is_bound; use = use->next_use)
        b->is_bound = !is_known_use(users, use->owner);
    ir_mapping_free(users);
}

bool alloc_collect_operands(allocation *a)
{
    for (size_t i = 0; i < a->generics.n; i++)
        if (!collect_generic(a, a->generics.at[i]))
            return false;
    for (size_t i = 0; i < a->n; i++)
        bind_by_uses(&a->buffers[i]);
    return true;
}

/* ---- buffers inside generics -------------------------------------------------------- */

static bool collect_inside(allocation *a, ir_op *generic, ir_op *alloc)
{
    const alloc_options *o = a->options;
    ir_attr blocks = ir_op_attr(alloc, "d2m.synchronized_buffer");
    bool scratch = ir_op_attr(alloc, "d2m.scratch_buffer") != NULL;
    if (!scratch && !ir_attr_is(blocks, IR_ATTR_INTEGER))
        return ir_error_at_op(alloc, "Alloc op not tagged with any recognized attributes");
    buffer *b = add_buffer(a, ir_op_result(alloc, 0), alloc->results[0].type);
    b->first = b->last = alloc_position(a, generic);
    b->in_generic = b->is_bound = true;
    b->is_speculative = ir_op_attr(alloc, "d2m.speculative_stream_buffer") != NULL;
    ir_op_set_attr(alloc, "d2m.speculative_stream_buffer", NULL);
    b->l1_bytes = d2m_allocation_bytes(b->type, TTCORE_MemorySpace_DeviceL1, &o->l1,
                                       o->banks, scratch ? 1 : TW_MAX(blocks->value, 1));
    return true;
}

bool alloc_collect_inside(allocation *a)
{
    bool ok = true;
    for (size_t i = 0; ok && i < a->generics.n; i++) {
        ir_op_list allocs = ir_ops_in(a->generics.at[i], d2m_is_alloc);
        for (size_t k = 0; ok && k < allocs.n; k++)
            ok = collect_inside(a, a->generics.at[i], allocs.at[k]);
        ir_op_list_free(&allocs);
    }
    return ok;
}
