/* native_ask.c: calls of kernels in C++ other than operations: properties of buffers and
 * tensors, the values of tiles in DST, time, errors. */
#include "grid/native/native.h"

#include "grid/units/compute.h"

#include "ttl/ttl.h"

/* Address of a page of an interleaved tensor, for kernels that know only its base. */
static int64_t interleaved(const dev_thread *t, const int64_t *v)
{
    const dev_machine *m = t->machine;
    dev_noc_address p;
    dev_space space = v[3] ? DEV_DRAM_INTERLEAVED : DEV_L1_INTERLEAVED;
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *b = &m->tensors.buffers[i];
        if (b->live && b->space == space && b->address == (uint64_t)v[0] &&
            dev_page_address(m, b, b->address, v[1], &p))
            return dev_noc_pack(p);
    }
    int64_t align = v[3] ? m->chip->dram_align : m->chip->l1_align;
    const dev_buffer any = {
        .space = space,
        .pages = SIZE_MAX,
        .stride = tw_align_up((size_t)v[2], (size_t)align),
    };
    return dev_page_address(m, &any, (uint64_t)v[0], v[1], &p) ? dev_noc_pack(p) : 0;
}

static int64_t buffer_field(const dev_thread *t, int64_t port, int64_t field)
{
    if (port < 0 || port >= DEV_MAX_CBS)
        return 0;
    const dev_cb *cb = &t->core->cb[port];
    const int64_t fields[] = {
        cb->filled,
        (int64_t)cb->pages - cb->used,
        cb->page,
        cb->base,
        cb->base + (int64_t)cb->read * cb->page,
        cb->base + (int64_t)cb->write * cb->page,
    };
    return field >= 0 && field < (int64_t)TW_COUNT(fields) ? fields[field] : 0;
}

/* Kernels that go back in a ring set its pointers; these must be at a page. */
static void set_pointer(dev_thread *t, ir_op *op, const int64_t *v)
{
    dev_cb *cb = v[0] >= 0 && v[0] < DEV_MAX_CBS ? &t->core->cb[v[0]] : NULL;
    uint32_t at = cb && cb->page ? (uint32_t)v[2] - cb->base : 0;
    if (!cb || !cb->live || at % cb->page || at / cb->page > cb->pages) {
        dev_report_at(t, DEV_ARGUMENT, op, NULL, NULL,
                      "a pointer into circular buffer %lld is set to 0x%llx, where no page "
                      "of it begins",
                      (long long)v[0], (unsigned long long)v[2]);
        dev_native_leave(t);
    }
    *(v[1] == 4 ? &cb->read : &cb->write) = at / cb->page % cb->pages;
}

/* ---- time ---------------------------------------------------------------------------- */

/* Records a named part of the kernel as a span of the timeline. */
static void keep_zone(dev_thread *t, const tw_kernel_location *at, const char *name,
                      int64_t start)
{
    dev_native *n = t->code->native;
    ir_context *ctx = n->function->ctx;
    if (!t->machine->options.profile)
        return;
    ir_op *zone = dev_native_op_for(t, at);
    size_t i = 0;
    while (i < n->n_zones && n->zones[i].at != zone)
        i++;
    if (i == n->n_zones) {
        ir_builder b = ir_builder_before(zone);
        b.loc = zone->loc;
        ir_op *made =
            ir_build_op(&b, TTL_OP(signpost), NULL, 0, NULL, 0,
                        IR_ATTRS({"name", ir_string_attr(ctx, tw_str_from(name))}), 0);
        TW_PUSH(n->zones, n->n_zones, n->zones_capacity, ((native_zone){zone, made}));
    }
    zone = n->zones[i].signpost;
    dev_span_keep(t, DEV_TRACK_WAIT, zone, t->machine->begin + (double)start, t->now);
}

/* ---- values of DST, for functions of the kernel's own -------------------------------- */

/* Returns the tile's values; after a report, a scratch tile that nothing reads. */
static int64_t tile_numbers(dev_thread *t, ir_op *op, const int64_t *v, bool packers)
{
    dev_compute *c = t->compute;
    if (!t->is_compute) {
        dev_report_at(
            t, DEV_ARGUMENT, op, NULL, NULL,
            "tiles in DST belong in a compute kernel, but this kernel moves data");
        dev_native_leave(t);
    }
    if (packers)
        dev_dst_owns(t, op, DEV_DST_PACK);
    dev_slot *s = packers ? dev_dst_use(t, op, v[0]) : NULL;
    bool there = v[0] >= 0 && v[0] < c->dst.capacity && c->dst.slot[v[0]].written;
    bool fresh = v[1] == 1 || (v[1] == 2 && !there);
    if (!packers)
        s = fresh ? dev_dst_write(t, op, v[0]) : dev_dst_read(t, op, v[0]);
    if (s && packers)
        dev_dst_widen(t, s);
    dev_await_bytes(t->machine);
    if (t->machine->stop || !s)
        dev_native_leave(t);
    if (fresh || !s->written)
        s->integer = v[2] != 0;
    else if (!packers)
        dev_dst_expect(t, op, s, v[2] != 0);
    return (int64_t)(uintptr_t)&s->tile;
}

static void tile_written(dev_thread *t, ir_op *op, const int64_t *v)
{
    dev_slot *s = dev_dst_slot(t, op, v[0]);
    if (!s)
        dev_native_leave(t);
    s->integer = v[1] != 0;
    if (!s->integer)
        dev_truncate_to_dst(&s->tile, t->compute->dst.format);
    dev_dst_update(s, op);
    dev_book(t, op, 0, (double)v[2] / 32 * t->machine->chip->cost.sfpu_op);
}

/* Reports arithmetic without a defined result, as scalar.c does. */
static void no_result(dev_thread *t, ir_op *op, tw_kernel_question what, const int64_t *v)
{
    if (what == TW_SAY_DIVISION)
        dev_report_at(t, DEV_ARGUMENT, op, NULL, DEV_DIVISION_NOTE,
                      "division of %lld by %lld", (long long)v[0], (long long)v[1]);
    else
        dev_report_at(t, DEV_ARGUMENT, op, NULL, DEV_SHIFT_NOTE,
                      "a number of %lld bits is shifted by %lld", (long long)v[0],
                      (long long)v[1]);
    if (t->machine->stop)
        dev_native_leave(t);
}

int64_t dev_native_ask(void *thread, const tw_kernel_location *at, tw_kernel_question what,
                       const int64_t *v)
{
    dev_thread *t = thread;
    switch (what) {
    case TW_ASK_TILE:
    case TW_ASK_PACKED_TILE:
        return tile_numbers(t, dev_native_op_for(t, at), v, what == TW_ASK_PACKED_TILE);
    case TW_SAY_TILE:
        return tile_written(t, dev_native_op_for(t, at), v), 0;
    case TW_ASK_NOC:
        return t->noc;
    case TW_ASK_INTERLEAVED:
        return interleaved(t, v);
    case TW_ASK_PAGE_BYTES:
        return (int64_t)t->machine->tensors.buffers[v[0] >> 52].page;
    case TW_ASK_PAGES:
        return v[0] >= 0 && v[0] < DEV_MAX_CBS ? t->core->cb[v[0]].pages : 0;
    case TW_ASK_BUFFER:
        return buffer_field(t, v[0], v[1]);
    case TW_ASK_DST_IS_MATHS:
        return t->is_compute && t->compute->dst.state == DEV_DST_MATH;
    case TW_ASK_TILE_WRITTEN:
        return t->is_compute && v[0] >= 0 && v[0] < t->compute->dst.capacity &&
               t->compute->dst.slot[v[0]].written != NULL;
    case TW_ASK_SET_UP:
        return t->is_compute && t->compute->formats.formats_known;
    case TW_ASK_CYCLE:
        t->now += (double)v[0];
        return (int64_t)(t->now - t->machine->begin);
    case TW_SAY_ZONE:
        return keep_zone(t, at, (const char *)(uintptr_t)v[0], v[1]), 0;
    case TW_SAY_POINTER:
        return set_pointer(t, dev_native_op_for(t, at), v), 0;
    case TW_SAY_ASSERTION:
    case TW_SAY_MISTAKE:
        if (v[1]) {
            dev_report_at(t, DEV_DST_USE, dev_native_op_for(t, at), NULL, NULL, "%s",
                          (const char *)(uintptr_t)v[0]);
            return 0;
        }
        dev_report_at(t, DEV_ARGUMENT, dev_native_op_for(t, at), NULL, NULL,
                      what == TW_SAY_MISTAKE ? "%s" : "the assertion '%s' does not hold",
                      (const char *)(uintptr_t)v[0]);
        dev_native_leave(t);
        return 0;
    case TW_SAY_BOUNDS:
        dev_report_at(t, DEV_ARGUMENT, dev_native_op_for(t, at), NULL,
                      "hardware's core would use what lies beside the array",
                      "index %lld lies outside of an array of type %s", (long long)v[0],
                      (const char *)(uintptr_t)v[1]);
        dev_native_leave(t);
        return 0;
    case TW_SAY_DIVISION:
    case TW_SAY_SHIFT:
        return no_result(t, dev_native_op_for(t, at), what, v), 0;
    default:
        return 0;
    }
}
