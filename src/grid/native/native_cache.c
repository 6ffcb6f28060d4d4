/* native_cache.c: the cache of compiled kernels.
 *
 * The cache is a folder of folders, one for each version of the headers, named by their
 * hash: beside the headers there is an object for each text (source, defines, compile-time
 * arguments, options, compiler), named by the text's hash. The number of all objects is
 * limited; the least recently used are removed, whichever version made them. A prelude
 * (native_text.c) is a file that many texts include, and is precompiled. Processes and
 * threads share the cache: an incomplete file has its thread's id in its name. */
#include "grid/native/native.h"

#include "grid/native/kernel_headers.h"
#include "support/file.h"
#include "support/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* About 40 KB each: source and object. */
enum { MAX_OBJECTS = 2000, LEFT_OBJECTS = 1500 };

/* A precompiled one has 35 MB, the others 1 KB. */
enum { MAX_PRELUDES = 500, MAX_PRECOMPILED = 6 };

/* Incomplete files that are older were abandoned. */
enum { ABANDONED_SECONDS = 3600 };

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

tw_status dev_native_open_cache(tw_strbuf *out)
{
    const char *wanted = getenv("TILEWRIGHT_KERNEL_CACHE"), *home = getenv("HOME"),
               *xdg = getenv("XDG_CACHE_HOME");
    if (wanted && *wanted)
        tw_strbuf_puts(out, wanted);
    else if (xdg && *xdg)
        tw_strbuf_printf(out, "%s/tilewright/kernels", xdg);
    else if (home && *home)
        tw_strbuf_printf(out, "%s/.cache/tilewright/kernels", home);
    else
        tw_strbuf_printf(out, "/tmp/tilewright-%d", (int)getuid());
    tw_strbuf headers = {0};
    char hash[65];
    dev_headers_text(&headers);
    tw_sha256_hex(headers.data, headers.size, hash);
    tw_strbuf_free(&headers);
    tw_strbuf_printf(out, "/%.16s", hash);
    if (access(out->data, R_OK) == 0)
        return TW_SUCCESS;
    tw_strbuf fresh = {0};
    tw_strbuf_printf(&fresh, "%s.%d", out->data, (int)gettid());
    tw_status status = tw_folder_make(fresh.data);
    if (status == TW_SUCCESS)
        status = dev_headers_write(fresh.data);
    /* another process may have been first: then its folder stays */
    if (status == TW_SUCCESS && rename(fresh.data, out->data) != 0) {
        if (access(out->data, R_OK) != 0)
            status = tw_error(TW_IO, "cannot rename %s: %s", fresh.data, strerror(errno));
        remove_tree(fresh.data);
    }
    tw_strbuf_free(&fresh);
    return status;
}

/* ---- size limit -------------------------------------------------------------------- */

enum { VERSION_DIGITS = 16, HASH_DIGITS = 64 };

typedef struct kept {
    time_t used;
    const char *path; /* of the object, without its extension */
} kept;

typedef struct listing {
    tw_arena arena;
    kept *objects, *preludes;
    size_t count, capacity;
    size_t n_preludes, preludes_capacity;
    time_t now;
} listing;

static int compare_kept(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static void remove_with(const char *stem, const char *ending)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s", stem, ending);
    if (n > 0 && (size_t)n < sizeof path)
        unlink(path);
}

/* Removes all files made for a text. */
static void forget(const char *stem)
{
    static const char *const endings[] = {".so", ".cpp", ".so.lines"};
    for (size_t i = 0; i < TW_COUNT(endings); i++)
        remove_with(stem, endings[i]);
}

/* Records a prelude, by its last use, or removes what a killed process has left of one. */
static void list_prelude(listing *l, const char *folder, const char *name)
{
    const char *path = tw_arena_printf(&l->arena, "%s/%s", folder, name);
    const char *ending = strrchr(name, '.');
    struct stat s;
    if (!ending || stat(path, &s) != 0)
        return;
    if (strcmp(ending, ".hpp") == 0)
        TW_PUSH(l->preludes, l->n_preludes, l->preludes_capacity,
                ((kept){s.st_mtime, path}));
    else if (strspn(ending + 1, "0123456789") == strlen(ending + 1) &&
             l->now - s.st_mtime > ABANDONED_SECONDS)
        unlink(path);
}

static void forget_preludes(listing *l)
{
    if (l->n_preludes)
        qsort(l->preludes, l->n_preludes, sizeof *l->preludes, compare_kept);
    for (size_t i = 0; i < l->n_preludes; i++) {
        const char *path = l->preludes[i].path;
        const size_t newer = l->n_preludes - 1 - i;
        if (newer >= MAX_PRECOMPILED)
            remove_with(path, ".gch");
        if (newer >= MAX_PRELUDES) {
            remove_with(path, ".uses");
            unlink(path);
        }
    }
    free(l->preludes);
}

/* Records an object, or what a failed or killed compilation has left. */
static void list_file(listing *l, const char *folder, const char *name)
{
    struct stat s, object;
    if (strncmp(name, "prelude-", 8) == 0)
        list_prelude(l, folder, name);
    if (strspn(name, "0123456789abcdef") != HASH_DIGITS)
        return;
    const char *stem = tw_arena_printf(&l->arena, "%s/%.*s", folder, HASH_DIGITS, name);
    const char *path = tw_arena_printf(&l->arena, "%s/%s", folder, name);
    if (stat(path, &s) != 0)
        return;
    if (strcmp(name + HASH_DIGITS, ".so") == 0)
        TW_PUSH(l->objects, l->count, l->capacity, ((kept){s.st_mtime, stem}));
    else if (l->now - s.st_mtime > ABANDONED_SECONDS &&
             stat(tw_arena_printf(&l->arena, "%s.so", stem), &object) != 0)
        unlink(path);
}

static void list_version(listing *l, const char *cache, const char *name)
{
    const char *path = tw_arena_printf(&l->arena, "%s/%s", cache, name);
    struct stat s;
    size_t digits = strspn(name, "0123456789abcdef");
    if (digits != VERSION_DIGITS || stat(path, &s) != 0 || !S_ISDIR(s.st_mode))
        return;
    if (name[digits]) { /* headers that are being written */
        if (l->now - s.st_mtime > ABANDONED_SECONDS)
            remove_tree(path);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));)
        list_file(l, path, e->d_name);
    if (folder)
        closedir(folder);
}

void dev_native_prune(const char *version)
{
    listing l = {.now = time(NULL)};
    const char *slash = strrchr(version, '/');
    const char *cache = tw_arena_printf(&l.arena, "%.*s", (int)(slash - version), version);
    DIR *folder = opendir(cache);
    for (struct dirent *e; folder && (e = readdir(folder));)
        list_version(&l, cache, e->d_name);
    if (folder)
        closedir(folder);
    if (l.count > MAX_OBJECTS) {
        qsort(l.objects, l.count, sizeof *l.objects, compare_kept);
        for (size_t i = 0; i < l.count - LEFT_OBJECTS; i++)
            forget(l.objects[i].path);
    }
    forget_preludes(&l);
    free(l.objects);
    tw_arena_free(&l.arena);
}
