/* parse_op.c: reads operations in generic and custom form. */
#include "ir/text/format.h"
#include "ir/text/parse_impl.h"

#include <stdlib.h>

/* ---- helpers ------------------------------------------------------------------------ */

bool ir_parse_ssa(ir_parser *p, ir_ssa_use *out)
{
    if (p->tok.kind != IR_TOK_VALUE)
        return ir_fail_here(p, "expected SSA operand");
    *out = (ir_ssa_use){{p->tok.at + 1, p->tok.size - 1}, 0, p->tok.at};
    ir_next(p);
    /* `%a#1`: the lexer sees a # identifier */
    if (p->tok.kind == IR_TOK_HASH && p->tok.size > 1 && p->tok.at[1] >= '0' &&
        p->tok.at[1] <= '9' && p->tok.at == out->name.data + out->name.size) {
        uint64_t number = 0;
        for (uint32_t i = 1; i < p->tok.size; i++) {
            if (p->tok.at[i] < '0' || p->tok.at[i] > '9' || number > UINT32_MAX / 16)
                return ir_fail_here(p, "invalid SSA value result number");
            number = number * 10 + (uint64_t)(p->tok.at[i] - '0');
        }
        out->number = (uint32_t)number;
        ir_next(p);
    }
    return true;
}

bool ir_accept_ssa(ir_parser *p, ir_ssa_use *out)
{
    return p->tok.kind == IR_TOK_VALUE && ir_parse_ssa(p, out);
}

void ir_ssa_list_add(ir_parser *p, ir_ssa_list *list, ir_ssa_use use)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, use);
}

bool ir_parse_ssa_list(ir_parser *p, ir_ssa_list *out)
{
    if (p->tok.kind != IR_TOK_VALUE)
        return !p->failed;
    do {
        ir_ssa_use use;
        if (!ir_parse_ssa(p, &use))
            return false;
        ir_ssa_list_add(p, out, use);
    } while (ir_accept_punct(p, ','));
    return true;
}

void ir_type_list_add(ir_parser *p, ir_type_list *list, ir_type type)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, type);
}

bool ir_parse_type_list(ir_parser *p, ir_type_list *out)
{
    do {
        ir_type type = ir_parse_a_type(p);
        if (!type)
            return false;
        ir_type_list_add(p, out, type);
    } while (ir_accept_punct(p, ','));
    return true;
}

static bool parse_types_or_parens(ir_parser *p, ir_type_list *out)
{
    if (ir_accept_punct(p, '(')) {
        if (ir_accept_punct(p, ')'))
            return true;
        return ir_parse_type_list(p, out) && ir_expect_punct(p, ')');
    }
    ir_type type = ir_parse_a_type(p);
    if (type)
        ir_type_list_add(p, out, type);
    return type != NULL;
}

bool ir_parse_arrow_types(ir_parser *p, ir_type_list *out)
{
    return ir_expect_arrow(p) && parse_types_or_parens(p, out);
}

bool ir_accept_arrow_types(ir_parser *p, ir_type_list *out)
{
    return !ir_accept_arrow(p) ? !p->failed : parse_types_or_parens(p, out);
}

bool ir_parse_fn_type(ir_parser *p, ir_type_list *inputs, ir_type_list *results)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (!ir_accept_punct(p, ')') &&
        (!ir_parse_type_list(p, inputs) || !ir_expect_punct(p, ')')))
        return false;
    if (p->tok.kind != IR_TOK_ARROW)
        return ir_fail_here(p, "expected '->' in function type");
    return ir_parse_arrow_types(p, results);
}

void ir_add_result(ir_parser *p, ir_parsed_op *op, ir_type type)
{
    PUSH_SCRATCH(p, op->results, op->n_results, op->results_capacity, type);
}

void ir_add_results(ir_parser *p, ir_parsed_op *op, const ir_type_list *types)
{
    for (uint32_t i = 0; i < types->count; i++)
        ir_add_result(p, op, types->at[i]);
}

void ir_add_attr(ir_parser *p, ir_parsed_op *op, const char *name, ir_attr value)
{
    ir_attr_list_add(p, &op->attrs, ir_ident_from(p->ctx, name), value);
}

void ir_add_operand_value(ir_parser *p, ir_parsed_op *op, ir_value *value)
{
    PUSH_SCRATCH(p, op->operands, op->n_operands, op->operands_capacity, value);
}

void ir_add_made_operand(ir_parser *p, ir_parsed_op *op, ir_op *maker)
{
    ir_block_append(p->scopes->into, maker);
    ir_add_operand_value(p, op, ir_op_result(maker, 0));
}

bool ir_add_operand(ir_parser *p, ir_parsed_op *op, ir_ssa_use use, ir_type type)
{
    ir_value *value = ir_resolve(p, use, type);
    if (value)
        PUSH_SCRATCH(p, op->operands, op->n_operands, op->operands_capacity, value);
    return value != NULL;
}

bool ir_fail_counts(ir_parser *p, const char *at, size_t operands, size_t types)
{
    return ir_fail_own(p, at,
                       "number of operands and types do not match: got %zu operands and "
                       "%zu types",
                       operands, types);
}

bool ir_add_operands(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses,
                     const ir_type *types, size_t n_types, const char *at)
{
    if (uses->count != n_types)
        return ir_fail_counts(p, at, uses->count, n_types);
    for (uint32_t i = 0; i < uses->count; i++)
        if (!ir_add_operand(p, op, uses->at[i], types[i]))
            return false;
    return true;
}

/* Errors in a dictionary's inherent attributes are reported at its beginning: it may be
 * lines below the operation's name. */
static bool check_dict(ir_parser *p, const ir_parsed_op *op, uint32_t from, const char *at)
{
    for (uint32_t i = from; i < op->attrs.count; i++)
        for (uint32_t k = 0; k < op->def->attrs.count; k++) {
            const ir_attr_use *use = &op->def->attrs.at[k];
            const ir_named_attr *a = &op->attrs.at[i];
            const char *how = strcmp(use->name, a->name->text) == 0
                                  ? ir_attr_use_breaks(use, a->value)
                                  : NULL;
            if (how)
                return ir_fail(p, at,
                               "'%s' op attribute '%s' failed to satisfy constraint: %s%s",
                               op->def->name, use->name,
                               use->type->text ? use->type->text : use->type->name, how);
        }
    return true;
}

bool ir_parse_op_attr_dict(ir_parser *p, ir_parsed_op *op)
{
    const char *at = p->tok.at;
    uint32_t from = op->attrs.count;
    if (!ir_at_punct(p, '{'))
        return true;
    return ir_parse_attr_dict(p, &op->attrs) &&
           (!op->def->attrs.count || check_dict(p, op, from, at));
}

bool ir_parse_op_attr_dict_keyword(ir_parser *p, ir_parsed_op *op)
{
    return !ir_accept_keyword(p, "attributes") ? !p->failed
                                               : ir_parse_attr_dict(p, &op->attrs);
}

/* ---- generic form ------------------------------------------------------------------- */

static bool parse_generic_successors(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '['))
        return true;
    do {
        ir_block *block;
        if (!ir_parse_successor(p, &block))
            return false;
        PUSH_SCRATCH(p, op->successors, op->n_successors, op->successors_capacity, block);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ']');
}

/* <{ ... }>: names the row does not know are dropped, as MLIR does. */
static bool parse_properties(ir_parser *p, ir_parsed_op *op, ir_attr_list *out)
{
    ir_attr_list props = {0};
    if (!ir_accept_punct(p, '<'))
        return true;
    if (!ir_parse_attr_dict(p, &props))
        return false;
    *out = props;
    for (uint32_t i = 0; i < props.count; i++)
        if ((op->def->traits & IR_UNREGISTERED) ||
            ir_def_prop_index(op->def, ir_ident_str(props.at[i].name)) != SIZE_MAX)
            ir_attr_list_add(p, &op->attrs, props.at[i].name, props.at[i].value);
    return ir_expect_punct(p, '>');
}

static bool must_be_integer(ir_parser *p, const ir_parsed_op *op, const ir_attr_use *use,
                            ir_attr all)
{
    const char *dot = strchr(op->def->name, '.');
    const ir_dialect *dialect =
        ir_context_dialect(p->ctx, (tw_str){op->def->name, (size_t)(dot - op->def->name)});
    const char *cls = use->type->enumeration->name, *in = dialect->name_space;
    tw_strbuf or = {0};
    for (uint32_t i = 0; i < dialect->attrs.count; i++)
        if (dialect->attrs.at[i].enumeration == use->type->enumeration)
            tw_strbuf_printf(& or, "::mlir::%s::%sAttr or ", in, cls);
    ir_fail(p, op->at,
            "invalid properties %s for op %s: expected %sIntegerAttr storage for "
            "::mlir::%s::%s",
            ir_attr_text(p->ctx, all), op->def->name, tw_strbuf_text(& or), in, cls);
    tw_strbuf_free(& or);
    return false;
}

/* Properties have fixed classes; the verifier checks further conditions. */
static bool check_properties(ir_parser *p, const ir_parsed_op *op,
                             const ir_attr_list *props)
{
    const ir_op_def *def = op->def;
    for (uint32_t k = 0; props->count && k < def->attrs.count; k++)
        for (uint32_t i = 0; i < props->count; i++) {
            const ir_attr_use *use = &def->attrs.at[k];
            if (!tw_str_is(ir_ident_str(props->at[i].name), use->name) ||
                ir_attr_fits_storage(props->at[i].value, use->type))
                continue;
            ir_attr all = ir_dict_attr(p->ctx, props->at, props->count);
            if (use->type->is_number)
                return must_be_integer(p, op, use, all);
            return ir_fail(p, op->at,
                           "invalid properties %s for op %s: Invalid attribute `%s` in "
                           "property conversion: %s",
                           ir_attr_text(p->ctx, all), def->name, use->name,
                           ir_attr_text(p->ctx, props->at[i].value));
        }
    return true;
}

/* Group sizes are integer properties: always present, whether in the text or not. */
static bool resolve_segments(ir_parser *p, ir_parsed_op *op, const ir_attr_list *props,
                             bool operands)
{
    const ir_op_def *def = op->def;
    uint32_t groups = operands ? def->operands.count : def->results.count;
    const char *name = operands ? "operandSegmentSizes" : "resultSegmentSizes";
    ir_attr given = NULL, *slot = NULL;
    for (uint32_t i = 0; i < props->count; i++)
        if (tw_str_is(ir_ident_str(props->at[i].name), name))
            given = props->at[i].value;
    bool fits = !given || (given->kind == IR_ATTR_DENSE_ARRAY &&
                           ir_type_is_signless(given->type, 32));
    if (given && (!fits || given->count != groups)) {
        tw_strbuf why = {0};
        tw_strbuf_printf(&why,
                         fits ? "size mismatch in attribute conversion: %u vs %u"
                              : "expected DenseI32ArrayAttr for key `value`",
                         given->count, groups);
        ir_attr all = ir_dict_attr(p->ctx, props->at, props->count);
        ir_fail(p, op->at, "invalid properties %s for op %s: %s", ir_attr_text(p->ctx, all),
                def->name, tw_strbuf_text(&why));
        tw_strbuf_free(&why);
        return false;
    }
    for (uint32_t i = 0; i < op->attrs.count; i++)
        if (tw_str_is(ir_ident_str(op->attrs.at[i].name), name))
            slot = &op->attrs.at[i].value;
    if (slot && (*slot)->kind == IR_ATTR_DENSE_ARRAY &&
        ir_type_is_signless((*slot)->type, 32) && (*slot)->count == groups)
        return true;
    int64_t none[64] = {0};
    ir_attr zeros = ir_dense_i32_array(p->ctx, none, TW_MIN(groups, TW_COUNT(none)));
    if (slot)
        *slot = zeros;
    else
        ir_add_attr(p, op, name, zeros);
    return true;
}

static bool resolve_all_segments(ir_parser *p, ir_parsed_op *op, const ir_attr_list *props)
{
    uint64_t traits = op->def->traits;
    if (!(traits & (IR_OPERAND_SEGMENTS | IR_RESULT_SEGMENTS)) ||
        !ir_def_uses_properties(p->ctx, op->def))
        return true;
    return (!(traits & IR_OPERAND_SEGMENTS) || resolve_segments(p, op, props, true)) &&
           (!(traits & IR_RESULT_SEGMENTS) || resolve_segments(p, op, props, false));
}

static bool parse_generic_regions(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '('))
        return true;
    do
        if (!ir_parse_op_region(p, op, NULL, 0))
            return false;
    while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

/* (inputs) -> results.  Operations of one name mostly have the same types, so the text is
 * first compared with the last one's; it ends in a bracket, after which no further token
 * could belong to it. */
static bool parse_types_of_op(ir_parser *p, const ir_op_def *def, ir_type_list *inputs,
                              ir_type_list *results)
{
    known_types *known = &p->scopes->known[((uintptr_t)def >> 6) % KNOWN_TYPES];
    const char *at = p->tok.at;
    if (known->def == def && (size_t)(p->end - at) >= known->text.size &&
        memcmp(at, known->text.data, known->text.size) == 0) {
        uint32_t n = known->n_inputs;
        *inputs = (ir_type_list){known->types, n, n};
        *results = (ir_type_list){n ? known->types + n : known->types, known->n_results,
                                  known->n_results};
        ir_lex_at(p, at + known->text.size);
        return true;
    }
    if (!ir_parse_fn_type(p, inputs, results))
        return false;
    const char *end = p->tok.at;
    while (end > at && (end[-1] == ' ' || end[-1] == '\n'))
        end--;
    if (end[-1] != '>' && end[-1] != ')')
        return true;
    known->def = def;
    known->text = (tw_str){at, (size_t)(end - at)};
    known->n_inputs = inputs->count;
    known->n_results = results->count;
    if (known->capacity < inputs->count + results->count) {
        known->capacity = inputs->count + results->count;
        known->types = tw_arena_alloc(ir_context_arena(p->ctx),
                                      known->capacity * sizeof *known->types);
    }
    if (inputs->count)
        memcpy(known->types, inputs->at, inputs->count * sizeof *known->types);
    if (results->count)
        memcpy(known->types + inputs->count, results->at,
               results->count * sizeof *known->types);
    return true;
}

static bool parse_generic(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    ir_attr_list props = {0};
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, ')'))
        return false;
    if (!parse_generic_successors(p, op) || !parse_properties(p, op, &props) ||
        !parse_generic_regions(p, op) ||
        (ir_at_punct(p, '{') && !ir_parse_attr_dict(p, &op->attrs)))
        return false;
    if (!ir_accept_punct(p, ':'))
        return ir_fail_here(p, "expected ':' followed by operation type");
    const char *type_at = p->tok.at;
    if (!ir_at_punct(p, '(')) {
        ir_type type = ir_parse_a_type(p);
        if (!type)
            return false;
        if (type->kind != IR_TYPE_FUNCTION)
            return ir_fail(p, type_at, "expected function type");
        for (uint32_t i = 0; i < type->count; i++)
            ir_type_list_add(p, &inputs, type->types[i]);
        for (uint32_t i = 0; i < type->results; i++)
            ir_type_list_add(p, &results, type->types[type->count + i]);
    } else if (!parse_types_of_op(p, op->def, &inputs, &results)) {
        return false;
    }
    if (uses.count != inputs.count)
        return ir_fail(p, type_at, "expected %u operand type%s but had %u", uses.count,
                       uses.count == 1 ? "" : "s", inputs.count);
    op->results = results.at;
    op->n_results = results.count;
    op->results_capacity = results.capacity;
    for (uint32_t i = 0; i < uses.count; i++)
        if (!ir_add_operand(p, op, uses.at[i], inputs.at[i]))
            return false;
    return check_properties(p, op, &props) && resolve_all_segments(p, op, &props);
}

/* ---- one operation ------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void note_dialects(ir_parser *p)
{
    size_t n = ir_context_dialect_count(p->ctx);
    const char **names = tw_xmalloc(n * sizeof *names);
    tw_strbuf text = {0};
    for (size_t i = 0; i < n; i++)
        names[i] = ir_context_dialect_at(p->ctx, i)->name;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        tw_strbuf_printf(&text, "%s%s", i ? ", " : "", names[i]);
    ir_note(p->ctx, ir_loc_at(p, p->tok.at), "Registered dialects: %s",
            tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    free(names);
}

static void unknown_custom_op(ir_parser *p, tw_str name, tw_str full)
{
    const char *dot = memchr(full.data, '.', full.size);
    tw_str dialect = {full.data, dot ? (size_t)(dot - full.data) : full.size};
    if (!ir_context_dialect(p->ctx, dialect)) {
        ir_fail(p, p->tok.at, "Dialect `%.*s' not found for custom op '%.*s' ",
                (int)dialect.size, dialect.data, (int)name.size, name.data);
        if (!p->quiet)
            note_dialects(p);
    } else if (full.size == name.size)
        ir_fail_here(p, "custom op '%.*s' is unknown", (int)name.size, name.data);
    else
        ir_fail_here(p, "custom op '%.*s' is unknown (tried '%.*s' as well)",
                     (int)name.size, name.data, (int)full.size, full.data);
    if (!p->quiet)
        ir_help_op_name(p->ctx, full);
}

static const ir_op_def *custom_def(ir_parser *p)
{
    char buffer[256];
    tw_str name = ir_tok_str(p), full = name;
    if (!memchr(name.data, '.', name.size)) {
        const char *dialect = p->scopes->default_dialect;
        dialect = dialect ? dialect : "builtin";
        size_t n = strlen(dialect);
        if (n + 1 + name.size < sizeof buffer) {
            memcpy(buffer, dialect, n);
            buffer[n] = '.';
            memcpy(buffer + n + 1, name.data, name.size);
            full = (tw_str){buffer, n + 1 + name.size};
        }
    }
    const ir_op_def *def = ir_context_op_def(p->ctx, full);
    if (!def)
        unknown_custom_op(p, name, full);
    else if (!def->format) {
        ir_fail_here(p, "op '%s' has no custom form; write it as \"%s\"(...)", def->name,
                     def->name);
        return NULL;
    }
    return def;
}

static const ir_op_def *generic_def(ir_parser *p)
{
    tw_str name;
    ir_token token = p->tok;
    if (!ir_parse_string(p, &name))
        return NULL;
    if (name.size == 0) {
        ir_fail(p, token.at, "empty operation name is invalid");
        return NULL;
    }
    if (memchr(name.data, 0, name.size)) {
        ir_fail(p, token.at, "null character not allowed in operation name");
        return NULL;
    }
    const ir_op_def *def = ir_context_op_def_or_unregistered(p->ctx, name);
    if ((def->traits & IR_UNREGISTERED) && !ir_context_allows_unregistered(p->ctx)) {
        const char *dot = memchr(name.data, '.', name.size);
        tw_str dialect = {name.data, dot ? (size_t)(dot - name.data) : 0};
        if (!dot || !ir_context_dialect(p->ctx, dialect)) {
            ir_fail(
                p, p->tok.at,
                "operation being parsed with an unregistered dialect. If this is intended, "
                "please use -allow-unregistered-dialect with the MLIR tool used");
            ir_help_op_name(p->ctx, name);
            return NULL;
        }
    }
    return def;
}

static void add_implicit_terminators(ir_parser *p, ir_parsed_op *op)
{
    tw_str terminator;
    if (op->n_regions == 0 ||
        !ir_def_rule(op->def, "SingleBlockImplicitTerminator", &terminator))
        return;
    const ir_op_def *def = ir_context_op_def(p->ctx, terminator);
    for (uint32_t i = 0; def && i < op->n_regions; i++)
        if (op->regions[i]->first)
            ir_ensure_terminator(p, op->regions[i], def, op->loc);
}

static ir_op *finish_op(ir_parser *p, ir_parsed_op *parsed)
{
    ir_op *op = ir_op_create(p->ctx, &(ir_op_state){.def = parsed->def,
                                                    .loc = parsed->loc,
                                                    .operands = parsed->operands,
                                                    .n_operands = parsed->n_operands,
                                                    .results = parsed->results,
                                                    .n_results = parsed->n_results,
                                                    .attrs = parsed->attrs.at,
                                                    .n_attrs = parsed->attrs.count,
                                                    .successors = parsed->successors,
                                                    .n_successors = parsed->n_successors,
                                                    .n_regions = parsed->n_regions,
                                                    .no_defaults = parsed->no_defaults});
    for (uint32_t i = 0; i < parsed->n_regions; i++)
        ir_region_take(&op->regions[i], parsed->regions[i]);
    return op;
}

typedef void op_parse_fn(ir_parser *p, ir_parsed_op *op);

/* The hook that reads an operation's custom form; NULL: by its format. */
static op_parse_fn *hand_written(ir_parser *p, const ir_op_def *def)
{
    if (def->parse || strncmp(def->format, "`(`", 3) != 0 || ir_at_punct(p, '('))
        return def->parse;
    const ir_dialect *d = ir_context_dialect_of(p->ctx, tw_str_from(def->name));
    return d ? d->parse_bare : NULL;
}

/* An operation without the result names on its left. */
static ir_op *parse_bare_operation(ir_parser *p, uint32_t n_named)
{
    scratch_mark mark = ir_mark_scratch(p->scopes);
    ir_parsed_op parsed = {
        .at = p->tok.at, .loc = ir_loc_at(p, p->tok.at), .n_named = n_named};
    const ir_op_def *around = p->custom_op;
    bool ok = false;
    if (p->tok.kind == IR_TOK_STRING) {
        p->custom_op = NULL;
        parsed.def = generic_def(p);
        ok = parsed.def && parse_generic(p, &parsed);
        p->custom_op = around;
    } else if (p->tok.kind == IR_TOK_BARE_ID) {
        parsed.def = custom_def(p);
        if (parsed.def) {
            ir_next(p);
            p->custom_op = parsed.def;
            op_parse_fn *parse = hand_written(p, parsed.def);
            if (parse)
                parse(p, &parsed);
            ok = parse ? !p->failed : ir_parse_op_format(p, &parsed);
            p->custom_op = around;
            if (ok)
                add_implicit_terminators(p, &parsed);
        }
    } else {
        ir_fail_here(p, "expected operation name in quotes");
    }
    if (!ok || p->failed) {
        p->failed = true;
        return NULL; /* regions read so far are freed with the context */
    }
    ir_op *op = finish_op(p, &parsed);
    ir_release_scratch(p->scopes, mark);
    if (!ir_parse_trailing_loc(p, &op->loc, true))
        return NULL;
    return op;
}

typedef struct result_name {
    tw_str name;
    const char *at;
    uint32_t count;
} result_name;

static bool parse_result_names(ir_parser *p, result_name *few, size_t max,
                               result_name **out, size_t *out_count, uint32_t *total)
{
    result_name *names = few;
    size_t count = 0;
    uint32_t capacity = (uint32_t)max;
    *total = 0;
    do {
        ir_ssa_use use;
        int64_t n = 1;
        if (!ir_parse_ssa(p, &use))
            return false;
        if (ir_accept_punct(p, ':')) {
            const char *digits = p->tok.at;
            if (p->tok.kind != IR_TOK_INTEGER)
                return ir_fail_here(p, "expected integer number of results");
            if (!ir_parse_int(p, &n))
                return false;
            if (n < 1 || n > 1 << 20)
                return ir_fail(p, digits,
                               "expected named operation to have at least 1 result");
        }
        if (count == capacity)
            names = ir_grow_scratch(p, names, &capacity, sizeof *names);
        names[count++] = (result_name){use.name, use.at, (uint32_t)n};
        *total += (uint32_t)n;
    } while (ir_accept_punct(p, ','));
    *out = names;
    *out_count = count;
    return ir_expect_punct(p, '=');
}

ir_op *ir_parse_operation(ir_parser *p, ir_block *into)
{
    enum { FEW = 8 };
    result_name few[FEW], *names = few;
    size_t n_names = 0;
    uint32_t total = 0;
    const char *at = p->tok.at;
    if (p->tok.kind == IR_TOK_VALUE &&
        !parse_result_names(p, few, FEW, &names, &n_names, &total))
        return NULL;
    ir_block *outer = p->scopes->into;
    p->scopes->into = into;
    ir_op *op = parse_bare_operation(p, total);
    p->scopes->into = outer;
    if (!op)
        return NULL;
    if (into)
        ir_block_append(into, op);
    if (n_names == 0)
        return op;
    if (op->n_results == 0) {
        ir_fail(p, at, "cannot name an operation with no results");
        return NULL;
    }
    if (op->n_results != total) {
        ir_fail(p, at, "operation defines %u results but was provided %u to bind",
                op->n_results, total);
        return NULL;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < n_names; i++) {
        if (!ir_define(p, names[i].name, names[i].at, ir_op_result(op, next),
                       names[i].count))
            return NULL;
        next += names[i].count;
    }
    return op;
}
