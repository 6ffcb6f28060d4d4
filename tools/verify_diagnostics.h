/* verify_diagnostics.h: checks diagnostics against expected-* comments. */
#ifndef TILEWRIGHT_TOOLS_VERIFY_DIAGNOSTICS_H
#define TILEWRIGHT_TOOLS_VERIFY_DIAGNOSTICS_H

#include "ir/context.h"

typedef struct diag_checker diag_checker;

/* Reads the comments of `text` and becomes the context's sink.  `only_expected`: unexpected
 * diagnostics are ignored. */
diag_checker *diag_checker_create(ir_context *ctx, tw_str text, const char *name,
                                  bool only_expected);
/* Reports unmet expectations; frees it.  True if all were met. */
bool diag_checker_finish(diag_checker *c);

#endif
