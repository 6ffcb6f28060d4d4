/* bank_bytes.c: see bank_bytes.h. */
#include "ttnn/bank_bytes.h"

#include "support/number.h"
#include "tilewright/dtype.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

/* Bytes of a tile with `n` elements; block floats add an exponent per 16. */
static int64_t tile_bytes(ir_type tile)
{
    int64_t shape[2] = {32, 32};
    ir_attr_ints(ir_type_param(tile, "shape"), shape, 2);
    int64_t n = shape[0] * shape[1];
    int64_t type = ir_attr_int(ir_type_param(tile, "dataType"), 0);
    switch (type) {
    case TTCORE_DataType_BFP_Float8:
    case TTCORE_DataType_BFP_BFloat8:
        return n + n / 16;
    case TTCORE_DataType_BFP_Float4:
    case TTCORE_DataType_BFP_BFloat4:
        return n / 2 + n / 16;
    case TTCORE_DataType_BFP_Float2:
    case TTCORE_DataType_BFP_BFloat2:
        return n / 4 + n / 16;
    default:
        return n * (int64_t)tw_dtype_size((tw_dtype)type);
    }
}

/* Bytes of a row-major element. */
static int64_t element_bytes(ir_type element)
{
    if (element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_FLOAT)
        return TW_MAX(element->width / 8, 1u);
    return 4;
}

static bool is_sharded(ir_attr layout)
{
    int64_t kind = ir_enum_value(ir_attr_param(layout, "mem_layout"),
                                 TTNN_TensorMemoryLayout_Interleaved);
    return kind == TTNN_TensorMemoryLayout_HeightSharded ||
           kind == TTNN_TensorMemoryLayout_WidthSharded ||
           kind == TTNN_TensorMemoryLayout_BlockSharded;
}

static int64_t product(ir_attr ints)
{
    int64_t dims[8], n = ints ? ir_attr_ints(ints, dims, 8) : 0, all = 1;
    for (int64_t i = 0; i < n; i++)
        all = tw_saturating_product(all, dims[i]);
    return all;
}

static bool is_nd(ir_attr layout)
{
    return layout->def == TTNN_ATTR(ttnn_nd_layout);
}

static ir_attr layout_of(ir_type tensor)
{
    ir_attr layout = ir_type_is_tensor(tensor) ? tensor->encoding : NULL;
    return layout && ir_attr_is(layout, IR_ATTR_DIALECT) &&
                   (is_nd(layout) || layout->def == TTNN_ATTR(ttnn_layout))
               ? layout
               : NULL;
}

int64_t ttnn_memory_of(ir_type tensor)
{
    ir_attr layout = layout_of(tensor);
    return layout ? ir_enum_value(ir_attr_param(layout, "memref")->type->space,
                                  TTNN_BufferType_SystemMemory)
                  : TTNN_BufferType_SystemMemory;
}

int64_t ttnn_bank_bytes(ir_type tensor, int64_t banks, int64_t align, int64_t *out_banks)
{
    ir_attr layout = layout_of(tensor);
    ir_type memref = ir_attr_param(layout, "memref")->type;
    bool nd = is_nd(layout);
    bool tiled = memref->element->kind == IR_TYPE_DIALECT &&
                 memref->element->def == TTCORE_TYPE(tile);
    int64_t unit = tiled ? tile_bytes(memref->element) : element_bytes(memref->element);
    int64_t units = 1, cores = nd ? 1 : product(ir_attr_param(layout, "grid_shape"));
    for (uint32_t d = 0; d < memref->count; d++)
        units = tw_saturating_product(units, memref->dims[d]);
    if (nd || is_sharded(layout)) {
        *out_banks = nd ? banks : TW_MIN(TW_MAX(cores, 1), banks);
        return tw_ceil_div(tw_saturating_product(units, unit), align) * align;
    }
    /* A page is a tile, or a row of elements. */
    int64_t row = tiled || !memref->count ? 1 : TW_MAX(memref->dims[memref->count - 1], 1);
    int64_t pages = tw_saturating_product(units, TW_MAX(cores, 1)) / row;
    *out_banks = TW_MIN(TW_MAX(pages, 1), banks);
    const int64_t page = tw_ceil_div(tw_saturating_product(row, unit), align) * align;
    return tw_saturating_product(tw_ceil_div(pages, banks), page);
}
