/* lsp_text.h: positions and names in the text of a document, whether it parses or not. */
#ifndef TILEWRIGHT_TOOLS_LSP_TEXT_H
#define TILEWRIGHT_TOOLS_LSP_TEXT_H

#include "support/strbuf.h"

#include <jansson.h>

/* A cursor at the last position; later ones are counted from there. */
typedef struct lsp_cursor {
    const tw_strbuf *text;
    size_t at, line, start; /* `start`: of the line */
} lsp_cursor;

json_t *lsp_range(lsp_cursor *c, size_t start, size_t end);
/* The offset of a position, clamped to the end of the line or text. */
size_t lsp_offset(const tw_strbuf *text, json_int_t line, json_int_t character);

bool lsp_is_word(char c);
/* The word at an offset, with the sigil before it. */
tw_str lsp_word(const tw_strbuf *text, size_t at);
/* The offset of a name's definition, SIZE_MAX if there is none. */
size_t lsp_definition(const tw_strbuf *text, tw_str word);
/* The next name with the word's sigil, from *start on, whose definition is visible to the
 * word; false if there is none. */
bool lsp_next_definition(const tw_strbuf *text, tw_str word, size_t *start, size_t *end);
/* The occurrences of a name: Location[]. */
json_t *lsp_references(const tw_strbuf *text, const char *uri, tw_str word,
                       bool definitions);
/* Functions, modules and other symbols: DocumentSymbol[]. */
json_t *lsp_symbols(const tw_strbuf *text);

#endif
