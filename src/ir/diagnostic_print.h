/* diagnostic_print.h: diagnostics as text for a terminal. */
#ifndef TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H
#define TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H

#include "ir/context.h"

/* "file:line:col: error: text", the source line and a caret where `source` (the text of
 * the file called `name`) has it, then the notes.  `color` adds terminal colours. */
void ir_diagnostic_print(ir_context *ctx, const ir_diagnostic *d, tw_str source,
                         const char *name, bool color, tw_strbuf *out);

/* A sink that writes all diagnostics into one text. */
typedef struct ir_diagnostic_log {
    tw_strbuf text;
    tw_str source; /* the text of the file called `name` */
    const char *name;
    bool unsupported; /* one says that a valid operation is converted by no pass */
} ir_diagnostic_log;
ir_diagnostic_sink ir_diagnostic_log_sink(ir_diagnostic_log *log);
void ir_diagnostic_log_clear(ir_diagnostic_log *log);

#endif
