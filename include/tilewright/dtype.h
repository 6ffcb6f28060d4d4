/* dtype.h: element types of tensors in memory.
 *
 * The first fourteen have the values of tt-mlir's ttcore DataType enum, which flatbuffers
 * also store; the others exist on the host only. */
#ifndef TILEWRIGHT_DTYPE_H
#define TILEWRIGHT_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_dtype {
    TW_F32 = 0,
    TW_F16 = 1,
    TW_BF16 = 2,
    TW_BFP_F8 = 3, /* block floats: 16 elements share an 8-bit (bf) or 5-bit (f) exponent */
    TW_BFP_BF8 = 4,
    TW_BFP_F4 = 5,
    TW_BFP_BF4 = 6,
    TW_BFP_F2 = 7,
    TW_BFP_BF2 = 8,
    TW_U32 = 9,
    TW_U16 = 10,
    TW_U8 = 11,
    TW_I32 = 12,
    TW_BOOL = 13,
    TW_F64 = 14,
    TW_I8 = 15,
    TW_I16 = 16,
    TW_I64 = 17,
    TW_U64 = 18,
    TW_DTYPE_COUNT
} tw_dtype;

#ifdef __cplusplus
extern "C" {
#endif
/* Returns tt-mlir's spelling ("f32", "bfp_bf8", "si32", ...); "?" for an invalid value. */
const char *tw_dtype_name(tw_dtype dtype);
/* Returns the bytes of one element; 0 for block floats, whose unit is a tile. */
size_t tw_dtype_size(tw_dtype dtype);
/* Rounds `rows` rows of `row` values each to what a tensor of block floats stores. Each
 * group of sixteen adjacent values, counted from the start of the row, shares the exponent
 * of the largest; values are rounded to nearest, ties to even, as the host conversion does.
 * `to` may equal `from`. Returns false, with nothing written, for any other type. */
bool tw_dtype_round_blocks(tw_dtype dtype, const float *from, size_t rows, size_t row,
                           float *to);
/* The same rounded as a core's packer does from a 32-bit destination register: ties away
 * from zero. */
bool tw_dtype_pack_blocks(tw_dtype dtype, const float *from, size_t rows, size_t row,
                          float *to);
#ifdef __cplusplus
}
#endif
#endif
