/* memory_map.h: where the elements of buffers are: at which core or DRAM bank, and at which
 * byte. */
#ifndef TILEWRIGHT_D2M_MEMORY_MAP_H
#define TILEWRIGHT_D2M_MEMORY_MAP_H

#include "d2m/metal_layout.h"

/* The memory behind views of a memref, and the composed map from the view's coordinates to
 * its own; false behind a composite view. */
bool d2m_behind_views(ir_value *memref, ir_value **out_base, ir_affine_map *out_map);
/* Device memory: grid ++ shard to (device, row, column or bank, byte).  NULL if the layout
 * or the device does not allow it. */
ir_affine_map d2m_remote_map(ir_op *at, ir_value *memref);
/* A core's buffer: coordinates to bytes, in row-major order. */
ir_affine_map d2m_local_map(ir_type memref);
/* The largest number of elements, a divisor of the shard's, that are contiguous at one core
 * wherever they start at a multiple of it.  The first `n_grid` dimensions are the grid's.
 */
int64_t d2m_contiguous_elements(ir_affine_map map, const d2m_shape *shape, uint32_t n_grid,
                                int64_t element_bytes);
/* Bytes that the NoC aligns addresses in DRAM or L1 to. */
int64_t d2m_noc_alignment(ir_op *at, bool dram);
/* The map's results from `first` on as values: constants, values of `at`, or affine.apply.
 */
void d2m_apply_map(ir_builder *b, ir_affine_map map, uint32_t first, ir_value *const *at,
                   ir_value **out);

#endif
