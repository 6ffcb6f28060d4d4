/* layout.h: layouts of tensors as a struct: read one, change a field, make it again.
 *
 * Facts: an encoding #ttnn.ttnn_layout names the memory, how the tensor is distributed over
 * it, tiles or rows, and the element as memory holds it; map and shard follow from the
 * shape.
 */
#ifndef TILEWRIGHT_TTNN_LAYOUT_H
#define TILEWRIGHT_TTNN_LAYOUT_H

#include "ttnn/ttnn.h"

enum { TTNN_TILE = 32, TTNN_MAX_RANK = 32, TTNN_ON_HOST = -1 };

typedef struct ttnn_layout {
    int64_t dtype;  /* TTCORE_DataType_* */
    bool tiled;     /* 32x32 tiles, or row-major */
    int64_t buffer; /* TTNN_BufferType_* */
    int64_t memory; /* TTNN_TensorMemoryLayout_*; TTNN_ON_HOST: none */
    int64_t grid[2];
    ir_attr cores; /* #ttnn.core_range_set of sharded tensors, or NULL */
    ir_attr mesh;  /* #ttcore.tensor_mesh or NULL */
    bool ignore_physical;
} ttnn_layout;

/* Interleaved tiles in DRAM. */
ttnn_layout ttnn_layout_dram(int64_t dtype);
/* Rows in the host's memory. */
ttnn_layout ttnn_layout_host(int64_t dtype);
/* False if the type carries no such layout. */
bool ttnn_layout_of(ir_type tensor, ttnn_layout *out);
bool ttnn_layout_equal(const ttnn_layout *a, const ttnn_layout *b);
static inline bool ttnn_layout_on_host(const ttnn_layout *l)
{
    return l->buffer == TTNN_BufferType_SystemMemory;
}
bool ttnn_memory_is_sharded(int64_t memory);

/* Changes memory and memory layout; a grid that no longer fits goes, and cores with it. */
void ttnn_layout_place(ttnn_layout *l, int64_t buffer, int64_t memory);
/* Shards over a grid, on the cores that the device of `at` gives such a grid; false if the
 * device is unknown or the grid does not fit. */
bool ttnn_layout_shard(ttnn_layout *l, ir_op *at, int64_t memory, int64_t rows,
                       int64_t columns);

/* Rows and columns of elements that one core of a sharded tensor holds. */
void ttnn_layout_shard_elements(const ttnn_layout *l, const int64_t *dims, size_t rank,
                                int64_t out[2]);
/* The cores of a sharded tensor: those it names, else a rectangle of its grid. */
ir_attr ttnn_layout_cores(ir_context *ctx, const ttnn_layout *l);
ir_attr ttnn_layout_attr(ir_context *ctx, const ttnn_layout *l, const int64_t *dims,
                         size_t rank);
/* The tensor with that layout; elements become those of the layout's data type. */
ir_type ttnn_tensor_with(ir_type tensor, const ttnn_layout *l);
/* The tensor with another shape in the same kind of layout; without one, just the shape. */
ir_type ttnn_tensor_reshaped(ir_type tensor, const int64_t *dims, size_t rank);
/* The tensor with other elements in the same kind of layout. */
ir_type ttnn_tensor_retyped(ir_type tensor, int64_t dtype);

/* Data types and the elements that tensors of them show. */
int64_t ttnn_dtype_of(ir_type element);
ir_type ttnn_dtype_element(ir_context *ctx, int64_t dtype);
/* Whether every number of the first is one of the second. */
bool ttnn_dtype_is_lossless(int64_t from, int64_t to);

/* The device that programs at `op` run on: #ttcore.device, or NULL. */
ir_attr ttnn_device_of(ir_op *op);
/* Its grid of cores (or of DRAM banks) as rows and columns; false without a device. */
bool ttnn_device_grid(ir_op *op, bool dram, int64_t out[2]);
/* Its mesh, 1x1 without one. */
void ttnn_device_mesh(ir_op *op, int64_t out[2]);
/* One parameter of the device's chip, such as "l1Size"; `otherwise` without a system. */
int64_t ttnn_chip_int(ir_op *op, const char *name, int64_t otherwise);

/* #ttnn.core_range_set<[...]> of rectangles (x0, y0, x1, y1). */
ir_attr ttnn_core_ranges(ir_context *ctx, const int64_t (*rects)[4], size_t count);

#endif
