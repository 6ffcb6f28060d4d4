/* product.c: see product.h.
 *
 * Of a rectangle of cores the first of each row reads A's blocks and sends them along the
 * row, the first of each column B's. A step is one block of the inner dimension: read,
 * sent, acknowledged; meanwhile the blocks before are multiplied. Results are written at
 * the end, by all cores at once. */
#include "cost/product.h"

#include "ttnn/ttnn.h"

#include <math.h>

enum { MAX_INNER = 8, START = 70, SEMAPHORES = 400 };

typedef struct division {
    int y, x;                    /* cores */
    double rows, columns, inner; /* tiles of a core's block */
    bool a_sent, b_sent;
    bool a_local, out_local; /* in shards that are what a core reads, writes */
} division;

/* The bank with most tiles of one step, over all senders: pages are dealt to the banks in
 * turn, so that blocks of few columns of a wide matrix meet few banks. */
static double busiest_bank(const cost_model *m, const cost_product *p, double inner)
{
    double load[DEV_MAX_BANKS] = {0}, most = 0;
    const int banks = m->chip->dram_banks;
    for (int64_t r = 0; p->a_dram && r < (int64_t)p->rows; r++)
        for (int64_t k = 0; k < (int64_t)inner; k++)
            load[(r * (int64_t)p->inner + k) % banks] += p->a_tile;
    for (int64_t k = 0; p->b_dram && k < (int64_t)inner; k++)
        for (int64_t c = 0; c < (int64_t)p->columns; c++)
            load[(k * (int64_t)p->columns + c) % banks] += p->b_tile;
    for (int b = 0; b < banks; b++)
        most = fmax(most, load[b]);
    return most / m->chip->cost.dram_bytes;
}

/* Cycles of a block's products, whose unpackers keep one operand within a block of DST. */
static double block_cycles(const cost_model *m, const cost_product *p, const division *d)
{
    const dev_cost *c = &m->chip->cost;
    const double held = dev_dst_capacity(m->chip, p->wide, false),
                 w = fmin(d->columns, held), h = fmax(fmin(d->rows, floor(held / w)), 1);
    const double both = dev_unpack_cycles(c, fmax(p->a_tile, p->b_tile), false);
    const double unpack =
        c->issue_compute +
        (w >= h ? (both + (w - 1) * dev_unpack_cycles(c, p->b_tile, true)) / w
                : (both + (h - 1) * dev_unpack_cycles(c, p->a_tile, true)) / h);
    const double tiles = d->rows * d->columns;
    const double pack = tiles * dev_pack_cycles(c, p->out_tile, true) +
                        tiles / (w * h) * (c->dst_wait + c->dst_release);
    return d->rows * d->inner * p->a_compute +
           fmax(tiles * d->inner * fmax(unpack, dev_matmul_cycles(c, p->phases)) +
                    tiles / (w * h) * (c->dst_acquire + c->dst_commit),
                pack);
}

/* Cycles of a step's blocks of one operand: read, sent to other cores, acknowledged. */
static double fetch(const cost_model *m, double tiles, double bytes, bool dram, int to,
                    double bank, double extra)
{
    const dev_cost *c = &m->chip->cost;
    const double moved = tiles * fmax(bytes / c->noc_bytes, c->issue_noc) + extra * tiles;
    double cycles = c->cb_poll + c->cb_update;
    cycles += dram ? cost_read_latency(m) + fmax(moved, bank) : c->read_latency[3] + moved;
    if (to > 1)
        cycles +=
            SEMAPHORES + tiles * bytes / c->noc_bytes + c->noc_latency + c->noc_hop * to;
    return cycles;
}

/* Blocks of both operands, twice, and the share of the result; shards are their own. */
static double buffers_of(const cost_product *p, const division *d)
{
    return 2 * d->inner *
               ((d->a_local ? 0 : d->rows * p->a_tile) + d->columns * p->b_tile) +
           (d->out_local ? 0 : d->rows * d->columns * p->out_tile);
}

static op_cost divided(cost_model *m, const cost_product *p, const division *d, double bank)
{
    const dev_cost *c = &m->chip->cost;
    const int cores = d->y * d->x;
    const double steps = ceil(p->inner / d->inner);
    const int senders = d->a_sent && d->b_sent ? d->y + d->x : cores;
    const double wanted = (p->a_dram && p->a_bytes <= 0 ? p->rows * p->a_tile : 0) +
                          (p->b_dram ? p->columns * p->b_tile : 0);
    const double queued = fmax(
        bank, wanted * d->inner /
                  cost_spread_rate(m, senders, true, fmax(d->rows, d->columns) * d->inner));
    const double a = d->a_local ? 0
                                : fetch(m, d->rows * d->inner, p->a_tile, p->a_dram,
                                        d->a_sent ? d->x : 1, queued, p->a_extra),
                 b = fetch(m, d->columns * d->inner, p->b_tile, p->b_dram,
                           d->b_sent ? d->y : 1, queued, 0);
    const double block = block_cycles(m, p, d), out = d->rows * d->columns,
                 finish = out * p->finish;
    const double a_reads = p->a_bytes > 0
                               ? p->a_bytes
                               : p->rows * p->inner * p->a_tile * (d->a_sent ? 1 : d->x),
                 b_reads = p->inner * p->columns * p->b_tile * (d->b_sent ? 1 : d->y);
    const double read = (p->a_dram ? a_reads : 0) + (p->b_dram ? b_reads : 0),
                 written = p->out_dram ? p->rows * p->columns * p->out_tile : 0;
    const double banks = m->chip->dram_banks * c->dram_bytes,
                 links = read / cost_spread_rate(m, cores, true,
                                                 (d->rows + d->columns) * d->inner),
                 tail = written > 0
                            ? fmax(written / banks,
                                   written / cost_spread_rate(m, cores, false, out)) +
                                  c->noc_latency
                        : p->out_l1 && !d->out_local
                            ? out * p->out_tile / c->noc_bytes + c->noc_latency
                            : 0;
    const double fetched = steps * fmax(a, b),
                 noc = fmax(fetched, d->a_sent && d->b_sent ? 0 : links) + tail;
    op_cost r = {.compute = steps * block + finish,
                 .noc = noc,
                 .dram = (read + written) / banks,
                 .read_bytes = read,
                 .write_bytes = written,
                 .noc_bytes = read + written +
                              (d->a_sent ? p->rows * p->inner * p->a_tile * d->x : 0) +
                              (d->b_sent ? p->inner * p->columns * p->b_tile * d->y : 0),
                 .buffers = buffers_of(p, d),
                 .cores = cores};
    const double slowest = fmax(fmax(noc - tail, r.compute - finish), read / banks);
    r.cycles = START + fmax(a, b) + slowest * (steps - 1) / steps + block + finish + tail;
    cost_decide(&r);
    return r;
}

static bool fits(const cost_model *m, const cost_product *p, const division *d)
{
    return buffers_of(p, d) < (double)(m->chip->l1_bytes - m->chip->l1_base) - m->l1_taken;
}

static void take_faster(op_cost *best, op_cost other)
{
    if (best->cycles == 0 || other.cycles < best->cycles)
        *best = other;
}

/* The result's shards are the blocks of the cores that have them. */
static op_cost of_shards(cost_model *m, const cost_product *p)
{
    const cost_tensor *out = p->out;
    op_cost best = {0};
    const int x = (int)ceil(out->columns / out->shard_columns), y = out->cores / x;
    const bool local = p->a && x == 1 && p->a->memory == out->memory &&
                       p->a->cores == out->cores && p->a->shard_rows == out->shard_rows;
    for (int inner = 1; inner <= MAX_INNER && inner <= (int)p->inner; inner *= 2) {
        const division d = {
            y, x, out->shard_rows, out->shard_columns, inner, x > 1, y > 1, local, true};
        if (fits(m, p, &d))
            take_faster(&best, divided(m, p, &d, busiest_bank(m, p, inner)));
    }
    return best;
}

static op_cost of_one(cost_model *m, const cost_product *p)
{
    op_cost best = {0};
    if (p->out && p->out->memory)
        return of_shards(m, p);
    for (int inner = 1; inner <= MAX_INNER && inner <= (int)p->inner; inner *= 2) {
        const double bank = busiest_bank(m, p, inner);
        for (int y = 1; y <= m->chip->grid_y && y <= (int)p->rows; y++)
            for (int x = 1; x <= m->chip->grid_x && x <= (int)p->columns; x++) {
                const division d = {y,
                                    x,
                                    ceil(p->rows / y),
                                    ceil(p->columns / x),
                                    inner,
                                    x > 1,
                                    y > 1,
                                    false,
                                    false};
                if (fits(m, p, &d))
                    take_faster(&best, divided(m, p, &d, bank));
            }
        /* all cores in a line: few rows by many columns, or the other way */
        const int all = m->chip->grid_y * m->chip->grid_x;
        const int columns = (int)fmin(all, p->columns), rows = (int)fmin(all, p->rows);
        const division wide = {1,     columns,     p->rows, ceil(p->columns / columns),
                               inner, columns > 1, false,   false,
                               false},
                       tall = {rows,       1,     ceil(p->rows / rows),
                               p->columns, inner, false,
                               rows > 1,   false, false};
        if (fits(m, p, &wide))
            take_faster(&best, divided(m, p, &wide, bank));
        if (fits(m, p, &tall))
            take_faster(&best, divided(m, p, &tall, bank));
    }
    return best;
}

op_cost cost_of_product(cost_model *m, const cost_product *given)
{
    cost_product p = *given;
    if (p.batch <= 1 || !p.batched_b) {
        p.rows *= fmax(p.batch, 1);
        p.batch = 1;
        op_cost best = of_one(m, &p);
        if (best.cycles > 0)
            return best;
    }
    /* blocks of single products, a share for each core, which reads both operands */
    const dev_cost *c = &m->chip->cost;
    const double all = m->chip->grid_y * m->chip->grid_x;
    const double per_batch = fmax(floor(all / p.batch), 1);
    const double rows = fmax(ceil(p.rows / per_batch), 1),
                 blocks = p.batch * ceil(p.rows / rows);
    const int cores = (int)fmin(all, blocks);
    const double w = fmin(p.columns, dev_dst_capacity(m->chip, p.wide, false));
    const division d = {1, 1, 1, w, p.inner, false, false, false, false};
    const bool own = p.out && p.out->memory == TTNN_TensorMemoryLayout_HeightSharded,
               local = own && p.a && p.a->memory == p.out->memory &&
                       p.a->cores == p.out->cores && p.a->shard_rows == p.out->shard_rows;
    const double a = p.inner * p.a_tile, b = p.inner * w * p.b_tile;
    const double reads = (p.a_dram ? p.inner : 0) + (p.b_dram ? p.inner * w : 0);
    const cost_share s = {
        .cores = own ? p.out->cores : cores,
        .steps =
            (own ? p.out->shard_rows : ceil(blocks / cores) * rows) * ceil(p.columns / w),
        .reads = reads,
        .read_tile = reads > 0 ? ((p.a_dram ? a : 0) + (p.b_dram ? b : 0)) / reads : 0,
        .writes = p.out_dram ? w : 0,
        .write_tile = p.out_tile,
        .l1 = (p.a_dram || local ? 0 : a) + (p.b_dram ? 0 : b) +
              (p.out_l1 && !own ? w * p.out_tile : 0),
        .compute = block_cycles(m, &p, &d) + w * p.finish + c->cb_poll + c->cb_update};
    return cost_of_share(m, &s);
}
