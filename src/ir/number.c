/* number.c: float formats of attributes.
 *
 * Sources: IEEE 754; OCP 8-bit floating point (E5M2, E4M3FN) and Microscaling formats
 * (E2M1, E2M3, E3M2, E8M0); the FNUZ and B11 variants as LLVM's APFloat defines them. */
#include "ir/number.h"

#include <math.h>

typedef enum special {
    IEEE,     /* infinities and NaNs at the largest exponent */
    NAN_ONLY, /* all ones is NaN, no infinity (FN) */
    NEG_ZERO, /* the negative zero pattern is NaN, no infinity, no -0 (FNUZ) */
    FINITE,   /* every pattern is a finite value */
} special;

/* "ORDER FLOAT" */
static const struct format {
    uint8_t bits, mantissa; /* stored mantissa bits */
    int16_t bias;
    uint8_t special;
} formats[IR_FLOAT_COUNT] = {
    [IR_F4E2M1FN] = {4, 1, 1, FINITE},
    [IR_F6E2M3FN] = {6, 3, 1, FINITE},
    [IR_F6E3M2FN] = {6, 2, 3, FINITE},
    [IR_F8E5M2] = {8, 2, 15, IEEE},
    [IR_F8E4M3] = {8, 3, 7, IEEE},
    [IR_F8E4M3FN] = {8, 3, 7, NAN_ONLY},
    [IR_F8E5M2FNUZ] = {8, 2, 16, NEG_ZERO},
    [IR_F8E4M3FNUZ] = {8, 3, 8, NEG_ZERO},
    [IR_F8E4M3B11FNUZ] = {8, 3, 11, NEG_ZERO},
    [IR_F8E3M4] = {8, 4, 3, IEEE},
    [IR_F8E8M0FNU] = {8, 0, 127, NAN_ONLY},
    [IR_BF16] = {16, 7, 127, IEEE},
    [IR_F16] = {16, 10, 15, IEEE},
    [IR_TF32] = {19, 10, 127, IEEE},
    [IR_F32] = {32, 23, 127, IEEE},
    [IR_F64] = {64, 52, 1023, IEEE},
    [IR_F80] = {64, 52, 1023, IEEE},
    [IR_F128] = {64, 52, 1023, IEEE},
};

int ir_float_precision(ir_float_kind kind)
{
    if (kind == IR_F80)
        return 64;
    return kind == IR_F128 ? 113 : formats[kind].mantissa + 1;
}

static uint64_t encode_e8m0(double value)
{
    if (!(value > 0) || isinf(value)) /* unsigned, no zero: everything else is NaN */
        return 0xFF;
    int exponent;
    double fraction =
        frexp(value, &exponent); /* value = fraction * 2^exponent, in [0.5, 1) */
    /* Rounds to the nearest power of two.  A tie goes up: the significand below is 1, which
     * is odd. */
    int code = exponent - 1 + 127;
    if (fraction >= 0.75)
        code++;
    return (uint64_t)TW_MIN(TW_MAX(code, 0), 0xFF); /* beyond the largest: NaN */
}

void ir_float_range(ir_float_kind kind, double *out_min, double *out_max)
{
    const struct format *f = &formats[kind];
    int exponent_bits = f->bits - 1 - f->mantissa;
    uint64_t top = (((uint64_t)1 << exponent_bits) - 1) << f->mantissa;
    uint64_t ones = ((uint64_t)1 << f->mantissa) - 1;
    if (kind == IR_F8E8M0FNU) { /* no sign, no zero */
        *out_min = ir_float_decode(kind, 0);
        *out_max = ir_float_decode(kind, 0xFE);
        return;
    }
    *out_min = ir_float_decode(kind, 1);
    *out_max = ir_float_decode(kind, f->special == IEEE       ? top - 1
                                     : f->special == NAN_ONLY ? (top | ones) - 1
                                                              : top | ones);
}

uint64_t ir_float_encode(ir_float_kind kind, double value)
{
    const struct format *f = &formats[kind];
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    if (f->bits == 64)
        return raw;
    if (kind == IR_F8E8M0FNU)
        return encode_e8m0(value);

    int exponent_bits = f->bits - 1 - f->mantissa;
    uint64_t sign = (raw >> 63) << (f->bits - 1);
    uint64_t top = ((uint64_t)1 << exponent_bits) - 1; /* all-ones exponent */
    uint64_t ones = ((uint64_t)1 << f->mantissa) - 1;
    uint64_t nan = f->special == IEEE
                       ? top << f->mantissa | ((uint64_t)1 << (f->mantissa - 1))
                   : f->special == NEG_ZERO ? (uint64_t)1 << (f->bits - 1)
                                            : top << f->mantissa | ones;
    if (isnan(value)) {
        if (f->special == IEEE) { /* keep the payload's top bits */
            uint64_t payload = (raw & (((uint64_t)1 << 52) - 1)) >> (52 - f->mantissa);
            return sign | top << f->mantissa | (payload ? payload : nan & ones);
        }
        return f->special == NEG_ZERO ? nan : f->special == FINITE ? 0 : sign | nan;
    }
    uint64_t largest = f->special == IEEE       ? (top << f->mantissa) - 1
                       : f->special == NAN_ONLY ? (top << f->mantissa | ones) - 1
                                                : top << f->mantissa | ones;
    uint64_t infinity = f->special == IEEE       ? sign | top << f->mantissa
                        : f->special == FINITE   ? sign | largest
                        : f->special == NEG_ZERO ? nan
                                                 : sign | nan;
    if (isinf(value))
        return infinity;

    double magnitude = fabs(value);
    int exponent;
    frexp(magnitude, &exponent);
    int lowest = 1 - f->bias; /* exponent of the smallest normal */
    int e = magnitude == 0 ? lowest : TW_MAX(exponent - 1, lowest);
    /* Units of the last place; nearbyint rounds to nearest even by default. */
    double units = nearbyint(ldexp(magnitude, f->mantissa - e));
    uint64_t code = (uint64_t)units;
    if (code >> f->mantissa) /* normal: the implicit bit adds one to the exponent field */
        code += (uint64_t)(e - lowest) << f->mantissa;
    if (code > largest)
        return infinity;
    if (code == 0 && f->special == NEG_ZERO)
        return 0;
    return sign | code;
}

double ir_float_decode(ir_float_kind kind, uint64_t bits)
{
    const struct format *f = &formats[kind];
    if (f->bits == 64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (kind == IR_F8E8M0FNU)
        return bits == 0xFF ? NAN : ldexp(1.0, (int)bits - 127);
    uint64_t sign = bits >> (f->bits - 1) & 1;
    uint64_t magnitude = bits & (((uint64_t)1 << (f->bits - 1)) - 1);
    uint64_t top = ((uint64_t)1 << (f->bits - 1 - f->mantissa)) - 1;
    uint64_t ones = ((uint64_t)1 << f->mantissa) - 1;
    uint64_t exponent = magnitude >> f->mantissa, mantissa = magnitude & ones;
    bool nan = f->special == IEEE       ? exponent == top && mantissa
               : f->special == NAN_ONLY ? exponent == top && mantissa == ones
               : f->special == NEG_ZERO ? sign && magnitude == 0
                                        : false;
    double value;
    if (nan)
        value = NAN;
    else if (f->special == IEEE && exponent == top)
        value = INFINITY;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - f->bias - f->mantissa);
    else
        value =
            ldexp((double)(mantissa | (ones + 1)), (int)exponent - f->bias - f->mantissa);
    return sign ? -value : value;
}
