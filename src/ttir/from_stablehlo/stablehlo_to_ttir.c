/* stablehlo_to_ttir.c: the pass, the table of conversions, and the simple ones.
 *
 * Types are kept; element types are narrowed later.  Operations are converted in program
 * order, so producers are already TTIR. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include "ir/watch.h"
#include "mlir/tensor/tensor.h"
#include "sdy/sdy.h"
#include "sdy/single_device.h"
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/mesh.h"

#include <math.h>
#include <stdlib.h>

enum { CAPACITY = 32 };

bool s2t_done(ir_op *op, ir_value *value)
{
    ir_value_replace_uses(&op->results[0], value);
    ir_op_erase(op);
    return true;
}

static ir_type result_type(const ir_op *op)
{
    return op->results[0].type;
}

ir_attr s2t_d32(ir_context *ctx, const int64_t *values, size_t count)
{
    return ir_dense_i32_array(ctx, values, count);
}

/* ---- building blocks ---------------------------------------------------------------- */

ir_value *s2t_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    ir_type type = ir_type_with_shape(v->type, dims, rank);
    if (type == v->type)
        return v;
    return ir_build1(b, TTIR_OP(reshape), type, IR_VALUES(v),
                     IR_ATTRS({"shape", ir_i32_array_attr(b->ctx, dims, rank)}));
}

ir_value *s2t_permute(ir_builder *b, ir_value *v, const int64_t *permutation, size_t rank)
{
    int64_t dims[CAPACITY];
    for (size_t i = 0; i < rank; i++)
        dims[i] = v->type->dims[permutation[i]];
    return ir_build1(
        b, TTIR_OP(permute), ir_type_with_shape(v->type, dims, rank), IR_VALUES(v),
        IR_ATTRS({"permutation", ir_dense_i64_array(b->ctx, permutation, rank)}));
}

/* Builds an operation whose attribute `name` has the repetitions of each dimension. */
static ir_value *repeat(ir_builder *b, const ir_op_def *def, const char *name, ir_value *v,
                        const int64_t *dims, size_t rank)
{
    int64_t factors[CAPACITY];
    bool any = false;
    for (size_t i = 0; i < rank; i++) {
        factors[i] = v->type->dims[i] ? dims[i] / v->type->dims[i] : 1;
        any |= factors[i] != 1;
    }
    if (!any)
        return v;
    return ir_build1(b, def, ir_type_with_shape(v->type, dims, rank), IR_VALUES(v),
                     IR_ATTRS({name, ir_dense_i64_array(b->ctx, factors, rank)}));
}

ir_value *s2t_broadcast(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    return repeat(b, TTIR_OP(broadcast), "broadcast_dimensions", v, dims, rank);
}

ir_value *s2t_repeat(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    return repeat(b, TTIR_OP(repeat), "repeat_dimensions", v, dims, rank);
}

ir_value *s2t_slice(ir_builder *b, ir_value *v, const int64_t *begins, const int64_t *ends,
                    const int64_t *steps)
{
    int64_t dims[CAPACITY], ones[CAPACITY];
    size_t rank = v->type->count;
    for (size_t i = 0; i < rank; i++) {
        ones[i] = steps ? steps[i] : 1;
        dims[i] = (ends[i] - begins[i] + ones[i] - 1) / ones[i];
    }
    return ir_build1(b, TTIR_OP(slice_static), ir_type_with_shape(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"begins", ir_i32_array_attr(b->ctx, begins, rank)},
                              {"ends", ir_i32_array_attr(b->ctx, ends, rank)},
                              {"step", ir_i32_array_attr(b->ctx, ones, rank)}));
}

ir_value *s2t_splat(ir_builder *b, ir_type type, double value)
{
    return ir_build1(b, TTIR_OP(constant), type, NULL, 0,
                     IR_ATTRS({"value", ir_dense_splat(type, value)}));
}

/* Casts a number to another element type; false if the result is not exact. */
static bool cast_number(ir_type to, double *value)
{
    if (to->kind == IR_TYPE_FLOAT) {
        ir_attr rounded = ir_dense_splat(ir_tensor_type(to, NULL, 0, NULL), *value);
        *value = ir_dense_real(rounded, 0);
        return true;
    }
    if (to->kind != IR_TYPE_INTEGER)
        return false;
    if (to->width == 1) {
        *value = *value != 0;
        return true;
    }
    bool is_signed = to->sign != IR_UNSIGNED;
    double bound = ldexp(1, (int)to->width - is_signed);
    *value = trunc(*value);
    return *value < bound && *value >= (is_signed ? -bound : 0);
}

bool s2t_splat_value(ir_value *v, double *out)
{
    ir_op *def = ir_value_def(v);
    if (!def)
        return false;
    ir_attr value = def->n_operands == 0 ? ir_op_attr(def, "value") : NULL;
    if (ir_attr_is(value, IR_ATTR_DENSE) && (value->splat & 1)) {
        *out = ir_dense_real(value, 0);
        return true;
    }
    if (def->def == TTIR_OP(full)) {
        *out = ir_op_real(def, "fill_value", 0);
        return true;
    }
    if (def->def == TTIR_OP(reshape) || def->def == TTIR_OP(broadcast) ||
        def->def == STABLEHLO_OP(broadcast_in_dim) || def->def == STABLEHLO_OP(reshape))
        return s2t_splat_value(def->operands[0].value, out);
    return (def->def == TTIR_OP(typecast) || def->def == STABLEHLO_OP(convert)) &&
           s2t_splat_value(def->operands[0].value, out) &&
           cast_number(ir_type_element(v->type), out);
}

ir_value *s2t_splat_like(ir_builder *b, ir_type type, ir_value *v)
{
    const ir_op *def = ir_value_def(v);
    ir_attr value = def ? ir_op_attr(def, "value") : NULL;
    double real = 0;
    if (ir_attr_is(value, IR_ATTR_DENSE) && (value->splat & 1) &&
        ir_type_element(value->type) == ir_type_element(type))
        return ir_build1(b, TTIR_OP(constant), type, NULL, 0,
                         IR_ATTRS({"value", ir_dense_reshape(value, type)}));
    return s2t_splat_value(v, &real) ? s2t_splat(b, type, real) : NULL;
}

/* ---- one to one --------------------------------------------------------------------- */

enum { NO_ROW = UINT16_MAX };

static const struct {
    uint16_t from, to;
} one_to_one[] = {
#define HLO(name) STABLEHLO_##name
#define CHLO(name) NO_ROW
#define none NO_ROW
#define TTIR_ELEMENTWISE(ttir, ttnn, form, folding, hlo, ...) {hlo, TTIR_##ttir},
#include "ttnn/elementwise.def"
#undef none
    {STABLEHLO_bitcast_convert, TTIR_bitcast_convert},
    {STABLEHLO_convert, TTIR_typecast},
    {STABLEHLO_power, TTIR_pow},
};

static bool is_bool(ir_type t)
{
    return ir_type_is_integer(ir_type_element(t), 1);
}

/* Boolean addition is or, multiplication is and. */
static bool convert_boolean(ir_op *op, ir_builder *b)
{
    static const struct {
        uint16_t from, to;
    } table[] = {{STABLEHLO_add, TTIR_logical_or},
                 {STABLEHLO_maximum, TTIR_logical_or},
                 {STABLEHLO_minimum, TTIR_logical_and},
                 {STABLEHLO_multiply, TTIR_logical_and}};
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (op->def == &stablehlo_ops[table[i].from] && is_bool(result_type(op)))
            return s2t_done(
                op, ir_build1(b, &ttir_ops[table[i].to], result_type(op),
                              IR_VALUES(op->operands[0].value, op->operands[1].value), NULL,
                              0));
    return false;
}

/* A boolean is x != 0; a typecast would keep the value, since the device's booleans are
 * bf16. */
static bool convert_to_boolean(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type from = ir_type_element(x->type);
    if (op->def != STABLEHLO_OP(convert) || !is_bool(result_type(op)) || is_bool(x->type) ||
        (from->kind != IR_TYPE_INTEGER && from->kind != IR_TYPE_FLOAT))
        return false;
    return s2t_done(op, ir_build1(b, TTIR_OP(ne), result_type(op),
                                  IR_VALUES(x, s2t_splat(b, x->type, 0)), NULL, 0));
}

static bool convert_simple(ir_op *op, ir_builder *b)
{
    size_t row = (size_t)(op->def - stablehlo_ops);
    for (size_t i = 0; i < TW_COUNT(one_to_one); i++) {
        if (one_to_one[i].from != row)
            continue;
        ir_value *operands[3];
        for (uint32_t k = 0; k < op->n_operands; k++)
            operands[k] = op->operands[k].value;
        if (op->def == STABLEHLO_OP(select) && operands[0]->type->count == 0 &&
            result_type(op)->count > 0) {
            /* broadcasts a scalar predicate */
            int64_t ones[CAPACITY];
            for (uint32_t d = 0; d < result_type(op)->count; d++)
                ones[d] = 1;
            operands[0] = s2t_reshape(b, operands[0], ones, result_type(op)->count);
            operands[0] = s2t_broadcast(b, operands[0], result_type(op)->dims,
                                        result_type(op)->count);
        }
        return s2t_done(op, ir_build1(b, &ttir_ops[one_to_one[i].to], result_type(op),
                                      operands, op->n_operands, NULL, 0));
    }
    return false;
}

/* The boolean that an integer was converted from, or NULL. */
static ir_value *boolean_source(const ir_value *v)
{
    ir_op *cast = ir_value_def(v);
    bool widened = ir_op_is(cast, TTIR_OP(typecast)) &&
                   ir_type_element(v->type)->kind == IR_TYPE_INTEGER &&
                   is_bool(cast->operands[0].value->type);
    return widened ? cast->operands[0].value : NULL;
}

/* The only user, if it is a comparison != 0. */
static ir_op *only_test(const ir_op *op)
{
    const ir_value *v = &op->results[0];
    ir_op *test = ir_value_has_one_use(v) ? v->uses->owner : NULL;
    double zero;
    return ir_op_is(test, STABLEHLO_OP(compare)) && test->operands[0].value == v &&
                   ir_enum_value(ir_op_attr(test, "comparison_direction"), -1) ==
                       STABLEHLO_ComparisonDirection_NE &&
                   s2t_splat_value(test->operands[1].value, &zero) && zero == 0
               ? test
               : NULL;
}

/* Bitwise operations on converted booleans are logical ones on the booleans. */
static bool convert_widened(ir_op *op, ir_builder *b, const ir_op_def *logical)
{
    ir_value *operands[2];
    if (op->n_operands != 2)
        return false; /* not: inverts all bits, not only the last */
    for (uint32_t i = 0; i < 2; i++) {
        operands[i] = boolean_source(op->operands[i].value);
        if (!operands[i])
            return false;
    }
    ir_value *v = ir_build1(b, logical, operands[0]->type, operands, 2, NULL, 0);
    ir_op *test = only_test(op);
    if (test)
        ir_value_replace_uses(&test->results[0], v);
    return s2t_done(
        op, ir_build1(b, TTIR_OP(typecast), result_type(op), IR_VALUES(v), NULL, 0));
}

static bool convert_logical(ir_op *op, ir_builder *b)
{
    static const struct {
        uint16_t from, logical, bitwise;
    } table[] = {{STABLEHLO_and, TTIR_logical_and, TTIR_bitwise_and},
                 {STABLEHLO_or, TTIR_logical_or, TTIR_bitwise_or},
                 {STABLEHLO_xor, TTIR_logical_xor, TTIR_bitwise_xor},
                 {STABLEHLO_not, TTIR_logical_not, TTIR_bitwise_not}};
    size_t row = (size_t)(op->def - stablehlo_ops);
    for (size_t i = 0; i < TW_COUNT(table); i++) {
        if (table[i].from != row)
            continue;
        ir_value *operands[2];
        for (uint32_t k = 0; k < op->n_operands; k++)
            operands[k] = op->operands[k].value;
        if (convert_widened(op, b, &ttir_ops[table[i].logical]))
            return true;
        bool logical = is_bool(operands[0]->type);
        const ir_op_def *to = &ttir_ops[logical ? table[i].logical : table[i].bitwise];
        return s2t_done(
            op, ir_build1(b, to, result_type(op), operands, op->n_operands, NULL, 0));
    }
    return false;
}

/* Half away from zero, exact for every float: subtracts the fraction, since |x| + 0.5 may
 * round up to the next integer. */
static bool convert_round_afz(ir_op *op, ir_builder *b)
{
    ir_type t = result_type(op);
    ir_value *x = op->operands[0].value;
    if (ir_type_element(t)->kind != IR_TYPE_FLOAT)
        return false;
    ir_type boolean = ir_type_with_element(t, ir_integer_type(b->ctx, 1, IR_SIGNLESS));
    ir_value *half = s2t_splat(b, t, 0.5), *one = s2t_splat(b, t, 1);
    ir_value *size = ir_build1(b, TTIR_OP(abs), t, IR_VALUES(x), NULL, 0);
    ir_value *down = ir_build1(b, TTIR_OP(floor), t, IR_VALUES(size), NULL, 0);
    ir_value *rest = ir_build1(b, TTIR_OP(subtract), t, IR_VALUES(size, down), NULL, 0);
    ir_value *is_up = ir_build1(b, TTIR_OP(ge), boolean, IR_VALUES(rest, half), NULL, 0);
    ir_value *up = ir_build1(b, TTIR_OP(add), t, IR_VALUES(down, one), NULL, 0);
    ir_value *whole = ir_build1(b, TTIR_OP(where), t, IR_VALUES(is_up, up, down), NULL, 0);
    ir_value *sign = ir_build1(b, TTIR_OP(sign), t, IR_VALUES(x), NULL, 0);
    return s2t_done(op,
                    ir_build1(b, TTIR_OP(multiply), t, IR_VALUES(sign, whole), NULL, 0));
}

static bool convert_compare(ir_op *op, ir_builder *b)
{
    static const uint16_t to[] = {[STABLEHLO_ComparisonDirection_EQ] = TTIR_eq,
                                  [STABLEHLO_ComparisonDirection_NE] = TTIR_ne,
                                  [STABLEHLO_ComparisonDirection_GE] = TTIR_ge,
                                  [STABLEHLO_ComparisonDirection_GT] = TTIR_gt,
                                  [STABLEHLO_ComparisonDirection_LE] = TTIR_le,
                                  [STABLEHLO_ComparisonDirection_LT] = TTIR_lt};
    int64_t direction = ir_enum_value(ir_op_attr(op, "comparison_direction"), -1);
    bool total = ir_enum_value(ir_op_attr(op, "compare_type"), -1) ==
                 STABLEHLO_ComparisonType_TOTALORDER;
    bool is_float = ir_type_element(op->operands[0].value->type)->kind == IR_TYPE_FLOAT;
    if (direction < 0 || (size_t)direction >= TW_COUNT(to) || (total && is_float))
        return false;
    return s2t_done(op, ir_build1(b, &ttir_ops[to[direction]], result_type(op),
                                  IR_VALUES(op->operands[0].value, op->operands[1].value),
                                  NULL, 0));
}

static bool convert_clamp(ir_op *op, ir_builder *b)
{
    ir_type t = result_type(op);
    ir_value *low = op->operands[0].value, *x = op->operands[1].value,
             *high = op->operands[2].value;
    return s2t_done(
        op, ir_build1(b, TTIR_OP(clamp_tensor), t, IR_VALUES(x, low, high), NULL, 0));
}

/* ---- shapes ------------------------------------------------------------------------- */

static bool convert_reshape(ir_op *op, ir_builder *b)
{
    ir_type t = result_type(op);
    ir_value *v =
        ir_build1(b, TTIR_OP(reshape), t, IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"shape", ir_i32_array_attr(b->ctx, t->dims, t->count)}));
    return s2t_done(op, v);
}

static bool convert_transpose(ir_op *op, ir_builder *b)
{
    ir_value *v =
        ir_build1(b, TTIR_OP(permute), result_type(op), IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"permutation", ir_op_attr(op, "permutation")}));
    return s2t_done(op, v);
}

static bool convert_broadcast_in_dim(ir_op *op, ir_builder *b)
{
    ir_type t = result_type(op);
    ir_value *v = op->operands[0].value;
    int64_t at[CAPACITY], dims[CAPACITY], order[CAPACITY], factors[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), at, CAPACITY);
    if (n != v->type->count || t->count > CAPACITY)
        return false;
    /* permuted operand dimensions are first sorted to the result's order */
    bool sorted = true;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        sorted &= i == 0 || at[i - 1] < at[i];
    }
    if (!sorted) {
        for (int64_t i = 1; i < n; i++)
            for (int64_t k = i; k > 0 && at[order[k]] < at[order[k - 1]]; k--) {
                int64_t swap = order[k];
                order[k] = order[k - 1];
                order[k - 1] = swap;
            }
        v = s2t_permute(b, v, order, (size_t)n);
    }
    for (uint32_t i = 0; i < t->count; i++)
        dims[i] = 1;
    for (int64_t i = 0; i < n; i++)
        dims[at[order[i]]] = v->type->dims[i];
    v = s2t_reshape(b, v, dims, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        factors[i] = dims[i] ? t->dims[i] / dims[i] : 1;
    v = ir_build1(
        b, TTIR_OP(broadcast), t, IR_VALUES(v),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, factors, t->count)}));
    return s2t_done(op, v);
}

static bool convert_iota(ir_op *op, ir_builder *b)
{
    ir_type t = result_type(op);
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (!ir_type_has_static_shape(t))
        return false;
    ir_type si64 = ir_integer_type(b->ctx, 64, IR_SIGNED);
    ir_value *v = ir_build1(b, TTIR_OP(arange), t, NULL, 0,
                            IR_ATTRS({"start", ir_integer_attr(si64, 0)},
                                     {"end", ir_integer_attr(si64, t->dims[dim])},
                                     {"step", ir_integer_attr(si64, 1)},
                                     {"arange_dimension", ir_i64_attr(b->ctx, dim)}));
    return s2t_done(op, v);
}

static bool convert_constant(ir_op *op, ir_builder *b)
{
    ir_type element = ir_type_element(result_type(op));
    if (element->kind != IR_TYPE_INTEGER && element->kind != IR_TYPE_FLOAT)
        return false;
    ir_value *v = ir_build1(b, TTIR_OP(constant), result_type(op), NULL, 0,
                            IR_ATTRS({"value", ir_op_attr(op, "value")}));
    return s2t_done(op, v);
}

static bool convert_concatenate(ir_op *op, ir_builder *b)
{
    ir_value **inputs = tw_xmalloc(op->n_operands * sizeof *inputs);
    for (uint32_t i = 0; i < op->n_operands; i++)
        inputs[i] = op->operands[i].value;
    ir_value *v =
        ir_build1(b, TTIR_OP(concat), result_type(op), inputs, op->n_operands,
                  IR_ATTRS({"dim", ir_si32_attr(b->ctx, ir_op_int(op, "dimension", 0))}));
    free(inputs);
    return s2t_done(op, v);
}

static bool convert_slice(ir_op *op, ir_builder *b)
{
    int64_t begins[CAPACITY], ends[CAPACITY], steps[CAPACITY];
    size_t rank = result_type(op)->count;
    if (ir_attr_ints(ir_op_attr(op, "start_indices"), begins, CAPACITY) != (int64_t)rank ||
        ir_attr_ints(ir_op_attr(op, "limit_indices"), ends, CAPACITY) != (int64_t)rank ||
        ir_attr_ints(ir_op_attr(op, "strides"), steps, CAPACITY) != (int64_t)rank)
        return false;
    ir_value *v = ir_build1(b, TTIR_OP(slice_static), result_type(op),
                            IR_VALUES(op->operands[0].value),
                            IR_ATTRS({"begins", ir_i32_array_attr(b->ctx, begins, rank)},
                                     {"ends", ir_i32_array_attr(b->ctx, ends, rank)},
                                     {"step", ir_i32_array_attr(b->ctx, steps, rank)}));
    return s2t_done(op, v);
}

/* Pads with an integer that f32 cannot represent: shifts all values, pads with zero, and
 * shifts back. */
static ir_value *pad_shifted(ir_builder *b, ir_value *x, const int64_t *low,
                             const int64_t *high, const int64_t *interior, double value)
{
    ir_value *by = s2t_splat(b, x->type, value);
    x = ir_build1(b, TTIR_OP(subtract), x->type, IR_VALUES(x, by), NULL, 0);
    x = s2t_pad(b, x, low, high, interior, 0);
    by = s2t_splat(b, x->type, value);
    return ir_build1(b, TTIR_OP(add), x->type, IR_VALUES(x, by), NULL, 0);
}

/* True if padding, whose value is an attribute in single precision, gives this value in
 * the device's 32 bits, with saturation. */
static bool pads_exactly(ir_type element, double value)
{
    if (element->kind != IR_TYPE_INTEGER || element->width < 32)
        return true;
    bool is_unsigned = element->sign == IR_UNSIGNED;
    double low = is_unsigned ? 0 : INT32_MIN, high = is_unsigned ? UINT32_MAX : INT32_MAX;
    return fmin(fmax((float)value, low), high) == fmin(fmax(value, low), high);
}

ir_value *s2t_pad(ir_builder *b, ir_value *x, const int64_t *low, const int64_t *high,
                  const int64_t *interior, double value)
{
    if (!pads_exactly(ir_type_element(x->type), value))
        return pad_shifted(b, x, low, high, interior, value);
    int64_t dims[CAPACITY], both[2 * CAPACITY], wide[CAPACITY], zeros[CAPACITY] = {0};
    size_t rank = x->type->count;
    memcpy(dims, x->type->dims, rank * sizeof *dims);
    for (size_t i = 0; i < rank; i++) {
        if (interior[i] == 0 || dims[i] < 2)
            continue;
        /* [n] -> [n, 1] -> [n, 1 + interior] -> [n * (1 + interior)], the tail cut */
        int64_t step = interior[i] + 1, n = dims[i];
        memset(both, 0, sizeof both);
        both[2 * (i + 1) + 1] = interior[i];
        memcpy(wide, dims, (i + 1) * sizeof *wide);
        memcpy(wide + i + 2, dims + i + 1, (rank - i - 1) * sizeof *wide);
        wide[i + 1] = 1;
        x = s2t_reshape(b, x, wide, rank + 1);
        wide[i + 1] = step;
        x = ir_build1(b, TTIR_OP(pad), ir_type_with_shape(x->type, wide, rank + 1),
                      IR_VALUES(x),
                      IR_ATTRS({"padding", s2t_d32(b->ctx, both, 2 * (rank + 1))},
                               {"value", ir_f32_attr(b->ctx, value)}));
        dims[i] = n * step;
        x = s2t_reshape(b, x, dims, rank);
        dims[i] = (n - 1) * step + 1;
        x = s2t_slice(b, x, zeros, dims, NULL);
    }
    bool any = false;
    for (size_t i = 0; i < rank; i++) {
        both[2 * i] = low[i];
        both[2 * i + 1] = high[i];
        dims[i] += low[i] + high[i];
        any |= low[i] != 0 || high[i] != 0;
    }
    if (!any)
        return x;
    return ir_build1(b, TTIR_OP(pad), ir_type_with_shape(x->type, dims, rank), IR_VALUES(x),
                     IR_ATTRS({"padding", s2t_d32(b->ctx, both, 2 * rank)},
                              {"value", ir_f32_attr(b->ctx, value)}));
}

static bool convert_pad(ir_op *op, ir_builder *b)
{
    int64_t low[CAPACITY], high[CAPACITY], interior[CAPACITY];
    int64_t rank = result_type(op)->count;
    double value;
    if (rank >= CAPACITY - 1 ||
        ir_attr_ints(ir_op_attr(op, "edge_padding_low"), low, CAPACITY) != rank ||
        ir_attr_ints(ir_op_attr(op, "edge_padding_high"), high, CAPACITY) != rank ||
        ir_attr_ints(ir_op_attr(op, "interior_padding"), interior, CAPACITY) != rank ||
        !s2t_splat_value(op->operands[1].value, &value))
        return false;
    return s2t_done(op, s2t_pad(b, op->operands[0].value, low, high, interior, value));
}

static bool convert_reverse(ir_op *op, ir_builder *b)
{
    ir_value *v =
        ir_build1(b, TTIR_OP(reverse), result_type(op), IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"dimensions", ir_op_attr(op, "dimensions")}));
    return s2t_done(op, v);
}

static ir_attr dims_param(ir_context *ctx, ir_attr attr, const char *name)
{
    int64_t dims[CAPACITY];
    int64_t n = ir_attr_ints(ir_attr_param(attr, name), dims, CAPACITY);
    return ir_dense_i64_array(ctx, dims, n > 0 ? (size_t)n : 0);
}

static bool convert_dot_general(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dot_dimension_numbers");
    ir_value *v = ir_build1(
        b, TTIR_OP(dot_general), result_type(op),
        IR_VALUES(op->operands[0].value, op->operands[1].value),
        IR_ATTRS({"batch_dims_lhs", dims_param(b->ctx, d, "lhsBatchingDimensions")},
                 {"contract_dims_lhs", dims_param(b->ctx, d, "lhsContractingDimensions")},
                 {"batch_dims_rhs", dims_param(b->ctx, d, "rhsBatchingDimensions")},
                 {"contract_dims_rhs", dims_param(b->ctx, d, "rhsContractingDimensions")}));
    return s2t_done(op, v);
}

static bool convert_batch_norm(ir_op *op, ir_builder *b)
{
    ir_value *v = ir_build1(
        b, TTIR_OP(batch_norm_inference), result_type(op),
        IR_VALUES(op->operands[0].value, op->operands[1].value, op->operands[2].value,
                  op->operands[3].value, op->operands[4].value),
        IR_ATTRS({"epsilon", ir_op_attr(op, "epsilon")},
                 {"dimension", ir_i32_attr(b->ctx, ir_op_int(op, "feature_index", 0))}));
    return s2t_done(op, v);
}

/* Prevents fusion across the barrier. */
static bool convert_barrier(ir_op *op, ir_builder *b)
{
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((op->n_operands + 1) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        operands[i] = op->operands[i].value;
        types[i] = operands[i]->type;
    }
    ir_op *made = ir_build(b, &(ir_op_state){.def = TTCORE_OP(optimization_barrier),
                                             .loc = op->loc,
                                             .operands = operands,
                                             .n_operands = op->n_operands,
                                             .results = types,
                                             .n_results = op->n_operands});
    free(operands);
    free(types);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

static const struct conversion {
    uint16_t from;
    s2t_fn *convert;
} conversions[] = {
    {STABLEHLO_all_gather, s2t_all_gather},
    {STABLEHLO_all_reduce, s2t_all_reduce},
    {STABLEHLO_all_to_all, s2t_all_to_all},
    {STABLEHLO_collective_broadcast, s2t_collective_broadcast},
    {STABLEHLO_collective_permute, s2t_collective_permute},
    {STABLEHLO_reduce_scatter, s2t_reduce_scatter},
    {STABLEHLO_and, convert_logical},
    {STABLEHLO_or, convert_logical},
    {STABLEHLO_xor, convert_logical},
    {STABLEHLO_not, convert_logical},
    {STABLEHLO_round_nearest_afz, convert_round_afz},
    {STABLEHLO_compare, convert_compare},
    {STABLEHLO_clamp, convert_clamp},
    {STABLEHLO_reshape, convert_reshape},
    {STABLEHLO_transpose, convert_transpose},
    {STABLEHLO_broadcast_in_dim, convert_broadcast_in_dim},
    {STABLEHLO_iota, convert_iota},
    {STABLEHLO_dynamic_iota, convert_iota},
    {STABLEHLO_batch_norm_grad, s2t_batch_norm_grad},
    {STABLEHLO_batch_norm_training, s2t_batch_norm_training},
    {STABLEHLO_custom_call, s2t_custom_call},
    {STABLEHLO_constant, convert_constant},
    {STABLEHLO_concatenate, convert_concatenate},
    {STABLEHLO_slice, convert_slice},
    {STABLEHLO_pad, convert_pad},
    {STABLEHLO_reverse, convert_reverse},
    {STABLEHLO_dot_general, convert_dot_general},
    {STABLEHLO_einsum, s2t_einsum},
    {STABLEHLO_unary_einsum, s2t_einsum},
    {STABLEHLO_batch_norm_inference, convert_batch_norm},
    {STABLEHLO_optimization_barrier, convert_barrier},
    {STABLEHLO_convolution, s2t_convolution},
    {STABLEHLO_reduce, s2t_reduce},
    {STABLEHLO_reduce_window, s2t_reduce_window},
    {STABLEHLO_gather, s2t_gather},
    {STABLEHLO_scatter, s2t_scatter},
    {STABLEHLO_dynamic_slice, s2t_dynamic_slice},
    {STABLEHLO_dynamic_update_slice, s2t_dynamic_update_slice},
    {STABLEHLO_get_dimension_size, s2t_dimension_size},
    {STABLEHLO_reduce_precision, s2t_reduce_precision},
    {STABLEHLO_remainder, s2t_remainder},
    {STABLEHLO_rng, s2t_rng},
    {STABLEHLO_rng_bit_generator, s2t_rng_bits},
    {STABLEHLO_select_and_scatter, s2t_select_and_scatter},
    {STABLEHLO_round_nearest_even, s2t_round_even},
    {STABLEHLO_shift_right_arithmetic, s2t_shift_arithmetic},
    {STABLEHLO_sort, s2t_sort},
    {STABLEHLO_count_leading_zeros, s2t_count_bits},
    {STABLEHLO_dynamic_broadcast_in_dim, s2t_dynamic},
    {STABLEHLO_dynamic_gather, s2t_dynamic},
    {STABLEHLO_dynamic_pad, s2t_dynamic},
    {STABLEHLO_dynamic_reshape, s2t_dynamic},
    {STABLEHLO_map, s2t_map},
    {STABLEHLO_popcnt, s2t_count_bits},
    {STABLEHLO_triangular_solve, s2t_triangular_solve},
    {STABLEHLO_uniform_dequantize, s2t_quantize},
    {STABLEHLO_uniform_quantize, s2t_quantize},
};

/* What passes of stablehlo-to-ttir-pipeline before this one take, in some of its forms. */
static const uint16_t taken_before[] = {
    /* stablehlo-flatten-control-flow */
    STABLEHLO_case,
    STABLEHLO_if,
    STABLEHLO_while,
    /* stablehlo-complex-data-type-conversion */
    STABLEHLO_complex,
    STABLEHLO_fft,
    STABLEHLO_imag,
    STABLEHLO_real,
    /* of composites */
    STABLEHLO_composite,
    /* goes with the operation around it */
    STABLEHLO_return,
};

bool s2t_has_row(const ir_op_def *def)
{
    if (def < stablehlo_ops || def >= stablehlo_ops + STABLEHLO_OP_COUNT)
        return true; /* other dialects have their own conversions */
    const size_t row = (size_t)(def - stablehlo_ops);
    for (size_t i = 0; i < TW_COUNT(one_to_one); i++)
        if (one_to_one[i].from == row)
            return true;
    for (size_t i = 0; i < TW_COUNT(conversions); i++)
        if (conversions[i].from == row)
            return true;
    for (size_t i = 0; i < TW_COUNT(taken_before); i++)
        if (taken_before[i] == row)
            return true;
    return false;
}

/* Notifies observers of a conversion that succeeds. */
static bool apply(ir_op *op, ir_builder *b, bool (*convert)(ir_op *op, ir_builder *b))
{
    ir_context *ctx = op->ctx;
    const char *name = op->def->name;
    const ir_loc loc = op->loc;
    if (!convert(op, b))
        return false;
    ir_watch_rewrote(ctx, (void (*)(void))convert, name, loc);
    return true;
}

bool s2t_convert(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (strncmp(op->def->name, "chlo.", 5) == 0)
        return s2t_chlo(op, &b);
    if (op->def == SDY_OP(manual_computation))
        return s2t_manual_computation(op, &b);
    if (op->def == TENSOR_OP(empty) && op->n_operands == 0)
        return s2t_done(op,
                        ir_build1(&b, TTIR_OP(empty), result_type(op), NULL, 0, NULL, 0));
    if (strncmp(op->def->name, "stablehlo.", 10) != 0)
        return true;
    if (apply(op, &b, convert_boolean) ||
        (op->n_operands == 1 && apply(op, &b, convert_to_boolean)) ||
        apply(op, &b, convert_simple))
        return true;
    size_t row = (size_t)(op->def - stablehlo_ops);
    for (size_t i = 0; i < TW_COUNT(conversions); i++)
        if (conversions[i].from == row)
            return apply(op, &b, conversions[i].convert);
    return false;
}

bool s2t_refuse(const ir_op *op)
{
    ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
    if (op->def == STABLEHLO_OP(while)) /* counted loops were unrolled before */
        ir_note(
            op->ctx, op->loc,
            "how often the loop runs depends on data or is no count by constant "
            "steps to a constant; such a loop has no straight-line form: make the count "
            "a constant, or loop around the program on the host");
    if (op->def == STABLEHLO_OP(if) || op->def == STABLEHLO_OP(case))
        ir_note(op->ctx, op->loc,
                "all branches run, and one is selected: those with loops that depend on "
                "data, which may not end, or with effects, cannot");
    return false;
}

static bool convert_block(ir_block *block, bool partial)
{
    bool ok = true;
    for (ir_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (op->def->traits & IR_ISOLATED || op->n_regions == 0 ||
            strncmp(op->def->name, "stablehlo.", 10) == 0) {
            for (uint16_t r = 0; r < op->n_regions && (op->def->traits & IR_ISOLATED); r++)
                for (ir_block *inner = op->regions[r].first; inner; inner = inner->next)
                    ok &= convert_block(inner, partial);
            if (!s2t_convert(op) && !partial)
                ok = s2t_refuse(op);
        }
    }
    return ok;
}

/* Erases constants whose uses were folded into attributes. */
static void drop_dead(ir_block *block)
{
    for (ir_op *op = block->last, *prev; op; op = prev) {
        prev = op->prev;
        for (uint16_t r = 0; r < op->n_regions; r++)
            for (ir_block *inner = op->regions[r].first; inner; inner = inner->next)
                drop_dead(inner);
        if ((op->def->traits & (IR_PURE | IR_NO_MEMORY_EFFECT)) && op->n_results &&
            ir_op_is_unused(op))
            ir_op_erase(op);
    }
}

static bool run(ir_op *module, pass_run *run)
{
    bool ok = true;
    bool partial = pass_option_bool(run, "enable-partial-conversion");
    if (!partial) /* meshes become an attribute below, which shardings cannot reference */
        transform_drop_shardings(module);
    for (ir_block *b = module->regions[0].first; b; b = b->next)
        ok &= convert_block(b, partial);
    for (ir_block *b = module->regions[0].first; b; b = b->next)
        drop_dead(b);
    if (ok && !partial)
        s2t_record_meshes(module);
    return ok;
}

const pass_def convert_stablehlo_to_ttir_pass = {
    .name = "convert-stablehlo-to-ttir",
    .summary = "Convert StableHLO dialect to TTIR dialect",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"enable-partial-conversion", PASS_BOOL, "false",
                                         "Keep operations without a conversion"}),
};
