/* elementwise.c: element-wise operations of ttir, and explicit broadcasts, as operations on
 * tiles. */
#include "d2m/from_ttir/from_ttir.h"
#include "ttcore/ttcore_tile.h"

typedef enum element_kind {
    E_PLAIN,
    E_CLAMP,        /* min and max are attributes */
    E_SELU,         /* scale and alpha are */
    E_CLAMP_TENSOR, /* a maximum, then a minimum */
    E_LOGICAL_AND,  /* of operands that are 0 or 1 */
    E_LOGICAL,      /* the same, and the result is made 0 or 1 */
    E_COMPARE,      /* integers: the difference is compared with 0 */
    E_SIGN,         /* integers: within -1 and 1, or not 0 */
} element_kind;

typedef struct element_row {
    const ir_op_def *tile;
    const ir_op_def *to_zero; /* of E_COMPARE */
    element_kind kind;
} element_row;

#define PLAIN E_PLAIN, NULL
#define CLAMP E_CLAMP, NULL
#define SELU E_SELU, NULL
#define CLAMP_TENSOR E_CLAMP_TENSOR, NULL
#define LOGICAL_AND E_LOGICAL_AND, NULL
#define LOGICAL E_LOGICAL, NULL
#define SIGN E_SIGN, NULL
#define COMPARE(id) E_COMPARE, D2M_OP(tile_##id)
#define ROW(ttir, tile, kind, zero) [TTIR_##ttir] = {D2M_OP(tile_##tile), zero, kind},
#define ROW_OF(...) ROW(__VA_ARGS__)
#define E(ttir, tile, how) ROW_OF(ttir, tile, how)

static const element_row rows[TTIR_OP_COUNT] = {
#include "d2m/from_ttir/elementwise.def"
};

/* ---- broadcasts --------------------------------------------------------------------- */

/* How a tile is broadcast if its rows, its columns or both have one element each. */
static int64_t tile_broadcast(bool one_row, bool one_column)
{
    return one_row && one_column ? D2M_TileBcastType_Scalar
           : one_column          ? D2M_TileBcastType_Col
           : one_row             ? D2M_TileBcastType_Row
                                 : D2M_TileBcastType_None;
}

static ir_value *broadcast_tile(ir_builder *b, ir_type result, ir_value *v, int64_t how)
{
    return how == D2M_TileBcastType_None
               ? v
               : ir_build1(
                     b, D2M_OP(tile_bcast), result, &v, 1,
                     IR_ATTRS({"bcast_type",
                               ir_enum_attr(b->ctx, D2M_ATTR(tile_bcast_type), how)}));
}

/* Size of a dimension counted from the last one (1), of an operand or 1 if it has fewer. */
static int64_t size_from_end(ir_type t, uint32_t from_end)
{
    return from_end <= t->count ? t->dims[t->count - from_end] : 1;
}

/* How NumPy's rules broadcast each operand's tiles; `any`: they broadcast an operand at
 * all.  The result must be what they imply. */
static bool implied_broadcasts(d2m_conv *c, ir_op *op, int64_t *how, bool *any)
{
    ir_type out = op->results[0].type;
    *any = false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        how[i] = D2M_TileBcastType_None;
    if (op->n_operands < 2)
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type in = ir_op_operand(op, i)->type;
        bool single[2] = {false, false}; /* the last dimension, the one before */
        if (in->count > out->count)
            return d2m_refuse(c, "an operand has more dimensions than the result");
        for (uint32_t d = 1; d <= out->count; d++) {
            int64_t size = size_from_end(in, d), wanted = size_from_end(out, d);
            if (size != wanted && size != 1)
                return d2m_refuse(c, "operands do not broadcast to the result");
            bool replicates = size != wanted || (d > in->count && in->count > 0);
            *any |= replicates;
            if (d <= 2)
                single[d - 1] = replicates;
        }
        how[i] = tile_broadcast(single[1], single[0]);
    }
    return true;
}

/* The part of an output's shard that an input's shard is, for inputs of one tile in some
 * dimensions. */
static bool broadcast_map(ir_type in, ir_type out, ir_affine_map *map)
{
    uint32_t rank = out->count / 2, n = in->count / 2;
    ir_affine results[D2M_MAX_RANK];
    if (n > rank)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = rank - n + i;
        bool same = in->dims[n + i] == out->dims[rank + d];
        if (!same && in->dims[n + i] != 1)
            return false;
        results[i] = same ? ir_affine_dim(in->ctx, d) : ir_affine_constant(in->ctx, 0);
    }
    *map = ir_affine_map_get(in->ctx, rank, 0, results, n);
    return true;
}

/* ---- bodies ------------------------------------------------------------------------- */

static ir_value *tile_op(ir_builder *b, const ir_op_def *def, ir_type type, ir_value *x,
                         ir_value *y)
{
    ir_value *operands[] = {x, y};
    return ir_build1(b, def, type, operands, y ? 2 : 1, NULL, 0);
}

/* The vector unit's sign is of floats. */
static ir_value *sign_of_integers(ir_builder *b, ir_type type, ir_value *in)
{
    if (ttcore_tile_data_type(in->type) != TTCORE_DataType_Int32)
        return tile_op(b, D2M_OP(tile_nez), type, in, NULL);
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    return ir_build1(
        b, D2M_OP(tile_clamp_scalar), type, &in, 1,
        IR_ATTRS({"min", ir_integer_attr(i32, -1)}, {"max", ir_integer_attr(i32, 1)}));
}

static ir_value *compute(ir_builder *b, const element_row *row, ir_op *op, ir_type type,
                         ir_value *const *in)
{
    switch (row->kind) {
    case E_CLAMP:
        return ir_build1(
            b, row->tile, type, in, 1,
            IR_ATTRS({"min", ir_op_attr(op, "min")}, {"max", ir_op_attr(op, "max")}));
    case E_SELU:
        return ir_build1(b, row->tile, type, in, 1,
                         IR_ATTRS({"scale", ir_op_attr(op, "scale")},
                                  {"alpha", ir_op_attr(op, "alpha")}));
    case E_CLAMP_TENSOR:
        return tile_op(b, D2M_OP(tile_minimum), type,
                       tile_op(b, D2M_OP(tile_maximum), type, in[0], in[1]), in[2]);
    case E_LOGICAL_AND:
    case E_LOGICAL: {
        ir_value *x = tile_op(b, D2M_OP(tile_nez), type, in[0], NULL);
        ir_value *y = tile_op(b, D2M_OP(tile_nez), type, in[1], NULL);
        ir_value *both = tile_op(b, row->tile, type, x, y);
        return row->kind == E_LOGICAL ? tile_op(b, D2M_OP(tile_nez), type, both, NULL)
                                      : both;
    }
    case E_COMPARE:
        if (ttcore_is_integer_tile(in[0]->type))
            return tile_op(b, row->to_zero, type,
                           tile_op(b, D2M_OP(tile_sub), type, in[0], in[1]), NULL);
        break;
    case E_SIGN:
        if (ttcore_is_integer_tile(in[0]->type))
            return sign_of_integers(b, type, in[0]);
        break;
    case E_PLAIN:
        break;
    }
    return ir_build1(b, row->tile, type, in, op->n_operands, NULL, 0);
}

/* True if sixteen columns that share an exponent hold values and padding: that must be zero
 * then, as infinities there would leave nothing of the values. */
static bool shares_exponents(ir_type type)
{
    int64_t data = ttcore_tile_data_type(type->element);
    return data >= TTCORE_DataType_BFP_Float8 && data <= TTCORE_DataType_BFP_BFloat2 &&
           type->count && type->dims[type->count - 1] % 16 != 0;
}

/* True if the tensors are ttnn's, of one matrix each: those broadcast as rows and columns.
 */
static bool are_matrices_of_ttnn(const ir_op *op)
{
    ir_type out = op->results[0].type;
    bool all = d2m_is_ttnn_tensor(out);
    for (uint32_t i = 0; i < op->n_operands; i++)
        all &= d2m_is_ttnn_tensor(op->operands[i].value->type);
    for (uint32_t d = 0; d + 2 < out->count; d++)
        all &= out->dims[d] == 1;
    return all;
}

bool d2m_convert_elementwise(d2m_conv *c, ir_op *op)
{
    const element_row *row = &rows[op->def - ttir_ops];
    ir_type type = op->results[0].type;
    ir_value *ins[3];
    int64_t how[3];
    bool any;
    d2m_frame f;
    if (!implied_broadcasts(c, op, how, &any))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        ins[i] = ir_op_operand(op, i);
    int64_t fill = op->def == TTIR_OP(typecast) && shares_exponents(type)
                       ? TTCORE_OOBVal_Zero
                       : TTCORE_OOBVal_Undef;
    const d2m_how apart = {
        .tiled = true, .no_collapse = any && !are_matrices_of_ttnn(op), .fill = fill};
    if (!d2m_frame_operands(c, &f, ins, op->n_operands, &type, 1, &apart))
        return false;
    ir_type out = f.operands[f.n_ins]->type;
    uint32_t rank = d2m_frame_rank(&f);
    for (size_t i = 0; i <= f.n_ins; i++)
        f.maps[i] = ir_affine_identity(op->ctx, rank);
    for (size_t i = 0; any && i < f.n_ins; i++)
        if (!broadcast_map(f.operands[i]->type, out, &f.maps[i]))
            return d2m_refuse(c, "operands do not broadcast in their layouts");
    if (!d2m_frame_start(c, &f, NULL, rank))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    for (size_t i = 0; i < f.n_ins; i++)
        ins[i] = broadcast_tile(&b, out->element, args[i], how[i]);
    ir_value *result = compute(&b, row, op, out->element, ins);
    d2m_linalg_yield(&b, &result, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}

/* ---- ttir.broadcast ----------------------------------------------------------------- */

/* What is broadcast: whole tiles of outer dimensions, or elements of the last two. */
static bool read_broadcast(d2m_conv *c, ir_type in, ir_type out, bool *outer, int64_t *how)
{
    bool single[2] = {false, false};
    *outer = false;
    if (in->count < 1 || in->count != out->count)
        return d2m_refuse(c, "D2M broadcast lowering expects ranked tensor with rank >= 1");
    for (uint32_t d = 0; d < in->count; d++) {
        int64_t from = in->dims[d], to = out->dims[d];
        uint32_t from_end = in->count - d;
        if (from == to)
            continue;
        if (from <= 0 || to <= 0)
            return d2m_refuse(c, "D2M explicit broadcast lowering requires positive dims");
        if (from_end <= 2 && from != 1)
            return d2m_refuse(c, "tile-dim explicit broadcast requires input dim 1");
        if (from_end > 2 && to % from != 0)
            return d2m_refuse(c, "outer-dim explicit broadcast requires an output dim that "
                                 "is a multiple of the input dim");
        if (from_end <= 2)
            single[from_end - 1] = true;
        else
            *outer = true;
    }
    *how = tile_broadcast(single[1], single[0]);
    return true;
}

/* Repeats whole tiles: a view. */
static bool broadcast_by_view(d2m_conv *c, ir_op *op)
{
    d2m_how how = {.tiled = true, .no_collapse = true};
    ir_type out = op->results[0].type;
    ir_value *in = d2m_lay_out(c, ir_op_operand(op, 0), c->in_space, &how);
    ir_type type = in ? d2m_laid_out_type(c, out, c->in_space, &how) : NULL;
    ir_affine results[2 * D2M_MAX_RANK];
    ir_context *ctx = op->ctx;
    if (!type || in->type->count != type->count)
        return false;
    for (uint32_t i = 0; i < type->count; i++) {
        int64_t from = in->type->dims[i];
        ir_affine d = ir_affine_dim(ctx, i);
        results[i] = from == type->dims[i] ? d
                     : from == 1           ? ir_affine_constant(ctx, 0)
                                           : ir_affine_binary(ctx, IR_AFFINE_MOD, d,
                                                              ir_affine_constant(ctx, from));
    }
    ir_affine_map map = ir_affine_map_get(ctx, type->count, 0, results, type->count);
    ir_value *view = d2m_conv_view(c, in, type, map, false);
    ir_value_replace_uses(&op->results[0], d2m_take_out(c, view, out));
    return true;
}

bool d2m_convert_broadcast(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_type type = op->results[0].type;
    bool outer;
    int64_t how;
    d2m_frame f;
    if (!read_broadcast(c, in->type, type, &outer, &how))
        return false;
    if (outer && how == D2M_TileBcastType_None)
        return broadcast_by_view(c, op);
    if (!d2m_frame_operands(c, &f, &in, 1, &type, 1,
                            &(d2m_how){.tiled = true, .no_collapse = true}))
        return false;
    ir_type out = f.operands[1]->type;
    uint32_t rank = d2m_frame_rank(&f);
    f.maps[1] = ir_affine_identity(op->ctx, rank);
    if (!broadcast_map(f.operands[0]->type, out, &f.maps[0]))
        return d2m_refuse(c, "the operand does not broadcast in its layout");
    if (!d2m_frame_start(c, &f, NULL, rank))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value *result =
        broadcast_tile(&b, out->element, ir_op_body(linalg, 0)->args[0], how);
    d2m_linalg_yield(&b, &result, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}
