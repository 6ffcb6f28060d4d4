/* format_types.c: infers the types that a format omits.
 *
 * Sources, tried until nothing changes: types of constraints that name one, traits that
 * equate types (SameOperandsAndResultType, AllTypesMatch, TypesMatchWith), the type of the
 * first attribute, and finally the row's infer hook for results. */
#include "ir/text/format_impl.h"

#include <stdlib.h>

static ir_attr attr_named(op_reading *r, tw_str name)
{
    for (uint32_t i = 0; i < r->op->attrs.count; i++)
        if (tw_str_equal(ir_ident_str(r->op->attrs.at[i].name), name))
            return r->op->attrs.at[i].value;
    return NULL;
}

static group_state *group_named(op_reading *r, tw_str name, ir_arity *arity)
{
    const ir_op_def *def = r->op->def;
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (tw_str_is(name, def->operands.at[i].name)) {
            *arity = def->operands.at[i].arity;
            return &r->operands[i];
        }
    for (uint32_t i = 0; i < def->results.count; i++)
        if (tw_str_is(name, def->results.at[i].name)) {
            *arity = def->results.at[i].arity;
            return &r->results[i];
        }
    return NULL;
}

static ir_type known_type(op_reading *r, tw_str name)
{
    ir_arity arity;
    group_state *g = group_named(r, name, &arity);
    if (g)
        return g->typed && g->types.count ? g->types.at[0] : NULL;
    ir_attr a = attr_named(r, name);
    return a ? ir_attr_value_type(a) : NULL;
}

/* Assigns the type to every value of the group. */
static bool assign_type(op_reading *r, group_state *g, ir_type type, bool is_operand,
                        ir_arity arity)
{
    if (g->typed || !type)
        return false;
    uint32_t count = is_operand && g->named ? g->uses.count : arity == IR_ONE ? 1 : 0;
    for (uint32_t i = 0; i < count; i++)
        ir_type_list_add(r->p, &g->types, type);
    g->typed = true;
    return true;
}

static bool resolve_named(op_reading *r, tw_str name, ir_type type)
{
    ir_arity arity;
    group_state *g = group_named(r, name, &arity);
    size_t n = r->op->def->operands.count;
    return g && assign_type(r, g, type, g >= r->operands && g < r->operands + n, arity);
}

static tw_str next_name(const char **c, const char *end)
{
    while (*c < end && (**c == ' ' || **c == ','))
        ++*c;
    const char *start = *c;
    while (*c < end && **c != ',' && **c != ' ')
        ++*c;
    return (tw_str){start, (size_t)(*c - start)};
}

/* Copies a list's types: each value has the type of its counterpart. */
static bool copy_list(op_reading *r, const group_state *from, tw_str name)
{
    ir_arity arity;
    group_state *to = group_named(r, name, &arity);
    if (!to || to->typed || arity == IR_ONE)
        return false;
    to->types = from->types;
    return to->typed = true;
}

static bool all_types_match(op_reading *r, tw_str names)
{
    ir_type type = NULL;
    bool changed = false;
    ir_arity arity = IR_ONE;
    const group_state *list = NULL;
    for (const char *c = names.data, *end = c + names.size; c < end && !list;) {
        tw_str name = next_name(&c, end);
        group_state *g = name.size ? group_named(r, name, &arity) : NULL;
        list = g && g->typed && arity != IR_ONE ? g : NULL;
    }
    for (const char *c = names.data, *end = c + names.size; c < end && list;) {
        tw_str name = next_name(&c, end);
        if (name.size)
            changed |= copy_list(r, list, name);
    }
    for (const char *c = names.data, *end = c + names.size; c < end && !type;) {
        tw_str name = next_name(&c, end);
        if (name.size)
            type = known_type(r, name);
    }
    for (const char *c = names.data, *end = c + names.size; c < end && type;) {
        tw_str name = next_name(&c, end);
        if (name.size)
            changed |= resolve_named(r, name, type);
    }
    return changed;
}

/* "from->to:rule" */
static bool types_match_with(op_reading *r, tw_str args)
{
    const char *arrow = memmem(args.data, args.size, "->", 2);
    const char *colon = memchr(args.data, ':', args.size);
    if (!arrow || !colon)
        return false;
    tw_str from = {args.data, (size_t)(arrow - args.data)};
    tw_str to = {arrow + 2, (size_t)(colon - arrow - 2)};
    tw_str rule = {colon + 1, args.size - (size_t)(colon + 1 - args.data)};
    ir_type type = known_type(r, from);
    if (!type)
        return false;
    if (tw_str_is(rule, "function-inputs") || tw_str_is(rule, "function-results")) {
        ir_arity arity;
        group_state *g = group_named(r, to, &arity);
        if (!g || g->typed || type->kind != IR_TYPE_FUNCTION)
            return false;
        bool inputs = tw_str_is(rule, "function-inputs");
        uint32_t n = inputs ? type->count : type->results;
        for (uint32_t i = 0; i < n; i++)
            ir_type_list_add(r->p, &g->types,
                             inputs ? type->types[i] : ir_function_results(type)[i]);
        return g->typed = true;
    }
    if (tw_str_is(rule, "same"))
        return resolve_named(r, to, type);
    if (tw_str_is(rule, "element-type"))
        return resolve_named(r, to, ir_type_element(type));
    if (tw_str_is(rule, "i1-same-shape"))
        return resolve_named(r, to, ir_type_i1_like(type));
    bool pointer = tw_str_is(rule, "lvalue-value-type") ||
                   tw_str_is(rule, "lvalue-of-pointee") ||
                   tw_str_is(rule, "pointer-to-lvalue-value");
    if (pointer && type->kind == IR_TYPE_DIALECT && type->count && type->params[0]->type) {
        ir_type inner = type->params[0]->type;
        ir_attr param = ir_type_attr(inner);
        if (tw_str_is(rule, "lvalue-value-type"))
            return resolve_named(r, to, inner);
        const char *mnemonic =
            tw_str_is(rule, "lvalue-of-pointee") ? "emitc.lvalue" : "emitc.ptr";
        const ir_type_def *def = ir_type_def_find(r->p->ctx, tw_str_from(mnemonic));
        return def && resolve_named(r, to, ir_dialect_type(r->p->ctx, def, &param, 1));
    }
    return false;
}

static bool same_type_trait(op_reading *r, bool results_too)
{
    const ir_op_def *def = r->op->def;
    ir_type type = NULL;
    bool changed = false;
    for (uint32_t i = 0; i < def->operands.count && !type; i++)
        if (r->operands[i].typed && r->operands[i].types.count)
            type = r->operands[i].types.at[0];
    for (uint32_t i = 0; results_too && i < def->results.count && !type; i++)
        if (r->results[i].typed && r->results[i].types.count)
            type = r->results[i].types.at[0];
    for (uint32_t i = 0; type && i < def->operands.count; i++)
        changed |= assign_type(r, &r->operands[i], type, true, def->operands.at[i].arity);
    for (uint32_t i = 0; type && results_too && i < def->results.count; i++)
        changed |= assign_type(r, &r->results[i], type, false, def->results.at[i].arity);
    return changed;
}

static bool apply_rules(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    bool changed = false;
    if (def->traits & IR_SAME_TYPE)
        changed |= same_type_trait(r, true);
    if (def->traits & IR_SAME_TYPE_OPERANDS)
        changed |= same_type_trait(r, false);
    for (const char *c = def->rules; c && *c;) {
        const char *end = strchr(c, ';');
        size_t n = end ? (size_t)(end - c) : strlen(c);
        static const char match[] = "AllTypesMatch(", with[] = "TypesMatchWith(";
        if (n > sizeof match && strncmp(c, match, sizeof match - 1) == 0)
            changed |= all_types_match(r, (tw_str){c + sizeof match - 1, n - sizeof match});
        else if (n > sizeof with && strncmp(c, with, sizeof with - 1) == 0)
            changed |= types_match_with(r, (tw_str){c + sizeof with - 1, n - sizeof with});
        c = end ? end + 1 : NULL;
        while (c && *c == ' ')
            c++;
    }
    return changed;
}

static void apply_buildable(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    for (uint32_t i = 0; i < def->operands.count; i++) {
        const ir_constraint *c = def->operands.at[i].type;
        if (!r->operands[i].typed && c->builds)
            assign_type(r, &r->operands[i],
                        ir_parse_type(r->p->ctx, tw_str_from(c->builds)), true,
                        def->operands.at[i].arity);
    }
    for (uint32_t i = 0; i < def->results.count; i++) {
        const ir_constraint *c = def->results.at[i].type;
        if (!r->results[i].typed && c->builds)
            assign_type(r, &r->results[i], ir_parse_type(r->p->ctx, tw_str_from(c->builds)),
                        false, def->results.at[i].arity);
    }
}

static bool resolve_flat(op_reading *r, const ir_ssa_list *uses)
{
    if (uses->count != r->operand_types.count)
        return ir_fail_counts(r->p, r->operands_at, uses->count, r->operand_types.count);
    for (uint32_t i = 0; i < uses->count; i++)
        if (!ir_add_operand(r->p, r->op, uses->at[i], r->operand_types.at[i]))
            return false;
    return true;
}

/* functional-type(operands, ...) with operands read by name: types in group order. */
static bool deal_flat_types(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    uint32_t next = 0, total = 0;
    for (uint32_t i = 0; i < def->operands.count; i++)
        total += r->operands[i].uses.count;
    if (total != r->operand_types.count)
        return ir_fail_counts(r->p, r->operands_at, total, r->operand_types.count);
    for (uint32_t i = 0; i < def->operands.count; i++) {
        group_state *g = &r->operands[i];
        if (g->uses.count)
            g->types =
                (ir_type_list){r->operand_types.at + next, g->uses.count, g->uses.count};
        g->typed = true;
        next += g->uses.count;
    }
    return true;
}

static bool resolve_groups(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    int64_t segments[64];
    for (uint32_t i = 0; i < def->operands.count; i++) {
        group_state *g = &r->operands[i];
        if (i < TW_COUNT(segments))
            segments[i] = g->uses.count;
        if (g->uses.count && !g->typed)
            return ir_fail(r->p, r->operands_at,
                           "the type of operand '%s' cannot be inferred",
                           def->operands.at[i].name);
        if (g->uses.count != g->types.count)
            return ir_fail_counts(r->p, g->at ? g->at : r->operands_at, g->uses.count,
                                  g->types.count);
        for (uint32_t k = 0; k < g->uses.count; k++)
            if (!ir_add_operand(r->p, r->op, g->uses.at[k], g->types.at[k]))
                return false;
    }
    if (def->traits & IR_OPERAND_SEGMENTS)
        ir_add_attr(r->p, r->op, "operandSegmentSizes",
                    ir_dense_i32_array(r->p->ctx, segments, def->operands.count));
    return true;
}

static bool infer_by_hook(op_reading *r)
{
    enum { CAPACITY = 64 };
    ir_parsed_op *op = r->op;
    const ir_op_def *def = op->def;
    ir_attr props[CAPACITY] = {0};
    ir_type results[CAPACITY] = {0};
    size_t n_props = ir_def_n_props(def);
    for (uint32_t i = 0; i < op->attrs.count; i++) {
        size_t slot = ir_def_prop_index(def, ir_ident_str(op->attrs.at[i].name));
        if (slot < CAPACITY)
            props[slot] = op->attrs.at[i].value;
    }
    for (size_t i = 0; i < def->attrs.count && i < n_props; i++)
        if (!props[i] && def->attrs.at[i].deflt)
            props[i] = ir_default_attr(r->p->ctx, &def->attrs.at[i]);
    ir_infer in = {.ctx = r->p->ctx,
                   .loc = op->loc,
                   .def = def,
                   .operands = op->operands,
                   .n_operands = op->n_operands,
                   .props = props,
                   .regions = op->n_regions ? op->regions[0] : NULL,
                   .n_regions = op->n_regions,
                   .results = results,
                   .n_results = CAPACITY};
    if (!def->infer(&in)) {
        r->p->failed = true; /* the hook has reported */
        return false;
    }
    for (size_t i = 0; i < in.n_results; i++)
        ir_add_result(r->p, op, results[i]);
    return true;
}

static bool add_results(op_reading *r)
{
    const ir_op_def *def = r->op->def;
    if (r->flat_result_types) {
        for (uint32_t i = 0; i < r->result_types.count; i++)
            ir_add_result(r->p, r->op, r->result_types.at[i]);
        return true;
    }
    if ((def->traits & IR_FIRST_ATTR_RESULT_TYPE) && def->results.count == 1 &&
        !r->results[0].typed)
        assign_type(r, &r->results[0], known_type(r, tw_str_from(def->attrs.at[0].name)),
                    false, IR_ONE);
    bool all = true;
    for (uint32_t i = 0; i < def->results.count; i++) {
        bool one =
            def->results.at[i].arity == IR_ONE; /* the hook determines the other counts */
        all &= one || !def->infer ? r->results[i].typed || !one
                                  : r->results[i].types.count > 0;
    }
    if (!all && def->infer)
        return infer_by_hook(r);
    int64_t segments[64];
    for (uint32_t i = 0; i < def->results.count; i++) {
        if (!r->results[i].typed && def->results.at[i].arity == IR_ONE)
            return ir_fail(r->p, r->operands_at,
                           "the type of result '%s' cannot be inferred",
                           def->results.at[i].name);
        if (i < TW_COUNT(segments))
            segments[i] = r->results[i].types.count;
        for (uint32_t k = 0; k < r->results[i].types.count; k++)
            ir_add_result(r->p, r->op, r->results[i].types.at[k]);
    }
    if (def->traits & IR_RESULT_SEGMENTS)
        ir_add_attr(r->p, r->op, "resultSegmentSizes",
                    ir_dense_i32_array(r->p->ctx, segments, def->results.count));
    return true;
}

bool ir_infer_and_resolve(op_reading *r)
{
    if (r->flat_operand_types && !r->all_in_order && !deal_flat_types(r))
        return false;
    for (int iteration = 0; iteration < 8 && apply_rules(r); iteration++)
        ;
    apply_buildable(r);
    for (int iteration = 0; iteration < 8 && apply_rules(r); iteration++)
        ;
    if (r->all_in_order) {
        if (!r->flat_operand_types) { /* types were read by name: lay them out in order */
            const ir_op_def *def = r->op->def;
            for (uint32_t i = 0; i < def->operands.count; i++)
                for (uint32_t k = 0; k < r->operands[i].types.count; k++)
                    ir_type_list_add(r->p, &r->operand_types, r->operands[i].types.at[k]);
        }
        if (!resolve_flat(r, &r->all_operands))
            return false;
    } else if (!resolve_groups(r)) {
        return false;
    }
    return add_results(r);
}
