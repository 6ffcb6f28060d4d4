/* elementwise.c: the rows of ttkernel/elementwise.def for other languages. */
#include "grid/units/sfpu_functions.h"
#include "tilewright/grid.h"
#include "ttl/ttl_info.h"

TW_EXPORT bool tw_elementwise_at(size_t i, tw_elementwise *out)
{
    static const char *const paddings[] = {
        [ELEMENTWISE_MASK] = "mask",       [ELEMENTWISE_DATA] = "data",
        [ELEMENTWISE_SUM] = "sum",         [ELEMENTWISE_EXTREME] = "extreme",
        [ELEMENTWISE_PRODUCT] = "product", [ELEMENTWISE_QUOTIENT] = "quotient",
    };
    const ttl_elementwise *row = ttl_elementwise_at(i);
    if (row)
        *out = (tw_elementwise){row->name, row->meaning, paddings[row->padding],
                                row->form == TTL_BINARY    ? 2
                                : row->form == TTL_TERNARY ? 3
                                                           : 1};
    return row != NULL;
}

static const ttl_elementwise *named(const char *name)
{
    const ttl_elementwise *row;
    for (size_t i = 0; (row = ttl_elementwise_at(i)); i++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

TW_EXPORT bool tw_elementwise_value(const char *name, double x, double y, double *out)
{
    const ttl_elementwise *row = named(name);
    const sfpu_function *f =
        row ? sfpu_function_of(row->compute ? row->compute : row->int_compute) : NULL;
    if (f)
        *out = sfpu_value(f, x, y);
    return f != NULL;
}
