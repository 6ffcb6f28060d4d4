/* debug.h: a debugger for kernels on the simulated grid.
 *
 * A run stops before an operation of one thread: at breakpoints, at breakpoint() in a
 * kernel in Python, and after a step. The host's function is then called; it gives
 * commands, whose answers are text, and looks at buffers and registers as tiles of f32. */
#ifndef TILEWRIGHT_DEBUG_H
#define TILEWRIGHT_DEBUG_H

#include "tilewright/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stop. Valid while the host's function runs. */
typedef struct tw_stop tw_stop;
typedef void tw_on_stop(void *user, tw_stop *stop);

/* Adds a breakpoint CORE:THREAD:LINE ("0,1:read:42"; "*" is any core or thread) to later
 * runs. TW_INVALID for another text. A run of a program without the core, the thread or an
 * operation at the line is TW_NOT_FOUND, which names the nearest. */
tw_status tw_sim_add_break(tw_sim *sim, const char *text);
tw_status tw_launch_add_break(tw_launch *launch, const char *text);
/* Later runs stop, and call the function; NULL: they do not. */
void tw_sim_set_on_stop(tw_sim *sim, tw_on_stop *on_stop, void *user);
void tw_launch_set_on_stop(tw_launch *launch, tw_on_stop *on_stop, void *user);
/* The run, or the next one, stops before the next line of any of its threads. Every host
 * thread may call it. */
void tw_sim_pause(tw_sim *sim);
void tw_launch_pause(tw_launch *launch);

typedef enum tw_stop_next {
    TW_STOP_STAYS, /* gives further commands */
    TW_STOP_GOES,  /* the function is to return: the run goes on */
    TW_STOP_ENDS   /* the same: the run ends, with TW_CANCELLED */
} tw_stop_next;

/* Executes a command ("help" lists them); *out_text is its answer, freed with free. */
tw_stop_next tw_stop_command(tw_stop *stop, const char *command, char **out_text);
/* What a stop has, as JSON, freed with free: "why" it stops, before which "operation"; all
 * "threads", with the index of the "stopped" one and of the "thread" that commands look at,
 * whose core has the "buffers", "semaphores" and "dst"; and "code", the lines of each
 * function that have an operation. */
char *tw_stop_describe(tw_stop *stop);

/* A tile of a circular buffer, by port: its filled pages from the oldest, then the reserved
 * ones. Row by row, 32 by 32. False past the end. */
bool tw_stop_page(tw_stop *stop, int port, size_t i, float out[1024]);
/* A tile of DST, by index; false if nothing has written it since acquire. */
bool tw_stop_dst(tw_stop *stop, int i, float out[1024]);
/* The port of a circular buffer by its name or number; -1 if there is none. */
int tw_stop_port(const tw_stop *stop, const char *name);
/* A semaphore of the core; false if the program has fewer. */
bool tw_stop_semaphore(const tw_stop *stop, int i, uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
