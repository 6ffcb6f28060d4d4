/* parse_type.c: reading types. */
#include "ir/context_impl.h"
#include "ir/text/text_impl.h"

#include <stdlib.h>

/* (t, u) -> v */
static ir_type parse_function_type(ir_parser *p)
{
    ir_type_list inputs = {0}, results = {0};
    if (!ir_parse_fn_type(p, &inputs, &results))
        return NULL;
    return ir_function_type(p->ctx, inputs.at, inputs.count, results.at, results.count);
}

static ir_type parse_complex(ir_parser *p)
{
    if (!ir_expect_punct_in(p, '<', "in complex type"))
        return NULL;
    const char *at = p->tok.at;
    ir_type element = ir_parse_a_type(p);
    if (!element || !ir_expect_punct_in(p, '>', "in complex type"))
        return NULL;
    if (element->kind != IR_TYPE_FLOAT && element->kind != IR_TYPE_INTEGER) {
        ir_fail(p, at, "invalid element type for complex");
        return NULL;
    }
    return ir_complex_type(element);
}

static ir_type parse_tuple(ir_parser *p)
{
    ir_type_list members = {0};
    if (!ir_expect_punct_in(p, '<', "in tuple type"))
        return NULL;
    if (ir_accept_punct(p, '>'))
        return ir_tuple_type(p->ctx, NULL, 0);
    if (!ir_parse_type_list(p, &members) || !ir_expect_punct_in(p, '>', "in tuple type"))
        return NULL;
    return ir_tuple_type(p->ctx, members.at, members.count);
}

/* "*x" or dimensions, each followed by x. */
static bool parse_shape(ir_parser *p, ir_dims *dims, bool *unranked)
{
    *unranked = ir_accept_punct(p, '*');
    if (!*unranked)
        return ir_parse_dims(p, dims, true, true);
    return ir_accept_dim_x(p) || ir_fail_here(p, "expected 'x' in dimension list");
}

static ir_type parse_tensor(ir_parser *p)
{
    ir_dims dims = {0};
    bool unranked;
    if (!ir_expect_punct_in(p, '<', "in tensor type") || !parse_shape(p, &dims, &unranked))
        return NULL;
    const char *at = p->tok.at;
    ir_type element = ir_parse_a_type(p);
    if (!element)
        return NULL;
    ir_attr encoding = NULL;
    if (ir_accept_punct(p, ',') && !ir_at_punct(p, '>') &&
        !(encoding = ir_parse_an_attr(p, NULL)))
        return NULL;
    if (!ir_expect_punct_in(p, '>', "in tensor type"))
        return NULL;
    if (!ir_type_is_tensor_element(element)) {
        ir_fail(p, at, "invalid tensor element type: '%s'", ir_type_text(p->ctx, element));
        return NULL;
    }
    if (unranked && encoding) {
        ir_fail(p, p->tok.at, "cannot apply encoding to unranked tensor");
        return NULL;
    }
    ir_type type = unranked ? ir_unranked_tensor_type(element)
                            : ir_tensor_type(element, dims.at, dims.count, encoding);
    if (ir_attr_is(encoding, IR_ATTR_DIALECT) && encoding->def->verify_tensor &&
        !encoding->def->verify_tensor(p->ctx, ir_loc_at(p, at), encoding, type)) {
        p->failed = true;
        return NULL;
    }
    return type;
}

static bool is_layout(ir_attr a)
{
    return a->kind == IR_ATTR_AFFINE_MAP || a->kind == IR_ATTR_STRIDED ||
           (a->kind == IR_ATTR_DIALECT && a->def->traits &&
            strstr(a->def->traits, "MemRefLayoutAttrInterface"));
}

/* { "," ( layout | memory space ) } ">"; of several layouts the last one is used. */
static bool parse_memref_tail(ir_parser *p, bool unranked, ir_attr *layout, ir_attr *space)
{
    while (!ir_accept_punct(p, '>')) {
        if (!ir_accept_punct(p, ','))
            return ir_fail_here(p, "expected ',' or '>' in memref type");
        ir_attr a = ir_parse_an_attr(p, NULL);
        if (!a)
            return false;
        if (!is_layout(a) && *space)
            return ir_fail(p, p->tok.at, "multiple memory spaces specified in memref type");
        if (!is_layout(a)) {
            *space = a;
            continue;
        }
        if (unranked || *space)
            return ir_fail(p, p->tok.at,
                           unranked ? "cannot have affine map for unranked memref type"
                                    : "expected memory space to be last in memref type");
        *layout = a;
    }
    return true;
}

static ir_type parse_memref(ir_parser *p)
{
    ir_dims dims = {0};
    bool unranked;
    const char *at = p->tok.at; /* of the previous word, where errors are reported */
    do
        at--; /* at the end of the text there is nothing to read */
    while (at > p->begin && *at != 'm');
    if (!ir_expect_punct_in(p, '<', "in memref type") || !parse_shape(p, &dims, &unranked))
        return NULL;
    const char *element_at = p->tok.at;
    ir_type element = ir_parse_a_type(p);
    if (!element)
        return NULL;
    if (element->kind == IR_TYPE_TENSOR || element->kind == IR_TYPE_UNRANKED_TENSOR ||
        element->kind == IR_TYPE_FUNCTION || element->kind == IR_TYPE_TUPLE ||
        element->kind == IR_TYPE_NONE) {
        ir_fail(p, element_at, "invalid memref element type");
        return NULL;
    }
    ir_attr layout = NULL, space = NULL;
    if (!parse_memref_tail(p, unranked, &layout, &space))
        return NULL;
    if (layout && layout->kind == IR_ATTR_AFFINE_MAP && layout->map->n_dims != dims.count) {
        ir_fail(p, at, "memref layout mismatch between rank and affine map: %u != %u",
                dims.count, layout->map->n_dims);
        return NULL;
    }
    return unranked ? ir_unranked_memref_type(element, space)
                    : ir_memref_type(element, dims.at, dims.count, layout, space);
}

/* { int "x" | "[" int "]" "x" }: scalable dimensions are in brackets. */
static bool parse_vector_dims(ir_parser *p, ir_dims *dims, bool *scalable,
                              uint32_t max_dims)
{
    for (;;) {
        bool bracket = ir_accept_punct(p, '[');
        if (!bracket && p->tok.kind != IR_TOK_INTEGER)
            return true;
        if (dims->count >= max_dims)
            return ir_fail_here(p, "vector has more than %u dimensions", max_dims);
        if (bracket) {
            int64_t size;
            if (!ir_parse_int(p, &size))
                return false;
            if (!ir_accept_punct(p, ']'))
                return ir_fail_here(p, "missing ']' closing scalable dimension");
            scalable[dims->count] = true;
            ir_dims_add(p, dims, size);
            if (!ir_accept_dim_x(p))
                return ir_fail_here(p, "expected 'x' in dimension list");
        } else if (!ir_parse_dim_x(p, dims)) {
            return false;
        }
    }
}

static ir_type parse_vector(ir_parser *p)
{
    ir_dims dims = {0};
    bool scalable[64] = {0};
    if (!ir_expect_punct_in(p, '<', "in vector type") ||
        !parse_vector_dims(p, &dims, scalable, TW_COUNT(scalable)))
        return NULL;
    for (uint32_t i = 0; i < dims.count; i++)
        if (dims.at[i] <= 0) {
            ir_fail_here(p, "vector types must have positive constant sizes but got %s",
                         ir_dims_text(p, &dims));
            return NULL;
        }
    const char *at = p->tok.at;
    ir_type element = ir_parse_a_type(p);
    if (!element || !ir_expect_punct_in(p, '>', "in vector type"))
        return NULL;
    if (element->kind > IR_TYPE_INDEX && element->kind != IR_TYPE_DIALECT) {
        ir_fail(p, at,
                "failed to verify 'elementType': VectorElementTypeInterface instance");
        return NULL;
    }
    return ir_vector_type(element, dims.at, dims.count, scalable);
}

/* ---- names -------------------------------------------------------------------------- */

/* i8, si8, ui8 */
static ir_type integer_type(ir_parser *p, tw_str word)
{
    enum { WIDEST = (1 << 24) - 1 };
    size_t at = word.data[0] == 'i' ? 1 : 2;
    if (word.size <= at || (at == 2 && word.data[1] != 'i'))
        return NULL;
    ir_signedness sign = at == 1               ? IR_SIGNLESS
                         : word.data[0] == 's' ? IR_SIGNED
                                               : IR_UNSIGNED;
    uint64_t width = 0;
    for (; at < word.size; at++) {
        char c = word.data[at];
        if (c < '0' || c > '9')
            return NULL;
        width = TW_MIN(width * 10 + (uint64_t)(c - '0'), UINT32_MAX + 1ull);
    }
    if (width > WIDEST) {
        if (width > UINT32_MAX)
            ir_fail(p, word.data, "invalid integer width");
        else
            ir_fail(p, word.data, "integer bitwidth is limited to %d bits", WIDEST);
        return NULL;
    }
    if (sign == IR_SIGNLESS && width == 32)
        return p->ctx->i32;
    if (sign == IR_SIGNLESS && width == 1)
        return p->ctx->i1;
    return ir_integer_type(p->ctx, (uint32_t)width, sign);
}

static ir_type scalar_type(ir_parser *p, tw_str word)
{
    ir_float_kind kind;
    switch (word.data[0]) {
    case 'i':
        if (tw_str_is(word, "index"))
            return ir_index_type(p->ctx);
        return integer_type(p, word);
    case 's':
    case 'u':
        return integer_type(p, word);
    case 'f':
        if (word.size == 3 && memcmp(word.data, "f32", 3) == 0)
            return p->ctx->f32;
        return ir_float_from_name(word, &kind) ? ir_float_type(p->ctx, kind) : NULL;
    case 'b':
    case 't':
        return ir_float_from_name(word, &kind) ? ir_float_type(p->ctx, kind) : NULL;
    case 'n':
        return tw_str_is(word, "none") ? ir_none_type(p->ctx) : NULL;
    default:
        return NULL;
    }
}

typedef ir_type parse_compound(ir_parser *p);

static parse_compound *compound_type(tw_str word)
{
    static const struct {
        const char *word;
        parse_compound *parse;
    } table[] = {{"tensor", parse_tensor},
                 {"memref", parse_memref},
                 {"vector", parse_vector},
                 {"tuple", parse_tuple},
                 {"complex", parse_complex}};
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (word.data[0] == table[i].word[0] && tw_str_is(word, table[i].word))
            return table[i].parse;
    return NULL;
}

/* The end of `<...>` if it contains nothing that could hide a bracket (strings, arrows,
 * comments), so that its text identifies it; NULL if not, or if it nests deeply (rescanning
 * each level would be slow). */
static const char *plain_extent(const ir_parser *p)
{
    static const bool plain[256] = {
        ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true,
        ['.'] = true,         ['?'] = true,         ['*'] = true,         [','] = true,
        [' '] = true,         ['#'] = true,         ['!'] = true,
    };
    enum { DEEP = 16 };
    const char *c = p->cursor;
    int depth = 0;
    for (; c < p->end; c++) {
        if (*c == '<') {
            if (++depth > DEEP)
                return NULL;
        } else if (*c == '>') {
            if (--depth == 0)
                return c + 1;
        } else if (!plain[(unsigned char)*c] || depth == 0) {
            return NULL;
        }
    }
    return NULL;
}

static ir_type parse_compound_type(ir_parser *p, parse_compound *parse)
{
    ir_type type = ir_text_latest(p, p->tok.at, &p->cursor);
    if (type) {
        ir_next(p);
        return type;
    }
    const char *end = plain_extent(p);
    tw_str text = {p->tok.at, end ? (size_t)(end - p->tok.at) : 0};
    type = end ? ir_text_cache_get(p, text) : NULL;
    if (type) {
        ir_lex_at(p, end);
        return type;
    }
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "types nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_next(p);
    type = parse(p);
    p->depth--;
    if (type && end && p->tok.at >= end)
        ir_text_cache_set(p, text, type);
    return type;
}

static ir_type named_type(ir_parser *p)
{
    tw_str word = ir_tok_str(p);
    parse_compound *parse = word.size >= 5 ? compound_type(word) : NULL;
    if (parse)
        return parse_compound_type(p, parse);
    ir_type type = scalar_type(p, word);
    if (type)
        ir_next(p);
    return type;
}

ir_type ir_accept_a_type(ir_parser *p)
{
    if (p->tok.kind == IR_TOK_BARE_ID)
        return named_type(p);
    if (p->tok.kind == IR_TOK_BANG)
        return ir_parse_dialect_type(p);
    if (!ir_at_punct(p, '('))
        return NULL;
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "types nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_type type = parse_function_type(p);
    p->depth--;
    return type;
}

ir_type ir_parse_a_type(ir_parser *p)
{
    ir_type type = ir_accept_a_type(p);
    if (!type && !p->failed)
        ir_fail_here(p, "expected non-function type");
    return type;
}

ir_type ir_parse_colon_type(ir_parser *p)
{
    return ir_expect_punct(p, ':') ? ir_parse_a_type(p) : NULL;
}
