/* factor_text.c: the factors of sharding rules: i, j, ..., z, then z_1, z_2, ... */
#include "ir/text/attr_format.h"

#include <stdio.h>

static size_t count_digits(tw_str text)
{
    size_t n = 0;
    while (n < text.size && text.data[n] >= '0' && text.data[n] <= '9')
        n++;
    return n;
}

/* The number after "z_", which `text` begins with. */
static bool parse_number(ir_parser *p, const char *at, tw_str text, size_t *used,
                         int64_t *out)
{
    tw_str rest = {text.data + 2, text.size - 2};
    size_t digits = count_digits(rest);
    int64_t number = 0;
    if (digits == 0)
        return ir_fail(p, at, "expecting integer after 'z_'. Received: '%.*s'",
                       (int)text.size, text.data);
    if (rest.data[0] == '0')
        return ir_fail(p, at,
                       "expecting positive integer without leading zeros. Received: '%.*s'",
                       (int)digits, rest.data);
    for (size_t i = 0; i < digits; i++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, rest.data[i] - '0', &number)) {
            if (!p->quiet) /* and continues, as Shardy does */
                ir_error(p->ctx, ir_loc_at(p, at),
                         "expecting symbol index <=2^63-1. Received: '%.*s'", (int)digits,
                         rest.data);
            number = 0;
            break;
        }
    *used = 2 + digits;
    *out = TW_MIN(number, INT64_MAX - ('z' - 'i')) + ('z' - 'i');
    return true;
}

/* Consumes one factor at the front of *word, greedily. */
bool ir_parse_factor(ir_parser *p, const char *at, tw_str *word, int64_t *out)
{
    char c = word->size ? word->data[0] : 0;
    size_t used = 1;
    if (word->size >= 2 && c == 'z' && word->data[1] == '_') {
        if (!parse_number(p, at, *word, &used, out))
            return false;
    } else if (c < 'i' || c > 'z') {
        return ir_fail(p, at, "expecting symbol from 'i' to 'z'. Received: '%.1s'",
                       word->size ? word->data : "");
    } else {
        *out = c - 'i';
    }
    word->data += used;
    word->size -= used;
    return true;
}

const char *ir_factor_text(int64_t factor, char text[24])
{
    if (factor <= 'z' - 'i')
        snprintf(text, 24, "%c", (char)('i' + factor));
    else
        snprintf(text, 24, "z_%lld", (long long)(factor - ('z' - 'i')));
    return text;
}

void ir_put_factor(ir_printer *p, int64_t factor)
{
    char text[24];
    ir_put(p, ir_factor_text(factor, text));
}
