/* generic_buffers.c: which buffer inside a d2m.generic belongs to which operand. */
#include "d2m/generic.h"
#include "mlir/affine/affine.h"
#include "mlir/linalg/linalg.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

bool d2m_is_alloc(const ir_op *op)
{
    return op->def == MEMREF_OP(alloc);
}

/* ---- from the buffer to its operand ------------------------------------------------- */

/* The operands that a buffer is loaded from and stored to. */
typedef struct buffer_uses {
    ir_value *loaded, *stored;
    bool several_loaded, several_stored, is_remote;
    const ir_value **aliases; /* the buffer under its names */
    size_t n_aliases, capacity;
} buffer_uses;

static void note(ir_value **slot, bool *several, ir_value *operand)
{
    if (!operand || *slot == operand)
        return;
    *several |= *slot != NULL;
    if (!*slot)
        *slot = operand;
}

static void add_alias(buffer_uses *u, const ir_value *v)
{
    for (size_t i = 0; i < u->n_aliases; i++)
        if (u->aliases[i] == v)
            return;
    TW_PUSH(u->aliases, u->n_aliases, u->capacity, v);
}

size_t d2m_first_destination(const ir_op *op)
{
    size_t first, n;
    if (!ir_def_has_interface(op->def, "DestinationStyleOpInterface"))
        return SIZE_MAX;
    size_t group = ir_op_operand_index(op->def, "outputs");
    if (group != SIZE_MAX && ir_op_operand_group(op, group, &first, &n))
        return first;
    return op->n_operands >= op->n_results ? op->n_operands - op->n_results : SIZE_MAX;
}

static void note_use(buffer_uses *u, const ir_operand *use)
{
    ir_op *op = use->owner;
    bool load = op->def == D2M_OP(remote_load);
    if (load || op->def == D2M_OP(remote_store)) {
        if (ir_op_operand_named(op, "localBuffer") != use->value)
            return;
        u->is_remote = true;
        ir_value *remote = ir_op_operand_named(op, "memref");
        note(load ? &u->loaded : &u->stored, load ? &u->several_loaded : &u->several_stored,
             remote);
        return;
    }
    size_t first = d2m_first_destination(op), number = ir_operand_number(use);
    if (first != SIZE_MAX && number >= first && number - first < op->n_results)
        add_alias(u, ir_op_result(op, number - first));
}

/* A tensor without transfers belongs to the only output. */
static ir_value *fallback(const ir_value *buffer)
{
    d2m_generic g;
    const ir_op *alloc = ir_value_def(buffer);
    const ir_op *around = alloc ? d2m_generic_around(alloc) : NULL;
    return ir_op_is(alloc, TENSOR_OP(empty)) && d2m_generic_of(around, &g) &&
                   g.n_outputs == 1
               ? d2m_generic_output(&g, 0)
               : NULL;
}

static ir_value *operand_of(const ir_value *buffer, bool *is_remote)
{
    buffer_uses u = {.n_aliases = 0};
    add_alias(&u, buffer);
    for (size_t i = 0; i < u.n_aliases; i++)
        for (const ir_operand *use = u.aliases[i]->uses; use; use = use->next_use)
            note_use(&u, use);
    free(u.aliases);
    if (is_remote)
        *is_remote = u.is_remote;
    if (u.stored && !u.several_stored)
        return u.stored;
    if (u.loaded && !u.several_loaded)
        return u.loaded;
    return u.is_remote ? NULL : fallback(buffer);
}

ir_value *d2m_buffer_operand(const ir_value *buffer, bool *is_remote)
{
    const ir_op *alloc = ir_value_def(buffer);
    if (is_remote)
        *is_remote = false;
    if (!alloc || !d2m_generic_around(alloc))
        return NULL;
    return operand_of(buffer, is_remote);
}

/* ---- from the operand to its buffer ------------------------------------------------- */

typedef struct buffer_search {
    const d2m_generic *g;
    size_t wanted, position; /* operand; buffers without transfers so far */
    size_t before, equal; /* operands before that are the same value; its buffers so far */
} buffer_search;

static bool is_scratch(const ir_value *buffer)
{
    for (const ir_operand *use = buffer->uses; use; use = use->next_use)
        if (use->owner->def == D2M_OP(scratch_init))
            return true;
    return false;
}

/* True if the allocation is the wanted operand's: by its transfers, else, outside of
 * compute loops, by its position. */
static bool is_wanted(buffer_search *s, const ir_op *alloc, bool in_compute_loop)
{
    bool remote;
    const ir_value *buffer = ir_op_result(alloc, 0);
    if (is_scratch(buffer))
        return false;
    const ir_value *operand = d2m_buffer_operand(buffer, &remote);
    if (remote || (operand && !in_compute_loop))
        return operand && operand == ir_op_operand(s->g->op, s->wanted) &&
               s->equal++ == s->before;
    return !in_compute_loop && s->position++ == s->wanted;
}

static ir_value *search_block(buffer_search *s, ir_block *block, bool in_compute_loop)
{
    for (ir_op *op = block ? block->first : NULL; op; op = op->next) {
        ir_value *found = NULL;
        if (op->def == D2M_OP(get_cb)) {
            if (ir_op_int(op, "cb_operand_idx", -1) == (int64_t)s->wanted)
                found = ir_op_result(op, 0);
        } else if (op->def == TENSOR_OP(empty) || op->def == MEMREF_OP(alloc)) {
            if (is_wanted(s, op, in_compute_loop))
                found = ir_op_result(op, 0);
        } else if (op->def == AFFINE_OP(for) || op->def == SCF_OP(for)) {
            found = search_block(s, ir_op_body(op, 0),
                                 in_compute_loop || !ir_op_attr(op, "d2m.blocking_loop"));
        }
        if (found)
            return found;
    }
    return NULL;
}

ir_value *d2m_operand_buffer(const d2m_generic *g, size_t region, size_t i)
{
    buffer_search s = {.g = g, .wanted = i};
    if (i >= g->op->n_operands)
        return NULL;
    for (size_t k = 0; k < i; k++)
        s.before += ir_op_operand(g->op, k) == ir_op_operand(g->op, i);
    return search_block(&s, d2m_generic_body(g, region), false);
}
