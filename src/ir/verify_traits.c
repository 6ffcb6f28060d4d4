/* verify_traits.c: checks a row's traits on an operation's operands and results: equal
 * types, shapes or elements, broadcasting, the parent operation. */
#include "ir/op.h"
#include "ir/verify_impl.h"

#include <stdlib.h>

static bool same_shape(ir_type a, ir_type b)
{
    if (!ir_type_is_ranked(a) || !ir_type_is_ranked(b))
        return ir_type_is_shaped(a) == ir_type_is_shaped(b) ||
               (ir_type_is_shaped(a) && ir_type_is_shaped(b));
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->dims[i] != b->dims[i] && a->dims[i] != IR_DYNAMIC &&
            b->dims[i] != IR_DYNAMIC)
            return false;
    return true;
}

static bool same_element(ir_type a, ir_type b)
{
    return (ir_type_is_shaped(a) ? a->element : a) ==
           (ir_type_is_shaped(b) ? b->element : b);
}

/* Inferred result types are compared later. */
static bool same_type(ir_type a, ir_type b)
{
    return a == b || (ir_type_is_shaped(a) && ir_type_is_shaped(b) && same_element(a, b) &&
                      same_shape(a, b));
}

static bool identical(ir_type a, ir_type b)
{
    return a == b;
}

static ir_type value_type(const ir_op *op, size_t i)
{
    return i < op->n_operands ? op->operands[i].value->type
                              : op->results[i - op->n_operands].type;
}

static bool all_agree(const ir_op *op, bool with_results, bool (*agree)(ir_type, ir_type))
{
    size_t n = op->n_operands + (with_results ? op->n_results : 0);
    for (size_t i = 1; i < n; i++)
        if (!agree(value_type(op, 0), value_type(op, i)))
            return false;
    return true;
}

/* Vectors and tensors must match in kind, scalars match everything. */
static bool check_elementwise(ir_op *op)
{
    uint32_t operands = 0, results = 0;
    ir_type first = NULL;
    bool same = true;
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        bool is_operand = i < op->n_operands;
        ir_type t =
            is_operand ? op->operands[i].value->type : op->results[i - op->n_operands].type;
        if (t->kind != IR_TYPE_VECTOR && t->kind != IR_TYPE_TENSOR &&
            t->kind != IR_TYPE_UNRANKED_TENSOR)
            continue;
        operands += is_operand;
        results += !is_operand;
        same &= !first || (t->kind == first->kind && same_shape(t, first));
        first = first ? first : t;
    }
    const char *wrong =
        results && !operands
            ? "if a result is non-scalar, then at least one operand must be non-scalar"
        : operands && !results ? "if an operand is non-scalar, then there must be at least "
                                 "one non-scalar result"
        : operands && results != op->n_results
            ? "if an operand is non-scalar, then all results must be non-scalar"
        : !same ? "all non-scalar operands/results must have the same shape and base type"
                : NULL;
    return !wrong || ir_op_error(op, "%s", wrong);
}

/* Of SameOperandsAndResultType: shapes that are merely compatible differ from inferred
 * ones. */
static bool check_same_types(ir_op *op)
{
    const ir_op_def *def = op->def;
    ir_type result = op->n_results ? op->results[0].type : NULL;
    bool ranked = result && result->kind == IR_TYPE_TENSOR;
    for (size_t i = 0; ranked && result->encoding && i < op->n_operands + op->n_results;
         i++) {
        ir_type type = value_type(op, i);
        if (type->kind == IR_TYPE_TENSOR && type->encoding != result->encoding)
            return ir_op_error(op, "requires the same encoding for all operands and "
                                   "results");
    }
    if (!def->operands.count || def->operands.at[0].arity != IR_ONE)
        return true;
    for (uint32_t i = 0; i < def->results.count; i++)
        if (def->results.at[i].arity != IR_ONE)
            return true;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type want = value_type(op, 0), have = op->results[i].type;
        if (want == have)
            continue;
        ir_op_error(op,
                    "inferred type(s) '%s' are incompatible with return type(s) of "
                    "operation '%s'",
                    ir_type_text(op->ctx, want), ir_type_text(op->ctx, have));
        return ir_op_error(op, "failed to infer returned types");
    }
    return true;
}

static bool is_cast(const ir_op_def *def)
{
    return def->interfaces && strstr(def->interfaces, "CastOpInterface");
}

static bool check_traits(ir_op *op)
{
    static const struct {
        int bit;
        bool results;
        bool (*agree)(ir_type, ir_type);
        const char *message;
    } rules[] = {
        {IR_TRAIT_BIT_SAME_TYPE_OPERANDS, false, identical,
         "requires all operands to have the same type"},
        {IR_TRAIT_BIT_SAME_OPERANDS_SHAPE, false, same_shape,
         "requires the same shape for all operands"},
        {IR_TRAIT_BIT_SAME_SHAPE, true, same_shape,
         "requires the same shape for all operands and results"},
        {IR_TRAIT_BIT_SAME_OPERANDS_ELEMENT_TYPE, false, same_element,
         "requires the same element type for all operands"},
        {IR_TRAIT_BIT_SAME_ELEMENT_TYPE, true, same_element,
         "requires the same element type for all operands and results"},
        {IR_TRAIT_BIT_SAME_TYPE, true, same_type,
         "requires the same type for all operands and results"},
    };
    /* operations of one operand except casts report this trait before the shape's */
    const uint64_t both = IR_ELEMENTWISE | IR_SAME_SHAPE;
    if ((op->def->traits & both) == both && op->n_operands == 1 && !is_cast(op->def) &&
        !check_elementwise(op))
        return false;
    for (size_t i = 0; i < TW_COUNT(rules); i++) {
        if (!(op->def->traits >> rules[i].bit & 1))
            continue;
        if (!op->n_operands)
            return ir_op_error(op, "expected 1 or more operands, but found 0");
        if (!all_agree(op, rules[i].results, rules[i].agree))
            return ir_op_error(op, "%s", rules[i].message);
    }
    return true;
}

/* numpy broadcasting of the operands' shapes must give the result's. */
static void put_shape(tw_strbuf *out, const int64_t *dims, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
}

static bool shape_error(ir_op *op, const char *message, ir_type have, const int64_t *want,
                        size_t rank)
{
    tw_strbuf first = {0}, second = {0};
    put_shape(&first, have->dims, have->count);
    put_shape(&second, want, rank);
    ir_op_error(op, message, tw_strbuf_text(&first), tw_strbuf_text(&second));
    tw_strbuf_free(&first);
    tw_strbuf_free(&second);
    return false;
}

/* `shape` has `widest` sizes, all 1. */
static bool merge_shapes(ir_op *op, int64_t *shape, size_t widest)
{
    size_t rank = 0; /* of the operands so far, whose sizes are the last ones */
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        int64_t *last = shape + widest - t->count;
        for (uint32_t d = 0; d < t->count; d++)
            if (last[d] != t->dims[d] && last[d] != 1 && t->dims[d] != 1)
                return shape_error(op,
                                   "operand shape (%s) is not broadcast compatible with "
                                   "inferred operand shapes (%s)",
                                   t, shape + widest - rank, rank);
        for (uint32_t d = 0; d < t->count; d++)
            last[d] = last[d] == 1 ? t->dims[d] : last[d];
        rank = TW_MAX(rank, t->count);
    }
    return true;
}

static bool check_broadcastable(ir_op *op)
{
    size_t widest = 0;
    if (!(op->def->traits & IR_BROADCASTABLE))
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if (!ir_type_is_ranked(op->operands[i].value->type))
            return true;
        widest = TW_MAX(widest, op->operands[i].value->type->count);
    }
    int64_t *shape = tw_xmalloc((widest + 1) * sizeof *shape);
    for (size_t d = 0; d < widest; d++)
        shape[d] = 1;
    bool ok = merge_shapes(op, shape, widest);
    for (uint32_t i = 0; ok && i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        if (ir_type_is_ranked(t) &&
            (t->count != widest ||
             (widest && memcmp(t->dims, shape, widest * sizeof *shape) != 0)))
            ok = shape_error(
                op,
                "result shape (%s) doesn't match expected shape after broadcasting (%s)", t,
                shape, widest);
    }
    free(shape);
    return ok;
}

/* Names with a blank after each comma. */
static void put_names(tw_strbuf *out, tw_str names)
{
    for (size_t i = 0; i < names.size; i++) {
        tw_strbuf_putc(out, names.data[i]);
        if (names.data[i] == ',' && i + 1 < names.size && names.data[i + 1] != ' ')
            tw_strbuf_putc(out, ' ');
    }
}

/* AllTypesMatch(a,b), AllShapesMatch, AllElementTypesMatch, AllRanksMatch, HasParent. */
static ir_type named_type(ir_op *op, tw_str name)
{
    size_t start, count;
    for (uint32_t i = 0; i < op->def->operands.count; i++)
        if (tw_str_is(name, op->def->operands.at[i].name))
            return ir_op_operand_group(op, i, &start, &count) && count
                       ? op->operands[start].value->type
                       : NULL;
    for (uint32_t i = 0; i < op->def->results.count; i++)
        if (tw_str_is(name, op->def->results.at[i].name))
            return ir_op_result_group(op, i, &start, &count) && count
                       ? op->results[start].type
                       : NULL;
    ir_attr a = ir_op_attr_str(op, name);
    return a ? ir_attr_value_type(a) : NULL;
}

static bool equal_type(ir_type a, ir_type b)
{
    return a == b;
}

static bool equal_rank(ir_type a, ir_type b)
{
    return !ir_type_is_ranked(a) || !ir_type_is_ranked(b) || a->count == b->count;
}

/* The message of the k-th rule that equates types: the k-th Says(...). */
static tw_str rule_message(const ir_op_def *def, tw_str rule)
{
    int k = 0;
    for (const char *c = def->rules; c < rule.data;) {
        k +=
            strncmp(c, "AllTypesMatch(", 14) == 0 || strncmp(c, "TypesMatchWith(", 15) == 0;
        c = strchr(c, ';') + 1;
    }
    for (const char *c = def->rules; c;) {
        const char *end = strchr(c, ';');
        if (strncmp(c, "Says(", 5) == 0 && k-- == 0)
            return (tw_str){c + 5, (end ? (size_t)(end - c) : strlen(c)) - 6};
        c = end ? end + 1 : NULL;
    }
    return TW_STR("types match");
}

/* TypesMatchWith(from->to:how): a type computed from another. */
static bool types_match_with(ir_op *op, tw_str rule)
{
    tw_str args = {rule.data + 15, rule.size - 16};
    const char *arrow = memmem(args.data, args.size, "->", 2);
    const char *colon = memchr(args.data, ':', args.size);
    tw_str how = {colon + 1, (size_t)(args.data + args.size - colon - 1)};
    ir_type from = named_type(op, (tw_str){args.data, (size_t)(arrow - args.data)});
    ir_type to = named_type(op, (tw_str){arrow + 2, (size_t)(colon - arrow - 2)});
    ir_type want = !from                             ? NULL
                   : tw_str_is(how, "same")          ? from
                   : tw_str_is(how, "element-type")  ? ir_type_element(from)
                   : tw_str_is(how, "i1-same-shape") ? ir_type_i1_like(from)
                   : tw_str_is(how, "lvalue-value-type") && from->kind == IR_TYPE_DIALECT &&
                           from->count
                       ? from->params[0]->type
                       : NULL;
    if (!want || !to || want == to)
        return true;
    tw_str text = rule_message(op->def, rule);
    return ir_op_error(op, "failed to verify that %.*s", (int)text.size, text.data);
}

static bool check_parent(ir_op *op, tw_str names)
{
    const ir_op *parent = ir_op_parent(op);
    if (!parent || (parent->def->traits & IR_UNREGISTERED))
        return true;
    for (const char *c = names.data, *end = c + names.size; c < end;) {
        const char *comma = memchr(c, ',', (size_t)(end - c)), *stop = comma ? comma : end;
        if (!memchr(c, '.', (size_t)(stop - c)) ||
            tw_str_is((tw_str){c, (size_t)(stop - c)}, parent->def->name))
            return true;
        for (c = stop; c < end && (*c == ',' || *c == ' ');)
            c++;
    }
    bool several = memchr(names.data, ',', names.size);
    return ir_op_error(op, "expects parent op %s'%.*s'", several ? "to be one of " : "",
                       (int)names.size, names.data);
}

/* Of casts: a dynamic size must not become static, either. */
static bool check_tensor_dims(ir_op *op)
{
    ir_type in = op->n_operands ? op->operands[0].value->type : NULL;
    ir_type out = op->n_results ? op->results[0].type : NULL;
    if (!in || !out || in->kind != IR_TYPE_TENSOR || out->kind != IR_TYPE_TENSOR)
        return true;
    bool same =
        in->count == out->count &&
        (!in->count || memcmp(in->dims, out->dims, in->count * sizeof *in->dims) == 0);
    return same || ir_op_error(op, "failed to verify that input and output have the same "
                                   "tensor dimensions");
}

static bool equal_shape(ir_type a, ir_type b)
{
    return !ir_type_is_ranked(a) || !ir_type_is_ranked(b) ||
           (a->count == b->count &&
            (!a->count || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0));
}

/* AllMatch(a,b,c): lists of the same length. */
static bool check_lengths(ir_op *op, tw_str names)
{
    uint32_t first = 0, n = 0;
    for (const char *c = names.data, *end = c + names.size; c < end; n++) {
        const char *comma = memchr(c, ',', (size_t)(end - c)), *stop = comma ? comma : end;
        ir_attr list = ir_op_attr_str(op, (tw_str){c, (size_t)(stop - c)});
        uint32_t length = list ? list->count : 0;
        if (n && length != first) {
            tw_strbuf text = {0};
            put_names(&text, names);
            ir_op_error(op, "failed to verify that all of {%s} have same size",
                        tw_strbuf_text(&text));
            tw_strbuf_free(&text);
            return false;
        }
        first = length;
        c = stop + 1;
    }
    return true;
}

/* Of a select: one bit for all, or one for each element. */
static bool check_condition(ir_op *op)
{
    ir_type by = named_type(op, TW_STR("condition"));
    ir_type of = named_type(op, TW_STR("result"));
    return !by || !of || ir_type_is_signless(by, 1) ||
           (ir_type_is_shaped(by) && ir_type_is_shaped(of) &&
            ir_type_is_ranked(by) == ir_type_is_ranked(of) && equal_shape(by, of)) ||
           ir_op_error(op, "failed to verify that condition is signless i1 or has matching "
                           "shape");
}

/* The types of a variadic group; false if no group of that name is one. */
static bool named_list(const ir_op *op, tw_str name, size_t *out_start, size_t *out_count,
                       bool *out_operands)
{
    for (uint32_t i = 0; i < op->def->operands.count; i++)
        if (op->def->operands.at[i].arity == IR_VARIADIC &&
            tw_str_is(name, op->def->operands.at[i].name)) {
            *out_operands = true;
            return ir_op_operand_group(op, i, out_start, out_count);
        }
    for (uint32_t i = 0; i < op->def->results.count; i++)
        if (op->def->results.at[i].arity == IR_VARIADIC &&
            tw_str_is(name, op->def->results.at[i].name)) {
            *out_operands = false;
            return ir_op_result_group(op, i, out_start, out_count);
        }
    return false;
}

/* True if two lists agree type by type, or are not both lists. */
static bool lists_match(const ir_op *op, tw_str a, tw_str b)
{
    size_t from[2] = {0, 0}, count[2] = {0, 0};
    bool operands[2];
    if (!named_list(op, a, &from[0], &count[0], &operands[0]) ||
        !named_list(op, b, &from[1], &count[1], &operands[1]))
        return true;
    bool same = count[0] == count[1];
    for (size_t i = 0; same && i < count[0]; i++)
        same = value_type(op, from[0] + i + (operands[0] ? 0 : op->n_operands)) ==
               value_type(op, from[1] + i + (operands[1] ? 0 : op->n_operands));
    return same;
}

static bool check_rule(ir_op *op, tw_str rule)
{
    static const struct {
        const char *name, *what;
        bool (*agree)(ir_type, ir_type);
    } table[] = {{"AllTypesMatch(", "type", equal_type},
                 {"AllShapesMatch(", "shape", equal_shape},
                 {"AllElementTypesMatch(", "element type", same_element},
                 {"AllRanksMatch(", "rank", equal_rank}};
    for (size_t k = 0; k < TW_COUNT(table); k++) {
        size_t n = strlen(table[k].name);
        if (rule.size <= n || strncmp(rule.data, table[k].name, n) != 0)
            continue;
        tw_str args = {rule.data + n, rule.size - n - 1};
        ir_type first = NULL;
        tw_str head = {0};
        const char *c = args.data, *end = c + args.size;
        while (c < end) {
            const char *comma = memchr(c, ',', (size_t)(end - c));
            const char *stop = comma ? comma : end;
            while (c < stop && *c == ' ')
                c++;
            tw_str name = {c, (size_t)(stop - c)};
            ir_type t = named_type(op, name);
            head = head.data ? head : name;
            if ((t && first && !table[k].agree(first, t)) ||
                (k == 0 && !lists_match(op, head, name))) {
                tw_strbuf names = {0};
                put_names(&names, args);
                ir_op_error(op, "failed to verify that all of {%s} have same %s",
                            tw_strbuf_text(&names), table[k].what);
                tw_strbuf_free(&names);
                return false;
            }
            first = first ? first : t;
            c = stop + 1;
        }
    }
    if (tw_str_is(rule, "pred:SameInputOutputTensorDims"))
        return check_tensor_dims(op);
    if (tw_str_is(rule, "pred:BooleanConditionOrMatchingShape"))
        return check_condition(op);
    if (rule.size > 16 && strncmp(rule.data, "TypesMatchWith(", 15) == 0)
        return types_match_with(op, rule);
    if (rule.size > 9 && strncmp(rule.data, "AllMatch(", 9) == 0)
        return check_lengths(op, (tw_str){rule.data + 9, rule.size - 10});
    if (rule.size > 10 && strncmp(rule.data, "HasParent(", 10) == 0)
        return check_parent(op, (tw_str){rule.data + 10, rule.size - 11});
    return true;
}

static bool check_rules(ir_op *op)
{
    for (const char *c = op->def->rules; c && *c;) {
        const char *end = strchr(c, ';');
        size_t n = end ? (size_t)(end - c) : strlen(c);
        if (!check_rule(op, (tw_str){c, n}))
            return false;
        c = end ? end + 1 : NULL;
    }
    return true;
}

bool ir_check_shape_traits(ir_op *op)
{
    return check_traits(op) && check_broadcastable(op) &&
           (!(op->def->traits & IR_ELEMENTWISE) || check_elementwise(op)) &&
           (!(op->def->traits & IR_SAME_TYPE) || check_same_types(op));
}

/* Rows of StableHLO list the trait of compatible types before those of shapes, some casts
 * the one that their types may be cast: the verifiers of both check shapes themselves. */
bool ir_check_traits(ir_op *op)
{
    const uint64_t shapes = IR_ELEMENTWISE | IR_SAME_SHAPE;
    bool later = (op->def->traits & shapes) && op->def->interfaces &&
                 (strstr(op->def->interfaces, "HLO_CompatibleOperandsAndResultType") ||
                  (op->def->verify && is_cast(op->def)));
    return check_rules(op) && (later || ir_check_shape_traits(op));
}
