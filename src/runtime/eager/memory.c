/* memory.c: the memory of results.
 *
 * A program's calls make and drop tensors of the same few sizes. Large blocks that are
 * freed are kept for the next result of their size: new memory of the system would be
 * zeroed page by page, which costs more than most operations. */
#include "support/arena.h"
#include "tilewright/eager.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    LINE = 64,
    SMALLEST_KEPT = 1 << 15,
    MAX_KEPT = 16,
    LARGE = 1 << 20, /* bytes from which on blocks begin with a huge page */
    STARTS = 16,     /* offsets within a page at which data of large blocks begin */
    STEP = 4 * LINE,
};
static const size_t kept_capacity = (size_t)1 << 27; /* bytes of all kept blocks */

/* Stands in the line before the data. */
typedef struct block {
    size_t bytes;
    void *memory; /* what is freed */
} block;

static struct {
    pthread_mutex_t lock;
    block *at[MAX_KEPT]; /* the oldest first */
    size_t n, bytes;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Removes a kept block of the size. A lock that is held, also by a thread that a fork left
 * behind, is not waited for. */
static block *take(size_t bytes)
{
    block *found = NULL;
    if (pthread_mutex_trylock(&kept.lock) != 0)
        return NULL;
    for (size_t i = kept.n; i-- > 0 && !found;) {
        if (kept.at[i]->bytes != bytes)
            continue;
        found = kept.at[i];
        memmove(&kept.at[i], &kept.at[i + 1], (--kept.n - i) * sizeof(*kept.at));
        kept.bytes -= bytes;
    }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

/* Where the data of the next block begins behind its first line. Operands of one step are
 * read at the same index; if they also began at the same offset of a page, more than eight
 * of them would drive one another out of the caches' sets (a sum of eight in f32: 0.9 to
 * 1.2 of torch's speed, by chance). */
static size_t next_start(size_t bytes)
{
    static atomic_uint n;
    return bytes >= LARGE
               ? atomic_fetch_add_explicit(&n, 1, memory_order_relaxed) % STARTS * STEP
               : 0;
}

static block *new_block(size_t bytes)
{
    const size_t start = next_start(bytes);
    char *memory = bytes < SIZE_MAX - LINE - STARTS * STEP
                       ? tw_malloc_lines(LINE + start + bytes)
                       : NULL;
    if (!memory)
        return NULL;
    block *b = (block *)(void *)(memory + start);
    *b = (block){bytes, memory};
    return b;
}

TW_EXPORT void *tw_eager_allocate(size_t bytes)
{
    block *b = bytes >= SMALLEST_KEPT ? take(bytes) : NULL;
    if (!b)
        b = new_block(bytes);
    return b ? (char *)b + LINE : NULL;
}

/* Keeps the block, in place of the oldest ones; false if it is too small or too large. */
static bool keep(block *b)
{
    block *dropped[MAX_KEPT];
    size_t n = 0;
    if (b->bytes < SMALLEST_KEPT || b->bytes > kept_capacity / 2 ||
        pthread_mutex_trylock(&kept.lock) != 0)
        return false;
    while (kept.n == MAX_KEPT || (kept.n && kept.bytes + b->bytes > kept_capacity)) {
        dropped[n++] = kept.at[0];
        kept.bytes -= kept.at[0]->bytes;
        memmove(&kept.at[0], &kept.at[1], --kept.n * sizeof(*kept.at));
    }
    kept.at[kept.n++] = b;
    kept.bytes += b->bytes;
    pthread_mutex_unlock(&kept.lock);
    while (n > 0)
        free(dropped[--n]->memory);
    return true;
}

TW_EXPORT void tw_eager_free(void *data)
{
    block *b = data ? (block *)(void *)((char *)data - LINE) : NULL;
    if (b && !keep(b))
        free(b->memory);
}
