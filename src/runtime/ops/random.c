/* random.c: random numbers, dropout and draws among candidates.
 *
 * The device's generator is not reproduced: numbers agree with it in range and moments
 * only. A number depends only on the seed and its index, so that runs are reproducible. */
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>

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

/* ---- sampling */

typedef struct sampling {
    uint64_t seed;
    int64_t batch, candidates;
    float *logits, *mass;
    int64_t *order; /* candidates, the most probable first */
} sampling;

/* Sorts the candidates of a row by logits, stably; the row is short. */
static void order_candidates(const sampling *s)
{
    for (int64_t i = 0; i < s->candidates; i++) {
        int64_t at = i;
        for (; at > 0 && s->logits[i] > s->logits[s->order[at - 1]]; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
}

/* Returns the index in `order` of the candidate drawn: among the `k` most probable, after a
 * softmax, the shortest prefix whose probability reaches `p`. */
static int64_t draw_candidate(const sampling *s, int64_t k, float p, float temperature,
                              float drawn)
{
    const float most = s->logits[s->order[0]];
    float sum = 0, reached = 0;
    k = TW_MIN(TW_MAX(k, 1), s->candidates);
    for (int64_t i = 0; i < k; i++)
        sum += s->mass[i] = expf((s->logits[s->order[i]] - most) / temperature);
    int64_t kept = 0;
    while (kept < k && (kept == 0 || reached < p * sum))
        reached += s->mass[kept++];
    float left = drawn * reached;
    for (int64_t i = 0; i < kept - 1; i++) {
        left -= s->mass[i];
        if (left < 0)
            return i;
    }
    return kept - 1;
}

static void run_sampling(const rt_step *step)
{
    const sampling *s = step->state;
    const rt_value *values = step->in[0], *indices = step->in[1], *k = step->in[2];
    for (int64_t row = 0; row < s->batch; row++) {
        rt_load_f32(values->dtype, rt_data(values), (size_t)(row * s->candidates),
                    (size_t)s->candidates, s->logits);
        order_candidates(s);
        const float temperature = TW_MAX(rt_real_at(step->in[4], row), 1e-6f);
        const int64_t at =
            draw_candidate(s, rt_int_at(k, row), rt_real_at(step->in[3], row), temperature,
                           uniform(s->seed, row));
        const int64_t chosen = rt_int_at(indices, row * s->candidates + s->order[at]);
        rt_store_i64(step->out->dtype, &chosen, 1, rt_data(step->out), (size_t)row);
    }
}

tw_status rt_prepare_sampling(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *values = step->in[0];
    sampling *s = TW_ARENA_NEW(&plan->arena, sampling);
    s->seed = (uint64_t)ir_op_int(op, "seed", 0);
    s->candidates = values->rank ? rt_dim(values, -1) : 0;
    s->batch = s->candidates ? values->count / s->candidates : 0;
    bool fits = s->candidates > 0 && step->in[1]->count == values->count &&
                step->out->count == s->batch && rt_is_float(values->dtype) &&
                !rt_is_float(step->in[1]->dtype) && !rt_is_float(step->out->dtype);
    for (uint32_t i = 2; i < 5; i++)
        fits = fits && step->in[i]->count == s->batch;
    if (!fits || rt_is_float(step->in[2]->dtype))
        return rt_misfit(op);
    const size_t room = (size_t)s->candidates;
    s->logits = rt_scratch_alloc(plan, room * sizeof *s->logits);
    s->mass = rt_scratch_alloc(plan, room * sizeof *s->mass);
    s->order = rt_scratch_alloc(plan, room * sizeof *s->order);
    step->state = s;
    step->run = run_sampling;
    return TW_SUCCESS;
}
