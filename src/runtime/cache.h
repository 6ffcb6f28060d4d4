/* cache.h: lowered programs on disk, keyed by content.
 *
 * A file's name is the SHA-256 of everything that determines the program: the source text,
 * the entry, the dtype and this build of the library. Files are written under a temporary
 * name and renamed, and several processes may share a folder; a file with a wrong checksum
 * is removed. */
#ifndef TILEWRIGHT_RUNTIME_CACHE_H
#define TILEWRIGHT_RUNTIME_CACHE_H

#include "support/arena.h"
#include "support/base.h"
#include "support/strbuf.h"
#include "tilewright/tilewright.h"

typedef struct rt_cached {
    tw_str name; /* of the function to run */
    tw_tensor_desc *inputs, *outputs;
    size_t n_inputs, n_outputs;
    tw_str text; /* the module in the TTNN dialect */
} rt_cached;

/* Returns the path in `dir` of the program compiled from `text`; entry and dtype may be
 * NULL. */
void rt_cache_path(const char *dir, tw_str text, const char *entry, const char *dtype,
                   tw_strbuf *out_path);

/* Returns TW_CACHE_HIT and *out, allocated in the arena; otherwise the reason for the
 * miss. */
tw_cache_use rt_cache_load(const char *path, tw_arena *arena, rt_cached *out);

/* False if the program could not be written: a full disk, a folder without permission. */
bool rt_cache_store(const char *dir, const char *path, const rt_cached *program);

#endif
