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

static void help(const cli *c)
{
    printf("OVERVIEW: %s\nUSAGE: %s [options] <input file>\n\nOPTIONS:\n\n", c->overview,
           c->tool);
    for (size_t i = 0; i < c->n_options; i++) {
        char left[96];
        const cli_option *o = &c->options[i];
        if (o->kind == CLI_FLAG)
            snprintf(left, sizeof left, "--%s", o->name);
        else if (o->optional_value)
            snprintf(left, sizeof left, "--%s[=<%s>]", o->name,
                     o->value ? o->value : "string");
        else
            snprintf(left, sizeof left, "--%s=<%s>", o->name,
                     o->value ? o->value : "string");
        printf("  %-46s - %s\n", left, o->help);
    }
    printf("  %-46s - %s\n  %-46s - %s\n", "--help", "Display available options",
           "--version", "Display the version of this program");
    if (c->more_help)
        c->more_help(c->user);
}

static int unknown(const cli *c, const char *argument, const char *name)
{
    tw_nearest n = tw_nearest_to(tw_str_from(name));
    if (c->suggest && c->suggest(c->user, name))
        tw_nearest_try(&n, tw_str_from(name), c->suggest(c->user, name));
    for (size_t i = 0; i < c->n_options; i++)
        tw_nearest_try(&n, tw_str_from(name), c->options[i].name);
    tw_nearest_try(&n, tw_str_from(name), "help");
    tw_nearest_try(&n, tw_str_from(name), "version");
    fprintf(stderr, "%s: Unknown command line argument '%s'.  Try: '%s --help'\n", c->tool,
            argument, c->tool);
    if (n.best)
        fprintf(stderr, "%s: Did you mean '--%s'?\n", c->tool, n.best);
    return 1;
}

void cli_unknown_verb(const cli *c, const char *word, const char *(*verb)(size_t))
{
    tw_nearest n = tw_nearest_to(tw_str_from(word));
    for (size_t i = 0; verb(i); i++)
        tw_nearest_try(&n, tw_str_from(word), verb(i));
    fprintf(stderr, "%s: Unknown command '%s'.  Try: '%s --help'\n", c->tool, word,
            c->tool);
    if (n.best)
        fprintf(stderr, "%s: Did you mean '%s'?\n", c->tool, n.best);
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

static int set(const cli *c, const cli_option *o, const char *value)
{
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

int cli_parse(cli *c, int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is an error that we report */
    atexit(close_output);
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        if (only_files || a[0] != '-' || a[1] == 0) {
            TW_PUSH(c->inputs.at, c->inputs.count, c->inputs.capacity, a);
            continue;
        }
        if (strcmp(a, "--") == 0) {
            only_files = true;
            continue;
        }
        char *name = a + 1 + (a[1] == '-');
        char *equals = strchr(name, '=');
        char key[256];
        size_t n = equals ? (size_t)(equals - name) : strlen(name);
        if (n >= sizeof key)
            return unknown(c, a, "");
        memcpy(key, name, n);
        key[n] = 0;
        const char *value = equals ? equals + 1 : NULL;
        if (strcmp(key, "help") == 0 || strcmp(key, "h") == 0 ||
            strcmp(key, "help-list") == 0) {
            help(c);
            return 0;
        }
        if (strcmp(key, "version") == 0) {
            printf("Tilewright (%s) version %s\n", c->tool, TW_VERSION);
            return 0;
        }
        const cli_option *found = NULL;
        for (size_t k = 0; k < c->n_options && !found; k++)
            if (strcmp(c->options[k].name, key) == 0)
                found = &c->options[k];
        if (!found) {
            if (c->other && c->other(c->user, key, value))
                continue;
            return unknown(c, a, key);
        }
        if (found->kind != CLI_FLAG && !value && !found->optional_value) {
            if (i + 1 == argc) {
                fprintf(stderr, "%s: for the --%s option: requires a value!\n", c->tool,
                        key);
                return 1;
            }
            value = argv[++i];
        }
        int status = set(c, found, value);
        if (status >= 0)
            return status;
    }
    return -1;
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
    fprintf(stderr, "%s: error: %s\n", tool, tw_status_message(status));
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
