/* convert_ttl_to_ttkernel.c: ttl on tiles and buffers becomes ttkernel.
 *
 * A table says how each operation is converted.  Afterwards a compute thread's tensors,
 * which only tied tiles to buffers, are taken away, and thread functions lose the
 * arguments that nothing reads any more. */
#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "mlir/func/func.h"
#include "mlir/scf/scf.h"
#include "mlir/scf/scf_build.h"
#include "mlir/tensor/tensor.h"
#include "support/number.h"
#include "support/strbuf.h"
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

/* ---- shared -------------------------------------------------------------------------- */

ir_op *k_call(ir_builder *b, const ir_op_def *def, ir_value *const *operands, size_t n)
{
    return ir_build_op(b, def, NULL, 0, operands, n, NULL, 0, 0);
}

ir_value *k_loop(ir_builder *b, int64_t extent, ir_builder *out_body)
{
    ir_value *step = arith_index(b, 1), *end = arith_index(b, extent);
    return scf_for(b, arith_index(b, 0), end, step, out_body);
}

ir_value *k_arith(ir_builder *b, const char *op, ir_value *x, ir_value *y)
{
    return ir_build1(b, ir_context_op_def(b->ctx, tw_str_from(op)), x->type,
                     IR_VALUES(x, y), NULL, 0);
}

bool k_replace(ir_op *op, ir_value *by)
{
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
    return true;
}

bool k_illegal(ir_op *op, const char *why)
{
    return ir_error_unlowered(op->ctx, op->loc, op->def->name, why);
}

ir_type k_cb_type(ir_type cb)
{
    ir_attr params[] = {ir_raw_int(cb->ctx, ttl_cb_capacity(cb)), cb->params[1]};
    return ir_dialect_type(cb->ctx, TTKERNEL_TYPE(cb), params, 2);
}

ir_value *k_cb(k_func *f, ir_builder *b, ir_value *cb)
{
    if (cb->type->def == TTKERNEL_TYPE(cb))
        return cb;
    ir_value *known = ir_mapping_get(f->cbs, cb);
    return known ? known
                 : ir_build1(b, BUILTIN_OP(unrealized_conversion_cast), k_cb_type(cb->type),
                             &cb, 1, NULL, 0);
}

/* ---- buffers ------------------------------------------------------------------------- */

/* Notes that numbers lie in rows in a buffer, where a copy from or to such a tensor shows
 * it: later the copies are gone. */
static void mark_rows(ir_value *cb)
{
    ir_op *bind = ttl_bind_of(cb);
    for (const ir_operand *use = cb->uses; bind && use; use = use->next_use) {
        const ir_op *op = use->owner;
        for (uint32_t i = 0; op->def == TTL_OP(copy) && i < 2; i++) {
            ir_type t = op->operands[i].value->type;
            if (t->kind == IR_TYPE_TENSOR && !ttcore_is_tile(t->element))
                ir_op_set_attr(bind, "ttl.rows", ir_unit_attr(op->ctx));
        }
    }
}

static ir_walk bind(ir_op *op, void *user)
{
    k_func *f = user;
    ir_builder b = ir_builder_before(op);
    if (op->def == TTL_OP(reshape_cb))
        ir_mapping_set(f->cbs, &op->results[0], k_cb(f, &b, op->operands[0].value));
    if (op->def == TTL_OP(reshape_cb) || op->def == TTL_OP(bind_cb))
        mark_rows(&op->results[0]);
    if (op->def != TTL_OP(bind_cb))
        return IR_WALK_ON;
    ir_value *cb = ir_build1(
        &b, TTKERNEL_OP(get_compile_time_arg_val), k_cb_type(op->results[0].type), NULL, 0,
        IR_ATTRS({"arg_index", ir_i32_attr(f->ctx, ir_op_int(op, "cb_index", 0))}));
    ir_mapping_set(f->cbs, &op->results[0], cb);
    return IR_WALK_ON;
}

/* For hosts, of a buffer of numbers: ttl.number_buffers has its port, its pages, the bytes
 * of one. */
static void note_pages(k_func *f, ir_op *op)
{
    int64_t all[3 * TTL_MAX_BUFFERS];
    ir_value *cb = &op->results[0];
    ir_attr known = ir_op_attr(f->func, "ttl.number_buffers");
    int64_t n = known ? ir_attr_ints(known, all, TW_COUNT(all)) : 0;
    const int64_t pages = ttl_block_pages(cb), numbers = ttl_cb_block_size(cb->type);
    if (ttcore_is_tile(ttl_cb_element(cb->type)) || n < 0 || n + 3 > (int64_t)TW_COUNT(all))
        return;
    all[n++] = ir_op_int(op, "cb_index", 0);
    all[n++] = tw_saturating_product(pages, cb->type->params[2]->value);
    all[n++] = (ir_op_attr(op, "ttl.padded") ? 32 * 32 : numbers / TW_MAX(pages, 1)) *
               ttcore_scalar_bytes(ttl_cb_element(cb->type));
    ir_op_set_attr(
        f->func, "ttl.number_buffers",
        ir_dense_array(ir_integer_type(f->ctx, 64, IR_SIGNLESS), all, (size_t)n));
}

/* For the device, of a buffer on some cores: ttl.core_ranges has its port and its words. */
static void note_cores(k_func *f, ir_op *op)
{
    enum { MAX_WORDS = 64 };
    int64_t words[1 + MAX_WORDS] = {ir_op_int(op, "cb_index", 0)};
    ir_attr mask = ir_op_attr(op, "core_ranges"),
            all = ir_op_attr(f->func, "ttl.core_ranges");
    ir_attr lists[TTL_MAX_BUFFERS + 1];
    uint32_t n = all ? all->count : 0;
    if (!mask || n >= TTL_MAX_BUFFERS || mask->params[0]->count > MAX_WORDS)
        return;
    for (uint32_t i = 0; i < n; i++)
        lists[i] = all->items[i];
    for (uint32_t i = 0; i < mask->params[0]->count; i++)
        words[1 + i] = mask->params[0]->items[i]->value;
    lists[n] = ir_dense_array(ir_integer_type(f->ctx, 64, IR_SIGNLESS), words,
                              1 + mask->params[0]->count);
    ir_op_set_attr(f->func, "ttl.core_ranges", ir_array_attr(f->ctx, lists, n + 1));
}

static bool convert_bind(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *cb = ir_mapping_get(f->cbs, &op->results[0]);
    if (ir_op_attr(f->func, "ttl.of_kernel"))
        note_pages(f, op);
    note_cores(f, op);
    if (op->results[0].uses)
        ir_value_replace_uses(&op->results[0],
                              ir_build1(&b, BUILTIN_OP(unrealized_conversion_cast),
                                        op->results[0].type, &cb, 1, NULL, 0));
    ir_op_erase(op);
    return true;
}

/* cb_wait and cb_reserve, cb_pop and cb_push: whole blocks. */
static bool convert_cb(k_func *f, ir_op *op)
{
    static const struct {
        const ir_op_def *from, *to;
    } rows[] = {
        {TTL_OP(cb_reserve), TTKERNEL_OP(cb_reserve_back)},
        {TTL_OP(cb_push), TTKERNEL_OP(cb_push_back)},
        {TTL_OP(cb_wait), TTKERNEL_OP(cb_wait_front)},
        {TTL_OP(cb_pop), TTKERNEL_OP(cb_pop_front)},
    };
    size_t row = 0;
    while (rows[row].from != op->def)
        row++;
    ir_type type = op->operands[0].value->type;
    if (type->kind != IR_TYPE_DIALECT || type->def != TTL_TYPE(cb))
        return k_illegal(op, "it takes a block; --ttl-canonicalize gives it the buffer");
    ir_builder b = ir_builder_before(op);
    ir_value *cb = k_cb(f, &b, op->operands[0].value);
    K_CALL(&b, rows[row].to, cb, arith_i32(&b, ttl_block_pages(op->operands[0].value)));
    if (op->n_results && op->results[0].uses)
        ir_value_replace_uses(&op->results[0],
                              ir_build1(&b, BUILTIN_OP(unrealized_conversion_cast),
                                        op->results[0].type, &cb, 1, NULL, 0));
    ir_op_erase(op);
    return true;
}

static bool convert_attach(k_func *f, ir_op *op)
{
    (void)f;
    return k_replace(op, op->operands[0].value);
}

/* ---- the rest ------------------------------------------------------------------------ */

static bool convert_core(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    const ir_op_def *def =
        op->def == TTL_OP(core_x) ? TTKERNEL_OP(my_logical_x_) : TTKERNEL_OP(my_logical_y_);
    return k_replace(op, ir_build1(&b, def, ir_index_type(f->ctx), NULL, 0, NULL, 0));
}

static bool convert_barrier(k_func *f, ir_op *op)
{
    (void)f;
    ir_builder b = ir_builder_before(op);
    k_call(&b, TTKERNEL_OP(noc_async_read_barrier), NULL, 0);
    k_call(&b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
    ir_op_erase(op);
    return true;
}

static bool convert_regs(k_func *f, ir_op *op)
{
    (void)f;
    ir_builder b = ir_builder_before(op);
    const ir_op_def *def =
        op->def == TTL_OP(tile_regs_acquire)  ? TTKERNEL_OP(tile_regs_acquire)
        : op->def == TTL_OP(tile_regs_commit) ? TTKERNEL_OP(tile_regs_commit)
        : op->def == TTL_OP(tile_regs_wait)   ? TTKERNEL_OP(tile_regs_wait)
                                              : TTKERNEL_OP(tile_regs_release);
    k_call(&b, def, NULL, 0);
    ir_op_erase(op);
    return true;
}

static const struct {
    const ir_op_def *def;
    k_convert_fn *convert;
    k_part part;
} table[] = {
    {TTL_OP(attach_cb), convert_attach, K_REST},
    {TTL_OP(bind_cb), convert_bind, K_REST},
    {TTL_OP(cb_fill), k_cb_fill, K_REST},
    {TTL_OP(cb_pad), k_cb_pad, K_REST},
    {TTL_OP(cb_pop), convert_cb, K_REST},
    {TTL_OP(cb_push), convert_cb, K_REST},
    {TTL_OP(cb_reserve), convert_cb, K_REST},
    {TTL_OP(cb_wait), convert_cb, K_REST},
    {TTL_OP(copy), k_copy, K_TRANSFERS},
    {TTL_OP(copy_dst), k_copy_dst, K_COMPUTE},
    {TTL_OP(copy_tile), k_copy_tile, K_COMPUTE},
    {TTL_OP(core_x), convert_core, K_REST},
    {TTL_OP(core_y), convert_core, K_REST},
    {TTL_OP(create_pipe), k_drop, K_REST},
    {TTL_OP(create_semaphore), k_drop, K_REST},
    {TTL_OP(dma_barrier), convert_barrier, K_TRANSFERS},
    {TTL_OP(get_remote_multicast_semaphore), k_drop, K_REST},
    {TTL_OP(get_remote_semaphore), k_drop, K_REST},
    {TTL_OP(get_tile), k_get_tile, K_COMPUTE},
    {TTL_OP(init_sfpu), k_init_sfpu, K_COMPUTE},
    {TTL_OP(pack_tile), k_pack_tile, K_COMPUTE},
    {TTL_OP(reshape_cb), convert_bind, K_REST},
    {TTL_OP(semaphore_inc), k_semaphore_inc, K_REST},
    {TTL_OP(semaphore_set), k_semaphore_set, K_REST},
    {TTL_OP(semaphore_wait), k_semaphore_wait, K_REST},
    {TTL_OP(store), k_store, K_COMPUTE},
    {TTL_OP(tensor_slice), k_tensor_slice, K_TRANSFERS},
    {TTL_OP(tile_bcast), k_tile_bcast, K_COMPUTE},
    {TTL_OP(tile_matmul), k_tile_matmul, K_COMPUTE},
    {TTL_OP(tile_reduce_max), k_tile_reduce, K_COMPUTE},
    {TTL_OP(tile_reduce_sum), k_tile_reduce, K_COMPUTE},
    {TTL_OP(tile_transpose), k_tile_transpose, K_COMPUTE},
    {TTL_OP(tile_typecast), k_typecast, K_COMPUTE},
    {TTL_OP(tile_regs_acquire), convert_regs, K_COMPUTE},
    {TTL_OP(tile_regs_commit), convert_regs, K_COMPUTE},
    {TTL_OP(tile_regs_release), convert_regs, K_COMPUTE},
    {TTL_OP(tile_regs_wait), convert_regs, K_COMPUTE},
    {TTL_OP(wait), k_wait, K_TRANSFERS},
};

static k_convert_fn *converter_of(const k_func *f, const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == def)
            return table[i].part & f->parts ? table[i].convert : NULL;
    const ttl_elementwise *row = ttl_elementwise_of(def);
    return row && row->tile == def && f->parts & K_COMPUTE ? k_elementwise : NULL;
}

static void convert_region(k_func *f, ir_region *region);

static void convert_op(k_func *f, ir_op *op)
{
    for (uint16_t r = op->n_regions; r-- > 0 && !f->failed;)
        convert_region(f, &op->regions[r]);
    k_convert_fn *convert = converter_of(f, op->def);
    bool left = f->parts & K_REST && strncmp(op->def->name, "ttl.", 4) == 0 &&
                op->def != TTL_OP(signpost) && op->def != TTL_OP(check_index);
    if (f->failed || (!convert && !left))
        return;
    f->failed = !(convert ? convert(f, op) : k_illegal(op, "nothing converts it"));
}

static void convert_region(k_func *f, ir_region *region)
{
    for (ir_block *b = region->last; b && !f->failed; b = b->prev)
        for (ir_op *op = b->last, *prev; op && !f->failed; op = prev) {
            prev = op->prev;
            convert_op(f, op);
        }
}

/* ---- functions ----------------------------------------------------------------------- */

static void set_function_type(ir_op *func)
{
    const ir_block *entry = ir_op_body(func, 0);
    ir_type old = ir_op_attr(func, "function_type")->type;
    ir_type *inputs = tw_xmalloc((entry->n_args + 1) * sizeof *inputs);
    for (uint32_t i = 0; i < entry->n_args; i++)
        inputs[i] = entry->args[i]->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, inputs, entry->n_args,
                                                 ir_function_results(old), old->results)));
    free(inputs);
}

/* What the kernel's tensors have become, in the thread that has them, for hosts. */
static void settle_types(ir_op *func)
{
    ir_attr types = ir_op_attr(func, "ttl.tensor_types");
    ir_attr numbers = ir_op_attr(func, "ttl.crta_indices");
    const ir_block *entry = ir_op_body(func, 0);
    if (!types || !numbers || numbers->count != entry->n_args)
        return;
    ir_attr *settled = tw_xmalloc((types->count + 1) * sizeof *settled);
    memcpy(settled, types->items, types->count * sizeof *settled);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        int64_t k = ir_attr_int(numbers->items[i], -1);
        if (k >= 0 && k < types->count)
            settled[k] = ir_type_attr(entry->args[i]->type);
    }
    ir_op_set_attr(func, "ttl.tensor_types",
                   ir_array_attr(func->ctx, settled, types->count));
    free(settled);
}

/* Arguments change type in place: everything that read them as ttl has been converted. */
static void convert_arguments(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_type t = entry->args[i]->type;
        if (t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(cb))
            entry->args[i]->type = k_cb_type(t);
        else if (t->kind == IR_TYPE_TENSOR && !entry->args[i]->uses &&
                 ir_attr_is(t->encoding, IR_ATTR_DIALECT))
            entry->args[i]->type =
                ir_dialect_type(func->ctx, TTKERNEL_TYPE(TensorAccessor), NULL, 0);
    }
    set_function_type(func);
}

static void erase_unused_arguments(ir_op *func, bool all_or_none)
{
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; i < entry->n_args && all_or_none; i++)
        if (entry->args[i]->uses)
            return;
    ir_attr attrs = ir_op_attr(func, "arg_attrs");
    ir_attr *kept = tw_xmalloc((entry->n_args + 1) * sizeof *kept);
    size_t n = 0;
    uint32_t at = 0;
    for (uint32_t i = 0, count = entry->n_args; i < count; i++) {
        if (entry->args[at]->uses) {
            if (attrs)
                kept[n++] = attrs->items[i];
            at++;
        } else {
            ir_block_erase_arg(entry, at);
        }
    }
    if (attrs)
        ir_op_set_attr(func, "arg_attrs", n ? ir_array_attr(func->ctx, kept, n) : NULL);
    free(kept);
    set_function_type(func);
}

/* The buffers' addresses that the host hands to a data movement thread. */
static void set_arg_spec(ir_op *func, size_t n_tensors)
{
    ir_context *ctx = func->ctx;
    ir_attr *args = tw_xmalloc((n_tensors + 1) * sizeof *args);
    for (size_t i = 0; i < n_tensors; i++) {
        ir_attr params[] = {ir_raw_int(ctx, TTKERNEL_ArgType_BufferAddress),
                            ir_raw_int(ctx, (int64_t)i), ir_raw_int(ctx, 1), NULL};
        args[i] = ir_dialect_attr(ctx, TTKERNEL_ATTR(arg), params, 4);
    }
    ir_attr params[] = {ir_array_attr(ctx, NULL, 0), ir_array_attr(ctx, args, n_tensors)};
    ir_op_set_attr(func, "ttkernel.arg_spec",
                   ir_dialect_attr(ctx, TTKERNEL_ATTR(arg_spec), params, 2));
    free(args);
}

/* In a compute thread tensors are only names for buffers and registers. */
static ir_walk drop_tensors(ir_op *op, void *user)
{
    (void)user;
    if (op->def == TENSOR_OP(insert))
        k_replace(op, op->operands[1].value);
    return IR_WALK_ON;
}

static ir_walk drop_unused(ir_op *op, void *user)
{
    (void)user;
    if ((op->def == TENSOR_OP(extract) || op->def == TENSOR_OP(empty)) &&
        ir_op_is_unused(op))
        ir_op_erase(op);
    return IR_WALK_ON;
}

static ir_walk drop_returned(ir_op *op, void *user)
{
    (void)user;
    if (op->def == FUNC_OP(return ) && op->n_operands)
        ir_op_splice_operands(op, 0, op->n_operands, NULL, 0);
    return IR_WALK_ON;
}

static void finish_compute(ir_op *func)
{
    ir_walk_post(func, drop_tensors, NULL);
    ir_type old = ir_op_attr(func, "function_type")->type;
    if (old->results) {
        ir_walk_post(func, drop_returned, NULL);
        ir_op_set_attr(
            func, "function_type",
            ir_type_attr(ir_function_type(func->ctx, old->types, old->count, NULL, 0)));
        ir_op_set_attr(func, "res_attrs", NULL);
    }
    ir_walk_post(func, drop_unused, NULL);
    ir_walk_post(func, drop_unused, NULL);
    k_set_formats(func);
    erase_unused_arguments(func, false);
}

static void finish_thread(ir_op *func)
{
    ir_attr thread = ir_op_attr(func, "ttl.kernel_thread");
    int64_t kind = ttkernel_thread_kind(func);
    if (kind != TTKERNEL_ThreadType_Noc && kind != TTKERNEL_ThreadType_Compute)
        return;
    if (thread) {
        ir_op_set_attr(func, "ttl.kernel_thread", NULL);
        ir_op_set_attr(func, "ttkernel.thread", thread);
    }
    if (kind == TTKERNEL_ThreadType_Compute) {
        finish_compute(func);
        return;
    }
    size_t tensors = 0;
    for (uint32_t i = 0; i < ir_op_body(func, 0)->n_args; i++)
        tensors += ir_op_body(func, 0)->args[i]->type->kind == IR_TYPE_TENSOR;
    if (tensors)
        set_arg_spec(func, tensors);
    settle_types(func);
    erase_unused_arguments(func, true);
}

/* Integers among a thread's arguments come, as its tensors' addresses do, as common runtime
 * arguments of their position. */
static void convert_numbers(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    ir_builder b = ir_builder_before(entry->first);
    b.loc = func->loc;
    ir_type i32 = ir_integer_type(func->ctx, 32, IR_SIGNLESS);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_value *arg = entry->args[i];
        bool index = arg->type->kind == IR_TYPE_INDEX;
        if ((!index && arg->type != i32) || !arg->uses || ttkernel_thread_kind(func) < 0)
            continue;
        ir_value *v = ir_build1(&b, TTKERNEL_OP(get_common_arg_val), i32,
                                IR_VALUES(arith_index(&b, i)), NULL, 0);
        if (index)
            v = ir_build1(&b, ARITH_OP(index_cast), arg->type, &v, 1, NULL, 0);
        ir_value_replace_uses(arg, v);
    }
}

static bool convert_function(ir_op *func, unsigned parts, int64_t noc)
{
    k_func f = {.ctx = func->ctx, .func = func, .parts = parts, .cbs = ir_mapping_create()};
    f.noc = ir_op_int(func, "ttl.noc_index", noc);
    f.failed = (parts & K_TRANSFERS && !k_expand_pipes(func)) ||
               (parts & K_COMPUTE && !k_expand_spills(func));
    ir_walk_pre(func, bind, &f);
    convert_region(&f, &func->regions[0]);
    ir_mapping_free(f.cbs);
    if (f.failed || !(parts & K_REST))
        return !f.failed;
    convert_numbers(func);
    finish_thread(func);
    convert_arguments(func);
    return true;
}

/* Which operations: all of them, or one of the three steps of the language's plan. */
static bool chosen_parts(ir_op *module, pass_run *run, unsigned *out)
{
    static const struct {
        const char *name;
        unsigned parts;
    } steps[] = {{"", K_COMPUTE | K_TRANSFERS | K_REST},
                 {"compute", K_COMPUTE},
                 {"data-movement", K_TRANSFERS},
                 {"synchronization", K_REST}};
    tw_str only = pass_option_str(run, "only");
    for (size_t i = 0; i < TW_COUNT(steps); i++)
        if (tw_str_is(only, steps[i].name)) {
            *out = steps[i].parts;
            return true;
        }
    return ir_error(module->ctx, module->loc,
                    "convert-ttl-to-ttkernel: 'only' is one of compute, data-movement, "
                    "synchronization, not '%.*s'",
                    (int)only.size, only.data);
}

static bool run(ir_op *module, pass_run *run)
{
    unsigned parts;
    if (!chosen_parts(module, run, &parts))
        return false;
    int64_t movers = 0; /* the first data movement thread reads, the second writes */
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (op->def != FUNC_OP(func) || !ir_op_body(op, 0))
            continue;
        bool moves = ttkernel_thread_kind(op) == TTKERNEL_ThreadType_Noc;
        if (!convert_function(op, parts, movers % 2))
            return false;
        movers += moves;
    }
    /* equal constants become one; unread values are erased */
    rw_greedy(module, NULL, 0, NULL);
    return true;
}

const pass_def convert_ttl_to_ttkernel_pass = {
    .name = "convert-ttl-to-ttkernel",
    .title = "TTLConvertTTLToTTKernel",
    .summary = "Lower TTL DMA ops to TTKernel using global barriers",
    .anchor = "builtin.module",
    .options = IR_LIST(pass_option_def,
                       {"only", PASS_STRING, "",
                        "compute, data-movement, or synchronization, in this order"}),
    .run = run,
};

/* ---- ttl-lower-signpost-to-emitc ----------------------------------------------------- */

static ir_walk lower_signpost(ir_op *op, void *user)
{
    (void)user;
    if (op->def != TTL_OP(signpost))
        return IR_WALK_ON;
    tw_strbuf zone = {0};
    tw_str name = ir_attr_str(ir_op_attr(op, "name"));
    if (tw_str_is(name, "breakpoint")) { /* of the simulated device only */
        ir_op_erase(op);
        return IR_WALK_ON;
    }
    tw_strbuf_puts(&zone, "DeviceZoneScopedN(");
    emitc_put_quoted(&zone, name, false);
    tw_strbuf_puts(&zone, ");");
    tw_str lines[] = {TW_STR("{"), {zone.data, zone.size}, TW_STR("}")};
    ir_builder b = ir_builder_before(op);
    for (size_t i = 0; i < TW_COUNT(lines); i++)
        ir_build_op(&b, EMITC_OP(verbatim), NULL, 0, NULL, 0,
                    IR_ATTRS({"value", ir_string_attr(op->ctx, lines[i])}), 0);
    tw_strbuf_free(&zone);
    ir_op_erase(op);
    return IR_WALK_ON;
}

static bool run_signpost(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_post(module, lower_signpost, NULL);
    return true;
}

const pass_def ttl_lower_signpost_to_emitc_pass = {
    .name = "ttl-lower-signpost-to-emitc",
    .title = "TTLLowerSignpostToEmitC",
    .summary = "Lower ttl.signpost ops to EmitC verbatim for profiling",
    .anchor = "builtin.module",
    .run = run_signpost,
};
