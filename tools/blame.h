/* blame.h: `tilewright blame`: where a model's results go wrong. */
#ifndef TILEWRIGHT_TOOLS_BLAME_H
#define TILEWRIGHT_TOOLS_BLAME_H

#include "run.h"

typedef struct blame_options {
    run_options run; /* inputs, expectation, bounds, format */
    const char *output;
    const char *shows; /* only a check for the reducer: the operation that must be first */
    bool no_reduce;
    int64_t timeout, tries;
} blame_options;

/* Returns the exit status: 1 if an operation is off, 0 if all agree, 2 if that is unknown.
 */
int blame(const char *path, const blame_options *options);

#endif
