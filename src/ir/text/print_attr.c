/* print_attr.c: writing attributes and types. */
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

/* ---- affine ---------------------------------------------------------------------- */

static void put_expr(ir_printer *p, ir_affine e, bool strong);

static void put_binary(ir_printer *p, ir_affine lhs, const char *op, ir_affine rhs)
{
    put_expr(p, lhs, true);
    ir_put(p, op);
    put_expr(p, rhs, true);
}

static void put_sum(ir_printer *p, ir_affine e)
{
    ir_affine rhs = e->rhs;
    if (rhs->kind == IR_AFFINE_MUL && rhs->rhs->kind == IR_AFFINE_CONSTANT &&
        rhs->rhs->value < 0) {
        put_expr(p, e->lhs, false);
        ir_put(p, " - ");
        if (rhs->rhs->value == -1) {
            put_expr(p, rhs->lhs, rhs->lhs->kind == IR_AFFINE_ADD);
        } else {
            put_expr(p, rhs->lhs, true);
            ir_putf(p, " * %lld", (long long)-rhs->rhs->value);
        }
        return;
    }
    put_expr(p, e->lhs, false);
    if (rhs->kind == IR_AFFINE_CONSTANT && rhs->value < 0) {
        ir_putf(p, " - %lld", (long long)-rhs->value);
        return;
    }
    ir_put(p, " + ");
    put_expr(p, rhs, false);
}

/* A dimension or symbol where values stand for them. */
static void put_value_of(ir_printer *p, ir_affine e)
{
    bool symbol = e->kind == IR_AFFINE_SYMBOL;
    size_t at = (size_t)e->value + (symbol ? p->affine_dims : 0);
    if (symbol)
        ir_put(p, "symbol(");
    if (at < p->affine_count) /* else the operation is malformed */
        ir_put_value(p, p->affine_operands[at].value);
    else
        ir_put(p, "<<MISSING>>");
    if (symbol)
        ir_putc(p, ')');
}

static void put_expr(ir_printer *p, ir_affine e, bool strong)
{
    if (p->affine_operands && e->kind <= IR_AFFINE_SYMBOL) {
        put_value_of(p, e);
        return;
    }
    switch (e->kind) {
    case IR_AFFINE_DIM:
        ir_putf(p, "d%lld", (long long)e->value);
        return;
    case IR_AFFINE_SYMBOL:
        ir_putf(p, "s%lld", (long long)e->value);
        return;
    case IR_AFFINE_CONSTANT:
        ir_put_int(p, e->value);
        return;
    default:
        break;
    }
    if (strong)
        ir_putc(p, '(');
    if (e->kind == IR_AFFINE_ADD) {
        put_sum(p, e);
    } else if (e->kind == IR_AFFINE_MUL && e->rhs->kind == IR_AFFINE_CONSTANT &&
               e->rhs->value == -1) {
        ir_putc(p, '-');
        put_expr(p, e->lhs, true);
    } else {
        put_binary(p, e->lhs,
                   e->kind == IR_AFFINE_MUL        ? " * "
                   : e->kind == IR_AFFINE_FLOORDIV ? " floordiv "
                   : e->kind == IR_AFFINE_CEILDIV  ? " ceildiv "
                                                   : " mod ",
                   e->rhs);
    }
    if (strong)
        ir_putc(p, ')');
}

void ir_put_affine_expr(ir_printer *p, ir_affine expr)
{
    put_expr(p, expr, false);
}

void ir_put_affine_of_values(ir_printer *p, ir_affine expr, const ir_operand *operands,
                             uint32_t count, uint32_t n_dims)
{
    p->affine_operands = operands;
    p->affine_count = count;
    p->affine_dims = n_dims;
    put_expr(p, expr, false);
    p->affine_operands = NULL;
}

static void put_dims_symbols(ir_printer *p, uint32_t dims, uint32_t symbols)
{
    ir_putc(p, '(');
    for (uint32_t i = 0; i < dims; i++)
        ir_putf(p, "%sd%u", i ? ", " : "", i);
    ir_putc(p, ')');
    if (!symbols)
        return;
    ir_putc(p, '[');
    for (uint32_t i = 0; i < symbols; i++)
        ir_putf(p, "%ss%u", i ? ", " : "", i);
    ir_putc(p, ']');
}

void ir_put_affine_map(ir_printer *p, ir_affine_map map)
{
    put_dims_symbols(p, map->n_dims, map->n_symbols);
    ir_put(p, " -> (");
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (i)
            ir_put(p, ", ");
        put_expr(p, map->results[i], false);
    }
    ir_putc(p, ')');
}

void ir_put_integer_set(ir_printer *p, ir_integer_set set)
{
    put_dims_symbols(p, set->n_dims, set->n_symbols);
    ir_put(p, " : (");
    for (uint32_t i = 0; i < set->n_constraints; i++) {
        if (i)
            ir_put(p, ", ");
        put_expr(p, set->constraints[i], false);
        ir_put(p, set->is_equality[i] ? " == 0" : " >= 0");
    }
    ir_putc(p, ')');
}

/* ---- dense elements -------------------------------------------------------------- */

static void put_number(ir_printer *p, ir_type type, uint64_t bits)
{
    if (type->kind == IR_TYPE_FLOAT)
        ir_print_float(ir_float_decode((ir_float_kind)type->sign, bits), bits, type,
                       p->out);
    else if (ir_type_is_integer(type, 1))
        ir_put(p, bits & 1 ? "true" : "false");
    else if (type->kind == IR_TYPE_INTEGER && type->sign == IR_UNSIGNED)
        tw_strbuf_u64(p->out, (uint64_t)ir_int_wrap(type, (int64_t)bits));
    else
        ir_put_int(p, ir_int_wrap(type, (int64_t)bits));
}

static void put_element(ir_printer *p, ir_attr dense, ir_type element, size_t i)
{
    if (dense->splat & 2) {
        ir_put_quoted(p, ir_attr_str(dense->items[dense->splat & 1 ? 0 : i]));
        return;
    }
    size_t size = ir_dense_element_size(element);
    const char *at = (const char *)dense->blob->data + (dense->splat & 1 ? 0 : i * size);
    uint64_t bits = 0;
    if (element->kind == IR_TYPE_COMPLEX) {
        size_t half = size / 2;
        ir_putc(p, '(');
        memcpy(&bits, at, half);
        put_number(p, element->element, bits);
        ir_putc(p, ',');
        bits = 0;
        memcpy(&bits, at + half, half);
        put_number(p, element->element, bits);
        ir_putc(p, ')');
        return;
    }
    memcpy(&bits, at, size);
    put_number(p, element, bits);
}

static void put_nested(ir_printer *p, ir_attr dense, ir_type element, uint32_t dim,
                       size_t *next)
{
    if (dim == dense->type->count) {
        put_element(p, dense, element, (*next)++);
        return;
    }
    ir_putc(p, '[');
    for (int64_t i = 0; i < dense->type->dims[dim]; i++) {
        if (i)
            ir_put(p, ", ");
        put_nested(p, dense, element, dim + 1, next);
    }
    ir_putc(p, ']');
}

void ir_put_hex_bytes(ir_printer *p, const void *bytes, size_t size)
{
    static const char hex[] = "0123456789ABCDEF";
    const unsigned char *data = bytes;
    tw_strbuf_reserve(p->out, size * 2 + 8);
    char *to = p->out->data + p->out->size;
    for (size_t i = 0; i < size; i++) {
        *to++ = hex[data[i] >> 4];
        *to++ = hex[data[i] & 15];
    }
    p->out->size += size * 2;
    p->out->data[p->out->size] = 0;
}

static void put_hex(ir_printer *p, const ir_blob *blob)
{
    ir_put(p, "\"0x");
    ir_put_hex_bytes(p, blob->data, blob->size);
    ir_putc(p, '"');
}

static void put_dense_body(ir_printer *p, ir_attr a, bool allow_hex)
{
    ir_type element = ir_type_element(a->type);
    int64_t count = ir_type_num_elements(a->type);
    if (a->splat & 1) {
        put_element(p, a, element, 0);
    } else if (count == 0) {
        return;
    } else if (allow_hex && !(a->splat & 2) &&
               count > (p->options.elide_hex ? p->options.elide_hex : 100)) {
        put_hex(p, a->blob);
    } else {
        size_t next = 0;
        put_nested(p, a, element, 0, &next);
    }
}

static void put_dense(ir_printer *p, ir_attr a)
{
    if (p->options.elide_elements > 0 && !(a->splat & 1) &&
        ir_type_num_elements(a->type) > p->options.elide_elements) {
        ir_put(p, "dense_resource<__elided__>");
        return;
    }
    ir_put(p, "dense<");
    put_dense_body(p, a, true);
    ir_putc(p, '>');
}

static void put_dense_array_items(ir_printer *p, ir_attr a)
{
    size_t size = ir_dense_element_size(a->type);
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)a->blob->data + i * size, size);
        if (i)
            ir_put(p, ", ");
        put_number(p, a->type, bits);
    }
}

void ir_put_dense_array_bare(ir_printer *p, ir_attr a)
{
    ir_putc(p, '[');
    put_dense_array_items(p, a);
    ir_putc(p, ']');
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

/* A list leaves f64 out.  Bits keep it, or they would read as an integer (MLIR's printer
 * does lose them there). */
static bool put_float_value(ir_printer *p, ir_attr a, type_elision elision)
{
    size_t start = p->out->size;
    ir_print_float(a->real, a->bits, a->type, p->out);
    bool bits = p->out->size - start > 2 && p->out->data[start + 1] == 'x';
    return bits || !(elision == MAY && ir_type_is_float(a->type, IR_F64));
}

/* True if the type behind the value was left to the caller to print. */
static bool put_value(ir_printer *p, ir_attr a, type_elision elision)
{
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        if (!a->type) {
            ir_put_int(p, a->value);
            return false;
        }
        put_number(p, a->type, (uint64_t)a->value);
        return !ir_type_is_signless(a->type, 1) &&
               !(elision == MAY && ir_type_is_signless(a->type, 64));
    case IR_ATTR_FLOAT:
        return put_float_value(p, a, elision);
    case IR_ATTR_STRING:
        ir_put_quoted(p, ir_attr_str(a));
        return a->type != NULL;
    case IR_ATTR_ARRAY:
        ir_putc(p, '[');
        for (uint32_t i = 0; i < a->count; i++) {
            if (i)
                ir_put(p, ", ");
            put_attr(p, a->items[i], MAY);
        }
        ir_putc(p, ']');
        return false;
    case IR_ATTR_DICT:
        ir_putc(p, '{');
        for (uint32_t i = 0; i < a->count; i++) {
            if (i)
                ir_put(p, ", ");
            put_entry(p, a->entries[i]);
        }
        ir_putc(p, '}');
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
        put_dense(p, a);
        return true;
    case IR_ATTR_DENSE_ARRAY:
        ir_put(p, "array<");
        ir_put_type(p, a->type);
        if (a->count) {
            ir_put(p, ": ");
            put_dense_array_items(p, a);
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
        ir_put(p, "sparse<");
        if (ir_type_num_elements(a->items[0]->type)) {
            put_dense_body(p, a->items[0], false);
            ir_put(p, ", ");
            put_dense_body(p, a->items[1], false);
        }
        ir_putc(p, '>');
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
    bool has_type = put_value(p, a, elision);
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

/* ---- types ----------------------------------------------------------------------- */

void ir_put_dims(ir_printer *p, const int64_t *dims, size_t count, bool trailing_x)
{
    for (size_t i = 0; i < count; i++) {
        if (dims[i] == IR_DYNAMIC)
            ir_putc(p, '?');
        else
            ir_put_int(p, dims[i]);
        if (trailing_x || i + 1 < count)
            ir_putc(p, 'x');
    }
}

static void put_type_list(ir_printer *p, const ir_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, types[i]);
    }
}

static void put_function_type(ir_printer *p, ir_type t)
{
    const ir_type *results = ir_function_results(t);
    ir_putc(p, '(');
    put_type_list(p, t->types, t->count);
    ir_put(p, ") -> ");
    bool bare = t->results == 1 && results[0]->kind != IR_TYPE_FUNCTION;
    if (!bare)
        ir_putc(p, '(');
    put_type_list(p, results, t->results);
    if (!bare)
        ir_putc(p, ')');
}

static void put_vector(ir_printer *p, ir_type t)
{
    ir_put(p, "vector<");
    for (uint32_t i = 0; i < t->count; i++)
        ir_putf(p, t->scalable && t->scalable[i] ? "[%lld]x" : "%lldx",
                (long long)t->dims[i]);
    ir_put_type(p, t->element);
    ir_putc(p, '>');
}

static void put_memref_tail(ir_printer *p, ir_type t)
{
    ir_put_type(p, t->element);
    if (t->encoding) {
        ir_put(p, ", ");
        put_attr(p, t->encoding, NEVER);
    }
    if (t->space) {
        ir_put(p, ", ");
        put_attr(p, t->space, MAY);
    }
    ir_putc(p, '>');
}

static void spell_type(ir_printer *p, ir_type t)
{
    switch (t->kind) {
    case IR_TYPE_INTEGER:
        ir_put(p, t->sign == IR_SIGNED ? "si" : t->sign == IR_UNSIGNED ? "ui" : "i");
        ir_put_int(p, t->width);
        return;
    case IR_TYPE_FLOAT:
        ir_put(p, ir_float_name((ir_float_kind)t->sign));
        return;
    case IR_TYPE_INDEX:
        ir_put(p, "index");
        return;
    case IR_TYPE_NONE:
        ir_put(p, "none");
        return;
    case IR_TYPE_COMPLEX:
        ir_put(p, "complex<");
        ir_put_type(p, t->element);
        ir_putc(p, '>');
        return;
    case IR_TYPE_VECTOR:
        put_vector(p, t);
        return;
    case IR_TYPE_TENSOR:
        ir_put(p, "tensor<");
        ir_put_dims(p, t->dims, t->count, true);
        ir_put_type(p, t->element);
        if (t->encoding) {
            ir_put(p, ", ");
            put_attr(p, t->encoding, NEVER);
        }
        ir_putc(p, '>');
        return;
    case IR_TYPE_UNRANKED_TENSOR:
        ir_put(p, "tensor<*x");
        ir_put_type(p, t->element);
        ir_putc(p, '>');
        return;
    case IR_TYPE_MEMREF:
        ir_put(p, "memref<");
        ir_put_dims(p, t->dims, t->count, true);
        put_memref_tail(p, t);
        return;
    case IR_TYPE_UNRANKED_MEMREF:
        ir_put(p, "memref<*x");
        put_memref_tail(p, t);
        return;
    case IR_TYPE_FUNCTION:
        put_function_type(p, t);
        return;
    case IR_TYPE_TUPLE:
        ir_put(p, "tuple<");
        put_type_list(p, t->types, t->count);
        ir_putc(p, '>');
        return;
    case IR_TYPE_DIALECT:
        ir_put_dialect_type(p, t);
        return;
    default:
        ir_putf(p, "!%s", t->dialect->text);
        ir_put_str(p, ir_ident_str(t->body));
        return;
    }
}

void ir_put_type(ir_printer *p, ir_type t)
{
    if (!t) {
        ir_put(p, "<<NULL TYPE>>");
        return;
    }
    if (t->has_alias && p->aliases) {
        if (!ir_put_alias_type(p, t))
            spell_type(p, t);
        return;
    }
    if (!p->type_texts) {
        spell_type(p, t);
        return;
    }
    if (p->collecting || ir_put_type_again(p, t))
        return; /* nothing in it can be an alias; or printed */
    size_t start = p->out->size;
    spell_type(p, t);
    ir_remember_type_text(p, t, start);
}

/* ---- by themselves --------------------------------------------------------------- */

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
