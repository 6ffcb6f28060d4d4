/* assign_threads.c: d2m-assign-threads: transfers of a unified thread use circular buffers,
 * and operations that only one kind of thread runs are marked with it. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"

/* A transfer takes the buffer as a circular one instead of as memory. */
static bool use_cb(ir_op *generic, ir_op *op, const char *memory, const char *cb)
{
    const ir_op_def *def = op->def;
    ir_value *buffer = ir_op_operand_named(op, memory);
    int64_t operand = d2m_operand_index(generic, buffer);
    if (operand < 0)
        return ir_op_error(op, "its buffer is no operand of the d2m.generic");
    ir_value *value = d2m_cb_of(generic, ir_op_body(generic, 0), operand);
    ir_op_set_operand_group(op, ir_op_operand_index(def, memory), NULL, 0);
    ir_op_set_operand_group(op, ir_op_operand_index(def, cb), &value, 1);
    return true;
}

static bool make_explicit(ir_op *generic, ir_op *op)
{
    bool copy = op->def == D2M_OP(local_copy);
    if (ir_op_operand_named(op, copy ? "srcCb" : "cb") || d2m_is_aliased_load(op) ||
        d2m_is_aliased_store(op))
        return true;
    if (op->n_results)
        return ir_op_error(
            op, "has a result, which a transfer to a circular buffer does not have");
    if (copy)
        return use_cb(generic, op, "src", "srcCb") && use_cb(generic, op, "dst", "dstCb");
    return use_cb(generic, op, "localBuffer", "cb");
}

/* The D2M_ThreadType_ that runs an operation; -1: each thread does. */
static int64_t thread_of(const ir_op *op)
{
    if (d2m_is_shard_transfer(op) || op->def == D2M_OP(device_synchronize))
        return D2M_ThreadType_Datamovement;
    return d2m_is_compute(op) || op->def == LINALG_OP(generic) ? D2M_ThreadType_Compute
                                                               : -1;
}

static ir_attr thread_attr(ir_context *ctx, int64_t thread)
{
    ir_attr params[] = {ir_raw_int(ctx, thread), NULL, ir_raw_int(ctx, -1)};
    return ir_dialect_attr(ctx, D2M_ATTR(thread), params, 3);
}

static bool run_generic(ir_op *generic)
{
    ir_block *block = ir_op_body(generic, 0);
    static const ir_op_def *const order[] = {D2M_OP(remote_load), D2M_OP(remote_store),
                                             D2M_OP(local_copy)};
    bool ok = true;
    for (size_t kind = 0; kind < TW_COUNT(order) && ok; kind++) {
        ir_op_list ops = ir_ops_in_block(block, d2m_is_shard_transfer);
        for (size_t i = 0; i < ops.n && ok; i++)
            if (ops.at[i]->def == order[kind])
                ok = make_explicit(generic, ops.at[i]);
        ir_op_list_free(&ops);
    }
    ir_op_list ops = ir_ops_in_block(block, NULL);
    ir_attr threads[] = {[D2M_ThreadType_Datamovement] =
                             thread_attr(generic->ctx, D2M_ThreadType_Datamovement),
                         [D2M_ThreadType_Compute] =
                             thread_attr(generic->ctx, D2M_ThreadType_Compute)};
    for (size_t i = 0; i < ops.n && ok; i++) {
        int64_t thread = thread_of(ops.at[i]);
        if (thread >= 0)
            ir_op_set_attr(ops.at[i], "d2m.thread", threads[thread]);
    }
    ir_op_list_free(&ops);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        d2m_generic g;
        if (d2m_generic_of(generics.at[i], &g) && d2m_generic_is_unified(&g) &&
            ir_op_body(generics.at[i], 0))
            ok = run_generic(generics.at[i]);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_assign_threads_pass = {
    .name = "d2m-assign-threads",
    .summary = "Assign operations of unified threads to threads",
    .anchor = "builtin.module",
    .run = run,
};

static bool run_all(ir_op *module, pass_run *run)
{
    return pass_run_nested(
        run, TW_STR("d2m-assign-threads,d2m-split-threads,d2m-insert-compute-cb"), module);
}

const pass_def d2m_split_unified_thread_pass = {
    .name = "d2m-split-unified-thread",
    .summary = "Split a unified thread into data movement and compute",
    .anchor = "builtin.module",
    .run = run_all,
};
