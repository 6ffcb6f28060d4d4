/* lsp_format.h: a document in the form in which the tools print it. */
#ifndef TILEWRIGHT_TOOLS_LSP_FORMAT_H
#define TILEWRIGHT_TOOLS_LSP_FORMAT_H

#include "lsp_document.h"

/* Prints every module of a document that has been read: values are numbered anew, comments
 * stay before or behind the operations that they stand at, a module that the text does not
 * write is not printed.  NULL, or why it cannot be done; then nothing is appended. */
const char *lsp_format(const lsp_document *d, tw_strbuf *out);

#endif
