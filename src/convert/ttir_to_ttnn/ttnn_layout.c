/* ttnn_layout.c: the pass ttnn-layout: gives every tensor its layout on the device.
 *
 * Element types become those the device has; constants are converted with them. */
#include "convert/ttir_to_ttnn/ttir_to_ttnn.h"
#include "dialect/func/func.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttir/ttir.h"
#include "dialect/ttnn/ttnn.h"

#include <stdlib.h>

enum { MOST = 32, TILE = 32 };

typedef struct element {
    ir_type scalar;
    int64_t data_type; /* ttcore's */
} element;

/* ttir-to-ttnn.md section 2.1. */
static element device_element(ir_type t)
{
    ir_context *ctx = t->ctx;
    if (t->kind == IR_TYPE_FLOAT) {
        if (t->sign == IR_BF16)
            return (element){t, TTCORE_DataType_BFloat16};
        if (t->sign == IR_F16)
            return (element){t, TTCORE_DataType_Float16};
        return (element){ir_float_type(ctx, IR_F32), TTCORE_DataType_Float32};
    }
    if (t->kind == IR_TYPE_INDEX)
        return (element){ir_integer_type(ctx, 32, IR_UNSIGNED), TTCORE_DataType_UInt32};
    if (t->width == 1)
        return (element){ir_float_type(ctx, IR_BF16), TTCORE_DataType_BFloat16};
    if (t->width == 8)
        return (element){ir_integer_type(ctx, 8, IR_UNSIGNED), TTCORE_DataType_UInt8};
    if (t->width == 16)
        return (element){ir_integer_type(ctx, 16, IR_UNSIGNED), TTCORE_DataType_UInt16};
    if (t->sign == IR_UNSIGNED)
        return (element){ir_integer_type(ctx, 32, IR_UNSIGNED), TTCORE_DataType_UInt32};
    return (element){ir_integer_type(ctx, 32, IR_SIGNED), TTCORE_DataType_Int32};
}

/* (d0, ..., dn) -> rows, column of the padded shape; see section 2, step 4. */
static ir_affine_map linear_map(ir_context *ctx, const int64_t *padded, size_t rank)
{
    ir_affine row = ir_affine_constant(ctx, 0), results[2];
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0 && rank >= 2;) {
        if (i == rank - 1)
            continue;
        ir_affine d = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, (int64_t)i),
                                       ir_affine_constant(ctx, stride));
        row = i == rank - 2 ? d : ir_affine_binary(ctx, IR_AFFINE_ADD, d, row);
        stride *= padded[i];
    }
    results[0] = row;
    results[1] = rank ? ir_affine_dim(ctx, (int64_t)rank - 1) : ir_affine_constant(ctx, 0);
    return ir_affine_map_get(ctx, (uint32_t)rank, 0, results, 2);
}

static ir_attr layout_of(ir_type scalar, int64_t data_type, const int64_t *dims,
                         size_t rank)
{
    ir_context *ctx = scalar->ctx;
    int64_t padded[MOST], rows = 1, columns = rank ? dims[rank - 1] : 1;
    for (size_t i = 0; i < rank; i++)
        padded[i] = i + 2 >= rank ? (dims[i] + TILE - 1) / TILE * TILE : dims[i];
    for (size_t i = 0; i + 1 < rank; i++)
        rows *= padded[i];
    int64_t shard[] = {(rows + TILE - 1) / TILE, (columns + TILE - 1) / TILE};
    ir_attr tile_dims[] = {ir_raw_int(ctx, TILE), ir_raw_int(ctx, TILE)};
    ir_attr tile_params[] = {ir_array_attr(ctx, tile_dims, 2), ir_raw_int(ctx, data_type)};
    ir_type tile = ir_dialect_type(ctx, TTCORE_TYPE(tile), tile_params, 2);
    ir_attr space = ir_enum_attr(ctx, TTNN_ATTR(buffer_type), TTNN_BufferType_DRAM);
    ir_attr ones[] = {ir_raw_int(ctx, 1), ir_raw_int(ctx, 1)};
    ir_attr params[] = {ir_affine_map_attr(ctx, linear_map(ctx, padded, rank)),
                        ir_array_attr(ctx, ones, 2),
                        ir_type_attr(ir_memref_type(tile, shard, 2, NULL, space)),
                        ir_enum_attr(ctx, TTNN_ATTR(tensor_memory_layout),
                                     TTNN_TensorMemoryLayout_Interleaved),
                        NULL,
                        ir_raw_int(ctx, 0),
                        NULL};
    return ir_dialect_attr(ctx, TTNN_ATTR(ttnn_layout), params, TW_COUNT(params));
}

ir_type ttnn_device_type(ir_type t)
{
    if (!ir_type_is_tensor(t) || !ir_type_has_static_shape(t) || t->count > MOST)
        return t;
    if (ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
        t->encoding->def == TTNN_ATTR(ttnn_layout))
        return t;
    if (t->element->kind != IR_TYPE_FLOAT && t->element->kind != IR_TYPE_INTEGER &&
        t->element->kind != IR_TYPE_INDEX)
        return t;
    element e = device_element(t->element);
    return ir_tensor_type(e.scalar, t->dims, t->count,
                          layout_of(e.scalar, e.data_type, t->dims, t->count));
}

static ir_walk set_types(ir_op *op, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = ttnn_device_type(op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = ttnn_device_type(b->args[i]->type);
    if (op->def == TTIR_OP(constant)) {
        ir_attr value = ttnn_convert_elements(ir_op_attr(op, "value"), op->results[0].type);
        ir_op_set_attr(op, "value", value);
    }
    if (op->def == FUNC_OP(func)) {
        ir_type f = ir_op_attr(op, "function_type")->type;
        ir_type types[256];
        if (f->count + f->results > TW_COUNT(types))
            return IR_WALK_STOP;
        for (uint32_t i = 0; i < f->count + f->results; i++)
            types[i] = ttnn_device_type(f->types[i]);
        ir_op_set_attr(op, "function_type",
                       ir_type_attr(ir_function_type(op->ctx, types, f->count,
                                                     types + f->count, f->results)));
    }
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    if (ir_walk_pre(module, set_types, NULL) == IR_WALK_STOP)
        return ir_op_error(module,
                           "has a function with more than 256 arguments and results");
    return true;
}

const pass_def ttnn_layout_pass = {
    .name = "ttnn-layout",
    .summary = "Give every tensor its TTNN layout",
    .anchor = "builtin.module",
    .run = run,
};
