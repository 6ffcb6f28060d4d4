/* ttcore_tile.c: tiles as shaped types: data types and the element types they store. */
#include "ttcore/ttcore_tile.h"

#include "ttcore/ttcore_hooks.h"

/* By data type.  Block formats map to the float whose exponent they share; the reverse
 * direction takes the first matching row of those that tt-mlir has. */
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
        return NULL; /* no data type has this value */
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

bool ttcore_tile_shares_exponents(ir_type tile)
{
    int64_t data = ttcore_tile_data_type(tile);
    return data >= TTCORE_DataType_BFP_Float8 && data <= TTCORE_DataType_BFP_BFloat2;
}

/* ---- data types and sizes */

int64_t ttcore_tile_data_type(ir_type t)
{
    if (t->kind != IR_TYPE_DIALECT || t->def != TTCORE_TYPE(tile))
        return -1;
    return t->params[1]->value;
}

bool ttcore_is_integer_tile(ir_type t)
{
    switch (ttcore_tile_data_type(t)) {
    case TTCORE_DataType_Int32:
    case TTCORE_DataType_UInt32:
    case TTCORE_DataType_UInt16:
    case TTCORE_DataType_UInt8:
        return true;
    default:
        return false;
    }
}

static int64_t data_type_of(ir_type t)
{
    if (t->kind == IR_TYPE_FLOAT)
        switch (t->sign) {
        case IR_F32:
            return TTCORE_DataType_Float32;
        case IR_F16:
            return TTCORE_DataType_Float16;
        case IR_BF16:
            return TTCORE_DataType_BFloat16;
        default:
            return -1;
        }
    if (t->kind != IR_TYPE_INTEGER)
        return -1;
    if (t->width == 32)
        return t->sign == IR_UNSIGNED ? TTCORE_DataType_UInt32 : TTCORE_DataType_Int32;
    return t->width == 16  ? TTCORE_DataType_UInt16
           : t->width == 8 ? TTCORE_DataType_UInt8
                           : -1;
}

ir_type ttcore_tile_of(ir_type element)
{
    if (ttcore_is_tile(element))
        return element;
    int64_t data = data_type_of(element);
    if (data < 0)
        return NULL;
    ir_context *ctx = element->ctx;
    ir_attr extents[] = {ir_raw_int(ctx, 32), ir_raw_int(ctx, 32)};
    ir_attr params[] = {ir_array_attr(ctx, extents, 2), ir_raw_int(ctx, data)};
    return ir_dialect_type(ctx, TTCORE_TYPE(tile), params, 2);
}

int64_t ttcore_tile_bytes(ir_type element)
{
    static const struct {
        int64_t type, bytes;
    } tiles[] = {
        {TTCORE_DataType_Float32, 4096},     {TTCORE_DataType_Int32, 4096},
        {TTCORE_DataType_UInt32, 4096},      {TTCORE_DataType_Float16, 2048},
        {TTCORE_DataType_BFloat16, 2048},    {TTCORE_DataType_UInt16, 2048},
        {TTCORE_DataType_UInt8, 1024},       {TTCORE_DataType_BFP_Float8, 1088},
        {TTCORE_DataType_BFP_BFloat8, 1088}, {TTCORE_DataType_BFP_Float4, 576},
        {TTCORE_DataType_BFP_BFloat4, 576},  {TTCORE_DataType_BFP_Float2, 320},
        {TTCORE_DataType_BFP_BFloat2, 320},
    };
    int64_t data = ttcore_tile_data_type(element);
    for (size_t i = 0; i < TW_COUNT(tiles); i++)
        if (tiles[i].type == data)
            return tiles[i].bytes;
    return 0;
}

int64_t ttcore_scalar_bytes(ir_type element)
{
    if (element->kind == IR_TYPE_FLOAT)
        return element->sign == IR_F32 ? 4 : 2;
    return element->kind == IR_TYPE_INTEGER ? element->width / 8 : 0;
}
