/* diagnostic_print.h: diagnostics as text for a terminal. */
#ifndef TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H
#define TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H

#include "ir/context.h"

/* The texts that diagnostics quote: of the file called `name`, and of those that `find`
 * knows (it may be NULL); others are read where they lie. */
typedef struct ir_quotes {
    tw_str text;
    const char *name;
    tw_str (*find)(const void *user, const char *file);
    const void *user;
} ir_quotes;

/* "file:line:col: error: text", the source line and a caret where a text has it, then the
 * notes.  `color` adds terminal colours. */
void ir_diagnostic_print(ir_context *ctx, const ir_diagnostic *d, const ir_quotes *quotes,
                         bool color, tw_strbuf *out);

/* A sink that writes all diagnostics into one text. */
typedef struct ir_diagnostic_log {
    tw_strbuf text;
    ir_quotes quotes;
    bool unsupported; /* one says that a valid operation is converted by no pass */
} ir_diagnostic_log;
ir_diagnostic_sink ir_diagnostic_log_sink(ir_diagnostic_log *log);
void ir_diagnostic_log_clear(ir_diagnostic_log *log);

#endif
