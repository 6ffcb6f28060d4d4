/* self_check.h: files whose functions check themselves. */
#ifndef TILEWRIGHT_TOOLS_SELF_CHECK_H
#define TILEWRIGHT_TOOLS_SELF_CHECK_H

#include "support/strbuf.h"
#include "tilewright/tilewright.h"

/* True if the text has check operations and no function was requested by name. */
bool self_check_wanted(tw_strbuf text, const char *entry);
/* Runs every function without arguments that has checks, in all chunks of the text; prints
 * a line for each.  `host`: unsupported operations may run on the host.  Exit status: 1 if
 * a check or a compilation failed, else 77 if something is not supported, else 0. */
int self_check_run(const char *path, tw_strbuf text, bool host);
/* The same by the reference evaluator; functions that it does not support run as programs.
 */
int self_check_interpret(const char *path, tw_strbuf text);

#endif
