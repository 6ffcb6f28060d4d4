/* tile_ops.c: reads the rows of tile_ops.def. */
#include "d2m/tile_ops.h"

#include "mlir/linalg/linalg.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

static const d2m_tile_op rows[] = {
#define TILE_OP(row, unit, loads, in_place, scalar, function)                              \
    {D2M_OP(row), D2M_##unit, loads, in_place, scalar},
#include "d2m/tile_ops.def"
};

/* The number in `rows` of each row of the dialect, + 1. */
enum {
#define TILE_OP(row, unit, loads, in_place, scalar, function) NUMBER_##row,
#include "d2m/tile_ops.def"
};
static const uint8_t numbers[D2M_OP_COUNT] = {
#define TILE_OP(row, unit, loads, in_place, scalar, function)                              \
    [D2M_##row] = NUMBER_##row + 1,
#include "d2m/tile_ops.def"
};
_Static_assert(TW_COUNT(rows) < UINT8_MAX, "numbers of rows are bytes");

const d2m_tile_op *d2m_tile_op_of(const ir_op *op)
{
    if (!op || op->def < d2m_ops || op->def >= d2m_ops + D2M_OP_COUNT)
        return NULL;
    const uint8_t number = numbers[op->def - d2m_ops];
    return number ? &rows[number - 1] : NULL;
}

bool d2m_is_compute(const ir_op *op)
{
    return ir_op_is(op, D2M_OP(acquire_dst)) || d2m_tile_op_of(op);
}

bool d2m_is_transfer(const ir_op *op)
{
    return ir_def_has_interface(op->def, "D2M_GenericRegionDatamovementOpTrait");
}

bool d2m_skips_fusion(const ir_op *op)
{
    return ir_def_has_interface(op->def, "D2M_SkipOpEltwiseFusionTrait");
}

/* ---- DST */

static bool is_f32(ir_type type)
{
    return ttcore_is_tile(type) ? ttcore_tile_data_type(type) == TTCORE_DataType_Float32
                                : type->kind == IR_TYPE_FLOAT && type->width == 32;
}

bool d2m_runs_on_fpu(const ir_op *op)
{
    const d2m_tile_op *row = d2m_tile_op_of(op);
    if (!row || row->unit != D2M_BINARY || op->n_operands != 2)
        return row && row->unit == D2M_FPU;
    ir_type lhs = ir_op_operand(op, 0)->type, rhs = ir_op_operand(op, 1)->type;
    return !is_f32(lhs) && !is_f32(rhs) && !ttcore_is_integer_tile(lhs) &&
           ttcore_is_tile(rhs);
}

bool d2m_is_scalar_operand(const ir_op *op, size_t operand)
{
    const d2m_tile_op *row = d2m_tile_op_of(op);
    return row && row->scalar && operand == 1 && op->n_operands > 1 &&
           !ttcore_is_tile(ir_op_operand(op, 1)->type);
}

unsigned d2m_dst_loads(const ir_op *op)
{
    const d2m_tile_op *row = d2m_tile_op_of(op);
    if (!row)
        return 0;
    if (d2m_is_scalar_operand(op, 1))
        return row->loads & 1;
    return row->unit == D2M_BINARY && d2m_runs_on_fpu(op) ? 0 : row->loads;
}

bool d2m_dst_in_place(const ir_op *op)
{
    const d2m_tile_op *row = d2m_tile_op_of(op);
    return row && (row->in_place || d2m_is_scalar_operand(op, 1));
}

int64_t d2m_dst_scratch(const ir_op *op)
{
    return ir_op_is(op, D2M_OP(tile_sfpu_reduce_max)) ||
           ir_op_is(op, D2M_OP(tile_sfpu_reduce_sum));
}

/* The accumulators of tile_argmax follow its operands. */
int64_t d2m_dst_stride(const ir_op *op)
{
    return ir_op_is(op, D2M_OP(tile_argmax)) ? 2 : 1;
}

int64_t d2m_dst_capacity(ir_op *op, ir_type element, int64_t physical)
{
    int64_t tiles = physical > 0 ? physical : ttnn_chip_int(op, "dstPhysicalSizeTiles", 16);
    int64_t type = ttcore_tile_data_type(element);
    bool wide = type >= 0
                    ? type == TTCORE_DataType_Float32 || type == TTCORE_DataType_Int32 ||
                          type == TTCORE_DataType_UInt32
                    : element->kind != IR_TYPE_INDEX && element->width == 32;
    return tiles / 2 / (wide ? 2 : 1);
}

/* ---- synchronization */

/* Operand groups of the operations that read or write buffers as a whole. */
static const struct sync_row {
    const ir_op_def *def;
    const char *produced[2], *consumed[2];
} sync_rows[] = {
    {D2M_OP(remote_load), {"localBuffer"}, {NULL}},
    {D2M_OP(remote_store), {NULL}, {"localBuffer"}},
    {D2M_OP(local_copy), {"dst"}, {"src"}},
    {D2M_OP(tile_tilize_block), {"output"}, {"input"}},
    {D2M_OP(tile_untilize_block), {"output"}, {"input"}},
    {D2M_OP(arange_block), {"output"}, {"index_tile_tensor"}},
    {D2M_OP(topk_block),
     {"out_values", "out_indices"},
     {"input_values", "scratch_idx_tile"}},
    {D2M_OP(tile_topk_local_sort), {"out_values", "out_indices"}, {"values", "indices"}},
    {D2M_OP(tile_topk_merge), {"out_values", "out_indices"}, {"values", "indices"}},
    {D2M_OP(tile_topk_rebuild), {"out_values", "out_indices"}, {"values", "indices"}},
    {D2M_OP(write_row_mask_tile), {"output"}, {NULL}},
    {D2M_OP(write_col_mask_tile), {"output"}, {NULL}},
};

static const struct sync_row *sync_row_of(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(sync_rows); i++)
        if (sync_rows[i].def == op->def)
            return &sync_rows[i];
    return NULL;
}

static bool is_in_group(const ir_op *op, const char *name, size_t operand)
{
    size_t first, n;
    return name &&
           ir_op_operand_group(op, ir_op_operand_index(op->def, name), &first, &n) &&
           operand >= first && operand < first + n;
}

bool d2m_is_synchronizable(const ir_op *op)
{
    return ir_op_is(op, LINALG_OP(generic)) || sync_row_of(op);
}

d2m_sync d2m_sync_role(const ir_op *op, size_t operand)
{
    const struct sync_row *row = sync_row_of(op);
    if (ir_op_is(op, LINALG_OP(generic)))
        return is_in_group(op, "outputs", operand) ? D2M_SYNC_PRODUCES : D2M_SYNC_CONSUMES;
    for (size_t i = 0; row && i < 2; i++) {
        if (is_in_group(op, row->produced[i], operand))
            return D2M_SYNC_PRODUCES;
        if (is_in_group(op, row->consumed[i], operand))
            return D2M_SYNC_CONSUMES;
    }
    return D2M_SYNC_NONE;
}
