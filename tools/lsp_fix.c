/* lsp_fix.c: see lsp_fix.h. */
#include "lsp_fix.h"

#include "lsp_text.h"
#include "support/suggest.h"

#include <stdlib.h>
#include <string.h>

void lsp_fix_free(lsp_fix *fix)
{
    free(fix->text);
}

/* The quoted text after `before` in a message; empty if there is none. */
static tw_str quoted(const char *message, const char *before)
{
    const char *at = message ? strstr(message, before) : NULL;
    const char *start = at ? strchr(at + strlen(before), '\'') : NULL;
    const char *end = start ? strchr(start + 1, '\'') : NULL;
    return end ? (tw_str){start + 1, (size_t)(end - start - 1)} : (tw_str){0};
}

static size_t line_end(const tw_strbuf *text, size_t at)
{
    while (at < text->size && text->data[at] != '\n')
        at++;
    return at;
}

/* The word of the line, from `at` on, that is nearest to the intended one; of a word with a
 * dot the part before it if that is nearest. */
static bool find_word(const tw_strbuf *text, size_t at, tw_str meant, lsp_fix *out)
{
    bool dotted = memchr(meant.data, '.', meant.size) != NULL;
    tw_nearest nearest = tw_nearest_to(meant);
    size_t stop = line_end(text, at);
    bool found = false;
    while (at < stop) {
        size_t start = at;
        while (at < stop && lsp_is_word(text->data[at]) &&
               (dotted || text->data[at] != '.'))
            at++;
        if (at == start) {
            at++;
            continue;
        }
        char *word = strndup(text->data + start, at - start);
        size_t before = nearest.distance;
        tw_nearest_try(&nearest, meant, word);
        free(word);
        if (nearest.distance < before) {
            out->start = start;
            out->end = at;
            found = true;
        }
    }
    return found;
}

/* The name defined in the text that is nearest to the one at `at`. */
static bool find_name(const tw_strbuf *text, size_t at, lsp_fix *out)
{
    tw_str word = lsp_word(text, at);
    if (word.size < 2)
        return false;
    char *name = strndup(word.data, word.size);
    tw_nearest nearest = tw_nearest_to(tw_str_from(name));
    char *best = NULL;
    size_t start = 0, end;
    while (lsp_next_definition(text, word, &start, &end)) {
        size_t before = nearest.distance;
        char *candidate = strndup(text->data + start, end - start);
        tw_nearest_try(&nearest, tw_str_from(name), candidate);
        if (nearest.distance < before) {
            free(best);
            best = candidate;
        } else {
            free(candidate);
        }
        start = end;
    }
    free(name);
    out->start = (size_t)(word.data - text->data);
    out->end = out->start + word.size;
    out->text = best;
    return best != NULL;
}

/* The last occurrence of a type in the line of the operation at `at`. */
static bool find_type(const tw_strbuf *text, size_t at, tw_str type, lsp_fix *out)
{
    size_t stop = line_end(text, at);
    bool found = false;
    for (; type.size && at + type.size <= stop; at++)
        if (memcmp(text->data + at, type.data, type.size) == 0) {
            out->start = at;
            out->end = at + type.size;
            found = true;
        }
    return found;
}

/* The name that a message reports as undefined: '%x', '@f' or '#a' without its sigil. */
static const char *const undefined_names[] = {
    "use of undeclared SSA value name", "reference to an undefined block",
    "does not reference a valid function", "undefined symbol alias id"};

static size_t place_of_name(const tw_strbuf *text, size_t at, const char *message)
{
    tw_str name = quoted(message, " ");
    if (strncmp(message, undefined_names[0], strlen(undefined_names[0])) == 0 ||
        at >= text->size)
        return at;
    for (const char *from = message; name.size; name = quoted(from, "")) {
        const char *line = text->data + at;
        size_t left = line_end(text, at) - at;
        const char *found = memmem(line, left, name.data, name.size);
        while (found && (found == text->data || !strchr("@#!^", found[-1])))
            found =
                memmem(found + 1, left - (size_t)(found + 1 - line), name.data, name.size);
        if (found)
            return (size_t)(found - text->data);
        from = name.data + name.size + 1;
    }
    return at;
}

bool lsp_fix_find(const tw_strbuf *text, size_t at, const ir_diagnostic *d,
                  lsp_fix *out_fix)
{
    lsp_fix fix = {.at = at};
    tw_str meant = quoted(d->help, "did you mean");
    tw_str want = quoted(d->text, "inferred type(s)");
    tw_str have = quoted(d->text, "return type(s) of operation");
    bool found = false;
    if (meant.size) {
        fix.text = strndup(meant.data, meant.size);
        found = find_word(text, at, meant, &fix);
    } else if (want.size && have.size) {
        fix.text = strndup(want.data, want.size);
        found = find_type(text, at, have, &fix);
    }
    for (size_t i = 0; !found && !fix.text && i < TW_COUNT(undefined_names); i++)
        if (strstr(d->text, undefined_names[i]))
            found = find_name(text, place_of_name(text, at, d->text), &fix);
    if (found)
        *out_fix = fix;
    else
        free(fix.text);
    return found;
}

json_t *lsp_fix_actions(const tw_strbuf *text, const char *uri, const lsp_fix *fixes,
                        size_t count, size_t start, size_t end)
{
    json_t *list = json_array();
    lsp_cursor c = {.text = text};
    for (size_t i = 0; i < count; i++) {
        const lsp_fix *f = &fixes[i];
        if (TW_MAX(f->at, f->end) < start || TW_MIN(f->at, f->start) > end)
            continue;
        tw_strbuf title = {0};
        tw_strbuf_printf(&title, "Replace '%.*s' with '%s'", (int)(f->end - f->start),
                         text->data + f->start, f->text);
        json_t *words = json_stringn(title.data, title.size);
        json_t *edit = json_pack("{s:o,s:s}", "range", lsp_range(&c, f->start, f->end),
                                 "newText", f->text);
        tw_strbuf_free(&title);
        if (words && edit) { /* text that is not UTF-8 cannot be sent */
            json_array_append_new(list, json_pack("{s:o,s:s,s:b,s:{s:{s:[o]}}}", "title",
                                                  words, "kind", "quickfix", "isPreferred",
                                                  1, "edit", "changes", uri, edit));
            continue;
        }
        json_decref(words);
        json_decref(edit);
    }
    return list;
}
