/* tilize.c: tilize and untilize: rows of elements to tiles in faces and back. */
#include "grid/units/code.h"

#include "ttkernel/ttkernel.h"

#include <math.h>

enum { SIDE = DEV_TILE_SIDE, HALF = SIDE / 2, MAX_BYTES = 4096 };

/* A block of tiles to be untilized, or tilized. */
typedef struct block {
    dev_cb *from, *to;
    int64_t columns; /* tiles side by side */
    bool to_rows;
} block;

/* Copies tile i between the buffer of rows and `page`, which has a tile's order. */
static void move_rows(const dev_thread *t, const block *b, int64_t i, uint8_t *page)
{
    const dev_cb *cb = b->to_rows ? b->to : b->from;
    const size_t size = tw_dtype_size(cb->format);
    const size_t ring = (size_t)cb->pages * cb->page,
                 start = (size_t)(b->to_rows ? cb->write : cb->read) * cb->page;
    for (size_t r = 0; r < SIDE; r++)
        for (size_t k = 0; k < SIDE; k += HALF) {
            const size_t row = (size_t)(i / b->columns) * SIDE + r,
                         column = (size_t)(i % b->columns) * SIDE + k;
            const size_t flat = (row * (size_t)b->columns * SIDE + column) * size;
            uint8_t *far = t->core->l1.bytes + cb->base + (start + flat) % ring,
                    *near = page + dev_tile_index(r, k) * size;
            memcpy(b->to_rows ? far : near, b->to_rows ? near : far, HALF * size);
        }
}

/* Checks windows and marks of every page on both sides; false after a report. */
static bool check(dev_thread *t, const dev_insn *in, const block *b, int64_t n)
{
    const dev_cb *rows = b->to_rows ? b->to : b->from;
    dev_cb *unused;
    if (!tw_dtype_size(rows->format)) {
        dev_report_at(t, DEV_FORMAT, in->op, NULL, NULL,
                      "rows have no shared exponents; circular buffer %d is of %s",
                      dev_cb_port(t, rows), tw_dtype_name(rows->format));
        return false;
    }
    if (t->compute->dst.state != DEV_DST_FREE)
        dev_report_at(t, DEV_DST_USE, in->op, t->compute->dst.state_op,
                      "the last step was here",
                      "takes DST itself, which has not been released");
    dev_check_packer(t, in->op, b->to);
    dev_check_packed(t, in->op, b->to, dev_format_is_integer(b->from->format), NULL);
    for (int64_t i = 0; i < n; i++) {
        if (!dev_cb_waited_tile(t, in->op, dev_cb_port(t, b->from), i, DEV_SRC_A,
                                &unused) ||
            !dev_cb_reserved_tile(t, in->op, b->to, i))
            return false;
        const uint32_t page = dev_cb_behind(b->to, b->to->write, (uint32_t)i);
        b->to->holds[page] = DEV_PACKED | (1 + (uint8_t)b->to->format);
        b->to->pad[page] = (dev_pad){0};
    }
    return b->from->page == dev_tile_bytes(b->from->format) &&
           b->to->page == dev_tile_bytes(b->to->format);
}

/* Returns the packer's cycles for a tile that it writes as rows, of `columns` side by side.
 */
static double pack_untilize_cycles(const dev_cost *cost, size_t page, int64_t columns)
{
    return cost->untilize_rows * (1 + fmax(1, (double)page / cost->untilize_row_bytes)) +
           cost->untilize_block / (double)columns;
}

/* Rows of `columns` tiles, each of 32 rows, through DST: imm 1 untilizes. The row-major
 * side also has pages of a tile's size. */
static void relayout(dev_thread *t, const dev_insn *in, int64_t from, int64_t to,
                     int64_t rows, int64_t columns)
{
    const block b = {dev_cb_get(t, in->op, from), dev_cb_get(t, in->op, to), columns,
                     in->imm != 0};
    const int64_t n = rows * columns;
    if (!b.from || !b.to || !check(t, in, &b, n))
        return;
    const dev_cost *cost = &t->machine->chip->cost;
    const bool by_packer = in->op->def == TTKERNEL_OP(experimental_pack_untilize_block);
    const double pack = by_packer ? pack_untilize_cycles(cost, b.to->page, columns)
                                  : (double)b.to->page / cost->pack_bytes;
    for (int64_t i = 0; i < n; i++) {
        uint8_t *bytes = t->core->l1.bytes, rows_side[MAX_BYTES];
        uint8_t *source =
                    bytes + b.from->base +
                    (size_t)dev_cb_behind(b.from, b.from->read, (uint32_t)i) * b.from->page,
                *target =
                    bytes + b.to->base +
                    (size_t)dev_cb_behind(b.to, b.to->write, (uint32_t)i) * b.to->page;
        if (!b.to_rows)
            move_rows(t, &b, i, rows_side);
        dev_tile tile;
        dev_load_to_dst(b.from->format, b.to_rows ? source : rows_side,
                        dev_by_source(t, b.from), t->compute->dst.format, &tile);
        dev_tile_store(b.to->format, t->compute->dst.format, &tile,
                       b.to_rows ? rows_side : target);
        if (b.to_rows)
            move_rows(t, &b, i, rows_side);
        dev_book_alone(t, in->op, b.from->page, cost->move_tile);
        t->compute->pack = fmax(t->compute->pack, t->compute->math) + pack;
    }
}

RUN(run_tilize_row)
{
    relayout(t, in, DEV_REG(t, in, 0), DEV_REG(t, in, 2), 1, DEV_REG(t, in, 1));
    return pc + 1;
}

RUN(run_tilize_block)
{
    relayout(t, in, DEV_REG(t, in, 0), DEV_REG(t, in, 1), DEV_REG(t, in, 2),
             DEV_REG(t, in, 3));
    return pc + 1;
}

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_tilize_block] = {run_tilize_row},
    [TTKERNEL_untilize_block] = {run_tilize_row, .imm = 1},
    [TTKERNEL_experimental_tilize_block] = {run_tilize_block},
    [TTKERNEL_experimental_untilize_block] = {run_tilize_block, .imm = 1},
    [TTKERNEL_experimental_pack_untilize_block] = {run_tilize_block, .imm = 1},
};

const dev_op_row *dev_layout_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
