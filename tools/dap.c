/* dap.c: see dap.h. */
#include "dap.h"

#include "dap_session.h"
#include "support/arena.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static dap_session *current;

/* The protocol's word for why the client gets this stop; NULL: the run goes on. */
static const char *reason(dap_session *s, const json_t *hit)
{
    const char *why = json_string_value(json_object_get(s->values.state, "why"));
    if (strcmp(why, "breakpoint()") == 0)
        return "breakpoint";
    if (strcmp(why, "step") == 0)
        return "step";
    if (s->entry)
        return "entry";
    if (json_array_size(hit))
        return "breakpoint";
    return s->pauses ? "pause" : NULL;
}

/* Takes the next message; false at the end of the session's input. */
static bool serve_one(dap_session *s, bool wait, bool *out_resumes)
{
    json_t *message = dap_read(&s->channel, wait);
    if (message) {
        *out_resumes = dap_answer(s, message);
        return true;
    }
    if (s->channel.wrong.size || s->channel.ended) {
        if (!s->channel.wrong.size && !s->ended)
            tw_strbuf_puts(&s->channel.wrong,
                           "the input has ended before a disconnect request");
        s->broken = s->channel.wrong.size > 0;
        s->left = s->ends = true;
    }
    return false;
}

/* ---- the run ------------------------------------------------------------------------- */

static void *watch_input(void *user)
{
    dap_session *s = user;
    while (s->watching) {
        struct pollfd in = {.fd = s->channel.in, .events = POLLIN};
        if (poll(&in, 1, 50) > 0 && s->armed) {
            s->armed = false;
            tw_sim_pause(s->sim);
        } else if (!s->armed) {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    return NULL;
}

/* Reports the stop to the client and serves it until it lets the run go on. */
static void stay(dap_session *s, const char *why, json_t *hit)
{
    static const char *const descriptions[][2] = {
        {"breakpoint", "Breakpoint"},
        {"step", "Step"},
        {"entry", "The first operation of a kernel"},
        {"pause", "Pause"}};
    const char *text = why;
    for (size_t i = 0; i < TW_COUNT(descriptions); i++)
        if (strcmp(descriptions[i][0], why) == 0)
            text = descriptions[i][1];
    json_t *body = json_pack(
        "{s:s,s:s,s:I,s:b}", "reason", why, "description", text, "threadId",
        json_integer_value(json_object_get(s->values.state, "stopped")) + HOST + 1,
        "allThreadsStopped", 1);
    if (json_array_size(hit))
        json_object_set(body, "hitBreakpointIds", hit);
    s->entry = s->pauses = false;
    s->step_command = NULL;
    dap_event(&s->channel, "stopped", body);
    s->staying = true;
    for (bool resumes = false; !resumes && !s->ends;)
        if (!serve_one(s, true, &resumes))
            break;
    s->staying = false;
}

static void on_stop(void *user, tw_stop *stop)
{
    dap_session *s = user;
    bool resumes;
    s->armed = false;
    s->stop = s->values.stop = stop;
    s->next = TW_STOP_STAYS;
    dap_describe(s);
    json_decref(s->threads);
    s->threads = json_incref(json_object_get(s->values.state, "threads"));
    dap_capture_send(&s->out, &s->channel);
    dap_capture_send(&s->err, &s->channel);
    if (s->stale)
        dap_set_breaks(s);
    while (!s->ends && serve_one(s, false, &resumes)) /* sent while it ran */
        continue;
    const json_t *thread = json_array_get(
        s->threads,
        (size_t)json_integer_value(json_object_get(s->values.state, "stopped")));
    json_t *hit = dap_breakpoints_at(s, thread);
    const char *why = reason(s, hit);
    if (why && !s->ends) {
        stay(s, why, hit);
    } else if (s->step_command && !s->ends) { /* with the step that it was in */
        dap_look_at(s, json_array_get(s->threads, (size_t)s->step_thread));
        free(dap_command(s, s->step_command));
    }
    if (s->ends)
        free(dap_command(s, "quit"));
    else if (s->next == TW_STOP_STAYS)
        free(dap_command(s, "continue"));
    json_decref(hit);
    dap_values_free(&s->values);
    s->stop = NULL;
    s->armed = true;
    if (s->channel.at < s->channel.bytes.size) /* received already: it is not waited for */
        tw_sim_pause(s->sim);
}

bool dap_attach(tw_sim *sim)
{
    if (!current)
        return false;
    current->sim = sim;
    current->stale = true;
    tw_sim_set_on_stop(sim, on_stop, current);
    tw_sim_pause(
        sim); /* breakpoints are set at the first operation, where lines are known */
    current->armed = false;
    current->watching = true;
    current->watching = pthread_create(&current->watcher, NULL, watch_input, current) == 0;
    return true;
}

void dap_detach(void)
{
    if (!current || !current->watching)
        return;
    current->watching = false;
    pthread_join(current->watcher, NULL);
    current->sim = NULL;
}

/* The command line of the launch request, and its folder and environment. */
static int run_program(dap_session *s, int (*run)(int argc, char **argv))
{
    const json_t *args = json_object_get(s->launched, "args");
    const char *cwd = json_string_value(json_object_get(s->launched, "cwd")), *key;
    const size_t n = json_array_size(args);
    json_t *value;
    const char **argv = tw_xcalloc(n + 4, sizeof *argv);
    argv[0] = "tilewright";
    argv[1] = "sim";
    argv[2] = json_string_value(json_object_get(s->launched, "program"));
    for (size_t i = 0; i < n; i++)
        argv[i + 3] = json_string_value(json_array_get(args, i));
    json_object_foreach(json_object_get(s->launched, "env"), key, value)
        setenv(key, json_string_value(value), 1);
    if (cwd && chdir(cwd) != 0)
        perror(cwd);
    const int code = run((int)n + 3, (char **)(uintptr_t)argv);
    free(argv);
    return code;
}

static void session_free(dap_session *s)
{
    for (size_t i = 0; i < s->n_breaks; i++)
        free(s->breaks[i].path);
    free(s->breaks);
    json_decref(s->launched);
    json_decref(s->functions);
    json_decref(s->threads);
    tw_strbuf_free(&s->channel.bytes);
    tw_strbuf_free(&s->channel.wrong);
}

/* Standard input is empty for the program, and what it prints is captured. */
static bool redirect(dap_session *s)
{
    const int null = open("/dev/null", O_RDONLY);
    s->channel.in = dup(0);
    s->channel.out = dup(1);
    const bool ok = null >= 0 && s->channel.in >= 0 && s->channel.out >= 0 &&
                    dup2(null, 0) == 0 && dap_capture_begin(&s->out, 1, "stdout") &&
                    dap_capture_begin(&s->err, 2, "stderr");
    if (null >= 0)
        close(null);
    return ok;
}

int dap_serve(int (*run)(int argc, char **argv))
{
    dap_session s = {.functions = json_array()};
    bool resumes;
    if (!redirect(&s)) {
        dap_capture_end(&s.err);
        perror("tilewright sim --dap: error: cannot redirect the standard streams");
        return 1;
    }
    while (!s.started && !s.left && (serve_one(&s, true, &resumes) || !s.left))
        continue;
    if (s.started && !s.ends) {
        current = &s;
        const int code = run_program(&s, run);
        current = NULL;
        s.ended = true;
        dap_capture_send(&s.out, &s.channel);
        dap_capture_send(&s.err, &s.channel);
        json_decref(s.threads);
        s.threads = NULL;
        dap_event(&s.channel, "exited", json_pack("{s:i}", "exitCode", code));
        dap_event(&s.channel, "terminated", NULL);
        while (!s.left && (serve_one(&s, true, &resumes) || !s.left))
            continue;
    }
    dap_capture_end(&s.out);
    dap_capture_end(&s.err);
    if (s.broken)
        fprintf(stderr, "tilewright sim --dap: error: %s\n",
                tw_strbuf_text(&s.channel.wrong));
    const int code = s.broken;
    session_free(&s);
    return code;
}
