/* grid/native/sfpu_api.h: functions of the kernel API without an operation in TTKernel: of
 * one tile and up to two scalars. Kernels in C++ call them as variants of selu_tile, which
 * also takes a tile and two scalars. */
#ifndef TILEWRIGHT_GRID_NATIVE_SFPU_API_H
#define TILEWRIGHT_GRID_NATIVE_SFPU_API_H

#include "grid/units/code.h"

typedef struct sfpu_api_function {
    const char *name; /* NAME_tile, NAME_tile_init */
    int numbers;      /* its parameters, as bits of f32 */
    float (*f)(float x, float p, float q);
    double instructions; /* per row, as in elementwise.def */
} sfpu_api_function;

/* Returns function i; NULL past the end. */
const sfpu_api_function *sfpu_api_function_at(size_t i);

#endif
