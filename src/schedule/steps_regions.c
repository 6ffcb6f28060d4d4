/* steps_regions.c: steps that contain or call other steps. */
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"

enum { MAX_DEPTH = 64 }; /* limit for sequences that include each other */

/* Forwards the operands of the block's terminator to the step's results. */
static tf_outcome forward_results(tf_interpreter *t, ir_op *step, const ir_block *block)
{
    const ir_op *yield = block->last;
    tf_outcome outcome = TF_DONE;
    for (uint32_t i = 0; i < step->n_results && outcome == TF_DONE; i++) {
        if (!yield || i >= yield->n_operands)
            continue;
        const tf_handle *h = tf_ops(t, ir_op_operand(yield, i));
        outcome = tf_set_result(t, step, i, h->ops, h->count);
    }
    return outcome;
}

/* Executes a block with the step's operands as arguments. */
static tf_outcome call(tf_interpreter *t, ir_op *step, ir_block *block, bool suppress)
{
    if (t->depth == MAX_DEPTH)
        return tf_definite(t, step->loc, "'%s' op is nested more than %d deep",
                           step->def->name, MAX_DEPTH);
    for (uint32_t i = 0; i < block->n_args; i++) {
        if (i < step->n_operands) {
            const tf_handle *h = tf_ops(t, ir_op_operand(step, i));
            tf_set(t, block->args[i], h->ops, h->count);
        } else {
            tf_set(t, block->args[i], &t->module, 1);
        }
    }
    t->depth++;
    tf_outcome outcome = tf_block(t, block, suppress);
    t->depth--;
    return outcome == TF_DONE ? forward_results(t, step, block) : outcome;
}

static bool suppresses(const ir_op *step)
{
    return ir_op_int(step, "failure_propagation_mode", 0) ==
           TRANSFORM_FailurePropagationMode_Suppress;
}

static tf_outcome sequence(tf_interpreter *t, ir_op *step)
{
    return call(t, step, ir_op_body(step, 0), suppresses(step));
}

ir_op *tf_callee(const tf_interpreter *t, const ir_op *step)
{
    ir_op *callee =
        t->library ? ir_symbol_resolve(t->library, ir_op_attr(step, "target")) : NULL;
    return ir_op_is(callee, TRANSFORM_OP(named_sequence)) ? callee : NULL;
}

static tf_outcome include(tf_interpreter *t, ir_op *step)
{
    ir_op *callee = tf_callee(t, step);
    if (!callee || !ir_op_body(callee, 0))
        return tf_definite(t, step->loc, "unresolved external named sequence");
    return call(t, step, ir_op_body(callee, 0), suppresses(step));
}

static const tf_step steps[] = {
    {TRANSFORM_OP(sequence), sequence},
    {TRANSFORM_OP(include), include},
};
const tf_step_table tf_region_steps = {steps, TW_COUNT(steps)};
