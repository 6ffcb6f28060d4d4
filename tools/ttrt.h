/* ttrt.h: shared by the verbs of ttrt. */
#ifndef TILEWRIGHT_TOOLS_TTRT_H
#define TILEWRIGHT_TOOLS_TTRT_H

#include "cli.h"
#include "limits.h"
#include "support/status.h"
#include "support/strbuf.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

#include <stdio.h>

typedef struct ttrt {
    const char *verb;
    /* options */
    const char *artifact_dir, *result_file, *read_file, *section, *system_desc, *device,
        *init, *inputs, *program_index, *entry, *golden, *log_path, *pcc, *rtol, *atol,
        *ignored; /* options without effect here */
    FILE *log;
    int least_level; /* of the log; see ttrt_log */
    bool trace;      /* the log has each operation that runs */
    bool disable_golden;
    bool clean_artifacts, identity, non_zero, memory,
        accepted; /* accepted: no effect here */
    bool save_artifacts, ignore_version, quiet, json, profile, print_tensors;
    int64_t loops, seed;
    limits limits;
    /* the result file's list so far */
    tw_strbuf results;
    size_t n_results, n_failed, n_test_failed;
    tw_strbuf cases;    /* of ttrt_report.xml */
    bool golden_failed; /* the current error is a failed comparison */
    size_t n_sections;
    tw_strbuf sections; /* read: one list entry per binary */
} ttrt;

/* The options that set them. */
extern const cli_option ttrt_options[];
extern const size_t ttrt_n_options;

/* A binary being worked on. */
typedef struct ttrt_binary {
    const char *path;
    tw_strbuf bytes;
    fb_file_id kind;
    fb_view root;
} ttrt_binary;

void ttrt_log(const ttrt *t, const char *level, const char *format, ...) TW_PRINTF(3, 4);
/* Adds an entry: status NULL is "pass"; `skipped` makes a failure a "skip".  Frees status.
 */
void ttrt_result(ttrt *t, const char *path, tw_status status, bool skipped,
                 const char *more);
/* DIR/NAME of the binary's artifacts, made if missing; the caller frees it. */
tw_status ttrt_artifacts(const ttrt *t, const char *path, const char *below, char **out);

/* The fields common to all roots, by name; empty if the file lacks the field. */
tw_str ttrt_root_text(const ttrt_binary *b, const char *field);
fb_view ttrt_root_table(const ttrt_binary *b, const char *field);

/* Prints the requested section and keeps it for the file of sections. */
tw_status ttrt_read(ttrt *t, const ttrt_binary *b, tw_strbuf *more);
/* Runs every public program of the binary (run, perf). */
tw_status ttrt_run(ttrt *t, const ttrt_binary *binary, tw_strbuf *more);

#endif
