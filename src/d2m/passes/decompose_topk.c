/* decompose_topk.c: d2m-decompose-topk: the largest k of a block become loops that sort,
 * merge and rebuild pairs of tiles.
 *
 * Up to 32 of them a tournament is played: in level m the winners are 2^m tiles apart.
 * More than 32 fill two tiles, into which the others are merged pair by pair. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

enum { SIDE = 32, LANE_ROWS = 2, SORT_PHASES = 5 };

typedef struct topk {
    ir_op *op;
    ir_value *values, *indices, *out[2];
    int64_t k, dim;                /* k: as many as are sorted, a power of two */
    int64_t tiles, others;         /* along the dimension, and across it */
    int64_t stride, others_stride; /* of tiles in the block */
    int64_t log_k, levels;
    bool is_power; /* `tiles` is a power of two */
    ir_value *zero, *one, *offset;
    ir_value *none, *yes, *no; /* 0 as i32; i1 */
} topk;

static ir_value *arith(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *begin_loop(ir_builder *b, ir_value *from, ir_value *to, ir_value *step)
{
    ir_op *loop = scf_for_build(b, from, to, step);
    *b = ir_builder_before(ir_op_body(loop, 0)->last);
    return ir_op_body(loop, 0)->args[0];
}

static int64_t log_of(int64_t n)
{
    int64_t log = 0;
    while (n > 1) {
        n >>= 1;
        log++;
    }
    return log;
}

static ir_value *flag(ir_builder *b, bool value)
{
    return loop_build_constant(b, ir_integer_type(b->ctx, 1, IR_SIGNLESS), value);
}

/* ---- steps --------------------------------------------------------------------------- */

/* The tile with that number along the dimension, in the current line. */
static ir_value *tile_at(ir_builder *b, const topk *t, ir_value *number)
{
    return arith(b, ARITH_OP(addi),
                 arith(b, ARITH_OP(muli), number, arith_index(b, t->stride)), t->offset);
}

static void sort(ir_builder *b, const topk *t, ir_value *x, ir_value *y, int64_t end,
                 ir_value *start, ir_value *ends_group, ir_value *from_output)
{
    ir_value *operands[] = {t->values, t->indices, t->out[0],  t->out[1],  start,
                            x,         y,          ends_group, from_output};
    ir_build_op(b, D2M_OP(tile_topk_local_sort), NULL, 0, operands, 9,
                IR_ATTRS({"idir", ir_i32_attr(b->ctx, 0)},
                         {"i_end_phase", ir_i32_attr(b->ctx, end)},
                         {"is_group_start", ir_bool_attr(b->ctx, true)}),
                0);
}

static void merge(ir_builder *b, const topk *t, ir_value *x, ir_value *y, int64_t k,
                  ir_value *level, ir_value *ends_group, ir_value *from_output)
{
    ir_value *operands[] = {t->values, t->indices, t->out[0],  t->out[1],  level,
                            x,         y,          ends_group, from_output};
    ir_build_op(b, D2M_OP(tile_topk_merge), NULL, 0, operands, 9,
                IR_ATTRS({"k", ir_i32_attr(b->ctx, k)},
                         {"is_group_start", ir_bool_attr(b->ctx, false)}),
                0);
}

static void rebuild(ir_builder *b, const topk *t, ir_value *x, ir_value *y, int64_t log,
                    bool skip, ir_value *level, ir_value *from_output)
{
    ir_value *operands[] = {t->values, t->indices, t->out[0], t->out[1],  level,
                            x,         y,          t->yes,    from_output};
    ir_build_op(b, D2M_OP(tile_topk_rebuild), NULL, 0, operands, 9,
                IR_ATTRS({"idir", ir_i32_attr(b->ctx, 0)}, {"k", ir_i32_attr(b->ctx, t->k)},
                         {"logk", ir_i32_attr(b->ctx, log)},
                         {"skip_second", ir_i32_attr(b->ctx, skip)},
                         {"is_group_start", ir_bool_attr(b->ctx, false)}),
                0);
}

/* ---- more than 32 -------------------------------------------------------------------- */

static void combine(ir_builder *b, const topk *t, ir_value *x, ir_value *y, bool again)
{
    ir_value *from_output = again ? t->yes : t->no;
    ir_value *tile_x = tile_at(b, t, x), *tile_y = tile_at(b, t, y);
    sort(b, t, tile_x, tile_y, t->log_k - 1, t->none, t->no, from_output);
    merge(b, t, tile_x, tile_y, t->k, t->none, t->no, from_output);
    rebuild(b, t, tile_x, tile_y, t->log_k, false, t->none, from_output);
}

static void fold_pairs(ir_builder *b, const topk *t)
{
    combine(b, t, t->zero, t->one, false);
    int64_t whole = t->tiles - t->tiles % 2;
    if (whole > 2) {
        ir_builder in = *b;
        ir_value *step = arith_index(b, 2), *end = arith_index(b, whole);
        ir_value *x = begin_loop(&in, arith_index(b, 2), end, step);
        (void)in;
        ir_value *y = arith(&in, ARITH_OP(addi), x, t->one);
        combine(&in, t, x, y, false);
        combine(&in, t, t->zero, x, true);
        combine(&in, t, t->one, y, true);
        combine(&in, t, t->one, x, true);
    }
    if (t->tiles % 2 == 0)
        return;
    ir_value *last = arith_index(b, t->tiles - 1), *tile = tile_at(b, t, last);
    sort(b, t, tile, tile, t->log_k - 1, t->none, t->yes, t->no);
    combine(b, t, t->zero, last, true);
    combine(b, t, t->one, last, true);
}

/* ---- up to 32 ------------------------------------------------------------------------ */

static void play_level(const ir_builder *at, const topk *t, ir_value *level, bool first,
                       bool last)
{
    ir_builder b = *at;
    ir_value *level_i32 =
        ir_build1(&b, ARITH_OP(index_cast), ir_integer_type(b.ctx, 32, IR_SIGNLESS), &level,
                  1, NULL, 0);
    ir_value *apart = arith(&b, ARITH_OP(shli), t->one, level);
    ir_value *end = arith(&b, ARITH_OP(subi), arith_index(&b, t->tiles), apart);
    ir_value *step = arith(&b, ARITH_OP(muli), apart, arith_index(&b, 2));
    ir_value *x = begin_loop(&b, t->zero, end, step);
    ir_value *y = arith(&b, ARITH_OP(addi), x, apart);
    ir_value *tile_x = tile_at(&b, t, x), *tile_y = tile_at(&b, t, y);
    ir_value *from_output = first ? t->no : t->yes;
    bool rebuilds = last && (t->k < SIDE || !first);
    sort(&b, t, tile_x, tile_y, SORT_PHASES - 1, t->is_power ? level_i32 : t->none, t->no,
         from_output);
    merge(&b, t, tile_x, tile_y, SIDE, level_i32, rebuilds ? t->no : t->yes, from_output);
    if (rebuilds)
        rebuild(&b, t, tile_x, tile_y, SORT_PHASES, true, level_i32, from_output);
    if (first && !t->is_power && t->tiles % 2 == 1) {
        ir_value *tile = tile_at(&b, t, arith_index(&b, t->tiles - 1));
        sort(&b, t, tile, tile, SORT_PHASES - 1, t->none, t->yes, t->no);
    }
}

static void play(ir_builder *b, const topk *t)
{
    play_level(b, t, t->zero, true, t->levels == 1);
    if (t->levels <= 1)
        return;
    ir_builder in = *b;
    ir_value *level = begin_loop(&in, t->one, arith_index(b, t->levels - 1), t->one);
    play_level(&in, t, level, false, false);
    play_level(b, t, arith_index(b, t->levels - 1), false, true);
}

/* ---- indices ------------------------------------------------------------------------- */

static ir_value *core_times(ir_builder *b, int64_t dim, int64_t factor)
{
    ir_value *times = arith_index(b, factor);
    return arith(b, ARITH_OP(muli), d2m_build_dim_query(b, D2M_OP(core_index), dim), times);
}

static bool is_anchor(const ir_op *op)
{
    return op->def == D2M_OP(scratch_init);
}

/* The buffers of the generic that are marked for indices, and for one tile of numbers. */
static bool find_buffers(ir_op *generic, ir_value *out[2])
{
    ir_op_list ops = ir_ops_in(generic, d2m_is_alloc);
    out[0] = out[1] = NULL;
    for (size_t i = 0; i < ops.n; i++) {
        if (ir_op_attr(ops.at[i], "d2m.topk_index_buffer"))
            out[0] = &ops.at[i]->results[0];
        else if (ir_op_attr(ops.at[i], "d2m.topk_lane_buffer"))
            out[1] = &ops.at[i]->results[0];
    }
    ir_op_list_free(&ops);
    return out[0] && out[1];
}

static void erase_anchors(ir_op *generic, ir_value *const buffers[2])
{
    ir_op_list ops = ir_ops_in(generic, is_anchor);
    for (size_t i = 0; i < ops.n; i++) {
        ir_value *scratch = ir_op_operand(ops.at[i], 0);
        if (scratch == buffers[0] || scratch == buffers[1])
            ir_op_erase(ops.at[i]);
    }
    ir_op_list_free(&ops);
}

/* Numbers along the dimension: one tile of them is replicated, with an offset for each
 * tile. */
static bool build_indices(ir_builder *b, topk *t)
{
    ir_op *generic = d2m_generic_around(t->op);
    ir_value *buffers[2];
    d2m_shape grid;
    ir_type element = ir_op_operand(t->op, 3)->type->element, lane_type;
    if (!generic || !find_buffers(generic, buffers))
        return ir_op_error(t->op, "needs buffers for its indices in its d2m.generic");
    d2m_grid_shape(ir_op_attr(generic, "grid"), &grid);
    ir_type number = ttnn_dtype_element(b->ctx, ttcore_tile_data_type(element));
    if (grid.n < 2 || !number || number->kind != IR_TYPE_INTEGER ||
        buffers[1]->type->count != 2)
        return ir_op_error(t->op, "needs tiles of integers for its indices");
    number = ir_integer_type(b->ctx, number->width, IR_SIGNLESS);
    erase_anchors(generic, buffers);
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_build1(b, D2M_OP(arange_block), buffers[1]->type, IR_VALUES(t->indices, buffers[1]),
              IR_ATTRS({"num_elements", ir_integer_attr(i64, SIDE)},
                       {"start", ir_integer_attr(i64, 0)},
                       {"step", ir_integer_attr(i64, 1)},
                       {"colMajor", ir_bool_attr(b->ctx, true)}));
    ir_build_op(b, D2M_OP(unpack_stall_on_pack), NULL, 0, NULL, 0, NULL, 0, 0);
    int64_t lane_rows = LANE_ROWS * grid.at[grid.n - 2];
    ir_value *base = core_times(b, 1, lane_rows * SIDE * SIDE);
    base = arith(b, ARITH_OP(addi), core_times(b, 0, LANE_ROWS * SIDE), base);
    ir_value *band = core_times(b, t->dim, t->tiles);
    ir_value *zero = arith_index(b, 0), *one = arith_index(b, 1);
    ir_builder in = *b;
    ir_value *line = begin_loop(&in, zero, arith_index(b, t->others), one);
    ir_value *tile = begin_loop(&in, zero, arith_index(&in, t->tiles), one);
    ir_op *loop = ir_value_block(tile)->region->owner;
    ir_op_set_attr(loop, "d2m.linalg_root", ir_unit_attr(b->ctx));
    ir_op_set_attr(loop, "d2m.scheduled", ir_unit_attr(b->ctx));
    ir_value *loaded[] = {buffers[1], zero, zero};
    lane_type = buffers[1]->type->element;
    ir_value *lane = ir_build1(&in, MEMREF_OP(load), lane_type, loaded, 3, NULL, 0);
    ir_value *replicated =
        ir_build1(&in, D2M_OP(tile_bcast), element, &lane, 1,
                  IR_ATTRS({"bcast_type", ir_enum_attr(b->ctx, D2M_ATTR(tile_bcast_type),
                                                       D2M_TileBcastType_Col)}));
    ir_value *side = arith_index(&in, SIDE);
    ir_value *first =
        arith(&in, ARITH_OP(muli), arith(&in, ARITH_OP(addi), band, tile), side);
    ir_value *moved = arith(&in, ARITH_OP(subi), first, base);
    ir_value *scalar = ir_build1(&in, ARITH_OP(index_cast), number, &moved, 1, NULL, 0);
    ir_value *sum =
        ir_build1(&in, D2M_OP(tile_add), element, IR_VALUES(replicated, scalar), NULL, 0);
    ir_value *stored[] = {sum, buffers[0], t->dim == 0 ? tile : line,
                          t->dim == 0 ? line : tile};
    ir_build_op(&in, MEMREF_OP(store), NULL, 0, stored, 4, NULL, 0, 0);
    ir_build_op(b, D2M_OP(unpack_stall_on_pack), NULL, 0, NULL, 0, NULL, 0, 0);
    t->indices = buffers[0];
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool read(ir_op *op, topk *t)
{
    ir_type type = ir_op_operand(op, 0)->type;
    *t = (topk){.op = op,
                .values = ir_op_operand(op, 0),
                .indices = ir_op_operand(op, 1),
                .out = {ir_op_operand(op, 2), ir_op_operand(op, 3)},
                .k = ir_op_int(op, "k", 0),
                .dim = ir_op_int(op, "dim", -1)};
    if (type->kind != IR_TYPE_MEMREF || type->count != 2 ||
        !ir_type_has_static_shape(type) || t->dim < 0 || t->dim > 1 || t->k <= 0 ||
        t->k > 2 * SIDE || t->out[1]->type->kind != IR_TYPE_MEMREF)
        return ir_op_error(op,
                           "input must be a memref of two dimensions, and k from 1 to 64");
    while (t->k < 2 || t->k & (t->k - 1))
        t->k++;
    t->tiles = type->dims[t->dim];
    t->others = type->dims[1 - t->dim];
    t->stride = t->dim == 1 ? 1 : t->others;
    t->others_stride = t->dim == 1 ? t->tiles : 1;
    t->log_k = log_of(t->k);
    t->is_power = t->tiles > 0 && (t->tiles & (t->tiles - 1)) == 0;
    t->levels = log_of(t->tiles) + !t->is_power;
    return true;
}

static bool decompose(ir_op *op)
{
    topk t;
    if (!read(op, &t))
        return false;
    ir_builder b = ir_builder_before(op);
    if (ir_attr_bool(ir_op_attr(op, "generate_indices")) && !build_indices(&b, &t))
        return false;
    t.zero = arith_index(&b, 0);
    t.one = arith_index(&b, 1);
    t.none = loop_build_constant(&b, ir_integer_type(b.ctx, 32, IR_SIGNLESS), 0);
    t.yes = flag(&b, true);
    t.no = flag(&b, false);
    ir_value *line = begin_loop(&b, t.zero, arith_index(&b, t.others), t.one);
    t.offset = arith(&b, ARITH_OP(muli), line, arith_index(&b, t.others_stride));
    if (t.k > SIDE)
        fold_pairs(&b, &t);
    else
        play(&b, &t);
    for (size_t i = 0; i < 2; i++)
        ir_value_replace_uses(&op->results[i], t.out[i]);
    ir_op_erase(op);
    return true;
}

static bool is_topk(const ir_op *op)
{
    return op->def == D2M_OP(topk_block);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_topk, decompose);
}

const pass_def d2m_decompose_topk_pass = {
    .name = "d2m-decompose-topk",
    .summary = "Decompose d2m.topk_block to sorts, merges and rebuilds of tiles",
    .anchor = "builtin.module",
    .run = run,
};
