/* source.c: see source.h. */
#include "source.h"

#include "cli.h"

#include "ir/diagnostic_print.h"
#include "support/file.h"

#include <stdio.h>

tw_status source_read(const char *path, source *out_source)
{
    tw_strbuf bytes = {0};
    tw_status status = tw_file_read(path, &bytes);
    if (status != TW_SUCCESS)
        return status;
    *out_source = (source){.text = {tw_strbuf_text(&bytes), bytes.size},
                           .name = strcmp(path, "-") == 0 ? "<stdin>" : path,
                           .bytes = bytes};
    return TW_SUCCESS;
}

void source_free(source *s)
{
    tw_strbuf_free(&s->bytes);
}

void source_print_diagnostic(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    const source *s = user;
    tw_strbuf text = {0};
    ir_diagnostic_print(ctx, d, &(ir_quotes){s->text, s->name}, cli_colors(2), &text);
    fwrite(text.data, 1, text.size, stderr);
    tw_strbuf_free(&text);
}
