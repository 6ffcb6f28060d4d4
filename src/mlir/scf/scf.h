/* scf.h: the scf dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_SCF_H
#define TILEWRIGHT_DIALECT_SCF_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) SCF_##id,
#include "mlir/scf/scf.def"
    SCF_OP_COUNT
};

extern const ir_dialect scf_dialect;
extern const ir_op_def scf_ops[];
#define SCF_OP(id) (&scf_ops[SCF_##id])

#endif
