/* selection.c: top-k and the position of the maximum. */
#include "mlir/func/func.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttkernel/from_d2m/from_d2m.h"

#include <math.h>

/* ---- top-k */

/* Two tiles of values are in slots 0 and 1 of DST, their indices in 2 and 3. */
typedef struct group {
    ir_value *values, *indices, *out_values, *out_indices, *tile[2];
} group;

static void load_pair(ir_builder *b, ir_value *cb, const group *g, int64_t slot)
{
    if (slot) /* the unpacker is set up for values */
        D2K_CALL(b, TTKERNEL_OP(reconfig_data_format_srca), cb);
    D2K_CALL(b, TTKERNEL_OP(copy_tile_init), cb);
    for (int i = 0; i < 2; i++)
        D2K_CALL(b, TTKERNEL_OP(copy_tile), cb, g->tile[i], arith_index(b, slot + i));
}

static void pack_pair(ir_builder *b, ir_value *cb, const group *g, int64_t slot)
{
    D2K_CALL(b, TTKERNEL_OP(pack_reconfig_data_format), cb);
    for (int i = 0; i < 2; i++)
        ir_build_op(b, TTKERNEL_OP(pack_tile), NULL, 0,
                    IR_VALUES(arith_index(b, slot + i), cb, g->tile[i]),
                    IR_ATTRS({"out_of_order", ir_bool_attr(b->ctx, true)}), 0);
}

static void begin_group(ir_builder *b, const group *g, bool again)
{
    ir_value *values = again ? g->out_values : g->values;
    if (again)
        d2k_call(b, TTKERNEL_OP(experimental_unpack_stall_on_pack), NULL, 0);
    d2k_call(b, TTKERNEL_OP(tile_regs_acquire), NULL, 0);
    d2k_call(b, TTKERNEL_OP(topk_tile_init), NULL, 0);
    D2K_CALL(b, TTKERNEL_OP(init_sfpu), values, g->out_values);
    load_pair(b, values, g, 0);
    load_pair(b, again ? g->out_indices : g->indices, g, 2);
}

static void end_group(ir_builder *b, const group *g)
{
    d2k_call(b, TTKERNEL_OP(tile_regs_commit), NULL, 0);
    d2k_call(b, TTKERNEL_OP(tile_regs_wait), NULL, 0);
    pack_pair(b, g->out_values, g, 0);
    pack_pair(b, g->out_indices, g, 2);
    d2k_call(b, TTKERNEL_OP(tile_regs_release), NULL, 0);
}

static ir_value *number(ir_builder *b, const ir_op *op, const char *name)
{
    return d2k_int(b, 32, ir_op_int(op, name, 0));
}

static void build_step(d2k *k, ir_builder *b, ir_op *op)
{
    ir_value *slot = arith_index(b, 0), *step = d2k_value(k, ir_op_operand(op, 4));
    if (op->def == D2M_OP(tile_topk_local_sort)) {
        ir_value *direction = number(b, op, "idir"), *end = number(b, op, "i_end_phase");
        D2K_CALL(b, TTKERNEL_OP(topk_local_sort), slot, direction, end, step);
        return;
    }
    if (op->def == D2M_OP(tile_topk_merge)) {
        D2K_CALL(b, TTKERNEL_OP(topk_merge), slot, step, number(b, op, "k"));
        return;
    }
    ir_value *direction = number(b, op, "idir"), *many = number(b, op, "k");
    ir_value *log = number(b, op, "logk"), *skip = number(b, op, "skip_second");
    D2K_CALL(b, TTKERNEL_OP(topk_rebuild), slot, direction, step, many, log, skip);
}

bool d2k_topk(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    int64_t ends = 0, again = 0;
    group g = {d2k_cb(k, ir_op_operand(op, 0)),
               d2k_cb(k, ir_op_operand(op, 1)),
               d2k_cb(k, ir_op_operand(op, 2)),
               d2k_cb(k, ir_op_operand(op, 3)),
               {d2k_value(k, ir_op_operand(op, 5)), d2k_value(k, ir_op_operand(op, 6))}};
    if (!g.values || !g.indices || !g.out_values || !g.out_indices)
        return d2k_illegal(op, "its tiles are in no circular buffers");
    if (!loop_constant(ir_op_operand(op, 7), &ends) ||
        !loop_constant(ir_op_operand(op, 8), &again))
        return d2k_illegal(op, "where its group ends and what it reads must be constants");
    if (ir_op_bool(op, "is_group_start"))
        begin_group(&b, &g, again != 0);
    build_step(k, &b, op);
    if (ends)
        end_group(&b, &g);
    return d2k_done(k, op, NULL);
}

/* ---- the position of the maximum */

static bool is_at(const ir_op *load, const ir_value *slot)
{
    return load->def == MEMREF_OP(load) && load->n_operands == 2 &&
           ir_op_operand(load, 1) == slot;
}

/* The buffer that a tile of DST is packed to, directly or as another type. */
static ir_value *packed_to(d2k *k, ir_value *tile)
{
    for (ir_operand *use = tile->uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        if (user->def == MEMREF_OP(store) && ir_operand_number(use) == 0 &&
            d2k_space(ir_op_operand(user, 1)->type) == TTCORE_MemorySpace_DeviceL1)
            return d2k_cb(k, ir_op_operand(user, 1));
        ir_value *found = user->def == D2M_OP(dst_reinterpret_cast)
                              ? packed_to(k, &user->results[0])
                              : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static ir_value *cb_of_result(d2k *k, ir_value *result)
{
    ir_op *store = d2k_dst_store(result);
    if (!store || store->n_operands != 3)
        return NULL;
    for (ir_operand *use = ir_op_operand(store, 1)->uses; use; use = use->next_use) {
        ir_value *cb = is_at(use->owner, ir_op_operand(store, 2))
                           ? packed_to(k, &use->owner->results[0])
                           : NULL;
        if (cb)
            return cb;
    }
    return NULL;
}

static ir_value *slot_of(d2k *k, ir_value *result, ir_value *operand)
{
    ir_value *slot = d2k_dst_of(k, result);
    ir_op *load = ir_value_def(operand);
    if (slot || !ir_op_is(load, MEMREF_OP(load)) || load->n_operands != 2)
        return slot;
    return d2k_value(k, ir_op_operand(load, 1));
}

static void reload(ir_builder *b, ir_value *cb, ir_value *zero, ir_value *slot)
{
    D2K_CALL(b, TTKERNEL_OP(reconfig_data_format_srca), cb);
    D2K_CALL(b, TTKERNEL_OP(copy_tile_init), cb);
    D2K_CALL(b, TTKERNEL_OP(copy_tile), cb, zero, slot);
}

/* Accumulators follow their tiles in DST: reloaded between chunks, cleared at first. */
static void begin_chunk(d2k *k, ir_op *op, ir_builder *b, ir_op *loop, ir_value *slot[2])
{
    enum { NE = 1 };
    ir_value *cb[2] = {cb_of_result(k, &op->results[2]), cb_of_result(k, &op->results[3])};
    ir_builder later, first;
    if (!loop || !cb[0] || !cb[1])
        return;
    ir_value *is_later =
        d2k_compare(b, NE, ir_op_body(loop, 0)->args[0], ir_op_operand(loop, 0));
    d2k_if(b, is_later, true, &later, &first);
    ir_value *one = arith_index(&later, 1), *zero = arith_index(&later, 0);
    for (int i = 0; i < 2; i++)
        reload(&later, cb[i], zero, d2k_binary(&later, ARITH_OP(addi), slot[i], one));
    one = arith_index(&first, 1);
    ir_value *next = d2k_binary(&first, ARITH_OP(addi), slot[0], one);
    ir_type f32 = ir_float_type(k->ctx, IR_F32);
    ir_value *lowest = ir_build1(&first, ARITH_OP(constant), f32, NULL, 0,
                                 IR_ATTRS({"value", ir_float_attr(f32, -INFINITY)}));
    d2k_call(&first, TTKERNEL_OP(fill_tile_init), NULL, 0);
    D2K_CALL(&first, TTKERNEL_OP(fill_tile), next, lowest);
}

bool d2k_argmax(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *in = d2k_in_cb(k), *out = d2k_out_cb(k);
    ir_value *slot[2] = {slot_of(k, &op->results[0], ir_op_operand(op, 0)),
                         slot_of(k, &op->results[1], ir_op_operand(op, 1))};
    if (!in || !out || !slot[0] || !slot[1])
        return d2k_illegal(op, "its tiles are in no slots of DST or no circular buffers");
    d2k_ensure_before(&b, slot[0]);
    d2k_ensure_before(&b, slot[1]);
    ir_builder start = d2k_after(op, IR_VALUES(in, out));
    D2K_CALL(&start, TTKERNEL_OP(init_sfpu), in, out);
    ir_op *loop = d2k_reduction_loop(op, slot[0]);
    ir_value *chunk = loop ? ir_op_body(loop, 0)->args[0] : arith_index(&b, 0);
    begin_chunk(k, op, &b, loop, slot);
    d2k_call(&b, TTKERNEL_OP(max_reduce_with_indices_init), NULL, 0);
    ir_build_op(&b, TTKERNEL_OP(max_reduce_with_indices), NULL, 0,
                IR_VALUES(slot[0], slot[1], chunk),
                IR_ATTRS({"num_rows", ir_i32_attr(k->ctx, 32)},
                         {"accumulate", ir_bool_attr(k->ctx, true)}),
                0);
    for (uint32_t i = 0; i < op->n_results; i++)
        d2k_map(k, &op->results[i], slot[i & 1]);
    return d2k_done(k, op, NULL);
}
