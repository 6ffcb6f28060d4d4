/* chlo_to_stablehlo.c: the pass chlo-legalize-to-stablehlo.
 *
 * Mathematical functions are formulas (stablehlo/expand/formulas.c): one for real and one
 * for complex elements, sometimes another for f64.  Approximations are computed in f32 if
 * the elements are narrower. */
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"

#include "stablehlo/build.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/expand/formula.h"
#include "stablehlo/stablehlo.h"

static const struct function {
    uint16_t from;
    const char *real, *f64, *complex; /* f64: NULL = same as real */
    bool widen;                       /* f16 and bf16 are computed in f32 */
    bool standard;                    /* none but f16, bf16, f32 and f64 */
} functions[] = {
    {CHLO__asin_acos_kernel, NULL, NULL, "arc_kernel", false, false},
    {CHLO_acos, "acos", NULL, "acos_complex", false, false},
    {CHLO_acosh, "acosh", NULL, "acosh_complex", false, false},
    {CHLO_asin, "asin", NULL, "asin_complex", false, false},
    {CHLO_asinh, "asinh", NULL, "asinh_complex", false, false},
    {CHLO_atan, "atan", NULL, "atan_complex", false, false},
    {CHLO_atanh, "atanh", NULL, "atanh_complex", false, false},
    {CHLO_bessel_i1e, "bessel_i1e", "bessel_i1e64", NULL, true, true},
    {CHLO_conj, NULL, NULL, "conj_complex", false, false},
    {CHLO_cosh, "cosh", NULL, "cosh", true, false},
    {CHLO_digamma, "digamma", NULL, NULL, true, false},
    {CHLO_erf, "erf", "erf64", NULL, true, true},
    {CHLO_erf_inv, "erf_inv", "erf_inv64", NULL, true, false},
    {CHLO_erfc, "erfc", "erfc64", NULL, true, true},
    {CHLO_is_inf, "is_inf", NULL, NULL, false, false},
    {CHLO_is_neg_inf, "is_neg_inf", NULL, NULL, false, false},
    {CHLO_is_pos_inf, "is_pos_inf", NULL, NULL, false, false},
    {CHLO_lgamma, "lgamma", NULL, NULL, true, false},
    {CHLO_polygamma, "polygamma", NULL, NULL, true, false},
    {CHLO_sinh, "sinh", NULL, "sinh_far", true, false},
    {CHLO_square, "square", NULL, "square_complex", false, false},
    {CHLO_tan, "tan", NULL, "tan", false, false},
    {CHLO_zeta, "zeta", NULL, NULL, true, false},
};

bool c2s_done(ir_op *op, ir_value *value)
{
    ir_value_replace_uses(&op->results[0], value);
    ir_op_erase(op);
    return true;
}

static bool is_standard(ir_type t)
{
    return ir_type_is_float(t, IR_F64) || ir_type_is_float(t, IR_F32) ||
           ir_type_is_float(t, IR_F16) || ir_type_is_float(t, IR_BF16);
}

static bool convert_function(ir_op *op, ir_builder *b, const struct function *f)
{
    ir_type t = op->operands[0].value->type, element = ir_type_element(t);
    bool is_complex = element->kind == IR_TYPE_COMPLEX;
    const char *formula = is_complex                                    ? f->complex
                          : ir_type_is_float(element, IR_F64) && f->f64 ? f->f64
                                                                        : f->real;
    if (f->from == CHLO_conj && !is_complex)
        return c2s_done(op, op->operands[0].value);
    if (!formula || !ir_type_is_tensor(t) || (f->standard && !is_standard(element)) ||
        (!is_complex && element->kind != IR_TYPE_FLOAT))
        return false;
    bool widen = f->widen && !is_complex && element->width < 32;
    ir_value *inputs[HLO_FORMULA_INPUTS];
    for (uint32_t i = 0; i < op->n_operands; i++) {
        inputs[i] = op->operands[i].value;
        if (widen)
            inputs[i] = hlo_convert_to(b, inputs[i], ir_float_type(b->ctx, IR_F32));
    }
    ir_value *result = hlo_build_formula(b, formula, inputs);
    return c2s_done(op, widen ? hlo_convert_to(b, result, element) : result);
}

/* ---- the others --------------------------------------------------------------------- */

static bool convert_constant(ir_op *op, ir_builder *b)
{
    return c2s_done(op, hlo_constant(b, ir_op_attr(op, "value")));
}

static bool convert_constant_like(ir_op *op, ir_builder *b)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type t = op->results[0].type, element = ir_type_element(t);
    if (!ir_type_is_tensor(t))
        return false;
    if (element->kind == IR_TYPE_COMPLEX) { /* #complex.number<...>: its parts */
        ir_attr parts[] = {ir_attr_param(value, "real"), ir_attr_param(value, "imag")};
        if (ir_attr_is(value, IR_ATTR_ARRAY) && value->count == 2)
            memcpy(parts, value->items, sizeof parts);
        if (!ir_attr_is(parts[0], IR_ATTR_FLOAT) || !ir_attr_is(parts[1], IR_ATTR_FLOAT))
            return false;
        value = ir_array_attr(b->ctx, parts, 2);
    } else if (!value || value->type != element ||
               (value->kind != IR_ATTR_FLOAT && value->kind != IR_ATTR_INTEGER)) {
        return false;
    }
    return c2s_done(op, hlo_constant_like(b, op->operands[0].value, t, value));
}

/* The high half of a double-width product; for 64 bits computed from parts. */
static bool convert_mulhi(ir_op *op, ir_builder *b)
{
    ir_value *inputs[] = {op->operands[0].value, op->operands[1].value};
    ir_type t = ir_type_element(inputs[0]->type);
    bool is_unsigned = t->sign == IR_UNSIGNED;
    if (t->kind != IR_TYPE_INTEGER || t->width > 64)
        return false;
    if (t->width == 64)
        return c2s_done(
            op, hlo_build_formula(b, is_unsigned ? "mulhi_u64" : "mulhi_s64", inputs));
    ir_type wide = ir_integer_type(b->ctx, 2 * t->width, (ir_signedness)t->sign);
    hlo_math m = {.b = b};
    ir_value *x = hlo_convert_to(b, inputs[0], wide);
    ir_value *y = hlo_convert_to(b, inputs[1], wide);
    m.like = hlo_binary(&m, STABLEHLO_multiply, x, y);
    uint16_t shift =
        is_unsigned ? STABLEHLO_shift_right_logical : STABLEHLO_shift_right_arithmetic;
    ir_value *high = hlo_binary(&m, shift, m.like, hlo_literal(&m, t->width));
    return c2s_done(op, hlo_convert_to(b, high, t));
}

static ir_value *bits_of(ir_builder *b, ir_value *v, ir_type element)
{
    return ir_build1(b, STABLEHLO_OP(bitcast_convert),
                     ir_type_with_element(v->type, element), IR_VALUES(v), NULL, 0);
}

static ir_value *integer_like(ir_builder *b, ir_value *like, int64_t value)
{
    ir_type t = like->type;
    return hlo_constant_like(b, like, t, ir_integer_attr(ir_type_element(t), value));
}

/* The next float is the next integer of the bits: plus one if y is farther from zero on
 * the same side, minus one otherwise; after zero the smallest with y's sign. */
static bool convert_next_after(ir_op *op, ir_builder *b)
{
    enum {
        EQ = STABLEHLO_ComparisonDirection_EQ,
        NE = STABLEHLO_ComparisonDirection_NE,
        GT = STABLEHLO_ComparisonDirection_GT
    };
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    ir_type element = ir_type_element(x->type);
    if (!ir_type_is_tensor(x->type) || element->kind != IR_TYPE_FLOAT)
        return false;
    hlo_math m = {b, x};
    ir_type whole = ir_integer_type(b->ctx, element->width, IR_SIGNLESS);
    ir_value *xi = bits_of(b, x, whole), *yi = bits_of(b, y, whole);
    ir_value *x_nan = hlo_compare(b, NE, x, x), *y_nan = hlo_compare(b, NE, y, y);
    ir_value *some_nan = hlo_binary(&m, STABLEHLO_or, x_nan, y_nan);
    ir_value *nan = bits_of(b, hlo_literal(&m, __builtin_nan("")), whole);
    uint64_t sign = UINT64_C(1) << (element->width - 1);
    ir_value *sign_mask = integer_like(b, xi, (int64_t)sign);
    ir_value *size_mask = integer_like(b, xi, (int64_t)~sign);
    ir_value *x_size = hlo_binary(&m, STABLEHLO_and, xi, size_mask);
    ir_value *y_size = hlo_binary(&m, STABLEHLO_and, yi, size_mask);
    ir_value *same = hlo_compare(b, EQ, x, y);
    ir_value *zero = integer_like(b, xi, 0);
    ir_value *x_zero = hlo_compare(b, EQ, x_size, zero);
    ir_value *y_zero = hlo_compare(b, EQ, y_size, zero);
    ir_value *x_sign = hlo_binary(&m, STABLEHLO_and, xi, sign_mask);
    ir_value *y_sign = hlo_binary(&m, STABLEHLO_and, yi, sign_mask);
    ir_value *one = integer_like(b, xi, 1);
    ir_value *smallest = hlo_binary(&m, STABLEHLO_or, y_sign, one);
    ir_value *across = hlo_compare(b, NE, x_sign, y_sign);
    ir_value *larger = hlo_compare(b, GT, x_size, y_size);
    ir_value *down = hlo_binary(&m, STABLEHLO_or, larger, across);
    ir_value *step = hlo_select(b, down, integer_like(b, xi, -1), one);
    ir_value *next = hlo_binary(&m, STABLEHLO_add, xi, step);
    ir_value *from_zero = hlo_select(b, y_zero, yi, smallest);
    next = hlo_select(b, x_zero, from_zero, next);
    next = hlo_select(b, same, yi, next);
    next = hlo_select(b, some_nan, nan, next);
    return c2s_done(op, bits_of(b, next, element));
}

static const struct {
    uint16_t from;
    c2s_fn *convert;
} others[] = {
    {CHLO_broadcast_select, c2s_broadcast_select},
    {CHLO_constant, convert_constant},
    {CHLO_constant_like, convert_constant_like},
    {CHLO_mulhi, convert_mulhi},
    {CHLO_next_after, convert_next_after},
    {CHLO_ragged_dot, c2s_ragged_dot},
    {CHLO_scan, c2s_scan},
    {CHLO_top_k, c2s_top_k},
};

bool c2s_convert(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    size_t row = (size_t)(op->def - chlo_ops);
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (functions[i].from == row)
            return convert_function(op, &b, &functions[i]);
    for (size_t i = 0; i < TW_COUNT(others); i++)
        if (others[i].from == row)
            return others[i].convert(op, &b);
    return c2s_broadcasting(op, &b);
}

/* ---- the pass ----------------------------------------------------------------------- */

typedef struct walk {
    tw_str except; /* comma-separated names without "chlo." */
    bool ok, found;
} walk;

static bool is_chlo(const ir_op *op)
{
    return op->def >= chlo_ops && op->def < chlo_ops + CHLO_OP_COUNT;
}

static bool is_excepted(const walk *w, const ir_op *op)
{
    const char *name = op->def->name + strlen("chlo."),
               *end = w->except.data + w->except.size;
    for (const char *c = w->except.data; c < end;) {
        const char *stop = memchr(c, ',', (size_t)(end - c));
        stop = stop ? stop : end;
        if (tw_str_equal((tw_str){c, (size_t)(stop - c)}, tw_str_from(name)))
            return true;
        c = stop + 1;
    }
    return false;
}

static ir_walk visit(ir_op *op, void *user)
{
    walk *w = user;
    ir_op *parent = ir_op_parent(op);
    /* a scan's body is converted with the scan */
    if (!is_chlo(op) || (parent && is_chlo(parent)) || is_excepted(w, op))
        return IR_WALK_ON;
    if (!c2s_convert(op)) {
        ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
        w->ok = false;
    }
    return IR_WALK_ON;
}

static ir_walk find_chlo(ir_op *op, void *user)
{
    walk *w = user;
    w->found |= is_chlo(op) && !is_excepted(w, op);
    return IR_WALK_ON;
}

/* Operations from a scan's body are visited in another iteration. */
static bool run(ir_op *root, pass_run *run)
{
    walk w = {.except = pass_option_str(run, "except"), .ok = true, .found = true};
    while (w.ok && w.found) {
        ir_walk_post(root, visit, &w);
        w.found = false;
        if (w.ok)
            ir_walk_pre(root, find_chlo, &w);
    }
    return w.ok;
}

const pass_def chlo_legalize_to_stablehlo_pass = {
    .name = "chlo-legalize-to-stablehlo",
    .title = "ChloLegalizeToStablehloPass",
    .summary = "Legalizes from CHLO ops flow to StableHLO and Shape ops",
    .run = run,
    .options = IR_LIST(pass_option_def, {"except", PASS_LIST, "",
                                         "Names of operations to keep, without chlo."}),
};
