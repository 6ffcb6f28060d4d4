/* interpreter.h: what the steps of the interpreter of transforms share: handles, and how a
 * step fails.
 *
 * A handle is a list of the module's operations.  Whoever erases an operation takes it out
 * of all handles (the context tells the interpreter).  A step that consumes a handle makes
 * all handles invalid that name its operations or what these hold; using one later is an
 * error that names both steps. */
#ifndef TILEWRIGHT_SCHEDULE_INTERPRETER_H
#define TILEWRIGHT_SCHEDULE_INTERPRETER_H

#include "ir/pass/pass.h"

typedef struct tf_handle {
    ir_value *value; /* of the sequence */
    ir_op **ops;     /* NULL entries: erased */
    size_t count, capacity;
    const ir_op *consumer; /* the step that made it invalid, or NULL */
    uint32_t operand;      /* which operand of that */
    ir_loc ancestor, nested;
} tf_handle;

typedef enum tf_outcome {
    TF_DONE,
    TF_SILENCEABLE, /* noted; the sequence reports or forgets it */
    TF_DEFINITE,    /* reported */
} tf_outcome;

typedef struct tf_failure tf_failure;

typedef struct tf_interpreter {
    pass_run *run;
    ir_op *module;
    ir_op *library; /* where named sequences are looked up, or NULL */
    /* where the sequence goes back to: in front of an operation, or at the block's end */
    ir_block *place;
    ir_op *next;
    ir_free_listener before;
    tf_handle **handles;
    size_t n_handles, handles_capacity;
    ir_mapping *by_value; /* ir_value -> tf_handle */
    ir_mapping *watched;  /* operations that are in handles */
    tf_failure *failures; /* silenceable ones */
    size_t n_failures, failures_capacity;
    bool definite; /* the last failure was: notes are the diagnostic's */
    unsigned depth;
} tf_interpreter;

/* ---- handles ------------------------------------------------------------------------ */

/* The operations of a value, those erased left out. */
const tf_handle *tf_ops(tf_interpreter *t, ir_value *value);
/* Sets a value's operations. */
void tf_set(tf_interpreter *t, ir_value *value, ir_op *const *ops, size_t count);
/* Sets a step's result; silenceable if its type names another operation. */
tf_outcome tf_set_result(tf_interpreter *t, ir_op *step, uint32_t result, ir_op *const *ops,
                         size_t count);

/* ---- failing ------------------------------------------------------------------------ */

tf_outcome tf_silenceable(tf_interpreter *t, ir_loc loc, const char *format, ...)
    TW_PRINTF(3, 4);
tf_outcome tf_definite(tf_interpreter *t, ir_loc loc, const char *format, ...)
    TW_PRINTF(3, 4);
/* Adds a note to the last failure, which it returns. */
tf_outcome tf_note(tf_interpreter *t, tf_outcome outcome, ir_loc loc, const char *text);

/* ---- steps -------------------------------------------------------------------------- */

typedef tf_outcome tf_step_fn(tf_interpreter *t, ir_op *step);
typedef struct tf_step {
    const ir_op_def *def;
    tf_step_fn *execute;
} tf_step;
typedef struct tf_step_table {
    const tf_step *at;
    size_t count;
} tf_step_table;

extern const tf_step_table tf_handle_steps, tf_loop_steps, tf_affine_steps,
    tf_pattern_steps, tf_region_steps, tf_ttl_steps;

/* Changes one operation of a step's first handle; `results` has room for one operation for
 * each of the step's results. */
typedef tf_outcome tf_each_fn(tf_interpreter *t, ir_op *step, ir_op *target,
                              ir_op **results);
/* Does so with all; `wanted` (NULL: any) is the only kind that it takes. */
tf_outcome tf_each(tf_interpreter *t, ir_op *step, const ir_op_def *wanted,
                   tf_each_fn *change);

/* The named sequence that a transform.include means, or NULL. */
ir_op *tf_callee(const tf_interpreter *t, const ir_op *step);

/* Executes the block's steps.  With `suppress`, silenceable failures are forgotten. */
tf_outcome tf_block(tf_interpreter *t, ir_block *block, bool suppress);

#endif
