/* unpacker.c: the unpackers: tiles of circular buffers to source registers and DST. */
#include "grid/units/compute.h"
#include "grid/units/product.h"

/* ---- unpacking --------------------------------------------------------------------- */

void dev_check_page(dev_thread *t, ir_op *op, const dev_cb *cb)
{
    if (TW_UNLIKELY(cb->page != cb->tile))
        dev_report_at(t, DEV_FORMAT, op, NULL, "let the buffer's pages be tiles",
                      "circular buffer %d has pages of %u bytes, a tile of %s has %u",
                      dev_cb_port(t, cb), cb->page, tw_dtype_name(cb->format), cb->tile);
}

/* Checks that pages have the format set by the last init. */
static void check_format(dev_thread *t, ir_op *op, const dev_cb *cb, dev_source source)
{
    const dev_compute *c = t->compute;
    dev_check_page(t, op, cb);
    if (TW_UNLIKELY(!c->formats.formats_known))
        dev_formats_missing(t, op, cb, true);
    if (TW_UNLIKELY(c->formats.formats_known &&
                    cb->format != c->formats.unpack_format[source]))
        dev_report_at(
            t, DEV_FORMAT, op, c->formats.format_op, "the formats were set up here",
            "circular buffer %d holds %s, but the unpacker of Src%c is set up for "
            "%s; reconfig_data_format_src%c changes that",
            dev_cb_port(t, cb), tw_dtype_name(cb->format), source == DEV_SRC_A ? 'A' : 'B',
            tw_dtype_name(c->formats.unpack_format[source]),
            source == DEV_SRC_A ? 'a' : 'b');
}

/* Reports a page that was read from a tensor of another format; integers of equal size may
 * be reinterpreted. */
static void check_origin(dev_thread *t, ir_op *op, const dev_cb *cb, tw_dtype format)
{
    if (dev_format_is_integer(format) && dev_format_is_integer(cb->format) &&
        dev_tile_bytes(format) == dev_tile_bytes(cb->format))
        return;
    dev_report_at(t, DEV_FORMAT, op, cb->fill_op, "the page was read here",
                  "circular buffer %d is of %s, and the page holds what a tensor of %s has",
                  dev_cb_port(t, cb), tw_dtype_name(cb->format), tw_dtype_name(format));
}

/* Returns the bytes of a tile in the window that the kernel has waited for, or has reserved
 * while the buffer is empty; NULL after a report. */
const uint8_t *dev_cb_waited_tile(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                                  dev_source source, dev_cb **out)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return NULL;
    *out = cb;
    /* pages that the thread itself has reserved keep what it packed before, for sums */
    const bool own =
        !cb->waited && cb->reserver == t && cb->read == cb->write && index < cb->reserved;
    const bool outside =
        (index < 0 || (index >= cb->waited && !own)) && !dev_cb_is_scratch(t, cb, index);
    if (outside) {
        dev_report_at(
            t, DEV_CB_WINDOW, op, cb->wait_op, "the last wait is here",
            "reads tile %lld of circular buffer %lld, of which %u %s waited for (tiles are "
            "counted from 0)",
            (long long)index, (long long)port, cb->waited,
            cb->waited == 1 ? "was" : "were");
        if (index < 0 || index >= cb->pages)
            return NULL;
    }
    check_format(t, op, cb, source);
    const uint32_t page = dev_cb_behind(cb, cb->read, (uint32_t)index);
    const uint8_t holds = cb->holds[page] & ~DEV_PACKED;
    if (TW_UNLIKELY(holds && holds != 1 + (uint8_t)cb->format))
        check_origin(t, op, cb, (tw_dtype)(holds - 1));
    t->compute->formats.pad[source] = cb->pad[page];
    size_t at = cb->base + (size_t)page * cb->page;
    if (!outside) /* report each error once */
        dev_check_read(t, op, &t->core->l1, at, cb->page, "tile of a circular buffer");
    return dev_bytes_at(t->machine, &t->core->l1, at, TW_MAX(cb->page, cb->tile));
}

/* Returns a tile that the unpackers read for the matrix unit; NULL after a report. */
const uint8_t *dev_unpack_source(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                                 dev_source source, dev_cb **cb, size_t *bytes)
{
    const uint8_t *from = dev_cb_waited_tile(t, op, port, index, source, cb);
    if (!from)
        return NULL;
    if (dev_format_is_integer((*cb)->format))
        dev_report_at(t, DEV_FORMAT, op, NULL,
                      "copy_tile and the integer operations on DST do it",
                      "the matrix unit computes with floats; circular buffer %lld holds %s",
                      (long long)port, tw_dtype_name((*cb)->format));
    *bytes = TW_MAX(*bytes, (size_t)(*cb)->page); /* two unpackers work in parallel */
    return from;
}

void dev_need_wide_dst(dev_thread *t, ir_op *op, tw_dtype format)
{
    if (t->compute->dst.wide || !dev_format_is_integer(format) ||
        dev_tile_bytes(format) < sizeof(dev_tile))
        return;
    dev_report_at(t, DEV_FORMAT, op, NULL, "set fp32_dest_acc_en in the compute_config",
                  "tiles of %s need a 32-bit DST", tw_dtype_name(format));
}

void dev_load_to_dst(tw_dtype format, const void *page, bool by_source, dev_dst_format dst,
                     dev_tile *out)
{
    dev_tile_load(format, page, out);
    if (format != TW_F32)
        return;
    if (by_source)
        dev_round_to_source(out);
    dev_truncate_to_dst(out, dst);
}

bool dev_by_source(const dev_thread *t, const dev_cb *cb)
{
    const dev_compute *c = t->compute;
    return c->dst.wide && !(c->formats.unpack_to_dst >> dev_cb_port(t, cb) & 1);
}

/* x: the format, y: whether through a source register, z: DST's format. */
static void job_load(const dev_job *job)
{
    dev_load_to_dst((tw_dtype)job->x, job->a, job->y, (dev_dst_format)job->z, job->out);
}

static const dev_job_kind load = {job_load, DEV_REGISTER, DEV_PAGE_X, DEV_NO_BYTES};

/* Copies a tile of a buffer to a tile of DST. */
static void copy_tile(dev_thread *t, ir_op *op, int64_t port, int64_t index, int64_t dst)
{
    dev_compute *c = t->compute;
    dev_cb *cb;
    const uint8_t *from = dev_cb_waited_tile(t, op, port, index, DEV_SRC_A, &cb);
    dev_slot *s = dev_dst_write(t, op, dst);
    if (!from || !s)
        return;
    if (cb->format == TW_BF16 && c->dst.format == DEV_DST_BF16) {
        s->half = (const uint16_t *)from; /* unpacked when its f32 values are needed */
        c->dst.lent |= 1u << dst;
    } else if (cb->format == TW_F32 && c->dst.format == DEV_DST_F32 &&
               !dev_by_source(t, cb)) {
        s->page = (const dev_tile *)(const void *)from;
        c->dst.lent |= 1u << dst;
    } else {
        dev_do(t->machine,
               &(dev_job){&load, &s->tile, from, .x = (uint8_t)cb->format,
                          .y = dev_by_source(t, cb), .z = (uint8_t)c->dst.format});
    }
    s->integer = dev_format_is_integer(cb->format);
    s->pad = c->formats.pad[DEV_SRC_A];
    dev_need_wide_dst(t, op, cb->format);
    dev_book_alone(t, op, cb->page, t->machine->chip->cost.move_tile);
}

RUN(run_copy_tile)
{
    copy_tile(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), DEV_REG(t, in, 2));
    return pc + 1;
}

RUN(run_copy_block)
{
    for (int64_t i = 0; i < DEV_REG(t, in, 3) && !t->machine->stop; i++)
        copy_tile(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1) + i,
                  DEV_REG(t, in, 2) + i);
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_copy_tile] = {run_copy_tile, .by_jobs = true},
    [TTKERNEL_copy_block_matmul_partials] = {run_copy_block, .by_jobs = true},
};

const dev_op_row *dev_unpack_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
