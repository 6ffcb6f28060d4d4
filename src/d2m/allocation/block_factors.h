/* block_factors.h: chooses how often a generic's shards are divided into blocks. */
#ifndef TILEWRIGHT_D2M_ALLOCATION_BLOCK_FACTORS_H
#define TILEWRIGHT_D2M_ALLOCATION_BLOCK_FACTORS_H

#include "d2m/generic.h"

typedef enum block_policy {
    BLOCK_AUTO,    /* searches all divisors; of reductions the reduction alone */
    BLOCK_BOUNDED, /* the same with a bounded search of element-wise generics */
    BLOCK_AUTO_MN, /* reductions: also rows and columns */
    BLOCK_MIN,     /* loops that no output depends on run in the smallest blocks */
    BLOCK_MAX,     /* as they are */
} block_policy;

/* The block factors of a generic with loops. */
void d2m_choose_block_factors(const d2m_generic *g, block_policy policy, d2m_shape *out);

#endif
