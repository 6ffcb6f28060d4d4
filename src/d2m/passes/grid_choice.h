/* grid_choice.h: the grid that uses most cores of a rectangle for a tensor, and layouts
 * padded for it. */
#ifndef TILEWRIGHT_D2M_GRID_CHOICE_H
#define TILEWRIGHT_D2M_GRID_CHOICE_H

#include "d2m/metal_layout.h"

/* The shape of a device tensor in tiles (elements count as tiles are aligned, too), padded
 * so that `target` divides it where it is large enough; with `ttnn` as its layout says. */
bool d2m_shape_to_divide(ir_type tensor, const int64_t target[2], bool ttnn,
                         d2m_shape *out);
/* The largest divisors of the last two dimensions that fit in the target. */
bool d2m_block_sharded_grid(const d2m_shape *physical, const int64_t target[2],
                            d2m_shape *out);
/* The grid of the tensor; one whose cores are numbered through where two dimensions would
 * leave more than half of the target idle. */
bool d2m_choose_grid(ir_type tensor, const d2m_shape *physical, const int64_t target[2],
                     d2m_shape *out);
/* The device tensor over the grid with alignments that let it divide.  `tiles`: scalars are
 * padded to whole tiles.  NULL if no alignment does. */
ir_type d2m_tensor_on_grid(ir_type tensor, const d2m_shape *grid, bool ttnn, bool tiles);

#endif
