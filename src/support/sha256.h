/* sha256.h: SHA-256 (FIPS 180-4), for cache keys and program hashes. */
#ifndef TILEWRIGHT_SUPPORT_SHA256_H
#define TILEWRIGHT_SUPPORT_SHA256_H

#include "support/base.h"

typedef struct tw_sha256 {
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
} tw_sha256;

void tw_sha256_begin(tw_sha256 *h);
void tw_sha256_add(tw_sha256 *h, const void *data, size_t size);
void tw_sha256_end(tw_sha256 *h, uint8_t out[32]);

/* 64 lower-case hexadecimal digits and a terminator. */
void tw_sha256_hex(const void *data, size_t size, char out[65]);

#endif
