/* pdl_verify.c: verifies patterns: every handle of the match part must be bound, result
 * types of created operations must be known, and the operations must be connected. */
#include "ir/infer.h"
#include "mlir/pdl/pdl.h"
#include "mlir/pdl/pdl_hooks.h"

#include <stdlib.h>

static bool is_result(const ir_op *op)
{
    return op->def == PDL_OP(result) || op->def == PDL_OP(results);
}

/* ---- definitions in the match part must be bound ------------------------------------ */

/* True if a user binds it; pdl.result alone does not, but its users are checked once
 * (values have no results). */
static bool has_binding_use(const ir_op *op, bool follow)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (const ir_operand *use = op->results[i].uses; use; use = use->next_use)
            if (!is_result(use->owner) || (follow && has_binding_use(use->owner, false)))
                return true;
    return false;
}

bool pdl_verify_bound(ir_op *op)
{
    if (!ir_op_is(ir_op_parent(op), PDL_OP(pattern)) || has_binding_use(op, true))
        return true;
    return ir_op_error(op, "expected a bindable user when defined in the matcher body of a "
                           "`pdl.pattern`");
}

bool pdl_verify_type(ir_op *op)
{
    return op->props[0] || pdl_verify_bound(op);
}

bool pdl_verify_attribute(ir_op *op)
{
    if (!ir_op_attr(op, "value")) {
        if (ir_op_is(ir_op_parent(op), PDL_OP(rewrite)))
            return ir_op_error(op, "expected constant value when specified within a "
                                   "`pdl.rewrite`");
        return pdl_verify_bound(op);
    }
    return !op->n_operands ||
           ir_op_error(op, "expected only one of [`type`, `value`] to be set");
}

bool pdl_verify_constraint(ir_op *op)
{
    return op->n_operands || ir_op_error(op, "expected at least one argument");
}

bool pdl_verify_native_rewrite(ir_op *op)
{
    return op->n_operands || op->n_results ||
           ir_op_error(op, "expected at least one argument or result");
}

bool pdl_verify_replace(ir_op *op)
{
    size_t start, operations, values;
    ir_op_operand_group(op, 1, &start, &operations);
    ir_op_operand_group(op, 2, &start, &values);
    return !operations || !values ||
           ir_op_error(op, "expected no replacement values to be provided when the "
                           "replacement operation is present");
}

bool pdl_verify_results(ir_op *op)
{
    ir_type type = op->results[0].type;
    return ir_op_attr(op, "index") || pdl_is_range(type) ||
           ir_op_error(op,
                       "expected `pdl.range<value>` result type when no index is "
                       "specified, but got: '%s'",
                       ir_type_text(op->ctx, type));
}

bool pdl_verify_range(ir_op *op)
{
    ir_type element = pdl_element_type(op->results[0].type);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type have = pdl_element_type(op->operands[i].value->type);
        if (have != element)
            return ir_op_error(op,
                               "expected operand to have element type '%s', but got '%s'",
                               ir_type_text(op->ctx, element), ir_type_text(op->ctx, have));
    }
    return true;
}

/* ---- result types of operations created by a rewrite -------------------------------- */

/* A use as the replacement of an existing operation gives the types. */
static bool replaces_known(ir_op *op, const ir_operand *use)
{
    if (use->owner->def != PDL_OP(replace) || ir_operand_number(use) == 0)
        return false;
    ir_op *replaced = ir_value_def(ir_op_operand(use->owner, 0));
    return replaced && (replaced->block != op->block || ir_op_before(replaced, op));
}

/* True if a handle to types is bound where `block` begins. */
static bool types_are_known(const ir_value *types, const ir_block *block)
{
    const ir_op *def = ir_value_def(types);
    if (!def || def->def == PDL_OP(apply_native_rewrite))
        return true;
    if (def->def != PDL_OP(type) && def->def != PDL_OP(types))
        return false;
    if (def->props[0])
        return true;
    for (const ir_operand *use = types->uses; use; use = use->next_use) {
        const ir_op_def *user = use->owner->def;
        if (use->owner->block != block &&
            (user == PDL_OP(operand) || user == PDL_OP(operands) ||
             user == PDL_OP(operation)))
            return true;
    }
    return false;
}

/* True if operations of a row always have a result whose type is not inferable. */
static bool needs_result_types(const ir_op_def *def)
{
    bool variadic = false;
    for (uint32_t i = 0; i < def->results.count; i++)
        variadic |= def->results.at[i].arity != IR_ONE;
    return def->results.count && !variadic;
}

static bool verify_result_types(ir_op *op, const ir_op_def *made)
{
    static const char text[] = "must have inferable or constrained result types when "
                               "nested within `pdl.rewrite`";
    size_t start, count;
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (replaces_known(op, use))
            return true;
    ir_op_operand_group(op, 2, &start, &count);
    if (!count && made && needs_result_types(made)) {
        ir_op_error(op, text);
        return ir_note(op->ctx, op->loc,
                       "operation is created in a non-inferrable context, but '%s' does "
                       "not implement InferTypeOpInterface",
                       made->name);
    }
    for (size_t i = 0; i < count; i++)
        if (!types_are_known(ir_op_operand(op, start + i), op->block)) {
            ir_op_error(op, text);
            return ir_note(op->ctx, op->loc, "result type #%zu was not constrained", i);
        }
    return true;
}

bool pdl_verify_operation(ir_op *op)
{
    bool in_rewrite = ir_op_is(ir_op_parent(op), PDL_OP(rewrite));
    ir_attr name = ir_op_attr(op, "opName");
    if (in_rewrite && !name)
        return ir_op_error(op, "must have an operation name when nested within a "
                               "`pdl.rewrite`");
    size_t start, values;
    uint32_t names = ir_op_attr(op, "attributeValueNames")->count;
    ir_op_operand_group(op, 1, &start, &values);
    if (names != values)
        return ir_op_error(op,
                           "expected the same number of attribute values and attribute "
                           "names, got %u names and %zu values",
                           names, values);
    if (in_rewrite) {
        const ir_op_def *made = ir_context_op_def(op->ctx, ir_attr_str(name));
        /* an unregistered operation might infer its types */
        if (made && !ir_def_infers(made) && !verify_result_types(op, made))
            return false;
    }
    return pdl_verify_bound(op);
}

/* ---- entry point -------------------------------------------------------------------- */

static bool connects(const ir_op *op)
{
    return op->def == PDL_OP(operand) || op->def == PDL_OP(operands) || is_result(op) ||
           op->def == PDL_OP(operation);
}

typedef struct connected {
    ir_mapping *seen;
    ir_op **left; /* the worklist */
    size_t n_left, capacity;
} connected;

static void reach(connected *c, ir_op *op)
{
    if (!op || !ir_op_is(ir_op_parent(op), PDL_OP(pattern)) || op->def == PDL_OP(rewrite) ||
        ir_mapping_get(c->seen, op))
        return;
    ir_mapping_set(c->seen, op, op);
    TW_PUSH(c->left, c->n_left, c->capacity, op);
}

/* Marks the operations connected with `op` in the match part. */
static void mark_connected(connected *c, ir_op *op)
{
    reach(c, op);
    while (c->n_left) {
        op = c->left[--c->n_left];
        size_t start = 0, count = is_result(op) ? 1 : 0;
        if (op->def == PDL_OP(operation))
            ir_op_operand_group(op, 0, &start, &count);
        for (size_t i = 0; i < count; i++)
            reach(c, ir_value_def(ir_op_operand(op, start + i)));
        for (uint32_t i = 0; i < op->n_results; i++)
            for (const ir_operand *use = op->results[i].uses; use; use = use->next_use)
                reach(c, use->owner);
    }
}

static bool is_rewritten(const ir_op *op)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def == PDL_OP(rewrite) ||
            ir_op_is(ir_op_parent(use->owner), PDL_OP(rewrite)))
            return true;
    return false;
}

static bool verify_connected(ir_op *pattern)
{
    connected c = {.seen = ir_mapping_create()};
    bool first = true;
    ir_op *apart = NULL;
    for (ir_op *op = pattern->regions[0].first->first; op && !apart; op = op->next) {
        if (!connects(op) || !is_rewritten(op))
            continue;
        if (first)
            mark_connected(&c, op);
        else if (!ir_mapping_get(c.seen, op))
            apart = op;
        first = false;
    }
    ir_mapping_free(c.seen);
    free(c.left);
    if (!apart)
        return true;
    ir_op_error(pattern, "the operations must form a connected component");
    return ir_note(pattern->ctx, apart->loc, "see a disconnected value / operation here");
}

static ir_walk find_foreign(ir_op *op, void *user)
{
    bool ours = op->def >= pdl_ops && op->def < pdl_ops + PDL_OP_COUNT;
    if (!ours)
        *(ir_op **)user = op;
    return ours ? IR_WALK_ON : IR_WALK_STOP;
}

bool pdl_verify_pattern(ir_op *op)
{
    ir_block *body = op->regions[0].first;
    if (body->last->def != PDL_OP(rewrite)) {
        ir_op_error(op, "expected body to terminate with `pdl.rewrite`");
        return ir_note(op->ctx, body->last->loc, "see terminator defined here");
    }
    ir_op *foreign = NULL;
    bool any = false;
    for (ir_op *o = body->first; o; o = o->next) {
        any |= o->def == PDL_OP(operation);
        /* innermost first, as MLIR walks */
        if (!foreign)
            ir_walk_post(o, find_foreign, &foreign);
    }
    if (foreign) {
        ir_op_error(op, "expected only `pdl` operations within the pattern body");
        return ir_note(op->ctx, foreign->loc, "see non-`pdl` operation defined here");
    }
    if (!any)
        return ir_op_error(op, "the pattern must contain at least one `pdl.operation`");
    return verify_connected(op);
}

bool pdl_verify_rewrite(ir_op *op)
{
    bool named = ir_op_attr(op, "name"), empty = !op->regions[0].first;
    size_t start, arguments;
    if (named)
        return empty || ir_op_error(op, "expected rewrite region to be empty when rewrite "
                                        "is external");
    if (empty)
        return ir_op_error(op, "expected rewrite region to be non-empty if external name "
                               "is not specified");
    ir_op_operand_group(op, 1, &start, &arguments);
    return !arguments || ir_op_error(op, "expected no external arguments when the rewrite "
                                         "is specified inline");
}
