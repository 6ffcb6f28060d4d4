/* lower_load_store_ops_to_dma.c: d2m-lower-load-store-ops-to-dma: loads, stores and copies
 * of circular buffers become transfers with the protocol of the buffers, and of multicasts,
 * around them. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"

/* ---- building */

static ir_type tx_type(ir_context *ctx, int64_t kind)
{
    ir_attr param = ir_raw_int(ctx, kind);
    return ir_dialect_type(ctx, D2M_TYPE(mem_tx), &param, 1);
}

static ir_value *acquire(ir_builder *b, const ir_op_def *def, ir_value *cb)
{
    ir_attr held = ir_type_param(cb->type, "underlying");
    return ir_build1(b, def, held->type, &cb, 1, NULL, 0);
}

static void call(ir_builder *b, const ir_op_def *def, ir_value *v)
{
    ir_build_op(b, def, NULL, 0, &v, 1, NULL, 0, 0);
}

/* The values of an operation's operand groups in order, with their sizes. */
typedef struct groups {
    ir_value *at[4 * D2M_MAX_RANK];
    int32_t sizes[8];
    size_t n, n_groups;
} groups;

static void put(groups *g, ir_value *const *values, size_t n)
{
    for (size_t i = 0; i < n && g->n < TW_COUNT(g->at); i++)
        g->at[g->n++] = values[i];
    g->sizes[g->n_groups++] = (int32_t)n;
}

static void put_group(groups *g, const ir_op *from, const char *name)
{
    size_t first, n;
    ir_value *values[D2M_MAX_RANK];
    if (!ir_op_operand_group(from, ir_op_operand_index(from->def, name), &first, &n))
        n = 0;
    n = TW_MIN(n, (size_t)D2M_MAX_RANK);
    for (size_t i = 0; i < n; i++)
        values[i] = ir_op_operand(from, first + i);
    put(g, values, n);
}

static ir_op *build(ir_builder *b, const ir_op_def *def, ir_type result, const groups *g,
                    const char *attr, ir_attr value)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_named_attr attrs[2] = {{ir_ident_get(b->ctx, TW_STR("operandSegmentSizes")),
                               ir_dense_array(i32, g->sizes, g->n_groups)}};
    if (attr)
        attrs[1] = (ir_named_attr){ir_ident_get(b->ctx, tw_str_from(attr)), value};
    return ir_build(b, &(ir_op_state){.def = def,
                                      .loc = b->loc,
                                      .operands = g->at,
                                      .n_operands = g->n,
                                      .results = &result,
                                      .n_results = result != NULL,
                                      .attrs = attrs,
                                      .n_attrs = attr ? 2 : 1});
}

/* A transfer of a whole shard. */
static ir_value *build_read(ir_builder *b, ir_op *load, ir_value *local)
{
    groups g = {.n = 0};
    put_group(&g, load, "memref");
    put_group(&g, load, "indices");
    put(&g, &local, 1);
    put(&g, NULL, 0);
    return &build(b, D2M_OP(dma_read), tx_type(b->ctx, D2M_DMAType_Read), &g, "numElems",
                  ir_i64_attr(b->ctx, 0))
                ->results[0];
}

static ir_value *build_multicast(ir_builder *b, ir_op *load, ir_value *local)
{
    groups g = {.n = 0};
    put(&g, &local, 1);
    put(&g, NULL, 0);
    put(&g, &local, 1);
    put(&g, NULL, 0);
    put_group(&g, load, "mcastStartIndex");
    put_group(&g, load, "mcastShape");
    put(&g, NULL, 0);
    put(&g, NULL, 0);
    return &build(b, D2M_OP(dma_write), tx_type(b->ctx, D2M_DMAType_McastWrite), &g,
                  "numElems", ir_i64_attr(b->ctx, 0))
                ->results[0];
}

static void build_semaphore(ir_builder *b, const ir_op_def *def, ir_value *semaphore,
                            ir_value *value, const ir_op *from, const char *core,
                            const char *shape, bool devices)
{
    groups g = {.n = 0};
    put(&g, &semaphore, 1);
    put(&g, &value, 1);
    put_group(&g, from, core);
    if (shape)
        put_group(&g, from, shape);
    else
        put(&g, NULL, 0);
    if (devices) {
        put_group(&g, from, "startDevice");
        put_group(&g, from, "deviceMcastShape");
    } else {
        put(&g, NULL, 0);
        put(&g, NULL, 0);
    }
    build(b, def, NULL, &g, NULL, NULL);
}

static void build_wait(ir_builder *b, ir_value *semaphore, ir_value *value, ir_value *reset)
{
    ir_build_op(b, D2M_OP(semaphore_wait), NULL, 0, IR_VALUES(semaphore, value, reset),
                NULL, 0, 0);
}

/* ---- loads */

static ir_builder branch_body(ir_builder *b, ir_region *region)
{
    ir_block *block = ir_block_create(b->ctx);
    ir_region_append(region, block);
    ir_builder in = ir_builder_at_end(b->ctx, block, b->loc);
    in.before = ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return in;
}

/* True at the core where the rectangle begins. */
static ir_value *is_sender(ir_builder *b, const ir_op *load)
{
    enum { EQ = 0 };
    size_t first, n;
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    ir_value *all = NULL;
    ir_op_operand_group(load, ir_op_operand_index(load->def, "mcastStartIndex"), &first,
                        &n);
    for (size_t i = 0; i < n; i++) {
        ir_value *core = d2m_build_dim_query(b, D2M_OP(core_index), (int64_t)i);
        ir_value *same = ir_build1(b, ARITH_OP(cmpi), i1,
                                   IR_VALUES(core, ir_op_operand(load, first + i)),
                                   IR_ATTRS({"predicate", ir_i64_attr(b->ctx, EQ)}));
        all = all ? ir_build1(b, ARITH_OP(andi), i1, IR_VALUES(all, same), NULL, 0) : same;
    }
    return all;
}

static ir_value *semaphore_of(const ir_op *load, size_t i)
{
    ir_attr list = ir_op_attr(load, "preallocated_semaphores");
    const ir_op *generic = d2m_generic_around(load);
    if (!generic || !ir_attr_is(list, IR_ATTR_ARRAY) || list->count != 2)
        return NULL;
    int64_t at = ir_attr_int(list->items[i], -1);
    return at >= 0 && at < generic->n_operands ? ir_op_operand(generic, (size_t)at) : NULL;
}

/* Receivers report that they have reserved their block; then one core reads the shard,
 * sends it to all and reports that in turn. */
static bool lower_multicast(ir_op *load, ir_value *cb)
{
    ir_builder b = ir_builder_before(load);
    ir_value *ready = semaphore_of(load, 0), *finished = semaphore_of(load, 1);
    size_t first, n;
    if (!ready || !finished || !d2m_group_size(load, "mcastStartIndex"))
        return ir_op_error(load, "multicast needs its preallocated_semaphores; run "
                                 "--d2m-preallocate-mcast-semaphores before");
    ir_op_operand_group(load, ir_op_operand_index(load->def, "mcastShape"), &first, &n);
    ir_value *zero = arith_index(&b, 0), *one = arith_index(&b, 1), *volume = one;
    for (size_t i = 0; i < n; i++)
        volume = ir_build1(&b, ARITH_OP(muli), one->type,
                           IR_VALUES(volume, ir_op_operand(load, first + i)), NULL, 0);
    ir_value *receivers =
        ir_build1(&b, ARITH_OP(subi), one->type, IR_VALUES(volume, one), NULL, 0);
    ir_value *sender = is_sender(&b, load), *local = acquire(&b, D2M_OP(reserve), cb);
    ir_op *branch = ir_build_op(&b, SCF_OP(if), NULL, 0, &sender, 1, NULL, 0, 2);
    ir_builder in = branch_body(&b, &branch->regions[0]);
    call(&in, D2M_OP(dma_wait), build_read(&in, load, local));
    build_wait(&in, ready, receivers, zero);
    call(&in, D2M_OP(dma_wait), build_multicast(&in, load, local));
    build_semaphore(&in, D2M_OP(semaphore_set), finished, one, load, "mcastStartIndex",
                    "mcastShape", false);
    in = branch_body(&b, &branch->regions[1]);
    build_semaphore(&in, D2M_OP(semaphore_inc), ready, one, load, "mcastStartIndex", NULL,
                    false);
    build_wait(&in, finished, one, zero);
    call(&b, D2M_OP(push), cb);
    ir_op_erase(load);
    return true;
}

static int64_t port_of(const ir_value *cb)
{
    const ir_op *def = ir_value_def(cb);
    return ir_op_is(def, D2M_OP(get_cb)) ? ir_op_int(def, "cb_operand_idx", -1) : -1;
}

static bool is_fill(const ir_op *op)
{
    return op->def == D2M_OP(fill_arange_tile);
}

/* True if the generic itself writes the indices that the block is to hold: the memory that
 * it is loaded from is only there to be an operand. */
static bool is_filled(const ir_op *load, const ir_value *cb)
{
    ir_op *generic = d2m_generic_around(load);
    const ir_op *source = ir_value_def(ir_op_operand_named(load, "memref"));
    if (!generic || port_of(cb) < 0 || !ir_op_is(source, MEMREF_OP(alloc)))
        return false;
    ir_op_list fills = ir_ops_in(generic, is_fill);
    bool found = false;
    for (size_t i = 0; i < fills.n; i++) {
        const ir_op *wait = ir_value_def(ir_op_operand(fills.at[i], 0));
        found |=
            ir_op_is(wait, D2M_OP(wait)) && port_of(ir_op_operand(wait, 0)) == port_of(cb);
    }
    ir_op_list_free(&fills);
    return found;
}

static bool lower_load(ir_op *load, ir_value *cb)
{
    if (d2m_group_size(load, "mcastShape"))
        return lower_multicast(load, cb);
    ir_builder b = ir_builder_before(load);
    ir_value *local = acquire(&b, D2M_OP(reserve), cb);
    if (!is_filled(load, cb))
        call(&b, D2M_OP(dma_wait), build_read(&b, load, local));
    call(&b, D2M_OP(push), cb);
    ir_op_erase(load);
    return true;
}

/* ---- stores and copies */

static bool lower_store(ir_op *store, ir_value *cb)
{
    ir_builder b = ir_builder_before(store);
    ir_value *local = acquire(&b, D2M_OP(wait), cb);
    ir_value *semaphore = ir_op_operand_named(store, "semaphore");
    groups g = {.n = 0};
    put(&g, &local, 1);
    put(&g, NULL, 0);
    put_group(&g, store, "memref");
    put_group(&g, store, "indices");
    put(&g, NULL, 0);
    put(&g, NULL, 0);
    put_group(&g, store, "startDevice");
    put_group(&g, store, "deviceMcastShape");
    ir_op *write = build(&b, D2M_OP(dma_write), tx_type(b.ctx, D2M_DMAType_Write), &g,
                         "numElems", ir_i64_attr(b.ctx, 0));
    if (semaphore)
        build_semaphore(&b, D2M_OP(semaphore_inc), semaphore, arith_index(&b, 1), store,
                        "semaphoreIndices", NULL, true);
    call(&b, D2M_OP(dma_wait), &write->results[0]);
    call(&b, D2M_OP(pop), cb);
    ir_op_erase(store);
    return true;
}

static bool lower_copy(ir_op *copy, ir_value *from, ir_value *to)
{
    ir_builder b = ir_builder_before(copy);
    ir_value *source = acquire(&b, D2M_OP(wait), from);
    ir_value *target = acquire(&b, D2M_OP(reserve), to);
    groups g = {.n = 0};
    put(&g, &source, 1);
    put(&g, &target, 1);
    put(&g, NULL, 0);
    put(&g, NULL, 0);
    ir_op *moved = build(&b, D2M_OP(local_copy), tx_type(b.ctx, D2M_DMAType_Read), &g,
                         "indexing_maps", ir_op_attr(copy, "indexing_maps"));
    call(&b, D2M_OP(dma_wait), &moved->results[0]);
    call(&b, D2M_OP(push), to);
    call(&b, D2M_OP(pop), from);
    ir_op_erase(copy);
    return true;
}

static bool lower(ir_op *op)
{
    bool copy = op->def == D2M_OP(local_copy);
    ir_value *cb = ir_op_operand_named(op, copy ? "srcCb" : "cb");
    ir_attr held = cb ? ir_type_param(cb->type, "underlying") : NULL;
    if (!cb && copy)
        return true;
    if (!cb)
        return ir_op_error(op, "expected a circular buffer; run --d2m-split-unified-thread "
                               "before");
    if (!held || held->type->kind != IR_TYPE_MEMREF)
        return ir_op_error(op, "circular buffer must have memref underlying type");
    if (copy)
        return lower_copy(op, cb, ir_op_operand_named(op, "dstCb"));
    return op->def == D2M_OP(remote_load) ? lower_load(op, cb) : lower_store(op, cb);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list ops = ir_ops_in(module, d2m_is_shard_transfer);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = lower(ops.at[i]);
    ir_op_list_free(&ops);
    if (ok)
        rw_greedy(module, NULL, 0, &(rw_options){0});
    return ok;
}

const pass_def d2m_lower_load_store_ops_to_dma_pass = {
    .name = "d2m-lower-load-store-ops-to-dma",
    .summary = "Lower remote loads and stores to transfers",
    .anchor = "builtin.module",
    .run = run,
};
