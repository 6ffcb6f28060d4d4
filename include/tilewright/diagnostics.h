/* diagnostics.h: diagnostics as data, and as reports in formats of other tools.
 *
 *     tw_diagnostics *list = tw_diagnostics_create();
 *     tw_program_compile(text, size, &(tw_compile_options){.diagnostics = list}, &program);
 *     puts(tw_diagnostics_report(list, "sarif", &(tw_report_about){.tool = "my-tool"}));
 *     tw_diagnostics_destroy(list); */
#ifndef TILEWRIGHT_DIAGNOSTICS_H
#define TILEWRIGHT_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_severity {
    TW_SEVERITY_ERROR,
    TW_SEVERITY_WARNING,
    TW_SEVERITY_REMARK, /* such as the output of kernels */
} tw_severity;

/* `file` NULL: unknown; lines and columns count from 1, 0 is unknown. */
typedef struct tw_location {
    const char *file;
    unsigned line, column;
} tw_location;

typedef struct tw_diagnostic_note {
    tw_location at;
    const char *text;
} tw_diagnostic_note;

typedef struct tw_diagnostic {
    tw_severity severity;
    const char *rule; /* the class of a kernel's report ("L1 race"), an operation's name, or
                       * NULL */
    tw_location at;
    const char *text;
    const tw_diagnostic_note *notes;
    size_t n_notes;
    const char *help; /* suggested fix, or NULL */
} tw_diagnostic;

/* A list that several programs and grids may fill, from any thread. */
typedef struct tw_diagnostics tw_diagnostics;
tw_diagnostics *tw_diagnostics_create(void);
void tw_diagnostics_destroy(tw_diagnostics *list);
/* Appends a copy. */
void tw_diagnostics_add(tw_diagnostics *list, const tw_diagnostic *diagnostic);
size_t tw_diagnostics_count(const tw_diagnostics *list);
/* NULL past the end. */
const tw_diagnostic *tw_diagnostics_at(const tw_diagnostics *list, size_t i);

typedef struct tw_report_about {
    const char *tool;  /* the command: "tilewright sim" */
    const char *input; /* the file that was checked, or NULL */
    bool failed;       /* the command's outcome; an error in the list is a failure, too */
} tw_report_about;

/* Returns the list in a format of tw_report_format; NULL for another one. The text belongs
 * to the list and is valid until its next report. */
const char *tw_diagnostics_report(tw_diagnostics *list, const char *format,
                                  const tw_report_about *about);
/* The i-th format ("github", "json", "junit", "sarif"); NULL past the end. */
const char *tw_report_format(size_t i);

#ifdef __cplusplus
}
#endif
#endif
