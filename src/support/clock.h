/* clock.h: time that only moves forward, for durations. */
#ifndef TILEWRIGHT_SUPPORT_CLOCK_H
#define TILEWRIGHT_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t tw_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double tw_clock_seconds(void)
{
    return 1e-9 * (double)tw_clock_ns();
}

#endif
