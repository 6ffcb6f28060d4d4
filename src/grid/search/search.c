/* search.c: see search.h. */
#include "grid/search/search.h"

#include "ir/context.h"

tw_explore_result dev_explore_result(const dev_explored *e)
{
    return (tw_explore_result){.orders = e->orders,
                               .distinct = e->distinct,
                               .pairs = e->pairs,
                               .interrupted = e->interrupted,
                               .broken = e->broken,
                               .found = e->found,
                               .delays = e->delays.n,
                               .tries = e->tries};
}

/* Repeats the run that was found; `last` then has its results, and two accesses that are
 * in another order without the delays. */
static tw_status repeat(const dev_subject *subject, const dev_explored *e, dev_delays *last)
{
    dev_hashes pairs = {0};
    dev_delays first = {.known = &pairs};
    uint64_t result;
    tw_status status =
        e->differs ? subject->run(subject->user, &first, e->budget, &result) : TW_SUCCESS;
    last->given = &e->delays;
    last->known = &pairs;
    if (status == TW_SUCCESS)
        status = subject->run(subject->user, last, e->budget, &result);
    last->known = NULL;
    dev_delays_free(&first);
    dev_hashes_free(&pairs);
    return status;
}

static void note_delay(ir_context *ctx, const dev_delay *d)
{
    tw_strbuf text = {0};
    dev_delay_describe(d, &text);
    ir_note(ctx, (d->op ? d->op : d->kernel)->loc, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
}

static void report(ir_context *ctx, const dev_explored *e, const dev_delays *last,
                   uint64_t seed)
{
    const ir_op *at = last->error_at;
    if (e->differs && last->first_new.after) {
        at = last->first_new.after;
        ir_error(ctx, at->loc,
                 "order: the results depend on the order of the threads: here after the "
                 "other access they differ from those of the first order");
        ir_note(ctx, last->first_new.before->loc,
                "the other access is here; a semaphore would "
                "order them");
    } else if (e->differs) {
        at = last->taken.n ? last->taken.at[0].op : NULL;
        ir_error(ctx, at ? at->loc : ir_loc_from_attr(NULL),
                 "order: the results depend on the order of the threads: with this delay "
                 "they differ from those of the first order");
    }
    if (!at)
        return;
    ir_note(ctx, at->loc, "found in order %llu with seed %llu; it needs %s:",
            (unsigned long long)e->found, (unsigned long long)seed,
            e->delays.n == 1 ? "one delay" : "these delays");
    for (size_t i = 0; i < last->taken.n; i++)
        note_delay(ctx, &last->taken.at[i]);
    ir_flush_diagnostics(ctx);
}

tw_status dev_explore_end(const dev_subject *subject, const dev_explored *e,
                          ir_context *ctx, uint64_t runs_seed, uint64_t seed,
                          tw_strbuf *out_delays)
{
    dev_delays last = {0};
    tw_status status = repeat(subject, e, &last);
    if (e->delays.n) {
        report(ctx, e, &last, seed);
        const dev_replay replay = {last.taken, runs_seed, e->budget};
        dev_replay_write(ctx, &replay, out_delays);
    }
    dev_delays_free(&last);
    return status;
}

tw_status dev_find_helps(const dev_measured *measured, dev_found_helps *out)
{
    dev_helps helps;
    tw_arena_reset(&out->arena);
    tw_strbuf_free(&out->text);
    tw_strbuf_free(&out->json);
    out->n = 0;
    tw_status status = dev_what_if(measured, &helps);
    out->at = TW_ARENA_ARRAY(&out->arena, tw_help, helps.n + 1);
    for (size_t i = 0; status == TW_SUCCESS && i < helps.n; i++) {
        const dev_help *h = &helps.at[i];
        tw_strbuf name = {0};
        if (h->no_room)
            continue;
        dev_help_name(h, &name);
        out->at[out->n++] =
            (tw_help){.what = tw_arena_copy(&out->arena, tw_strbuf_text(&name), name.size),
                      .file = h->kind == DEV_HELP_LINE ? h->line.file->text : NULL,
                      .line = h->line.line,
                      .twice = h->twice,
                      .free = h->free};
        tw_strbuf_free(&name);
    }
    if (status == TW_SUCCESS) {
        dev_helps_write(&helps, &out->text);
        dev_helps_json(&helps, &out->json);
    }
    dev_helps_free(&helps);
    return status;
}
