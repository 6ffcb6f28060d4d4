/* check_pass.c: see check_pass.h.
 *
 * Each file is checked in a process of its own, so that one that hangs or crashes is a line
 * of the report. */
#include "check_pass.h"
#include "arrays.h"

#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "run_lines.h"
#include "runtime/validate/validate.h"
#include "source.h"
#include "support/arena.h"
#include "support/file.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* For files without RUN lines. */
#define ALL_PASSES "stablehlo-to-ttir-pipeline,ttir-to-ttnn-backend-pipeline"

typedef struct counts {
    size_t modules, unread, failed; /* modules; not parsed; whose pipeline failed */
    validate_tally tally;
} counts;

typedef struct checking {
    check_pass_options options;
    const check_pass_options *o; /* these options */
    const char *scratch;         /* a folder that is removed behind it, or NULL */
    const char *path;
    tw_str text; /* of the chunk */
    counts n;
    tw_strbuf out; /* reports */
} checking;

/* ---- one module */

/* Reports of the validator only: what else a test's input provokes is its own matter. */
static void collect(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    checking *c = user;
    if (d->rule && strcmp(d->rule, "changed results") == 0)
        ir_diagnostic_print(ctx, d, &(ir_quotes){c->text, c->path}, false, &c->out);
}

static bool build(const checking *c, pass_manager *pm, const run_line *line)
{
    bool ok = true;
    if (!line)
        return pass_manager_add(pm, tw_str_from(c->o->passes ? c->o->passes : ALL_PASSES));
    for (size_t i = 0; ok && i < line->n; i++)
        ok = line->at[i].name ? pass_manager_add_named(pm, line->at[i].name,
                                                       tw_str_from(line->at[i].options))
                              : pass_manager_add(pm, tw_str_from(line->at[i].options));
    return ok;
}

static void check_module(checking *c, tw_str chunk, const run_line *line)
{
    ir_context *ctx = ir_context_create();
    c->text = chunk;
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, line && line->unregistered);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){collect, c});
    ir_op *module = ir_parse(ctx, chunk, c->path, NULL);
    c->n.modules++;
    c->n.unread += !module;
    if (module) {
        validator *v = validator_create(c->o->keep, array_write_inputs);
        pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
        ir_context_set_watch(ctx, validator_watch(v));
        const bool ok = build(c, pm, line) && pass_manager_run(pm, module);
        const validate_tally t = validator_tally(v);
        ir_flush_diagnostics(ctx);
        c->n.failed += !ok && !t.differing;
        c->n.tally.passes += t.passes;
        c->n.tally.compared += t.compared;
        c->n.tally.differing += t.differing;
        ir_context_set_watch(ctx, NULL);
        pass_manager_destroy(pm);
        validator_destroy(v);
    }
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    ir_context_destroy(ctx);
}

/* ---- one file */

/* The chunks between lines "// -----", each behind as many newlines as lines come before
 * it. */
static void check_chunks(checking *c, tw_str text, const run_line *line)
{
    static const char marker[] = "// -----";
    const char *at = text.data, *end = at + text.size;
    size_t lines = 0;
    if (line && !line->split) {
        check_module(c, text, line);
        return;
    }
    while (at < end) {
        const char *stop = memmem(at, (size_t)(end - at), marker, sizeof marker - 1);
        stop = stop ? stop : end;
        tw_strbuf chunk = {0};
        for (size_t i = 0; i < lines; i++)
            tw_strbuf_putc(&chunk, '\n');
        tw_strbuf_append(&chunk, at, (size_t)(stop - at));
        check_module(c, (tw_str){tw_strbuf_text(&chunk), chunk.size}, line);
        tw_strbuf_free(&chunk);
        for (; at < stop; at++)
            lines += *at == '\n';
        at += stop < end ? sizeof marker - 1 : 0;
    }
}

/* Goes to the folder for what the RUN lines' passes write; modules that differ are kept
 * where the caller wants them. */
static void leave_folder(checking *c)
{
    char here[4096];
    if (c->options.keep && *c->options.keep != '/' && getcwd(here, sizeof here)) {
        tw_strbuf keep = {0};
        tw_strbuf_printf(&keep, "%s/%s", here, c->options.keep);
        c->options.keep = tw_strbuf_take(&keep);
    }
    if (chdir(c->scratch) != 0)
        perror(c->scratch);
}

static void check_file(checking *c)
{
    source s;
    tw_status status = source_read(c->path, &s);
    if (status != TW_SUCCESS) {
        tw_strbuf_printf(&c->out, "tilewright: error: %s\n", tw_status_message(status));
        tw_status_free(status);
        c->n.unread++;
        return;
    }
    tw_arena arena = {0};
    run_lines lines = {0};
    if (!c->o->passes)
        run_lines_read(s.text, &arena, &lines);
    if (lines.n && c->scratch) /* passes that write files do so there */
        leave_folder(c);
    for (size_t i = 0; i < lines.n; i++)
        check_chunks(c, s.text, &lines.at[i]);
    if (!lines.n)
        check_chunks(c, s.text, NULL);
    run_lines_free(&lines);
    tw_arena_free(&arena);
    source_free(&s);
}

/* ---- processes */

typedef struct child {
    pid_t pid;
    int from; /* its counts, then its reports */
    const char *path;
    char *scratch; /* the folder that it may run in, or NULL */
} child;

/* A new folder; NULL without one. */
static char *make_scratch(void)
{
    tw_strbuf name = {0};
    const char *parent = getenv("TMPDIR");
    tw_strbuf_printf(&name, "%s/tilewright-check-XXXXXX",
                     parent && *parent ? parent : "/tmp");
    if (mkdtemp(name.data))
        return tw_strbuf_take(&name);
    tw_strbuf_free(&name);
    return NULL;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_scratch(char *path)
{
    enum { OPEN_FILES = 16 };
    if (path)
        nftw(path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
    free(path);
}

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    stopped = number;
}

static void write_all(int to, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(to, at, size);
        if (n <= 0)
            return;
        at += n;
        size -= (size_t)n;
    }
}

/* In the child: SIGALRM ends a file that takes too long. */
static void run_child(const char *path, const char *scratch, const check_pass_options *o,
                      int to)
{
    checking c = {.options = *o, .path = path, .scratch = scratch};
    c.o = &c.options;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    alarm((unsigned)o->timeout);
    check_file(&c);
    write_all(to, &c.n, sizeof c.n);
    write_all(to, tw_strbuf_text(&c.out), c.out.size);
    _exit(0);
}

static bool start(child *c, const char *path, const check_pass_options *o)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    fflush(stderr);
    c->path = path;
    c->from = ends[0];
    c->scratch = make_scratch();
    c->pid = fork();
    if (c->pid == 0) {
        close(ends[0]);
        run_child(path, c->scratch, o, ends[1]);
    }
    close(ends[1]);
    if (c->pid < 0) {
        close(ends[0]);
        remove_scratch(c->scratch);
    }
    return c->pid > 0;
}

typedef struct totals {
    counts n;
    size_t files, crashed, late;
} totals;

static void add(totals *t, const counts *n)
{
    t->n.modules += n->modules;
    t->n.unread += n->unread;
    t->n.failed += n->failed;
    t->n.tally.passes += n->tally.passes;
    t->n.tally.compared += n->tally.compared;
    t->n.tally.differing += n->tally.differing;
}

/* Waits for a child and prints its reports. */
static void finish(child *c, totals *t, const check_pass_options *o)
{
    tw_strbuf got = {0};
    char part[4096];
    ssize_t n;
    int status;
    while ((n = read(c->from, part, sizeof part)) > 0 ||
           (n < 0 && errno == EINTR && !stopped))
        if (n > 0)
            tw_strbuf_append(&got, part, (size_t)n);
    close(c->from);
    if (stopped)
        kill(c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    remove_scratch(c->scratch);
    counts counted = {0};
    if (got.size >= sizeof counted) {
        memcpy(&counted, got.data, sizeof counted);
        add(t, &counted);
        t->files++;
        if (o->verbose)
            printf("%s: %zu of %zu changes compared, %zu differ\n", c->path,
                   counted.tally.compared, counted.tally.passes, counted.tally.differing);
        fwrite(got.data + sizeof counted, 1, got.size - sizeof counted, stdout);
    } else if (!stopped) {
        const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        t->late += late;
        t->crashed += !late;
        if (late)
            printf("%s: error: more than %lld seconds\n", c->path, (long long)o->timeout);
        else
            printf("%s: error: the compiler crashed (signal %d)\n", c->path,
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    fflush(stdout);
    tw_strbuf_free(&got);
}

/* ---- files */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds a file, or the .mlir files below a folder. */
static bool add_path(cli_list *files, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return false;
    if (!S_ISDIR(s.st_mode)) {
        const char *copy = tw_xstrdup(path);
        TW_PUSH(files->at, files->count, files->capacity, copy);
        return true;
    }
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (struct dirent *e; (e = readdir(folder));) {
        tw_strbuf name = {0};
        const size_t n = strlen(e->d_name);
        tw_strbuf_printf(&name, "%s/%s", path, e->d_name);
        if (*e->d_name != '.' && stat(name.data, &s) == 0 &&
            (S_ISDIR(s.st_mode) || (n > 5 && strcmp(e->d_name + n - 5, ".mlir") == 0)))
            add_path(files, name.data);
        tw_strbuf_free(&name);
    }
    closedir(folder);
    return true;
}

static void summarise(const totals *t)
{
    const validate_tally *v = &t->n.tally;
    printf("%zu files, %zu modules: %zu changes by passes, %zu compared, %zu differ",
           t->files, t->n.modules, v->passes, v->compared, v->differing);
    if (t->n.failed)
        printf("; %zu pipelines failed", t->n.failed);
    if (t->n.unread)
        printf("; %zu modules not read", t->n.unread);
    if (t->crashed)
        printf("; %zu files crashed", t->crashed);
    if (t->late)
        printf("; %zu files took too long", t->late);
    printf("%s\n", stopped ? " (interrupted)" : "");
}

static bool check_pipeline(const char *passes)
{
    bool ok = true;
    ir_context *ctx = ir_context_create();
    source none = {.name = "--passes"};
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){source_print_diagnostic, &none});
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, &(pass_config){0});
    if (passes)
        ok = pass_manager_add(pm, tw_str_from(passes));
    ir_flush_diagnostics(ctx);
    pass_manager_destroy(pm);
    ir_context_destroy(ctx);
    return ok;
}

int check_pass(const cli_list *paths, const check_pass_options *o)
{
    cli_list files = {0};
    size_t started = 0, done = 0;
    totals t = {0};
    if (!check_pipeline(o->passes))
        return 1;
    for (size_t i = 0; i < paths->count; i++)
        if (!add_path(&files, paths->at[i]))
            return cli_error("tilewright", tw_error(TW_NOT_FOUND, "cannot open '%s': %s",
                                                    paths->at[i], strerror(errno)));
    qsort(files.at, files.count, sizeof *files.at, by_name);
    const size_t threads = TW_MIN((size_t)TW_MAX(o->threads, 1), files.count + 1);
    child *running = tw_xcalloc(threads, sizeof *running);
    struct sigaction action = {.sa_handler = on_signal}; /* reads are interrupted */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (done < started || (started < files.count && !stopped)) {
        if (started < files.count && started - done < threads && !stopped) {
            if (!start(&running[started % threads], files.at[started], o))
                break;
            started++;
        } else {
            finish(&running[done++ % threads], &t, o);
        }
    }
    summarise(&t);
    for (size_t i = 0; i < files.count; i++)
        free((void *)(uintptr_t)files.at[i]);
    free(files.at);
    free(running);
    return stopped ? 130 : t.n.tally.differing || t.crashed ? 1 : 0;
}
