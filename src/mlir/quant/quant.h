/* quant.h: row indices of the quant dialect. */
#ifndef TILEWRIGHT_MLIR_QUANT_QUANT_H
#define TILEWRIGHT_MLIR_QUANT_QUANT_H

#define IR_DIALECT quant
#define IR_PREFIX QUANT
#define IR_ROWS "mlir/quant/quant.def"
#include "ir/dialect_names.h"

#define QUANT_OP(id) (&quant_ops[QUANT_##id])

#define QUANT_TYPE(id) (&quant_types[QUANT_TYPE_##id])

/* Positions of the parameters; all types but calibrated ones start with the storage. */
enum {
    QUANT_FLAGS, /* 1: the storage is signed */
    QUANT_STORAGE_TYPE,
    QUANT_EXPRESSED_TYPE,
    QUANT_STORAGE_MIN,
    QUANT_STORAGE_MAX,
    QUANT_SCALE, /* or the list of scales */
    QUANT_ZERO_POINT,
    QUANT_DIMENSION,               /* per axis */
    QUANT_SHAPE = QUANT_DIMENSION, /* of the scales, sub-channel */
    QUANT_DIMENSIONS,
    QUANT_BLOCK_SIZES,
};

/* True for !quant.uniform with one scale, or with one for each index along an axis. */
bool quant_is_uniform(ir_type element);
/* The integer type of its quantized values, with their signedness. */
ir_type quant_storage(ir_type uniform);

#endif
