/* compilation.h: a compilation in progress, for program.c, open.c and lower.c. */
#ifndef TILEWRIGHT_RUNTIME_COMPILATION_H
#define TILEWRIGHT_RUNTIME_COMPILATION_H

#include "ir/diagnostic_print.h"
#include "runtime/program_impl.h"

typedef struct rt_compilation {
    tw_program *program;
    const tw_compile_options *options;
    ir_diagnostic_log log;    /* quotes the text, if the program is one */
    ir_diagnostic_sink outer; /* restored at the end */
    ir_op *module;            /* given, or read by rt_open */
    bool verified;            /* the module given is valid */
    ir_op *entry;             /* the function to run */
    bool binary;              /* it comes from a .ttnn, and has been lowered */
} rt_compilation;

/* ---- open.c -------------------------------------------------------------------------- */

/* What the diagnostics say, as a status. */
tw_status rt_reported(rt_compilation *c) TW_NODISCARD;
/* Reads the module once, if there is none yet, finds the entry and inlines calls. */
tw_status rt_open(rt_compilation *c) TW_NODISCARD;
/* Takes checks out of the entry and describes its arguments and results. */
tw_status rt_describe_program(rt_compilation *c) TW_NODISCARD;
/* TW_UNSUPPORTED for types and integers that the device would not hold exactly. */
tw_status rt_refuse_values(const rt_compilation *c) TW_NODISCARD;
/* TW_UNSUPPORTED for operations that no conversion takes in any form. */
tw_status rt_refuse_by_rows(rt_compilation *c) TW_NODISCARD;

/* ---- lower.c ------------------------------------------------------------------------- */

/* True for a program that no stage has anything to do for: from a binary, with kernels of
 * its own, or of TTNN alone, on a device and with layouts, unless options ask for more. */
bool rt_is_lowered(const rt_compilation *c);
/* An error for an unknown pipeline option, a warning for options of a program that no stage
 * lowers. */
tw_status rt_check_options(const rt_compilation *c, bool lowered) TW_NODISCARD;
/* Lowers the module to TTNN in place; *out_func is the function to plan. */
tw_status rt_lower(rt_compilation *c, ir_op **out_func) TW_NODISCARD;
/* True if the cache folder may have the program. */
bool rt_uses_cache(const rt_compilation *c);
/* The path of the program's file in the folder. */
void rt_cache_name(const rt_compilation *c, tw_strbuf *out);
/* Loads the program as an earlier compilation stored it; *out_func is NULL if there is
 * none. */
tw_status rt_load_cached(tw_program *p, const char *path, ir_op **out_func) TW_NODISCARD;
/* Stores the lowered program before a plan consumes it, unless it checks itself. */
void rt_keep_cached(tw_program *p, const char *dir, const char *path, ir_op *func);
/* Writes the module to a file of the folder `dir`, unless that is NULL. */
tw_status rt_dump(const char *dir, const char *name, ir_op *module) TW_NODISCARD;

#endif
