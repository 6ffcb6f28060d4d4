/* ttl_info.c: see ttl_info.h. */
#include "dialect/ttl/ttl_info.h"

#include "dialect/builtin/builtin.h"
#include "dialect/func/func.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttkernel/ttkernel.h"

ir_value *ttl_behind_casts(ir_value *v)
{
    for (int depth = 0; depth < 64; depth++) {
        ir_op *def = ir_value_def(v);
        if (!ir_op_is(def, BUILTIN_OP(unrealized_conversion_cast)) || def->n_operands != 1)
            break;
        v = def->operands[0].value;
    }
    return v;
}

ir_value *ttl_attached_cb(ir_value *tensor)
{
    ir_op *def = ir_value_def(ttl_behind_casts(tensor));
    if (ir_op_is(def, TTL_OP(attach_cb)))
        return def->operands[1].value;
    if (ir_op_is(def, TTL_OP(cb_wait)))
        return def->operands[0].value;
    return NULL;
}

/* ---- circular buffers -------------------------------------------------------------- */

size_t ttl_cb_rank(ir_type cb)
{
    return cb->params[0]->count;
}

int64_t ttl_cb_dim(ir_type cb, size_t i)
{
    return cb->params[0]->items[i]->value;
}

ir_type ttl_cb_element(ir_type cb)
{
    return cb->params[1]->type;
}

int64_t ttl_cb_block_size(ir_type cb)
{
    int64_t n = 1;
    for (size_t i = 0; i < ttl_cb_rank(cb); i++)
        n *= ttl_cb_dim(cb, i);
    return n;
}

int64_t ttl_cb_capacity(ir_type cb)
{
    return ttl_cb_block_size(cb) * cb->params[2]->value;
}

/* ---- tiles ------------------------------------------------------------------------- */

int64_t ttl_tile_data_type(ir_type t)
{
    if (t->kind != IR_TYPE_DIALECT || t->def != TTCORE_TYPE(tile))
        return -1;
    return t->params[1]->value;
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

ir_type ttl_tile_of(ir_type element)
{
    if (ttl_is_tile(element))
        return element;
    int64_t data = data_type_of(element);
    if (data < 0)
        return NULL;
    ir_context *ctx = element->ctx;
    ir_attr extents[] = {ir_raw_int(ctx, 32), ir_raw_int(ctx, 32)};
    ir_attr params[] = {ir_array_attr(ctx, extents, 2), ir_raw_int(ctx, data)};
    return ir_dialect_type(ctx, TTCORE_TYPE(tile), params, 2);
}

/* ---- families ---------------------------------------------------------------------- */

#define ROW(tensor, tile, init, compute, form)                                             \
    {TTL_OP(tensor), TTL_OP(tile), TTKERNEL_OP(init), TTKERNEL_OP(compute), form},

static const ttl_elementwise rows[] = {
    ROW(add, tile_add, add_binary_tile_init, add_binary_tile,
        TTL_BINARY) ROW(sub, tile_sub, sub_binary_tile_init, sub_binary_tile, TTL_BINARY)
        ROW(mul, tile_mul, mul_binary_tile_init, mul_binary_tile, TTL_BINARY)
            ROW(max, tile_max, binary_max_tile_init, binary_max_tile,
                TTL_BINARY_IN_PLACE) ROW(exp, tile_exp, exp_tile_init, exp_tile, TTL_UNARY)
                ROW(log, tile_log, log_tile_init, log_tile,
                    TTL_UNARY) ROW(sqrt, tile_sqrt, sqrt_tile_init, sqrt_tile, TTL_UNARY)
                    ROW(rsqrt, tile_rsqrt, rsqrt_tile_init, rsqrt_tile, TTL_UNARY)
                        ROW(tanh, tile_tanh, tanh_tile_init, tanh_tile, TTL_UNARY)
                            ROW(abs, tile_abs, abs_tile_init, abs_tile, TTL_UNARY) ROW(
                                neg, tile_neg, negative_tile_init, negative_tile, TTL_UNARY)
                                ROW(relu, tile_relu, relu_tile_init, relu_tile, TTL_UNARY)
                                    ROW(sigmoid, tile_sigmoid, sigmoid_tile_init,
                                        sigmoid_tile, TTL_UNARY)};

const ttl_elementwise *ttl_elementwise_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].tensor == def || rows[i].tile == def)
            return &rows[i];
    return NULL;
}

static bool has(const ir_op *op, const char *trait)
{
    return op->def->interfaces && ir_def_has(op->def, trait);
}

bool ttl_is_tile_compute(const ir_op *op)
{
    return has(op, "TTL_TileComputeOpTrait");
}

bool ttl_is_tile_unary(const ir_op *op)
{
    return has(op, "TTL_TileUnaryOpTrait");
}

bool ttl_reads_cb(const ir_op *op)
{
    return has(op, "TTL_CBInputTileOpTrait");
}

/* ---- functions --------------------------------------------------------------------- */

ir_op *ttl_function_of(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}

int64_t ttl_thread_kind(const ir_op *func)
{
    ir_attr thread = ir_op_attr(func, "ttkernel.thread");
    if (!thread)
        thread = ir_op_attr(func, "ttl.kernel_thread");
    return ir_enum_value(thread, -1);
}
