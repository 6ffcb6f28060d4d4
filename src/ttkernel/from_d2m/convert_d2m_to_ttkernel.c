/* convert_d2m_to_ttkernel.c: functions of d2m threads become functions of ttkernel.
 *
 * A table names the conversion of each operation.  Arguments of the kernel are collected
 * first, so that their order does not depend on that of their uses. */
#include "d2m/d2m_verify.h"
#include "d2m/threads.h"
#include "d2m/tile_ops.h"
#include "mlir/affine/affine.h"
#include "mlir/func/func.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/from_d2m/from_d2m.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- building ------------------------------------------------------------------------ */

bool d2k_illegal(ir_op *op, const char *why)
{
    return ir_error_unlowered(op->ctx, op->loc, op->def->name, why);
}

ir_op *d2k_call(ir_builder *b, const ir_op_def *def, ir_value *const *operands, size_t n)
{
    return ir_build_op(b, def, NULL, 0, operands, n, NULL, 0, 0);
}

ir_value *d2k_int(ir_builder *b, uint32_t width, int64_t value)
{
    return loop_build_constant(b, ir_integer_type(b->ctx, width, IR_SIGNLESS), value);
}

ir_value *d2k_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

ir_value *d2k_compare(ir_builder *b, int64_t predicate, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, y),
                     IR_ATTRS({"predicate", ir_i64_attr(b->ctx, predicate)}));
}

ir_value *d2k_to_i32(ir_builder *b, ir_value *index)
{
    return ir_build1(b, ARITH_OP(index_cast), ir_integer_type(b->ctx, 32, IR_SIGNLESS),
                     &index, 1, NULL, 0);
}

static ir_builder add_body(ir_builder *b, ir_region *region, ir_value **iv)
{
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(region, body);
    if (iv)
        *iv = ir_block_add_arg(b->ctx, body, ir_index_type(b->ctx), b->loc);
    ir_builder in = ir_builder_at_end(b->ctx, body, b->loc);
    in.before = ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return in;
}

void d2k_if(ir_builder *b, ir_value *condition, bool with_else, ir_builder *out_then,
            ir_builder *out_else)
{
    ir_op *op = ir_build_op(b, SCF_OP(if), NULL, 0, &condition, 1, NULL, 0, 2);
    *out_then = add_body(b, &op->regions[0], NULL);
    if (with_else)
        *out_else = add_body(b, &op->regions[1], NULL);
}

ir_value *d2k_for(ir_builder *b, ir_value *from, ir_value *to, ir_value *step,
                  ir_builder *out_body)
{
    ir_value *bounds[] = {from, to, step}, *iv;
    ir_op *loop = ir_build_op(b, SCF_OP(for), NULL, 0, bounds, 3, NULL, 0, 1);
    *out_body = add_body(b, &loop->regions[0], &iv);
    return iv;
}

/* ---- values and types ---------------------------------------------------------------- */

ir_value *d2k_value(const d2k *k, ir_value *v)
{
    ir_value *to = ir_mapping_get(k->values, v);
    return to ? to : v;
}

void d2k_map(d2k *k, ir_value *from, ir_value *to)
{
    ir_mapping_set(k->values, from, to);
}

bool d2k_done(d2k *k, ir_op *op, ir_value *by)
{
    if (by)
        d2k_map(k, &op->results[0], by);
    if (k->dead.n == k->dead.capacity) {
        k->dead.capacity = k->dead.capacity ? 2 * k->dead.capacity : 64;
        k->dead.at = tw_xrealloc(k->dead.at, k->dead.capacity * sizeof *k->dead.at);
    }
    k->dead.at[k->dead.n++] = op;
    return true;
}

int64_t d2k_space(ir_type memref)
{
    return ir_enum_value(memref->space, TTCORE_MemorySpace_System);
}

static ir_type kernel_cb(ir_type memref)
{
    int64_t n = ir_type_num_elements(memref);
    ir_attr params[] = {ir_raw_int(memref->ctx, n < 0 ? 0 : n),
                        ir_type_attr(memref->element)};
    return ir_dialect_type(memref->ctx, TTKERNEL_TYPE(cb), params, 2);
}

static ir_type underlying(ir_type cb)
{
    ir_attr held = ir_type_param(cb, "underlying");
    return ir_attr_is(held, IR_ATTR_TYPE) ? held->type : NULL;
}

ir_type d2k_type(ir_type type)
{
    ir_context *ctx = type->ctx;
    if (type->kind == IR_TYPE_MEMREF) {
        if (d2m_is_device_layout(type->encoding))
            return ir_integer_type(ctx, 32, IR_SIGNLESS);
        if (d2k_space(type) == TTCORE_MemorySpace_RegisterDst ||
            ir_attr_is(type->encoding, IR_ATTR_STRIDED))
            return ir_index_type(ctx);
        return kernel_cb(type);
    }
    if (type->kind != IR_TYPE_DIALECT)
        return type;
    if (ttcore_is_tile(type) || type->def == D2M_TYPE(mem_tx))
        return ir_index_type(ctx);
    if (type->def == D2M_TYPE(local_semaphore))
        return ir_dialect_type(ctx, TTKERNEL_TYPE(local_semaphore), NULL, 0);
    if (type->def == D2M_TYPE(global_semaphore))
        return ir_dialect_type(ctx, TTKERNEL_TYPE(l1_addr), NULL, 0);
    ir_type held = type->def == D2M_TYPE(cb) ? underlying(type) : NULL;
    return held && held->kind == IR_TYPE_MEMREF ? kernel_cb(held) : type;
}

ir_value *d2k_linear_index(d2k *k, ir_builder *b, ir_op *op, size_t first, ir_type memref)
{
    if (op->n_operands == first + 1)
        return d2k_value(k, ir_op_operand(op, first));
    ir_value *sum = arith_index(b, 0);
    for (size_t i = first; i < op->n_operands; i++) {
        int64_t stride = 1;
        for (size_t j = i - first + 1; j < memref->count; j++)
            stride *= memref->dims[j];
        ir_value *at = d2k_value(k, ir_op_operand(op, i));
        if (stride != 1)
            at = d2k_binary(b, ARITH_OP(muli), at, arith_index(b, stride));
        sum = d2k_binary(b, ARITH_OP(addi), sum, at);
    }
    return sum;
}

/* ---- buffers, indices ---------------------------------------------------------------- */

/* Pages of a circular buffer are tiles; rows of elements fill pages of as many. */
static int64_t pages_of(ir_type cb)
{
    ir_type held = underlying(cb);
    int64_t n = held ? ir_type_num_elements(held) : 0;
    return held && ttcore_is_tile(held->element) ? n : (n + 1023) / 1024;
}

static bool convert_cb(d2k *k, ir_op *op)
{
    static const struct {
        const ir_op_def *from, *to;
    } rows[] = {
        {D2M_OP(wait), TTKERNEL_OP(cb_wait_front)},
        {D2M_OP(reserve), TTKERNEL_OP(cb_reserve_back)},
        {D2M_OP(push), TTKERNEL_OP(cb_push_back)},
        {D2M_OP(pop), TTKERNEL_OP(cb_pop_front)},
    };
    size_t row = 0;
    while (rows[row].from != op->def)
        row++;
    ir_builder b = ir_builder_before(op);
    ir_value *old = ir_op_operand(op, 0), *cb = d2k_value(k, old);
    ir_value *pages = d2k_int(&b, 32, pages_of(old->type));
    D2K_CALL(&b, rows[row].to, cb, pages);
    return d2k_done(k, op, op->n_results ? cb : NULL);
}

static bool pass_operand(d2k *k, ir_op *op)
{
    return d2k_done(k, op, d2k_value(k, ir_op_operand(op, 0)));
}

static bool convert_core_index(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_type index = ir_index_type(k->ctx);
    ir_value *y = ir_build1(&b, TTKERNEL_OP(my_logical_y_), index, NULL, 0, NULL, 0);
    ir_value *x = ir_build1(&b, TTKERNEL_OP(my_logical_x_), index, NULL, 0, NULL, 0);
    int64_t dim = ir_op_int(op, "dim", 0);
    ir_attr attr = ir_op_attr(op, "phys_to_virt_map");
    if (!attr || attr->map->n_results == 0)
        return dim > 1 ? d2k_illegal(op, "without a map from physical to virtual cores its "
                                         "dimension must be 0 or 1")
                       : d2k_done(k, op, dim ? x : y);
    ir_affine_map map = attr->map;
    if (dim + 1 >= map->n_results || map->n_dims != 2 || map->n_symbols)
        return d2k_illegal(op, "its map from physical to virtual cores lacks that result");
    ir_affine_map one = ir_affine_map_get(k->ctx, 2, 0, &map->results[dim + 1], 1);
    return d2k_done(k, op,
                    ir_build1(&b, AFFINE_OP(apply), index, IR_VALUES(y, x),
                              IR_ATTRS({"map", ir_affine_map_attr(k->ctx, one)})));
}

static bool convert_mesh_position(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *manager = d2k_fabric(k);
    if (!manager)
        return d2k_illegal(op, "the kernel has no fabric connections");
    return d2k_done(k, op,
                    ir_build1(&b, TTKERNEL_OP(experimental_get_my_logical_mesh_position),
                              ir_index_type(k->ctx), &manager, 1,
                              IR_ATTRS({"dim", ir_op_attr(op, "dim")})));
}

/* The first tile of a block, in the memory that the outermost of nested parts is of. */
static bool convert_subview(d2k *k, ir_op *op)
{
    size_t first, n;
    ir_type type = op->results[0].type;
    ir_attr fixed = ir_op_attr(op, "static_offsets");
    ir_builder b = ir_builder_before(op);
    ir_value *offsets[2];
    if (type->count != 2 || !fixed || fixed->count != 2 ||
        !ir_type_has_static_shape(type) || !ir_op_operand_group(op, 1, &first, &n))
        return d2k_illegal(op, "only parts of two dimensions are supported");
    for (size_t i = 0, dynamic = 0; i < 2; i++) {
        int64_t at = ir_dense_array_int(fixed, i);
        if (at == IR_DYNAMIC && dynamic >= n)
            return d2k_illegal(op, "an offset is missing");
        offsets[i] = at == IR_DYNAMIC ? d2k_value(k, ir_op_operand(op, first + dynamic++))
                                      : arith_index(&b, at);
    }
    ir_value *base, *whole = ir_op_operand(op, 0), *outer = d2k_value(k, whole);
    const int64_t stride = d2k_row_stride(whole);
    if (stride == type->dims[1]) { /* blocks of as many tiles follow each other */
        ir_value *rows = arith_index(&b, type->dims[0]);
        ir_value *tiles =
            d2k_binary(&b, ARITH_OP(muli), rows, arith_index(&b, type->dims[1]));
        ir_value *block = d2k_binary(&b, ARITH_OP(divsi), offsets[0], rows);
        base = d2k_binary(&b, ARITH_OP(muli), block, tiles);
    } else {
        base = d2k_binary(&b, ARITH_OP(muli), offsets[0], arith_index(&b, stride));
    }
    ir_value *at = d2k_binary(&b, ARITH_OP(addi), base, offsets[1]);
    if (outer->type->kind == IR_TYPE_INDEX)
        at = d2k_binary(&b, ARITH_OP(addi), outer, at);
    return d2k_done(k, op, at);
}

static bool convert_acquire(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    d2k_call(&b, TTKERNEL_OP(tile_regs_acquire), NULL, 0);
    return d2k_done(k, op, NULL);
}

static bool convert_stall(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    d2k_call(&b, TTKERNEL_OP(experimental_unpack_stall_on_pack), NULL, 0);
    return d2k_done(k, op, NULL);
}

/* The packer's configuration outlives the program, so accumulation ends with it. */
static bool convert_accumulate(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    D2K_CALL(&b, TTKERNEL_OP(pack_reconfig_l1_acc), d2k_value(k, ir_op_operand(op, 0)));
    ir_builder end = ir_builder_before(ir_op_body(k->func, 0)->last);
    D2K_CALL(&end, TTKERNEL_OP(pack_reconfig_l1_acc), d2k_int(&end, 32, 0));
    return d2k_done(k, op, NULL);
}

static bool convert_null_tx(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    return d2k_done(k, op, arith_index(&b, 0));
}

static bool convert_print(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value **values = tw_xmalloc((op->n_operands + 1) * sizeof(ir_value *));
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = d2k_value(k, ir_op_operand(op, i));
    ir_op_state state = {.def = TTKERNEL_OP(dprint),
                         .loc = op->loc,
                         .operands = values,
                         .n_operands = op->n_operands,
                         .attrs = &(ir_named_attr){ir_ident_get(k->ctx, TW_STR("fmt")),
                                                   ir_op_attr(op, "fmt")},
                         .n_attrs = 1};
    ir_build(&b, &state);
    free(values);
    return d2k_done(k, op, NULL);
}

static bool convert_to_cb(d2k *k, ir_op *op)
{
    static const struct {
        const ir_op_def *from, *to;
    } rows[] = {
        {D2M_OP(write_row_mask_tile), TTKERNEL_OP(experimental_write_row_mask_tile)},
        {D2M_OP(write_col_mask_tile), TTKERNEL_OP(experimental_write_col_mask_tile)},
    };
    ir_builder b = ir_builder_before(op);
    ir_value *cb = d2k_cb(k, ir_op_operand_named(op, "output"));
    if (!cb)
        return d2k_illegal(op, "its output is no circular buffer");
    if (op->def == D2M_OP(fill_arange_tile)) {
        D2K_CALL(&b, TTKERNEL_OP(experimental_fill_arange_tile), cb);
        return d2k_done(k, op, NULL);
    }
    ir_value *valid = d2k_value(k, ir_op_operand(op, 0));
    if (!ir_type_is_integer(valid->type, 32))
        valid = d2k_to_i32(&b, valid);
    D2K_CALL(&b, rows[op->def == rows[1].from].to, valid, cb);
    return d2k_done(k, op, NULL);
}

/* ---- the table ----------------------------------------------------------------------- */

static const struct {
    const ir_op_def *def;
    d2k_convert_fn *convert;
} table[] = {
    {D2M_OP(acquire_dst), convert_acquire},
    {D2M_OP(core_index), convert_core_index},
    {D2M_OP(device_synchronize), d2k_device_synchronize},
    {D2M_OP(dma_read), d2k_dma_read},
    {D2M_OP(dma_wait), d2k_dma_wait},
    {D2M_OP(dma_write), d2k_dma_write},
    {D2M_OP(dst_reinterpret_cast), pass_operand},
    {D2M_OP(fill_arange_tile), convert_to_cb},
    {D2M_OP(get_arg), d2k_arg},
    {D2M_OP(indexed_row_copy), d2k_copy_rows},
    {D2M_OP(get_cb), d2k_arg},
    {D2M_OP(mesh_position), convert_mesh_position},
    {D2M_OP(null_tx), convert_null_tx},
    {D2M_OP(pop), convert_cb},
    {D2M_OP(print), convert_print},
    {D2M_OP(push), convert_cb},
    {D2M_OP(reserve), convert_cb},
    {D2M_OP(semaphore_inc), d2k_semaphore_update},
    {D2M_OP(semaphore_set), d2k_semaphore_update},
    {D2M_OP(semaphore_wait), d2k_semaphore_wait},
    {D2M_OP(set_l1_accumulate), convert_accumulate},
    {D2M_OP(tile_argmax), d2k_argmax},
    {D2M_OP(tile_bcast), d2k_bcast},
    {D2M_OP(tile_fill), d2k_fill},
    {D2M_OP(tile_matmul), d2k_matmul},
    {D2M_OP(tile_matmul_block), d2k_matmul_block},
    {D2M_OP(tile_rand), d2k_rand},
    {D2M_OP(tile_reduce_max), d2k_reduce},
    {D2M_OP(tile_reduce_mean), d2k_reduce},
    {D2M_OP(tile_reduce_sum), d2k_reduce},
    {D2M_OP(tile_sfpu_reduce_max), d2k_sfpu_reduce},
    {D2M_OP(tile_sfpu_reduce_sum), d2k_sfpu_reduce},
    {D2M_OP(tile_tilize_block), d2k_tilize},
    {D2M_OP(tile_topk_local_sort), d2k_topk},
    {D2M_OP(tile_topk_merge), d2k_topk},
    {D2M_OP(tile_topk_rebuild), d2k_topk},
    {D2M_OP(tile_transpose), d2k_transpose},
    {D2M_OP(tile_untilize_block), d2k_untilize},
    {D2M_OP(unpack_stall_on_pack), convert_stall},
    {D2M_OP(wait), convert_cb},
    {D2M_OP(write_col_mask_tile), convert_to_cb},
    {D2M_OP(write_row_mask_tile), convert_to_cb},
    {MEMREF_OP(cast), pass_operand},
    {MEMREF_OP(collapse_shape), pass_operand},
    {MEMREF_OP(load), d2k_load},
    {MEMREF_OP(store), d2k_store},
    {MEMREF_OP(subview), convert_subview},
};

static d2k_convert_fn *converter_of(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return table[i].convert;
    const d2m_tile_op *row = d2m_tile_op_of(op);
    return row && row->loads ? d2k_elementwise : NULL;
}

/* Operations of hosts, which later conversions take. */
static bool is_legal(const d2k *k, const ir_op *op)
{
    static const ir_op_def *const host[] = {
        D2M_OP(to_device),     D2M_OP(to_host),
        D2M_OP(view_layout),   D2M_OP(generic),
        D2M_OP(empty),         D2M_OP(mesh_shard),
        D2M_OP(spatial),       D2M_OP(create_global_semaphore),
        D2M_OP(operand_alias), D2M_OP(reset_global_semaphore),
        MEMREF_OP(alloc),      D2M_OP(create_local_semaphore),
        MEMREF_OP(dealloc),    MEMREF_OP(copy),
        MEMREF_OP(global),     MEMREF_OP(get_global),
    };
    for (size_t i = 0; i < TW_COUNT(host); i++)
        if (host[i] == op->def)
            return true;
    if (op->def != MEMREF_OP(load) && op->def != MEMREF_OP(store))
        return strncmp(op->def->name, "d2m.", 4) != 0 &&
               strncmp(op->def->name, "memref.", 7) != 0 &&
               strncmp(op->def->name, "math.", 5) != 0;
    const ir_value *memory = ir_op_operand(op, op->def == MEMREF_OP(store));
    if (d2k_has_elements(memory))
        return false;
    ir_type memref = memory->type;
    return memref->element->kind == IR_TYPE_INTEGER ||
                   memref->element->kind == IR_TYPE_INDEX ||
                   memref->element->kind == IR_TYPE_FLOAT
               ? memref->element->kind != IR_TYPE_FLOAT ||
                     (!ir_op_attr(k->func, "ttkernel.thread") &&
                      d2k_space(memref) == TTCORE_MemorySpace_System &&
                      ir_type_num_elements(memref) == 1)
               : false;
}

/* ---- the function -------------------------------------------------------------------- */

/* Loops and branches carry transactions and memrefs in their new types. */
static void retype_flow(ir_op *op)
{
    if (op->def != SCF_OP(for) && op->def != SCF_OP(if) && op->def != SCF_OP(while) &&
        op->def != SCF_OP(execute_region))
        return;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = d2k_type(op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next)
            for (uint32_t i = 0; i < block->n_args; i++)
                block->args[i]->type = d2k_type(block->args[i]->type);
}

/* Removes what was converted; users that stay get the new values. */
static bool finish(d2k *k)
{
    bool clean = true;
    for (size_t i = 0; i < k->dead.n; i++)
        for (uint32_t r = 0; r < k->dead.at[i]->n_results; r++) {
            ir_value *old = &k->dead.at[i]->results[r],
                     *to = ir_mapping_get(k->values, old);
            if (to)
                ir_value_replace_uses(old, to);
        }
    for (size_t i = k->dead.n; i-- > 0;) {
        ir_op *op = k->dead.at[i];
        if (ir_op_is_unused(op))
            ir_op_erase(op);
        else if (clean)
            clean = d2k_illegal(op, "a value of it has a user that stays");
    }
    return clean;
}

static bool convert_ops(d2k *k)
{
    for (size_t i = 0; i < k->n_ops; i++) {
        ir_op *op = k->ops[i];
        if (op == k->func || is_legal(k, op))
            continue;
        d2k_convert_fn *convert = converter_of(op);
        if (!(convert ? convert(k, op) : d2k_illegal(op, NULL)))
            return false;
    }
    for (size_t i = 0; i < k->n_ops; i++)
        if (k->ops[i] != k->func)
            retype_flow(k->ops[i]);
    return finish(k);
}

static bool writes_to_devices(const d2k *k)
{
    for (size_t i = 0; i < k->n_ops; i++)
        if (k->ops[i]->def == D2M_OP(dma_write) &&
            d2m_group_size(k->ops[i], "startDevice") > 0)
            return true;
    return false;
}

static void connect_fabric(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_builder b = ir_builder_at_start(func->ctx, body, func->loc);
    ir_value *manager = ir_build1(
        &b, TTKERNEL_OP(experimental_create_fabric_connection_manager),
        ir_dialect_type(func->ctx, TTKERNEL_TYPE(fabric_connection_manager), NULL, 0), NULL,
        0, NULL, 0);
    D2K_CALL(&b, TTKERNEL_OP(experimental_setup_fabric_connections), manager);
    b = ir_builder_before(body->last);
    b.loc = func->loc;
    D2K_CALL(&b, TTKERNEL_OP(experimental_close_fabric_connections), manager);
}

static bool is_increment(const ir_op *op)
{
    return op->def == TTKERNEL_OP(noc_semaphore_inc);
}

/* A kernel ends when what it added to other cores' semaphores has arrived. */
static void wait_for_increments(d2k *k)
{
    ir_op_list found = ir_ops_in(k->func, is_increment);
    ir_op *end = ir_op_body(k->func, 0)->last;
    if (found.n && end) {
        ir_builder b = ir_builder_before(end);
        b.loc = found.at[found.n - 1]->loc;
        D2K_CALL(&b, TTKERNEL_OP(noc_async_atomic_barrier), d2k_noc(k, &b));
    }
    ir_op_list_free(&found);
}

static bool convert_function(ir_op *func, const pass_run *run)
{
    ir_attr thread = ir_op_attr(func, "d2m.thread");
    if (!ir_op_body(func, 0))
        return true;
    if (!pass_run_nested(run, TW_STR("lower-affine"), func))
        return false;
    ir_op_list ops = ir_ops_in(func, NULL);
    d2k k = {.ctx = func->ctx,
             .func = func,
             .values = ir_mapping_create(),
             .accessors = ir_mapping_create(),
             .ops = ops.at,
             .n_ops = ops.n,
             .compile_time_args = pass_option_bool(run, "force-compile-time-args"),
             .noc = d2m_thread_noc(func)};
    if (writes_to_devices(&k))
        connect_fabric(func);
    if (thread && !ir_op_attr(func, "ttkernel.thread"))
        d2k_signature(&k);
    bool ok = convert_ops(&k);
    if (ok && thread)
        wait_for_increments(&k);
    ir_mapping_free(k.values);
    ir_mapping_free(k.accessors);
    free(k.dead.at);
    ir_op_list_free(&ops);
    ir_op_set_attr(func, "d2m.thread", NULL);
    ir_op_set_attr(func, D2M_PORT_MAP, NULL);
    return ok && pass_run_nested(run, TW_STR("lower-affine"), func);
}

static bool run(ir_op *func, pass_run *run)
{
    return d2m_check_cores(func, "D2MToTTKernel") && convert_function(func, run);
}

const pass_def convert_d2m_to_ttkernel_pass = {
    .name = "convert-d2m-to-ttkernel",
    .title = "ConvertD2MToTTKernel",
    .summary = "Convert d2m threads to ttkernel functions",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"ttnn-mode", PASS_BOOL, "false",
                        "Keep ttnn operations and casts of ttnn layouts",
                        "they are kept in either mode"},
                       {"force-compile-time-args", PASS_BOOL, "false",
                        "Pass uniform arguments when the kernel is compiled"}),
};
