/* pass.h: passes, pipelines and their execution.
 *
 * A pass is one row: name, summary, the operation it runs on, options, function.  A
 * pipeline is one row with its steps as text that reads top to bottom.  A registry is the
 * table of both; the library's own is in pipelines/registry.c. */
#ifndef TILEWRIGHT_IR_PASS_PASS_H
#define TILEWRIGHT_IR_PASS_PASS_H

#include "ir/op.h"
#include "ir/text.h"
#include "tilewright/progress.h"

typedef enum pass_option_kind {
    PASS_BOOL,
    PASS_INT,
    PASS_STRING,
    PASS_LIST
} pass_option_kind;

typedef struct pass_option_def {
    const char *name;
    pass_option_kind kind;
    const char *deflt; /* text; NULL = "" */
    const char *help;
    /* Why nothing reads it, or what of its meaning nothing does: setting it to something
     * else than its default is a warning.  At most one of the two; NULL = it acts. */
    const char *no_effect, *partial;
} pass_option_def;

typedef struct pass_run pass_run;

typedef struct pass_def {
    const char *name;    /* "canonicalize" */
    const char *title;   /* "Canonicalizer": its class in MLIR, for reports; may be NULL */
    const char *summary; /* one line */
    const char *anchor;  /* "func.func", "builtin.module"; NULL = any */
    /* Changes op in place; false after diagnostics stops the pipeline. */
    bool (*run)(ir_op *op, pass_run *run);
    IR_LIST_OF(pass_option_def) options;
} pass_def;

/* `text` is a pipeline element ("cse", "func.func(canonicalize)"); "$name" inside it is
 * replaced by the pipeline's option.  `when` names options, with commas between, that
 * must be true ("!name": false), or not empty if they are not boolean; NULL = always. */
typedef struct pass_step {
    const char *text;
    const char *when;
} pass_step;

typedef struct pass_pipeline_def {
    const char *name, *summary;
    IR_LIST_OF(pass_option_def) options;
    IR_LIST_OF(pass_step) steps;
} pass_pipeline_def;

typedef struct pass_registry {
    const pass_def *const *passes;             /* NULL-terminated */
    const pass_pipeline_def *const *pipelines; /* NULL-terminated */
} pass_registry;

/* ---- inside a pass ------------------------------------------------------------------ */

bool pass_option_bool(const pass_run *run, const char *name);
int64_t pass_option_int(const pass_run *run, const char *name);
tw_str pass_option_str(const pass_run *run, const char *name);
/* The count of integers in a list; -1 if it is not a list of at most `max` integers. */
int64_t pass_option_ints(const pass_run *run, const char *name, int64_t *out, size_t max);
/* Runs a pipeline given as text on an operation nested in the current one. */
bool pass_run_nested(const pass_run *run, tw_str pipeline, ir_op *op);
/* Adds to one of the pass's statistics; both texts are constants. */
void pass_count(pass_run *run, const char *name, const char *description, size_t count);
/* Writes text for the user to the stream that dumps go to. */
void pass_write(const pass_run *run, tw_str text);
/* The print options chosen by the user. */
ir_print_options pass_print_options(const pass_run *run);
/* True if the user enabled debug output of this pass (config.debug_only). */
bool pass_debugs(const pass_run *run);

/* ---- managers ----------------------------------------------------------------------- */

typedef struct pass_manager pass_manager;

typedef struct pass_config {
    bool no_verify; /* --verify-each=false */
    bool print_before_all, print_after_all, print_after_change, print_after_failure;
    bool print_module_scope;
    bool timing;
    const char *const *print_before, *const
                                         *print_after; /* names, NULL-terminated, or NULL */
    ir_print_options print;
    const char *debug_only; /* names of passes, separated by commas, that log; or NULL */
    /* Where dumps go. */
    void (*write)(void *user, tw_str text);
    void *user;
    const char
        *tree_dir; /* folder for dumps, with a subfolder for each operation; or NULL */
    /* Called after each top-level step of a pipeline: dumps stage by stage. */
    void (*after_step)(void *user, const char *pass, ir_op *module);
    const volatile int *cancel; /* set to non-zero to stop before the next pass */
    /* What runs, as the share of passes begun; the pipeline is number `stage` of `stages`
     * (0: the only one).  Or NULL. */
    tw_progress *progress;
    size_t stage, stages;
} pass_config;

pass_manager *pass_manager_create(ir_context *ctx, const pass_registry *registry,
                                  const pass_config *config);
void pass_manager_destroy(pass_manager *pm);

/* Adds a pipeline in text: "builtin.module(func.func(cse),canonicalize{max-iterations=3})"
 * or, without an anchor, elements for the module.  False after an error diagnostic. */
bool pass_manager_add(pass_manager *pm, tw_str pipeline);
/* Adds one pass or pipeline with options as a command line gives them: "a=1 b=x,y". */
bool pass_manager_add_named(pass_manager *pm, const char *name, tw_str options);
bool pass_manager_run(pass_manager *pm, ir_op *module);
/* Number of passes and nested pipelines at the top level. */
size_t pass_manager_size(const pass_manager *pm);
/* The whole pipeline as text. */
void pass_manager_print(const pass_manager *pm, tw_strbuf *out);
typedef struct pass_times {
    double parser, output, total; /* seconds */
    bool list, json; /* a flat list sorted by time, not a tree; machine-readable */
} pass_times;

/* Times of all passes (with config.timing); the caller supplies the times of reading and
 * writing. */
void pass_manager_timing(const pass_manager *pm, const pass_times *times, tw_strbuf *out);
void pass_manager_statistics(const pass_manager *pm, tw_strbuf *out);
/* The module and the pipeline in one text that ttmlir-opt --run-reproducer runs again. */
void pass_manager_reproducer(const pass_manager *pm, ir_op *module, tw_strbuf *out);
/* After a failed run: which pass failed, on which operation; false if none did. */
bool pass_manager_failure(const pass_manager *pm, const char **pass, const char **on);

const pass_def *pass_find(const pass_registry *r, tw_str name);
const pass_pipeline_def *pass_find_pipeline(const pass_registry *r, tw_str name);
/* The registered name nearest to a misspelt one, or NULL. */
const char *pass_suggest(const pass_registry *r, tw_str name);

#endif
