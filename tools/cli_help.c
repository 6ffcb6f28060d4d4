/* cli_help.c: what a table of options says to its users: help, manual page, completion. */
#include "cli.h"

#include "support/strbuf.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const cli_option common[] = {
    {"help", CLI_FLAG, 0, "Display available options", NULL, false},
    {"version", CLI_FLAG, 0, "Display the version of this program", NULL, false},
};

static const cli_option general = {.kind = CLI_HEADING, .help = "GENERAL"};

/* Options of the command that is set, or of the tool: all that a visitor gets. */
static void visit_all(const cli *c, cli_visit *visit, void *to)
{
    size_t count = c->command ? c->command->n_options : c->n_options;
    const cli_option *at = c->command ? c->command->options : c->options;
    for (size_t i = 0; i < count; i++)
        visit(to, &at[i], false);
    if (count && at[0].kind == CLI_HEADING)
        visit(to, &general, false);
    for (size_t i = 0; i < TW_COUNT(common); i++)
        visit(to, &common[i], false);
    if (c->more && !c->command)
        c->more(c->user, visit, to);
}

/* "--threads=<number>" */
static void put_usage(tw_strbuf *out, const cli_option *o, bool inner)
{
    tw_strbuf_printf(out, "--%s", o->name);
    if (o->kind == CLI_FLAG || inner)
        return;
    tw_strbuf_puts(out, o->optional_value ? "[=<" : "=<");
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        tw_strbuf_printf(out, "%s%s", i ? "|" : "", o->choices[i]);
    if (!o->choices)
        tw_strbuf_puts(out, o->value ? o->value : "string");
    tw_strbuf_puts(out, o->optional_value ? ">]" : ">");
}

/* ---- help */

static void print_heading(const char *text)
{
    if (cli_colors(1))
        printf("\n\033[1m%s:\033[0m\n", text);
    else
        printf("\n%s:\n", text);
}

static void print_option(void *to, const cli_option *o, bool inner)
{
    (void)to;
    if (o->kind == CLI_HEADING) {
        print_heading(o->help);
        return;
    }
    tw_strbuf left = {0};
    put_usage(&left, o, inner);
    printf("  %s%-*s - %s", inner ? "    " : "", inner ? 42 : 46, tw_strbuf_text(&left),
           o->help);
    if (o->no_effect)
        printf(" (no effect: %s)", o->no_effect);
    printf("\n");
    tw_strbuf_free(&left);
}

static void print_examples(const char *examples)
{
    if (!examples)
        return;
    print_heading("EXAMPLES");
    for (const char *at = examples; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != 0))
        printf("  %.*s\n", (int)strcspn(at, "\n"), at);
}

void cli_print_help(const cli *c)
{
    const cli_command *command = c->command;
    size_t count = command ? command->n_options : c->n_options;
    const cli_option *at = command ? command->options : c->options;
    printf("OVERVIEW: %s\n", command ? command->summary : c->overview);
    if (command)
        printf("USAGE: %s %s [options] %s\n", c->tool, command->name, command->arguments);
    else if (c->n_commands)
        printf("USAGE: %s COMMAND [options] ...; %s COMMAND --help\n", c->tool, c->tool);
    else
        printf("USAGE: %s [options] <input file>\n", c->tool);
    if (!command && c->n_commands)
        print_heading("COMMANDS");
    for (size_t i = 0; i < c->n_commands && !command; i++)
        printf("  %-12s %s\n", c->commands[i].name, c->commands[i].summary);
    if (!count || at[0].kind != CLI_HEADING)
        print_heading("OPTIONS");
    visit_all(c, print_option, NULL);
    print_examples(command ? command->examples : c->examples);
}

/* ---- completion */

typedef struct listing {
    const char *help; /* of the option whose line is open */
} listing;

static void end_line(listing *l)
{
    if (l->help)
        printf("\t%s\n", l->help);
    l->help = NULL;
}

static void list_option(void *to, const cli_option *o, bool inner)
{
    listing *l = to;
    if (o->kind == CLI_HEADING)
        return;
    if (inner) {
        printf("%s=|", o->name);
        return;
    }
    end_line(l);
    printf("--%s%s\t", o->name, o->kind == CLI_FLAG || o->optional_value ? "" : "=");
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        printf("%s|", o->choices[i]);
    l->help = o->help;
}

/* A line for each command and option: the word, values with '|' behind them, the help. */
void cli_print_list(const cli *c)
{
    listing l = {0};
    for (size_t i = 0; i < c->n_commands && !c->command; i++)
        printf("%s\t\t%s\n", c->commands[i].name, c->commands[i].summary);
    visit_all(c, list_option, &l);
    end_line(&l);
}

/* ---- manual page */

/* Text of roff: no line begins with a control character, '-' stays a minus. */
static void put_roff(const char *text)
{
    const char *start = text;
    for (; *text; text++) {
        if ((text == start || text[-1] == '\n') && (*text == '.' || *text == '\''))
            printf("\\&");
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else
            putchar(*text);
    }
}

static void man_option(void *to, const cli_option *o, bool inner)
{
    const char *heading = to;
    tw_strbuf left = {0};
    if (o->kind == CLI_HEADING) {
        printf(heading[0] == 'S' ? ".SS " : ".PP\n.I ");
        put_roff(o->help);
        printf("\n");
        return;
    }
    put_usage(&left, o, inner);
    printf(inner ? ".RS\n.TP\n.B " : ".TP\n.B ");
    put_roff(tw_strbuf_text(&left));
    printf("\n");
    put_roff(o->help);
    if (o->no_effect) {
        printf(" (no effect: ");
        put_roff(o->no_effect);
        printf(")");
    }
    printf(inner ? "\n.RE\n" : "\n");
    tw_strbuf_free(&left);
}

static void man_examples(const char *examples)
{
    if (!examples)
        return;
    printf(".PP\n.EX\n");
    put_roff(examples);
    printf("%s.EE\n", examples[strlen(examples) - 1] == '\n' ? "" : "\n");
}

static void man_command(const cli *c, const cli_command *command)
{
    printf(".SS %s %s [options] ", c->tool, command->name);
    put_roff(command->arguments);
    printf("\n");
    put_roff(command->summary);
    printf("\n");
    for (size_t i = 0; i < command->n_options; i++)
        man_option("PP", &command->options[i], false);
    man_examples(command->examples);
}

void cli_print_man(const cli *c)
{
    char title[64];
    size_t n = 0;
    for (; c->tool[n] && n + 1 < sizeof title; n++)
        title[n] = (char)toupper((unsigned char)c->tool[n]);
    title[n] = 0;
    printf(".TH %s 1 \"\" \"Tilewright %s\"\n.SH NAME\n%s \\- ", title, TW_VERSION,
           c->tool);
    put_roff(c->overview);
    printf("\n.SH SYNOPSIS\n.B %s\n%s\n", c->tool,
           c->n_commands ? "COMMAND [options] ..." : "[options] FILE");
    if (c->n_commands)
        printf(".SH COMMANDS\n");
    for (size_t i = 0; i < c->n_commands; i++)
        man_command(c, &c->commands[i]);
    cli all = *c;
    all.command = NULL;
    printf(".SH OPTIONS\n");
    visit_all(&all, man_option, "SS");
    if (c->examples) {
        printf(".SH EXAMPLES\n");
        man_examples(c->examples);
    }
}
