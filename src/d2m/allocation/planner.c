/* planner.c: see planner.h. */
#include "d2m/allocation/planner.h"

#include "support/arena.h"

#include <stdlib.h>

static bool overlap(const d2m_plan_item *a, const d2m_plan_item *b)
{
    return TW_MAX(a->first, b->first) <= TW_MIN(a->last, b->last);
}

static int64_t end_of(const d2m_plan_item *item)
{
    int64_t end;
    return __builtin_add_overflow(item->offset, item->size, &end) ? INT64_MAX : end;
}

/* ---- placing ------------------------------------------------------------------------ */

static int larger_first(const void *x, const void *y)
{
    const d2m_plan_item *a = *(d2m_plan_item *const *)x, *b = *(d2m_plan_item *const *)y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a < b ? -1 : a > b; /* the order of the program */
}

/* The items placed so far, by increasing offset. */
typedef struct placed_list {
    d2m_plan_item **at;
    size_t n;
} placed_list;

static int64_t best_offset(const placed_list *placed, const d2m_plan_item *item)
{
    int64_t best = -1, best_gap = INT64_MAX, end = 0;
    for (size_t i = 0; i < placed->n; i++) {
        const d2m_plan_item *other = placed->at[i];
        if (!overlap(item, other))
            continue;
        int64_t gap = other->offset - end;
        if (gap >= item->size && gap < best_gap) {
            best_gap = gap;
            best = end;
        }
        end = TW_MAX(end, end_of(other));
    }
    return best >= 0 ? best : end;
}

static void insert(placed_list *placed, d2m_plan_item *item)
{
    size_t i = placed->n++;
    for (; i && placed->at[i - 1]->offset > item->offset; i--)
        placed->at[i] = placed->at[i - 1];
    placed->at[i] = item;
}

int64_t d2m_plan_place(d2m_plan_item *items, size_t n)
{
    d2m_plan_item **order = tw_xmalloc((n + 1) * sizeof *order);
    placed_list placed = {tw_xmalloc((n + 1) * sizeof *placed.at), 0};
    int64_t used = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!items[i].is_spilled)
            order[count++] = &items[i];
    qsort(order, count, sizeof *order, larger_first);
    for (size_t i = 0; i < count; i++) {
        order[i]->offset = best_offset(&placed, order[i]);
        insert(&placed, order[i]);
        used = TW_MAX(used, end_of(order[i]));
    }
    free(order);
    free(placed.at);
    return used;
}

/* ---- spilling ----------------------------------------------------------------------- */

typedef struct candidate {
    size_t item;
    bool is_contended; /* the memory is over the limit at the item's start */
    int64_t size;
    size_t live; /* items that are live at its start */
} candidate;

static int spill_first(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->is_contended != b->is_contended)
        return a->is_contended ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->live != b->live)
        return a->live > b->live ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static candidate rank(const d2m_plan_item *items, size_t n, size_t i, int64_t limit)
{
    candidate c = {.item = i, .size = items[i].size};
    int64_t used = 0;
    for (size_t k = 0; k < n; k++)
        if (items[k].first <= items[i].first && items[i].first <= items[k].last) {
            c.live++;
            used = TW_MAX(used, end_of(&items[k]));
        }
    c.is_contended = used > limit;
    return c;
}

static int64_t place_with_spills(d2m_plan_item *items, size_t n, const candidate *order,
                                 size_t spilled)
{
    for (size_t i = 0; i < n; i++)
        items[i].is_spilled = false;
    for (size_t i = 0; i < spilled; i++)
        items[order[i].item].is_spilled = true;
    return d2m_plan_place(items, n);
}

int64_t d2m_plan_place_within(d2m_plan_item *items, size_t n, int64_t limit)
{
    for (size_t i = 0; i < n; i++)
        items[i].is_spilled = false;
    int64_t used = d2m_plan_place(items, n), fewest = used;
    if (used <= limit)
        return used;
    candidate *order = tw_xmalloc((n + 1) * sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!items[i].is_bound)
            order[count++] = rank(items, n, i, limit);
    qsort(order, count, sizeof *order, spill_first);
    size_t low = 1, high = count, enough = 0; /* spilling `enough` items is known to do */
    while (low <= high) {
        size_t middle = low + (high - low) / 2;
        used = place_with_spills(items, n, order, middle);
        fewest = TW_MIN(fewest, used);
        if (used <= limit) {
            enough = middle;
            high = middle - 1;
        } else {
            low = middle + 1;
        }
    }
    used = enough ? place_with_spills(items, n, order, enough) : fewest;
    free(order);
    return used;
}
