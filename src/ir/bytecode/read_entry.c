/* read_entry.c: attributes and types by index, decoded on first use.
 *
 * Entries refer to each other in any direction; one that refers to itself, a chain that is
 * too deep, or one whose text would be too long is rejected. */
#include "ir/bytecode/builtin_codes.h"
#include "ir/bytecode/reader.h"
#include "ir/text.h"

enum { DEEPEST = 512, HEAVIEST = 1 << 26 };

/* ---- the table --------------------------------------------------------------------- */

static bool read_groups(ir_bytecode_in *in, ir_bytecode_in *data, bc_entry *entries,
                        size_t count)
{
    ir_bytecode_reader *r = in->reader;
    for (size_t i = 0; i < count;) {
        uint64_t dialect = ir_in_varint(in);
        if (in->failed || !bc_index(in, dialect, r->n_dialects, "dialect"))
            return false;
        size_t n = ir_in_count(in);
        if (n > count - i)
            return ir_in_fail(in, "a group of %zu entries, but %zu are left", n, count - i);
        for (size_t k = 0; k < n; k++, i++) {
            uint64_t size = ir_in_varint(in);
            if (size >> 1 > ir_in_left(data))
                return ir_in_fail(in, "an entry of %llu bytes, but %zu are left",
                                  (unsigned long long)(size >> 1), ir_in_left(data));
            entries[i] = (bc_entry){.data = data->at,
                                    .size = (uint32_t)(size >> 1),
                                    .dialect = (uint32_t)dialect & 0x3fffffff,
                                    .custom = size & 1};
            data->at += size >> 1;
        }
        if (in->failed)
            return false;
    }
    return true;
}

bool bc_read_offsets(ir_bytecode_reader *r, ir_bytecode_in *in, ir_bytecode_in *data)
{
    if (ir_in_left(data) >= (size_t)1 << 31)
        return ir_in_fail(data, "a section of 2 GiB or more");
    r->n_attrs = ir_in_count(in);
    r->n_types = ir_in_count(in);
    if (in->failed)
        return false;
    r->attrs = ir_in_scratch(in, r->n_attrs * sizeof *r->attrs);
    r->types = ir_in_scratch(in, r->n_types * sizeof *r->types);
    if (!read_groups(in, data, r->attrs, r->n_attrs) ||
        !read_groups(in, data, r->types, r->n_types))
        return false;
    if (ir_in_left(in))
        return ir_in_fail(in, "expected the end, found %zu more bytes", ir_in_left(in));
    return true;
}

/* ---- decoding ----------------------------------------------------------------------- */

static const void *decode_text(ir_bytecode_in *in, bool type)
{
    size_t size = ir_in_left(in);
    if (size == 0 || in->end[-1] != 0) {
        ir_in_fail(in, "expected text that ends in a zero byte");
        return NULL;
    }
    tw_str text = {(const char *)in->at, size - 1};
    const void *value = type ? (const void *)ir_parse_type(in->reader->ctx, text)
                             : (const void *)ir_parse_attr(in->reader->ctx, text);
    if (!value)
        ir_in_fail(in, "the text of %s does not parse: %.*s",
                   type ? "a type" : "an attribute", (int)TW_MIN(text.size, (size_t)80),
                   text.data);
    in->at = in->end;
    return value;
}

static const void *decode_custom(ir_bytecode_in *in, const bc_dialect *dialect, bool type)
{
    bool builtin = tw_str_is(dialect->name, "builtin");
    const ir_bytecode_codec *codec = dialect->def ? dialect->def->bytecode : NULL;
    if (builtin)
        return type ? (const void *)ir_builtin_read_type(in)
                    : (const void *)ir_builtin_read_attr(in);
    if (!codec) {
        ir_in_fail(in, "dialect '%.*s' has no known binary encoding",
                   (int)TW_MIN(dialect->name.size, (size_t)64), dialect->name.data);
        return NULL;
    }
    return type ? (const void *)ir_rows_read_type(in, codec)
                : (const void *)ir_rows_read_attr(in, codec);
}

static const void *decode(ir_bytecode_in *from, bc_entry *e, bool type)
{
    ir_bytecode_reader *r = from->reader;
    ir_bytecode_in in = {r, e->data, e->data + e->size, type ? "types" : "attributes",
                         false};
    if (e->busy || r->depth >= DEEPEST) {
        ir_in_fail(&in, e->busy ? "%s that refers to itself" : "%s nested too deeply",
                   type ? "a type" : "an attribute");
        return NULL;
    }
    uint64_t outer = r->weight;
    e->busy = true;
    r->depth++;
    r->weight = 1 + e->size / 16;
    const bc_dialect *dialect = &r->dialects[e->dialect];
    const void *value =
        e->custom ? decode_custom(&in, dialect, type) : decode_text(&in, type);
    if (!in.failed && value && ir_in_left(&in))
        ir_in_fail(&in, "expected the end of %s, found %zu more bytes",
                   type ? "the type" : "the attribute", ir_in_left(&in));
    if (!in.failed && r->weight > HEAVIEST)
        ir_in_fail(&in, "%s that expands to millions of parts",
                   type ? "a type" : "an attribute");
    if (!in.failed && !value)
        ir_in_fail(&in, "%s that is not valid", type ? "a type" : "an attribute");
    e->weight = (uint32_t)TW_MIN(r->weight, (uint64_t)HEAVIEST);
    r->weight = outer;
    r->depth--;
    e->busy = false;
    return in.failed ? NULL : value;
}

static bc_entry *entry(ir_bytecode_in *in, uint64_t index, bool type)
{
    ir_bytecode_reader *r = in->reader;
    if (in->failed ||
        !bc_index(in, index, type ? r->n_types : r->n_attrs, type ? "type" : "attribute"))
        return NULL;
    bc_entry *e = type ? &r->types[index] : &r->attrs[index];
    if (!e->value && !(e->value = decode(in, e, type))) {
        ir_in_fail(in, "in the entry that is referred to here");
        return NULL;
    }
    r->weight += e->weight;
    return e;
}

ir_attr ir_in_attr(ir_bytecode_in *in)
{
    bc_entry *e = entry(in, ir_in_varint(in), false);
    return e ? e->value : NULL;
}

ir_attr ir_in_optional_attr(ir_bytecode_in *in)
{
    uint64_t index = ir_in_varint(in);
    bc_entry *e = index & 1 ? entry(in, index >> 1, false) : NULL;
    return e ? e->value : NULL;
}

ir_attr ir_in_flag(ir_bytecode_in *in)
{
    ir_context *ctx = ir_in_context(in);
    return ir_in_byte(in) ? ir_unit_attr(ctx) : ir_bool_attr(ctx, false);
}

ir_type bc_type_at(ir_bytecode_in *in, uint64_t index)
{
    bc_entry *e = entry(in, index, true);
    return e ? e->value : NULL;
}

ir_type ir_in_type(ir_bytecode_in *in)
{
    return bc_type_at(in, ir_in_varint(in));
}

/* A line of a file is packed into the operation; its attribute is created only on demand.
 * Returns false if the entry is anything else or invalid. */
static bool read_position(ir_bytecode_in *from, bc_entry *e)
{
    ir_bytecode_reader *r = from->reader;
    ir_bytecode_in in = {r, e->data, e->data + e->size, "attributes", false};
    if (!e->custom || !tw_str_is(r->dialects[e->dialect].name, "builtin") || e->size < 4 ||
        ir_in_varint(&in) != ATTR_LOC_FILE)
        return false;
    ir_attr file = ir_in_attr(&in);
    uint64_t line = ir_in_varint(&in), column = ir_in_varint(&in);
    if (in.failed || ir_in_left(&in) || file->kind != IR_ATTR_STRING || line > UINT32_MAX ||
        column > UINT32_MAX)
        return false;
    e->loc = ir_loc_file(r->ctx, file->ident, (uint32_t)line, (uint32_t)column);
    return true;
}

ir_loc bc_in_loc(ir_bytecode_in *in)
{
    ir_bytecode_reader *r = in->reader;
    uint64_t index = ir_in_varint(in);
    if (!in->failed && index < r->n_attrs) {
        bc_entry *known = &r->attrs[index];
        if (known->loc.bits || (!known->value && read_position(in, known)))
            return known->loc;
    }
    bc_entry *e = entry(in, index, false);
    if (!e)
        return IR_LOC_UNKNOWN;
    ir_attr attr = e->value;
    if (!ir_attr_is_loc(attr)) {
        ir_in_fail(in, "expected a location, found another kind of attribute");
        return IR_LOC_UNKNOWN;
    }
    return e->loc = ir_loc_from_attr(attr);
}
