/* share.c: see share.h.
 *
 * A core's reader, compute and writer threads overlap: after the first step the slowest of
 * them, or what all cores share, decides. A step's reads are issued together and awaited.
 */
#include "cost/share.h"

#include <math.h>

/* The part of the links' capacity that first-come-first-served traffic of all cores reaches
 * on the grid, and how it falls with the tiles that a core has on the way; measured with
 * kernels that only read or only write. */
static const double shared_links = 0.74, read_queues = 0.25, write_queues = 0.46;

enum { START = 70 }; /* cycles to the first transfer of a kernel: arguments, addresses */

/* ---- routes -------------------------------------------------------------------------- */

typedef struct traffic {
    const dev_noc_map *map;
    int noc;
    unsigned load[2][DEV_MAX_NOC][DEV_MAX_NOC]; /* routes over a link, of a row, a column */
} traffic;

static int step(int at, int noc, int n)
{
    return noc ? (at + n - 1) % n : (at + 1) % n;
}

static void along(traffic *t, int y, int *x, int to)
{
    for (; *x != to; *x = step(*x, t->noc, t->map->columns))
        t->load[0][y][*x]++;
}

static void across(traffic *t, int *y, int x, int to)
{
    for (; *y != to; *y = step(*y, t->noc, t->map->rows))
        t->load[1][*y][x]++;
}

/* NoC 0 goes along the row first, NoC 1 along the column (grid/machine/noc_time.c). */
static void add_route(traffic *t, int y, int x, int to_y, int to_x)
{
    if (t->noc)
        across(t, &y, x, to_y);
    along(t, y, &x, to_x);
    across(t, &y, x, to_y);
}

static double busiest_link(const dev_chip *chip, int cores, bool read)
{
    traffic t = {.map = &chip->noc, .noc = !read};
    unsigned most = 1;
    for (int i = 0; i < cores; i++)
        for (int b = 0; b < chip->dram_banks; b++) {
            const int y = t.map->row[i / chip->grid_x % chip->grid_y],
                      x = t.map->column[i % chip->grid_x], bank_y = t.map->bank_row[b],
                      bank_x = t.map->bank_column[b];
            if (read)
                add_route(&t, bank_y, bank_x, y, x);
            else
                add_route(&t, y, x, bank_y, bank_x);
        }
    for (int k = 0; k < 2; k++)
        for (int y = 0; y < DEV_MAX_NOC; y++)
            for (int x = 0; x < DEV_MAX_NOC; x++)
                most = TW_MAX(most, t.load[k][y][x]);
    return (double)most / (cores * chip->dram_banks);
}

double cost_spread_rate(cost_model *m, int cores, bool read, double tiles)
{
    cores = TW_MIN(TW_MAX(cores, 1), COST_MAX_CORES);
    double *rate = &m->rate[read][cores];
    if (*rate == 0)
        *rate = m->chip->cost.link_bytes / busiest_link(m->chip, cores, read);
    /* a core cannot fill a link, and its own packets do not collide */
    const double interfaces = cores * m->chip->cost.noc_bytes,
                 shared = shared_links / pow(fmax(read ? tiles / 2 : tiles, 1),
                                             read ? read_queues : write_queues);
    return fmin(interfaces, *rate * (shared + (1 - shared) / cores));
}

double cost_read_latency(const cost_model *m)
{
    return m->chip->cost.read_latency[3] + m->chip->cost.dram_latency;
}

/* ---- shares -------------------------------------------------------------------------- */

static double transfer(const dev_cost *c, double tiles, double bytes)
{
    if (tiles <= 0)
        return 0;
    return bytes / fmin(c->dram_bytes, c->noc_bytes) + c->issue_noc + c->cb_poll +
           c->cb_update +
           (tiles - 1) * fmax(bytes / c->noc_bytes, c->issue_noc + c->cb_poll);
}

void cost_decide(op_cost *c)
{
    c->bound = c->cycles <= 0                                    ? TW_BOUND_NOTHING
               : c->compute >= c->noc && c->compute >= c->dram   ? TW_BOUND_COMPUTE
               : c->dram >= 0.9 * c->noc && c->dram > c->compute ? TW_BOUND_DRAM
                                                                 : TW_BOUND_NOC;
}

op_cost cost_of_share(cost_model *m, const cost_share *s)
{
    const dev_cost *c = &m->chip->cost;
    const double banks = m->chip->dram_banks * c->dram_bytes,
                 latency = cost_read_latency(m),
                 hops = (m->chip->noc.rows + m->chip->noc.columns) / 2.0,
                 sent = c->noc_latency + c->noc_hop * hops;
    const double in = s->reads * s->read_tile, out = s->writes * s->write_tile;
    const double read_links = s->cores * in / cost_spread_rate(m, s->cores, true, s->reads),
                 write_links =
                     s->cores * out / cost_spread_rate(m, s->cores, false, s->writes);
    const double read = in > 0 ? latency + transfer(c, s->reads, s->read_tile) : 0,
                 write = out > 0 ? sent + transfer(c, s->writes, s->write_tile) : 0;
    const double dram = s->cores * (in + out) / banks,
                 noc = fmax(fmax(read, write),
                            fmax(fmax(read_links, write_links), s->l1 / c->noc_bytes));
    double common = 0, common_bytes = 0;
    for (size_t i = 0; i < TW_COUNT(s->common); i++)
        if (s->common[i] > 0) {
            common += latency + s->cores * s->common[i] * s->common_tile /
                                    (c->dram_bytes *
                                     fmin(m->chip->dram_banks, fmax(s->common[i], 1)));
            common_bytes += s->common[i] * s->common_tile;
        }
    const double first = in > 0 ? latency + fmax(transfer(c, s->reads, s->read_tile),
                                                 fmax(s->cores * in / banks, read_links))
                                : 0,
                 /* cores that were served late write late */
        last = out > 0 ? fmax(write, sent + fmax(s->cores * out / banks, write_links) -
                                         (first - read))
                       : 0;
    op_cost r = {.compute = s->steps * s->compute,
                 .noc = s->steps * noc,
                 .dram = s->steps * dram,
                 .read_bytes = s->cores * (s->steps * in + common_bytes),
                 .write_bytes = s->cores * s->steps * out,
                 .buffers = 2 * (in + out + s->l1) + common_bytes,
                 .cores = s->cores};
    r.noc_bytes = r.read_bytes + r.write_bytes + s->cores * s->steps * s->l1;
    r.cycles = START + common + first + s->compute + last +
               (s->steps - 1) * fmax(fmax(s->compute, dram), noc);
    cost_decide(&r);
    return r;
}
