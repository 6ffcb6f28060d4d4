/* report.c: see report.h. */
#include "report.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/suggest.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* "sarif:out.sarif" names a file; the format ends at the colon. */
static const char *file_of(const char *asked)
{
    const char *colon = strchr(asked, ':');
    return colon ? colon + 1 : NULL;
}

/* The table's name of the format, or NULL after an error. */
static const char *format_of(const char *tool, const char *asked)
{
    const tw_str name = {asked, strcspn(asked, ":")};
    tw_nearest near = tw_nearest_to(name);
    const char *format;
    for (size_t i = 0; (format = tw_report_format(i)); i++) {
        if (tw_str_is(name, format))
            return format;
        tw_nearest_try(&near, name, format);
    }
    fprintf(stderr, "%s: for the --report option: no format '%.*s'; there are", tool,
            (int)name.size, name.data);
    for (size_t i = 0; (format = tw_report_format(i)); i++)
        fprintf(stderr, "%s %s", i ? "," : "", format);
    if (near.best)
        fprintf(stderr, "; did you mean '%s'?", near.best);
    fputc('\n', stderr);
    return NULL;
}

/* Writes every report; `failed` is the outcome so far. */
static tw_status write_all(tool_report *r, bool failed)
{
    const tw_report_about about = {r->tool, r->input, failed};
    for (size_t i = 0; i < r->asked->count; i++) {
        const char *asked = r->asked->at[i], *file = file_of(asked);
        const char *format = format_of(r->tool, asked);
        const char *text = format ? tw_diagnostics_report(r->list, format, &about) : NULL;
        if (text && file)
            TW_TRY(tw_file_write(file, text, strlen(text)));
        else if (text)
            fputs(text, stderr);
    }
    return TW_SUCCESS;
}

/* ---- interruption */

/* Signals are waited for in a thread, where files may be written. */
static void set_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

static void *wait_for_signal(void *user)
{
    tool_report *r = user;
    sigset_t set;
    int number;
    set_signals(&set);
    if (sigwait(&set, &number) != 0)
        return NULL;
    tw_diagnostics_add(
        r->list, &(tw_diagnostic){.severity = TW_SEVERITY_ERROR,
                                  .rule = "interrupted",
                                  .text = "the run was interrupted; the report holds what "
                                          "was found until then"});
    tw_status status = write_all(r, true);
    _exit(status == TW_SUCCESS ? 128 + number : 1);
}

static bool watch_signals(tool_report *r)
{
    sigset_t set;
    pthread_t thread;
    set_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, r) == 0)
        return pthread_detach(thread) == 0;
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* an interruption then ends the process */
    return false;
}

/* ---- a command */

bool report_begin(tool_report *r, const char *tool, const char *input,
                  const cli_list *asked)
{
    *r = (tool_report){.asked = asked, .tool = tool, .input = input};
    if (!asked->count)
        return true;
    for (size_t i = 0; i < asked->count; i++) {
        if (!format_of(tool, asked->at[i]))
            return false;
        if (file_of(asked->at[i]) && !*file_of(asked->at[i])) {
            fprintf(stderr, "%s: for the --report option: no file behind the colon\n",
                    tool);
            return false;
        }
        r->on_stderr |= !file_of(asked->at[i]);
    }
    r->list = tw_diagnostics_create();
    for (size_t i = 0; i < asked->count;
         i++) { /* errors of files are found before the run */
        const char *file = file_of(asked->at[i]);
        tw_status status = file ? tw_file_write(file, "", 0) : TW_SUCCESS;
        if (status != TW_SUCCESS) {
            cli_error(tool, status);
            tw_diagnostics_destroy(r->list);
            r->list = NULL;
            return false;
        }
    }
    watch_signals(r);
    return true;
}

static bool has_errors(const tw_diagnostics *list)
{
    for (size_t i = 0; i < tw_diagnostics_count(list); i++)
        if (tw_diagnostics_at(list, i)->severity == TW_SEVERITY_ERROR)
            return true;
    return false;
}

/* The first line "FILE:LINE:COLUMN: error: TEXT" of a message, or the message. */
static void add_message(tool_report *r, const char *message, const char *rule)
{
    tw_diagnostic d = {.severity = TW_SEVERITY_ERROR, .rule = rule, .text = message};
    char file[1024];
    int size = 0;
    if (sscanf(message, "%1023[^:\n]:%u:%u: error: %n", file, &d.at.line, &d.at.column,
               &size) == 3 &&
        size) {
        d.at.file = file;
        d.text = message + size;
    } else {
        d.at = (tw_location){0};
    }
    tw_diagnostics_add(r->list, &d);
}

/* Records the failure unless an error was; true if its text is left out. */
static bool record(tool_report *r, tw_status status)
{
    if (r->list && !has_errors(r->list))
        add_message(r, tw_status_message(status), tw_code_name(tw_status_code(status)));
    return r->on_stderr;
}

int report_fail(tool_report *r, tw_status status)
{
    const tw_code code = tw_status_code(status);
    if (!record(r, status))
        return cli_fail(status);
    tw_status_free(status);
    return code == TW_UNSUPPORTED ? CLI_UNSUPPORTED : 1;
}

int report_error(tool_report *r, tw_status status)
{
    if (!record(r, status))
        return cli_error(r->tool, status);
    tw_status_free(status);
    return 1;
}

int report_end(tool_report *r, int code)
{
    if (!r->list)
        return code;
    tw_status status = write_all(r, code != 0);
    return status == TW_SUCCESS ? code : cli_error(r->tool, status);
}
