/* debug.c: debuggers of host functions and launches (tilewright/debug.h). */
#include "grid/debug/debug.h"

#include "grid/machine/grid.h"
#include "grid/machine/sim.h"

void dev_debug_on_stop(void *user, dev_machine *m, dev_thread *t)
{
    dev_debugger *d = user;
    tw_stop stop = {.m = m, .debug = m->debug, .thread = t};
    d->on_stop(d->user, &stop);
}

static tw_status add_break(dev_debugger *d, const char *text)
{
    dev_break b;
    TW_TRY(dev_break_read(tw_str_from(text), &b));
    TW_PUSH(d->debug.breaks, d->debug.n, d->debug.capacity, b);
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_sim_add_break(tw_sim *sim, const char *text)
{
    return add_break(&sim->debugger, text);
}

TW_EXPORT tw_status tw_launch_add_break(tw_launch *l, const char *text)
{
    GRID_ENTER(l->kernels->grid);
    return add_break(&l->debugger, text);
}

static void set_on_stop(dev_debugger *d, tw_on_stop *on_stop, void *user)
{
    d->on_stop = on_stop;
    d->user = user;
    d->debug.stop = dev_debug_on_stop;
    d->debug.user = d;
}

TW_EXPORT void tw_sim_set_on_stop(tw_sim *sim, tw_on_stop *on_stop, void *user)
{
    set_on_stop(&sim->debugger, on_stop, user);
}

TW_EXPORT void tw_launch_set_on_stop(tw_launch *l, tw_on_stop *on_stop, void *user)
{
    set_on_stop(&l->debugger, on_stop, user);
}

static void pause_run(dev_debugger *d)
{
    __atomic_store_n(&d->debug.pause, true, __ATOMIC_RELAXED);
}

TW_EXPORT void tw_sim_pause(tw_sim *sim)
{
    pause_run(&sim->debugger);
}

TW_EXPORT void tw_launch_pause(tw_launch *l)
{
    pause_run(&l->debugger);
}
