/* lexer.c: tokens, and the helpers shared by all parsers.
 *
 * The source need not be terminated: every lookahead compares with p->end. */
#include "ir/text/text_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- character classes -------------------------------------------------------------- */

enum { LETTER = 1, DIGIT = 2, ID = 4, SUFFIX = 8, BLANK = 16, HEX = 32, PUNCT = 64 };

static const uint8_t classes[256] = {
    ['\t'] = BLANK,
    ['\n'] = BLANK,
    ['\r'] = BLANK,
    [' '] = BLANK,
    ['0' ... '9'] = DIGIT | ID | SUFFIX | HEX,
    ['a' ... 'f'] = LETTER | ID | SUFFIX | HEX,
    ['g' ... 'z'] = LETTER | ID | SUFFIX,
    ['A' ... 'F'] = LETTER | ID | SUFFIX | HEX,
    ['G' ... 'Z'] = LETTER | ID | SUFFIX,
    ['_'] = LETTER | ID | SUFFIX,
    ['$'] = ID | SUFFIX,
    ['.'] = ID | SUFFIX,
    ['-'] = SUFFIX | PUNCT,
    ['('] = PUNCT,
    [')'] = PUNCT,
    ['{'] = PUNCT,
    ['}'] = PUNCT,
    ['['] = PUNCT,
    [']'] = PUNCT,
    ['<'] = PUNCT,
    ['>'] = PUNCT,
    [','] = PUNCT,
    [':'] = PUNCT,
    ['='] = PUNCT,
    ['?'] = PUNCT,
    ['+'] = PUNCT,
    ['*'] = PUNCT,
    ['/'] = PUNCT,
    ['|'] = PUNCT,
};

static bool is_class(char c, int wanted)
{
    return classes[(unsigned char)c] & wanted;
}

/* ---- tokens ---------------------------------------------------------------------- */

static void set_token(ir_parser *p, ir_token_kind kind, const char *at, const char *end)
{
    p->tok = (ir_token){
        .kind = (uint8_t)kind, .punct = *at, .size = (uint32_t)(end - at), .at = at};
    p->cursor = end;
}

/* Ends the parse: the token has no kind and nothing follows it. */
static void lex_error(ir_parser *p, const char *at, const char *message)
{
    p->tok = (ir_token){.kind = IR_TOK_ERROR, .at = at};
    p->cursor = p->end;
    ir_fail(p, at, "%s", message);
}

static void lex_string(ir_parser *p, const char *at, const char *quote, ir_token_kind kind)
{
    const char *c = quote + 1;
    for (; c < p->end; c++) {
        /* long hex strings: find the end fast if nothing in between needs checking */
        if (c - quote == 64) {
            const char *close = memchr(c, '"', (size_t)(p->end - c));
            size_t n = close ? (size_t)(close - c) : 0;
            if (n && !memchr(c, '\\', n) && !memchr(c, '\n', n))
                c = close;
        }
        if (*c == '"') {
            set_token(p, kind, at, c + 1);
            return;
        }
        if (*c == '\n' || *c == '\v' || *c == '\f')
            break;
        if (*c == '\\') {
            c++;
            if (c < p->end && (*c == '"' || *c == '\\' || *c == 'n' || *c == 't'))
                continue;
            if (c + 1 < p->end && is_class(c[0], HEX) && is_class(c[1], HEX)) {
                c++;
                continue;
            }
            lex_error(p, c - 1 < p->end ? c - 1 : at, "unknown escape in string literal");
            return;
        }
    }
    lex_error(p, c, "expected '\"' in string literal");
}

static void lex_number(ir_parser *p, const char *at)
{
    const char *c = at, *end = p->end;
    if (*c == '0' && c + 2 < end && c[1] == 'x' && is_class(c[2], HEX)) {
        c += 2;
        while (c < end && is_class(*c, HEX))
            c++;
        set_token(p, IR_TOK_INTEGER, at, c);
        return;
    }
    while (c < end && is_class(*c, DIGIT))
        c++;
    if (c >= end || *c != '.') {
        set_token(p, IR_TOK_INTEGER, at, c);
        return;
    }
    c++;
    while (c < end && is_class(*c, DIGIT))
        c++;
    if (c < end && (*c == 'e' || *c == 'E')) {
        const char *x = c + 1;
        if (x < end && (*x == '+' || *x == '-'))
            x++;
        if (x < end && is_class(*x, DIGIT)) {
            while (x < end && is_class(*x, DIGIT))
                x++;
            c = x;
        }
    }
    set_token(p, IR_TOK_FLOAT, at, c);
}

/* %name, ^name, #name, !name: digits, or a letter or punctuation and a suffix. */
static void lex_prefixed(ir_parser *p, const char *at, ir_token_kind kind)
{
    const char *c = at + 1, *end = p->end;
    if (c < end && is_class(*c, DIGIT)) {
        while (c < end && is_class(*c, DIGIT))
            c++;
    } else if (c < end && (is_class(*c, ID) || *c == '-')) {
        while (c < end && is_class(*c, SUFFIX))
            c++;
        /* `#map->`: an arrow is never part of a name */
        if (c < end && *c == '>' && c[-1] == '-')
            c--;
    } else {
        lex_error(p, at,
                  kind == IR_TOK_VALUE   ? "invalid SSA name"
                  : kind == IR_TOK_CARET ? "invalid block name"
                  : kind == IR_TOK_HASH  ? "invalid attribute name"
                                         : "invalid type identifier");
        return;
    }
    set_token(p, kind, at, c);
}

static void lex_at_name(ir_parser *p, const char *at)
{
    const char *c = at + 1;
    if (c < p->end && *c == '"') {
        lex_string(p, at, c, IR_TOK_AT);
        return;
    }
    if (c >= p->end || !is_class(*c, LETTER)) {
        lex_error(p, c, "@ identifier expected to start with letter or '_'");
        return;
    }
    while (c < p->end && is_class(*c, ID))
        c++;
    set_token(p, IR_TOK_AT, at, c);
}

static const char *skip_blanks(const char *c, const char *end)
{
    for (;;) {
        while (c < end && is_class(*c, BLANK))
            c++;
        if (end - c < 2 || c[0] != '/' || c[1] != '/')
            return c;
        const char *newline = memchr(c, '\n', (size_t)(end - c));
        c = newline ? newline : end;
    }
}

void ir_next(ir_parser *p)
{
    const char *c = skip_blanks(p->cursor, p->end), *end = p->end;
    if (c >= end) {
        p->tok = (ir_token){.kind = IR_TOK_EOF, .at = end};
        p->cursor = end;
        return;
    }
    switch (*c) {
    case 'a' ... 'z':
    case 'A' ... 'Z':
    case '_': {
        const char *at = c++;
        while (c < end && is_class(*c, ID))
            c++;
        set_token(p, IR_TOK_BARE_ID, at, c);
        return;
    }
    case '0' ... '9':
        lex_number(p, c);
        return;
    case '%':
        lex_prefixed(p, c, IR_TOK_VALUE);
        return;
    case '^':
        lex_prefixed(p, c, IR_TOK_CARET);
        return;
    case '#':
        if (end - c >= 3 && c[1] == '-' && c[2] == '}') {
            set_token(p, IR_TOK_FILE_META_END, c, c + 3);
            return;
        }
        lex_prefixed(p, c, IR_TOK_HASH);
        return;
    case '!':
        lex_prefixed(p, c, IR_TOK_BANG);
        return;
    case '@':
        lex_at_name(p, c);
        return;
    case '"':
        lex_string(p, c, c, IR_TOK_STRING);
        return;
    case '-':
        if (c + 1 < end && c[1] == '>') {
            set_token(p, IR_TOK_ARROW, c, c + 2);
            return;
        }
        break;
    case '.':
        if (end - c >= 3 && c[1] == '.' && c[2] == '.') {
            set_token(p, IR_TOK_ELLIPSIS, c, c + 3);
            return;
        }
        lex_error(p, c + 1, "expected three consecutive dots for an ellipsis");
        return;
    case '{':
        if (end - c >= 3 && c[1] == '-' && c[2] == '#') {
            set_token(p, IR_TOK_FILE_META, c, c + 3);
            return;
        }
        break;
    default:
        break;
    }
    if (!is_class(*c, PUNCT)) {
        lex_error(p, c, "unexpected character");
        return;
    }
    set_token(p, IR_TOK_PUNCT, c, c + 1);
}

void ir_lex_start(ir_parser *p, ir_context *ctx, tw_str text, const char *name)
{
    p->ctx = ctx;
    p->begin = p->cursor = p->line_start = p->line_seen = text.data ? text.data : "";
    p->end = p->begin + text.size;
    p->line = 1;
    p->file = name ? ir_ident_from(ctx, name) : NULL;
    ir_next(p);
}

void ir_lex_at(ir_parser *p, const char *at)
{
    p->cursor = at;
    ir_next(p);
}

/* ---- accepting and expecting ----------------------------------------------------- */

bool ir_at_keyword(const ir_parser *p, const char *word)
{
    if (p->tok.kind != IR_TOK_BARE_ID || p->tok.at[0] != word[0])
        return false;
    size_t n = strlen(word);
    return p->tok.size == n && memcmp(p->tok.at, word, n) == 0;
}

bool ir_accept_punct(ir_parser *p, char c)
{
    if (!ir_at_punct(p, c))
        return false;
    ir_next(p);
    return true;
}

bool ir_expect_punct(ir_parser *p, char c)
{
    return ir_accept_punct(p, c) || ir_fail_here(p, "expected '%c'", c);
}

bool ir_expect_punct_in(ir_parser *p, char c, const char *where)
{
    return ir_accept_punct(p, c) || ir_fail_here(p, "expected '%c' %s", c, where);
}

bool ir_accept_arrow(ir_parser *p)
{
    if (p->tok.kind != IR_TOK_ARROW)
        return false;
    ir_next(p);
    return true;
}

bool ir_expect_arrow(ir_parser *p)
{
    return ir_accept_arrow(p) || ir_fail_here(p, "expected '->'");
}

bool ir_accept_keyword(ir_parser *p, const char *word)
{
    if (!ir_at_keyword(p, word))
        return false;
    ir_next(p);
    return true;
}

bool ir_expect_keyword(ir_parser *p, const char *word)
{
    return ir_accept_keyword(p, word) || ir_fail_own(p, p->tok.at, "expected '%s'", word);
}

bool ir_accept_any_keyword(ir_parser *p, tw_str *out)
{
    if (p->tok.kind != IR_TOK_BARE_ID)
        return false;
    *out = ir_tok_str(p);
    ir_next(p);
    return true;
}

bool ir_parse_keyword(ir_parser *p, tw_str *out)
{
    return ir_accept_any_keyword(p, out) ||
           ir_fail_own(p, p->tok.at, "expected valid keyword");
}

bool ir_unescape(ir_parser *p, ir_token token, tw_str *out)
{
    const char *c = memchr(token.at, '"', token.size) + 1, *end = token.at + token.size - 1;
    if (!memchr(c, '\\', (size_t)(end - c))) {
        *out = (tw_str){c, (size_t)(end - c)};
        return true;
    }
    char *text = tw_arena_alloc(ir_context_arena(p->ctx), (size_t)(end - c) + 1),
         *to = text;
    while (c < end) {
        if (*c != '\\') {
            *to++ = *c++;
            continue;
        }
        c++;
        if (*c == 'n' || *c == 't' || *c == '"' || *c == '\\') {
            *to++ = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
            c++;
        } else {
            char hex[3] = {c[0], c[1], 0};
            *to++ = (char)strtoul(hex, NULL, 16);
            c += 2;
        }
    }
    *out = (tw_str){text, (size_t)(to - text)};
    return true;
}

bool ir_accept_string(ir_parser *p, tw_str *out)
{
    if (p->tok.kind != IR_TOK_STRING)
        return false;
    ir_unescape(p, p->tok, out);
    ir_next(p);
    return true;
}

bool ir_parse_string(ir_parser *p, tw_str *out)
{
    return ir_accept_string(p, out) || ir_fail_own(p, p->tok.at, "expected string");
}

bool ir_parse_keyword_or_string(ir_parser *p, tw_str *out)
{
    return ir_accept_any_keyword(p, out) || ir_accept_string(p, out) ||
           ir_fail_own(p, p->tok.at, "expected valid keyword or string");
}
