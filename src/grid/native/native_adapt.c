/* native_adapt.c: the files that a kernel includes; and an adaptation of kernels that do
 * not compile against the API's headers alone, with their includes expanded:
 *
 * - tt_l1_ptr before a type that is not one of the fixed-width integers' names (a
 *   template parameter, an alias, a structure, auto) or after a type, and casts in the
 *   same line that omit it;
 * - page sizes and formats of circular buffers, and properties of accessors' tensors,
 *   where the language requires a constant. */
#include "grid/native/kernel_headers.h"
#include "grid/native/native.h"

#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- included files ------------------------------------------------------------------ */

typedef struct own_files {
    const char *const *folders; /* searched folders; NULL ends them */
    char **seen;
    size_t count, capacity;
    tw_strbuf *out;
} own_files;

static void add_files(own_files *f, const char *text);

static void add_file(own_files *f, tw_str name, tw_str includer)
{
    tw_strbuf path = {0}, text = {0};
    size_t folder = includer.size;
    while (folder && includer.data[folder - 1] != '/')
        folder--;
    for (size_t i = 0; i == 0 || f->folders[i - 1]; i++) {
        path.size = 0;
        if (i == 0)
            tw_strbuf_append(&path, includer.data, folder);
        else
            tw_strbuf_printf(&path, "%s/", f->folders[i - 1]);
        tw_strbuf_str(&path, name);
        for (size_t k = 0; k < f->count; k++)
            if (strcmp(f->seen[k], tw_strbuf_text(&path)) == 0)
                goto done;
        tw_status status = tw_file_read(path.data, &text);
        if (status == TW_SUCCESS) {
            TW_PUSH(f->seen, f->count, f->capacity, tw_xstrdup(path.data));
            tw_strbuf_printf(f->out, "// %s\n", path.data);
            tw_strbuf_append(f->out, text.data, text.size);
            add_files(f, tw_strbuf_text(&text));
            goto done;
        }
        tw_status_free(status);
    }
done:
    tw_strbuf_free(&path);
    tw_strbuf_free(&text);
}

static void add_files(own_files *f, const char *text)
{
    tw_strbuf includer = {0};
    if (f->count)
        tw_strbuf_puts(&includer, f->seen[f->count - 1]);
    for (const char *line = text; line && *line;) {
        const char *c = line + strspn(line, " \t");
        if (*c == '#') {
            c += 1 + strspn(c + 1, " \t");
            if (strncmp(c, "include", 7) == 0) {
                c += 7 + strspn(c + 7, " \t");
                size_t size = strcspn(c + (*c != 0), "\">\n");
                if (*c == '"' || *c == '<')
                    add_file(f, (tw_str){c + 1, size},
                             (tw_str){tw_strbuf_text(&includer), includer.size});
            }
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    tw_strbuf_free(&includer);
}

void dev_native_included(const char *text, const char *const *folders, tw_strbuf *out)
{
    own_files f = {.folders = folders, .out = out};
    add_files(&f, text);
    for (size_t i = 0; i < f.count; i++)
        free(f.seen[i]);
    free(f.seen);
}

/* ---- adapting ------------------------------------------------------------------------ */

bool dev_native_wants_adapting(const char *errors)
{
    static const char *const marks[] = {
        "tw::l1",      "tt_l1_ptr",     "get_tile_size",        "get_dataformat",
        "tw::buffer_", "tw::accessor_", "get_aligned_page_size"};
    for (size_t i = 0; i < TW_COUNT(marks); i++)
        if (strstr(errors, marks[i]))
            return true;
    return false;
}

static bool is_word(char c)
{
    return dev_in_name(c) || c == ':';
}

/* uint32_t and similar, for which tw::l1 has words of the same name. */
static bool fixed_width(const char *word, size_t size)
{
    static const char *const names[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t",
                                        "int8_t",  "int16_t",  "int32_t"};
    if (size > 5 && memcmp(word, "std::", 5) == 0)
        word += 5, size -= 5;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (strlen(names[i]) == size && memcmp(word, names[i], size) == 0)
            return true;
    return false;
}

/* Rewrites "tt_l1_ptr T" and "T tt_l1_ptr *" to "::tw::l1::of<T>". */
static void rewrite(const char *text, tw_strbuf *out)
{
    static const char mark[] = "tt_l1_ptr";
    const size_t n = sizeof mark - 1;
    const char *from = text;
    for (const char *at; (at = strstr(from, mark));) {
        const char *behind = at + n + strspn(at + n, " \t");
        size_t size = 0;
        bool alone = (at == text || !is_word(at[-1])) && !is_word(at[n]);
        bool defined = at - text > 8 && memcmp(at - 8, "#define ", 8) == 0;
        bool constant = alone && strncmp(behind, "const ", 6) == 0;
        if (constant)
            behind += 6;
        while (is_word(behind[size]))
            size++;
        if (!alone || defined || (size && !constant && fixed_width(behind, size))) {
            tw_strbuf_append(out, from, (size_t)(at + n - from));
            from = at + n;
        } else if (size == 4 && memcmp(behind, "auto", 4) == 0) {
            tw_strbuf_append(out, from, (size_t)(at - from));
            from = behind;
        } else if (size) {
            tw_strbuf_append(out, from, (size_t)(at - from));
            tw_strbuf_printf(out, "%s::tw::l1::of<%.*s>", constant ? "const " : "",
                             (int)size, behind);
            from = behind + size;
        } else {
            const char *end = at, *start;
            while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
                end--;
            for (start = end; start > from && is_word(start[-1]);)
                start--;
            tw_strbuf_append(out, from, (size_t)(start - from));
            tw_strbuf_printf(out, "::tw::l1::of<%.*s>", (int)(end - start), start);
            from = at + n;
        }
    }
    tw_strbuf_puts(out, from);
}

/* If a declared pointer points to words of L1, so does its initializer: "tt_l1_ptr uint8_t
 * *p = (volatile uint8_t *)a". */
static void mark_casts(const char *text, tw_strbuf *out)
{
    static const char mark[] = "volatile ";
    const size_t n = sizeof mark - 1;
    for (const char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end != 0;
        const char *pointer = memmem(line, (size_t)(end - line), "tt_l1_ptr", 9);
        const char *from = pointer ? memchr(pointer, '=', (size_t)(end - pointer)) : NULL;
        const char *done = line;
        for (const char *at; from && (at = memmem(from, (size_t)(end - from), mark, n));) {
            size_t size = 0;
            from = at + n;
            while (is_word(from[size]))
                size++;
            if (fixed_width(from, size) && from[size + strspn(from + size, " ")] == '*') {
                tw_strbuf_append(out, done, (size_t)(from - done));
                tw_strbuf_puts(out, "tt_l1_ptr ");
                done = from;
            }
        }
        tw_strbuf_append(out, done, (size_t)(end - done));
    }
}

tw_status dev_native_adapt(const char *path)
{
    tw_strbuf text = {0}, marked = {0}, out = {0};
    TW_TRY(tw_file_read(path, &text));
    mark_casts(tw_strbuf_text(&text), &marked);
    rewrite(tw_strbuf_text(&marked), &out);
    tw_status status = tw_file_write(path, out.data, out.size);
    tw_strbuf_free(&text);
    tw_strbuf_free(&marked);
    tw_strbuf_free(&out);
    return status;
}
