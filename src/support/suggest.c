/* suggest.c: see suggest.h. */
#include "support/suggest.h"

size_t tw_edit_distance(tw_str a, tw_str b)
{
    enum { MOST = 128 };
    size_t row[MOST + 1];
    if (a.size > MOST || b.size > MOST)
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
