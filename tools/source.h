/* source.h: a tool's input text, and diagnostics that show its lines. */
#ifndef TILEWRIGHT_TOOLS_SOURCE_H
#define TILEWRIGHT_TOOLS_SOURCE_H

#include "ir/context.h"
#include "support/strbuf.h"
#include "tilewright/status.h"

typedef struct source {
    tw_str text;
    const char *name; /* "<stdin>" for standard input */
    tw_strbuf bytes;  /* what the text lies in */
} source;

/* Reads a file, or standard input for "-". */
tw_status source_read(const char *path, source *out_source);
void source_free(source *s);
/* A diagnostic sink whose user is the source. */
void source_print_diagnostic(void *user, ir_context *ctx, const ir_diagnostic *d);

#endif
