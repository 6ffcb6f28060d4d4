/* lsp_main.c: ttmlir-lsp-server: messages over standard input and output. */
#include "commands.h"
#include "lsp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 30, MAX_HEADER = 1 << 12 };

/* Received bytes that are not processed yet: [at, bytes.size); those up to `seen` were
 * scanned for cancellations. */
typedef struct inbox {
    tw_strbuf bytes;
    size_t at, seen;
    bool ended, broken;
} inbox;

/* "Content-Length: N" among header lines, up to an empty one, at `at`; false if the header
 * is incomplete or invalid (`broken`). */
static bool read_header(inbox *in, size_t at, size_t *out_start, size_t *out_length)
{
    const char *text = tw_strbuf_text(&in->bytes), *end = text + in->bytes.size;
    const char *line = text + at, *newline;
    char *stop = NULL;
    *out_length = 0;
    while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
        if (newline - line <= 1) {
            *out_start = (size_t)(newline + 1 - text);
            in->broken = !stop || *out_length > MAX_BYTES;
            return !in->broken;
        }
        if (newline - line > 15 && strncasecmp(line, "content-length:", 15) == 0) {
            errno = 0;
            *out_length = strtoull(line + 15, &stop, 10);
            if (errno || stop == line + 15)
                stop = NULL;
        }
        line = newline + 1;
    }
    in->broken = (size_t)(end - (text + at)) > MAX_HEADER;
    return false;
}

/* The message at `at`, if it is complete. */
static bool peek(inbox *in, size_t at, size_t *out_start, size_t *out_length)
{
    return read_header(in, at, out_start, out_length) &&
           in->bytes.size - *out_start >= *out_length;
}

/* Reads available bytes, or blocks for more. */
static bool receive(inbox *in, bool wait)
{
    struct pollfd file = {.fd = 0, .events = POLLIN};
    if (in->ended || (!wait && poll(&file, 1, 0) <= 0))
        return false;
    if (in->at) {
        memmove(in->bytes.data, in->bytes.data + in->at, in->bytes.size - in->at);
        in->bytes.size -= in->at;
        in->seen -= in->at;
        in->at = 0;
    }
    tw_strbuf_reserve(&in->bytes, 1 << 16);
    ssize_t n =
        read(0, in->bytes.data + in->bytes.size, in->bytes.capacity - in->bytes.size - 1);
    if (n < 0 && errno == EINTR)
        return true;
    in->ended = n <= 0;
    if (n > 0)
        in->bytes.size += (size_t)n;
    return n > 0;
}

/* Scans waiting messages for cancellations, so that cancelled requests are not computed. */
static void look_ahead(inbox *in, lsp *server)
{
    size_t start, length;
    while (in->seen < in->bytes.size && peek(in, in->seen, &start, &length)) {
        lsp_expect(server, in->bytes.data + start, length);
        in->seen = start + length;
    }
}

static bool flush_answers(tw_strbuf *out)
{
    bool ok = fwrite(out->data, 1, out->size, stdout) == out->size && fflush(stdout) == 0;
    tw_strbuf_free(out);
    *out = (tw_strbuf){0};
    return ok;
}

/* Serves until `exit` or end of input; true after `exit`. */
static bool serve(lsp *server, inbox *in)
{
    size_t start, length;
    tw_strbuf out = {0};
    for (;;) {
        while (receive(in, false))
            continue;
        look_ahead(in, server);
        if (peek(in, in->at, &start, &length)) {
            bool on = lsp_handle(server, in->bytes.data + start, length, &out);
            in->at = start + length;
            if (!flush_answers(&out) || !on)
                return !on;
            continue;
        }
        if (in->broken) {
            fprintf(stderr, "ttmlir-lsp-server: expected Content-Length and a message\n");
            return false;
        }
        lsp_idle(server, &out);
        if (!flush_answers(&out) || !receive(in, true))
            return false;
    }
}

int ttmlir_lsp_server_main(int argc, char **argv)
{
    if (argc > 1) {
        bool help = strcmp(argv[1], "--help") == 0;
        fprintf(help ? stdout : stderr,
                "ttmlir-lsp-server: the Language Server Protocol for MLIR's text, over "
                "standard input and output; it has no options\n");
        return !help;
    }
    lsp *server = lsp_create();
    inbox in = {0};
    bool left = serve(server, &in);
    int status = left && lsp_was_shut_down(server) ? 0 : 1;
    tw_strbuf_free(&in.bytes);
    lsp_destroy(server);
    return status;
}
