/* transform_verify_regions.c: verifies sequences, alternatives, loops over handles, calls
 * of named sequences and containers of patterns, in MLIR's words. */
#include "mlir/func/func_hooks.h"
#include "mlir/transform/transform.h"
#include "mlir/transform/transform_constraints.h"
#include "mlir/transform/transform_effects.h"
#include "mlir/transform/transform_hooks.h"

static bool is_handle(ir_type type)
{
    return ir_type_satisfies(type, &C_TransformHandleTypeInterface);
}

/* Handles of operations, handles of values, parameters: each is compatible with its
 * kind. */
static bool same_kind(ir_type a, ir_type b)
{
    return (is_handle(a) && is_handle(b)) ||
           (ir_type_satisfies(a, &C_TransformParamTypeInterface) &&
            ir_type_satisfies(b, &C_TransformParamTypeInterface)) ||
           (ir_type_satisfies(a, &C_TransformValueHandleTypeInterface) &&
            ir_type_satisfies(b, &C_TransformValueHandleTypeInterface));
}

static bool with_note(ir_op *op, ir_loc at, const char *text)
{
    return ir_note(op->ctx, at, "%s", text);
}

static bool yields_results(const ir_op *op, const ir_op *end)
{
    bool same = end->n_operands == op->n_results;
    for (uint32_t i = 0; same && i < op->n_results; i++)
        same = ir_op_operand(end, i)->type == op->results[i].type;
    return same;
}

/* ---- top-level operations ----------------------------------------------------------- */

static bool can_be_top(const ir_op *op)
{
    return ir_def_has(op->def, "PossibleTopLevelTransformOpTrait");
}

static bool check_top(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!op->n_regions)
        return ir_op_error(op, "expects at least one region");
    if (!body || body->next)
        return ir_op_error(op, "expects a single-block region");
    if (!body->n_args)
        return ir_op_error(op, "expects the entry block to have at least one argument");
    if (!is_handle(body->args[0]->type))
        return ir_op_error(op, "expects the first entry block argument to be of type "
                               "implementing TransformHandleTypeInterface");
    if (op->n_operands && body->args[0]->type != ir_op_operand(op, 0)->type)
        return ir_op_error(op, "expects the type of the block argument to match the type "
                               "of the operand");
    for (uint32_t i = 1; i < body->n_args; i++) {
        if (ir_type_satisfies(body->args[i]->type, &C_Transform_AnyHandleOrParamType))
            continue;
        ir_op_error(op,
                    "expects trailing entry block arguments to be of type implementing "
                    "TransformHandleTypeInterface, TransformValueHandleTypeInterface or "
                    "TransformParamTypeInterface");
        return ir_note(op->ctx, op->loc, "argument #%u does not", i);
    }
    const ir_op *around = ir_op_parent(op);
    while (around && !can_be_top(around))
        around = ir_op_parent(around);
    if (!around || op->n_operands == body->n_args)
        return true;
    ir_op_error(op, "expects operands to be provided for a nested op");
    return with_note(op, around->loc, "nested in another possible top-level op");
}

/* ---- sequence ----------------------------------------------------------------------- */

bool transform_sequence_verify(ir_op *op)
{
    size_t start, root, extra;
    const ir_block *body = ir_op_body(op, 0);
    if (!check_top(op))
        return false;
    if (ir_op_operand_group(op, 0, &start, &root) &&
        ir_op_operand_group(op, 1, &start, &extra) && !root && extra)
        return ir_op_error(op, "does not expect extra operands when used as top-level");
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!transform_consumed_once(op, body->args[i], true, "block argument", i))
            return false;
    for (ir_op *o = body->first; o; o = o->next) {
        if (!transform_is_step(o) && o != body->last) {
            ir_op_error(op, "expected children ops to implement TransformOpInterface");
            return with_note(op, o->loc, "op without interface");
        }
        for (uint32_t i = 0; i < o->n_results; i++)
            if (!transform_consumed_once(o, &o->results[i], false, "result", i))
                return false;
    }
    if (!body->last || !(body->last->def->traits & (IR_TERMINATOR | IR_UNREGISTERED)))
        return ir_op_error(op, "expects to have a terminator in the body");
    if (yields_results(op, body->last))
        return true;
    ir_op_error(op, "expects the types of the terminator operands to match the types of "
                    "the result");
    return with_note(op, body->last->loc, "terminator");
}

/* ---- named sequences ---------------------------------------------------------------- */

/* Checks that arguments are marked as consumed or read as the body uses them. */
static bool check_marks(ir_op *op, bool called)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_type type = ir_op_attr(op, "function_type")->type;
    for (uint32_t i = 0; i < type->count; i++) {
        bool consumed = transform_argument_is(op, i, "transform.consumed");
        bool readonly = transform_argument_is(op, i, "transform.readonly");
        if (consumed && readonly)
            return ir_error_at_op(op, "argument #%u cannot be both readonly and consumed",
                                  i);
        if ((!body || called) && !consumed && !readonly)
            return ir_error_at_op(op, "must provide consumed/readonly status for arguments "
                                      "of external or called ops");
        bool takes = body && i < body->n_args && transform_consumed_in(body, body->args[i]);
        if (takes && !consumed && readonly)
            return ir_error_at_op(
                op, "argument #%u is consumed in the body but is not marked as such", i);
        if (body && !called && !takes && consumed)
            ir_warning(op->ctx, op->loc,
                       "op argument #%u is not consumed in the body but is marked as "
                       "consumed",
                       i);
    }
    return true;
}

static bool check_named_place(ir_op *op)
{
    ir_op *table = ir_op_parent(op);
    while (table && !(table->def->traits & IR_SYMBOL_TABLE))
        table = ir_op_parent(table);
    if (table && !ir_op_attr(table, "transform.with_named_sequence")) {
        ir_error_at_op(op, "expects the parent symbol table to have the "
                           "'transform.with_named_sequence' attribute");
        return with_note(op, table->loc, "symbol table operation");
    }
    const ir_op *around = ir_op_parent(op);
    while (around && !transform_is_step(around))
        around = ir_op_parent(around);
    if (!around)
        return true;
    ir_error_at_op(op, "cannot be defined inside another transform op");
    return with_note(op, around->loc, "ancestor transform op");
}

static bool check_named_end(ir_op *op, ir_op *end)
{
    ir_type type = ir_op_attr(op, "function_type")->type;
    if (end->def != TRANSFORM_OP(yield)) {
        ir_error_at_op(op, "expected 'transform.yield' as terminator");
        return with_note(op, end->loc, "terminator");
    }
    if (end->n_operands != type->results)
        return ir_error_at_op(end, "expected terminator to have as many operands as the "
                                   "parent op has results");
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_type have = ir_op_operand(end, i)->type, want = ir_function_results(type)[i];
        if (have != want)
            return ir_error_at_op(end,
                                  "the type of the terminator operand #%u must match the "
                                  "type of the corresponding parent op result ('%s' vs "
                                  "'%s')",
                                  i, ir_type_text(op->ctx, have),
                                  ir_type_text(op->ctx, want));
    }
    return true;
}

bool transform_named_sequence_verify(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    if (!func_signature_verify(op) || !check_named_place(op))
        return false;
    if (!body)
        return check_marks(op, false);
    if (!body->last)
        return ir_error_at_op(op, "expected a non-empty body block");
    return check_named_end(op, body->last) && check_marks(op, false);
}

/* ---- calls of named sequences ------------------------------------------------------- */

static ir_type signature_of(const ir_op *sequence)
{
    ir_attr type = ir_op_attr(sequence, "function_type");
    return ir_attr_is(type, IR_ATTR_TYPE) && type->type->kind == IR_TYPE_FUNCTION
               ? type->type
               : NULL;
}

static ir_op *sequence_named(ir_op *op, ir_attr name)
{
    ir_op *found = ir_symbol_resolve(op, name);
    return ir_op_is(found, TRANSFORM_OP(named_sequence)) && signature_of(found) ? found
                                                                                : NULL;
}

bool transform_include_verify_symbols(ir_op *op)
{
    ir_op *callee = sequence_named(op, ir_op_attr(op, "target"));
    if (!callee)
        return ir_op_error(op, "does not reference a named transform sequence");
    ir_type type = signature_of(callee);
    if (type->count != op->n_operands)
        return ir_error_at_op(op, "incorrect number of operands for callee");
    for (uint32_t i = 0; i < type->count; i++)
        if (ir_op_operand(op, i)->type != type->types[i])
            return ir_op_error(
                op,
                "operand type mismatch: expected operand type '%s', but provided '%s' for "
                "operand number %u",
                ir_type_text(op->ctx, type->types[i]),
                ir_type_text(op->ctx, ir_op_operand(op, i)->type), i);
    if (type->results != op->n_results)
        return ir_error_at_op(op, "incorrect number of results for callee");
    for (uint32_t i = 0; i < type->results; i++)
        if (!same_kind(op->results[i].type, ir_function_results(type)[i]))
            return ir_op_error(op,
                               "type of result #%u must implement the same transform "
                               "dialect interface as the corresponding callee result",
                               i);
    return check_marks(callee, true);
}

bool transform_collect_matching_verify_symbols(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "matcher");
    ir_op *matcher = sequence_named(op, name);
    if (!matcher)
        return ir_error_at_op(op, "unresolved matcher symbol %s",
                              ir_attr_text(op->ctx, name));
    ir_type type = signature_of(matcher);
    if (type->count != 1 || !is_handle(type->types[0]))
        return ir_error_at_op(op, "expected the matcher to take one operation handle "
                                  "argument");
    if (!transform_argument_is(matcher, 0, "transform.readonly"))
        return ir_error_at_op(op, "expected the matcher argument to be marked readonly");
    if (type->results != op->n_results)
        return ir_error_at_op(op,
                              "expected the matcher to yield as many values as op has "
                              "results (%u), got %u",
                              op->n_results, type->results);
    for (uint32_t i = 0; i < type->results; i++)
        if (!same_kind(ir_function_results(type)[i], op->results[i].type))
            return ir_error_at_op(
                op, "mismatching type interfaces for matcher result and op result #%u", i);
    return true;
}

/* Checks the types passed from the operation to a matcher, from there to an action and
 * back. */
static bool check_pair(ir_op *op, ir_attr matcher_name, ir_attr action_name)
{
    const char *m = ir_attr_text(op->ctx, matcher_name);
    const char *a = ir_attr_text(op->ctx, action_name);
    ir_op *matcher = sequence_named(op, matcher_name);
    ir_op *action = sequence_named(op, action_name);
    if (!matcher)
        return ir_error_at_op(op, "unresolved matcher symbol %s", m);
    if (!action)
        return ir_error_at_op(op, "unresolved action symbol %s", a);
    ir_type from = signature_of(matcher), to = signature_of(action);
    if (op->n_operands != from->count) {
        ir_error_at_op(op,
                       "the number of operands (%u) doesn't match the number of matcher "
                       "arguments (%u) for %s",
                       op->n_operands, from->count, m);
        return with_note(op, matcher->loc, "symbol declaration");
    }
    for (uint32_t i = 0; i < from->count; i++) {
        bool taken = transform_argument_is(matcher, i, "transform.consumed");
        if (!taken && same_kind(ir_op_operand(op, i)->type, from->types[i]))
            continue;
        if (taken)
            ir_op_error(op, "does not expect matcher symbol to consume its operand #%u", i);
        else
            ir_error_at_op(op,
                           "mismatching type interfaces for operand and matcher symbol "
                           "argument #%u of matcher %s",
                           i, m);
        return with_note(op, matcher->loc, "symbol declaration");
    }
    if (from->results != to->count)
        return ir_error_at_op(op,
                              "mismatching number of matcher results and action arguments "
                              "between %s (%u) and %s (%u)",
                              m, from->results, a, to->count);
    for (uint32_t i = 0; i < to->count; i++)
        if (!same_kind(ir_function_results(from)[i], to->types[i]))
            return ir_error_at_op(op,
                                  "mismatching type interfaces for matcher result and "
                                  "action argument #%uof matcher %s and action %s",
                                  i, m, a);
    if (to->results != op->n_results - 1) {
        ir_error_at_op(op,
                       "the number of action results (%u) for %s doesn't match the number "
                       "of extra op results (%u)",
                       to->results, a, op->n_results - 1);
        return with_note(op, action->loc, "symbol declaration");
    }
    for (uint32_t i = 0; i < to->results; i++) {
        if (same_kind(op->results[i + 1].type, ir_function_results(to)[i]))
            continue;
        ir_error_at_op(op,
                       "mismatching type interfaces for action result #%u of action %s and "
                       "op result",
                       i, a);
        return with_note(op, action->loc, "symbol declaration");
    }
    return true;
}

bool transform_foreach_match_verify_symbols(ir_op *op)
{
    ir_attr matchers = ir_op_attr(op, "matchers"), actions = ir_op_attr(op, "actions");
    for (uint32_t i = 0; i < matchers->count; i++)
        if (!check_pair(op, matchers->items[i], actions->items[i]))
            return false;
    return true;
}

/* ---- alternatives, foreach ---------------------------------------------------------- */

bool transform_alternatives_verify(ir_op *op)
{
    if (!check_top(op))
        return false;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const ir_op *end = op->regions[r].first->last;
        if (yields_results(op, end))
            continue;
        ir_op_error(op, "expects terminator operands to have the same type as results of "
                        "the operation");
        return with_note(op, end->loc, "terminator");
    }
    return true;
}

bool transform_foreach_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    const ir_op *end = body->last;
    for (uint32_t i = 0; i < TW_MAX(op->n_operands, body->n_args); i++) {
        if (i >= op->n_operands || i >= body->n_args)
            return ir_op_error(op, "expects the same number of targets as the body has "
                                   "block arguments");
        if (ir_op_operand(op, i)->type != body->args[i]->type)
            return ir_op_error(op, "expects co-indexed targets and the body's block "
                                   "arguments to have the same op/value/param type");
    }
    for (uint32_t i = 0; i < TW_MAX(op->n_results, end->n_operands); i++) {
        if (i >= op->n_results || i >= end->n_operands)
            return ir_op_error(op, "expects the same number of results as the yield "
                                   "terminator has operands");
        if (op->results[i].type != ir_op_operand(end, i)->type)
            return ir_op_error(op, "expects co-indexed results and yield operands to have "
                                   "the same op/value/param type");
    }
    return true;
}

/* ---- patterns ----------------------------------------------------------------------- */

static bool all_children(ir_op *op, const char *interface, const char *which)
{
    const ir_block *body = ir_op_body(op, 0);
    for (ir_op *o = body ? body->first : NULL; o; o = o->next) {
        if (ir_def_has(o->def, interface))
            continue;
        ir_op_error(op, "expected %schildren ops to implement %s", which, interface);
        return with_note(op, o->loc, "op without interface");
    }
    return true;
}

bool transform_apply_patterns_verify(ir_op *op)
{
    return all_children(op, "PatternDescriptorOpInterface", "");
}

bool transform_apply_conversions_verify(ir_op *op)
{
    if (op->n_regions != 1 && op->n_regions != 2)
        return ir_op_error(op, "expected 1 or 2 regions");
    if (!all_children(op, "ConversionPatternDescriptorOpInterface", "pattern "))
        return false;
    if (op->n_regions == 1)
        return true;
    const ir_block *converter = ir_op_body(op, 1);
    if (!converter || !converter->first || converter->first->next)
        return ir_op_error(op, "expected exactly one op in default type converter region");
    if (ir_def_has(converter->first->def, "TypeConverterBuilderOpInterface"))
        return true;
    ir_op_error(op, "expected default converter child op to implement "
                    "TypeConverterBuilderOpInterface");
    return with_note(op, converter->first->loc, "op without interface");
}

bool transform_replace_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!body || body->next)
        return ir_op_error(op, "expected one block");
    if (!body->first || body->first->next)
        return ir_op_error(op, "expected one operation in block");
    return !body->first->n_operands ||
           ir_op_error(body->first, "expected replacement without operands");
}
