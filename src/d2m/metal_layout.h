/* metal_layout.h: what follows from the layout of a device tensor: padded shapes, shapes
 * over a grid, alignments, types of buffers, and virtual grids.
 *
 * Facts: a device tensor's shape is grid ++ shard, of equal rank, with its shard counted in
 * tiles if its elements are.  Its encoding #ttcore.metal_layout keeps the shape that the
 * user sees, an alignment for each dimension, and the intervals of dimensions that are one
 * dimension of the device.  A grid of more dimensions or larger ones than the device's is a
 * virtual one; two maps, kept where the tensor is allocated, relate it to the cores. */
#ifndef TILEWRIGHT_D2M_METAL_LAYOUT_H
#define TILEWRIGHT_D2M_METAL_LAYOUT_H

#include "d2m/d2m_verify.h"
#include "support/number.h"

enum { D2M_TILE = 32 };

typedef struct d2m_layout {
    d2m_shape logical, align;
    ir_attr intervals; /* as written: dense pairs */
    int64_t space;     /* TTCORE_MemorySpace_* */
    int64_t memory;    /* TTCORE_TensorMemoryLayout_* */
} d2m_layout;

/* Half-open ranges of dimensions, one for each dimension on the device. */
typedef struct d2m_intervals {
    int64_t at[D2M_MAX_RANK][2];
    uint32_t n;
} d2m_intervals;

/* ---- layouts ------------------------------------------------------------------------ */

bool d2m_is_metal_layout(ir_attr encoding);
/* False if the type has no such layout, or one of more than D2M_MAX_RANK dimensions. */
bool d2m_layout_of(ir_type tensor, d2m_layout *out);
ir_attr d2m_layout_attr(ir_context *ctx, const d2m_layout *layout);
/* All dimensions but the last collapsed into one, or none collapsed. */
ir_attr d2m_default_intervals(ir_context *ctx, uint32_t rank);
ir_attr d2m_no_intervals(ir_context *ctx);
/* The intervals in order, with those of dimensions that none covers; a vector gets an empty
 * one in front. */
void d2m_layout_intervals(const d2m_layout *layout, d2m_intervals *out);
/* Sets alignments to tiles, or to tiles on every core of `grid` where the size is above
 * one tile for each. */
void d2m_align_to_tiles(d2m_layout *layout);
void d2m_align_to_grid(d2m_layout *layout, const int64_t grid[2]);
/* A layout with the alignments of tiles; `collapse`: the default intervals. */
d2m_layout d2m_layout_make(ir_context *ctx, const d2m_shape *logical, int64_t space,
                           int64_t memory, bool collapse);
/* The aligned size of one interval; -1 if it overflows. */
int64_t d2m_interval_size(const d2m_layout *layout, const int64_t interval[2]);

/* ---- shapes ------------------------------------------------------------------------- */

/* The padded shape on the device, in tiles if `tiled`; false if it does not divide. */
bool d2m_physical_shape(const d2m_layout *layout, bool tiled, d2m_shape *out);
/* The tensor of these elements (tiles or scalars) on a grid; NULL if the shape does not
 * divide. */
ir_type d2m_device_tensor(ir_type element, const d2m_layout *layout, const d2m_shape *grid);
/* A grid of ones for the layout's dimensions on the device. */
d2m_shape d2m_unit_grid(const d2m_layout *layout);
/* The tensor that one core's shard is, without a layout. */
ir_type d2m_shard_tensor(ir_type device_tensor);
/* The same elements of a device tensor or its buffer over another grid; NULL if they do not
 * divide. */
ir_type d2m_reblocked(ir_type type, const d2m_shape *grid);
/* Strides and elements of the host's buffer that is padded like the device's. */
bool d2m_host_strides(const d2m_layout *layout, d2m_shape *strides, int64_t *volume);
int64_t d2m_volume(const d2m_shape *shape); /* at most TW_PRODUCT_MAX */
bool d2m_shape_equal(const d2m_shape *a, const d2m_shape *b);
/* The shape of a ranked type; false above D2M_MAX_RANK dimensions or if one is dynamic. */
bool d2m_shape_of(ir_type type, d2m_shape *out);
/* Bytes of a tile or a scalar. */
int64_t d2m_element_bytes(ir_type element);

/* True if no element of a device tensor or its buffer is padding of that logical shape. */
bool d2m_has_no_padding(ir_type type, const int64_t *logical, size_t n);

/* ---- buffers ------------------------------------------------------------------------ */

/* The memref of a tensor: of a device tensor, of a view of one, or of a host tensor, which
 * gets the strides of `host` (a #ttcore.metal_layout or NULL). */
ir_type d2m_buffer_type(ir_type tensor, bool view, ir_attr host);
/* #ttcore.shard<strides, buffers> and #ttcore.interleaved<strides> of a shard's shape. */
ir_attr d2m_shard_attr(ir_type element, const d2m_shape *shard, int64_t buffers);
ir_attr d2m_interleaved_attr(ir_type element, const d2m_shape *shard);
ir_attr d2m_memory_space(ir_context *ctx, int64_t space);

/* ---- maps --------------------------------------------------------------------------- */

/* outer after inner. */
ir_affine_map d2m_compose(ir_context *ctx, ir_affine_map outer, ir_affine_map inner);
/* From coordinates of the second device shape to those of the first; both are flattened in
 * row-major order of their whole tensors.  NULL if the volumes differ. */
ir_affine_map d2m_reblock_map(ir_context *ctx, const d2m_shape *input,
                              const d2m_shape *output);
/* The extent of each result between the first and the last point of the shape. */
bool d2m_map_shape(ir_affine_map map, const d2m_shape *shape, d2m_shape *out);
/* A map of growing coordinates from a padded shape to another one: results that padding
 * leads out of it wrap around, since every element of a view has to be read somewhere. */
ir_affine_map d2m_map_within(ir_context *ctx, ir_affine_map map, const d2m_shape *from,
                             const d2m_shape *to);
/* The block factors of a d2m.generic: grids of operands in the order of the maps, the last
 * of which is that of the first output, whose grid is divided by the generic's. */
bool d2m_derive_factors(const ir_affine_map *maps, const d2m_shape *grids, size_t n,
                        const d2m_shape *grid, d2m_shape *out);

/* ---- virtual grids ------------------------------------------------------------------ */

/* Both maps or none (NULL). */
typedef struct d2m_virtual_grid {
    ir_affine_map forward; /* grid ++ shard to (y, x) ++ shard */
    ir_affine_map inverse; /* (y, x) to (device, grid) */
} d2m_virtual_grid;

bool d2m_needs_virtual_grid(const d2m_shape *grid, const int64_t device[2]);
/* The most square rectangle of that many cores in the grid; false if none fits. */
bool d2m_physical_grid(int64_t volume, const int64_t device[2], int64_t out[2]);
/* The maps between a grid and a rectangle of cores. */
d2m_virtual_grid d2m_virtual_maps(ir_context *ctx, const d2m_shape *grid,
                                  const int64_t physical[2]);
/* The maps that the buffer behind a value was allocated with. */
d2m_virtual_grid d2m_virtual_grid_of(const ir_value *value);
/* #ttcore.grid of a shape; with maps where they are for this grid. */
ir_attr d2m_grid_attr(ir_context *ctx, const d2m_shape *grid, d2m_virtual_grid maps);
/* The grid of a generic that computes this output, over its own grid or another shape. */
ir_attr d2m_grid_for_output(const ir_value *output);
ir_attr d2m_grid_for_shape(const ir_value *output, const d2m_shape *grid);
/* Builds d2m.empty. */
ir_value *d2m_build_empty(ir_builder *b, ir_type tensor, d2m_virtual_grid maps);

#endif
