/* ir/attr.h: attributes.  Interned, immutable, compared by pointer.
 *
 * Every parameter of a dialect attribute or type is itself an attribute, so that interning,
 * printing, walking and byte formats need no second representation: plain integers and enum
 * cases are integers without a type, lists are arrays, types are IR_ATTR_TYPE, an absent
 * optional parameter is NULL. */
#ifndef TILEWRIGHT_IR_ATTR_H
#define TILEWRIGHT_IR_ATTR_H

#include "ir/affine.h"
#include "ir/type.h"

typedef enum ir_attr_kind {
    IR_ATTR_INTEGER,    /* type (NULL for a bare parameter), value; i1 is a boolean */
    IR_ATTR_FLOAT,      /* type, value, bits */
    IR_ATTR_STRING,     /* ident, type (usually NULL) */
    IR_ATTR_ARRAY,      /* items */
    IR_ATTR_DICT,       /* sorted entries */
    IR_ATTR_TYPE,       /* type */
    IR_ATTR_SYMBOL_REF, /* items: strings, root first */
    IR_ATTR_UNIT,
    IR_ATTR_DENSE,       /* elements of a shaped type, raw little-endian data */
    IR_ATTR_DENSE_ARRAY, /* array<i64: ...> */
    IR_ATTR_RESOURCE,    /* dense_resource<key> : type */
    IR_ATTR_SPARSE,      /* items: indices, values */
    IR_ATTR_AFFINE_MAP,
    IR_ATTR_INTEGER_SET,
    IR_ATTR_STRIDED,  /* strided<[...], offset: ...> */
    IR_ATTR_DISTINCT, /* distinct[n]<attr>: never interned */
    IR_ATTR_LOC_UNKNOWN,
    IR_ATTR_LOC_FILE,     /* ident = file, line, column (and end) */
    IR_ATTR_LOC_NAME,     /* ident = name, child */
    IR_ATTR_LOC_CALLSITE, /* items: callee, caller */
    IR_ATTR_LOC_FUSED,    /* items: locations, then items[count] = metadata or NULL */
    IR_ATTR_DIALECT,      /* def, params */
    IR_ATTR_OPAQUE,       /* unregistered dialect's attribute, kept verbatim */
} ir_attr_kind;

typedef struct ir_attr_def ir_attr_def;

/* Bytes shared by constants; `data` is 64-byte aligned and never changes. */
typedef struct ir_blob {
    const void *data;
    size_t size;
    void (*release)(void *owner, const void *data, size_t size); /* NULL: context memory */
    void *owner;
    uint32_t align; /* of a resource, as stated in its file; 0 = unknown */
} ir_blob;

typedef struct ir_named_attr {
    ir_ident name;
    ir_attr value;
} ir_named_attr;

struct ir_attr_data {
    uint8_t kind;  /* ir_attr_kind */
    uint8_t splat; /* dense, bits: 1 = splat of one element, 2 = strings in `items` */
    uint16_t has_alias;
    uint32_t hash;
    uint32_t count; /* items, entries, parameters, dense array elements */
    ir_context *ctx;
    ir_type type; /* of integers, floats, strings, dense, resources; the type itself */
    union {
        int64_t value; /* integer: sign- or zero-extended as its type says */
        struct {
            double real;   /* the value, exact for every format up to 64 bits */
            uint64_t bits; /* the format's own bits; f80 and f128 keep f64 bits */
        };
        struct {
            ir_ident ident;
            ir_attr child;
            uint32_t line, column, end_line, end_column;
        };
        const ir_attr *items;
        const ir_named_attr *entries;
        const ir_blob *blob; /* dense, dense array */
        ir_affine_map map;   /* also the condition's map of a set */
        ir_integer_set set;
        struct {
            const int64_t *strides;
            int64_t offset;
        };
        struct {
            const ir_attr_def *def;
            const ir_attr *params;
        };
        struct {
            ir_ident dialect, body;
        };
    };
};

/* ---- creation ----------------------------------------------------------------------- */

ir_attr ir_unit_attr(ir_context *ctx);
ir_attr ir_bool_attr(ir_context *ctx, bool value); /* i1 */
/* The value is truncated to the type's width. */
ir_attr ir_integer_attr(ir_type type, int64_t value);
ir_attr ir_i32_attr(ir_context *ctx, int64_t value);
ir_attr ir_i64_attr(ir_context *ctx, int64_t value);
ir_attr ir_si32_attr(ir_context *ctx, int64_t value);
ir_attr ir_index_attr(ir_context *ctx, int64_t value);
/* An integer without a type: parameters of dialect attributes only. */
ir_attr ir_raw_int(ir_context *ctx, int64_t value);
/* Rounds to the type, nearest even. */
ir_attr ir_float_attr(ir_type type, double value);
ir_attr ir_float_attr_bits(ir_type type, uint64_t bits);
ir_attr ir_f32_attr(ir_context *ctx, double value);
ir_attr ir_string_attr(ir_context *ctx, tw_str text);
ir_attr ir_string_attr_ident(ir_context *ctx, ir_ident text);
ir_attr ir_typed_string_attr(ir_context *ctx, tw_str text, ir_type type);
ir_attr ir_type_attr(ir_type type);
ir_attr ir_array_attr(ir_context *ctx, const ir_attr *items, size_t count);
ir_attr ir_i32_array_attr(ir_context *ctx, const int64_t *values, size_t count);
ir_attr ir_i64_array_attr(ir_context *ctx, const int64_t *values, size_t count);
/* Sorts by name; of equal names the last wins. */
ir_attr ir_dict_attr(ir_context *ctx, const ir_named_attr *entries, size_t count);
ir_attr ir_symbol_ref(ir_context *ctx, tw_str root);
ir_attr ir_symbol_ref_nested(ir_context *ctx, const ir_attr *strings, size_t count);
ir_attr ir_affine_map_attr(ir_context *ctx, ir_affine_map map);
ir_attr ir_integer_set_attr(ir_context *ctx, ir_integer_set set);
ir_attr ir_strided_attr(ir_context *ctx, const int64_t *strides, size_t rank,
                        int64_t offset);
ir_attr ir_distinct_attr(ir_context *ctx, ir_attr payload);
ir_attr ir_dialect_attr(ir_context *ctx, const ir_attr_def *def, const ir_attr *params,
                        size_t count);
ir_attr ir_opaque_attr(ir_context *ctx, ir_ident dialect, ir_ident body);
ir_attr ir_loc_file_range_attr(ir_context *ctx, ir_ident file, uint32_t line,
                               uint32_t column, uint32_t end_line, uint32_t end_column);
ir_attr ir_loc_callsite_attr(ir_context *ctx, ir_attr callee, ir_attr caller);
ir_attr ir_loc_fused_attr(ir_context *ctx, const ir_attr *locs, size_t count,
                          ir_attr metadata);

/* ---- dense elements ------------------------------------------------------------------
 * Data is the elements in row-major order, little-endian, each in whole bytes: i1 one
 * byte of 0 or 1, i4 one byte sign-extended, index eight bytes, complex two parts.
 * String elements are kept as `items` (splat & 2), `count` of them. */

/* Bytes of one element in dense data, 0 for types without bytes (strings, tokens). */
size_t ir_dense_element_size(ir_type element);
/* Copies `size` bytes.  If size is one element and the type holds more, it is a splat;
 * data whose elements are all equal becomes a splat. */
ir_attr ir_dense_attr(ir_type type, const void *data, size_t size);
/* Takes ownership of the bytes without copying (weights); `blob.release` runs when the
 * context is freed. */
ir_attr ir_dense_attr_blob(ir_type type, ir_blob blob);
/* A splat of a value, converted as by ir_integer_attr and ir_float_attr. */
ir_attr ir_dense_splat(ir_type type, double value);
ir_attr ir_dense_splat_int(ir_type type, int64_t value);
ir_attr ir_dense_i64(ir_type type, const int64_t *values, size_t count);
/* dense<["a", "b"]>: `items` are string attributes. */
ir_attr ir_dense_strings(ir_type type, const ir_attr *items, size_t count);
/* Element i (row-major) as a double or integer; valid for every i of a splat. */
double ir_dense_real(ir_attr dense, size_t i);
int64_t ir_dense_int(ir_attr dense, size_t i);
/* Element i as an integer or float attribute. */
ir_attr ir_dense_element(ir_attr dense, size_t i);
/* The same elements with another type of equal count and element size. */
ir_attr ir_dense_reshape(ir_attr dense, ir_type type);

/* The type of an attribute's value, NULL if it has none: array<i64: 1, 2> is a
 * tensor<2xi64>. */
ir_type ir_attr_value_type(ir_attr attr);

/* array<i64: ...>: elem is i1, i8, i16, i32, i64, f32 or f64. */
ir_attr ir_dense_array(ir_type element, const void *data, size_t count);
ir_attr ir_dense_i64_array(ir_context *ctx, const int64_t *values, size_t count);
ir_attr ir_dense_i32_array(ir_context *ctx, const int64_t *values, size_t count);
ir_attr ir_dense_bool_array(ir_context *ctx, const bool *values, size_t count);
int64_t ir_dense_array_int(ir_attr array, size_t i);

/* dense_resource<key> and the blobs behind keys ({-# dialect_resources #-}). */
ir_attr ir_resource_attr(ir_type type, ir_ident dialect, ir_ident key);

/* ---- asking -------------------------------------------------------------------------- */

static inline bool ir_attr_is(ir_attr a, ir_attr_kind kind)
{
    return a && a->kind == kind;
}
static inline bool ir_attr_is_bool(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_INTEGER) && ir_type_is_signless(a->type, 1);
}
static inline tw_str ir_attr_str(ir_attr a) /* of a string */
{
    return ir_ident_str(a->ident);
}
/* The value of an integer attribute, or `otherwise` if it is absent or not an integer. */
int64_t ir_attr_int(ir_attr a, int64_t otherwise);
double ir_attr_real(ir_attr a, double otherwise); /* float or integer attribute */
static inline bool ir_attr_bool(ir_attr a)        /* absent is false; unit is true */
{
    return a && (a->kind == IR_ATTR_UNIT || (a->kind == IR_ATTR_INTEGER && a->value != 0));
}
/* Integers of an array of integers, a dense array or dense elements.  Returns the count
 * (which may exceed `max`; at most max are written), or -1 for any other attribute. */
int64_t ir_attr_ints(ir_attr a, int64_t *out, size_t max);
/* NULL if the entry is absent. */
ir_attr ir_dict_get(ir_attr dict, tw_str name);
/* A dictionary with an entry set, or removed if value is NULL; dict may be NULL. */
ir_attr ir_dict_set(ir_context *ctx, ir_attr dict, ir_ident name, ir_attr value);
/* The last component of a symbol reference. */
tw_str ir_symbol_leaf(ir_attr ref);

/* True for location attributes. */
static inline bool ir_attr_is_loc(ir_attr a)
{
    return a && a->kind >= IR_ATTR_LOC_UNKNOWN && a->kind <= IR_ATTR_LOC_FUSED;
}

#endif
