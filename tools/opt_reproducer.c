/* opt_reproducer.c: see opt_reproducer.h. */
#include "opt_reproducer.h"

#include "support/file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

char *opt_reproducer_pipeline(tw_str text)
{
    const char *at = memmem(text.data, text.size, "mlir_reproducer", 15);
    const char *end = text.data + text.size;
    at = at ? memmem(at, (size_t)(end - at), "pipeline:", 9) : NULL;
    at = at ? memchr(at, '"', (size_t)(end - at)) : NULL;
    const char *close = at ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    return close ? strndup(at + 1, (size_t)(close - at - 1)) : NULL;
}

/* The reproducer is formatted beforehand: a signal handler may only call write. */
static struct {
    const char *path;
    tw_strbuf text;
} crash;

static void on_crash(int number)
{
    static const char notice[] = "ttmlir-opt: crashed; the reproducer was written\n";
    int file = open(crash.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, crash.text.data, crash.text.size) >= 0)
        (void)!write(2, notice, sizeof notice - 1);
    signal(number, SIG_DFL);
    raise(number);
}

void opt_reproducer_prepare(const char *path, pass_manager *pm, ir_op *module)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
    crash.path = path;
    crash.text.size = 0;
    pass_manager_reproducer(pm, module, &crash.text);
    for (size_t i = 0; i < TW_COUNT(signals); i++)
        signal(signals[i], on_crash);
}

void opt_reproducer_report(ir_context *ctx, pass_manager *pm, ir_op *module)
{
    const char *pass, *on;
    if (!pass_manager_failure(pm, &pass, &on))
        return;
    tw_status written = tw_file_write(crash.path, crash.text.data, crash.text.size);
    ir_error(ctx, module->loc,
             "Failures have been detected while processing an MLIR pass pipeline");
    if (written == TW_SUCCESS)
        ir_note(
            ctx, module->loc,
            "Pipeline failed while executing [`%s` on %s]: reproducer generated at `%s`",
            pass, on, crash.path);
    else
        ir_note(ctx, module->loc, "no reproducer: %s", tw_status_message(written));
    tw_status_free(written);
}

bool opt_reproducer_write(const char *path, ir_context *ctx, pass_manager *pm,
                          ir_op *module)
{
    tw_strbuf text = {0};
    pass_manager_reproducer(pm, module, &text);
    tw_status status = tw_file_write(path, text.data, text.size);
    bool ok = status == TW_SUCCESS ||
              ir_error(ctx, module->loc, "no reproducer: %s", tw_status_message(status));
    tw_status_free(status);
    tw_strbuf_free(&text);
    return ok;
}

void opt_reproducer_free(void)
{
    tw_strbuf_free(&crash.text);
}
