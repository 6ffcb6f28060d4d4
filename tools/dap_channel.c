/* dap_channel.c: see dap_channel.h. */
#include "dap_channel.h"

#include "support/arena.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_HEADER = 1 << 12, MAX_BYTES = 1 << 26 };

/* ---- requests ------------------------------------------------------------------------ */

/* At most 60 characters, with those that do not print as dots. */
static void put_shown(tw_strbuf *out, const char *text, size_t size)
{
    tw_strbuf_putc(out, '\'');
    for (size_t i = 0; i < size && i < 60; i++)
        tw_strbuf_putc(out, text[i] >= ' ' && text[i] <= '~' ? text[i] : '.');
    tw_strbuf_puts(out, size > 60 ? "' ..." : "'");
}

static bool receive(dap_channel *c, bool wait)
{
    struct pollfd file = {.fd = c->in, .events = POLLIN};
    ssize_t n;
    if (c->ended || (!wait && poll(&file, 1, 0) <= 0))
        return false;
    if (c->at) {
        memmove(c->bytes.data, c->bytes.data + c->at, c->bytes.size - c->at);
        c->bytes.size -= c->at;
        c->at = 0;
    }
    tw_strbuf_reserve(&c->bytes, 1 << 16);
    do
        n = read(c->in, c->bytes.data + c->bytes.size,
                 c->bytes.capacity - c->bytes.size - 1);
    while (n < 0 && errno == EINTR);
    c->ended = n <= 0;
    c->bytes.size += n > 0 ? (size_t)n : 0;
    return n > 0;
}

static bool read_length(dap_channel *c, const char *text, size_t size, size_t *out)
{
    while (size && (*text == ' ' || *text == '\t'))
        text++, size--;
    *out = 0;
    bool ok = size > 0 && size <= 12;
    for (size_t i = 0; i < size && ok; i++) {
        ok = text[i] >= '0' && text[i] <= '9';
        *out = *out * 10 + (size_t)(text[i] - '0');
    }
    if (ok && *out <= MAX_BYTES)
        return true;
    tw_strbuf_printf(&c->wrong, "expected a Content-Length of at most %d, not ", MAX_BYTES);
    put_shown(&c->wrong, text, size);
    return false;
}

/* The header lines at `at` up to an empty one: 1, 0 if they are incomplete, -1 if they are
 * wrong. */
static int read_header(dap_channel *c, size_t *out_start, size_t *out_length)
{
    static const char field[] = "content-length";
    const char *text = tw_strbuf_text(&c->bytes) + c->at, *line = text, *newline;
    const size_t size = c->bytes.size - c->at;
    bool has_length = false;
    while ((newline = memchr(line, '\n', size - (size_t)(line - text)))) {
        size_t n = (size_t)(newline - line);
        n -= n && line[n - 1] == '\r';
        if (!n) {
            *out_start = c->at + (size_t)(newline + 1 - text);
            if (!has_length)
                tw_strbuf_puts(&c->wrong, "a message has no Content-Length");
            return has_length ? 1 : -1;
        }
        const char *colon = memchr(line, ':', n);
        if (!colon) {
            tw_strbuf_puts(&c->wrong,
                           "expected a header line, such as 'Content-Length: 119', not ");
            put_shown(&c->wrong, line, n);
            return -1;
        }
        if (colon - line == sizeof field - 1 &&
            strncasecmp(line, field, sizeof field - 1) == 0) {
            if (!read_length(c, colon + 1, n - sizeof field, out_length))
                return -1;
            has_length = true;
        }
        line = newline + 1;
    }
    if (size <= MAX_HEADER && !(c->ended && size))
        return 0;
    tw_strbuf_puts(&c->wrong,
                   "expected header lines, such as 'Content-Length: 119', and an "
                   "empty line");
    return -1;
}

static json_t *parse(dap_channel *c, const char *body, size_t size)
{
    json_error_t error;
    json_t *message = json_loadb(body, size, 0, &error);
    if (!message) {
        tw_strbuf_printf(&c->wrong, "a message is not JSON: %s", error.text);
        return NULL;
    }
    const char *type = json_string_value(json_object_get(message, "type"));
    json_t *arguments = json_object_get(message, "arguments");
    if (type && strcmp(type, "request") == 0 &&
        json_is_string(json_object_get(message, "command")) &&
        (!arguments || json_is_null(arguments) || json_is_object(arguments)))
        return message;
    tw_strbuf_puts(&c->wrong, "expected {\"type\": \"request\", \"command\": ..., "
                              "\"arguments\": {...}}, not ");
    put_shown(&c->wrong, body, size);
    json_decref(message);
    return NULL;
}

json_t *dap_read(dap_channel *c, bool wait)
{
    size_t start, length = 0;
    while (!c->wrong.size) {
        const int header = read_header(c, &start, &length);
        if (header < 0)
            return NULL;
        if (header && c->bytes.size - start >= length) {
            c->at = start + length;
            return parse(c, c->bytes.data + start, length);
        }
        if (c->ended && header)
            tw_strbuf_printf(&c->wrong,
                             "the input ends after %zu of %zu bytes of a message",
                             c->bytes.size - start, length);
        if (c->ended || (!receive(c, wait) && !c->ended))
            return NULL;
    }
    return NULL;
}

/* ---- answers ------------------------------------------------------------------------- */

static void write_all(int file, const char *data, size_t size)
{
    while (size) {
        const ssize_t n = write(file, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* the client has gone, as the end of its input says, too */
            return;
        data += n;
        size -= (size_t)n;
    }
}

void dap_write(dap_channel *c, json_t *message)
{
    json_object_set_new(message, "seq", json_integer(++c->sent));
    char *text = json_dumps(message, JSON_COMPACT);
    tw_strbuf out = {0};
    if (text)
        tw_strbuf_printf(&out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    write_all(c->out, tw_strbuf_text(&out), out.size);
    tw_strbuf_free(&out);
    free(text);
    json_decref(message);
}

void dap_event(dap_channel *c, const char *name, json_t *body)
{
    json_t *message = json_pack("{s:s,s:s}", "type", "event", "event", name);
    if (body)
        json_object_set_new(message, "body", body);
    dap_write(c, message);
}

json_t *dap_source(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *whole = realpath(path, NULL);
    json_t *source = json_pack("{s:s,s:s}", "name", slash ? slash + 1 : path, "path",
                               whole ? whole : path);
    free(whole);
    return source ? source : json_object(); /* a path that is no UTF-8 */
}

/* ---- what the program prints --------------------------------------------------------- */

bool dap_capture_begin(dap_capture *c, int descriptor, const char *category)
{
    *c = (dap_capture){.file = tmpfile(), .descriptor = descriptor, .category = category};
    c->before = dup(descriptor);
    return c->file && c->before >= 0 && dup2(fileno(c->file), descriptor) >= 0;
}

/* FILE:LINE:COLUMN: before "error: ", "warning: " or "note: ". */
static bool read_position(tw_str line, tw_strbuf *path, json_int_t *out_line)
{
    static const char *const kinds[] = {": error: ", ": warning: ", ": note: "};
    const char *end = NULL;
    for (size_t i = 0; i < TW_COUNT(kinds); i++) {
        const char *at = memmem(line.data, line.size, kinds[i], strlen(kinds[i]));
        if (at && (!end || at < end))
            end = at;
    }
    if (!end)
        return false;
    json_int_t numbers[2] = {0, 0};
    int n = 0;
    for (; n < 2; n++) {
        const char *colon = memrchr(line.data, ':', (size_t)(end - line.data));
        if (!colon || colon + 1 == end ||
            strspn(colon + 1, "0123456789") != (size_t)(end - colon - 1))
            break;
        numbers[n] = strtol(colon + 1, NULL, 10);
        end = colon;
    }
    tw_strbuf_append(path, line.data, (size_t)(end - line.data));
    *out_line = n ? numbers[n - 1] : 0;
    return n > 0;
}

static void send(const dap_capture *c, dap_channel *to, tw_str text)
{
    tw_strbuf path = {0};
    json_int_t line;
    json_t *output = json_stringn(text.data, text.size);
    json_t *body = json_pack("{s:s,s:o}", "category", c->category, "output",
                             output ? output : json_string("(bytes that are no text)\n"));
    if (c->descriptor == 2 && read_position(text, &path, &line)) {
        json_object_set_new(body, "source", dap_source(tw_strbuf_text(&path)));
        json_object_set_new(body, "line", json_integer(line));
    }
    dap_event(to, "output", body);
    tw_strbuf_free(&path);
}

void dap_capture_send(dap_capture *c, dap_channel *to)
{
    fflush(stdout);
    fflush(stderr);
    enum { PIECE = 1 << 16 };
    char *piece = tw_xmalloc(PIECE);
    ssize_t n;
    while ((n = pread(fileno(c->file), piece, PIECE, c->sent)) > 0) {
        size_t used = 0;
        while (used < (size_t)n) { /* a line each */
            const char *newline = memchr(piece + used, '\n', (size_t)n - used);
            const size_t size =
                newline ? (size_t)(newline + 1 - piece) - used : (size_t)n - used;
            if (!newline && used && n == PIECE)
                break; /* its rest is in the next piece */
            send(c, to, (tw_str){piece + used, size});
            used += size;
        }
        c->sent += (long)used;
    }
    free(piece);
}

void dap_capture_end(dap_capture *c)
{
    if (c->before >= 0) {
        dup2(c->before, c->descriptor);
        close(c->before);
    }
    if (c->file)
        fclose(c->file);
}
