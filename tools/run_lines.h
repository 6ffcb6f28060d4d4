/* run_lines.h: the passes that a text test's RUN lines name. */
#ifndef TILEWRIGHT_TOOLS_RUN_LINES_H
#define TILEWRIGHT_TOOLS_RUN_LINES_H

#include "ir/pass/pass.h"
#include "support/arena.h"

typedef struct run_pass {
    const char *name, *options; /* name NULL: `options` is a pipeline as text */
} run_pass;

typedef struct run_line {
    run_pass *at;
    size_t n, capacity;
    bool split; /* --split-input-file */
    bool unregistered;
} run_line;

/* Appends a line for each command of ttmlir-opt (and its other names) with passes. Texts
 * are in the arena; the caller frees the arrays. */
typedef struct run_lines {
    run_line *at;
    size_t n, capacity;
} run_lines;
void run_lines_read(tw_str text, tw_arena *arena, run_lines *out);
void run_lines_free(run_lines *lines);

#endif
