/* dtype.h: element types of tensors in memory.
 *
 * The first fourteen have the values of tt-mlir's ttcore DataType enum, which flatbuffers
 * store, too; the others exist on the host only. */
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
/* "f32", "bf16", "bfp_bf8", "si32", ...: tt-mlir's spelling; "?" for an invalid value. */
const char *tw_dtype_name(tw_dtype dtype);
/* Bytes of one element; 0 for block floats, whose unit is a tile. */
size_t tw_dtype_size(tw_dtype dtype);
/* Rounds `rows` rows of `row` values each to block floats: sixteen adjacent ones, counted
 * from the row's start, share the largest one's exponent; to nearest, ties to even, as the
 * host's conversion does.  `to` may be `from`; returns false, with nothing written, for
 * other types. */
bool tw_dtype_round_blocks(tw_dtype dtype, const float *from, size_t rows, size_t row,
                           float *to);
#ifdef __cplusplus
}
#endif
#endif
