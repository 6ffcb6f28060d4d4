/* lexer.c: tokens, and the small things every parser is made of.
 *
 * The source need not be terminated: every look ahead compares with p->end. */
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

/* Reading ends here: the token is of no kind and nothing follows it. */
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
        /* long hex strings: find the end fast if nothing in between needs a look */
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
    p->file = ir_ident_from(ctx, name);
    ir_next(p);
}

void ir_lex_at(ir_parser *p, const char *at)
{
    p->cursor = at;
    ir_next(p);
}

/* ---- places and errors ----------------------------------------------------------- */

ir_loc ir_loc_at(ir_parser *p, const char *at)
{
    if (at < p->line_start) { /* an earlier place: count again from the start */
        p->line_start = p->line_seen = p->begin;
        p->line = 1;
    }
    while (p->line_seen < at) {
        const char *newline = memchr(p->line_seen, '\n', (size_t)(at - p->line_seen));
        p->line_seen = newline ? newline + 1 : at;
        p->line_start = newline ? newline + 1 : p->line_start;
        p->line += newline != NULL;
    }
    return ir_loc_file(p->ctx, p->file, p->line, (uint32_t)(at - p->line_start) + 1);
}

bool ir_fail(ir_parser *p, const char *at, const char *format, ...)
{
    if (!p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        ir_report(p->ctx, IR_ERROR, ir_loc_at(p, at), NULL, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

/* Errors about a missing token point behind the token before, over blanks, line ends and
 * comments, as MLIR's do. */
static const char *behind_last_token(const ir_parser *p)
{
    const char *begin = p->begin, *c = p->tok.at;
    if (p->tok.kind == IR_TOK_EOF && c > begin)
        c--;
    const char *original = c;
    for (;;) {
        while (c > begin && (c[-1] == ' ' || c[-1] == '\t'))
            c--;
        if (c == begin)
            return original;
        if (c[-1] != '\n' && c[-1] != '\r')
            return c;
        c--;
        const char *line = c;
        while (line > begin && line[-1] != '\n' && line[-1] != '\r')
            line--;
        for (const char *slash = line; slash + 1 < c; slash++)
            if (slash[0] == '/' && slash[1] == '/')
                c = slash;
    }
}

bool ir_fail_here(ir_parser *p, const char *format, ...)
{
    if (!p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        bool missing = strncmp(format, "expected", 8) == 0;
        ir_report(p->ctx, IR_ERROR,
                  ir_loc_at(p, missing ? behind_last_token(p) : p->tok.at), NULL, format,
                  args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

static void report_own(ir_parser *p, const char *at, const char *format, va_list args)
{
    const ir_op_def *before = ir_context_set_custom_op(p->ctx, p->custom_op);
    ir_report(p->ctx, IR_ERROR, ir_loc_at(p, at), NULL, format, args);
    ir_context_set_custom_op(p->ctx, before);
}

bool ir_fail_own(ir_parser *p, const char *at, const char *format, ...)
{
    if (!p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        report_own(p, at, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

bool ir_fail_also(ir_parser *p, const char *format, ...)
{
    if (p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        report_own(p, p->tok.at, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
}

bool ir_fail_also_at(ir_parser *p, const char *at, const char *format, ...)
{
    if (p->failed && !p->quiet) {
        va_list args;
        va_start(args, format);
        report_own(p, at, format, args);
        va_end(args);
    }
    p->failed = true;
    return false;
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

/* ---- numbers --------------------------------------------------------------------- */

bool ir_token_u64(const ir_parser *p, uint64_t *out)
{
    uint64_t value = 0;
    const char *c = p->tok.at, *end = c + p->tok.size;
    if (p->tok.size > 2 && c[1] == 'x') {
        for (c += 2; c < end; c++) {
            if (value >> 60)
                return false;
            value = value << 4 | (uint64_t)(*c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10);
        }
    } else {
        for (; c < end; c++)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
                return false;
    }
    *out = value;
    return true;
}

bool ir_accept_int(ir_parser *p, int64_t *out, bool *present)
{
    *present = false;
    bool negative = ir_at_punct(p, '-');
    if (negative) {
        if (!(p->cursor < p->end && is_class(*p->cursor, DIGIT)))
            return true;
        ir_next(p);
    }
    if (p->tok.kind != IR_TOK_INTEGER)
        return negative ? ir_fail_own(p, p->tok.at, "expected integer value") : true;
    uint64_t value;
    if (!ir_token_u64(p, &value) || (negative && value > (uint64_t)1 << 63))
        return ir_fail_own(p, p->tok.at, "integer value too large");
    *out = negative ? (int64_t)-value : (int64_t)value;
    *present = true;
    ir_next(p);
    return true;
}

bool ir_parse_int(ir_parser *p, int64_t *out)
{
    bool present;
    if (!ir_accept_int(p, out, &present))
        return false;
    return present || ir_fail_own(p, p->tok.at, "expected integer value");
}

/* Up to 19 digits and a small power of ten are exact in one operation (Clinger); the rest
 * is strtod's. */
static bool short_real(tw_str text, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    int exponent = 0, shift = 0;
    bool behind = false, negative = false;
    size_t i = 0;
    if (text.size > 24)
        return false;
    for (; i < text.size && (text.data[i] | 32) != 'e'; i++) {
        if (text.data[i] == '.') {
            behind = true;
            continue;
        }
        if (!is_class(text.data[i], DIGIT) || digits > ((uint64_t)1 << 53) / 10)
            return false;
        digits = digits * 10 + (uint64_t)(text.data[i] - '0');
        shift += behind;
    }
    if (i < text.size) {
        i++;
        negative = text.data[i] == '-';
        i += negative || text.data[i] == '+';
        for (; i < text.size && exponent < 1000; i++)
            exponent = exponent * 10 + (text.data[i] - '0');
    }
    exponent = (negative ? -exponent : exponent) - shift;
    if (digits >> 53 || exponent > 22 || exponent < -22)
        return false;
    *out = exponent < 0 ? (double)digits / powers[-exponent]
                        : (double)digits * powers[exponent];
    return true;
}

double ir_token_real(tw_str text)
{
    double value;
    char few[128], *copy = text.size < sizeof few ? few : tw_xmalloc(text.size + 1);
    if (!short_real(text, &value)) {
        memcpy(copy, text.data, text.size);
        copy[text.size] = 0;
        value = strtod(copy, NULL);
    }
    if (copy != few)
        free(copy);
    return value;
}

bool ir_parse_real(ir_parser *p, double *out)
{
    bool negative = ir_accept_punct(p, '-');
    if (p->tok.kind != IR_TOK_FLOAT && p->tok.kind != IR_TOK_INTEGER)
        return ir_fail_own(p, p->tok.at, "expected floating point literal");
    *out = ir_token_real(ir_tok_str(p));
    if (negative)
        *out = -*out;
    ir_next(p);
    return true;
}

/* ---- dimension lists ------------------------------------------------------------- */

/* One number of a dimension list.  The lexer may have read `0x4` as hexadecimal. */
void ir_dims_add(ir_parser *p, ir_dims *list, int64_t value)
{
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    list->at[list->count++] = value;
}

static bool parse_dim(ir_parser *p, ir_dims *out, bool allow_dynamic)
{
    if (ir_at_punct(p, '?')) {
        if (!allow_dynamic)
            return ir_fail_here(p, "expected static shape");
        ir_next(p);
        ir_dims_add(p, out, IR_DYNAMIC);
        return true;
    }
    if (p->tok.kind != IR_TOK_INTEGER)
        return ir_fail_here(p, "expected integer in dimension list");
    if (p->tok.size > 1 && p->tok.at[1] == 'x') {
        const char *at = p->tok.at;
        ir_dims_add(p, out, 0);
        ir_lex_at(p, at + 1);
        return true;
    }
    uint64_t value;
    if (!ir_token_u64(p, &value) || value > INT64_MAX)
        return ir_fail_here(p, "invalid dimension");
    ir_dims_add(p, out, (int64_t)value);
    ir_next(p);
    return true;
}

/* `x` between dimensions is the start of an identifier: `x4`, `xf32`, `x`. */
bool ir_accept_dim_x(ir_parser *p)
{
    if (p->tok.kind != IR_TOK_BARE_ID || p->tok.at[0] != 'x')
        return false;
    ir_lex_at(p, p->tok.at + 1);
    return true;
}

static bool at_dim(const ir_parser *p)
{
    return p->tok.kind == IR_TOK_INTEGER || ir_at_punct(p, '?');
}

bool ir_parse_dims(ir_parser *p, ir_dims *out, bool allow_dynamic, bool trailing_x)
{
    if (trailing_x) {
        while (at_dim(p)) {
            if (!parse_dim(p, out, allow_dynamic))
                return false;
            if (!ir_accept_dim_x(p))
                return ir_fail_here(p, "expected 'x' in dimension list");
        }
        return true;
    }
    if (!at_dim(p))
        return true;
    do
        if (!parse_dim(p, out, allow_dynamic))
            return false;
    while (p->tok.kind == IR_TOK_BARE_ID && p->tok.at[0] == 'x' && ir_accept_dim_x(p));
    return !p->failed;
}

bool ir_parse_dim_x(ir_parser *p, ir_dims *out)
{
    return parse_dim(p, out, false) &&
           (ir_accept_dim_x(p) || ir_fail_here(p, "expected 'x' in dimension list"));
}

const char *ir_dims_text(ir_parser *p, const ir_dims *dims)
{
    tw_strbuf text = {0};
    for (uint32_t i = 0; i < dims->count; i++)
        tw_strbuf_printf(&text, i ? ", %lld" : "%lld", (long long)dims->at[i]);
    char *copy = ir_scratch(p, text.size + 1);
    memcpy(copy, tw_strbuf_text(&text), text.size);
    tw_strbuf_free(&text);
    return copy;
}

static bool int_item(ir_parser *p, void *user)
{
    int64_t value;
    if (!ir_parse_int(p, &value))
        return false;
    ir_dims_add(p, user, value);
    return true;
}

bool ir_parse_int_list(ir_parser *p, ir_dims *out)
{
    return ir_parse_list(p, "[]", int_item, out);
}

bool ir_parse_list(ir_parser *p, const char *delimiters, ir_list_item *item, void *user)
{
    if (delimiters[0]) {
        if (!ir_expect_punct(p, delimiters[0]))
            return false;
        if (ir_accept_punct(p, delimiters[1]))
            return true;
    }
    do
        if (!item(p, user))
            return false;
    while (ir_accept_punct(p, ','));
    return !delimiters[0] || ir_expect_punct(p, delimiters[1]);
}
