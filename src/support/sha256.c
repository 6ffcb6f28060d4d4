/* sha256.c: see sha256.h.  Section numbers are those of FIPS 180-4. */
#include "support/sha256.h"

#include <stdio.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
 */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* 6.2.2 */
static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], s[8];
    for (int t = 0; t < 16; t++)
        w[t] = load(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t e = s[4], a = s[0];
        uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + constants[t] + w[t];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void tw_sha256_begin(tw_sha256 *h)
{
    *h = (tw_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                               0x9b05688c, 0x1f83d9ab, 0x5be0cd19}}; /* 5.3.3 */
}

void tw_sha256_add(tw_sha256 *h, const void *data, size_t size)
{
    const uint8_t *p = data;
    size_t used = h->size % 64;
    h->size += size;
    if (used) {
        size_t n = TW_MIN(size, 64 - used);
        memcpy(h->block + used, p, n);
        p += n;
        size -= n;
        if (used + n < 64)
            return;
        compress(h->state, h->block);
    }
    for (; size >= 64; size -= 64, p += 64)
        compress(h->state, p);
    if (size)
        memcpy(h->block, p, size);
}

void tw_sha256_end(tw_sha256 *h, uint8_t out[32])
{
    uint64_t bits = h->size * 8;
    uint8_t tail[72] = {0x80}; /* 5.1.1 */
    size_t pad = (119 - h->size % 64) % 64 + 1;
    for (int i = 0; i < 8; i++)
        tail[pad + i] = (uint8_t)(bits >> (56 - 8 * i));
    tw_sha256_add(h, tail, pad + 8);
    for (int i = 0; i < 32; i++)
        out[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void tw_sha256_hex(const void *data, size_t size, char out[65])
{
    tw_sha256 h;
    uint8_t digest[32];
    tw_sha256_begin(&h);
    tw_sha256_add(&h, data, size);
    tw_sha256_end(&h, digest);
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}
