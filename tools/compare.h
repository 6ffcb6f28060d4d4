/* compare.h: how far a result is from what was expected. */
#ifndef TILEWRIGHT_TOOLS_COMPARE_H
#define TILEWRIGHT_TOOLS_COMPARE_H

#include "tilewright/tilewright.h"

typedef struct comparison {
    double pcc; /* Pearson's correlation; see tool_compare */
    double largest, mean_absolute, root_mean_square; /* of the differences */
    double expected_root_mean_square;
    double expected_deviation; /* from their mean, root mean square */
    bool close;                /* every |x - y| <= atol + rtol * |y| */
} comparison;

/* Places where both are the same infinity or both NaN count as equal and are left out of
 * the correlation; other infinities and NaNs make it 0.  Constant arrays, which do not
 * correlate, give 1 if they are close, else 0. */
comparison tool_compare(tw_dtype x_type, const void *x, tw_dtype y_type, const void *y,
                        size_t n, double rtol, double atol);

#endif
