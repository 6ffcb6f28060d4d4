/* buffer.c: operations that move tensors between memories and layouts, change only their
 * elements' format, or, on a mesh of one device, have no peer to communicate with. */
#include "host/move/move.h"
#include "runtime/steps.h"
#include "ttnn/layout.h"
#include "ttnn/ttnn.h"

#include <string.h>

static void run_convert(const rt_step *step)
{
    rt_convert_into(step->in[0]->dtype, rt_data(step->in[0]), step->out);
}

/* The operand's values in the result's element type; a view if nothing changes. */
tw_status rt_prepare_same(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->n_in ? step->in[0] : NULL;
    if (!x || x->count != step->out->count)
        return rt_misfit(op);
    if (x->format == step->out->format && !x->buffer->written && !rt_must_copy(plan, op) &&
        !rt_must_leave(x, op)) {
        step->out->buffer = x->buffer;
        return TW_SUCCESS;
    }
    step->on_grid = true;
    step->run = run_convert;
    return TW_SUCCESS;
}

/* Returns the number of devices of the module's mesh that take part in the operation: those
 * of its cluster axis, or all. */
static int64_t devices_of(ir_op *op)
{
    int64_t mesh[2];
    ttnn_device_mesh(op, mesh);
    const int64_t axis = ir_op_int(op, "cluster_axis", -1);
    return axis == 0 || axis == 1 ? mesh[axis] : mesh[0] * mesh[1];
}

/* Rejects a gathered, reduced or partitioned tensor that would need other devices' parts:
 * the mesh has several devices, or, where the module names no device, the result's size
 * differs from the operand's. */
tw_status rt_prepare_collective(rt_plan *plan, ir_op *op, rt_step *step)
{
    if (devices_of(op) > 1 || (step->n_in && step->in[0]->count != step->out->count))
        return tw_error(TW_UNSUPPORTED,
                        "'%s' over more than one device is not implemented by the runtime; "
                        "`stablehlo-translate --interpret` runs programs side by side",
                        op->def->name);
    return rt_prepare_same(plan, op, step);
}

static void run_copy_into(const rt_step *step)
{
    rt_convert_into(step->in[0]->dtype, rt_data(step->in[0]), step->out);
}

/* Copies the first operand's values to the second one's memory. */
tw_status rt_prepare_copy_into(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    if (step->n_in != 2 || op->n_results || step->in[0]->count != step->in[1]->count)
        return rt_misfit(op);
    rt_write_in_place(step, step->in[1]);
    step->on_grid = true;
    step->run = run_copy_into;
    return TW_SUCCESS;
}

/* Contents are unspecified; zeroed for reproducibility. */
static void run_empty(const rt_step *step)
{
    memset(rt_data(step->out), 0,
           (size_t)step->out->count * tw_dtype_size(step->out->dtype));
}

tw_status rt_prepare_empty(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    (void)op;
    step->n_in = 0;
    step->run = run_empty;
    return TW_SUCCESS;
}

static void run_bits(const rt_step *step)
{
    memcpy(rt_data(step->out), rt_data(step->in[0]),
           (size_t)step->out->count * tw_dtype_size(step->out->dtype));
}

tw_status rt_prepare_bits(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    const rt_value *x = step->in[0];
    if (x->count != step->out->count ||
        tw_dtype_size(x->format) != tw_dtype_size(step->out->format) ||
        !tw_dtype_size(x->format))
        return tw_error(TW_UNSUPPORTED,
                        "'%s': the device holds elements of both types in other numbers of "
                        "bits, or elements are joined or split",
                        op->def->name);
    step->run = run_bits;
    return TW_SUCCESS;
}

/* ---- one strided copy */

static void run_move(const rt_step *step)
{
    krn_copy_run(step->state, rt_data(step->in[0]), rt_data(step->out), step->pool);
}

tw_status rt_prepare_transpose(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    krn_copy_plan *p = TW_ARENA_NEW(&plan->arena, krn_copy_plan);
    int a = rt_axis(op, "dim0", 0, x->rank), b = rt_axis(op, "dim1", 1, x->rank);
    int64_t order[RT_MAX_RANK];
    if (a < 0 || b < 0 || x->count != step->out->count || x->dtype != step->out->dtype)
        return rt_misfit(op);
    for (int i = 0; i < x->rank; i++)
        order[i] = i == a ? b : i == b ? a : i;
    step->state = p;
    step->run = run_move;
    return krn_plan_permute((int)tw_dtype_size(x->dtype), x->rank, x->dims, order, p);
}

tw_status rt_prepare_repeat_interleave(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    krn_copy_plan *p = TW_ARENA_NEW(&plan->arena, krn_copy_plan);
    int axis = rt_axis(op, "dim", 0, x->rank);
    int64_t times = ir_op_int(op, "repeats", 1);
    if (axis < 0 || times < 1 || x->count * times != step->out->count ||
        x->dtype != step->out->dtype)
        return rt_misfit(op);
    step->state = p;
    step->run = run_move;
    return krn_plan_repeat_interleave((int)tw_dtype_size(x->dtype), x->rank, x->dims, axis,
                                      times, p);
}
