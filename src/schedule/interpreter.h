/* interpreter.h: shared by the steps of the transform interpreter: handles and failures.
 *
 * A handle is a list of the module's operations.  An erased operation is removed from all
 * handles (the context notifies the interpreter).  A step that consumes a handle
 * invalidates all handles to its operations or to operations nested in them; using one
 * later is an error that names both steps. */
#ifndef TILEWRIGHT_SCHEDULE_INTERPRETER_H
#define TILEWRIGHT_SCHEDULE_INTERPRETER_H

#include "ir/pass/pass.h"

typedef struct tf_handle {
    ir_value *value; /* defined in the sequence */
    ir_op **ops;     /* NULL entries: erased */
    size_t count, capacity;
    const ir_op *consumer; /* the step that invalidated it, or NULL */
    uint32_t operand;      /* index of the operand of that step */
    ir_loc ancestor, nested;
} tf_handle;

typedef enum tf_outcome {
    TF_DONE,
    TF_SILENCEABLE, /* recorded; the sequence reports or drops it */
    TF_DEFINITE,    /* reported */
} tf_outcome;

typedef struct tf_failure tf_failure;

typedef struct tf_interpreter {
    pass_run *run;
    ir_op *module;
    ir_op *library; /* where named sequences are looked up, or NULL */
    /* where the sequence is reinserted: before an operation, or at the block's end */
    ir_block *insert_block;
    ir_op *next;
    ir_free_listener before;
    tf_handle **handles;
    size_t n_handles, handles_capacity;
    ir_mapping *by_value; /* ir_value -> tf_handle */
    ir_mapping *watched;  /* operations referenced by handles */
    tf_failure *failures; /* silenceable ones */
    size_t n_failures, failures_capacity;
    bool definite; /* the last failure was definite: notes attach to its diagnostic */
    unsigned depth;
} tf_interpreter;

/* ---- handles ------------------------------------------------------------------------ */

/* Returns the operations of a value without the erased ones. */
const tf_handle *tf_ops(tf_interpreter *t, ir_value *value);
/* Sets the operations of a value. */
void tf_set(tf_interpreter *t, ir_value *value, ir_op *const *ops, size_t count);
/* Sets a result of a step; fails silenceably if its type names another operation. */
tf_outcome tf_set_result(tf_interpreter *t, ir_op *step, uint32_t result, ir_op *const *ops,
                         size_t count);

/* ---- failures ----------------------------------------------------------------------- */

tf_outcome tf_silenceable(tf_interpreter *t, ir_loc loc, const char *format, ...)
    TW_PRINTF(3, 4);
tf_outcome tf_definite(tf_interpreter *t, ir_loc loc, const char *format, ...)
    TW_PRINTF(3, 4);
/* Attaches a note to the last failure and returns the outcome. */
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

/* Transforms one operation of a step's first handle; `results` has room for one operation
 * for each result of the step. */
typedef tf_outcome tf_each_fn(tf_interpreter *t, ir_op *step, ir_op *target,
                              ir_op **results);
/* Applies it to all target operations, which must be of kind `wanted` (NULL: any). */
tf_outcome tf_each(tf_interpreter *t, ir_op *step, const ir_op_def *wanted,
                   tf_each_fn *change);

/* Returns the named sequence that a transform.include refers to, or NULL. */
ir_op *tf_callee(const tf_interpreter *t, const ir_op *step);

/* Executes the steps of a block.  With `suppress`, silenceable failures are dropped. */
tf_outcome tf_block(tf_interpreter *t, ir_block *block, bool suppress);

#endif
