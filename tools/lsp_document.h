/* lsp_document.h: the documents that an editor has open, and what was read of them.
 *
 * A document is one module, or several between lines "// -----", as test files are. */
#ifndef TILEWRIGHT_TOOLS_LSP_DOCUMENT_H
#define TILEWRIGHT_TOOLS_LSP_DOCUMENT_H

#include "ir/op.h"
#include "lsp_fix.h"
#include "support/strbuf.h"

#include <jansson.h>

/* A module of a document. */
typedef struct lsp_chunk {
    size_t start, size; /* bytes of the text */
    uint32_t line;      /* lines before it */
    ir_context *ctx;
    ir_op *module; /* NULL if it has errors */
} lsp_chunk;

typedef struct lsp_document {
    char *uri;
    json_int_t version; /* the editor's version, or -1 */
    tw_strbuf text;
    bool stale; /* the text has changed since it was parsed */
    lsp_chunk *chunks;
    size_t n_chunks, chunks_capacity;
    lsp_fix *fixes; /* fixes for its diagnostics */
    size_t n_fixes, fixes_capacity;
} lsp_document;

void lsp_document_free(lsp_document *d);
/* Applies TextDocumentContentChangeEvent[]: whole texts, or texts that replace ranges. */
void lsp_document_change(lsp_document *d, json_t *changes);
/* Parses the text again if it has changed and returns the diagnostics, else NULL. */
json_t *lsp_document_read(lsp_document *d);

#endif
