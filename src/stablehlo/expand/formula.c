/* formula.c: builds what formulas say; see formula.h. */
#include "stablehlo/expand/formula.h"

#include "ir/number.h"
#include "ir/rules/rules_impl.h"
#include "stablehlo/broadcast.h"
#include "stablehlo/stablehlo.h"

#include <math.h>

/* A value, or a literal that is not materialised yet. */
typedef struct cell {
    ir_value *value, *like; /* like: gives the literal its shape */
    double literal;
} cell;

/* A bound name, visible to the statements behind it. */
typedef struct scope {
    tw_str name;
    cell *cell;
    const struct scope *outer;
} scope;

/* What a formula is built with. */
typedef struct state {
    hlo_math m;
    tw_arena *arena; /* of nodes, cells and names, of nested formulas too */
    const scope *names;
    const char **wrong; /* where a mistake is */
} state;

/* ---- operations --------------------------------------------------------------------- */

static ir_attr scalar_attr(ir_type element, double value)
{
    if (element->kind == IR_TYPE_COMPLEX) {
        ir_attr parts[] = {scalar_attr(element->element, value),
                           scalar_attr(element->element, 0)};
        return ir_array_attr(element->ctx, parts, 2);
    }
    return element->kind == IR_TYPE_FLOAT ? ir_float_attr(element, value)
                                          : ir_integer_attr(element, (int64_t)value);
}

/* The bytes of one element. */
static size_t put_scalar(ir_attr scalar, char *out)
{
    if (scalar->kind == IR_ATTR_ARRAY) {
        size_t size = put_scalar(scalar->items[0], out);
        return size + put_scalar(scalar->items[1], out + size);
    }
    uint64_t bits = scalar->kind == IR_ATTR_FLOAT ? scalar->bits : (uint64_t)scalar->value;
    size_t size = ir_dense_element_size(scalar->type);
    memcpy(out, &bits, size);
    return size;
}

static ir_value *constant(ir_builder *b, ir_type type, ir_attr scalar)
{
    char bytes[16];
    size_t size = put_scalar(scalar, bytes);
    return ir_build1(b, STABLEHLO_OP(constant), type, NULL, 0,
                     IR_ATTRS({"value", ir_dense_attr(type, bytes, size)}));
}

ir_value *hlo_constant_like(ir_builder *b, ir_value *like, ir_type type, ir_attr scalar)
{
    if (ir_type_has_static_shape(type))
        return constant(b, type, scalar);
    ir_type element = ir_type_element(type);
    ir_value *one = constant(b, ir_tensor_type(element, NULL, 0, NULL), scalar);
    return hlo_broadcast_like(b, one, like, type);
}

ir_value *hlo_literal(const hlo_math *m, double value)
{
    ir_type t = m->like->type;
    return hlo_constant_like(m->b, m->like, t, scalar_attr(ir_type_element(t), value));
}

ir_value *hlo_unary(const hlo_math *m, uint16_t row, ir_value *x)
{
    ir_type t = x->type, element = ir_type_element(t);
    if (row == STABLEHLO_is_finite)
        t = ir_type_i1_like(t);
    else if (element->kind == IR_TYPE_COMPLEX &&
             (row == STABLEHLO_real || row == STABLEHLO_imag || row == STABLEHLO_abs))
        t = ir_type_with_element(t, element->element);
    return ir_build1(m->b, &stablehlo_ops[row], t, IR_VALUES(x), NULL, 0);
}

ir_value *hlo_binary(const hlo_math *m, uint16_t row, ir_value *x, ir_value *y)
{
    ir_type t = x->type;
    if (row == STABLEHLO_complex)
        t = ir_type_with_element(t, ir_complex_type(ir_type_element(t)));
    return ir_build1(m->b, &stablehlo_ops[row], t, IR_VALUES(x, y), NULL, 0);
}

ir_value *hlo_compare(ir_builder *b, int64_t direction, ir_value *x, ir_value *y)
{
    ir_attr how = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction), direction);
    return ir_build1(b, STABLEHLO_OP(compare), ir_type_i1_like(x->type), IR_VALUES(x, y),
                     IR_ATTRS({"comparison_direction", how}));
}

ir_value *hlo_select(ir_builder *b, ir_value *pick, ir_value *yes, ir_value *no)
{
    return ir_build1(b, STABLEHLO_OP(select), yes->type, IR_VALUES(pick, yes, no), NULL, 0);
}

ir_value *hlo_convert_to(ir_builder *b, ir_value *x, ir_type element)
{
    return ir_build1(b, STABLEHLO_OP(convert), ir_type_with_element(x->type, element),
                     IR_VALUES(x), NULL, 0);
}

/* ---- names of calls ----------------------------------------------------------------- */

static const struct call {
    const char *name;
    uint8_t operands; /* 3: select and clamp */
    uint16_t row;
} calls[] = {
    {"abs", 1, STABLEHLO_abs},
    {"and", 2, STABLEHLO_and},
    {"atan2", 2, STABLEHLO_atan2},
    {"clamp", 3, STABLEHLO_clamp},
    {"complex", 2, STABLEHLO_complex},
    {"cos", 1, STABLEHLO_cosine},
    {"exp", 1, STABLEHLO_exponential},
    {"expm1", 1, STABLEHLO_exponential_minus_one},
    {"floor", 1, STABLEHLO_floor},
    {"imag", 1, STABLEHLO_imag},
    {"is_finite", 1, STABLEHLO_is_finite},
    {"log", 1, STABLEHLO_log},
    {"log1p", 1, STABLEHLO_log_plus_one},
    {"max", 2, STABLEHLO_maximum},
    {"min", 2, STABLEHLO_minimum},
    {"pow", 2, STABLEHLO_power},
    {"real", 1, STABLEHLO_real},
    {"rem", 2, STABLEHLO_remainder},
    {"select", 3, STABLEHLO_select},
    {"shr", 2, STABLEHLO_shift_right_logical},
    {"sign", 1, STABLEHLO_sign},
    {"sin", 1, STABLEHLO_sine},
    {"sqrt", 1, STABLEHLO_sqrt},
    {"tan", 1, STABLEHLO_tan},
    {"tanh", 1, STABLEHLO_tanh},
};

/* ---- values */

static cell *new_cell(state *r, ir_value *value, double literal)
{
    cell *c = TW_ARENA_NEW(r->arena, cell);
    *c = (cell){value, r->m.like, literal};
    return c;
}

/* A cell that has no meaning, after a mistake. */
static cell *mistake(state *r, tw_str at)
{
    if (!*r->wrong)
        *r->wrong = at.data;
    return new_cell(r, NULL, 0);
}

static ir_value *use(state *r, cell *c)
{
    if (!c->value)
        c->value = hlo_literal(&(hlo_math){r->m.b, c->like}, c->literal);
    return c->value;
}

static cell *find(const state *r, tw_str name)
{
    const scope *s = r->names;
    while (s && !tw_str_equal(s->name, name))
        s = s->outer;
    return s ? s->cell : NULL;
}

static void bind(state *r, tw_str name, cell *c)
{
    scope *s = TW_ARENA_NEW(r->arena, scope);
    *s = (scope){name, c, r->names};
    r->names = s;
    if (tw_str_equal(name, TW_STR("x")) && c->value)
        r->m.like = c->value;
}

/* NaN for an unknown name; for `nan` itself *out_known is true. */
static double named_number(const state *r, tw_str name, bool *out_known)
{
    ir_type t = ir_type_element(r->m.like->type);
    double smallest = 0, largest = 0;
    *out_known = true;
    if (tw_str_equal(name, TW_STR("inf")))
        return INFINITY;
    if (tw_str_equal(name, TW_STR("nan")))
        return NAN;
    if (tw_str_equal(name, TW_STR("pi")))
        return 3.14159265358979323846;
    if (t->kind == IR_TYPE_FLOAT)
        ir_float_range((ir_float_kind)t->sign, &smallest, &largest);
    if (tw_str_equal(name, TW_STR("largest")))
        return largest;
    if (tw_str_equal(name, TW_STR("least")))
        return smallest;
    if (tw_str_equal(name, TW_STR("least_normal"))) /* least is the smallest subnormal */
        return ldexp(smallest, ir_float_precision((ir_float_kind)t->sign) - 1);
    *out_known = false;
    return NAN;
}

/* ---- calls */

static cell *value_of(state *r, const chk_node *n);
static ir_value *build(const state *from, const hlo_formula *f, cell *const *inputs);

/* c[0] x^(n-1) + ... + c[n-1] */
static ir_value *polynomial(const hlo_math *m, ir_value *x, const hlo_table *c)
{
    ir_value *sum = hlo_literal(m, c->at[0]);
    for (size_t i = 1; i < c->n; i++) {
        sum = hlo_binary(m, STABLEHLO_multiply, sum, x);
        sum = hlo_binary(m, STABLEHLO_add, sum, hlo_literal(m, c->at[i]));
    }
    return sum;
}

/* The series c[n-1] / 2 + c[n-2] T1(x/2) + ... by Clenshaw's recurrence. */
static ir_value *chebyshev(const hlo_math *m, ir_value *x, const hlo_table *c)
{
    ir_value *now = hlo_literal(m, 0), *before = hlo_literal(m, 0);
    ir_value *long_ago = hlo_literal(m, 0);
    for (size_t i = 0; i < c->n; i++) {
        long_ago = before;
        before = now;
        now = hlo_binary(m, STABLEHLO_multiply, x, before);
        now = hlo_binary(m, STABLEHLO_subtract, now, long_ago);
        now = hlo_binary(m, STABLEHLO_add, now, hlo_literal(m, c->at[i]));
    }
    now = hlo_binary(m, STABLEHLO_subtract, now, long_ago);
    return hlo_binary(m, STABLEHLO_multiply, now, hlo_literal(m, 0.5));
}

/* poly(x, table) or chebyshev(x, table) */
static cell *series(state *r, const chk_node *n)
{
    const bool named = n->n == 2 && n->items[1]->kind == CHK_NODE_NAME;
    const hlo_table *table = named ? hlo_find_table(n->items[1]->name) : NULL;
    if (!table)
        return mistake(r, n->name);
    ir_value *x = use(r, value_of(r, n->items[0]));
    return new_cell(r, (*n->name.data == 'p' ? polynomial : chebyshev)(&r->m, x, table), 0);
}

static void arguments(state *r, const chk_node *n, cell **out, bool as_values)
{
    for (uint32_t i = 0; i < n->n; i++) {
        out[i] = value_of(r, n->items[i]);
        if (as_values)
            use(r, out[i]);
    }
}

static cell *operation(state *r, const chk_node *n, const struct call *c)
{
    cell *args[HLO_FORMULA_INPUTS];
    if (n->n != c->operands)
        return mistake(r, n->name);
    arguments(r, n, args, true);
    ir_value *made =
        c->operands == 1 ? hlo_unary(&r->m, c->row, args[0]->value)
        : c->operands == 2
            ? hlo_binary(&r->m, c->row, args[0]->value, args[1]->value)
            : ir_build1(r->m.b, &stablehlo_ops[c->row], args[1]->value->type,
                        IR_VALUES(args[0]->value, args[1]->value, args[2]->value), NULL, 0);
    return new_cell(r, made, 0);
}

static size_t count_inputs(const hlo_formula *f)
{
    size_t n = 1;
    for (const char *c = f->inputs; *c; c++)
        n += *c == ' ';
    return n;
}

static cell *called(state *r, const chk_node *n)
{
    cell *args[HLO_FORMULA_INPUTS];
    for (size_t i = 0; i < TW_COUNT(calls); i++)
        if (tw_str_is(n->name, calls[i].name))
            return operation(r, n, &calls[i]);
    if (tw_str_is(n->name, "like") && n->n == 2) { /* like(y, 2): a literal shaped like y */
        arguments(r, n, args, false);
        args[1]->like = use(r, args[0]);
        return args[1];
    }
    if (tw_str_is(n->name, "now") && n->n == 1) { /* a constant materialised here */
        arguments(r, n, args, true);
        return args[0];
    }
    if (tw_str_is(n->name, "poly") || tw_str_is(n->name, "chebyshev"))
        return series(r, n);
    const hlo_formula *f = hlo_find_formula(n->name);
    if (!f || n->n != count_inputs(f))
        return mistake(r, n->name);
    arguments(r, n, args, f->build != NULL);
    return new_cell(r, build(r, f, args), 0);
}

/* ---- expressions */

static cell *negated(state *r, cell *c)
{
    return c->value ? new_cell(r, hlo_unary(&r->m, STABLEHLO_negate, c->value), 0)
                    : new_cell(r, NULL, -c->literal);
}

/* Constants appear in the order of the text. */
static cell *combined(state *r, const chk_node *n)
{
    static const int8_t directions[] = {
        [CHK_SIGN_EQ] = STABLEHLO_ComparisonDirection_EQ,
        [CHK_SIGN_NE] = STABLEHLO_ComparisonDirection_NE,
        [CHK_SIGN_LE] = STABLEHLO_ComparisonDirection_LE,
        [CHK_SIGN_GE] = STABLEHLO_ComparisonDirection_GE,
        [CHK_SIGN_LT] = STABLEHLO_ComparisonDirection_LT,
        [CHK_SIGN_GT] = STABLEHLO_ComparisonDirection_GT,
    };
    static const uint16_t rows[] = {
        [CHK_SIGN_OR] = STABLEHLO_or,          [CHK_SIGN_AND] = STABLEHLO_and,
        [CHK_SIGN_PLUS] = STABLEHLO_add,       [CHK_SIGN_MINUS] = STABLEHLO_subtract,
        [CHK_SIGN_TIMES] = STABLEHLO_multiply, [CHK_SIGN_OVER] = STABLEHLO_divide,
        [CHK_SIGN_REST] = STABLEHLO_remainder,
    };
    ir_value *x = use(r, value_of(r, n->a));
    ir_value *y = use(r, value_of(r, n->b));
    return new_cell(r,
                    n->kind == CHK_NODE_COMPARED
                        ? hlo_compare(r->m.b, directions[n->sign], x, y)
                        : hlo_binary(&r->m, rows[n->sign], x, y),
                    0);
}

static cell *name_value(state *r, tw_str name)
{
    bool known = true;
    cell *c = find(r, name);
    if (!c)
        c = new_cell(r, NULL, named_number(r, name, &known));
    return known ? c : mistake(r, name);
}

static cell *value_of(state *r, const chk_node *n)
{
    switch (n->kind) {
    case CHK_NODE_INT:
        return new_cell(r, NULL, (double)n->integer);
    case CHK_NODE_REAL:
        return new_cell(r, NULL, n->real);
    case CHK_NODE_NAME:
        return n->items ? called(r, n) : name_value(r, n->name);
    case CHK_NODE_NEGATIVE:
        return negated(r, value_of(r, n->a));
    case CHK_NODE_NOT:
        return new_cell(r, hlo_unary(&r->m, STABLEHLO_not, use(r, value_of(r, n->a))), 0);
    case CHK_NODE_AND:
    case CHK_NODE_OR:
    case CHK_NODE_COMPARED:
    case CHK_NODE_ARITHMETIC:
        return combined(r, n);
    default:
        return mistake(r, TW_STR("a sign that formulas do not have"));
    }
}

/* A name is an input, a bound one or a number; which one is found when it is built. */
static chk_node *named_node(chk_parser *p, tw_str name)
{
    chk_node *node = chk_make(p, CHK_NODE_NAME, NULL, NULL);
    node->name = name;
    if (chk_symbol(p, "("))
        chk_items(p, ")", node, HLO_FORMULA_INPUTS);
    return node;
}

/* ---- formulas ----------------------------------------------------------------------- */

static cell *statements(state *r, const char *text)
{
    chk_parser p = {.arena = r->arena, .at = text, .word = named_node};
    cell *last = NULL;
    do {
        const char *start = p.at;
        tw_str name = chk_name_here(&p);
        bool binds = name.size > 0 && chk_symbol(&p, "=") && *p.at != '=';
        if (!binds)
            p.at = start;
        const chk_node *node = chk_expression(&p);
        if (p.wrong)
            return mistake(r, tw_str_from(p.wrong));
        last = value_of(r, node);
        if (binds)
            bind(r, name, last);
    } while (chk_symbol(&p, ";"));
    return chk_at_end(&p) ? last : mistake(r, tw_str_from(p.at));
}

static ir_value *build(const state *from, const hlo_formula *f, cell *const *inputs)
{
    const size_t n = count_inputs(f);
    if (f->build) {
        ir_value *values[HLO_FORMULA_INPUTS] = {NULL};
        for (size_t i = 0; i < n; i++)
            values[i] = inputs[i]->value;
        return f->build(&from->m, values);
    }
    state r = *from;
    r.names = NULL;
    if (inputs[0]->value)
        r.m.like = inputs[0]->value;
    chk_parser names = {.at = f->inputs};
    for (size_t i = 0; i < n; i++)
        bind(&r, chk_name_here(&names), inputs[i]);
    return use(&r, statements(&r, f->text));
}

static ir_value *build_checked(ir_builder *b, const hlo_formula *f, ir_value *const *inputs,
                               const char **wrong)
{
    tw_arena arena = {0};
    state r = {.m = {b, inputs[0]}, .arena = &arena, .wrong = wrong};
    cell *given[HLO_FORMULA_INPUTS];
    for (size_t i = 0; i < count_inputs(f); i++)
        given[i] = new_cell(&r, inputs[i], 0);
    ir_value *result = build(&r, f, given);
    tw_arena_free(&arena);
    return result;
}

ir_value *hlo_build_formula(ir_builder *b, const char *name, ir_value *const *inputs)
{
    const hlo_formula *f = hlo_find_formula(tw_str_from(name));
    const char *wrong = NULL;
    assert(f);
    ir_value *result = build_checked(b, f, inputs, &wrong);
    assert(!wrong && "a formula does not read well");
    return result;
}

bool hlo_formula_is_sound(ir_builder *b, const hlo_formula *f, ir_value *x,
                          const char **out_wrong)
{
    ir_value *inputs[HLO_FORMULA_INPUTS] = {x, x, x, x, x, x};
    *out_wrong = NULL;
    build_checked(b, f, inputs, out_wrong);
    return !*out_wrong;
}
