/* reduce.c: `tilewright reduce`: the smallest module for which a command still succeeds.
 *
 * Delta debugging (Zeller, Hildebrandt 2002) over lists of edits: erase operations, in
 * chunks that halve; then bodies of functions, attributes, results and arguments; all again
 * until nothing changes.  A try is a child process: it edits its copy of the best module so
 * far, writes it and becomes the command.  Several tries run side by side; the first in
 * order that the command accepts is kept, so that the number of processes changes no
 * result. */
#include "reduce.h"

#include "cli.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "reduce_edits.h"
#include "source.h"
#include "support/arena.h"
#include "support/clock.h"
#include "support/file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TRIES_AT_ONCE = 64, CANNOT_RUN = 126 /* sh's status, and 127 */ };

typedef struct
try {
    pid_t child;
    char path[64]; /* where the candidate is written */
    size_t end;    /* the operations before this one were edited */
    double started;
}
try;

typedef struct reducer {
    const reduce_options *options;
    char *command; /* the test command with the path appended */
    source best;
    ir_context *ctx;
    ir_op *module; /* the best one */
    reduce_ops ops;
    try tries[MAX_TRIES_AT_ONCE];
    size_t at_once;
    int64_t tried, kept;
    double reported, saved; /* times of the last progress line and the last write */
} reducer;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static bool is_over(const reducer *r)
{
    return interrupted || (r->options->tries && r->tried >= r->options->tries);
}

/* ---- the command -------------------------------------------------------------------- */

/* In the child: writes the candidate and becomes the command. */
static void become_command(const reducer *r, const char *path, const tw_strbuf *text)
{
    tw_status written = tw_file_write(path, text->data, text->size);
    int nothing = open("/dev/null", O_WRONLY);
    if (written != TW_SUCCESS) {
        fprintf(stderr, "tilewright: %s\n", tw_status_message(written));
        _exit(1);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execl("/bin/sh", "sh", "-c", r->command, path, NULL);
    _exit(CANNOT_RUN);
}

/* Starts a try: the edit on the operations before t->end, or the text unchanged (NULL). */
static bool start(reducer *r, try *t, reduce_edit *edit, size_t size)
{
    fflush(NULL);
    t->started = tw_clock_seconds();
    t->child = fork();
    if (t->child < 0)
        return false;
    r->tried++;
    if (t->child > 0)
        return true;
    setpgid(0, 0);
    tw_strbuf text = r->best.bytes;
    if (edit) {
        size_t first = t->end > size ? t->end - size : 0;
        text = (tw_strbuf){0};
        if (!edit(&r->ops, first, t->end - first) ||
            (!r->options->allow_invalid && !ir_verify(r->module)))
            _exit(1);
        ir_print_op(r->module, NULL, &text);
    }
    become_command(r, t->path, &text);
    _exit(1);
}

static void stop(try *t)
{
    int status;
    if (t->child <= 0)
        return;
    kill(-t->child, SIGKILL);
    kill(t->child, SIGKILL);
    waitpid(t->child, &status, 0);
    t->child = 0;
}

/* The command's exit status; 1 for one that took too long or was killed. */
static int finish(const reducer *r, try *t)
{
    int status = -1;
    long pause = 100000; /* nanoseconds */
    while (!interrupted && tw_clock_seconds() - t->started < (double)r->options->timeout) {
        if (waitpid(t->child, &status, WNOHANG) == t->child) {
            t->child = 0;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        }
        nanosleep(&(struct timespec){0, pause}, NULL);
        pause = TW_MIN(pause * 2, 5000000);
    }
    stop(t);
    return 1;
}

/* ---- the best module ---------------------------------------------------------------- */

static bool load(reducer *r, source *text, bool loud)
{
    const ir_parse_options parse = {.no_verify = true};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    if (loud)
        ir_context_set_sink(ctx, (ir_diagnostic_sink){source_print_diagnostic, text});
    ir_op *module = ir_parse(ctx, text->text, text->name, &parse);
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (!module) {
        ir_context_destroy(ctx);
        return false;
    }
    if (r->ctx)
        ir_context_destroy(r->ctx);
    r->ctx = ctx;
    r->module = module;
    reduce_list(module, &r->ops);
    return true;
}

static void show_progress(reducer *r, bool last)
{
    bool terminal = isatty(2);
    if (!last && tw_clock_seconds() - r->reported < (terminal ? 0.1 : 10))
        return;
    r->reported = tw_clock_seconds();
    fprintf(stderr, "%stilewright: %lld tries, %zu operations and %zu bytes left%s",
            terminal ? "\r\033[K" : "", (long long)r->tried, r->ops.count,
            r->best.bytes.size, terminal && !last ? "" : "\n");
}

/* Writes the best module so far to the output periodically, so that an interruption keeps
 * it. */
static tw_status save(reducer *r, bool last)
{
    const char *path = r->options->output ? r->options->output : "-";
    if (!last && (strcmp(path, "-") == 0 || tw_clock_seconds() - r->saved < 1))
        return TW_SUCCESS;
    r->saved = tw_clock_seconds();
    return tw_file_write(path, r->best.bytes.data, r->best.bytes.size);
}

/* Makes a try's module the best one, if it parses. */
static bool keep(reducer *r, const try *t)
{
    source text = {0};
    tw_status status = source_read(t->path, &text);
    bool ok = status == TW_SUCCESS && load(r, &text, false);
    if (ok) {
        source_free(&r->best);
        r->best = text;
        r->kept++;
        status = save(r, false);
    } else {
        source_free(&text);
    }
    if (status != TW_SUCCESS)
        fprintf(stderr, "tilewright: %s\n", tw_status_message(status));
    tw_status_free(status);
    return ok;
}

/* ---- trying ------------------------------------------------------------------------- */

/* Tries the edit on several chunks that end at *end and before; sets *end to the next one.
 */
static bool try_chunks(reducer *r, reduce_edit *edit, size_t size, size_t *end)
{
    size_t n = 0, next = *end;
    bool kept = false;
    for (; n < r->at_once && next > 0 && !is_over(r); n++) {
        r->tries[n].end = next;
        if (!start(r, &r->tries[n], edit, size))
            break;
        next = next > size ? next - size : 0;
    }
    for (size_t i = 0; i < n; i++) {
        try *t = &r->tries[i];
        if (kept) {
            stop(t);
        } else if (finish(r, t) == 0 && keep(r, t)) {
            kept = true;
            next = TW_MIN(t->end, r->ops.count); /* the list may have shrunk */
        }
    }
    *end = n ? next : 0;
    show_progress(r, false);
    return kept;
}

/* Chunks from all operations down to one; true if an edit was kept. */
static bool minimise(reducer *r, reduce_edit *edit)
{
    bool any = false;
    for (size_t size = r->ops.count; size > 0 && !is_over(r); size /= 2)
        for (size_t end = r->ops.count; end > 0 && !is_over(r);)
            any |= try_chunks(r, edit, size, &end);
    return any;
}

/* The command's status for the best text, unchanged. */
static int ask(reducer *r)
{
    return start(r, &r->tries[0], NULL, 0) ? finish(r, &r->tries[0]) : 1;
}

static bool reduce(reducer *r)
{
    int status = ask(r);
    if (status >= CANNOT_RUN && !interrupted)
        fprintf(stderr, "tilewright: the command cannot be run (status %d): %s\n", status,
                r->options->test);
    else if (status)
        fprintf(stderr, "tilewright: the command does not succeed for the whole module: "
                        "nothing to reduce\n");
    if (status || !load(r, &r->best, true))
        return false;
    for (bool any = true; any && !is_over(r);) {
        any = false;
        for (size_t i = 0; reduce_edits[i]; i++)
            any |= minimise(r, reduce_edits[i]);
    }
    return true;
}

/* Writes the result, and checks that the command still accepts it. */
static int conclude(reducer *r, size_t bytes)
{
    bool stopped = interrupted;
    show_progress(r, true);
    tw_status status = save(r, true);
    fprintf(stderr, "tilewright: %zu bytes of %zu left after %lld tries, %lld kept%s\n",
            r->best.bytes.size, bytes, (long long)r->tried, (long long)r->kept,
            stopped      ? "; interrupted"
            : is_over(r) ? "; no more tries"
                         : "");
    if (status != TW_SUCCESS)
        return cli_error("tilewright", status);
    if (!stopped && r->kept && ask(r) != 0) {
        fprintf(stderr, "tilewright: the command fails for the result when it runs "
                        "again: it is not deterministic\n");
        return 1;
    }
    return stopped;
}

/* Creates files for tries; returns how many. */
static size_t make_files(reducer *r, size_t count)
{
    const char *folder = getenv("TMPDIR");
    size_t n = 0;
    for (; n < TW_MIN(count, (size_t)MAX_TRIES_AT_ONCE); n++) {
        try *t = &r->tries[n];
        int size = snprintf(t->path, sizeof t->path, "%s/tilewright-reduce-XXXXXX.mlir",
                            folder && *folder && strlen(folder) < 24 ? folder : "/tmp");
        int file = size < (int)sizeof t->path ? mkstemps(t->path, 5) : -1;
        if (file < 0)
            break;
        close(file);
    }
    return n;
}

int reduce_file(const char *path, const reduce_options *options)
{
    reducer r = {.options = options};
    int result = 1;
    tw_status status = source_read(path, &r.best);
    if (status == TW_SUCCESS &&
        !(r.at_once = make_files(&r, (size_t)TW_MAX(options->threads, (int64_t)1))))
        status = tw_error(TW_IO, "cannot make a file in $TMPDIR or /tmp");
    if (status == TW_SUCCESS) {
        tw_strbuf command = {0};
        size_t bytes = r.best.bytes.size;
        tw_strbuf_printf(&command, "%s \"$0\"", options->test);
        r.command = tw_strbuf_take(&command);
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
        r.reported = r.saved = tw_clock_seconds();
        if (reduce(&r))
            result = conclude(&r, bytes);
    } else {
        cli_error("tilewright", status);
    }
    for (size_t i = 0; i < r.at_once; i++)
        remove(r.tries[i].path);
    if (r.ctx)
        ir_context_destroy(r.ctx);
    free(r.ops.at);
    free(r.command);
    source_free(&r.best);
    return result;
}
