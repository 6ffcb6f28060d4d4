/* number.h: integer arithmetic and parsing. */
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

/* The greatest common divisor of two non-negative integers. */
static inline int64_t tw_gcd(int64_t a, int64_t b)
{
    return (int64_t)tw_gcd_u64((uint64_t)a, (uint64_t)b);
}

/* The product of two non-negative integers, at most TW_PRODUCT_MAX: more than any device's
 * memory, and low enough that the sum of a few such products does not wrap. */
#define TW_PRODUCT_MAX (INT64_MAX / 4)
static inline int64_t tw_saturating_product(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_mul_overflow(a, b, &out) || out > TW_PRODUCT_MAX ? TW_PRODUCT_MAX
                                                                      : out;
}

/* The quotient of two non-negative integers, rounded up. */
static inline int64_t tw_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Reads "2,4"; returns the count of non-negative integers, or -1 if the text is not such a
 * list or has more than `max`. */
int64_t tw_read_numbers(tw_str text, int64_t *out, size_t max);

#endif
