/* tosa_to_ttir.c: convert-tosa-to-ttir.
 *
 * Most operations differ in name only (the first table); the others have operands that
 * are attributes in TTIR, or another operand order.  Zero points, shifts and rounding
 * that TTIR lacks are rejected, not dropped. */
#include "ir/pass/pass.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/tosa/tosa.h"
#include "ttir/build.h"
#include "ttir/ttir.h"

#include <stdlib.h>

/* Both return false after an error, or with the IR unchanged if no rule applies. */
typedef bool convert_fn(ir_op *op, ir_builder *b);

static bool done(ir_op *op, ir_value *value)
{
    ir_value_replace_uses(&op->results[0], value);
    ir_op_erase(op);
    return true;
}

static ir_value *operand(const ir_op *op, size_t i)
{
    return ir_op_operand(op, i);
}

static ir_type result(const ir_op *op)
{
    return op->results[0].type;
}

/* The integers of a constant operand, such as a shape; 0 if it is none. */
static size_t numbers_of(const ir_op *op, size_t i, int64_t *out)
{
    int64_t n = ir_attr_ints(rw_constant(operand(op, i)), out, TTIR_MAX_DIMS * 2);
    return n < 0 || n > TTIR_MAX_DIMS * 2 ? 0 : (size_t)n;
}

static ir_attr i32_array(const ir_op *op, const char *name, const uint8_t *order, size_t n)
{
    int64_t in[TTIR_MAX_DIMS], out[TTIR_MAX_DIMS];
    if (ir_attr_ints(ir_op_attr(op, name), in, TTIR_MAX_DIMS) != (int64_t)n)
        return NULL;
    for (size_t i = 0; i < n; i++)
        out[i] = in[order[i]];
    return ir_dense_i32_array(op->ctx, out, n);
}

/* True if operands from `first` on (zero points, shifts) are constant zeros. */
static bool are_zeros(ir_op *op, size_t first, const char *what)
{
    for (uint32_t i = (uint32_t)first; i < op->n_operands; i++) {
        ir_attr value = rw_constant(operand(op, i));
        if (!value)
            return ir_op_error(
                op, "conversion expects %s value to be defined by a tosa.const op", what);
        int64_t n = ir_type_num_elements(value->type);
        for (int64_t k = 0; k < n; k++)
            if (ir_attr_real(ir_dense_element(value, (size_t)k), 1) != 0)
                return strcmp(what, "shift") == 0
                           ? ir_op_error(op, "conversion does not support shifted multiply")
                           : ir_op_error(op, "conversion does not support a %s but 0",
                                         what);
    }
    return true;
}

/* ---- constants ---------------------------------------------------------------------- */

static bool constant(ir_op *op, ir_builder *b)
{
    return done(op, ir_build1(b, TTIR_OP(constant), result(op), NULL, 0,
                              IR_ATTRS({"value", ir_op_attr(op, "values")})));
}

static bool const_shape(ir_op *op, ir_builder *b)
{
    int64_t at[TTIR_MAX_DIMS * 2];
    int64_t n = ir_attr_ints(ir_op_attr(op, "values"), at, TW_COUNT(at));
    if (n < 0 || n > (int64_t)TW_COUNT(at))
        return false;
    ir_type type = ir_tensor_type(ir_integer_type(op->ctx, 64, IR_SIGNLESS), &n, 1, NULL);
    return done(op, ir_build1(b, TTIR_OP(constant), type, NULL, 0,
                              IR_ATTRS({"value", ir_dense_i64(type, at, (size_t)n)})));
}

/* ---- arithmetic --------------------------------------------------------------------- */

static bool multiply(ir_op *op, ir_builder *b)
{
    return are_zeros(op, 2, "shift") &&
           done(op, ir_build1(b, TTIR_OP(multiply), result(op),
                              IR_VALUES(operand(op, 0), operand(op, 1)), NULL, 0));
}

static bool negate(ir_op *op, ir_builder *b)
{
    return are_zeros(op, 1, "zero point") &&
           done(op,
                ir_build1(b, TTIR_OP(neg), result(op), IR_VALUES(operand(op, 0)), NULL, 0));
}

static bool matmul(ir_op *op, ir_builder *b)
{
    return are_zeros(op, 2, "zero point") &&
           done(op, ir_build1(b, TTIR_OP(matmul), result(op),
                              IR_VALUES(operand(op, 0), operand(op, 1)), NULL, 0));
}

/* From floats to integers TOSA rounds to even, while TTIR truncates. */
static bool cast(ir_op *op, ir_builder *b)
{
    if (ir_type_element(operand(op, 0)->type)->kind == IR_TYPE_FLOAT &&
        ir_type_element(result(op))->kind != IR_TYPE_FLOAT)
        return false;
    return done(op, ir_build1(b, TTIR_OP(typecast), result(op), IR_VALUES(operand(op, 0)),
                              NULL, 0));
}

static ir_attr bound(ir_attr value)
{
    if (ir_attr_is(value, IR_ATTR_INTEGER))
        return ir_i32_attr(value->ctx, value->value);
    return ir_f32_attr(value->ctx, ir_attr_real(value, 0));
}

static bool clamp(ir_op *op, ir_builder *b)
{
    ir_attr low = ir_op_attr(op, "min_val"), high = ir_op_attr(op, "max_val");
    return done(op,
                ir_build1(b, TTIR_OP(clamp_scalar), result(op), IR_VALUES(operand(op, 0)),
                          IR_ATTRS({"min", bound(low)}, {"max", bound(high)})));
}

static bool identity(ir_op *op, ir_builder *b)
{
    (void)b;
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], operand(op, i));
    ir_op_erase(op);
    return true;
}

/* ---- reductions --------------------------------------------------------------------- */

static bool reduce(ir_op *op, ir_builder *b)
{
    static const struct {
        uint16_t from, to;
    } rows[] = {
        {TOSA_argmax, TTIR_argmax},        {TOSA_reduce_all, TTIR_reduce_and},
        {TOSA_reduce_any, TTIR_reduce_or}, {TOSA_reduce_max, TTIR_max},
        {TOSA_reduce_min, TTIR_min},       {TOSA_reduce_product, TTIR_prod},
        {TOSA_reduce_sum, TTIR_sum},
    };
    int64_t axis = ir_op_int(op, "axis", 0);
    bool keeps = op->def != TOSA_OP(argmax);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &tosa_ops[rows[i].from])
            return done(
                op,
                ir_build1(b, &ttir_ops[rows[i].to], result(op), IR_VALUES(operand(op, 0)),
                          IR_ATTRS({"keep_dim", ir_bool_attr(op->ctx, keeps)},
                                   {"dim_arg", ir_i32_array_attr(op->ctx, &axis, 1)})));
    return false;
}

/* ---- shapes ------------------------------------------------------------------------- */

static bool reshape(ir_op *op, ir_builder *b)
{
    ir_type t = result(op);
    if (!rw_constant(operand(op, 1)))
        return ir_op_error(op, "conversion expects shape input to be a constant tensor");
    return done(
        op, ir_build1(b, TTIR_OP(reshape), t, IR_VALUES(operand(op, 0)),
                      IR_ATTRS({"shape", ir_i32_array_attr(op->ctx, t->dims, t->count)})));
}

static bool concat(ir_op *op, ir_builder *b)
{
    ir_value *parts[64];
    if (op->n_operands > TW_COUNT(parts))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        parts[i] = operand(op, i);
    ir_attr dim = ir_si32_attr(op->ctx, ir_op_int(op, "axis", 0));
    return done(op, ir_build1(b, TTIR_OP(concat), result(op), parts, op->n_operands,
                              IR_ATTRS({"dim", dim})));
}

static bool transpose(ir_op *op, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "perms"), order, TTIR_MAX_DIMS);
    return n >= 0 && n <= TTIR_MAX_DIMS &&
           done(op, ir_build1(b, TTIR_OP(permute), result(op), IR_VALUES(operand(op, 0)),
                              IR_ATTRS({"permutation",
                                        ir_dense_i64_array(op->ctx, order, (size_t)n)})));
}

static bool reverse(ir_op *op, ir_builder *b)
{
    int64_t axis = ir_op_int(op, "axis", 0);
    return done(op,
                ir_build1(b, TTIR_OP(reverse), result(op), IR_VALUES(operand(op, 0)),
                          IR_ATTRS({"dimensions", ir_dense_i64_array(op->ctx, &axis, 1)})));
}

static bool slice(ir_op *op, ir_builder *b)
{
    int64_t start[TTIR_MAX_DIMS * 2], end[TTIR_MAX_DIMS], step[TTIR_MAX_DIMS];
    ir_type t = result(op);
    if (t->count > TTIR_MAX_DIMS || numbers_of(op, 1, start) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        end[i] = start[i] + t->dims[i];
        step[i] = 1;
    }
    return done(op, ttir_build_slice(b, operand(op, 0), start, end, step));
}

static bool tile(ir_op *op, ir_builder *b)
{
    int64_t times[TTIR_MAX_DIMS * 2];
    size_t n = numbers_of(op, 1, times);
    return n == result(op)->count &&
           done(op, ir_build1(b, TTIR_OP(repeat), result(op), IR_VALUES(operand(op, 0)),
                              IR_ATTRS({"repeat_dimensions",
                                        ir_dense_i64_array(op->ctx, times, n)})));
}

static bool pad(ir_op *op, ir_builder *b)
{
    int64_t by[TTIR_MAX_DIMS * 2];
    size_t n = numbers_of(op, 1, by);
    ir_attr fill = rw_constant(operand(op, 2));
    if (!fill || ir_type_num_elements(fill->type) != 1 || n != 2u * result(op)->count)
        return false;
    double value = ir_attr_real(ir_dense_element(fill, 0), 0);
    return done(op, ir_build1(b, TTIR_OP(pad), result(op), IR_VALUES(operand(op, 0)),
                              IR_ATTRS({"padding", ir_dense_i32_array(op->ctx, by, n)},
                                       {"value", ir_f32_attr(op->ctx, value)})));
}

/* ---- windows ------------------------------------------------------------------------ */

/* TOSA pads [top, bottom, left, right], TTIR [top, left, bottom, right]. */
static const uint8_t as_they_are[] = {0, 1}, sides[] = {0, 2, 1, 3};

static bool pool(ir_op *op, ir_builder *b)
{
    int64_t ones[] = {1, 1};
    bool average = op->def == TOSA_OP(avg_pool2d);
    if (average && !are_zeros(op, 1, "zero point"))
        return false;
    return done(op, ir_build1(b, average ? TTIR_OP(avg_pool2d) : TTIR_OP(max_pool2d),
                              result(op), IR_VALUES(operand(op, 0)),
                              IR_ATTRS({"kernel", i32_array(op, "kernel", as_they_are, 2)},
                                       {"stride", i32_array(op, "stride", as_they_are, 2)},
                                       {"dilation", ir_dense_i32_array(op->ctx, ones, 2)},
                                       {"padding", i32_array(op, "pad", sides, 4)},
                                       {"ceil_mode", ir_bool_attr(op->ctx, false)},
                                       {"count_include_pad",
                                        average ? ir_bool_attr(op->ctx, false) : NULL})));
}

static bool zero_points(ir_op *op)
{
    return are_zeros(op, 3, "zero point");
}

/* Weights are [out, height, width, in] in TOSA and [out, in, height, width] in TTIR. */
static bool conv2d(ir_op *op, ir_builder *b)
{
    static const int64_t order[] = {0, 3, 1, 2};
    ir_type out = result(op);
    if (!zero_points(op))
        return false;
    int64_t wide[] = {1, 1, 1, operand(op, 2)->type->dims[0]};
    ir_value *weight = ttir_build_permute(b, operand(op, 1), order);
    ir_value *bias = ttir_build_reshape(b, operand(op, 2), wide, 4);
    return done(op,
                ir_build1(b, TTIR_OP(conv2d), out, IR_VALUES(operand(op, 0), weight, bias),
                          IR_ATTRS({"stride", i32_array(op, "stride", as_they_are, 2)},
                                   {"padding", i32_array(op, "pad", sides, 4)},
                                   {"dilation", i32_array(op, "dilation", as_they_are, 2)},
                                   {"groups", ir_i32_attr(op->ctx, 1)})));
}

/* ---- the tables --------------------------------------------------------------------- */

static const struct {
    uint16_t from, to;
} same[] = {
    {TOSA_abs, TTIR_abs},
    {TOSA_add, TTIR_add},
    {TOSA_bitwise_and, TTIR_bitwise_and},
    {TOSA_bitwise_not, TTIR_bitwise_not},
    {TOSA_bitwise_or, TTIR_bitwise_or},
    {TOSA_bitwise_xor, TTIR_bitwise_xor},
    {TOSA_ceil, TTIR_ceil},
    {TOSA_cos, TTIR_cos},
    {TOSA_equal, TTIR_eq},
    {TOSA_erf, TTIR_erf},
    {TOSA_exp, TTIR_exp},
    {TOSA_floor, TTIR_floor},
    {TOSA_greater, TTIR_gt},
    {TOSA_greater_equal, TTIR_ge},
    {TOSA_log, TTIR_log},
    {TOSA_logical_and, TTIR_logical_and},
    {TOSA_logical_left_shift, TTIR_logical_left_shift},
    {TOSA_logical_not, TTIR_logical_not},
    {TOSA_logical_or, TTIR_logical_or},
    {TOSA_logical_right_shift, TTIR_logical_right_shift},
    {TOSA_logical_xor, TTIR_logical_xor},
    {TOSA_maximum, TTIR_maximum},
    {TOSA_minimum, TTIR_minimum},
    {TOSA_pow, TTIR_pow},
    {TOSA_reciprocal, TTIR_reciprocal},
    {TOSA_rsqrt, TTIR_rsqrt},
    {TOSA_select, TTIR_where},
    {TOSA_sigmoid, TTIR_sigmoid},
    {TOSA_sin, TTIR_sin},
    {TOSA_sub, TTIR_subtract},
    {TOSA_tanh, TTIR_tanh},
};

static const struct {
    uint16_t row;
    convert_fn *convert;
} others[] = {
    {TOSA_argmax, reduce},
    {TOSA_avg_pool2d, pool},
    {TOSA_cast, cast},
    {TOSA_clamp, clamp},
    {TOSA_concat, concat},
    {TOSA_const, constant},
    {TOSA_const_shape, const_shape},
    {TOSA_conv2d, conv2d},
    {TOSA_identity, identity},
    {TOSA_matmul, matmul},
    {TOSA_max_pool2d, pool},
    {TOSA_mul, multiply},
    {TOSA_negate, negate},
    {TOSA_pad, pad},
    {TOSA_reduce_all, reduce},
    {TOSA_reduce_any, reduce},
    {TOSA_reduce_max, reduce},
    {TOSA_reduce_min, reduce},
    {TOSA_reduce_product, reduce},
    {TOSA_reduce_sum, reduce},
    {TOSA_reshape, reshape},
    {TOSA_reverse, reverse},
    {TOSA_slice, slice},
    {TOSA_tile, tile},
    {TOSA_transpose, transpose},
};

static bool convert(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    size_t errors = ir_context_error_count(op->ctx);
    ir_value *values[3];
    for (size_t i = 0; i < TW_COUNT(same); i++) {
        if (op->def != &tosa_ops[same[i].from] || op->n_operands > TW_COUNT(values))
            continue;
        for (uint32_t k = 0; k < op->n_operands; k++)
            values[k] = operand(op, k);
        return done(op, ir_build1(&b, &ttir_ops[same[i].to], result(op), values,
                                  op->n_operands, NULL, 0));
    }
    for (size_t i = 0; i < TW_COUNT(others); i++)
        if (op->def == &tosa_ops[others[i].row] && others[i].convert(op, &b))
            return true;
    ir_flush_diagnostics(op->ctx);
    if (ir_context_error_count(op->ctx) == errors)
        ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
    return false;
}

/* Only operations on tensors of known rank are converted. */
static bool is_ranked(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (operand(op, i)->type->kind == IR_TYPE_UNRANKED_TENSOR)
            return false;
    return op->n_results == 0 || result(op)->kind != IR_TYPE_UNRANKED_TENSOR;
}

static bool convert_region(ir_region *region)
{
    bool ok = true;
    for (ir_block *block = region->first; block; block = block->next)
        for (ir_op *op = block->first, *next; op; op = next) {
            next = op->next;
            bool is_tosa = strncmp(op->def->name, "tosa.", 5) == 0;
            if (is_tosa)
                ok &= is_ranked(op) ? convert(op)
                                    : ir_op_error(op, "conversion expects tensors of known "
                                                      "rank");
            else
                for (uint16_t r = 0; r < op->n_regions; r++)
                    ok &= convert_region(&op->regions[r]);
        }
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return convert_region(&module->regions[0]);
}

const pass_def convert_tosa_to_ttir_pass = {
    .name = "convert-tosa-to-ttir",
    .title = "ConvertTosaToTTIR",
    .summary = "Convert TOSA dialect to TTIR dialect.",
    .anchor = "builtin.module",
    .run = run,
};
