/* allocate_cbs.c: ttl.create_cb gets a number and becomes ttl.bind_cb.
 *
 * A buffer that asks for a number gets it; the others get the lowest free ones in the order
 * they are made.  Numbers count for each kernel, or function outside one.  What all of a
 * kernel's buffers take must fit a core's memory.  Pipes and semaphores without a number
 * get theirs here, too. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttl/passes/canonicalize.h"
#include "ttl/passes/connect.h"
#include "ttl/ttl_info.h"

/* L1 of a core of every chip known here, and the tiles' sizes in it, in bytes. */
enum { L1_BYTES = 1464 * 1024 };

typedef struct buffers {
    ir_op *owner[TTL_MAX_BUFFERS];
    int64_t bytes;
} buffers;

static bool take(buffers *all, ir_op *op, int64_t number)
{
    if (number < 0 || number >= TTL_MAX_BUFFERS)
        return ir_op_error(op, "wants circular buffer %lld; a core has 0 to %d",
                           (long long)number, TTL_MAX_BUFFERS - 1);
    if (all->owner[number]) {
        ir_op_error(op, "wants circular buffer %lld, which is taken", (long long)number);
        return ir_note(op->ctx, all->owner[number]->loc, "by this one");
    }
    all->owner[number] = op;
    if (__builtin_add_overflow(all->bytes, ttl_cb_bytes(op->results[0].type), &all->bytes))
        all->bytes = INT64_MAX;
    return true;
}

static bool wants_number(const ir_op *op, int64_t *out)
{
    ir_attr number =
        ir_op_attr(op, op->def == TTL_OP(create_cb) ? "buffer_index" : "cb_index");
    *out = ir_attr_int(number, -1);
    return number != NULL;
}

static bool is_buffer(const ir_op *op)
{
    return op->def == TTL_OP(create_cb) || op->def == TTL_OP(bind_cb);
}

static bool bind(buffers *all, ir_op *op)
{
    int64_t number = 0, wanted;
    if (!wants_number(op, &wanted)) {
        while (number < TTL_MAX_BUFFERS && all->owner[number])
            number++;
        if (number == TTL_MAX_BUFFERS)
            return ir_op_error(op, "is one too many: a core has %d circular buffers",
                               TTL_MAX_BUFFERS);
        if (!take(all, op, number))
            return false;
        wanted = number;
    }
    ir_builder b = ir_builder_before(op);
    ir_type type = op->results[0].type;
    ir_value *cb =
        ir_build1(&b, TTL_OP(bind_cb), type, NULL, 0,
                  IR_ATTRS({"cb_index", ir_index_attr(op->ctx, wanted)},
                           {"buffer_factor", ir_i64_attr(op->ctx, type->params[2]->value)},
                           {"core_ranges", ir_op_attr(op, "core_ranges")}));
    if (!ttcore_is_tile(ttl_cb_element(type)))
        ir_op_set_attr(ir_value_def(cb), "ttl.rows", ir_unit_attr(op->ctx));
    ir_value_replace_uses(&op->results[0], cb);
    ir_op_erase(op);
    return true;
}

static bool allocate(ir_op *op)
{
    buffers all = {.bytes = 0};
    ir_block *body = ir_op_body(op, 0);
    int64_t number;
    bool any = false;
    for (ir_op *o = body->first; o; o = o->next)
        if (is_buffer(o)) {
            any |= o->def == TTL_OP(create_cb);
            if (wants_number(o, &number) && !take(&all, o, number))
                return false;
        }
    if (!any)
        return true;
    for (ir_op *o = body->first, *next; o; o = next) {
        next = o->next;
        if (o->def == TTL_OP(create_cb) && !bind(&all, o))
            return false;
    }
    return all.bytes <= L1_BYTES ||
           ir_op_error(op, "its circular buffers take %lld bytes; a core has %d",
                       (long long)all.bytes, L1_BYTES);
}

static ir_walk visit(ir_op *op, void *user)
{
    bool *ok = user;
    if ((op->def == TTL_OP(kernel) || op->def == FUNC_OP(func)) && ir_op_body(op, 0))
        *ok = allocate(op) && ttl_connect_number(op);
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

/* Operations that read buffers, which a thread may have to make for what it computes. */
static bool reads_buffers(const ir_op *op)
{
    return op->def == TTL_OP(block_matmul) || op->def == TTL_OP(block_bcast) ||
           op->def == TTL_OP(block_reduce_sum) || op->def == TTL_OP(block_reduce_max);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_op_list readers = ir_ops_in(module, reads_buffers);
    const bool more = readers.n > 0;
    ir_op_list_free(&readers);
    if (more && !ttl_canonicalize(module)) /* all buffers have to be there by now */
        return false;
    ir_walk_pre(module, visit, &ok);
    return ok;
}

const pass_def ttl_allocate_cbs_pass = {
    .name = "ttl-allocate-cbs",
    .summary = "Number circular buffers and check that they fit a core's memory",
    .anchor = "builtin.module",
    .run = run,
};
