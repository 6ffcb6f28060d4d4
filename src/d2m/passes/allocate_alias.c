/* allocate_alias.c: transfers of d2m-allocate that need no copy: a buffer that would be
 * loaded from, or stored to, memory of the same core becomes an alias of that memory. */
#include "d2m/passes/allocate.h"

#include "mlir/memref/memref.h"

#include <stdlib.h>

/* ---- conditions --------------------------------------------------------------------- */

/* True if each dimension of the operand is one parallel loop. */
static bool is_one_block_each(const d2m_generic *g, size_t operand)
{
    ir_affine_map map = d2m_generic_map(g, operand);
    for (uint32_t k = 0; k < map->n_results; k++)
        if (map->results[k]->kind != IR_AFFINE_DIM ||
            d2m_generic_is_reduction_loop(g, (size_t)map->results[k]->value))
            return false;
    return true;
}

static bool can_alias(const alloc_options *o, const d2m_generic *g, const ir_value *operand)
{
    int64_t i = d2m_generic_index_of(g, operand);
    if (i < 0 || i >= g->n_io || operand->type->kind != IR_TYPE_MEMREF ||
        d2m_has_reordering_view(operand) ||
        d2m_space_of(operand->type) == TTCORE_MemorySpace_DeviceDRAM)
        return false;
    if (d2m_generic_is_output(g, (size_t)i) && !o->spill_outputs)
        return true;
    return !o->always_stream && !d2m_generic_is_explicit(g) &&
           is_one_block_each(g, (size_t)i);
}

static bool is_transfer(const ir_op *op)
{
    return op->def == D2M_OP(remote_load) || op->def == D2M_OP(remote_store);
}

/* Multicasts and stores to other devices move data. */
static bool leaves_the_core(const ir_op *op)
{
    return op->def == D2M_OP(remote_load)
               ? d2m_group_size(op, "mcastDims") || d2m_group_size(op, "mcastStartIndex")
               : d2m_group_size(op, "startDevice") > 0;
}

/* The allocation of a transfer's buffer, or NULL. */
static ir_op *local_alloc(const ir_op *transfer)
{
    const ir_value *local = ir_op_operand_named(transfer, "localBuffer");
    ir_op *alloc = local ? ir_value_def(local) : NULL;
    return ir_op_is(alloc, MEMREF_OP(alloc)) ? alloc : NULL;
}

/* ---- rewriting ---------------------------------------------------------------------- */

static void alias(ir_op *alloc, ir_value *remote)
{
    ir_builder b = ir_builder_before(alloc);
    ir_value *made =
        ir_build1(&b, D2M_OP(operand_alias), alloc->results[0].type, &remote, 1, NULL, 0);
    ir_value_replace_uses(ir_op_result(alloc, 0), made);
    ir_op_erase(alloc);
}

typedef struct root_query {
    bool is_intermediate;
} root_query;

static bool note_intermediate(allocation *a, ir_op *generic, ir_value *root, ir_type type,
                              ir_op *const *chain, size_t n, void *user)
{
    root_query *q = user;
    const buffer *b = alloc_find(a, root);
    (void)generic, (void)type, (void)chain, (void)n;
    q->is_intermediate |= b && b->is_output && b->n_generics > 1;
    return true;
}

/* True if another generic uses what a generic writes there. */
static bool is_intermediate(allocation *a, ir_op *generic, ir_value *operand)
{
    root_query q = {false};
    return alloc_roots(a, generic, operand, note_intermediate, &q) && q.is_intermediate;
}

static void set_buffers(const allocation *a, ir_op *alloc)
{
    ir_op_set_attr(alloc, "d2m.synchronized_buffer",
                   ir_i32_attr(alloc->ctx, a->options->buffers));
}

/* Replaces the buffers of the generic's transfers of one kind. */
static void alias_kind(allocation *a, const d2m_generic *g, const ir_op_list *transfers,
                       const ir_op_def *kind)
{
    for (size_t i = 0; i < transfers->n; i++) {
        ir_op *transfer = transfers->at[i], *alloc;
        if (transfer->def != kind || !(alloc = local_alloc(transfer)))
            continue;
        ir_value *remote = ir_op_operand_named(transfer, "memref");
        if (leaves_the_core(transfer) || !can_alias(a->options, g, remote))
            continue;
        if (a->options->spill_outputs && is_intermediate(a, g->op, remote)) {
            set_buffers(a, alloc);
            ir_op_set_attr(alloc, "d2m.speculative_stream_buffer",
                           ir_unit_attr(alloc->ctx));
        } else {
            alias(alloc, remote);
        }
    }
}

static void erase_unused(ir_op *generic)
{
    ir_op_list allocs = ir_ops_in(generic, d2m_is_alloc);
    for (size_t i = 0; i < allocs.n; i++)
        if (ir_value_unused(ir_op_result(allocs.at[i], 0)))
            ir_op_erase(allocs.at[i]);
    ir_op_list_free(&allocs);
}

void alloc_alias_transfers(allocation *a)
{
    for (size_t i = 0; i < a->generics.n; i++) {
        d2m_generic g;
        ir_op *op = a->generics.at[i];
        if (!d2m_generic_of(op, &g))
            continue;
        ir_op_list transfers = ir_ops_in(op, is_transfer);
        alias_kind(a, &g, &transfers, D2M_OP(remote_load));
        alias_kind(a, &g, &transfers, D2M_OP(remote_store));
        for (size_t k = 0; k < transfers.n; k++) {
            ir_op *alloc = local_alloc(transfers.at[k]);
            if (alloc && !ir_op_attr(alloc, "d2m.scratch_buffer") &&
                !ir_op_attr(alloc, "d2m.synchronized_buffer"))
                set_buffers(a, alloc);
        }
        ir_op_list_free(&transfers);
        erase_unused(op);
    }
}

/* ---- after planning ----------------------------------------------------------------- */

static void alias_speculative(allocation *a, const ir_op_list *transfers,
                              const ir_op_def *kind)
{
    for (size_t i = 0; i < transfers->n; i++) {
        ir_op *transfer = transfers->at[i], *alloc;
        if (transfer->def != kind || !(alloc = local_alloc(transfer)))
            continue;
        buffer *b = alloc_find(a, ir_op_result(alloc, 0));
        ir_value *remote = ir_op_operand_named(transfer, "memref");
        const buffer *root = alloc_find(a, remote);
        if (!b || !b->is_speculative ||
            (root && root->space == TTCORE_MemorySpace_DeviceDRAM))
            continue;
        ir_mapping_set(a->index, b->value, NULL);
        b->value = NULL;
        alias(alloc, remote);
    }
}

void alloc_alias_speculative(allocation *a)
{
    for (size_t i = 0; i < a->generics.n; i++) {
        ir_op_list transfers = ir_ops_in(a->generics.at[i], is_transfer);
        alias_speculative(a, &transfers, D2M_OP(remote_load));
        alias_speculative(a, &transfers, D2M_OP(remote_store));
        ir_op_list_free(&transfers);
    }
}
