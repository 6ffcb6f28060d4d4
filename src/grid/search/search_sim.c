/* search_sim.c: searches over the runs of a host function (tilewright/sim.h). */
#include "tilewright/search.h"

#include "grid/machine/sim.h"
#include "grid/search/search.h"
#include "support/hash.h"

#include <stdlib.h>

typedef struct sim_search {
    tw_sim *sim;
    tw_progress *progress;
    const void *const *inputs;
    void *const *outputs;
    uint64_t runs;
} sim_search;

static tw_status run_order(void *user, dev_delays *delays, uint64_t budget,
                           uint64_t *out_result)
{
    sim_search *s = user;
    tw_sim *sim = s->sim;
    const uint64_t asked = sim->options.budget;
    sim->searched = delays;
    if (!asked || budget < asked)
        sim->options.budget = budget;
    for (size_t i = 0; i < sim->n_outputs; i++)
        memset(s->outputs[i], 0, sim->outputs[i].bytes);
    tw_status status = tw_sim_run(sim, s->inputs, s->outputs);
    sim->options.budget = asked;
    sim->searched = NULL;
    *out_result = 0;
    for (size_t i = 0; i < sim->n_outputs; i++)
        *out_result = tw_hash_bytes(*out_result, s->outputs[i], sim->outputs[i].bytes);
    if (s->progress)
        s->progress->done = ++s->runs;
    if (tw_status_code(status) == TW_CANCELLED || !delays->signature)
        return status;
    tw_status_free(status);
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_sim_explore(tw_sim *sim, const tw_explore_options *options,
                                   const void *const *inputs, void *const *outputs,
                                   tw_explore_result *out_result)
{
    sim_search s = {
        .sim = sim, .progress = options->progress, .inputs = inputs, .outputs = outputs};
    const dev_subject subject = {&s, run_order};
    dev_explored e;
    tw_strbuf_free(&sim->delays);
    if (options->progress)
        options->progress->total = options->orders;
    tw_status status = dev_explore(&subject, options->orders, options->seed, &e);
    *out_result = dev_explore_result(&e);
    if (status == TW_SUCCESS && e.broken)
        status = dev_explore_end(&subject, &e, sim->ctx, sim->options.seed, options->seed,
                                 &sim->delays);
    if (status == TW_SUCCESS && e.broken)
        status = tw_error(TW_INVALID, "order %llu of the kernels' threads breaks them",
                          (unsigned long long)e.found);
    dev_explored_free(&e);
    return status;
}

TW_EXPORT const char *tw_sim_delays(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->delays);
}

TW_EXPORT tw_status tw_sim_set_delays(tw_sim *sim, const char *text, size_t size,
                                      const char *name)
{
    sim->replay.delays.n = 0;
    if (!size)
        return TW_SUCCESS;
    TW_TRY(dev_replay_read((tw_str){text, size}, name, &sim->replay));
    sim->options.seed = sim->replay.seed;
    if (!sim->options.budget)
        sim->options.budget = sim->replay.budget;
    return TW_SUCCESS;
}

TW_EXPORT size_t tw_sim_delays_met(const tw_sim *sim, size_t *out_given)
{
    *out_given = sim->replay.delays.n;
    return sim->delays_met;
}

/* ---- what would help ----------------------------------------------------------------- */

static tw_status run_faster(void *user, dev_speed *speed)
{
    sim_search *s = user;
    s->sim->speed = speed;
    tw_status status = tw_sim_run(s->sim, s->inputs, s->outputs);
    s->sim->speed = NULL;
    if (s->progress)
        s->progress->done = ++s->runs;
    return status;
}

TW_EXPORT tw_status tw_sim_what_if(tw_sim *sim, const void *const *inputs,
                                   void *const *outputs, tw_progress *progress)
{
    sim_search s = {.sim = sim, .progress = progress, .inputs = inputs, .outputs = outputs};
    return dev_find_helps(&(dev_measured){&s, sim->chip, run_faster}, &sim->helps);
}

TW_EXPORT const tw_help *tw_sim_help(const tw_sim *sim, size_t i)
{
    return i < sim->helps.n ? &sim->helps.at[i] : NULL;
}

TW_EXPORT const char *tw_sim_help_text(const tw_sim *sim)
{
    return tw_strbuf_text(&sim->helps.text);
}
