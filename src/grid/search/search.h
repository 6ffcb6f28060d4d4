/* grid/search/search.h: what the searches of host functions and of launches share. */
#ifndef TILEWRIGHT_GRID_SEARCH_SEARCH_H
#define TILEWRIGHT_GRID_SEARCH_SEARCH_H

#include "grid/machine/found_helps.h"
#include "grid/search/explore.h"
#include "grid/search/what_if.h"
#include "tilewright/search.h"

tw_explore_result dev_explore_result(const dev_explored *e);
/* The end of a search that found a run: repeats it, which leaves its results and reports,
 * notes behind them how to have it again, and writes its smallest set of delays.
 * `runs_seed` is the seed of the runs, `seed` that of the search. */
tw_status dev_explore_end(const dev_subject *subject, const dev_explored *e,
                          ir_context *ctx, uint64_t runs_seed, uint64_t seed,
                          tw_strbuf *out_delays);

/* Measures what would help, and keeps it. */
tw_status dev_find_helps(const dev_measured *measured, dev_found_helps *out);

#endif
