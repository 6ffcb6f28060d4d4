/* suggest.c: see suggest.h. */
#include "support/suggest.h"

size_t tw_edit_distance(tw_str a, tw_str b)
{
    enum { CAPACITY = 128 };
    size_t row[CAPACITY + 1];
    if (a.size > CAPACITY || b.size > CAPACITY)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            size_t up = row[j];
            size_t replaced = diagonal + (a.data[i - 1] != b.data[j - 1]);
            row[j] = TW_MIN(TW_MIN(row[j - 1], up) + 1, replaced);
            diagonal = up;
        }
    }
    return row[b.size];
}

tw_nearest tw_nearest_to(tw_str name)
{
    return (tw_nearest){NULL, name.size / 2 + 1};
}

void tw_nearest_try(tw_nearest *n, tw_str name, const char *candidate)
{
    size_t d = tw_edit_distance(name, tw_str_from(candidate));
    if (d < n->distance)
        *n = (tw_nearest){candidate, d};
}
