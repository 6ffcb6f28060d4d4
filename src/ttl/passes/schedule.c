/* schedule.c: see schedule.h. */
#include "ttl/passes/schedule.h"

#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/func/func.h"
#include "mlir/scf/scf.h"
#include "ttkernel/ttkernel.h"
#include "ttl/ttl_info.h"

/* ---- buffers */

static const ir_op *thread_of(const ir_op *op)
{
    while (op && op->def != TTL_OP(compute_thread) &&
           op->def != TTL_OP(datamovement_thread))
        op = ir_op_parent((ir_op *)op);
    return op;
}

static bool in_loop(const ir_op *op)
{
    for (const ir_op *p = op; p && p != thread_of(op); p = ir_op_parent((ir_op *)p))
        if (p->def == SCF_OP(for) || p->def == AFFINE_OP(for))
            return true;
    return false;
}

static int64_t copies_beside(const ir_op *op)
{
    int64_t n = 0;
    for (const ir_op *o = op->block->first; o; o = o->next)
        n += o->def == TTL_OP(copy);
    return n;
}

bool ttl_optimize_buffer_factor(ir_op *at, ir_op *op)
{
    if (op->def != TTL_OP(create_cb))
        return ir_op_error(at, "works on ttl.create_cb, got %s", op->def->name);
    const ir_op *from = NULL, *to = NULL;
    int64_t factor = 1;
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use) {
        const ir_op *o = use->owner;
        if (o->def == TTL_OP(cb_reserve))
            from = thread_of(o);
        if (o->def == TTL_OP(cb_wait))
            to = thread_of(o);
        if (o->def == TTL_OP(cb_reserve) && in_loop(o))
            factor = copies_beside(o) > 2 ? 3 : 2;
    }
    if (from == to) /* one thread is producer and consumer */
        factor = 1;
    ttl_set_buffer_factor(op, factor);
    return true;
}

void ttl_set_buffer_factor(ir_op *op, int64_t factor)
{
    ir_type old = op->results[0].type;
    ir_attr params[] = {old->params[0], old->params[1], ir_raw_int(op->ctx, factor),
                        old->params[3]};
    op->results[0].type = ir_dialect_type(op->ctx, TTL_TYPE(cb), params, 4);
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use) {
        ir_op *o = use->owner;
        bool view = o->def == TTL_OP(cb_reserve) || o->def == TTL_OP(cb_wait);
        if (view && o->results[0].type->kind == IR_TYPE_DIALECT)
            o->results[0].type = ttl_block_of_cb(op->results[0].type);
    }
}

/* ---- copies */

/* Copies from a tensor; those from and to pipes wait for other cores. */
static bool reads_tensor(const ir_op *copy)
{
    const ir_op *from =
        copy->def == TTL_OP(copy) ? ir_value_def(copy->operands[0].value) : NULL;
    return from &&
           (from->def == TTL_OP(tensor_slice) || from->def == TTL_OP(tensor_accessor) ||
            from->def == TTL_OP(index_accessor));
}

/* The read that a wait ends, NULL for others. */
static ir_op *read_of(const ir_op *wait)
{
    ir_op *copy = ir_value_def(wait->operands[0].value);
    return copy && copy->block == wait->block && reads_tensor(copy) ? copy : NULL;
}

/* What may be passed by a wait on its way down. */
static bool is_free(const ir_op *op, const ir_value *buffer)
{
    if (op->def == TTL_OP(cb_reserve) || op->def == TTL_OP(attach_cb))
        return ttl_buffer_of(op, 0) != buffer;
    return op->def->traits & IR_PURE;
}

/* Moves a wait, and the push behind it, after the next read of another buffer. */
static void sink(ir_op *wait)
{
    ir_op *copy = read_of(wait), *push = wait->next;
    if (!copy)
        return;
    ir_value *buffer = ttl_buffer_of(copy, 1);
    if (push && (push->def != TTL_OP(cb_push) || ttl_buffer_of(push, 0) != buffer))
        push = NULL;
    ir_op *next = push ? push->next : wait->next;
    while (next && is_free(next, buffer))
        next = next->next;
    if (!next || !reads_tensor(next) || ttl_buffer_of(next, 1) == buffer)
        return;
    ir_op *behind = next->next;
    ir_op_remove(wait);
    ir_op_insert_before(wait, behind);
    if (push) {
        ir_op_remove(push);
        ir_op_insert_before(push, behind);
    }
}

/* Waits of one block and of the blocks inside it; each moves at most once. */
static void sink_waits(ir_block *block)
{
    for (ir_op *o = block->first, *next; o; o = next) {
        next = o->next;
        if (o->def == TTL_OP(wait))
            sink(o);
        for (uint16_t r = 0; r < o->n_regions; r++)
            for (ir_block *b = o->regions[r].first; b; b = b->next)
                sink_waits(b);
    }
}

static ir_walk visit_thread(ir_op *op, void *user)
{
    (void)user;
    bool thread =
        op->def == TTL_OP(datamovement_thread) ||
        (op->def == FUNC_OP(func) && ttkernel_thread_kind(op) == TTKERNEL_ThreadType_Noc);
    if (thread)
        sink_waits(ir_op_body(op, 0));
    return thread ? IR_WALK_SKIP : IR_WALK_ON;
}

/* A loop or anything else within a thread that moves data. */
static bool is_moving(const ir_op *op)
{
    const ir_op *thread = thread_of(op);
    while (!thread && op && op->def != FUNC_OP(func))
        op = ir_op_parent((ir_op *)op);
    return thread ? thread->def == TTL_OP(datamovement_thread)
                  : op && ttkernel_thread_kind((ir_op *)op) == TTKERNEL_ThreadType_Noc;
}

void ttl_schedule_pipeline(ir_op *op, bool conservative)
{
    if (conservative)
        return;
    if (!is_moving(op))
        ir_walk_pre(op, visit_thread, NULL);
    for (uint16_t r = 0; r < op->n_regions && is_moving(op); r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            sink_waits(b);
}

static bool run(ir_op *module, pass_run *run)
{
    ttl_schedule_pipeline(module, pass_option_bool(run, "conservative"));
    return true;
}

const pass_def ttl_schedule_pipeline_pass = {
    .name = "ttl-schedule-pipeline",
    .summary = "Start reads before the ones ahead of them have arrived",
    .anchor = "builtin.module",
    .options = IR_LIST(pass_option_def,
                       {"conservative", PASS_BOOL, "false", "Leave the order as it is"}),
    .run = run,
};
