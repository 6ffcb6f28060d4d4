/* canonicalize.c: canonical forms of kernels' barriers. */
#include "mlir/func/func.h"
#include "mlir/passes/canonical.h"
#include "ttkernel/ttkernel.h"

static ir_value *noc_of(const ir_op *op)
{
    return op->n_operands ? ir_op_operand(op, 0) : NULL;
}

/* Whether an earlier barrier of the kind is still good: nothing in between starts what it
 * waits for. */
static bool repeats(ir_op *op, const ir_op_def *const *starts, size_t n)
{
    for (ir_op *at = op->prev; at; at = at->prev) {
        if (at->def == op->def && noc_of(at) == noc_of(op))
            return true;
        for (size_t i = 0; i < n; i++)
            if (at->def == starts[i])
                return false;
        if (at->n_regions || ir_op_is(at, FUNC_OP(call)))
            return false;
    }
    return false;
}

static bool merge_read_barriers(ir_op *op, rw_rewriter *rw)
{
    static const ir_op_def *const starts[] = {
        TTKERNEL_OP(noc_async_read),
        TTKERNEL_OP(noc_async_read_tile),
        TTKERNEL_OP(noc_async_read_page),
        TTKERNEL_OP(noc_async_read_shard),
        TTKERNEL_OP(noc_async_read_one_packet_set_state),
        TTKERNEL_OP(noc_async_read_one_packet_with_state)};
    if (!repeats(op, starts, TW_COUNT(starts)))
        return false;
    rw_erase(rw, op);
    return true;
}

static bool merge_write_barriers(ir_op *op, rw_rewriter *rw)
{
    static const ir_op_def *const starts[] = {
        TTKERNEL_OP(noc_async_write),
        TTKERNEL_OP(noc_async_write_tile),
        TTKERNEL_OP(noc_async_write_page),
        TTKERNEL_OP(noc_async_write_shard),
        TTKERNEL_OP(noc_async_write_one_packet_with_trid),
        TTKERNEL_OP(noc_async_write_multicast),
        TTKERNEL_OP(noc_async_write_multicast_one_packet),
        TTKERNEL_OP(noc_async_write_multicast_loopback_src),
        TTKERNEL_OP(noc_inline_dw_write),
        TTKERNEL_OP(noc_semaphore_set_multicast),
        TTKERNEL_OP(noc_semaphore_set_multicast_loopback_src),
        TTKERNEL_OP(remote_sram_write_u32),
    };
    if (!repeats(op, starts, TW_COUNT(starts)))
        return false;
    rw_erase(rw, op);
    return true;
}

static bool merge_stalls(ir_op *op, rw_rewriter *rw)
{
    if (!op->prev || op->prev->def != op->def)
        return false;
    rw_erase(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {TTKERNEL_OP(noc_async_read_barrier), merge_read_barriers, "ttkernel.ReadBarriers"},
    {TTKERNEL_OP(noc_async_write_barrier), merge_write_barriers, "ttkernel.WriteBarriers"},
    {TTKERNEL_OP(experimental_unpack_stall_on_pack), merge_stalls, "ttkernel.Stalls"},
};

const rw_pattern_table canonicalize_ttkernel = {patterns, TW_COUNT(patterns)};
