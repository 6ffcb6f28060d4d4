/* reductions.c: sum, max, min and mean of ttir.  Reductions of the last two dimensions
 * reduce inside tiles; those with an outer dimension accumulate whole tiles. */
#include "d2m/from_ttir/from_ttir.h"
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "ttcore/ttcore_tile.h"
#include "ttnn/layout.h"

#include <math.h>

typedef struct reduction {
    const ir_op_def *inner, *integer; /* of tiles of floats, of integers (NULL: none) */
    const ir_op_def *accumulate;
    int64_t fill; /* what padding must hold */
} reduction;

static reduction reduction_of(const ir_op *op)
{
    if (op->def == TTIR_OP(max))
        return (reduction){D2M_OP(tile_reduce_max), D2M_OP(tile_sfpu_reduce_max),
                           D2M_OP(tile_maximum), TTCORE_OOBVal_NegInf};
    if (op->def == TTIR_OP(min))
        return (reduction){NULL, NULL, D2M_OP(tile_minimum), TTCORE_OOBVal_Inf};
    if (op->def == TTIR_OP(mean))
        return (reduction){D2M_OP(tile_reduce_mean), NULL, D2M_OP(tile_add),
                           TTCORE_OOBVal_Zero};
    return (reduction){D2M_OP(tile_reduce_sum), D2M_OP(tile_sfpu_reduce_sum),
                       D2M_OP(tile_add), TTCORE_OOBVal_Zero};
}

/* Marks the dimensions, of `rank`, that are reduced; false if the operation names none or
 * drops them. */
static bool read_dims(d2m_conv *c, ir_op *op, uint32_t rank, bool *reduced)
{
    int64_t dims[D2M_MAX_RANK];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dim_arg"), dims, D2M_MAX_RANK);
    memset(reduced, false, D2M_MAX_RANK);
    if (n < 0 || n > D2M_MAX_RANK)
        return d2m_refuse(c, "TTIR reduction op must have dim_arg for D2M lowering");
    if (!ir_op_bool(op, "keep_dim"))
        return d2m_refuse(c, "TTIR reduction lowering expects keep_dim=true");
    for (int64_t i = 0; i < n && rank > 0; i++) {
        int64_t d = dims[i] % (int64_t)rank;
        reduced[d < 0 ? d + rank : d] = true;
    }
    return true;
}

static bool reduces_outer(const ir_op *op)
{
    int64_t dims[D2M_MAX_RANK], rank = ir_op_operand(op, 0)->type->count;
    int64_t n = ir_attr_ints(ir_op_attr(op, "dim_arg"), dims, D2M_MAX_RANK);
    for (int64_t i = 0; rank >= 2 && i < TW_MIN(n, (int64_t)D2M_MAX_RANK); i++)
        if ((dims[i] < 0 ? dims[i] + rank : dims[i]) < rank - 2)
            return true;
    return false;
}

/* Elements that are reduced to one. */
static double reduced_count(const ir_op *op, const bool *reduced)
{
    ir_type in = ir_op_operand(op, 0)->type;
    double n = 1;
    for (uint32_t i = 0; i < in->count; i++)
        n *= reduced[i] ? (double)in->dims[i] : 1;
    return n;
}

/* ---- inside tiles ------------------------------------------------------------------- */

/* One tile filled with the factor of the sum; in the memory of a tensor of ttnn. */
static ir_value *build_scaler(d2m_conv *c, ir_type like, double value)
{
    static const int64_t dims[] = {D2M_TILE, D2M_TILE};
    ttnn_layout l;
    ir_type type = ir_tensor_type(like->element, dims, 2, NULL);
    if (ttnn_layout_of(like, &l)) {
        l.grid[0] = l.grid[1] = 1;
        l.cores = l.mesh = NULL;
        l.ignore_physical = false;
        if (ttnn_memory_is_sharded(l.memory)) {
            static const int64_t origin[1][4] = {{0, 0, 0, 0}};
            l.cores = ttnn_core_ranges(c->b.ctx, origin, 1);
        }
        type =
            ir_tensor_type(like->element, dims, 2, ttnn_layout_attr(c->b.ctx, &l, dims, 2));
    }
    return d2m_build_filled(c, type, ir_f32_attr(c->b.ctx, value));
}

bool d2m_convert_reduction(d2m_conv *c, ir_op *op)
{
    const reduction r = reduction_of(op);
    ir_value *ins[2] = {ir_op_operand(op, 0)};
    ir_type in = ins[0]->type, type = op->results[0].type;
    bool reduced[D2M_MAX_RANK], is_float = in->element->kind == IR_TYPE_FLOAT;
    d2m_frame f;
    if (!read_dims(c, op, in->count, reduced))
        return false;
    if (!is_float && !r.integer)
        return d2m_refuse(c, "integer tile reduction is not supported for this op");
    if (is_float) {
        double scale = op->def == TTIR_OP(mean) ? 1 / reduced_count(op, reduced) : 1;
        /* over rows and columns the unit multiplies by it twice */
        if (in->count >= 2 && reduced[in->count - 1] && reduced[in->count - 2])
            scale = sqrt(scale);
        if (!(ins[1] = build_scaler(c, in, scale)))
            return false;
    }
    if (!d2m_frame_operands(
            c, &f, ins, is_float ? 2 : 1, &type, 1,
            &(d2m_how){.tiled = true, .no_collapse = in->count > 2, .fill = r.fill}))
        return false;
    uint32_t rank = d2m_frame_rank(&f);
    if (rank < 2 || !read_dims(c, op, rank, reduced) ||
        (!reduced[rank - 1] && !reduced[rank - 2]))
        return d2m_refuse(c, "one of the last two dimensions must be reduced");
    ir_affine zeros[] = {ir_affine_constant(op->ctx, 0), ir_affine_constant(op->ctx, 0)};
    f.maps[0] = ir_affine_identity(op->ctx, rank);
    if (is_float)
        f.maps[1] = ir_affine_map_get(op->ctx, rank, 0, zeros, 2);
    f.maps[f.n_ins] = d2m_map_without(op->ctx, rank, reduced);
    if (!d2m_frame_start(c, &f, reduced, rank))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    int64_t dim = !reduced[rank - 2]   ? D2M_ReduceDim_R
                  : !reduced[rank - 1] ? D2M_ReduceDim_C
                                       : D2M_ReduceDim_RC;
    ir_value *result = ir_build1(
        &b, is_float ? r.inner : r.integer, args[f.n_ins]->type, args, f.n_ins + 1,
        IR_ATTRS({"reduce_dim", ir_enum_attr(op->ctx, D2M_ATTR(reduce_dim), dim)}));
    d2m_linalg_yield(&b, &result, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}

/* ---- whole tiles -------------------------------------------------------------------- */

/* What a reduction of nothing is. */
static ir_attr neutral(const reduction *r, ir_type element)
{
    bool max = r->fill == TTCORE_OOBVal_NegInf;
    if (element->kind == IR_TYPE_FLOAT)
        return ir_float_attr(element, r->fill == TTCORE_OOBVal_Zero ? 0
                                      : max                         ? -INFINITY
                                                                    : INFINITY);
    if (element->kind != IR_TYPE_INTEGER || element->width < 1 || element->width > 64)
        return NULL;
    int64_t low = (int64_t)(UINT64_MAX << (element->width - 1));
    return ir_integer_attr(element, r->fill == TTCORE_OOBVal_Zero ? 0 : max ? low : ~low);
}

/* True (an i1) in the first iteration of all reduction loops. */
static ir_value *is_first(ir_builder *b, const bool *reduced, uint32_t rank)
{
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    ir_value *zero = d2m_build_index_constant(b, 0), *first = NULL;
    for (uint32_t d = 0; d < rank; d++) {
        if (!reduced[d])
            continue;
        ir_value *operands[] = {ir_build1(b, LINALG_OP(index), zero->type, NULL, 0,
                                          IR_ATTRS({"dim", ir_i64_attr(b->ctx, d)})),
                                zero};
        ir_value *at_zero =
            ir_build1(b, ARITH_OP(cmpi), i1, operands, 2,
                      IR_ATTRS({"predicate", ir_i64_attr(b->ctx, ARITH_CmpIPredicate_eq)}));
        ir_value *both[] = {first, at_zero};
        first = first ? ir_build1(b, ARITH_OP(andi), i1, both, 2, NULL, 0) : at_zero;
    }
    return first;
}

static void accumulate(d2m_conv *c, ir_op *linalg, const reduction *r, const bool *reduced,
                       uint32_t rank)
{
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    ir_value *choice[] = {is_first(&b, reduced, rank), args[1], args[2]};
    ir_value *sum[] = {args[0],
                       ir_build1(&b, ARITH_OP(select), args[2]->type, choice, 3, NULL, 0)};
    ir_value *result = ir_build1(&b, r->accumulate, args[2]->type, sum, 2, NULL, 0);
    d2m_linalg_yield(&b, &result, 1);
}

/* Multiplies a sum by one over the count. */
static ir_value *build_mean(d2m_conv *c, ir_value *sum, ir_type type, double count,
                            bool no_collapse)
{
    d2m_frame f;
    ir_value *ins[] = {sum, d2m_build_filled(c, type, ir_f32_attr(c->b.ctx, 1 / count))};
    if (!ins[1])
        return NULL;
    ins[1] = d2m_take_out(c, ins[1], type);
    if (!d2m_frame_operands(c, &f, ins, 2, &type, 1,
                            &(d2m_how){.tiled = true,
                                       .no_collapse = no_collapse,
                                       .fill = TTCORE_OOBVal_Zero}))
        return NULL;
    uint32_t rank = d2m_frame_rank(&f);
    for (int i = 0; i < 3; i++)
        f.maps[i] = ir_affine_identity(c->b.ctx, rank);
    if (!d2m_frame_start(c, &f, NULL, rank))
        return NULL;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    ir_value *product = ir_build1(&b, D2M_OP(tile_mul), args[2]->type, args, 2, NULL, 0);
    d2m_linalg_yield(&b, &product, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    return d2m_frame_result(c, &f, 0, type);
}

bool d2m_convert_outer_reduction(d2m_conv *c, ir_op *op)
{
    const reduction r = reduction_of(op);
    ir_type in = ir_op_operand(op, 0)->type, type = op->results[0].type;
    bool reduced[D2M_MAX_RANK], no_collapse = in->count > 2;
    d2m_frame f;
    if (!reduces_outer(op) || !read_dims(c, op, in->count, reduced))
        return false;
    bool mean = op->def == TTIR_OP(mean);
    if (mean && type->element->kind != IR_TYPE_FLOAT)
        return d2m_refuse(c, "mean reduction requires float element types");
    double count = reduced_count(op, reduced);
    ir_attr fill = neutral(&r, type->element);
    if (!fill)
        return d2m_refuse(c, "unsupported element type for outer reduction identity fill");
    ir_value *ins[] = {ir_op_operand(op, 0), d2m_build_filled(c, type, fill)};
    if (!ins[1] ||
        !d2m_frame_operands(
            c, &f, ins, 2, &type, 1,
            &(d2m_how){.tiled = true, .no_collapse = no_collapse, .fill = r.fill}))
        return false;
    uint32_t rank = d2m_frame_rank(&f);
    if (!read_dims(c, op, rank, reduced))
        return false;
    f.maps[0] = ir_affine_identity(op->ctx, rank);
    f.maps[1] = f.maps[2] = d2m_map_without(op->ctx, rank, reduced);
    if (!d2m_frame_start(c, &f, reduced, rank))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    accumulate(c, linalg, &r, reduced, rank);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value *result = d2m_frame_result(c, &f, 0, type);
    if (mean && !(result = build_mean(c, result, type, count, no_collapse)))
        return false;
    ir_value_replace_uses(&op->results[0], result);
    return true;
}

/* ---- min ---------------------------------------------------------------------------- */

/* No unit reduces tiles by their minimum: it is the maximum of the elements in the opposite
 * order, which negation gives to floats, and inversion of all bits to integers (the least
 * integer has no negative). */
bool d2m_convert_min(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    const ir_op_def *invert =
        in->type->element->kind == IR_TYPE_INTEGER ? TTIR_OP(bitwise_not) : TTIR_OP(neg);
    ir_type type = op->results[0].type;
    ir_value *inverted = ir_build1(&c->b, invert, in->type, &in, 1, NULL, 0);
    ir_value *max = ir_build1(&c->b, TTIR_OP(max), type, &inverted, 1,
                              IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                                       {"dim_arg", ir_op_attr(op, "dim_arg")}));
    ir_value_replace_uses(&op->results[0],
                          ir_build1(&c->b, invert, type, &max, 1, NULL, 0));
    return true;
}
