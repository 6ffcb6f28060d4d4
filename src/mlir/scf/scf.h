/* scf.h: row indices of the scf dialect. */
#ifndef TILEWRIGHT_MLIR_SCF_SCF_H
#define TILEWRIGHT_MLIR_SCF_SCF_H

#define IR_DIALECT scf
#define IR_PREFIX SCF
#define IR_ROWS "mlir/scf/scf.def"
#include "ir/dialect_names.h"

#define SCF_OP(id) (&scf_ops[SCF_##id])

#endif
