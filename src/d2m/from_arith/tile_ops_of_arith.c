/* tile_ops_of_arith.c: arith-to-d2m-tile-ops and math-to-d2m-tile-ops: arithmetic whose
 * values are tiles becomes operations on tiles. */
#include "d2m/d2m.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/math/math.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"

typedef struct tile_row {
    const ir_op_def *from, *to;
} tile_row;

static const tile_row of_arith[] = {
    {ARITH_OP(negf), D2M_OP(tile_negative)}, {ARITH_OP(addf), D2M_OP(tile_add)},
    {ARITH_OP(subf), D2M_OP(tile_sub)},      {ARITH_OP(mulf), D2M_OP(tile_mul)},
    {ARITH_OP(divf), D2M_OP(tile_div)},
};
static const tile_row of_math[] = {{MATH_OP(absf), D2M_OP(tile_abs)}};

/* How a comparison's predicate compares a difference with 0; NULL: not at all. */
static const ir_op_def *const comparisons[] = {
    [ARITH_CmpFPredicate_OEQ] = D2M_OP(tile_eqz),
    [ARITH_CmpFPredicate_UEQ] = D2M_OP(tile_eqz),
    [ARITH_CmpFPredicate_ONE] = D2M_OP(tile_nez),
    [ARITH_CmpFPredicate_UNE] = D2M_OP(tile_nez),
    [ARITH_CmpFPredicate_OGT] = D2M_OP(tile_gtz),
    [ARITH_CmpFPredicate_UGT] = D2M_OP(tile_gtz),
    [ARITH_CmpFPredicate_OGE] = D2M_OP(tile_gez),
    [ARITH_CmpFPredicate_UGE] = D2M_OP(tile_gez),
    [ARITH_CmpFPredicate_OLT] = D2M_OP(tile_ltz),
    [ARITH_CmpFPredicate_ULT] = D2M_OP(tile_ltz),
    [ARITH_CmpFPredicate_OLE] = D2M_OP(tile_lez),
    [ARITH_CmpFPredicate_ULE] = D2M_OP(tile_lez),
};

static bool has_tile_operand(const ir_op *op)
{
    return op->n_operands && ttcore_is_tile(ir_op_operand(op, 0)->type) &&
           op->n_results == 1;
}

static bool replace(ir_op *op, ir_value *by)
{
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
    return true;
}

static bool illegal(const ir_op *op)
{
    return ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
}

/* a < b becomes a - b < 0, with 1 or 0 as the elements of the result. */
static bool convert_compare(ir_op *op)
{
    int64_t predicate = ir_op_int(op, "predicate", -1);
    const ir_op_def *with_zero =
        predicate >= 0 && predicate < (int64_t)TW_COUNT(comparisons)
            ? comparisons[predicate]
            : NULL;
    if (!with_zero)
        return illegal(op);
    ir_builder b = ir_builder_before(op);
    ir_value *x = ir_op_operand(op, 0), *y = ir_op_operand(op, 1);
    ir_value *difference =
        ir_build1(&b, D2M_OP(tile_sub), x->type, IR_VALUES(x, y), NULL, 0);
    return replace(op,
                   ir_build1(&b, with_zero, op->results[0].type, &difference, 1, NULL, 0));
}

static bool convert(ir_op *module, const tile_row *rows, size_t n, bool compare)
{
    ir_op_list ops = ir_ops_in(module, has_tile_operand);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++) {
        ir_op *op = ops.at[i];
        const ir_op_def *to = NULL;
        for (size_t r = 0; r < n; r++)
            if (rows[r].from == op->def)
                to = rows[r].to;
        if (compare && op->def == ARITH_OP(cmpf)) {
            ok = convert_compare(op);
        } else if (to) {
            ir_value *values[2];
            ir_builder b = ir_builder_before(op);
            for (uint32_t v = 0; v < op->n_operands; v++)
                values[v] = ir_op_operand(op, v);
            ok = replace(op, ir_build1(&b, to, op->results[0].type, values, op->n_operands,
                                       NULL, 0));
        } else if (strncmp(op->def->name, compare ? "arith." : "math.", compare ? 6 : 5) ==
                   0) {
            ok = illegal(op);
        }
    }
    ir_op_list_free(&ops);
    return ok;
}

static bool run_arith(ir_op *module, pass_run *run)
{
    (void)run;
    return convert(module, of_arith, TW_COUNT(of_arith), true);
}

static bool run_math(ir_op *module, pass_run *run)
{
    (void)run;
    return convert(module, of_math, TW_COUNT(of_math), false);
}

const pass_def arith_to_d2m_tile_ops_pass = {
    .name = "arith-to-d2m-tile-ops",
    .summary = "Convert arith operations on tiles to d2m tile operations",
    .anchor = "builtin.module",
    .run = run_arith,
};

const pass_def math_to_d2m_tile_ops_pass = {
    .name = "math-to-d2m-tile-ops",
    .summary = "Convert math operations on tiles to d2m tile operations",
    .anchor = "builtin.module",
    .run = run_math,
};
