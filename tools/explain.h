/* explain.h: --explain=FILE: a page of what each pass changed, by which rules. */
#ifndef TILEWRIGHT_TOOLS_EXPLAIN_H
#define TILEWRIGHT_TOOLS_EXPLAIN_H

#include "ir/watch.h"
#include "support/status.h"

typedef struct explainer explainer;

/* Creates the page; it is complete after each pass, so that an interrupted run leaves what
 * happened until then. */
tw_status explainer_open(const char *path, const char *tool, const char *input,
                         explainer **out);
/* The observer to install. */
ir_watch *explainer_watch(explainer *e);
/* The passes that follow are of another module. */
void explainer_follow_next(explainer *e);
/* Ends the page; an error if it could not be written.  NULL is allowed. */
tw_status explainer_close(explainer *e);

#endif
