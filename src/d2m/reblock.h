/* reblock.h: the same d2m.generic over another grid or in other blocks. */
#ifndef TILEWRIGHT_D2M_REBLOCK_H
#define TILEWRIGHT_D2M_REBLOCK_H

#include "d2m/generic.h"

/* A view of the value with another shape of the same elements, by the map that keeps their
 * row-major order; the value itself if the type is its own.  NULL if the volumes differ. */
ir_value *d2m_build_reblock_view(ir_builder *b, ir_value *value, ir_type type);

/* Rebuilds the generic with a grid and block factors (NULL: its own): operands become views
 * of the grids that follow, buffers in the regions shards of these.  The old operation is
 * erased; its results are replaced by the new ones or, with `view`, by a view of the old
 * type.  *view is that of the first output, for the uses of a memref.  NULL after an
 * error. */
ir_op *d2m_reblock_generic(const d2m_generic *g, ir_attr grid, const d2m_shape *factors,
                           ir_value **view);

#endif
