/* lsp_fix.h: fixes of diagnostics by changes of the text. */
#ifndef TILEWRIGHT_TOOLS_LSP_FIX_H
#define TILEWRIGHT_TOOLS_LSP_FIX_H

#include "ir/context.h"
#include "support/strbuf.h"

#include <jansson.h>

/* Replaces the bytes [start, end) by `text`; for the diagnostic at `at`. */
typedef struct lsp_fix {
    size_t at, start, end;
    char *text;
} lsp_fix;

/* The fix for a diagnostic at an offset: the nearest name, or the type that a verifier
 * expects.  False if there is none. */
bool lsp_fix_find(const tw_strbuf *text, size_t at, const ir_diagnostic *d,
                  lsp_fix *out_fix);
void lsp_fix_free(lsp_fix *fix);
/* CodeAction[]: the fixes of diagnostics in [start, end]. */
json_t *lsp_fix_actions(const tw_strbuf *text, const char *uri, const lsp_fix *fixes,
                        size_t count, size_t start, size_t end);

#endif
