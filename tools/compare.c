/* compare.c: see compare.h. */
#include "compare.h"

#include "tool_element.h"

#include <math.h>

comparison tool_compare(tw_dtype x_type, const void *x, tw_dtype y_type, const void *y,
                        size_t n, double rtol, double atol)
{
    comparison c = {.close = true};
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, m = 0;
    bool apart = false;                    /* an infinity or NaN on one side only */
    for (int pass = 0; pass < 2; pass++) { /* means first: the sums then cancel nothing */
        double mx = m > 0 ? sx / m : 0, my = m > 0 ? sy / m : 0;
        for (size_t i = 0; i < n; i++) {
            double a = tool_element(x_type, x, i), b = tool_element(y_type, y, i);
            if (!isfinite(a) || !isfinite(b)) {
                apart |= !(a == b || (isnan(a) && isnan(b)));
                continue;
            }
            if (pass == 0) {
                double d = fabs(a - b);
                sx += a, sy += b, m += 1;
                c.largest = fmax(c.largest, d);
                c.mean_absolute += d;
                c.root_mean_square += d * d;
                c.expected_root_mean_square += b * b;
                c.close &= d <= atol + rtol * fabs(b);
                continue;
            }
            a -= mx, b -= my;
            sxx += a * a, syy += b * b, sxy += a * b;
        }
    }
    c.mean_absolute /= fmax(m, 1);
    c.root_mean_square = sqrt(c.root_mean_square / fmax(m, 1));
    c.expected_root_mean_square = sqrt(c.expected_root_mean_square / fmax(m, 1));
    c.expected_deviation = sqrt(syy / fmax(m, 1));
    c.close &= !apart;
    if (apart)
        c.largest = INFINITY;
    c.pcc = apart                ? 0
            : c.largest == 0     ? 1
            : sxx > 0 && syy > 0 ? sxy / sqrt(sxx) / sqrt(syy)
            : c.close            ? 1
                                 : 0;
    return c;
}
