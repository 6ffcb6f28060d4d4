/* padding.c: see padding.h. */
#include "grid/check/padding.h"

#include "grid/machine/machine.h"
#include "grid/units/sfpu_functions.h"
#include "ttkernel/ttkernel.h"
#include "ttl/ttl_info.h"

enum { EDGES = DEV_PAD_ROWS | DEV_PAD_COLUMNS };

uint8_t dev_pad_of_page(const dev_edges *e, size_t at)
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
    if (column >= e->across) /* shards that go beyond the tensor */
        return DEV_PAD_COLUMNS;
    return (uint8_t)((row % e->down == e->down - 1 ? e->last & DEV_PAD_ROWS : 0) |
                     (column == e->across - 1 ? e->last & DEV_PAD_COLUMNS : 0));
}

uint8_t dev_pad_of_l1(const dev_machine *m, const dev_core *core, size_t at)
{
    const dev_buffer *b = dev_l1_tensor(m, at, 1);
    dev_edges e;
    return b && dev_buffer_edges(m, b, core, 0, &e) ? dev_pad_of_page(&e, at - b->address)
                                                    : 0;
}

/* What operations make of zeros that elementwise.def does not say: nothing is known. */
static const int unknown[] = {
    TTKERNEL_selu_tile, /* also runs the functions of sfpu_api.c */
    TTKERNEL_clamp_tile,
    TTKERNEL_clamp_tile_int32,
    TTKERNEL_power_tile,
    TTKERNEL_topk_local_sort,
    TTKERNEL_topk_merge,
    TTKERNEL_topk_rebuild,
    TTKERNEL_sfpu_reduce,
    TTKERNEL_max_reduce_with_indices,
    TTKERNEL_binary_dest_reuse_tiles,
};

uint8_t dev_pad_after(const ir_op_def *def, uint8_t pad)
{
    if (!pad)
        return 0;
    for (size_t i = 0; i < TW_COUNT(unknown); i++)
        if (def == &ttkernel_ops[unknown[i]])
            return 0;
    const sfpu_function *f = sfpu_function_of(def);
    return f && sfpu_value(f, 0, 1) != 0 ? pad | DEV_PAD_FILLED : pad;
}

/* A tile of which nothing is known may be a mask: what it is added to may be infinite
 * there, what it is multiplied by zero.  Zero times anything stays zero. */
uint8_t dev_pad_of_two(dev_pad_kind kind, uint8_t a, uint8_t b)
{
    const uint8_t filled = a & b & DEV_PAD_FILLED, either = (a | b) & DEV_PAD_FILLED;
    if (kind == DEV_PAD_PRODUCT && !(a && b))
        return either ? 0 : a | b;
    if (!a || !b)
        return 0;
    return (uint8_t)(((a | b) & EDGES) | (kind == DEV_PAD_PRODUCT    ? filled
                                          : kind == DEV_PAD_QUOTIENT ? DEV_PAD_FILLED
                                                                     : either));
}

uint8_t dev_pad_spread(dev_pad_kind kind, uint8_t a)
{
    return a && kind != DEV_PAD_PRODUCT ? a | DEV_PAD_FILLED : a;
}

uint8_t dev_pad_of_op(const ir_op_def *def, uint8_t a, uint8_t b)
{
    static const uint8_t kinds[] = {/* dev_pad_kind + 1; 0: nothing is known */
                                    [ELEMENTWISE_SUM] = DEV_PAD_SUM + 1,
                                    [ELEMENTWISE_EXTREME] = DEV_PAD_SUM + 1,
                                    [ELEMENTWISE_PRODUCT] = DEV_PAD_PRODUCT + 1,
                                    [ELEMENTWISE_QUOTIENT] = DEV_PAD_QUOTIENT + 1};
    const ttl_elementwise *row = a || b ? ttl_elementwise_computed_by(def) : NULL;
    return row && kinds[row->padding] ? dev_pad_of_two(kinds[row->padding] - 1, a, b) : 0;
}

uint8_t dev_pad_transposed(uint8_t pad)
{
    return (uint8_t)((pad & DEV_PAD_FILLED) | (pad & DEV_PAD_ROWS ? DEV_PAD_COLUMNS : 0) |
                     (pad & DEV_PAD_COLUMNS ? DEV_PAD_ROWS : 0));
}

/* In the words of python/ttl/padding.py, which sees the same in kernels of ttl. */
static void report(dev_thread *t, ir_op *op, const char *what, const char *lanes,
                   const char *held)
{
    dev_report_at(
        t, DEV_PADDING, op, NULL,
        "give the kernel tensors of whole tiles (multiples of 32), filled with what "
        "the operation does not see, or mask them before (where_tile, a product "
        "with a mask)",
        "%s %s behind the tensor's edge, which hold %s", what, lanes, held);
}

static uint8_t without(uint8_t pad, uint8_t lanes)
{
    pad &= (uint8_t)~lanes;
    return pad & EDGES ? pad : 0;
}

uint8_t dev_pad_reduce(dev_thread *t, ir_op *op, uint8_t pad, uint8_t over, bool maximum)
{
    if ((maximum || pad & DEV_PAD_FILLED) && pad & over)
        report(t, op, maximum ? "looks at" : "adds",
               pad & over & DEV_PAD_COLUMNS ? "columns" : "rows",
               pad & DEV_PAD_FILLED ? "what an operation has made of zeros" : "0");
    return without(pad, over);
}

uint8_t dev_pad_multiply(dev_thread *t, ir_op *op, uint8_t a, uint8_t b)
{
    if (a & b & DEV_PAD_FILLED && a & DEV_PAD_COLUMNS && b & DEV_PAD_ROWS)
        report(t, op, "multiplies and adds", "columns and rows",
               "what operations have made of zeros");
    return without(a, DEV_PAD_COLUMNS) | without(b, DEV_PAD_ROWS);
}
