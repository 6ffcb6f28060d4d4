/* tile.c: selects one of the sets of tile.h. */
#include "host/tiles/tile.h"

extern const krn_tile_set krn_tiles_plain;
#ifdef __x86_64__
extern const krn_tile_set krn_tiles_avx2, krn_tiles_avx512, krn_tiles_avx512bf16;
#endif

const krn_tile_set *krn_tiles_of(krn_isa isa)
{
#ifdef __x86_64__
    if (isa >= KRN_ISA_AVX512BF16)
        return &krn_tiles_avx512bf16;
    if (isa >= KRN_ISA_AVX512)
        return &krn_tiles_avx512;
    if (isa >= KRN_ISA_AVX2)
        return &krn_tiles_avx2;
#endif
    (void)isa;
    return &krn_tiles_plain;
}

const krn_tile_set *krn_tiles(void)
{
    return krn_tiles_of(krn_isa_chosen());
}
