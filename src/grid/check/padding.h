/* grid/check/padding.h: tracks the lanes of tiles that lie beyond the edge of their tensor.
 *
 * Hosts fill them with zeros. Which tiles have such lanes, and whether these are still
 * zero, is propagated with pages and DST tiles by the operations' kinds, never by values:
 * the analysis is cheap and gives the same result in every run. */
#ifndef TILEWRIGHT_GRID_CHECK_PADDING_H
#define TILEWRIGHT_GRID_CHECK_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ir_op ir_op;
typedef struct ir_op_def ir_op_def;
typedef struct dev_thread dev_thread;
typedef struct dev_machine dev_machine;
typedef struct dev_core dev_core;
typedef struct dev_memory dev_memory;

enum {
    DEV_PAD_ROWS = 1,
    DEV_PAD_COLUMNS = 2,
    DEV_PAD_FILLED = 4, /* with values other than zero */
};

enum { DEV_PAD_ANY = 255 }; /* a constant or broadcast tile: valid at every size */

/* Extent of valid values along the rows (or columns) of a tile: the first `own` are values
 * of every tensor that the tile was computed from, those up to `all` of at least one of
 * them. 0, 0: unknown. */
typedef struct dev_lanes {
    uint8_t own, all;
} dev_lanes;

/* All zeros: no padding, or unknown. */
typedef struct dev_pad {
    uint8_t flags;      /* DEV_PAD_ROWS and others: contents of the padding */
    dev_lanes along[2]; /* rows, columns */
    uint16_t mixed;     /* 1 + index of the operation that made all > own; 0: none */
} dev_pad;

/* An element-wise operation whose operands have values in different rows or columns. */
typedef struct dev_mix {
    ir_op *op;
    dev_thread *thread;
    uint8_t own[2], all[2]; /* rows, columns: of the narrowest and the widest operand */
} dev_mix;

static inline bool dev_pad_any(dev_pad p)
{
    return p.flags | p.along[0].all | p.along[1].all;
}

/* The pages of a bank, or a core, that lie at an edge of a tensor that does not fill them.
 * Pages of interleaved tensors are distributed round-robin over the banks; those of a shard
 * are contiguous. */
typedef struct dev_edges {
    size_t stride, bank, banks; /* from page to page; its index; their number */
    size_t width, row, column;  /* of a shard, in tiles, and its first; width 0: none */
    size_t down, across;        /* tiles of a matrix */
    uint8_t last[2];            /* rows of the last tile down, columns of the last across */
} dev_edges;

typedef enum dev_pad_kind {
    DEV_PAD_OTHER,
    DEV_PAD_SUM,
    DEV_PAD_PRODUCT,
    DEV_PAD_QUOTIENT,
    DEV_PAD_CHOICE
} dev_pad_kind;

/* Returns the padding of the page at an offset in a bank; at an address of a core's L1; at
 * an offset in either, which may belong to a circular buffer. */
dev_pad dev_pad_of_page(const dev_edges *edges, size_t at);
dev_pad dev_pad_of_l1(const dev_machine *m, const dev_core *core, size_t at);
dev_pad dev_pad_at(const dev_machine *m, dev_memory *memory, size_t at, size_t size);
/* Padding of a tile with the same value in every lane. */
dev_pad dev_pad_constant(const dev_machine *m);
/* Padding after an in-place operation. */
dev_pad dev_pad_after(const ir_op_def *def, dev_pad pad);
/* Padding after an element-wise operation on two tiles; `broadcast`: BcastType with which
 * the second tile is broadcast first, or -1. */
dev_pad dev_pad_of_two(dev_thread *t, ir_op *op, dev_pad_kind kind, dev_pad a, dev_pad b,
                       int64_t broadcast);
/* Combines only the lanes' extents. */
dev_pad dev_pad_of_lanes(dev_thread *t, ir_op *op, dev_pad_kind kind, const dev_pad *of,
                         int n);
/* Padding of a broadcast tile. */
dev_pad dev_pad_broadcast(const dev_machine *m, int64_t how, dev_pad a);
/* Padding after an operation of the vector unit on two tiles, or on three (a condition and
 * its choices). */
dev_pad dev_pad_of_op(dev_thread *t, ir_op *op, dev_pad a, dev_pad b);
dev_pad dev_pad_of_where(dev_thread *t, ir_op *op, const dev_pad of[3]);
dev_pad dev_pad_transposed(dev_pad pad);
/* Padding after a reduction over some lanes (DEV_PAD_ROWS, DEV_PAD_COLUMNS), and after a
 * matrix product; both report padding that affects values of the tensor. Zeros are neutral
 * to sums but not to maxima. */
dev_pad dev_pad_reduce(dev_thread *t, ir_op *op, dev_pad pad, uint8_t over, bool maximum);
dev_pad dev_pad_multiply(dev_thread *t, ir_op *op, dev_pad a, dev_pad b);
/* Called when pages of this core's L1 are written to a memory: reports padding that was
 * computed from values and is stored where the tensor has values. */
void dev_pad_stored(dev_thread *t, ir_op *op, size_t from, dev_memory *memory, size_t at,
                    size_t size);
/* The same for a page packed to the memory of a tensor. */
void dev_pad_packed(dev_thread *t, ir_op *op, size_t at, dev_pad pad);

#endif
