/* constants.c: clones operations without operands (constants, iotas) to their uses: into
 * other fragments, after named computations, into callees. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

static ir_value *copy_to_start(const ir_op *op, ir_block *block, ir_op *after)
{
    ir_op *copy = ir_op_clone((ir_op *)op, NULL);
    if (after)
        ir_op_insert_after(copy, after);
    else
        ir_block_prepend(block, copy);
    return &copy->results[0];
}

static bool has_no_operands(const ir_op *op)
{
    return op && !op->n_operands && op->n_results == 1;
}

/* ---- from fragment to fragment ------------------------------------------------------ */

/* The op inside a fragment that defines a value, through transfers. */
static ir_op *inner_producer(ir_value *v)
{
    ir_op *producer = ir_value_def(v);
    while (producer && mpmd_is_transfer(producer)) {
        v = producer->operands[0].value;
        producer = ir_value_def(v);
    }
    return producer && mpmd_is_fragment(producer)
               ? ir_value_def(mpmd_end(producer)->operands[v->index].value)
               : NULL;
}

static void copy_into(ir_op *fragment)
{
    ir_block *body = ir_op_body(fragment, 0);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_op *producer = inner_producer(fragment->operands[i].value);
        if (producer && (producer->def->traits & IR_CONSTANT_LIKE))
            ir_value_replace_uses(body->args[i], copy_to_start(producer, body, NULL));
    }
}

bool mpmd_copy_constants(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    for (ir_op *op = ir_op_body(func, 0)->last; op; op = op->prev)
        if (mpmd_is_fragment(op))
            copy_into(op);
    return true;
}

/* ---- out of named computations ------------------------------------------------------ */

static bool is_named_computation(const ir_op *op)
{
    return op->def == MPMD_OP(named_computation);
}

static void replace_uses_inside(ir_value *from, ir_value *to)
{
    for (ir_operand *use = from->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner->def != FUNC_OP(return ))
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
}

bool mpmd_insert_nameless_clone_of_negligible_ops(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_distributed(func))
        return true;
    ir_op_list all = ir_ops_in(func, is_named_computation);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *after = all.at[i], *end = mpmd_end(all.at[i]);
        for (uint32_t k = 0; k < all.at[i]->n_results; k++) {
            ir_op *producer = ir_value_def(end->operands[k].value);
            if (!has_no_operands(producer))
                continue;
            ir_value *copy = copy_to_start(producer, NULL, after);
            after = ir_value_def(copy);
            replace_uses_inside(&all.at[i]->results[k], copy);
        }
    }
    ir_op_list_free(&all);
    return true;
}

/* ---- into callees ------------------------------------------------------------------- */

/* The op without operands that defines this argument at all calls, or NULL. */
static ir_op *same_producer(const ir_op_list *calls, uint32_t arg)
{
    ir_value *first = calls->at[0]->operands[arg].value;
    for (size_t i = 1; i < calls->n; i++)
        if (calls->at[i]->operands[arg].value != first)
            return NULL;
    return has_no_operands(ir_value_def(first)) ? ir_value_def(first) : NULL;
}

static void sink_into(ir_op *func)
{
    ir_op_list calls = mpmd_calls_of(func), callers = {.n = 0};
    ir_block *body = ir_op_body(func, 0);
    ir_op *after = NULL;
    bool *erased = tw_xcalloc(body->n_args + 1u, sizeof *erased);
    for (uint32_t i = 0; calls.n && i < body->n_args; i++) {
        ir_op *producer = same_producer(&calls, i);
        if (!producer)
            continue;
        ir_value *copy = copy_to_start(producer, body, after);
        after = ir_value_def(copy);
        ir_value_replace_uses(body->args[i], copy);
        erased[i] = true;
    }
    for (size_t i = 0; i < calls.n; i++) {
        mpmd_erase_operands(calls.at[i], erased);
        mpmd_list_add(&callers, mpmd_enclosing_function(calls.at[i]));
    }
    for (uint32_t i = body->n_args; i-- > 0;)
        if (erased[i])
            func_erase_arg(func, i);
    for (size_t i = 0; after && i < callers.n; i++)
        mpmd_drop_dead(callers.at[i]);
    free(erased);
    ir_op_list_free(&calls);
    ir_op_list_free(&callers);
}

bool mpmd_sink_negligible_ops_into_call_op(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (mpmd_is_function(op))
            sink_into(op);
    return true;
}
