/* infer.c: infers result types as the row declares: by its hook, from the same-type trait,
 * from the first attribute, from another operand or attribute, or because only one type is
 * allowed. */
#include "ir/infer.h"

#include "ir/text.h"

#include <stdlib.h>

/* ---- rules of a row ------------------------------------------------------------------ */

/* The next name in a list separated by commas and blanks. */
static tw_str next_name(tw_str *list)
{
    while (list->size && (*list->data == ' ' || *list->data == ','))
        list->data++, list->size--;
    tw_str name = {list->data, 0};
    while (name.size < list->size && name.data[name.size] != ',' &&
           name.data[name.size] != ' ')
        name.size++;
    list->data += name.size;
    list->size -= name.size;
    return name;
}

static bool lists(tw_str names, const char *name)
{
    while (names.size)
        if (tw_str_is(next_name(&names), name))
            return true;
    return false;
}

/* "from->to:rule" */
static bool split_rule(tw_str args, tw_str *from, tw_str *to, tw_str *rule)
{
    const char *arrow = memmem(args.data, args.size, "->", 2);
    const char *colon = memchr(args.data, ':', args.size);
    if (!arrow || !colon || colon < arrow)
        return false;
    *from = (tw_str){args.data, (size_t)(arrow - args.data)};
    *to = (tw_str){arrow + 2, (size_t)(colon - arrow - 2)};
    *rule = (tw_str){colon + 1, args.size - (size_t)(colon + 1 - args.data)};
    return true;
}

static ir_type by_rule(tw_str rule, ir_type t)
{
    if (t && tw_str_is(rule, "element-type"))
        return ir_type_element(t);
    if (t && tw_str_is(rule, "i1-same-shape")) {
        ir_type i1 = ir_integer_type(t->ctx, 1, IR_SIGNLESS);
        return ir_type_is_shaped(t) ? ir_type_with_element(t, i1) : i1;
    }
    return tw_str_is(rule, "same") ? t : NULL;
}

static bool rule_about(const ir_op_def *def, const char *result)
{
    tw_str args, from, to, rule;
    if (!result[0])
        return false;
    if (ir_def_rule(def, "AllTypesMatch", &args) && lists(args, result))
        return true;
    return ir_def_rule(def, "TypesMatchWith", &args) &&
           split_rule(args, &from, &to, &rule) && tw_str_is(to, result) &&
           (tw_str_is(rule, "same") || tw_str_is(rule, "element-type") ||
            tw_str_is(rule, "i1-same-shape"));
}

bool ir_def_infers(const ir_op_def *def)
{
    const uint64_t traits = IR_SAME_TYPE | IR_INFER_TYPES | IR_FIRST_ATTR_RESULT_TYPE;
    if (def->regions.count || !def->results.count)
        return false;
    if (def->infer || def->traits & traits ||
        ir_def_has(def, "HLO_CompatibleOperandsAndResultType"))
        return true;
    for (uint32_t i = 0; i < def->results.count; i++) {
        const ir_operand_def *r = &def->results.at[i];
        if (r->arity != IR_ONE ||
            !(rule_about(def, r->name) || (r->type && r->type->builds)))
            return false;
    }
    return true;
}

/* ---- an operation -------------------------------------------------------------------- */

/* The type of a declared operand or attribute, if it is present and single. */
static ir_type type_of_name(const ir_op *op, tw_str name)
{
    const ir_op_def *def = op->def;
    size_t start, count;
    for (size_t i = 0; i < def->operands.count; i++)
        if (tw_str_is(name, def->operands.at[i].name))
            return ir_op_operand_group(op, i, &start, &count) && count
                       ? op->operands[start].value->type
                       : NULL;
    for (size_t i = 0; i < def->attrs.count; i++)
        if (tw_str_is(name, def->attrs.at[i].name) && op->props[i])
            return op->props[i]->type;
    return NULL;
}

/* By "AllTypesMatch(a,b,result)", the first known type, or "TypesMatchWith(...)". */
static ir_type by_match(const ir_op *op, const char *result)
{
    tw_str args, from, to, rule;
    if (!rule_about(op->def, result))
        return NULL;
    if (ir_def_rule(op->def, "AllTypesMatch", &args) && lists(args, result)) {
        ir_type found = NULL;
        while (args.size && !found)
            found = type_of_name(op, next_name(&args));
        return found;
    }
    return ir_def_rule(op->def, "TypesMatchWith", &args) &&
                   split_rule(args, &from, &to, &rule)
               ? by_rule(rule, type_of_name(op, from))
               : NULL;
}

static ir_type by_row(const ir_op *op, const ir_operand_def *result)
{
    const ir_op_def *def = op->def;
    bool same = def->traits & IR_SAME_TYPE ||
                ir_def_has(def, "HLO_CompatibleOperandsAndResultType");
    ir_type type = NULL;
    if (same && op->n_operands)
        type = op->operands[0].value->type;
    if (!type && def->traits & IR_FIRST_ATTR_RESULT_TYPE && def->attrs.count)
        type = op->props[0] ? op->props[0]->type : NULL;
    if (!type)
        type = by_match(op, result->name);
    if (!type && result->type && result->type->builds)
        type = ir_parse_type(op->ctx, tw_str_from(result->type->builds));
    return type;
}

/* True if it has the operands and attributes that hooks rely on. */
static bool is_complete(const ir_op *op)
{
    const ir_op_def *def = op->def;
    size_t start, count, total = 0;
    for (size_t i = 0; i < def->operands.count; i++) {
        ir_arity arity = def->operands.at[i].arity;
        if (!ir_op_operand_group(op, i, &start, &count) ||
            (arity == IR_ONE && count != 1) || (arity == IR_OPTIONAL && count > 1) ||
            start + count > op->n_operands)
            return false;
        total += count;
    }
    for (size_t i = 0; i < def->attrs.count; i++)
        if (op->props[i] ? ir_attr_use_breaks(&def->attrs.at[i], op->props[i]) != NULL
                         : !def->attrs.at[i].optional)
            return false;
    return total == op->n_operands;
}

bool ir_infer_result_types(const ir_op *op, ir_type *results, size_t *count)
{
    const ir_op_def *def = op->def;
    size_t capacity = *count, errors = ir_context_error_count(op->ctx);
    *count = 0;
    if (!is_complete(op))
        return false;
    if (def->infer) {
        ir_value **operands = tw_xmalloc((op->n_operands + 1u) * sizeof *operands);
        for (uint32_t i = 0; i < op->n_operands; i++)
            operands[i] = op->operands[i].value;
        ir_infer in = {.ctx = op->ctx,
                       .loc = op->loc,
                       .def = def,
                       .operands = operands,
                       .n_operands = op->n_operands,
                       .props = op->props,
                       .regions = op->regions,
                       .n_regions = op->n_regions,
                       .results = results,
                       .n_results = capacity};
        bool ok = def->infer(&in);
        free(operands);
        *count = in.n_results;
        return ok && ir_context_error_count(op->ctx) == errors;
    }
    for (size_t i = 0; i < def->results.count; i++) {
        ir_type type = *count < capacity ? by_row(op, &def->results.at[i]) : NULL;
        if (!type)
            return false;
        results[(*count)++] = type;
    }
    return true;
}

bool ir_infer_state_results(ir_context *ctx, const ir_op_state *state, ir_type *results,
                            size_t *count)
{
    /* Groups and defaults are read from a temporary operation. */
    ir_op *probe = ir_op_create(ctx, state);
    bool ok = ir_infer_result_types(probe, results, count);
    ir_op_erase(probe);
    return ok;
}
