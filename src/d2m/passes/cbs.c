/* cbs.c: circular buffers of a d2m.generic. */
#include "d2m/passes/cbs.h"

#include "d2m/tile_ops.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/memref/memref.h"
#include "support/arena.h"

#include <stdlib.h>

bool d2m_is_shard_transfer(const ir_op *op)
{
    return op->def == D2M_OP(remote_load) || op->def == D2M_OP(remote_store) ||
           op->def == D2M_OP(local_copy);
}

static bool is_aliased(const ir_op *op)
{
    const ir_value *local = ir_op_operand_named(op, "localBuffer");
    const ir_op *alias = local ? ir_value_def(local) : NULL;
    return ir_op_is(alias, D2M_OP(operand_alias)) &&
           ir_op_operand(alias, 0) == ir_op_operand_named(op, "memref");
}

bool d2m_is_aliased_load(const ir_op *op)
{
    return op->def == D2M_OP(remote_load) && is_aliased(op);
}

bool d2m_is_aliased_store(const ir_op *op)
{
    return op->def == D2M_OP(remote_store) && is_aliased(op);
}

int64_t d2m_operand_index(const ir_op *generic, const ir_value *v)
{
    for (uint32_t i = 0; v && i < generic->n_operands; i++)
        if (ir_op_operand(generic, i) == v)
            return i;
    return -1;
}

static bool is_get_cb(const ir_op *op)
{
    return op->def == D2M_OP(get_cb);
}

static int64_t port_of_cb(const ir_value *cb)
{
    const ir_op *def = ir_value_def(cb);
    return ir_op_is(def, D2M_OP(get_cb)) ? ir_op_int(def, "cb_operand_idx", -1) : -1;
}

int64_t d2m_transfer_port(const ir_op *generic, const ir_op *op)
{
    bool copy = op->def == D2M_OP(local_copy);
    const ir_value *cb = ir_op_operand_named(op, copy ? "dstCb" : "cb");
    return cb ? port_of_cb(cb)
              : d2m_operand_index(generic,
                                  ir_op_operand_named(op, copy ? "dst" : "localBuffer"));
}

ir_value *d2m_build_cb(ir_op *generic, ir_block *block, int64_t operand)
{
    ir_context *ctx = generic->ctx;
    ir_builder b = ir_builder_at_start(ctx, block, generic->loc);
    ir_attr held = ir_type_attr(ir_op_operand(generic, (size_t)operand)->type);
    return ir_build1(
        &b, D2M_OP(get_cb), ir_dialect_type(ctx, D2M_TYPE(cb), &held, 1), NULL, 0,
        IR_ATTRS({"cb_operand_idx", ir_i64_attr(ctx, operand)},
                 {"resolution_stage", ir_enum_attr(ctx, D2M_ATTR(resolution_stage),
                                                   D2M_ResolutionStage_Compile)}));
}

ir_value *d2m_cb_of(ir_op *generic, ir_block *block, int64_t operand)
{
    ir_op_list ops = ir_ops_in_block(block, is_get_cb);
    ir_value *found = NULL;
    for (size_t i = 0; i < ops.n && !found; i++)
        if (ir_op_int(ops.at[i], "cb_operand_idx", -1) == operand)
            found = &ops.at[i]->results[0];
    ir_op_list_free(&ops);
    return found ? found : d2m_build_cb(generic, block, operand);
}

bool d2m_is_local_buffer(const ir_value *v)
{
    const ir_op *def = ir_value_def(v);
    return def && (ir_op_attr(def, "d2m.scratch_buffer") ||
                   ir_op_attr(def, "d2m.reduction_scaler"));
}

ir_op *d2m_ancestor_in(const ir_block *block, ir_op *op)
{
    while (op && op->block != block)
        op = op->block ? ir_op_parent(op) : NULL;
    return op;
}

ir_mapping *d2m_synchronized_parents(const ir_op_list *ops)
{
    ir_mapping *parents = ir_mapping_create();
    for (size_t i = 0; i < ops->n; i++)
        if (d2m_is_synchronizable(ops->at[i]))
            ir_mapping_set(parents, ir_op_parent(ops->at[i]), ops->at[i]);
    return parents;
}

/* Users before what they use, so that a chain of dead operations is erased at once. */
static bool erase_dead_once(ir_block *block)
{
    bool changed = false;
    for (ir_op *op = block->last, *prev; op; op = prev) {
        prev = op->prev;
        for (uint16_t r = 0; r < op->n_regions; r++)
            for (ir_block *b = op->regions[r].first; b; b = b->next)
                changed |= erase_dead_once(b);
        if (!rw_is_trivially_dead(op))
            continue;
        ir_op_erase(op);
        changed = true;
    }
    return changed;
}

void d2m_erase_dead(ir_block *block)
{
    while (erase_dead_once(block))
        ;
}

bool d2m_check_replicated_semaphores(ir_block *block)
{
    static const struct {
        const ir_op_def *def;
        const char *what, *does;
    } rows[] = {
        {D2M_OP(semaphore_inc), "semaphore_inc", "increment the semaphore"},
        {D2M_OP(semaphore_set), "semaphore_set", "set the semaphore"},
        {D2M_OP(semaphore_wait), "semaphore_wait with reset", "execute the reset"},
    };
    ir_op_list ops = ir_ops_in_block(block, NULL);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        for (size_t r = 0; r < TW_COUNT(rows) && ok; r++)
            if (ops.at[i]->def == rows[r].def &&
                (r < 2 || ir_op_operand_named(ops.at[i], "resetValue")))
                ok =
                    ir_error(ops.at[i]->ctx, ops.at[i]->loc,
                             "%s is not supported in regions that will be replicated "
                             "across multiple threads, as all threads would %s, creating a "
                             "race condition on the shared semaphore.",
                             rows[r].what, rows[r].does);
    ir_op_list_free(&ops);
    return ok;
}

ir_op *d2m_copy_shell(ir_op *generic, ir_attr threads, size_t n_regions)
{
    ir_builder b = ir_builder_before(generic);
    size_t n = generic->n_operands, n_attrs = 0;
    ir_value **operands = tw_xmalloc((n + 1) * sizeof *operands);
    ir_named_attr attrs[32];
    for (size_t i = 0; i < n; i++)
        operands[i] = ir_op_operand(generic, i);
    for (size_t i = 0; i < ir_def_n_props(generic->def) && n_attrs < TW_COUNT(attrs); i++) {
        const char *name = ir_def_prop_name(generic->def, i);
        ir_attr value = strcmp(name, "threads") ? generic->props[i] : threads;
        if (value)
            attrs[n_attrs++] =
                (ir_named_attr){ir_ident_get(generic->ctx, tw_str_from(name)), value};
    }
    ir_op *copy = ir_build(&b, &(ir_op_state){.def = generic->def,
                                              .loc = generic->loc,
                                              .operands = operands,
                                              .n_operands = n,
                                              .attrs = attrs,
                                              .n_attrs = n_attrs,
                                              .n_regions = n_regions});
    free(operands);
    return copy;
}
