/* schedule_dma.c: d2m-schedule-dma: divides the data movement thread of a generic between
 * the cores that move data. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/threads.h"
#include "ir/pass/pass.h"
#include "mlir/scf/scf.h"
#include "support/arena.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { MAX_THREADS = 6, MAX_PORTS = 1024 };

typedef struct division {
    ir_op *generic;
    ir_op_list ops;  /* transfers of the thread */
    size_t *load;    /* transfers of each operand's buffer */
    int64_t *thread; /* that moves it */
    int64_t n_ports;
    size_t n_buffers, n_threads;
    int64_t core[MAX_THREADS];
} division;

static bool is_in_dram(const ir_op *op)
{
    return d2m_space_of(ir_op_operand_named(op, "memref")->type) ==
           TTCORE_MemorySpace_DeviceDRAM;
}

/* Buffers with equally many transfers are in the order of tt-mlir's hash table. */
static bool comes_before(const division *d, int64_t a, int64_t b)
{
    return d->load[a] != d->load[b] ? d->load[a] > d->load[b] : a * 37 % 64 < b * 37 % 64;
}

/* The buffers with the most transfers first, each to the thread with the fewest so far. */
static void assign_threads(division *d)
{
    size_t work[MAX_THREADS] = {0};
    for (size_t n = 0; n < d->n_buffers; n++) {
        int64_t next = -1;
        size_t thread = 0;
        for (int64_t i = 0; i < d->n_ports; i++)
            if (d->load[i] && d->thread[i] < 0 && (next < 0 || comes_before(d, i, next)))
                next = i;
        for (size_t t = 1; t < d->n_threads; t++)
            if (work[t] < work[thread])
                thread = t;
        d->thread[next] = (int64_t)thread;
        work[thread] += d->load[next];
    }
}

/* NoC 0 is for the thread that reads more from DRAM: multicast data counts first. */
static void assign_nocs(division *d)
{
    int64_t multicast[2] = {0}, bias[2] = {0};
    for (size_t i = 0; i < d->ops.n; i++) {
        ir_op *op = d->ops.at[i];
        int64_t t = d->thread[d2m_transfer_port(d->generic, op)];
        if (op->def == D2M_OP(local_copy) || !is_in_dram(op))
            continue;
        if (op->def == D2M_OP(remote_store)) {
            bias[t] -= 1;
        } else if (d2m_group_size(op, "mcastStartIndex")) {
            d2m_shape shard;
            ir_type type = ir_op_operand_named(op, "memref")->type;
            d2m_half_of(type, true, &shard);
            multicast[t] += d2m_volume(&shard) * d2m_element_bytes(type->element);
        } else {
            bias[t] += 2;
        }
    }
    bool swap =
        multicast[1] != multicast[0] ? multicast[1] > multicast[0] : bias[1] > bias[0];
    d->core[0] = swap ? 0 : 1;
    d->core[1] = swap ? 1 : 0;
}

static ir_attr thread_attr(ir_context *ctx, int64_t type, int64_t core)
{
    ir_attr params[] = {ir_raw_int(ctx, type), NULL, ir_raw_int(ctx, core)};
    return ir_dialect_attr(ctx, D2M_ATTR(thread), params, 3);
}

static bool writes_dram(const division *d)
{
    for (size_t i = 0; i < d->ops.n; i++)
        if (d->ops.at[i]->def == D2M_OP(remote_store) && is_in_dram(d->ops.at[i]))
            return true;
    return false;
}

/* Erases the transfers of other threads. */
static void keep_own(const division *d, ir_op *generic, ir_block *block, int64_t thread)
{
    ir_op_list ops = ir_ops_in_block(block, d2m_is_shard_transfer);
    for (size_t i = 0; i < ops.n; i++) {
        int64_t port = d2m_transfer_port(generic, ops.at[i]);
        if (port >= 0 && d->thread[port] != thread && ir_op_is_unused(ops.at[i]))
            ir_op_erase(ops.at[i]);
    }
    ir_op_list_free(&ops);
}

static void copy_block(ir_context *ctx, ir_block *from, ir_region *to, ir_loc loc)
{
    ir_block *block = ir_block_create(ctx);
    ir_mapping *map = ir_mapping_create();
    ir_region_append(to, block);
    for (uint32_t i = 0; i < from->n_args; i++)
        ir_mapping_set(map, from->args[i],
                       ir_block_add_arg(ctx, block, from->args[i]->type, loc));
    for (ir_op *op = from->first; op; op = op->next)
        ir_block_append(block, ir_op_clone(op, map));
    ir_mapping_free(map);
}

static void split(const division *d)
{
    ir_op *generic = d->generic;
    ir_context *ctx = generic->ctx;
    ir_attr threads[MAX_THREADS + 1];
    for (size_t t = 0; t < d->n_threads; t++)
        threads[t] = thread_attr(ctx, D2M_ThreadType_Datamovement, d->core[t]);
    threads[d->n_threads] = thread_attr(ctx, D2M_ThreadType_Compute, -1);
    ir_op *divided = d2m_copy_shell(generic, ir_array_attr(ctx, threads, d->n_threads + 1),
                                    d->n_threads + 1);
    for (size_t t = 0; t < d->n_threads; t++) {
        copy_block(ctx, ir_op_body(generic, 0), &divided->regions[t], generic->loc);
        keep_own(d, divided, ir_op_body(divided, t), (int64_t)t);
    }
    ir_region_take(&divided->regions[d->n_threads], &generic->regions[1]);
    ir_op_erase(generic);
}

static bool run_generic(ir_op *generic, int64_t cores)
{
    division d = {.generic = generic};
    ir_block *block = ir_op_body(generic, 0);
    bool ok = d2m_check_replicated_semaphores(block);
    d.ops = ir_ops_in_block(block, d2m_is_shard_transfer);
    for (size_t i = 0; i < d.ops.n; i++)
        d.n_ports = TW_MAX(d.n_ports, d2m_transfer_port(generic, d.ops.at[i]) + 1);
    ok = ok && (d.n_ports <= MAX_PORTS ||
                ir_op_error(generic, "has a circular buffer of number %lld, beyond %d",
                            (long long)d.n_ports - 1, MAX_PORTS - 1));
    d.load = tw_xcalloc(MAX_PORTS, sizeof *d.load);
    d.thread = tw_xcalloc(MAX_PORTS, sizeof *d.thread);
    for (size_t i = 0; i < MAX_PORTS; i++)
        d.thread[i] = -1;
    for (size_t i = 0; i < d.ops.n && ok; i++) {
        int64_t port = d2m_transfer_port(generic, d.ops.at[i]);
        if (port < 0)
            ok = ir_op_error(d.ops.at[i], "uses no circular buffer of the d2m.generic");
        else
            d.n_buffers += d.load[port]++ == 0;
    }
    d.n_threads = TW_MIN(d.n_buffers, (size_t)cores);
    if (ok && d.n_threads == 1) {
        int64_t core = cores == 2 && !writes_dram(&d);
        ir_attr both[] = {thread_attr(generic->ctx, D2M_ThreadType_Datamovement, core),
                          ir_op_attr(generic, "threads")->items[1]};
        ir_op_set_attr(generic, "threads", ir_array_attr(generic->ctx, both, 2));
    } else if (ok && d.n_threads) {
        assign_threads(&d);
        for (int64_t t = 0; t < MAX_THREADS; t++)
            d.core[t] = t;
        if (cores == 2)
            assign_nocs(&d);
        split(&d);
    }
    ir_op_list_free(&d.ops);
    free(d.load);
    free(d.thread);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t cores = pass_option_int(run, "num-dm-cores");
    if (cores == 0)
        cores = ttnn_chip_int(module, "numDatamovementThreads", 2);
    if (cores == 1)
        return true;
    if (cores != 2 && cores != 6)
        return ir_error(module->ctx, module->loc,
                        "d2m-schedule-dma only supports 2 or 6 DM cores");
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        d2m_generic g;
        ir_op *op = generics.at[i];
        if (d2m_generic_of(op, &g) && op->n_regions == 2 && !op->n_results &&
            ir_op_body(op, 0) && d2m_generic_thread(&g, 0) == D2M_ThreadType_Datamovement &&
            d2m_generic_thread(&g, 1) == D2M_ThreadType_Compute)
            ok = run_generic(op, cores);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_schedule_dma_pass = {
    .name = "d2m-schedule-dma",
    .summary = "Divide transfers between data movement cores",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"num-dm-cores", PASS_INT, "0",
                                  "Data movement cores (0: the chip's)", NULL, NULL}),
};
