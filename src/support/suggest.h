/* suggest.h: "did you mean": edit distance between short names. */
#ifndef TILEWRIGHT_SUPPORT_SUGGEST_H
#define TILEWRIGHT_SUPPORT_SUGGEST_H

#include "support/base.h"

/* Number of insertions, deletions and replacements that turn one into the other. */
size_t tw_edit_distance(tw_str a, tw_str b);

#endif
