/* settings.c: the environment variables (docs/pytorch.md lists them) and the options of
 * jax.jit(..., compiler_options={...}), which have precedence. */
#include "pjrt.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/status.h"
#include "support/suggest.h"
#include "support/threadpool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the log ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int level;
} levels[] = {
    {"TRACE", PJ_DEBUG},  {"DEBUG", PJ_DEBUG},  {"VERBOSE", PJ_DEBUG},
    {"INFO", PJ_INFO},    {"WARN", PJ_WARNING}, {"WARNING", PJ_WARNING},
    {"ERROR", PJ_SILENT}, {"FATAL", PJ_SILENT}, {"CRITICAL", PJ_SILENT},
    {"OFF", PJ_SILENT},
};

static pj_error *read_level(const char *variable, pj_level *out)
{
    const char *text = getenv(variable);
    *out = PJ_WARNING;
    if (!text)
        return NULL;
    for (size_t i = 0; i < TW_COUNT(levels); i++)
        if (!strcasecmp(text, levels[i].name)) {
            *out = levels[i].level;
            return NULL;
        }
    return pj_fail(PJ_INVALID_ARGUMENT,
                   "%s='%s': expected TRACE, DEBUG, INFO, WARNING, ERROR or OFF", variable,
                   text);
}

void pj_log(const char *variable, pj_level level, const char *format, ...)
{
    pj_level shown;
    va_list values;
    pj_error *error = read_level(variable, &shown);
    if (error)
        pj_error_destroy(&(pj_of_args){.object = error});
    if (level < shown)
        return;
    flockfile(stderr);
    fprintf(stderr, "%s tilewright: ",
            level >= PJ_WARNING ? "WARNING"
            : level == PJ_INFO  ? "INFO"
                                : "DEBUG");
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    putc('\n', stderr);
    funlockfile(stderr);
}

/* ---- values -------------------------------------------------------------------------- */

static bool read_flag(const char *text, bool *out)
{
    static const char *const yes[] = {"1", "true", "on"}, *const no[] = {"0", "false",
                                                                         "off", ""};
    for (size_t i = 0; i < TW_COUNT(yes); i++)
        if (!strcasecmp(text, yes[i]))
            return *out = true, true;
    for (size_t i = 0; i < TW_COUNT(no); i++)
        if (!strcasecmp(text, no[i]))
            return *out = false, true;
    return false;
}

static bool read_threads(const char *text, int *out)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < 1 || n > TW_MAX_THREADS)
        return false;
    *out = (int)n;
    return true;
}

static pj_error *flag_of(const char *variable, bool *out)
{
    const char *text = getenv(variable);
    if (text && !read_flag(text, out))
        return pj_fail(PJ_INVALID_ARGUMENT, "%s='%s': expected 1 or 0", variable, text);
    return NULL;
}

static void set_path(char **to, const char *text, size_t size)
{
    free(*to);
    *to = tw_xmalloc(size + 1);
    memcpy(*to, text, size);
    (*to)[size] = 0;
}

static void path_of(const char *variable, const char *otherwise, char **out)
{
    const char *text = getenv(variable);
    if (text || otherwise)
        set_path(out, text ? text : otherwise, strlen(text ? text : otherwise));
}

static pj_error *read_environment(pj_settings *s)
{
    bool dump = false, profile = false;
    pj_level level;
    pj_error *error = read_level("TTXLA_LOGGER_LEVEL", &level);
    if (!error)
        error = read_level(PJ_RUNTIME_LOG, &level);
    if (!error)
        error = flag_of("TT_MLIR_DUMP_IR", &dump);
    if (!error)
        error = flag_of("TT_METAL_PROFILER", &profile);
    if (!error)
        error = flag_of("TT_METAL_DRAM_FALLBACK", &s->dram_fallback);
    const char *threads = getenv("TILEWRIGHT_THREADS");
    if (!error && threads && !read_threads(threads, &s->threads))
        error = pj_fail(PJ_INVALID_ARGUMENT, "TILEWRIGHT_THREADS='%s': expected 1 to %d",
                        threads, TW_MAX_THREADS);
    if (error)
        return error;
    if (dump)
        path_of("TT_MLIR_DUMP_IR_PATH", "ir_dump", &s->dump_dir);
    if (profile)
        path_of("TT_METAL_PROFILER_OUTPUT", "profile.json", &s->profile_path);
    path_of("TTXLA_CACHE_DIR", NULL, &s->cache_dir);
    return NULL;
}

/* ---- options of the caller ----------------------------------------------------------- */

static const char *const known[] = {"dump_dir", "cache_dir", "profile_path",
                                    "dram_fallback", "threads"};
/* Options of XLA itself beside those that begin with xla_. */
static const char *const of_xla[] = {"exec_time_optimization_effort",
                                     "memory_fitting_effort", "optimization_level",
                                     "memory_fitting_level"};

static bool is_of_xla(tw_str name)
{
    bool found = name.size > 4 && !memcmp(name.data, "xla_", 4);
    for (size_t i = 0; i < TW_COUNT(of_xla); i++)
        found |= tw_str_is(name, of_xla[i]);
    return found;
}

static pj_error *no_such_option(tw_str name)
{
    tw_nearest near = tw_nearest_to(name);
    for (size_t i = 0; i < TW_COUNT(known); i++)
        tw_nearest_try(&near, name, known[i]);
    return pj_fail(PJ_INVALID_ARGUMENT,
                   "No such compile option: '%.*s'%s%s; the platform 'tt' has dump_dir, "
                   "cache_dir, profile_path, dram_fallback and threads",
                   (int)name.size, name.data, near.best ? "; did you mean " : "",
                   near.best ? near.best : "");
}

static pj_error *apply(const pj_override *o, pj_settings *s)
{
    char **paths[] = {&s->dump_dir, &s->cache_dir, &s->profile_path};
    char text[16];
    for (size_t i = 0; i < TW_COUNT(paths); i++) {
        if (!tw_str_is(o->name, known[i]))
            continue;
        if (o->kind != PJ_TEXT_OPTION || !o->text.size)
            return pj_fail(PJ_INVALID_ARGUMENT, "compile option '%s' takes a path",
                           known[i]);
        set_path(paths[i], o->text.data, o->text.size);
        return NULL;
    }
    snprintf(text, sizeof text, "%.*s", (int)TW_MIN(o->text.size, sizeof text - 1),
             o->text.size ? o->text.data : "");
    if (tw_str_is(o->name, "dram_fallback")) {
        if (o->kind == PJ_BOOL_OPTION)
            s->dram_fallback = o->number != 0;
        else if (o->kind != PJ_TEXT_OPTION || !read_flag(text, &s->dram_fallback))
            return pj_fail(
                PJ_INVALID_ARGUMENT,
                "compile option 'dram_fallback': '%s' is not a valid bool value.", text);
        return NULL;
    }
    if (!tw_str_is(o->name, "threads"))
        return no_such_option(o->name);
    if (o->kind == PJ_INT_OPTION)
        snprintf(text, sizeof text, "%lld", (long long)o->number);
    if (!read_threads(text, &s->threads))
        return pj_fail(PJ_INVALID_ARGUMENT, "compile option 'threads' takes 1 to %d",
                       TW_MAX_THREADS);
    return NULL;
}

pj_error *pj_settings_read(const pj_compile_options *options, pj_settings *out)
{
    *out = (pj_settings){.dram_fallback = true}; /* threads 0: all processors */
    pj_error *error = read_environment(out);
    for (size_t i = 0; !error && i < options->n_overrides; i++) {
        const pj_override *o = &options->overrides[i];
        if (is_of_xla(o->name))
            pj_log("TTXLA_LOGGER_LEVEL", PJ_WARNING,
                   "compile option '%.*s' is XLA's and has no effect on the platform 'tt'",
                   (int)o->name.size, o->name.data);
        else
            error = apply(o, out);
    }
    if (error)
        pj_settings_clear(out);
    return error;
}

void pj_settings_clear(pj_settings *s)
{
    free(s->dump_dir);
    free(s->cache_dir);
    free(s->profile_path);
    *s = (pj_settings){0};
}

/* ---- folders of dumps ---------------------------------------------------------------- */

typedef struct dump_folder {
    struct dump_folder *next;
    char *path;
    int programs;
} dump_folder;

/* How many programs this process has dumped into the folder, the next one included. */
static int next_in(const char *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static dump_folder *folders;
    pthread_mutex_lock(&lock);
    dump_folder *f = folders;
    while (f && strcmp(f->path, path) != 0)
        f = f->next;
    if (!f) {
        f = tw_xcalloc(1, sizeof *f);
        f->path = strdup(path);
        f->next = folders;
        folders = f;
    }
    int number = ++f->programs;
    pthread_mutex_unlock(&lock);
    return number;
}

/* The process's first program is dumped into the folder itself, later ones into numbered
 * folders inside. */
void pj_settings_number_dump(pj_settings *s)
{
    int number = next_in(s->dump_dir);
    tw_strbuf path = {0};
    tw_strbuf_puts(&path, s->dump_dir);
    if (number > 1)
        tw_strbuf_printf(&path, "/program_%d", number);
    free(s->dump_dir);
    s->dump_dir = tw_strbuf_take(&path);
    tw_status status = tw_folder_make(s->dump_dir);
    if (!status)
        return;
    pj_log("TTXLA_LOGGER_LEVEL", PJ_WARNING, "%s; the program runs without dumps",
           tw_status_message(status));
    tw_status_free(status);
    free(s->dump_dir);
    s->dump_dir = NULL;
}
