/* cli.h: command lines: a table of options, LLVM's spelling. */
#ifndef TILEWRIGHT_TOOLS_CLI_H
#define TILEWRIGHT_TOOLS_CLI_H

#include "support/base.h"
#include "tilewright/status.h"

typedef enum cli_kind { CLI_FLAG, CLI_STRING, CLI_INT, CLI_LIST } cli_kind;

typedef struct cli_option {
    const char *name; /* without dashes; -name and --name both work */
    cli_kind kind;
    size_t at; /* offset of a bool, const char *, int64_t or cli_list in cli.into */
    const char *help;
    const char *value; /* name of the value in the help */
    bool optional_value;
    const char *const *choices; /* of a string, up to NULL; none: any */
} cli_option;

typedef struct cli_list {
    const char **at;
    size_t count, capacity;
} cli_list;

typedef struct cli {
    const char *tool, *overview;
    const cli_option *options;
    size_t n_options;
    void *into; /* the structure that the options are set in */
    /* Called for options that the table lacks; true if it accepted the option. */
    bool (*other)(void *user, const char *name, const char *value);
    const char *(*suggest)(void *user, const char *name);
    void (*more_help)(void *user);
    void *user;
    cli_list inputs;
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

/* Returns -1 to continue, or the exit status (0 after --help and --version). */
int cli_parse(cli *c, int argc, char **argv);
/* The only input, "-" if none is given: -1, or the exit status if there are more. */
int cli_one_input(const cli *c, const char **out_path);

/* Reports that the first word is no command of the tool, with the nearest one; `verb`
 * returns them by index, then NULL. */
void cli_unknown_verb(const cli *c, const char *word, const char *(*verb)(size_t));

#endif
