/* native_signature.c: kernels whose entry is a function with named parameters,
 *
 *   template <uint32_t width> TT_KERNEL void reader(uint32_t first, uint32_t count) {...}
 *
 * Like the vendor's toolchain this generates kernel_main from the signature: template
 * parameters are compile-time arguments, function parameters any arguments, each by its
 * name. */
#include "grid/native/kernel_headers.h"
#include "grid/native/native.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Replaces comments by blanks, so that offsets are unchanged. */
static void blank_comments(const char *text, tw_strbuf *out)
{
    enum { CODE, LINE, BLOCK, STRING } in = CODE;
    for (const char *c = text; *c; c++) {
        bool pair = c[0] == '/' && (c[1] == '/' || c[1] == '*');
        if (in == CODE && pair)
            in = c[1] == '/' ? LINE : BLOCK;
        else if (in == CODE && *c == '"')
            in = STRING;
        else if ((in == STRING && *c == '"') || (in == LINE && *c == '\n'))
            in = CODE;
        tw_strbuf_putc(out, (in == LINE || in == BLOCK) && *c != '\n' ? ' ' : *c);
        if (in == STRING && *c == '\\' && c[1])
            tw_strbuf_putc(out, *++c);
        if (in == BLOCK && c[0] == '*' && c[1] == '/') {
            tw_strbuf_putc(out, ' ');
            c++;
            in = CODE;
        }
    }
}

static const char *find_mark(const char *text)
{
    static const char mark[] = "TT_KERNEL";
    for (const char *at = text; (at = strstr(at, mark)); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (line[strspn(line, " \t")] != '#' && !dev_in_name(at[sizeof mark - 1]) &&
            (at == text || !dev_in_name(at[-1])))
            return at;
    }
    return NULL;
}

/* Writes each parameter of a list as `(TYPE)get_arg(args::NAME)`. */
static void put_parameters(const char *from, const char *end, tw_strbuf *out)
{
    for (bool first = true; from < end; first = false) {
        const char *comma = memchr(from, ',', (size_t)(end - from));
        const char *stop = comma ? comma : end;
        const char *value = memchr(from, '=', (size_t)(stop - from));
        const char *last = value ? value : stop, *name;
        while (from < last && is_space(*from))
            from++;
        while (last > from && is_space(last[-1]))
            last--;
        for (name = last; name > from && dev_in_name(name[-1]);)
            name--;
        if (name < last)
            tw_strbuf_printf(out, "%s(%.*s)get_arg(args::%.*s)", first ? "" : ", ",
                             (int)(name - from), from, (int)(last - name), name);
        from = comma ? comma + 1 : end;
    }
}

/* Finds `template <...>` before a position, and its parameter list; false: none. */
static bool template_before(const char *text, const char *at, tw_str *out)
{
    while (at > text && is_space(at[-1]))
        at--;
    if (at == text || at[-1] != '>')
        return false;
    const char *close = at - 1, *open = close;
    while (open > text && *open != '<')
        open--;
    const char *word = open;
    while (word > text && is_space(word[-1]))
        word--;
    if (*open != '<' || word - text < 8 || memcmp(word - 8, "template", 8) != 0)
        return false;
    *out = (tw_str){open + 1, (size_t)(close - open - 1)};
    return true;
}

void dev_native_put_main(const char *source, const char *path, tw_strbuf *out)
{
    tw_strbuf code = {0};
    blank_comments(source, &code);
    const char *text = tw_strbuf_text(&code), *mark = find_mark(text);
    const char *open = mark ? strchr(mark, '(') : NULL,
               *close = open ? strchr(open, ')') : NULL;
    if (close) {
        size_t line = 1;
        tw_str given;
        const char *end = open, *name;
        for (const char *c = text; c < mark; c++)
            line += *c == '\n';
        while (end > mark && is_space(end[-1]))
            end--;
        for (name = end; name > mark && dev_in_name(name[-1]);)
            name--;
        tw_strbuf_printf(out, "\n#line %zu \"%s\"\nvoid kernel_main() { %.*s", line, path,
                         (int)(end - name), name);
        if (template_before(text, mark, &given)) {
            tw_strbuf_puts(out, "<");
            put_parameters(given.data, given.data + given.size, out);
            tw_strbuf_puts(out, ">");
        }
        tw_strbuf_puts(out, "(");
        put_parameters(open + 1, close, out);
        tw_strbuf_puts(out, "); }\n");
    }
    tw_strbuf_free(&code);
}
