/* subblock.c: a ttl.compute takes several tiles at a time, as many as DST holds.
 *
 * Each tile of a computation takes some registers (ttl-assign-dst).  Where DST has more,
 * several tiles are computed between one acquire and one release: whole rows of tiles if
 * they fit, else parts of a row that divide it.  ttl-lower-to-loops reads the attribute
 * ttl.subblock.  Reductions and sums over stores stay: their tiles follow each other. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "ttl/passes/dst.h"
#include "ttl/ttl_info.h"

enum { MAX_DIMS = 8 };

static ir_walk note_register(ir_op *op, void *user)
{
    int64_t *most = user, index = ir_op_int(op, "dst_idx", -1);
    if (op->def == TTL_OP(copy_tile))
        arith_constant_int(op->operands[2].value, &index);
    *most = TW_MAX(*most, index + 1);
    return IR_WALK_ON;
}

int64_t ttl_dst_registers(ir_op *compute)
{
    int64_t most = 0;
    ir_walk_pre(compute, note_register, &most);
    return most;
}

/* Operations that are for one tile each; the protocols of DST and buffers come later. */
static bool may_repeat(ir_op *op)
{
    ir_attr kinds = ir_op_attr(op, "iterator_types");
    if (ir_op_attr(op, "ttl.acc"))
        return false;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (!tw_str_is(ir_attr_str(kinds->items[i]), "parallel"))
            return false;
    for (ir_op *o = ir_op_body(op, 0)->first; o; o = o->next)
        if (o->def == TTL_OP(tile_regs_acquire) || o->def == TTL_OP(tile_regs_commit) ||
            o->def == TTL_OP(cb_reserve) || o->def == TTL_OP(cb_push))
            return false;
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    const int64_t *given = user;
    if (op->def != TTL_OP(compute))
        return IR_WALK_ON;
    size_t start, n_inputs;
    ir_op_operand_group(op, 0, &start, &n_inputs);
    ir_type domain = op->operands[n_inputs].value->type;
    int64_t registers = ttl_dst_registers(op), blocks[MAX_DIMS];
    if (!registers || !may_repeat(op) || domain->count > MAX_DIMS || !domain->count ||
        domain->count != ir_op_attr(op, "iterator_types")->count ||
        !ir_type_has_static_shape(domain))
        return IR_WALK_SKIP;
    int64_t room = (*given > 0 ? *given : ttl_dst_capacity(op)) / registers;
    bool whole =
        true; /* what is inside is taken whole, so that tiles stay in their order */
    for (uint32_t i = domain->count; i-- > 0;) {
        int64_t extent = domain->dims[i], times = whole ? TW_MIN(room, extent) : 1;
        while (times > 1 && extent % times)
            times--;
        blocks[i] = TW_MAX(times, 1);
        room /= blocks[i];
        whole &= blocks[i] == extent;
    }
    ir_type i64 = ir_integer_type(op->ctx, 64, IR_SIGNLESS);
    ir_op_set_attr(op, "ttl.subblock", ir_dense_array(i64, blocks, domain->count));
    return IR_WALK_SKIP;
}

static bool run(ir_op *func, pass_run *run)
{
    int64_t capacity = pass_option_int(run, "dst-capacity");
    ir_walk_pre(func, visit, &capacity);
    return true;
}

const pass_def ttl_subblock_compute_for_dst_pass = {
    .name = "ttl-subblock-compute-for-dst",
    .summary = "Compute as many tiles at a time as DST holds",
    .anchor = "func.func",
    .options =
        IR_LIST(pass_option_def, {"dst-capacity", PASS_INT, "0",
                                  "Registers of DST; 0: what the configuration has"}),
    .run = run,
};
