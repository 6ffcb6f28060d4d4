/* dtype.c: names and sizes of element types. */
#include "tilewright/dtype.h"

#include "support/base.h"

static const struct {
    const char *name;
    unsigned char size;
} dtypes[TW_DTYPE_COUNT] = {
    [TW_F32] = {"f32", 4},         [TW_F16] = {"f16", 2},
    [TW_BF16] = {"bf16", 2},       [TW_BFP_F8] = {"bfp_f8", 0},
    [TW_BFP_BF8] = {"bfp_bf8", 0}, [TW_BFP_F4] = {"bfp_f4", 0},
    [TW_BFP_BF4] = {"bfp_bf4", 0}, [TW_BFP_F2] = {"bfp_f2", 0},
    [TW_BFP_BF2] = {"bfp_bf2", 0}, [TW_U32] = {"u32", 4},
    [TW_U16] = {"u16", 2},         [TW_U8] = {"u8", 1},
    [TW_I32] = {"si32", 4},        [TW_BOOL] = {"i1", 1},
    [TW_F64] = {"f64", 8},         [TW_I8] = {"si8", 1},
    [TW_I16] = {"si16", 2},        [TW_I64] = {"si64", 8},
    [TW_U64] = {"u64", 8},
};

TW_EXPORT const char *tw_dtype_name(tw_dtype dtype)
{
    return (size_t)dtype < TW_DTYPE_COUNT ? dtypes[dtype].name : "?";
}

TW_EXPORT size_t tw_dtype_size(tw_dtype dtype)
{
    return (size_t)dtype < TW_DTYPE_COUNT ? dtypes[dtype].size : 0;
}
