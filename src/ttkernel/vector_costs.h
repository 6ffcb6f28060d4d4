/* ttkernel/vector_costs.h: vector instructions of the functions of elementwise.def, for the
 * simulated vector unit and for predictions. */
#ifndef TILEWRIGHT_TTKERNEL_VECTOR_COSTS_H
#define TILEWRIGHT_TTKERNEL_VECTOR_COSTS_H

#include "ttcore/system/chip_costs.h"

/* Vector instructions per row of 32 values. */
typedef struct vector_cost {
    float row[DEV_GENERATIONS][2][2]; /* [chip][approximate][32-bit DST] */
} vector_cost;

/* Those of the rows' operations, vector_cost_sqrt_tile and so on, and of two that are
 * written by hand. */
#define TILE(sort, shape, op, ...) extern const vector_cost vector_cost_##op;
#include "ttkernel/elementwise.def"
extern const vector_cost vector_cost_exp_tile, vector_cost_logical_not_tile;

/* That of the function on floats of a row of elementwise.def ("sqrt"), or of the one on
 * integers; NULL if the row has none, or it is written by hand. */
const vector_cost *vector_cost_of(const char *name, bool integers);

#endif
