/* profile.c: times of the operations in the last run of each program, as JSON: all in the
 * order of the programs, and each program alone where there are several. */
#include "pjrt.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/json.h"
#include "support/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct program_times {
    uint64_t runs;
    double total_us;
    tw_strbuf operations; /* members of an array */
} program_times;

/* A file, with the programs that write it. */
typedef struct profile {
    struct profile *next;
    char *path;
    program_times *programs;
    size_t count;
    bool failed;
} profile;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static profile *files;

static profile *file_of(const char *path)
{
    for (profile *p = files; p; p = p->next)
        if (!strcmp(p->path, path))
            return p;
    profile *p = tw_xcalloc(1, sizeof *p);
    p->path = strdup(path);
    p->next = files;
    return files = p;
}

size_t pj_profile_begin(const char *path)
{
    pthread_mutex_lock(&lock);
    profile *p = file_of(path);
    p->programs = tw_xrealloc(p->programs, (p->count + 1) * sizeof *p->programs);
    p->programs[p->count] = (program_times){0};
    size_t index = p->count++;
    pthread_mutex_unlock(&lock);
    return index;
}

static void measure(program_times *t, const tw_program *program)
{
    t->runs++;
    t->total_us = 0;
    t->operations.size = 0;
    for (size_t i = 0; i < tw_program_step_count(program); i++) {
        const char *name = tw_program_step_name(program, i), *dot = strrchr(name, '.');
        double us = (double)tw_program_step_time(program, i) / 1000;
        t->total_us += us;
        tw_strbuf_puts(&t->operations,
                       t->operations.size ? ",\n  {\"name\": " : "\n  {\"name\": ");
        tw_json_string(&t->operations, tw_str_from(dot ? dot + 1 : name));
        tw_strbuf_puts(&t->operations, ", \"operation\": ");
        tw_json_string(&t->operations, tw_str_from(name));
        tw_strbuf_printf(&t->operations, ", \"duration_us\": %.3f}", us);
    }
}

static void put(tw_strbuf *out, const program_times *t, size_t n)
{
    double total = 0;
    uint64_t runs = 0;
    bool more = false;
    for (size_t i = 0; i < n; i++) {
        total += t[i].total_us;
        runs += t[i].runs;
    }
    tw_strbuf_printf(out, "\"runs\": %llu, \"total_us\": %.3f, \"operations\": [",
                     (unsigned long long)runs, total);
    for (size_t i = 0; i < n; i++) {
        if (t[i].operations.size && more)
            tw_strbuf_putc(out, ',');
        more |= t[i].operations.size > 0;
        tw_strbuf_append(out, t[i].operations.data, t[i].operations.size);
    }
    tw_strbuf_puts(out, "]");
}

static void write_file(profile *p)
{
    tw_strbuf out = {0};
    tw_strbuf_puts(&out, "{");
    put(&out, p->programs, p->count);
    for (size_t i = 0; p->count > 1 && i < p->count; i++) {
        tw_strbuf_puts(&out, i ? ",\n {" : ",\n \"programs\": [\n {");
        tw_strbuf_printf(&out, "\"program\": %zu, ", i);
        put(&out, &p->programs[i], 1);
        tw_strbuf_puts(&out, i + 1 < p->count ? "}" : "}]");
    }
    tw_strbuf_puts(&out, "}\n");
    tw_status status = tw_file_write(p->path, out.data, out.size);
    tw_strbuf_free(&out);
    if (status && !p->failed) {
        p->failed = true;
        pj_log("TTXLA_LOGGER_LEVEL", PJ_WARNING,
               "%s; programs run without profiles; further failures are not reported",
               tw_status_message(status));
    }
    tw_status_free(status);
}

void pj_profile_add(const char *path, size_t index, const tw_program *program)
{
    pthread_mutex_lock(&lock);
    profile *p = file_of(path);
    measure(&p->programs[index], program);
    write_file(p);
    pthread_mutex_unlock(&lock);
}
