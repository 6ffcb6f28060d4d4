/* lsp_format.h: formatting of a document as the tools print it. */
#ifndef TILEWRIGHT_TOOLS_LSP_FORMAT_H
#define TILEWRIGHT_TOOLS_LSP_FORMAT_H

#include "lsp_document.h"

/* Prints every module of a parsed document: values are renumbered, comments stay before or
 * after their operations, an implicit module is not printed.  Returns NULL, or the reason
 * for a failure; then nothing is appended. */
const char *lsp_format(const lsp_document *d, tw_strbuf *out);

#endif
