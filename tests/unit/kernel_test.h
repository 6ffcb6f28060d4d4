/* kernel_test.h: shared by the tests of kernels: a thread pool for the whole group,
 * repeatable random numbers, and elements of any type as f64. */
#ifndef TILEWRIGHT_TESTS_KERNEL_TEST_H
#define TILEWRIGHT_TESTS_KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/threadpool.h"
#include "tilewright/dtype.h"

/* Three threads; valid from kt_start_pool to kt_end_pool, a group's setup and teardown. */
extern tw_threadpool *kt_pool;
int kt_start_pool(void **state);
int kt_end_pool(void **state);

/* xorshift32: every run of a test draws the same numbers. */
uint32_t kt_random_bits(void);
/* One of low, low + 1, ..., high. */
int64_t kt_between(int64_t low, int64_t high);

/* The next index of a walk over shape; false after the last. */
bool kt_next(int rank, const int64_t *shape, int64_t *at);

/* Element `i` of an array of f64, f32, bf16, f16, i32, i8 or u16; kt_set rounds floats to
 * the nearest; integers are truncated and keep their low bits. */
double kt_get(const void *data, tw_dtype dtype, int64_t i);
void kt_set(void *data, tw_dtype dtype, int64_t i, double v);

#endif
