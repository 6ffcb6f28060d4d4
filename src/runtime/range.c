/* range.c: ranges of 64-bit integers, to find the operations on them that give the same
 * results in 32 bits.
 *
 * Arguments are checked when a program runs, as are values between parts of a program: here
 * they may be any 32-bit value. An operation is safe if its results then fit in 32 bits
 * again. 64-bit floats are never safe: the device has them in 32 bits. */
#include "runtime/wide.h"

#include "stablehlo/chlo/chlo.h"
#include "stablehlo/stablehlo.h"

enum { DEEPEST = 12 };

typedef struct range {
    int64_t low, high;
} range;

static bool is_f64(ir_type t)
{
    return ir_type_is_float(t->kind == IR_TYPE_COMPLEX ? t->element : t, IR_F64);
}

static bool is_i64(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER && t->width > 32;
}

static bool is_unsigned(ir_type t)
{
    return t->sign == IR_UNSIGNED || t->width == 1;
}

/* The full range of a type on the device. */
static range range_of_type(ir_type t)
{
    int64_t bits = t->kind == IR_TYPE_INTEGER ? TW_MIN((int64_t)t->width, 32) : 32;
    return is_unsigned(t)
               ? (range){0, (INT64_C(1) << bits) - 1}
               : (range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

static bool within(range r, ir_type t)
{
    range all = range_of_type(t);
    return r.low >= all.low && r.high <= all.high;
}

static range of_constant(ir_attr dense, ir_type t)
{
    range r = {INT64_MAX, INT64_MIN};
    int64_t n = ir_attr_is(dense, IR_ATTR_DENSE) ? ir_type_num_elements(dense->type) : 0;
    n = n > 0 && dense->splat & 1 ? 1 : n;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = ir_dense_int(dense, (size_t)i);
        r = (range){TW_MIN(r.low, v), TW_MAX(r.high, v)};
    }
    if (is_unsigned(t) && r.low < 0) /* beyond 2^63 */
        r.high = INT64_MAX;
    return n > 0 ? r : range_of_type(t);
}

static range both(range a, range b)
{
    return (range){TW_MIN(a.low, b.low), TW_MAX(a.high, b.high)};
}

static range of_value(const ir_value *v, int depth);

static range of_operand(const ir_op *op, size_t i, int depth)
{
    return of_value(op->operands[i].value, depth + 1);
}

/* Products of bounds: these have at most 33 bits, so that 64 hold them. */
static range product(range a, range b)
{
    int64_t x[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    range r = {x[0], x[0]};
    for (int i = 1; i < 4; i++)
        r = both(r, (range){x[i], x[i]});
    return r;
}

static range of_arithmetic(const ir_op *op, int depth)
{
    range a = of_operand(op, 0, depth);
    if (op->def == STABLEHLO_OP(negate))
        return (range){-a.high, -a.low};
    if (op->def == STABLEHLO_OP(abs))
        return (range){0, TW_MAX(a.high, -a.low)};
    range b = of_operand(op, 1, depth);
    if (op->def == STABLEHLO_OP(add))
        return (range){a.low + b.low, a.high + b.high};
    if (op->def == STABLEHLO_OP(subtract))
        return (range){a.low - b.high, a.high - b.low};
    if (op->def == STABLEHLO_OP(multiply))
        return product(a, b);
    if (op->def == STABLEHLO_OP(maximum))
        return (range){TW_MAX(a.low, b.low), TW_MAX(a.high, b.high)};
    if (op->def == STABLEHLO_OP(minimum))
        return (range){TW_MIN(a.low, b.low), TW_MIN(a.high, b.high)};
    /* quotients and remainders; hardware differs for 0 and -1 */
    int64_t most = TW_MAX(a.high, -a.low);
    if (b.low <= 0)
        return (range){INT64_MIN, INT64_MAX};
    if (op->def == STABLEHLO_OP(remainder))
        most = TW_MIN(most, b.high);
    return (range){a.low < 0 ? -most : 0, a.high > 0 ? most : 0};
}

static bool is_arithmetic(const ir_op *op)
{
    static const uint16_t rows[] = {
        STABLEHLO_abs,      STABLEHLO_add,      STABLEHLO_divide, STABLEHLO_maximum,
        STABLEHLO_minimum,  STABLEHLO_multiply, STABLEHLO_negate, STABLEHLO_remainder,
        STABLEHLO_subtract, UINT16_MAX};
    for (size_t i = 0; rows[i] != UINT16_MAX; i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return false;
}

/* True if the operation only moves its operand's elements. */
static bool moves_one(const ir_op *op)
{
    static const uint16_t rows[] = {STABLEHLO_broadcast,     STABLEHLO_broadcast_in_dim,
                                    STABLEHLO_dynamic_slice, STABLEHLO_gather,
                                    STABLEHLO_reshape,       STABLEHLO_reverse,
                                    STABLEHLO_slice,         STABLEHLO_transpose};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return false;
}

static bool is_natural(const ir_op *op, int depth)
{
    return of_operand(op, 0, depth).low >= 0;
}

static range of_value(const ir_value *v, int depth)
{
    ir_type t = ir_type_element(v->type);
    const ir_op *op = v->is_argument ? NULL : ir_value_def(v);
    range all = range_of_type(t);
    if (!op || depth > DEEPEST)
        return all;
    range r = all;
    if (op->def == STABLEHLO_OP(constant)) {
        r = of_constant(ir_op_attr(op, "value"), t);
    } else if (op->def == STABLEHLO_OP(iota)) {
        int64_t dim = ir_op_int(op, "iota_dimension", 0);
        if (dim >= 0 && dim < v->type->count)
            r = (range){0, TW_MAX(v->type->dims[dim] - 1, 0)};
    } else if (op->def == STABLEHLO_OP(convert)) {
        ir_type from = ir_type_element(op->operands[0].value->type);
        if (from->kind == IR_TYPE_INTEGER)
            r = of_operand(op, 0, depth);
    } else if (op->def == STABLEHLO_OP(select)) {
        r = both(of_operand(op, 1, depth), of_operand(op, 2, depth));
    } else if (op->def == STABLEHLO_OP(clamp)) {
        range low = of_operand(op, 0, depth), high = of_operand(op, 2, depth);
        r = (range){TW_MIN(low.low, high.low), TW_MAX(low.high, high.high)};
    } else if (moves_one(op) ||
               (op->def == STABLEHLO_OP(shift_right_logical) && is_natural(op, depth))) {
        r = of_operand(op, 0, depth);
        r.low = TW_MIN(r.low, op->def == STABLEHLO_OP(shift_right_logical) ? 0 : r.low);
    } else if (is_arithmetic(op)) {
        r = of_arithmetic(op, depth);
    }
    /* each operation is checked separately: a value out of range does not get here */
    return within(r, t) ? r : all;
}

/* True if the results are values of the operands, or booleans. */
static bool stays(const ir_op *op)
{
    static const uint16_t rows[] = {STABLEHLO_and,
                                    STABLEHLO_broadcast,
                                    STABLEHLO_broadcast_in_dim,
                                    STABLEHLO_case,
                                    STABLEHLO_clamp,
                                    STABLEHLO_compare,
                                    STABLEHLO_composite,
                                    STABLEHLO_concatenate,
                                    STABLEHLO_custom_call,
                                    STABLEHLO_dynamic_broadcast_in_dim,
                                    STABLEHLO_dynamic_gather,
                                    STABLEHLO_dynamic_iota,
                                    STABLEHLO_dynamic_pad,
                                    STABLEHLO_dynamic_reshape,
                                    STABLEHLO_dynamic_slice,
                                    STABLEHLO_dynamic_update_slice,
                                    STABLEHLO_gather,
                                    STABLEHLO_get_dimension_size,
                                    STABLEHLO_get_tuple_element,
                                    STABLEHLO_if,
                                    STABLEHLO_iota,
                                    STABLEHLO_map,
                                    STABLEHLO_optimization_barrier,
                                    STABLEHLO_or,
                                    STABLEHLO_pad,
                                    STABLEHLO_real_dynamic_slice,
                                    STABLEHLO_reduce,
                                    STABLEHLO_reduce_window,
                                    STABLEHLO_reshape,
                                    STABLEHLO_return,
                                    STABLEHLO_reverse,
                                    STABLEHLO_scatter,
                                    STABLEHLO_select,
                                    STABLEHLO_select_and_scatter,
                                    STABLEHLO_set_dimension_size,
                                    STABLEHLO_sign,
                                    STABLEHLO_slice,
                                    STABLEHLO_sort,
                                    STABLEHLO_transpose,
                                    STABLEHLO_tuple,
                                    STABLEHLO_while,
                                    STABLEHLO_xor};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return op->def == CHLO_OP(top_k) || op->def < stablehlo_ops ||
           op->def >= stablehlo_ops + STABLEHLO_OP_COUNT;
}

/* True if the operation's 64-bit integer results fit in 32 bits. */
static bool holds(const ir_op *op)
{
    ir_type out = op->n_results ? ir_type_element(op->results[0].type)
                                : ir_integer_type(op->ctx, 1, IR_SIGNLESS);
    if (op->def == STABLEHLO_OP(constant))
        return !is_i64(out) || rt_fits(ir_op_attr(op, "value")) ||
               rt_only_bounds(&op->results[0]);
    if (op->def == STABLEHLO_OP(convert)) {
        ir_type in = ir_type_element(op->operands[0].value->type);
        if (!is_i64(out)) /* the low bits, or an integer from which a float is rounded */
            return true;
        return in->kind == IR_TYPE_INTEGER && within(of_operand(op, 0, 0), out);
    }
    if (op->def == STABLEHLO_OP(shift_right_logical)) /* zeros are shifted in from above */
        return is_natural(op, 0);
    if (is_arithmetic(op) && is_i64(out))
        return within(of_arithmetic(op, 0), out);
    if (op->def == STABLEHLO_OP(not )) /* leading zeros would have to become ones */
        return !is_unsigned(out);
    return stays(op);
}

const char *rt_wide_reason(const ir_op *op)
{
    bool wide = false;
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        const ir_value *v =
            i < op->n_operands ? op->operands[i].value : &op->results[i - op->n_operands];
        if (!ir_type_is_tensor(v->type))
            continue;
        ir_type t = ir_type_element(v->type);
        if (is_f64(t))
            return "64-bit floats";
        if (rt_has_odd_width(t))
            return "integers of a width that the device does not support";
        if (rt_is_odd_float(t))
            return "floats of a format that the device does not support";
        wide |= is_i64(t);
    }
    return wide && !(holds(op) && rt_takes_constants(op))
               ? "64-bit integers, which could leave 32 bits"
               : NULL;
}

static ir_walk look(ir_op *op, void *user)
{
    const char **why = user;
    *why = rt_wide_reason(op);
    return *why ? IR_WALK_STOP : IR_WALK_ON;
}

bool rt_wants_64_bits(ir_op *op)
{
    const char *why = NULL;
    ir_walk_pre(op, look, &why);
    return why != NULL;
}
