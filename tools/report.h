/* report.h: --report=FORMAT[:FILE]: the diagnostics of a command for other tools. */
#ifndef TILEWRIGHT_TOOLS_REPORT_H
#define TILEWRIGHT_TOOLS_REPORT_H

#include "cli.h"
#include "tilewright/diagnostics.h"

/* The row of the option; `member` is a cli_list. */
#define REPORT_OPTION(at)                                                                  \
    {                                                                                      \
        "report", CLI_LIST, at,                                                            \
            "Write diagnostics for another tool into a file; without one to stderr, "      \
            "instead of the text: github, json, junit or sarif",                           \
            "format[:file]", false                                                         \
    }

typedef struct tool_report {
    const cli_list *asked;
    const char *tool, *input;
    tw_diagnostics *list; /* NULL: no report is wanted */
    bool on_stderr;       /* so that the text is left out */
} tool_report;

/* False after an error on stderr: an unknown format, or a file that cannot be written.
 * From now on an interruption writes what is known so far and ends the process. */
bool report_begin(tool_report *r, const char *tool, const char *input,
                  const cli_list *asked);
/* Like cli_fail: the status becomes a diagnostic if no error was recorded. */
int report_fail(tool_report *r, tw_status status);
/* Like cli_error, likewise. */
int report_error(tool_report *r, tw_status status);
/* Writes the reports; returns the exit status, which is `code` unless a file cannot be
 * written.  The list stays: the thread that waits for signals may use it. */
int report_end(tool_report *r, int code);

#endif
