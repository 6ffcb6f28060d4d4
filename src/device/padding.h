/* device/padding.h: what is known of the lanes of a tile that lie beyond its tensor.
 *
 * Hosts fill them with zeros.  Which tiles have such lanes, and whether these are zero
 * still, goes with pages and tiles of DST by what operations do, never by numbers: so it
 * costs nothing and is the same in every run.  0 is no padding, or nothing known. */
#ifndef TILEWRIGHT_DEVICE_PADDING_H
#define TILEWRIGHT_DEVICE_PADDING_H

#include <stddef.h>
#include <stdint.h>

typedef struct ir_op ir_op;
typedef struct ir_op_def ir_op_def;
typedef struct dev_thread dev_thread;

enum {
    DEV_PAD_ROWS = 1,
    DEV_PAD_COLUMNS = 2,
    DEV_PAD_FILLED = 4, /* with something else than zeros */
};

/* Of a bank: which of its pages are at an edge of a tensor that does not fill them. */
typedef struct dev_edges {
    size_t stride, bank, banks; /* bytes from page to page; pages go round the banks */
    size_t down, across;        /* tiles of a matrix */
    uint8_t last;               /* what the last tile down, and the last across, have */
} dev_edges;

typedef enum dev_pad_kind { DEV_PAD_SUM, DEV_PAD_PRODUCT, DEV_PAD_QUOTIENT } dev_pad_kind;

/* Of the page at an offset in a bank. */
uint8_t dev_pad_of_page(const dev_edges *edges, size_t at);
/* After an operation in place. */
uint8_t dev_pad_after(const ir_op_def *def, uint8_t pad);
/* Of two tiles put together; of one with numbers that are spread over it. */
uint8_t dev_pad_of_two(dev_pad_kind kind, uint8_t a, uint8_t b);
uint8_t dev_pad_spread(dev_pad_kind kind, uint8_t a);
/* Of two tiles on the vector unit. */
uint8_t dev_pad_of_op(const ir_op_def *def, uint8_t a, uint8_t b);
uint8_t dev_pad_transposed(uint8_t pad);
/* Of a reduction over some lanes (DEV_PAD_ROWS, DEV_PAD_COLUMNS), and of a product; they
 * report padding that goes into numbers of the tensor. */
uint8_t dev_pad_reduce(dev_thread *t, ir_op *op, uint8_t pad, uint8_t over);
uint8_t dev_pad_multiply(dev_thread *t, ir_op *op, uint8_t a, uint8_t b);

#endif
