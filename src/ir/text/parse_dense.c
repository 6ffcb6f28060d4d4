/* parse_dense.c: dense<...>, dense_resource<...>, sparse<...> and the resource section. */
#include "ir/number.h"
#include "ir/text.h"
#include "ir/text/text_impl.h"

#include <stdlib.h>

/* Literals are collected before the type after them is known. */
typedef struct literal {
    ir_token token; /* number, true, false, string, hex string */
    bool negative;
} literal;

typedef struct literals {
    literal *at;
    size_t count, capacity;
    int64_t shape[64];
    int rank;
    bool any_list, complex_pairs;
} literals;

static bool consume_literal(ir_parser *p, literal *out)
{
    bool negative = ir_accept_punct(p, '-');
    *out = (literal){.negative = negative, .token = p->tok};
    bool ok = p->tok.kind == IR_TOK_INTEGER || p->tok.kind == IR_TOK_FLOAT ||
              (!negative && (p->tok.kind == IR_TOK_STRING || ir_at_keyword(p, "true") ||
                             ir_at_keyword(p, "false")));
    if (!ok)
        return ir_fail(p, p->tok.at,
                       negative ? "expected integer or floating point literal"
                                : "expected element literal of primitive type");
    ir_next(p);
    return true;
}

static bool read_literal(ir_parser *p, literals *out)
{
    literal l;
    if (!consume_literal(p, &l))
        return false;
    TW_PUSH(out->at, out->count, out->capacity, l);
    return true;
}

static bool read_element(ir_parser *p, literals *out)
{
    if (!ir_accept_punct(p, '('))
        return read_literal(p, out);
    out->complex_pairs = true;
    return read_literal(p, out) && ir_expect_punct_in(p, ',', "between complex elements") &&
           read_literal(p, out) && ir_expect_punct_in(p, ')', "after complex elements");
}

/* Nested lists; every list of one depth must have the same length. */
static bool read_list(ir_parser *p, literals *out, int depth, int64_t *shape, int *rank)
{
    if (depth >= (int)TW_COUNT(out->shape))
        return ir_fail_here(p, "tensor literal nests deeper than %zu levels",
                            TW_COUNT(out->shape));
    ir_next(p);
    int64_t count = 0, inner[64];
    int inner_rank = -1;
    if (!ir_at_punct(p, ']'))
        do {
            int64_t this_shape[64];
            int this_rank = 0;
            if (ir_at_punct(p, '[')) {
                if (!read_list(p, out, depth + 1, this_shape, &this_rank))
                    return false;
            } else if (!read_element(p, out)) {
                return false;
            }
            if (inner_rank < 0) {
                inner_rank = this_rank;
                memcpy(inner, this_shape, (size_t)this_rank * sizeof *inner);
            } else if (this_rank != inner_rank ||
                       memcmp(inner, this_shape, (size_t)this_rank * sizeof *inner) != 0) {
                return ir_fail_here(p,
                                    "tensor literal is invalid; ranks are not consistent "
                                    "between elements");
            }
            count++;
        } while (ir_accept_punct(p, ','));
    if (inner_rank < 0)
        inner_rank = 0;
    shape[0] = count;
    memcpy(shape + 1, inner, (size_t)inner_rank * sizeof *inner);
    *rank = inner_rank + 1;
    return ir_expect_punct(p, ']');
}

static bool element_bits(ir_parser *p, const literal *l, ir_type type, uint64_t *out)
{
    const ir_token *t = &l->token;
    uint64_t magnitude = 0;
    bool is_bool = t->kind == IR_TOK_BARE_ID;
    bool hex = t->kind == IR_TOK_INTEGER && t->size > 2 && t->at[1] == 'x';
    if (t->kind == IR_TOK_INTEGER) {
        ir_token saved = p->tok;
        p->tok = *t;
        bool ok = ir_token_u64(p, &magnitude);
        p->tok = saved;
        if (!ok)
            return ir_fail(p, t->at, "integer constant out of range for type");
    }
    if (type->kind == IR_TYPE_FLOAT) {
        if (is_bool)
            return ir_fail(p, t->at, "expected floating point literal");
        if (t->kind == IR_TOK_INTEGER && !hex) {
            ir_fail(p, t->at,
                    "unexpected decimal integer literal for a floating point value");
            return p->quiet || ir_note(p->ctx, ir_loc_at(p, t->at),
                                       "add a trailing dot to make the literal a float");
        }
        if (hex && !ir_hex_fits(type, magnitude))
            return ir_fail(p, t->at, "hexadecimal float constant out of range for type");
        if (hex) {
            *out = magnitude;
            return true;
        }
        double value = ir_token_real((tw_str){t->at, t->size});
        *out = ir_float_encode((ir_float_kind)type->sign, l->negative ? -value : value);
        return true;
    }
    if (t->kind == IR_TOK_FLOAT)
        return ir_fail(p, t->at, "expected integer elements, but parsed floating-point");
    if (is_bool) {
        if (!ir_type_is_integer(type, 1))
            return ir_fail(p, t->at, "expected i1 type for 'true' or 'false' values");
        *out = t->at[0] == 't';
        return true;
    }
    if (type->kind == IR_TYPE_INTEGER && type->sign == IR_UNSIGNED && l->negative)
        return ir_fail(p, t->at,
                       "expected unsigned integer elements, but parsed negative value");
    if (!ir_int_fits(type, l->negative, magnitude))
        return ir_fail(p, t->at, "integer constant out of range for type");
    *out = (uint64_t)ir_int_wrap(type, (int64_t)(l->negative ? -magnitude : magnitude));
    return true;
}

bool ir_parse_element_bits(ir_parser *p, ir_type type, uint64_t *out)
{
    literal one;
    return consume_literal(p, &one) && element_bits(p, &one, type, out);
}

ir_attr ir_parse_element(ir_parser *p, ir_type type)
{
    uint64_t bits;
    if (!ir_parse_element_bits(p, type, &bits))
        return NULL;
    return type->kind == IR_TYPE_FLOAT ? ir_float_attr_bits(type, bits)
                                       : ir_integer_attr(type, (int64_t)bits);
}

/* The element type as stored in dense data. */
static bool storable(ir_type element)
{
    return ir_dense_element_size(element) > 0;
}

static int hex_digit(char c)
{
    static const int8_t digits[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    };
    return digits[(unsigned char)c] - 1; /* -1: none */
}

static bool decode_hex(const char *text, size_t size, unsigned char *out)
{
    int bad = 0;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        bad |= high | low;
        out[i] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
    }
    return bad >= 0;
}

static void free_bytes(void *owner, const void *data, size_t size)
{
    (void)data, (void)size;
    free(owner);
}

/* Takes ownership of `data`: big constants are not copied. */
static ir_attr dense_from_bytes(ir_type type, unsigned char *data, size_t size, size_t each)
{
    enum { BIG = 1 << 16 };
    bool same = size > each && memcmp(data, data + each, size - each) == 0;
    if (size >= BIG && !same)
        return ir_dense_attr_blob(
            type,
            (ir_blob){.data = data, .size = size, .release = free_bytes, .owner = data});
    ir_attr attr = ir_dense_attr(type, data, same ? each : size);
    free(data);
    return attr;
}

/* i1 as older versions wrote it: eight per byte, lowest first. */
static unsigned char *unpack_bits(const unsigned char *packed, size_t count)
{
    unsigned char *bytes = tw_xmalloc(count + 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = packed[i / 8] >> (i % 8) & 1;
    return bytes;
}

static ir_attr from_hex(ir_parser *p, const char *at, const literal *l, ir_type type)
{
    const char *c = l->token.at + 1;
    size_t n = l->token.size - 2, size = n / 2 - 1, total;
    unsigned char *data = NULL;
    if (n >= 2 && n % 2 == 0 && c[0] == '0' && c[1] == 'x')
        data = aligned_alloc(64, tw_align_up(size + 1, 64));
    if (!data || !decode_hex(c + 2, size, data)) {
        free(data);
        ir_fail(p, l->token.at, "expected string containing hex digits starting with `0x`");
        return NULL;
    }
    ir_type element = ir_type_element(type);
    size_t each = ir_dense_element_size(element);
    size_t count = (size_t)ir_type_num_elements(type);
    bool is_bool = ir_type_is_integer(element, 1);
    if (is_bool && count > 1 && size != count && size == (count - 1) / 8 + 1) {
        unsigned char *bytes = unpack_bits(data, count);
        free(data);
        return dense_from_bytes(type, bytes, count, 1);
    }
    bool whole = !__builtin_mul_overflow(count, each, &total) && size == total;
    if (!whole && (size != each || count == 0)) {
        free(data);
        ir_fail(p, at, "elements hex data size is invalid for provided type: '%s'",
                ir_type_text(p->ctx, type));
        return NULL;
    }
    for (size_t i = 0; is_bool && i < size; i++)
        data[i] = data[i] != 0;
    return dense_from_bytes(type, data, size, each);
}

static ir_attr string_elements(ir_parser *p, const literals *l, ir_type type)
{
    ir_attr *items = tw_xmalloc(l->count * sizeof *items);
    for (size_t i = 0; i < l->count; i++) {
        tw_str text = {0};
        if (l->at[i].token.kind == IR_TOK_STRING)
            ir_unescape(p, l->at[i].token, &text);
        items[i] = ir_string_attr(p->ctx, text);
    }
    ir_attr attr = ir_dense_strings(type, items, l->count);
    free(items);
    return attr;
}

static bool shape_matches(ir_parser *p, const char *at, const literals *l, ir_type type)
{
    if (!l->any_list)
        return true;
    bool same = (uint32_t)l->rank == type->count;
    for (int i = 0; same && i < l->rank; i++)
        same = l->shape[i] == type->dims[i];
    if (same)
        return true;
    tw_strbuf got = {0}, want = {0};
    for (int i = 0; i < l->rank; i++)
        tw_strbuf_printf(&got, "%s%lld", i ? ", " : "", (long long)l->shape[i]);
    for (uint32_t i = 0; i < type->count; i++)
        tw_strbuf_printf(&want, "%s%lld", i ? ", " : "", (long long)type->dims[i]);
    ir_fail(p, at, "inferred shape of elements literal ([%s]) does not match type ([%s])",
            tw_strbuf_text(&got), tw_strbuf_text(&want));
    tw_strbuf_free(&got);
    tw_strbuf_free(&want);
    return false;
}

static ir_attr elements_from(ir_parser *p, const char *at, const literals *l, ir_type type)
{
    ir_type element = ir_type_element(type);
    if (!l->any_list && l->count == 1 && l->at[0].token.kind == IR_TOK_STRING &&
        storable(element))
        return from_hex(p, at, &l->at[0], type);
    if (!shape_matches(p, at, l, type))
        return NULL;
    if (l->count && l->at[0].token.kind == IR_TOK_STRING) {
        if (!storable(element))
            return string_elements(p, l, type);
        ir_fail(p, l->at[0].token.at, "integer constant out of range for type");
        return NULL;
    }
    int64_t count = ir_type_num_elements(type);
    size_t parts = element->kind == IR_TYPE_COMPLEX ? 2 : 1;
    ir_type part = parts == 2 ? element->element : element;
    if (!storable(element)) {
        ir_fail(p, at, "dense elements cannot hold elements of type '%s'",
                ir_type_text(p->ctx, element));
        return NULL;
    }
    if ((parts == 2) != l->complex_pairs && l->count) {
        ir_fail(p, at, "expected %s elements", parts == 2 ? "complex" : "non-complex");
        return NULL;
    }
    if (l->count == 0 && count != 0) {
        ir_fail(p, at, "parsed zero elements, but type ('%s') expected at least 1",
                ir_type_text(p->ctx, type));
        return NULL;
    }
    size_t have = l->count / parts, size = ir_dense_element_size(part);
    if (!l->any_list ? have != 1 && count != 0 : (int64_t)have != count) {
        ir_fail(p, at, "expected %lld elements in the literal, but got %zu",
                (long long)count, have);
        return NULL;
    }
    char *data = tw_xmalloc(l->count * size + 1);
    ir_attr attr = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < l->count; i++) {
        uint64_t bits;
        ok = element_bits(p, &l->at[i], part, &bits);
        if (ok)
            memcpy(data + i * size, &bits, size);
    }
    if (ok)
        attr = ir_dense_attr(type, data, l->count * size);
    free(data);
    return attr;
}

/* `at`: start of the literal, where errors about its type are reported. */
static ir_type elements_type(ir_parser *p, ir_type type, const char *at)
{
    if (!type && !(type = ir_parse_colon_type(p)))
        return NULL;
    if (!ir_type_is_shaped(type)) {
        ir_fail(p, p->tok.at, "elements literal must be a shaped type");
        return NULL;
    }
    if (!ir_type_has_static_shape(type) || ir_type_num_elements(type) < 0) {
        ir_fail(p, at, "elements literal type must have static shape");
        return NULL;
    }
    return type;
}

/* A literal or nested lists of literals. */
static bool read_elements(ir_parser *p, literals *out)
{
    out->any_list = ir_at_punct(p, '[');
    return out->any_list ? read_list(p, out, 0, out->shape, &out->rank)
                         : read_element(p, out);
}

ir_attr ir_parse_dense(ir_parser *p, ir_type type)
{
    literals l = {0};
    const char *start = p->tok.at;
    ir_next(p);
    bool ok = ir_expect_punct_in(p, '<', "after 'dense'");
    if (ok && !ir_at_punct(p, '>'))
        ok = read_elements(p, &l);
    ok = ok && ir_expect_punct(p, '>');
    const char *at = p->tok.at;
    type = ok ? elements_type(p, type, start) : NULL;
    ir_attr attr = type ? elements_from(p, at, &l, type) : NULL;
    free(l.at);
    return attr;
}

ir_attr ir_parse_dense_resource(ir_parser *p, ir_type type)
{
    tw_str key;
    ir_next(p);
    if (!ir_expect_punct_in(p, '<', "after 'dense_resource'"))
        return NULL;
    if (!ir_accept_any_keyword(p, &key) && !ir_accept_string(p, &key)) {
        ir_fail_here(p, "expected identifier key for 'resource' entry");
        return NULL;
    }
    if (!ir_expect_punct(p, '>'))
        return NULL;
    const char *at = p->tok.at;
    if (!type && !(type = ir_parse_colon_type(p)))
        return NULL;
    if (!ir_type_is_shaped(type)) {
        ir_fail(p, at, "`dense_resource` expected a shaped type");
        return NULL;
    }
    return ir_resource_attr(type, ir_ident_from(p->ctx, "builtin"),
                            ir_ident_get(p->ctx, key));
}

/* ---- sparse<indices, values> : type ------------------------------------------------- */

static void put_shape(tw_strbuf *out, const int64_t *shape, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)shape[i]);
}

static bool sparse_shape_error(ir_parser *p, const char *at, ir_type type, ir_type indices,
                               ir_type values)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "expected shape ([");
    put_shape(&text, type->dims, type->count);
    tw_strbuf_puts(&text, "]); inferred shape of indices literal ([");
    put_shape(&text, indices->dims, indices->count);
    tw_strbuf_puts(&text, "]); inferred shape of values literal ([");
    put_shape(&text, values->dims, values->count);
    tw_strbuf_puts(&text, "])");
    ir_fail(p, at, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

static bool check_sparse(ir_parser *p, const char *at, ir_type type, ir_attr indices,
                         ir_attr values)
{
    ir_type it = indices->type, vt = values->type;
    if (vt->count != 1)
        return ir_fail(p, at, "expected 1-d tensor for sparse element values");
    bool ok =
        it->count == 2 ? it->dims[1] == type->count : it->count == 1 && type->count == 1;
    if (!ok || it->dims[0] != vt->dims[0])
        return sparse_shape_error(p, at, type, it, vt);
    for (int64_t i = 0; i < it->dims[0]; i++)
        for (uint32_t d = 0; d < type->count; d++) {
            int64_t index = ir_dense_int(indices, (size_t)i * type->count + d);
            if (index < 0 || index >= type->dims[d])
                return ir_fail(p, at,
                               "sparse index #%lld is not contained within the value shape",
                               (long long)i);
        }
    return true;
}

/* The types of both literals follow from their values and the whole's type; a bare value
 * applies to every index. */
static ir_attr sparse_from(ir_parser *p, const char *at, const literals *indices,
                           const literals *values, ir_type type)
{
    int64_t one_row[2] = {1, type->count}, one = 1;
    ir_type i64 = ir_integer_type(p->ctx, 64, IR_SIGNLESS);
    ir_type element = ir_type_element(type);
    ir_type index_type =
        indices->any_list ? ir_tensor_type(i64, indices->shape, (size_t)indices->rank, NULL)
                          : ir_tensor_type(i64, one_row, 2, NULL);
    ir_type value_type = values->any_list ? ir_tensor_type(element, values->shape,
                                                           (size_t)values->rank, NULL)
                                          : ir_tensor_type(element, &one, 1, NULL);
    if (!values->any_list)
        value_type = ir_tensor_type(element, index_type->dims, 1, NULL);
    if (indices->count == 0) { /* sparse<> */
        one_row[0] = one = 0;
        index_type = ir_tensor_type(i64, one_row, 2, NULL);
        value_type = ir_tensor_type(element, &one, 1, NULL);
    }
    ir_attr both[2];
    if (!(both[0] = elements_from(p, at, indices, index_type)) ||
        !(both[1] = elements_from(p, at, values, value_type)) ||
        !check_sparse(p, at, type, both[0], both[1]))
        return NULL;
    struct ir_attr_data probe = {.kind = IR_ATTR_SPARSE, .type = type, .count = 2};
    probe.items = both;
    return ir_attr_intern(p->ctx, &probe);
}

ir_attr ir_parse_sparse(ir_parser *p, ir_type type)
{
    literals indices = {0}, values = {0};
    const char *at = p->tok.at;
    ir_next(p);
    bool ok = ir_accept_punct(p, '<') || ir_fail_here(p, "Expected '<' after 'sparse'");
    if (ok && !ir_at_punct(p, '>'))
        ok = read_elements(p, &indices) && ir_expect_punct(p, ',') &&
             read_elements(p, &values);
    ok = ok && ir_expect_punct(p, '>');
    type = ok ? elements_type(p, type, at) : NULL;
    ir_attr attr = type ? sparse_from(p, at, &indices, &values, type) : NULL;
    free(indices.at);
    free(values.at);
    return attr;
}

/* ---- {-# dialect_resources: {...}, external_resources: {...} #-} ----------------- */

typedef struct resource_row {
    ir_ident dialect, key;
    ir_blob blob;
} resource_row;

typedef struct resources {
    resource_row *rows;
    size_t count, capacity;
} resources;

static void free_resources(void *value)
{
    resources *r = value;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].blob.release)
            r->rows[i].blob.release(r->rows[i].blob.owner, r->rows[i].blob.data,
                                    r->rows[i].blob.size);
    free(r->rows);
    free(r);
}

const ir_blob *ir_resource_find(ir_context *ctx, ir_ident dialect, ir_ident key)
{
    const resources *r = ir_context_slot(ctx, IR_SLOT_RESOURCES);
    for (size_t i = 0; r && i < r->count; i++)
        if (r->rows[i].dialect == dialect && r->rows[i].key == key)
            return &r->rows[i].blob;
    return NULL;
}

void ir_resource_add(ir_context *ctx, ir_ident dialect, ir_ident key, ir_blob blob)
{
    resources *r = ir_context_slot(ctx, IR_SLOT_RESOURCES);
    if (!r) {
        r = tw_xcalloc(1, sizeof *r);
        ir_context_set_slot(ctx, IR_SLOT_RESOURCES, r, free_resources);
    }
    resource_row row = {dialect, key, blob};
    TW_PUSH(r->rows, r->count, r->capacity, row);
}

/* "0x" + four bytes of alignment + data */
static bool resource_blob(ir_parser *p, ir_ident dialect, ir_ident key, tw_str text,
                          const char *at)
{
    if (text.size < 10 || text.data[0] != '0' || text.data[1] != 'x' || text.size % 2)
        return ir_fail(p, at, "expected hex string blob for key '%s'", key->text);
    unsigned char align[4];
    size_t size = text.size / 2 - 5;
    char *data = (char *)tw_align_up(
        (size_t)tw_arena_alloc(ir_context_arena(p->ctx), size + 128), 64);
    if (!decode_hex(text.data + 2, 4, align) ||
        !decode_hex(text.data + 10, size, (unsigned char *)data))
        return ir_fail(p, at, "expected hex string blob for key '%s'", key->text);
    uint32_t alignment = (uint32_t)align[0] | (uint32_t)align[1] << 8 |
                         (uint32_t)align[2] << 16 | (uint32_t)align[3] << 24;
    if (alignment & (alignment - 1))
        return ir_fail(p, at,
                       "expected hex string blob for key '%s' to encode alignment in first "
                       "4 bytes, but got non-power-of-2 value: %u",
                       key->text, alignment);
    ir_resource_add(p->ctx, dialect, key,
                    (ir_blob){.data = data, .size = size, .align = alignment});
    return true;
}

/* External resources (reproducers) also hold plain strings, which are left to tools. */
static bool parse_resource_entry(ir_parser *p, ir_ident dialect, bool external)
{
    tw_str key, text;
    if (!ir_parse_keyword_or_string(p, &key) || !ir_expect_punct(p, ':'))
        return false;
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "true") || ir_accept_keyword(p, "false"))
        return true;
    if (!ir_parse_string(p, &text))
        return false;
    if (external && (text.size < 2 || memcmp(text.data, "0x", 2) != 0))
        return true;
    return resource_blob(p, dialect, ir_ident_get(p->ctx, key), text, at);
}

bool ir_parse_file_metadata(ir_parser *p)
{
    ir_next(p);
    do {
        tw_str section;
        if (!ir_parse_keyword(p, &section) || !ir_expect_punct(p, ':') ||
            !ir_expect_punct(p, '{'))
            return false;
        if (!tw_str_is(section, "dialect_resources") &&
            !tw_str_is(section, "external_resources"))
            return ir_fail_here(p, "unknown key '%.*s' in file metadata dictionary",
                                (int)section.size, section.data);
        if (ir_accept_punct(p, '}'))
            continue;
        do {
            tw_str group;
            if (!ir_parse_keyword_or_string(p, &group) || !ir_expect_punct(p, ':') ||
                !ir_expect_punct(p, '{'))
                return false;
            ir_ident dialect = ir_ident_get(p->ctx, group);
            if (!ir_at_punct(p, '}'))
                do
                    if (!parse_resource_entry(p, dialect,
                                              tw_str_is(section, "external_resources")))
                        return false;
                while (ir_accept_punct(p, ','));
            if (!ir_expect_punct(p, '}'))
                return false;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, '}'))
            return false;
    } while (ir_accept_punct(p, ','));
    if (p->tok.kind != IR_TOK_FILE_META_END)
        return ir_fail_here(p, "expected '#-}' to end file metadata dictionary");
    ir_next(p);
    return true;
}
