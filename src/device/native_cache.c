/* native_cache.c: where compiled kernels are kept.
 *
 * The cache is a folder: beside the headers lies an object for each text (source, defines,
 * compile-time arguments, options, compiler), under the text's hash, in a folder that has
 * the headers' hash.  It holds so many objects at most; those used longest ago go. */
#include "device/native.h"

#include "device/kernel_headers.h"
#include "support/file.h"
#include "support/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* About 100 KB each: source and object. */
enum { MOST_OBJECTS = 2000, LEFT_OBJECTS = 1500 };

static tw_status make_folder(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return tw_error(TW_IO, "the name of the cache is too long: %s", path);
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++)
        if (part[i] == '/' || !part[i]) {
            part[i] = 0;
            if (mkdir(part, 0777) != 0 && errno != EEXIST)
                return tw_error(TW_IO, "cannot make the folder %s for compiled kernels: %s",
                                part, strerror(errno));
            part[i] = path[i];
        }
    return TW_SUCCESS;
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
    tw_strbuf_printf(&fresh, "%s.%d", out->data, (int)getpid());
    tw_status status = make_folder(fresh.data);
    if (status == TW_SUCCESS)
        status = dev_headers_write(fresh.data);
    /* another process may have been first: then its folder stays */
    if (status == TW_SUCCESS && rename(fresh.data, out->data) != 0 &&
        access(out->data, R_OK) != 0)
        status = tw_error(TW_IO, "cannot rename %s: %s", fresh.data, strerror(errno));
    tw_strbuf_free(&fresh);
    return status;
}

/* ---- its size ---------------------------------------------------------------------- */

typedef struct kept {
    time_t used;
    char name[80]; /* of the object */
} kept;

static int compare_kept(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static void forget(const char *cache, const char *object)
{
    char path[PATH_MAX];
    size_t stem = strlen(object) - strlen(".so");
    static const char *const endings[] = {".so", ".cpp"};
    for (size_t i = 0; i < TW_COUNT(endings); i++) {
        int n =
            snprintf(path, sizeof path, "%s/%.*s%s", cache, (int)stem, object, endings[i]);
        if (n > 0 && (size_t)n < sizeof path)
            unlink(path);
    }
}

void dev_native_prune(const char *cache)
{
    DIR *folder = opendir(cache);
    kept *objects = NULL;
    size_t count = 0, capacity = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        size_t n = strlen(e->d_name);
        struct stat s;
        kept k;
        if (n < 4 || n >= sizeof k.name || strcmp(e->d_name + n - 3, ".so") != 0 ||
            fstatat(dirfd(folder), e->d_name, &s, 0) != 0)
            continue;
        k.used = s.st_mtime;
        memcpy(k.name, e->d_name, n + 1);
        TW_PUSH(objects, count, capacity, k);
    }
    if (folder)
        closedir(folder);
    if (count > MOST_OBJECTS) {
        qsort(objects, count, sizeof *objects, compare_kept);
        for (size_t i = 0; i < count - LEFT_OBJECTS; i++)
            forget(cache, objects[i].name);
    }
    free(objects);
}
