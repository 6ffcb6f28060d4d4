/* packer.c: the packer: tiles of DST to circular buffers. */
#include "grid/units/compute.h"
#include "grid/units/product.h"

#include "host/tiles/tile.h"
#include "support/bf16_f16.h"

/* ---- packing ----------------------------------------------------------------------- */

/* Returns the address of tile `index` of the reserved window; NULL after a report. */
uint8_t *dev_cb_reserved_tile(dev_thread *t, ir_op *op, dev_cb *cb, int64_t index)
{
    if ((index < 0 || index >= cb->reserved) && !dev_cb_is_scratch(t, cb, index)) {
        const bool own = index >= 0 && index < cb->pages && dev_cb_is_own(t, cb);
        dev_report_at(
            t, own ? DEV_CB_OWN : DEV_CB_WINDOW, op, cb->reserve_op,
            "the last reserve is here",
            "writes tile %lld of circular buffer %d, of which %u %s reserved (tiles "
            "are counted from 0)",
            (long long)index, dev_cb_port(t, cb), cb->reserved,
            cb->reserved == 1 ? "is" : "are");
        if (index < 0 || index >= cb->pages)
            return NULL;
    }
    size_t at = cb->base + (size_t)dev_cb_behind(cb, cb->write, (uint32_t)index) * cb->page;
    dev_check_write(t, op, &t->core->l1, at, cb->page, NULL, false);
    dev_mark(&t->core->l1, at, cb->page, DEV_DEFINED);
    dev_own_bytes(t->machine, &t->core->l1, at, cb->page);
    return t->core->l1.bytes + at;
}

/* The packer's work; x: the format of the page. */
static void job_store(const dev_job *job)
{
    dev_compute *c = job->unit;
    const dev_tile *tile = job->a;
    void *page = job->out;
    const tw_dtype format = (tw_dtype)job->x;
    if (!job->adds) {
        dev_tile_store(format, c->dst.format, tile, page);
    } else if (format == TW_F32) {
        krn_tiles()->add(tile->f, page, page);
    } else if (format == TW_BF16 && c->dst.format == DEV_DST_BF16) {
        krn_tiles()->sum_bf16(tile->f, page);
    } else {
        dev_tile_load(format, page, &c->c);
        krn_tiles()->add(tile->f, c->c.f, c->c.f);
        for (int i = 0; i < N && format == TW_BF16; i++) /* rounds to nearest even */
            c->c.f[i] = tw_bf16_value(tw_bf16_nearest_even(c->c.f[i]));
        dev_tile_store(format, c->dst.format, &c->c, page);
    }
}

const dev_job_kind dev_pack_job = {job_store, DEV_PAGE_X, DEV_REGISTER, DEV_NO_BYTES};

/* Computes a result that was put off into the page, if it has its format, or adds a product
 * to it; false if that is not possible. */
static bool store_late(dev_thread *t, const dev_slot *s, tw_dtype format, uint8_t *page)
{
    const bool adds = t->compute->formats.l1_accumulate;
    const dev_job pack = {&dev_pack_job, page, &s->tile, .x = (uint8_t)format,
                          .adds = adds};
    dev_job job = s->late;
    if (!job.kind ||
        (adds                        ? !dev_product_join(&s->late, &pack, &job)
         : job.kind->out == DEV_HALF ? format != TW_BF16
                                     : dev_tile_bytes(format) != sizeof s->tile))
        return false;
    job.out = page;
    dev_do(t->machine, &job);
    return true;
}

/* A tile that is bf16 both in DST and in L1 keeps its bits; so does one of 32-bit words. */
static void store(dev_thread *t, ir_op *op, dev_slot *s, tw_dtype format, uint8_t *page)
{
    dev_compute *c = t->compute;
    dev_machine *m = t->machine;
    bool adds = c->formats.l1_accumulate;
    if (store_late(t, s, format, page))
        return;
    if (s->late.kind)
        dev_dst_settle(t, s);
    if (s->half && format == TW_BF16 && c->dst.format == DEV_DST_BF16 && !adds) {
        dev_do(m, &(dev_job){&dev_job_copy, page, s->half, .size = sizeof(uint16_t[N])});
        return;
    }
    if (s->page && format == TW_F32 && !adds) {
        dev_do(m, &(dev_job){&dev_job_copy, page, s->page, .size = sizeof s->tile});
        return;
    }
    dev_dst_widen(t, s);
    if (adds && format != TW_F32 && format != TW_BF16 && format != TW_F16) {
        dev_report_at(t, DEV_FORMAT, op, NULL,
                      "hardware's sums would be silently wrong; use f32 or bf16",
                      "the packer cannot accumulate in L1 with %s", tw_dtype_name(format));
        adds = false;
    }
    if (!adds && dev_tile_bytes(format) == sizeof s->tile)
        dev_do(m, &(dev_job){&dev_job_copy, page, &s->tile, .size = sizeof s->tile});
    else
        dev_do(m, &(dev_job){&dev_pack_job, page, &s->tile, .unit = c, .x = (uint8_t)format,
                             .adds = adds});
}

enum { AT_ZERO = 1, FROM_BELOW, FROM_ABOVE };

/* The same for a tile to which the packer's relu applies; DST is unchanged. */
static void store_relu(dev_thread *t, ir_op *op, dev_slot *s, tw_dtype format,
                       uint8_t *page)
{
    const uint32_t kind = t->compute->formats.relu & 0xFFFF;
    const float limit = tw_f32_of_bits(t->compute->formats.relu & 0xFFFF0000);
    dev_dst_widen(t, s);
    dev_await_jobs(t->machine);
    const dev_tile own = s->tile;
    for (int i = 0; i < N; i++) {
        float x = s->tile.f[i], least = kind == FROM_BELOW ? limit : 0;
        x = x > least ? x : 0;
        s->tile.f[i] = kind == FROM_ABOVE && x > limit ? limit : x;
    }
    store(t, op, s, format, page);
    dev_await_jobs(t->machine);
    s->tile = own;
}

void dev_check_packer(dev_thread *t, ir_op *op, const dev_cb *cb)
{
    const dev_compute *c = t->compute;
    dev_check_page(t, op, cb);
    if (TW_UNLIKELY(!c->formats.pack_known))
        dev_formats_missing(t, op, cb, false);
    if (TW_UNLIKELY(c->formats.pack_known && cb->format != c->formats.pack_format))
        dev_report_at(t, DEV_FORMAT, op, c->formats.pack_op, "the format was set up here",
                      "circular buffer %d holds %s, but the packer is set up for %s; "
                      "pack_reconfig_data_format changes that",
                      dev_cb_port(t, cb), tw_dtype_name(cb->format),
                      tw_dtype_name(c->formats.pack_format));
}

void dev_check_packed(dev_thread *t, ir_op *op, const dev_cb *cb, bool integer,
                      ir_op *written)
{
    if (integer != dev_format_is_integer(cb->format))
        dev_report_at(
            t, DEV_FORMAT, op, written, written ? "the tile was written here" : NULL,
            "packs %s to circular buffer %d of %s; typecast_tile converts",
            integer ? "integers" : "floats", dev_cb_port(t, cb), tw_dtype_name(cb->format));
}

static void pack(dev_thread *t, ir_op *op, int64_t dst, int64_t port, int64_t index)
{
    dev_compute *c = t->compute;
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    dev_dst_owns(t, op, DEV_DST_PACK);
    dev_slot *s = dev_dst_use(t, op, dst);
    if (!s)
        return;
    if (c->formats.l1_accumulate) {
        size_t page = (size_t)((cb->write + (uint64_t)index) % cb->pages);
        dev_check_read(t, op, &t->core->l1, cb->base + page * cb->page, cb->page,
                       "tile that the packer adds to");
    }
    uint8_t *to = dev_cb_reserved_tile(t, op, cb, index);
    if (!to)
        return;
    const uint32_t page = dev_cb_behind(cb, cb->write, (uint32_t)index);
    cb->holds[page] = DEV_PACKED | (1 + (uint8_t)cb->format);
    cb->pad[page] = TW_UNLIKELY(c->formats.l1_accumulate && t->machine->tensors.padded)
                        ? dev_pad_of_two(t, op, DEV_PAD_SUM, cb->pad[page], s->pad, -1)
                        : s->pad;
    if (TW_UNLIKELY(cb->pad[page].mixed))
        dev_pad_packed(t, op, cb->base + (size_t)page * cb->page, cb->pad[page]);
    dev_check_packer(t, op, cb);
    if (TW_UNLIKELY(c->inits.pack_untilize != NULL)) {
        dev_report_at(
            t, DEV_INIT, op, c->inits.pack_untilize, "this init selects rows",
            "packs a tile while the packer writes rows; pack_untilize_uninit comes "
            "first");
        c->inits.pack_untilize = NULL;
    }
    dev_check_packed(t, op, cb, s->integer, s->written);
    if (TW_UNLIKELY(c->formats.relu && !s->integer))
        store_relu(t, op, s, cb->format, to);
    else
        store(t, op, s, cb->format, to);
    double start = TW_MAX(c->pack, c->math);
    c->pack = start + dev_pack_cycles(&t->machine->chip->cost, (double)cb->page,
                                      c->formats.l1_accumulate);
    dev_span(t, DEV_TRACK_PACK, op, start, c->pack);
}

RUN(run_pack)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 1));
    if (cb) /* sequential: after the tile packed last */
        pack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1),
             in->imm ? DEV_REG(t, in, 2) : cb->packed++);
    return pc + 1;
}

RUN(run_pack_block)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 1));
    for (int64_t i = 0; cb && i < DEV_REG(t, in, 2) && !t->machine->stop; i++)
        pack(t, in->op, DEV_REG(t, in, 0) + i, DEV_REG(t, in, 1), cb->packed++);
    return pc + 1;
}

/* Variant 1 of kernels in C++: the packer's relu; its mode, and a bf16 threshold in the
 * upper half. */
RUN(run_l1_accumulate)
{
    if (in->imm >> DEV_VARIANT) {
        t->compute->formats.relu = (uint32_t)DEV_REG(t, in, 0);
        t->compute->pack += t->machine->chip->cost.pack_reconfigure;
        return pc + 1;
    }
    t->compute->formats.l1_accumulate = DEV_REG(t, in, 0) != 0;
    t->compute->pack += t->machine->chip->cost.pack_reconfigure;
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_pack_tile] = {run_pack, .flag = "out_of_order", .by_jobs = true},
    [TTKERNEL_pack_tile_block] = {run_pack_block, .by_jobs = true},
    [TTKERNEL_pack_reconfig_l1_acc] = {run_l1_accumulate, .by_jobs = true},
};

const dev_op_row *dev_pack_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
