/* run.h: `tilewright run FILE`: compiles a program through every level, runs it and shows,
 * writes or compares its results. */
#ifndef TILEWRIGHT_TOOLS_RUN_H
#define TILEWRIGHT_TOOLS_RUN_H

#include "cli.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct run_options {
    const char *inputs;      /* arrays in0, in1, ...; NULL: random ones */
    const char *outputs;     /* where out0, out1, ... go; NULL: nowhere */
    const char *expect;      /* what they are compared with; NULL: nothing */
    const char *rtol, *atol; /* bounds of a difference; both NULL: by type */
    const char *pcc;         /* minimum correlation, for all floats; NULL: 0.99
                                for bf16 and block floats */
    const char *entry, *dtype, *dump, *pipeline_options; /* see tw_compile_options */
    bool profile, no_host;
    const char *explain;      /* see explain.h; NULL: none */
    const char *profile_page; /* see tw_program_write_page; NULL: none */
    cli_list report;          /* see report.h */
    int64_t seed, threads;    /* threads 0: TILEWRIGHT_THREADS, or 1 */
} run_options;

/* Fills data[i] with new memory for each input: from files, or random values by the seed.
 */
tw_status run_make_inputs(const tw_program *p, const run_options *o, void **data);

/* Returns the exit status: 0, 1 for an error or results that differ, 77 for valid but
 * unsupported programs. */
int run_file(const char *path, const run_options *o);

#endif
