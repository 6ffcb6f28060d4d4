/* opt_options.h: the command line of ttmlir-opt: mlir-opt's options, and a pass or pipeline
 * by its name. */
#ifndef TILEWRIGHT_TOOLS_OPT_OPTIONS_H
#define TILEWRIGHT_TOOLS_OPT_OPTIONS_H

#include "cli.h"

typedef struct opt_pass {
    const char *name, *options;
} opt_pass;

typedef struct opt_options {
    const char *tool, *input;
    const char *output, *pipeline, *reproducer, *reproducer_after, *tree_dir,
        *timing_display, *output_format, *statistics_display, *verbosity;
    const char *explain;
    const char *split, *output_marker, *verify_diagnostics, *debug_only;
    bool allow_unregistered, generic, debug_info, pretty_debug_info, local_scope,
        skip_regions, unique_names, value_users, assume_verified, names_from_locs;
    bool before_all, after_all, after_change, after_failure, module_scope;
    bool timing, statistics, dump_pipeline, run_reproducer;
    bool show_dialects, no_implicit_module, verify_each, ignored, round_trip, emit_bytecode;
    bool op_on_diagnostic, view_op_graph;
    bool unsupported; /* an unsupported option of mlir-opt was given */
    int64_t elide, elide_hex, elide_resource, bytecode_version;
    cli_list print_before, print_after, report;
    opt_pass *passes; /* in the order in which they were named */
    size_t n_passes, passes_capacity;
} opt_options;

/* Returns -1 to continue, or the exit status. */
int opt_options_read(opt_options *o, int argc, char **argv);
void opt_options_free(opt_options *o);

#endif
