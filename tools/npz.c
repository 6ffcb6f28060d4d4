/* npz.c: see npz.h.  The header of a .npy is a Python dictionary as text; only the three
 * keys that NumPy writes are read. bf16, which NumPy lacks, is stored as uint16
 * (ml_dtypes' descriptor '<V2' is accepted).  Complex values are read as their parts, in a
 * last dimension of 2, the form of programs' arguments.  Column-major order and the other
 * byte order are converted while reading. */
#include "npz.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/strbuf.h"
#include "tensors.h"
#include "zip_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text; /* after the byte order */
    tw_dtype dtype;
    bool parts; /* two floats each; for reading only */
} descriptors[] = {{"f4", TW_F32},  {"f2", TW_F16},       {"f8", TW_F64},
                   {"i4", TW_I32},  {"i8", TW_I64},       {"i2", TW_I16},
                   {"i1", TW_I8},   {"u4", TW_U32},       {"u8", TW_U64},
                   {"u2", TW_U16},  {"u1", TW_U8},        {"b1", TW_BOOL},
                   {"V2", TW_BF16}, {"c8", TW_F32, true}, {"c16", TW_F64, true}};

/* Header fields beside the array's type and shape. */
typedef struct layout {
    bool swapped;     /* the other byte order */
    bool columns;     /* the first dimension is the innermost */
    size_t n_numbers; /* of one element: 2 for complex ones */
} layout;

/* "'NAME': field 'FIELD' is TEXT, which is no WANTED", with TEXT cut to fit a line. */
static tw_status bad_field(const char *name, const char *field, const char *text,
                           const char *wanted)
{
    enum { SHOWN = 40 };
    return tw_error(TW_INVALID, "'%s' is damaged: field '%s' is %.*s, not %s", name, field,
                    (int)TW_MIN(strcspn(text, "\n"), (size_t)SHOWN), text, wanted);
}

static tw_status parse_type(const char *name, const char *descr, npz_array *a, layout *l)
{
    const char *text = descr + strspn(descr, " "), *end = strstr(text, ", 'fortran_order'");
    a->dtype = TW_DTYPE_COUNT;
    l->n_numbers = 1;
    for (size_t i = 0; text[0] == '\'' && text[1] && i < TW_COUNT(descriptors); i++) {
        const size_t length = strlen(descriptors[i].text);
        if (strncmp(text + 2, descriptors[i].text, length) != 0 || text[2 + length] != '\'')
            continue;
        if (!strchr("<>|=", text[1]))
            return bad_field(name, "descr", text, "a type as NumPy writes it, '<f4'");
        a->dtype = descriptors[i].dtype;
        l->n_numbers = descriptors[i].parts ? 2 : 1;
        l->swapped = text[1] == '>';
    }
    if (a->dtype != TW_DTYPE_COUNT)
        return TW_SUCCESS;
    enum { SHOWN = 40 };
    size_t n = end ? (size_t)(end - text) : strlen(text);
    return tw_error(
        TW_UNSUPPORTED,
        "array '%s' has elements of type %.*s; numbers and booleans are accepted", name,
        (int)TW_MIN(n, SHOWN), text);
}

/* "(2, 3)", "(4,)", "()"; Python 2 wrote an L after each dimension. */
static tw_status parse_shape(const char *name, const char *text, npz_array *a,
                             size_t *count)
{
    static const char wanted[] = "a shape as NumPy writes it, (2, 3)";
    const char *c = text + 1;
    *count = 1;
    if (*text != '(')
        return bad_field(name, "shape", text, wanted);
    for (c += strspn(c, " "); *c != ')'; c += strspn(c, " ")) {
        if (*c < '0' || *c > '9')
            return bad_field(name, "shape", text, wanted);
        if (a->rank == NPZ_MAX_RANK)
            return tw_error(TW_UNSUPPORTED, "'%s' has more than %d dimensions", name,
                            (int)NPZ_MAX_RANK);
        char *end;
        errno = 0;
        a->dims[a->rank] = strtoll(c, &end, 10);
        if (errno || __builtin_mul_overflow(*count, (size_t)a->dims[a->rank], count))
            return tw_error(TW_INVALID, "'%s' has a shape that is too large", name);
        a->rank++;
        c = end + (*end == 'L');
        c += strspn(c, " ");
        if (*c != ')' && *c++ != ',')
            return bad_field(name, "shape", text, wanted);
    }
    return TW_SUCCESS;
}

/* The start of a key's value; NULL if the header lacks the key. */
static const char *field(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? at + strlen(key) : NULL;
    return at ? at + strspn(at, " ") : NULL;
}

static tw_status parse_header(const char *name, const char *header, npz_array *a, layout *l)
{
    const char *descr = field(header, "'descr':"),
               *order = field(header, "'fortran_order':"),
               *shape = field(header, "'shape':");
    if (!descr || !order || !shape)
        return tw_error(TW_INVALID, "'%s' is damaged: its header has no field '%s'", name,
                        !descr   ? "descr"
                        : !order ? "fortran_order"
                                 : "shape");
    TW_TRY(parse_type(name, descr, a, l));
    l->columns = strncmp(order, "True", 4) == 0;
    if (!l->columns && strncmp(order, "False", 5) != 0)
        return bad_field(name, "fortran_order", order, "True or False");
    size_t count;
    TW_TRY(parse_shape(name, shape, a, &count));
    if (l->n_numbers == 2 && a->rank == NPZ_MAX_RANK)
        return tw_error(TW_UNSUPPORTED, "'%s' has more than %d dimensions", name,
                        (int)NPZ_MAX_RANK - 1);
    if (l->n_numbers == 2)
        a->dims[a->rank++] = 2;
    if (__builtin_mul_overflow(count, l->n_numbers, &count) ||
        __builtin_mul_overflow(count, tw_dtype_size(a->dtype), &a->bytes))
        return tw_error(TW_INVALID, "'%s' has a shape that is too large", name);
    return TW_SUCCESS;
}

static void swap_bytes(char *data, size_t bytes, size_t size)
{
    for (size_t at = 0; at + size <= bytes; at += size)
        for (size_t k = 0; k < size / 2; k++) {
            char c = data[at + k];
            data[at + k] = data[at + size - 1 - k];
            data[at + size - 1 - k] = c;
        }
}

/* Elements of `size` bytes from column-major to row-major: iterates in row-major order and
 * tracks the column-major offset. */
static void to_rows(const npz_array *a, int rank, size_t size, const char *from, char *to)
{
    size_t at[NPZ_MAX_RANK] = {0}, from_at = 0;
    for (size_t i = 0; i < a->bytes / size; i++) {
        memcpy(to + i * size, from + from_at * size, size);
        for (int d = rank - 1; d >= 0; d--) {
            size_t stride = 1;
            for (int k = 0; k < d; k++)
                stride *= (size_t)a->dims[k];
            from_at += stride;
            if (++at[d] < (size_t)a->dims[d])
                break;
            from_at -= at[d] * stride;
            at[d] = 0;
        }
    }
}

static tw_status parse_npy(const char *name, const char *data, size_t size, npz_array *a)
{
    if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return tw_error(TW_INVALID, "'%s' is no NumPy array", name);
    if (data[6] < 1 || data[6] > 3)
        return tw_error(TW_INVALID,
                        "'%s' is damaged: byte 6 says version %d of the format, known "
                        "are 1 to 3",
                        name, data[6]);
    bool wide = data[6] > 1;
    size_t length = (unsigned char)data[8] | (size_t)(unsigned char)data[9] << 8,
           start = 10;
    if (wide && size >= 12) {
        length |= (size_t)(unsigned char)data[10] << 16 | (size_t)(unsigned char)data[11]
                                                              << 24;
        start = 12;
    }
    if (length > size - start)
        return tw_error(TW_INVALID, "'%s' is cut off in its header: at byte %zu of %zu",
                        name, size, start + length);
    char *header = tw_xcalloc(length + 1, 1);
    memcpy(header, data + start, length);
    layout l = {0};
    tw_status status = parse_header(name, header, a, &l);
    free(header);
    TW_TRY(status);
    if (a->bytes > size - start - length)
        return tw_error(TW_INVALID,
                        "'%s' is cut off: it holds %zu bytes of the %zu that field "
                        "'shape' asks for",
                        name, size - start - length, a->bytes);
    TW_TRY(tensor_allocate(a->bytes, &a->data, "array '%s'", name));
    size_t number = tw_dtype_size(a->dtype);
    if (l.columns && a->bytes)
        to_rows(a, a->rank - (l.n_numbers == 2), l.n_numbers * number,
                data + start + length, a->data);
    else
        memcpy(a->data, data + start + length, a->bytes);
    if (l.swapped)
        swap_bytes(a->data, a->bytes, number);
    return TW_SUCCESS;
}

/* Reads all bytes of an entry.  libzip compares its checksum at the end, hence one read
 * past the last byte. */
static tw_status read_bytes(const zip_library *z, zip_t *zip, zip_uint64_t i,
                            const zip_stat_t *st, char *data)
{
    zip_file_t *file = z->zip_fopen_index(zip, i, 0);
    if (!file)
        return tw_error(TW_INVALID, "member '%s' cannot be read: %s", st->name,
                        z->zip_strerror(zip));
    zip_int64_t got = z->zip_fread(file, data, st->size);
    char more;
    zip_int64_t behind = got == (zip_int64_t)st->size ? z->zip_fread(file, &more, 1) : 0;
    tw_status status = TW_SUCCESS;
    if (got < 0 || behind < 0)
        status = tw_error(TW_INVALID, "member '%s' is damaged: %s; write the file again",
                          st->name, z->zip_file_strerror(file));
    else if (behind || got != (zip_int64_t)st->size)
        status =
            tw_error(TW_INVALID,
                     "member '%s' is damaged: it has %s than the %llu bytes that "
                     "the archive's directory says",
                     st->name, behind ? "more" : "fewer", (unsigned long long)st->size);
    z->zip_fclose(file);
    return status;
}

static tw_status read_entry(const zip_library *z, zip_t *zip, zip_uint64_t i, npz *out)
{
    zip_stat_t st;
    void *data;
    enum { LARGEST = 1 << 30 };
    if (z->zip_stat_index(zip, i, 0, &st) < 0 || !(st.valid & ZIP_STAT_SIZE))
        return tw_error(TW_INVALID, "the archive's entry %llu is damaged: %s",
                        (unsigned long long)i, z->zip_strerror(zip));
    if (st.size > LARGEST)
        return tw_error(TW_RESOURCE, "'%s' is larger than 1 GiB", st.name);
    TW_TRY(tensor_allocate(st.size, &data, "member '%s'", st.name));
    tw_status status = read_bytes(z, zip, i, &st, data);
    npz_array a = {0};
    if (!status)
        status = parse_npy(st.name, data, st.size, &a);
    free(data);
    if (tw_status_code(status) ==
        TW_UNSUPPORTED) { /* an error only when the array is requested */
        a = (npz_array){.why = tw_xstrdup(tw_status_message(status))};
        tw_status_free(status);
        status = TW_SUCCESS;
    }
    if (status != TW_SUCCESS) {
        free(a.data);
        return status;
    }
    a.name = tw_xstrdup(st.name);
    size_t n = strlen(a.name);
    if (n > 4 && strcmp(a.name + n - 4, ".npy") == 0)
        a.name[n - 4] = 0;
    if (npz_find(out, a.name)) {
        status = tw_error(TW_INVALID, "two members are called '%s'", st.name);
        free(a.name);
        free(a.data);
        free(a.why);
        return status;
    }
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
        tw_status invalid = tw_error(TW_INVALID, "%s", tw_status_message(status));
        tw_status_free(status);
        free(a.data);
        return invalid;
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
    zip_library library, *z = &library;
    *out = (npz){0};
    TW_TRY(zip_library_load(path, &library));
    zip_t *zip = z->zip_open(path, ZIP_RDONLY, &code);
    if (!zip) {
        zip_error_t why;
        z->zip_error_init_with_code(&why, code);
        tw_status status = tw_error(code == ZIP_ER_NOENT ? TW_NOT_FOUND : TW_INVALID,
                                    "cannot read '%s' as an .npz archive: %s", path,
                                    z->zip_error_strerror(&why));
        z->zip_error_fini(&why);
        return status;
    }
    tw_status status = TW_SUCCESS;
    for (zip_int64_t i = 0; status == TW_SUCCESS && i < z->zip_get_num_entries(zip, 0); i++)
        status = read_entry(z, zip, (zip_uint64_t)i, out);
    z->zip_discard(zip);
    if (status != TW_SUCCESS) {
        npz_free(out);
        return tw_annotate(status, "%s", path);
    }
    return TW_SUCCESS;
}

static void put_npy(const npz_array *a, tw_strbuf *out)
{
    const char *descr = "V1";
    for (size_t i = 0; i < TW_COUNT(descriptors); i++)
        if (!descriptors[i].parts &&
            descriptors[i].dtype == (a->dtype == TW_BF16 ? TW_U16 : a->dtype))
            descr = descriptors[i].text;
    char order = tw_dtype_size(a->dtype) > 1 ? '<' : '|';
    tw_strbuf header = {0};
    tw_strbuf_printf(&header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
                     descr);
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

static bool add_arrays(const zip_library *z, zip_t *zip, const npz *arrays)
{
    bool ok = true;
    for (size_t i = 0; i < arrays->count; i++) {
        tw_strbuf npy = {0}, name = {0};
        put_npy(&arrays->at[i], &npy);
        size_t size = npy.size;
        zip_source_t *source = z->zip_source_buffer(zip, tw_strbuf_take(&npy), size, 1);
        tw_strbuf_printf(&name, "%s.npy", arrays->at[i].name);
        zip_int64_t at =
            source ? z->zip_file_add(zip, tw_strbuf_text(&name), source, ZIP_FL_OVERWRITE)
                   : -1;
        tw_strbuf_free(&name);
        if (source && at < 0)
            z->zip_source_free(source);
        ok &= at >= 0 &&
              z->zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_STORE, 0) == 0;
    }
    return ok;
}

/* The archive in memory; false if libzip fails. */
static bool make_archive(const zip_library *z, const npz *arrays, tw_strbuf *out)
{
    zip_source_t *archive = z->zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *zip = archive ? z->zip_open_from_source(archive, ZIP_TRUNCATE, NULL) : NULL;
    if (!zip) {
        z->zip_source_free(archive);
        return false;
    }
    z->zip_source_keep(archive);
    bool ok = add_arrays(z, zip, arrays) && z->zip_close(zip) == 0;
    if (!ok)
        z->zip_discard(zip);
    zip_stat_t st;
    ok = ok && z->zip_source_stat(archive, &st) == 0 && z->zip_source_open(archive) == 0;
    if (ok) {
        tw_strbuf_reserve(out, st.size + 1);
        zip_int64_t n = z->zip_source_read(archive, out->data, st.size);
        ok = n >= 0 && (zip_uint64_t)n == st.size;
        out->size = ok ? st.size : 0;
        z->zip_source_close(archive);
    }
    z->zip_source_free(archive);
    return ok;
}

tw_status npz_write(const char *path, const npz *arrays)
{
    tw_strbuf bytes = {0};
    zip_library library;
    TW_TRY(zip_library_load(path, &library));
    tw_status status = make_archive(&library, arrays, &bytes)
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

tw_status npz_get(const npz *arrays, const char *file, const char *name,
                  const npz_array **out)
{
    *out = npz_find(arrays, name);
    if (!*out)
        return tw_error(TW_INVALID, "%s has no array '%s'", file, name);
    if ((*out)->why)
        return tw_error(TW_INVALID, "%s: %s", file, (*out)->why);
    return TW_SUCCESS;
}

void npz_free(npz *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        free(arrays->at[i].name);
        free(arrays->at[i].data);
        free(arrays->at[i].why);
    }
    free(arrays->at);
    *arrays = (npz){0};
}
