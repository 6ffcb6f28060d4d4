/* run_layout.c: tilize and untilize: rows of elements to tiles in faces and back. */
#include "device/code.h"

#include "dialect/ttkernel/ttkernel.h"

#include <math.h>

enum { SIDE = DEV_TILE_SIDE };

/* Rows of `columns` tiles, each tile of 32 rows: imm 1 goes from tiles to rows.  The
 * row-major side counts in pages of a tile's size, too. */
static void relayout(dev_thread *t, const dev_insn *in, int64_t from, int64_t to,
                     int64_t rows, int64_t columns)
{
    dev_cb *source = dev_cb_get(t, in->op, from), *target = dev_cb_get(t, in->op, to);
    if (!source || !target)
        return;
    if (!tw_dtype_size(source->format) || source->format != target->format) {
        dev_report_at(t, DEV_FORMAT, in->op, NULL, NULL,
                      "rows and tiles must have one format without shared exponents; they "
                      "have %s and %s",
                      tw_dtype_name(source->format), tw_dtype_name(target->format));
        return;
    }
    const size_t size = tw_dtype_size(source->format);
    const int64_t n = rows * columns;
    dev_cb *unused;
    for (int64_t i = 0; i < n; i++) /* every page, for the windows and the marks */
        if (!dev_cb_waited_tile(t, in->op, from, i, DEV_SRC_A, &unused) ||
            !dev_cb_reserved_tile(t, in->op, target, i))
            return;
    for (int64_t i = 0; i < n; i++)
        for (size_t r = 0; r < SIDE; r++)
            for (size_t k = 0; k < SIDE; k++) {
                size_t row = (size_t)(i / columns) * SIDE + r,
                       column = (size_t)(i % columns) * SIDE + k;
                size_t flat = (row * (size_t)columns * SIDE + column) * size;
                size_t tiled = (size_t)i * source->page + dev_tile_index(r, k) * size;
                size_t a = in->imm ? tiled : flat, b = in->imm ? flat : tiled;
                size_t ring_a = (size_t)source->pages * source->page;
                size_t ring_b = (size_t)target->pages * target->page;
                memcpy(t->core->l1.bytes + target->base +
                           (target->write * target->page + b) % ring_b,
                       t->core->l1.bytes + source->base +
                           (source->read * source->page + a) % ring_a,
                       size);
            }
    for (int64_t i = 0; i < n; i++) {
        dev_book(t, in->op, source->page, t->machine->chip->cost.move_tile);
        t->compute->pack = fmax(t->compute->pack, t->compute->math) +
                           (double)target->page / t->machine->chip->cost.pack_bytes;
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
