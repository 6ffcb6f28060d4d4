/* ir/type.h: types.  Interned, immutable, compared by pointer. */
#ifndef TILEWRIGHT_IR_TYPE_H
#define TILEWRIGHT_IR_TYPE_H

#include "ir/context.h"

typedef enum ir_type_kind {
    IR_TYPE_INTEGER,
    IR_TYPE_FLOAT,
    IR_TYPE_INDEX,
    IR_TYPE_NONE,
    IR_TYPE_COMPLEX,         /* element */
    IR_TYPE_VECTOR,          /* element, dims, scalable */
    IR_TYPE_TENSOR,          /* element, dims, encoding */
    IR_TYPE_UNRANKED_TENSOR, /* element */
    IR_TYPE_MEMREF,          /* element, dims, layout, memory space */
    IR_TYPE_UNRANKED_MEMREF, /* element, memory space */
    IR_TYPE_FUNCTION,        /* inputs, results */
    IR_TYPE_TUPLE,           /* inputs */
    IR_TYPE_DIALECT,         /* a registered dialect's type */
    IR_TYPE_OPAQUE,          /* an unregistered dialect's type, kept verbatim */
} ir_type_kind;

typedef enum ir_signedness { IR_SIGNLESS, IR_SIGNED, IR_UNSIGNED } ir_signedness;

/* Order is that of the table in type.c ("ORDER FLOAT"). */
typedef enum ir_float_kind {
    IR_F4E2M1FN,
    IR_F6E2M3FN,
    IR_F6E3M2FN,
    IR_F8E5M2,
    IR_F8E4M3,
    IR_F8E4M3FN,
    IR_F8E5M2FNUZ,
    IR_F8E4M3FNUZ,
    IR_F8E4M3B11FNUZ,
    IR_F8E3M4,
    IR_F8E8M0FNU,
    IR_BF16,
    IR_F16,
    IR_TF32,
    IR_F32,
    IR_F64,
    IR_F80,
    IR_F128,
    IR_FLOAT_COUNT
} ir_float_kind;

/* A dimension whose size is unknown until run time. */
#define IR_DYNAMIC INT64_MIN

typedef struct ir_type_def ir_type_def;

struct ir_type_data {
    uint8_t kind;       /* ir_type_kind */
    uint8_t sign;       /* integer: ir_signedness; float: ir_float_kind */
    uint16_t has_alias; /* a nested attribute may print as an alias */
    uint32_t hash;
    uint32_t width;   /* integer, float: bits */
    uint32_t count;   /* dims; inputs; parameters */
    uint32_t results; /* function: results after the inputs */
    ir_context *ctx;
    union {
        struct {
            ir_type element;
            ir_attr encoding; /* tensor: encoding; memref: layout; may be NULL */
            ir_attr space;    /* memref: memory space, NULL is the default one */
            const int64_t *dims;
            const bool *scalable; /* vector only, NULL if none is */
        };
        const ir_type *types;
        struct {
            const ir_type_def *def;
            const ir_attr *params; /* in declaration order; NULL = absent */
        };
        struct {
            ir_ident dialect, body;
        };
    };
};

ir_type ir_integer_type(ir_context *ctx, uint32_t width, ir_signedness sign);
ir_type ir_float_type(ir_context *ctx, ir_float_kind kind);
ir_type ir_index_type(ir_context *ctx);
ir_type ir_none_type(ir_context *ctx);
ir_type ir_complex_type(ir_type element);
ir_type ir_vector_type(ir_type element, const int64_t *dims, size_t rank,
                       const bool *scalable);
ir_type ir_tensor_type(ir_type element, const int64_t *dims, size_t rank, ir_attr encoding);
ir_type ir_unranked_tensor_type(ir_type element);
/* An identity affine-map layout and an i64 memory space of 0 are folded to NULL. */
ir_type ir_memref_type(ir_type element, const int64_t *dims, size_t rank, ir_attr layout,
                       ir_attr space);
ir_type ir_unranked_memref_type(ir_type element, ir_attr space);
ir_type ir_function_type(ir_context *ctx, const ir_type *inputs, size_t n_inputs,
                         const ir_type *results, size_t n_results);
ir_type ir_tuple_type(ir_context *ctx, const ir_type *members, size_t count);
ir_type ir_dialect_type(ir_context *ctx, const ir_type_def *def, const ir_attr *params,
                        size_t count);
ir_type ir_opaque_type(ir_context *ctx, ir_ident dialect, ir_ident body);

/* "bf16"; widths and layouts of formats; false if the name is no float type. */
const char *ir_float_name(ir_float_kind kind);
bool ir_float_from_name(tw_str name, ir_float_kind *out_kind);

static inline bool ir_type_is_integer(ir_type t, uint32_t width)
{
    return t && t->kind == IR_TYPE_INTEGER && t->width == width;
}
static inline bool ir_type_is_signless(ir_type t, uint32_t width)
{
    return ir_type_is_integer(t, width) && t->sign == IR_SIGNLESS;
}
static inline bool ir_type_is_float(ir_type t, ir_float_kind kind)
{
    return t && t->kind == IR_TYPE_FLOAT && t->sign == kind;
}
static inline bool ir_type_is_tensor(ir_type t)
{
    return t && t->kind == IR_TYPE_TENSOR;
}
/* vector, tensor or memref, ranked or not */
static inline bool ir_type_is_shaped(ir_type t)
{
    return t && t->kind >= IR_TYPE_VECTOR && t->kind <= IR_TYPE_UNRANKED_MEMREF;
}
static inline bool ir_type_is_ranked(ir_type t)
{
    return t && (t->kind == IR_TYPE_VECTOR || t->kind == IR_TYPE_TENSOR ||
                 t->kind == IR_TYPE_MEMREF);
}
/* True if it is a valid tensor element type. */
bool ir_type_is_tensor_element(ir_type t);
bool ir_type_has_static_shape(ir_type t);
/* Product of the dimensions, or -1 if one is dynamic or the product overflows. */
int64_t ir_type_num_elements(ir_type t);
/* The element type of shaped and complex types, any other type itself. */
ir_type ir_type_element(ir_type t);
/* The same shaped type with another element type or shape. */
ir_type ir_type_with_element(ir_type t, ir_type element);
/* i1 in the same shape; i1 for a scalar. */
ir_type ir_type_i1_like(ir_type t);
ir_type ir_type_with_shape(ir_type t, const int64_t *dims, size_t rank);

static inline size_t ir_function_inputs(ir_type t)
{
    return t->count;
}
static inline const ir_type *ir_function_results(ir_type t)
{
    return t->types + t->count;
}

#endif
