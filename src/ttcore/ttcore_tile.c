/* ttcore_tile.c: tiles as shaped types: data types and the elements that they stand for. */
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_hooks.h"

/* By data type.  Block formats count as the float whose exponents they share; the reverse
 * direction takes the first row that fits of those that the peers have. */
static const struct {
    bool is_float;
    uint8_t kind; /* of float, or width */
    uint8_t sign;
} elements[] = {
    [TTCORE_DataType_Float32] = {true, IR_F32, 0},
    [TTCORE_DataType_Float16] = {true, IR_F16, 0},
    [TTCORE_DataType_BFloat16] = {true, IR_BF16, 0},
    [TTCORE_DataType_BFP_Float8] = {true, IR_F16, 0},
    [TTCORE_DataType_BFP_BFloat8] = {true, IR_BF16, 0},
    [TTCORE_DataType_BFP_Float4] = {true, IR_F16, 0},
    [TTCORE_DataType_BFP_BFloat4] = {true, IR_BF16, 0},
    [TTCORE_DataType_BFP_Float2] = {true, IR_F16, 0},
    [TTCORE_DataType_BFP_BFloat2] = {true, IR_BF16, 0},
    [TTCORE_DataType_UInt32] = {false, 32, IR_UNSIGNED},
    [TTCORE_DataType_UInt16] = {false, 16, IR_UNSIGNED},
    [TTCORE_DataType_UInt8] = {false, 8, IR_UNSIGNED},
    [TTCORE_DataType_Int32] = {false, 32, IR_SIGNED},
    [TTCORE_DataType_Bool] = {false, 1, IR_SIGNLESS},
    [TTCORE_DataType_Int8] = {false, 8, IR_SIGNED},
    [TTCORE_DataType_Int16] = {false, 16, IR_SIGNED},
};

static ir_type element_of(ir_context *ctx, size_t data_type)
{
    if (!elements[data_type].kind && !elements[data_type].is_float)
        return NULL; /* no data type has the number */
    return elements[data_type].is_float
               ? ir_float_type(ctx, (ir_float_kind)elements[data_type].kind)
               : ir_integer_type(ctx, elements[data_type].kind,
                                 (ir_signedness)elements[data_type].sign);
}

ir_type ttcore_tile_element(ir_type tile)
{
    int64_t data_type = ir_attr_int(ir_type_param(tile, "dataType"), -1);
    return data_type < 0 || data_type >= (int64_t)TW_COUNT(elements)
               ? NULL
               : element_of(tile->ctx, (size_t)data_type);
}

ir_type ttcore_tile_with_element(ir_type tile, ir_type element)
{
    for (size_t i = 0; i <= TTCORE_DataType_Bool; i++)
        if (element_of(tile->ctx, i) == element) {
            ir_attr params[2] = {ir_type_param(tile, "shape"),
                                 ir_raw_int(tile->ctx, (int64_t)i)};
            return ir_dialect_type(tile->ctx, tile->def, params, 2);
        }
    return NULL;
}
