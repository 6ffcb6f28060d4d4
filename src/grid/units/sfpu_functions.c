/* sfpu_functions.c: the table of the vector unit's functions as code.
 *
 * Floats are computed in f32 (the strip functions' accuracy stands in host/strips/strip.h)
 * and stored by the caller as the unit stores. */
#include "grid/units/sfpu_functions.h"

#include <math.h>

#define FLOAT(name, expression, n)                                                         \
    static void f_##name(const float *a, const float *b, float *out)                       \
    {                                                                                      \
        for (int k = 0; k < DEV_TILE_ELEMENTS; k++) {                                      \
            const float x = a[k], y = b[k];                                                \
            (void)y;                                                                       \
            out[k] = (float)(expression);                                                  \
        }                                                                                  \
    }                                                                                      \
    const sfpu_function sfpu_##name = {.f = f_##name, .instructions = n};
#define INT(name, expression, n)                                                           \
    static void i_##name(const int32_t *a, const int32_t *b, int32_t *out)                 \
    {                                                                                      \
        for (int k = 0; k < DEV_TILE_ELEMENTS; k++) {                                      \
            const int32_t x = a[k], y = b[k];                                              \
            (void)y;                                                                       \
            out[k] = (int32_t)(expression);                                                \
        }                                                                                  \
    }                                                                                      \
    const sfpu_function sfpu_##name = {.i = i_##name, .instructions = n};
#define STRIP(name, id, n)                                                                 \
    const sfpu_function sfpu_##name = {.strip = KRN_STRIP_##id + 1, .instructions = n};
SFPU_FUNCTIONS(STRIP, FLOAT, INT)

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
