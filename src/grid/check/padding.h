/* grid/check/padding.h: what is known of the lanes of a tile that lie beyond its tensor.
 *
 * Hosts fill them with zeros.  Which tiles have such lanes, and whether these are zero
 * still, goes with pages and tiles of DST by what operations do, never by numbers: so it
 * costs nothing and is the same in every run.  0 is no padding, or nothing known. */
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

enum {
    DEV_PAD_ROWS = 1,
    DEV_PAD_COLUMNS = 2,
    DEV_PAD_FILLED = 4, /* with something else than zeros */
};

/* Of a bank, or a core: which of its pages are at an edge of a tensor that does not fill
 * them.  Pages of interleaved tensors go round the banks; a shard's follow each other. */
typedef struct dev_edges {
    size_t stride, bank, banks; /* bytes from page to page */
    size_t width, row, column;  /* of a shard, in tiles, and its first; width 0: none */
    size_t down, across;        /* tiles of a matrix */
    uint8_t last;               /* what the last tile down, and the last across, have */
} dev_edges;

typedef enum dev_pad_kind { DEV_PAD_SUM, DEV_PAD_PRODUCT, DEV_PAD_QUOTIENT } dev_pad_kind;

/* Of the page at an offset in a bank; at an address of a core's L1. */
uint8_t dev_pad_of_page(const dev_edges *edges, size_t at);
uint8_t dev_pad_of_l1(const dev_machine *m, const dev_core *core, size_t at);
/* After an operation in place. */
uint8_t dev_pad_after(const ir_op_def *def, uint8_t pad);
/* Of two tiles put together; of one with numbers that are spread over it. */
uint8_t dev_pad_of_two(dev_pad_kind kind, uint8_t a, uint8_t b);
uint8_t dev_pad_spread(dev_pad_kind kind, uint8_t a);
/* Of two tiles on the vector unit. */
uint8_t dev_pad_of_op(const ir_op_def *def, uint8_t a, uint8_t b);
uint8_t dev_pad_transposed(uint8_t pad);
/* Of a reduction over some lanes (DEV_PAD_ROWS, DEV_PAD_COLUMNS), and of a product; they
 * report padding that goes into numbers of the tensor.  Sums do not see zeros, maxima
 * do. */
uint8_t dev_pad_reduce(dev_thread *t, ir_op *op, uint8_t pad, uint8_t over, bool maximum);
uint8_t dev_pad_multiply(dev_thread *t, ir_op *op, uint8_t a, uint8_t b);

#endif
