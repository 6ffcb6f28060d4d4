/* propagation.c: ttnn-greedy-memory-layout-propagation: a result is asked to be in L1 where
 * the model says that its operation and those that read it are faster so.
 *
 * In the order of the program: an operation's operands are decided before its result is.
 * Whether all of it fits is the next pass's question. */
#include "cost/optimizer/optimizer.h"

#include "ttnn/ttnn.h"

/* Puts the value where the user wants it. */
static void place_pinned(opt_pin *pin, ir_value *v)
{
    if (pin->buffer == TTNN_BufferType_L1 && !opt_may_be_in_l1(v)) {
        pin->refused = ir_value_def(v);
        return;
    }
    pin->met = true;
    if (pin->buffer == TTNN_BufferType_L1)
        opt_place(v, TTNN_BufferType_L1);
}

static size_t ask_for_l1(opt_chip *chip, ir_op *func)
{
    size_t asked = 0;
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_value *v = &op->results[i];
            opt_pin *pin = opt_pin_of(chip, v);
            if (pin)
                place_pinned(pin, v);
            if (pin && pin->buffer >= 0)
                continue;
            if (!opt_may_be_in_l1(v) || opt_is_in_l1(v) ||
                (double)opt_l1_bytes(chip, v) > chip->usable)
                continue;
            const double before = opt_cycles_around(chip, v);
            opt_place(v, TTNN_BufferType_L1);
            if (opt_cycles_around(chip, v) < before)
                asked++;
            else
                opt_place(v, TTNN_BufferType_DRAM);
        }
    return asked;
}

static bool run_on(opt_chip *chip, ir_op *func, pass_run *run)
{
    pass_count(run, "asked", "tensors that are asked to be in L1", ask_for_l1(chip, func));
    chip->pins.placed = true;
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    return opt_each(module, run, pass_option_str(run, "tensor-l1-usage-cap"), run_on);
}

const pass_def ttnn_greedy_memory_layout_propagation_pass = {
    .name = "ttnn-greedy-memory-layout-propagation",
    .title = "TTNNGreedyMemoryLayoutPropagation",
    .summary = "Ask for tensors in L1 where the model of time is faster with them",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, OPT_WHEN,
                       {"tensor-l1-usage-cap", PASS_STRING, "0.95",
                        "Share of L1 for tensors and buffers"}),
};
