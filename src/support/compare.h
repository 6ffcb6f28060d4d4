/* compare.h: how far a result is from the expected one. */
#ifndef TILEWRIGHT_SUPPORT_COMPARE_H
#define TILEWRIGHT_SUPPORT_COMPARE_H

#include "support/strbuf.h"
#include "tilewright/tilewright.h"

/* Elements of one type, row-major. */
typedef struct elements {
    tw_dtype type;
    const void *data;
    size_t n;
} elements;

/* Floats agree where |got - wanted| <= absolute + relative * |wanted|. */
typedef struct bounds {
    double relative, absolute;
} bounds;

/* An absolute bound by the format that computed the values: for f32 1e-4, for f64 1e-8, for
 * f16, bf16 and block floats four units in the last place of 1, each times the largest
 * finite expected value; 1e-5 where all expected values are 0. */
bounds compare_default_bounds(tw_dtype computed_in, elements wanted);
/* True for formats of so few bits that their results must correlate, too. */
bool compare_is_coarse(tw_dtype computed_in);

typedef struct comparison {
    double pcc;                                      /* Pearson's correlation */
    double largest, mean_absolute, root_mean_square; /* of the differences */
    double expected_deviation;                       /* from their mean, root mean square */
    size_t outside;                                  /* elements outside the bounds */
    size_t worst;       /* index of the element farthest outside, or nearest to it */
    double worst_bound; /* of that element */
} comparison;

/* Equal infinities agree, and so do two NaNs; both are excluded from the correlation. Other
 * pairs with an infinity or NaN are outside and make the correlation 0.  Constant arrays,
 * which do not correlate, give 1 if no element is outside, else 0.  Integers and booleans
 * are compared exactly, without bounds. */
comparison tool_compare(elements got, elements wanted, bounds b);

/* "worst at [1, 2]: got 3.5, wanted 3, difference 0.5"; empty without a difference. */
void compare_put_worst(tw_strbuf *out, const comparison *c, const tw_tensor_desc *shape,
                       elements got, elements wanted);

#endif
