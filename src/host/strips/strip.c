/* strip.c: which set of strip functions this processor runs. */
#include "host/strips/strip.h"
#include "host/isa.h"

extern const krn_strip_set krn_strips_plain;
#ifdef __x86_64__
extern const krn_strip_set krn_strips_avx2, krn_strips_avx512;
#endif

const krn_strip_set *krn_strips_of(krn_isa isa)
{
#ifdef __x86_64__
    if (isa >= KRN_ISA_AVX512)
        return &krn_strips_avx512;
    if (isa >= KRN_ISA_AVX2)
        return &krn_strips_avx2;
#endif
    (void)isa;
    return &krn_strips_plain;
}

const krn_strip_set *krn_strips(void)
{
    return krn_strips_of(krn_isa_chosen());
}
