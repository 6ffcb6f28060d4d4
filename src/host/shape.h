/* shape.h: shape arithmetic shared by the tensor kernels. Tensors are dense and row-major
 * unless stated otherwise. */
#ifndef TILEWRIGHT_HOST_SHAPE_H
#define TILEWRIGHT_HOST_SHAPE_H

#include "support/base.h"

#define KRN_MAX_RANK 8

/* 1 for rank 0. */
static inline int64_t krn_count(int rank, const int64_t *shape)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

/* Strides in elements of a dense row-major tensor. */
static inline void krn_dense_strides(int rank, const int64_t *shape, int64_t *out_strides)
{
    int64_t s = 1;
    for (int i = rank; i-- > 0;) {
        out_strides[i] = s;
        s *= shape[i];
    }
}

#endif
