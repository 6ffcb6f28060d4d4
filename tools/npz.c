/* npz.c: see npz.h.  The header of a .npy is a Python dictionary as text; only the three
 * keys that NumPy writes are looked for. bf16, which NumPy lacks, travels as uint16 (the
 * descriptor '<V2' that ml_dtypes writes is accepted).  Complex numbers are read as their
 * parts, in a last dimension of 2, as programs take them. */
#include "npz.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

static const struct {
    const char *text;
    tw_dtype dtype;
    bool parts; /* two numbers each; for reading only */
} descriptors[] = {
    {"<f4", TW_F32},  {"<f2", TW_F16},  {"<f8", TW_F64},       {"<i4", TW_I32},
    {"<i8", TW_I64},  {"<i2", TW_I16},  {"|i1", TW_I8},        {"<u4", TW_U32},
    {"<u8", TW_U64},  {"<u2", TW_U16},  {"|u1", TW_U8},        {"|b1", TW_BOOL},
    {"<V2", TW_BF16}, {"|V2", TW_BF16}, {"<c8", TW_F32, true}, {"<c16", TW_F64, true}};

static tw_status parse_header(const char *name, const char *header, npz_array *a)
{
    const char *descr = strstr(header, "'descr':"),
               *order = strstr(header, "'fortran_order':"),
               *shape = strstr(header, "'shape':");
    if (!descr || !order || !shape)
        return tw_error(TW_INVALID, "'%s' has no NumPy header", name);
    const char *quote = strchr(descr + 8, '\'');
    bool parts = false;
    a->dtype = TW_DTYPE_COUNT;
    for (size_t i = 0; quote && i < TW_COUNT(descriptors); i++) {
        const size_t length = strlen(descriptors[i].text);
        if (strncmp(quote + 1, descriptors[i].text, length) != 0 ||
            quote[1 + length] != '\'')
            continue;
        a->dtype = descriptors[i].dtype;
        parts = descriptors[i].parts;
    }
    if (a->dtype == TW_DTYPE_COUNT)
        return tw_error(TW_UNSUPPORTED,
                        "'%s' has elements of type %.8s, which is not supported", name,
                        quote ? quote : descr);
    const char *c = strchr(shape, '('), *fortran = order + 16;
    while (*fortran == ' ')
        fortran++;
    if (!c)
        return tw_error(TW_INVALID, "'%s' has no shape", name);
    size_t count = 1;
    for (c++; *c && *c != ')';) {
        if (*c < '0' || *c > '9') {
            c++;
            continue;
        }
        if (a->rank == 8)
            return tw_error(TW_UNSUPPORTED, "'%s' has more than 8 dimensions", name);
        char *end;
        a->dims[a->rank] = strtoll(c, &end, 10);
        if (a->dims[a->rank] < 0 ||
            __builtin_mul_overflow(count, (size_t)a->dims[a->rank], &count))
            return tw_error(TW_INVALID, "'%s' has a shape that is too large", name);
        a->rank++;
        c = end;
    }
    if (parts && a->rank == 8)
        return tw_error(TW_UNSUPPORTED, "'%s' has more than 7 dimensions", name);
    if (parts && __builtin_mul_overflow(count, 2, &count))
        return tw_error(TW_INVALID, "'%s' has a shape that is too large", name);
    if (parts)
        a->dims[a->rank++] = 2;
    if (*fortran == 'T' && a->rank > (parts ? 2 : 1))
        return tw_error(TW_UNSUPPORTED,
                        "'%s' is in column-major order; save it with np.ascontiguousarray",
                        name);
    if (__builtin_mul_overflow(count, tw_dtype_size(a->dtype), &a->bytes))
        return tw_error(TW_INVALID, "'%s' has a shape that is too large", name);
    return TW_SUCCESS;
}

static tw_status parse_npy(const char *name, const char *data, size_t size, npz_array *a)
{
    if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return tw_error(TW_INVALID, "'%s' is no NumPy array", name);
    bool wide = data[6] > 1;
    size_t length = (unsigned char)data[8] | (size_t)(unsigned char)data[9] << 8,
           start = 10;
    if (wide && size >= 12) {
        length |= (size_t)(unsigned char)data[10] << 16 | (size_t)(unsigned char)data[11]
                                                              << 24;
        start = 12;
    }
    if (length > size - start)
        return tw_error(TW_INVALID, "'%s' is cut off in its header", name);
    char *header = tw_xcalloc(length + 1, 1);
    memcpy(header, data + start, length);
    tw_status status = parse_header(name, header, a);
    free(header);
    TW_TRY(status);
    if (a->bytes > size - start - length)
        return tw_error(TW_INVALID, "'%s' is cut off: %zu bytes of %zu", name,
                        size - start - length, a->bytes);
    a->data = tw_xmalloc(a->bytes);
    memcpy(a->data, data + start + length, a->bytes);
    return TW_SUCCESS;
}

static tw_status read_entry(zip_t *zip, zip_uint64_t i, npz *out)
{
    zip_stat_t st;
    enum { LARGEST = 1 << 30 };
    if (zip_stat_index(zip, i, 0, &st) < 0 || !(st.valid & ZIP_STAT_SIZE))
        return tw_error(TW_INVALID, "the archive's entry %llu is damaged",
                        (unsigned long long)i);
    if (st.size > LARGEST)
        return tw_error(TW_RESOURCE, "'%s' is larger than 1 GiB", st.name);
    char *data = tw_xmalloc(st.size);
    zip_file_t *file = zip_fopen_index(zip, i, 0);
    zip_int64_t got = file ? zip_fread(file, data, st.size) : -1;
    if (file)
        zip_fclose(file);
    npz_array a = {0};
    tw_status status =
        got == (zip_int64_t)st.size
            ? parse_npy(st.name, data, st.size, &a)
            : tw_error(TW_INVALID, "'%s' in the archive cannot be read", st.name);
    free(data);
    if (status != TW_SUCCESS) {
        free(a.data);
        return status;
    }
    a.name = tw_xstrdup(st.name);
    char *dot = strstr(a.name, ".npy");
    if (dot)
        *dot = 0;
    TW_PUSH(out->at, out->count, out->capacity, a);
    return TW_SUCCESS;
}

tw_status npz_read_npy(const char *path, const char *name, npz *out)
{
    tw_strbuf bytes = {0};
    npz_array a = {0};
    TW_TRY(tw_file_read(path, &bytes));
    tw_status status = parse_npy(path, tw_strbuf_text(&bytes), bytes.size, &a);
    tw_strbuf_free(&bytes);
    if (status) {
        free(a.data);
        return status;
    }
    a.name = tw_xstrdup(name);
    TW_PUSH(out->at, out->count, out->capacity, a);
    return TW_SUCCESS;
}

tw_status npz_read_list(const char *list, const char *prefix, npz *out)
{
    char *copy = tw_xstrdup(list), *rest = copy;
    size_t n = strlen(list), i = 0;
    tw_status status = TW_SUCCESS;
    *out = (npz){0};
    if (n < 4 || strcmp(list + n - 4, ".npy") != 0) {
        free(copy);
        return npz_read(list, out);
    }
    for (char *path; !status && (path = strsep(&rest, ",")); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%zu", prefix, i);
        status = npz_read_npy(path, name, out);
    }
    free(copy);
    if (status)
        npz_free(out);
    return status;
}

tw_status npz_read(const char *path, npz *out)
{
    int code = 0;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
    *out = (npz){0};
    if (!zip)
        return tw_error(code == ZIP_ER_NOENT ? TW_NOT_FOUND : TW_INVALID,
                        "cannot read '%s' as an .npz archive", path);
    tw_status status = TW_SUCCESS;
    for (zip_int64_t i = 0; status == TW_SUCCESS && i < zip_get_num_entries(zip, 0); i++)
        status = read_entry(zip, (zip_uint64_t)i, out);
    zip_discard(zip);
    if (status != TW_SUCCESS) {
        npz_free(out);
        return tw_annotate(status, "%s", path);
    }
    return TW_SUCCESS;
}

static void put_npy(const npz_array *a, tw_strbuf *out)
{
    const char *descr = "|V1";
    for (size_t i = 0; i < TW_COUNT(descriptors); i++)
        if (!descriptors[i].parts &&
            descriptors[i].dtype == (a->dtype == TW_BF16 ? TW_U16 : a->dtype))
            descr = descriptors[i].text;
    tw_strbuf header = {0};
    tw_strbuf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int d = 0; d < a->rank; d++)
        tw_strbuf_printf(&header, "%lld,%s", (long long)a->dims[d],
                         d + 1 < a->rank ? " " : "");
    tw_strbuf_puts(&header, "), }");
    while ((header.size + 11) % 64) /* data starts at a multiple of 64 */
        tw_strbuf_putc(&header, ' ');
    tw_strbuf_putc(&header, '\n');
    char start[10] = {(char)0x93,
                      'N',
                      'U',
                      'M',
                      'P',
                      'Y',
                      1,
                      0,
                      (char)(header.size & 255),
                      (char)(header.size >> 8)};
    tw_strbuf_append(out, start, sizeof start);
    tw_strbuf_append(out, header.data, header.size);
    tw_strbuf_append(out, a->data, a->bytes);
    tw_strbuf_free(&header);
}

static bool add_arrays(zip_t *zip, const npz *arrays)
{
    bool ok = true;
    for (size_t i = 0; i < arrays->count; i++) {
        tw_strbuf npy = {0};
        char name[300];
        put_npy(&arrays->at[i], &npy);
        size_t size = npy.size;
        zip_source_t *source = zip_source_buffer(zip, tw_strbuf_take(&npy), size, 1);
        snprintf(name, sizeof name, "%s.npy", arrays->at[i].name);
        zip_int64_t at = source ? zip_file_add(zip, name, source, ZIP_FL_OVERWRITE) : -1;
        if (source && at < 0)
            zip_source_free(source);
        ok &= at >= 0 &&
              zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_STORE, 0) == 0;
    }
    return ok;
}

/* The archive in memory; false where libzip gives up. */
static bool make_archive(const npz *arrays, tw_strbuf *out)
{
    zip_source_t *archive = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *zip = archive ? zip_open_from_source(archive, ZIP_TRUNCATE, NULL) : NULL;
    if (!zip) {
        zip_source_free(archive);
        return false;
    }
    zip_source_keep(archive);
    bool ok = add_arrays(zip, arrays) && zip_close(zip) == 0;
    if (!ok)
        zip_discard(zip);
    zip_stat_t st;
    ok = ok && zip_source_stat(archive, &st) == 0 && zip_source_open(archive) == 0;
    if (ok) {
        tw_strbuf_reserve(out, st.size + 1);
        zip_int64_t n = zip_source_read(archive, out->data, st.size);
        ok = n >= 0 && (zip_uint64_t)n == st.size;
        out->size = ok ? st.size : 0;
        zip_source_close(archive);
    }
    zip_source_free(archive);
    return ok;
}

tw_status npz_write(const char *path, const npz *arrays)
{
    tw_strbuf bytes = {0};
    tw_status status = make_archive(arrays, &bytes)
                           ? tw_file_write(path, bytes.data, bytes.size)
                           : tw_error(TW_INTERNAL, "cannot make the archive '%s'", path);
    tw_strbuf_free(&bytes);
    return status;
}

const npz_array *npz_find(const npz *arrays, const char *name)
{
    for (size_t i = 0; i < arrays->count; i++)
        if (strcmp(arrays->at[i].name, name) == 0)
            return &arrays->at[i];
    return NULL;
}

void npz_free(npz *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        free(arrays->at[i].name);
        free(arrays->at[i].data);
    }
    free(arrays->at);
    *arrays = (npz){0};
}
