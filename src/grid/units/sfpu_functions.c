/* sfpu_functions.c: the formulas of elementwise.def as code.
 *
 * Floats are computed in f32 (the strip functions' accuracy stands in host/strips/strip.h)
 * and stored by the caller as the unit stores. */
#include "grid/units/sfpu_functions.h"

#include "ttkernel/ttkernel.h"

#include <math.h>

#define FLOAT(op, expression)                                                              \
    static inline float of_##op(float x, float y)                                          \
    {                                                                                      \
        (void)y;                                                                           \
        return (float)(expression);                                                        \
    }                                                                                      \
    static void tile_##op(const float *a, const float *b, float *out)                      \
    {                                                                                      \
        for (int k = 0; k < DEV_TILE_ELEMENTS; k++)                                        \
            out[k] = of_##op(a[k], b[k]);                                                  \
    }                                                                                      \
    const sfpu_function sfpu_##op = {                                                      \
        .f = tile_##op, .one_float = of_##op, .cost = &vector_cost_##op};
#define INT(op, expression)                                                                \
    static inline int32_t of_##op(int32_t x, int32_t y)                                    \
    {                                                                                      \
        (void)y;                                                                           \
        return (int32_t)(expression);                                                      \
    }                                                                                      \
    static void tile_##op(const int32_t *a, const int32_t *b, int32_t *out)                \
    {                                                                                      \
        for (int k = 0; k < DEV_TILE_ELEMENTS; k++)                                        \
            out[k] = of_##op(a[k], b[k]);                                                  \
    }                                                                                      \
    const sfpu_function sfpu_##op = {                                                      \
        .i = tile_##op, .one_integer = of_##op, .cost = &vector_cost_##op};
#define STRIP(op, id)                                                                      \
    const sfpu_function sfpu_##op = {.strip = KRN_STRIP_##id + 1,                          \
                                     .cost = &vector_cost_##op};

#define TILE(sort, shape, op, init, header, instructions, kind, formula) kind(op, formula)
#include "ttkernel/elementwise.def"
STRIP(exp_tile, exp)
FLOAT(logical_not_tile, x == 0)

const sfpu_function *sfpu_function_of(const ir_op_def *def)
{
    static const sfpu_function *const functions[TTKERNEL_OP_COUNT] = {
#define TILE(sort, shape, op, ...) [TTKERNEL_##op] = &sfpu_##op,
#include "ttkernel/elementwise.def"
        [TTKERNEL_exp_tile] = &sfpu_exp_tile,
        [TTKERNEL_logical_not_tile] = &sfpu_logical_not_tile,
    };
    return functions[def - ttkernel_ops];
}

void sfpu_apply(const sfpu_function *fn, const dev_tile *a, const dev_tile *b,
                dev_tile *out)
{
    if (fn->i) {
        fn->i(a->i, b->i, out->i);
    } else if (fn->f) {
        fn->f(a->f, b->f, out->f);
    } else {
        krn_strip_function *strip = krn_strips()->fn[fn->strip - 1];
        for (size_t at = 0; at < DEV_TILE_ELEMENTS; at += KRN_STRIP)
            strip((const float *[]){a->f + at, b->f + at}, out->f + at, KRN_STRIP, NULL);
    }
}

static int32_t integer_of(double x)
{
    return fabs(x) < 0x1p31 ? (int32_t)x : 0;
}

double sfpu_value(const sfpu_function *fn, double x, double y)
{
    const float a = (float)x, b = (float)y;
    if (fn->one_integer)
        return fn->one_integer(integer_of(x), integer_of(y));
    if (fn->one_float)
        return fn->one_float(a, b);
    float out;
    krn_strips()->fn[fn->strip - 1]((const float *[]){&a, &b}, &out, 1, NULL);
    return out;
}
