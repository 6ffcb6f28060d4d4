/* json.c: prints tables by their schema rows. */
#include "flatbuffer/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct printer {
    tw_strbuf *out;
    size_t limit; /* of out->size */
} printer;

static void newline(printer *p, int indent)
{
    tw_strbuf_putc(p->out, '\n');
    for (int i = 0; i < indent; i++)
        tw_strbuf_putc(p->out, ' ');
}

static void print_real(tw_strbuf *out, double value, bool narrow)
{
    if (isnan(value) || isinf(value)) {
        tw_strbuf_puts(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    char text[40];
    for (int digits = narrow ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    tw_strbuf_puts(out, text);
    if (!strpbrk(text, ".e"))
        tw_strbuf_puts(out, ".0");
}

static void print_bits(tw_strbuf *out, const fb_enum_def *def, uint64_t value)
{
    const char *separator = "\"";
    if (!value)
        tw_strbuf_putc(out, '0');
    for (size_t i = 0; i < def->n_cases; i++)
        if (value & def->cases[i].value) {
            tw_strbuf_printf(out, "%s%s", separator, def->cases[i].name);
            separator = " ";
        }
    if (value)
        tw_strbuf_putc(out, '"');
}

/* Prints a scalar, enum or discriminator with the given value. */
static void print_int(tw_strbuf *out, unsigned kind, unsigned scalar, unsigned of,
                      int64_t value)
{
    const char *name = NULL;
    if (kind == FB_KIND_ENUM && fb_enums[of].bits) {
        print_bits(out, &fb_enums[of], (uint64_t)value);
        return;
    }
    if (kind == FB_KIND_ENUM)
        name = fb_enum_name(of, (uint64_t)value);
    else if (kind == FB_KIND_UTYPE && (uint64_t)value < fb_unions[of].n_alternatives)
        name = fb_unions[of].alternatives[value].name;
    else if (scalar == FB_BOOL)
        name = value ? "true" : "false";
    if (!name && scalar == FB_U64)
        tw_strbuf_u64(out, (uint64_t)value);
    else if (!name)
        tw_strbuf_i64(out, value);
    else if (kind == FB_KIND_SCALAR)
        tw_strbuf_puts(out, name);
    else
        tw_strbuf_printf(out, "\"%s\"", name);
}

static void print_struct(printer *p, unsigned id, const uint8_t *at, int indent)
{
    const fb_struct_def *def = &fb_structs[id];
    tw_strbuf_putc(p->out, '{');
    for (size_t i = 0; i < def->n_members; i++) {
        const fb_member *m = &def->members[i];
        if (i)
            tw_strbuf_putc(p->out, ',');
        newline(p, indent + 2);
        tw_strbuf_printf(p->out, "\"%s\": ", m->name);
        if (m->kind == FB_KIND_STRUCT)
            print_struct(p, m->of, at + m->offset, indent + 2);
        else
            print_int(p->out, m->kind, m->scalar, m->of,
                      fb_load_int(at + m->offset, m->scalar));
    }
    newline(p, indent);
    tw_strbuf_putc(p->out, '}');
}

static tw_status print_table(printer *p, fb_view table, int indent);

static bool is_real(const fb_field *field)
{
    return field->kind == FB_KIND_SCALAR &&
           (field->scalar == FB_F32 || field->scalar == FB_F64);
}

static tw_status print_element(printer *p, fb_vec vec, size_t i, int indent)
{
    const fb_field *field = vec.field;
    switch ((fb_kind)field->kind) {
    case FB_KIND_STRING:
        tw_json_string(p->out, fb_vec_str(vec, i));
        return TW_SUCCESS;
    case FB_KIND_STRUCT:
        print_struct(p, field->of, fb_vec_struct(vec, i), indent);
        return TW_SUCCESS;
    case FB_KIND_TABLE:
    case FB_KIND_UNION:
        return print_table(p, fb_vec_table(vec, i), indent);
    default:
        if (is_real(field))
            print_real(p->out, fb_vec_real(vec, i), field->scalar == FB_F32);
        else
            print_int(p->out, field->kind, field->scalar, field->of, fb_vec_int(vec, i));
        return TW_SUCCESS;
    }
}

static tw_status too_long(const printer *p)
{
    return tw_error(TW_RESOURCE, "the JSON text would exceed %zu bytes", p->limit);
}

static tw_status print_vector(printer *p, fb_vec vec, int indent)
{
    tw_strbuf_putc(p->out, '[');
    for (size_t i = 0; i < vec.count; i++) {
        if (i)
            tw_strbuf_putc(p->out, ',');
        newline(p, indent + 2);
        TW_TRY(print_element(p, vec, i, indent + 2));
        if (p->out->size > p->limit)
            return too_long(p);
    }
    if (vec.count)
        newline(p, indent);
    tw_strbuf_putc(p->out, ']');
    return TW_SUCCESS;
}

static tw_status print_field(printer *p, fb_view table, int slot, int indent)
{
    const fb_field *field = &table.def->fields[slot];
    if (field->vector)
        return print_vector(p, fb_get_vec(table, slot), indent);
    switch ((fb_kind)field->kind) {
    case FB_KIND_STRING:
        tw_json_string(p->out, fb_get_str(table, slot));
        return TW_SUCCESS;
    case FB_KIND_STRUCT:
        print_struct(p, field->of, fb_get_struct(table, slot), indent);
        return TW_SUCCESS;
    case FB_KIND_TABLE:
    case FB_KIND_UNION:
        return print_table(p, fb_get_table(table, slot), indent);
    default:
        if (field->optional && !fb_has(table, slot))
            tw_strbuf_puts(p->out, "null");
        else if (is_real(field))
            print_real(p->out, fb_get_real(table, slot), field->scalar == FB_F32);
        else
            print_int(p->out, field->kind, field->scalar, field->of,
                      fb_get_int(table, slot));
        return TW_SUCCESS;
    }
}

static tw_status print_table(printer *p, fb_view table, int indent)
{
    const char *separator = "";
    tw_strbuf_putc(p->out, '{');
    for (int slot = 0; slot < table.def->n_fields; slot++) {
        const fb_field *field = &table.def->fields[slot];
        bool scalar = !field->vector && field->kind != FB_KIND_STRUCT &&
                      field->kind != FB_KIND_STRING && field->kind != FB_KIND_TABLE &&
                      field->kind != FB_KIND_UNION;
        if (!scalar && !fb_has(table, slot))
            continue;
        tw_strbuf_puts(p->out, separator);
        separator = ",";
        newline(p, indent + 2);
        tw_strbuf_printf(p->out, "\"%s\": ", field->name);
        TW_TRY(print_field(p, table, slot, indent + 2));
    }
    if (*separator)
        newline(p, indent);
    tw_strbuf_putc(p->out, '}');
    return p->out->size > p->limit ? too_long(p) : TW_SUCCESS;
}

static printer printer_to(tw_strbuf *out, size_t limit)
{
    return (printer){.out = out, .limit = out->size + (limit ? limit : FB_JSON_LIMIT)};
}

tw_status fb_field_to_json(fb_view table, int slot, int indent, size_t limit,
                           tw_strbuf *out)
{
    printer p = printer_to(out, limit);
    return print_field(&p, table, slot, indent);
}

tw_status fb_to_json(fb_view table, int indent, size_t limit, tw_strbuf *out)
{
    printer p = printer_to(out, limit);
    return print_table(&p, table, indent);
}
