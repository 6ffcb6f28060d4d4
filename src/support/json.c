/* json.c: see json.h. */
#include "support/json.h"

/* Decodes one UTF-8 code point; returns 0 for invalid bytes. */
static size_t decode(const unsigned char *s, size_t size, uint32_t *out)
{
    static const uint32_t min_code[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s >= 0xF0 && *s < 0xF8   ? 4
               : *s >= 0xE0 && *s < 0xF0 ? 3
               : *s >= 0xC0 && *s < 0xE0 ? 2
                                         : 0;
    if (!n || n > size)
        return 0;
    uint32_t c = *s & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3F);
    }
    if (c < min_code[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0;
    *out = c;
    return n;
}

void tw_json_string(tw_strbuf *out, tw_str text)
{
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const unsigned char *s = (const unsigned char *)text.data;
    tw_strbuf_putc(out, '"');
    for (size_t i = 0; i < text.size;) {
        const char *e = s[i] ? strchr(escapes, s[i]) : NULL;
        uint32_t c;
        size_t n;
        if (s[i] < 0x80 && e && (e - escapes) % 2 == 0) {
            tw_strbuf_printf(out, "\\%c", e[1]);
            i++;
        } else if (s[i] >= ' ' && s[i] < 0x7F) {
            tw_strbuf_putc(out, (char)s[i++]);
        } else if (s[i] < 0x80) {
            tw_strbuf_printf(out, "\\u%04X", s[i++]);
        } else if ((n = decode(s + i, text.size - i, &c)) != 0) {
            if (c >= 0x10000)
                tw_strbuf_printf(out, "\\u%04X\\u%04X", 0xD800 + ((c - 0x10000) >> 10),
                                 0xDC00 + (c & 0x3FF));
            else
                tw_strbuf_printf(out, "\\u%04X", c);
            i += n;
        } else {
            tw_strbuf_puts(out, "\\uFFFD");
            i++;
        }
    }
    tw_strbuf_putc(out, '"');
}

static void newline(tw_json *j)
{
    tw_strbuf_putc(j->out, '\n');
    for (int i = 0; i < 2 * j->depth; i++)
        tw_strbuf_putc(j->out, ' ');
}

static void next(tw_json *j, const char *name)
{
    if (j->depth > 0) {
        if (j->more)
            tw_strbuf_putc(j->out, ',');
        newline(j);
    }
    if (name) {
        tw_json_string(j->out, tw_str_from(name));
        tw_strbuf_puts(j->out, ": ");
    }
    j->more = true;
}

void tw_json_open(tw_json *j, const char *name, char bracket)
{
    next(j, name);
    tw_strbuf_putc(j->out, bracket);
    j->depth++;
    j->more = false;
}

void tw_json_close(tw_json *j, char bracket)
{
    j->depth--;
    if (j->more)
        newline(j);
    tw_strbuf_putc(j->out, bracket);
    j->more = true;
}

void tw_json_u64(tw_json *j, const char *name, uint64_t value)
{
    next(j, name);
    tw_strbuf_u64(j->out, value);
}

void tw_json_real(tw_json *j, const char *name, double value)
{
    next(j, name);
    tw_strbuf_printf(j->out, "%.17g", value);
}

void tw_json_bool(tw_json *j, const char *name, bool value)
{
    next(j, name);
    tw_strbuf_puts(j->out, value ? "true" : "false");
}

void tw_json_text(tw_json *j, const char *name, tw_str value)
{
    next(j, name);
    tw_json_string(j->out, value);
}
