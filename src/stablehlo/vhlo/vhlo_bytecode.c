/* vhlo_bytecode.c: bytecode of vhlo's attributes and types. */
#include "ir/bytecode/codec.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_types.h"

/* Numbers are stored with their vhlo type; the builtin counterpart gives the width. */
static ir_type read_number_type(ir_bytecode_in *in, ir_type *out_builtin)
{
    ir_type type = ir_in_type(in);
    if (!type)
        return NULL;
    *out_builtin = vhlo_type_to_builtin(type);
    if (!*out_builtin || *out_builtin == type) {
        ir_in_fail(in,
                   "expected a type of the vhlo dialect that has a builtin counterpart");
        return NULL;
    }
    return type;
}

static ir_attr make(ir_bytecode_in *in, const ir_bytecode_row *row, ir_type type,
                    ir_attr value)
{
    ir_attr params[] = {ir_type_attr(type), value};
    return ir_in_failed(in) || !value
               ? NULL
               : ir_dialect_attr(ir_in_context(in), row->attr, params, TW_COUNT(params));
}

static ir_attr read_integer(ir_bytecode_in *in, const ir_bytecode_row *row)
{
    ir_type builtin, type = read_number_type(in, &builtin);
    if (!type)
        return NULL;
    if (builtin->kind != IR_TYPE_INTEGER && builtin->kind != IR_TYPE_INDEX) {
        ir_in_fail(in, "an integer needs an integer type");
        return NULL;
    }
    uint64_t bits = ir_in_bits(in, builtin->kind == IR_TYPE_INDEX ? 64 : builtin->width);
    return make(in, row, type, ir_integer_attr(builtin, (int64_t)bits));
}

static bool write_integer(ir_bytecode_out *out, ir_attr attr)
{
    ir_attr value = attr->params[1];
    ir_out_type(out, attr->params[0]->type);
    ir_out_bits(out, (uint64_t)value->value,
                value->type->kind == IR_TYPE_INDEX ? 64 : value->type->width);
    return true;
}

static ir_attr read_float(ir_bytecode_in *in, const ir_bytecode_row *row)
{
    ir_type builtin, type = read_number_type(in, &builtin);
    if (!type)
        return NULL;
    if (builtin->kind != IR_TYPE_FLOAT || builtin->width > 64) {
        ir_in_fail(in, "a float needs a float type");
        return NULL;
    }
    return make(in, row, type, ir_float_attr_bits(builtin, ir_in_bits(in, builtin->width)));
}

static bool write_float(ir_bytecode_out *out, ir_attr attr)
{
    ir_type builtin = vhlo_type_to_builtin(attr->params[0]->type);
    if (!builtin || builtin->kind != IR_TYPE_FLOAT)
        return false;
    ir_out_type(out, attr->params[0]->type);
    ir_out_bits(out, ir_float_attr(builtin, attr->params[1]->real)->bits, builtin->width);
    return true;
}

/* Booleans: one byte 0xFF or 0 for a splat, otherwise bits, or (old writers) bytes. */
static ir_attr read_booleans(ir_bytecode_in *in, ir_type type, int64_t count,
                             const uint8_t *data, size_t size)
{
    if (size == 1 && count != 0 && (data[0] == 0xFF || data[0] == 0 || count == 1)) {
        uint8_t value = data[0] & 1;
        return ir_dense_attr(type, &value, 1);
    }
    bool packed = size == ((uint64_t)count + 7) / 8 && size != (uint64_t)count;
    if (!packed && size != (uint64_t)count) {
        ir_in_fail(in, "%zu bytes for %lld booleans", size, (long long)count);
        return NULL;
    }
    uint8_t *bytes = ir_in_scratch(in, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (packed ? data[i / 8] >> (i % 8) : data[i]) & 1;
    return ir_dense_attr(type, bytes, (size_t)count);
}

static ir_attr read_tensor(ir_bytecode_in *in, const ir_bytecode_row *row)
{
    ir_type builtin, type = read_number_type(in, &builtin);
    size_t size = ir_in_count(in);
    const uint8_t *data = ir_in_bytes(in, size);
    if (!type || !data)
        return NULL;
    int64_t count = ir_type_is_tensor(builtin) && ir_type_has_static_shape(builtin)
                        ? ir_type_num_elements(builtin)
                        : -1;
    if (count < 0) {
        ir_in_fail(in, "elements need a tensor type of known size");
        return NULL;
    }
    ir_type element = ir_type_element(builtin);
    if (ir_type_is_integer(element, 1))
        return make(in, row, type, read_booleans(in, builtin, count, data, size));
    size_t each = ir_dense_element_size(element);
    bool fits =
        each &&
        (count == 0 ? size == 0 || size == each
                    : size == each || (size % each == 0 && size / each == (uint64_t)count));
    if (!fits) {
        ir_in_fail(in, "%zu bytes for %lld elements", size, (long long)count);
        return NULL;
    }
    if (element->kind == IR_TYPE_INTEGER && element->width < 8) {
        uint8_t *bytes = ir_in_scratch(in, size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)ir_integer_attr(element, data[i])->value;
        data = bytes;
    }
    return make(in, row, type, ir_dense_attr(builtin, data, count ? size : 0));
}

static bool write_tensor(ir_bytecode_out *out, ir_attr attr)
{
    ir_attr dense = attr->params[1];
    ir_type element = ir_type_element(dense->type);
    const uint8_t *data = dense->blob->data;
    size_t size = dense->blob->size;
    ir_out_type(out, attr->params[0]->type);
    if (ir_type_is_integer(element, 1)) {
        size_t packed = dense->splat ? 1 : (size + 7) / 8;
        ir_out_varint(out, packed);
        if (dense->splat)
            ir_out_byte(out, data[0] ? 0xFF : 0);
        for (size_t i = 0; !dense->splat && i < packed; i++) {
            uint8_t byte = 0;
            for (size_t k = i * 8; k < i * 8 + 8 && k < size; k++)
                byte |= (uint8_t)((data[k] & 1) << (k - i * 8));
            ir_out_byte(out, byte);
        }
        return true;
    }
    ir_out_varint(out, size);
    if (element->kind != IR_TYPE_INTEGER || element->width >= 8)
        ir_out_bytes(out, data, size);
    else
        for (size_t i = 0; i < size; i++)
            ir_out_byte(out, data[i] & (uint8_t)((1u << element->width) - 1));
    return true;
}

static ir_attr read_dict(ir_bytecode_in *in, const ir_bytecode_row *row)
{
    size_t count = ir_in_count(in);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count && !ir_in_failed(in); i++) {
        ir_attr pair[2] = {ir_in_attr(in), ir_in_attr(in)};
        if (ir_in_failed(in))
            return NULL;
        items[i] = ir_array_attr(ir_in_context(in), pair, 2);
    }
    if (ir_in_failed(in))
        return NULL;
    ir_attr list = ir_array_attr(ir_in_context(in), items, count);
    return ir_dialect_attr(ir_in_context(in), row->attr, &list, 1);
}

static bool write_dict(ir_bytecode_out *out, ir_attr attr)
{
    ir_attr list = attr->params[0];
    ir_out_varint(out, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        ir_out_attr(out, list->items[i]->items[0]);
        ir_out_attr(out, list->items[i]->items[1]);
    }
    return true;
}

#define ATTR(code, fields, id)                                                             \
    {                                                                                      \
        code, fields, VHLO_ATTR(id), NULL, NULL, NULL                                      \
    }
#define HOOK(code, id, name)                                                               \
    {                                                                                      \
        code, "", VHLO_ATTR(id), NULL, read_##name, write_##name                           \
    }
#define TYPE(code, fields, id)                                                             \
    {                                                                                      \
        code, fields, NULL, VHLO_TYPE(id), NULL, NULL                                      \
    }

static const ir_bytecode_row rows[] = {
    ATTR(1, "A0", array_v1),
    ATTR(2, "v0", bool_v1),
    ATTR(3, "v0", comparison_direction_v1),
    ATTR(4, "v0", comparison_type_v1),
    ATTR(5, "v0", api_version_v1),
    HOOK(6, dict_v1, dict),
    ATTR(7, "v0", fft_type_v1),
    HOOK(8, float_v1, float),
    HOOK(9, integer_v1, integer),
    ATTR(10, "I0i1I2", output_operand_alias_v1),
    ATTR(11, "v0", precision_v1),
    ATTR(12, "v0", rng_algorithm_v1),
    ATTR(13, "v0", rng_distribution_v1),
    ATTR(14, "s0", string_v1),
    HOOK(15, tensor_v1, tensor),
    ATTR(16, "v0", transpose_v1),
    ATTR(17, "t0", type_v1),
    ATTR(18, "I0", type_extensions_v1),
    ATTR(19, "v0", result_accuracy_mode_v1),
    ATTR(20, "f0f1i2a3", result_accuracy_v1),
    ATTR(21, "i0i1", sub_axis_info_v1),
    ATTR(22, "a0N1", axis_ref_v1),
    ATTR(23, "a0a1", replica_group_mesh_axes_v1),
    ATTR(24, "a0i1", mesh_axis_v1),
    ATTR(25, "a0o1", mesh_v1),
    TYPE(0, "", bool_v1),
    TYPE(1, "t0", complex_v1),
    TYPE(2, "", bf16_v1),
    TYPE(3, "", f16_v1),
    TYPE(4, "", f32_v1),
    TYPE(5, "", f64_v1),
    TYPE(6, "", f8E4M3FN_v1),
    TYPE(7, "", f8E5M2_v1),
    TYPE(8, "T0T1", func_v1),
    TYPE(9, "", index_v1),
    TYPE(10, "", i4_v1),
    TYPE(11, "", i8_v1),
    TYPE(12, "", i16_v1),
    TYPE(13, "", i32_v1),
    TYPE(14, "", i64_v1),
    TYPE(15, "", ui4_v1),
    TYPE(16, "", ui8_v1),
    TYPE(17, "", ui16_v1),
    TYPE(18, "", ui32_v1),
    TYPE(19, "", ui64_v1),
    TYPE(20, "I0t1", tensor_v1),
    TYPE(21, "a2I0t1", tensor_v1),
    TYPE(22, "", token_v1),
    TYPE(23, "T0", tuple_v1),
    TYPE(24, "v0t1t2f3i4i5i6", quant_v1),
    TYPE(25, "t0", unranked_tensor_v1),
    TYPE(26, "", witness_v1),
    TYPE(27, "", f8E4M3FNUZ_v1),
    TYPE(28, "", f8E5M2FNUZ_v1),
    TYPE(29, "", f8E4M3B11FNUZ_v1),
    TYPE(30, "v0t1t2v3i6i7F4I5", quant_per_axis_v1),
    TYPE(31, "", i2_v1),
    TYPE(32, "", ui2_v1),
    TYPE(33, "", none_v1),
    TYPE(34, "", tf31_v1),
    TYPE(35, "", f8E4M3_v1),
    TYPE(36, "", f8E3M4_v1),
    TYPE(37, "", f4E2M1FN_v1),
    TYPE(38, "", f6E2M3FN_v1),
    TYPE(39, "", f6E3M2FN_v1),
    TYPE(40, "", f8E8M0FNU_v1),
    TYPE(41, "I0t1", buffer_v1),
    TYPE(42, "T0", future_v1),
};

const ir_bytecode_codec vhlo_bytecode = {rows, TW_COUNT(rows)};
