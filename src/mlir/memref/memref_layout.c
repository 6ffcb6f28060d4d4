/* memref_layout.c: see memref_layout.h. */
#include "mlir/memref/memref_layout.h"

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    if (a == 0 || b == 0)
        return 0;
    if (a == IR_DYNAMIC || b == IR_DYNAMIC || __builtin_mul_overflow(a, b, &product))
        return IR_DYNAMIC;
    return product;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == IR_DYNAMIC || b == IR_DYNAMIC || __builtin_add_overflow(a, b, &sum))
        return IR_DYNAMIC;
    return sum;
}

bool memref_steps_of(ir_type type, memref_steps *out)
{
    if (ir_attr_is(type->encoding, IR_ATTR_STRIDED)) {
        out->offset = type->encoding->offset;
        memcpy(out->stride, type->encoding->strides, type->count * sizeof *out->stride);
        return true;
    }
    if (type->encoding && !(ir_attr_is(type->encoding, IR_ATTR_AFFINE_MAP) &&
                            ir_affine_map_is_identity(type->encoding->map)))
        return false;
    out->offset = 0;
    int64_t step = 1;
    for (uint32_t i = type->count; i-- > 0;) {
        out->stride[i] = step;
        step = times(step, type->dims[i]);
    }
    return true;
}

ir_type memref_part_type(ir_type whole, const int64_t *offsets, const int64_t *sizes,
                         const int64_t *strides, ir_type like)
{
    if (like->count > whole->count || whole->count > SHAPE_MAX_RANK)
        return NULL;
    memref_steps s;
    int64_t dims[SHAPE_MAX_RANK], steps[SHAPE_MAX_RANK];
    uint32_t k = 0, spare = whole->count - like->count;
    if (!memref_steps_of(whole, &s))
        return NULL;
    for (uint32_t i = 0; i < whole->count; i++)
        s.offset = plus(s.offset, times(offsets[i], s.stride[i]));
    for (uint32_t i = 0; i < whole->count; i++) {
        int64_t size = sizes[i];
        if (spare && size == 1) {
            spare--; /* a dimension that the subview drops */
            continue;
        }
        if (k == like->count)
            return NULL;
        dims[k] = size;
        steps[k++] = times(s.stride[i], strides[i]);
    }
    if (k != like->count)
        return NULL;
    return ir_memref_type(whole->element, dims, k,
                          ir_strided_attr(whole->ctx, steps, k, s.offset), whole->space);
}
