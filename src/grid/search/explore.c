/* explore.c: see explore.h. */
#include "grid/search/explore.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_KEPT = 64,          /* lists that brought a new order */
    MAX_KEPT_DELAYS = 256,  /* in each */
    MAX_LATE = 64,          /* threads whose start is delayed alone */
    MAX_STEPS = 1 << 26,    /* of a thread in the first run, if the user sets no budget */
    MORE_STEPS = 20,        /* times those of the first run, */
    FEWEST_STEPS = 1 << 20, /* at least */
};

typedef struct explorer {
    const dev_subject *subject;
    dev_delays delays;
    dev_hashes pairs, orders;
    dev_delay_list kept[MAX_KEPT];
    size_t n_kept;
    dev_delay_list given; /* of this run */
    uint64_t random;      /* state */
    uint64_t points;      /* of the first run, without starts */
    uint64_t threads;     /* of the first run; 0: it has several programs */
    double cycles;        /* of the first run */
    uint64_t result, budget;
} explorer;

static uint64_t draw(explorer *e, uint64_t n)
{
    e->random = dev_scramble(e->random);
    return e->random % n;
}

static void copy_list(dev_delay_list *to, const dev_delay_list *from)
{
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        TW_PUSH(to->at, to->n, to->capacity, from->at[i]);
}

/* ---- choosing delays ----------------------------------------------------------------- */

/* Thread i % n starts late, or every other thread does. */
static void delay_starts(explorer *e, uint64_t i)
{
    const bool others = i >= e->threads;
    const double late = ceil(e->cycles) + 1;
    for (uint32_t t = 0; t < e->threads; t++)
        if ((t == i % e->threads) != others) {
            const dev_delay d = {.thread = t, .kind = DEV_DELAY_START, .cycles = late};
            TW_PUSH(e->given.at, e->given.n, e->given.capacity, d);
        }
}

/* Adds most delays of a run that brought a new order. */
static void repeat_kept(explorer *e)
{
    const dev_delay_list *from = &e->kept[draw(e, e->n_kept)];
    for (size_t i = 0; i < from->n; i++)
        if (draw(e, 4))
            TW_PUSH(e->given.at, e->given.n, e->given.capacity, from->at[i]);
    dev_delay_list_sort(&e->given);
}

static void choose(explorer *e, uint64_t run, uint64_t runs, uint64_t seed)
{
    static const double wanted[] = {1, 1, 2, 3, 5, 9, 17, 33};
    const uint64_t late = TW_MIN(2 * e->threads, TW_MIN(runs / 4, (uint64_t)MAX_LATE));
    dev_delays *d = &e->delays;
    e->given.n = 0;
    d->given = &e->given;
    memset(d->chance, 0, sizeof d->chance);
    if (run <= late) {
        delay_starts(e, run - 1);
        return;
    }
    e->random = dev_scramble(seed ^ dev_scramble(run));
    d->seed = dev_scramble(e->random);
    if (e->n_kept && draw(e, 2))
        repeat_kept(e);
    double chance = wanted[draw(e, TW_COUNT(wanted))] / (double)TW_MAX(e->points, 1);
    if (!draw(e, 8))
        chance = 0.4;
    d->chance[DEV_DELAY_CALL] = d->chance[DEV_DELAY_ARRIVAL] = TW_MIN(chance, 0.4);
    d->chance[DEV_DELAY_START] = draw(e, 2) ? 0.3 : 0;
    d->longest = exp2(4 + (double)draw(e, 64) / 64 * log2(4 * e->cycles / 16 + 64));
}

/* ---- the search ---------------------------------------------------------------------- */

/* *out_failed: the run is another than the first. */
static tw_status try_order(explorer *e, dev_explored *out, bool *out_failed)
{
    uint64_t result = 0;
    dev_delays_begin(&e->delays);
    TW_TRY(e->subject->run(e->subject->user, &e->delays, e->budget, &result));
    if (out->orders == 0)
        e->result = result;
    out->differs = !e->delays.signature && result != e->result;
    *out_failed = e->delays.signature || out->differs;
    out->orders++;
    out->distinct += dev_hashes_add(&e->orders, e->delays.order);
    return TW_SUCCESS;
}

static void measure_first(explorer *e)
{
    const dev_delays *d = &e->delays;
    e->points = d->points[DEV_DELAY_CALL] + d->points[DEV_DELAY_ARRIVAL];
    e->threads = d->programs == 1 ? d->points[DEV_DELAY_START] : 0;
    e->cycles = d->cycles;
    e->budget = TW_MAX(d->steps * MORE_STEPS, (uint64_t)FEWEST_STEPS);
}

static void keep_new_order(explorer *e)
{
    const dev_delays *d = &e->delays;
    if (!d->new_pairs || !d->taken.n || d->taken.n > MAX_KEPT_DELAYS)
        return;
    const size_t i = e->n_kept < MAX_KEPT ? e->n_kept++ : draw(e, MAX_KEPT);
    copy_list(&e->kept[i], &d->taken);
}

static tw_status search_orders(explorer *e, uint64_t orders, uint64_t seed,
                               dev_explored *out)
{
    bool failed;
    TW_TRY(try_order(e, out, &failed));
    measure_first(e);
    for (uint64_t run = 1; !failed && run < orders; run++) {
        choose(e, run, orders, seed);
        TW_TRY(try_order(e, out, &failed));
        out->found = run;
        if (!failed)
            keep_new_order(e);
    }
    if (!failed)
        return TW_SUCCESS;
    out->broken = true;
    out->budget = e->budget;
    out->found = out->orders - 1;
    copy_list(&out->delays, &e->delays.taken);
    dev_delay_list_sort(&out->delays);
    if (out->delays.n)
        out->tries =
            dev_shrink(e->subject, &out->delays, e->delays.signature, e->result, e->budget);
    return TW_SUCCESS;
}

tw_status dev_explore(const dev_subject *subject, uint64_t orders, uint64_t seed,
                      dev_explored *out)
{
    explorer e = {.subject = subject, .budget = MAX_STEPS};
    *out = (dev_explored){0};
    e.delays.known = &e.pairs;
    tw_status status = search_orders(&e, TW_MAX(orders, 1), seed, out);
    if (tw_status_code(status) == TW_CANCELLED) {
        tw_status_free(status);
        status = TW_SUCCESS;
        out->interrupted = true;
    }
    out->pairs = e.pairs.n;
    for (size_t i = 0; i < e.n_kept; i++)
        free(e.kept[i].at);
    free(e.given.at);
    dev_delays_free(&e.delays);
    dev_hashes_free(&e.pairs);
    dev_hashes_free(&e.orders);
    return status;
}

void dev_explored_free(dev_explored *e)
{
    free(e->delays.at);
    *e = (dev_explored){0};
}
