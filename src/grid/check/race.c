/* race.c: see race.h: vector clocks of threads, and the words that carry them. */
#include "grid/check/race_impl.h"
#include "grid/check/semaphore_waits.h"
#include "grid/units/code.h"

#include <stdlib.h>

/* ---- clocks ------------------------------------------------------------------------ */

dev_races *dev_races_create(void)
{
    return tw_xcalloc(1, sizeof(dev_races));
}

static void drop_spare(dev_races *r)
{
    while (r->n_spare)
        free(r->spare[--r->n_spare]);
}

void dev_races_destroy(dev_races *r)
{
    if (!r)
        return;
    drop_spare(r);
    free(r->spare);
    free(r->slots);
    free(r);
}

static dev_far *far_new(dev_races *r)
{
    dev_far *far = r->n_spare ? r->spare[--r->n_spare]
                              : tw_xmalloc(sizeof *far + r->n * sizeof far->counts[0]);
    far->references = 1;
    return far;
}

static dev_far *far_keep(dev_far *far)
{
    if (far)
        far->references++;
    return far;
}

void dev_far_release(dev_races *r, dev_far *far)
{
    if (far && !--far->references)
        TW_PUSH(r->spare, r->n_spare, r->spare_capacity, far);
}

static void far_set(dev_races *r, dev_far **to, dev_far *far)
{
    if (*to == far)
        return;
    far_keep(far);
    dev_far_release(r, *to);
    *to = far;
}

/* Joins `far` into the clock *to. */
static void far_join(dev_races *r, dev_far **to, dev_far *far)
{
    dev_far *mine = *to;
    if (!far || mine == far)
        return;
    if (!mine) {
        far_set(r, to, far);
        return;
    }
    if (mine->references > 1) {
        *to = far_new(r);
        memcpy((*to)->counts, mine->counts, r->n * sizeof mine->counts[0]);
        dev_far_release(r, mine);
    }
    int32_t *counts = (*to)->counts;
    for (size_t i = 0; i < r->n; i++)
        counts[i] = TW_MAX(counts[i], far->counts[i]);
}

/* ---- programs ---------------------------------------------------------------------- */

static int core_number(const dev_machine *m, const dev_core *core)
{
    return core->y * m->chip->grid_x + core->x;
}

static bool all_have_slots(const dev_machine *m)
{
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i]->slot >= DEV_NEAR)
            return false;
    return m->n_threads <= MANY;
}

/* Discards all recorded accesses before counts restart, so that none seems to be later. */
static void forget_all(dev_machine *m)
{
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++)
        if (m->cores[i])
            dev_shadow_free(&m->cores[i]->l1);
    for (size_t i = 0; i < m->tensors.n; i++)
        for (int k = 0; m->tensors.buffers[i].banks && k < m->chip->dram_banks; k++)
            dev_shadow_free(&m->tensors.buffers[i].banks[k]);
    m->races->base = 0;
}

void dev_races_begin(dev_machine *m)
{
    dev_races *r = m->races;
    m->finds_races = r && all_have_slots(m);
    if (r && !m->finds_races)
        ir_op_warning(m->threads[0]->code->function,
                      "races are not looked for: a core has more than %d threads, or the "
                      "program more than %d",
                      DEV_NEAR, MANY);
    if (!m->finds_races)
        return;
    if (r->n != m->n_threads)
        drop_spare(r);
    r->n = m->n_threads;
    if (r->base > UINT32_MAX / 2)
        forget_all(m);
    if (r->n > r->slots_capacity) {
        r->slots_capacity = r->n;
        r->slots = tw_xrealloc(r->slots, r->n * sizeof *r->slots);
    }
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        t->clock = (dev_clock){0};
        t->clock.near[t->slot] = 1;
        t->first_slot = (uint32_t)core_number(m, t->core) * DEV_NEAR;
        r->slots[i] = t->first_slot + (uint32_t)t->slot;
    }
}

void dev_races_end(dev_machine *m)
{
    dev_races *r = m->races;
    if (!m->finds_races)
        return;
    m->finds_races = false;
    int32_t most = 0;
    for (size_t i = 0; i < m->n_threads; i++) {
        dev_thread *t = m->threads[i];
        far_set(r, &t->clock.far, NULL);
        most = TW_MAX(most, t->clock.near[t->slot]);
    }
    r->base += (uint32_t)most + 1;
    for (size_t i = 1; i < m->noc.n_transfers; i++)
        far_set(r, &m->noc.transfers[i].sent, NULL);
    for (int i = 0; i < m->chip->grid_y * m->chip->grid_x; i++) {
        dev_core *core = m->cores[i];
        for (size_t k = 0; core && k < core->n_words; k++)
            dev_far_release(r, core->words[k].far);
        for (size_t k = 0; core && k < core->n_clocks; k++)
            far_set(r, &core->clocks[k].far, NULL);
        if (core)
            core->n_words = 0;
    }
}

/* ---- order ------------------------------------------------------------------------- */

/* Starts a new epoch: later accesses are not covered by what was released. */
static void next_epoch(dev_thread *t)
{
    t->clock.near[t->slot]++;
}

static void learn(dev_thread *t, const dev_far *far)
{
    const dev_core *core = t->core;
    for (int i = 0; i < core->n_threads; i++) {
        const int32_t count = far->counts[core->threads[i]->number];
        t->clock.near[i] = TW_MAX(t->clock.near[i], count);
    }
}

void dev_race_learn(dev_thread *t, dev_far *far)
{
    far_join(t->machine->races, &t->clock.far, far);
}

void dev_race_keep(dev_thread *t, dev_clock *page)
{
    far_set(t->machine->races, &page->far, t->clock.far);
}

dev_far *dev_race_send(dev_thread *t)
{
    dev_races *r = t->machine->races;
    const dev_core *core = t->core;
    dev_far *far = far_new(r);
    if (t->clock.far)
        memcpy(far->counts, t->clock.far->counts, r->n * sizeof far->counts[0]);
    else
        memset(far->counts, 0, r->n * sizeof far->counts[0]);
    for (int i = 0; i < core->n_threads; i++)
        far->counts[core->threads[i]->number] = t->clock.near[i];
    next_epoch(t);
    return far;
}

typedef struct search {
    dev_access of;
    ir_op *found;
} search;

static ir_walk compare_site(ir_op *op, void *user)
{
    search *s = user;
    if (dev_site_of(op) != (s->of & ((1u << SITE_BITS) - 1)))
        return IR_WALK_ON;
    s->found = op;
    return IR_WALK_STOP;
}

ir_op *dev_access_op(const dev_machine *m, dev_access a)
{
    ir_op *function = m->threads[dev_who_of(a)]->code->function, *module = function;
    search s = {.of = a};
    while (ir_op_parent(module))
        module = ir_op_parent(module);
    if (ir_walk_pre(function, compare_site, &s) != IR_WALK_STOP)
        ir_walk_pre(module, compare_site, &s);
    return s.found ? s.found : function;
}

/* ---- words ------------------------------------------------------------------------- */

static struct dev_word *word_at(dev_core *core, size_t at)
{
    for (size_t i = 0; i < core->n_words; i++)
        if (core->words[i].at == at)
            return &core->words[i];
    TW_PUSH(core->words, core->n_words, core->words_capacity,
            (struct dev_word){.at = (uint32_t)at});
    return &core->words[core->n_words - 1];
}

/* True if the access happens-before the sending of this clock. */
static bool was_known(const dev_races *r, const dev_far *sent, dev_access a)
{
    const int64_t count = (int64_t)dev_count_of(a) - r->base;
    return count <= 0 || count <= sent->counts[dev_who_of(a)];
}

/* Reports a word that is set without being ordered with an addition, which may be lost. */
static void check_word(dev_thread *t, ir_op *op, const dev_far *sent, bool adds,
                       dev_access other)
{
    if (was_known(t->machine->races, sent, other))
        return;
    dev_report_at(t, DEV_SEMAPHORE, op, dev_access_op(t->machine, other),
                  adds ? "it is set here; let the core that sets it signal that it has"
                       : "it is counted up here; wait for the last of these before",
                  adds
                      ? "counts up a semaphore that is set in no order with it: what was "
                        "added may be lost"
                      : "sets a semaphore that is counted up in no order with it: what was "
                        "added may be lost");
}

void dev_race_word_comes(dev_thread *t, ir_op *op, dev_memory *l1, size_t at, dev_far *sent,
                         bool adds)
{
    struct dev_word *w = word_at(dev_core_of(l1), at);
    dev_races *r = t->machine->races;
    const dev_access mine = dev_access_at(r, (uint32_t)sent->counts[t->number], t, op);
    check_word(t, op, sent, adds, adds ? w->set : w->added);
    ir_op *waited = adds && !was_known(r, sent, w->waited)
                        ? dev_access_op(t->machine, w->waited)
                        : NULL;
    if (waited)
        dev_report_at(t, DEV_SEMAPHORE, op, waited,
                      dev_wait_is_named(waited)
                          ? "it is waited for here; let the sender know that this is over, "
                            "or wait with wait_ge"
                          : "it is waited for here; let the sender know that this is over, "
                            "or wait with noc_semaphore_wait_min",
                      "counts up a semaphore that a wait for one exact value may not have "
                      "seen yet: it would wait for ever");
    *(adds ? &w->added : &w->set) = mine;
    far_join(r, &w->far, sent);
}

void dev_race_wait_word(dev_thread *t, ir_op *op, size_t at)
{
    const uint32_t count = (uint32_t)t->clock.near[t->slot];
    word_at(t->core, at)->waited = dev_access_at(t->machine->races, count, t, op);
}

void dev_race_set_word(dev_thread *t, ir_op *op, size_t at)
{
    if (!t->machine->finds_races)
        return;
    dev_far *sent = dev_race_send(t);
    dev_race_word_comes(t, op, &t->core->l1, at, sent, false);
    dev_far_release(t->machine->races, sent);
}

void dev_race_see_words(dev_thread *t, dev_memory *l1, size_t at, size_t size)
{
    const dev_core *core = dev_core_of(l1);
    for (size_t i = 0; i < core->n_words; i++) {
        const struct dev_word *w = &core->words[i];
        if (w->at + 4 <= at || at + size <= w->at || !w->far)
            continue;
        far_join(t->machine->races, &t->clock.far, w->far);
        learn(t, w->far);
    }
}

bool dev_race_is_word(const dev_thread *t, dev_memory *l1, size_t at, size_t size)
{
    const size_t end = t->machine->chip->l1_base, begin = end - DEV_MAX_SEMAPHORES * 16;
    const dev_core *core = dev_core_of(l1);
    if (at >= begin && at + size <= end)
        return true;
    for (size_t i = 0; i < core->n_words && size <= 4; i++)
        if (core->words[i].at < at + size && at < core->words[i].at + 4)
            return true;
    return false;
}
