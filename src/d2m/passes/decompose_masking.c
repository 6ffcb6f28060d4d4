/* decompose_masking.c: d2m-decompose-masking: d2m.mask of buffers becomes a generic that
 * each core runs on its shard.
 *
 * The tiles of the whole buffer fall into regions: those without padding are copied; those
 * of the last partial row and column take the fill value where the row's or the column's
 * mask tile is zero; those beyond are filled. Each region is a nest of loops over the part
 * of it that is in the core's shard. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore_tile.h"

#include <math.h>

/* What is known of one of the two tiled dimensions, in tiles of the whole buffer. */
typedef struct tiled_dim {
    int64_t shard; /* tiles of a core */
    int64_t last;  /* the last tile with an element */
    int64_t valid; /* elements in it */
    int64_t total; /* tiles with padding */
    ir_value *core;
} tiled_dim;

typedef struct masking {
    ir_op *op;
    ir_builder b;
    d2m_shape grid, shard;
    tiled_dim rows, columns;
    ir_type tile;
    ir_value *in, *out, *row_mask, *column_mask; /* buffers of this core */
    ir_value *zero, *one, *fill;
} masking;

/* What happens to the tiles of a region. */
enum { KEEP = 0, MASK_ROW = 1, MASK_COLUMN = 2, FILL = 4 };

/* ---- values ------------------------------------------------------------------------- */

static bool is_partial(const tiled_dim *d)
{
    return d->valid != D2M_TILE;
}

/* The end of the tiles without padding. */
static int64_t interior_end(const tiled_dim *d)
{
    return is_partial(d) ? d->last : d->last + 1;
}

static double real_fill(int64_t kind)
{
    return kind == TTCORE_OOBVal_One      ? 1
           : kind == TTCORE_OOBVal_Inf    ? INFINITY
           : kind == TTCORE_OOBVal_NegInf ? -INFINITY
                                          : 0;
}

/* Infinities of integers are their greatest and least values. */
static int64_t integer_fill(int64_t kind, ir_type type)
{
    bool is_unsigned = type->sign == IR_UNSIGNED;
    uint64_t all = type->width >= 64 ? UINT64_MAX : ((uint64_t)1 << type->width) - 1;
    switch (kind) {
    case TTCORE_OOBVal_One:
        return 1;
    case TTCORE_OOBVal_Inf:
        return (int64_t)(is_unsigned ? all : all >> 1);
    case TTCORE_OOBVal_NegInf:
        return is_unsigned ? 0 : -(int64_t)(all >> 1) - 1;
    default:
        return 0;
    }
}

/* The element type that a tile's data has in arithmetic. */
static ir_type scalar_of(ir_context *ctx, ir_type tile)
{
    switch (ttcore_tile_data_type(tile)) {
    case TTCORE_DataType_Float32:
        return ir_float_type(ctx, IR_F32);
    case TTCORE_DataType_Float16:
    case TTCORE_DataType_BFP_Float8:
    case TTCORE_DataType_BFP_Float4:
    case TTCORE_DataType_BFP_Float2:
        return ir_float_type(ctx, IR_F16);
    case TTCORE_DataType_BFloat16:
    case TTCORE_DataType_BFP_BFloat8:
    case TTCORE_DataType_BFP_BFloat4:
    case TTCORE_DataType_BFP_BFloat2:
        return ir_float_type(ctx, IR_BF16);
    case TTCORE_DataType_UInt32:
        return ir_integer_type(ctx, 32, IR_UNSIGNED);
    case TTCORE_DataType_UInt16:
        return ir_integer_type(ctx, 16, IR_UNSIGNED);
    case TTCORE_DataType_UInt8:
        return ir_integer_type(ctx, 8, IR_UNSIGNED);
    case TTCORE_DataType_Int32:
        return ir_integer_type(ctx, 32, IR_SIGNED);
    default:
        return NULL;
    }
}

static ir_value *build_fill(masking *m, int64_t kind)
{
    ir_context *ctx = m->op->ctx;
    ir_type type = scalar_of(ctx, m->tile);
    if (!type)
        return NULL;
    ir_attr value;
    if (type->kind == IR_TYPE_FLOAT) {
        value = ir_float_attr(type, real_fill(kind));
    } else {
        ir_type plain = ir_integer_type(ctx, type->width, IR_SIGNLESS);
        value = ir_integer_attr(plain, integer_fill(kind, type));
        type = plain;
    }
    return ir_build1(&m->b, ARITH_OP(constant), type, NULL, 0, IR_ATTRS({"value", value}));
}

static ir_value *alloc(masking *m, const int64_t *dims, size_t rank)
{
    ir_type out = ir_op_operand(m->op, 1)->type;
    return ir_build1(&m->b, MEMREF_OP(alloc),
                     ir_memref_type(m->tile, dims, rank, NULL, out->space), NULL, 0,
                     IR_ATTRS({"operandSegmentSizes",
                               ir_dense_i32_array(m->op->ctx, (int64_t[]){0, 0}, 2)}));
}

/* ---- loops -------------------------------------------------------------------------- */

/* The part [*from, *to) of the tiles [start, end) that the core has, in its own tiles. All
 * arithmetic is unsigned: bounds are clamped before they are subtracted. */
static void local_bounds(masking *m, const tiled_dim *d, int64_t start, int64_t end,
                         ir_value **from, ir_value **to)
{
    ir_builder *b = &m->b;
    ir_value *size = arith_index(b, d->shard);
    ir_value *core_start = loop_arith(b, ARITH_OP(muli), d->core, size);
    ir_value *first = arith_index(b, start), *last = arith_index(b, end);
    *from = loop_arith(b, ARITH_OP(subi), first,
                       loop_arith(b, ARITH_OP(minui), first, core_start));
    ir_value *core_end = loop_arith(b, ARITH_OP(addi), core_start, size);
    ir_value *clamped = loop_arith(
        b, ARITH_OP(maxui), loop_arith(b, ARITH_OP(minui), last, core_end), core_start);
    *to = loop_arith(b, ARITH_OP(subi), clamped, core_start);
}

static ir_value *load(masking *m, ir_value *buffer, ir_value *const *indices, size_t n)
{
    ir_value *operands[D2M_MAX_RANK + 1] = {buffer};
    memcpy(operands + 1, indices, n * sizeof *indices);
    return ir_build1(&m->b, MEMREF_OP(load), m->tile, operands, n + 1, NULL, 0);
}

static ir_value *fill_tile(masking *m)
{
    return ir_build1(&m->b, D2M_OP(tile_fill), m->tile, &m->fill, 1, NULL, 0);
}

/* The fill value where the mask tile is zero. */
static ir_value *masked(masking *m, ir_value *tile, ir_value *mask)
{
    ir_value *other = fill_tile(m), *zeros[] = {m->zero, m->zero};
    return ir_build1(&m->b, D2M_OP(tile_where), m->tile,
                     IR_VALUES(load(m, mask, zeros, 2), tile, other), NULL, 0);
}

static void build_tile(masking *m, unsigned what, ir_value *const *indices)
{
    ir_value *operands[D2M_MAX_RANK + 2];
    ir_value *tile = what & FILL ? fill_tile(m) : load(m, m->in, indices, m->shard.n);
    if (what & MASK_ROW)
        tile = masked(m, tile, m->row_mask);
    if (what & MASK_COLUMN)
        tile = masked(m, tile, m->column_mask);
    operands[0] = tile;
    operands[1] = m->out;
    memcpy(operands + 2, indices, m->shard.n * sizeof *indices);
    ir_build_op(&m->b, MEMREF_OP(store), NULL, 0, operands, m->shard.n + 2, NULL, 0, 0);
}

static ir_op *open_loop(masking *m, ir_value *from, ir_value *to, ir_value **index)
{
    ir_op *loop = scf_for_build(&m->b, from, to, m->one);
    ir_block *body = ir_op_body(loop, 0);
    *index = body->args[0];
    m->b = ir_builder_before(body->last);
    m->b.loc = m->op->loc;
    return loop;
}

/* The loops over the tiles of a region, if it has any. */
static void build_region(masking *m, int64_t row, int64_t row_end, int64_t column,
                         int64_t column_end, unsigned what)
{
    ir_value *indices[D2M_MAX_RANK], *from[2], *to[2];
    ir_builder outer = m->b;
    uint32_t leading = m->shard.n - 2;
    if (row >= row_end || column >= column_end)
        return;
    local_bounds(m, &m->rows, row, row_end, &from[0], &to[0]);
    local_bounds(m, &m->columns, column, column_end, &from[1], &to[1]);
    for (uint32_t d = 0; d < leading; d++)
        open_loop(m, m->zero, arith_index(&m->b, m->shard.at[d]), &indices[d]);
    open_loop(m, from[0], to[0], &indices[leading]);
    ir_op *inner = open_loop(m, from[1], to[1], &indices[leading + 1]);
    /* DST is acquired in the innermost loop, where tiles are computed. */
    ir_op_set_attr(inner, "d2m.linalg_root", ir_unit_attr(m->op->ctx));
    ir_op_set_attr(inner, "d2m.scheduled", ir_unit_attr(m->op->ctx));
    build_tile(m, what, indices);
    m->b = outer;
}

static void build_regions(masking *m)
{
    const tiled_dim *r = &m->rows, *c = &m->columns;
    int64_t rows = interior_end(r), columns = interior_end(c);
    bool row = is_partial(r), column = is_partial(c);
    build_region(m, 0, rows, 0, columns, KEEP);
    if (row)
        build_region(m, r->last, r->last + 1, 0, columns, MASK_ROW);
    if (column)
        build_region(m, 0, rows, c->last, c->last + 1, MASK_COLUMN);
    if (row && column)
        build_region(m, r->last, r->last + 1, c->last, c->last + 1, MASK_ROW | MASK_COLUMN);
    build_region(m, r->last + 1, r->total, 0, c->total, FILL);
    build_region(m, 0, r->last + 1, c->last + 1, c->total, FILL);
}

/* ---- the generic -------------------------------------------------------------------- */

static void read_dim(const masking *m, uint32_t from_last, int64_t logical, tiled_dim *out)
{
    out->shard = m->shard.at[m->shard.n - from_last];
    out->last = (logical - 1) / D2M_TILE;
    out->valid = logical % D2M_TILE ? logical % D2M_TILE : D2M_TILE;
    out->total = tw_saturating_product(out->shard, m->grid.at[m->grid.n - from_last]);
}

static bool read(masking *m)
{
    int64_t logical[D2M_MAX_RANK];
    ir_value *in = ir_op_operand(m->op, 0), *out = ir_op_operand(m->op, 1);
    int64_t n = ir_attr_ints(ir_op_attr(m->op, "logicalShape"), logical, D2M_MAX_RANK);
    if (in->type->kind != IR_TYPE_MEMREF || !d2m_is_remote(in->type) ||
        !d2m_is_remote(out->type))
        return false;
    m->tile = in->type->element;
    d2m_operand_grid(out, &m->grid);
    d2m_operand_shard(in, &m->shard);
    if (m->grid.n < 2 || m->shard.n < 2 || n < 2 || n > D2M_MAX_RANK ||
        logical[n - 2] < 1 || logical[n - 1] < 1)
        return false;
    read_dim(m, 2, logical[n - 2], &m->rows);
    read_dim(m, 1, logical[n - 1], &m->columns);
    return true;
}

/* d2m.remote_load into, or d2m.remote_store from, this core's buffer. */
static void transfer(masking *m, const ir_op_def *def, ir_value *local, ir_value *remote,
                     ir_value *const *indices)
{
    bool load = def == D2M_OP(remote_load);
    int64_t n = m->grid.n, for_load[] = {1, 1, n, 0, 0, 0, 0},
            for_store[] = {1, n, 1, 0, 0, 0, 0, 0};
    ir_value *operands[D2M_MAX_RANK + 2];
    operands[0] = load ? local : remote;
    if (load)
        operands[1] = remote;
    memcpy(operands + 1 + load, indices, (size_t)n * sizeof *indices);
    if (!load)
        operands[1 + n] = local;
    ir_build_op(&m->b, def, NULL, 0, operands, (size_t)n + 2,
                IR_ATTRS({"operandSegmentSizes",
                          load ? ir_dense_i32_array(m->op->ctx, for_load, 7)
                               : ir_dense_i32_array(m->op->ctx, for_store, 8)}),
                0);
}

static void write_mask(masking *m, const ir_op_def *def, const tiled_dim *d, ir_value *mask)
{
    ir_value *valid = arith_index(&m->b, d->valid);
    if (is_partial(d))
        ir_build_op(&m->b, def, NULL, 0, IR_VALUES(valid, mask), NULL, 0, 0);
}

static bool build_body(masking *m, ir_value *in, ir_value *out)
{
    ir_value *indices[D2M_MAX_RANK];
    const int64_t one_tile[] = {1, 1};
    ir_builder *b = &m->b;
    m->in = alloc(m, m->shard.at, m->shard.n);
    m->out = alloc(m, m->shard.at, m->shard.n);
    m->row_mask = alloc(m, one_tile, 2);
    m->column_mask = alloc(m, one_tile, 2);
    for (uint32_t d = 0; d < m->grid.n; d++)
        indices[d] = d2m_build_dim_query(b, D2M_OP(core_index), d);
    transfer(m, D2M_OP(remote_load), m->in, in, indices);
    m->zero = arith_index(b, 0);
    m->one = arith_index(b, 1);
    m->fill = build_fill(m, ir_enum_value(ir_op_attr(m->op, "fill_value"), 0));
    if (!m->fill)
        return ir_op_error(m->op, "unsupported element type for OOB fill");
    m->rows.core = d2m_build_dim_query(b, D2M_OP(core_index), m->grid.n - 2);
    m->columns.core = d2m_build_dim_query(b, D2M_OP(core_index), m->grid.n - 1);
    write_mask(m, D2M_OP(write_row_mask_tile), &m->rows, m->row_mask);
    write_mask(m, D2M_OP(write_col_mask_tile), &m->columns, m->column_mask);
    build_regions(m);
    transfer(m, D2M_OP(remote_store), m->out, out, indices);
    return true;
}

static bool decompose(ir_op *op)
{
    masking m = {.op = op};
    ir_value *in = ir_op_operand(op, 0), *out = ir_op_operand(op, 1);
    if (!read(&m))
        return true; /* of tensors, or of buffers that are not on the device */
    if (!ttcore_is_tile(m.tile))
        return ir_op_error(op, "only buffers of tiles can be masked, found '%s'",
                           ir_type_text(op->ctx, m.tile));
    ir_builder b = ir_builder_before(op);
    ir_op *generic = d2m_build_generic(
        &b, &(d2m_generic_parts){
                .inputs = &in,
                .n_inputs = 1,
                .outputs = &out,
                .n_outputs = 1,
                .is_explicit = true,
                .grid = d2m_grid_attr(op->ctx, &m.grid, d2m_virtual_grid_of(out))});
    m.b = ir_builder_at_end(op->ctx, ir_op_body(generic, 0), op->loc);
    if (!build_body(&m, in, out))
        return false;
    ir_value_replace_uses(ir_op_result(op, 0), out);
    ir_op_erase(op);
    return true;
}

static bool is_mask(const ir_op *op)
{
    return op->def == D2M_OP(mask);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_mask, decompose);
}

const pass_def d2m_decompose_masking_pass = {
    .name = "d2m-decompose-masking",
    .title = "D2MDecomposeMasking",
    .summary = "Decompose masks of buffers into generics that write tiles",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"num-stream-buffers", PASS_INT, "2", "Blocks of a circular buffer",
                        .no_effect = "d2m-mark-synchronized-buffers marks the buffers"}),
};
