/* fuzz_lsp.c: messages to the language server, one on each line. */
#include "../../tools/lsp.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lsp *server = lsp_create();
    const char *at = (const char *)data, *end = at + size;
    for (bool on = true; on && at < end;) {
        tw_strbuf out = {0};
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        lsp_expect(server, at, (size_t)(stop - at));
        on = lsp_handle(server, at, (size_t)(stop - at), &out);
        tw_strbuf_free(&out);
        at = stop + 1;
    }
    tw_strbuf out = {0};
    lsp_idle(server, &out);
    tw_strbuf_free(&out);
    lsp_destroy(server);
    return 0;
}
