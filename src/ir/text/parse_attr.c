/* parse_attr.c: reading builtin attributes, dictionaries, aliases and locations. */
#include "ir/number.h"
#include "ir/text.h"
#include "ir/text/parser.h"
#include "ir/text/text_impl.h"

#include <stdlib.h>

/* ---- lists -------------------------------------------------------------------------- */

void *ir_grow_list(ir_parser *p, void *old, uint32_t *capacity, size_t element)
{
    uint32_t bigger = *capacity ? *capacity * 2 : 4;
    void *memory = ir_scratch(p, bigger * element);
    if (*capacity)
        memcpy(memory, old, *capacity * element);
    *capacity = bigger;
    return memory;
}

void ir_attr_list_add(ir_parser *p, ir_attr_list *list, ir_ident name, ir_attr value)
{
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    list->at[list->count++] = (ir_named_attr){name, value};
}

/* ---- numeric literals --------------------------------------------------------------- */

static ir_attr parse_float(ir_parser *p, ir_type type, bool negative)
{
    double value;
    if (!ir_parse_real(p, &value))
        return NULL;
    value = negative ? -value : value;
    if (ir_at_punct(p, ':') && !type) {
        ir_next(p);
        if (!(type = ir_parse_a_type(p)))
            return NULL;
    }
    if (!type)
        type = ir_float_type(p->ctx, IR_F64);
    if (type->kind != IR_TYPE_FLOAT) {
        ir_fail(p, p->tok.at, "floating point value not valid for specified type");
        return NULL;
    }
    return ir_float_attr(type, value);
}

static bool is_hex(const ir_token *t)
{
    return t->size > 2 && t->at[1] == 'x';
}

bool ir_hex_fits(ir_type type, uint64_t bits)
{
    return type->width >= 64 || bits >> type->width == 0;
}

bool ir_int_fits(ir_type type, bool negative, uint64_t magnitude)
{
    if (type->kind == IR_TYPE_INDEX || type->width > 64)
        return negative ? magnitude <= (uint64_t)1 << 63 : magnitude <= INT64_MAX;
    uint32_t width = type->width;
    if (width == 0)
        return magnitude == 0;
    if (negative)
        return type->sign != IR_UNSIGNED && magnitude <= (uint64_t)1 << (width - 1);
    /* signless integers may be written as signed or unsigned: 255 : i8 */
    uint32_t bits = type->sign == IR_SIGNED ? width - 1 : width;
    return bits >= 64 || magnitude < (uint64_t)1 << bits;
}

static ir_attr parse_number(ir_parser *p, ir_type type)
{
    bool negative = ir_accept_punct(p, '-');
    if (p->tok.kind == IR_TOK_FLOAT)
        return parse_float(p, type, negative);
    if (p->tok.kind != IR_TOK_INTEGER) {
        ir_fail_here(p, "expected constant integer or floating point value");
        return NULL;
    }
    ir_token token = p->tok;
    uint64_t magnitude;
    if (!ir_token_u64(p, &magnitude)) {
        ir_fail_here(p, "integer constant out of range for attribute");
        return NULL;
    }
    ir_next(p);
    if (!type && ir_accept_punct(p, ':')) {
        if (!(type = ir_parse_a_type(p)))
            return NULL;
    }
    if (!type)
        type = ir_integer_type(p->ctx, 64, IR_SIGNLESS);
    if (type->kind == IR_TYPE_FLOAT) {
        if (is_hex(&token) && !negative) {
            if (ir_hex_fits(type, magnitude))
                return ir_float_attr_bits(type, magnitude);
            ir_fail(p, token.at, "hexadecimal float constant out of range for type");
            return NULL;
        }
        ir_fail(p, token.at,
                negative && is_hex(&token)
                    ? "hexadecimal float literal should not have a leading minus"
                    : "unexpected decimal integer literal for a floating point value");
        return NULL;
    }
    if (type->kind != IR_TYPE_INTEGER && type->kind != IR_TYPE_INDEX) {
        ir_fail(p, token.at, "integer literal not valid for specified type");
        return NULL;
    }
    if (negative && type->kind == IR_TYPE_INTEGER && type->sign == IR_UNSIGNED) {
        ir_fail(p, token.at,
                "negative integer literal not valid for unsigned integer type");
        return NULL;
    }
    if (!ir_int_fits(type, negative, magnitude)) {
        ir_fail(p, token.at, "integer constant out of range for attribute");
        return NULL;
    }
    return ir_integer_attr(type, (int64_t)(negative ? -magnitude : magnitude));
}

/* ---- arrays, dictionaries, strings, symbols -------------------------------------- */

static ir_attr parse_array(ir_parser *p)
{
    ir_items items = {0};
    ir_next(p);
    if (!ir_accept_punct(p, ']')) {
        do {
            ir_attr item = ir_parse_an_attr(p, NULL);
            if (!item)
                return NULL;
            ir_items_add(p, &items, item);
        } while (ir_accept_punct(p, ','));
        if (!ir_accept_punct(p, ']')) {
            ir_fail_here(p, "expected ',' or ']'");
            return NULL;
        }
    }
    return ir_array_attr(p->ctx, items.at, items.count);
}

bool ir_parse_attr_dict(ir_parser *p, ir_attr_list *out)
{
    if (!ir_expect_punct(p, '{'))
        return false;
    uint32_t first = out->count;
    if (ir_accept_punct(p, '}'))
        return true;
    do {
        const char *at = p->tok.at;
        tw_str name;
        if (p->tok.kind == IR_TOK_STRING)
            ir_parse_string(p, &name);
        else if (p->tok.kind == IR_TOK_BARE_ID)
            ir_accept_any_keyword(p, &name);
        else
            return ir_fail_here(p, "expected attribute name");
        if (name.size == 0)
            return ir_fail(p, at, "expected valid attribute name");
        ir_ident id = ir_ident_get(p->ctx, name);
        for (uint32_t i = first; i < out->count; i++)
            if (out->at[i].name == id)
                return ir_fail(p, at, "duplicate key '%s' in dictionary attribute",
                               id->text);
        ir_attr value = ir_unit_attr(p->ctx);
        if (ir_accept_punct(p, '=') && !(value = ir_parse_an_attr(p, NULL)))
            return false;
        ir_attr_list_add(p, out, id, value);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct_in(p, '}', "in attribute dictionary");
}

bool ir_accept_attr_dict(ir_parser *p, ir_attr_list *out)
{
    return ir_at_punct(p, '{') && ir_parse_attr_dict(p, out);
}

bool ir_accept_symbol_name(ir_parser *p, ir_attr *out_string)
{
    if (p->tok.kind != IR_TOK_AT)
        return false;
    tw_str name = {p->tok.at + 1, p->tok.size - 1};
    if (name.data[0] == '"')
        ir_unescape(p, p->tok, &name);
    *out_string = ir_string_attr(p->ctx, name);
    ir_next(p);
    return true;
}

bool ir_parse_symbol_name(ir_parser *p, ir_attr *out_string)
{
    return ir_accept_symbol_name(p, out_string) ||
           ir_fail_own(p, p->tok.at, "expected valid '@'-identifier for symbol name");
}

static ir_attr parse_symbol_ref(ir_parser *p)
{
    ir_items parts = {0};
    ir_attr name;
    ir_accept_symbol_name(p, &name);
    ir_items_add(p, &parts, name);
    while (ir_at_punct(p, ':') && p->cursor < p->end && *p->cursor == ':') {
        ir_next(p);
        ir_next(p);
        if (p->tok.kind != IR_TOK_AT) {
            ir_fail(p, p->tok.at, "expected nested symbol reference identifier");
            return NULL;
        }
        ir_accept_symbol_name(p, &name);
        ir_items_add(p, &parts, name);
    }
    return ir_symbol_ref_nested(p->ctx, parts.at, parts.count);
}

/* ---- array<...>, strided<...>, distinct ------------------------------------------ */

/* The storage of array<...> is whole bytes; other widths are not supported. */
static bool check_array_type(ir_parser *p, const char *at, ir_type type)
{
    bool number = type->kind == IR_TYPE_INTEGER || type->kind == IR_TYPE_FLOAT;
    if (!number && type->kind != IR_TYPE_INDEX)
        return ir_fail(p, at, "expected integer or float type");
    if (type->kind == IR_TYPE_INTEGER && type->width != 1 && type->width % 8)
        return ir_fail(p, at, "element type bitwidth must be a multiple of 8");
    if (!ir_dense_element_size(type))
        return ir_fail(p, at, "elements of array are limited to 64 bits");
    return true;
}

static bool parse_array_item(ir_parser *p, ir_type type, ir_dims *bits)
{
    bool is_real = type->kind == IR_TYPE_FLOAT;
    bool word = ir_at_keyword(p, "true") || ir_at_keyword(p, "false");
    bool number = p->tok.kind == IR_TOK_INTEGER || ir_at_punct(p, '-');
    if (is_real && p->tok.kind == IR_TOK_FLOAT)
        number = true;
    if (is_real && p->tok.kind == IR_TOK_INTEGER && !is_hex(&p->tok))
        return ir_fail(p, p->tok.at,
                       "unexpected decimal integer literal for a floating point value");
    if (!number && (!word || is_real)) {
        ir_fail(p, p->tok.at,
                is_real ? "expected integer or floating point literal"
                        : "expected integer literal");
        return false;
    }
    uint64_t value;
    if (!ir_parse_element_bits(p, type, &value))
        return false;
    ir_dims_add(p, bits, (int64_t)value);
    return true;
}

static ir_attr parse_dense_array(ir_parser *p)
{
    ir_dims bits = {0};
    ir_next(p);
    if (!ir_expect_punct_in(p, '<', "after 'array'"))
        return NULL;
    const char *at = p->tok.at;
    ir_type type = ir_parse_a_type(p);
    if (!type || !check_array_type(p, at, type))
        return NULL;
    if (ir_accept_punct(p, '>'))
        return ir_dense_array(type, NULL, 0);
    if (!ir_expect_punct_in(p, ':', "after dense array type"))
        return NULL;
    do
        if (!parse_array_item(p, type, &bits))
            return NULL;
    while (ir_accept_punct(p, ','));
    if (!ir_expect_punct_in(p, '>', "to close an array attribute"))
        return NULL;
    size_t size = ir_dense_element_size(type);
    if (size == sizeof *bits.at)
        return ir_dense_array(type, bits.at, bits.count);
    char *data = ir_scratch(p, bits.count * size);
    for (uint32_t i = 0; i < bits.count; i++)
        memcpy(data + i * size, &bits.at[i], size);
    return ir_dense_array(type, data, bits.count);
}

/* Packs integer or float attributes into a dense array's bytes. */
ir_attr ir_dense_array_from(ir_parser *p, ir_type type, const ir_attr *items, size_t count)
{
    size_t size = ir_dense_element_size(type);
    char *data = ir_scratch(p, count * size + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits =
            items[i]->kind == IR_ATTR_FLOAT ? items[i]->bits : (uint64_t)items[i]->value;
        memcpy(data + i * size, &bits, size);
    }
    return ir_dense_array(type, data, count);
}

static bool parse_static_or_dynamic(ir_parser *p, int64_t *out)
{
    bool present = true;
    *out = IR_DYNAMIC;
    if (ir_accept_punct(p, '?'))
        return true;
    return ir_accept_int(p, out, &present) &&
           (present || ir_fail(p, p->tok.at, "expected a 64-bit signed integer or '?'"));
}

static bool parse_stride(ir_parser *p, void *user)
{
    int64_t value;
    if (!parse_static_or_dynamic(p, &value))
        return false;
    ir_dims_add(p, user, value);
    return true;
}

static ir_attr parse_strided(ir_parser *p)
{
    const char *at = p->tok.at;
    ir_dims strides = {0};
    int64_t offset = 0;
    ir_next(p);
    if (!ir_expect_punct_in(p, '<', "after 'strided'") ||
        !ir_parse_list(p, "[]", parse_stride, &strides))
        return NULL;
    if (ir_accept_punct(p, ',')) {
        if (!ir_accept_keyword(p, "offset")) {
            ir_fail_here(p, "expected 'offset' after comma");
            return NULL;
        }
        if (!ir_expect_punct_in(p, ':', "after 'offset'") ||
            !parse_static_or_dynamic(p, &offset))
            return NULL;
    }
    if (!ir_expect_punct(p, '>'))
        return NULL;
    for (uint32_t i = 0; i < strides.count; i++)
        if (strides.at[i] == 0) {
            ir_fail(p, at, "strides must not be zero");
            return NULL;
        }
    return ir_strided_attr(p->ctx, strides.at, strides.count, offset);
}

static ir_attr parse_distinct(ir_parser *p)
{
    int64_t id;
    ir_next(p);
    if (!ir_expect_punct_in(p, '[', "after 'distinct'"))
        return NULL;
    if (p->tok.kind != IR_TOK_INTEGER) {
        ir_fail_here(p, "expected distinct ID");
        return NULL;
    }
    if (!ir_parse_int(p, &id) || !ir_expect_punct_in(p, ']', "to close distinct ID") ||
        !ir_expect_punct_in(p, '<', "after distinct ID"))
        return NULL;
    ir_attr payload = ir_unit_attr(p->ctx);
    if (!ir_at_punct(p, '>') && !(payload = ir_parse_an_attr(p, NULL)))
        return NULL;
    if (!ir_expect_punct_in(p, '>', "to close distinct attribute"))
        return NULL;
    ir_attr known = ir_distinct_find(p, id);
    if (known)
        return known;
    ir_attr fresh = ir_distinct_attr(p->ctx, payload);
    ir_distinct_remember(p, id, fresh);
    return fresh;
}

static ir_attr parse_map_attr(ir_parser *p)
{
    ir_next(p);
    if (!ir_expect_punct_in(p, '<', "in affine map"))
        return NULL;
    ir_affine_map map = ir_parse_affine_map(p);
    return map && ir_expect_punct_in(p, '>', "in affine map")
               ? ir_affine_map_attr(p->ctx, map)
               : NULL;
}

static ir_attr parse_set_attr(ir_parser *p)
{
    ir_next(p);
    if (!ir_expect_punct_in(p, '<', "in integer set"))
        return NULL;
    ir_integer_set set = ir_parse_integer_set(p);
    return set && ir_expect_punct_in(p, '>', "in integer set")
               ? ir_integer_set_attr(p->ctx, set)
               : NULL;
}

/* ---- dispatch -------------------------------------------------------------------- */

static ir_attr parse_bool_attr(ir_parser *p, bool value, ir_type type)
{
    (void)type;
    ir_next(p);
    return ir_bool_attr(p->ctx, value);
}

static ir_attr parse_loc_attr(ir_parser *p)
{
    ir_loc loc;
    return ir_parse_loc(p, &loc) ? ir_loc_attr(p->ctx, loc) : NULL;
}

static ir_attr parse_keyword_attr(ir_parser *p, ir_type type)
{
    static const struct {
        const char *word;
        ir_attr (*parse)(ir_parser *);
    } table[] = {{"affine_map", parse_map_attr}, {"affine_set", parse_set_attr},
                 {"array", parse_dense_array},   {"strided", parse_strided},
                 {"distinct", parse_distinct},   {"loc", parse_loc_attr}};
    tw_str word = ir_tok_str(p);
    if (tw_str_is(word, "true") || tw_str_is(word, "false"))
        return parse_bool_attr(p, word.data[0] == 't', type);
    if (tw_str_is(word, "unit")) {
        ir_next(p);
        return ir_unit_attr(p->ctx);
    }
    if (tw_str_is(word, "dense"))
        return ir_parse_dense(p, type);
    if (tw_str_is(word, "dense_resource"))
        return ir_parse_dense_resource(p, type);
    if (tw_str_is(word, "sparse"))
        return ir_parse_sparse(p, type);
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (tw_str_is(word, table[i].word))
            return table[i].parse(p);
    ir_type t = ir_accept_a_type(p);
    if (!t && !p->failed)
        ir_fail_here(p, "expected attribute value");
    return t ? ir_type_attr(t) : NULL;
}

static ir_attr parse_string_attr(ir_parser *p, ir_type type)
{
    tw_str text;
    ir_parse_string(p, &text);
    if (!type && ir_at_punct(p, ':') && p->cursor < p->end && *p->cursor != ':') {
        ir_next(p);
        if (!(type = ir_parse_a_type(p)))
            return NULL;
    }
    return type && type->kind != IR_TYPE_NONE ? ir_typed_string_attr(p->ctx, text, type)
                                              : ir_string_attr(p->ctx, text);
}

ir_attr ir_parse_an_attr(ir_parser *p, ir_type type)
{
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "attributes nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_attr attr = NULL;
    switch (p->tok.kind) {
    case IR_TOK_INTEGER:
    case IR_TOK_FLOAT:
        attr = parse_number(p, type);
        break;
    case IR_TOK_STRING:
        attr = parse_string_attr(p, type);
        break;
    case IR_TOK_AT:
        attr = parse_symbol_ref(p);
        break;
    case IR_TOK_HASH:
        attr = ir_parse_dialect_attr(p, type);
        break;
    case IR_TOK_BANG: {
        ir_type t = ir_parse_a_type(p);
        attr = t ? ir_type_attr(t) : NULL;
        break;
    }
    case IR_TOK_BARE_ID:
        attr = parse_keyword_attr(p, type);
        break;
    case IR_TOK_PUNCT:
        if (p->tok.punct == '[') {
            attr = parse_array(p);
        } else if (p->tok.punct == '{') {
            ir_attr_list list = {0};
            if (ir_parse_attr_dict(p, &list))
                attr = ir_dict_attr(p->ctx, list.at, list.count);
        } else if (p->tok.punct == '-') {
            attr = parse_number(p, type);
        } else if (p->tok.punct == '(') {
            ir_type t = ir_parse_a_type(p);
            attr = t ? ir_type_attr(t) : NULL;
        } else {
            ir_fail_here(p, "expected attribute value");
        }
        break;
    default:
        ir_fail_here(p, "expected attribute value");
    }
    p->depth--;
    return p->failed ? NULL : attr;
}
