/* product.h: matrix products, and what is computed as one. */
#ifndef TILEWRIGHT_COST_PRODUCT_H
#define TILEWRIGHT_COST_PRODUCT_H

#include "cost/tensor.h"

/* [rows, inner] x [inner, columns] in tiles, `batch` times. */
typedef struct cost_product {
    double batch, rows, inner, columns;
    double a_tile, b_tile, out_tile; /* bytes */
    bool wide;                       /* a 32-bit DST */
    bool batched_b;                  /* each of the batch has a right operand of its own */
    bool a_dram, b_dram, out_dram, out_l1;
    const cost_tensor *a, *out; /* whose shards decide the division; NULL: none */
    int phases;
    double a_extra;   /* cycles of the reader a tile of A beside its bytes: windows */
    double a_compute; /* cycles of the compute kernel a tile of A: tilizing */
    double a_bytes;   /* of A in DRAM where it is not read tile by tile; else 0 */
    double finish;    /* cycles a tile of the result for bias and activation */
} cost_product;

/* The fastest division of the result over rows and columns of cores. */
op_cost cost_of_product(cost_model *m, const cost_product *p);

#endif
