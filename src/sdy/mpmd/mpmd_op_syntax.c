/* mpmd_op_syntax.c: the text of mpmd's operations.
 *
 *   named_computation = "<" origin ">" call-region
 *   fragment      = "<" placement [ "," "stage" "=" int ] [ "," "in_shardings" "="
 * shardings ] [ "," "out_shardings" "=" shardings ] ">" call-region fragment_call = "<"
 * placement ">" symbol "(" [ ssa , ... ] ")" dict ":" fn-type for           = "(" [ ssa ,
 * ... ] ")" dict "(" [ arg , ... ] ")" region ":" types placement     = "mesh" "=" str ","
 * "origin" "=" "[" [ origin , ... ] "]" origin        = str [ "(" int ")" ] call-region   =
 * "(" [ ssa , ... ] ")" dict "(" [ arg , ... ] ")" region ":" fn-type */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"

/* ---- placement ---------------------------------------------------------------------- */

static ir_attr parse_origin(ir_parser *p)
{
    tw_str name;
    int64_t count = 0;
    if (!ir_parse_string(p, &name))
        return NULL;
    if (ir_accept_punct(p, '(') && !(ir_parse_int(p, &count) && ir_expect_punct(p, ')')))
        return NULL;
    ir_attr params[] = {ir_string_attr(p->ctx, name), ir_raw_int(p->ctx, count)};
    return ir_dialect_attr(p->ctx, MPMD_ATTR(user_origin), params, TW_COUNT(params));
}

static void put_origin(ir_printer *p, ir_attr origin)
{
    ir_put_quoted(p, ir_attr_str(origin->params[0]));
    if (origin->params[1]->value)
        ir_putf(p, "(%lld)", (long long)origin->params[1]->value);
}

typedef struct attr_items {
    ir_attr *at;
    uint32_t count, capacity;
} attr_items;

static bool add_item(ir_parser *p, attr_items *list, ir_attr item)
{
    if (item && list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 8;
        ir_attr *bigger = ir_scratch(p, capacity * sizeof *bigger);
        if (list->count)
            memcpy(bigger, list->at, list->count * sizeof *bigger);
        list->at = bigger;
        list->capacity = capacity;
    }
    if (item)
        list->at[list->count++] = item;
    return item != NULL;
}

static bool origin_item(ir_parser *p, void *list)
{
    return add_item(p, list, parse_origin(p));
}

static bool parse_placement(ir_parser *p, ir_parsed_op *op)
{
    attr_items origins = {0};
    tw_str mesh;
    if (!ir_expect_keyword(p, "mesh") || !ir_expect_punct(p, '=') ||
        !ir_parse_string(p, &mesh) || !ir_expect_punct(p, ',') ||
        !ir_expect_keyword(p, "origin") || !ir_expect_punct(p, '=') ||
        !ir_parse_list(p, "[]", origin_item, &origins))
        return false;
    ir_add_attr(p, op, "mesh_name", ir_string_attr(p->ctx, mesh));
    ir_add_attr(p, op, "origin", ir_array_attr(p->ctx, origins.at, origins.count));
    return true;
}

static void put_placement(ir_printer *p, const ir_op *op)
{
    ir_attr origins = ir_op_attr(op, "origin");
    ir_put(p, "<mesh=");
    ir_put_quoted(p, ir_attr_str(ir_op_attr(op, "mesh_name")));
    ir_put(p, ", origin=[");
    for (uint32_t i = 0; i < origins->count; i++) {
        if (i)
            ir_put(p, ", ");
        put_origin(p, origins->items[i]);
    }
    ir_putc(p, ']');
}

/* ---- operands, dictionary, region, types -------------------------------------------- */

static bool parse_operands(ir_parser *p, ir_ssa_list *out)
{
    return ir_expect_punct(p, '(') && ir_parse_ssa_list(p, out) && ir_expect_punct(p, ')');
}

static bool parse_region(ir_parser *p, ir_parsed_op *op)
{
    ir_arg_list args = {0};
    return ir_parse_arg_list(p, &args) && ir_parse_op_region(p, op, args.at, args.count);
}

static bool parse_types(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *operands)
{
    ir_type_list inputs = {0}, results = {0};
    if (!ir_expect_punct(p, ':'))
        return false;
    const char *at = p->tok.at;
    if (!ir_parse_fn_type(p, &inputs, &results) ||
        !ir_add_operands(p, op, operands, inputs.at, inputs.count, at))
        return false;
    ir_add_results(p, op, &results);
    return true;
}

static void parse_call_region(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list operands = {0};
    if (parse_operands(p, &operands) && ir_parse_op_attr_dict(p, op) && parse_region(p, op))
        parse_types(p, op, &operands);
}

static void put_operands(ir_printer *p, const ir_op *op)
{
    ir_putc(p, '(');
    ir_put_values(p, op->operands, op->n_operands);
    ir_putc(p, ')');
}

static void put_region(ir_printer *p, ir_op *op)
{
    ir_block *entry = ir_op_body(op, 0);
    ir_put(p, " (");
    for (uint32_t i = 0; entry && i < entry->n_args; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_arg(p, entry->args[i], NULL, true);
    }
    ir_put(p, ") ");
    ir_put_region(p, &op->regions[0], false, true);
}

static void put_call_region(ir_printer *p, ir_op *op, const char *const *elided, size_t n)
{
    ir_putc(p, ' ');
    put_operands(p, op);
    ir_put_op_attr_dict(p, op, elided, n);
    put_region(p, op);
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

/* ---- operations --------------------------------------------------------------------- */

void mpmd_named_computation_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr origin;
    if (!ir_expect_punct(p, '<') || !(origin = parse_origin(p)) || !ir_expect_punct(p, '>'))
        return;
    ir_add_attr(p, op, "origin", origin);
    parse_call_region(p, op);
}

void mpmd_named_computation_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"origin"};
    ir_putc(p, '<');
    put_origin(p, ir_op_attr(op, "origin"));
    ir_putc(p, '>');
    put_call_region(p, op, elided, TW_COUNT(elided));
}

static bool sharding_item(ir_parser *p, void *list)
{
    return add_item(p, list, ir_parse_stripped_attr(p, SDY_ATTR(sharding)));
}

static bool parse_fragment_part(ir_parser *p, ir_parsed_op *op)
{
    static const char *const names[] = {"in_shardings", "out_shardings"};
    int64_t stage;
    if (ir_accept_keyword(p, "stage")) {
        if (!ir_expect_punct(p, '=') || !ir_parse_int(p, &stage))
            return false;
        ir_add_attr(p, op, "stage_id", ir_i64_attr(p->ctx, stage));
        return true;
    }
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        attr_items list = {0};
        if (!ir_accept_keyword(p, names[i]))
            continue;
        if (!ir_expect_punct(p, '=') || !ir_parse_list(p, "[]", sharding_item, &list))
            return false;
        ir_attr all = ir_array_attr(p->ctx, list.at, list.count);
        ir_add_attr(p, op, names[i],
                    ir_dialect_attr(p->ctx, SDY_ATTR(sharding_per_value), &all, 1));
        return true;
    }
    return ir_fail_here(p, "expected 'stage', 'in_shardings' or 'out_shardings'");
}

void mpmd_fragment_parse(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_expect_punct(p, '<') || !parse_placement(p, op))
        return;
    while (ir_accept_punct(p, ','))
        if (!parse_fragment_part(p, op))
            return;
    if (ir_expect_punct(p, '>'))
        parse_call_region(p, op);
}

static void put_shardings(ir_printer *p, const ir_op *op, const char *name)
{
    ir_attr per_value = ir_op_attr(op, name);
    if (!per_value)
        return;
    ir_attr all = per_value->params[0];
    ir_putf(p, ", %s=[", name);
    for (uint32_t i = 0; all && i < all->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_stripped_attr(p, all->items[i]);
    }
    ir_putc(p, ']');
}

void mpmd_fragment_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"mesh_name", "origin", "stage_id", "in_shardings",
                                         "out_shardings"};
    ir_attr stage = ir_op_attr(op, "stage_id");
    put_placement(p, op);
    if (stage)
        ir_putf(p, ", stage=%lld", (long long)stage->value);
    put_shardings(p, op, "in_shardings");
    put_shardings(p, op, "out_shardings");
    ir_putc(p, '>');
    put_call_region(p, op, elided, TW_COUNT(elided));
}

void mpmd_fragment_call_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list operands = {0};
    ir_attr callee;
    if (!ir_expect_punct(p, '<') || !parse_placement(p, op) || !ir_expect_punct(p, '>') ||
        !ir_parse_symbol_name(p, &callee) || !parse_operands(p, &operands) ||
        !ir_parse_op_attr_dict(p, op))
        return;
    ir_add_attr(p, op, "callee", ir_symbol_ref(p->ctx, ir_attr_str(callee)));
    parse_types(p, op, &operands);
}

void mpmd_fragment_call_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"mesh_name", "origin", "callee"};
    put_placement(p, op);
    ir_put(p, "> ");
    ir_put_symbol(p, ir_symbol_leaf(ir_op_attr(op, "callee")));
    put_operands(p, op);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

void mpmd_for_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list operands = {0};
    ir_type_list types = {0};
    const char *at = p->tok.at;
    if (!parse_operands(p, &operands) || !ir_parse_op_attr_dict(p, op) ||
        !parse_region(p, op) || !ir_expect_punct(p, ':') ||
        (operands.count && !ir_parse_type_list(p, &types)) ||
        !ir_add_operands(p, op, &operands, types.at, types.count, at))
        return;
    ir_add_results(p, op, &types);
}

void mpmd_for_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    put_operands(p, op);
    ir_put_op_attr_dict(p, op, NULL, 0);
    put_region(p, op);
    ir_put(p, " : ");
    ir_put_result_types(p, op, 0, op->n_results);
}

void mpmd_for_names(ir_printer *p, ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    if (body && body->n_args)
        ir_name_value(p, body->args[body->n_args - 1], "index");
}
