/* linalg_syntax.c: the hand-written text of generic, yield and the named operations (map,
 * reduce, transpose and broadcast are in linalg_dims_syntax.c). */
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/shared/group_syntax.h"

/* ---- operands ----------------------------------------------------------------------- */

bool linalg_parse_ins_outs(ir_parser *p, ir_parsed_op *op, int32_t sizes[2])
{
    static const char *const words[] = {"ins", "outs"};
    for (int i = 0; i < 2; i++) {
        sizes[i] = 0;
        if (ir_at_keyword(p, words[i]) &&
            !ir_parse_operand_group(p, op, words[i], &sizes[i]))
            return false;
    }
    return !p->failed;
}

void linalg_put_ins_outs(ir_printer *p, const ir_op *op, size_t n_inputs)
{
    if (n_inputs)
        ir_put_operand_group(p, op, " ins", 0, n_inputs);
    if (op->n_operands > n_inputs)
        ir_put_operand_group(p, op, " outs", n_inputs, op->n_operands - n_inputs);
}

void linalg_add_tensor_results(ir_parser *p, ir_parsed_op *op, uint32_t first_output)
{
    for (uint32_t i = first_output; i < op->n_operands; i++)
        if (ir_type_is_tensor(op->operands[i]->type))
            ir_add_result(p, op, op->operands[i]->type);
}

static size_t n_inputs_of(const ir_op *op)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, 0, &start, &count);
    return count;
}

/* ---- generic ---------------------------------------------------------------------------
 *
 * dictionary [ins] outs [ "attrs" "=" dictionary ] region [ "->" types ] */

/* ["parallel", ...] as #linalg.iterator_type attributes */
static ir_attr iterators_from_text(ir_parser *p, const char *at, ir_attr words)
{
    if (words->kind != IR_ATTR_ARRAY)
        return words;
    ir_attr *items = ir_scratch(p, (words->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < words->count; i++) {
        items[i] = words->items[i];
        if (items[i]->kind != IR_ATTR_STRING)
            continue;
        tw_str word = ir_attr_str(items[i]);
        const ir_enum_case *kind = ir_enum_by_text(&linalg_enum_IteratorType, word);
        if (!kind) {
            ir_fail_own(p, at, "unexpected iterator_type (%.*s)", (int)word.size,
                        word.data);
            return NULL;
        }
        ir_attr value = ir_raw_int(p->ctx, kind->value);
        items[i] = ir_dialect_attr(p->ctx, LINALG_ATTR(iterator_type), &value, 1);
    }
    return ir_array_attr(p->ctx, items, words->count);
}

static bool add_entries(ir_parser *p, ir_parsed_op *op, const char *at,
                        const ir_named_attr *entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ir_attr value = entries[i].value;
        if (strcmp(entries[i].name->text, "iterator_types") == 0 &&
            !(value = iterators_from_text(p, at, value)))
            return false;
        ir_attr_list_add(p, &op->attrs, entries[i].name, value);
    }
    return true;
}

void linalg_generic_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr_list extra = {0};
    ir_type_list results = {0};
    int32_t sizes[2];
    const char *at = p->tok.at;
    ir_attr trait = ir_parse_an_attr(p, NULL);
    if (!trait)
        return;
    if (trait->kind != IR_ATTR_DICT) {
        ir_fail_own(p, at, "expected a dictionary attribute or its alias");
        return;
    }
    if (!add_entries(p, op, at, trait->entries, trait->count) ||
        !linalg_parse_ins_outs(p, op, sizes))
        return;
    ir_add_operand_segments(p, op, sizes, 2);
    if (ir_accept_keyword(p, "attrs") &&
        (!ir_expect_punct(p, '=') || !ir_parse_attr_dict(p, &extra) ||
         !add_entries(p, op, at, extra.at, extra.count)))
        return;
    if (ir_parse_op_region(p, op, NULL, 0) && ir_accept_arrow_types(p, &results))
        ir_add_results(p, op, &results);
}

static const char *const trait_names[] = {"doc", "indexing_maps", "iterator_types",
                                          "library_call"};

static void put_iterators(ir_printer *p, ir_attr items)
{
    ir_putc(p, '[');
    for (uint32_t i = 0; i < items->count; i++) {
        const ir_enum_case *kind = items->items[i]->kind == IR_ATTR_DIALECT
                                       ? ir_enum_by_value(&linalg_enum_IteratorType,
                                                          items->items[i]->params[0]->value)
                                       : NULL;
        ir_putf(p, "%s\"%s\"", i ? ", " : "", kind ? kind->text : "<<UNKNOWN>>");
    }
    ir_putc(p, ']');
}

void linalg_generic_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"doc", "indexing_maps", "iterator_types",
                                         "library_call", "operandSegmentSizes"};
    const char *separator = " {";
    for (size_t i = 0; i < TW_COUNT(trait_names); i++) {
        ir_attr value = ir_op_attr(op, trait_names[i]);
        if (!value)
            continue;
        ir_putf(p, "%s%s = ", separator, trait_names[i]);
        if (i == 2 && value->kind == IR_ATTR_ARRAY)
            put_iterators(p, value);
        else
            ir_put_attr(p, value);
        separator = ", ";
    }
    ir_putc(p, '}');
    linalg_put_ins_outs(p, op, n_inputs_of(op));
    if (op->attrs && op->attrs->count) {
        ir_put(p, " attrs = ");
        ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    ir_put_arrow_results(p, op);
}

/* The region's arguments are in, in_0, ..., out, ... */
void linalg_generic_names(ir_printer *p, ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    size_t inputs = n_inputs_of(op);
    for (uint32_t i = 0; body && i < body->n_args; i++)
        ir_name_value(p, body->args[i], i < inputs ? "in" : "out");
}

/* ---- named operations ------------------------------------------------------------------
 *
 * [ "kind" "=" attr ] [ "indexing_maps" "=" array ] attr-dict [ins] outs [ "->" types ];
 * the body is implied */

static bool has_attr(const ir_parsed_op *op, const char *name)
{
    for (uint32_t i = 0; i < op->attrs.count; i++)
        if (strcmp(op->attrs.at[i].name->text, name) == 0)
            return true;
    return false;
}

/* Adds the default maps if the text has none. */
static void add_default_maps(ir_parser *p, ir_parsed_op *op)
{
    ir_type last = op->n_operands ? op->operands[op->n_operands - 1]->type : NULL;
    ir_attr maps = has_attr(op, "indexing_maps")
                       ? NULL
                       : linalg_default_maps(p->ctx, op->def, op->n_operands, last);
    if (maps)
        ir_add_attr(p, op, "indexing_maps", maps);
}

void linalg_named_parse(ir_parser *p, ir_parsed_op *op)
{
    int32_t sizes[2];
    ir_type_list results = {0};
    op->no_defaults = true;
    if (op->def == LINALG_OP(elementwise)) {
        ir_attr kind;
        if (!ir_expect_keyword(p, "kind") || !ir_expect_punct(p, '=') ||
            !(kind = ir_parse_an_attr(p, NULL)))
            return;
        ir_add_attr(p, op, "kind", kind);
    }
    if (ir_accept_keyword(p, "indexing_maps")) {
        ir_attr maps;
        if (!ir_expect_punct(p, '=') || !(maps = ir_parse_an_attr(p, NULL)))
            return;
        ir_add_attr(p, op, "indexing_maps", maps);
    }
    if (!ir_parse_op_attr_dict(p, op) || !linalg_parse_ins_outs(p, op, sizes))
        return;
    ir_add_operand_segments(p, op, sizes, 2);
    add_default_maps(p, op);
    if (!ir_accept_arrow_types(p, &results))
        return;
    ir_add_results(p, op, &results);
    ir_add_empty_region(p, op);
    linalg_build_body(p, op, op->regions[0]);
}

static ir_attr default_maps_of(const ir_op *op)
{
    uint32_t n = op->n_operands;
    return linalg_default_maps(op->ctx, op->def, n,
                               n ? ir_op_operand(op, n - 1)->type : NULL);
}

void linalg_named_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"operandSegmentSizes", "indexing_maps",
                                         "linalg.memoized_indexing_maps", "kind"};
    bool has_kind = op->def == LINALG_OP(elementwise);
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    if (has_kind) {
        ir_put(p, " kind=");
        ir_put_attr(p, ir_op_attr(op, "kind"));
    }
    if (maps && maps != default_maps_of(op)) {
        ir_put(p, " indexing_maps = ");
        ir_put_attr(p, maps);
    }
    ir_put_op_attr_dict(p, op, elided, has_kind ? 4 : 3);
    linalg_put_ins_outs(p, op, n_inputs_of(op));
    ir_put_arrow_results(p, op);
}

/* ---- yield: attr-dict [ ssa-list ":" types ] ---------------------------------------- */

void linalg_yield_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    if (!ir_parse_op_attr_dict(p, op))
        return;
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses))
        return;
    if (uses.count && (!ir_expect_punct(p, ':') || !ir_parse_type_list(p, &types)))
        return;
    ir_add_operands(p, op, &uses, types.at, types.count, at);
}

void linalg_yield_print(ir_printer *p, ir_op *op)
{
    ir_put_op_attr_dict(p, op, NULL, 0);
    if (!op->n_operands)
        return;
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put(p, " : ");
    ir_put_operand_types(p, op, 0, op->n_operands);
}
