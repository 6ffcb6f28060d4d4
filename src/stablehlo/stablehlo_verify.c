/* stablehlo_verify.c: entry points of stablehlo's verifiers: traits, rules, and (after
 * regions are verified) result types against inferred ones. */
#include "stablehlo/stablehlo_verify.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"

/* ---- traits ------------------------------------------------------------------------- */

static bool all_fit(const ir_op *op, bool elements, bool results)
{
    ir_type first = op->n_operands  ? op->operands[0].value->type
                    : op->n_results ? op->results[0].type
                                    : NULL;
    for (uint32_t i = 0; first && i < op->n_operands + (results ? op->n_results : 0u);
         i++) {
        ir_type t = i < op->n_operands ? op->operands[i].value->type
                                       : op->results[i - op->n_operands].type;
        if (elements
                ? !stablehlo_elements_fit(ir_type_is_shaped(t) ? t->element : t,
                                          ir_type_is_shaped(first) ? first->element : first)
                : !stablehlo_types_fit(t, first))
            return false;
    }
    return true;
}

/* Each result has the type (or the element type) of its operand. */
static bool check_pairs(ir_op *op, bool elements)
{
    if (op->n_operands != op->n_results)
        return ir_op_error(op, "requires the same number of operands and results");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type a = op->operands[i].value->type, b = op->results[i].type;
        if (elements && ir_type_is_shaped(a) && ir_type_is_shaped(b)) {
            a = a->element;
            b = b->element;
        }
        if (a != b)
            return ir_op_error(
                op, "requires the same %stype for operand and result at index %u",
                elements ? "element " : "", i);
    }
    return true;
}

/* Checks the traits that the row lists as interfaces. */
bool stablehlo_check_traits(ir_op *op)
{
    const char *found =
        op->def->interfaces ? strstr(op->def->interfaces, "HLO_Compatible") : NULL;
    if (!found) {
        found = op->def->interfaces ? strstr(op->def->interfaces, "HLO_Pairwise") : NULL;
        return !found || check_pairs(op, strstr(found, "ElementType"));
    }
    found += strlen("HLO_Compatible");
    if (strncmp(found, "OperandsAndResultElementType", 28) == 0)
        return all_fit(op, true, true) ||
               ir_op_error(
                   op, "requires compatible element types for all operands and results");
    if (strncmp(found, "OperandsAndResultType", 21) == 0)
        return all_fit(op, false, true)
                   ? ir_check_shape_traits(op)
                   : ir_op_error(op, "requires compatible types for all operands and "
                                     "results");
    return all_fit(op, true, false) ||
           ir_op_error(op, "requires compatible element types for all operands");
}

/* ---- entry points ------------------------------------------------------------------- */

/* Refuses what is larger than the lists of the checks. */
static bool check_limits(ir_op *op)
{
    const uint32_t n = TW_MAX(op->n_operands, op->n_results);
    if (n > STABLEHLO_MAX_VALUES)
        return ir_op_error(op, "has %u values; at most %d are supported", n,
                           STABLEHLO_MAX_VALUES);
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        ir_type t = i < op->n_operands ? op->operands[i].value->type
                                       : op->results[i - op->n_operands].type;
        if (ir_type_is_ranked(t) && t->count > STABLEHLO_MAX_RANK)
            return ir_op_error(op, "has a tensor of rank %u; at most %d is supported",
                               t->count, STABLEHLO_MAX_RANK);
    }
    return true;
}

bool stablehlo_verify(ir_op *op)
{
    bool inferred_later = op->def->traits & IR_INFER_TYPES;
    return check_limits(op) && stablehlo_check_traits(op) &&
           (inferred_later || chk_verify(op, stablehlo_inference_rules(op->def))) &&
           chk_verify(op, stablehlo_own_rules(op->def));
}

bool stablehlo_infer(ir_op *op, chk_types *out)
{
    chk_rules rules = stablehlo_inference_rules(op->def);
    if (!rules.count && op->def->interfaces &&
        strstr(op->def->interfaces, "HLO_CompatibleOperandsAndResultType")) {
        out->n = 0;
        out->known = false;
        return op->n_results != 1 || stablehlo_infer_same(op, out);
    }
    if (!(op->def->traits & IR_INFER_TYPES) && op->def != STABLEHLO_OP(select))
        rules = stablehlo_own_rules(op->def);
    return chk_infer(op, rules, out);
}

bool stablehlo_verify_inferred(ir_op *op)
{
    chk_types types;
    return !(op->def->traits & IR_INFER_TYPES) ||
           (chk_infer(op, stablehlo_inference_rules(op->def), &types) &&
            (!types.known || stablehlo_check_inferred(op, types.at, types.n))) ||
           ir_op_error(op, "failed to infer returned types");
}
