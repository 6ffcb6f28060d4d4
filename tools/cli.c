/* cli.c: see cli.h. */
#include "cli.h"

#include "support/arena.h"
#include "support/suggest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_name(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    return slash ? slash + 1 : argv0;
}

bool cli_colors(int stream)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(stream) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

/* "error:" on stderr. */
static const char *error_word(void)
{
    return cli_colors(2) ? "\033[1;31merror:\033[0m" : "error:";
}

/* The options of the command that is set, or of a tool without commands. */
static const cli_option *options_of(const cli *c, size_t *count)
{
    *count = c->command ? c->command->n_options : c->n_options;
    return c->command ? c->command->options : c->options;
}

/* "tilewright run" */
static void put_tool(const cli *c)
{
    fprintf(stderr, "%s%s%s", c->tool, c->command ? " " : "",
            c->command ? c->command->name : "");
}

static void try_options(tw_nearest *n, tw_str name, const cli_option *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (at[i].kind != CLI_HEADING)
            tw_nearest_try(n, name, at[i].name);
}

static const cli_option *find_option(const cli_option *at, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (at[i].kind != CLI_HEADING && strcmp(at[i].name, name) == 0)
            return &at[i];
    return NULL;
}

/* Names the other commands that have the option; true if there are any. */
static bool name_owners(const cli *c, const char *name)
{
    bool any = false;
    for (size_t i = 0; i < c->n_commands; i++)
        if (find_option(c->commands[i].options, c->commands[i].n_options, name)) {
            fprintf(stderr, "%s: '--%s' is an option of '%s %s'\n", c->tool, name, c->tool,
                    c->commands[i].name);
            any = true;
        }
    return any;
}

static int unknown(const cli *c, const char *argument, const char *name)
{
    size_t count;
    const cli_option *at = options_of(c, &count);
    tw_nearest n = tw_nearest_to(tw_str_from(name));
    if (c->suggest && c->suggest(c->user, name))
        tw_nearest_try(&n, tw_str_from(name), c->suggest(c->user, name));
    try_options(&n, tw_str_from(name), at, count);
    tw_nearest_try(&n, tw_str_from(name), "help");
    tw_nearest_try(&n, tw_str_from(name), "version");
    put_tool(c);
    fprintf(stderr, ": Unknown command line argument '%s'.  Try: '", argument);
    put_tool(c);
    fprintf(stderr, " --help'\n");
    if (!name_owners(c, name) && n.best)
        fprintf(stderr, "%s: Did you mean '--%s'?\n", c->tool, n.best);
    return 1;
}

static const cli_command *find_command(const cli *c, const char *word)
{
    for (size_t i = 0; i < c->n_commands; i++)
        if (strcmp(c->commands[i].name, word) == 0)
            return &c->commands[i];
    return NULL;
}

static int unknown_command(const cli *c, const char *word)
{
    tw_nearest n = tw_nearest_to(tw_str_from(word));
    for (size_t i = 0; i < c->n_commands; i++)
        tw_nearest_try(&n, tw_str_from(word), c->commands[i].name);
    fprintf(stderr, "%s: Unknown command '%s'.  Try: '%s --help'\n", c->tool, word,
            c->tool);
    if (n.best)
        fprintf(stderr, "%s: Did you mean '%s'?\n", c->tool, n.best);
    return 2;
}

/* "'a', 'b' or 'c'" */
static void put_choices(const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++)
        fprintf(stderr, "%s'%s'", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static bool is_choice(const char *const *choices, const char *value)
{
    for (size_t i = 0; choices[i]; i++)
        if (strcmp(choices[i], value) == 0)
            return true;
    return false;
}

static int set(cli *c, const cli_option *o, const char *value)
{
    if (o->no_effect)
        TW_PUSH(c->no_effect.at, c->no_effect.count, c->no_effect.capacity, o);
    void *target = (char *)c->into + o->at;
    switch (o->kind) {
    case CLI_FLAG:
        if (value && strcmp(value, "true") != 0 && strcmp(value, "false") != 0 &&
            strcmp(value, "1") != 0 && strcmp(value, "0") != 0) {
            fprintf(stderr,
                    "%s: for the --%s option: '%s' is invalid value for boolean argument! "
                    "Try 0 or "
                    "1\n",
                    c->tool, o->name, value);
            return 1;
        }
        *(bool *)target = !value || value[0] == 't' || value[0] == '1';
        return -1;
    case CLI_STRING:
        if (o->choices && !is_choice(o->choices, value ? value : "")) {
            fprintf(stderr, "%s: for the --%s option: Cannot find option named '%s'!  Try ",
                    c->tool, o->name, value ? value : "");
            put_choices(o->choices);
            fputc('\n', stderr);
            return 1;
        }
        *(const char **)target = value ? value : "";
        return -1;
    case CLI_INT: {
        char *end;
        errno = 0;
        *(int64_t *)target = strtoll(value, &end, 10);
        if (*end || end == value || errno) {
            fprintf(stderr,
                    "%s: for the --%s option: '%s' value invalid for integer argument!\n",
                    c->tool, o->name, value);
            return 1;
        }
        return -1;
    }
    default: {
        cli_list *l = target;
        TW_PUSH(l->at, l->count, l->capacity, value);
        return -1;
    }
    }
}

/* Reports write errors of standard output, such as a full disk. */
static void close_output(void)
{
    if (ferror(stdout) || fclose(stdout)) {
        fprintf(stderr, "cannot write standard output: %s\n", strerror(errno));
        _exit(1);
    }
}

/* The first word that is a command (options may come before it); what it is if none is. */
static int choose_command(cli *c, int argc, char **argv)
{
    const char *first = NULL;
    for (int i = 1; i < argc && !c->command && strcmp(argv[i], "--") != 0; i++) {
        if (!first && argv[i][0] != '-')
            first = argv[i];
        c->command = find_command(c, argv[i]);
    }
    if (!c->command && first && strcmp(first, "help") != 0)
        return unknown_command(c, first);
    return -1;
}

/* --help and the like: 0, or -1 if it is none of them. */
static int show(const cli *c, const char *name)
{
    if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0 ||
        strcmp(name, "help-list") == 0)
        cli_print_help(c);
    else if (strcmp(name, "version") == 0)
        printf("Tilewright (%s) version %s\n", c->tool, TW_VERSION);
    else if (strcmp(name, "man") == 0)
        cli_print_man(c);
    else if (strcmp(name, "list-options") == 0)
        cli_print_list(c);
    else
        return -1;
    return 0;
}

/* The option at argv[*i]: -1 to go on, or the exit status. */
static int take_option(cli *c, int argc, char **argv, int *i)
{
    char *a = argv[*i], *name = a + 1 + (a[1] == '-'), *equals = strchr(name, '=');
    char key[256];
    size_t n = equals ? (size_t)(equals - name) : strlen(name), count;
    if (n >= sizeof key)
        return unknown(c, a, "");
    memcpy(key, name, n);
    key[n] = 0;
    const char *value = equals ? equals + 1 : NULL;
    if (show(c, key) == 0)
        return 0;
    const cli_option *at = options_of(c, &count), *found = find_option(at, count, key);
    if (!found)
        return c->other && c->other(c->user, key, value) ? -1 : unknown(c, a, key);
    if (found->kind != CLI_FLAG && !value && !found->optional_value) {
        if (*i + 1 == argc) {
            fprintf(stderr, "%s: for the --%s option: requires a value!\n", c->tool, key);
            return 1;
        }
        value = argv[++*i];
    }
    return set(c, found, value);
}

int cli_parse(cli *c, int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is an error that we report */
    static bool closes;       /* a line may be parsed within the run of another one */
    if (!closes)
        atexit(close_output);
    closes = true;
    bool only_files = false, named = false;
    int status = c->n_commands ? choose_command(c, argc, argv) : -1;
    for (int i = 1; i < argc && status < 0; i++) {
        char *a = argv[i];
        if (c->n_commands && !named && !only_files && a[0] != '-') {
            named = true; /* the command, or "help" before one */
            if (strcmp(a, "help") == 0)
                status = show(c, "help");
        } else if (only_files || a[0] != '-' || a[1] == 0) {
            TW_PUSH(c->inputs.at, c->inputs.count, c->inputs.capacity, a);
        } else if (strcmp(a, "--") == 0) {
            only_files = true;
        } else {
            status = take_option(c, argc, argv, &i);
        }
    }
    if (c->warns_itself)
        return status;
    for (size_t i = 0; i < c->no_effect.count; i++)
        fprintf(stderr, "%s: warning: option --%s has no effect: %s\n", c->tool,
                c->no_effect.at[i]->name, c->no_effect.at[i]->no_effect);
    free(c->no_effect.at);
    return status;
}

int cli_usage(const char *command, const char *problem)
{
    fprintf(stderr, "%s: %s; see '%s --help'\n", command, problem, command);
    return 2;
}

static int wrong_arguments(const cli *c)
{
    char tool[64], problem[128];
    if (!c->command)
        return cli_usage(c->tool, "no command is given");
    snprintf(tool, sizeof tool, "%s %s", c->tool, c->command->name);
    snprintf(problem, sizeof problem, "takes %s",
             *c->command->arguments ? c->command->arguments : "no arguments");
    return cli_usage(tool, problem);
}

int cli_run_command(cli *c, int argc, char **argv)
{
    int status = cli_parse(c, argc, argv);
    if (status < 0 && (!c->command || c->inputs.count < c->command->min ||
                       c->inputs.count > c->command->max))
        status = wrong_arguments(c);
    if (status < 0)
        status = c->command->run(c->into, &c->inputs);
    free(c->inputs.at);
    return status;
}

int cli_fail(tw_status status)
{
    const tw_code code = tw_status_code(status);
    fprintf(stderr, "tilewright: %s: %s\n", tw_code_name(code), tw_status_message(status));
    tw_status_free(status);
    return code == TW_UNSUPPORTED ? CLI_UNSUPPORTED : 1;
}

int cli_error(const char *tool, tw_status status)
{
    fprintf(stderr, "%s: %s %s\n", tool, error_word(), tw_status_message(status));
    tw_status_free(status);
    return 1;
}

int cli_one_input(const cli *c, const char **out_path)
{
    if (c->inputs.count > 1) {
        fprintf(stderr, "%s: Too many positional arguments specified!\n", c->tool);
        return 1;
    }
    *out_path = c->inputs.count ? c->inputs.at[0] : "-";
    return -1;
}

void cli_free_arrays(void **arrays, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(arrays[i]);
    free(arrays);
}
