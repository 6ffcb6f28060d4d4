/* memref_layout.h: strides and offset of a memref, and types of its subviews. */
#ifndef TILEWRIGHT_MLIR_MEMREF_MEMREF_LAYOUT_H
#define TILEWRIGHT_MLIR_MEMREF_MEMREF_LAYOUT_H

#include "mlir/shared/shape_checks.h"

/* Strides and offset in elements; IR_DYNAMIC where unknown. */
typedef struct memref_steps {
    int64_t offset, stride[SHAPE_MAX_RANK];
} memref_steps;

/* Returns false if the layout is not strided. */
bool memref_steps_of(ir_type type, memref_steps *out);
/* The type of the subview of `whole` with the given offsets, sizes and strides, one for
 * each of its dimensions, with the rank of `like` (dimensions of size 1 may be dropped);
 * NULL if there is none. */
ir_type memref_part_type(ir_type whole, const int64_t *offsets, const int64_t *sizes,
                         const int64_t *strides, ir_type like);

#endif
