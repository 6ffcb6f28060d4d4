/* generic.c: ttnn.generic: kernels on tensors, by the engine of the program's options. */
#include "runtime/kernel_engine.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

typedef struct generic {
    const struct tw_kernel_engine *engine;
    void *state;
    void **data; /* room for the tensors' addresses */
    rt_plan *plan;
} generic;

static void run_generic(const rt_step *step)
{
    generic *g = step->state;
    if (g->plan->failed)
        return;
    for (uint32_t i = 0; i < step->n_in; i++)
        g->data[i] = rt_data(step->in[i]);
    g->plan->failed = g->engine->run(g->state, g->data);
}

static void release_generic(void *state)
{
    const generic *g = state;
    g->engine->release(g->state);
}

/* True if nothing wrote the tensor before: its ttnn.empty is for this operation. */
static bool is_fresh(ir_op *op, const ir_value *v)
{
    if (!ir_op_is(ir_value_def(v), TTNN_OP(empty)))
        return false;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner != op && use->owner->block == op->block &&
            ir_op_before(use->owner, op))
            return false;
    return true;
}

/* The last tensor is the result; others are if they are fresh. */
tw_status rt_prepare_generic(rt_plan *plan, ir_op *op, rt_step *step)
{
    size_t first, n, at, extra;
    if (!plan->kernels)
        return tw_error(TW_UNSUPPORTED,
                        "'ttnn.generic' holds kernels, and this program was compiled "
                        "without a grid to run them; use tilewright run or ttrt");
    if (!ir_op_operand_group(op, 0, &first, &n) || !n || n != step->n_in ||
        !ir_op_operand_group(op, 1, &at, &extra))
        return rt_misfit(op);
    if (extra)
        return tw_error(TW_UNSUPPORTED,
                        "'ttnn.generic' with additional arguments (global semaphores, "
                        "scalars) is not implemented by the runtime");
    generic *g = TW_ARENA_NEW(&plan->arena, generic);
    *g = (generic){.engine = plan->kernels,
                   .data = TW_ARENA_ARRAY(&plan->arena, void *, n + 1),
                   .plan = plan};
    rt_kernel_tensor *tensors = TW_ARENA_ARRAY(&plan->arena, rt_kernel_tensor, n);
    for (size_t i = 0; i < n; i++) {
        const ir_value *v = op->operands[first + i].value;
        tensors[i] = (rt_kernel_tensor){.type = v->type,
                                        .dtype = step->in[i]->dtype,
                                        .written = i + 1 == n || is_fresh(op, v)};
        while (op->operands[first + tensors[i].first].value != v)
            tensors[i].first++;
        tensors[tensors[i].first].written |= tensors[i].written;
        step->in[i]->buffer->written |= tensors[i].written;
    }
    TW_TRY(g->engine->prepare(op, tensors, n, &g->state));
    rt_plan_owns(plan, g, release_generic);
    rt_write_in_place(step, step->in[n - 1]);
    step->on_grid = true;
    step->state = g;
    step->run = run_generic;
    return TW_SUCCESS;
}
