/* move_index.h: reading index tensors. */
#ifndef TILEWRIGHT_HOST_MOVE_MOVE_INDEX_H
#define TILEWRIGHT_HOST_MOVE_MOVE_INDEX_H

#include "support/bf16_f16.h"
#include "support/status.h"
#include "tilewright/dtype.h"

/* Floats are floored; huge values and NaN are far out of bounds. */
static inline int64_t krn_whole(double v)
{
    return v >= -0x1p62 && v <= 0x1p62 ? (int64_t)v : v < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
}

static inline int64_t krn_index_at(tw_dtype dtype, const void *indices, int64_t i)
{
    switch (dtype) {
    case TW_I32:
        return ((const int32_t *)indices)[i];
    case TW_I64:
        return ((const int64_t *)indices)[i];
    case TW_U32:
        return ((const uint32_t *)indices)[i];
    case TW_U64: {
        const uint64_t v = ((const uint64_t *)indices)[i];
        return v > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)v;
    }
    case TW_I16:
        return ((const int16_t *)indices)[i];
    case TW_U16:
        return ((const uint16_t *)indices)[i];
    case TW_I8:
        return ((const int8_t *)indices)[i];
    case TW_U8:
    case TW_BOOL:
        return ((const uint8_t *)indices)[i];
    case TW_F32:
        return krn_whole((double)((const float *)indices)[i]);
    case TW_BF16:
        return krn_whole((double)tw_bf16_value(((const uint16_t *)indices)[i]));
    default:
        assert(!"index type was checked when planning");
        return 0;
    }
}

static inline tw_status krn_check_index_type(const char *op, tw_dtype dtype)
{
    switch (dtype) {
    case TW_I8:
    case TW_I16:
    case TW_I32:
    case TW_I64:
    case TW_U8:
    case TW_U16:
    case TW_U32:
    case TW_U64:
    case TW_BOOL:
    case TW_F32:
    case TW_BF16:
        return TW_SUCCESS;
    default:
        return tw_error(TW_UNSUPPORTED, "%s with indices of type %s", op,
                        tw_dtype_name(dtype));
    }
}

static inline int64_t krn_clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

#endif
