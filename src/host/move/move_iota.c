/* move_iota.c: iota and arange. */
#include "host/move/move.h"
#include "support/bf16_f16.h"

typedef union number {
    double d;
    float f;
    uint16_t h;
    int64_t i;
    unsigned char bytes[8];
} number;

/* Element n of the sequence, in the dtype's representation. */
static number value_at(tw_dtype dtype, int64_t n, int64_t start_int, int64_t step_int,
                       double start, double step)
{
    number v = {.i = 0};
    switch (dtype) {
    case TW_F64:
        v.d = start + (double)n * step;
        break;
    case TW_F32:
        v.f = (float)(start + (double)n * step);
        break;
    case TW_BF16:
        v.h = tw_bf16_of_f64(start + (double)n * step);
        break;
    case TW_F16:
        v.h = tw_f16_of_f64(start + (double)n * step);
        break;
    case TW_BOOL:
        v.i = (uint64_t)start_int + (uint64_t)n * (uint64_t)step_int != 0;
        break;
    default: /* little endian: a narrower type takes the low bytes */
        v.i = (int64_t)((uint64_t)start_int + (uint64_t)n * (uint64_t)step_int);
    }
    return v;
}

tw_status krn_iota(tw_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                   int64_t start_int, int64_t step_int, double start, double step,
                   void *dst, struct tw_threadpool *pool)
{
    const size_t size = tw_dtype_size(dtype);
    char *out = dst;

    if (size == 0)
        return tw_error(TW_UNSUPPORTED, "iota of type %s", tw_dtype_name(dtype));
    if (outer < 0 || n < 0 || inner < 0)
        return tw_error(TW_INVALID, "iota of %lld x %lld x %lld elements", (long long)outer,
                        (long long)n, (long long)inner);
    if (outer == 0 || inner == 0)
        return TW_SUCCESS;
    for (int64_t i = 0; i < n; i++, out += (size_t)inner * size) {
        const number v = value_at(dtype, i, start_int, step_int, start, step);
        if (inner == 1)
            memcpy(out, v.bytes, size);
        else
            krn_fill((int)size, v.bytes, inner, out, pool);
    }
    for (int64_t o = 1; o < outer; o++, out += (size_t)(n * inner) * size)
        memcpy(out, dst, (size_t)(n * inner) * size);
    return TW_SUCCESS;
}
