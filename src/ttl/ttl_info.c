/* ttl_info.c: see ttl_info.h. */
#include "ttl/ttl_info.h"

#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"

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

static int64_t times(int64_t a, int64_t b)
{
    int64_t n;
    return __builtin_mul_overflow(a, b, &n) ? INT64_MAX : n;
}

int64_t ttl_cb_block_size(ir_type cb)
{
    int64_t n = 1;
    for (size_t i = 0; i < ttl_cb_rank(cb); i++)
        n = times(n, ttl_cb_dim(cb, i));
    return n;
}

int64_t ttl_cb_capacity(ir_type cb)
{
    return times(ttl_cb_block_size(cb), cb->params[2]->value);
}

/* ---- families ---------------------------------------------------------------------- */

#define ROW(tensor, tile, init, compute, form)                                             \
    {                                                                                      \
        TTL_OP(tensor), TTL_OP(tile), TTKERNEL_OP(init), TTKERNEL_OP(compute), form        \
    }

/* With a form for integers, that may want an init of its own. */
#define INT_ROW(tensor, tile, init, compute, form, whole_init, whole, signed)              \
    {                                                                                      \
        TTL_OP(tensor), TTL_OP(tile), TTKERNEL_OP(init), TTKERNEL_OP(compute), form,       \
            .int_init = TTKERNEL_OP(whole_init), .int_compute = TTKERNEL_OP(whole),        \
            .is_signed = signed                                                            \
    }

/* For integers only. */
#define WHOLE_ROW(tensor, tile, init, compute, form)                                       \
    {                                                                                      \
        TTL_OP(tensor), TTL_OP(tile), NULL, NULL, form,                                    \
            .int_init = TTKERNEL_OP(init), .int_compute = TTKERNEL_OP(compute)             \
    }

static const ttl_elementwise rows[] = {
    INT_ROW(add, tile_add, add_binary_tile_init, add_binary_tile, TTL_BINARY,
            add_int_tile_init, add_int_tile, false),
    INT_ROW(sub, tile_sub, sub_binary_tile_init, sub_binary_tile, TTL_BINARY,
            sub_int_tile_init, sub_int_tile, false),
    INT_ROW(mul, tile_mul, mul_binary_tile_init, mul_binary_tile, TTL_BINARY,
            mul_int_tile_init, mul_int_tile, false),
    INT_ROW(max, tile_max, binary_max_tile_init, binary_max_tile, TTL_BINARY,
            binary_max_int32_tile_init, binary_max_int32_tile, true),
    ROW(exp, tile_exp, exp_tile_init, exp_tile, TTL_UNARY),
    ROW(log, tile_log, log_tile_init, log_tile, TTL_UNARY),
    ROW(sqrt, tile_sqrt, sqrt_tile_init, sqrt_tile, TTL_UNARY),
    ROW(rsqrt, tile_rsqrt, rsqrt_tile_init, rsqrt_tile, TTL_UNARY),
    ROW(tanh, tile_tanh, tanh_tile_init, tanh_tile, TTL_UNARY),
    INT_ROW(abs, tile_abs, abs_tile_init, abs_tile, TTL_UNARY, abs_tile_init,
            abs_tile_int32, true),
    INT_ROW(neg, tile_neg, negative_tile_init, negative_tile, TTL_UNARY, negative_tile_init,
            negative_tile_int32, true),
    INT_ROW(relu, tile_relu, relu_tile_init, relu_tile, TTL_UNARY, relu_tile_init,
            relu_tile_int32, true),
    ROW(sigmoid, tile_sigmoid, sigmoid_tile_init, sigmoid_tile, TTL_UNARY),
    ROW(exp2, tile_exp2, exp2_tile_init, exp2_tile, TTL_UNARY),
    ROW(expm1, tile_expm1, expm1_tile_init, expm1_tile, TTL_UNARY),
    ROW(log1p, tile_log1p, log1p_tile_init, log1p_tile, TTL_UNARY),
    ROW(square, tile_square, square_tile_init, square_tile, TTL_UNARY),
    ROW(recip, tile_recip, recip_tile_init, recip_tile, TTL_UNARY),
    ROW(tan, tile_tan, tan_tile_init, tan_tile, TTL_UNARY),
    ROW(atan, tile_atan, atan_tile_init, atan_tile, TTL_UNARY),
    ROW(sin, tile_sin, sin_tile_init, sin_tile, TTL_UNARY),
    ROW(asin, tile_asin, asin_tile_init, asin_tile, TTL_UNARY),
    ROW(cos, tile_cos, cos_tile_init, cos_tile, TTL_UNARY),
    ROW(acos, tile_acos, acos_tile_init, acos_tile, TTL_UNARY),
    ROW(gelu, tile_gelu, gelu_tile_init, gelu_tile, TTL_UNARY),
    ROW(silu, tile_silu, silu_tile_init, silu_tile, TTL_UNARY),
    ROW(softsign, tile_softsign, softsign_tile_init, softsign_tile, TTL_UNARY),
    ROW(hardsigmoid, tile_hardsigmoid, hardsigmoid_tile_init, hardsigmoid_tile, TTL_UNARY),
    /* scale and alpha as f32 bits: 1.05070102 and 1.67326319 */
    {TTL_OP(selu), TTL_OP(tile_selu), TTKERNEL_OP(selu_tile_init), TTKERNEL_OP(selu_tile),
     TTL_UNARY, .n_numbers = 2, .numbers = {0x3F867D5F, 0x3FD62D7D}},
    ROW(sign, tile_sign, sign_tile_init, sign_tile, TTL_UNARY),
    ROW(signbit, tile_signbit, signbit_tile_init, signbit_tile, TTL_UNARY),
    ROW(erf, tile_erf, erf_tile_init, erf_tile, TTL_UNARY),
    ROW(erfc, tile_erfc, erfc_tile_init, erfc_tile, TTL_UNARY),
    INT_ROW(eqz, tile_eqz, eqz_tile_init, eqz_tile, TTL_UNARY, eqz_tile_init,
            eqz_tile_int32, false),
    INT_ROW(nez, tile_nez, nez_tile_init, nez_tile, TTL_UNARY, nez_tile_init,
            nez_tile_int32, false),
    INT_ROW(ltz, tile_ltz, ltz_tile_init, ltz_tile, TTL_UNARY, ltz_tile_init,
            ltz_tile_int32, true),
    INT_ROW(lez, tile_lez, lez_tile_init, lez_tile, TTL_UNARY, lez_tile_init,
            lez_tile_int32, true),
    INT_ROW(gtz, tile_gtz, gtz_tile_init, gtz_tile, TTL_UNARY, gtz_tile_init,
            gtz_tile_int32, true),
    INT_ROW(gez, tile_gez, gez_tile_init, gez_tile, TTL_UNARY, gez_tile_init,
            gez_tile_int32, true),
    ROW(ceil, tile_ceil, rounding_op_tile_init, ceil_tile, TTL_UNARY),
    ROW(floor, tile_floor, rounding_op_tile_init, floor_tile, TTL_UNARY),
    ROW(trunc, tile_trunc, rounding_op_tile_init, trunc_tile, TTL_UNARY),
    ROW(frac, tile_frac, rounding_op_tile_init, frac_tile, TTL_UNARY),
    ROW(div, tile_div, div_binary_tile_init, div_binary_tile, TTL_BINARY),
    ROW(pow, tile_pow, power_binary_tile_init, power_binary_tile, TTL_BINARY),
    ROW(eq, tile_eq, eq_binary_tile_init, eq_binary_tile, TTL_BINARY),
    ROW(ne, tile_ne, ne_binary_tile_init, ne_binary_tile, TTL_BINARY),
    ROW(lt, tile_lt, lt_binary_tile_init, lt_binary_tile, TTL_BINARY),
    ROW(le, tile_le, le_binary_tile_init, le_binary_tile, TTL_BINARY),
    ROW(gt, tile_gt, gt_binary_tile_init, gt_binary_tile, TTL_BINARY),
    ROW(ge, tile_ge, ge_binary_tile_init, ge_binary_tile, TTL_BINARY),
    ROW(atan2, tile_atan2, atan2_binary_tile_init, atan2_binary_tile, TTL_BINARY),
    INT_ROW(where, tile_where, where_tile_init, where_tile, TTL_TERNARY, where_tile_init,
            where_tile, false),
    INT_ROW(min, tile_min, binary_min_tile_init, binary_min_tile, TTL_BINARY,
            binary_min_int32_tile_init, binary_min_int32_tile, true),
    INT_ROW(add_scalar, tile_add_scalar, binop_with_scalar_tile_init, add_unary_tile,
            TTL_UNARY_NUMBER, binop_with_scalar_tile_init, add_unary_tile_int32, false),
    INT_ROW(sub_scalar, tile_sub_scalar, binop_with_scalar_tile_init, sub_unary_tile,
            TTL_UNARY_NUMBER, binop_with_scalar_tile_init, sub_unary_tile_int32, false),
    ROW(mul_scalar, tile_mul_scalar, binop_with_scalar_tile_init, mul_unary_tile,
        TTL_UNARY_NUMBER),
    ROW(div_scalar, tile_div_scalar, binop_with_scalar_tile_init, div_unary_tile,
        TTL_UNARY_NUMBER),
    ROW(pow_scalar, tile_pow_scalar, power_tile_init, power_tile, TTL_UNARY_NUMBER),
    ROW(typecast, tile_typecast, typecast_tile_init, typecast_tile, TTL_UNARY),
    INT_ROW(clamp, tile_clamp, clamp_tile_init, clamp_tile, TTL_UNARY_RANGE,
            clamp_tile_init, clamp_tile_int32, true),
    WHOLE_ROW(bitwise_and, tile_bitwise_and, binary_bitwise_tile_init,
              bitwise_and_binary_tile, TTL_BINARY),
    WHOLE_ROW(bitwise_or, tile_bitwise_or, binary_bitwise_tile_init, bitwise_or_binary_tile,
              TTL_BINARY),
    WHOLE_ROW(bitwise_xor, tile_bitwise_xor, binary_bitwise_tile_init,
              bitwise_xor_binary_tile, TTL_BINARY),
    WHOLE_ROW(bitwise_not, tile_bitwise_not, bitwise_not_tile_init, bitwise_not_tile,
              TTL_UNARY),
    WHOLE_ROW(bitwise_left_shift, tile_bitwise_left_shift, binary_shift_tile_init,
              binary_left_shift_tile, TTL_BINARY),
    WHOLE_ROW(bitwise_right_shift, tile_bitwise_right_shift, binary_shift_tile_init,
              binary_right_shift_tile, TTL_BINARY),
    WHOLE_ROW(logical_right_shift, tile_logical_right_shift, binary_shift_tile_init,
              binary_logical_right_shift_tile, TTL_BINARY),
    WHOLE_ROW(fill_int, tile_fill_int, fill_tile_init, fill_tile_int, TTL_UNARY_NUMBER),
};

const ttl_elementwise *ttl_elementwise_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].tensor == def || rows[i].tile == def)
            return &rows[i];
    return NULL;
}

const char *const *ttl_number_names(ttl_form form)
{
    static const char *const names[][3] = {
        [TTL_UNARY] = {NULL},
        [TTL_UNARY_NUMBER] = {"value"},
        [TTL_UNARY_RANGE] = {"min", "max"},
        [TTL_BINARY] = {NULL},
        [TTL_TERNARY] = {NULL},
    };
    return names[form];
}

static const ttl_buffer_op buffer_rows[] = {
    {TTL_OP(bcast), TTL_OP(tile_bcast), false},
    {TTL_OP(matmul), TTL_OP(tile_matmul), true},
    {TTL_OP(reduce_max), TTL_OP(tile_reduce_max), true},
    {TTL_OP(reduce_sum), TTL_OP(tile_reduce_sum), true},
    {TTL_OP(transpose), TTL_OP(tile_transpose), false},
};

const ttl_buffer_op *ttl_buffer_op_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(buffer_rows); i++)
        if (buffer_rows[i].tensor == def)
            return &buffer_rows[i];
    return NULL;
}

const ttl_buffer_op *ttl_buffer_op_of_tile(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(buffer_rows); i++)
        if (buffer_rows[i].tile == def)
            return &buffer_rows[i];
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

/* ---- buffers ------------------------------------------------------------------------- */

ir_value *ttl_buffer_of(const ir_op *op, uint32_t operand)
{
    ir_value *v = op->operands[operand].value;
    ir_op *def = ir_value_def(v);
    if (ir_op_is(def, TTL_OP(attach_cb)))
        return def->operands[1].value;
    bool view = def && (def->def == TTL_OP(cb_reserve) || def->def == TTL_OP(cb_wait));
    return view ? def->operands[0].value : v;
}

ir_op *ttl_bind_of(ir_value *cb)
{
    ir_op *def = ir_value_def(cb);
    while (ir_op_is(def, TTL_OP(reshape_cb)))
        def = ir_value_def(def->operands[0].value);
    return def;
}

int64_t ttl_block_pages(ir_value *cb)
{
    const int64_t tile = 32 * 32, n = ttl_cb_block_size(cb->type);
    const ir_op *bind = ttl_bind_of(cb);
    if (bind && ir_op_attr(bind, "ttl.padded"))
        return (n + tile - 1) / tile;
    if (ttcore_is_tile(ttl_cb_element(cb->type)))
        return n;
    if (n % tile == 0)
        return n / tile;
    return bind && ir_op_attr(bind, "ttl.rows") ? 1 : n;
}

int64_t ttl_block_bytes(ir_type cb)
{
    ir_type element = ttl_cb_element(cb);
    int64_t bytes =
        ttcore_is_tile(element) ? ttcore_tile_bytes(element) : ttcore_scalar_bytes(element);
    return times(bytes, ttl_cb_block_size(cb));
}

/* ---- functions --------------------------------------------------------------------- */

ir_op *ttl_function_of(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}
