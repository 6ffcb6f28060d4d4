/* absorb.c: merges inferred fragments into neighbouring fragments, after moving transfers
 * out of the way. */
#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"
#include "mpmd/merge.h"
#include "mpmd/passes.h"

static ir_op_list producers_of(const ir_op *op)
{
    ir_op_list list = {.n = 0};
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (def)
            mpmd_list_add(&list, def);
    }
    return list;
}

static bool any_fragment(ir_op_list list)
{
    bool any = false;
    for (size_t i = 0; i < list.n; i++)
        any |= mpmd_is_fragment(list.at[i]);
    ir_op_list_free(&list);
    return any;
}

/* True for a user fragment, or one without producer fragments or without consumer
 * fragments. */
static bool is_root(const ir_op *fragment)
{
    return mpmd_is_user_fragment(fragment) || !any_fragment(mpmd_users(fragment)) ||
           !any_fragment(producers_of(fragment));
}

static ir_op *closest_consumer(const ir_op *op)
{
    ir_op_list users = mpmd_users(op);
    ir_op *first = mpmd_first(&users);
    ir_op_list_free(&users);
    return first;
}

static ir_op *closest_producer(const ir_op *op)
{
    ir_op_list list = producers_of(op);
    ir_op *last = NULL;
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i]->block == op->block && (!last || ir_op_before(last, list.at[i])))
            last = list.at[i];
    ir_op_list_free(&list);
    return last;
}

/* Moves transfers of the fragment's results to their users, or erases them. */
static void delay_transfers(ir_op *producer)
{
    ir_op_list users = mpmd_users(producer);
    for (size_t i = 0; i < users.n; i++) {
        if (!mpmd_is_transfer(users.at[i]))
            continue;
        ir_op *consumer = closest_consumer(users.at[i]);
        if (consumer)
            ir_op_insert_before(users.at[i], consumer);
        else
            ir_op_erase(users.at[i]);
    }
    ir_op_list_free(&users);
}

/* Moves transfers that the fragment uses up to their operands' producers. */
static void hasten_transfers(ir_op *consumer)
{
    ir_op_list producers = producers_of(consumer);
    for (size_t i = 0; i < producers.n; i++) {
        if (!mpmd_is_transfer(producers.at[i]))
            continue;
        ir_value *from = producers.at[i]->operands[0].value;
        ir_op *def = ir_value_def(from);
        if (def)
            ir_op_insert_after(producers.at[i], def);
        else
            ir_block_prepend(ir_value_block(from), producers.at[i]);
    }
    ir_op_list_free(&producers);
}

/* The inferred neighbour nearest to the root, found after moving the transfers between
 * them. */
static ir_op *find(ir_op *root, bool forward)
{
    ir_op_list near = forward ? mpmd_users(root) : producers_of(root);
    ir_op *found = NULL;
    for (size_t i = 0; i < near.n; i++) {
        ir_op *f = near.at[i];
        if (!mpmd_is_fragment(f) || mpmd_is_user_fragment(f) || f->block != root->block)
            continue;
        if (forward)
            hasten_transfers(f);
        else
            delay_transfers(f);
        if (!found && (forward ? closest_producer(f) : closest_consumer(f)) == root)
            found = f;
    }
    ir_op_list_free(&near);
    return found;
}

static ir_op *absorb(ir_op *root)
{
    bool forward = false;
    ir_op *other = find(root, false);
    if (!other) {
        forward = true;
        other = find(root, true);
    }
    if (!other)
        return NULL;
    ir_attr attrs = root->attrs, by = ir_op_attr(root, MPMD_INFERRED_BY);
    ir_op *successor = root->next == other ? other->next : root->next;
    bool user = mpmd_is_user_fragment(root);
    by = user ? by : mpmd_union(root->ctx, by, ir_op_attr(other, MPMD_INFERRED_BY));
    ir_op *made = forward ? mpmd_merge(root, other) : mpmd_merge(other, root);
    if (forward)
        ir_op_insert_before(made, successor);
    made->attrs = attrs;
    if (by)
        ir_op_set_attr(made, MPMD_INFERRED_BY, by);
    return made;
}

bool mpmd_absorb_inferred_fragments(ir_op *func, pass_run *run)
{
    if (!mpmd_is_function(func) ||
        (mpmd_is_entry(func) && !pass_option_bool(run, "absorb-on-entry-point-function")))
        return true;
    for (bool changed = true; changed;) {
        changed = false;
        for (ir_op *op = mpmd_end(func), *next; op; op = next) {
            bool fragment = mpmd_is_fragment(op);
            bool dead = (fragment || mpmd_is_transfer(op)) && rw_is_trivially_dead(op);
            ir_op *made = fragment && !dead && is_root(op) ? absorb(op) : NULL;
            changed |= made != NULL;
            next = made ? made : op->prev; /* it may absorb further fragments */
            if (dead)
                ir_op_erase(op);
        }
    }
    /* Deduplicates constants within a fragment and moves them to its start. */
    rw_greedy(func, NULL, 0,
              &(rw_options){.no_fold = true, .regions = RW_REGIONS_DISABLED});
    return true;
}
