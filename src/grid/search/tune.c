/* tune.c: the search behind autotuning (tilewright/search.h): a pattern search over
 * indices.
 *
 * Lists of choices are ordered by their makers (sizes of blocks, numbers of cores), and
 * cycles mostly fall and then rise along each, so a step that helps is repeated. An axis
 * that changes nothing is left alone. At a minimum, neighbors of the next cheapest points
 * are measured with the runs that are left. */
#include "tilewright/search.h"

#include "support/arena.h"
#include "support/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_AXES = 16, MAX_POINTS = 1 << 24 };
static const double SAME = 0.0005; /* cycles that differ by this share are equal */

struct tw_tune {
    size_t axes, sizes[MAX_AXES];
    size_t best[MAX_AXES], step[MAX_AXES];
    double best_cycles; /* INFINITY: no allowed point yet */
    size_t direction;   /* 2 * axis, and 1 for down; those of a round are tried in turn */
    bool improved;      /* in this round */
    size_t runs;        /* left */
    bool all;           /* there are as many runs as points */
    size_t equal[MAX_AXES]; /* steps along each axis that changed nothing, */
    bool varies[MAX_AXES];  /* and whether one did */
    size_t points, next_any;
    double *cycles; /* of each point; NaN: not measured */
};

TW_EXPORT tw_status tw_tune_create(const size_t *sizes, size_t axes, const size_t *start,
                                   size_t runs, tw_tune **out_tune)
{
    size_t points = 1;
    if (!axes || axes > MAX_AXES)
        return tw_error(TW_INVALID, "a search over %zu axes: there are 1 to %d", axes,
                        MAX_AXES);
    for (size_t i = 0; i < axes; i++) {
        if (!sizes[i] || sizes[i] > MAX_POINTS / points)
            return tw_error(TW_INVALID,
                            sizes[i] ? "the choices of %zu axes are more than %d points"
                                     : "axis %zu of a search has no choice",
                            sizes[i] ? axes : i, MAX_POINTS);
        points *= sizes[i];
    }
    tw_tune *t = tw_xcalloc(1, sizeof *t);
    t->axes = axes;
    t->points = points;
    t->runs = runs;
    t->all = runs >= points;
    t->best_cycles = INFINITY;
    t->cycles = tw_xmalloc(points * sizeof *t->cycles);
    for (size_t i = 0; i < points; i++)
        t->cycles[i] = NAN;
    for (size_t i = 0; i < axes; i++) {
        t->sizes[i] = sizes[i];
        t->best[i] = start && start[i] < sizes[i] ? start[i] : sizes[i] / 2;
        t->step[i] = sizes[i] > 3 ? sizes[i] / 3 : 1;
    }
    *out_tune = t;
    return TW_SUCCESS;
}

TW_EXPORT void tw_tune_destroy(tw_tune *t)
{
    if (!t)
        return;
    free(t->cycles);
    free(t);
}

static size_t index_of(const tw_tune *t, const size_t *point)
{
    size_t at = 0;
    for (size_t i = 0; i < t->axes; i++)
        at = at * t->sizes[i] + point[i];
    return at;
}

static void point_of(const tw_tune *t, size_t index, size_t *out)
{
    for (size_t i = t->axes; i-- > 0; index /= t->sizes[i])
        out[i] = index % t->sizes[i];
}

/* The neighbor in this round's direction; false beyond the axis. */
static bool neighbor(const tw_tune *t, size_t *out)
{
    const size_t axis = t->direction / 2, step = t->step[axis];
    memcpy(out, t->best, t->axes * sizeof *out);
    if (t->direction % 2) {
        if (out[axis] < step)
            return false;
        out[axis] -= step;
    } else {
        if (out[axis] + step >= t->sizes[axis])
            return false;
        out[axis] += step;
    }
    return true;
}

/* Begins the next round, with smaller steps if the last one helped nothing; false if the
 * steps cannot be smaller. */
static bool next_round(tw_tune *t)
{
    bool smaller = t->improved;
    for (size_t i = 0; i < t->axes && !t->improved; i++) {
        smaller |= t->step[i] > 1;
        t->step[i] = (t->step[i] + 1) / 2;
    }
    t->direction = 0;
    t->improved = false;
    return smaller;
}

/* True for an axis along which every step so far, two at least, changed nothing. */
static bool is_flat(const tw_tune *t, size_t axis)
{
    return t->equal[axis] > 1 && !t->varies[axis];
}

/* Notes what a step along an axis changed. */
static void learn(tw_tune *t, size_t axis, double cycles)
{
    if (isinf(cycles) || isinf(t->best_cycles))
        return;
    if (fabs(cycles - t->best_cycles) > SAME * t->best_cycles)
        t->varies[axis] = true;
    else
        t->equal[axis]++;
}

/* A neighbor of a point that is not measured, along an axis that is not flat; false if
 * there is none. */
static bool unmeasured_neighbor(const tw_tune *t, size_t index, size_t *out)
{
    point_of(t, index, out);
    for (size_t axis = 0; axis < t->axes; axis++)
        if (is_flat(t, axis) && out[axis] != t->best[axis])
            return false; /* as good as another point */
    for (size_t axis = 0; axis < t->axes; axis++) {
        point_of(t, index, out);
        const size_t at = out[axis];
        for (int up = 0; up < 2 && !is_flat(t, axis); up++) {
            if (up ? at + 1 >= t->sizes[axis] : at == 0)
                continue;
            out[axis] = up ? at + 1 : at - 1;
            if (isnan(t->cycles[index_of(t, out)]))
                return true;
        }
    }
    return false;
}

/* Where no step from the best point helps: a neighbor of the cheapest point that has one;
 * false if every neighbor of every point was measured. */
static bool next_around(const tw_tune *t, size_t *out)
{
    double cheapest = INFINITY;
    size_t near[MAX_AXES];
    for (size_t i = 0; i < t->points; i++)
        if (t->cycles[i] < cheapest && unmeasured_neighbor(t, i, near)) {
            cheapest = t->cycles[i];
            memcpy(out, near, t->axes * sizeof *out);
        }
    return isfinite(cheapest);
}

/* Without an allowed point, or with runs for all of them, every other one in turn. */
static bool any_point(tw_tune *t, size_t *out)
{
    while (t->next_any < t->points && !isnan(t->cycles[t->next_any]))
        t->next_any++;
    if (t->next_any == t->points)
        return false;
    point_of(t, t->next_any, out);
    return true;
}

TW_EXPORT bool tw_tune_next(tw_tune *t, size_t *out)
{
    if (!t->runs)
        return false;
    if (isnan(t->cycles[index_of(t, t->best)])) {
        memcpy(out, t->best, t->axes * sizeof *out);
        return true;
    }
    for (;;) {
        if (t->direction == 2 * t->axes && !next_round(t)) {
            t->direction = 2 * t->axes;
            return next_around(t, out) ||
                   ((t->all || isinf(t->best_cycles)) && any_point(t, out));
        }
        if (is_flat(t, t->direction / 2) || !neighbor(t, out)) {
            t->direction++;
            continue;
        }
        const double cycles = t->cycles[index_of(t, out)];
        if (isnan(cycles))
            return true;
        learn(t, t->direction / 2, cycles);
        if (cycles < t->best_cycles) { /* and once more in this direction */
            memcpy(t->best, out, t->axes * sizeof *out);
            t->best_cycles = cycles;
            t->improved = true;
        } else {
            t->direction++;
        }
    }
}

TW_EXPORT void tw_tune_give(tw_tune *t, const size_t *point, double cycles)
{
    const bool allowed = isfinite(cycles);
    t->cycles[index_of(t, point)] = allowed ? cycles : INFINITY;
    t->runs -= allowed && t->runs;
    /* the start, the first allowed point, or a better one than a minimum: the search goes
     * on from there */
    if (allowed && (isinf(t->best_cycles) || index_of(t, point) == index_of(t, t->best) ||
                    (t->direction == 2 * t->axes && cycles < t->best_cycles))) {
        memcpy(t->best, point, t->axes * sizeof *point);
        t->best_cycles = cycles;
        t->direction = 0;
    }
}

TW_EXPORT bool tw_tune_best(const tw_tune *t, size_t *out_point, double *out_cycles)
{
    size_t best = 0;
    double cycles = INFINITY;
    for (size_t i = 0; i < t->points; i++)
        if (t->cycles[i] < cycles) {
            cycles = t->cycles[i];
            best = i;
        }
    if (isinf(cycles))
        return false;
    point_of(t, best, out_point);
    *out_cycles = cycles;
    return true;
}
