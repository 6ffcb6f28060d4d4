/* cf.h: row indices of the cf dialect. */
#ifndef TILEWRIGHT_MLIR_CF_CF_H
#define TILEWRIGHT_MLIR_CF_CF_H

#define IR_DIALECT cf
#define IR_PREFIX CF
#define IR_ROWS "mlir/cf/cf.def"
#include "ir/dialect_names.h"

#define CF_OP(id) (&cf_ops[CF_##id])

#endif
