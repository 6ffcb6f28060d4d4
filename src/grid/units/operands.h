/* grid/units/operands.h: operands of matrix products that are read from DRAM again and
 * again, kept in the form that products read (product.h). */
#ifndef TILEWRIGHT_GRID_UNITS_OPERANDS_H
#define TILEWRIGHT_GRID_UNITS_OPERANDS_H

#include "grid/machine/machine.h"

/* Turns a product of two tiles that lie in these banks into one of prepared operands, with
 * the same result, if both were read before, with the same bytes; false if not. They are
 * valid until the next call. */
bool dev_operands_reuse(dev_machine *m, dev_job *product, const dev_memory *bank_a,
                        const dev_memory *bank_b);
void dev_operands_free(struct dev_operands *operands);

#endif
