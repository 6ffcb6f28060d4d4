/* grid/machine/format.h: tiles in memory and in the compute unit's registers.
 *
 * In memory a 32x32 tile is four 16x16 faces (top left, top right, bottom left, bottom
 * right), each row-major; block floats store 64 exponent bytes, one for each face row,
 * before the codes. A register tile keeps memory's element order, as f32 or as i32. */
#ifndef TILEWRIGHT_GRID_MACHINE_FORMAT_H
#define TILEWRIGHT_GRID_MACHINE_FORMAT_H

#include "support/base.h"
#include "tilewright/dtype.h"

enum { DEV_TILE_SIDE = 32, DEV_TILE_ELEMENTS = 1024 };

typedef union dev_tile {
    float f[DEV_TILE_ELEMENTS];
    int32_t i[DEV_TILE_ELEMENTS];
} dev_tile;

/* Format to which values in DST are rounded: f32, or one of the two 16-bit families. */
typedef enum dev_dst_format { DEV_DST_F32, DEV_DST_BF16, DEV_DST_F16 } dev_dst_format;

static inline size_t dev_tile_index(size_t row, size_t column)
{
    return ((row >> 4) * 2 + (column >> 4)) * 256 + (row & 15) * 16 + (column & 15);
}

/* Returns the bytes of a tile in memory; 0 for a format that tiles cannot have. */
size_t dev_tile_bytes(tw_dtype format);
bool dev_format_is_integer(tw_dtype format);

/* Memory to registers, exactly (block floats: exact in bf16); integers as i32. */
void dev_tile_load(tw_dtype format, const void *bytes, dev_tile *out);
/* The unpackers' rounding of f32: into a source register (tf32: the low 13 bits are
 * dropped), or into a 16-bit DST. Subnormals become zero. */
void dev_round_to_source(dev_tile *tile);
void dev_round_to_dst(dev_tile *tile, dev_dst_format format);    /* matrix unit: nearest */
void dev_truncate_to_dst(dev_tile *tile, dev_dst_format format); /* the vector unit */

/* The packer: registers to memory. */
void dev_tile_store(tw_dtype format, dev_dst_format dst, const dev_tile *tile, void *bytes);

/* The host's conversion of f32 values (in memory order) to a tile: to nearest even. */
void dev_tile_encode_host(tw_dtype format, const float *values, void *bytes);

/* bf16, ties away from zero, as the packer rounds; NaN becomes infinity. */
uint16_t dev_bf16_ties_away(float value);

#endif
