/* lsp_main.c: ttmlir-lsp-server: messages over standard input and output. */
#include "lsp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 64 << 20 };

/* "Content-Length: N" among header lines, up to an empty one; 0 at the input's end or for
 * a length that makes no sense. */
static size_t read_header(void)
{
    char line[512];
    size_t length = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "\r\n") == 0 || strcmp(line, "\n") == 0)
            return length <= MOST_BYTES ? length : 0;
        if (strncasecmp(line, "content-length:", 15) == 0)
            length = strtoull(line + 15, NULL, 10);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        bool help = strcmp(argv[1], "--help") == 0;
        fprintf(help ? stdout : stderr,
                "ttmlir-lsp-server: the Language Server Protocol for MLIR's text, over "
                "standard input and output; it takes no options\n");
        return !help;
    }
    lsp *server = lsp_create();
    bool on = true;
    size_t length;
    while (on && (length = read_header()) > 0) {
        tw_strbuf out = {0};
        char *message = malloc(length);
        if (!message || fread(message, 1, length, stdin) != length) {
            free(message);
            break;
        }
        on = lsp_handle(server, message, length, &out);
        fwrite(out.data, 1, out.size, stdout);
        fflush(stdout);
        tw_strbuf_free(&out);
        free(message);
    }
    int status = !on && lsp_was_shut_down(server) ? 0 : 1;
    lsp_destroy(server);
    return status;
}
