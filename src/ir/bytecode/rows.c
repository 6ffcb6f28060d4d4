/* rows.c: attributes and types encoded by their dialects' rows (codec.h). */
#include "ir/bytecode/codec.h"

#include "ir/number.h"

enum { MAX_PARAMS = 10 };

static ir_attr read_ints(ir_bytecode_in *in)
{
    size_t count;
    ir_context *ctx = ir_in_context(in);
    const int64_t *ints = ir_in_ints(in, &count);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_raw_int(ctx, ints[i]);
    return ir_array_attr(ctx, items, count);
}

static ir_attr read_type_list(ir_bytecode_in *in)
{
    size_t count;
    const ir_type *types = ir_in_types(in, &count);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_type_attr(types[i]);
    return ir_array_attr(ir_in_context(in), items, count);
}

static ir_attr read_f64(ir_bytecode_in *in)
{
    uint64_t bits = ir_in_bits(in, 64);
    return ir_float_attr_bits(ir_float_type(ir_in_context(in), IR_F64), bits);
}

static ir_attr read_f64_list(ir_bytecode_in *in)
{
    size_t count = ir_in_count(in);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = read_f64(in);
    return ir_array_attr(ir_in_context(in), items, count);
}

static ir_attr read_optional_number(ir_bytecode_in *in)
{
    uint64_t value = ir_in_varint(in);
    return value & 1 ? ir_raw_int(ir_in_context(in), (int64_t)(value >> 1)) : NULL;
}

static ir_attr read_array(ir_bytecode_in *in)
{
    ir_attr array = ir_in_attr(in);
    if (array && array->kind != IR_ATTR_ARRAY)
        ir_in_fail(in, "expected an array attribute, found another kind");
    return array;
}

static ir_attr read_field(ir_bytecode_in *in, char letter)
{
    ir_context *ctx = ir_in_context(in);
    switch (letter) {
    case 'v':
        return ir_raw_int(ctx, (int64_t)ir_in_varint(in));
    case 'i':
        return ir_raw_int(ctx, ir_in_svarint(in));
    case 'b':
        return ir_raw_int(ctx, ir_in_byte(in));
    case 'I':
        return read_ints(in);
    case 's':
        return ir_string_attr(ctx, ir_in_string(in));
    case 'a':
        return ir_in_attr(in);
    case 'A':
        return ir_in_attrs(in);
    case 'o':
        return ir_in_optional_attr(in);
    case 'O':
        return ir_in_byte(in) ? ir_in_attr(in) : NULL;
    case 'N':
        return ir_in_varint(in) ? ir_in_attr(in) : NULL;
    case 'P':
        return read_optional_number(in);
    case 't': {
        ir_type type = ir_in_type(in);
        return type ? ir_type_attr(type) : NULL;
    }
    case 'T':
        return read_type_list(in);
    case 'f':
        return read_f64(in);
    case 'F':
        return read_f64_list(in);
    case 'L':
        return read_array(in);
    }
    return NULL;
}

/* A parameter must have its declared class: printers and checks rely on it. */
static bool param_fits(const ir_param_def *def, ir_attr value, bool item)
{
    if (!value)
        return def->optional;
    if (def->array && !item) {
        if (value->kind != IR_ATTR_ARRAY)
            return false;
        for (uint32_t i = 0; i < value->count; i++)
            if (!param_fits(def, value->items[i], true))
                return false;
        return true;
    }
    if (def->kind == IR_PARAM_ENUM)
        return ir_enum_by_value(def->enumeration, value->value) != NULL;
    if (def->kind == IR_PARAM_BOOL)
        return value->value == 0 || value->value == 1;
    if (def->kind == IR_PARAM_ATTR && def->of)
        return value->kind == IR_ATTR_DIALECT && strcmp(value->def->mnemonic, def->of) == 0;
    return true;
}

static bool read_params(ir_bytecode_in *in, const ir_bytecode_row *row,
                        const ir_param_def *defs, size_t count, const char *what,
                        ir_attr *params)
{
    assert(count <= MAX_PARAMS);
    unsigned read = 0;
    for (const char *f = row->fields; *f && !ir_in_failed(in); f += 2) {
        params[f[1] - '0'] = read_field(in, f[0]);
        read |= 1u << (f[1] - '0');
    }
    for (size_t i = 0; i < count && !ir_in_failed(in); i++) {
        if (!params[i] && defs[i].array)
            params[i] = ir_array_attr(ir_in_context(in), NULL, 0);
        if (!params[i] && defs[i].kind == IR_PARAM_ENUM)
            params[i] = ir_raw_int(ir_in_context(in), 0);
        if ((read >> i & 1 || params[i]) && !param_fits(&defs[i], params[i], false))
            ir_in_fail(in, "parameter '%s' of %s: the value does not fit", defs[i].name,
                       what);
    }
    return !ir_in_failed(in);
}

static const ir_bytecode_row *find_code(ir_bytecode_in *in, const ir_bytecode_codec *codec,
                                        bool type)
{
    uint64_t code = ir_in_varint(in);
    for (size_t i = 0; i < codec->count; i++)
        if (codec->rows[i].code == code && (codec->rows[i].type != NULL) == type)
            return &codec->rows[i];
    ir_in_fail(in, "unknown %s code %llu", type ? "type" : "attribute",
               (unsigned long long)code);
    return NULL;
}

ir_attr ir_rows_read_attr(ir_bytecode_in *in, const ir_bytecode_codec *codec)
{
    const ir_bytecode_row *row = find_code(in, codec, false);
    if (!row || ir_in_failed(in))
        return NULL;
    if (row->read)
        return row->read(in, row);
    ir_attr params[MAX_PARAMS] = {0};
    if (!read_params(in, row, row->attr->params.at, row->attr->params.count,
                     row->attr->mnemonic, params))
        return NULL;
    ir_context *ctx = ir_in_context(in);
    ir_attr attr = ir_dialect_attr(ctx, row->attr, params, row->attr->params.count);
    if (row->attr->verify && !row->attr->verify(ctx, IR_LOC_UNKNOWN, attr)) {
        ir_in_fail(in, "the parameters of %s do not fit", row->attr->mnemonic);
        return NULL;
    }
    return attr;
}

ir_type ir_rows_read_type(ir_bytecode_in *in, const ir_bytecode_codec *codec)
{
    const ir_bytecode_row *row = find_code(in, codec, true);
    if (!row || ir_in_failed(in))
        return NULL;
    ir_attr params[MAX_PARAMS] = {0};
    if (!read_params(in, row, row->type->params.at, row->type->params.count,
                     row->type->mnemonic, params))
        return NULL;
    ir_context *ctx = ir_in_context(in);
    ir_type type = ir_dialect_type(ctx, row->type, params, row->type->params.count);
    if (row->type->verify && !row->type->verify(ctx, IR_LOC_UNKNOWN, type)) {
        ir_in_fail(in, "the parameters of %s do not fit", row->type->mnemonic);
        return NULL;
    }
    return type;
}

/* ---- writing ----------------------------------------------------------------------- */

static void write_list(ir_bytecode_out *out, ir_attr list, char letter)
{
    uint32_t count = list ? list->count : 0;
    ir_out_varint(out, count);
    for (uint32_t i = 0; i < count; i++) {
        ir_attr item = list->items[i];
        if (letter == 'I')
            ir_out_svarint(out, item->value);
        else if (letter == 'A')
            ir_out_attr(out, item);
        else if (letter == 'T')
            ir_out_type(out, item->type);
        else
            ir_out_bits(out, item->bits, 64);
    }
}

static void write_field(ir_bytecode_out *out, char letter, ir_attr value)
{
    switch (letter) {
    case 'v':
        ir_out_varint(out, value ? (uint64_t)value->value : 0);
        return;
    case 'i':
        ir_out_svarint(out, value ? value->value : 0);
        return;
    case 'b':
        ir_out_byte(out, value ? (uint8_t)value->value : 0);
        return;
    case 's':
        ir_out_string(out, ir_attr_str(value));
        return;
    case 'a':
    case 'L':
        ir_out_attr(out, value);
        return;
    case 'o':
        ir_out_optional_attr(out, value);
        return;
    case 'O':
    case 'N':
        if (letter == 'O')
            ir_out_byte(out, value != NULL);
        else
            ir_out_varint(out, value != NULL);
        if (value)
            ir_out_attr(out, value);
        return;
    case 'P':
        ir_out_varint(out, value ? (uint64_t)value->value << 1 | 1 : 0);
        return;
    case 't':
        ir_out_type(out, value->type);
        return;
    case 'f':
        ir_out_bits(out, value->bits, 64);
        return;
    default:
        write_list(out, value, letter);
    }
}

static bool is_empty(ir_attr value)
{
    return !value || (value->kind == IR_ATTR_ARRAY && value->count == 0) ||
           (value->kind == IR_ATTR_INTEGER && !value->type && value->value == 0);
}

/* True if the row's fields cover all parameters that are set. */
static bool row_covers(const ir_bytecode_row *row, const ir_attr *params, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool named = false;
        for (const char *f = row->fields; *f; f += 2) {
            named |= f[1] == (char)('0' + i);
            if (f[1] == (char)('0' + i) && !params[i] && strchr("satfL", f[0]))
                return false;
        }
        if (!named && !is_empty(params[i]))
            return false;
    }
    return true;
}

static void write_fields(ir_bytecode_out *out, const ir_bytecode_row *row,
                         const ir_attr *params)
{
    ir_out_varint(out, row->code);
    for (const char *f = row->fields; *f; f += 2)
        write_field(out, f[0], params[f[1] - '0']);
}

bool ir_rows_write_attr(ir_bytecode_out *out, const ir_bytecode_codec *codec, ir_attr attr)
{
    for (size_t i = 0; i < codec->count; i++) {
        const ir_bytecode_row *row = &codec->rows[i];
        if (row->attr != attr->def)
            continue;
        if (row->write) {
            ir_out_varint(out, row->code);
            return row->write(out, attr);
        }
        if (row_covers(row, attr->params, attr->count)) {
            write_fields(out, row, attr->params);
            return true;
        }
    }
    return false;
}

bool ir_rows_write_type(ir_bytecode_out *out, const ir_bytecode_codec *codec, ir_type type)
{
    for (size_t i = 0; i < codec->count; i++) {
        const ir_bytecode_row *row = &codec->rows[i];
        if (row->type != type->def || !row_covers(row, type->params, type->count))
            continue;
        write_fields(out, row, type->params);
        return true;
    }
    return false;
}
