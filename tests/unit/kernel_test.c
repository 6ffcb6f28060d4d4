/* kernel_test.c: see kernel_test.h. */
#include "kernel_test.h"

#include "support/bf16_f16.h"

tw_threadpool *kt_pool;

int kt_start_pool(void **state)
{
    (void)state;
    assert_null(tw_threadpool_create(3, &kt_pool));
    return 0;
}

int kt_end_pool(void **state)
{
    (void)state;
    tw_threadpool_release(kt_pool);
    return 0;
}

uint32_t kt_random_bits(void)
{
    static uint32_t state = 7;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

int64_t kt_between(int64_t low, int64_t high)
{
    return low + kt_random_bits() % (uint32_t)(high - low + 1);
}

bool kt_next(int rank, const int64_t *shape, int64_t *at)
{
    for (int i = rank - 1; i >= 0; i--) {
        if (++at[i] < shape[i])
            return true;
        at[i] = 0;
    }
    return false;
}

double kt_get(const void *data, tw_dtype dtype, int64_t i)
{
    switch (dtype) {
    case TW_F32:
        return ((const float *)data)[i];
    case TW_BF16:
        return tw_bf16_value(((const uint16_t *)data)[i]);
    case TW_F16:
        return tw_f16_value(((const uint16_t *)data)[i]);
    case TW_F64:
        return ((const double *)data)[i];
    case TW_I8:
        return ((const int8_t *)data)[i];
    case TW_U16:
        return ((const uint16_t *)data)[i];
    default:
        assert_int_equal(dtype, TW_I32);
        return ((const int32_t *)data)[i];
    }
}

void kt_set(void *data, tw_dtype dtype, int64_t i, double v)
{
    switch (dtype) {
    case TW_F32:
        ((float *)data)[i] = (float)v;
        return;
    case TW_BF16:
        ((uint16_t *)data)[i] = tw_bf16_nearest_even((float)v);
        return;
    case TW_F16:
        ((uint16_t *)data)[i] = tw_f16_nearest_even((float)v);
        return;
    case TW_F64:
        ((double *)data)[i] = v;
        return;
    case TW_I8:
        ((int8_t *)data)[i] = (int8_t)(int64_t)v;
        return;
    case TW_U16:
        ((uint16_t *)data)[i] = (uint16_t)(int64_t)v;
        return;
    default:
        assert_int_equal(dtype, TW_I32);
        ((int32_t *)data)[i] = (int32_t)(int64_t)v;
    }
}
