/* lsp_text.h: places and names in the text of a document, whether it can be read or not. */
#ifndef TILEWRIGHT_TOOLS_LSP_TEXT_H
#define TILEWRIGHT_TOOLS_LSP_TEXT_H

#include "support/strbuf.h"

#include <jansson.h>

/* Where the last place that was asked for is: later ones are counted from there. */
typedef struct lsp_cursor {
    const tw_strbuf *text;
    size_t at, line, start; /* `start`: of the line */
} lsp_cursor;

json_t *lsp_range(lsp_cursor *c, size_t start, size_t end);
/* The offset of a position; the line's or text's end for one that is beyond. */
size_t lsp_offset(const tw_strbuf *text, json_int_t line, json_int_t character);

bool lsp_is_word(char c);
/* The word at a place, with the sigil before it. */
tw_str lsp_word(const tw_strbuf *text, size_t at);
/* Where a name of the text is defined, SIZE_MAX if nowhere. */
size_t lsp_definition(const tw_strbuf *text, tw_str word);
/* The next name with the word's sigil, from *start on, that is defined where the word can
 * see it; false if there is none. */
bool lsp_next_definition(const tw_strbuf *text, tw_str word, size_t *start, size_t *end);
/* Where a name stands: Location[]. */
json_t *lsp_references(const tw_strbuf *text, const char *uri, tw_str word,
                       bool definitions);
/* Functions, modules and other symbols: DocumentSymbol[]. */
json_t *lsp_symbols(const tw_strbuf *text);

#endif
