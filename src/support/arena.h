/* arena.h: memory that is freed all at once.
 *
 * An arena hands out zeroed, 16-byte aligned memory from growing chunks.  Nothing is freed
 * before tw_arena_reset or tw_arena_free.  Under address sanitizer every piece ends in a
 * poisoned gap.  Allocation of sizes that the program itself
 * chooses does not fail: running out of memory there ends the process, as in every
 * compiler; sizes that an input declares are checked by the caller first. */
#ifndef TILEWRIGHT_SUPPORT_ARENA_H
#define TILEWRIGHT_SUPPORT_ARENA_H

#include "support/base.h"

typedef struct tw_arena_chunk tw_arena_chunk;

/* Total bytes of several arenas, now and at the peak. */
typedef struct tw_gauge {
    size_t now, peak;
} tw_gauge;

typedef struct tw_arena {
    tw_arena_chunk *chunks; /* newest first */
    char *next, *end;
    size_t total;    /* bytes of all chunks, for statistics */
    tw_gauge *gauge; /* also counts them; NULL: not counted */
} tw_arena;

/* A zeroed struct is a valid empty arena. */
void *tw_arena_alloc_slow(tw_arena *arena, size_t size);

static inline void *tw_arena_alloc(tw_arena *arena, size_t size)
{
#ifdef TW_ASAN
    return tw_arena_alloc_slow(arena, size);
#endif
    size = (size + 15) & ~(size_t)15;
    if (TW_LIKELY((size_t)(arena->end - arena->next) >= size)) {
        void *p = arena->next;
        arena->next += size;
        return p;
    }
    return tw_arena_alloc_slow(arena, size);
}

#define TW_ARENA_NEW(arena, type) ((type *)tw_arena_alloc((arena), sizeof(type)))
#define TW_ARENA_ARRAY(arena, type, n)                                                     \
    ((type *)tw_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* Copies size bytes and adds a terminating zero. */
char *tw_arena_copy(tw_arena *arena, const void *data, size_t size);
/* Returns NULL if out of memory: for sizes that an input declares. */
void *tw_arena_try_alloc(tw_arena *arena, size_t size);
char *tw_arena_printf(tw_arena *arena, const char *format, ...) TW_PRINTF(2, 3);

/* Keeps one chunk for reuse (its used part is zeroed again). */
void tw_arena_reset(tw_arena *arena);
void tw_arena_free(tw_arena *arena);

/* malloc and friends that do not return without memory (guard.h). */
void *tw_xmalloc(size_t size);
/* Cache-line-aligned memory.  Large sizes use large pages where the system has them, since
 * page table walks would cost more than the data.  NULL if out of memory: for sizes that an
 * input declares. */
void *tw_malloc_lines(size_t size);
void *tw_xmalloc_lines(size_t size);
void *tw_xcalloc(size_t count, size_t size);
void *tw_xrealloc(void *p, size_t size);
char *tw_xstrdup(const char *s);

/* Grows a heap array so that index `need - 1` is valid; *capacity counts elements. */
void *tw_grow(void *array, size_t *capacity, size_t need, size_t element_size);
#define TW_PUSH(array, count, capacity, value)                                             \
    do {                                                                                   \
        if ((count) == (capacity)) {                                                       \
            size_t tw_cap = (capacity);                                                    \
            (array) = tw_grow((array), &tw_cap, (size_t)(count) + 1, sizeof *(array));     \
            (capacity) = tw_cap;                                                           \
        }                                                                                  \
        (array)[(count)++] = (value);                                                      \
    } while (0)

#endif
