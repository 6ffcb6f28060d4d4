/* compare.c: see compare.h. */
#include "support/compare.h"

#include "support/element.h"

#include <math.h>

/* ---- bounds ---- */

/* Fraction bits of a significand; of block floats, of the block's largest value. */
static int fraction_bits(tw_dtype t)
{
    switch (t) {
    case TW_F16:
        return 10;
    case TW_BF16:
        return 7;
    case TW_BFP_F8:
    case TW_BFP_BF8:
        return 6;
    case TW_BFP_F4:
    case TW_BFP_BF4:
        return 2;
    default:
        return 0;
    }
}

bool compare_is_coarse(tw_dtype t)
{
    return t >= TW_BF16 && t <= TW_BFP_BF2;
}

bounds compare_default_bounds(tw_dtype t, elements wanted)
{
    double largest = 0;
    if (!tool_is_float(t))
        return (bounds){0};
    for (size_t i = 0; i < wanted.n; i++) {
        double x = fabs(tool_element(wanted.type, wanted.data, i));
        largest = isfinite(x) ? fmax(largest, x) : largest;
    }
    double share = t == TW_F32 ? 1e-4 : t == TW_F64 ? 1e-8 : ldexp(4, -fraction_bits(t));
    return (bounds){.absolute = largest > 0 ? share * largest : 1e-5};
}

/* ---- elements ---- */

static __int128 integer(tw_dtype t, const void *data, size_t i)
{
    switch (t) {
    case TW_I64:
        return ((const int64_t *)data)[i];
    case TW_U64:
        return ((const uint64_t *)data)[i];
    default:
        return (__int128)tool_element(t, data, i); /* up to 32 bits: exact */
    }
}

/* |got - wanted|: 0 for two equal infinities or two NaNs, infinity for other pairs with
 * one. */
static double difference(elements got, elements wanted, size_t i)
{
    if (!tool_is_float(got.type) && !tool_is_float(wanted.type)) {
        __int128 d = integer(got.type, got.data, i) - integer(wanted.type, wanted.data, i);
        return fabs((double)d);
    }
    double x = tool_element(got.type, got.data, i),
           y = tool_element(wanted.type, wanted.data, i);
    if (isfinite(x) && isfinite(y))
        return fabs(x - y);
    return x == y || (isnan(x) && isnan(y)) ? 0 : INFINITY;
}

/* ---- arrays ---- */

/* Two passes over the finite pairs: the means first, which avoids cancellation. */
static double correlation(elements got, elements wanted, double *out_deviation)
{
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, m = 0;
    for (int pass = 0; pass < 2; pass++) {
        double mx = m > 0 ? sx / m : 0, my = m > 0 ? sy / m : 0;
        for (size_t i = 0; i < got.n; i++) {
            double x = tool_element(got.type, got.data, i),
                   y = tool_element(wanted.type, wanted.data, i);
            if (!isfinite(x) || !isfinite(y))
                continue;
            if (pass == 0) {
                sx += x, sy += y, m += 1;
                continue;
            }
            x -= mx, y -= my;
            sxx += x * x, syy += y * y, sxy += x * y;
        }
    }
    *out_deviation = sqrt(syy / fmax(m, 1));
    return sxx > 0 && syy > 0 ? sxy / sqrt(sxx) / sqrt(syy) : NAN;
}

comparison tool_compare(elements got, elements wanted, bounds b)
{
    comparison c = {0};
    double squares = 0, farthest = -INFINITY;
    const bool floats = tool_is_float(got.type) || tool_is_float(wanted.type);
    for (size_t i = 0; i < got.n; i++) {
        double d = difference(got, wanted, i);
        double want = fabs(tool_element(wanted.type, wanted.data, i));
        double bound = floats && isfinite(want) ? b.absolute + b.relative * want : 0;
        double beyond = d - bound;
        c.outside += !(beyond <= 0);
        c.largest = fmax(c.largest, d);
        c.mean_absolute += d;
        squares += d * d;
        if (beyond > farthest) {
            farthest = beyond;
            c.worst = i;
            c.worst_bound = bound;
        }
    }
    double n = fmax((double)got.n, 1);
    c.mean_absolute /= n;
    c.root_mean_square = sqrt(squares / n);
    c.pcc = correlation(got, wanted, &c.expected_deviation);
    if (isinf(c.largest))
        c.pcc = 0;
    else if (c.largest == 0)
        c.pcc = 1;
    else if (isnan(c.pcc))
        c.pcc = c.outside ? 0 : 1;
    return c;
}

static void put_element(tw_strbuf *out, elements e, size_t i)
{
    if (e.type == TW_U64)
        tw_strbuf_printf(out, "%llu", (unsigned long long)((const uint64_t *)e.data)[i]);
    else if (tool_is_float(e.type))
        tw_strbuf_printf(out, "%.*g", e.type == TW_F64 ? 17 : 9,
                         tool_element(e.type, e.data, i));
    else
        tw_strbuf_printf(out, "%lld", (long long)integer(e.type, e.data, i));
}

void compare_put_worst(tw_strbuf *out, const comparison *c, const tw_tensor_desc *shape,
                       elements got, elements wanted)
{
    if (!(c->largest > 0))
        return;
    size_t inner = got.n, rest = c->worst;
    tw_strbuf_puts(out, "worst at [");
    for (int d = 0; d < shape->rank; d++) {
        inner /= (size_t)shape->dims[d];
        tw_strbuf_printf(out, "%s%zu", d ? ", " : "", rest / inner);
        rest %= inner;
    }
    tw_strbuf_puts(out, "]: got ");
    put_element(out, got, c->worst);
    tw_strbuf_puts(out, ", wanted ");
    put_element(out, wanted, c->worst);
    tw_strbuf_printf(out, ", difference %g", difference(got, wanted, c->worst));
}
