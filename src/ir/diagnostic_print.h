/* diagnostic_print.h: diagnostics as text for a terminal. */
#ifndef TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H
#define TILEWRIGHT_IR_DIAGNOSTIC_PRINT_H

#include "ir/context.h"
#include "tilewright/diagnostics.h"

/* The source texts that diagnostics quote: the file called `name`, and those that `find`
 * returns (it may be NULL); others are read from disk. */
typedef struct ir_quotes {
    tw_str text;
    const char *name;
    tw_str (*find)(const void *user, const char *file);
    const void *user;
} ir_quotes;

/* Appends the text of a file, nothing if it cannot be read or has more than 8 MiB. */
void ir_source_read(const char *file, tw_strbuf *out);
/* A line of a text, counted from 1, without its newline; empty if there is none. */
tw_str ir_source_line(tw_str source, uint32_t line);

/* "file:line:col: error: text", the source line and a caret where a text has it, then the
 * notes.  `color` adds terminal colours. */
void ir_diagnostic_print(ir_context *ctx, const ir_diagnostic *d, const ir_quotes *quotes,
                         bool color, tw_strbuf *out);

/* Appends a copy of the diagnostic to a list of the public interface. */
void ir_diagnostic_record(ir_context *ctx, const ir_diagnostic *d, tw_diagnostics *list);

/* A sink that appends all diagnostics to one text. */
typedef struct ir_diagnostic_log {
    tw_strbuf text;
    ir_quotes quotes;
    tw_diagnostics *list; /* gets copies; or NULL */
    const char *rule;     /* the class of the first error that has one, or NULL */
    bool unsupported;     /* set if one reports that no pass converts a valid operation */
} ir_diagnostic_log;
ir_diagnostic_sink ir_diagnostic_log_sink(ir_diagnostic_log *log);
void ir_diagnostic_log_clear(ir_diagnostic_log *log);

#endif
