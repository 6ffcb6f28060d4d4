/* aggressive_simplification.c: simplifies StableHLO operations without evaluating; see
 * optimize.h for folding, simplify.h for the patterns. */
#include "stablehlo/simplify/simplify.h"

#include "ir/pass/pass.h"
#include "mlir/shape/shape.h"
#include "stablehlo/build.h"
#include "stablehlo/eval/eval.h"

/* ---- tensors without elements ------------------------------------------------------- */

/* Replaces values without elements by constants. */
static bool use_nothing(ir_op *op, rw_rewriter *rw)
{
    bool is_ours = strncmp(op->def->name, "stablehlo.", 10) == 0;
    if (!is_ours || (op->def->traits & (IR_CONSTANT_LIKE | IR_TERMINATOR)) ||
        hs_is(op, STABLEHLO_optimization_barrier) || op->n_results == 0)
        return false;
    if (hs_is(op, STABLEHLO_custom_call) && ir_op_bool(op, "has_side_effect"))
        return false;
    bool changed = false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        if (!ir_type_is_tensor(t) || !hs_has_nothing(t) || !op->results[i].uses ||
            hlo_class_of(t->element) == HLO_OTHER || hlo_is_quantized(t->element))
            continue;
        rw_replace_uses(rw, &op->results[i], hlo_zeros(&rw->b, t));
        changed = true;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = hs_operand(op, i);
        ir_type t = v->type;
        if (!ir_type_is_tensor(t) || !hs_has_nothing(t) || rw_constant(v) ||
            hlo_class_of(t->element) == HLO_OTHER || hlo_is_quantized(t->element))
            continue;
        ir_op_set_operand(op, i, hlo_zeros(&rw->b, t));
        changed = true;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

/* Converts an older form of custom call attributes to the current interface. */
static bool simplify_custom_call(ir_op *op, rw_rewriter *rw)
{
    ir_attr config = ir_op_attr(op, "mhlo.backend_config");
    if (!ir_attr_is(config, IR_ATTR_DICT) || ir_op_attr(op, "backend_config"))
        return false;
    ir_op_set_attr(op, "mhlo.backend_config", NULL);
    ir_op_set_attr(op, "backend_config", config);
    ir_op_set_attr(op, "api_version",
                   ir_integer_attr(ir_integer_type(op->ctx, 32, IR_SIGNLESS),
                                   STABLEHLO_CustomCallApiVersion_API_VERSION_TYPED_FFI));
    rw_modified(rw, op);
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

static bool simplify_any(ir_op *op, rw_rewriter *rw)
{
    static rw_pattern_fn *const rows[STABLEHLO_OP_COUNT] = {
        [STABLEHLO_add] = hs_simplify_add,
        [STABLEHLO_and] = hs_simplify_and,
        [STABLEHLO_broadcast_in_dim] = hs_simplify_broadcast,
        [STABLEHLO_compare] = hs_simplify_compare,
        [STABLEHLO_complex] = hs_simplify_complex,
        [STABLEHLO_concatenate] = hs_simplify_concatenate,
        [STABLEHLO_convert] = hs_simplify_same,
        [STABLEHLO_custom_call] = simplify_custom_call,
        [STABLEHLO_dynamic_broadcast_in_dim] = hs_simplify_dynamic_broadcast,
        [STABLEHLO_dynamic_gather] = hlo_make_static,
        [STABLEHLO_dynamic_iota] = hs_simplify_dynamic_iota,
        [STABLEHLO_dynamic_pad] = hlo_make_static,
        [STABLEHLO_dynamic_reshape] = hs_simplify_dynamic_reshape,
        [STABLEHLO_dynamic_slice] = hs_simplify_dynamic_slice,
        [STABLEHLO_dynamic_update_slice] = hs_simplify_update,
        [STABLEHLO_gather] = hs_simplify_gather,
        [STABLEHLO_get_dimension_size] = hs_simplify_size,
        [STABLEHLO_get_tuple_element] = hs_simplify_member,
        [STABLEHLO_imag] = hs_simplify_part,
        [STABLEHLO_iota] = hs_simplify_iota,
        [STABLEHLO_maximum] = hs_constant_right,
        [STABLEHLO_minimum] = hs_constant_right,
        [STABLEHLO_multiply] = hs_simplify_multiply,
        [STABLEHLO_or] = hs_simplify_or,
        [STABLEHLO_pad] = hs_simplify_pad,
        [STABLEHLO_real] = hs_simplify_part,
        [STABLEHLO_real_dynamic_slice] = hlo_make_static,
        [STABLEHLO_reduce] = hs_simplify_reduce,
        [STABLEHLO_reshape] = hs_simplify_reshape,
        [STABLEHLO_reverse] = hs_simplify_reverse,
        [STABLEHLO_select] = hs_simplify_select,
        [STABLEHLO_slice] = hs_simplify_slice,
        [STABLEHLO_sort] = hs_simplify_sort,
        [STABLEHLO_subtract] = hs_simplify_subtract,
        [STABLEHLO_transpose] = hs_simplify_transpose,
        [STABLEHLO_tuple] = hs_simplify_tuple,
        [STABLEHLO_while] = hs_simplify_while,
        [STABLEHLO_xor] = hs_simplify_xor,
    };
    if (op->def == SHAPE_OP(shape_of))
        return hs_simplify_shape_of(op, rw);
    if (!hs_is(op, STABLEHLO_reverse) && use_nothing(op, rw))
        return true;
    return hlo_apply(rows, op, rw);
}

const rw_pattern hlo_simplify_any = {NULL, simplify_any, "simplify"};

static bool run(ir_op *func, pass_run *run)
{
    hlo_optimize options = {.most_elements = pass_option_int(run, "fold-op-element-limit")};
    rw_greedy(func, &hlo_simplify_any, 1,
              &(rw_options){.bottom_up = true, .user = &options});
    return true;
}

static bool run_both(ir_op *func, pass_run *run)
{
    hlo_optimize options = hlo_fold_options(run);
    rw_pattern both[] = {hlo_fold_any, hlo_simplify_any};
    rw_greedy(func, both, 2, &(rw_options){.bottom_up = true, .user = &options});
    return true;
}

const pass_def stablehlo_aggressive_simplification_pass = {
    .name = "stablehlo-aggressive-simplification",
    .title = "StablehloAggressiveSimplificationPass",
    .summary = "Canonicalizes StableHLO operations",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"fold-op-element-limit", PASS_INT, "65536",
                        "Maximum number of elements of a folded select of constants"}),
};

const pass_def stablehlo_target_independent_optimization_pass = {
    .name = "stablehlo-target-independent-optimization",
    .title = "StablehloTargetIndependentOptimizationPass",
    .summary = "Runs canonicalizers, folders, and other target-independent optimizations.",
    .anchor = "func.func",
    .run = run_both,
    .options = HLO_FOLD_OPTIONS,
};
