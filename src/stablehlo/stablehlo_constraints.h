/* stablehlo_constraints.h: the constraints of the stablehlo dialect, for files beside its
 * table. */
#ifndef TILEWRIGHT_STABLEHLO_STABLEHLO_CONSTRAINTS_H
#define TILEWRIGHT_STABLEHLO_STABLEHLO_CONSTRAINTS_H

#include "ir/constraints.h"
#include "stablehlo/stablehlo.h"

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "stablehlo/stablehlo_constraints.def"
#undef IR_CONSTRAINT

#endif
