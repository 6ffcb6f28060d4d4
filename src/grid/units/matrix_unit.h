/* grid/units/matrix_unit.h: arithmetic of the matrix unit, at three levels of exactness.
 *
 * value: f32 arithmetic in a fixed order, one rounding into DST for each operation;
 * fidelity: the same on operands truncated as in the fidelity phases;
 * bit: the integer arithmetic of the unit, instruction by instruction.
 * The level changes values only, never times or checks. */
#ifndef TILEWRIGHT_GRID_UNITS_MATRIX_UNIT_H
#define TILEWRIGHT_GRID_UNITS_MATRIX_UNIT_H

#include "grid/machine/format.h"

typedef enum dev_numerics { DEV_VALUE, DEV_FIDELITY, DEV_BIT, DEV_NUMERICS } dev_numerics;

typedef struct dev_matrix_unit {
    dev_numerics level;
    int phases; /* 1: LoFi to 4: HiFi4 */
    dev_dst_format dst;
    bool wormhole; /* its fault in renormalizing */
} dev_matrix_unit;

typedef enum dev_eltwise { DEV_ADD, DEV_SUBTRACT, DEV_MULTIPLY } dev_eltwise;

/* Operands are as unpacked into source registers; results are rounded to DST's format. */
void dev_matrix_eltwise(const dev_matrix_unit *u, dev_eltwise kind, const dev_tile *a,
                        const dev_tile *b, dev_tile *out);
/* dst = a b, or dst += a b.  `a` goes to SrcB and `b` to SrcA, as the software does.
 * Scratch is overwritten. */
void dev_matrix_product(const dev_matrix_unit *u, const dev_tile *a, const dev_tile *b,
                        bool accumulate, dev_tile *dst, dev_tile scratch[3]);
/* Truncates the operand to the bits that the multipliers see in all phases together. */
void dev_matrix_cut(const dev_matrix_unit *u, bool source_a, dev_tile *tile);

#endif
