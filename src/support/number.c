/* number.c: parsing of integers. */
#include "support/number.h"

int64_t tw_read_numbers(tw_str text, int64_t *out, size_t max)
{
    enum { MAX_DIGITS = 18 }; /* always fits 64 bits */
    int64_t n = 0;
    for (size_t i = 0; i < text.size; n++) {
        int64_t value = 0;
        size_t digits = 0;
        for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++, digits++)
            value = digits < MAX_DIGITS ? value * 10 + (text.data[i] - '0') : value;
        if (!digits || digits > MAX_DIGITS || (size_t)n == max ||
            (i < text.size && text.data[i++] != ','))
            return -1;
        out[n] = value;
    }
    return n;
}
