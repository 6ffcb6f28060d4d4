/* noc_time.c: arrival times of transfers: routes, occupied links and banks, and the figures
 * of the chip's cost table. */
#include "grid/machine/machine.h"

static int hops(const dev_machine *m, const dev_core *from, const dev_noc_address *to)
{
    if (to->kind == DEV_NOC_BANK)
        return m->chip->grid_x / 2;
    int dx = to->x - m->chip->translated_x - from->x,
        dy = to->y - m->chip->translated_y - from->y;
    return (dx + m->chip->grid_x) % m->chip->grid_x +
           (dy + m->chip->grid_y) % m->chip->grid_y;
}

/* ---- links between cores: NoC 0 goes right, then down, NoC 1 up, then left, around the
 * edges (isa NoC/RoutingPaths.md). First-come-first-served: a packet occupies a link for
 * its transfer time while its head moves on [first order, assumed]. Multicast trees and
 * transfers to DRAM, whose position on the chip is not modelled, wait only at their
 * ends. */

enum { ALONG, ACROSS, DIRECTIONS };

static double *link_free(dev_machine *m, int noc, int y, int x, int direction)
{
    return &m->noc.link_free[((noc * m->chip->grid_y + y) * m->chip->grid_x + x) *
                                 DIRECTIONS +
                             direction];
}

typedef struct route {
    int noc, y, x, to_y, to_x;
} route;

/* Returns the next link of the route and advances it; NULL at the destination. */
static double *next_link(dev_machine *m, route *r)
{
    const int rows = m->chip->grid_y, columns = m->chip->grid_x;
    const bool along = r->noc ? r->y == r->to_y : r->x != r->to_x;
    if (r->y == r->to_y && r->x == r->to_x)
        return NULL;
    double *link = link_free(m, r->noc, r->y, r->x, along ? ALONG : ACROSS);
    if (along)
        r->x = (r->x + (r->noc ? columns - 1 : 1)) % columns;
    else
        r->y = (r->y + (r->noc ? rows - 1 : 1)) % rows;
    return link;
}

/* Occupies the links of a route; returns the time at which the bytes start. */
static double take_links(dev_machine *m, route r, double start, double duration)
{
    const double hop = m->chip->cost.noc_hop;
    double head = start, *link;
    for (route at = r; (link = next_link(m, &at)); head += hop)
        head = TW_MAX(head, *link);
    /* the flits are contiguous all the way: a wait delays the start */
    int hops = 0;
    for (route at = r; next_link(m, &at);)
        hops++;
    start = head - hop * hops;
    for (route at = r; (link = next_link(m, &at)); start += hop)
        *link = start + duration;
    return head - hop * hops;
}

/* Returns the cost of a transfer's size; most have the size of the one before. */
static const dev_pace *pace_of(dev_machine *m, size_t size)
{
    dev_pace *p = &m->noc.pace;
    if (p->size != size) {
        const dev_cost *cost = &m->chip->cost;
        double bytes = (double)size;
        *p = (dev_pace){size, bytes / cost->noc_bytes, bytes / cost->dram_bytes,
                        bytes / TW_MIN(cost->dram_bytes, cost->noc_bytes)};
    }
    return p;
}

double dev_noc_arrival(dev_thread *t, const dev_noc_address *far, size_t size, bool read,
                       int noc)
{
    dev_machine *m = t->machine;
    const dev_cost *cost = &m->chip->cost;
    const dev_pace *pace = pace_of(m, size);
    double start = TW_MAX(t->now, t->traffic.free);
    t->traffic.free = start + pace->noc;
    int distance = hops(m, t->core, far);
    double latency = cost->noc_latency + cost->noc_hop * distance;
    if (read && far->kind == DEV_NOC_CORE) {
        bool column = far->x - m->chip->translated_x == t->core->x;
        bool row = far->y - m->chip->translated_y == t->core->y;
        latency = cost->read_latency[column && row ? 0 : column ? 1 : row ? 2 : 3];
    } else if (read) {
        latency = cost->read_latency[3] + cost->dram_latency;
    }
    m->profile.noc_bytes += size;
    m->profile.noc_transfers++;
    if (far->kind != DEV_NOC_BANK && !m->noc.in_multicast) {
        const int y = far->y - m->chip->translated_y, x = far->x - m->chip->translated_x;
        const dev_core *near = t->core;
        const double begin = take_links(m,
                                        read ? (route){noc & 1, y, x, near->y, near->x}
                                             : (route){noc & 1, near->y, near->x, y, x},
                                        start, pace->noc);
        t->traffic.free = begin + pace->noc;
        return begin + latency + pace->noc;
    }
    if (far->kind != DEV_NOC_BANK)
        return start + latency + pace->noc;
    double *free_at = &m->noc.bank_free[far->x];
    double begin = TW_MAX(start, *free_at);
    *free_at = begin + pace->dram;
    m->profile.dram_bytes += size;
    m->profile.bank_bytes[far->x] += size;
    return begin + latency + pace->both;
}
