/* builtin_write.c: writes the builtin dialect's attributes and types; the codes are
 * explained in builtin.c. */
#include "ir/bytecode/builtin_codes.h"
#include "ir/bytecode/codec.h"

#include "ir/text.h"

static void write_attrs(ir_bytecode_out *out, const ir_attr *items, size_t count)
{
    ir_out_varint(out, count);
    for (size_t i = 0; i < count; i++)
        ir_out_attr(out, items[i]);
}

static void write_name(ir_bytecode_out *out, ir_ident name)
{
    ir_out_attr(out, ir_string_attr_ident(ir_out_context(out), name));
}

static void write_dict(ir_bytecode_out *out, ir_attr attr)
{
    ir_out_varint(out, ATTR_DICT);
    ir_out_varint(out, attr->count);
    for (uint32_t i = 0; i < attr->count; i++) {
        write_name(out, attr->entries[i].name);
        ir_out_attr(out, attr->entries[i].value);
    }
}

static void write_symbol(ir_bytecode_out *out, ir_attr attr)
{
    ir_out_varint(out, attr->count == 1 ? ATTR_FLAT_SYMBOL : ATTR_SYMBOL);
    ir_out_attr(out, attr->items[0]);
    if (attr->count == 1)
        return;
    ir_out_varint(out, attr->count - 1);
    for (uint32_t i = 1; i < attr->count; i++)
        ir_out_attr(out, ir_symbol_ref_nested(ir_out_context(out), &attr->items[i], 1));
}

static void write_string(ir_bytecode_out *out, ir_attr attr)
{
    ir_out_varint(out, attr->type ? ATTR_TYPED_STRING : ATTR_STRING);
    ir_out_string(out, ir_attr_str(attr));
    if (attr->type)
        ir_out_type(out, attr->type);
}

static void write_number(ir_bytecode_out *out, ir_attr attr)
{
    bool real = attr->kind == IR_ATTR_FLOAT;
    ir_type type = attr->type;
    ir_out_varint(out, real ? ATTR_FLOAT : ATTR_INTEGER);
    ir_out_type(out, type);
    ir_out_bits(out, real ? attr->bits : (uint64_t)attr->value,
                type->kind == IR_TYPE_INDEX ? 64 : type->width);
}

static void write_file(ir_bytecode_out *out, ir_attr attr)
{
    bool point = attr->line == attr->end_line && attr->column == attr->end_column;
    bool same_line = attr->line == attr->end_line;
    ir_out_varint(out, point ? ATTR_LOC_FILE : ATTR_LOC_RANGE);
    write_name(out, attr->ident);
    if (!point)
        ir_out_varint(out, same_line ? 3 : 4);
    ir_out_varint(out, attr->line);
    ir_out_varint(out, attr->column);
    if (point)
        return;
    if (!same_line)
        ir_out_varint(out, attr->end_line);
    ir_out_varint(out, attr->end_column);
}

static void write_loc(ir_bytecode_out *out, ir_attr attr)
{
    ir_context *ctx = ir_out_context(out);
    switch (attr->kind) {
    case IR_ATTR_LOC_FILE:
        write_file(out, attr);
        return;
    case IR_ATTR_LOC_NAME:
        ir_out_varint(out, ATTR_LOC_NAME);
        write_name(out, attr->ident);
        ir_out_attr(out, attr->child ? attr->child : ir_loc_attr(ctx, IR_LOC_UNKNOWN));
        return;
    case IR_ATTR_LOC_CALLSITE:
        ir_out_varint(out, ATTR_LOC_CALLSITE);
        ir_out_attr(out, attr->items[0]);
        ir_out_attr(out, attr->items[1]);
        return;
    case IR_ATTR_LOC_FUSED:
        ir_out_varint(out,
                      attr->items[attr->count] ? ATTR_LOC_FUSED_METADATA : ATTR_LOC_FUSED);
        write_attrs(out, attr->items, attr->count);
        if (attr->items[attr->count])
            ir_out_attr(out, attr->items[attr->count]);
        return;
    default:
        ir_out_varint(out, ATTR_LOC_UNKNOWN);
    }
}

static void write_packed(ir_bytecode_out *out, ir_attr attr)
{
    const uint8_t *data = attr->blob->data;
    size_t count = attr->blob->size;
    if (attr->splat) {
        ir_out_varint(out, 1);
        ir_out_byte(out, data[0] ? 0xFF : 0);
        return;
    }
    ir_out_varint(out, (count + 7) / 8);
    for (size_t i = 0; i < count; i += 8) {
        uint8_t byte = 0;
        for (size_t k = i; k < i + 8 && k < count; k++)
            byte |= (uint8_t)((data[k] & 1) << (k - i));
        ir_out_byte(out, byte);
    }
}

static bool write_dense(ir_bytecode_out *out, ir_attr attr)
{
    ir_type element = ir_type_element(attr->type);
    if (attr->splat & 2) {
        ir_out_varint(out, ATTR_DENSE_STRINGS);
        ir_out_type(out, attr->type);
        ir_out_varint(out, attr->splat & 1);
        for (uint32_t i = 0; i < attr->count; i++)
            ir_out_string(out, ir_attr_str(attr->items[i]));
        return true;
    }
    if (element->kind == IR_TYPE_FLOAT && element->width > 64)
        return false;
    ir_out_varint(out, ATTR_DENSE);
    ir_out_type(out, attr->type);
    if (ir_type_is_integer(element, 1)) {
        write_packed(out, attr);
        return true;
    }
    ir_out_varint(out, attr->blob->size);
    if (element->kind != IR_TYPE_INTEGER || element->width >= 8) {
        ir_out_bytes(out, attr->blob->data, attr->blob->size);
        return true;
    }
    const uint8_t *data = attr->blob->data;
    for (size_t i = 0; i < attr->blob->size; i++)
        ir_out_byte(out, data[i] & (uint8_t)((1u << element->width) - 1));
    return true;
}

bool ir_builtin_write_attr(ir_bytecode_out *out, ir_attr attr)
{
    switch (attr->kind) {
    case IR_ATTR_INTEGER:
    case IR_ATTR_FLOAT:
        if (!attr->type || (attr->type->kind != IR_TYPE_INDEX && attr->type->width > 64))
            return false;
        write_number(out, attr);
        return true;
    case IR_ATTR_STRING:
        write_string(out, attr);
        return true;
    case IR_ATTR_ARRAY:
        ir_out_varint(out, ATTR_ARRAY);
        write_attrs(out, attr->items, attr->count);
        return true;
    case IR_ATTR_DICT:
        write_dict(out, attr);
        return true;
    case IR_ATTR_TYPE:
        ir_out_varint(out, ATTR_TYPE);
        ir_out_type(out, attr->type);
        return true;
    case IR_ATTR_SYMBOL_REF:
        write_symbol(out, attr);
        return true;
    case IR_ATTR_UNIT:
        ir_out_varint(out, ATTR_UNIT);
        return true;
    case IR_ATTR_DENSE:
        return write_dense(out, attr);
    case IR_ATTR_DENSE_ARRAY:
        ir_out_varint(out, ATTR_DENSE_ARRAY);
        ir_out_type(out, attr->type);
        ir_out_varint(out, attr->count);
        ir_out_varint(out, attr->blob->size);
        ir_out_bytes(out, attr->blob->data, attr->blob->size);
        return true;
    case IR_ATTR_RESOURCE:
        ir_out_varint(out, ATTR_RESOURCE);
        ir_out_type(out, attr->type);
        ir_out_resource(out, attr->dialect, attr->body);
        return true;
    case IR_ATTR_SPARSE:
        ir_out_varint(out, ATTR_SPARSE);
        ir_out_type(out, attr->type);
        ir_out_attr(out, attr->items[0]);
        ir_out_attr(out, attr->items[1]);
        return true;
    case IR_ATTR_DISTINCT:
        ir_out_varint(out, ATTR_DISTINCT);
        ir_out_attr(out, attr->child);
        return true;
    default:
        if (!ir_attr_is_loc(attr))
            return false;
        write_loc(out, attr);
        return true;
    }
}

/* ---- types -------------------------------------------------------------------------- */

static void write_shape(ir_bytecode_out *out, ir_type type)
{
    ir_out_varint(out, type->count);
    for (uint32_t i = 0; i < type->count; i++)
        ir_out_svarint(out, type->dims[i]);
}

static void write_types(ir_bytecode_out *out, const ir_type *types, size_t count)
{
    ir_out_varint(out, count);
    for (size_t i = 0; i < count; i++)
        ir_out_type(out, types[i]);
}

static void write_memref(ir_bytecode_out *out, ir_type type)
{
    ir_context *ctx = ir_out_context(out);
    ir_attr layout = type->encoding;
    if (!layout)
        layout = ir_affine_map_attr(ctx, ir_affine_identity(ctx, type->count));
    ir_out_varint(out, type->space ? TYPE_MEMREF_SPACE : TYPE_MEMREF);
    if (type->space)
        ir_out_attr(out, type->space);
    write_shape(out, type);
    ir_out_type(out, type->element);
    ir_out_attr(out, layout);
}

static void write_vector(ir_bytecode_out *out, ir_type type)
{
    ir_out_varint(out, type->scalable ? TYPE_VECTOR_SCALABLE : TYPE_VECTOR);
    if (type->scalable) {
        ir_out_varint(out, type->count);
        for (uint32_t i = 0; i < type->count; i++)
            ir_out_byte(out, type->scalable[i]);
    }
    write_shape(out, type);
    ir_out_type(out, type->element);
}

static bool write_float(ir_bytecode_out *out, ir_type type)
{
    for (size_t i = 0; i < TW_COUNT(ir_bytecode_floats); i++)
        if (ir_bytecode_floats[i] == (ir_float_kind)type->sign) {
            ir_out_varint(out, TYPE_BF16 + i);
            return true;
        }
    return false;
}

bool ir_builtin_write_type(ir_bytecode_out *out, ir_type type)
{
    switch (type->kind) {
    case IR_TYPE_INTEGER:
        ir_out_varint(out, TYPE_INTEGER);
        ir_out_varint(out, (uint64_t)type->width << 2 | type->sign);
        return true;
    case IR_TYPE_FLOAT:
        return write_float(out, type);
    case IR_TYPE_INDEX:
        ir_out_varint(out, TYPE_INDEX);
        return true;
    case IR_TYPE_NONE:
        ir_out_varint(out, TYPE_NONE);
        return true;
    case IR_TYPE_COMPLEX:
        ir_out_varint(out, TYPE_COMPLEX);
        ir_out_type(out, type->element);
        return true;
    case IR_TYPE_VECTOR:
        write_vector(out, type);
        return true;
    case IR_TYPE_TENSOR:
        ir_out_varint(out, type->encoding ? TYPE_TENSOR_ENCODING : TYPE_TENSOR);
        if (type->encoding)
            ir_out_attr(out, type->encoding);
        write_shape(out, type);
        ir_out_type(out, type->element);
        return true;
    case IR_TYPE_UNRANKED_TENSOR:
        ir_out_varint(out, TYPE_UNRANKED_TENSOR);
        ir_out_type(out, type->element);
        return true;
    case IR_TYPE_MEMREF:
        write_memref(out, type);
        return true;
    case IR_TYPE_UNRANKED_MEMREF:
        ir_out_varint(out, type->space ? TYPE_UNRANKED_MEMREF_SPACE : TYPE_UNRANKED_MEMREF);
        if (type->space)
            ir_out_attr(out, type->space);
        ir_out_type(out, type->element);
        return true;
    case IR_TYPE_FUNCTION:
        ir_out_varint(out, TYPE_FUNCTION);
        write_types(out, type->types, type->count);
        write_types(out, ir_function_results(type), type->results);
        return true;
    case IR_TYPE_TUPLE:
        ir_out_varint(out, TYPE_TUPLE);
        write_types(out, type->types, type->count);
        return true;
    default:
        return false;
    }
}
