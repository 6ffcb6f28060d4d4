/* linear.c: see linear.h.  Variables are eliminated one after the other (Fourier-Motzkin):
 * each pair of a lower and an upper bound of the variable is combined into a row without
 * it. */
#include "mlir/loops/linear.h"

#include "support/arena.h"
#include "support/number.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = LINEAR_VARIABLES + 1 };

static int64_t magnitude_divisor(int64_t a, int64_t b)
{
    uint64_t common = tw_gcd_u64(a < 0 ? 0 - (uint64_t)a : (uint64_t)a,
                                 b < 0 ? 0 - (uint64_t)b : (uint64_t)b);
    return common > INT64_MAX ? 1 : (int64_t)common;
}

void linear_add(linear_set *set, const int64_t *row)
{
    int64_t common = 0, made[WIDTH];
    for (size_t i = 0; i < LINEAR_VARIABLES; i++)
        common = magnitude_divisor(common, row[i]);
    if (common == 0 && row[LINEAR_VARIABLES] >= 0)
        return;
    if (set->n_rows == LINEAR_ROWS)
        return;
    common = TW_MAX(common, 1);
    for (size_t i = 0; i < LINEAR_VARIABLES; i++)
        made[i] = row[i] / common;
    int64_t c = row[LINEAR_VARIABLES];
    made[LINEAR_VARIABLES] = c / common - (c % common < 0);
    for (size_t i = 0; i < set->n_rows; i++)
        if (memcmp(set->rows[i], made, sizeof made) == 0)
            return;
    memcpy(set->rows[set->n_rows++], made, sizeof made);
}

/* Combines rows x and y, a lower and an upper bound of variable v, eliminating it. */
static bool combine(const int64_t *x, const int64_t *y, size_t v, int64_t *out)
{
    int64_t common = magnitude_divisor(x[v], y[v]);
    int64_t times_x = -(y[v] / common), times_y = x[v] / common;
    for (size_t i = 0; i < WIDTH; i++) {
        int64_t a, b;
        if (__builtin_mul_overflow(x[i], times_x, &a) ||
            __builtin_mul_overflow(y[i], times_y, &b) ||
            __builtin_add_overflow(a, b, &out[i]))
            return false;
    }
    return true;
}

/* The variable whose elimination makes the fewest rows, preferring variables whose
 * coefficients are all 1 (eliminating these is exact for integers); false if none is
 * left. */
static bool cheapest(const linear_set *set, size_t *out)
{
    size_t best = SIZE_MAX;
    for (size_t v = 0; v < LINEAR_VARIABLES; v++) {
        size_t below = 0, above = 0, wide = 0;
        for (size_t i = 0; i < set->n_rows; i++) {
            int64_t by = set->rows[i][v];
            below += by > 0;
            above += by < 0;
            wide |= by > 1 || by < -1;
        }
        size_t cost = below * above + wide * LINEAR_ROWS * LINEAR_ROWS;
        if (below + above && cost < best) {
            best = cost;
            *out = v;
        }
    }
    return best != SIZE_MAX;
}

static void eliminate(const linear_set *from, size_t v, linear_set *to)
{
    int64_t row[WIDTH];
    to->n_rows = 0;
    for (size_t i = 0; i < from->n_rows; i++)
        if (from->rows[i][v] == 0)
            linear_add(to, from->rows[i]);
    for (size_t i = 0; i < from->n_rows; i++)
        for (size_t k = 0; from->rows[i][v] > 0 && k < from->n_rows; k++)
            if (from->rows[k][v] < 0 && combine(from->rows[i], from->rows[k], v, row))
                linear_add(to, row);
}

bool linear_is_empty(const linear_set *set)
{
    linear_set *now = tw_xmalloc(sizeof *now), *next = tw_xmalloc(sizeof *next);
    size_t v;
    *now = *set;
    /* omitting rows only enlarges the set: emptiness stays proven */
    while (cheapest(now, &v)) {
        eliminate(now, v, next);
        linear_set *done = now;
        now = next;
        next = done;
    }
    bool empty = false;
    for (size_t i = 0; i < now->n_rows; i++)
        empty |= now->rows[i][LINEAR_VARIABLES] < 0;
    free(now);
    free(next);
    return empty;
}
