/* canonicalize.c: folds and canonical forms of layouts, views, masks, arithmetic of tiles
 * and threads. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/linalg/linalg.h"
#include "mlir/tensor/tensor.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"

/* ---- layouts ------------------------------------------------------------------------ */

static ir_attr remapping_of(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    return ir_op_is(op, D2M_OP(view_layout)) ? ir_op_attr(op, "remapping") : NULL;
}

bool d2m_fold_to_layout(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    ir_value *in = ir_op_operand(op, 0), *out = ir_op_operand(op, 1);
    /* Elements move if the input is a view or on other cores, whatever the types. */
    if (op->n_results != 1 || in->type->kind != IR_TYPE_TENSOR || in->type != out->type ||
        remapping_of(in) || remapping_of(out) ||
        d2m_virtual_grid_of(in).inverse != d2m_virtual_grid_of(out).inverse)
        return false;
    results[0].value = in;
    return true;
}

/* True if following the inputs of operations of one kind ends: in a region without order
 * they may form a cycle. */
static bool comes_from_outside(const ir_op *op)
{
    const ir_op_def *kind = op->def;
    for (int steps = 0; steps < 64; steps++)
        if (!(op = ir_value_def(ir_op_operand(op, 0))) || op->def != kind)
            return true;
    return false;
}

/* A new tensor in another layout is a new tensor in that layout. */
static bool lay_out_empty(ir_op *op, rw_rewriter *rw)
{
    const ir_op *from = ir_value_def(ir_op_operand(op, 0));
    const ir_op *to = ir_value_def(ir_op_operand(op, 1));
    if (!ir_op_is(from, D2M_OP(empty)) || op->n_results != 1)
        return false;
    d2m_virtual_grid maps = ir_op_is(to, D2M_OP(empty))
                                ? d2m_virtual_grid_of(ir_op_operand(op, 1))
                                : (d2m_virtual_grid){0};
    rw_replace1(rw, op, d2m_build_empty(&rw->b, ir_op_operand(op, 1)->type, maps));
    return true;
}

/* The layout between two others does not matter. */
static bool skip_layout(ir_op *op, rw_rewriter *rw)
{
    const ir_op *from = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(from, D2M_OP(to_layout)) || from->n_results != 1 || op->n_results != 1 ||
        !comes_from_outside(op))
        return false;
    ir_value *operands[] = {ir_op_operand(from, 0), ir_op_operand(op, 1)};
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, D2M_OP(to_layout), operands[1]->type, operands, 2, NULL, 0));
    return true;
}

static const ir_op *layout_cast_of(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    return ir_op_is(op, TTIR_OP(ttnn_metal_layout_cast)) &&
                   !ir_op_attr(op, "virtual_grid_inverse_mapping")
               ? op
               : NULL;
}

/* A tensor cast to TTNN's layout and back to its own may come back in other shards: the
 * same elements for an operation that moves them anyway. */
static bool skip_casts(ir_op *op, rw_rewriter *rw)
{
    const ir_value *in = ir_op_operand(op, 0);
    const ir_op *back = layout_cast_of(in);
    const ir_op *there = back ? layout_cast_of(ir_op_operand(back, 0)) : NULL;
    ir_value *from = there ? ir_op_operand(there, 0) : NULL;
    if (!from || from->type->kind != IR_TYPE_TENSOR || in->type->kind != IR_TYPE_TENSOR ||
        from == in || from->type->element != in->type->element || !in->type->encoding ||
        from->type->encoding != in->type->encoding)
        return false;
    ir_op_set_operand(op, 0, from);
    rw_modified(rw, op);
    return true;
}

/* ---- views -------------------------------------------------------------------------- */

/* The map of a view that only divides the tensor otherwise, or NULL. */
static ir_affine_map reblock_of(const ir_op *view, const ir_value *in)
{
    d2m_shape from, to;
    return d2m_shape_of(in->type, &from) && d2m_shape_of(view->results[0].type, &to)
               ? d2m_reblock_map(view->ctx, &from, &to)
               : NULL;
}

static bool only_reblocks(const ir_op *view)
{
    ir_attr map = ir_op_attr(view, "remapping");
    ir_affine_map reblock = reblock_of(view, ir_op_operand(view, 0));
    return reblock && ir_attr_is(map, IR_ATTR_AFFINE_MAP) && map->map == reblock;
}

bool d2m_fold_view(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    ir_value *in = ir_op_operand(op, 0);
    ir_attr map = ir_op_attr(op, "remapping");
    const ir_op *before = ir_value_def(in);
    if (!comes_from_outside(op))
        return false;
    if (in->type == op->results[0].type && ir_attr_is(map, IR_ATTR_AFFINE_MAP) &&
        ir_affine_map_is_identity(map->map)) {
        results[0].value = in;
        return true;
    }
    if (!ir_op_is(before, D2M_OP(view_layout)) || ir_op_bool(before, "reinterpretLayout") ||
        !only_reblocks(before) || !only_reblocks(op))
        return false;
    in = ir_op_operand(before, 0);
    ir_affine_map whole = reblock_of(op, in);
    if (!whole)
        return false;
    ir_op_set_operand(op, 0, in);
    ir_op_set_attr(op, "remapping", ir_affine_map_attr(op->ctx, whole));
    return true;
}

/* ---- masks -------------------------------------------------------------------------- */

bool d2m_has_no_padding(ir_type type, const int64_t *logical, size_t n)
{
    d2m_layout l;
    d2m_shape grid, shard;
    if (!ir_type_is_ranked(type) || !ttcore_is_tile(type->element))
        return true;
    if (d2m_layout_of(type, &l)) {
        if (l.align.n != n || n < 2)
            return false;
        for (size_t i = 0; i < n; i++)
            if (logical[i] % l.align.at[i] != 0)
                return false;
        return true;
    }
    d2m_half_of(type, false, &grid);
    d2m_half_of(type, true, &shard);
    if (n < 2 || !d2m_is_device_layout(type->encoding) || grid.n < 2)
        return false;
    for (uint32_t k = 1; k <= 2; k++)
        if (logical[n - k] != grid.at[grid.n - k] * shard.at[shard.n - k] * D2M_TILE)
            return false;
    return true;
}

bool d2m_fold_mask(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    int64_t logical[D2M_MAX_RANK];
    ir_value *in = ir_op_operand(op, 0);
    int64_t n = ir_attr_ints(ir_op_attr(op, "logicalShape"), logical, D2M_MAX_RANK);
    if (in == &op->results[0] || op->results[0].type->kind != IR_TYPE_TENSOR ||
        in->type != op->results[0].type || n < 0 || n > D2M_MAX_RANK)
        return false;
    if (ir_enum_value(ir_op_attr(op, "fill_value"), -1) != TTCORE_OOBVal_Undef &&
        !d2m_has_no_padding(in->type, logical, (size_t)n))
        return false;
    results[0].value = in;
    return true;
}

/* ---- arithmetic and meshes ---------------------------------------------------------- */

static bool is_number(ir_attr a, double wanted)
{
    return a && ((a->kind == IR_ATTR_FLOAT && a->real == wanted) ||
                 (a->kind == IR_ATTR_INTEGER && (double)a->value == wanted));
}

static bool fold_neutral(ir_op *op, const ir_attr *operands, ir_fold_result *results,
                         double neutral)
{
    if (!is_number(operands[1], neutral))
        return false;
    results[0].value = ir_op_operand(op, 0);
    return true;
}

bool d2m_fold_plus_zero(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    return fold_neutral(op, operands, results, 0);
}

bool d2m_fold_times_one(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    return fold_neutral(op, operands, results, 1);
}

bool d2m_fold_mesh_shard(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    int64_t shape[D2M_MAX_RANK];
    int64_t n = ir_attr_ints(ir_op_attr(op, "shard_shape"), shape, D2M_MAX_RANK);
    if (ir_enum_value(ir_op_attr(op, "shard_type"), -1) == TTCORE_MeshShardType_Replicate ||
        n < 0 || n > D2M_MAX_RANK || ir_op_operand(op, 0)->type != op->results[0].type)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (shape[i] != 1)
            return false;
    results[0].value = ir_op_operand(op, 0);
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

/* A linalg.generic of a d2m.generic writes to a tensor of its own, never to an input. */
static bool is_in_place(const ir_value *init)
{
    const ir_op *op = ir_value_def(init);
    return ir_type_is_tensor(init->type) && op && op->def != D2M_OP(empty) &&
           op->def != TENSOR_OP(empty);
}

static bool is_linalg(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

static bool separate_outputs(ir_op *op, rw_rewriter *rw)
{
    bool changed = false;
    if (op->n_results == 0)
        return false;
    ir_op_list inside = ir_ops_in(op, is_linalg);
    for (size_t i = 0; i < inside.n; i++) {
        ir_op *linalg = inside.at[i];
        size_t first, n;
        if (!ir_op_operand_group(linalg, 1, &first, &n))
            continue;
        for (size_t k = first; k < first + n; k++) {
            if (!is_in_place(ir_op_operand(linalg, k)))
                continue;
            ir_builder b = ir_builder_before(linalg);
            b.created = rw->b.created;
            b.user = rw->b.user;
            ir_op_set_operand(
                linalg, k,
                d2m_build_empty(&b, ir_op_operand(linalg, k)->type, (d2m_virtual_grid){0}));
            rw_modified(rw, linalg);
            changed = true;
        }
    }
    ir_op_list_free(&inside);
    return changed;
}

/* A wait whose pages are not read, on a buffer that nothing else uses. */
static bool drop_wait(ir_op *op, rw_rewriter *rw)
{
    if (!ir_value_unused(&op->results[0]) || !ir_value_has_one_use(ir_op_operand(op, 0)))
        return false;
    rw_erase(rw, op);
    return true;
}

static bool drop_second_stall(ir_op *op, rw_rewriter *rw)
{
    if (!ir_op_is(op->prev, D2M_OP(unpack_stall_on_pack)))
        return false;
    rw_erase(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {D2M_OP(to_layout), lay_out_empty, NULL},
    {D2M_OP(to_layout), skip_layout, "d2m.ToLayoutFoldRedundantPattern"},
    {D2M_OP(to_layout), skip_casts, NULL},
    {D2M_OP(generic), separate_outputs, NULL},
    {D2M_OP(wait), drop_wait, NULL},
    {D2M_OP(unpack_stall_on_pack), drop_second_stall, NULL},
};
const rw_pattern_table canonicalize_d2m = {patterns, TW_COUNT(patterns)};
