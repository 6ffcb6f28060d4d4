/* planner.h: puts buffers with live ranges into one memory, and chooses which of them
 * move to another memory when it is too small. */
#ifndef TILEWRIGHT_D2M_ALLOCATION_PLANNER_H
#define TILEWRIGHT_D2M_ALLOCATION_PLANNER_H

#include "support/base.h"

typedef struct d2m_plan_item {
    int64_t first, last; /* live range, both ends included */
    int64_t size;        /* bytes, aligned */
    bool is_bound;       /* stays in this memory */
    bool is_spilled;     /* out: is in the other memory */
    int64_t offset;      /* out, unless spilled */
} d2m_plan_item;

/* Sets the offsets of all items that are not spilled: the largest first, each into the
 * tightest gap between those that are live at the same time. Returns the bytes used,
 * INT64_MAX if they overflow. */
int64_t d2m_plan_place(d2m_plan_item *items, size_t n);

/* The same, within `limit` bytes: spills the shortest prefix that suffices of the free
 * items ordered by (contributes to a peak above the limit, size, items live at its start).
 * Returns the bytes used, which exceed the limit if spilling all free items does not
 * suffice. */
int64_t d2m_plan_place_within(d2m_plan_item *items, size_t n, int64_t limit);

#endif
