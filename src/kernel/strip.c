/* strip.c: which set of strip functions this processor runs. */
#include "kernel/strip.h"

extern const krn_strip_set krn_strips_plain;
#ifdef __x86_64__
extern const krn_strip_set krn_strips_avx2, krn_strips_avx512;
#endif

const krn_strip_set *krn_strips(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &krn_strips_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &krn_strips_avx2;
#endif
    return &krn_strips_plain;
}
