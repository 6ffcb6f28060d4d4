/* base.h: macros and helpers that every file may use. */
#ifndef TILEWRIGHT_SUPPORT_BASE_H
#define TILEWRIGHT_SUPPORT_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TW_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TW_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TW_MAX(a, b) ((a) > (b) ? (a) : (b))
#define TW_LIKELY(x) __builtin_expect(!!(x), 1)
#define TW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TW_NODISCARD __attribute__((warn_unused_result))

/* TW_ASAN: the build has address sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#define TW_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_ASAN 1
#endif
#endif

/* A function of the public API; everything else stays hidden in the shared library. */
#define TW_EXPORT __attribute__((visibility("default")))

/* A piece of text that is not owned and not terminated. */
typedef struct tw_str {
    const char *data;
    size_t size;
} tw_str;

#define TW_STR(literal) ((tw_str){literal, sizeof(literal) - 1})

static inline tw_str tw_str_from(const char *s)
{
    return (tw_str){s, s ? strlen(s) : 0};
}

/* Takes the text up to `mark` off the front of `rest`, and the mark with it; all of it if
 * it has none. */
static inline tw_str tw_str_cut(tw_str *rest, char mark)
{
    const char *end =
        rest->size ? (const char *)memchr(rest->data, mark, rest->size) : NULL;
    const tw_str head = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    const size_t used = head.size + (end != NULL);
    *rest = (tw_str){rest->data + used, rest->size - used};
    return head;
}

static inline bool tw_str_equal(tw_str a, tw_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Compares the first character before calling memcmp: most names in a searched table differ
 * there. */
static inline bool tw_str_is(tw_str a, const char *s)
{
    return a.size ? *a.data == *s && tw_str_equal(a, tw_str_from(s)) : !*s;
}

static inline size_t tw_align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* True if the caller has cancelled the work.  The word may be written by another thread or
 * a signal handler; NULL is never cancelled. */
static inline bool tw_is_cancelled(const volatile int *cancel)
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

#endif
