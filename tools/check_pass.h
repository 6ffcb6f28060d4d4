/* check_pass.h: `tilewright check-pass`: validates passes over files of MLIR. */
#ifndef TILEWRIGHT_TOOLS_CHECK_PASS_H
#define TILEWRIGHT_TOOLS_CHECK_PASS_H

#include "cli.h"

typedef struct check_pass_options {
    const char *passes; /* a pipeline; NULL: those of the files' RUN lines */
    const char *keep;   /* folder for modules and inputs that differ; NULL: none */
    int64_t timeout;    /* seconds for one file */
    int64_t threads;    /* files side by side */
    bool verbose;       /* a line for each file */
} check_pass_options;

/* Files, or folders that are searched for .mlir files.  Returns the exit status: 1 if a
 * pass changes results, 0 otherwise; 130 if it is interrupted. */
int check_pass(const cli_list *paths, const check_pass_options *options);

#endif
