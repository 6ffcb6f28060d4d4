/* wide.c: programs that exceed the device's 32 bits.
 *
 * The device has 64-bit integers in 32 bits and f64 as f32. Arguments are checked when a
 * program runs; violations visible in its text are rejected here. */
#include "runtime/wide.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "ttir/ttir.h"

#include <inttypes.h>

/* Returns the first element that does not fit, or -1. */
static int64_t first_wide(ir_attr dense)
{
    if (!ir_attr_is(dense, IR_ATTR_DENSE) ||
        ir_type_element(dense->type)->kind != IR_TYPE_INTEGER ||
        ir_type_element(dense->type)->width <= 32)
        return -1;
    bool is_unsigned = ir_type_element(dense->type)->sign == IR_UNSIGNED;
    int64_t n = dense->splat & 1 ? 1 : ir_type_num_elements(dense->type);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = ir_dense_int(dense, (size_t)i);
        if (is_unsigned ? v < 0 || v > UINT32_MAX : v < INT32_MIN || v > INT32_MAX)
            return i;
    }
    return -1;
}

bool rt_fits(ir_attr dense)
{
    return first_wide(dense) < 0;
}

/* Whether a constant has integers above or below the 32-bit range. */
typedef struct excess {
    bool above, below;
} excess;

static excess excess_of(ir_attr dense)
{
    excess e = {0};
    if (first_wide(dense) < 0)
        return e;
    bool is_unsigned = ir_type_element(dense->type)->sign == IR_UNSIGNED;
    int64_t n = dense->splat & 1 ? 1 : ir_type_num_elements(dense->type);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = ir_dense_int(dense, (size_t)i);
        e.above |= is_unsigned ? v < 0 || v > UINT32_MAX : v > INT32_MAX;
        e.below |= !is_unsigned && v < INT32_MIN;
    }
    return e;
}

/* True if every result of a reduction combines an element of the operand with the initial
 * value, which could otherwise be a result itself. */
static bool combines_elements(const ir_op *op)
{
    enum { CAPACITY = 32 };
    ir_type t = op->operands[0].value->type;
    int64_t size[CAPACITY], pads[2 * CAPACITY] = {0}, n;
    for (uint32_t d = 0; d < t->count; d++)
        if (t->dims[d] == 0)
            return false;
    if (op->def == STABLEHLO_OP(reduce))
        return true;
    static const char *const dilations[] = {"base_dilations", "window_dilations"};
    for (size_t k = 0; k < TW_COUNT(dilations); k++) {
        n = ir_attr_ints(ir_op_attr(op, dilations[k]), size, CAPACITY);
        for (int64_t d = 0; d < TW_MIN(n, (int64_t)CAPACITY); d++)
            if (size[d] != 1)
                return false;
    }
    n = ir_attr_ints(ir_op_attr(op, "window_dimensions"), size, CAPACITY);
    if (n < 0 || n > CAPACITY ||
        ir_attr_ints(ir_op_attr(op, "padding"), pads, 2 * CAPACITY) > 2 * n)
        return false;
    for (int64_t d = 0; d < n; d++)
        if (pads[2 * d] >= size[d] || pads[2 * d + 1] >= size[d])
            return false;
    return true;
}

/* True if a body returns the larger (`larger`) or the smaller one of its arguments: a
 * maximum or minimum, or, with several results, a selection by comparing the first ones. */
static bool keeps(const ir_op *op, bool larger)
{
    const ir_block *body = ir_op_body(op, 0);
    const ir_op *first = body ? body->first : NULL;
    if (!first)
        return false;
    if (first->def != STABLEHLO_OP(compare))
        return first->next == body->last &&
               first->def == (larger ? STABLEHLO_OP(maximum) : STABLEHLO_OP(minimum));
    int64_t d = ir_enum_value(ir_op_attr(first, "comparison_direction"), -1);
    bool greater =
        d == STABLEHLO_ComparisonDirection_GT || d == STABLEHLO_ComparisonDirection_GE;
    bool less =
        d == STABLEHLO_ComparisonDirection_LT || d == STABLEHLO_ComparisonDirection_LE;
    bool swapped = first->operands[0].value != body->args[0];
    return (greater || less) && (greater != swapped) == larger;
}

/* True if the nearest 32-bit integers are equivalent in this use: a bound that every 32-bit
 * element satisfies, or the initial value of a maximum or minimum. */
static bool takes_nearest(const ir_operand *use, excess e)
{
    const ir_op *op = use->owner;
    size_t index = (size_t)(use - op->operands);
    if (op->def == STABLEHLO_OP(clamp))
        return index == 0 ? !e.above : index == 2 && !e.below;
    if (op->def == STABLEHLO_OP(maximum))
        return !e.above;
    if (op->def == STABLEHLO_OP(minimum))
        return !e.below;
    if (op->def != STABLEHLO_OP(reduce) && op->def != STABLEHLO_OP(reduce_window))
        return false;
    return index >= op->n_operands / 2 && combines_elements(op) &&
           (e.above ? !e.below && keeps(op, false) : keeps(op, true));
}

bool rt_only_bounds(const ir_value *v)
{
    excess e = excess_of(ir_op_attr(ir_value_def(v), "value"));
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!takes_nearest(use, e))
            return false;
    return true;
}

bool rt_takes_constants(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *v = op->operands[i].value;
        const ir_op *def = v->is_argument ? NULL : ir_value_def(v);
        if (!def || def->def != STABLEHLO_OP(constant))
            continue;
        excess e = excess_of(ir_op_attr(def, "value"));
        if ((e.above || e.below) && !takes_nearest(&op->operands[i], e))
            return false;
    }
    return true;
}

static bool has_64_bits(const ir_value *v)
{
    ir_type t = ir_type_element(v->type);
    return (t->kind == IR_TYPE_INTEGER && t->width == 64) || ir_type_is_float(t, IR_F64);
}

/* True if a value is known to be non-negative; follows the results of functions. */
static bool is_natural(const ir_value *v)
{
    ir_type t = ir_type_element(v->type);
    const ir_op *def = v->is_argument ? NULL : ir_value_def(v);
    if (t->kind != IR_TYPE_INTEGER || t->sign == IR_UNSIGNED)
        return true;
    if (def && def->def == FUNC_OP(call)) {
        ir_op *f = ir_symbol_resolve(ir_value_def(v), ir_op_attr(def, "callee"));
        ir_block *body = f ? ir_op_body(f, 0) : NULL;
        const ir_value *from = body ? body->last->operands[v->index].value : NULL;
        def = from && !from->is_argument ? ir_value_def(from) : NULL;
    }
    ir_attr value =
        def && def->def == STABLEHLO_OP(constant) ? ir_op_attr(def, "value") : NULL;
    if (!ir_attr_is(value, IR_ATTR_DENSE))
        return false;
    int64_t n = value->splat & 1 ? 1 : ir_type_num_elements(value->type);
    for (int64_t i = 0; i < n; i++)
        if (ir_dense_int(value, (size_t)i) < 0)
            return false;
    return true;
}

bool rt_has_odd_width(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER && t->width != 1 && t->width != 8 && t->width != 16 &&
           t->width != 32 && t->width != 64;
}

bool rt_is_odd_float(ir_type t)
{
    return t->kind == IR_TYPE_FLOAT && t->sign != IR_BF16 && t->sign != IR_F16 &&
           t->sign != IR_F32 && t->sign != IR_F64;
}

typedef struct finding {
    ir_op *at;
    const char *what;
    int64_t value;
    ir_type huge, odd, real;
} finding;

/* True for a tensor that fits no memory, and whose size would overflow in passes. */
static bool is_huge(ir_type t)
{
    const int64_t most = INT64_C(1) << 40;
    int64_t n =
        ir_type_is_tensor(t) && ir_type_has_static_shape(t) ? ir_type_num_elements(t) : 0;
    return n < 0 || n > most;
}

static ir_walk look(ir_op *op, void *user)
{
    finding *f = user;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        if (is_huge(t))
            *f = (finding){op, .huge = t};
        else if (ir_type_is_tensor(t) && rt_has_odd_width(t->element))
            *f = (finding){op, .odd = t};
        else if (ir_type_is_tensor(t) && rt_is_odd_float(t->element))
            *f = (finding){op, .real = t->element};
        if (f->at)
            return IR_WALK_STOP;
    }
    if (op->def == STABLEHLO_OP(constant) || op->def == TTIR_OP(constant)) {
        ir_attr value = ir_op_attr(op, "value");
        int64_t i = first_wide(value);
        if (i < 0 || rt_only_bounds(&op->results[0]))
            return IR_WALK_ON;
        *f = (finding){op, NULL, ir_dense_int(value, (size_t)i)};
        return IR_WALK_STOP;
    }
    if (op->def == STABLEHLO_OP(bitcast_convert) &&
        (has_64_bits(&op->results[0]) || has_64_bits(op->operands[0].value)))
        *f = (finding){op, "the bits of 64-bit elements", 0};
    if (op->def == STABLEHLO_OP(shift_right_logical) && has_64_bits(&op->results[0]) &&
        !is_natural(op->operands[0].value))
        *f = (finding){op, "the bits of 64-bit integers", 0};
    return f->at ? IR_WALK_STOP : IR_WALK_ON;
}

tw_status rt_refuse_wide(ir_op *module)
{
    finding f = {0};
    ir_ident file;
    uint32_t line = 0, column = 0;
    ir_walk_pre(module, look, &f);
    if (!f.at)
        return TW_SUCCESS;
    ir_loc_position(f.at->ctx, f.at->loc, &file, &line, &column);
    if (f.huge)
        return tw_error(TW_RESOURCE, "'%s' at line %u: no device has memory for '%s'",
                        f.at->def->name, line, ir_type_text(f.at->ctx, f.huge));
    if (f.odd)
        return tw_error(TW_UNSUPPORTED,
                        "'%s' at line %u: integers of %u bits wrap where the device's do "
                        "not",
                        f.at->def->name, line, f.odd->element->width);
    if (f.real)
        return tw_error(
            TW_UNSUPPORTED,
            "'%s' at line %u: the device has no '%s', and f32 instead would "
            "not be rounded; let the host compute it, or convert to bf16, f16 or "
            "f32",
            f.at->def->name, line, ir_type_text(f.at->ctx, f.real));
    if (f.what)
        return tw_error(TW_UNSUPPORTED,
                        "'%s' at line %u: %s, which the device has in 32 bits",
                        f.at->def->name, line, f.what);
    return tw_error(TW_UNSUPPORTED,
                    "'%s' at line %u: %" PRId64
                    ", an integer that does not fit the device's 32 bits",
                    f.at->def->name, line, f.value);
}
