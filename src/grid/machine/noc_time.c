/* noc_time.c: arrival times of transfers: routes, occupied links and banks, and the figures
 * of the chip's cost table. */
#include "grid/machine/machine.h"

/* A router of the NoC's torus. */
typedef struct router {
    int y, x;
} router;

static router router_of_core(const dev_machine *m, int y, int x)
{
    return (router){m->chip->noc.row[y], m->chip->noc.column[x]};
}

static router router_of(const dev_machine *m, const dev_noc_address *far)
{
    const dev_chip *chip = m->chip;
    if (far->kind == DEV_NOC_BANK)
        return (router){chip->noc.bank_row[far->x], chip->noc.bank_column[far->x]};
    return router_of_core(m, far->y - chip->translated_y, far->x - chip->translated_x);
}

/* Steps from one position of a ring of n to another in the NoC's direction. */
static int steps(int noc, int from, int to, int n)
{
    const int d = noc ? from - to : to - from;
    return d < 0 ? d + n : d;
}

/* Links from one router to another: NoC 0 goes right and down, NoC 1 left and up. */
static int hops(const dev_machine *m, int noc, router from, router to)
{
    return steps(noc, from.x, to.x, m->chip->noc.columns) +
           steps(noc, from.y, to.y, m->chip->noc.rows);
}

/* ---- links between routers: NoC 0 goes right, then down, NoC 1 up, then left, around the
 * edges (isa NoC/RoutingPaths.md). First-come-first-served: a packet occupies a link for
 * its transfer time while its head moves on [first order, assumed]. Multicast trees wait
 * only at their ends. */

typedef struct route {
    int noc;
    router at, to;
} route;

/* A packet on its way. */
typedef struct packet {
    double head, hop; /* arrival at the next link without waiting, and cycles to the next */
    double wait, duration;
} packet;

/* Passes `n` links: each is occupied from when the head comes to it and it is free. A
 * packet that waits is in a virtual channel's buffer and holds no link behind it. */
static inline void pass(packet *p, double *link, ptrdiff_t stride, int n)
{
    const double head = p->head;
    double wait = p->wait;
    for (int i = 0; i < n; i++, link += stride) {
        const double here = head + i * p->hop;
        wait = TW_MAX(wait, *link - here);
        *link = here + p->duration + wait;
    }
    p->head = head + n * p->hop;
    p->wait = wait;
}

/* The same of links of a ring of `size`, from position `from` in the NoC's direction. */
static inline void pass_ring(packet *p, double *ring, ptrdiff_t stride, int size, int noc,
                             int from, int n)
{
    const int first = TW_MIN(n, noc ? from + 1 : size - from);
    const ptrdiff_t step = noc ? -stride : stride;
    pass(p, ring + from * stride, step, first);
    if (n > first)
        pass(p, ring + (noc ? size - 1 : 0) * stride, step, n - first);
}

/* Occupies the links of a route; returns the time at which the bytes would have started
 * without waiting. One core cannot fill a link: its interface is slower. */
static double take_links(dev_machine *m, route r, double start, double duration)
{
    if (m->noc.one_core)
        return start;
    const int rows = m->chip->noc.rows, columns = m->chip->noc.columns;
    double *const along = m->noc.link_free + r.noc * 2 * rows * columns, *const across =
                                                                             along +
                                                                             rows * columns;
    const int dx = steps(r.noc, r.at.x, r.to.x, columns),
              dy = steps(r.noc, r.at.y, r.to.y, rows);
    packet p = {start, m->chip->cost.noc_hop, 0, duration};
    if (r.noc)
        pass_ring(&p, across + r.at.x, columns, rows, 1, r.at.y, dy);
    const int row = r.noc ? r.to.y : r.at.y;
    pass_ring(&p, along + row * columns, 1, columns, r.noc, r.at.x, dx);
    if (!r.noc)
        pass_ring(&p, across + r.to.x, columns, rows, 0, r.at.y, dy);
    return start + p.wait;
}

/* Returns the cost of a transfer's size; most have the size of the one before. */
static const dev_pace *pace_of(dev_machine *m, size_t size)
{
    dev_pace *p = &m->noc.pace;
    if (p->size != size) {
        const dev_cost *cost = &m->chip->cost;
        double bytes = (double)size;
        *p = (dev_pace){size, bytes / cost->noc_bytes, bytes / cost->link_bytes,
                        bytes / cost->dram_bytes,
                        bytes / TW_MIN(cost->dram_bytes, cost->noc_bytes)};
    }
    return p;
}

static double arrival(dev_thread *t, const dev_noc_address *far, size_t size, bool read,
                      int noc)
{
    dev_machine *m = t->machine;
    const dev_cost *cost = &m->chip->cost;
    const dev_pace *pace = pace_of(m, size);
    const bool bank = far->kind == DEV_NOC_BANK;
    const router here = router_of_core(m, t->core->y, t->core->x),
                 there = router_of(m, far);
    const route way = read ? (route){noc & 1, there, here} : (route){noc & 1, here, there};
    const double start = TW_MAX(t->now, t->traffic.free);
    t->traffic.free = start + pace->noc;
    double latency;
    if (!read) {
        latency = cost->noc_latency + cost->noc_hop * hops(m, way.noc, way.at, way.to);
    } else if (!bank) {
        bool column = far->x - m->chip->translated_x == t->core->x;
        bool row = far->y - m->chip->translated_y == t->core->y;
        latency = cost->read_latency[column && row ? 0 : column ? 1 : row ? 2 : 3];
    } else {
        latency = cost->read_latency[3] + cost->dram_latency;
    }
    m->profile.noc_bytes += size;
    m->profile.noc_transfers++;
    if (m->noc.in_multicast && !bank)
        return start + latency + pace->noc;
    if (!bank) {
        const double begin = take_links(m, way, start, pace->link);
        t->traffic.free = begin + pace->noc;
        return begin + latency + pace->noc;
    }
    m->profile.dram_bytes += size;
    m->profile.bank_bytes[far->x] += size;
    double *free_at = &m->noc.bank_free[far->x], begin;
    if (read) {
        begin = TW_MAX(start, *free_at);
        *free_at = begin + pace->dram;
        begin = take_links(m, way, begin, pace->link);
    } else {
        begin = take_links(m, way, start, pace->link);
        t->traffic.free = begin + pace->noc;
        begin = TW_MAX(begin, *free_at);
        *free_at = begin + pace->dram;
    }
    return begin + latency + pace->both;
}

double dev_noc_arrival(dev_thread *t, const dev_noc_address *far, size_t size, bool read,
                       int noc)
{
    const double time = arrival(t, far, size, read, noc);
    return TW_UNLIKELY(t->machine->delays != NULL)
               ? dev_delay_arrival(t, far, read, noc, time)
               : time;
}
