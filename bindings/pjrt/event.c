/* event.c: events. Every call finishes its work before it returns, so one event, which has
 * happened, serves all of them. */
#include "pjrt.h"

struct pj_event {
    char unused;
};

pj_event *pj_event_done(void)
{
    static pj_event done;
    return &done;
}

pj_error *pj_event_destroy(pj_of_args *args)
{
    (void)args;
    return NULL;
}

pj_error *pj_event_is_ready(pj_bool_args *args)
{
    args->value = true;
    return NULL;
}

pj_error *pj_event_error(pj_of_args *args)
{
    (void)args;
    return NULL;
}

pj_error *pj_event_await(pj_of_args *args)
{
    (void)args;
    return NULL;
}

pj_error *pj_event_on_ready(pj_on_ready_args *args)
{
    args->callback(NULL, args->user);
    return NULL;
}
