/* spills.c: tiles that are kept in L1 for a while: spill_tile_to_l1 and
 * restore_tile_from_l1.
 *
 * What is packed ends its stay in DST, and with it that of all other registers: the packer
 * has them until they are released.  So where one tile is spilled, all that are needed
 * later go to a buffer of the thread's own; DST is committed, packed, released and acquired
 * again, and those that are needed before a restore come back to their registers at once.
 */
#include "mlir/arith/arith.h"
#include "ttl/passes/compute.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"

enum { MAX_TILES = 16 /* of DST */ };

typedef struct spill {
    ir_op *op, *acquire;
    ir_value *tiles[MAX_TILES]; /* the spilled one, then those that are needed later */
    int64_t registers[MAX_TILES];
    size_t n;
} spill;

/* The operation of a block that another one is, or is in; NULL outside. */
static ir_op *in_block(const ir_block *block, ir_op *op)
{
    while (op && op->block != block)
        op = ir_op_parent(op);
    return op;
}

/* The last operation of a value's block that reads it, NULL if none does. */
static ir_op *last_use(const ir_value *v, const ir_block *block)
{
    ir_op *last = NULL;
    for (const ir_operand *use = v->uses; use; use = use->next_use) {
        ir_op *at = in_block(block, use->owner);
        last = at && (!last || ir_op_before(last, at)) ? at : last;
    }
    return last;
}

static int64_t constant_of(ir_value *v)
{
    int64_t value = -1;
    arith_constant_int(v, &value);
    return value;
}

static bool find_acquire(spill *s)
{
    for (ir_op *op = s->op->prev; op; op = op->prev) {
        if (op->def == TTL_OP(tile_regs_commit))
            break;
        if (op->def == TTL_OP(tile_regs_acquire)) {
            s->acquire = op;
            return true;
        }
    }
    return k_illegal(s->op, "it stands in no part of its block that begins with "
                            "ttl.tile_regs_acquire");
}

static bool add_tile(spill *s, ir_value *v, int64_t reg)
{
    const ir_value *first = s->op->operands[0].value;
    if (reg < 0 || s->n == MAX_TILES)
        return k_illegal(s->op, "a tile that is needed later is in a register that nothing "
                                "says");
    if (v->type != first->type)
        return ir_op_error(s->op,
                           "spills a tile '%s' while one of type '%s' is needed later; a "
                           "buffer holds one type",
                           ir_type_text(s->op->ctx, first->type),
                           ir_type_text(s->op->ctx, v->type));
    s->tiles[s->n] = v;
    s->registers[s->n++] = reg;
    return true;
}

static bool find_tiles(spill *s)
{
    ir_value *v = s->op->operands[0].value;
    const int64_t own = ir_value_def(v) ? k_register_of(v) : -1,
                  given = constant_of(s->op->operands[1].value);
    if (own >= 0 && given >= 0 && own != given)
        return ir_op_error(s->op, "spills register %lld, and its tile is in %lld",
                           (long long)given, (long long)own);
    if (!add_tile(s, v, own >= 0 ? own : given))
        return false;
    for (ir_op *op = s->acquire; op != s->op; op = op->next)
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_value *r = &op->results[i];
            const ir_op *last = last_use(r, op->block);
            if (r != v && ttcore_is_tile(r->type) && last &&
                ir_op_before(s->op, (ir_op *)last) && !add_tile(s, r, k_register_of(r)))
                return false;
        }
    return true;
}

static ir_value *load(ir_builder *b, ir_value *cb, size_t slot, int64_t reg, ir_type tile)
{
    return ir_build1(b, TTL_OP(get_tile), tile,
                     IR_VALUES(cb, arith_index(b, (int64_t)slot)),
                     IR_ATTRS({"dst_idx", ir_i32_attr(b->ctx, reg)}));
}

/* Uses behind the spill read the tile that has come back. */
static void replace_later(const spill *s, ir_value *v, ir_value *by)
{
    for (ir_operand *use = v->uses, *next; use; use = next) {
        next = use->next_use;
        ir_op *at = in_block(s->op->block, use->owner);
        if (at && at != s->op && ir_op_before(s->op, at))
            ir_op_set_operand(use->owner, ir_operand_number(use), by);
    }
}

/* A register for a restored tile: its user's that works in place, its former one, else the
 * lowest; none that holds something else meanwhile.  -1: all do. */
static int64_t register_for(const spill *s, ir_op *restore)
{
    ir_op *last = last_use(&restore->results[0], restore->block);
    uint64_t taken = 0;
    for (ir_op *op = s->acquire; op != last && last; op = op->next)
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_op *end = last_use(&op->results[i], op->block);
            int64_t reg =
                ttcore_is_tile(op->results[i].type) ? k_register_of(&op->results[i]) : -1;
            if (reg >= 0 && reg < 64 &&
                (ir_op_before(restore, op) || (end && ir_op_before(restore, end))))
                taken |= UINT64_C(1) << reg;
        }
    for (ir_operand *use = restore->results[0].uses; use; use = use->next_use)
        if (ttl_is_tile_unary(use->owner) && !ttl_reads_cb(use->owner))
            return ir_op_int(use->owner, "dst_idx", -1);
    if (!(taken >> s->registers[0] & 1))
        return s->registers[0];
    for (int64_t reg = 0; reg < MAX_TILES; reg++)
        if (!(taken >> reg & 1))
            return reg;
    return -1;
}

static bool restore_tiles(const spill *s, ir_value *cb, ir_op *last)
{
    while (s->op->results[0].uses) {
        ir_op *restore = s->op->results[0].uses->owner;
        if (restore->def != TTL_OP(restore_tile_from_l1) || restore->block != s->op->block)
            return k_illegal(s->op, "only ttl.restore_tile_from_l1 in the same block reads "
                                    "what was spilled");
        int64_t reg = register_for(s, restore);
        if (reg < 0)
            return ir_op_error(restore, "finds no free register of DST");
        ir_builder b = ir_builder_before(restore);
        ir_value *tile = load(&b, cb, 0, reg, restore->results[0].type);
        if (!last || ir_op_before(last, ir_value_def(tile)))
            last = ir_value_def(tile);
        k_replace(restore, tile);
    }
    ir_builder after = ir_builder_after(last);
    K_CALL(&after, TTL_OP(cb_pop), cb);
    return true;
}

static bool expand(ir_op *op)
{
    spill s = {.op = op};
    if (!find_acquire(&s) || !find_tiles(&s))
        return false;
    const int64_t dims[] = {(int64_t)s.n, 1};
    ir_type tile = s.tiles[0]->type, block = ir_tensor_type(tile, dims, 2, NULL);
    ir_value *cb = ttl_scratch_buffer(op, block), *back[MAX_TILES];
    if (!cb)
        return false;
    ir_builder b = ir_builder_before(op);
    k_call(&b, TTL_OP(tile_regs_commit), NULL, 0);
    k_call(&b, TTL_OP(tile_regs_wait), NULL, 0);
    ir_build1(&b, TTL_OP(cb_reserve), block, &cb, 1, NULL, 0);
    for (size_t i = 0; i < s.n; i++)
        K_CALL(&b, TTL_OP(pack_tile), arith_index(&b, s.registers[i]), cb,
               arith_index(&b, (int64_t)i));
    K_CALL(&b, TTL_OP(cb_push), cb);
    k_call(&b, TTL_OP(tile_regs_release), NULL, 0);
    k_call(&b, TTL_OP(tile_regs_acquire), NULL, 0);
    ir_op *last = ir_value_def(ir_build1(&b, TTL_OP(cb_wait), block, &cb, 1, NULL, 0));
    for (size_t i = 0; i < s.n; i++) {
        const ir_op *end = last_use(s.tiles[i], op->block);
        if (end == op || !ir_op_before(op, (ir_op *)end))
            continue; /* the spilled one, which nothing but restores reads */
        back[i] = load(&b, cb, i, s.registers[i], tile);
        last = ir_value_def(back[i]);
        replace_later(&s, s.tiles[i], back[i]);
    }
    if (!restore_tiles(&s, cb, last))
        return false;
    ir_op_erase(op);
    return true;
}

static bool is_spill(const ir_op *op)
{
    return op->def == TTL_OP(spill_tile_to_l1);
}

static ir_walk number_register(ir_op *op, void *user)
{
    (void)user;
    if (op->def == TTL_OP(get_tile) && !ir_op_attr(op, "dst_idx"))
        ir_op_set_attr(op, "dst_idx", ir_i32_attr(op->ctx, k_taken_register(op)));
    return IR_WALK_ON;
}

bool k_expand_spills(ir_op *func)
{
    ir_op_list all = ir_ops_in(func, is_spill);
    bool ok = true;
    if (all.n) /* by the get_tiles in front of them, to which some are added */
        ir_walk_pre(func, number_register, NULL);
    for (size_t i = 0; i < all.n && ok; i++)
        ok = expand(all.at[i]);
    ir_op_list_free(&all);
    return ok;
}
