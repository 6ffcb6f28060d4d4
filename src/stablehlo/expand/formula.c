/* formula.c: parses formulas and builds them; see formula.h. */
#include "stablehlo/expand/formula.h"

#include "ir/number.h"
#include "stablehlo/broadcast.h"
#include "stablehlo/stablehlo.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_NAMES = 96, MAX_CELLS = 1024 };

/* A value, or a literal that is not materialised yet. */
typedef struct cell {
    ir_value *value, *like; /* like: gives the literal its shape */
    double literal;
} cell;

typedef struct reader {
    hlo_math m;
    const char *at;
    struct {
        tw_str name;
        cell *cell;
    } names[MAX_NAMES];
    size_t n_names;
    cell *cells; /* of all nested formulas */
    size_t *n_cells;
} reader;

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

/* ---- reading ------------------------------------------------------------------------ */

static cell *new_cell(reader *r, ir_value *value, double literal)
{
    assert(*r->n_cells < MAX_CELLS);
    cell *c = &r->cells[(*r->n_cells)++];
    *c = (cell){value, r->m.like, literal};
    return c;
}

static cell *of(reader *r, ir_value *value)
{
    return new_cell(r, value, 0);
}

static ir_value *use(reader *r, cell *c)
{
    if (!c->value)
        c->value = hlo_literal(&(hlo_math){r->m.b, c->like}, c->literal);
    return c->value;
}

static void skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool eat(reader *r, const char *token)
{
    size_t n = strlen(token);
    skip(r);
    if (strncmp(r->at, token, n) != 0)
        return false;
    r->at += n;
    return true;
}

static tw_str word(reader *r)
{
    skip(r);
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return (tw_str){start, (size_t)(r->at - start)};
}

static cell *find(const reader *r, tw_str name)
{
    for (size_t i = r->n_names; i-- > 0;)
        if (tw_str_equal(r->names[i].name, name))
            return r->names[i].cell;
    return NULL;
}

static void bind(reader *r, tw_str name, cell *c)
{
    size_t i = 0;
    while (i < r->n_names && !tw_str_equal(r->names[i].name, name))
        i++;
    assert(i < MAX_NAMES);
    r->names[i].name = name;
    r->names[i].cell = c;
    r->n_names = TW_MAX(r->n_names, i + 1);
    if (tw_str_equal(name, TW_STR("x")) && c->value)
        r->m.like = c->value;
}

/* NaN for an unknown name; for `nan` itself *out_known is true. */
static double named_number(const reader *r, tw_str name, bool *out_known)
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

static cell *read_or(reader *r);
static ir_value *build(reader *from, const hlo_formula *f, cell *const *inputs);

static size_t read_arguments(reader *r, cell **out, bool as_values)
{
    size_t n = 0;
    do {
        assert(n < HLO_FORMULA_INPUTS);
        out[n] = read_or(r);
        if (as_values)
            use(r, out[n]);
        n++;
    } while (eat(r, ","));
    bool closed = eat(r, ")");
    assert(closed);
    (void)closed;
    return n;
}

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
static cell *read_series(reader *r, bool is_polynomial)
{
    ir_value *x = use(r, read_or(r));
    bool comma = eat(r, ",");
    const hlo_table *table = hlo_find_table(word(r));
    bool closed = eat(r, ")");
    assert(comma && table && closed);
    (void)comma;
    (void)closed;
    return of(r, (is_polynomial ? polynomial : chebyshev)(&r->m, x, table));
}

static cell *read_call(reader *r, tw_str name)
{
    cell *args[HLO_FORMULA_INPUTS];
    for (size_t i = 0; i < TW_COUNT(calls); i++) {
        const struct call *c = &calls[i];
        if (!tw_str_equal(name, tw_str_from(c->name)))
            continue;
        size_t n = read_arguments(r, args, true);
        assert(n == c->operands);
        (void)n;
        if (c->operands == 1)
            return of(r, hlo_unary(&r->m, c->row, args[0]->value));
        if (c->operands == 2)
            return of(r, hlo_binary(&r->m, c->row, args[0]->value, args[1]->value));
        return of(r, ir_build1(r->m.b, &stablehlo_ops[c->row], args[1]->value->type,
                               IR_VALUES(args[0]->value, args[1]->value, args[2]->value),
                               NULL, 0));
    }
    if (tw_str_equal(name, TW_STR("like"))) { /* like(y, 2): a literal shaped like y */
        read_arguments(r, args, false);
        args[1]->like = use(r, args[0]);
        return args[1];
    }
    if (tw_str_equal(name, TW_STR("now"))) { /* a constant materialised here */
        read_arguments(r, args, true);
        return args[0];
    }
    if (tw_str_equal(name, TW_STR("poly")) || tw_str_equal(name, TW_STR("chebyshev")))
        return read_series(r, *name.data == 'p');
    const hlo_formula *f = hlo_find_formula(name);
    assert(f);
    read_arguments(r, args, f->build != NULL);
    return of(r, build(r, f, args));
}

static cell *read_atom(reader *r)
{
    skip(r);
    if (eat(r, "(")) {
        cell *c = read_or(r);
        bool closed = eat(r, ")");
        assert(closed);
        (void)closed;
        return c;
    }
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end;
        double literal = strtod(r->at, &end);
        r->at = end;
        return new_cell(r, NULL, literal);
    }
    tw_str name = word(r);
    assert(name.size > 0);
    if (eat(r, "("))
        return read_call(r, name);
    cell *c = find(r, name);
    bool known = true;
    if (!c)
        c = new_cell(r, NULL, named_number(r, name, &known));
    assert(known);
    return c;
}

static cell *read_unary(reader *r)
{
    if (eat(r, "-")) {
        cell *c = read_unary(r);
        if (!c->value)
            return new_cell(r, NULL, -c->literal);
        return of(r, hlo_unary(&r->m, STABLEHLO_negate, c->value));
    }
    if (*r->at == '!' && r->at[1] != '=') {
        r->at++;
        return of(r, hlo_unary(&r->m, STABLEHLO_not, use(r, read_unary(r))));
    }
    return read_atom(r);
}

typedef struct level {
    const char *token;
    uint16_t row;
} level;

/* `left {token right}`: constants appear in the order of the text. */
static cell *read_level(reader *r, cell *(*next)(reader *), const level *rows, size_t n)
{
    cell *left = next(r);
    for (size_t i = 0; i < n; i++)
        if (eat(r, rows[i].token)) {
            ir_value *x = use(r, left);
            ir_value *y = use(r, next(r));
            left = of(r, hlo_binary(&r->m, rows[i].row, x, y));
            i = (size_t)-1; /* restart from the first token */
        }
    return left;
}

static cell *read_product(reader *r)
{
    static const level rows[] = {{"*", STABLEHLO_multiply}, {"/", STABLEHLO_divide}};
    return read_level(r, read_unary, rows, 2);
}

static cell *read_sum(reader *r)
{
    static const level rows[] = {{"+", STABLEHLO_add}, {"-", STABLEHLO_subtract}};
    return read_level(r, read_product, rows, 2);
}

static cell *read_comparison(reader *r)
{
    static const struct {
        const char *token;
        int direction;
    } rows[] = {
        {"<=", STABLEHLO_ComparisonDirection_LE}, {">=", STABLEHLO_ComparisonDirection_GE},
        {"==", STABLEHLO_ComparisonDirection_EQ}, {"!=", STABLEHLO_ComparisonDirection_NE},
        {"<", STABLEHLO_ComparisonDirection_LT},  {">", STABLEHLO_ComparisonDirection_GT},
    };
    cell *left = read_sum(r);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (eat(r, rows[i].token)) {
            ir_value *x = use(r, left);
            ir_value *y = use(r, read_sum(r));
            return of(r, hlo_compare(r->m.b, rows[i].direction, x, y));
        }
    return left;
}

static cell *read_and(reader *r)
{
    static const level rows[] = {{"&", STABLEHLO_and}};
    return read_level(r, read_comparison, rows, 1);
}

static cell *read_or(reader *r)
{
    static const level rows[] = {{"|", STABLEHLO_or}};
    return read_level(r, read_and, rows, 1);
}

/* ---- formulas ----------------------------------------------------------------------- */

static ir_value *build(reader *from, const hlo_formula *f, cell *const *inputs)
{
    if (f->build) {
        ir_value *values[HLO_FORMULA_INPUTS] = {NULL};
        reader names = {.at = f->inputs};
        for (size_t i = 0; word(&names).size > 0; i++)
            values[i] = inputs[i]->value;
        return f->build(&from->m, values);
    }
    reader *r = tw_xmalloc(sizeof *r);
    *r = (reader){.m = from->m, .cells = from->cells, .n_cells = from->n_cells};
    r->at = f->inputs;
    size_t i = 0;
    for (tw_str name = word(r); name.size > 0; name = word(r), i++) {
        if (i == 0 && inputs[0]->value)
            r->m.like = inputs[0]->value;
        bind(r, name, inputs[i]);
    }
    r->at = f->text;
    cell *last = NULL;
    do {
        skip(r);
        const char *start = r->at;
        tw_str name = word(r);
        bool binds = name.size > 0 && eat(r, "=") && *r->at != '=';
        if (!binds)
            r->at = start;
        last = read_or(r);
        if (binds)
            bind(r, name, last);
    } while (eat(r, ";"));
    skip(r);
    assert(*r->at == '\0');
    ir_value *result = use(r, last);
    free(r);
    return result;
}

ir_value *hlo_build_formula(ir_builder *b, const char *name, ir_value *const *inputs)
{
    const hlo_formula *f = hlo_find_formula(tw_str_from(name));
    assert(f);
    cell *cells = tw_xmalloc(MAX_CELLS * sizeof *cells);
    size_t n_cells = 0;
    reader r = {.m = {b, inputs[0]}, .at = f->inputs, .cells = cells, .n_cells = &n_cells};
    cell *given[HLO_FORMULA_INPUTS];
    for (size_t i = 0; word(&r).size > 0; i++)
        given[i] = of(&r, inputs[i]);
    ir_value *result = build(&r, f, given);
    free(cells);
    return result;
}
