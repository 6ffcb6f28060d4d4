/* complex_math_expander.c: expands complex functions to real ones, accurate to a few
 * units in the last place (see stablehlo/expand/formulas.c). */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "stablehlo/expand/formula.h"
#include "stablehlo/stablehlo.h"

static const struct {
    uint16_t row;
    const char *formula;
} functions[] = {
    {STABLEHLO_exponential, "exp_complex"},
    {STABLEHLO_log, "log_complex"},
    {STABLEHLO_log_plus_one, "log1p_complex"},
    {STABLEHLO_sqrt, "sqrt_complex"},
};

/* Operations with an explicit result accuracy are left to the target. */
static bool expand(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->operands[0].value->type;
    ir_attr accuracy = ir_op_attr(op, "result_accuracy");
    int64_t mode = ir_enum_value(ir_attr_param(accuracy, "mode"), 0);
    if (!ir_type_is_tensor(t) || ir_type_element(t)->kind != IR_TYPE_COMPLEX ||
        (accuracy && mode != STABLEHLO_ResultAccuracyMode_DEFAULT))
        return false;
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (op->def == &stablehlo_ops[functions[i].row]) {
            ir_value *x = op->operands[0].value;
            rw_replace1(rw, op, hlo_build_formula(&rw->b, functions[i].formula, &x));
            return true;
        }
    return false;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    rw_pattern patterns[TW_COUNT(functions)];
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        patterns[i] = (rw_pattern){&stablehlo_ops[functions[i].row], expand, NULL};
    rw_greedy(func, patterns, TW_COUNT(functions), &(rw_options){0});
    return true;
}

const pass_def stablehlo_complex_math_expander_pass = {
    .name = "stablehlo-complex-math-expander",
    .title = "StablehloComplexMathExpanderPass",
    .summary = "Expander for StableHLO complex math operations",
    .anchor = "func.func",
    .run = run,
};
