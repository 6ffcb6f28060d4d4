/* native_errors.c: translates the C++ compiler's output about a kernel to diagnostics. */
#include "grid/native/native.h"

#include "grid/native/kernel_headers.h"

#include "support/file.h"
#include "support/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Suggests the function whose name is closest to the called one. */
static void suggest(tw_str name, tw_strbuf *out)
{
    tw_strbuf names = {0};
    tw_nearest nearest = tw_nearest_to(name);
    dev_headers_names(&names);
    for (char *line = names.data, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        tw_nearest_try(&nearest, name, line);
    }
    /* the same name: it is in another namespace, which the compiler reports */
    if (nearest.best && !tw_str_equal(name, tw_str_from(nearest.best)))
        tw_strbuf_printf(out, "; did you mean '%s'?", nearest.best);
    tw_strbuf_free(&names);
}

/* "foo.h: No such file or directory": suggests the API's header if there is one. */
static bool missing_header(const char *text, tw_strbuf *out)
{
    static const struct {
        const char *part, *what;
    } beyond[] = {
        {"fabric", "the fabric between chips is not simulated"},
        {"ethernet", "Ethernet cores are not simulated"},
        {"eth_", "Ethernet cores are not simulated"},
        {"socket", "sockets between chips are not simulated"},
        {"remote_circular_buffer", "circular buffers over several cores are not simulated"},
        {"noc_overlay", "the NoC's streams are not simulated"},
        {"stream_", "the NoC's streams are not simulated"},
    };
    const char *mark = strstr(text, ": No such file or directory");
    if (!mark && !(mark = strstr(text, "' file not found")))
        return false;
    const char *start = *text == '\'' ? text + 1 : text;
    tw_str name = {start, (size_t)(mark - start)};
    tw_strbuf path = {0};
    tw_strbuf_printf(out, "there is no header '%.*s'", (int)name.size, name.data);
    for (size_t i = 0; i < TW_COUNT(beyond); i++)
        if (memmem(name.data, name.size, beyond[i].part, strlen(beyond[i].part))) {
            tw_strbuf_printf(out, ": %s", beyond[i].what);
            return true;
        }
    tw_nearest nearest = tw_nearest_to(name);
    char *best = NULL;
    for (size_t i = 0; dev_headers_path(i, &path); i++) {
        tw_nearest_try(&nearest, name, tw_strbuf_text(&path));
        if (nearest.best) { /* the buffer is reused for the next path */
            free(best);
            best = tw_xstrdup(nearest.best);
            nearest.best = NULL;
        }
    }
    if (best)
        tw_strbuf_printf(out, "; did you mean '%s'?", best);
    else
        tw_strbuf_puts(out,
                       "; a kernel's own are looked up beside it and in TT_METAL_HOME");
    free(best);
    tw_strbuf_free(&path);
    return true;
}

/* Macros defined by a host are in capitals. */
static bool in_capitals(tw_str name)
{
    size_t letters = 0;
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] >= 'a' && name.data[i] <= 'z')
            return false;
        letters += name.data[i] >= 'A' && name.data[i] <= 'Z';
    }
    return letters > 2;
}

/* Copies the compiler's text without header locations, which follow the operands. */
static void put_without_places(const char *text, tw_strbuf *out)
{
    static const char *const parts[] = {", tw::at)", "(tw::at)"};
    static const char *const instead[] = {")", "()"};
    for (const char *c = text; *c;) {
        size_t i = 0;
        while (i < TW_COUNT(parts) && strncmp(c, parts[i], strlen(parts[i])) != 0)
            i++;
        tw_strbuf_append(out, i < TW_COUNT(parts) ? instead[i] : c,
                         i < TW_COUNT(parts) ? strlen(instead[i]) : 1);
        c += i < TW_COUNT(parts) ? strlen(parts[i]) : 1;
    }
}

/* Finds the quoted name in "'foo' was not declared", "undeclared identifier 'foo'". */
static bool undeclared(const char *text, tw_str *out)
{
    bool missing = strstr(text, "not declared") || strstr(text, "undeclared") ||
                   strstr(text, "is not a member of") || strstr(text, "no member named") ||
                   strstr(text, "does not name a type") ||
                   strstr(text, "unknown type name");
    const char *start = NULL, *end = NULL;
    for (const char *c = text; missing && *c && !end; c++) {
        /* ' or one of the typographic pair in UTF-8 */
        bool quote = *c == '\'' || memcmp(c, "\xE2\x80\x98", TW_MIN(strlen(c), 3)) == 0;
        bool close = *c == '\'' || memcmp(c, "\xE2\x80\x99", TW_MIN(strlen(c), 3)) == 0;
        if (!start && quote)
            start = c + (*c == '\'' ? 1 : 3);
        else if (start && c >= start && close)
            end = c;
    }
    *out = (tw_str){start, end ? (size_t)(end - start) : 0};
    return end && out->size;
}

/* Parses the number after a colon; returns what follows it, NULL if there is none. */
static const char *number_at(const char *text, unsigned *out)
{
    char *end;
    if (*text != ':' || text[1] < '0' || text[1] > '9')
        return NULL;
    *out = (unsigned)strtoul(text + 1, &end, 10);
    return end;
}

typedef struct user_location {
    unsigned row, column;
} user_location;

/* Finds "PATH:LINE:COLUMN:" at a line's start, or in "required from here" and similar. */
static bool in_user_text(const char *line, const char *path, user_location *out)
{
    const char *at = strstr(line, path);
    user_location p = {0, 1};
    if (!at || (at = number_at(at + strlen(path), &p.row)) == NULL)
        return false;
    number_at(at, &p.column);
    *out = p;
    return true;
}

/* The parts of "file:line:column: error: text". */
typedef struct complaint {
    char file[PATH_MAX];
    user_location at;
    const char *text;
} complaint;

/* Splits off the number after the last colon. */
static bool cut_number(char *file, unsigned *out)
{
    char *colon = strrchr(file, ':');
    if (!colon)
        return false;
    *out = (unsigned)strtoul(colon + 1, NULL, 10);
    *colon = 0;
    return true;
}

static bool read_complaint(const char *line, complaint *out)
{
    static const char *const marks[] = {": error: ", ": fatal error: "};
    const char *mark = NULL;
    for (size_t i = 0; i < TW_COUNT(marks) && !mark; i++)
        if ((mark = strstr(line, marks[i])))
            out->text = mark + strlen(marks[i]);
    if (!mark || (size_t)(mark - line) >= sizeof out->file)
        return false;
    memcpy(out->file, line, (size_t)(mark - line));
    out->file[mark - line] = 0;
    return cut_number(out->file, &out->at.column) && cut_number(out->file, &out->at.row);
}

/* Explains a name that the host should have given (kernel_named.hpp) and did not. */
static bool not_given(tw_str name, tw_strbuf *out)
{
    static const struct {
        const char *space, *what, *field;
    } spaces[] = {
        {"args", "argument", "args, common_args or compile_args"},
        {"dfb", "circular buffer", "dfb"},
        {"tensor", "tensor", "tensor"},
        {"sem", "semaphore", "sem"},
        {"scratch", "scratchpad", "scratch"},
    };
    static const char *const quotes[][2] = {{"\xE2\x80\x98", "\xE2\x80\x99"}, {"'", "'"}};
    for (size_t i = 0; i < TW_COUNT(spaces); i++)
        for (size_t k = 0; k < TW_COUNT(quotes); k++) {
            char quoted[32];
            snprintf(quoted, sizeof quoted, "%s%s%s", quotes[k][0], spaces[i].space,
                     quotes[k][1]);
            if (!strstr(name.data + name.size, quoted))
                continue;
            tw_strbuf_printf(
                out,
                "the run gives its kernel no %s named '%.*s': name it in %s of "
                "the run, {\"%.*s\": ...}",
                spaces[i].what, (int)name.size, name.data, spaces[i].field, (int)name.size,
                name.data);
            return true;
        }
    return false;
}

/* Explains a missing name, with a suggestion for the kernel's author. */
static void explain(const char *text, tw_strbuf *out)
{
    tw_str name;
    if (missing_header(text, out))
        return;
    if (undeclared(text, &name) && not_given(name, out))
        return;
    if (undeclared(text, &name)) {
        bool macro = in_capitals(name);
        tw_strbuf_printf(out,
                         macro
                             ? "'%.*s' is not defined; a host gives kernels such macros as "
                               "defines of the run"
                             : "the kernel API has no '%.*s' here",
                         (int)name.size, name.data);
        if (!macro)
            suggest(name, out);
        tw_strbuf_printf(out, " (docs/cpp.md lists its names; the compiler says: %s)",
                         text);
    } else if (strstr(text, "compile_time_argument") &&
               strstr(text, "outside the bounds")) {
        tw_strbuf_puts(out, "there is no such compile-time argument: the launch gives "
                            "fewer, or an address, which is no constant");
    } else if (strstr(text, "poisoned")) {
        tw_strbuf_puts(out, "hardware's kernels have no 'thread_local' variables: plain "
                            "ones are each core's and each thread's own");
    } else {
        put_without_places(text, out);
    }
}

/* For an error in the API's own text, reports the kernel's last mentioned location. */
static bool report_line(ir_context *ctx, const char *line, const char *path,
                        const user_location *user)
{
    complaint c;
    if (!read_complaint(line, &c))
        return false;
    bool blamed = strcmp(c.file, path) != 0 && user->row;
    const user_location at = blamed ? *user : c.at;
    tw_strbuf message = {0};
    explain(c.text, &message);
    ir_error(ctx,
             ir_loc_file(ctx, ir_ident_from(ctx, blamed ? path : c.file), TW_MAX(at.row, 1),
                         TW_MAX(at.column, 1)),
             "%s", tw_strbuf_text(&message));
    tw_strbuf_free(&message);
    return true;
}

tw_status dev_native_report_errors(ir_context *ctx, const dev_native *n, const char *path)
{
    tw_strbuf made = {0}, text = {0};
    bool any = false;
    user_location user = {0, 0};
    TW_TRY(tw_file_read(path, &made));
    dev_native_put_path(n, tw_strbuf_text(&made), &text);
    tw_strbuf_free(&made);
    for (char *line = text.data, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        in_user_text(line, n->path, &user);
        any |= report_line(ctx, line, n->path, &user);
    }
    if (!any)
        ir_error(ctx, n->function->loc, "the C++ compiler failed: %s",
                 text.size ? text.data : "no message");
    tw_strbuf_free(&text);
    return TW_SUCCESS;
}
