/* grid/native/sfpu_api.h: functions of the kernel API that TTKernel has no operations for:
 * of one tile and up to two numbers.  Kernels in C++ call them as variants of selu_tile,
 * which takes a tile and two numbers, too. */
#ifndef TILEWRIGHT_GRID_NATIVE_SFPU_API_H
#define TILEWRIGHT_GRID_NATIVE_SFPU_API_H

#include "grid/units/code.h"

typedef struct sfpu_api_function {
    const char *name; /* NAME_tile, NAME_tile_init */
    int numbers;      /* that it takes, as bits of f32 */
    float (*f)(float x, float p, float q);
    double instructions; /* as of sfpu_function: an estimate */
} sfpu_api_function;

/* By its number, from 0 on; NULL: there are no more. */
const sfpu_api_function *sfpu_api_function_at(size_t i);

#endif
