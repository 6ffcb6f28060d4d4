/* grid/units/product.h: products of tiles as jobs, and cheaper forms of them for tapes. */
#ifndef TILEWRIGHT_GRID_UNITS_PRODUCT_H
#define TILEWRIGHT_GRID_UNITS_PRODUCT_H

#include "grid/machine/machine.h"

/* out = a b, or out += a b; x, y: the formats; how: whether the second is transposed. */
extern const dev_job_kind dev_product_job;
/* The packer's work: a tile of DST into a page, or added to it; x: the page's format. */
extern const dev_job_kind dev_pack_job;

void dev_load_source(tw_dtype format, const void *from, dev_tile *out);

/* An operand as the product wants it, made once for many products. */
typedef struct dev_prepared {
    const void *tile; /* as it lies in memory */
    bool fits;        /* halves_fit (host/tiles/tile.h) */
    _Alignas(64) union {
        uint32_t pairs[DEV_TILE_ELEMENTS / 2];
        dev_tile source; /* as in a source register */
    };
} dev_prepared;

/* The job that makes it of the product's first or second operand; `out` is to be set. */
dev_job dev_product_prepare(const dev_job *product, bool second);
/* The same product of prepared operands, which are to be set. */
dev_job dev_product_of_prepared(const dev_job *product);
/* A product of prepared operands whose result the packer only adds to a page: both in one
 * job, the page being `out`; false where there is no such job. */
bool dev_product_join(const dev_job *product, const dev_job *pack, dev_job *out_job);
/* Going through jobs from the last to the first: a product of prepared operands learns
 * which one comes after it, for as long as both exist.  Returns the one seen last. */
const dev_job *dev_product_follow(const dev_job *last, dev_job *job);

#endif
