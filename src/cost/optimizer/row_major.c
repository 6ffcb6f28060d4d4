/* row_major.c: operations that only move elements take rows where their operand is tilized
 * for them alone: the tiles are made of what they give (optimizer.h).
 *
 * A reshape of rows that keeps the last dimension moves nothing, one of tiles does; and
 * what becomes rows again in the end is not tilized at all. */
#include "cost/optimizer/optimizer.h"

#include "ttnn/layout.h"

static bool is_relaid(const ir_op *op)
{
    return op->def == TTNN_OP(to_layout) || op->def == TTNN_OP(to_tensor_spec);
}

/* Interleaved on the device, in tiles or in rows. */
static bool is_plain(const ir_value *v, bool tiled, ttnn_layout *out)
{
    return ttnn_layout_of(v->type, out) && !ttnn_layout_on_host(out) &&
           out->memory == TTNN_TensorMemoryLayout_Interleaved && out->tiled == tiled;
}

static ir_op *only_reader(const ir_value *v)
{
    return v->uses && !v->uses->next_use ? v->uses->owner : NULL;
}

/* The operation that reads the tiles of `tilize` and may read its rows instead; NULL if
 * there is none. */
static ir_op *mover_of(const ir_op *tilize)
{
    ttnn_layout rows, tiles, moved;
    if (!is_relaid(tilize) || (tilize->attrs && tilize->attrs->count) ||
        !is_plain(tilize->operands[0].value, false, &rows) ||
        !is_plain(&tilize->results[0], true, &tiles) || rows.dtype != tiles.dtype)
        return NULL;
    ir_op *mover = only_reader(&tilize->results[0]);
    return mover && opt_moves_rows(mover) && mover->n_operands == 1 &&
                   mover->block == tilize->block &&
                   is_plain(&mover->results[0], true, &moved) && moved.dtype == rows.dtype
               ? mover
               : NULL;
}

static ir_type in_rows(const ir_value *v)
{
    ttnn_layout l;
    ttnn_layout_of(v->type, &l);
    l.tiled = false;
    return ttnn_tensor_with(v->type, &l);
}

static double cycles_of(opt_chip *chip, const ir_op *op)
{
    return op ? cost_of_op(&chip->model, op).cycles : 0;
}

/* Puts the tilizing behind the operation that reads it, if the model is no slower so; true
 * if it did. */
static bool sink(opt_chip *chip, ir_op *tilize, ir_op *mover)
{
    ir_value *moved = &mover->results[0];
    const ir_type tiles = moved->type;
    ir_op *back = only_reader(moved);
    const ir_type rows = in_rows(moved);
    if (back && (!is_relaid(back) || back->results[0].type != rows))
        back = NULL;
    const double before =
        cycles_of(chip, tilize) + cycles_of(chip, mover) + cycles_of(chip, back);
    ir_op_set_operand(mover, 0, tilize->operands[0].value);
    moved->type = rows;
    if (back) {
        const double after = cycles_of(chip, mover);
        if (after <= before) {
            ir_value_replace_uses(&back->results[0], moved);
            ir_op_erase(back);
            ir_op_erase(tilize);
            return true;
        }
    } else {
        ir_builder b = ir_builder_before(mover->next);
        b.loc = tilize->loc;
        ir_op *made = ir_build_op(&b, tilize->def, &tiles, 1, &moved, 1, NULL, 0, 0);
        const double after = cycles_of(chip, mover) + cycles_of(chip, made);
        if (after < before) {
            for (ir_operand *use = moved->uses, *next; use; use = next) {
                next = use->next_use;
                if (use->owner != made)
                    ir_op_set_operand(use->owner, ir_operand_number(use),
                                      &made->results[0]);
            }
            ir_op_erase(tilize);
            return true;
        }
        ir_op_erase(made);
    }
    moved->type = tiles;
    ir_op_set_operand(mover, 0, &tilize->results[0]);
    return false;
}

size_t opt_move_rows(opt_chip *chip, ir_op *func)
{
    size_t sunk = 0;
    for (ir_op *op = ir_op_body(func, 0)->first; op;) {
        ir_op *mover = mover_of(op);
        const bool moved = mover && sink(chip, op, mover);
        sunk += moved;
        op = moved ? mover : op->next;
    }
    return sunk;
}
