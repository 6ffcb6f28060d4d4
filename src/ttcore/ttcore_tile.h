/* ttcore_tile.h: tiles of 32x32 elements: their data types and sizes. */
#ifndef TILEWRIGHT_TTCORE_TTCORE_TILE_H
#define TILEWRIGHT_TTCORE_TTCORE_TILE_H

#include "ttcore/ttcore.h"

/* The TTCORE_DataType_ of a tile type, or -1 for any other type. */
int64_t ttcore_tile_data_type(ir_type t);
static inline bool ttcore_is_tile(ir_type t)
{
    return ttcore_tile_data_type(t) >= 0;
}
/* True for a tile of integers. */
bool ttcore_is_integer_tile(ir_type t);
/* The 32x32 tile whose elements are `element`; a tile type is returned as is; NULL if no
 * tile holds such elements. */
ir_type ttcore_tile_of(ir_type element);
/* Bytes of a tile in memory with the exponents of block formats; 0 for other types. */
int64_t ttcore_tile_bytes(ir_type element);
/* Bytes of a scalar element; 0 for other types. */
int64_t ttcore_scalar_bytes(ir_type element);

#endif
