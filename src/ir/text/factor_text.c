/* factor_text.c: the factors of sharding rules: i, j, ..., z, then z_1, z_2, ... */
#include "ir/text/attr_format.h"

/* Takes one factor off the front of *word, greedily. */
bool ir_parse_factor(ir_parser *p, const char *at, tw_str *word, int64_t *out)
{
    char c = word->size ? word->data[0] : 0;
    if (c < 'i' || c > 'z')
        return ir_fail(p, at, "expecting symbol from 'i' to 'z'. Received: '%.*s'",
                       (int)word->size, word->data);
    *out = c - 'i';
    word->data++;
    word->size--;
    if (c != 'z' || word->size == 0 || word->data[0] != '_')
        return true;
    word->data++;
    word->size--;
    int64_t number = 0;
    size_t digits = 0;
    while (digits < word->size && word->data[digits] >= '0' && word->data[digits] <= '9') {
        number = number * 10 + (word->data[digits] - '0');
        if (++digits > 9)
            return ir_fail(p, at, "expecting integer after 'z_'. Received: '%.*s'",
                           (int)word->size, word->data);
    }
    if (digits == 0 || word->data[0] == '0')
        return ir_fail(p, at, "expecting integer after 'z_'. Received: '%.*s'",
                       (int)word->size, word->data);
    word->data += digits;
    word->size -= digits;
    *out += number;
    return true;
}

void ir_put_factor(ir_printer *p, int64_t factor)
{
    if (factor <= 'z' - 'i')
        ir_putc(p, (char)('i' + factor));
    else
        ir_putf(p, "z_%lld", (long long)(factor - ('z' - 'i')));
}
