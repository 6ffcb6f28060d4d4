/* dense.c: elements attributes and dense arrays. */
#include "ir/attr.h"
#include "ir/context_impl.h"
#include "ir/number.h"

#include <stdlib.h>

size_t ir_dense_element_size(ir_type element)
{
    switch (element->kind) {
    case IR_TYPE_INTEGER:
        return element->width <= 64 ? (element->width + 7) / 8 : 0;
    case IR_TYPE_INDEX:
        return 8;
    case IR_TYPE_FLOAT:
        return element->width > 64        ? 8
               : element->sign == IR_TF32 ? 4
                                          : (element->width + 7) / 8;
    case IR_TYPE_COMPLEX:
        return 2 * ir_dense_element_size(element->element);
    default:
        return 0;
    }
}

static bool all_equal(const char *data, size_t size, size_t element)
{
    return size > element && memcmp(data, data + element, size - element) == 0;
}

/* Larger constants are not interned: comparing megabytes to share them costs more than it
 * saves. */
enum { UNIQUE_LIMIT = 4096 };

ir_attr ir_dense_attr(ir_type type, const void *data, size_t size)
{
    ir_context *ctx = type->ctx;
    size_t element = ir_dense_element_size(ir_type_element(type));
    int64_t count = ir_type_num_elements(type);
    ir_blob blob = {.data = data, .size = size};
    struct ir_attr_data probe = {.kind = IR_ATTR_DENSE, .type = type, .blob = &blob};
    if (count == 1 || (element && size == element) ||
        (element && all_equal(data, size, element))) {
        probe.splat = 1;
        blob.size = element;
    }
    if (blob.size <= UNIQUE_LIMIT)
        return ir_attr_intern(ctx, &probe);
    char *copy = tw_arena_alloc(&ctx->arena, size + 64);
    copy = (char *)tw_align_up((size_t)copy, 64);
    memcpy(copy, data, size);
    return ir_dense_attr_blob(type, (ir_blob){.data = copy, .size = size});
}

ir_type ir_attr_value_type(ir_attr attr)
{
    int64_t count = attr->count;
    return attr->kind == IR_ATTR_DENSE_ARRAY ? ir_tensor_type(attr->type, &count, 1, NULL)
                                             : attr->type;
}

ir_attr ir_dense_attr_blob(ir_type type, ir_blob blob)
{
    ir_context *ctx = type->ctx;
    ir_blob *kept = TW_ARENA_NEW(&ctx->arena, ir_blob);
    *kept = blob;
    if (blob.release)
        TW_PUSH(ctx->blobs, ctx->n_blobs, ctx->blobs_capacity, kept);
    size_t element = ir_dense_element_size(ir_type_element(type));
    struct ir_attr_data *a = TW_ARENA_NEW(&ctx->arena, struct ir_attr_data);
    *a = (struct ir_attr_data){.kind = IR_ATTR_DENSE, .type = type, .ctx = ctx};
    a->blob = kept;
    a->has_alias = type->has_alias;
    a->splat = element && blob.size == element && ir_type_num_elements(type) != 0;
    a->hash = tw_hash_end(tw_hash_ptr(IR_ATTR_DENSE, blob.data));
    return a;
}

static bool is_unsigned_64(ir_type element)
{
    return element->kind == IR_TYPE_INTEGER && element->sign == IR_UNSIGNED &&
           element->width == 64;
}

/* The nearest integer of a 64-bit element type; narrower types keep its low bits. */
static int64_t nearest_integer(ir_type element, double real)
{
    if (is_unsigned_64(element) && real >= 0x1p63)
        return real >= 0x1p64 ? -1 : (int64_t)(uint64_t)real;
    if (real >= 0x1p63)
        return INT64_MAX;
    return real >= -0x1p63 ? (int64_t)real : INT64_MIN;
}

static void put_number(ir_type element, double real, int64_t integer, bool is_real,
                       char *out)
{
    uint64_t bits;
    if (element->kind == IR_TYPE_COMPLEX) {
        size_t half = ir_dense_element_size(element->element);
        put_number(element->element, real, integer, is_real, out);
        put_number(element->element, 0, 0, is_real, out + half);
        return;
    }
    if (element->kind == IR_TYPE_FLOAT)
        bits =
            ir_float_encode((ir_float_kind)element->sign, is_real ? real : (double)integer);
    else
        bits = (uint64_t)ir_int_wrap(element,
                                     is_real ? nearest_integer(element, real) : integer);
    memcpy(out, &bits, ir_dense_element_size(element));
}

ir_attr ir_dense_splat(ir_type type, double value)
{
    char element[32];
    put_number(ir_type_element(type), value, 0, true, element);
    return ir_dense_attr(type, element, ir_dense_element_size(ir_type_element(type)));
}

ir_attr ir_dense_splat_int(ir_type type, int64_t value)
{
    char element[32];
    put_number(ir_type_element(type), 0, value, false, element);
    return ir_dense_attr(type, element, ir_dense_element_size(ir_type_element(type)));
}

ir_attr ir_dense_i64(ir_type type, const int64_t *values, size_t count)
{
    ir_type element = ir_type_element(type);
    size_t size = ir_dense_element_size(element);
    char *data = tw_xmalloc(count * size);
    for (size_t i = 0; i < count; i++)
        put_number(element, 0, values[i], false, data + i * size);
    ir_attr dense = ir_dense_attr(type, data, count * size);
    free(data);
    return dense;
}

ir_attr ir_dense_strings(ir_type type, const ir_attr *items, size_t count)
{
    bool same = count > 0;
    for (size_t i = 1; i < count; i++)
        same &= items[i] == items[0];
    struct ir_attr_data probe = {.kind = IR_ATTR_DENSE, .type = type, .splat = 2};
    probe.items = items;
    probe.count = (uint32_t)count;
    if (same) {
        probe.splat = 3;
        probe.count = 1;
    }
    return ir_attr_intern(type->ctx, &probe);
}

static const char *element_at(ir_attr dense, size_t i, size_t size)
{
    return (const char *)dense->blob->data + (dense->splat & 1 ? 0 : i * size);
}

static uint64_t load(const char *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, TW_MIN(size, sizeof bits));
    return bits;
}

double ir_dense_real(ir_attr dense, size_t i)
{
    ir_type element = ir_type_element(dense->type);
    if (element->kind != IR_TYPE_FLOAT && element->kind != IR_TYPE_COMPLEX) {
        int64_t v = ir_dense_int(dense, i);
        return is_unsigned_64(element) ? (double)(uint64_t)v : (double)v;
    }
    ir_type part = element->kind == IR_TYPE_COMPLEX ? element->element : element;
    uint64_t bits = load(element_at(dense, i, ir_dense_element_size(element)),
                         ir_dense_element_size(part));
    return ir_float_decode((ir_float_kind)part->sign, bits);
}

int64_t ir_dense_int(ir_attr dense, size_t i)
{
    ir_type element = ir_type_element(dense->type);
    if (element->kind == IR_TYPE_FLOAT || element->kind == IR_TYPE_COMPLEX)
        return (int64_t)ir_dense_real(dense, i);
    size_t size = ir_dense_element_size(element);
    return ir_int_wrap(element, (int64_t)load(element_at(dense, i, size), size));
}

ir_attr ir_dense_element(ir_attr dense, size_t i)
{
    ir_type element = ir_type_element(dense->type);
    if (dense->splat & 2)
        return dense->items[dense->splat & 1 ? 0 : i];
    size_t size = ir_dense_element_size(element);
    if (element->kind == IR_TYPE_COMPLEX) {
        size_t half = size / 2;
        const char *at = element_at(dense, i, size);
        ir_type part = element->element;
        ir_attr both[2];
        for (int k = 0; k < 2; k++) {
            uint64_t bits = load(at + (size_t)k * half, half);
            both[k] = part->kind == IR_TYPE_FLOAT ? ir_float_attr_bits(part, bits)
                                                  : ir_integer_attr(part, (int64_t)bits);
        }
        return ir_array_attr(dense->ctx, both, 2);
    }
    uint64_t bits = load(element_at(dense, i, size), size);
    return element->kind == IR_TYPE_FLOAT ? ir_float_attr_bits(element, bits)
                                          : ir_integer_attr(element, (int64_t)bits);
}

ir_attr ir_dense_reshape(ir_attr dense, ir_type type)
{
    if (dense->splat & 2)
        return ir_dense_strings(type, dense->items, dense->count);
    if (dense->blob->size <= UNIQUE_LIMIT)
        return ir_dense_attr(type, dense->blob->data, dense->blob->size);
    /* Shares the bytes without taking ownership. */
    return ir_dense_attr_blob(
        type, (ir_blob){.data = dense->blob->data, .size = dense->blob->size});
}

/* ---- dense arrays ------------------------------------------------------------------- */

ir_attr ir_dense_array(ir_type element, const void *data, size_t count)
{
    ir_blob blob = {.data = data, .size = count * ir_dense_element_size(element)};
    struct ir_attr_data probe = {.kind = IR_ATTR_DENSE_ARRAY,
                                 .type = element,
                                 .count = (uint32_t)count,
                                 .blob = &blob};
    return ir_attr_intern(element->ctx, &probe);
}

ir_attr ir_dense_i64_array(ir_context *ctx, const int64_t *values, size_t count)
{
    return ir_dense_array(ctx->i64, values, count);
}

ir_attr ir_dense_i32_array(ir_context *ctx, const int64_t *values, size_t count)
{
    enum { FEW = 32 };
    int32_t few[FEW];
    int32_t *narrow = count <= FEW ? few : tw_xmalloc(count * sizeof *narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (int32_t)values[i];
    ir_attr array = ir_dense_array(ctx->i32, narrow, count);
    if (narrow != few)
        free(narrow);
    return array;
}

ir_attr ir_dense_bool_array(ir_context *ctx, const bool *values, size_t count)
{
    return ir_dense_array(ctx->i1, values, count);
}

int64_t ir_dense_array_int(ir_attr array, size_t i)
{
    const ir_type type = array->type;
    if (type->kind == IR_TYPE_INTEGER && type->width == 32 && type->sign == IR_SIGNLESS) {
        int32_t value; /* most arrays: the numbers of operands */
        memcpy(&value, (const char *)array->blob->data + i * sizeof value, sizeof value);
        return value;
    }
    size_t size = ir_dense_element_size(array->type);
    return ir_int_wrap(array->type,
                       (int64_t)load((const char *)array->blob->data + i * size, size));
}
