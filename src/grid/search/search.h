/* grid/search/search.h: what the searches of host functions and of launches share. */
#ifndef TILEWRIGHT_GRID_SEARCH_SEARCH_H
#define TILEWRIGHT_GRID_SEARCH_SEARCH_H

#include "grid/machine/found_helps.h"
#include "grid/search/explore.h"
#include "grid/search/what_if.h"
#include "tilewright/search.h"

tw_explore_result dev_explore_result(const dev_explored *e);
/* Repeats the run that was found; `last`, whose `given` this sets, then has its results,
 * and two accesses that are in another order without the delays. */
tw_status dev_explore_repeat(const dev_subject *subject, const dev_explored *e,
                             dev_delays *last);
/* Notes behind the reports of a run that was found: how to have it again. `last`: the run
 * with the smallest set of delays. */
void dev_explore_report(ir_context *ctx, const dev_explored *e, const dev_delays *last,
                        uint64_t seed);

/* Measures what would help, and keeps it. */
tw_status dev_find_helps(const dev_measured *measured, dev_found_helps *out);

#endif
