/* arith_constraints.h: the constraints of the arith dialect, for files beside its table. */
#ifndef TILEWRIGHT_MLIR_ARITH_ARITH_CONSTRAINTS_H
#define TILEWRIGHT_MLIR_ARITH_ARITH_CONSTRAINTS_H

#include "ir/constraints.h"
#include "mlir/arith/arith.h"

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "mlir/arith/arith_constraints.def"
#undef IR_CONSTRAINT

#endif
