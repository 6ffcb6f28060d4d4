/* first_off.h: the first operation of a program whose result on the device leaves its
 * bound, beside the reference evaluator. */
#ifndef TILEWRIGHT_TOOLS_FIRST_OFF_H
#define TILEWRIGHT_TOOLS_FIRST_OFF_H

#include "support/base.h"
#include "support/compare.h"

typedef struct first_off_question {
    tw_str text;      /* StableHLO, as text or bytecode */
    const char *name; /* the file's */
    const char *entry, *dtype;
    const void *const *inputs; /* of the program */
    const bounds *bounds;      /* NULL: by the format that computes */
    int seconds;               /* for the evaluator */
} first_off_question;

typedef struct first_off {
    bool known;         /* both sides ran */
    bool found;         /* an operation is off */
    bool result_is_off; /* a result of the program is */
    char op[64];        /* in the program: "stablehlo.exponential" */
    char device_op[64]; /* "ttnn.exp" */
    char file[256];
    unsigned line, column;
    tw_strbuf text;  /* the difference, or why nothing is known; for the caller to free */
    size_t agreeing; /* operations that were compared before it */
} first_off;

void first_off_find(const first_off_question *q, first_off *out);
/* "first operation that left its bound: ..." with the text; nothing if nothing is known. */
void first_off_print(const first_off *f, tw_strbuf *out);

#endif
