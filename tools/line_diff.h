/* line_diff.h: the difference of two texts, line by line. */
#ifndef TILEWRIGHT_TOOLS_LINE_DIFF_H
#define TILEWRIGHT_TOOLS_LINE_DIFF_H

#include "support/base.h"

/* DIFF_RENAMED: equal but for the numbers of values ("%12"); the text is the new one. */
typedef enum diff_kind { DIFF_SAME, DIFF_RENAMED, DIFF_REMOVED, DIFF_ADDED } diff_kind;

typedef struct diff_line {
    diff_kind kind;
    tw_str text;          /* of the text that it comes from, without its newline */
    size_t before, after; /* 1-based line numbers; 0 where it has none */
} diff_line;

/* Returns the lines for the caller to free, `*count` of them. */
diff_line *line_diff(tw_str before, tw_str after, size_t *count);

#endif
