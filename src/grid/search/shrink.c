/* shrink.c: the smallest set of delays under which a program still fails in the same way:
 * delta debugging over the set, then fewer cycles for each delay. */
#include "grid/search/explore.h"

#include <stdlib.h>

enum { MAX_TRIES = 1000 };

typedef struct shrinker {
    const dev_subject *subject;
    uint64_t signature, result, budget, tries;
    dev_delays delays;
    bool stopped; /* cancelled, or out of tries: the set so far is the result */
} shrinker;

static bool fails(shrinker *s, const dev_delay_list *list)
{
    uint64_t result = 0;
    if (s->stopped || s->tries >= MAX_TRIES)
        return false;
    dev_delays_begin(&s->delays);
    s->delays.given = list;
    s->tries++;
    tw_status status = s->subject->run(s->subject->user, &s->delays, s->budget, &result);
    if (status != TW_SUCCESS) {
        tw_status_free(status);
        s->stopped = true;
        return false;
    }
    return s->signature ? s->delays.signature == s->signature
                        : !s->delays.signature && result != s->result;
}

/* The list without the elements from `from` to `end`. */
static dev_delay_list without(const dev_delay_list *list, size_t from, size_t end)
{
    dev_delay_list rest = {0};
    for (size_t i = 0; i < list->n; i++)
        if (i < from || i >= end)
            TW_PUSH(rest.at, rest.n, rest.capacity, list->at[i]);
    return rest;
}

/* Removes parts of `size` delays that are not needed; true if there was one. */
static bool remove_parts(shrinker *s, dev_delay_list *list, size_t size)
{
    bool any = false;
    for (size_t from = 0; from < list->n && !s->stopped;) {
        dev_delay_list rest = without(list, from, from + size);
        if (fails(s, &rest)) {
            free(list->at);
            *list = rest;
            any = true;
        } else {
            free(rest.at);
            from += size;
        }
    }
    return any;
}

static void remove_all(shrinker *s, dev_delay_list *list)
{
    for (size_t size = (list->n + 1) / 2; size; size = size > 1 ? (size + 1) / 2 : 0)
        while (remove_parts(s, list, size) && size == 1)
            continue;
}

/* The first of 1, 2, 5, 10, 20, ... cycles that is enough. */
static void shorten(shrinker *s, dev_delay_list *list, dev_delay *d)
{
    static const double steps[] = {1, 2, 5};
    const double enough = d->cycles;
    for (double power = 1; power < enough; power *= 10)
        for (size_t i = 0; i < TW_COUNT(steps) && steps[i] * power < enough; i++) {
            d->cycles = steps[i] * power;
            if (fails(s, list))
                return;
        }
    d->cycles = enough;
}

uint64_t dev_shrink(const dev_subject *subject, dev_delay_list *list, uint64_t signature,
                    uint64_t result, uint64_t budget)
{
    shrinker s = {
        .subject = subject, .signature = signature, .result = result, .budget = budget};
    remove_all(&s, list);
    for (size_t i = 0; i < list->n; i++)
        shorten(&s, list, &list->at[i]);
    remove_all(&s, list);
    dev_delays_free(&s.delays);
    return s.tries;
}
