/* ttrt.c: reads binaries and runs them on the embedded device: query, read, check, run and
 * perf, with the options and result files of tt-mlir's ttrt. */
#include "ttrt.h"
#include "commands.h"

#include "cli.h"
#include "flatbuffer/json.h"
#include "support/arena.h"
#include "support/file.h"
#include "ttcore/system/sysdesc.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

static const char *const levels[] = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

static int level_number(const char *name)
{
    for (size_t i = 0; i < TW_COUNT(levels); i++)
        if (strcasecmp(levels[i], name) == 0)
            return (int)i;
    return -1;
}

void ttrt_log(const ttrt *t, const char *level, const char *format, ...)
{
    const bool shown =
        strcmp(level, "TRACE") == 0 ? t->trace : level_number(level) >= t->least_level;
    if (t->quiet || !shown)
        return;
    struct timespec now;
    struct tm local;
    char stamp[32];
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &local);
    FILE *const to[] = {stderr, t->log};
    for (size_t i = 0; i < TW_COUNT(to); i++) {
        va_list args;
        if (!to[i])
            continue;
        fprintf(to[i], "%s,%03ld - %s - ", stamp, now.tv_nsec / 1000000, level);
        va_start(args, format);
        vfprintf(to[i], format, args);
        va_end(args);
        fputc('\n', to[i]);
    }
}

static void put_xml(tw_strbuf *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '<' || *c == '&' || *c == '"' || (unsigned char)*c < 32)
            tw_strbuf_printf(out, "&#%d;", *c == '\n' || *c == '\t' || *c >= 32 ? *c : '?');
        else
            tw_strbuf_putc(out, *c);
}

/* One result as test reports have it. */
static void put_case(ttrt *t, const char *path, tw_status status, bool skipped)
{
    tw_strbuf *out = &t->cases;
    tw_strbuf_printf(out, "    <testcase classname=\"%s\" name=\"", t->verb);
    put_xml(out, path ? path : t->verb);
    tw_strbuf_puts(out, "\"");
    if (status) {
        tw_strbuf_printf(out, "><%s message=\"", skipped ? "skipped" : "failure");
        put_xml(out, tw_status_message(status));
        tw_strbuf_puts(out, "\"/></testcase>\n");
    } else {
        tw_strbuf_puts(out, "/>\n");
    }
}

void ttrt_result(ttrt *t, const char *path, tw_status status, bool skipped,
                 const char *more)
{
    bool test = tw_status_code(status) == TW_INTERNAL && t->golden_failed;
    const char *result = !status   ? "pass"
                         : skipped ? "skip"
                         : test    ? "test_error"
                                   : "error";
    tw_strbuf *out = &t->results;
    tw_strbuf_printf(out, "%s\n  {\n    \"file_path\": ", t->n_results++ ? "," : "");
    tw_json_string(out, tw_str_from(path ? path : ""));
    tw_strbuf_printf(out, ",\n    \"result\": \"%s\",\n    \"exception\": ", result);
    tw_json_string(out, tw_str_from(tw_status_message(status)));
    tw_strbuf_puts(out, ",\n    \"log_file\": ");
    tw_json_string(out, tw_str_from(t->log_path ? t->log_path : ""));
    tw_strbuf_puts(out, ",\n    \"artifacts\": ");
    tw_json_string(out, tw_str_from(t->artifact_dir));
    tw_strbuf_printf(out, "%s\n  }", more ? more : "");
    put_case(t, path, status, skipped);
    if (status)
        ttrt_log(t, skipped ? "WARNING" : "ERROR", "%s: %s", path ? path : t->verb,
                 tw_status_message(status));
    t->n_failed += status && !skipped;
    t->n_test_failed += test;
    t->golden_failed = false;
    tw_status_free(status);
}

/* ---- folders ------------------------------------------------------------------------ */

tw_status ttrt_artifacts(const ttrt *t, const char *path, const char *below, char **out)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    tw_strbuf name = {0};
    tw_strbuf_puts(&name, t->artifact_dir);
    if (path)
        tw_strbuf_printf(&name, "/%s", slash ? slash + 1 : path);
    if (below)
        tw_strbuf_printf(&name, "/%s", below);
    tw_status status = tw_folder_make(name.data);
    if (status)
        tw_strbuf_free(&name);
    else
        *out = tw_strbuf_take(&name);
    return status;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

/* --clean-artifacts: removes artifacts of earlier runs of this binary. */
static void clean(const ttrt *t, const char *path)
{
    const char *slash = strrchr(path, '/');
    tw_strbuf name = {0};
    enum { OPEN_FILES = 16 };
    tw_strbuf_printf(&name, "%s/%s", t->artifact_dir, slash ? slash + 1 : path);
    nftw(name.data, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
    tw_strbuf_free(&name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_in(const char *name, const char *extension)
{
    size_t n = strlen(name), m = strlen(extension);
    return n > m && strcmp(name + n - m, extension) == 0;
}

/* A file, or the files of a folder with one of the extensions, sorted. */
static void collect(const char *path, cli_list *out)
{
    struct stat st;
    DIR *folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    if (!folder) {
        const char *copy = tw_xstrdup(path);
        TW_PUSH(out->at, out->count, out->capacity, copy);
        return;
    }
    size_t first = out->count;
    for (struct dirent *entry; (entry = readdir(folder));) {
        tw_strbuf inside = {0};
        if (entry->d_name[0] == '.')
            continue;
        tw_strbuf_printf(&inside, "%s/%s", path, entry->d_name);
        bool is_folder = stat(inside.data, &st) == 0 && S_ISDIR(st.st_mode);
        if (is_folder || ends_in(entry->d_name, ".ttnn") ||
            ends_in(entry->d_name, ".ttm") || ends_in(entry->d_name, ".ttsys") ||
            ends_in(entry->d_name, ".ttnn.fb"))
            collect(inside.data, out);
        tw_strbuf_free(&inside);
    }
    closedir(folder);
    qsort(out->at + first, out->count - first, sizeof *out->at, by_name);
}

/* ---- binaries ----------------------------------------------------------------------- */

static tw_status open_binary(const char *path, ttrt_binary *b)
{
    *b = (ttrt_binary){.path = path};
    TW_TRY(tw_file_read(path, &b->bytes));
    TW_TRY(fb_detect(b->bytes.data, b->bytes.size, &b->kind));
    return fb_open(b->bytes.data, b->bytes.size, b->kind, &b->root);
}

/* Slots of the fields common to all roots, by name. */
tw_str ttrt_root_text(const ttrt_binary *b, const char *field)
{
    int slot = fb_slot(b->root, field);
    return slot < 0 ? (tw_str){0} : fb_get_str(b->root, slot);
}

static bool same_schema(const ttrt_binary *b)
{
    return tw_str_is(ttrt_root_text(b, "schema_hash"), fb_file_kinds[b->kind].schema_hash);
}

fb_view ttrt_root_table(const ttrt_binary *b, const char *field)
{
    int slot = fb_slot(b->root, field);
    return slot < 0 ? (fb_view){0} : fb_get_table(b->root, slot);
}

/* ---- query and check ---------------------------------------------------------------- */

static tw_status query(ttrt *t)
{
    void *data;
    size_t size;
    fb_view root;
    TW_TRY(fb_sysdesc_of_preset(t->device, &data, &size));
    tw_strbuf text = {0};
    char *folder = NULL;
    tw_status status = fb_open(data, size, FB_FILE_TTSYS, &root);
    if (!status)
        status = fb_to_json(fb_get_table(root, FB_SystemDescRoot_system_desc), 0, 0, &text);
    if (!status && !t->quiet)
        printf("%s\n", text.data);
    if (!status && t->save_artifacts)
        status = ttrt_artifacts(t, NULL, NULL, &folder);
    if (folder) {
        tw_strbuf path = {0};
        tw_strbuf_printf(&path, "%s/system_desc.ttsys", folder);
        status = tw_file_write(path.data, data, size);
        ttrt_log(t, "INFO", "system descriptor saved as %s", path.data);
        tw_strbuf_free(&path);
    }
    free(folder);
    tw_strbuf_free(&text);
    free(data);
    return status;
}

/* The difference of two texts, as lines with - and +. */
static void diff(tw_str a, tw_str b, tw_strbuf *out)
{
    size_t from = 0, less = TW_MIN(a.size, b.size), to = 0;
    while (from < less && a.data[from] == b.data[from])
        from++;
    while (from && a.data[from - 1] != '\n')
        from--;
    while (to < less - from && a.data[a.size - 1 - to] == b.data[b.size - 1 - to])
        to++;
    while (to && a.data[a.size - to - 1] != '\n')
        to--;
    const tw_str texts[] = {a, b};
    for (int side = 0; side < 2; side++)
        for (size_t i = from; i < texts[side].size - to;) {
            const char *line = texts[side].data + i;
            const char *end = memchr(line, '\n', texts[side].size - i);
            size_t n = end ? (size_t)(end - line) : texts[side].size - i;
            tw_strbuf_printf(out, "\n%c%.*s", side ? '+' : '-', (int)n, line);
            i += n + 1;
        }
}

static tw_status compare_systems(const ttrt_binary *b, fb_view expected, const char *name)
{
    fb_view found = ttrt_root_table(b, "system_desc");
    if (!found.at || !expected.at)
        return tw_error(TW_INVALID, "system desc is missing");
    if (fb_equal(found, expected))
        return TW_SUCCESS;
    tw_strbuf a = {0}, c = {0}, lines = {0};
    tw_status status = fb_to_json(found, 0, 0, &a);
    if (!status)
        status = fb_to_json(expected, 0, 0, &c);
    if (!status) {
        diff((tw_str){a.data, a.size}, (tw_str){c.data, c.size}, &lines);
        status = tw_error(TW_INVALID, "system desc does not match %s:%s", name,
                          tw_strbuf_text(&lines));
    }
    tw_strbuf_free(&a);
    tw_strbuf_free(&c);
    tw_strbuf_free(&lines);
    return status;
}

static tw_status check_device(const ttrt *t, const ttrt_binary *b)
{
    void *data;
    size_t size;
    fb_view root;
    TW_TRY(fb_sysdesc_of_preset(t->device, &data, &size));
    tw_status status = fb_open(data, size, FB_FILE_TTSYS, &root);
    if (!status)
        status = compare_systems(b, fb_get_table(root, FB_SystemDescRoot_system_desc),
                                 t->device);
    free(data);
    return status;
}

static tw_status verb_check(ttrt *t, const ttrt_binary *b, tw_strbuf *more)
{
    if (!t->system_desc)
        return check_device(t, b);
    cli_list files = {0};
    collect(t->system_desc, &files);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < files.count; i++) {
        ttrt_binary desc;
        tw_status one = open_binary(files.at[i], &desc);
        if (!one)
            one = compare_systems(b, ttrt_root_table(&desc, "system_desc"), files.at[i]);
        tw_strbuf_free(&desc.bytes);
        if (one && !status)
            status = one;
        else
            tw_status_free(one);
        free((void *)files.at[i]);
    }
    free(files.at);
    tw_strbuf_puts(more, ",\n    \"system_desc\": ");
    tw_json_string(more, tw_str_from(t->system_desc));
    return status;
}

/* ---- verbs -------------------------------------------------------------------------- */

static const struct {
    const char *name, *help;
    tw_status (*run)(ttrt *t, const ttrt_binary *b, tw_strbuf *more);
    bool needs_schema; /* a binary of another schema is skipped */
} verbs[] = {
    {"query", "show the device's system descriptor", NULL, false},
    {"read", "show sections of binaries", ttrt_read, true},
    {"check", "compare binaries' system descriptors with the device's", verb_check, true},
    {"run", "run binaries", ttrt_run, true},
    {"perf", "run binaries and report what each operation took", ttrt_run, true},
};

static void work_on(ttrt *t, size_t verb, const char *path)
{
    ttrt_binary b;
    tw_strbuf more = {0};
    bool skipped = false;
    tw_status status = open_binary(path, &b);
    if (!status && verbs[verb].needs_schema && !t->ignore_version && !same_schema(&b)) {
        status = tw_error(TW_INVALID,
                          "Binary schema mismatch, please recompile the binary with the "
                          "compiler at the same schema version");
        skipped = true;
    }
    if (!status)
        status = verbs[verb].run(t, &b, &more);
    if (!status && verbs[verb].run == verb_check)
        ttrt_log(t, "INFO", "PASS: the system descriptor of %s is that of %s", path,
                 t->system_desc ? t->system_desc : t->device);
    ttrt_result(t, path, status, skipped, more.size ? more.data : NULL);
    tw_strbuf_free(&more);
    tw_strbuf_free(&b.bytes);
}

static tw_status write_list(const char *path, tw_strbuf *items)
{
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "[%s\n]\n", tw_strbuf_text(items));
    tw_status status = tw_file_write(path, text.data, text.size);
    tw_strbuf_free(&text);
    return status;
}

/* ttrt_report.xml, beside the file of results. */
static tw_status write_report(const ttrt *t)
{
    tw_strbuf text = {0}, path = {0};
    const char *slash = t->result_file ? strrchr(t->result_file, '/') : NULL;
    if (slash)
        tw_strbuf_printf(&path, "%.*s", (int)(slash - t->result_file + 1), t->result_file);
    tw_strbuf_puts(&path, "ttrt_report.xml");
    tw_strbuf_printf(
        &text,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites name=\"TTRT\">\n"
        "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\">\n%s"
        "  </testsuite>\n</testsuites>\n",
        t->verb, t->n_results, t->n_failed, tw_strbuf_text(&t->cases));
    tw_status status = tw_file_write(path.data, text.data, text.size);
    tw_strbuf_free(&path);
    tw_strbuf_free(&text);
    return status;
}

static int finish(ttrt *t)
{
    char name[64];
    snprintf(name, sizeof name, "%s_results.json", t->verb);
    if (t->json)
        printf("[%s\n]\n", tw_strbuf_text(&t->results));
    tw_status status = write_list(t->result_file ? t->result_file : name, &t->results);
    if (!status && strcmp(t->verb, "read") == 0)
        status = write_list(t->read_file, &t->sections);
    if (!status)
        status = write_report(t);
    tw_strbuf_free(&t->results);
    tw_strbuf_free(&t->sections);
    tw_strbuf_free(&t->cases);
    if (status)
        return cli_error("ttrt", status);
    /* 42: only comparisons failed */
    return !t->n_failed ? 0 : t->n_failed == t->n_test_failed ? 42 : 1;
}

/* TTMLIR_RUNTIME_LOGGER_LEVEL; false if it is no level. */
static bool read_runtime_level(ttrt *t)
{
    static const char *const names[] = {"trace",   "debug", "info",
                                        "warning", "error", "fatal"};
    const char *given = getenv("TTMLIR_RUNTIME_LOGGER_LEVEL");
    if (!given || !*given)
        return true;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (strcasecmp(given, names[i]) == 0) {
            t->trace = i == 0;
            return true;
        }
    fprintf(stderr,
            "ttrt: TTMLIR_RUNTIME_LOGGER_LEVEL='%s' is not one of Trace, Debug, Info, "
            "Warning, Error, Fatal\n",
            given);
    return false;
}

/* What options and the environment mean together. */
static bool settle(ttrt *t)
{
    const char *level = getenv("TTRT_LOGGER_LEVEL");
    t->least_level = level_number(level && *level ? level : "INFO");
    if (t->loops < 1)
        fprintf(stderr, "ttrt: for the --loops option: '%lld' is no positive number\n",
                (long long)t->loops);
    else if (t->least_level < 0)
        fprintf(stderr,
                "ttrt: TTRT_LOGGER_LEVEL='%s' is not one of DEBUG, INFO, WARNING, "
                "ERROR, CRITICAL\n",
                level);
    else
        return read_runtime_level(t);
    return false;
}

int ttrt_main(int argc, char **argv)
{
    ttrt t = {.artifact_dir = "ttrt-artifacts",
              .section = "all",
              .read_file = "read_sections.json",
              .device = "wormhole_b0",
              .init = "randn",
              .program_index = "all",
              .pcc = "0.99",
              .rtol = "1e-5",
              .atol = "1e-8",
              .loops = 1};
    cli_command commands[TW_COUNT(verbs)];
    for (size_t i = 0; i < TW_COUNT(verbs); i++)
        commands[i] = (cli_command){.name = verbs[i].name,
                                    .arguments = verbs[i].run ? "FILE or FOLDER..." : "",
                                    .summary = verbs[i].help,
                                    .options = ttrt_options,
                                    .n_options = ttrt_n_options};
    cli c = {.tool = "ttrt",
             .overview = "look at binaries and run them",
             .commands = commands,
             .n_commands = TW_COUNT(verbs),
             .warns_itself = true,
             .into = &t};
    int exit_status = cli_parse(&c, argc, argv);
    if (exit_status >= 0)
        return exit_status;
    if (!c.command)
        return cli_usage("ttrt", "no command is given");
    size_t verb = (size_t)(c.command - commands);
    t.verb = verbs[verb].name;
    if (!settle(&t)) {
        free(c.inputs.at);
        return 1;
    }
    t.profile |= strcmp(t.verb, "perf") == 0;
    if (!limits_apply(&t.limits, "ttrt"))
        return 2;
    t.log = t.log_path ? fopen(t.log_path, "w") : NULL;
    if (t.log_path && !t.log) {
        fprintf(stderr, "ttrt: error: cannot create '%s'\n", t.log_path);
        free(c.inputs.at);
        return 1;
    }
    for (size_t i = 0; i < c.no_effect.count; i++)
        ttrt_log(&t, "WARNING", "option --%s has no effect: %s", c.no_effect.at[i]->name,
                 c.no_effect.at[i]->no_effect);
    free(c.no_effect.at);
    if (!verbs[verb].run) {
        ttrt_result(&t, NULL, query(&t), false, NULL);
    } else if (!c.inputs.count) {
        ttrt_result(&t, NULL, tw_error(TW_INVALID, "no binary is given"), false, NULL);
    } else {
        cli_list files = {0};
        for (size_t i = 0; i < c.inputs.count; i++)
            collect(c.inputs.at[i], &files);
        for (size_t i = 0; i < files.count; i++) {
            if (t.clean_artifacts)
                clean(&t, files.at[i]);
            work_on(&t, verb, files.at[i]);
            free((void *)files.at[i]);
        }
        if (!files.count)
            ttrt_result(&t, c.inputs.at[0], tw_error(TW_NOT_FOUND, "no binaries found"),
                        false, NULL);
        free(files.at);
    }
    free(c.inputs.at);
    if (t.log)
        fclose(t.log);
    return finish(&t);
}
