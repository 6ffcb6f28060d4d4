/* numbers.c: reads numeric literals, and lists of dimensions, integers or any items. */
#include "ir/text/text_impl.h"

#include <stdlib.h>

/* ---- numeric literals --------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

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
        if (!(p->cursor < p->end && is_digit(*p->cursor)))
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
    bool after_point = false, negative = false;
    size_t i = 0;
    if (text.size > 24)
        return false;
    for (; i < text.size && (text.data[i] | 32) != 'e'; i++) {
        if (text.data[i] == '.') {
            after_point = true;
            continue;
        }
        if (!is_digit(text.data[i]) || digits > ((uint64_t)1 << 53) / 10)
            return false;
        digits = digits * 10 + (uint64_t)(text.data[i] - '0');
        shift += after_point;
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

void ir_dims_add(ir_parser *p, ir_dims *list, int64_t value)
{
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    list->at[list->count++] = value;
}

/* One size of a dimension list.  The lexer may have read `0x4` as hexadecimal. */
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
