/* reduce.h: `tilewright reduce --test=SCRIPT FILE`. */
#ifndef TILEWRIGHT_TOOLS_REDUCE_H
#define TILEWRIGHT_TOOLS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct reduce_options {
    const char *test;   /* shell command; a file's path is appended; status 0 = keep */
    const char *output; /* "-" = standard output */
    int64_t timeout;    /* seconds for one run of the command */
    int64_t tries;      /* runs of the command at most; 0: no limit */
    int64_t threads;    /* runs side by side */
    bool allow_invalid; /* also try modules that the verifier rejects */
} reduce_options;

/* Returns the exit status: 0, or 1 for an error. */
int reduce_file(const char *path, const reduce_options *options);

#endif
