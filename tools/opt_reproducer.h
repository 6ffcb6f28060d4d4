/* opt_reproducer.h: modules that carry the pipeline that failed on them. */
#ifndef TILEWRIGHT_TOOLS_OPT_REPRODUCER_H
#define TILEWRIGHT_TOOLS_OPT_REPRODUCER_H

#include "ir/pass/pass.h"
#include "support/strbuf.h"

/* The pipeline in a module's text (mlir_reproducer: { pipeline: "..." }), NULL without one;
 * the caller frees it. */
char *opt_reproducer_pipeline(tw_str text);
/* Prepares a reproducer: a crash from now on writes the current module, with the passes, to
 * `path`. */
void opt_reproducer_prepare(const char *path, pass_manager *pm, ir_op *module);
/* After a failure: writes the prepared reproducer and reports its path. */
void opt_reproducer_report(ir_context *ctx, pass_manager *pm, ir_op *module);
/* Writes the module after the passes, with them, without a failure. */
bool opt_reproducer_write(const char *path, ir_context *ctx, pass_manager *pm,
                          ir_op *module);
void opt_reproducer_free(void);

#endif
