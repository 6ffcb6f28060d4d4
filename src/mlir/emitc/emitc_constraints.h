/* emitc_constraints.h: the constraints of the emitc dialect, for files beside its table. */
#ifndef TILEWRIGHT_MLIR_EMITC_EMITC_CONSTRAINTS_H
#define TILEWRIGHT_MLIR_EMITC_EMITC_CONSTRAINTS_H

#include "ir/constraints.h"
#include "mlir/emitc/emitc.h"

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "mlir/emitc/emitc_constraints.def"
#undef IR_CONSTRAINT

#endif
