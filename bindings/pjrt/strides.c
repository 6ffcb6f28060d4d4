/* strides.c: arrays in memories of any byte strides. */
#include "pjrt.h"

#include <string.h>

void pj_dense_strides(const int64_t *dims, size_t rank, size_t size, int64_t *strides)
{
    int64_t stride = (int64_t)size;
    for (size_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride *= dims[i];
    }
}

/* Trailing dimensions that are dense on both sides are one block. */
static size_t block_of(const int64_t *to_strides, const int64_t *from_strides,
                       const int64_t *dims, size_t *rank, size_t size)
{
    size_t block = size;
    while (*rank && (dims[*rank - 1] == 1 || (to_strides[*rank - 1] == (int64_t)block &&
                                              from_strides[*rank - 1] == (int64_t)block))) {
        block *= (size_t)dims[*rank - 1];
        --*rank;
    }
    return block;
}

static void copy(char *to, const int64_t *to_strides, const char *from,
                 const int64_t *from_strides, const int64_t *dims, size_t rank,
                 size_t block)
{
    if (!rank) {
        memcpy(to, from, block);
        return;
    }
    for (int64_t i = 0; i < dims[0]; i++)
        copy(to + i * to_strides[0], to_strides + 1, from + i * from_strides[0],
             from_strides + 1, dims + 1, rank - 1, block);
}

void pj_copy_strided(char *to, const int64_t *to_strides, const char *from,
                     const int64_t *from_strides, const int64_t *dims, size_t rank,
                     size_t size)
{
    for (size_t i = 0; i < rank; i++)
        if (!dims[i])
            return;
    size_t block = block_of(to_strides, from_strides, dims, &rank, size);
    copy(to, to_strides, from, from_strides, dims, rank, block);
}
