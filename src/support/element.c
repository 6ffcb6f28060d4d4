/* element.c: elements of any type as doubles. */
#include "support/element.h"

#include "support/bf16_f16.h"

#include <math.h>
#include <string.h>

bool tool_is_float(tw_dtype t)
{
    return t <= TW_BFP_BF2 || t == TW_F64;
}

double tool_element(tw_dtype t, const void *data, size_t i)
{
    switch (t) {
    case TW_F32:
        return (double)((const float *)data)[i];
    case TW_F64:
        return ((const double *)data)[i];
    case TW_BF16: {
        uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        float f;
        memcpy(&f, &bits, 4);
        return (double)f;
    }
    case TW_F16: {
        uint16_t h = ((const uint16_t *)data)[i];
        int e = h >> 10 & 31, m = h & 1023;
        double v =
            e == 31 ? (m ? NAN : INFINITY) : ldexp(e ? m + 1024 : m, (e ? e : 1) - 25);
        return h & 0x8000 ? -v : v;
    }
    case TW_I32:
        return ((const int32_t *)data)[i];
    case TW_U32:
        return ((const uint32_t *)data)[i];
    case TW_I64:
        return (double)((const int64_t *)data)[i];
    case TW_U64:
        return (double)((const uint64_t *)data)[i];
    case TW_I16:
        return ((const int16_t *)data)[i];
    case TW_U16:
        return ((const uint16_t *)data)[i];
    case TW_I8:
        return ((const int8_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

void tool_store_element(tw_dtype dtype, void *data, size_t i, double x)
{
    switch (dtype) {
    case TW_F32:
        ((float *)data)[i] = (float)x;
        break;
    case TW_F64:
        ((double *)data)[i] = x;
        break;
    case TW_BF16:
        ((uint16_t *)data)[i] = tw_bf16_of_f64(x);
        break;
    case TW_F16:
        ((uint16_t *)data)[i] = tw_f16_of_f64(x);
        break;
    case TW_BOOL:
        ((uint8_t *)data)[i] = x > 0;
        break;
    default: { /* integers */
        int64_t v = (int64_t)x;
        memcpy((char *)data + i * tw_dtype_size(dtype), &v, tw_dtype_size(dtype));
    }
    }
}
