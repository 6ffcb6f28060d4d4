/* split_threads.c: d2m-split-threads: a unified thread becomes one of data movement and one
 * of compute, each with the operations that it runs and the loops around them. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/linalg/linalg.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "support/arena.h"

#include <stdlib.h>

/* ---- what can be split */

static bool is_view(const ir_op *op)
{
    return op->def == MEMREF_OP(collapse_shape) || op->def == MEMREF_OP(subview) ||
           op->def == MEMREF_OP(cast);
}

/* The loop at the top of the region around an operation; NULL without one. */
static ir_op *top_loop(ir_op *generic, ir_op *op)
{
    ir_op *top = d2m_ancestor_in(ir_op_body(generic, 0), op);
    return ir_op_is(top, SCF_OP(for)) ? top : NULL;
}

/* The buffer that a value is (a part of); -1 if it is none that threads share. */
static int64_t shared_buffer(const ir_op *generic, ir_value *v)
{
    for (ir_op *def; (def = ir_value_def(v)) && is_view(def);)
        v = ir_op_operand(def, 0);
    size_t first, n;
    int64_t index = d2m_operand_index(generic, v);
    return index >= 0 && ir_op_operand_group(generic, 2, &first, &n) &&
                   index >= (int64_t)first && !d2m_is_local_buffer(v)
               ? index
               : -1;
}

static bool reads(const ir_op *op, size_t operand)
{
    if (op->def == MEMREF_OP(load))
        return operand == 0;
    return d2m_is_synchronizable(op) && d2m_sync_role(op, operand) == D2M_SYNC_CONSUMES;
}

/* Transfers of a buffer in several blocks, and readers of one in several nests, would wait
 * for each other at different paces. */
typedef struct port {
    ir_block *block;
    ir_op *nest;
    bool in_nest, several_blocks, several_nests;
} port;

static bool check_ports(ir_op *generic, const ir_op_list *ops, port *ports)
{
    for (size_t i = 0; i < ops->n; i++) {
        ir_op *op = ops->at[i];
        ir_op *nest = top_loop(generic, op);
        if (is_view(op))
            continue;
        if (d2m_is_shard_transfer(op)) {
            int64_t at = d2m_transfer_port(generic, op);
            if (at < 0 || at >= generic->n_operands)
                return ir_op_error(op, "its buffer is no operand of the d2m.generic");
            ports[at].several_blocks |= ports[at].block && ports[at].block != op->block;
            ports[at].block = op->block;
            ports[at].in_nest |= nest != NULL;
            continue;
        }
        for (uint32_t v = 0; nest && v < op->n_operands; v++) {
            int64_t at = reads(op, v) ? shared_buffer(generic, ir_op_operand(op, v)) : -1;
            if (at < 0)
                continue;
            ports[at].several_nests |= ports[at].nest && ports[at].nest != nest;
            ports[at].nest = nest;
        }
    }
    for (uint32_t i = 0; i < generic->n_operands; i++)
        if (ports[i].several_blocks)
            return ir_op_error(
                generic,
                "circular buffer (port %u) has data-movement accesses across "
                "distinct loop nests; cross-nest fan-out is not yet "
                "supported (would deadlock on a cadence mismatch)",
                i);
    for (uint32_t i = 0; i < generic->n_operands; i++)
        if (ports[i].several_nests && ports[i].in_nest)
            return ir_op_error(generic,
                               "circular buffer (port %u) is consumed by compute across "
                               "distinct loop nests; cross-nest fan-out is not yet "
                               "supported (would deadlock on a wait/pop cadence mismatch)",
                               i);
    return true;
}

static bool check_scopes(ir_op *generic, const ir_op_list *ops)
{
    ir_mapping *synchronized = d2m_synchronized_parents(ops);
    bool ok = true;
    for (size_t i = 0; ok && i < ops->n; i++) {
        ir_op *at = ops->at[i];
        if (!d2m_is_compute(at))
            continue;
        while (ok && ir_op_parent(at) != generic &&
               !ir_mapping_get(synchronized, ir_op_parent(at))) {
            at = ir_op_parent(at);
            ok = at->def == SCF_OP(for) || at->def == LINALG_OP(generic) ||
                 ir_op_error(at, "parent ops containing compute ops must be scf.for or "
                                 "linalg.generic");
        }
    }
    ir_mapping_free(synchronized);
    return ok;
}

static bool check(ir_op *generic)
{
    ir_op_list ops = ir_ops_in_block_post(ir_op_body(generic, 0), NULL);
    port *ports = tw_xcalloc(generic->n_operands + 1u, sizeof *ports);
    bool ok = check_ports(generic, &ops, ports) && check_scopes(generic, &ops);
    free(ports);
    ir_op_list_free(&ops);
    return ok && d2m_check_replicated_semaphores(ir_op_body(generic, 0));
}

/* ---- the threads */

static bool is_terminator(const ir_op *op)
{
    return op->def->traits & IR_TERMINATOR;
}

/* What the thread of data movement runs, whatever else needs it. */
static bool is_movement(const ir_op *op)
{
    return is_terminator(op) || d2m_is_shard_transfer(op) || op->def == SCF_OP(for) ||
           op->def == D2M_OP(device_synchronize) || op->def == D2M_OP(semaphore_wait);
}

static void need_operands(ir_mapping *needed, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(ir_op_operand(op, i));
        if (def)
            ir_mapping_set(needed, def, def);
    }
    for (uint16_t r = 0; r < op->n_regions && op->def != SCF_OP(for); r++)
        for (const ir_block *block = op->regions[r].first; block; block = block->next)
            for (const ir_op *in = block->first; in; in = in->next)
                need_operands(needed, in);
}

/* Users come before what they need, from the end of a block to its start. */
static void find_needed(ir_mapping *needed, const ir_block *block)
{
    for (const ir_op *op = block->last; op; op = op->prev) {
        if (op->def == SCF_OP(for))
            find_needed(needed, ir_op_body(op, 0));
        if (is_movement(op) || ir_mapping_get(needed, op))
            need_operands(needed, op);
    }
}

static bool moves_data(const ir_op *op)
{
    ir_attr thread = ir_op_attr(op, "d2m.thread");
    return thread && ir_attr_int(ir_attr_param(thread, "threadType"), -1) ==
                         D2M_ThreadType_Datamovement;
}

static void erase_transfers(ir_block *block)
{
    ir_op_list ops = ir_ops_in_block_post(block, moves_data);
    for (size_t i = ops.n; i-- > 0;)
        if (ir_op_is_unused(ops.at[i]))
            ir_op_erase(ops.at[i]);
    ir_op_list_free(&ops);
    d2m_erase_dead(block);
}

static ir_attr threads_attr(ir_context *ctx)
{
    int64_t types[] = {D2M_ThreadType_Datamovement, D2M_ThreadType_Compute};
    ir_attr items[2];
    for (int i = 0; i < 2; i++) {
        ir_attr params[] = {ir_raw_int(ctx, types[i]), NULL, ir_raw_int(ctx, -1)};
        items[i] = ir_dialect_attr(ctx, D2M_ATTR(thread), params, 3);
    }
    return ir_array_attr(ctx, items, 2);
}

static void copy_movement(const ir_mapping *needed, ir_block *source, ir_region *to,
                          ir_mapping *map);

/* The loop without what is in it. */
static ir_op *copy_loop(const ir_mapping *needed, ir_op *loop, ir_mapping *map)
{
    ir_region body = {.owner = loop};
    ir_region_take(&body, &loop->regions[0]);
    ir_op *copy = ir_op_clone(loop, map);
    ir_region_take(&loop->regions[0], &body);
    copy_movement(needed, ir_op_body(loop, 0), &copy->regions[0], map);
    return copy;
}

/* Copies the transfers of a block, the loops around them and what they need. */
static void copy_movement(const ir_mapping *needed, ir_block *source, ir_region *to,
                          ir_mapping *map)
{
    ir_context *ctx = to->owner->ctx;
    ir_block *block = ir_block_create(ctx);
    ir_region_append(to, block);
    for (uint32_t i = 0; i < source->n_args; i++)
        ir_mapping_set(map, source->args[i],
                       ir_block_add_arg(ctx, block, source->args[i]->type, to->owner->loc));
    for (ir_op *op = source->first; op; op = op->next)
        if (op->def == SCF_OP(for))
            ir_block_append(block, copy_loop(needed, op, map));
        else if (is_movement(op) || ir_mapping_get(needed, op))
            ir_block_append(block, ir_op_clone(op, map));
}

static void split(ir_op *generic)
{
    ir_op *split = d2m_copy_shell(generic, threads_attr(generic->ctx), 2);
    ir_mapping *needed = ir_mapping_create(), *map = ir_mapping_create();
    find_needed(needed, ir_op_body(generic, 0));
    copy_movement(needed, ir_op_body(generic, 0), &split->regions[0], map);
    ir_mapping_free(map);
    ir_mapping_free(needed);
    ir_region_take(&split->regions[1], &generic->regions[0]);
    erase_transfers(ir_op_body(split, 1));
    ir_op_list ops = ir_ops_in(split, NULL);
    for (size_t i = 0; i < ops.n; i++)
        if (ops.at[i] != split)
            ir_op_set_attr(ops.at[i], "d2m.thread", NULL);
    ir_op_list_free(&ops);
    ir_op_erase(generic);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n; i++) {
        d2m_generic g;
        ir_op *generic = generics.at[i];
        if (!d2m_generic_of(generic, &g) || !d2m_generic_is_unified(&g))
            continue;
        if (ir_op_body(generic, 0) && !generic->n_results && check(generic))
            split(generic);
        else
            ok = ir_op_error(generic, "failed to split unified thread");
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_split_threads_pass = {
    .name = "d2m-split-threads",
    .summary = "Split unified threads into data movement and compute threads",
    .anchor = "builtin.module",
    .run = run,
};
