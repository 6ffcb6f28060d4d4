/* directive_transform.c: the custom<Name>(...) directives of the transform dialect. */
#include "ir/text/directive_impl.h"

/* ---- types in short ----------------------------------------------------------------- */

/* type | "(" type ")" "->" ( type | "(" types ")" ): without an arrow the results are of
 * the operand's type. */
static bool parse_semi_function(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    bool arrow = ir_accept_punct(p, '(');
    ir_type operand = ir_parse_a_type(p), result = operand;
    ir_type_list results = {0};
    if (!operand)
        return false;
    dir_add_type(r, &d->args[0], operand);
    if (!arrow) {
        dir_add_type(r, &d->args[1], result);
        return true;
    }
    if (!ir_expect_punct(p, ')') || !ir_parse_arrow_types(p, &results))
        return false;
    for (uint32_t i = 0; i < results.count; i++)
        dir_add_type(r, &d->args[1], results.at[i]);
    return true;
}

static void print_semi_function(op_writing *w, const dir *d)
{
    size_t results = dir_count_of(w, &d->args[1]);
    if (results)
        ir_putc(w->p, '(');
    ir_put_type(w->p, dir_type_of(w, &d->args[0], 0));
    if (!results)
        return;
    ir_put(w->p, results > 1 ? ") -> (" : ") -> ");
    for (size_t i = 0; i < results; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_type(w->p, dir_type_of(w, &d->args[1], i));
    }
    if (results > 1)
        ir_putc(w->p, ')');
}

/* "(" type ")" "->" type: all results are of that type. */
static bool parse_shared_result(op_reading *r, const dir *d)
{
    ir_type_list inputs = {0}, results = {0};
    const char *at = r->p->tok.at;
    if (!ir_parse_fn_type(r->p, &inputs, &results))
        return false;
    if (inputs.count != 1 || results.count != 1)
        return ir_fail(r->p, at,
                       "expects a trailing functional type with one argument and "
                       "one result");
    dir_add_type(r, &d->args[0], inputs.at[0]);
    for (uint32_t i = 1; i < d->n_args; i++)
        dir_add_type(r, &d->args[i], results.at[0]);
    return true;
}

static void print_shared_result(op_writing *w, const dir *d)
{
    ir_putc(w->p, '(');
    ir_put_type(w->p, dir_type_of(w, &d->args[0], 0));
    ir_put(w->p, ") -> ");
    ir_put_type(w->p, dir_type_of(w, &d->args[1], 0));
}

/* ---- matching of dimensions --------------------------------------------------------- */

/* "all" | "except" "(" int , ... ")" | int , ...   (list, inverted, all) */
static bool parse_match_dims(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    ir_dims dims = {0};
    bool all = ir_accept_keyword(p, "all"), inverted = ir_accept_keyword(p, "except");
    int64_t value;
    if (inverted && !ir_expect_punct(p, '('))
        return false;
    while (!all) {
        if (!ir_parse_int(p, &value))
            return false;
        ir_dims_add(p, &dims, value);
        if (!ir_accept_punct(p, ','))
            break;
    }
    if (inverted && !ir_expect_punct(p, ')'))
        return false;
    dir_set_attr(r, &d->args[0], ir_dense_i64_array(p->ctx, dims.at, dims.count));
    if (inverted)
        dir_set_attr(r, &d->args[1], ir_unit_attr(p->ctx));
    if (all)
        dir_set_attr(r, &d->args[2], ir_unit_attr(p->ctx));
    return !p->failed;
}

static void print_match_dims(op_writing *w, const dir *d)
{
    ir_attr dims = dir_attr_of(w, &d->args[0]);
    bool inverted = dir_attr_of(w, &d->args[1]);
    if (dir_attr_of(w, &d->args[2])) {
        ir_put(w->p, "all");
        return;
    }
    if (inverted)
        ir_put(w->p, "except(");
    for (uint32_t i = 0; dims && i < dims->count; i++)
        ir_putf(w->p, "%s%lld", i ? ", " : "", (long long)ir_dense_array_int(dims, i));
    if (inverted)
        ir_putc(w->p, ')');
}

/* ---- foreach_match: symbol "->" symbol , ... ---------------------------------------- */

static bool parse_match_symbols(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    ir_items matchers = {0}, actions = {0};
    do {
        ir_attr matcher = ir_parse_an_attr(p, NULL), action;
        if (!matcher || !ir_expect_arrow(p) || !(action = ir_parse_an_attr(p, NULL)))
            return false;
        ir_items_add(p, &matchers, matcher);
        ir_items_add(p, &actions, action);
    } while (ir_accept_punct(p, ','));
    dir_set_attr(r, &d->args[0], ir_array_attr(p->ctx, matchers.at, matchers.count));
    dir_set_attr(r, &d->args[1], ir_array_attr(p->ctx, actions.at, actions.count));
    return !p->failed;
}

static void print_match_symbols(op_writing *w, const dir *d)
{
    ir_attr matchers = dir_attr_of(w, &d->args[0]), actions = dir_attr_of(w, &d->args[1]);
    w->p->indent += 4;
    for (uint32_t i = 0; i < matchers->count && i < actions->count; i++) {
        ir_put_newline(w->p);
        ir_put_attr(w->p, matchers->items[i]);
        ir_put(w->p, " -> ");
        ir_put_attr(w->p, actions->items[i]);
        if (i + 1 < matchers->count)
            ir_put(w->p, ", ");
    }
    w->p->indent -= 4;
}

/* ---- omitted parts: sequences in TTL's form have no failures, arguments or types.  They
 * are read as MLIR writes them: failures(propagate), a block whose argument is the module,
 * all handles of type !transform.any_op. */

#define ROOT_NAME "the root" /* cannot collide with a value name in text */

static ir_type any_op(ir_parser *p)
{
    return ir_dialect_type(p->ctx, ir_type_def_find(p->ctx, TW_STR("transform.any_op")),
                           NULL, 0);
}

/* Body of a sequence without a header. */
static bool parse_short_sequence(op_reading *r, const dir *failures)
{
    ir_parser *p = r->p;
    ir_parsed_arg root = {.name = {.name = TW_STR(ROOT_NAME), .at = p->tok.at},
                          .type = any_op(p),
                          .loc = ir_loc_at(p, p->tok.at)};
    dir_set_attr(r, failures, ir_i32_attr(p->ctx, 1)); /* propagate */
    return ir_parse_op_region(p, r->op, &root, 1);
}

/* Without types the target has its known type, and so has the result. */
static bool use_known_type(op_reading *r, const dir *d, ir_ssa_use use)
{
    ir_parser *p = r->p;
    group_state *target = dir_group(r, &d->args[0]);
    ir_value *v = ir_find_value(p, use);
    if (!v)
        return ir_fail(p, use.at,
                       "the type of '%%%.*s' is not known yet: write the types behind ':'",
                       (int)use.name.size, use.name.data);
    ir_ssa_list_add(p, &target->uses, use);
    ir_type_list_add(p, &target->types, v->type);
    dir_add_type(r, &d->args[2], v->type);
    return true;
}

/* "in" ssa attr-dict [ ":" "(" type ")" "->" type ]   |   nothing: in the module */
static bool parse_match_target(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *target = dir_group(r, &d->args[0]);
    ir_ssa_use use = {.name = TW_STR(ROOT_NAME), .at = p->tok.at};
    ir_type_list inputs = {0}, results = {0};
    target->named = target->typed = true;
    target->at = p->tok.at;
    if (!ir_at_keyword(p, "in") && ir_find_value(p, use)) {
        ir_ssa_list_add(p, &target->uses, use);
        ir_type_list_add(p, &target->types, any_op(p));
        dir_add_type(r, &d->args[2], any_op(p));
        return true;
    }
    const char *at;
    if (!ir_expect_keyword(p, "in") || !ir_parse_ssa(p, &use) ||
        !ir_parse_op_attr_dict(p, r->op))
        return false;
    if (!ir_at_punct(p, ':'))
        return use_known_type(r, d, use);
    ir_next(p);
    at = p->tok.at;
    if (!ir_parse_fn_type(p, &inputs, &results))
        return false;
    if (inputs.count != 1)
        return ir_fail_counts(p, at, 1, inputs.count);
    ir_ssa_list_add(p, &target->uses, use);
    ir_type_list_add(p, &target->types, inputs.at[0]);
    for (uint32_t i = 0; i < results.count; i++)
        dir_add_type(r, &d->args[2], results.at[i]);
    return true;
}

static void print_match_target(op_writing *w, const dir *d)
{
    static const char *const elided[] = {"ops", "interface", "op_attrs",
                                         "filter_result_type", "filter_operand_types"};
    ir_put(w->p, "in ");
    ir_put_operands(w->p, w->op, 0, 1);
    ir_put_op_attr_dict(w->p, w->op, elided, TW_COUNT(elided));
    ir_put(w->p, " : (");
    ir_put_operand_types(w->p, w->op, 0, 1);
    ir_put(w->p, ") -> ");
    ir_put_type(w->p, dir_type_of(w, &d->args[2], 0));
}

static bool parse_numbers(op_reading *r, const dir *arg)
{
    ir_dims dims = {0};
    ir_parser *p = r->p;
    int64_t value;
    if (!ir_expect_punct(p, '['))
        return false;
    while (!ir_at_punct(p, ']')) {
        if (!ir_parse_int(p, &value))
            return false;
        ir_dims_add(p, &dims, value);
        if (!ir_accept_punct(p, ','))
            break;
    }
    dir_set_attr(r, arg, ir_dense_i64_array(p->ctx, dims.at, dims.count));
    return ir_expect_punct(p, ']');
}

/* "with" "[" [ ssa , ... ":" type , ... ] "]" "within" ints "and" ints attr-dict ":" type
 * | nothing: no bounds but those of loops */
static bool parse_bounds(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *values = dir_group(r, &d->args[0]);
    values->named = values->typed = true;
    values->at = p->tok.at;
    if (!ir_accept_keyword(p, "with")) {
        for (uint32_t i = 2; i < 4; i++)
            dir_set_attr(r, &d->args[i], ir_dense_i64_array(p->ctx, NULL, 0));
        dir_add_type(r, &d->args[4], any_op(p));
        return true;
    }
    if (!ir_expect_punct(p, '['))
        return false;
    if (!ir_at_punct(p, ']') &&
        (!ir_parse_ssa_list(p, &values->uses) || !ir_expect_punct(p, ':') ||
         !ir_parse_type_list(p, &values->types)))
        return false;
    if (!ir_expect_punct(p, ']') || !ir_expect_keyword(p, "within") ||
        !parse_numbers(r, &d->args[2]) || !ir_expect_keyword(p, "and") ||
        !parse_numbers(r, &d->args[3]) || !ir_parse_op_attr_dict(p, r->op))
        return false;
    ir_type type = ir_parse_colon_type(p);
    if (type)
        dir_add_type(r, &d->args[4], type);
    return type;
}

static void print_ints(op_writing *w, const dir *arg)
{
    ir_attr list = dir_attr_of(w, arg);
    ir_putc(w->p, '[');
    for (uint32_t i = 0; list && i < list->count; i++) {
        ir_put(w->p, i ? ", " : "");
        ir_put_int(w->p, ir_dense_array_int(list, i));
    }
    ir_putc(w->p, ']');
}

static void print_bounds(op_writing *w, const dir *d)
{
    static const char *const elided[] = {"lower_bounds", "upper_bounds"};
    uint32_t n = w->op->n_operands;
    ir_put(w->p, "with[");
    if (n > 1) {
        ir_put_operands(w->p, w->op, 1, n - 1);
        ir_put(w->p, " : ");
        ir_put_operand_types(w->p, w->op, 1, n - 1);
    }
    ir_put(w->p, "] within ");
    print_ints(w, &d->args[2]);
    ir_put(w->p, " and ");
    print_ints(w, &d->args[3]);
    ir_put_op_attr_dict(w->p, w->op, elided, TW_COUNT(elided));
    ir_put(w->p, " : ");
    ir_put_operand_types(w->p, w->op, 0, 1);
}

/* ---- sequence: [ root [ "," extra , ... ] ":" ( type | "(" types ")" ) ] */

static bool parse_sequence(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *root = dir_group(r, &d->args[0]), *extra = dir_group(r, &d->args[2]);
    ir_ssa_use use;
    ir_type_list types = {0};
    const char *at = p->tok.at;
    root->named = extra->named = root->typed = extra->typed = true;
    root->at = extra->at = at;
    if (ir_at_punct(p, '{'))
        return parse_short_sequence(r, &d->args[4]);
    if (!ir_accept_ssa(p, &use))
        return !p->failed && (ir_at_keyword(p, "failures") || p->tok.kind == IR_TOK_ARROW ||
                              ir_expect_keyword(p, "failures"));
    ir_ssa_list_add(p, &root->uses, use);
    while (ir_accept_punct(p, ',')) {
        if (!ir_parse_ssa(p, &use))
            return false;
        ir_ssa_list_add(p, &extra->uses, use);
    }
    if (!ir_expect_punct(p, ':'))
        return false;
    bool parens = ir_accept_punct(p, '(');
    if (!ir_parse_type_list(p, &types) || (parens && !ir_expect_punct(p, ')')))
        return false;
    if (types.count != extra->uses.count + 1)
        return ir_fail(p, at, "expected types to be provided for all operands");
    ir_type_list_add(p, &root->types, types.at[0]);
    for (uint32_t i = 1; i < types.count; i++)
        ir_type_list_add(p, &extra->types, types.at[i]);
    return true;
}

static void print_sequence(op_writing *w, const dir *d)
{
    ir_op *op = w->op;
    (void)d;
    if (!op->n_operands)
        return;
    ir_put_operands(w->p, op, 0, op->n_operands);
    ir_put(w->p, op->n_operands > 1 ? " : (" : " : ");
    ir_put_operand_types(w->p, op, 0, op->n_operands);
    if (op->n_operands > 1)
        ir_putc(w->p, ')');
}

/* ---- options of a pass: "{" key "=" value , ... "}" -------------------------------------
 *
 * value = attr | ssa | "[" value , ... "]"; an ssa becomes #transform.param_operand<index =
 * i> of the dynamic options. */

static bool parse_option(op_reading *r, group_state *g, ir_attr *out)
{
    ir_parser *p = r->p;
    ir_ssa_use use;
    if (ir_accept_ssa(p, &use)) {
        ir_attr index = ir_i64_attr(p->ctx, g->uses.count);
        const ir_attr_def *def =
            ir_attr_def_find(p->ctx, TW_STR("transform.param_operand"));
        ir_ssa_list_add(p, &g->uses, use);
        *out = ir_dialect_attr(p->ctx, def, &index, 1);
        return true;
    }
    if (ir_at_punct(p, '[')) {
        ir_items items = {0};
        ir_attr item;
        ir_next(p);
        while (!ir_at_punct(p, ']')) {
            if (!parse_option(r, g, &item))
                return false;
            ir_items_add(p, &items, item);
            if (!ir_accept_punct(p, ','))
                break;
        }
        *out = ir_array_attr(p->ctx, items.at, items.count);
        return ir_expect_punct(p, ']');
    }
    *out = ir_parse_an_attr(p, NULL);
    return *out != NULL;
}

static bool parse_pass_options(op_reading *r, const dir *d)
{
    ir_parser *p = r->p;
    group_state *g = dir_group(r, &d->args[1]);
    ir_attr_list list = {0};
    g->named = true;
    g->at = p->tok.at;
    if (!ir_expect_punct(p, '{'))
        return false;
    while (!ir_at_punct(p, '}')) {
        tw_str key;
        ir_attr value;
        const char *at = p->tok.at;
        if (!ir_parse_keyword_or_string(p, &key) || !ir_expect_punct(p, '=') ||
            !parse_option(r, g, &value))
            return false;
        for (uint32_t i = 0; i < list.count; i++)
            if (tw_str_equal(ir_ident_str(list.at[i].name), key))
                return ir_fail(p, at, "duplicate option '%.*s'", (int)key.size, key.data);
        ir_attr_list_add(p, &list, ir_ident_get(p->ctx, key), value);
        if (!ir_accept_punct(p, ','))
            break;
    }
    dir_set_attr(r, &d->args[0], ir_dict_attr(p->ctx, list.at, list.count));
    return ir_expect_punct(p, '}');
}

static void put_option(op_writing *w, const dir *d, ir_attr value)
{
    size_t start = 0, count = 0;
    bool operand = value->kind == IR_ATTR_DIALECT &&
                   strcmp(value->def->mnemonic, "transform.param_operand") == 0;
    if (value->kind == IR_ATTR_ARRAY) {
        ir_putc(w->p, '[');
        for (uint32_t i = 0; i < value->count; i++) {
            if (i)
                ir_put(w->p, ", ");
            put_option(w, d, value->items[i]);
        }
        ir_putc(w->p, ']');
        return;
    }
    ir_op_operand_group(w->op, (size_t)d->args[1].var, &start, &count);
    uint64_t index = operand ? (uint64_t)value->params[0]->value : UINT64_MAX;
    if (operand && index < count)
        ir_put_value(w->p, ir_op_operand(w->op, start + index));
    else
        ir_put_attr(w->p, value);
}

static void print_pass_options(op_writing *w, const dir *d)
{
    ir_attr options = dir_attr_of(w, &d->args[0]);
    ir_putc(w->p, '{');
    for (uint32_t i = 0; options && i < options->count; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_quoted(w->p, ir_ident_str(options->entries[i].name));
        ir_put(w->p, " = ");
        put_option(w, d, options->entries[i].value);
    }
    ir_putc(w->p, '}');
}

const custom_directive ir_transform_directives[] = {
    {"BoundedValues", parse_bounds, print_bounds},
    {"ApplyRegisteredPassOptions", parse_pass_options, print_pass_options},
    {"ContinuousTileSizeTypes", parse_shared_result, print_shared_result},
    {"ForeachMatchSymbols", parse_match_symbols, print_match_symbols},
    {"MatchTarget", parse_match_target, print_match_target},
    {"MultitileSizesTypes", parse_shared_result, print_shared_result},
    {"SemiFunctionType", parse_semi_function, print_semi_function},
    {"SequenceOpOperands", parse_sequence, print_sequence},
    {"TransformMatchDims", parse_match_dims, print_match_dims},
    {0},
};
