/* quant_verify.c: verifies quantized types. */
#include "ir/number.h"
#include "mlir/quant/quant.h"
#include "mlir/quant/quant_hooks.h"

#include <math.h>

enum { MAX_STORAGE_BITS = 32 };

void quant_storage_range(uint32_t width, bool is_signed, int64_t *out_min, int64_t *out_max)
{
    *out_min = is_signed ? -((int64_t)1 << (width - 1)) : 0;
    *out_max = ((int64_t)1 << (is_signed ? width - 1 : width)) - 1;
}

static bool verify_storage(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr storage = type->params[QUANT_STORAGE_TYPE];
    int64_t lowest, highest, min = type->params[QUANT_STORAGE_MIN]->value,
                             max = type->params[QUANT_STORAGE_MAX]->value;
    if (storage->type->kind != IR_TYPE_INTEGER)
        return ir_error(ctx, loc, "storage type must be integral");
    uint32_t width = storage->type->width;
    if (width == 0 || width > MAX_STORAGE_BITS)
        return ir_error(ctx, loc, "illegal storage type size: %u", width);
    quant_storage_range(width, type->params[QUANT_FLAGS]->value & 1, &lowest, &highest);
    if (max <= min || min < lowest || max > highest)
        return ir_error(ctx, loc, "illegal storage min and storage max: (%lld:%lld)",
                        (long long)min, (long long)max);
    return true;
}

/* From the smallest denormal to the largest finite value of the expressed type. */
static bool verify_scale(ir_context *ctx, ir_loc loc, ir_type expressed, double scale)
{
    double min, max;
    ir_float_range((ir_float_kind)expressed->sign, &min, &max);
    if (scale >= min && scale <= max)
        return true;
    return ir_error(ctx, loc, "scale %e out of expressed type range [%e, %e]", scale, min,
                    max);
}

static bool verify_scales(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_type expressed = type->params[QUANT_EXPRESSED_TYPE]->type;
    ir_attr scales = type->params[QUANT_SCALE], zeros = type->params[QUANT_ZERO_POINT];
    if (type->def == QUANT_TYPE(uniform))
        return verify_scale(ctx, loc, expressed, scales->real);
    if (scales->count != zeros->count)
        return ir_error(ctx, loc, "illegal number of scales and zeroPoints: %u, %u",
                        scales->count, zeros->count);
    for (uint32_t i = 0; i < scales->count; i++)
        if (!verify_scale(ctx, loc, expressed, scales->items[i]->real))
            return false;
    int64_t dim = type->def == QUANT_TYPE(uniform_per_axis)
                      ? type->params[QUANT_DIMENSION]->value
                      : 0;
    if (dim < 0 || dim > INT32_MAX)
        return ir_error(ctx, loc, "illegal quantized dimension: %lld", (long long)dim);
    return true;
}

static bool verify_blocks(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr dims = type->params[QUANT_DIMENSIONS], sizes = type->params[QUANT_BLOCK_SIZES],
            shape = type->params[QUANT_SHAPE];
    if (dims->count > shape->count || dims->count != sizes->count)
        return ir_error(ctx, loc, "illegal number of quantized dimensions: %u",
                        dims->count);
    for (uint32_t i = 0; i < dims->count; i++) {
        int64_t dim = dims->items[i]->value, size = sizes->items[i]->value;
        if (dim < 0 || dim > INT32_MAX)
            return ir_error(ctx, loc, "illegal quantized dimension: %lld", (long long)dim);
        if (size <= 0)
            return ir_error(ctx, loc, "illegal block size: %lld", (long long)size);
    }
    return true;
}

bool quant_verify(ir_context *ctx, ir_loc loc, ir_type type)
{
    bool calibrated = type->def == QUANT_TYPE(calibrated);
    ir_attr expressed = type->params[calibrated ? 0 : QUANT_EXPRESSED_TYPE];
    if (!calibrated && !verify_storage(ctx, loc, type))
        return false;
    if (!expressed && type->def == QUANT_TYPE(any))
        return true;
    if (!expressed || expressed->type->kind != IR_TYPE_FLOAT)
        return ir_error(ctx, loc, "expressed type must be floating point");
    if (calibrated) {
        double min = type->params[1]->real, max = type->params[2]->real;
        return max > min || ir_error(ctx, loc, "illegal min and max: (%e:%e)", min, max);
    }
    return type->def == QUANT_TYPE(any) || (verify_scales(ctx, loc, type) &&
                                            (type->def != QUANT_TYPE(uniform_sub_channel) ||
                                             verify_blocks(ctx, loc, type)));
}
