/* decompose_arange.c: d2m-decompose-arange: a block of consecutive numbers becomes loops
 * over tiles: numbers within a tile, plus the tile's first one, times the step. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

enum { SIDE = 32 };

/* Along rows (0) or columns (1) of tiles. */
typedef struct axis {
    int64_t tiles, core_tiles, all_tiles; /* of the block, of a core, of the grid */
    ir_value *block;                      /* the index of a loop over blocks, or NULL */
} axis;

static bool is_arange(const ir_op *op)
{
    return op->def == D2M_OP(arange_block);
}

static ir_value *mul(ir_builder *b, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(muli), x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *add(ir_builder *b, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(addi), x->type, IR_VALUES(x, y), NULL, 0);
}

/* The loop over blocks of that dimension around the operation. */
static bool read_blocking(ir_op *op, int64_t dim, axis *out)
{
    out->core_tiles = out->tiles;
    for (ir_op *loop = ir_op_parent(op); loop; loop = ir_op_parent(loop)) {
        if (loop->def != SCF_OP(for) || ir_op_int(loop, "d2m.blocking_loop", -1) != dim)
            continue;
        int64_t trips = scf_for_trips(loop);
        if (trips < 0 || trips > INT32_MAX)
            return ir_op_error(op, "blocking loop must have constant bounds");
        out->block = ir_op_body(loop, 0)->args[0];
        out->core_tiles = out->tiles * trips;
        return true;
    }
    return true;
}

static bool read_axes(ir_op *op, axis out[2])
{
    ir_op *around = d2m_generic_around(op);
    ir_type type = ir_op_operand(op, 1)->type;
    d2m_shape grid;
    if (type->kind != IR_TYPE_MEMREF || type->count != 2 ||
        !ir_type_has_static_shape(type) || !ttcore_is_tile(type->element))
        return ir_op_error(op, "output must be a memref of two dimensions of tiles");
    if (ir_op_operand(op, 0)->type->kind != IR_TYPE_MEMREF ||
        ir_op_operand(op, 0)->type->count != 2)
        return ir_op_error(op, "the tile of indices must be a memref");
    if (!around)
        return ir_op_error(op, "must be inside a d2m.generic");
    d2m_grid_shape(ir_op_attr(around, "grid"), &grid);
    if (grid.n < 2)
        return ir_op_error(op, "grid must have at least 2 dimensions");
    for (uint32_t i = 0; i < 2; i++) {
        out[i] = (axis){.tiles = type->dims[i]};
        if (!read_blocking(op, i, &out[i]))
            return false;
        out[i].all_tiles = out[i].core_tiles * grid.at[grid.n - 2 + i];
    }
    return true;
}

/* ---- building ------------------------------------------------------------------------ */

static ir_value *begin_loop(ir_builder *b, int64_t n, ir_op **loop)
{
    ir_value *step = arith_index(b, 1), *end = arith_index(b, n), *from = arith_index(b, 0);
    *loop = scf_for_build(b, from, end, step);
    *b = ir_builder_before(ir_op_body(*loop, 0)->last);
    return ir_op_body(*loop, 0)->args[0];
}

/* The position of a tile in the whole grid. */
static ir_value *whole_index(ir_builder *b, const axis *a, ir_value *core, ir_value *tile)
{
    ir_value *at = add(b, mul(b, core, arith_index(b, a->core_tiles)), tile);
    return a->block ? add(b, at, mul(b, a->block, arith_index(b, a->tiles))) : at;
}

static ir_value *number(ir_builder *b, ir_type type, int64_t value)
{
    ir_attr attr = type->kind == IR_TYPE_FLOAT ? ir_float_attr(type, (double)value)
                                               : ir_integer_attr(type, value);
    return ir_build1(b, ARITH_OP(constant), type, NULL, 0, IR_ATTRS({"value", attr}));
}

static ir_value *as_number(ir_builder *b, ir_type type, ir_value *index)
{
    if (type->kind == IR_TYPE_INTEGER)
        return ir_build1(b, ARITH_OP(index_cast), type, &index, 1, NULL, 0);
    ir_value *wide =
        ir_build1(b, ARITH_OP(index_cast), ir_integer_type(b->ctx, 64, IR_SIGNLESS), &index,
                  1, NULL, 0);
    return ir_build1(b, ARITH_OP(sitofp), type, &wide, 1, NULL, 0);
}

static ir_value *tile_op(ir_builder *b, const ir_op_def *def, ir_value *tile, ir_value *by)
{
    return ir_build1(b, def, tile->type, IR_VALUES(tile, by), NULL, 0);
}

static void build_tile(ir_builder *b, ir_op *op, const axis axes[2],
                       ir_value *const tile[2], ir_value *const core[2], ir_type scalar,
                       ir_value *first, ir_value *step)
{
    bool down = ir_attr_bool(ir_op_attr(op, "colMajor"));
    ir_value *zero = arith_index(b, 0), *side = arith_index(b, SIDE);
    ir_value *operands[] = {ir_op_operand(op, 0), zero, zero};
    ir_type type = operands[0]->type->element;
    ir_value *numbers = ir_build1(b, MEMREF_OP(load), type, operands, 3, NULL, 0);
    ir_value *at[2];
    for (size_t i = 0; i < 2; i++)
        at[i] = whole_index(b, &axes[i], core[i], tile[i]);
    /* numbers go along `along`; the other direction is a whole line of tiles apart */
    size_t along = down ? 0 : 1, across = 1 - along;
    ir_value *lines = mul(b, at[across], arith_index(b, axes[along].all_tiles));
    lines = mul(b, mul(b, lines, side), side);
    ir_value *offset = add(b, lines, mul(b, at[along], side));
    ir_value *start = as_number(b, scalar, offset);
    if (down)
        numbers = ir_build1(b, D2M_OP(tile_transpose), type, &numbers, 1, NULL, 0);
    numbers = tile_op(b, D2M_OP(tile_add), numbers, start);
    numbers = tile_op(b, D2M_OP(tile_mul), numbers, step);
    numbers = tile_op(b, D2M_OP(tile_add), numbers, first);
    ir_value *stored[] = {numbers, ir_op_operand(op, 1), tile[0], tile[1]};
    ir_build_op(b, MEMREF_OP(store), NULL, 0, stored, 4, NULL, 0, 0);
}

static bool decompose(ir_op *op)
{
    axis axes[2];
    if (!read_axes(op, axes))
        return false;
    ir_builder b = ir_builder_before(op);
    ir_value *output = ir_op_operand(op, 1), *indices = ir_op_operand(op, 0), *core[2];
    ir_type element =
        ttnn_dtype_element(b.ctx, ttcore_tile_data_type(output->type->element));
    if (!element || (element->kind != IR_TYPE_FLOAT && element->kind != IR_TYPE_INTEGER))
        return ir_op_error(op, "needs tiles of numbers");
    ir_type scalar = element->kind == IR_TYPE_INTEGER
                         ? ir_integer_type(b.ctx, element->width, IR_SIGNLESS)
                         : element;
    ir_build_op(&b, D2M_OP(fill_arange_tile), NULL, 0, &indices, 1, NULL, 0, 0);
    ir_value *first = number(&b, scalar, ir_op_int(op, "start", 0));
    ir_value *step = number(&b, scalar, ir_op_int(op, "step", 1));
    for (uint32_t i = 0; i < 2; i++)
        core[i] = d2m_build_dim_query(&b, D2M_OP(core_index), i);
    bool down = ir_attr_bool(ir_op_attr(op, "colMajor"));
    ir_op *outer, *inner;
    ir_value *tile[2];
    tile[down] = begin_loop(&b, axes[down].tiles, &outer);
    tile[!down] = begin_loop(&b, axes[!down].tiles, &inner);
    ir_op_set_attr(inner, "d2m.linalg_root", ir_unit_attr(b.ctx));
    ir_op_set_attr(inner, "d2m.scheduled", ir_unit_attr(b.ctx));
    build_tile(&b, op, axes, tile, core, scalar, first, step);
    ir_value_replace_uses(&op->results[0], output);
    ir_op_erase(op);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_arange, decompose);
}

const pass_def d2m_decompose_arange_pass = {
    .name = "d2m-decompose-arange",
    .summary = "Decompose d2m.arange_block to operations on tiles",
    .anchor = "builtin.module",
    .run = run,
};
