/* matrix_unit.c: see matrix_unit.h.
 *
 * A multiplier takes 5 significant bits of SrcA and 7 of SrcB per phase: phases 0 and 1 use
 * the upper and the lower bits of SrcA, phases 2 and 3 the same with the lower bits of
 * SrcB; the last of SrcA's ten mantissa bits is never used (tt-isa-documentation,
 * SrcASrcB.md). Alignment, addition and rounding of products follow ttsim's model of the
 * unit (tensix.cpp). */
#include "grid/units/matrix_unit.h"

#include "host/tiles/tile.h"
#include "support/bf16_f16.h"

enum { N = DEV_TILE_ELEMENTS, FACE = 16, FACE_SIZE = 256 };

/* ---- fidelity ---------------------------------------------------------------------- */

/* Truncates to `bits` mantissa bits. */
static void keep(dev_tile *tile, int bits)
{
    const uint32_t mask = ~((1u << (23 - bits)) - 1);
    for (int i = 0; i < N; i++)
        tile->i[i] = (int32_t)((uint32_t)tile->i[i] & mask);
}

void dev_matrix_cut(const dev_matrix_unit *u, bool source_a, dev_tile *tile)
{
    if (u->level == DEV_VALUE)
        return;
    if (source_a)
        keep(tile, u->phases >= 2 ? 9 : 4);
    else
        keep(tile, u->phases >= 3 ? 10 : 6);
}

/* Three phases omit the product of both lower parts. */
static void split_lower_parts(const dev_tile *a, const dev_tile *b, dev_tile *lower_a,
                              dev_tile *lower_b)
{
    dev_tile upper = *b;
    keep(&upper, 4);
    krn_tiles()->subtract(b->f, upper.f, lower_b->f);
    upper = *a;
    keep(&upper, 6);
    krn_tiles()->subtract(a->f, upper.f, lower_a->f);
}

static void cut_product(const dev_matrix_unit *u, const dev_tile *a, const dev_tile *b,
                        dev_tile *out, dev_tile scratch[3])
{
    const krn_tile_set *k = krn_tiles();
    scratch[1] = *a;
    scratch[2] = *b;
    dev_matrix_cut(u, false, &scratch[1]);
    dev_matrix_cut(u, true, &scratch[2]);
    k->product(scratch[1].f, scratch[2].f, out->f);
    if (u->phases != 3)
        return;
    dev_tile lower_a, lower_b, both;
    split_lower_parts(&scratch[1], &scratch[2], &lower_a, &lower_b);
    k->product(lower_a.f, lower_b.f, both.f);
    k->subtract(out->f, both.f, out->f);
}

/* ---- bits -------------------------------------------------------------------------- */

/* A value on its way to DST: magnitude * 2^(exponent - ...), the implied one at bit 23
 * (sums may reach higher). */
typedef struct term {
    bool negative;
    int32_t exponent;
    uint32_t magnitude;
} term;

/* Shifts right, ties up; for negative terms ties go the other way. */
static uint32_t aligned(const term *t, int32_t to, bool negative)
{
    int32_t by = to - t->exponent;
    if (by <= 0)
        return t->magnitude;
    return by < 31 ? (t->magnitude + (1u << (by - 1)) - negative) >> by : 0;
}

/* Rounds to the precision of a 16-bit DST, before the addition. */
static uint32_t coarse(uint32_t magnitude, bool negative)
{
    return (magnitude + (1u << 12) - negative) & ~0x1FFFu;
}

static float accumulate(const dev_matrix_unit *u, const term sums[2], float dst)
{
    const bool wide = u->dst == DEV_DST_F32;
    uint32_t bits = tw_f32_bits(dst);
    term old = {bits >> 31, (int32_t)(bits >> 23 & 255), (bits & 0x7FFFFF) | 0x800000};
    if (!old.exponent)
        old.magnitude = 0;
    int32_t e = TW_MAX(TW_MAX(sums[0].exponent, sums[1].exponent), old.exponent);
    if (e <= 0)
        return 0;
    uint32_t m = aligned(&old, e, false);
    int64_t total = wide ? m : coarse(m, false);
    for (int i = 0; i < 2; i++) {
        m = aligned(&sums[i], e, sums[i].negative);
        m = wide ? m : coarse(m, sums[i].negative);
        total += sums[i].negative == old.negative ? (int64_t)m : -(int64_t)m;
    }
    bool negative = old.negative ^ (total < 0);
    uint32_t man = (uint32_t)(total < 0 ? -total : total);
    if (!man)
        return 0;
    int shift = __builtin_clz(man) - 8; /* up to 24 bits */
    if (u->wormhole && negative && man == 1)
        shift -= 27; /* Wormhole shifts one bit too far for a sum of -1 */
    e -= shift;
    const int drop = wide ? 0 : 16;
    shift -= drop;
    man = shift < 0 ? (man + (1u << (-shift - 1))) >> -shift : man << shift;
    man <<= drop;
    e += man >> 24 & 1;
    if (e <= 0)
        return 0;
    return tw_f32_of_bits((uint32_t)negative << 31 |
                          (e >= 255 ? 255u << 23 : (uint32_t)e << 23 | (man & 0x7FFFFF)));
}

/* A source register's value: its parts in one phase. */
typedef struct factor {
    bool negative, zero;
    int32_t exponent, magnitude;
} factor;

static factor factor_of(float x, bool source_a, int phase)
{
    uint32_t bits = tw_f32_bits(x);
    int32_t man = (int32_t)(bits >> 13 & 0x3FF) | 0x400;
    int32_t part = source_a ? (phase & 1 ? man >> 1 & 31 : man >> 6)
                            : (phase & 2 ? (man & 15) << 3 : man >> 4);
    return (factor){bits >> 31, !(bits & 0x7F800000), (int32_t)(bits >> 23 & 255), part};
}

/* The products' exponent bias, less the weight of the phase's lower parts. */
static int32_t bias_of(int phase)
{
    return -127 - (phase & 1 ? 5 : 0) - (phase & 2 ? 7 : 0);
}

/* Sum of eight products, aligned to the largest. */
static term group_sum(const factor *a, const factor *b, int32_t bias)
{
    int32_t exponents[8], products[8], most = INT32_MIN, sum = 0;
    for (int i = 0; i < 8; i++) {
        bool zero = a[i].zero || b[i].zero;
        exponents[i] = zero ? TW_MAX(bias, 0) : a[i].exponent + b[i].exponent + bias;
        products[i] = zero ? 0 : a[i].magnitude * b[i].magnitude;
        most = TW_MAX(most, exponents[i]);
    }
    if (most <= 0)
        return (term){0};
    for (int i = 0; i < 8; i++) {
        int32_t by = TW_MIN(most - exponents[i], 30);
        int32_t m = (int32_t)(((int64_t)products[i] * 2 + (INT64_C(1) << by)) >> (by + 1));
        sum += a[i].negative != b[i].negative ? -m : m;
    }
    return (term){sum < 0, most, (uint32_t)(sum < 0 ? -sum : sum) << 13};
}

/* One instruction: a result face += 16 steps of k, in one phase. */
static void multiply_faces(const dev_matrix_unit *u, const float *a, const float *b,
                           int phase, float *dst)
{
    factor rows[FACE][FACE], columns[FACE][FACE];
    for (int i = 0; i < FACE; i++)
        for (int k = 0; k < FACE; k++) {
            rows[i][k] = factor_of(a[i * FACE + k], false, phase);
            columns[i][k] = factor_of(b[k * FACE + i], true, phase);
        }
    for (int r = 0; r < FACE; r++)
        for (int c = 0; c < FACE; c++) {
            const term sums[2] = {group_sum(columns[c], rows[r], bias_of(phase)),
                                  group_sum(columns[c] + 8, rows[r] + 8, bias_of(phase))};
            dst[r * FACE + c] = accumulate(u, sums, dst[r * FACE + c]);
        }
}

static void bit_product(const dev_matrix_unit *u, const dev_tile *a, const dev_tile *b,
                        dev_tile *dst)
{
    for (int phase = 0; phase < u->phases; phase++)
        for (int half = 0; half < 2; half++)
            for (int face = 0; face < 4; face++)
                multiply_faces(u, a->f + ((face & 2) + half) * FACE_SIZE,
                               b->f + (half * 2 + (face & 1)) * FACE_SIZE, phase,
                               dst->f + face * FACE_SIZE);
}

static float bit_multiply(const dev_matrix_unit *u, float a, float b)
{
    float dst = 0;
    for (int phase = 0; phase < u->phases; phase++) {
        factor x = factor_of(a, true, phase), y = factor_of(b, false, phase);
        int32_t e = x.exponent + y.exponent + bias_of(phase);
        term sums[2] = {{0}};
        if (x.zero || y.zero || e <= 0)
            sums[0].exponent = TW_MAX(bias_of(phase), 0);
        else
            sums[0] = (term){x.negative != y.negative, e,
                             (uint32_t)(x.magnitude * y.magnitude) << 13};
        dst = accumulate(u, sums, dst);
    }
    return dst;
}

/* The smaller operand is first rounded to the larger one's 11-bit precision. */
static float bit_add(const dev_matrix_unit *u, float a, float b)
{
    uint32_t x = tw_f32_bits(a) >> 13, y = tw_f32_bits(b) >> 13;
    if ((x & 0x3FFFF) < (y & 0x3FFFF)) {
        uint32_t swap = x;
        x = y;
        y = swap;
    }
    uint32_t mx = x ? (x & 0x3FF) | 0x400 : 0, my = y ? (y & 0x3FF) | 0x400 : 0;
    int32_t ex = (int32_t)(x >> 10 & 255), by = ex - (int32_t)(y >> 10 & 255);
    if (by > 0)
        my = by < 12 ? (my + (1u << (by - 1))) >> by : 0;
    uint32_t sum = x >> 18 == y >> 18 ? mx + my : mx - my;
    const term sums[2] = {{x >> 18, ex, sum << 13}, {0}};
    return accumulate(u, sums, 0);
}

/* ---- the operations ---------------------------------------------------------------- */

/* The bit level supports exponents of 8 bits; f16 in DST is computed by value. */
static bool by_bits(const dev_matrix_unit *u)
{
    return u->level == DEV_BIT && u->dst != DEV_DST_F16;
}

void dev_matrix_eltwise(const dev_matrix_unit *u, dev_eltwise kind, const dev_tile *a,
                        const dev_tile *b, dev_tile *out)
{
    const krn_tile_set *k = krn_tiles();
    if (by_bits(u)) {
        for (int i = 0; i < N; i++)
            out->f[i] = kind == DEV_MULTIPLY
                            ? bit_multiply(u, a->f[i], b->f[i])
                            : bit_add(u, a->f[i], kind == DEV_ADD ? b->f[i] : -b->f[i]);
        return;
    }
    if (kind == DEV_MULTIPLY && u->level != DEV_VALUE) {
        dev_tile x = *a, y = *b, lower_x, lower_y;
        dev_matrix_cut(u, true, &x);
        dev_matrix_cut(u, false, &y);
        k->multiply(x.f, y.f, out->f);
        if (u->phases == 3) {
            split_lower_parts(&y, &x, &lower_y, &lower_x);
            k->multiply(lower_x.f, lower_y.f, lower_x.f);
            k->subtract(out->f, lower_x.f, out->f);
        }
    } else {
        (kind == DEV_ADD        ? k->add
         : kind == DEV_SUBTRACT ? k->subtract
                                : k->multiply)(a->f, b->f, out->f);
    }
    dev_round_to_dst(out, u->dst);
}

void dev_matrix_product(const dev_matrix_unit *u, const dev_tile *a, const dev_tile *b,
                        bool accumulate_dst, dev_tile *dst, dev_tile scratch[3])
{
    const krn_tile_set *k = krn_tiles();
    if (by_bits(u)) {
        if (!accumulate_dst)
            memset(dst, 0, sizeof *dst);
        bit_product(u, a, b, dst);
        return;
    }
    dev_tile *sum = accumulate_dst ? &scratch[0] : dst;
    if (u->level == DEV_VALUE)
        k->product(a->f, b->f, sum->f);
    else
        cut_product(u, a, b, sum, scratch);
    if (accumulate_dst)
        k->add(dst->f, sum->f, dst->f);
    dev_round_to_dst(dst, u->dst);
}
