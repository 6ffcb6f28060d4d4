/* grid/units/sfpu_functions.h: what the vector unit computes, tile by tile. */
#ifndef TILEWRIGHT_GRID_UNITS_SFPU_FUNCTIONS_H
#define TILEWRIGHT_GRID_UNITS_SFPU_FUNCTIONS_H

#include "grid/machine/format.h"
#include "grid/machine/machine.h"
#include "host/strips/strip.h"
#include "ir/dialect.h"
#include "support/bf16_f16.h"
#include "ttkernel/vector_costs.h"

/* A function of one or two tiles (or of a tile and a number, broadcast over a tile).  One
 * of three forms: a strip function, or a loop over floats or integers; `out` may be `a`. */
typedef struct sfpu_function {
    int strip; /* krn_strip_id + 1; 0: none */
    void (*f)(const float *a, const float *b, float *out);
    void (*i)(const int32_t *a, const int32_t *b, int32_t *out);
    float (*one_float)(float x, float y); /* the same of one element */
    int32_t (*one_integer)(int32_t x, int32_t y);
    const vector_cost *cost;
} sfpu_function;

/* Returns the cycles of a tile in a sequence of this many instructions per row. */
static inline double sfpu_cycles(const dev_thread *t, double instructions)
{
    return dev_vector_cycles(&t->machine->chip->cost, instructions);
}

/* The same of a function in the thread's DST and in an accuracy mode. */
static inline double sfpu_cycles_of(const dev_thread *t, const vector_cost *c, bool approx)
{
    return sfpu_cycles(t,
                       c->row[t->machine->chip->generation][approx][t->compute->dst.wide]);
}

void sfpu_apply(const sfpu_function *fn, const dev_tile *a, const dev_tile *b,
                dev_tile *out);

/* Where the unit orders numbers (SFPSWAP), it takes their bits as sign and magnitude: -0
 * comes before +0, and NaN lies beyond the infinity of its sign (tt-isa-documentation,
 * WormholeB0/TensixTile/TensixCoprocessor/SFPSWAP.md). */
static inline int32_t sfpu_rank(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline bool sfpu_is_nan(float x)
{
    return (tw_f32_bits(x) & 0x7FFFFFFF) > 0x7F800000;
}

/* The larger and the smaller of two numbers in that order, NaN where one is.  A swap alone
 * would lose some NaN; tt-metal's binary_max_tile, binary_min_tile, unary_max_tile and
 * unary_min_tile test for it since 2026 (ckernel_sfpu_binary_max_min.h,
 * ckernel_sfpu_unary_max_min.h; before, and in clamp_tile and hardtanh_tile, a NaN became
 * the other number or a bound, by its sign: tt-metal's issue 51470).  relu_max_tile and
 * relu_min_tile compare by subtracting, where a NaN's sign, and so the answer, is open
 * (SFPMAD.md): NaN here, too, as torch says of all of them. */
static inline float sfpu_larger(float x, float y)
{
    bool first = sfpu_rank((int32_t)tw_f32_bits(x)) >= sfpu_rank((int32_t)tw_f32_bits(y));
    return sfpu_is_nan(x) ? x : sfpu_is_nan(y) ? y : first ? x : y;
}

static inline float sfpu_smaller(float x, float y)
{
    bool first = sfpu_rank((int32_t)tw_f32_bits(x)) <= sfpu_rank((int32_t)tw_f32_bits(y));
    return sfpu_is_nan(x) ? x : sfpu_is_nan(y) ? y : first ? x : y;
}

/* The function of each row of elementwise.def, sfpu_abs_tile and so on, and those of
 * operations that are written out. */
#define TILE(sort, shape, op, ...) extern const sfpu_function sfpu_##op;
#include "ttkernel/elementwise.def"
extern const sfpu_function sfpu_exp_tile, sfpu_logical_not_tile;

/* That of an operation of TTKernel; NULL if it has none. */
const sfpu_function *sfpu_function_of(const ir_op_def *def);
/* What a function makes of one or two values; of integers for one of integers. */
double sfpu_value(const sfpu_function *fn, double x, double y);

#endif
