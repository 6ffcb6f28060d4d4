/* lsp.h: the Language Server Protocol for MLIR's text, apart from how messages travel. */
#ifndef TILEWRIGHT_TOOLS_LSP_H
#define TILEWRIGHT_TOOLS_LSP_H

#include "support/strbuf.h"

typedef struct lsp lsp;

lsp *lsp_create(void);
void lsp_destroy(lsp *server);
/* Takes one message (JSON, hostile or not) and appends the answers, each with its header.
 * False once the client has said exit. */
bool lsp_handle(lsp *server, const char *message, size_t size, tw_strbuf *out);
/* Nothing waits: reads what has changed and appends its diagnostics. */
void lsp_idle(lsp *server, tw_strbuf *out);
/* Looks at a message that waits: it may cancel one that waits before it. */
void lsp_expect(lsp *server, const char *message, size_t size);
/* Whether shutdown came before exit. */
bool lsp_was_shut_down(const lsp *server);

#endif
