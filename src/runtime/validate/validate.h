/* validate.h: interprets a module before and after each pass and compares the results. */
#ifndef TILEWRIGHT_RUNTIME_VALIDATE_H
#define TILEWRIGHT_RUNTIME_VALIDATE_H

#include "ir/op.h"
#include "ir/watch.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

/* Three sets of inputs: random values; values with NaN, infinities and zeros of both signs
 * among them; values with the limits of their type among them. */
enum { VALIDATE_SETS = 3 };

/* What was compared. */
typedef struct validate_tally {
    size_t passes;   /* that changed the module */
    size_t compared; /* of them, those whose results were compared */
    size_t differing;
} validate_tally;

typedef struct validator validator;

/* Writes arguments to a file of its own format: `path` has no suffix. */
typedef tw_status validate_write(const char *path, const tw_tensor_desc *types,
                                 const void *const *data, size_t n);

/* `folder` gets the module before and after a pass that changes results, and the inputs by
 * `write` if there is one; NULL: nothing is kept. */
validator *validator_create(const char *folder, validate_write *write);
void validator_destroy(validator *v);
/* The observer to install with ir_context_set_watch. */
ir_watch *validator_watch(validator *v);
validate_tally validator_tally(const validator *v);

/* TILEWRIGHT_VALIDATE: NULL if it is unset, empty or "0"; "" for "1"; else a folder. */
const char *validate_wanted(void);
/* A validator if it is wanted, or NULL. */
validator *validator_from_environment(validate_write *write);

#endif
