/* transfers.c: moves transfers and breaks their cycles. */
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

/* The value of the transfer's own type at the start of a chain of device transfers that
 * returns to it; NULL if there is none. */
static ir_value *start_of_circle(ir_op *transfer)
{
    for (ir_op *op = transfer; op && mpmd_is_transfer(op);
         op = ir_value_def(op->operands[0].value)) {
        ir_value *from = op->operands[0].value;
        ir_attr kind = from->type->params[MPMD_TYPE_MEMORY_KIND];
        if (kind && !tw_str_is(ir_attr_str(kind), "device"))
            return NULL;
        if (from->type == transfer->results[0].type)
            return from;
    }
    return NULL;
}

bool mpmd_remove_transfer_cycles(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    for (ir_op *op = mpmd_end(func), *prev; op; op = prev) {
        prev = op->prev;
        ir_value *start = mpmd_is_transfer(op) ? start_of_circle(op) : NULL;
        if (!start)
            continue;
        ir_value_replace_uses(&op->results[0], start);
        ir_op_erase(op);
    }
    return true;
}

bool mpmd_move_transfers_to_producer(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_transfer);
    for (size_t i = 0; i < all.n; i++) {
        ir_value *from = all.at[i]->operands[0].value;
        if (from->is_argument)
            ir_block_prepend(ir_value_block(from), all.at[i]);
        else
            ir_op_insert_after(all.at[i], ir_value_def(from));
    }
    ir_op_list_free(&all);
    return true;
}

/* ---- moving later ------------------------------------------------------------------- */

static void delay(ir_op *op)
{
    ir_op_list users = mpmd_users(op);
    ir_op *first = mpmd_first(&users);
    if (first && first != op->next) {
        ir_op_insert_before(op, first);
    }
    ir_op_list_free(&users);
}

bool mpmd_delay_transfers_from_cpu(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_entry(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_transfer);
    for (size_t i = 0; i < all.n; i++) {
        ir_type from = all.at[i]->operands[0].value->type;
        if (mpmd_is_cpu(mpmd_mesh_of(from)) || mpmd_on_host(from))
            delay(all.at[i]);
    }
    ir_op_list_free(&all);
    return true;
}

bool mpmd_delay_inferred_fragments(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_entry(func))
        return true;
    for (ir_op *op = mpmd_end(func), *prev; op; op = prev) {
        prev = op->prev;
        if (mpmd_is_fragment(op) && !mpmd_is_user_fragment(op))
            delay(op);
    }
    return true;
}
