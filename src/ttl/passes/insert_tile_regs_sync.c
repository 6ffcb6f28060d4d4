/* insert_tile_regs_sync.c: the DST protocol of each tile in a ttl.compute's body:
 * acquire, math, commit, wait, pack, release.  Operations that are there already are kept
 * and moved to their positions; what is yielded and not stored gets a store into the view
 * that the nearest ttl.cb_reserve on the output's buffer gives, or into a new one. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

static ir_op *make(ir_op *before, const ir_op_def *def, ir_loc loc)
{
    ir_builder b = ir_builder_before(before);
    b.loc = loc;
    return ir_build_op(&b, def, NULL, 0, NULL, 0, NULL, 0, 0);
}

static ir_op *find_in(ir_block *body, const ir_op_def *def)
{
    ir_op *found = NULL;
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == def)
            found = op;
    return found;
}

/* The last such operation in front of a compute; each compute has its own. */
static ir_op *find_before(ir_op *compute, const ir_op_def *def)
{
    for (ir_op *op = compute->prev; op && op->def != TTL_OP(compute); op = op->prev)
        if (op->def == def)
            return op;
    return NULL;
}

/* Moves all operations of a row behind `tail` in their order; returns the new tail. */
static ir_op *gather(ir_block *body, const ir_op_def *def, ir_op *tail)
{
    ir_op **found = NULL;
    size_t count = 0, capacity = 0;
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == def)
            TW_PUSH(found, count, capacity, op);
    for (size_t i = 0; i < count; i++) {
        ir_op_remove(found[i]);
        ir_op_insert_after(found[i], tail);
        tail = found[i];
    }
    free(found);
    return tail;
}

static bool is_stored(ir_block *body, const ir_value *tile)
{
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == TTL_OP(store) && op->operands[0].value == tile)
            return true;
    return false;
}

static ir_value *reserved_view(ir_op *compute, const ir_op *stop, const ir_value *cb)
{
    ir_value *view = NULL;
    for (ir_op *op = ir_op_body(compute, 0)->first; op != stop; op = op->next)
        if (op->def == TTL_OP(cb_reserve) && op->operands[0].value == cb)
            view = &op->results[0];
    /* in front of the compute, and of the loops around it */
    for (ir_op *at = compute; at && at->def != FUNC_OP(func) && !view;
         at = ir_op_parent(at))
        for (ir_op *op = at->prev; op && !view; op = op->prev)
            if (op->def == TTL_OP(cb_reserve) && op->operands[0].value == cb)
                view = &op->results[0];
    return view;
}

/* Stores the yielded values that are not stored; returns the last operation. */
static ir_op *store_rest(ir_op *compute, ir_op *tail, size_t first_output)
{
    ir_block *body = ir_op_body(compute, 0);
    ir_op *yield = body->last;
    for (uint32_t i = 0; i < yield->n_operands; i++) {
        ir_value *tile = yield->operands[i].value;
        if (first_output + i >= compute->n_operands || is_stored(body, tile))
            continue;
        ir_value *output = compute->operands[first_output + i].value;
        ir_value *cb = ttl_attached_cb(output);
        ir_value *view = reserved_view(compute, tail->next, cb);
        ir_builder b = ir_builder_after(tail);
        b.loc = compute->loc;
        if (!view)
            view = ir_build1(&b, TTL_OP(cb_reserve), output->type, &cb, 1, NULL, 0);
        tail = ir_build_op(&b, TTL_OP(store), NULL, 0, (ir_value *[]){tile, view}, 2,
                           IR_ATTRS({"acc", ir_op_attr(compute, "ttl.acc")}), 0);
    }
    return tail;
}

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    if (op->def != TTL_OP(compute))
        return IR_WALK_ON;
    size_t start, n_inputs;
    ir_op_operand_group(op, 0, &start, &n_inputs);
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = body->last;
    ir_value *buffers[] = {ttl_attached_cb(op->operands[0].value),
                           ttl_attached_cb(op->operands[n_inputs].value)};
    ir_op *acquire = find_before(op, TTL_OP(tile_regs_acquire));
    if (!find_before(op, TTL_OP(init_sfpu))) {
        ir_builder b = ir_builder_before(acquire ? acquire : op);
        b.loc = op->loc;
        ir_build_op(&b, TTL_OP(init_sfpu), NULL, 0, buffers, 2, NULL, 0, 0);
    }
    if (!acquire && !find_in(body, TTL_OP(tile_regs_acquire)))
        make(body->first, TTL_OP(tile_regs_acquire), op->loc);
    ir_op *commit = find_in(body, TTL_OP(tile_regs_commit));
    ir_op *wait = find_in(body, TTL_OP(tile_regs_wait));
    if (!commit)
        commit = make(yield, TTL_OP(tile_regs_commit), op->loc);
    if (!wait)
        wait = make(yield, TTL_OP(tile_regs_wait), op->loc);
    if (!ir_op_before(commit, wait)) {
        ir_op_remove(commit);
        ir_op_insert_before(commit, wait);
    }
    ir_op *tail = gather(body, TTL_OP(cb_reserve), wait);
    tail = gather(body, TTL_OP(store), tail);
    tail = gather(body, TTL_OP(cb_push), tail);
    store_rest(op, tail, n_inputs);
    if (!find_in(body, TTL_OP(tile_regs_release)))
        make(yield, TTL_OP(tile_regs_release), op->loc);
    return IR_WALK_SKIP;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    ir_walk_pre(func, visit, NULL);
    return true;
}

const pass_def ttl_insert_tile_regs_sync_pass = {
    .name = "ttl-insert-tile-regs-sync",
    .title = "TTLInsertTileRegsSync",
    .summary = "Insert tile_regs_* synchronization ops around ttl.compute",
    .anchor = "func.func",
    .run = run,
};
