/* search_launch.c: searches over the runs of a launch (tilewright/grid.h). */
#include "tilewright/search.h"

#include "grid/machine/grid.h"
#include "grid/search/search.h"
#include "grid/search/snapshot.h"

#include <stdlib.h>

typedef struct launch_search {
    tw_launch *launch;
    dev_machine *m;
    dev_snapshot before;
    tw_progress *progress;
    uint64_t runs, budget; /* budget: the user's */
} launch_search;

static tw_status run_order(void *user, dev_delays *delays, uint64_t budget,
                           uint64_t *out_result)
{
    launch_search *s = user;
    dev_snapshot_restore(&s->before);
    s->m->delays = delays;
    if (budget && budget < s->budget)
        s->m->options.budget = budget;
    tw_status status = tw_launch_run(s->launch);
    s->m->options.budget = s->budget;
    s->m->delays = NULL;
    *out_result = dev_snapshot_hash(&s->before);
    if (s->progress)
        s->progress->done = ++s->runs;
    if (tw_status_code(status) == TW_CANCELLED || !delays->signature)
        return status;
    tw_status_free(status);
    return TW_SUCCESS;
}

static void save(launch_search *s)
{
    const tw_launch *l = s->launch;
    size_t *tensors = tw_xmalloc((l->n_tensors + 1) * sizeof *tensors);
    for (size_t i = 0; i < l->n_tensors; i++)
        tensors[i] = l->tensors[i]->index;
    dev_snapshot_save(&s->before, s->m, tensors, l->n_tensors);
    free(tensors);
}

TW_EXPORT tw_status tw_launch_explore(tw_launch *l, const tw_explore_options *options,
                                      tw_explore_result *out_result)
{
    GRID_ENTER(l->kernels->grid);
    dev_machine *m = l->kernels->grid->m;
    launch_search s = {.launch = l, .m = m, .progress = options->progress};
    const dev_subject subject = {&s, run_order};
    dev_explored e;
    s.budget = m->options.budget;
    tw_strbuf_free(&l->delays);
    if (options->progress)
        options->progress->total = options->orders;
    save(&s);
    tw_status status = dev_explore(&subject, options->orders, options->seed, &e);
    *out_result = dev_explore_result(&e);
    if (status == TW_SUCCESS && e.broken) {
        status = dev_explore_end(&subject, &e, m->ctx, m->options.seed, options->seed,
                                 &l->delays);
    } else if (status == TW_SUCCESS && !e.interrupted) { /* for its results */
        dev_snapshot_restore(&s.before);
        status = tw_launch_run(l);
    }
    if (status == TW_SUCCESS && e.broken)
        status = tw_error(TW_INVALID, "%s", tw_strbuf_text(&l->kernels->grid->log.text));
    dev_snapshot_free(&s.before);
    dev_explored_free(&e);
    return status;
}

TW_EXPORT const char *tw_launch_delays(const tw_launch *l)
{
    return tw_strbuf_text(&l->delays);
}

TW_EXPORT tw_status tw_launch_set_delays(tw_launch *l, const char *text, size_t size,
                                         const char *name)
{
    GRID_ENTER(l->kernels->grid);
    l->replay.delays.n = 0;
    return size ? dev_replay_read((tw_str){text, size}, name, &l->replay) : TW_SUCCESS;
}

/* ---- what would help ----------------------------------------------------------------- */

static tw_status run_faster(void *user, dev_speed *speed)
{
    launch_search *s = user;
    const dev_chip *chip = s->m->chip;
    dev_snapshot_restore(&s->before);
    s->m->speed = speed;
    tw_status status = tw_launch_run(s->launch);
    s->m->speed = NULL;
    s->m->chip = chip;
    s->m->noc.pace.size = SIZE_MAX; /* the next transfer's cost is of this chip */
    if (s->progress)
        s->progress->done = ++s->runs;
    return status;
}

TW_EXPORT tw_status tw_launch_what_if(tw_launch *l, tw_progress *progress)
{
    GRID_ENTER(l->kernels->grid);
    dev_machine *m = l->kernels->grid->m;
    launch_search s = {.launch = l, .m = m, .progress = progress};
    const bool profile = m->options.profile;
    save(&s);
    m->options.profile = false;
    tw_status status = dev_find_helps(&(dev_measured){&s, m->chip, run_faster}, &l->helps);
    m->options.profile = profile;
    if (status == TW_SUCCESS) {
        dev_snapshot_restore(&s.before);
        status = tw_launch_run(l); /* its results, cycles and timeline */
    }
    dev_snapshot_free(&s.before);
    return status;
}

TW_EXPORT const tw_help *tw_launch_help(const tw_launch *l, size_t i)
{
    return i < l->helps.n ? &l->helps.at[i] : NULL;
}

TW_EXPORT const char *tw_launch_help_text(const tw_launch *l)
{
    return tw_strbuf_text(&l->helps.text);
}
