/* print_float.c: floating-point digits as MLIR prints them, that is by LLVM's
 * APFloat::toString.
 *
 * First six significant digits in scientific form; if reading those back gives a different
 * value, about as many digits as the format can distinguish, in "natural" form; if that
 * text has no point it would read as an integer, so the bits are printed instead.  The
 * digits are not the nearest ones: excess digits are first cut off, then a few more are
 * rounded half up, and the text shows it (0.84 in f32 prints 0.839999973). */
#include "ir/number.h"
#include "ir/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_bits(uint64_t bits, uint32_t width, tw_strbuf *out)
{
    tw_strbuf_printf(out, "0x%0*llX", (int)((width + 3) / 4), (unsigned long long)bits);
}

/* A natural number of up to 53 + 2.33 * 1074 bits, least significant word first. */
typedef struct big {
    uint32_t words[84];
    int used;
} big;

static void multiply(big *n, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < n->used; i++) {
        uint64_t v = (uint64_t)n->words[i] * factor + carry;
        n->words[i] = (uint32_t)v;
        carry = v >> 32;
    }
    if (carry)
        n->words[n->used++] = (uint32_t)carry;
}

static uint32_t divide(big *n, uint32_t by)
{
    uint64_t rest = 0;
    for (int i = n->used; i-- > 0;) {
        uint64_t v = rest << 32 | n->words[i];
        n->words[i] = (uint32_t)(v / by);
        rest = v % by;
    }
    while (n->used && n->words[n->used - 1] == 0)
        n->used--;
    return (uint32_t)rest;
}

static int count_bits(const big *n)
{
    return n->used ? n->used * 32 - __builtin_clz(n->words[n->used - 1]) : 0;
}

/* value = n * 10^result, exactly; value is positive and finite. */
static int exact(double value, big *n)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    int zeros = __builtin_ctzll(mantissa);
    mantissa >>= zeros;
    exponent += zeros - 53;
    *n = (big){.words = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)},
               .used = mantissa >> 32 ? 2 : 1};
    int left = abs(exponent); /* m * 2^-e = m * 5^e * 10^-e */
    for (; left >= 13; left -= 13)
        multiply(n, exponent < 0 ? 1220703125 : 8192); /* 5^13, 2^13 */
    for (; left > 0; left--)
        multiply(n, exponent < 0 ? 5 : 2);
    return exponent < 0 ? exponent : 0;
}

/* Decimal digits, most significant first, without trailing zeros: digits * 10^exponent. */
typedef struct decimal {
    char digits[800];
    int count, exponent;
} decimal;

/* Cuts off as many decimal digits as leaves enough bits for `precision` digits; 196/59
 * slightly overestimates log2(10). */
static void cut(big *n, int *exponent, int precision)
{
    int excess = count_bits(n) - (precision * 196 + 58) / 59;
    int digits = excess > 0 ? excess * 59 / 196 : 0;
    *exponent += digits;
    for (; digits >= 9; digits -= 9)
        divide(n, 1000000000);
    for (; digits > 0; digits--)
        divide(n, 10);
}

static void drop_trailing_zeros(decimal *d)
{
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
        d->exponent++;
    }
}

static void to_digits(big *n, decimal *d)
{
    char reversed[sizeof d->digits];
    int count = 0;
    while (n->used) {
        uint32_t nine = divide(n, 1000000000);
        for (int i = 0; i < 9 && (n->used || nine); i++, nine /= 10)
            reversed[count++] = (char)('0' + nine % 10);
    }
    d->count = count;
    for (int i = 0; i < count; i++)
        d->digits[i] = reversed[count - 1 - i];
    drop_trailing_zeros(d);
}

/* Rounds half up to at most `keep` digits. */
static void round_digits(decimal *d, int keep)
{
    if (d->count <= keep)
        return;
    bool up = d->digits[keep] >= '5';
    d->exponent += d->count - keep;
    d->count = keep;
    for (int i = keep; up && i-- > 0;) {
        up = d->digits[i] == '9';
        d->digits[i] = up ? '0' : (char)(d->digits[i] + 1);
    }
    if (up) { /* 999 -> 1000 */
        d->digits[0] = '1';
        d->exponent++;
    }
    drop_trailing_zeros(d);
}

static void decimal_of(double value, int precision, decimal *out)
{
    big n;
    out->exponent = exact(value, &n);
    cut(&n, &out->exponent, precision);
    to_digits(&n, out);
    round_digits(out, precision);
}

/* 1.234500e+01: padded to six digits after the point, two of exponent. */
static void put_padded(const decimal *d, tw_strbuf *out)
{
    enum { BEHIND = 6 };
    int exponent = d->exponent + d->count - 1;
    tw_strbuf_putc(out, d->digits[0]);
    tw_strbuf_putc(out, '.');
    tw_strbuf_append(out, d->digits + 1, (size_t)d->count - 1);
    for (int i = d->count - 1; i < BEHIND; i++)
        tw_strbuf_putc(out, '0');
    tw_strbuf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void put_natural(const decimal *d, int precision, tw_strbuf *out)
{
    enum { MAX_ZEROS = 3 };
    int n = d->count, x = d->exponent, top = x + n - 1; /* power of the first digit */
    bool scientific = x >= 0 ? x > MAX_ZEROS || n + x > precision : top < -MAX_ZEROS;
    if (scientific) {
        tw_strbuf_putc(out, d->digits[0]);
        tw_strbuf_putc(out, '.');
        if (n == 1)
            tw_strbuf_putc(out, '0');
        else
            tw_strbuf_append(out, d->digits + 1, (size_t)n - 1);
        tw_strbuf_printf(out, "E%c%d", top < 0 ? '-' : '+', abs(top));
    } else if (x >= 0) {
        tw_strbuf_append(out, d->digits, (size_t)n);
        for (int i = 0; i < x; i++)
            tw_strbuf_putc(out, '0');
    } else if (top >= 0) {
        tw_strbuf_append(out, d->digits, (size_t)top + 1);
        tw_strbuf_putc(out, '.');
        tw_strbuf_append(out, d->digits + top + 1, (size_t)(n - top - 1));
    } else {
        tw_strbuf_puts(out, "0.");
        for (int i = 0; i < -top - 1; i++)
            tw_strbuf_putc(out, '0');
        tw_strbuf_append(out, d->digits, (size_t)n);
    }
}

void ir_print_float(double value, uint64_t bits, ir_type type, tw_strbuf *out)
{
    enum { FEW_DIGITS = 6 };
    ir_float_kind kind = (ir_float_kind)type->sign;
    size_t before = out->size;
    decimal d;
    if (isnan(value) || isinf(value)) {
        put_bits(bits, type->width, out);
        return;
    }
    if (signbit(value))
        tw_strbuf_putc(out, '-');
    if (value == 0) {
        tw_strbuf_puts(out, "0.000000e+00");
        return;
    }
    size_t digits = out->size;
    decimal_of(fabs(value), FEW_DIGITS, &d);
    put_padded(&d, out);
    if (ir_float_encode(kind, strtod(out->data + before, NULL)) == bits)
        return;
    out->size = digits;
    int precision = 2 + ir_float_precision(kind) * 59 / 196;
    decimal_of(fabs(value), precision, &d);
    put_natural(&d, precision, out);
    if (!memchr(out->data + digits, '.', out->size - digits)) {
        out->size = before;
        put_bits(bits, type->width, out);
    }
}
