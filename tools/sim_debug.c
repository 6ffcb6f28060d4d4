/* sim_debug.c: `tilewright sim --break`: a prompt at each stop. */
#include "sim.h"

#include "dap.h"
#include "progress.h"
#include "tilewright/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_stop(void *user, tw_stop *stop)
{
    enum { CAPACITY = 1024 };
    char line[CAPACITY] = "where", *text;
    (void)user;
    progress_stop();
    tw_stop_next next = tw_stop_command(stop, line, &text);
    while (next == TW_STOP_STAYS) {
        fputs(text, stdout);
        free(text);
        fputs("(sim) ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) { /* the end of the input ends the run */
            strcpy(line, "quit");
            fputc('\n', stdout);
        }
        next = tw_stop_command(stop, line, &text);
    }
    fputs(text, stdout);
    free(text);
}

tw_status sim_set_breaks(tw_sim *sim, const sim_options *o)
{
    if (dap_attach(sim))
        return o->breaks.count || o->explore || o->what_if
                   ? tw_error(TW_INVALID, "--break, --explore and --what-if do not work "
                                          "with --dap: the editor sets breakpoints, and "
                                          "searches do not stop")
                   : TW_SUCCESS;
    for (size_t i = 0; i < o->breaks.count; i++)
        TW_TRY(tw_sim_add_break(sim, o->breaks.at[i]));
    if (o->breaks.count)
        tw_sim_set_on_stop(sim, on_stop, NULL);
    return TW_SUCCESS;
}
