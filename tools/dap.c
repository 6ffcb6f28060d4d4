/* dap.c: see dap.h. */
#include "dap.h"

#include "commands.h"
#include "dap_channel.h"
#include "dap_values.h"
#include "support/arena.h"
#include "tilewright/debug.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Id of the thread that is shown while no kernel has run; threads of cores follow. */
enum { HOST = 1 };

typedef struct breakpoint {
    char *path;
    json_int_t id, wanted, line;
    bool verified;
    char message[160]; /* why it is not verified, or "" */
} breakpoint;

typedef struct session {
    dap_channel channel;
    dap_capture out, err;
    json_t *launched; /* the arguments of the launch request */
    bool started, ended, left, broken, ends;
    bool staying;       /* in a stop that the client knows of */
    bool entry, pauses; /* the client wants a stop */
    bool stale;         /* breakpoints have changed since the last stop */
    breakpoint *breaks;
    size_t n_breaks, capacity;
    json_int_t ids;
    json_t *functions; /* of kernels that have run, with their lines */
    json_t *threads;   /* of the last stop */
    tw_sim *sim;
    tw_stop *stop;
    dap_values values;
    tw_stop_next next;
    int step_thread;
    const char *step_command; /* NULL: it goes on to a breakpoint */
    /* While the program runs: whether input is to stop it. */
    pthread_t watcher;
    volatile bool armed, watching;
} session;

static session *current;

/* ---- answers ------------------------------------------------------------------------- */

/* An answer; a request fails where `wrong` is written. */
typedef struct answer {
    session *s;
    const json_t *arguments;
    json_t *body;
    tw_strbuf wrong;
    bool resumes; /* the stop goes on once it is sent */
} answer;

static void fail(answer *a, const char *format, ...) TW_PRINTF(2, 3);
static void fail(answer *a, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!a->wrong.size)
        tw_strbuf_vprintf(&a->wrong, format, list);
    va_end(list);
}

static json_t *argument(const answer *a, const char *name)
{
    return json_object_get(a->arguments, name);
}

static json_int_t integer(answer *a, const char *name, json_int_t otherwise)
{
    const json_t *value = argument(a, name);
    if (!value || json_is_null(value))
        return otherwise;
    if (!json_is_integer(value))
        fail(a, "expected an integer as \"%s\"", name); /* the first one counts */
    return json_integer_value(value);
}

static const char *string(answer *a, const char *name)
{
    const char *value = json_string_value(argument(a, name));
    if (!value)
        fail(a, "expected a string as \"%s\"", name);
    return value ? value : "";
}

/* ---- stops --------------------------------------------------------------------------- */

static char *command(session *s, const char *line)
{
    char *text;
    const tw_stop_next next = tw_stop_command(s->stop, line, &text);
    if (next != TW_STOP_STAYS)
        s->next = next;
    return text;
}

static void describe(session *s)
{
    char *text = tw_stop_describe(s->stop);
    json_decref(s->values.state);
    s->values.state = json_loads(text, 0, NULL);
    s->values.thread = (int)json_integer_value(json_object_get(s->values.state, "thread"));
    free(text);
}

/* Looks at another thread: commands and values are about its core. */
static void look_at(session *s, const json_t *thread)
{
    tw_strbuf line = {0};
    tw_strbuf_printf(&line, "thread %d,%d:%s",
                     (int)json_integer_value(json_object_get(thread, "y")),
                     (int)json_integer_value(json_object_get(thread, "x")),
                     json_string_value(json_object_get(thread, "name")));
    free(command(s, tw_strbuf_text(&line)));
    tw_strbuf_free(&line);
    describe(s);
}

/* The thread of an id, at which the stop then looks. */
static const json_t *at_thread(answer *a, json_int_t id)
{
    session *s = a->s;
    if (!s->staying) {
        fail(a, "the program runs; expected a stop in a kernel");
        return NULL;
    }
    const json_t *t =
        id > HOST ? json_array_get(s->threads, (size_t)(id - HOST - 1)) : NULL;
    if (!t) {
        fail(a, "there is no thread %lld", (long long)id);
        return NULL;
    }
    look_at(s, t);
    return t;
}

static bool is_same_file(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    const bool same = x && y ? strcmp(x, y) == 0 : strcmp(a, b) == 0;
    free(x);
    free(y);
    return same;
}

/* ---- breakpoints --------------------------------------------------------------------- */

static json_t *breakpoint_body(const breakpoint *b)
{
    json_t *body = json_pack("{s:I,s:b,s:I,s:o}", "id", b->id, "verified", (int)b->verified,
                             "line", b->line, "source", dap_source(b->path));
    if (*b->message)
        json_object_set_new(body, "message", json_string(b->message));
    return body;
}

static json_int_t line_of(const json_t *lines, size_t i)
{
    return json_integer_value(json_array_get(lines, i));
}

/* Moves it to the next line with an operation in the function around it; true if that
 * changes it. */
static bool settle(const session *s, breakpoint *b)
{
    json_int_t next = 0, nearest = 0;
    const breakpoint before = *b;
    size_t i, k;
    json_t *f, *each;
    json_array_foreach(s->functions, i, f)
    {
        const char *file = json_string_value(json_object_get(f, "file"));
        const json_t *lines = json_object_get(f, "lines");
        const size_t n = json_array_size(lines);
        if (!file || !n || !is_same_file(file, b->path))
            continue;
        const json_t *head = json_object_get(f, "line");
        const json_int_t first = head ? json_integer_value(head) : line_of(lines, 0);
        const bool around = first <= b->wanted && b->wanted <= line_of(lines, n - 1);
        json_array_foreach(json_object_get(f, "lines"), k, each)
        {
            const json_int_t line = json_integer_value(each);
            if (around && line >= b->wanted && (!next || line < next))
                next = line;
            if (!nearest || llabs(line - b->wanted) < llabs(nearest - b->wanted))
                nearest = line;
        }
    }
    if (next) {
        b->line = next;
        b->verified = true;
        *b->message = 0;
    } else if (nearest && !b->verified) {
        snprintf(b->message, sizeof b->message,
                 "line %lld is in no thread of a kernel that has run; the nearest is %lld",
                 (long long)b->wanted, (long long)nearest);
    }
    return before.line != b->line || before.verified != b->verified ||
           strcmp(before.message, b->message) != 0;
}

static void note_functions(session *s)
{
    size_t i, k;
    json_t *f, *known;
    json_array_foreach(json_object_get(s->values.state, "code"), i, f)
    {
        bool is_known = false;
        json_array_foreach(s->functions, k, known) is_known |= json_equal(known, f) != 0;
        if (!is_known)
            json_array_append(s->functions, f);
    }
}

/* Gives the run the client's breakpoints, and says where they are. */
static void set_breaks(session *s)
{
    s->stale = false;
    note_functions(s);
    for (bool more = true; more;) {
        char *text = command(s, "delete 0");
        more = strncmp(text, "there is no", 11) != 0;
        free(text);
    }
    for (size_t i = 0; i < s->n_breaks; i++) {
        breakpoint *b = &s->breaks[i];
        char line[48];
        if (settle(s, b))
            dap_event(&s->channel, "breakpoint",
                      json_pack("{s:s,s:o}", "reason", "changed", "breakpoint",
                                breakpoint_body(b)));
        snprintf(line, sizeof line, "break *:*:%lld", (long long)b->line);
        free(command(s, line));
    }
}

/* The ids of breakpoints at a thread's line. */
static json_t *breakpoints_at(session *s, const json_t *thread)
{
    json_t *hit = json_array();
    const char *file = json_string_value(json_object_get(thread, "file"));
    const json_int_t line = json_integer_value(json_object_get(thread, "line"));
    for (size_t i = 0; file && i < s->n_breaks; i++) {
        breakpoint *b = &s->breaks[i];
        if (b->line != line || !is_same_file(file, b->path))
            continue;
        json_array_append_new(hit, json_integer(b->id));
        if (b->verified)
            continue;
        b->verified = true; /* in C++, whose lines are known once they run */
        *b->message = 0;
        dap_event(
            &s->channel, "breakpoint",
            json_pack("{s:s,s:o}", "reason", "changed", "breakpoint", breakpoint_body(b)));
    }
    return hit;
}

/* The protocol's word for why the client gets this stop; NULL: the run goes on. */
static const char *reason(session *s, const json_t *hit)
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

/* ---- requests ------------------------------------------------------------------------ */

static void initialize(answer *a)
{
    a->body = json_pack("{s:b,s:b,s:b,s:b}", "supportsConfigurationDoneRequest", 1,
                        "supportsTerminateRequest", 1, "supportsEvaluateForHovers", 1,
                        "supportsSteppingGranularity", 1);
}

static bool are_strings(const json_t *values)
{
    size_t i;
    json_t *each;
    json_array_foreach(values, i, each) if (!json_is_string(each)) return false;
    return true;
}

static void launch(answer *a)
{
    const char *program = json_string_value(argument(a, "program")), *key;
    const json_t *args = argument(a, "args"), *cwd = argument(a, "cwd");
    json_t *env = argument(a, "env"), *value;
    if (a->s->launched)
        fail(a, "a program is launched already");
    else if (!program || access(program, R_OK) != 0)
        fail(a, "no file '%s'; \"program\" names one with kernels", program ? program : "");
    else if (args && !json_is_null(args) && !(json_is_array(args) && are_strings(args)))
        fail(a, "\"args\" is a list of strings");
    else if (cwd && !json_is_null(cwd) &&
             !(json_is_string(cwd) && access(json_string_value(cwd), X_OK) == 0))
        fail(a, "\"cwd\" names a folder");
    else if (env && !json_is_null(env) && !json_is_object(env))
        fail(a, "\"env\" is an object of strings");
    json_object_foreach(env, key, value) if (!json_is_string(value))
        fail(a, "\"env\" is an object of strings");
    if (a->wrong.size)
        return;
    char *whole = realpath(program, NULL);
    a->s->launched = json_copy((json_t *)(uintptr_t)a->arguments);
    json_object_set_new(a->s->launched, "program", json_string(whole ? whole : program));
    a->s->entry = json_is_true(argument(a, "stopOnEntry"));
    free(whole);
}

static void configuration_done(answer *a)
{
    if (!a->s->launched)
        fail(a, "there is no program: a launch request comes first");
    else
        a->s->started = true;
}

static bool is_line(const json_t *line)
{
    return json_is_integer(line) && json_integer_value(line) > 0 &&
           json_integer_value(line) < INT32_MAX;
}

static void remove_breakpoints(session *s, const char *path)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_breaks; i++) {
        if (strcmp(s->breaks[i].path, path) == 0)
            free(s->breaks[i].path);
        else
            s->breaks[kept++] = s->breaks[i];
    }
    s->n_breaks = kept;
}

static void set_breakpoints(answer *a)
{
    session *s = a->s;
    const char *path = json_string_value(json_object_get(argument(a, "source"), "path"));
    const json_t *wanted = argument(a, "breakpoints");
    size_t i;
    json_t *each;
    bool valid = path && json_is_array(wanted);
    json_array_foreach(wanted, i, each) valid &= is_line(json_object_get(each, "line"));
    if (!valid) {
        fail(a, "expected \"source\" with a path, and \"breakpoints\" with positive lines");
        return;
    }
    remove_breakpoints(s, path);
    const size_t first = s->n_breaks;
    json_array_foreach(wanted, i, each)
    {
        const json_int_t line = json_integer_value(json_object_get(each, "line"));
        breakpoint b = {.path = tw_xstrdup(path),
                        .id = ++s->ids,
                        .wanted = line,
                        .line = line,
                        .message = "checked when a kernel runs"};
        settle(s, &b);
        TW_PUSH(s->breaks, s->n_breaks, s->capacity, b);
    }
    s->stale = true;
    json_t *made = json_array();
    for (i = first; i < s->n_breaks; i++)
        json_array_append_new(made, breakpoint_body(&s->breaks[i]));
    a->body = json_pack("{s:o}", "breakpoints", made);
    if (s->stop)
        set_breaks(s);
}

static void threads(answer *a)
{
    json_t *found = json_array(), *t;
    size_t i;
    json_array_foreach(a->s->threads, i, t)
    {
        tw_strbuf name = {0};
        tw_strbuf_printf(&name, "%s on core %d,%d",
                         json_string_value(json_object_get(t, "name")),
                         (int)json_integer_value(json_object_get(t, "y")),
                         (int)json_integer_value(json_object_get(t, "x")));
        json_array_append_new(found, json_pack("{s:I,s:s}", "id", (json_int_t)i + HOST + 1,
                                               "name", tw_strbuf_text(&name)));
        tw_strbuf_free(&name);
    }
    if (!json_array_size(found))
        json_array_append_new(found, json_pack("{s:i,s:s}", "id", HOST, "name", "host"));
    a->body = json_pack("{s:o}", "threads", found);
}

static void stack_trace(answer *a)
{
    const json_int_t id = integer(a, "threadId", 0), from = integer(a, "startFrame", 0);
    const json_t *t = at_thread(a, id);
    if (!t)
        return;
    const char *file = json_string_value(json_object_get(t, "file"));
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "%s (%s), cycle %.0f",
                     json_string_value(json_object_get(t, "name")),
                     json_string_value(json_object_get(t, "state")),
                     json_number_value(json_object_get(t, "cycle")));
    json_t *frame =
        json_pack("{s:I,s:s,s:I,s:i}", "id", id, "name", tw_strbuf_text(&name), "line",
                  json_integer_value(json_object_get(t, "line")), "column", file ? 1 : 0);
    if (file)
        json_object_set_new(frame, "source", dap_source(file));
    json_t *frames = json_array();
    if (from > 0)
        json_decref(frame);
    else
        json_array_append_new(frames, frame);
    a->body = json_pack("{s:o,s:i}", "stackFrames", frames, "totalFrames", 1);
    tw_strbuf_free(&name);
}

static void scopes(answer *a)
{
    if (at_thread(a, integer(a, "frameId", 0)))
        a->body = json_pack("{s:o}", "scopes", dap_scopes(&a->s->values));
}

static void variables(answer *a)
{
    const json_int_t reference = integer(a, "variablesReference", 0),
                     start = integer(a, "start", 0), count = integer(a, "count", 0);
    const char *filter = json_string_value(argument(a, "filter"));
    const int thread = dap_thread_of(&a->s->values, reference);
    if (a->s->staying && thread < 0)
        fail(a, "these variables are of an earlier stop");
    if (!at_thread(a, (json_int_t)thread + HOST + 1))
        return;
    json_t *found = filter && strcmp(filter, "named") == 0
                        ? json_array()
                        : dap_variables(&a->s->values, reference, start, count);
    a->body = json_pack("{s:o}", "variables", found);
}

/* A copy without the white space around it. */
static char *stripped(const char *text)
{
    text += strspn(text, " \t\n");
    char *copy = tw_xstrdup(text);
    size_t n = strlen(copy);
    while (n && strchr(" \t\n", copy[n - 1]))
        copy[--n] = 0;
    return copy;
}

static void evaluate(answer *a)
{
    session *s = a->s;
    char *text = stripped(string(a, "expression"));
    const char *context = json_string_value(argument(a, "context"));
    const json_int_t frame =
        integer(a, "frameId",
                json_integer_value(json_object_get(s->values.state, "stopped")) + HOST + 1);
    json_t *found = at_thread(a, frame) ? dap_named(&s->values, text) : NULL;
    if (a->wrong.size) {
        json_decref(found);
    } else if (found) {
        json_object_set(found, "result", json_object_get(found, "value"));
        json_object_del(found, "value");
        a->body = found;
    } else if (context && strcmp(context, "repl") == 0) {
        char *answered = command(s, text);
        answered[strlen(answered) - (*answered && answered[strlen(answered) - 1] == '\n')] =
            0;
        a->body = json_pack("{s:s,s:i}", "result", answered, "variablesReference", 0);
        a->resumes = s->next != TW_STOP_STAYS;
        free(answered);
    } else {
        tw_strbuf names = {0};
        dap_put_names(&s->values, &names);
        fail(a, "there is no circular buffer, semaphore or tile of DST '%s'; there are %s",
             text, tw_strbuf_text(&names));
        tw_strbuf_free(&names);
    }
    free(text);
}

static void go(answer *a, json_int_t thread, const char *line)
{
    if (!at_thread(a, thread))
        return;
    a->s->step_command = strncmp(line, "step", 4) == 0 ? line : NULL;
    a->s->step_thread = (int)(thread - HOST - 1);
    free(command(a->s, line));
    a->resumes = true;
}

static void go_on(answer *a)
{
    a->body = json_pack("{s:b}", "allThreadsContinued", 1);
    go(a, json_integer_value(json_object_get(a->s->values.state, "stopped")) + HOST + 1,
       "continue");
}

static void next(answer *a)
{
    const char *unit = json_string_value(argument(a, "granularity"));
    go(a, integer(a, "threadId", 0),
       unit && strcmp(unit, "instruction") == 0 ? "stepi" : "step");
}

static void step_in(answer *a)
{
    go(a, integer(a, "threadId", 0), "stepi");
}

static void step_out(answer *a)
{
    go(a, integer(a, "threadId", 0), "continue");
}

static void pause_run(answer *a)
{
    if (a->s->staying)
        fail(a, "the program has stopped already");
    else if (a->s->ended)
        fail(a, "the program has ended");
    a->s->pauses |= !a->wrong.size;
}

static void terminate(answer *a)
{
    a->s->ends = true;
}

static void disconnect(answer *a)
{
    a->s->left = a->s->ends = true;
}

static const struct {
    const char *name;
    void (*run)(answer *a);
} requests[] = {
    {"initialize", initialize},
    {"launch", launch},
    {"setBreakpoints", set_breakpoints},
    {"configurationDone", configuration_done},
    {"threads", threads},
    {"stackTrace", stack_trace},
    {"scopes", scopes},
    {"variables", variables},
    {"evaluate", evaluate},
    {"continue", go_on},
    {"next", next},
    {"stepIn", step_in},
    {"stepOut", step_out},
    {"pause", pause_run},
    {"terminate", terminate},
    {"disconnect", disconnect},
};

static void send_answer(answer *a, const json_t *message, const char *name)
{
    json_t *out = json_pack("{s:s,s:I,s:s,s:b}", "type", "response", "request_seq",
                            json_integer_value(json_object_get(message, "seq")), "command",
                            name, "success", (int)!a->wrong.size);
    if (a->wrong.size) {
        json_object_set_new(out, "message", json_string(tw_strbuf_text(&a->wrong)));
        json_decref(a->body);
    } else if (a->body) {
        json_object_set_new(out, "body", a->body);
    }
    dap_write(&a->s->channel, out);
}

/* Answers the message; true if a stop goes on after it. */
static bool handle(session *s, json_t *message)
{
    const char *name = json_string_value(json_object_get(message, "command"));
    answer a = {.s = s, .arguments = json_object_get(message, "arguments")};
    size_t i = 0;
    while (i < TW_COUNT(requests) && strcmp(requests[i].name, name) != 0)
        i++;
    if (i < TW_COUNT(requests))
        requests[i].run(&a);
    else
        fail(&a, "there is no request '%s'", name);
    const bool resumes = a.resumes && !a.wrong.size;
    send_answer(&a, message, name);
    if (!a.wrong.size && strcmp(name, "initialize") == 0)
        dap_event(&s->channel, "initialized", NULL);
    tw_strbuf_free(&a.wrong);
    json_decref(message);
    return resumes;
}

/* Takes the next message; false at the end of the session's input. */
static bool serve_one(session *s, bool wait, bool *out_resumes)
{
    json_t *message = dap_read(&s->channel, wait);
    if (message) {
        *out_resumes = handle(s, message);
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
    session *s = user;
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
static void stay(session *s, const char *why, json_t *hit)
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
    session *s = user;
    bool resumes;
    s->armed = false;
    s->stop = s->values.stop = stop;
    s->next = TW_STOP_STAYS;
    describe(s);
    json_decref(s->threads);
    s->threads = json_incref(json_object_get(s->values.state, "threads"));
    dap_capture_send(&s->out, &s->channel);
    dap_capture_send(&s->err, &s->channel);
    if (s->stale)
        set_breaks(s);
    while (!s->ends && serve_one(s, false, &resumes)) /* sent while it ran */
        continue;
    const json_t *thread = json_array_get(
        s->threads,
        (size_t)json_integer_value(json_object_get(s->values.state, "stopped")));
    json_t *hit = breakpoints_at(s, thread);
    const char *why = reason(s, hit);
    if (why && !s->ends) {
        stay(s, why, hit);
    } else if (s->step_command && !s->ends) { /* with the step that it was in */
        look_at(s, json_array_get(s->threads, (size_t)s->step_thread));
        free(command(s, s->step_command));
    }
    if (s->ends)
        free(command(s, "quit"));
    else if (s->next == TW_STOP_STAYS)
        free(command(s, "continue"));
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
static int run_program(session *s, int (*run)(int argc, char **argv))
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

static void session_free(session *s)
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
static bool redirect(session *s)
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
    session s = {.functions = json_array()};
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
