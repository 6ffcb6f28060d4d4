/* index.c: element-wise gather and scatter along one axis, and rows accumulated by
 * index. */
#include "host/move/move.h"
#include "runtime/steps.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <string.h>

typedef struct along {
    int axis;
    krn_scatter_kind kind;
} along;

static int axis_of(ir_op *op, int rank)
{
    int64_t dim = ir_op_int(op, "dim", 0);
    return (int)(dim < 0 ? dim + rank : dim);
}

static void run_gather(const rt_step *step)
{
    const along *g = step->state;
    const rt_value *x = step->in[0], *index = step->in[1];
    tw_status status = krn_gather_axis((int)tw_dtype_size(x->dtype), x->rank, x->dims,
                                       g->axis, index->dtype, index->dims, rt_data(x),
                                       rt_data(index), rt_data(step->out), NULL);
    assert(status == TW_SUCCESS); /* shapes and types were checked when planning */
    tw_status_free(status);
}

tw_status rt_prepare_gather(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *index = step->in[1];
    along *g = TW_ARENA_NEW(&plan->arena, along);
    g->axis = axis_of(op, x->rank);
    bool fits = x->rank == index->rank && index->count == step->out->count &&
                x->dtype == step->out->dtype && !rt_is_float(index->dtype) &&
                g->axis >= 0 && g->axis < x->rank;
    for (int d = 0; fits && d < x->rank; d++)
        fits = d == g->axis ? x->dims[d] > 0 || index->count == 0
                            : index->dims[d] <= x->dims[d];
    if (!fits)
        return tw_error(TW_INVALID, "'%s': input, index and result do not fit",
                        op->def->name);
    step->state = g;
    step->run = run_gather;
    return TW_SUCCESS;
}

static void run_scatter(const rt_step *step)
{
    const along *s = step->state;
    const rt_value *x = step->in[0], *index = step->in[1], *source = step->in[2];
    const rt_value *out = step->out;
    if (rt_data(out) != rt_data(x)) /* else only what is scattered is written */
        memcpy(rt_data(out), rt_data(x), (size_t)x->count * tw_dtype_size(x->dtype));
    tw_status status = krn_scatter_axis(out->dtype, s->kind, out->rank, out->dims, s->axis,
                                        index->dtype, index->dims, source->dims,
                                        rt_data(index), rt_data(source), rt_data(out));
    assert(status == TW_SUCCESS); /* shapes and types were checked when planning */
    tw_status_free(status);
}

tw_status rt_prepare_scatter(rt_plan *plan, ir_op *op, rt_step *step)
{
    static const krn_scatter_kind kinds[] = {
        [TTCORE_ReduceType_Sum] = KRN_SCATTER_ADD,
        [TTCORE_ReduceType_Prod] = KRN_SCATTER_MUL,
        [TTCORE_ReduceType_Max] = KRN_SCATTER_MAX,
        [TTCORE_ReduceType_Min] = KRN_SCATTER_MIN,
        [TTCORE_ReduceType_Invalid] = KRN_SCATTER_SET,
    };
    const rt_value *x = step->in[0], *index = step->in[1], *source = step->in[2];
    along *s = TW_ARENA_NEW(&plan->arena, along);
    int64_t kind =
        ir_enum_value(ir_op_attr(op, "scatter_reduce_type"), TTCORE_ReduceType_Invalid);
    s->axis = axis_of(op, x->rank);
    s->kind = kinds[kind];
    bool fits = x->rank == index->rank && x->rank == source->rank && s->axis >= 0 &&
                s->axis < x->rank && x->dtype == step->out->dtype &&
                source->dtype == x->dtype && !rt_is_float(index->dtype);
    for (int d = 0; fits && d < x->rank; d++)
        fits = index->dims[d] <= source->dims[d] &&
               (d == s->axis || index->dims[d] <= x->dims[d]);
    if (!fits)
        return tw_error(TW_INVALID, "'%s': input, index and source do not fit",
                        op->def->name);
    step->state = s;
    step->updates = true;
    step->run = run_scatter;
    return TW_SUCCESS;
}

/* ---- table[index] += gradient */

static void run_embedding_bw(const rt_step *step)
{
    float *sums = step->state;
    const rt_value *ids = step->in[0], *gradient = step->in[2], *out = step->out;
    int64_t width = rt_dim(out, -1), rows = rt_dim(out, -2);
    memset(sums, 0, (size_t)out->count * sizeof *sums);
    for (int64_t i = 0; i < ids->count; i++) {
        int64_t row = rt_int_at(ids, i);
        if (row < 0 || row >= rows)
            continue;
        for (int64_t k = 0; k < width; k++)
            sums[row * width + k] += rt_real_at(gradient, i * width + k);
    }
    rt_store_f32(out->dtype, sums, (size_t)out->count, rt_data(out), 0);
}

tw_status rt_prepare_embedding_bw(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *out = step->out;
    if (step->n_in != 3 || out->rank < 2 || step->in[1]->count != out->count ||
        step->in[2]->count != step->in[0]->count * rt_dim(out, -1))
        return rt_misfit(op);
    step->state = rt_reals_room(plan, out);
    step->run = run_embedding_bw;
    return TW_SUCCESS;
}
