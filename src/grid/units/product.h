/* grid/units/product.h: matrix products of tiles as jobs, and cheaper forms for tapes. */
#ifndef TILEWRIGHT_GRID_UNITS_PRODUCT_H
#define TILEWRIGHT_GRID_UNITS_PRODUCT_H

#include "grid/machine/machine.h"

/* out = a b, or out += a b; x, y: the formats; how: whether the second is transposed. */
extern const dev_job_kind dev_product_job;
/* The packer's job: a tile of DST to a page, or added to it; x: the page's format. */
extern const dev_job_kind dev_pack_job;

void dev_load_source(tw_dtype format, const void *from, dev_tile *out);

/* An operand in the form that the product reads, prepared once for many products. */
typedef struct dev_prepared {
    const void *tile; /* as in memory */
    bool fits;        /* pairs_fit (host/tiles/tile.h) */
    _Alignas(64) union {
        uint32_t pairs[DEV_TILE_ELEMENTS / 2];
        dev_tile source; /* as in a source register */
    };
} dev_prepared;

/* Returns the job that prepares the first or second operand; the caller sets `out`. */
dev_job dev_product_prepare(const dev_job *product, bool second);
/* Returns the same product on prepared operands, which the caller sets. */
dev_job dev_product_of_prepared(const dev_job *product);
/* A product of prepared operands whose result the packer only adds to a page: both as one
 * job with the page as `out`; false if there is no such job. */
bool dev_product_join(const dev_job *product, const dev_job *pack, dev_job *out_job);
/* Called for jobs from the last to the first: links a product of prepared operands to
 * the next one, so that it can prefetch; valid while both exist. Returns the product
 * seen last. */
const dev_job *dev_product_follow(const dev_job *last, dev_job *job);

#endif
