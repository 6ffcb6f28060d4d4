/* mark_synchronized_buffers.c: d2m-mark-synchronized-buffers: buffers inside generics that
 * one operation fills and another one reads will be circular buffers; they are marked with
 * their number of blocks. */
#include "d2m/generic.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"
#include "mlir/memref/memref.h"

/* The operations that fill and read one buffer. */
typedef struct buffer_use {
    const ir_op *producer, *consumer; /* the first of each */
    size_t producers, consumers;
    bool accumulates; /* a producer adds to what the buffer holds */
} buffer_use;

static bool accumulates(const ir_op *op)
{
    return op->def == D2M_OP(tile_matmul) || op->def == D2M_OP(tile_matmul_block) ||
           op->def == D2M_OP(tile_reduce_sum) || op->def == D2M_OP(tile_reduce_max) ||
           op->def == D2M_OP(tile_reduce_mean) || op->def == D2M_OP(tile_sfpu_reduce_sum) ||
           op->def == D2M_OP(tile_sfpu_reduce_max);
}

static bool accumulates_inside(ir_op *op)
{
    ir_op_list found = ir_ops_in(op, accumulates);
    bool any = found.n > 0;
    ir_op_list_free(&found);
    return any;
}

static buffer_use uses_of(const ir_value *buffer, const ir_op *generic)
{
    buffer_use u = {0};
    for (const ir_operand *use = buffer->uses; use; use = use->next_use) {
        if (!d2m_is_synchronizable(use->owner) || !ir_op_is_ancestor(generic, use->owner))
            continue;
        switch (d2m_sync_role(use->owner, ir_operand_number(use))) {
        case D2M_SYNC_PRODUCES:
            u.producer = use->owner;
            u.producers++;
            u.accumulates |= accumulates_inside(use->owner);
            break;
        case D2M_SYNC_CONSUMES:
            u.consumer = use->owner;
            u.consumers++;
            break;
        case D2M_SYNC_NONE:
            break;
        }
    }
    return u;
}

static void mark(ir_op *alloc, const ir_op *generic, int64_t buffers)
{
    ir_context *ctx = alloc->ctx;
    bool scaler = ir_op_attr(alloc, "d2m.reduction_scaler") != NULL;
    buffer_use u = uses_of(ir_op_result(alloc, 0), generic);
    if (!u.producers && !u.consumers)
        return;
    ir_op_set_attr(alloc, "d2m.synchronized_buffer",
                   ir_i32_attr(ctx, scaler || u.accumulates ? 1 : buffers));
    if (!scaler && u.producers == 1 && u.consumers == 1 &&
        u.producer->def == LINALG_OP(generic) && u.consumer->def == LINALG_OP(generic))
        ir_op_set_attr(alloc, "d2m.compute_intermediate", ir_unit_attr(ctx));
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t buffers = pass_option_int(run, "num-stream-buffers");
    if (buffers < 1)
        return ir_op_error(module, "num-stream-buffers must be at least 1");
    ir_op_list allocs = ir_ops_in(module, d2m_is_alloc);
    for (size_t i = 0; i < allocs.n; i++) {
        const ir_op *generic = d2m_generic_around(allocs.at[i]);
        if (generic)
            mark(allocs.at[i], generic, buffers);
    }
    ir_op_list_free(&allocs);
    return true;
}

const pass_def d2m_mark_synchronized_buffers_pass = {
    .name = "d2m-mark-synchronized-buffers",
    .title = "D2MMarkSynchronizedBuffers",
    .summary =
        "Mark the buffers inside d2m.generic operations that become circular buffers",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"num-stream-buffers", PASS_INT, "2",
                                         "Blocks of a circular buffer"}),
};
