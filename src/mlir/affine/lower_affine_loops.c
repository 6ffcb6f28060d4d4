/* lower_affine_loops.c: lowers affine loops and branches to scf. */
#include "mlir/affine/affine.h"
#include "mlir/affine/lower_affine.h"
#include "mlir/scf/scf.h"

#include <math.h>
#include <stdlib.h>

/* Creates an scf operation with the results of `op`, which it replaces but for the
 * regions. */
static ir_op *make(ir_builder *b, const ir_op_def *def, const ir_op *op,
                   ir_value *const *operands, size_t n, size_t n_regions)
{
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    ir_op *made =
        ir_build_op(b, def, types, op->n_results, operands, n, NULL, 0, n_regions);
    free(types);
    return made;
}

static void replace_by(ir_op *op, ir_op *made)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
}

/* Moves the region; its terminator becomes `def` with the same operands. */
static ir_op *move_region(ir_region *to, ir_region *from, const ir_op_def *def,
                          size_t n_regions)
{
    ir_region_take(to, from);
    ir_op *yield = to->first->last;
    ir_builder b = ir_builder_before(yield);
    ir_value **values = tw_xmalloc((yield->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 0; i < yield->n_operands; i++)
        values[i] = ir_op_operand(yield, i);
    ir_op *end =
        ir_build_op(&b, def, NULL, 0, values, yield->n_operands, NULL, 0, n_regions);
    free(values);
    ir_op_erase(yield);
    return end;
}

/* ---- affine.for, affine.if ---------------------------------------------------------- */

void lower_affine_for(ir_op *op)
{
    ir_affine_map lower = ir_op_attr(op, "lowerBoundMap")->map;
    ir_affine_map upper = ir_op_attr(op, "upperBoundMap")->map;
    size_t first, count, inits, n;
    ir_builder b = ir_builder_before(op);
    ir_op_operand_group(op, 2, &inits, &n);
    ir_value **operands = tw_xmalloc((n + 3) * sizeof *operands);
    ir_op_operand_group(op, 0, &first, &count);
    operands[0] = lower_extreme(&b, op, first, lower, 0, lower->n_results, true);
    ir_op_operand_group(op, 1, &first, &count);
    operands[1] = lower_extreme(&b, op, first, upper, 0, upper->n_results, false);
    operands[2] = arith_index(&b, ir_attr_int(ir_op_attr(op, "step"), 1));
    for (size_t i = 0; i < n; i++)
        operands[3 + i] = ir_op_operand(op, inits + i);
    ir_op *made = make(&b, SCF_OP(for), op, operands, n + 3, 1);
    free(operands);
    move_region(&made->regions[0], &op->regions[0], SCF_OP(yield), 0);
    replace_by(op, made);
}

/* The conjunction of all conditions of the set; true without any. */
static ir_value *condition_of(ir_builder *b, const ir_op *op)
{
    ir_integer_set set = ir_op_attr(op, "condition")->set;
    ir_value *zero = arith_index(b, 0), *all = NULL;
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    for (uint32_t i = 0; i < set->n_constraints; i++) {
        ir_value *term = lower_expression(b, op, 0, set->constraints[i], set->n_dims);
        ir_value *holds = lower_compare(
            b, set->is_equality[i] ? ARITH_CmpIPredicate_eq : ARITH_CmpIPredicate_sge, term,
            zero);
        all =
            all ? ir_build1(b, ARITH_OP(andi), i1, IR_VALUES(all, holds), NULL, 0) : holds;
    }
    if (all)
        return all;
    return ir_build1(b, ARITH_OP(constant), i1, NULL, 0,
                     IR_ATTRS({"value", ir_integer_attr(i1, 1)}));
}

void lower_affine_if(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *condition = condition_of(&b, op);
    ir_op *made = make(&b, SCF_OP(if), op, &condition, 1, 2);
    for (size_t i = 0; i < 2; i++)
        if (op->regions[i].first)
            move_region(&made->regions[i], &op->regions[i], SCF_OP(yield), 0);
    replace_by(op, made);
}

/* ---- affine.parallel ---------------------------------------------------------------- */

/* The operation that combines two values, and its neutral element. */
static const struct reduction {
    int64_t kind;
    const ir_op_def *def;
    double identity;
} reductions[] = {
    {ARITH_AtomicRMWKind_addf, ARITH_OP(addf), 0.0},
    {ARITH_AtomicRMWKind_addi, ARITH_OP(addi), 0},
    {ARITH_AtomicRMWKind_maximumf, ARITH_OP(maximumf), -INFINITY},
    {ARITH_AtomicRMWKind_minimumf, ARITH_OP(minimumf), INFINITY},
    {ARITH_AtomicRMWKind_mulf, ARITH_OP(mulf), 1.0},
    {ARITH_AtomicRMWKind_muli, ARITH_OP(muli), 1},
    {ARITH_AtomicRMWKind_ori, ARITH_OP(ori), 0},
    {ARITH_AtomicRMWKind_andi, ARITH_OP(andi), -1},
};

static const struct reduction *reduction_of(const ir_op *op, uint32_t i)
{
    int64_t kind = ir_attr_int(ir_op_attr(op, "reductions")->items[i], -1);
    for (size_t k = 0; k < TW_COUNT(reductions); k++)
        if (reductions[k].kind == kind)
            return &reductions[k];
    return NULL;
}

static ir_value *identity_of(ir_builder *b, const ir_op *op, uint32_t i)
{
    ir_type type = op->results[i].type;
    double identity = reduction_of(op, i)->identity;
    ir_attr value = type->kind == IR_TYPE_FLOAT ? ir_float_attr(type, identity)
                                                : ir_integer_attr(type, (int64_t)identity);
    return ir_build1(b, ARITH_OP(constant), type, NULL, 0, IR_ATTRS({"value", value}));
}

/* The region of scf.reduce for one result. */
static void fill_reduction(ir_region *region, const struct reduction *how, ir_type type,
                           ir_loc loc)
{
    ir_context *ctx = region->owner->ctx;
    ir_block *body = ir_block_create(ctx);
    ir_region_append(region, body);
    ir_value *x = ir_block_add_arg(ctx, body, type, loc);
    ir_value *y = ir_block_add_arg(ctx, body, type, loc);
    ir_builder b = ir_builder_at_end(ctx, body, loc);
    ir_value *both = ir_build1(&b, how->def, type, IR_VALUES(x, y), NULL, 0);
    ir_build_op(&b, SCF_OP(reduce_return), NULL, 0, &both, 1, NULL, 0, 0);
}

/* One bound of a variable: the minimum or maximum of its group of the map's results. */
static ir_value *bound_of(ir_builder *b, const ir_op *op, bool lower, size_t first,
                          uint32_t variable)
{
    ir_affine_map map = ir_op_attr(op, lower ? "lowerBoundsMap" : "upperBoundsMap")->map;
    ir_attr groups = ir_op_attr(op, lower ? "lowerBoundsGroups" : "upperBoundsGroups");
    uint32_t from = 0;
    for (uint32_t i = 0; i < variable; i++)
        from += (uint32_t)ir_dense_int(groups, i);
    return lower_extreme(b, op, first, map, from, (uint32_t)ir_dense_int(groups, variable),
                         lower);
}

bool lower_affine_parallel(ir_op *op)
{
    ir_affine_map lower = ir_op_attr(op, "lowerBoundsMap")->map;
    ir_attr steps = ir_op_attr(op, "steps");
    uint32_t n = steps->count, n_results = op->n_results;
    for (uint32_t i = 0; i < n_results; i++)
        if (!reduction_of(op, i))
            return ir_op_error(op, "cannot be lowered: reduction #%u has no operation", i);
    ir_builder b = ir_builder_before(op);
    ir_value **operands = tw_xmalloc((3u * n + n_results + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = bound_of(&b, op, true, 0, i);
        operands[n + i] = bound_of(&b, op, false, lower->n_dims + lower->n_symbols, i);
    }
    for (uint32_t i = 0; i < n; i++)
        operands[2 * n + i] = arith_index(&b, ir_attr_int(steps->items[i], 1));
    for (uint32_t i = 0; i < n_results; i++)
        operands[3 * n + i] = identity_of(&b, op, i);
    ir_op *made = make(&b, SCF_OP(parallel), op, operands, 3u * n + n_results, 1);
    ir_op_set_attr(made, "operandSegmentSizes",
                   ir_dense_i32_array(op->ctx, (const int64_t[]){n, n, n, n_results}, 4));
    free(operands);
    ir_op *reduce =
        move_region(&made->regions[0], &op->regions[0], SCF_OP(reduce), n_results);
    for (uint32_t i = 0; i < n_results; i++)
        fill_reduction(&reduce->regions[i], reduction_of(op, i), op->results[i].type,
                       op->loc);
    replace_by(op, made);
    return true;
}
