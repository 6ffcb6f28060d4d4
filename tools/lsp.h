/* lsp.h: the Language Server Protocol for MLIR's text, without its transport. */
#ifndef TILEWRIGHT_TOOLS_LSP_H
#define TILEWRIGHT_TOOLS_LSP_H

#include "support/strbuf.h"

typedef struct lsp lsp;

lsp *lsp_create(void);
void lsp_destroy(lsp *server);
/* Processes one message (JSON, hostile or not) and appends the answers, each with its
 * header. Returns false once the client has sent `exit`. */
bool lsp_handle(lsp *server, const char *message, size_t size, tw_strbuf *out);
/* Called when no message waits: parses changed documents and appends their diagnostics. */
void lsp_idle(lsp *server, tw_strbuf *out);
/* Scans a waiting message: it may cancel one that waits before it. */
void lsp_expect(lsp *server, const char *message, size_t size);
/* True if shutdown came before exit. */
bool lsp_was_shut_down(const lsp *server);

#endif
