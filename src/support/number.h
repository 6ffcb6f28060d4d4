/* number.h: arithmetic on whole numbers. */
#ifndef TILEWRIGHT_SUPPORT_NUMBER_H
#define TILEWRIGHT_SUPPORT_NUMBER_H

#include <stdint.h>

/* The greatest common divisor of two numbers that are zero or more. */
static inline int64_t tw_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
