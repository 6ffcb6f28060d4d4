/* lsp_text.c: see lsp_text.h. */
#include "lsp_text.h"

/* UTF-16 code units in the bytes of a line before an offset. */
static size_t utf16_units(const char *line, size_t bytes)
{
    size_t units = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)line[i];
        units += c < 0x80 || (c >= 0xC0 && c < 0xF0) ? 1 : c >= 0xF0 ? 2 : 0;
    }
    return units;
}

/* Editors end lines at "\n", "\r\n" and a "\r" alone. */
static bool ends_line(const tw_strbuf *text, size_t at)
{
    return text->data[at] == '\n' ||
           (text->data[at] == '\r' && (at + 1 == text->size || text->data[at + 1] != '\n'));
}

static json_t *position_of(lsp_cursor *c, size_t offset)
{
    if (offset < c->at)
        *c = (lsp_cursor){.text = c->text};
    for (; c->at < offset; c->at++)
        if (ends_line(c->text, c->at)) {
            c->line++;
            c->start = c->at + 1;
        }
    return json_pack("{s:I,s:I}", "line", (json_int_t)c->line, "character",
                     (json_int_t)utf16_units(c->text->data + c->start, offset - c->start));
}

json_t *lsp_range(lsp_cursor *c, size_t start, size_t end)
{
    json_t *first = position_of(c, start);
    return json_pack("{s:o,s:o}", "start", first, "end", position_of(c, end));
}

/* The offset of a position, clamped to the end of the line or text. */
size_t lsp_offset(const tw_strbuf *text, json_int_t line, json_int_t character)
{
    size_t i = 0;
    for (; line > 0 && i < text->size; i++)
        line -= ends_line(text, i);
    json_int_t units = 0;
    while (i < text->size && text->data[i] != '\n' && text->data[i] != '\r' &&
           units < character) {
        size_t first = i++;
        while (i < text->size && ((unsigned char)text->data[i] & 0xC0) == 0x80)
            i++;
        units += (json_int_t)utf16_units(text->data + first, i - first);
    }
    return i;
}

bool lsp_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '$' || c == '-';
}

static bool is_sigil(char c)
{
    return c && strchr("%#!^@", c);
}

/* The word at an offset, with the sigil before it. */
tw_str lsp_word(const tw_strbuf *text, size_t at)
{
    size_t start = at, end = at;
    while (start > 0 && lsp_is_word(text->data[start - 1]))
        start--;
    if (start > 0 && is_sigil(text->data[start - 1]))
        start--;
    else if (start == at && at < text->size && is_sigil(text->data[at]))
        end++;
    while (end < text->size && lsp_is_word(text->data[end]))
        end++;
    return (tw_str){text->data + start, end - start};
}

static bool only_blanks_before(const tw_strbuf *text, size_t at)
{
    while (at > 0 && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
        at--;
    return at == 0 || text->data[at - 1] == '\n';
}

static char next_char(const tw_strbuf *text, size_t at)
{
    while (at < text->size && (text->data[at] == ' ' || text->data[at] == '\t'))
        at++;
    return at < text->size ? text->data[at] : 0;
}

/* True if an offset is in the parentheses after a name with the sigil @ or ^. */
static bool in_arguments(const tw_strbuf *text, size_t at)
{
    int depth = 0;
    while (at > 0 && text->data[at - 1] != '\n' && depth >= 0) {
        at--;
        depth += (text->data[at] == ')') - (text->data[at] == '(');
    }
    if (depth >= 0)
        return false;
    while (at > 0 && lsp_is_word(text->data[at - 1]))
        at--;
    return at > 0 && (text->data[at - 1] == '@' || text->data[at - 1] == '^');
}

/* True if an occurrence of a name defines it: %a = , %a:2 = , @f(%a: type), ^bb1(, #a = ,
 * and for symbols any occurrence that is no use: a name after a keyword other than call. */
static bool is_definition(const tw_strbuf *text, size_t at, size_t end)
{
    char next = next_char(text, end);
    if (text->data[at] == '@') {
        size_t word = at;
        while (word > 0 && text->data[word - 1] == ' ')
            word--;
        return word >= 4 && word < at && lsp_is_word(text->data[word - 1]) &&
               memcmp(text->data + word - 4, "call", 4) != 0;
    }
    if (only_blanks_before(text, at))
        return text->data[at] == '^' ? next == '(' || next == ':'
                                     : next == '=' || next == ':' || next == ',';
    return text->data[at] == '%' &&
           (next == '=' || (next == ':' && in_arguments(text, at)));
}

/* True if `at` starts the whole word, not a part of another. */
static bool stands_at(const tw_strbuf *text, tw_str word, size_t at)
{
    size_t end = at + word.size;
    return end <= text->size && memcmp(text->data + at, word.data, word.size) == 0 &&
           (end == text->size || !lsp_is_word(text->data[end]));
}

static bool is_name(tw_str word)
{
    return word.size >= 2 && is_sigil(word.data[0]);
}

/* The nearest definition above, else the first anywhere. */
size_t lsp_definition(const tw_strbuf *text, tw_str word)
{
    size_t best = SIZE_MAX, here = (size_t)(word.data - text->data);
    if (!is_name(word))
        return best;
    for (size_t i = 0; i + word.size <= text->size; i++)
        if (text->data[i] == word.data[0] && stands_at(text, word, i) &&
            is_definition(text, i, i + word.size) && (best == SIZE_MAX || i <= here))
            best = i;
    return best;
}

static size_t line_start(const tw_strbuf *text, size_t at)
{
    while (at > 0 && text->data[at - 1] != '\n')
        at--;
    return at;
}

/* The next symbol's definition from `at` on; the text's size if there is none. */
static size_t next_symbol(const tw_strbuf *text, size_t at)
{
    for (; at < text->size; at++) {
        size_t end = at + 1;
        if (text->data[at] != '@')
            continue;
        while (end < text->size && lsp_is_word(text->data[end]))
            end++;
        if (end > at + 1 && is_definition(text, at, end) && !only_blanks_before(text, at))
            return at;
    }
    return text->size;
}

/* Values and blocks are visible from the line of a symbol to that of the next one. */
static void scope_of(const tw_strbuf *text, tw_str word, size_t *start, size_t *end)
{
    size_t here = (size_t)(word.data - text->data), stop = line_start(text, here);
    *start = 0;
    *end = text->size;
    if (word.data[0] != '%' && word.data[0] != '^')
        return;
    while (stop < text->size && text->data[stop] != '\n')
        stop++;
    for (size_t at = next_symbol(text, 0); at < stop; at = next_symbol(text, at + 1))
        *start = line_start(text, at);
    *end = line_start(text, next_symbol(text, stop));
}

bool lsp_next_definition(const tw_strbuf *text, tw_str word, size_t *start, size_t *end)
{
    size_t first, stop;
    scope_of(text, word, &first, &stop);
    for (size_t i = TW_MAX(*start, first); i < stop; i++) {
        size_t after = i + 1;
        if (text->data[i] != word.data[0])
            continue;
        while (after < stop && lsp_is_word(text->data[after]))
            after++;
        if (after > i + 1 && is_definition(text, i, after)) {
            *start = i;
            *end = after;
            return true;
        }
    }
    return false;
}

json_t *lsp_references(const tw_strbuf *text, const char *uri, tw_str word,
                       bool definitions)
{
    lsp_cursor c = {.text = text};
    size_t start, end;
    json_t *list = json_array();
    if (!is_name(word))
        return list;
    scope_of(text, word, &start, &end);
    for (size_t i = start; i + word.size <= end; i++)
        if (text->data[i] == word.data[0] && stands_at(text, word, i) &&
            (definitions || !is_definition(text, i, i + word.size)))
            json_array_append_new(list, json_pack("{s:s,s:o}", "uri", uri, "range",
                                                  lsp_range(&c, i, i + word.size)));
    return list;
}

/* The closing brace of those opened on a line; the line's end if it opens none. */
static size_t body_end(const tw_strbuf *text, size_t at)
{
    int depth = 0;
    for (; at < text->size; at++) {
        depth += (text->data[at] == '{') - (text->data[at] == '}');
        if (text->data[at] == '\n' && depth <= 0)
            return at;
    }
    return at;
}

json_t *lsp_symbols(const tw_strbuf *text)
{
    enum { MODULE = 2, FUNCTION = 12 };
    lsp_cursor c = {.text = text};
    json_t *list = json_array();
    for (size_t at = next_symbol(text, 0); at < text->size;
         at = next_symbol(text, at + 1)) {
        size_t start = line_start(text, at), end = at + 1;
        while (end < text->size && lsp_is_word(text->data[end]))
            end++;
        bool is_module = memmem(text->data + start, at - start, "module", 6) != NULL;
        json_t *name = json_stringn(text->data + at, end - at);
        if (!name) /* text that is not UTF-8 cannot be sent */
            continue;
        json_t *itself = lsp_range(&c, at, end);
        lsp_cursor far = c;
        json_array_append_new(list, json_pack("{s:o,s:i,s:o,s:o}", "name", name, "kind",
                                              is_module ? MODULE : FUNCTION, "range",
                                              lsp_range(&far, start, body_end(text, start)),
                                              "selectionRange", itself));
    }
    return list;
}
