/* transform_constraints.h: the constraints of the transform dialect, for files beside its
 * table. */
#ifndef TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_CONSTRAINTS_H
#define TILEWRIGHT_MLIR_TRANSFORM_TRANSFORM_CONSTRAINTS_H

#include "ir/constraints.h"
#include "mlir/transform/transform.h"

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "mlir/transform/transform_constraints.def"
#undef IR_CONSTRAINT

#endif
