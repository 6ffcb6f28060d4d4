/* print_attr.c: writing attributes, names and strings. */
#include "ir/number.h"
#include "ir/text/print_impl.h"
#include "ir/text/printer.h"

#include <stdio.h>

void ir_putf(ir_printer *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(p->out, format, args);
    va_end(args);
}

void ir_put_int(ir_printer *p, int64_t value)
{
    tw_strbuf_i64(p->out, value);
}

void ir_put_newline(ir_printer *p)
{
    static const char blanks[] = "                                ";
    ir_putc(p, '\n');
    for (int left = p->indent; left > 0; left -= (int)sizeof blanks - 1)
        tw_strbuf_append(p->out, blanks, (size_t)TW_MIN(left, (int)sizeof blanks - 1));
}

/* ---- names and strings ----------------------------------------------------------- */

void ir_put_quoted(ir_printer *p, tw_str text)
{
    static const char hex[] = "0123456789ABCDEF";
    ir_putc(p, '"');
    size_t plain = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\')
            continue;
        tw_strbuf_append(p->out, text.data + plain, i - plain);
        plain = i + 1;
        ir_putc(p, '\\');
        if (c == '\\') {
            ir_putc(p, '\\');
        } else {
            ir_putc(p, hex[c >> 4]);
            ir_putc(p, hex[c & 15]);
        }
    }
    tw_strbuf_append(p->out, text.data + plain, text.size - plain);
    ir_putc(p, '"');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_bare(tw_str s)
{
    if (s.size == 0 || !is_letter(s.data[0]))
        return false;
    for (size_t i = 1; i < s.size; i++) {
        char c = s.data[i];
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '$' && c != '.')
            return false;
    }
    return true;
}

void ir_put_keyword_or_string(ir_printer *p, tw_str s)
{
    if (is_bare(s))
        ir_put_str(p, s);
    else
        ir_put_quoted(p, s);
}

void ir_put_symbol(ir_printer *p, tw_str name)
{
    ir_putc(p, '@');
    ir_put_keyword_or_string(p, name);
}

/* ---- attributes ------------------------------------------------------------------ */

typedef enum type_elision { NEVER, MAY, MUST } type_elision;

static void put_attr(ir_printer *p, ir_attr a, type_elision elision);

static void put_location(ir_printer *p, ir_attr a)
{
    if (!(p->aliases && !p->options.local_scope && ir_put_alias_attr(p, a)))
        ir_put_location_spelled(p, a);
}

void ir_put_location_spelled(ir_printer *p, ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_LOC_UNKNOWN:
        ir_put(p, "unknown");
        break;
    case IR_ATTR_LOC_FILE:
        ir_put_quoted(p, ir_ident_str(a->ident));
        ir_putf(p, ":%u:%u", a->line, a->column);
        if (a->end_line != a->line)
            ir_putf(p, " to %u:%u", a->end_line, a->end_column);
        else if (a->end_column != a->column)
            ir_putf(p, " to :%u", a->end_column);
        break;
    case IR_ATTR_LOC_NAME:
        ir_put_quoted(p, ir_ident_str(a->ident));
        if (a->child) {
            ir_putc(p, '(');
            put_location(p, a->child);
            ir_putc(p, ')');
        }
        break;
    case IR_ATTR_LOC_CALLSITE:
        ir_put(p, "callsite(");
        put_location(p, a->items[0]);
        ir_put(p, " at ");
        put_location(p, a->items[1]);
        ir_putc(p, ')');
        break;
    default:
        ir_put(p, "fused");
        if (a->items[a->count]) {
            ir_putc(p, '<');
            put_attr(p, a->items[a->count], NEVER);
            ir_putc(p, '>');
        }
        ir_putc(p, '[');
        for (uint32_t i = 0; i < a->count; i++) {
            if (i)
                ir_put(p, ", ");
            put_location(p, a->items[i]);
        }
        ir_putc(p, ']');
        break;
    }
}

void ir_put_location_body(ir_printer *p, ir_attr a)
{
    put_location(p, a);
}

static void put_entry(ir_printer *p, ir_named_attr entry)
{
    ir_put_keyword_or_string(p, ir_ident_str(entry.name));
    if (entry.value->kind == IR_ATTR_UNIT)
        return;
    ir_put(p, " = ");
    ir_put_attr(p, entry.value);
}

static void put_symbol_ref(ir_printer *p, ir_attr a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (i)
            ir_put(p, "::");
        ir_put_symbol(p, ir_attr_str(a->items[i]));
    }
}

static void put_array(ir_printer *p, ir_attr a)
{
    ir_putc(p, '[');
    for (uint32_t i = 0; i < a->count; i++) {
        if (i)
            ir_put(p, ", ");
        put_attr(p, a->items[i], MAY);
    }
    ir_putc(p, ']');
}

static void put_dict(ir_printer *p, ir_attr a)
{
    ir_putc(p, '{');
    for (uint32_t i = 0; i < a->count; i++) {
        if (i)
            ir_put(p, ", ");
        put_entry(p, a->entries[i]);
    }
    ir_putc(p, '}');
}

static void put_sparse(ir_printer *p, ir_attr a)
{
    ir_put(p, "sparse<");
    if (ir_type_num_elements(a->items[0]->type)) {
        ir_put_dense_body(p, a->items[0], false);
        ir_put(p, ", ");
        ir_put_dense_body(p, a->items[1], false);
    }
    ir_putc(p, '>');
}

static void put_strided(ir_printer *p, ir_attr a)
{
    ir_put(p, "strided<[");
    for (uint32_t i = 0; i < a->count; i++) {
        if (i)
            ir_put(p, ", ");
        if (a->strides[i] == IR_DYNAMIC)
            ir_putc(p, '?');
        else
            ir_put_int(p, a->strides[i]);
    }
    ir_putc(p, ']');
    if (a->offset == IR_DYNAMIC)
        ir_put(p, ", offset: ?");
    else if (a->offset)
        ir_putf(p, ", offset: %lld", (long long)a->offset);
    ir_putc(p, '>');
}

/* A list omits f64.  Values that would read as an integer print as bits (MLIR's printer
 * loses them there). */
static bool put_float_value(ir_printer *p, ir_attr a, type_elision elision)
{
    size_t start = p->out->size;
    ir_print_float(a->real, a->bits, a->type, p->out);
    bool bits = p->out->size - start > 2 && p->out->data[start + 1] == 'x';
    return bits || !(elision == MAY && ir_type_is_float(a->type, IR_F64));
}

/* Returns true if the caller must print the type after the value. */
static bool put_value(ir_printer *p, ir_attr a, type_elision elision)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        if (!a->type) {
            ir_put_int(p, a->value);
            return false;
        }
        ir_put_number(p, a->type, (uint64_t)a->value);
        return !ir_type_is_signless(a->type, 1) &&
               !(elision == MAY && ir_type_is_signless(a->type, 64));
    case IR_ATTR_FLOAT:
        return put_float_value(p, a, elision);
    case IR_ATTR_STRING:
        ir_put_quoted(p, ir_attr_str(a));
        return a->type != NULL;
    case IR_ATTR_ARRAY:
        put_array(p, a);
        return false;
    case IR_ATTR_DICT:
        put_dict(p, a);
        return false;
    case IR_ATTR_TYPE:
        ir_put_type(p, a->type);
        return false;
    case IR_ATTR_SYMBOL_REF:
        put_symbol_ref(p, a);
        return false;
    case IR_ATTR_UNIT:
        ir_put(p, "unit");
        return false;
    case IR_ATTR_DENSE:
        ir_put_dense(p, a);
        return true;
    case IR_ATTR_DENSE_ARRAY:
        ir_put(p, "array<");
        ir_put_type(p, a->type);
        if (a->count) {
            ir_put(p, ": ");
            ir_put_dense_array_items(p, a);
        }
        ir_putc(p, '>');
        return false;
    case IR_ATTR_RESOURCE:
        ir_note_resource(p, a);
        ir_put(p, "dense_resource<");
        ir_put_keyword_or_string(p, ir_ident_str(a->body));
        ir_putc(p, '>');
        return true;
    case IR_ATTR_SPARSE:
        put_sparse(p, a);
        return true;
    case IR_ATTR_AFFINE_MAP:
        ir_put(p, "affine_map<");
        ir_put_affine_map(p, a->map);
        ir_putc(p, '>');
        return false;
    case IR_ATTR_INTEGER_SET:
        ir_put(p, "affine_set<");
        ir_put_integer_set(p, a->set);
        ir_putc(p, '>');
        return false;
    case IR_ATTR_STRIDED:
        put_strided(p, a);
        return false;
    case IR_ATTR_DISTINCT:
        ir_putf(p, "distinct[%u]<", ir_distinct_number(p, a));
        if (a->child && a->child->kind != IR_ATTR_UNIT)
            put_attr(p, a->child, NEVER);
        ir_putc(p, '>');
        return false;
    case IR_ATTR_DIALECT:
        ir_put_dialect_attr(p, a);
        return false;
    case IR_ATTR_OPAQUE:
        ir_putf(p, "#%s", a->dialect->text);
        ir_put_str(p, ir_ident_str(a->body));
        return a->type != NULL;
    default:
        ir_put(p, "loc(");
        put_location(p, a);
        ir_putc(p, ')');
        return false;
    }
}

static void put_attr(ir_printer *p, ir_attr a, type_elision elision)
{
    if (!a) {
        ir_put(p, "<<NULL ATTRIBUTE>>");
        return;
    }
    if (a->has_alias && p->aliases && !ir_attr_is_loc(a) && ir_put_alias_attr(p, a))
        return;
    bool has_type = false;
    if (++p->depth > IR_MAX_PRINTED_NESTING)
        ir_putf(p, "<<ATTRIBUTE NESTED DEEPER THAN %d>>", IR_MAX_PRINTED_NESTING);
    else
        has_type = put_value(p, a, elision);
    p->depth--;
    if (has_type && elision != MUST && a->type->kind != IR_TYPE_NONE) {
        ir_put(p, " : ");
        ir_put_type(p, a->type);
    }
}

void ir_put_attr(ir_printer *p, ir_attr attr)
{
    put_attr(p, attr, NEVER);
}

void ir_put_attr_no_type(ir_printer *p, ir_attr attr)
{
    put_attr(p, attr, MUST);
}

void ir_put_attr_in_list(ir_printer *p, ir_attr attr)
{
    put_attr(p, attr, MAY);
}

void ir_put_float(ir_printer *p, ir_attr attr)
{
    ir_print_float(attr->real, attr->bits, attr->type, p->out);
}

void ir_put_attr_dict(ir_printer *p, const ir_named_attr *entries, size_t count,
                      const char *const *elided, size_t n_elided, bool with_keyword)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        bool skip = false;
        for (size_t e = 0; e < n_elided && !skip; e++)
            skip = strcmp(entries[i].name->text, elided[e]) == 0;
        if (skip)
            continue;
        ir_put(p, any ? ", " : with_keyword ? " attributes {" : " {");
        any = true;
        put_entry(p, entries[i]);
    }
    if (any)
        ir_putc(p, '}');
}

/* ---- standalone printing ------------------------------------------------------------ */

void ir_print_attr(ir_attr attr, tw_strbuf *out)
{
    ir_printer p = {.ctx = attr->ctx, .out = out};
    ir_put_attr(&p, attr);
}

void ir_print_type(ir_type type, tw_strbuf *out)
{
    ir_printer p = {.ctx = type->ctx, .out = out};
    ir_put_type(&p, type);
}

void ir_print_loc(ir_context *ctx, ir_loc loc, tw_strbuf *out)
{
    ir_printer p = {.ctx = ctx, .out = out};
    ir_put_attr(&p, ir_loc_attr(ctx, loc));
}

void ir_print_affine_map(ir_affine_map map, tw_strbuf *out)
{
    ir_printer p = {.out = out};
    ir_put_affine_map(&p, map);
}
