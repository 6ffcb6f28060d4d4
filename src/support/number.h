/* number.h: arithmetic on whole numbers, and reading them. */
#ifndef TILEWRIGHT_SUPPORT_NUMBER_H
#define TILEWRIGHT_SUPPORT_NUMBER_H

#include "support/base.h"

#include <stdint.h>

static inline uint64_t tw_gcd_u64(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common divisor of two numbers that are zero or more. */
static inline int64_t tw_gcd(int64_t a, int64_t b)
{
    return (int64_t)tw_gcd_u64((uint64_t)a, (uint64_t)b);
}

/* "2,4": how many numbers, none of them negative; -1 if the text is no such list, or one of
 * more than `max`. */
int64_t tw_read_numbers(tw_str text, int64_t *out, size_t max);

#endif
