/* cache.c: see cache.h.
 *
 * File format: 64 hexadecimal digits (SHA-256 of everything after that line), then lines:
 * the format's name, the function's name, the counts of inputs and outputs, each tensor as
 * "dtype rank dims...", then the module's text. */
#include "runtime/cache.h"

#include "support/file.h"
#include "support/sha256.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format_name[] = "tilewright program 1";
enum { DIGITS = 64, MAX_TENSORS = 1 << 20, MAX_RANK = 64 };

/* ---- names -------------------------------------------------------------------------- */

/* Hashes size and time of the file that this code was loaded from: another build may lower
 * programs differently. */
static void add_build(tw_sha256 *h)
{
    Dl_info info;
    struct stat st;
    tw_sha256_add(h, TW_VERSION, sizeof(TW_VERSION));
    if (!dladdr(format_name, &info) || !info.dli_fname)
        return;
    /* a program found through PATH is known only by its name */
    if (stat(info.dli_fname, &st) < 0 && stat("/proc/self/exe", &st) < 0)
        return;
    const int64_t stamp[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    tw_sha256_add(h, stamp, sizeof(stamp));
}

void rt_cache_path(const char *dir, tw_str text, const char *entry, const char *dtype,
                   tw_strbuf *out_path)
{
    tw_sha256 h;
    uint8_t digest[32];
    tw_sha256_begin(&h);
    add_build(&h);
    entry = entry ? entry : "";
    dtype = dtype ? dtype : "";
    tw_sha256_add(&h, entry, strlen(entry) + 1);
    tw_sha256_add(&h, dtype, strlen(dtype) + 1);
    tw_sha256_add(&h, text.data, text.size);
    tw_sha256_end(&h, digest);
    tw_strbuf_printf(out_path, "%s/", dir);
    for (size_t i = 0; i < sizeof(digest); i++)
        tw_strbuf_printf(out_path, "%02x", digest[i]);
    tw_strbuf_puts(out_path, ".ttnn.mlir");
}

/* ---- reading ------------------------------------------------------------------------ */

typedef struct reader {
    const char *at, *end;
    bool failed;
} reader;

static tw_str line(reader *r)
{
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    tw_str out = {r->at, stop ? (size_t)(stop - r->at) : 0};
    r->failed |= !stop;
    r->at = stop ? stop + 1 : r->end;
    return out;
}

/* Parses an integer of at most `max`; the reader's text ends with a zero byte. */
static int64_t number(reader *r, int64_t max)
{
    char *stop;
    errno = 0;
    long long value = strtoll(r->at, &stop, 10);
    r->failed |= stop == r->at || stop > r->end || errno || value < 0 || value > max;
    r->at = TW_MIN((const char *)stop, r->end);
    return r->failed ? 0 : value;
}

static tw_tensor_desc *read_tensors(reader *r, tw_arena *arena, size_t count)
{
    tw_tensor_desc *all = TW_ARENA_ARRAY(arena, tw_tensor_desc, count + 1);
    for (size_t i = 0; i < count && !r->failed; i++) {
        tw_tensor_desc *d = &all[i];
        d->dtype = (tw_dtype)number(r, TW_DTYPE_COUNT - 1);
        d->rank = (int)number(r, MAX_RANK);
        int64_t *dims = TW_ARENA_ARRAY(arena, int64_t, (size_t)d->rank + 1);
        d->bytes = tw_dtype_size(d->dtype);
        for (int k = 0; k < d->rank && !r->failed; k++) {
            dims[k] = number(r, INT64_MAX);
            r->failed |= __builtin_mul_overflow(d->bytes, (size_t)dims[k], &d->bytes);
        }
        d->dims = dims;
        line(r);
    }
    return all;
}

static bool read_program(tw_strbuf file, tw_arena *arena, rt_cached *out)
{
    char digest[DIGITS + 1];
    if (file.size < DIGITS + 1 || file.data[DIGITS] != '\n')
        return false;
    char *body = tw_arena_copy(arena, file.data + DIGITS + 1, file.size - DIGITS);
    size_t size = file.size - DIGITS - 1;
    tw_sha256_hex(body, size, digest);
    if (memcmp(digest, file.data, DIGITS) != 0)
        return false;
    reader r = {body, body + size, false};
    rt_cached p = {0};
    if (!tw_str_is(line(&r), format_name))
        return false;
    p.name = line(&r);
    p.n_inputs = (size_t)number(&r, MAX_TENSORS);
    p.n_outputs = (size_t)number(&r, MAX_TENSORS);
    line(&r);
    if (r.failed)
        return false;
    p.inputs = read_tensors(&r, arena, p.n_inputs);
    p.outputs = read_tensors(&r, arena, p.n_outputs);
    p.text = (tw_str){r.at, (size_t)(r.end - r.at)};
    *out = p;
    return !r.failed;
}

tw_cache_use rt_cache_load(const char *path, tw_arena *arena, rt_cached *out)
{
    tw_strbuf file = {0};
    struct stat st;
    bool good = false;
    if (stat(path, &st) < 0)
        return TW_CACHE_MISS;
    if (S_ISREG(st.st_mode)) { /* opening a pipe would block */
        tw_status status = tw_file_read(path, &file);
        if (status != TW_SUCCESS) {
            tw_status_free(status);
            return TW_CACHE_MISS;
        }
        good = read_program(file, arena, out);
        tw_strbuf_free(&file);
    }
    if (good)
        return TW_CACHE_HIT;
    unlink(path);
    return TW_CACHE_DISCARDED;
}

/* ---- writing ------------------------------------------------------------------------ */

static void write_tensors(tw_strbuf *out, const tw_tensor_desc *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tw_strbuf_printf(out, "%d %d", (int)all[i].dtype, all[i].rank);
        for (int k = 0; k < all[i].rank; k++)
            tw_strbuf_printf(out, " %lld", (long long)all[i].dims[k]);
        tw_strbuf_putc(out, '\n');
    }
}

bool rt_cache_store(const char *dir, const char *path, const rt_cached *program)
{
    tw_strbuf body = {0}, file = {0};
    char digest[DIGITS + 1];
    tw_strbuf_printf(&body, "%s\n%.*s\n%zu %zu\n", format_name, (int)program->name.size,
                     program->name.data, program->n_inputs, program->n_outputs);
    write_tensors(&body, program->inputs, program->n_inputs);
    write_tensors(&body, program->outputs, program->n_outputs);
    tw_strbuf_str(&body, program->text);
    tw_sha256_hex(body.data, body.size, digest);
    tw_strbuf_printf(&file, "%s\n", digest);
    tw_strbuf_append(&file, body.data, body.size);
    tw_status status = tw_folder_make(dir);
    if (!status)
        status = tw_file_write(path, file.data, file.size);
    bool kept = status == TW_SUCCESS;
    tw_status_free(status);
    tw_strbuf_free(&body);
    tw_strbuf_free(&file);
    return kept;
}
