/* sim_explore.c: `tilewright sim --explore`, `--replay` and `--what-if`. */
#include "sim.h"

#include "cli.h"
#include "progress.h"
#include "support/clock.h"
#include "support/file.h"
#include "support/strbuf.h"
#include "tilewright/search.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

typedef void interrupt_handler(int);

/* Ctrl-C ends a search, which then prints what it has. */
static interrupt_handler *catch_interrupts(tw_sim *sim)
{
    interrupted = 0;
    tw_sim_set_cancel(sim, &interrupted);
    return signal(SIGINT, on_interrupt);
}

static void release_interrupts(tw_sim *sim, interrupt_handler *before)
{
    signal(SIGINT, before);
    tw_sim_set_cancel(sim, NULL);
}

static void put_result(const tw_explore_result *r, const sim_options *o, double spent)
{
    fprintf(stderr,
            "tilewright sim: %s%" PRIu64 " of %" PRIu64 " orders with seed %" PRIu64
            " in %.1f s: %" PRIu64 " different ones, %" PRIu64 " pairs of accesses; %s\n",
            r->interrupted ? "interrupted after " : "", r->orders, (uint64_t)o->explore,
            (uint64_t)o->seed, spent, r->distinct, r->pairs,
            r->broken ? "an error" : "no error");
}

/* The delays, in a file beside the current folder's others. */
static tw_status put_delays(tw_sim *sim, const sim_options *o, const char *path)
{
    const char *text = tw_sim_delays(sim), *slash = strrchr(path, '/');
    tw_strbuf name = {0};
    if (!*text)
        return TW_SUCCESS;
    if (o->delays)
        tw_strbuf_puts(&name, o->delays);
    else
        tw_strbuf_printf(&name, "%s.delays", slash ? slash + 1 : path);
    tw_status status = tw_file_write(tw_strbuf_text(&name), text, strlen(text));
    if (status == TW_SUCCESS)
        fprintf(stderr,
                "tilewright sim: help: tilewright sim %s --replay=%s runs it again\n", path,
                tw_strbuf_text(&name));
    tw_strbuf_free(&name);
    return status;
}

tw_status sim_explore(tw_sim *sim, const sim_options *o, const char *path, void **in,
                      void **out)
{
    tw_explore_result r = {0};
    if (o->explore < 0)
        return tw_error(TW_INVALID,
                        "--explore=%" PRId64 ": a number of orders is not "
                        "negative",
                        o->explore);
    const double start = tw_clock_seconds();
    interrupt_handler *before = catch_interrupts(sim);
    tw_progress *progress = progress_start("tilewright sim", "exploring orders");
    tw_status status = tw_sim_explore(sim,
                                      &(tw_explore_options){.orders = (uint64_t)o->explore,
                                                            .seed = (uint64_t)o->seed,
                                                            .progress = progress},
                                      (const void *const *)in, out, &r);
    progress_stop();
    release_interrupts(sim, before);
    fputs(tw_sim_log(sim), stderr);
    if (r.orders)
        put_result(&r, o, tw_clock_seconds() - start);
    tw_status wrote = put_delays(sim, o, path);
    if (status != TW_SUCCESS)
        tw_status_free(wrote);
    else
        status = wrote;
    return status == TW_SUCCESS && r.interrupted
               ? tw_error(TW_CANCELLED, "interrupted after %" PRIu64 " orders", r.orders)
               : status;
}

tw_status sim_set_replay(tw_sim *sim, const char *file)
{
    tw_strbuf text = {0};
    TW_TRY(tw_file_read(file, &text));
    tw_status status = tw_sim_set_delays(sim, text.size ? tw_strbuf_text(&text) : "\n",
                                         TW_MAX(text.size, (size_t)1), file);
    tw_strbuf_free(&text);
    return status;
}

void sim_check_replay(const tw_sim *sim, const sim_options *o)
{
    size_t given;
    const size_t met = tw_sim_delays_met(sim, &given);
    if (met < given)
        fprintf(stderr,
                "tilewright sim: warning: %zu of the %zu delays of %s are at points that "
                "this program does not reach: is it another one?\n",
                given - met, given, o->replay);
}

tw_status sim_what_if(tw_sim *sim, void **in, void **out)
{
    interrupt_handler *before = catch_interrupts(sim);
    tw_progress *progress = progress_start("tilewright sim", "measuring what would help");
    tw_status status = tw_sim_what_if(sim, (const void *const *)in, out, progress);
    progress_stop();
    release_interrupts(sim, before);
    if (status == TW_SUCCESS)
        fputs(tw_sim_help_text(sim), stdout);
    else
        fputs(tw_sim_log(sim), stderr);
    return status == TW_SUCCESS && interrupted
               ? tw_error(TW_CANCELLED, "interrupted; the table has what was measured")
               : status;
}
