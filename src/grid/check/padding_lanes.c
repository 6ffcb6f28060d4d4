/* padding_lanes.c: rows and columns of tiles that hold values: the extents after
 * element-wise operations, and reports of padding that was computed from values and is
 * stored as values. */
#include "grid/check/padding.h"
#include "grid/machine/machine.h"
#include "ttkernel/ttkernel.h"

enum { ROWS, COLUMNS, BOTH };

static dev_lanes everywhere(void)
{
    return (dev_lanes){DEV_PAD_ANY, DEV_PAD_ANY};
}

dev_pad dev_pad_constant(const dev_machine *m)
{
    return m->tensors.padded ? (dev_pad){.along = {everywhere(), everywhere()}}
                             : (dev_pad){0};
}

dev_pad dev_pad_broadcast(const dev_machine *m, int64_t how, dev_pad a)
{
    if (!m->tensors.padded)
        return (dev_pad){0};
    a.flags = 0;
    if (how == TTKERNEL_BcastType_Row || how == TTKERNEL_BcastType_Scalar)
        a.along[ROWS] = everywhere();
    if (how == TTKERNEL_BcastType_Col || how == TTKERNEL_BcastType_Scalar)
        a.along[COLUMNS] = everywhere();
    return a;
}

/* Returns 1 + the index of the operation in the machine's mixes, adding it if needed. */
static uint16_t mixed_by(dev_thread *t, ir_op *op, dev_lanes min, dev_lanes max, int d)
{
    dev_machine *m = t->machine;
    for (size_t i = m->tensors.n_mixes; i > 0; i--)
        if (m->tensors.mixes[i - 1].op == op && m->tensors.mixes[i - 1].thread == t)
            return (uint16_t)i;
    if (m->tensors.n_mixes == UINT16_MAX)
        return UINT16_MAX;
    dev_mix mix = {.op = op, .thread = t};
    mix.own[d] = min.own;
    mix.all[d] = max.own;
    TW_PUSH(m->tensors.mixes, m->tensors.n_mixes, m->tensors.mixes_capacity, mix);
    return (uint16_t)m->tensors.n_mixes;
}

/* True if a tile with fewer rows or columns than the others may be masked by them, which
 * makes its padding harmless: a product with a mask, a selection by one. A single row or
 * column is not masked but broadcast. */
static bool may_be_masked(dev_pad_kind kind, const dev_pad *narrow, int d)
{
    const bool zeros = narrow->flags >> d & 1 && !(narrow->flags & DEV_PAD_FILLED);
    return narrow->along[d].own > 1 &&
           (kind == DEV_PAD_CHOICE || (kind == DEV_PAD_PRODUCT && !zeros));
}

/* Combines the extents along one dimension; false if the result's is unknown. */
static bool combine_extents(dev_thread *t, ir_op *op, dev_pad_kind kind, const dev_pad *of,
                            int n, int d, dev_pad *out)
{
    const dev_pad *min = NULL, *max = NULL;
    bool unknown = false;
    for (int i = 0; i < n; i++) {
        const dev_lanes e = of[i].along[d];
        unknown |= e.all == 0;
        if (e.all == 0 || e.all == DEV_PAD_ANY)
            continue;
        if (!min || e.own < min->along[d].own)
            min = &of[i];
        if (!max || e.all > max->along[d].all)
            max = &of[i];
    }
    if (!min) {
        out->along[d] = unknown ? (dev_lanes){0} : everywhere();
        return !unknown;
    }
    const dev_lanes low = min->along[d], high = max->along[d];
    if (low.own < high.all && (unknown || may_be_masked(kind, min, d)))
        return false;
    if (unknown && high.own < DEV_TILE_SIDE)
        return false;
    out->along[d] = (dev_lanes){low.own, high.all};
    if (low.own < high.all && !out->mixed)
        out->mixed = mixed_by(t, op, low, high, d);
    return true;
}

dev_pad dev_pad_of_lanes(dev_thread *t, ir_op *op, dev_pad_kind kind, const dev_pad *of,
                         int n)
{
    dev_pad out = {0};
    for (int i = 0; i < n && !out.mixed; i++)
        out.mixed = of[i].mixed;
    for (int d = 0; d < BOTH; d++)
        if (!combine_extents(t, op, kind, of, n, d, &out))
            out.along[d] = (dev_lanes){0};
    return out;
}

dev_pad dev_pad_of_where(dev_thread *t, ir_op *op, const dev_pad of[3])
{
    return dev_pad_of_lanes(t, op, DEV_PAD_CHOICE, of, 3);
}

/* Reports the operation that mixed extents, with a note at the store that exposes it. */
static void report_mix(dev_thread *t, ir_op *op, dev_pad pad, int d, int stored)
{
    static const char *const lanes[] = {"row", "column"};
    const dev_mix *mix = &t->machine->tensors.mixes[pad.mixed - 1];
    const int own = mix->own[d] ? mix->own[d] : pad.along[d].own,
              all = mix->all[d] ? mix->all[d] : pad.along[d].all;
    tw_strbuf note = {0};
    tw_strbuf_printf(&note,
                     "stored here, where the tensor has %d %s%s; broadcast the smaller "
                     "operand first: use ttl.math.broadcast with dims=[%d] (in kernels of "
                     "tiles unary_bcast), or give both operands tensors of as many %ss",
                     stored, lanes[d], dev_s(stored), d, lanes[d]);
    dev_report_at(mix->thread, DEV_PADDED_OPERAND, mix->op, op, tw_strbuf_text(&note),
                  "one operand has values in %d %s%s of its tile, another one in %d, so "
                  "padding is computed with values, and stored as values",
                  own, lanes[d], dev_s(own), all);
    tw_strbuf_free(&note);
}

/* Checks a store of a tile whose destination has the extents `to`. */
static void check_store(dev_thread *t, ir_op *op, dev_pad pad, dev_pad to)
{
    for (int d = 0; pad.mixed && d < BOTH; d++) {
        const dev_lanes e = pad.along[d];
        const int stored = to.along[d].all;
        if (e.own < e.all && stored != DEV_PAD_ANY && e.own < stored) {
            report_mix(t, op, pad, d, stored);
            return;
        }
    }
}

void dev_pad_packed(dev_thread *t, ir_op *op, size_t at, dev_pad pad)
{
    check_store(t, op, pad, dev_pad_of_l1(t->machine, t->core, at));
}

void dev_pad_stored(dev_thread *t, ir_op *op, size_t from, dev_memory *memory, size_t at,
                    size_t size)
{
    const dev_machine *m = t->machine;
    const dev_cb *cb = dev_cb_owner(t->core, from, size);
    dev_core *core = memory->base ? NULL : dev_core_of(memory);
    dev_cb *to = core ? dev_cb_owner(core, at, size) : NULL;
    const bool whole = cb && (from - cb->base) % cb->page == 0;
    for (size_t i = 0; to && i < size; i += to->page) {
        const bool same = whole && to->page == cb->page && (at - to->base) % to->page == 0;
        to->pad[(at + i - to->base) / to->page] =
            same ? cb->pad[(from + i - cb->base) / cb->page] : (dev_pad){0};
    }
    if (!whole || (core && !dev_l1_tensor(m, at, 1)))
        return;
    for (size_t i = 0; i + cb->page <= size; i += cb->page)
        check_store(t, op, cb->pad[(from + i - cb->base) / cb->page],
                    core ? dev_pad_of_l1(m, core, at + i)
                         : dev_pad_at(m, memory, at + i, cb->page));
}
