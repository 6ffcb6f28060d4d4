/* units.c: operations of the matrix unit, tiles that are reduced, broadcast or transposed,
 * and blocks that become tiles or rows. */
#include "d2m/d2m_verify.h"
#include "d2m/tile_ops.h"
#include "mlir/func/func.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/from_d2m/from_d2m.h"

/* ---- sums, differences and products of two tiles ------------------------------------- */

static const struct binary_row {
    const ir_op_def *def, *tiles, *init, *ints, *ints_init;
    int64_t kind;
} binary_rows[] = {
    {D2M_OP(tile_add), TTKERNEL_OP(add_tiles), TTKERNEL_OP(add_tiles_init),
     TTKERNEL_OP(add_int_tile), TTKERNEL_OP(add_int_tile_init),
     TTKERNEL_EltwiseBinaryType_Add},
    {D2M_OP(tile_sub), TTKERNEL_OP(sub_tiles), TTKERNEL_OP(sub_tiles_init),
     TTKERNEL_OP(sub_int_tile), TTKERNEL_OP(sub_int_tile_init),
     TTKERNEL_EltwiseBinaryType_Sub},
    {D2M_OP(tile_mul), TTKERNEL_OP(mul_tiles), TTKERNEL_OP(mul_tiles_init),
     TTKERNEL_OP(mul_int_tile), TTKERNEL_OP(mul_int_tile_init),
     TTKERNEL_EltwiseBinaryType_Mul},
};

static bool is_in_dst(const ir_value *tile)
{
    const ir_op *load = ir_value_def(tile);
    return ir_op_is(load, MEMREF_OP(load)) &&
           d2k_space(ir_op_operand(load, 0)->type) == TTCORE_MemorySpace_RegisterDst;
}

static ir_attr takes_dtype(const ir_op_def *def, ir_attr dtype)
{
    return ir_def_prop_index(def, TW_STR("dtype")) == SIZE_MAX ? NULL : dtype;
}

/* The matrix unit does not add integers: both tiles are copied to DST. */
static bool binary_of_integers(d2k *k, ir_op *op, const struct binary_row *row, ir_value *a,
                               ir_value *b, ir_value *out)
{
    ir_builder at = ir_builder_before(op);
    ir_attr dtype = d2k_dtype(ir_op_operand(op, 0)->type);
    ir_value *first = arith_index(&at, 0), *second = arith_index(&at, 1);
    ir_builder start = d2k_after(op, IR_VALUES(a, out));
    D2K_CALL(&start, TTKERNEL_OP(init_sfpu), a, out);
    D2K_CALL(&at, TTKERNEL_OP(copy_tile_init), a);
    D2K_CALL(&at, TTKERNEL_OP(copy_tile), a, d2k_value(k, ir_op_operand(op, 0)), first);
    D2K_CALL(&at, TTKERNEL_OP(copy_tile_init), b);
    D2K_CALL(&at, TTKERNEL_OP(copy_tile), b, d2k_value(k, ir_op_operand(op, 1)), second);
    ir_build_op(&at, row->ints_init, NULL, 0, NULL, 0,
                IR_ATTRS({"dtype", takes_dtype(row->ints_init, dtype)}), 0);
    ir_build_op(&at, row->ints, NULL, 0, IR_VALUES(first, second, first),
                IR_ATTRS({"dtype", takes_dtype(row->ints, dtype)}), 0);
    return d2k_done(k, op, first);
}

/* One tile is in DST, where the result replaces it; the other is in a buffer. */
static bool binary_with_dst(d2k *k, ir_op *op, const struct binary_row *row,
                            bool lhs_in_dst, ir_value *out)
{
    ir_builder b = ir_builder_before(op);
    ir_value *kept = ir_op_operand(op, !lhs_in_dst), *other = ir_op_operand(op, lhs_in_dst);
    ir_value *cb = d2k_cb(k, other), *dst = d2k_dst_of(k, &op->results[0]);
    if (!cb || !dst)
        return d2k_illegal(op, "its operand is in no circular buffer, or its result in no "
                               "slot of DST");
    d2k_ensure_before(&b, dst);
    ir_builder start = d2k_after(op, IR_VALUES(cb, out));
    D2K_CALL(&start, TTKERNEL_OP(binary_op_init_common), cb, cb, out);
    b = ir_builder_before(op);
    if (d2k_value(k, kept) != dst) {
        d2k_call(&b, TTKERNEL_OP(copy_dest_values_init), NULL, 0);
        ir_build_op(&b, TTKERNEL_OP(copy_dest_values), NULL, 0,
                    IR_VALUES(d2k_value(k, kept), dst),
                    IR_ATTRS({"data_format", d2k_dtype(kept->type)}), 0);
    }
    ir_attr_by_name how[] = {
        {"eltwise_binary_type",
         ir_enum_attr(k->ctx, TTKERNEL_ATTR(eltwise_binary_type), row->kind)},
        {"reuse_type", ir_enum_attr(k->ctx, TTKERNEL_ATTR(reuse_type),
                                    lhs_in_dst ? TTKERNEL_BinaryDestReuseType_DestToSrcA
                                               : TTKERNEL_BinaryDestReuseType_DestToSrcB)}};
    ir_build_op(&b, TTKERNEL_OP(binary_dest_reuse_tiles_init), NULL, 0, &cb, 1, how, 2, 0);
    ir_build_op(&b, TTKERNEL_OP(binary_dest_reuse_tiles), NULL, 0,
                IR_VALUES(cb, d2k_value(k, other), dst), how, 2, 0);
    return d2k_done(k, op, dst);
}

bool d2k_fpu_binary(d2k *k, ir_op *op, bool *done)
{
    const struct binary_row *row = NULL;
    for (size_t i = 0; i < TW_COUNT(binary_rows); i++)
        if (binary_rows[i].def == op->def)
            row = &binary_rows[i];
    if (!row || d2m_is_scalar_operand(op, 1))
        return true;
    bool lhs = is_in_dst(ir_op_operand(op, 0)), rhs = is_in_dst(ir_op_operand(op, 1));
    if (lhs && rhs)
        return true;
    *done = true;
    ir_value *out = d2k_out_cb(k);
    if (!out)
        return d2k_illegal(op, "the kernel writes no circular buffer");
    if (lhs || rhs)
        return binary_with_dst(k, op, row, lhs, out);
    ir_value *a = d2k_cb(k, ir_op_operand(op, 0)), *b = d2k_cb(k, ir_op_operand(op, 1));
    if (!a || !b)
        return d2k_illegal(op, "an operand is in no circular buffer");
    if (ttcore_is_integer_tile(ir_op_operand(op, 0)->type))
        return binary_of_integers(k, op, row, a, b, out);
    ir_value *dst = d2k_dst_of(k, &op->results[0]);
    if (!dst)
        return d2k_illegal(op, "its result is not stored to DST");
    ir_builder start = d2k_after(op, IR_VALUES(a, b, out));
    D2K_CALL(&start, TTKERNEL_OP(binary_op_init_common), a, b, out);
    ir_builder at = ir_builder_before(op);
    d2k_ensure_before(&at, dst);
    D2K_CALL(&at, row->init, a, b);
    D2K_CALL(&at, row->tiles, a, b, d2k_value(k, ir_op_operand(op, 0)),
             d2k_value(k, ir_op_operand(op, 1)), dst);
    return d2k_done(k, op, dst);
}

/* ---- matmul -------------------------------------------------------------------------- */

/* In front of the kernel's first loop; without loops, of what holds the operation. */
static ir_builder kernel_start(d2k *k, ir_op *op)
{
    ir_block *entry = ir_op_body(k->func, 0);
    ir_op *at = entry->first;
    while (at && at->def != SCF_OP(for))
        at = at->next;
    for (at = at ? at : op; at->block != entry;)
        at = ir_op_parent(at);
    ir_builder b = ir_builder_before(at);
    b.loc = op->loc;
    return b;
}

bool d2k_matmul(d2k *k, ir_op *op)
{
    ir_value *a = d2k_cb(k, ir_op_operand(op, 0)), *w = d2k_cb(k, ir_op_operand(op, 1));
    ir_value *out = d2k_out_cb(k);
    bool begun = false;
    if (!a || !w || !out)
        return d2k_illegal(op, "an operand is in no circular buffer");
    for (ir_op *o = ir_op_body(k->func, 0)->first; o; o = o->next)
        begun |= o->def == TTKERNEL_OP(mm_init);
    if (!begun) {
        ir_builder start = kernel_start(k, op);
        D2K_CALL(&start, TTKERNEL_OP(mm_init), a, w, out, d2k_int(&start, 32, 0));
    }
    ir_builder b = ir_builder_before(op);
    D2K_CALL(&b, TTKERNEL_OP(mm_init_short), a, w, d2k_int(&b, 32, 0));
    D2K_CALL(&b, TTKERNEL_OP(matmul_tiles), a, w, d2k_value(k, ir_op_operand(op, 0)),
             d2k_value(k, ir_op_operand(op, 1)), d2k_value(k, ir_op_operand(op, 2)));
    return d2k_done(k, op, d2k_value(k, ir_op_operand(op, 2)));
}

/* The first tile of a block: what a subview has become, else 0. */
static ir_value *first_tile(d2k *k, ir_builder *b, ir_value *block)
{
    ir_value *v = d2k_value(k, block);
    return v->type->kind == IR_TYPE_INDEX || v->type->kind == IR_TYPE_INTEGER
               ? v
               : arith_index(b, 0);
}

int64_t d2k_row_stride(ir_value *block)
{
    memref_steps steps;
    ir_op *def = ir_value_def(block);
    if (block->type->count < 2)
        return 1;
    if (memref_steps_of(block->type, &steps) && steps.stride[0] != IR_DYNAMIC)
        return steps.stride[0];
    return ir_op_is(def, MEMREF_OP(cast)) ? d2k_row_stride(ir_op_operand(def, 0))
                                          : block->type->dims[1];
}

bool d2k_matmul_block(d2k *k, ir_op *op)
{
    ir_value *a = ir_op_operand(op, 0), *w = ir_op_operand(op, 1);
    ir_value *in0 = d2k_cb(k, a), *in1 = d2k_cb(k, w),
             *out = d2k_cb(k, ir_op_operand(op, 2));
    bool transposed = ir_op_bool(op, "transpose_b");
    if (!in0 || !in1 || !out || a->type->count != 2 || w->type->count != 2)
        return d2k_illegal(op, "it needs blocks of two dimensions in circular buffers");
    if (a->type->dims[0] > 1 && d2k_row_stride(a) != a->type->dims[1])
        return d2k_illegal(op, "the left block's rows must follow each other");
    if (transposed && w->type->dims[0] > 1 && d2k_row_stride(w) != w->type->dims[1])
        return d2k_illegal(op, "the rows of the transposed block must follow each other");
    ir_builder b = ir_builder_before(op), start = d2k_after(op, IR_VALUES(in0, in1, out));
    ir_value *dst = arith_index(&start, 0);
    ir_value *rows = d2k_int(&start, 32, a->type->dims[0]);
    ir_value *depth = d2k_int(&start, 32, a->type->dims[1]);
    ir_value *columns = d2k_int(&start, 32, w->type->dims[transposed ? 0 : 1]);
    ir_value *step = d2k_int(&start, 32, transposed ? 1 : d2k_row_stride(w));
    ir_value *flag = d2k_int(&start, 32, transposed);
    D2K_CALL(&start, TTKERNEL_OP(mm_block_init), in0, in1, out, flag, columns, rows, depth);
    D2K_CALL(&b, TTKERNEL_OP(mm_block_init_short), in0, in1, flag, columns, rows, depth);
    ir_value *from0 = first_tile(k, &b, a), *from1 = first_tile(k, &b, w);
    D2K_CALL(&b, TTKERNEL_OP(experimental_matmul_block), in0, in1, from0, from1, dst, flag,
             columns, rows, depth, step);
    return d2k_done(k, op, NULL);
}

/* ---- reductions ---------------------------------------------------------------------- */

static int64_t kernel_dim(const ir_op *op)
{
    switch (ir_enum_value(ir_op_attr(op, "reduce_dim"), D2M_ReduceDim_RC)) {
    case D2M_ReduceDim_R:
        return TTKERNEL_ReduceDim_Row;
    case D2M_ReduceDim_C:
        return TTKERNEL_ReduceDim_Col;
    default:
        return TTKERNEL_ReduceDim_Scalar;
    }
}

static ir_attr reduce_type(d2k *k, int64_t kind)
{
    return ir_enum_attr(k->ctx, TTKERNEL_ATTR(reduce_type), kind);
}

static ir_attr reduce_dim(d2k *k, int64_t dim)
{
    return ir_enum_attr(k->ctx, TTKERNEL_ATTR(reduce_dim), dim);
}

bool d2k_reduce(d2k *k, ir_op *op)
{
    int64_t kind = op->def == D2M_OP(tile_reduce_sum)   ? TTKERNEL_ReduceType_Sum
                   : op->def == D2M_OP(tile_reduce_max) ? TTKERNEL_ReduceType_Max
                                                        : TTKERNEL_ReduceType_Avg;
    ir_value *in = d2k_cb(k, ir_op_operand(op, 0)), *out = d2k_out_cb(k);
    ir_value *scaler = d2k_cb(k, ir_op_operand(op, 1));
    if (!in || !scaler || !out)
        return d2k_illegal(op, "an operand is in no circular buffer");
    ir_builder start = d2k_after(op, IR_VALUES(in, scaler, out)), b = ir_builder_before(op);
    D2K_CALL(&start, TTKERNEL_OP(compute_kernel_hw_startup), in, scaler, out);
    ir_attr_by_name how[] = {{"reduce_type", reduce_type(k, kind)},
                             {"reduce_dim", reduce_dim(k, kernel_dim(op))}};
    ir_value *dst = d2k_value(k, ir_op_operand(op, 2));
    ir_build_op(&b, TTKERNEL_OP(reduce_init), NULL, 0, IR_VALUES(in, scaler, out), how, 2,
                0);
    ir_build_op(&b, TTKERNEL_OP(reduce_tile), NULL, 0,
                IR_VALUES(in, scaler, d2k_value(k, ir_op_operand(op, 0)),
                          d2k_value(k, ir_op_operand(op, 1)), dst),
                how, 2, 0);
    d2k_call(&b, TTKERNEL_OP(reduce_uninit), NULL, 0);
    return d2k_done(k, op, dst);
}

/* Fills the accumulator with the value that changes no result. */
static void fill_identity(ir_builder *b, ir_value *slot, bool sum)
{
    ir_value *identity = d2k_int(b, 32, sum ? 0 : INT32_MIN);
    d2k_call(b, TTKERNEL_OP(fill_tile_init), NULL, 0);
    D2K_CALL(b, TTKERNEL_OP(fill_tile_int), slot, identity);
}

/* The acquisition of DST for the operation, in its block or one around it; NULL if none. */
static ir_op *acquisition_of(ir_op *op)
{
    for (; op; op = ir_op_parent(op))
        for (ir_op *before = op->prev; before; before = before->prev)
            if (before->def == D2M_OP(acquire_dst) ||
                before->def == TTKERNEL_OP(tile_regs_acquire))
                return before;
    return NULL;
}

static ir_walk stop_at_copy(ir_op *op, void *user)
{
    (void)user;
    return op->def == TTKERNEL_OP(copy_tile) ? IR_WALK_STOP : IR_WALK_ON;
}

/* The condition under which results of earlier blocks are copied to DST between the
 * acquisition and the operation; NULL if they are not. */
static ir_value *reload_condition(ir_op *acquisition, ir_op *op)
{
    ir_op *at = acquisition ? acquisition->next : NULL;
    for (; at && !ir_op_is_ancestor(at, op); at = at->next)
        if (at->def == SCF_OP(if) && ir_walk_pre(at, stop_at_copy, NULL) == IR_WALK_STOP)
            return ir_op_operand(at, 0);
    return NULL;
}

/* A slot that is known is filled once, one that loops change in their first iteration after
 * the acquisition; neither where the slot is loaded. */
static void begin_accumulator(ir_op *op, const ir_builder *start, ir_value *slot, bool sum)
{
    int64_t fixed;
    ir_op *acquisition = acquisition_of(op);
    ir_value *reloaded = reload_condition(acquisition, op);
    bool known = loop_constant(slot, &fixed);
    ir_builder b = ir_builder_before(op), then, skipped;
    if (known) {
        b = acquisition ? ir_builder_after(acquisition) : *start;
        slot = arith_index(&b, fixed);
    } else {
        d2k_ensure_before(&b, slot);
        ir_value *guard =
            d2k_first_iteration(&b, op, slot, acquisition ? acquisition->block : NULL);
        if (guard) {
            d2k_if(&b, guard, false, &then, NULL);
            b = then;
        }
    }
    if (reloaded) {
        d2k_ensure_before(&b, reloaded);
        d2k_if(&b, reloaded, true, &skipped, &then);
        b = then;
    }
    fill_identity(&b, slot, sum);
}

bool d2k_sfpu_reduce(d2k *k, ir_op *op)
{
    bool sum = op->def == D2M_OP(tile_sfpu_reduce_sum);
    ir_value *in = d2k_cb(k, ir_op_operand(op, 0)), *out = d2k_out_cb(k);
    ir_value *slot = d2k_value(k, ir_op_operand(op, 1));
    ir_attr dtype = d2k_dtype(ir_op_operand(op, 0)->type);
    int64_t scratch = ir_op_int(op, "dst_scratch_index", -1), dim = kernel_dim(op);
    if (!in || !out)
        return d2k_illegal(op, "an operand is in no circular buffer");
    if (scratch < 0)
        return ir_op_error(op, "dst_scratch_index must be set by "
                               "d2m-insert-dst-register-access before lowering");
    ir_builder start = d2k_after(op, IR_VALUES(in, out));
    D2K_CALL(&start, TTKERNEL_OP(init_sfpu), in, out);
    begin_accumulator(op, &start, slot, sum);
    ir_builder b = ir_builder_before(op);
    ir_value *at = arith_index(&b, scratch);
    ir_attr kind = reduce_type(k, sum ? TTKERNEL_ReduceType_Sum : TTKERNEL_ReduceType_Max);
    D2K_CALL(&b, TTKERNEL_OP(copy_tile_init), in);
    D2K_CALL(&b, TTKERNEL_OP(copy_tile), in, d2k_value(k, ir_op_operand(op, 0)), at);
    ir_build_op(&b, TTKERNEL_OP(sfpu_reduce_init), NULL, 0, NULL, 0,
                IR_ATTRS({"reduce_type", kind}, {"data_format", dtype}), 0);
    bool both = dim == TTKERNEL_ReduceDim_Scalar;
    for (int pass = 0; pass < 1 + both; pass++) {
        int64_t now = !both ? dim : pass ? TTKERNEL_ReduceDim_Row : TTKERNEL_ReduceDim_Col;
        ir_build_op(&b, TTKERNEL_OP(sfpu_reduce), NULL, 0, &at, 1,
                    IR_ATTRS({"reduce_type", kind}, {"data_format", dtype},
                             {"reduce_dim", reduce_dim(k, now)}),
                    0);
    }
    d2k_call(&b,
             sum ? TTKERNEL_OP(add_int_tile_init) : TTKERNEL_OP(binary_max_int32_tile_init),
             NULL, 0);
    ir_build_op(&b, sum ? TTKERNEL_OP(add_int_tile) : TTKERNEL_OP(binary_max_int32_tile),
                NULL, 0, IR_VALUES(at, slot, slot), IR_ATTRS({"dtype", sum ? dtype : NULL}),
                0);
    return d2k_done(k, op, slot);
}

/* ---- broadcast and transposition */

bool d2k_bcast(d2k *k, ir_op *op)
{
    static const int64_t kinds[] = {
        [D2M_TileBcastType_None] = TTKERNEL_BcastType_None,
        [D2M_TileBcastType_Col] = TTKERNEL_BcastType_Col,
        [D2M_TileBcastType_Row] = TTKERNEL_BcastType_Row,
        [D2M_TileBcastType_Scalar] = TTKERNEL_BcastType_Scalar,
    };
    ir_value *cb = d2k_cb(k, ir_op_operand(op, 0)), *dst = d2k_dst_of(k, &op->results[0]);
    int64_t kind = ir_enum_value(ir_op_attr(op, "bcast_type"), 0);
    ir_builder b = ir_builder_before(op);
    if (!cb || !dst || kind < 0 || kind > D2M_TileBcastType_Scalar)
        return d2k_illegal(op, cb ? "its result is not stored to DST"
                                  : "its operand is in no circular buffer");
    d2k_ensure_before(&b, dst);
    ir_attr_by_name how[] = {
        {"bcast_type", ir_enum_attr(k->ctx, TTKERNEL_ATTR(bcast_type), kinds[kind])}};
    ir_build_op(&b, TTKERNEL_OP(unary_bcast_init), NULL, 0, IR_VALUES(cb, cb), how, 1, 0);
    ir_build_op(&b, TTKERNEL_OP(unary_bcast), NULL, 0,
                IR_VALUES(cb, d2k_value(k, ir_op_operand(op, 0)), dst), how, 1, 0);
    return d2k_done(k, op, dst);
}

static ir_walk sets_up_unpackers(ir_op *op, void *user)
{
    (void)user;
    const bool other = ir_def_has(op->def, "TTKernel_InitOpTrait") ||
                       (d2m_tile_op_of(op) && op->def != D2M_OP(tile_transpose));
    return other ? IR_WALK_STOP : IR_WALK_ON;
}

/* The init is in front of everything, and again before a transposition where the kernel has
 * operations that set up the unpackers for themselves. */
bool d2k_transpose(d2k *k, ir_op *op)
{
    ir_value *in = d2k_cb(k, ir_op_operand(op, 0)), *out = d2k_out_cb(k);
    ir_value *dst = d2k_dst_of(k, &op->results[0]);
    if (!in || !out || !dst)
        return d2k_illegal(op, dst ? "the circular buffers of the kernel are unknown"
                                   : "its result is not stored to DST");
    ir_builder start = d2k_after(op, IR_VALUES(in, out)), b = ir_builder_before(op);
    D2K_CALL(&start, TTKERNEL_OP(transpose_wh_init), in, out);
    d2k_ensure_before(&b, dst);
    if (ir_walk_pre(k->func, sets_up_unpackers, NULL) == IR_WALK_STOP)
        D2K_CALL(&b, TTKERNEL_OP(transpose_wh_init), in, out);
    D2K_CALL(&b, TTKERNEL_OP(transpose_wh_tile), in, d2k_value(k, ir_op_operand(op, 0)),
             dst);
    return d2k_done(k, op, dst);
}

/* ---- tiles from rows and rows from tiles */

/* Rows and columns of tiles of a buffer, before its shape was collapsed. */
static bool block_shape(ir_value *memref, int64_t out[2])
{
    ir_op *def = ir_value_def(memref);
    while (ir_op_is(def, MEMREF_OP(collapse_shape))) {
        memref = ir_op_operand(def, 0);
        def = ir_value_def(memref);
    }
    ir_type type = memref->type;
    if (type->kind != IR_TYPE_MEMREF || !ir_type_has_static_shape(type) || !type->count)
        return false;
    out[0] = 1;
    out[1] = type->dims[type->count - 1];
    for (uint32_t i = 0; i + 1 < type->count; i++)
        out[0] *= type->dims[i];
    return true;
}

static ir_value *start_block(d2k *k, ir_op *op, ir_builder *b, int64_t shape[2],
                             ir_value **in, ir_value **out)
{
    bool tilize = op->def == D2M_OP(tile_tilize_block);
    *b = ir_builder_before(op);
    *in = d2k_cb(k, ir_op_operand(op, 0));
    *out = d2k_cb(k, ir_op_operand(op, 1));
    if (!*in || !*out || !block_shape(ir_op_operand(op, tilize), shape)) {
        d2k_illegal(op, "its blocks are in no circular buffers");
        return NULL;
    }
    ir_value *rows = d2k_int(b, 32, shape[0]);
    return rows;
}

bool d2k_tilize(d2k *k, ir_op *op)
{
    ir_builder b;
    int64_t shape[2];
    ir_value *in, *out, *rows = start_block(k, op, &b, shape, &in, &out);
    if (!rows)
        return false;
    ir_value *columns = d2k_int(&b, 32, shape[1]);
    D2K_CALL(&b, TTKERNEL_OP(compute_kernel_hw_startup), in, NULL, out);
    D2K_CALL(&b, TTKERNEL_OP(tilize_init), in, columns, out);
    D2K_CALL(&b, TTKERNEL_OP(experimental_tilize_block), in, out, rows, columns);
    return d2k_done(k, op, NULL);
}

/* As many columns go through DST at once as it holds and divide the row. */
bool d2k_untilize(d2k *k, ir_op *op)
{
    ir_builder b;
    int64_t shape[2];
    ir_value *in, *out, *rows = start_block(k, op, &b, shape, &in, &out);
    if (!rows)
        return false;
    ir_type tile = ir_op_operand(op, 0)->type->element;
    int64_t part = TW_MIN(d2m_dst_capacity(op, tile, 0), shape[1]);
    while (part > 1 && shape[1] % part)
        part--;
    ir_value *columns = d2k_int(&b, 32, shape[1]);
    ir_attr_by_name how[] = {{"colsPerDstPass", ir_i32_attr(k->ctx, part)},
                             {"totalColTiles", ir_i32_attr(k->ctx, shape[1])}};
    D2K_CALL(&b, TTKERNEL_OP(compute_kernel_hw_startup), in, NULL, out);
    ir_build_op(&b, TTKERNEL_OP(pack_untilize_init), NULL, 0, IR_VALUES(in, out), how, 2,
                0);
    ir_build_op(&b, TTKERNEL_OP(experimental_pack_untilize_block), NULL, 0,
                IR_VALUES(in, out, rows, columns), how, 2, 0);
    D2K_CALL(&b, TTKERNEL_OP(pack_untilize_uninit), out);
    return d2k_done(k, op, NULL);
}
