/* channels.c: see channels.h. */
#include "runtime/channels.h"

#include "ttnn/ttnn.h"

enum { RANK = 4 };

static const int64_t to_last[RANK] = {0, 2, 3, 1}, to_first[RANK] = {0, 3, 1, 2};

static bool is_order(const ir_op *op, const int64_t *order)
{
    int64_t given[RANK];
    return op->def == TTNN_OP(permute) &&
           ir_attr_ints(ir_op_attr(op, "permutation"), given, RANK) == RANK &&
           memcmp(given, order, sizeof given) == 0;
}

/* Plain elements that no operation modifies in place. */
static bool may_wait(const rt_value *v, const ir_value *value)
{
    return v->rank == RANK && v->format == v->dtype && !rt_is_written(value);
}

static rt_value *with_dims(rt_plan *plan, const rt_value *v, const int64_t *order)
{
    rt_value *twin = TW_ARENA_NEW(&plan->arena, rt_value);
    *twin = *v;
    twin->waiting = NULL;
    for (int d = 0; d < RANK; d++)
        twin->dims[d] = v->dims[order[d]];
    return twin;
}

/* Returns the operand as it is read beside channels-last ones; NULL if its elements would
 * have to move. */
static rt_value *beside(rt_plan *plan, rt_value *v)
{
    rt_value full = *v;
    if (v->waiting)
        return v->waiting;
    if (v->rank > RANK)
        return NULL;
    const int missing = RANK - v->rank;
    full.rank = RANK;
    for (int d = 0; d < RANK; d++)
        full.dims[d] = d < missing ? 1 : v->dims[d - missing];
    const bool same = full.dims[1] == 1 || full.dims[2] * full.dims[3] == 1;
    return same ? with_dims(plan, &full, to_last) : NULL;
}

static rt_buffer *new_buffer(rt_plan *plan, const rt_value *v)
{
    return rt_add_buffer(plan, (size_t)v->count * tw_dtype_size(v->dtype));
}

/* Makes `step` one of channels-last values; false if an operand does not fit. */
static bool on_twins(rt_plan *plan, ir_op *op, const rt_step *step, rt_step *out)
{
    bool any = false;
    if (step->n_outs != 1 || step->n_in != op->n_operands ||
        !may_wait(step->out, &op->results[0]))
        return false;
    for (uint32_t i = 0; i < step->n_in; i++)
        any |= step->in[i]->waiting != NULL;
    if (!any)
        return false;
    *out = *step;
    out->in = TW_ARENA_ARRAY(&plan->arena, rt_value *, step->n_in + 1);
    out->outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    out->operands = out->in;
    out->channels_last = true;
    for (uint32_t i = 0; i < step->n_in; i++) {
        out->in[i] = beside(plan, step->in[i]);
        if (!out->in[i])
            return false;
    }
    out->out = out->outs[0] = with_dims(plan, step->out, to_last);
    return true;
}

/* Concatenated parts are whole images; an operand that is not put off is permuted. */
static tw_status permuted(rt_plan *plan, rt_value *v, rt_value **out)
{
    rt_step step = {.name = "permute", .n_in = 1, .n_outs = 1, .pool = plan->pool};
    step.in = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    step.outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    step.in[0] = v;
    step.out = step.outs[0] = *out = with_dims(plan, v, to_last);
    step.out->buffer = new_buffer(plan, v);
    rt_permute_step(plan, to_last, &step);
    rt_add_step(plan, &step);
    return TW_SUCCESS;
}

static tw_status concat_parts(rt_plan *plan, const rt_step *step, rt_step *out)
{
    bool any = false;
    for (uint32_t i = 0; i < step->n_in; i++)
        any |= step->in[i]->waiting != NULL;
    if (!any)
        return TW_SUCCESS;
    *out = *step;
    out->in = TW_ARENA_ARRAY(&plan->arena, rt_value *, step->n_in + 1);
    out->outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    out->channels_last = true;
    for (uint32_t i = 0; i < step->n_in; i++) {
        out->in[i] = step->in[i]->waiting;
        if (!out->in[i])
            TW_TRY(permuted(plan, step->in[i], &out->in[i]));
    }
    out->operands = out->in;
    out->out = out->outs[0] = with_dims(plan, step->out, to_last);
    return TW_SUCCESS;
}

tw_status rt_channels_plan(rt_plan *plan, ir_op *op, rt_step *step, bool *out_done)
{
    rt_step twin = {0};
    tw_status status = TW_SUCCESS;
    *out_done = false;
    if (rt_observed(plan) || op->n_results != 1 || op->n_operands == 0)
        return TW_SUCCESS;
    rt_value *in = step->in[0], *out = step->out;
    if (is_order(op, to_first) && !in->waiting && may_wait(out, &op->results[0]) &&
        may_wait(in, op->operands[0].value)) {
        out->waiting = in;
        out->buffer = new_buffer(plan, out);
        *out_done = true;
        return TW_SUCCESS;
    }
    if (is_order(op, to_last) && in->waiting && may_wait(out, &op->results[0])) {
        out->buffer = in->waiting->buffer;
        *out_done = true;
        return TW_SUCCESS;
    }
    if (ttnn_is_elementwise(op->def) && on_twins(plan, op, step, &twin))
        status = rt_prepare_elementwise(plan, op, &twin);
    else if (op->def == TTNN_OP(batch_norm_inference) && on_twins(plan, op, step, &twin))
        status = rt_prepare_batch_norm(plan, op, &twin);
    else if (op->def == TTNN_OP(concat) && ir_op_int(op, "dim", 0) == 1 &&
             may_wait(out, &op->results[0])) {
        TW_TRY(concat_parts(plan, step, &twin));
        if (twin.out)
            status = rt_prepare_concat(plan, op, &twin);
    }
    if (status || !twin.run)
        return status;
    twin.out->buffer = new_buffer(plan, out);
    rt_add_step(plan, &twin);
    out->waiting = twin.out;
    out->buffer = new_buffer(plan, out);
    *out_done = true;
    return TW_SUCCESS;
}

tw_status rt_channels_settle(rt_plan *plan, rt_value *v)
{
    if (!v->waiting)
        return TW_SUCCESS;
    rt_step step = {
        .name = "permute", .n_in = 1, .n_outs = 1, .out = v, .pool = plan->pool};
    step.in = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    step.outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    step.in[0] = v->waiting;
    step.outs[0] = v;
    v->waiting = NULL;
    rt_permute_step(plan, to_first, &step);
    rt_add_step(plan, &step);
    return rt_plan_lacks(plan);
}
