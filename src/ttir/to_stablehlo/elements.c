/* elements.c: operations that compute each element of the result from the operands'
 * elements at its index. */
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/stablehlo.h"
#include "ttir/to_stablehlo/meaning.h"

static bool is_float(const ir_value *x)
{
    return x->type->element->kind == IR_TYPE_FLOAT;
}

/* ---- of one operand ------------------------------------------------------------------ */

typedef ir_value *unary_fn(const meaning *m, ir_value *x);

static ir_value *relu(const meaning *m, ir_value *x)
{
    return meaning_binary(m, STABLEHLO_OP(maximum), x, meaning_number(m, 0, x));
}

static ir_value *relu6(const meaning *m, ir_value *x)
{
    ir_value *six = meaning_number(m, 6, x);
    return meaning_binary(m, STABLEHLO_OP(minimum), relu(m, x), six);
}

static ir_value *silu(const meaning *m, ir_value *x)
{
    return meaning_binary(m, STABLEHLO_OP(multiply), x,
                          meaning_unary(m, STABLEHLO_OP(logistic), x));
}

/* tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)) */
static ir_value *nearly_erf(const meaning *m, ir_value *x)
{
    ir_value *cube = meaning_binary(m, STABLEHLO_OP(multiply),
                                    meaning_binary(m, STABLEHLO_OP(multiply), x, x), x);
    cube = meaning_binary(m, STABLEHLO_OP(multiply), cube, meaning_number(m, 0.044715, x));
    ir_value *sum = meaning_binary(m, STABLEHLO_OP(add), x, cube);
    return meaning_unary(m, STABLEHLO_OP(tanh),
                         meaning_binary(m, STABLEHLO_OP(multiply), sum,
                                        meaning_number(m, 0.7978845608028654, x)));
}

/* x / 2 * (1 + erf(x / sqrt(2))), or its approximation by tanh */
static ir_value *gelu(const meaning *m, ir_value *x)
{
    ir_attr form = ir_op_attr(m->op, "approximate");
    ir_value *bell;
    if (ir_attr_is(form, IR_ATTR_STRING) && tw_str_is(ir_attr_str(form), "tanh"))
        bell = nearly_erf(m, x);
    else
        bell = meaning_unary(m, CHLO_OP(erf),
                             meaning_binary(m, STABLEHLO_OP(multiply), x,
                                            meaning_number(m, 0.70710678118654752, x)));
    ir_value *sum = meaning_binary(m, STABLEHLO_OP(add), bell, meaning_number(m, 1, x));
    return meaning_binary(
        m, STABLEHLO_OP(multiply),
        meaning_binary(m, STABLEHLO_OP(multiply), x, meaning_number(m, 0.5, x)), sum);
}

static ir_value *reciprocal(const meaning *m, ir_value *x)
{
    return meaning_binary(m, STABLEHLO_OP(divide), meaning_number(m, 1, x), x);
}

/* min(max(x / 6 + 1 / 2, 0), 1) */
static ir_value *hardsigmoid(const meaning *m, ir_value *x)
{
    ir_value *half = meaning_number(m, 0.5, x);
    ir_value *line = meaning_binary(m, STABLEHLO_OP(divide), x, meaning_number(m, 6, x));
    line = meaning_binary(m, STABLEHLO_OP(add), line, half);
    ir_value *one = meaning_number(m, 1, x);
    return meaning_binary(m, STABLEHLO_OP(minimum), relu(m, line), one);
}

static ir_value *logical_not(const meaning *m, ir_value *x)
{
    return meaning_compare(m, STABLEHLO_ComparisonDirection_EQ, x, meaning_number(m, 0, x));
}

static const struct unary {
    const char *name;
    const ir_op_def *def;
    unary_fn *fn;
    bool floats; /* narrow floats are computed in f32 */
} unaries[] = {
    {"abs", STABLEHLO_OP(abs)},
    {"acos", CHLO_OP(acos), .floats = true},
    {"asin", CHLO_OP(asin), .floats = true},
    {"asinh", CHLO_OP(asinh), .floats = true},
    {"atan", CHLO_OP(atan), .floats = true},
    {"bitwise_not", STABLEHLO_OP(not )},
    {"cbrt", STABLEHLO_OP(cbrt), .floats = true},
    {"ceil", STABLEHLO_OP(ceil)},
    {"cos", STABLEHLO_OP(cosine), .floats = true},
    {"erf", CHLO_OP(erf), .floats = true},
    {"erfc", CHLO_OP(erfc), .floats = true},
    {"exp", STABLEHLO_OP(exponential), .floats = true},
    {"expm1", STABLEHLO_OP(exponential_minus_one), .floats = true},
    {"floor", STABLEHLO_OP(floor)},
    {"gelu", .fn = gelu, .floats = true},
    {"hardsigmoid", .fn = hardsigmoid, .floats = true},
    {"log", STABLEHLO_OP(log), .floats = true},
    {"log1p", STABLEHLO_OP(log_plus_one), .floats = true},
    {"logical_not", .fn = logical_not},
    {"neg", STABLEHLO_OP(negate)},
    {"reciprocal", .fn = reciprocal, .floats = true},
    {"relu", .fn = relu},
    {"relu6", .fn = relu6},
    {"rsqrt", STABLEHLO_OP(rsqrt), .floats = true},
    {"sigmoid", STABLEHLO_OP(logistic), .floats = true},
    {"sign", STABLEHLO_OP(sign)},
    {"silu", .fn = silu, .floats = true},
    {"sin", STABLEHLO_OP(sine), .floats = true},
    {"sqrt", STABLEHLO_OP(sqrt), .floats = true},
    {"tan", STABLEHLO_OP(tan), .floats = true},
    {"tanh", STABLEHLO_OP(tanh), .floats = true},
};

static ir_value *apply(const meaning *m, const struct unary *u, ir_value *x)
{
    if (u->floats && !is_float(x))
        return NULL;
    if (u->floats)
        x = meaning_convert(m, x, meaning_wide(m, x->type->element));
    return u->fn ? u->fn(m, x) : meaning_unary(m, u->def, x);
}

static const struct unary *find_unary(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(unaries); i++)
        if (tw_str_is(name, unaries[i].name))
            return &unaries[i];
    return NULL;
}

ir_value *meaning_of_activation(const meaning *m, tw_str name, ir_value *x)
{
    const struct unary *u = find_unary(name);
    return u ? apply(m, u, x) : NULL;
}

static tw_str name_of(const ir_op *op)
{
    return tw_str_from(strchr(op->def->name, '.') + 1);
}

static ir_value *unary(const meaning *m)
{
    return apply(m, find_unary(name_of(m->op)), m->op->operands[0].value);
}

static ir_value *isfinite_(const meaning *m)
{
    ir_value *x = meaning_in(m, "input");
    return is_float(x) ? ir_build1(m->b, STABLEHLO_OP(is_finite), ir_type_i1_like(x->type),
                                   IR_VALUES(x), NULL, 0)
                       : NULL;
}

static ir_value *leaky_relu(const meaning *m)
{
    ir_value *x = meaning_in(m, "input");
    ir_attr slope = ir_op_attr(m->op, "parameter");
    if (!is_float(x) || !slope)
        return NULL;
    x = meaning_convert(m, x, meaning_wide(m, x->type->element));
    ir_value *scaled = meaning_binary(m, STABLEHLO_OP(multiply), x,
                                      meaning_number(m, ir_attr_real(slope, 0), x));
    return meaning_select(
        m, meaning_compare(m, STABLEHLO_ComparisonDirection_GT, x, meaning_number(m, 0, x)),
        x, scaled);
}

/* ---- of several ---------------------------------------------------------------------- */

/* Operand i, in the result's shape. */
static ir_value *operand(const meaning *m, size_t i)
{
    return meaning_broadcast(m, m->op->operands[i].value, m->type->dims, m->type->count);
}

static ir_value *is_true(const meaning *m, ir_value *x)
{
    return x->type->element->kind == IR_TYPE_INTEGER && x->type->element->width == 1
               ? x
               : meaning_compare(m, STABLEHLO_ComparisonDirection_NE, x,
                                 meaning_number(m, 0, x));
}

static const struct binary {
    const char *name;
    const ir_op_def *def;
    int64_t direction; /* of comparisons */
    enum { ARITHMETIC, REAL, COMPARISON, LOGICAL } kind;
} binaries[] = {
    {"add", STABLEHLO_OP(add)},
    {"atan2", STABLEHLO_OP(atan2), .kind = REAL},
    {"bitwise_and", STABLEHLO_OP(and)},
    {"bitwise_or", STABLEHLO_OP(or)},
    {"bitwise_xor", STABLEHLO_OP(xor)},
    {"div", STABLEHLO_OP(divide)},
    {"divide", STABLEHLO_OP(divide)},
    {"eq", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_EQ},
    {"ge", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_GE},
    {"gt", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_GT},
    {"le", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_LE},
    {"logical_and", STABLEHLO_OP(and), .kind = LOGICAL},
    {"logical_or", STABLEHLO_OP(or), .kind = LOGICAL},
    {"logical_xor", STABLEHLO_OP(xor), .kind = LOGICAL},
    {"lt", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_LT},
    {"maximum", STABLEHLO_OP(maximum)},
    {"minimum", STABLEHLO_OP(minimum)},
    {"multiply", STABLEHLO_OP(multiply)},
    {"ne", .kind = COMPARISON, .direction = STABLEHLO_ComparisonDirection_NE},
    {"pow", STABLEHLO_OP(power), .kind = REAL},
    {"pow_tensor", STABLEHLO_OP(power), .kind = REAL},
    {"subtract", STABLEHLO_OP(subtract)},
};

static const struct binary *find_binary(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(binaries); i++)
        if (tw_str_is(name, binaries[i].name))
            return &binaries[i];
    return NULL;
}

static ir_value *binary(const meaning *m)
{
    const struct binary *row = find_binary(name_of(m->op));
    ir_value *x = operand(m, 0), *y = operand(m, 1);
    if (!x || !y)
        return NULL;
    if (row->kind == LOGICAL) {
        y = is_true(m, y);
        return meaning_binary(m, row->def, is_true(m, x), y);
    }
    if (row->kind == REAL && (!is_float(x) || !is_float(y)))
        return NULL;
    if (x->type->element != y->type->element) { /* in the one that holds both */
        if (!is_float(x) || !is_float(y))
            return NULL;
        ir_type f32 = ir_float_type(m->b->ctx, IR_F32);
        x = meaning_convert(m, x, f32);
        y = meaning_convert(m, y, f32);
    }
    if (row->kind == COMPARISON)
        return meaning_compare(m, row->direction, x, y);
    if (row->kind == REAL) {
        x = meaning_convert(m, x, meaning_wide(m, x->type->element));
        y = meaning_convert(m, y, x->type->element);
    }
    return meaning_binary(m, row->def, x, y);
}

static ir_value *where(const meaning *m)
{
    ir_value *pick = operand(m, 0), *yes = operand(m, 1), *no = operand(m, 2);
    return pick && yes && no && yes->type == no->type
               ? meaning_select(m, is_true(m, pick), yes, no)
               : NULL;
}

static ir_value *clamp(const meaning *m, ir_value *x, ir_value *low, ir_value *high)
{
    return low && high && low->type == x->type && high->type == x->type
               ? ir_build1(m->b, STABLEHLO_OP(clamp), x->type, IR_VALUES(low, x, high),
                           NULL, 0)
               : NULL;
}

static ir_value *clamp_scalar(const meaning *m)
{
    ir_value *x = meaning_in(m, "input");
    ir_attr low = ir_op_attr(m->op, "min"), high = ir_op_attr(m->op, "max");
    if (!low || !high || !is_float(x))
        return NULL;
    ir_value *upper = meaning_number(m, ir_attr_real(high, 0), x);
    return clamp(m, x, meaning_number(m, ir_attr_real(low, 0), x), upper);
}

static ir_value *clamp_tensor(const meaning *m)
{
    ir_value *x = operand(m, 0), *high = operand(m, 2), *low = operand(m, 1);
    return x ? clamp(m, x, low, high) : NULL;
}

meaning_fn *meaning_of_element(tw_str name)
{
    static const struct {
        const char *name;
        meaning_fn *fn;
    } others[] = {{"clamp_scalar", clamp_scalar},
                  {"clamp_tensor", clamp_tensor},
                  {"isfinite", isfinite_},
                  {"leaky_relu", leaky_relu},
                  {"where", where}};
    for (size_t i = 0; i < TW_COUNT(others); i++)
        if (tw_str_is(name, others[i].name))
            return others[i].fn;
    return find_unary(name) ? unary : find_binary(name) ? binary : NULL;
}
