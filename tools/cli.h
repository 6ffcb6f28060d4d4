/* cli.h: command lines: a table of options, LLVM's spelling.
 *
 * Help, manual page and completion are written from the same table (cli_help.c). */
#ifndef TILEWRIGHT_TOOLS_CLI_H
#define TILEWRIGHT_TOOLS_CLI_H

#include "support/base.h"
#include "tilewright/status.h"

/* CLI_HEADING: no option, but a heading (`help`) over those that follow. */
typedef enum cli_kind { CLI_FLAG, CLI_STRING, CLI_INT, CLI_LIST, CLI_HEADING } cli_kind;

typedef struct cli_option {
    const char *name; /* without dashes; -name and --name both work */
    cli_kind kind;
    size_t at; /* offset of a bool, const char *, int64_t or cli_list in cli.into */
    const char *help;
    const char *value; /* name of the value in the help */
    bool optional_value;
    const char *const *choices; /* of a string, up to NULL; none: any */
    const char *no_effect;      /* why it has none: setting it is a warning */
} cli_option;

typedef struct cli_list {
    const char **at;
    size_t count, capacity;
} cli_list;

/* One of a tool's commands: `tilewright run`. */
typedef struct cli_command {
    const char *name, *arguments, *summary;
    const cli_option *options;
    size_t n_options;
    const char *examples; /* command lines, one a line, or NULL */
    size_t min, max;      /* how many arguments it takes */
    int (*run)(void *into, const cli_list *arguments);
} cli_command;

/* `inner`: an option of the option before it (--PASS="inner=..."). */
typedef void cli_visit(void *to, const cli_option *option, bool inner);

typedef struct cli {
    const char *tool, *overview;
    const char *examples;
    const cli_option *options; /* of a tool without commands */
    size_t n_options;
    const cli_command *commands; /* or NULL */
    size_t n_commands;
    const cli_command *command; /* the one that the first word names */
    void *into;                 /* the structure that the options are set in */
    /* Asked about options that the table does not have; true if it took it. */
    bool (*other)(void *user, const char *name, const char *value);
    const char *(*suggest)(void *user, const char *name);
    /* Visits options beyond the table, for help and the like. */
    void (*more)(void *user, cli_visit *visit, void *to);
    void *user;
    cli_list inputs;
    /* Options that were set and have no effect: a warning each, but from tools that say
     * such things in a way of their own. */
    struct {
        const cli_option **at;
        size_t count, capacity;
    } no_effect;
    bool warns_itself;
} cli;

/* The name under which a command was called, without its folder. */
const char *cli_name(const char *argv0);

/* Prints the status as an error and frees it; returns the exit status. */
int cli_fail(tw_status status);
/* "TOOL: error: MESSAGE" on stderr; frees the status and returns the exit status, 1. */
int cli_error(const char *tool, tw_status status);
/* The exit status of a tool for a program that needs an unsupported feature. */
enum { CLI_UNSUPPORTED = 77 };

/* Frees `count` arrays and the list of them. */
void cli_free_arrays(void **arrays, size_t count);

/* True if text on the stream (1 or 2) may be coloured: a terminal, and no NO_COLOR. */
bool cli_colors(int stream);

/* Of the tool, or of the command that is set: --help, --man (roff), --list-options. */
void cli_print_help(const cli *c);
void cli_print_man(const cli *c);
void cli_print_list(const cli *c);

/* Returns -1 to go on, or the exit status (0 after --help and --version). */
int cli_parse(cli *c, int argc, char **argv);
/* The only input, "-" if none is given: -1, or the exit status if there are more. */
int cli_one_input(const cli *c, const char **out_path);

/* "COMMAND: PROBLEM; see COMMAND --help" on stderr; returns the exit status, 2. */
int cli_usage(const char *command, const char *problem);

/* Parses the line of a tool with commands and runs the one it names. */
int cli_run_command(cli *c, int argc, char **argv);

#endif
