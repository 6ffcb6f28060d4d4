/* builtin.c: the builtin dialect's attributes and types in bytecode.
 *
 * Codes and payloads are those of MLIR's BuiltinDialectBytecode.td.  Affine maps, integer
 * sets, strided layouts and the floats of 8 bits and less have no binary form there and
 * are written as text. */
#include "ir/bytecode/builtin_codes.h"
#include "ir/bytecode/codec.h"

#include "ir/number.h"

/* From TYPE_TF32 on. */
static const ir_float_kind small_floats[] = {
    IR_TF32,          IR_F8E5M2, IR_F8E4M3,   IR_F8E4M3FN, IR_F8E5M2FNUZ, IR_F8E4M3FNUZ,
    IR_F8E4M3B11FNUZ, IR_F8E3M4, IR_F4E2M1FN, IR_F6E2M3FN, IR_F6E3M2FN,   IR_F8E8M0FNU,
};

enum { MAX_RANK = 64 };

/* ---- reading attributes ------------------------------------------------------------- */

static ir_attr fail_attr(ir_bytecode_in *in, const char *what)
{
    ir_in_fail(in, "%s", what);
    return NULL;
}

static ir_attr read_kind(ir_bytecode_in *in, ir_attr_kind kind, const char *what)
{
    ir_attr attr = ir_in_attr(in);
    return !attr || attr->kind == kind ? attr : fail_attr(in, what);
}

static ir_attr read_string(ir_bytecode_in *in)
{
    return read_kind(in, IR_ATTR_STRING, "expected a string attribute, found another kind");
}

static ir_attr read_loc(ir_bytecode_in *in)
{
    ir_attr attr = ir_in_attr(in);
    return !attr || ir_attr_is_loc(attr)
               ? attr
               : fail_attr(in, "expected a location, found another "
                               "kind of attribute");
}

static ir_attr read_dict(ir_bytecode_in *in)
{
    size_t count = ir_in_count(in);
    ir_named_attr *entries = ir_in_scratch(in, count * sizeof *entries);
    for (size_t i = 0; i < count; i++) {
        ir_attr name = read_string(in);
        ir_attr value = ir_in_attr(in);
        if (!name || !value)
            return NULL;
        entries[i] = (ir_named_attr){name->ident, value};
    }
    return ir_in_failed(in) ? NULL : ir_dict_attr(ir_in_context(in), entries, count);
}

static ir_attr read_symbol(ir_bytecode_in *in)
{
    ir_attr root = read_string(in);
    size_t count = ir_in_count(in);
    ir_attr *items = ir_in_scratch(in, (count + 1) * sizeof *items);
    items[0] = root;
    for (size_t i = 0; i < count; i++) {
        ir_attr ref = read_kind(in, IR_ATTR_SYMBOL_REF, "expected a symbol reference");
        if (!ref)
            return NULL;
        items[i + 1] = ref->items[0];
    }
    return root ? ir_symbol_ref_nested(ir_in_context(in), items, count + 1) : NULL;
}

static ir_attr read_integer(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    if (!type)
        return NULL;
    if (type->kind != IR_TYPE_INTEGER && type->kind != IR_TYPE_INDEX)
        return fail_attr(in, "an integer attribute needs an integer or index type");
    uint32_t width = type->kind == IR_TYPE_INDEX ? 64 : type->width;
    uint64_t bits = ir_in_bits(in, width);
    return ir_in_failed(in) ? NULL : ir_integer_attr(type, (int64_t)bits);
}

static ir_attr read_float(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    if (!type)
        return NULL;
    if (type->kind != IR_TYPE_FLOAT)
        return fail_attr(in, "a float attribute needs a float type");
    if (type->width > 64)
        return fail_attr(in, "float attributes of 80 and 128 bits are not supported");
    uint64_t bits = ir_in_bits(in, type->width);
    return ir_in_failed(in) ? NULL : ir_float_attr_bits(type, bits);
}

static ir_attr read_fused(ir_bytecode_in *in, bool with_metadata)
{
    size_t count = ir_in_count(in);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        if (!(items[i] = read_loc(in)))
            return NULL;
    ir_attr metadata = with_metadata ? ir_in_attr(in) : NULL;
    if (ir_in_failed(in))
        return NULL;
    return ir_loc_fused_attr(ir_in_context(in), items, count, metadata);
}

/* Line, column, end column on the same line; or line, column, end line, end column. */
static ir_attr read_range(ir_bytecode_in *in)
{
    uint32_t n[4] = {0};
    ir_attr file = read_string(in);
    size_t count = ir_in_count(in);
    if (count > 4)
        return fail_attr(in, "a file range has at most 4 integers");
    for (size_t i = 0; i < count; i++) {
        uint64_t value = ir_in_varint(in);
        if (value > UINT32_MAX)
            return fail_attr(in, "a line or column number exceeds 32 bits");
        n[i] = (uint32_t)value;
    }
    if (!file)
        return NULL;
    uint32_t end_line = count == 4 ? n[2] : n[0];
    uint32_t end_column = count == 4 ? n[3] : count == 3 ? n[2] : n[1];
    return ir_loc_file_range_attr(ir_in_context(in), file->ident, n[0], n[1], end_line,
                                  end_column);
}

static ir_attr read_file_loc(ir_bytecode_in *in)
{
    ir_attr file = read_string(in);
    uint64_t line = ir_in_varint(in), column = ir_in_varint(in);
    if (line > UINT32_MAX || column > UINT32_MAX)
        return fail_attr(in, "a line or column number exceeds 32 bits");
    return file && !ir_in_failed(in)
               ? ir_loc_file_range_attr(ir_in_context(in), file->ident, (uint32_t)line,
                                        (uint32_t)column, (uint32_t)line, (uint32_t)column)
               : NULL;
}

static ir_attr read_name_loc(ir_bytecode_in *in)
{
    ir_attr name = read_string(in), child = read_loc(in);
    ir_context *ctx = ir_in_context(in);
    return name && child
               ? ir_loc_attr(ctx, ir_loc_name(ctx, name->ident, ir_loc_from_attr(child)))
               : NULL;
}

static ir_attr read_dense_array(ir_bytecode_in *in)
{
    ir_type element = ir_in_type(in);
    uint64_t count = ir_in_varint(in);
    size_t size = ir_in_count(in);
    const void *data = ir_in_bytes(in, size);
    if (!data || !element)
        return NULL;
    bool known =
        element->kind == IR_TYPE_INTEGER
            ? element->width == 1 || element->width == 8 || element->width == 16 ||
                  element->width == 32 || element->width == 64
            : ir_type_is_float(element, IR_F32) || ir_type_is_float(element, IR_F64);
    size_t each = known ? ir_dense_element_size(element) : 0;
    if (!each || size % each || size / each != count)
        return fail_attr(in, "the bytes of a dense array do not fit its type and count");
    return ir_dense_array(element, data, count);
}

/* i1 is packed to bits unless it is a splat. */
static ir_attr read_packed(ir_bytecode_in *in, ir_type type, int64_t count,
                           const uint8_t *data, size_t size)
{
    if (size == 1 && (data[0] == 0xFF || data[0] == 0)) {
        uint8_t value = data[0] & 1;
        return ir_dense_attr(type, &value, 1);
    }
    if ((uint64_t)count > (uint64_t)size * 8 || size != ((size_t)count + 7) / 8)
        return fail_attr(in, "the bytes of dense booleans do not fit their type");
    uint8_t *bytes = ir_in_scratch(in, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = data[i / 8] >> (i % 8) & 1;
    return ir_dense_attr(type, bytes, (size_t)count);
}

/* Sub-byte integers are kept sign- or zero-extended here. */
static const void *extended(ir_bytecode_in *in, ir_type element, const uint8_t *data,
                            size_t size)
{
    if (element->kind != IR_TYPE_INTEGER || element->width >= 8)
        return data;
    uint8_t *bytes = ir_in_scratch(in, size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)ir_int_wrap(element, data[i]);
    return bytes;
}

static ir_attr read_dense(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    size_t size = ir_in_count(in);
    const uint8_t *data = ir_in_bytes(in, size);
    if (!data || !type)
        return NULL;
    if (!ir_type_is_shaped(type) || !ir_type_has_static_shape(type))
        return fail_attr(in, "dense elements need a shaped type of known size");
    int64_t count = ir_type_num_elements(type);
    ir_type element = ir_type_element(type);
    if (count >= 0 && ir_type_is_integer(element, 1))
        return read_packed(in, type, count, data, size);
    size_t each = ir_dense_element_size(element);
    if (count < 0 || !each || (count == 0 && size != 0 && size != each) ||
        (count > 0 && size != each && (size % each || size / each != (uint64_t)count)))
        return fail_attr(in, "the bytes of dense elements do not fit their type");
    if (element->kind == IR_TYPE_FLOAT && element->width > 64)
        return fail_attr(in, "dense elements of 80 and 128 bits are not supported");
    return ir_dense_attr(type, extended(in, element, data, size), size);
}

static ir_attr read_dense_strings(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    uint64_t splat = ir_in_varint(in);
    if (!type || !ir_type_is_shaped(type) || !ir_type_has_static_shape(type))
        return fail_attr(in, "dense strings need a shaped type of known size");
    int64_t want = ir_type_num_elements(type);
    size_t count = splat ? 1 : (size_t)want;
    if (want < 0 || (!splat && count > ir_in_left(in)))
        return fail_attr(in, "dense strings need more bytes than are left");
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_string_attr(ir_in_context(in), ir_in_string(in));
    return ir_in_failed(in) ? NULL : ir_dense_strings(type, items, count);
}

static ir_attr read_sparse(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    ir_attr items[2] = {ir_in_attr(in), ir_in_attr(in)};
    if (ir_in_failed(in))
        return NULL;
    if (!ir_type_is_shaped(type) || items[0]->kind != IR_ATTR_DENSE ||
        items[1]->kind != IR_ATTR_DENSE)
        return fail_attr(in, "sparse elements need a shaped type and dense parts");
    struct ir_attr_data probe = {.kind = IR_ATTR_SPARSE, .type = type, .count = 2};
    probe.items = items;
    return ir_attr_intern(ir_in_context(in), &probe);
}

static ir_attr read_resource(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    ir_ident dialect, key;
    if (!ir_in_resource(in, &dialect, &key) || !type)
        return NULL;
    return ir_type_is_shaped(type) ? ir_resource_attr(type, dialect, key)
                                   : fail_attr(in, "a resource needs a shaped type");
}

static ir_attr read_callsite(ir_bytecode_in *in)
{
    ir_attr callee = read_loc(in), caller = read_loc(in);
    return callee && caller ? ir_loc_callsite_attr(ir_in_context(in), callee, caller)
                            : NULL;
}

static ir_attr read_typed_string(ir_bytecode_in *in)
{
    tw_str text = ir_in_string(in);
    ir_type type = ir_in_type(in);
    return type ? ir_typed_string_attr(ir_in_context(in), text, type) : NULL;
}

static ir_attr read_flat_symbol(ir_bytecode_in *in)
{
    ir_attr name = read_string(in);
    return name ? ir_symbol_ref_nested(ir_in_context(in), &name, 1) : NULL;
}

static ir_attr read_distinct(ir_bytecode_in *in)
{
    ir_attr payload = ir_in_attr(in);
    return payload ? ir_distinct_attr(ir_in_context(in), payload) : NULL;
}

static ir_attr read_type_attr(ir_bytecode_in *in)
{
    ir_type type = ir_in_type(in);
    return type ? ir_type_attr(type) : NULL;
}

static ir_attr read_plain_string(ir_bytecode_in *in)
{
    tw_str text = ir_in_string(in);
    return ir_in_failed(in) ? NULL : ir_string_attr(ir_in_context(in), text);
}

static ir_attr read_plain_fused(ir_bytecode_in *in)
{
    return read_fused(in, false);
}

static ir_attr read_metadata_fused(ir_bytecode_in *in)
{
    return read_fused(in, true);
}

static ir_attr read_unit(ir_bytecode_in *in)
{
    return ir_unit_attr(ir_in_context(in));
}

static ir_attr read_unknown_loc(ir_bytecode_in *in)
{
    return ir_loc_attr(ir_in_context(in), IR_LOC_UNKNOWN);
}

/* By code. */
static ir_attr (*const attr_readers[])(ir_bytecode_in *in) = {
    [ATTR_ARRAY] = ir_in_attrs,
    [ATTR_DICT] = read_dict,
    [ATTR_STRING] = read_plain_string,
    [ATTR_TYPED_STRING] = read_typed_string,
    [ATTR_FLAT_SYMBOL] = read_flat_symbol,
    [ATTR_SYMBOL] = read_symbol,
    [ATTR_TYPE] = read_type_attr,
    [ATTR_UNIT] = read_unit,
    [ATTR_INTEGER] = read_integer,
    [ATTR_FLOAT] = read_float,
    [ATTR_LOC_CALLSITE] = read_callsite,
    [ATTR_LOC_FILE] = read_file_loc,
    [ATTR_LOC_FUSED] = read_plain_fused,
    [ATTR_LOC_FUSED_METADATA] = read_metadata_fused,
    [ATTR_LOC_NAME] = read_name_loc,
    [ATTR_LOC_UNKNOWN] = read_unknown_loc,
    [ATTR_RESOURCE] = read_resource,
    [ATTR_DENSE_ARRAY] = read_dense_array,
    [ATTR_DENSE] = read_dense,
    [ATTR_DENSE_STRINGS] = read_dense_strings,
    [ATTR_SPARSE] = read_sparse,
    [ATTR_DISTINCT] = read_distinct,
    [ATTR_LOC_RANGE] = read_range,
};

ir_attr ir_builtin_read_attr(ir_bytecode_in *in)
{
    uint64_t code = ir_in_varint(in);
    if (ir_in_failed(in))
        return NULL;
    if (code < TW_COUNT(attr_readers))
        return attr_readers[code](in);
    ir_in_fail(in, "unknown attribute code %llu", (unsigned long long)code);
    return NULL;
}

/* ---- reading types ------------------------------------------------------------------ */

static ir_type fail_type(ir_bytecode_in *in, const char *what)
{
    ir_in_fail(in, "%s", what);
    return NULL;
}

static ir_type read_integer_type(ir_bytecode_in *in)
{
    enum { WIDEST = (1 << 24) - 1 };
    uint64_t value = ir_in_varint(in);
    if (value >> 2 > WIDEST || (value & 3) > IR_UNSIGNED)
        return fail_type(in, "an integer type of more than 16777215 bits or unknown sign");
    return ir_integer_type(ir_in_context(in), (uint32_t)(value >> 2),
                           (ir_signedness)(value & 3));
}

/* True for valid element types of tensors and vectors. */
static bool is_element(ir_type type)
{
    return type && type->kind != IR_TYPE_FUNCTION && type->kind != IR_TYPE_NONE &&
           type->kind != IR_TYPE_TUPLE;
}

static bool read_shape(ir_bytecode_in *in, const int64_t **dims, size_t *rank)
{
    *dims = ir_in_ints(in, rank);
    if (*rank > MAX_RANK)
        return ir_in_fail(in, "a shape has at most %d dimensions, found %zu", MAX_RANK,
                          *rank);
    for (size_t i = 0; i < *rank; i++)
        if ((*dims)[i] < 0 && (*dims)[i] != IR_DYNAMIC)
            return ir_in_fail(in, "a dimension of %lld", (long long)(*dims)[i]);
    return !ir_in_failed(in);
}

static ir_type read_tensor(ir_bytecode_in *in, bool with_encoding)
{
    const int64_t *dims;
    size_t rank;
    ir_attr encoding = with_encoding ? ir_in_attr(in) : NULL;
    if (!read_shape(in, &dims, &rank))
        return NULL;
    ir_type element = ir_in_type(in);
    if (ir_in_failed(in))
        return NULL;
    if (!is_element(element) || ir_type_is_shaped(element))
        if (!element || element->kind != IR_TYPE_VECTOR)
            return fail_type(in, "invalid tensor element type");
    return ir_tensor_type(element, dims, rank, encoding);
}

static ir_type read_memref(ir_bytecode_in *in, bool with_space)
{
    const int64_t *dims;
    size_t rank;
    ir_attr space = with_space ? ir_in_attr(in) : NULL;
    if (!read_shape(in, &dims, &rank))
        return NULL;
    ir_type element = ir_in_type(in);
    ir_attr layout = ir_in_attr(in);
    if (ir_in_failed(in))
        return NULL;
    if (!is_element(element))
        return fail_type(in, "invalid memref element type");
    if (layout->kind == IR_ATTR_AFFINE_MAP && layout->map->n_dims != rank)
        return fail_type(in, "the memref's layout has another rank");
    return ir_memref_type(element, dims, rank, layout, space);
}

static ir_type read_vector(ir_bytecode_in *in, bool with_scalable)
{
    const int64_t *dims;
    size_t rank, n_flags = 0;
    bool scalable[MAX_RANK] = {0}, any = false;
    if (with_scalable) {
        n_flags = ir_in_count(in);
        if (n_flags > MAX_RANK)
            return fail_type(in, "too many scalable flags");
        for (size_t i = 0; i < n_flags; i++)
            any |= scalable[i] = ir_in_byte(in) != 0;
    }
    if (!read_shape(in, &dims, &rank))
        return NULL;
    ir_type element = ir_in_type(in);
    if (ir_in_failed(in))
        return NULL;
    if ((with_scalable && n_flags != rank) ||
        (element->kind != IR_TYPE_INTEGER && element->kind != IR_TYPE_FLOAT &&
         element->kind != IR_TYPE_INDEX && element->kind != IR_TYPE_DIALECT))
        return fail_type(in, "invalid vector type");
    for (size_t i = 0; i < rank; i++)
        if (dims[i] <= 0)
            return fail_type(in, "vector sizes must be positive");
    return ir_vector_type(element, dims, rank, any ? scalable : NULL);
}

static ir_type read_function(ir_bytecode_in *in)
{
    size_t n_inputs, n_results;
    const ir_type *inputs = ir_in_types(in, &n_inputs);
    const ir_type *results = ir_in_types(in, &n_results);
    return ir_in_failed(in)
               ? NULL
               : ir_function_type(ir_in_context(in), inputs, n_inputs, results, n_results);
}

static ir_type read_wrapped(ir_bytecode_in *in, uint64_t code)
{
    ir_attr space = code == TYPE_UNRANKED_MEMREF_SPACE ? ir_in_attr(in) : NULL;
    ir_type element = ir_in_type(in);
    if (ir_in_failed(in))
        return NULL;
    if (code == TYPE_COMPLEX)
        return element->kind == IR_TYPE_FLOAT || element->kind == IR_TYPE_INTEGER
                   ? ir_complex_type(element)
                   : fail_type(in, "invalid element type for complex");
    if (!is_element(element))
        return fail_type(in, "invalid element type");
    return code == TYPE_UNRANKED_TENSOR ? ir_unranked_tensor_type(element)
                                        : ir_unranked_memref_type(element, space);
}

static ir_type read_tuple(ir_bytecode_in *in)
{
    size_t count;
    const ir_type *types = ir_in_types(in, &count);
    return ir_in_failed(in) ? NULL : ir_tuple_type(ir_in_context(in), types, count);
}

ir_type ir_builtin_read_type(ir_bytecode_in *in)
{
    uint64_t code = ir_in_varint(in);
    ir_context *ctx = ir_in_context(in);
    if (ir_in_failed(in))
        return NULL;
    switch (code) {
    case TYPE_INTEGER:
        return read_integer_type(in);
    case TYPE_INDEX:
        return ir_index_type(ctx);
    case TYPE_FUNCTION:
        return read_function(in);
    case TYPE_NONE:
        return ir_none_type(ctx);
    case TYPE_COMPLEX:
    case TYPE_UNRANKED_MEMREF:
    case TYPE_UNRANKED_MEMREF_SPACE:
    case TYPE_UNRANKED_TENSOR:
        return read_wrapped(in, code);
    case TYPE_MEMREF:
    case TYPE_MEMREF_SPACE:
        return read_memref(in, code == TYPE_MEMREF_SPACE);
    case TYPE_TENSOR:
    case TYPE_TENSOR_ENCODING:
        return read_tensor(in, code == TYPE_TENSOR_ENCODING);
    case TYPE_TUPLE:
        return read_tuple(in);
    case TYPE_VECTOR:
    case TYPE_VECTOR_SCALABLE:
        return read_vector(in, code == TYPE_VECTOR_SCALABLE);
    }
    if (code >= TYPE_BF16 && code <= TYPE_F128)
        return ir_float_type(ctx, ir_bytecode_floats[code - TYPE_BF16]);
    if (code >= TYPE_TF32 && code - TYPE_TF32 < TW_COUNT(small_floats))
        return ir_float_type(ctx, small_floats[code - TYPE_TF32]);
    ir_in_fail(in, "unknown type code %llu", (unsigned long long)code);
    return NULL;
}
