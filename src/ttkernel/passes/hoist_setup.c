/* hoist_setup.c: ttkernel-hoist-setup: sets the compute units up once where a kernel does
 * so again and again.
 *
 * - A common init (mm_init, init_sfpu, ...), which sets all units up, goes if another one
 *   follows before anything is computed, and out of a loop that needs no other setting.
 * - An init goes if it repeats the one before it.
 * - The packer's accumulation in L1 is turned on in front of a loop and off behind it, not
 *   around each tile.
 * - A tensor's accessor is made once, in front of the loops that use it. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/arith/arith.h"
#include "mlir/passes/equivalence.h"
#include "mlir/scf/scf.h"
#include "ttkernel/passes/invariant.h"
#include "ttkernel/passes/setup.h"

#include <stdlib.h>

static bool is_common(const ir_op *op)
{
    return op->def == TTKERNEL_OP(mm_init) || op->def == TTKERNEL_OP(mm_block_init) ||
           op->def == TTKERNEL_OP(init_sfpu) ||
           op->def == TTKERNEL_OP(unary_op_init_common) ||
           op->def == TTKERNEL_OP(binary_op_init_common) ||
           op->def == TTKERNEL_OP(compute_kernel_hw_startup);
}

static bool reads_buffer(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ttkernel_is_cb(ir_op_operand(op, i)->type))
            return true;
    return false;
}

/* Waiting for tiles or room, and acquiring DST, compute nothing. */
static bool is_waiting(const ir_op *op)
{
    return op->def == TTKERNEL_OP(cb_wait_front) ||
           op->def == TTKERNEL_OP(cb_reserve_back) ||
           op->def == TTKERNEL_OP(tile_regs_acquire);
}

/* ---- repeated inits ------------------------------------------------------------------ */

/* The common init that follows before anything is computed, NULL if there is none. */
static ir_op *common_behind(ir_op *op)
{
    for (ir_op *at = op->next; at; at = at->next) {
        if (is_common(at))
            return at;
        if (!is_waiting(at) && !rw_is_pure(at))
            return NULL;
    }
    return NULL;
}

static bool sets_nothing_up(ir_op *op)
{
    ir_op_list ops = ir_ops_in(op, NULL);
    bool nothing = true;
    for (size_t i = 0; i < ops.n; i++)
        nothing &= !ttkernel_is_init(ops.at[i]) && !ttkernel_is_format_change(ops.at[i]);
    ir_op_list_free(&ops);
    return nothing;
}

/* The init in front of an operation whose settings still hold there. */
static ir_op *holding_before(ir_op *op)
{
    for (ir_op *at = op->prev; at; at = at->prev) {
        if (ttkernel_is_init(at))
            return at;
        if (!sets_nothing_up(at))
            return NULL;
    }
    return NULL;
}

static void drop_repeated(ir_op *func)
{
    ir_op_list inits = ir_ops_in(func, ttkernel_is_init);
    for (size_t i = 0; i < inits.n; i++) {
        ir_op *op = inits.at[i], *before = holding_before(op);
        if ((is_common(op) && common_behind(op)) ||
            (before && op->def != TTKERNEL_OP(reduce_uninit) &&
             op->def != TTKERNEL_OP(rand_tile_init) && transform_equivalent(before, op)))
            ir_op_erase(op);
    }
    ir_op_list_free(&inits);
}

/* ---- common inits out of loops ------------------------------------------------------- */

static bool is_loop(const ir_op *op)
{
    return op->def == SCF_OP(for);
}

/* True if a computation reads a buffer before an init of its own has set that up. */
static bool relies_on(const ir_op_list *ops, size_t common)
{
    for (size_t i = common + 1; i < ops->n; i++) {
        if (ttkernel_is_init(ops->at[i]) && reads_buffer(ops->at[i]))
            return false;
        if (reads_buffer(ops->at[i]) && !is_waiting(ops->at[i]) && !ops->at[i]->n_regions)
            return true;
    }
    return true;
}

/* The first common init of a loop if its settings hold in all of it. */
static ir_op *common_of(const ir_op_list *ops, const ir_op *loop)
{
    size_t first = 0, others = 0;
    while (first < ops->n && !is_common(ops->at[first]))
        first++;
    if (first == ops->n || !ttkernel_is_invariant(ops->at[first], loop))
        return NULL;
    for (size_t i = 0; i < ops->n; i++) {
        if (ttkernel_is_format_change(ops->at[i]) ||
            (is_common(ops->at[i]) && !transform_equivalent(ops->at[first], ops->at[i])))
            return NULL;
        others += ttkernel_is_init(ops->at[i]) && !is_common(ops->at[i]) &&
                  reads_buffer(ops->at[i]);
    }
    bool own = ops->at[first]->def == TTKERNEL_OP(mm_init) ||
               ops->at[first]->def == TTKERNEL_OP(mm_block_init) || relies_on(ops, first);
    return own && others ? NULL : ops->at[first];
}

static void hoist_common(ir_op *loop)
{
    ir_op_list ops = ir_ops_in(loop, NULL);
    ir_op *common = common_of(&ops, loop);
    for (size_t i = 0; common && i < ops.n; i++)
        if (is_common(ops.at[i]) && ops.at[i] != common)
            ir_op_erase(ops.at[i]);
    if (common)
        ttkernel_move_in_front(common, loop, loop);
    ir_op_list_free(&ops);
}

/* ---- accumulation in L1 -------------------------------------------------------------- */

static bool contains_pack(ir_op *op)
{
    ir_op_list packs = ir_ops_in(op, ttkernel_is_pack);
    bool any = packs.n != 0;
    ir_op_list_free(&packs);
    return any;
}

/* The loop turns accumulation on and off once, around all that it packs. */
static void hoist_accumulation(ir_op *loop)
{
    ir_op_list switches = ir_ops_in(loop, ttkernel_is_accumulation);
    ir_op *on = switches.n == 2 ? switches.at[0] : NULL;
    ir_op *off = on ? switches.at[1] : NULL;
    ir_op_list_free(&switches);
    int64_t value;
    if (!on || on->block != ir_op_body(loop, 0) || off->block != on->block ||
        !ttkernel_is_invariant(on, loop) || !ttkernel_is_invariant(off, loop) ||
        !arith_constant_int(ir_op_operand(off, 0), &value) || value)
        return;
    bool inside = false;
    for (ir_op *op = on->block->first; op; op = op->next) {
        inside = op == on || (inside && op != off);
        if (!inside && contains_pack(op))
            return;
    }
    ttkernel_move_in_front(on, loop, loop);
    ttkernel_move_in_front(off, loop, loop->next);
}

/* ---- accessors */

static bool is_accessor(const ir_op *op)
{
    return op->def == TTKERNEL_OP(TensorAccessorArgs) ||
           op->def == TTKERNEL_OP(TensorAccessor);
}

static void hoist_accessors(ir_op *func)
{
    ir_op_list ops = ir_ops_in(func, is_accessor);
    for (size_t i = 0; i < ops.n; i++)
        for (ir_op *loop = ir_op_parent(ops.at[i]);
             loop != func && is_loop(loop) && ttkernel_is_invariant(ops.at[i], loop);
             loop = ir_op_parent(loop))
            ttkernel_move_in_front(ops.at[i], loop, loop);
    for (size_t i = 0; i < ops.n; i++)
        for (size_t k = 0; k < i; k++)
            if (ops.at[k] && ops.at[k]->block == ops.at[i]->block &&
                transform_equivalent(ops.at[k], ops.at[i])) {
                ir_value_replace_uses(&ops.at[i]->results[0], &ops.at[k]->results[0]);
                ir_op_erase(ops.at[i]);
                ops.at[i] = NULL;
                break;
            }
    ir_op_list_free(&ops);
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    drop_repeated(func);
    ir_op_list loops = ir_ops_in_post(func, is_loop);
    for (size_t i = 0; i < loops.n; i++) {
        hoist_common(loops.at[i]);
        hoist_accumulation(loops.at[i]);
    }
    ir_op_list_free(&loops);
    drop_repeated(func);
    hoist_accessors(func);
    return true;
}

const pass_def ttkernel_hoist_setup_pass = {
    .name = "ttkernel-hoist-setup",
    .summary = "Set compute units up once where loops do so at each iteration",
    .anchor = "func.func",
    .run = run,
};
