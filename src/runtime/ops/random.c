/* random.c: random numbers and dropout.
 *
 * The device's generator is not reproduced: numbers agree with it in range and moments
 * only. A number depends only on the seed and its index, so that runs are reproducible. */
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

typedef struct draw {
    uint64_t seed;
    float low, high;   /* of rand */
    float keep, scale; /* of dropout */
    float *x;
} draw;

/* Uniform in [0, 1), 24 bits: the finaliser of SplitMix64 (G. Steele and others, 2014). */
static float uniform(uint64_t seed, int64_t index)
{
    uint64_t z = seed * 0xD1B54A32D192ED03u + (uint64_t)(index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
}

static void run_rand(const rt_step *step)
{
    const draw *d = step->state;
    for (int64_t i = 0; i < step->out->count; i++) {
        const float x = d->low + (d->high - d->low) * uniform(d->seed, i);
        rt_store_f32(step->out->dtype, &x, 1, rt_data(step->out), (size_t)i);
    }
}

static void run_dropout(const rt_step *step)
{
    const draw *d = step->state;
    rt_reals_load(step->in[0], d->x);
    for (int64_t i = 0; i < step->out->count; i++)
        d->x[i] = uniform(d->seed, i) < d->keep ? d->x[i] * d->scale : 0;
    rt_store_f32(step->out->dtype, d->x, (size_t)step->out->count, rt_data(step->out), 0);
}

tw_status rt_prepare_draw(rt_plan *plan, ir_op *op, rt_step *step)
{
    draw *d = TW_ARENA_NEW(&plan->arena, draw);
    const bool drops = op->def == TTNN_OP(dropout);
    d->seed = (uint64_t)ir_op_int(op, "seed", 0);
    d->low = (float)ir_op_real(op, "low", 0);
    d->high = (float)ir_op_real(op, "high", 1);
    d->keep = 1 - (float)ir_op_real(op, "prob", 0);
    d->scale = (float)ir_op_real(op, "scale", 1);
    if (drops && step->in[0]->count != step->out->count)
        return rt_misfit(op);
    if (drops)
        d->x = rt_reals_room(plan, step->out);
    step->state = d;
    step->run = drops ? run_dropout : run_rand;
    return TW_SUCCESS;
}
