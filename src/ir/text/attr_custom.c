/* attr_custom.c: the custom<Name>(...) directives of attribute and type formats. */
#include "ir/text/attr_format.h"
#include "ir/text/text_impl.h"

static const ir_param_def *param_def(const ir_attr_directive *d, uint32_t i)
{
    return &d->defs[d->args[i]];
}

static ir_attr int_array(ir_parser *p, const int64_t *values, size_t count)
{
    ir_attr *items = ir_scratch(p, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_raw_int(p->ctx, values[i]);
    return ir_array_attr(p->ctx, items, count);
}

/* ---- ttcore, ttnn: dimension lists and coordinates ------------------------------- */

static bool parse_dimension_list(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_dims dims = {0};
    if (!ir_parse_dims(p, &dims, false, false))
        return false;
    params[d->args[0]] = int_array(p, dims.at, dims.count);
    return true;
}

static void print_dimension_list(ir_printer *p, const ir_attr_directive *d,
                                 const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (i)
            ir_putc(p, 'x');
        ir_put_int(p, list->items[i]->value);
    }
}

/* One integer for each argument. */
static bool parse_varg_dimension_list(ir_parser *p, const ir_attr_directive *d,
                                      ir_attr *params)
{
    ir_dims dims = {0};
    const char *at = p->tok.at;
    if (!ir_parse_dims(p, &dims, false, false))
        return false;
    if (dims.count != d->n_args)
        return ir_fail(p, at, "expected %u dimensions, got %u", d->n_args, dims.count);
    for (uint32_t i = 0; i < d->n_args; i++)
        params[d->args[i]] = ir_raw_int(p->ctx, dims.at[i]);
    return true;
}

static void print_varg_dimension_list(ir_printer *p, const ir_attr_directive *d,
                                      const ir_attr *params)
{
    for (uint32_t i = 0; i < d->n_args; i++) {
        if (i)
            ir_putc(p, 'x');
        ir_put_int(p, params[d->args[i]]->value);
    }
}

/* "(" int "," int ")": the two parameters of the coordinate, as declared. */
static bool parse_coord(ir_parser *p, const ir_param_def *def, ir_attr *out)
{
    int64_t a, b;
    const ir_attr_def *row = ir_attr_def_find(p->ctx, tw_str_from(def->of ? def->of : ""));
    if (!row)
        return ir_fail_here(p, "unknown coordinate attribute for '%s'", def->name);
    if (!ir_expect_punct(p, '(') || !ir_parse_int(p, &a) || !ir_expect_punct(p, ',') ||
        !ir_parse_int(p, &b) || !ir_expect_punct(p, ')'))
        return false;
    *out = ir_dialect_attr(p->ctx, row,
                           (ir_attr[]){ir_raw_int(p->ctx, a), ir_raw_int(p->ctx, b)}, 2);
    return true;
}

static bool parse_coord_bracket_style(ir_parser *p, const ir_attr_directive *d,
                                      ir_attr *params)
{
    return parse_coord(p, param_def(d, 0), &params[d->args[0]]);
}

static void print_coord_bracket_style(ir_printer *p, const ir_attr_directive *d,
                                      const ir_attr *params)
{
    ir_attr coord = params[d->args[0]];
    ir_putf(p, "(%lld,%lld)", (long long)coord->params[0]->value,
            (long long)coord->params[1]->value);
}

typedef struct coords {
    const ir_param_def *def;
    ir_attr *at;
    uint32_t count, capacity;
} coords;

static bool coord_item(ir_parser *p, void *user)
{
    coords *list = user;
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    return parse_coord(p, list->def, &list->at[list->count++]);
}

static bool parse_core_coord_list(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    coords list = {.def = param_def(d, 0)};
    if (!ir_parse_list(p, "[]", coord_item, &list))
        return false;
    params[d->args[0]] = ir_array_attr(p->ctx, list.at, list.count);
    return true;
}

static void print_core_coord_list(ir_printer *p, const ir_attr_directive *d,
                                  const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    ir_putc(p, '[');
    for (uint32_t i = 0; list && i < list->count; i++)
        ir_putf(p, "%s(%lld, %lld)", i ? ", " : "",
                (long long)list->items[i]->params[0]->value,
                (long long)list->items[i]->params[1]->value);
    ir_putc(p, ']');
}

/* ---- stablehlo ------------------------------------------------------------------- */

static bool dim_item(ir_parser *p, void *user)
{
    ir_dims *dims = user;
    int64_t value = IR_DYNAMIC;
    if (!ir_accept_punct(p, '?') && !ir_parse_int(p, &value))
        return false;
    ir_dims_add(p, dims, value);
    return true;
}

static bool parse_dim_sizes(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_dims dims = {0};
    if (!ir_parse_list(p, "[]", dim_item, &dims))
        return false;
    params[d->args[0]] = int_array(p, dims.at, dims.count);
    return true;
}

static void put_dim(ir_printer *p, int64_t value)
{
    if (value == IR_DYNAMIC)
        ir_putc(p, '?');
    else
        ir_put_int(p, value);
}

static void print_dim_sizes(ir_printer *p, const ir_attr_directive *d,
                            const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    ir_putc(p, '[');
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (i)
            ir_put(p, ", ");
        put_dim(p, list->items[i]->value);
    }
    ir_putc(p, ']');
}

/* The same without brackets. */
static bool parse_bound_list(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_dims dims = {0};
    if (!ir_at_punct(p, '>') && !ir_parse_list(p, "", dim_item, &dims))
        return false;
    params[d->args[0]] = int_array(p, dims.at, dims.count);
    return true;
}

static void print_bound_list(ir_printer *p, const ir_attr_directive *d,
                             const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (i)
            ir_put(p, ", ");
        put_dim(p, list->items[i]->value);
    }
}

/* ---- sdy, mpmd ------------------------------------------------------------------- */

static bool parse_minus(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    (void)d, (void)params;
    return ir_expect_punct(p, '-');
}

static void print_minus(ir_printer *p, const ir_attr_directive *d, const ir_attr *params)
{
    (void)d, (void)params;
    ir_putc(p, '-');
}

static bool parse_mesh_or_ref(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_attr name;
    if (ir_accept_symbol_name(p, &name)) {
        params[d->args[0]] = ir_symbol_ref_nested(p->ctx, &name, 1);
        return true;
    }
    const ir_attr_def *mesh = ir_attr_def_find(p->ctx, TW_STR("sdy.mesh"));
    if (!ir_accept_keyword(p, "mesh") || !mesh)
        return ir_fail_here(p, "expected '@' or 'mesh'");
    params[d->args[0]] = ir_parse_stripped_attr(p, mesh);
    return params[d->args[0]] != NULL;
}

static void print_mesh_or_ref(ir_printer *p, const ir_attr_directive *d,
                              const ir_attr *params)
{
    ir_attr mesh = params[d->args[0]];
    if (mesh->kind == IR_ATTR_SYMBOL_REF) {
        ir_put_attr(p, mesh);
        return;
    }
    ir_put(p, "mesh");
    ir_put_stripped_attr(p, mesh);
}

/* "{" axis , ... "}" */
static bool parse_axes(ir_parser *p, const ir_param_def *def, ir_attr *out)
{
    if (!ir_expect_punct(p, '{'))
        return false;
    if (!ir_parse_param(p, def, false, out))
        return ir_fail_also(p, "failed to parse axis list which is expected to be an "
                               "`ArrayRef<AxisRefAttr>`");
    return ir_expect_punct(p, '}');
}

/* unreduced = ["sum" | "max" | "min"] axes */
static bool parse_unreduced(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    if (p->tok.kind == IR_TOK_BARE_ID) {
        int64_t op;
        if (!ir_parse_enum(p, param_def(d, 2)->enumeration, &op))
            return false;
        params[d->args[2]] = ir_raw_int(p->ctx, op);
    }
    return parse_axes(p, param_def(d, 1), &params[d->args[1]]);
}

static int64_t sum_case(const ir_attr_directive *d)
{
    const ir_enum_case *sum = ir_enum_by_text(param_def(d, 2)->enumeration, TW_STR("sum"));
    return sum ? sum->value : 0;
}

static bool parse_replicated_unreduced(ir_parser *p, const ir_attr_directive *d,
                                       ir_attr *params)
{
    while (ir_accept_punct(p, ',')) {
        const char *at = p->tok.at;
        bool ok, replicated = false;
        if (!params[d->args[0]] && (replicated = ir_accept_keyword(p, "replicated")))
            ok = ir_expect_punct(p, '=') &&
                 parse_axes(p, param_def(d, 0), &params[d->args[0]]);
        else if (!params[d->args[1]] && ir_accept_keyword(p, "unreduced"))
            ok = ir_accept_punct(p, '=')
                     ? parse_unreduced(p, d, params)
                     : parse_axes(p, param_def(d, 1), &params[d->args[1]]);
        else
            return ir_fail(p, at,
                           "failed to parse Sdy_TensorSharding, expected valid named axis "
                           "list after comma");
        if (!ok)
            return ir_fail_also(p, "failed to parse Sdy_TensorSharding parameter '%s'",
                                replicated ? "replicated_axes" : "unreduced_axes");
    }
    if (!params[d->args[2]])
        params[d->args[2]] = ir_raw_int(p->ctx, sum_case(d));
    return true;
}

static void print_replicated_unreduced(ir_printer *p, const ir_attr_directive *d,
                                       const ir_attr *params)
{
    ir_attr replicated = params[d->args[0]], unreduced = params[d->args[1]];
    if (replicated && replicated->count) {
        ir_put(p, ", replicated={");
        ir_put_param(p, param_def(d, 0), false, replicated);
        ir_putc(p, '}');
    }
    if (unreduced && unreduced->count) {
        int64_t op = ir_attr_int(params[d->args[2]], sum_case(d));
        ir_put(p, ", unreduced=");
        if (op != sum_case(d))
            ir_put_enum(p, param_def(d, 2)->enumeration, op);
        ir_putc(p, '{');
        ir_put_param(p, param_def(d, 1), false, unreduced);
        ir_putc(p, '}');
    }
}

/* "{" factor "=" size , ... "}", factors from i on with none skipped */
static bool parse_factor_sizes(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_dims sizes = {0};
    if (ir_accept_punct(p, '{')) {
        do {
            const char *at = p->tok.at;
            tw_str name;
            int64_t factor, size;
            if (!ir_parse_keyword(p, &name) || !ir_parse_factor(p, at, &name, &factor))
                return false;
            if (factor != sizes.count) {
                char wanted[24], found[24];
                return ir_fail(
                    p, at,
                    "expecting factor indices to be ordered like an iota "
                    "([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index "
                    "symbol '%s', received: '%s'",
                    ir_factor_text(sizes.count, wanted), ir_factor_text(factor, found));
            }
            if (name.size)
                return ir_fail(p, at, "expecting single factor symbol: %.*s",
                               (int)name.size, name.data);
            if (!ir_expect_punct(p, '=') || !ir_parse_int(p, &size))
                return false;
            ir_dims_add(p, &sizes, size);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, '}'))
            return false;
    }
    params[d->args[0]] = int_array(p, sizes.at, sizes.count);
    return true;
}

static void print_factor_sizes(ir_printer *p, const ir_attr_directive *d,
                               const ir_attr *params)
{
    ir_attr sizes = params[d->args[0]];
    for (uint32_t i = 0; sizes && i < sizes->count; i++) {
        ir_put(p, i ? ", " : " {");
        ir_put_factor(p, i);
        ir_putf(p, "=%lld", (long long)sizes->items[i]->value);
    }
    if (sizes && sizes->count)
        ir_putc(p, '}');
}

static bool parse_factors_with_type(ir_parser *p, const ir_attr_directive *d,
                                    ir_attr *params)
{
    ir_dims factors = {0};
    if (p->tok.kind == IR_TOK_BARE_ID && tw_str_equal(ir_tok_str(p), d->word)) {
        ir_next(p);
        if (!ir_expect_punct(p, '=') || !ir_expect_punct(p, '{'))
            return false;
        do {
            const char *at = p->tok.at;
            tw_str name;
            int64_t factor;
            if (!ir_parse_keyword(p, &name) || !ir_parse_factor(p, at, &name, &factor))
                return false;
            if (name.size)
                return ir_fail(p, at, "expected one factor");
            ir_dims_add(p, &factors, factor);
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, '}'))
            return false;
    }
    params[d->args[0]] = int_array(p, factors.at, factors.count);
    return true;
}

static void print_factors_with_type(ir_printer *p, const ir_attr_directive *d,
                                    const ir_attr *params)
{
    ir_attr factors = params[d->args[0]];
    if (!factors || !factors->count)
        return;
    ir_putc(p, ' ');
    ir_put_str(p, d->word);
    ir_put(p, "={");
    for (uint32_t i = 0; i < factors->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_factor(p, factors->items[i]->value);
    }
    ir_putc(p, '}');
}

static bool parse_is_custom_rule(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    bool custom = ir_accept_punct(p, ',');
    if (custom && !ir_expect_keyword(p, "custom"))
        return false;
    params[d->args[0]] = ir_raw_int(p->ctx, custom);
    return true;
}

static void print_is_custom_rule(ir_printer *p, const ir_attr_directive *d,
                                 const ir_attr *params)
{
    if (ir_attr_int(params[d->args[0]], 0))
        ir_put(p, ", custom");
}

static bool parse_transpose_count(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    int64_t count = 0;
    if (ir_accept_punct(p, '(') && (!ir_parse_int(p, &count) || !ir_expect_punct(p, ')')))
        return false;
    params[d->args[0]] = ir_raw_int(p->ctx, count);
    return true;
}

static void print_transpose_count(ir_printer *p, const ir_attr_directive *d,
                                  const ir_attr *params)
{
    int64_t count = ir_attr_int(params[d->args[0]], 0);
    if (count > 0)
        ir_putf(p, "(%lld)", (long long)count);
}

/* ---- vhlo ------------------------------------------------------------------------ */

static bool attr_item(ir_parser *p, void *user)
{
    ir_attr value = ir_parse_an_attr(p, NULL);
    if (value)
        ir_items_add(p, user, value);
    return value != NULL;
}

static bool parse_attribute_array(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_items list = {0};
    if (!ir_parse_list(p, "[]", attr_item, &list))
        return false;
    params[d->args[0]] = ir_array_attr(p->ctx, list.at, list.count);
    return true;
}

static void print_attribute_array(ir_printer *p, const ir_attr_directive *d,
                                  const ir_attr *params)
{
    ir_put_attr(p, params[d->args[0]]);
}

static bool pair_item(ir_parser *p, void *user)
{
    ir_attr pair[2];
    if (!(pair[0] = ir_parse_an_attr(p, NULL)) || !ir_expect_punct(p, '=') ||
        !(pair[1] = ir_parse_an_attr(p, NULL)))
        return false;
    ir_items_add(p, user, ir_array_attr(p->ctx, pair, 2));
    return true;
}

static bool parse_attribute_dictionary(ir_parser *p, const ir_attr_directive *d,
                                       ir_attr *params)
{
    ir_items list = {0};
    if (!ir_parse_list(p, "{}", pair_item, &list))
        return false;
    params[d->args[0]] = ir_array_attr(p->ctx, list.at, list.count);
    return true;
}

static void print_attribute_dictionary(ir_printer *p, const ir_attr_directive *d,
                                       const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    ir_putc(p, '{');
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_attr(p, list->items[i]->items[0]);
        ir_put(p, " = ");
        ir_put_attr(p, list->items[i]->items[1]);
    }
    ir_putc(p, '}');
}

static bool parse_escaped_string(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    tw_str text;
    if (!ir_parse_string(p, &text))
        return false;
    params[d->args[0]] = ir_string_attr(p->ctx, text);
    return true;
}

static void print_escaped_string(ir_printer *p, const ir_attr_directive *d,
                                 const ir_attr *params)
{
    ir_put_quoted(p, ir_attr_str(params[d->args[0]]));
}

/* "()" if empty, else types */
static bool parse_type_array(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_items list = {0};
    ir_type_list types = {0};
    if (ir_accept_punct(p, '(')) {
        if (!ir_expect_punct(p, ')'))
            return false;
    } else if (!ir_parse_type_list(p, &types)) {
        return false;
    }
    for (uint32_t i = 0; i < types.count; i++)
        ir_items_add(p, &list, ir_type_attr(types.at[i]));
    params[d->args[0]] = ir_array_attr(p->ctx, list.at, list.count);
    return true;
}

static void print_type_array(ir_printer *p, const ir_attr_directive *d,
                             const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    if (!list || !list->count)
        ir_put(p, "()");
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, list->items[i]->type);
    }
}

static bool parse_shape(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    ir_dims dims = {0};
    if (!ir_parse_dims(p, &dims, true, true))
        return false;
    params[d->args[0]] = int_array(p, dims.at, dims.count);
    return true;
}

static void print_shape(ir_printer *p, const ir_attr_directive *d, const ir_attr *params)
{
    ir_attr list = params[d->args[0]];
    for (uint32_t i = 0; list && i < list->count; i++) {
        put_dim(p, list->items[i]->value);
        ir_putc(p, 'x');
    }
}

static bool parse_encoding(ir_parser *p, const ir_attr_directive *d, ir_attr *params)
{
    return !ir_accept_punct(p, ',') || (params[d->args[0]] = ir_parse_an_attr(p, NULL));
}

static void print_encoding(ir_printer *p, const ir_attr_directive *d, const ir_attr *params)
{
    if (!params[d->args[0]])
        return;
    ir_put(p, ", ");
    ir_put_attr(p, params[d->args[0]]);
}

/* ---- the table ------------------------------------------------------------------- */

static const ir_custom_syntax customs[] = {
    {"AttributeArray", parse_attribute_array, print_attribute_array},
    {"AttributeDictionary", parse_attribute_dictionary, print_attribute_dictionary},
    {"BoundList", parse_bound_list, print_bound_list},
    {"CoordBracketStyle", parse_coord_bracket_style, print_coord_bracket_style},
    {"CoreCoordList", parse_core_coord_list, print_core_coord_list},
    {"DimSizes", parse_dim_sizes, print_dim_sizes},
    {"DimensionList", parse_dimension_list, print_dimension_list},
    {"Encoding", parse_encoding, print_encoding},
    {"EscapedString", parse_escaped_string, print_escaped_string},
    {"FactorSizes", parse_factor_sizes, print_factor_sizes},
    {"FactorsWithType", parse_factors_with_type, print_factors_with_type},
    {"IsCustomRule", parse_is_custom_rule, print_is_custom_rule},
    {"MeshOrRef", parse_mesh_or_ref, print_mesh_or_ref},
    {"Minus", parse_minus, print_minus},
    {"OptionalTransposeCount", parse_transpose_count, print_transpose_count},
    {"ReplicatedAndUnreducedAxes", parse_replicated_unreduced, print_replicated_unreduced},
    {"Shape", parse_shape, print_shape},
    {"TypeArray", parse_type_array, print_type_array},
    {"VargDimensionList", parse_varg_dimension_list, print_varg_dimension_list},
};

const ir_custom_syntax *ir_attr_custom_find(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(customs); i++)
        if (tw_str_is(name, customs[i].name))
            return &customs[i];
    return NULL;
}
