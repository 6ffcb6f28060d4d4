/* attr_param.c: reads and writes one parameter of an attribute or type by its kind. */
#include "ir/number.h"
#include "ir/text/attr_format.h"
#include "ir/text/text_impl.h"

/* tt-mlir's attribute classes that a parameter may require. */
static const struct {
    const char *cls;
    ir_attr_kind kind;
} builtin_classes[] = {
    {"ArrayAttr", IR_ATTR_ARRAY},          {"DictionaryAttr", IR_ATTR_DICT},
    {"StringAttr", IR_ATTR_STRING},        {"IntegerAttr", IR_ATTR_INTEGER},
    {"BoolAttr", IR_ATTR_INTEGER},         {"FloatAttr", IR_ATTR_FLOAT},
    {"SymbolRefAttr", IR_ATTR_SYMBOL_REF}, {"FlatSymbolRefAttr", IR_ATTR_SYMBOL_REF},
    {"AffineMapAttr", IR_ATTR_AFFINE_MAP}, {"DenseIntElementsAttr", IR_ATTR_DENSE},
    {"DenseElementsAttr", IR_ATTR_DENSE},  {"UnitAttr", IR_ATTR_UNIT},
};

static bool fits_class(const ir_param_def *def, ir_attr attr)
{
    for (size_t i = 0; def->cpp && i < TW_COUNT(builtin_classes); i++) {
        const char *at = strstr(def->cpp, builtin_classes[i].cls);
        bool whole_word = at && (at == def->cpp || at[-1] == '<' || at[-1] == ':');
        if (whole_word && attr->kind != builtin_classes[i].kind)
            return false;
        if (whole_word && strcmp(builtin_classes[i].cls, "BoolAttr") == 0 &&
            !ir_attr_is_bool(attr))
            return false;
    }
    if (def->of)
        return attr->kind == IR_ATTR_DIALECT && strcmp(attr->def->mnemonic, def->of) == 0;
    return true;
}

static bool parse_attr_param(ir_parser *p, const ir_param_def *def, bool in_full,
                             ir_attr *out)
{
    const char *at = p->tok.at;
    const ir_attr_def *row =
        def->of && !in_full ? ir_attr_def_find(p->ctx, tw_str_from(def->of)) : NULL;
    *out = row ? ir_parse_stripped_attr(p, row) : ir_parse_an_attr(p, NULL);
    if (!*out)
        return false;
    return fits_class(def, *out) ||
           ir_fail_own(p, at, "invalid kind of attribute specified");
}

static bool type_fits(const ir_param_def *def, ir_type type)
{
    if (!def->cpp)
        return true;
    if (strstr(def->cpp, "RankedTensorType"))
        return type->kind == IR_TYPE_TENSOR;
    if (strstr(def->cpp, "MemRefType"))
        return type->kind == IR_TYPE_MEMREF;
    return !strstr(def->cpp, "ShapedType") || ir_type_is_shaped(type);
}

static bool parse_type_param(ir_parser *p, const ir_param_def *def, bool in_full,
                             ir_attr *out)
{
    const char *at = p->tok.at;
    const ir_type_def *row =
        def->of && !in_full ? ir_type_def_find(p->ctx, tw_str_from(def->of)) : NULL;
    ir_type type = row ? ir_parse_stripped_type(p, row) : ir_parse_a_type(p);
    if (!type)
        return false;
    if (!type_fits(def, type))
        return ir_fail_own(p, at, "invalid kind of type specified");
    *out = ir_type_attr(type);
    return true;
}

static bool parse_int_param(ir_parser *p, const ir_param_def *def, ir_attr *out)
{
    int64_t value;
    const char *at = p->tok.at;
    if (ir_at_keyword(p, "true") || ir_at_keyword(p, "false")) {
        value = ir_at_keyword(p, "true");
        ir_next(p);
    } else if (def->is_unsigned && !def->array && p->tok.kind == IR_TOK_INTEGER) {
        uint64_t wide; /* up to 2^64 - 1 */
        if (!ir_token_u64(p, &wide))
            return ir_fail_own(p, at, "integer value too large");
        value = (int64_t)wide;
        if ((!def->width || def->width == 64)) {
            ir_next(p);
            *out = ir_raw_int(p->ctx, value);
            return true;
        }
        ir_next(p);
    } else if (!ir_parse_int(p, &value)) {
        return false;
    }
    if (def->kind == IR_PARAM_BOOL) {
        if (value != 0 && value != 1)
            return ir_fail_own(p, at, "integer value too large");
    } else if (def->width && def->width < 64) {
        int64_t top = (int64_t)1 << (def->is_unsigned ? def->width : def->width - 1);
        if (value >= top || value < (def->is_unsigned ? 0 : -top))
            return ir_fail_own(p, at, "integer value too large");
    }
    *out = ir_raw_int(p->ctx, value);
    return true;
}

static bool parse_float_param(ir_parser *p, ir_attr *out)
{
    double value;
    if (!ir_parse_real(p, &value))
        return false;
    *out = ir_float_attr(ir_float_type(p->ctx, IR_F64), value);
    return true;
}

static bool parse_one(ir_parser *p, const ir_param_def *def, bool in_full, ir_attr *out)
{
    tw_str text;
    int64_t value;
    ir_affine_map map;
    switch (def->kind) {
    case IR_PARAM_INT:
    case IR_PARAM_BOOL:
        return parse_int_param(p, def, out);
    case IR_PARAM_ENUM:
        if (!ir_parse_enum(p, def->enumeration, &value))
            return false;
        *out = ir_raw_int(p->ctx, value);
        return true;
    case IR_PARAM_FLOAT:
    case IR_PARAM_APFLOAT:
        return parse_float_param(p, out);
    case IR_PARAM_STRING:
        if (!ir_parse_string(p, &text))
            return false;
        *out = ir_string_attr(p->ctx, text);
        return true;
    case IR_PARAM_TYPE:
    case IR_PARAM_SELF_TYPE:
        return parse_type_param(p, def, in_full, out);
    case IR_PARAM_AFFINE_MAP:
        if (!(map = ir_parse_affine_map(p)))
            return false;
        *out = ir_affine_map_attr(p->ctx, map);
        return true;
    default:
        return parse_attr_param(p, def, in_full, out);
    }
}

/* "[" [ int | "?" , ... ] "]": the dimension lists of stablehlo, chlo and vhlo, and vhlo's
 * quantization scales. */
static bool parse_bracketed(ir_parser *p, const ir_param_def *def, ir_attr *out)
{
    ir_items list = {0};
    if (!ir_expect_punct(p, '['))
        return false;
    if (!ir_at_punct(p, ']'))
        do {
            ir_attr item = ir_raw_int(p->ctx, IR_DYNAMIC);
            if (def->kind == IR_PARAM_INT && ir_accept_punct(p, '?')) {
                ir_items_add(p, &list, item);
                continue;
            }
            if (!parse_one(p, def, false, &item))
                return false;
            ir_items_add(p, &list, item);
        } while (ir_accept_punct(p, ','));
    *out = ir_array_attr(p->ctx, list.at, list.count);
    return ir_expect_punct(p, ']');
}

static bool has_brackets(const ir_param_def *def)
{
    return def->array && def->syntax &&
           (strstr(def->syntax, "Dims") || strstr(def->syntax, "Scales"));
}

/* A comma followed by `name =` belongs to the struct around the list. */
static bool another_item(ir_parser *p)
{
    if (!ir_at_punct(p, ','))
        return false;
    ir_token tok = p->tok;
    const char *cursor = p->cursor;
    ir_next(p);
    if (p->tok.kind == IR_TOK_BARE_ID) {
        const char *c = p->cursor;
        while (c < p->end && *c == ' ')
            c++;
        if (c < p->end && *c == '=') {
            p->tok = tok;
            p->cursor = cursor;
            return false;
        }
    }
    return true;
}

bool ir_parse_param(ir_parser *p, const ir_param_def *def, bool in_full, ir_attr *out)
{
    if (has_brackets(def))
        return parse_bracketed(p, def, out);
    if (!def->array)
        return parse_one(p, def, in_full, out);
    ir_items list = {0};
    do {
        ir_attr item;
        if (!parse_one(p, def, in_full, &item))
            return false;
        ir_items_add(p, &list, item);
    } while (another_item(p));
    *out = ir_array_attr(p->ctx, list.at, list.count);
    return true;
}

/* ---- writing ------------------------------------------------------------------------ */

static void put_one(ir_printer *p, const ir_param_def *def, bool in_full, ir_attr value)
{
    if (!value) {
        ir_put(p, "<<NULL>>");
        return;
    }
    switch (def->kind) {
    case IR_PARAM_INT:
        if (def->is_unsigned)
            tw_strbuf_u64(p->out, (uint64_t)value->value);
        else
            ir_put_int(p, value->value);
        return;
    case IR_PARAM_BOOL:
        ir_put(p, value->value ? "true" : "false");
        return;
    case IR_PARAM_ENUM:
        ir_put_enum(p, def->enumeration, value->value);
        return;
    case IR_PARAM_FLOAT:
    case IR_PARAM_APFLOAT:
        ir_put_float(p, value);
        return;
    case IR_PARAM_STRING:
        ir_put_quoted(p, ir_attr_str(value));
        return;
    case IR_PARAM_TYPE:
    case IR_PARAM_SELF_TYPE:
        if (def->of && !in_full)
            ir_put_stripped_type(p, value->type);
        else
            ir_put_type(p, value->type);
        return;
    case IR_PARAM_AFFINE_MAP:
        ir_put_affine_map(p, value->map);
        return;
    default:
        if (def->of && !in_full)
            ir_put_stripped_attr(p, value);
        else
            ir_put_attr(p, value);
    }
}

void ir_put_param(ir_printer *p, const ir_param_def *def, bool in_full, ir_attr value)
{
    if (!def->array) {
        put_one(p, def, in_full, value);
        return;
    }
    bool brackets = has_brackets(def);
    if (brackets)
        ir_putc(p, '[');
    for (uint32_t i = 0; value && i < value->count; i++) {
        if (i)
            ir_put(p, ", ");
        if (brackets && def->kind == IR_PARAM_INT && value->items[i]->value == IR_DYNAMIC)
            ir_putc(p, '?');
        else
            put_one(p, def, in_full, value->items[i]);
    }
    if (brackets)
        ir_putc(p, ']');
}
