/* padding.c: see padding.h. */
#include "grid/check/padding.h"

#include "grid/machine/machine.h"
#include "grid/units/sfpu_functions.h"
#include "ttkernel/ttkernel.h"
#include "ttl/ttl_info.h"

enum { EDGES = DEV_PAD_ROWS | DEV_PAD_COLUMNS, SIDE = DEV_TILE_SIDE };

static dev_pad of_size(uint8_t rows, uint8_t columns)
{
    return (dev_pad){.flags = (uint8_t)((rows < SIDE ? DEV_PAD_ROWS : 0) |
                                        (columns < SIDE ? DEV_PAD_COLUMNS : 0)),
                     .along = {{rows, rows}, {columns, columns}}};
}

dev_pad dev_pad_of_page(const dev_edges *e, size_t at)
{
    size_t page = at / e->stride, row, column;
    if (e->width) {
        row = e->row + page / e->width;
        column = e->column + page % e->width;
    } else {
        page = page * e->banks + e->bank;
        row = page / e->across;
        column = page % e->across;
    }
    if (column >= e->across) /* shards that extend beyond the tensor */
        return (dev_pad){.flags = DEV_PAD_COLUMNS};
    return of_size(row % e->down == e->down - 1 ? e->last[0] : SIDE,
                   column == e->across - 1 ? e->last[1] : SIDE);
}

dev_pad dev_pad_of_l1(const dev_machine *m, const dev_core *core, size_t at)
{
    const dev_buffer *b = dev_l1_tensor(m, at, 1);
    dev_edges e;
    if (!b || !b->tiled || !b->edge_columns)
        return (dev_pad){0};
    if (dev_buffer_edges(m, b, core, 0, &e))
        return dev_pad_of_page(&e, at - b->address);
    return b->edge_rows % SIDE || b->edge_columns % SIDE ? (dev_pad){0}
                                                         : of_size(SIDE, SIDE);
}

/* Returns the padding of the page of a circular buffer that spans exactly these bytes; NULL
 * if there is none. */
static dev_pad *of_cb(dev_core *core, size_t at, size_t size)
{
    const dev_cb *cb = dev_cb_owner(core, at, size);
    return cb && size == cb->page && (at - cb->base) % cb->page == 0
               ? &cb->pad[(at - cb->base) / cb->page]
               : NULL;
}

dev_pad dev_pad_at(const dev_machine *m, dev_memory *memory, size_t at, size_t size)
{
    if (memory->base)
        return memory->edges   ? dev_pad_of_page(memory->edges, at)
               : memory->whole ? of_size(SIDE, SIDE)
                               : (dev_pad){0};
    dev_core *core = dev_core_of(memory);
    const dev_pad *page = of_cb(core, at, size);
    return page ? *page : dev_pad_of_l1(m, core, at);
}

/* What an operation makes of padding where its formula (elementwise.def) does not say. */
static const struct effect {
    int op;
    enum { UNKNOWN, MOVES } what; /* MOVES: values to other lanes */
} effects[] = {
    {TTKERNEL_selu_tile, UNKNOWN}, /* also runs the functions of sfpu_api.c */
    {TTKERNEL_clamp_tile, UNKNOWN},
    {TTKERNEL_clamp_tile_int32, UNKNOWN},
    {TTKERNEL_power_tile, UNKNOWN},
    {TTKERNEL_topk_local_sort, MOVES},
    {TTKERNEL_topk_merge, MOVES},
    {TTKERNEL_topk_rebuild, MOVES},
    {TTKERNEL_sfpu_reduce, MOVES},
    {TTKERNEL_max_reduce_with_indices, MOVES},
    {TTKERNEL_binary_dest_reuse_tiles, UNKNOWN},
};

dev_pad dev_pad_after(const ir_op_def *def, dev_pad pad)
{
    for (size_t i = 0; i < TW_COUNT(effects); i++) {
        if (def != &ttkernel_ops[effects[i].op])
            continue;
        if (effects[i].what == MOVES)
            return (dev_pad){0};
        pad.flags = 0;
    }
    const sfpu_function *f = pad.flags ? sfpu_function_of(def) : NULL;
    if (f && sfpu_value(f, 0, 1) != 0)
        pad.flags |= DEV_PAD_FILLED;
    return pad;
}

/* A tile about which nothing is known may be a mask: infinite in a sum, zero in a product.
 * Zero times any value stays zero. */
static uint8_t flags_of_two(dev_pad_kind kind, uint8_t a, uint8_t b)
{
    const uint8_t filled = a & b & DEV_PAD_FILLED, either = (a | b) & DEV_PAD_FILLED;
    if (kind == DEV_PAD_PRODUCT && !(a && b))
        return either ? 0 : a | b;
    if (!a || !b || kind == DEV_PAD_OTHER)
        return 0;
    return (uint8_t)(((a | b) & EDGES) | (kind == DEV_PAD_PRODUCT    ? filled
                                          : kind == DEV_PAD_QUOTIENT ? DEV_PAD_FILLED
                                                                     : either));
}

dev_pad dev_pad_of_two(dev_thread *t, ir_op *op, dev_pad_kind kind, dev_pad a, dev_pad b,
                       int64_t broadcast)
{
    dev_pad out = {0};
    if (broadcast < 0) {
        out = dev_pad_of_lanes(t, op, kind, (const dev_pad[]){a, b}, 2);
        out.flags = flags_of_two(kind, a.flags, b.flags);
    } else {
        const dev_pad of[] = {a, dev_pad_broadcast(t->machine, broadcast, b)};
        out = dev_pad_of_lanes(t, op, kind, of, 2);
        out.flags = a.flags && kind != DEV_PAD_PRODUCT ? a.flags | DEV_PAD_FILLED : a.flags;
    }
    return out;
}

dev_pad dev_pad_of_op(dev_thread *t, ir_op *op, dev_pad a, dev_pad b)
{
    static const dev_pad_kind kinds[] = {
        [ELEMENTWISE_MASK] = DEV_PAD_OTHER,      [ELEMENTWISE_DATA] = DEV_PAD_OTHER,
        [ELEMENTWISE_SUM] = DEV_PAD_SUM,         [ELEMENTWISE_EXTREME] = DEV_PAD_SUM,
        [ELEMENTWISE_PRODUCT] = DEV_PAD_PRODUCT, [ELEMENTWISE_QUOTIENT] = DEV_PAD_QUOTIENT,
    };
    const ttl_elementwise *row = ttl_elementwise_computed_by(op->def);
    return dev_pad_of_two(t, op, row ? kinds[row->padding] : DEV_PAD_OTHER, a, b, -1);
}

dev_pad dev_pad_transposed(dev_pad pad)
{
    return (dev_pad){(uint8_t)((pad.flags & DEV_PAD_FILLED) |
                               (pad.flags & DEV_PAD_ROWS ? DEV_PAD_COLUMNS : 0) |
                               (pad.flags & DEV_PAD_COLUMNS ? DEV_PAD_ROWS : 0)),
                     {pad.along[1], pad.along[0]},
                     pad.mixed};
}

/* Same wording as python/ttl/padding.py, which finds the same errors in ttl kernels. */
static void report_padding(dev_thread *t, ir_op *op, const char *what, const char *lanes,
                           const char *held)
{
    dev_report_at(
        t, DEV_PADDING, op, NULL,
        "give the kernel tensors of whole tiles (multiples of 32), filled with what "
        "the operation does not see, or mask them before (where_tile, a product "
        "with a mask)",
        "%s %s behind the tensor's edge, which hold %s", what, lanes, held);
}

static uint8_t without(uint8_t flags, uint8_t lanes)
{
    flags &= (uint8_t)~lanes;
    return flags & EDGES ? flags : 0;
}

dev_pad dev_pad_reduce(dev_thread *t, ir_op *op, dev_pad pad, uint8_t over, bool maximum)
{
    if ((maximum || pad.flags & DEV_PAD_FILLED) && pad.flags & over)
        report_padding(t, op, maximum ? "looks at" : "adds",
                       pad.flags & over & DEV_PAD_COLUMNS ? "columns" : "rows",
                       pad.flags & DEV_PAD_FILLED ? "what an operation has made of zeros"
                                                  : "0");
    pad.flags = without(pad.flags, over);
    for (int i = 0; i < 2; i++)
        if (over >> i & 1)
            pad.along[i] = (dev_lanes){0};
    return pad;
}

dev_pad dev_pad_multiply(dev_thread *t, ir_op *op, dev_pad a, dev_pad b)
{
    if (a.flags & b.flags & DEV_PAD_FILLED && a.flags & DEV_PAD_COLUMNS &&
        b.flags & DEV_PAD_ROWS)
        report_padding(t, op, "multiplies and adds", "columns and rows",
                       "what operations have made of zeros");
    return (dev_pad){without(a.flags, DEV_PAD_COLUMNS) | without(b.flags, DEV_PAD_ROWS),
                     {a.along[0], b.along[1]},
                     a.along[0].own < a.along[0].all ? a.mixed : b.mixed};
}
