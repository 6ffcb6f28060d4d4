/* arena.c: see arena.h. */
#include "support/arena.h"

#include "support/guard.h"
#include "support/poison.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct tw_arena_chunk {
    tw_arena_chunk *older;
    size_t size;   /* of the payload */
    size_t mapped; /* bytes of the mapping, 0 if the chunk came from malloc */
    _Alignas(16) char data[];
};

enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024 };

/* Chunks of at least this size are mapped, with a hint for huge pages: a reader of a large
 * program otherwise spends a fifth of its time on page faults. */
enum { HUGE_PAGE = 2 * 1024 * 1024 };

void *tw_xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        tw_out_of_memory(size);
    return p;
}

void *tw_xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        tw_out_of_memory(count * size);
    return p;
}

void *tw_xrealloc(void *p, size_t size)
{
    p = realloc(p, size ? size : 1);
    if (!p)
        tw_out_of_memory(size);
    return p;
}

char *tw_xstrdup(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(tw_xmalloc(size), s, size);
}

void *tw_grow(void *array, size_t *capacity, size_t need, size_t element_size)
{
    size_t cap = *capacity ? *capacity : 8;
    while (cap < need)
        cap *= 2;
    void *grown = tw_xrealloc(array, cap * element_size);
    *capacity = cap; /* only now: without memory the array is as it was */
    return grown;
}

void *tw_malloc_lines(size_t size)
{
    const size_t alignment = size >= HUGE_PAGE / 2 ? HUGE_PAGE : 64;
    const size_t all = tw_align_up(size + 1, alignment);
    void *memory = all > size ? aligned_alloc(alignment, all) : NULL;
    if (memory && alignment == HUGE_PAGE)
        madvise(memory, all, MADV_HUGEPAGE); /* hint only; failure ignored */
    return memory;
}

void *tw_xmalloc_lines(size_t size)
{
    void *memory = tw_malloc_lines(size);
    if (!memory)
        tw_out_of_memory(size);
    return memory;
}

/* NULL if out of memory. */
static tw_arena_chunk *new_chunk(size_t size)
{
    size_t all = sizeof(tw_arena_chunk) + size;
    tw_arena_chunk *chunk;
    if (size > SIZE_MAX / 2)
        return NULL;
    if (size >= HUGE_PAGE) {
        all = tw_align_up(all, HUGE_PAGE);
        chunk = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
        madvise(chunk, all, MADV_HUGEPAGE); /* hint only; failure ignored */
        chunk->mapped = all;
        chunk->size = all - sizeof *chunk;
        return chunk;
    }
    /* calloc: large chunks come zeroed from the system without a second pass. */
    chunk = calloc(1, all);
    if (chunk)
        chunk->size = size;
    return chunk;
}

static void free_chunk(tw_arena_chunk *chunk)
{
    TW_UNPOISON(chunk->data, chunk->size);
    if (chunk->mapped)
        munmap(chunk, chunk->mapped);
    else
        free(chunk);
}

static void count(tw_gauge *g, size_t more, size_t less)
{
    if (!g)
        return;
    g->now = g->now + more - less;
    g->peak = TW_MAX(g->peak, g->now);
}

static void *alloc_in_new_chunk(tw_arena *arena, size_t size)
{
    size_t want = arena->total ? TW_MIN(arena->total, (size_t)LARGEST_CHUNK) : FIRST_CHUNK;
    if (want < size)
        want = size;
    tw_arena_chunk *chunk = new_chunk(want);
    if (!chunk)
        return NULL;
    want = chunk->size;
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->total += want;
    count(arena->gauge, want, 0);
    arena->next = chunk->data + size;
    arena->end = chunk->data + want;
    return chunk->data;
}

/* NULL if out of memory. */
static void *alloc(tw_arena *arena, size_t size)
{
    size_t all = tw_align_up(size + TW_POISONED_GAP, 16);
    char *p = arena->next;
    if ((size_t)(arena->end - arena->next) >= all)
        arena->next += all;
    else
        p = alloc_in_new_chunk(arena, all);
    if (p)
        TW_POISON(p + size, all - size);
    return p;
}

void *tw_arena_alloc_slow(tw_arena *arena, size_t size)
{
    void *p = alloc(arena, size);
    if (!p)
        tw_out_of_memory(size);
    return p;
}

void *tw_arena_try_alloc(tw_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    return alloc(arena, size);
}

char *tw_arena_copy(tw_arena *arena, const void *data, size_t size)
{
    char *copy = tw_arena_alloc(arena, size + 1);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *tw_arena_printf(tw_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = tw_arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void tw_arena_reset(tw_arena *arena)
{
    tw_arena_chunk *keep = arena->chunks;
    if (!keep)
        return;
    for (tw_arena_chunk *c = keep->older, *older; c; c = older) {
        older = c->older;
        free_chunk(c);
    }
    TW_UNPOISON(keep->data, keep->size);
    memset(keep->data, 0, (size_t)(arena->next - keep->data));
    keep->older = NULL;
    count(arena->gauge, 0, arena->total - keep->size);
    arena->total = keep->size;
    arena->next = keep->data;
    arena->end = keep->data + keep->size;
}

void tw_arena_free(tw_arena *arena)
{
    for (tw_arena_chunk *c = arena->chunks, *older; c; c = older) {
        older = c->older;
        free_chunk(c);
    }
    count(arena->gauge, 0, arena->total);
    *arena = (tw_arena){.gauge = arena->gauge};
}
