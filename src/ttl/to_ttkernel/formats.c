/* formats.c: unpackers and packer keep the format of a buffer until it is reconfigured
 * one.  Where a compute thread's buffers differ, what reads or packs a tile of another
 * format than the last is preceded by a reconfiguration; a loop whose tiles are all of one
 * format is reconfigured once, before it.  The inits of products, reductions, broadcasts
 * and transposes set up all units by themselves. */
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"

enum { UNPACK, PACK, UNITS };

/* The element types that the units are set up for; NULL: unknown. */
typedef struct setup {
    ir_type of[UNITS];
} setup;

/* Which operand's buffer an operation names for a unit, -1: none, and whether the unit is
 * set up for it then, or must be already. */
typedef struct row {
    const ir_op_def *def;
    int operand[UNITS];
    bool sets;
} row;

static const row *row_of(const ir_op *op)
{
    static const row rows[] = {
        {TTKERNEL_OP(init_sfpu), {0, 1}, true},
        {TTKERNEL_OP(unary_bcast_init), {0, 1}, true},
        {TTKERNEL_OP(transpose_wh_init), {0, 1}, true},
        {TTKERNEL_OP(mm_init), {1, 2}, true},
        {TTKERNEL_OP(reduce_init), {0, 2}, true},
        {TTKERNEL_OP(copy_tile_init), {0, -1}, false},
        {TTKERNEL_OP(pack_tile), {-1, 1}, false},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return &rows[i];
    return NULL;
}

/* The element type that an operation has a unit work on, NULL if none. */
static ir_type element_for(const ir_op *op, int unit)
{
    const row *r = row_of(op);
    int at = r ? r->operand[unit] : -1;
    ir_type t = at >= 0 ? op->operands[at].value->type : NULL;
    return t && t->kind == IR_TYPE_DIALECT && t->def == TTKERNEL_TYPE(cb)
               ? t->params[1]->type
               : NULL;
}

/* Forgets what is not the same for all operations in a region. */
static ir_walk forget(ir_op *op, void *user)
{
    setup *s = user;
    for (int unit = 0; unit < UNITS; unit++) {
        ir_type t = element_for(op, unit);
        if (t && t != s->of[unit])
            s->of[unit] = NULL;
    }
    return IR_WALK_ON;
}

static void tell(ir_op *op, int unit)
{
    const row *r = row_of(op);
    ir_value *cb = op->operands[r->operand[unit]].value;
    if (unit == PACK && ir_op_is(op->prev, TTKERNEL_OP(pack_reconfig_l1_acc)))
        op = op->prev;
    ir_builder b = ir_builder_before(op);
    K_CALL(&b,
           unit == PACK ? TTKERNEL_OP(pack_reconfig_data_format)
                        : TTKERNEL_OP(reconfig_data_format_srca),
           cb);
}

static void set_region(ir_region *region, setup s)
{
    for (ir_block *block = region->first; block; block = block->next)
        for (ir_op *op = block->first; op; op = op->next) {
            if (op->n_regions)
                ir_walk_pre(op, forget, &s);
            for (uint16_t r = 0; r < op->n_regions; r++)
                set_region(&op->regions[r], s);
            for (int unit = 0; unit < UNITS; unit++) {
                ir_type t = element_for(op, unit);
                if (t && t != s.of[unit] && !row_of(op)->sets)
                    tell(op, unit);
                s.of[unit] = t ? t : s.of[unit];
            }
        }
}

/* The element type that a function's buffers have so far, and whether they differ. */
typedef struct common {
    ir_type one;
    bool several;
} common;

static ir_walk compare(ir_op *op, void *user)
{
    common *c = user;
    for (int unit = 0; unit < UNITS; unit++) {
        ir_type t = element_for(op, unit);
        if (t && c->one && t != c->one)
            c->several = true;
        c->one = t ? t : c->one;
    }
    return c->several ? IR_WALK_STOP : IR_WALK_ON;
}

void k_set_formats(ir_op *func)
{
    common c = {NULL, false};
    ir_walk_pre(func, compare, &c);
    if (c.several)
        set_region(&func->regions[0], (setup){{NULL, NULL}});
}
