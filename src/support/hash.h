/* hash.h: a fast hash for interning.  It does not resist hostile keys: tables here are
 * bounded by the size of the input that fills them. */
#ifndef TILEWRIGHT_SUPPORT_HASH_H
#define TILEWRIGHT_SUPPORT_HASH_H

#include "support/base.h"

static inline uint64_t tw_hash_mix(uint64_t h, uint64_t v)
{
    /* multiply-xorshift; the constant is 2^64 divided by the golden ratio */
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

static inline uint64_t tw_hash_bytes(uint64_t h, const void *data, size_t size)
{
    const char *p = data;
    uint64_t word;
    h = tw_hash_mix(h, size);
    for (; size >= 8; size -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = tw_hash_mix(h, word);
    }
    if (size) {
        word = 0;
        memcpy(&word, p, size);
        h = tw_hash_mix(h, word);
    }
    return h;
}

static inline uint64_t tw_hash_ptr(uint64_t h, const void *p)
{
    return tw_hash_mix(h, (uint64_t)(uintptr_t)p);
}

static inline uint32_t tw_hash_end(uint64_t h)
{
    return (uint32_t)(h ^ (h >> 32));
}

#endif
