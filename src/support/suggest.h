/* suggest.h: "did you mean": edit distance between short names. */
#ifndef TILEWRIGHT_SUPPORT_SUGGEST_H
#define TILEWRIGHT_SUPPORT_SUGGEST_H

#include "support/base.h"

/* Number of insertions, deletions and replacements between the two names. */
size_t tw_edit_distance(tw_str a, tw_str b);

/* The nearest of several names, if at most half of the name differs. */
typedef struct tw_nearest {
    const char *best; /* NULL: none is close enough */
    size_t distance;  /* candidates at this distance or more are rejected */
} tw_nearest;

tw_nearest tw_nearest_to(tw_str name);
void tw_nearest_try(tw_nearest *n, tw_str name, const char *candidate);

#endif
