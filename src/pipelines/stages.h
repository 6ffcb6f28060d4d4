/* stages.h: the pipelines that a program goes through before it runs on the embedded
 * device.
 *
 * They have the options that the pipelines for the hardware have; docs/pipelines.md says
 * where their values differ and why. */
#ifndef TILEWRIGHT_PIPELINES_STAGES_H
#define TILEWRIGHT_PIPELINES_STAGES_H

#include "support/strbuf.h"

typedef struct tw_stage {
    const char *before;     /* passes in front of the pipeline; NULL: none */
    const char *pipeline;   /* whose options users may set, */
    const char *options;    /* and their values otherwise */
    const char *as_written; /* values for programs whose operations are kept; or NULL */
    const char *dump;       /* name of the program's text after it */
} tw_stage;

enum { TW_STAGES = 3 };
extern const tw_stage tw_stages[TW_STAGES];

/* The text of a stage's pipeline, where `given` ("name=value name=value"; or NULL) has the
 * last word on options that it has. */
void tw_stage_text(const tw_stage *stage, bool as_written, const char *given,
                   tw_strbuf *out);
/* The first of the options that no stage has; empty if there is none. */
tw_str tw_unknown_option(const char *given);

#endif
