/* memref_layout.h: where the elements of a memref are, and the types of parts of it. */
#ifndef TILEWRIGHT_MLIR_MEMREF_MEMREF_LAYOUT_H
#define TILEWRIGHT_MLIR_MEMREF_MEMREF_LAYOUT_H

#include "mlir/shared/shape_checks.h"

/* Steps between elements and where the first is; IR_DYNAMIC where that is not known. */
typedef struct memref_steps {
    int64_t offset, stride[SHAPE_MOST_RANK];
} memref_steps;

/* false: a layout that is no such steps. */
bool memref_steps_of(ir_type type, memref_steps *out);
/* The type of the part of `whole` at offsets, of sizes and strides, one for each of its
 * dimensions, with as many dimensions as `like` has (those of size 1 may be gone); NULL if
 * there is none. */
ir_type memref_part_type(ir_type whole, const int64_t *offsets, const int64_t *sizes,
                         const int64_t *strides, ir_type like);

#endif
