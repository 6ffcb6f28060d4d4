/* directives.c: see directives.h. */
#include "ir/text/directives.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct reader {
    tw_arena *arena;
    const char *c;
    dir_resolver *resolve;
    void *user;
    const char *error;
} reader;

typedef struct dir_list {
    dir *at;
    size_t count, capacity;
} dir_list;

static void skip_blanks(reader *r)
{
    while (isspace((unsigned char)*r->c))
        r->c++;
}

static bool read_elements(reader *r, dir_list *out, const char *stop);

static void finish_list(reader *r, dir_list *list, dir **out, uint32_t *count)
{
    *count = (uint32_t)list->count;
    *out = (dir *)(void *)tw_arena_copy(r->arena, list->at, list->count * sizeof(dir));
    free(list->at);
    *list = (dir_list){0};
}

static bool fail(reader *r, const char *message)
{
    r->error = message;
    return false;
}

static bool read_literal(reader *r, dir *out)
{
    const char *start = ++r->c;
    while (*r->c && *r->c != '`')
        r->c++;
    if (!*r->c)
        return fail(r, "unterminated literal");
    out->text = (tw_str){start, (size_t)(r->c - start)};
    r->c++;
    out->kind = out->text.size == 0           ? DIR_EMPTY
                : tw_str_is(out->text, " ")   ? DIR_BLANK
                : tw_str_is(out->text, "\\n") ? DIR_NEWLINE
                : tw_str_is(out->text, "\n")  ? DIR_NEWLINE
                                              : DIR_LITERAL;
    return true;
}

static tw_str read_word(reader *r)
{
    const char *start = r->c;
    while (isalnum((unsigned char)*r->c) || *r->c == '_' || *r->c == '-')
        r->c++;
    return (tw_str){start, (size_t)(r->c - start)};
}

static bool read_args(reader *r, dir *out)
{
    dir_list args = {0};
    r->c++; /* ( */
    for (;;) {
        skip_blanks(r);
        if (*r->c == ')')
            break;
        if (*r->c == ',') {
            r->c++;
            continue;
        }
        if (*r->c == '"') {
            const char *start = ++r->c;
            while (*r->c && *r->c != '"')
                r->c++;
            dir string = {.kind = DIR_STRING, .text = {start, (size_t)(r->c - start)}};
            TW_PUSH(args.at, args.count, args.capacity, string);
            if (*r->c)
                r->c++;
            continue;
        }
        if (!*r->c || !read_elements(r, &args, ",)")) {
            free(args.at);
            return r->error ? false : fail(r, "unterminated arguments");
        }
    }
    r->c++;
    finish_list(r, &args, &out->args, &out->n_args);
    return true;
}

/* oilist( clause | clause ... ) */
static bool read_oilist(reader *r, dir *out)
{
    dir_list clauses = {0};
    out->kind = DIR_OILIST;
    r->c++;
    do {
        dir clause = {.kind = DIR_OPTIONAL};
        dir_list body = {0};
        if (!read_elements(r, &body, "|)"))
            return false;
        finish_list(r, &body, &clause.args, &clause.n_args);
        TW_PUSH(clauses.at, clauses.count, clauses.capacity, clause);
    } while (*r->c++ == '|');
    finish_list(r, &clauses, &out->args, &out->n_args);
    return true;
}

static bool read_optional(reader *r, dir *out)
{
    dir_list body = {0};
    out->kind = DIR_OPTIONAL;
    r->c++;
    if (!read_elements(r, &body, ")"))
        return false;
    finish_list(r, &body, &out->args, &out->n_args);
    r->c++;
    skip_blanks(r);
    if (*r->c == ':') {
        r->c++;
        skip_blanks(r);
        if (*r->c != '(')
            return fail(r, "expected ( after : of an optional group");
        r->c++;
        if (!read_elements(r, &body, ")"))
            return false;
        finish_list(r, &body, &out->other, &out->n_other);
        r->c++;
        skip_blanks(r);
    }
    if (*r->c != '?')
        return fail(r, "expected ? after an optional group");
    r->c++;
    return true;
}

static bool read_element(reader *r, dir *out)
{
    if (*r->c == '`')
        return read_literal(r, out);
    if (*r->c == '$') {
        r->c++;
        out->kind = DIR_VAR;
        out->text = read_word(r);
        if (!r->resolve(r->user, out->text, &out->var_kind, &out->var))
            return fail(r, "unknown variable");
    } else if (*r->c == '(') {
        return read_optional(r, out);
    } else {
        out->text = read_word(r);
        if (out->text.size == 0)
            return fail(r, "unexpected character");
        out->kind = DIR_NAMED;
        if (tw_str_is(out->text, "custom") && *r->c == '<') {
            r->c++;
            out->kind = DIR_CUSTOM;
            out->text = read_word(r);
            if (*r->c++ != '>' || *r->c != '(')
                return fail(r, "malformed custom directive");
        } else if (tw_str_is(out->text, "oilist") && *r->c == '(') {
            return read_oilist(r, out);
        } else if (*r->c == '(') {
            out->kind = DIR_CALL;
        }
        if (*r->c == '(' && out->kind != DIR_NAMED && !read_args(r, out))
            return false;
    }
    if (*r->c == '^') {
        out->anchor = true;
        r->c++;
    }
    return true;
}

static bool read_elements(reader *r, dir_list *out, const char *stop)
{
    for (;;) {
        skip_blanks(r);
        if (!*r->c || strchr(stop, *r->c))
            return *r->c || !*stop ? true : fail(r, "unterminated group");
        dir d = {0};
        if (!read_element(r, &d))
            return false;
        TW_PUSH(out->at, out->count, out->capacity, d);
    }
}

dir *dir_compile(tw_arena *arena, const char *format, dir_resolver *resolve, void *user,
                 uint32_t *out_count, const char **error)
{
    reader r = {.arena = arena, .c = format, .resolve = resolve, .user = user};
    dir_list list = {0};
    dir *out;
    *error = NULL;
    if (!read_elements(&r, &list, "")) {
        *error = r.error;
        free(list.at);
        return NULL;
    }
    finish_list(&r, &list, &out, out_count);
    return out;
}

bool dir_blank_before_literal(dir_blanks *b, tw_str literal)
{
    char first = literal.data[0];
    bool single = literal.size == 1, blank = false;
    if (b->want) {
        if (!single && !tw_str_is(literal, "->"))
            blank = true;
        else if (tw_str_is(literal, "->"))
            blank = true;
        else if (b->punctuation)
            blank = !strchr(">)}],", first);
        else
            blank = !strchr("<>(){}[],", first);
    }
    b->want = !(single && strchr("<({[", first));
    b->punctuation = !(isalpha((unsigned char)first) || first == '_');
    return blank;
}

bool dir_blank_before_value(dir_blanks *b)
{
    bool blank = b->want || !b->punctuation;
    b->want = true;
    b->punctuation = false;
    return blank;
}
