/* print_float.c: floating-point digits as MLIR prints them (LLVM's APFloat rules).
 *
 * First six significant digits; if reading those back gives another number, about as many
 * digits as the format can tell apart, in "natural" form; if that text has no point it
 * would read as an integer, so the bits are printed instead. */
#include "ir/number.h"
#include "ir/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_bits(uint64_t bits, uint32_t width, tw_strbuf *out)
{
    tw_strbuf_printf(out, "0x%0*llX", (int)((width + 3) / 4), (unsigned long long)bits);
}

/* A decimal number of up to 1200 digits, most significant first. */
typedef struct decimal {
    char digits[1200];
    int count;
} decimal;

/* value = N * 10^exponent with N an integer, exactly. */
static void exact_decimal(double value, decimal *n, int *exponent, int *bits_of_n)
{
    int binary_exponent;
    double fraction = frexp(value, &binary_exponent);
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    binary_exponent -= 53;
    while (mantissa && !(mantissa & 1)) {
        mantissa >>= 1;
        binary_exponent++;
    }
    /* mantissa * 2^e: for e < 0 multiply by 5^-e and divide by 10^-e */
    uint32_t words[80] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
    int used = 2, times = abs(binary_exponent);
    uint32_t factor = binary_exponent < 0 ? 5 : 2;
    for (int i = 0; i < times; i++) {
        uint64_t carry = 0;
        for (int w = 0; w < used; w++) {
            uint64_t v = (uint64_t)words[w] * factor + carry;
            words[w] = (uint32_t)v;
            carry = v >> 32;
        }
        if (carry && used < (int)TW_COUNT(words))
            words[used++] = (uint32_t)carry;
    }
    while (used > 1 && words[used - 1] == 0)
        used--;
    *bits_of_n = used * 32 - (words[used - 1] ? __builtin_clz(words[used - 1]) : 32);
    *exponent = binary_exponent < 0 ? binary_exponent : 0;
    n->count = 0;
    char reversed[1200];
    bool nonzero = true;
    while (nonzero && n->count < (int)sizeof reversed) {
        uint64_t rest = 0;
        nonzero = false;
        for (int w = used; w-- > 0;) {
            uint64_t v = rest << 32 | words[w];
            words[w] = (uint32_t)(v / 10);
            rest = v % 10;
            nonzero |= words[w] != 0;
        }
        reversed[n->count++] = (char)('0' + rest);
    }
    for (int i = 0; i < n->count; i++)
        n->digits[i] = reversed[n->count - 1 - i];
}

static void drop_trailing_zeros(decimal *d, int *exponent)
{
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
        ++*exponent;
    }
}

/* Rounds half up to at most `keep` digits. */
static void round_digits(decimal *d, int keep, int *exponent)
{
    if (d->count <= keep)
        return;
    bool up = d->digits[keep] >= '5';
    *exponent += d->count - keep;
    d->count = keep;
    for (int i = keep; up && i-- > 0;) {
        up = d->digits[i] == '9';
        d->digits[i] = up ? '0' : (char)(d->digits[i] + 1);
    }
    if (up) { /* 999 -> 1000 */
        d->digits[0] = '1';
        ++*exponent;
    }
}

static void put_natural(double value, int precision, bool negative, tw_strbuf *out)
{
    decimal d;
    int x, bits;
    int keep = 2 + precision * 59 / 196, limit = (196 * keep + 58) / 59;
    exact_decimal(value, &d, &x, &bits);
    if (bits > limit) { /* drop digits by truncation first, as APFloat does */
        int dropped = TW_MIN((bits - limit) * 59 / 196, d.count - 1);
        d.count -= dropped;
        x += dropped;
    }
    round_digits(&d, keep, &x);
    drop_trailing_zeros(&d, &x);
    if (negative)
        tw_strbuf_putc(out, '-');
    int n = d.count, m = x + n - 1;
    bool scientific = x >= 0 ? x > 3 || n + x > keep : m < 0 && -m > 3;
    if (scientific) {
        tw_strbuf_putc(out, d.digits[0]);
        tw_strbuf_putc(out, '.');
        if (n == 1)
            tw_strbuf_putc(out, '0');
        else
            tw_strbuf_append(out, d.digits + 1, (size_t)n - 1);
        tw_strbuf_printf(out, "E%c%d", m < 0 ? '-' : '+', abs(m));
    } else if (x >= 0) {
        tw_strbuf_append(out, d.digits, (size_t)n);
        for (int i = 0; i < x; i++)
            tw_strbuf_putc(out, '0');
    } else if (m >= 0) {
        tw_strbuf_append(out, d.digits, (size_t)m + 1);
        tw_strbuf_putc(out, '.');
        tw_strbuf_append(out, d.digits + m + 1, (size_t)(n - m - 1));
    } else {
        tw_strbuf_puts(out, "0.");
        for (int i = 0; i < -m - 1; i++)
            tw_strbuf_putc(out, '0');
        tw_strbuf_append(out, d.digits, (size_t)n);
    }
}

void ir_print_float(double value, uint64_t bits, ir_type type, tw_strbuf *out)
{
    ir_float_kind kind = (ir_float_kind)type->sign;
    if (isnan(value) || isinf(value)) {
        put_bits(bits, type->width, out);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%.5e", value);
    /* one digit before and six after the point, always */
    char *e = strchr(text, 'e');
    double again = strtod(text, NULL);
    if (ir_float_encode(kind, again) == bits) {
        tw_strbuf_append(out, text, (size_t)(e - text));
        tw_strbuf_putc(out, '0');
        tw_strbuf_puts(out, e);
        return;
    }
    size_t before = out->size;
    put_natural(fabs(value), ir_float_precision(kind), signbit(value), out);
    if (!memchr(out->data + before, '.', out->size - before)) {
        out->size = before;
        put_bits(bits, type->width, out);
    }
}
