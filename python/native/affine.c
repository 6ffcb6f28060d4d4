/* affine.c: AffineExpr and its classes. */
#include "pyir.h"

typedef enum affine_class {
    AFFINE_DIM,
    AFFINE_SYMBOL,
    AFFINE_CONSTANT,
    AFFINE_BINARY,
    AFFINE_ADD,
    AFFINE_MUL,
    AFFINE_MOD,
    AFFINE_FLOORDIV,
    AFFINE_CEILDIV,
    AFFINE_COUNT
} affine_class;

static const uint8_t class_of_kind[] = {
    [IR_AFFINE_DIM] = AFFINE_DIM,           [IR_AFFINE_SYMBOL] = AFFINE_SYMBOL,
    [IR_AFFINE_CONSTANT] = AFFINE_CONSTANT, [IR_AFFINE_ADD] = AFFINE_ADD,
    [IR_AFFINE_MUL] = AFFINE_MUL,           [IR_AFFINE_MOD] = AFFINE_MOD,
    [IR_AFFINE_FLOORDIV] = AFFINE_FLOORDIV, [IR_AFFINE_CEILDIV] = AFFINE_CEILDIV,
};

static ir_affine expr_of(PyObject *self)
{
    return ((py_item *)self)->expr;
}

static py_context *owner_of(PyObject *self)
{
    return ((py_item *)self)->owner;
}

PyObject *py_wrap_affine(py_context *c, ir_affine expr)
{
    return py_item_new(py_get_state()->affine[class_of_kind[expr->kind]], c, expr);
}

/* ---- expressions -------------------------------------------------------------------- */

/* Either side may be an integer; division and modulo need a symbolic right side, as in
 * MLIR. */
static PyObject *binary(PyObject *a, PyObject *b, ir_affine_kind kind)
{
    PyObject *known = py_is(a, PY_AFFINE_EXPR) ? a : b;
    ir_affine lhs, rhs;
    if (!py_is(known, PY_AFFINE_EXPR)) {
        PyErr_Format(PyExc_TypeError, "expected an AffineExpr, got %R", a);
        return NULL;
    }
    py_context *c = owner_of(known);
    if (!py_affine_arg(a, c, &lhs) || !py_affine_arg(b, c, &rhs))
        return NULL;
    if (kind >= IR_AFFINE_MOD && rhs->kind == IR_AFFINE_CONSTANT && rhs->value < 1) {
        PyErr_Format(PyExc_ValueError, "the right side of %s must be positive, not %lld",
                     kind == IR_AFFINE_MOD ? "mod" : "a division", (long long)rhs->value);
        return NULL;
    }
    return py_wrap_affine(c, ir_affine_binary(c->ctx, kind, lhs, rhs));
}

static PyObject *operator_(PyObject *a, PyObject *b, ir_affine_kind kind)
{
    PyObject *other = py_is(a, PY_AFFINE_EXPR) ? b : a;
    if (!PyLong_Check(other) && !py_is(other, PY_AFFINE_EXPR))
        Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, kind);
}

static PyObject *expr_add(PyObject *a, PyObject *b)
{
    return operator_(a, b, IR_AFFINE_ADD);
}

static PyObject *expr_mul(PyObject *a, PyObject *b)
{
    return operator_(a, b, IR_AFFINE_MUL);
}

static PyObject *expr_mod(PyObject *a, PyObject *b)
{
    return operator_(a, b, IR_AFFINE_MOD);
}

static PyObject *expr_sub(PyObject *a, PyObject *b)
{
    PyObject *minus = PyLong_FromLong(-1);
    PyObject *negated = minus ? operator_(b, minus, IR_AFFINE_MUL) : NULL;
    if (minus && PyLong_Check(b)) { /* two integers have no context */
        Py_XDECREF(negated);
        PyErr_Clear();
        negated = PyNumber_Negative(b);
    }
    Py_XDECREF(minus);
    PyObject *result = negated == Py_NotImplemented ? negated : NULL;
    if (negated && !result)
        result = operator_(a, negated, IR_AFFINE_ADD);
    if (result != negated)
        Py_XDECREF(negated);
    return result;
}

/* The numbers of dimensions and symbols that the expression uses. */
static void count_used(ir_affine e, uint32_t *dims, uint32_t *symbols)
{
    for (; e->kind != IR_AFFINE_CONSTANT; e = e->lhs) { /* sums are long to the left */
        if (e->kind == IR_AFFINE_DIM || e->kind == IR_AFFINE_SYMBOL) {
            uint32_t *n = e->kind == IR_AFFINE_DIM ? dims : symbols;
            *n = TW_MAX(*n, (uint32_t)e->value + 1);
            return;
        }
        count_used(e->rhs, dims, symbols);
    }
}

static PyObject *expr_str(PyObject *self)
{
    py_context *c = owner_of(self);
    uint32_t dims = 0, symbols = 0;
    /* Printed as the single result of a map with the dims and symbols that it uses, without
     * the map's head. */
    count_used(expr_of(self), &dims, &symbols);
    ir_affine one[] = {expr_of(self)};
    tw_strbuf text = {0};
    ir_print_affine_map(ir_affine_map_get(c->ctx, dims, symbols, one, 1), &text);
    const char *arrow = strstr(tw_strbuf_text(&text), "-> (");
    tw_str body = {arrow ? arrow + 4 : text.data, 0};
    body.size = arrow ? text.size - (size_t)(body.data - text.data) - 1 : text.size;
    PyObject *result = py_text(body);
    tw_strbuf_free(&text);
    return result;
}

static PyObject *expr_value(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(expr_of(self)->value);
}

static PyObject *expr_side(PyObject *self, void *closure)
{
    return py_wrap_affine(owner_of(self),
                          closure ? expr_of(self)->rhs : expr_of(self)->lhs);
}

static PyObject *expr_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"expr", NULL};
    PyObject *from;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &from))
        return NULL;
    if (py_is(from, PY_AFFINE_EXPR)) {
        PyObject *natural = py_wrap_affine(owner_of(from), expr_of(from));
        int fits = natural ? PyObject_IsInstance(natural, (PyObject *)cls) : -1;
        if (fits == 1)
            return natural;
        Py_XDECREF(natural);
        if (fits < 0)
            return NULL;
    }
    PyObject *name = PyObject_GetAttrString((PyObject *)cls, "__name__");
    if (name)
        PyErr_Format(PyExc_ValueError,
                     "Cannot cast affine expression to %U (from AffineExpr(%S))", name,
                     from);
    Py_XDECREF(name);
    return NULL;
}

static PyObject *expr_isinstance(PyObject *cls, PyObject *object)
{
    return PyBool_FromLong(py_is(object, PY_AFFINE_EXPR) &&
                           PyObject_IsInstance(object, cls) == 1);
}

static PyObject *expr_downcast(PyObject *self, PyObject *unused)
{
    (void)unused;
    return py_wrap_affine(owner_of(self), expr_of(self));
}

static PyObject *leaf(PyObject *args, PyObject *kwargs, ir_affine_kind kind)
{
    static char *names[] = {"value", "context", NULL},
                *others[] = {"position", "context", NULL};
    long long value;
    PyObject *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "L|O",
                                     kind == IR_AFFINE_CONSTANT ? names : others, &value,
                                     &context))
        return NULL;
    py_context *c = py_context_arg(context);
    if (!c)
        return NULL;
    if (kind != IR_AFFINE_CONSTANT && (value < 0 || value > INT32_MAX)) {
        PyErr_Format(PyExc_ValueError, "no position: %lld", value);
        return NULL;
    }
    return py_wrap_affine(c, kind == IR_AFFINE_DIM ? ir_affine_dim(c->ctx, value)
                             : kind == IR_AFFINE_SYMBOL
                                 ? ir_affine_symbol(c->ctx, value)
                                 : ir_affine_constant(c->ctx, value));
}

#define LEAF(name, kind)                                                                   \
    static PyObject *name(PyObject *cls, PyObject *args, PyObject *kwargs)                 \
    {                                                                                      \
        (void)cls;                                                                         \
        return leaf(args, kwargs, kind);                                                   \
    }
LEAF(get_dim, IR_AFFINE_DIM)
LEAF(get_symbol, IR_AFFINE_SYMBOL)
LEAF(get_constant, IR_AFFINE_CONSTANT)

#define BINARY(name, kind)                                                                 \
    static PyObject *name(PyObject *cls, PyObject *args)                                   \
    {                                                                                      \
        PyObject *a, *b;                                                                   \
        (void)cls;                                                                         \
        return PyArg_ParseTuple(args, "OO", &a, &b) ? binary(a, b, kind) : NULL;           \
    }
BINARY(get_add, IR_AFFINE_ADD)
BINARY(get_mul, IR_AFFINE_MUL)
BINARY(get_mod, IR_AFFINE_MOD)
BINARY(get_floor_div, IR_AFFINE_FLOORDIV)
BINARY(get_ceil_div, IR_AFFINE_CEILDIV)

/* Replaces parts of the expression; rebuilding simplifies it. */
static ir_affine rebuild(ir_context *ctx, ir_affine e, const ir_affine *dims, size_t n_dims,
                         const ir_affine *symbols, size_t n_symbols)
{
    switch (e->kind) {
    case IR_AFFINE_DIM:
        return (size_t)e->value < n_dims ? dims[e->value] : e;
    case IR_AFFINE_SYMBOL:
        return (size_t)e->value < n_symbols ? symbols[e->value] : e;
    case IR_AFFINE_CONSTANT:
        return e;
    default:
        return ir_affine_binary(ctx, e->kind,
                                rebuild(ctx, e->lhs, dims, n_dims, symbols, n_symbols),
                                rebuild(ctx, e->rhs, dims, n_dims, symbols, n_symbols));
    }
}

static PyObject *simplify(PyObject *cls, PyObject *args)
{
    PyObject *expr;
    unsigned n_dims, n_symbols;
    ir_affine e;
    (void)cls;
    if (!PyArg_ParseTuple(args, "OII", &expr, &n_dims, &n_symbols) ||
        !py_affine_arg(expr, NULL, &e))
        return NULL;
    py_context *c = owner_of(expr);
    return py_wrap_affine(c, rebuild(c->ctx, e, NULL, 0, NULL, 0));
}

static PyObject *compose(PyObject *self, PyObject *other)
{
    ir_affine_map map;
    py_context *c = owner_of(self);
    if (!py_map_arg(other, c, &map))
        return NULL;
    return py_wrap_affine(
        c, rebuild(c->ctx, expr_of(self), map->results, map->n_results, NULL, 0));
}

#define STATIC_KW(f) PY_METHOD(f), PY_KW | METH_STATIC, NULL
#define STATIC(f) f, METH_VARARGS | METH_STATIC, NULL

static PyMethodDef expr_methods[] = {
    {"isinstance", expr_isinstance, METH_O | METH_CLASS, NULL},
    {"maybe_downcast", expr_downcast, METH_NOARGS, NULL},
    {"compose", compose, METH_O, NULL},
    {"get_dim", STATIC_KW(get_dim)},
    {"get_symbol", STATIC_KW(get_symbol)},
    {"get_constant", STATIC_KW(get_constant)},
    {"get_add", STATIC(get_add)},
    {"get_mul", STATIC(get_mul)},
    {"get_mod", STATIC(get_mod)},
    {"get_floor_div", STATIC(get_floor_div)},
    {"get_ceil_div", STATIC(get_ceil_div)},
    {"simplify_affine_expr", STATIC(simplify)},
    {0},
};
static PyType_Slot expr_slots[] = {
    {Py_tp_new, (void *)expr_new},      {Py_tp_str, (void *)expr_str},
    {Py_tp_methods, expr_methods},      {Py_nb_add, (void *)expr_add},
    {Py_nb_multiply, (void *)expr_mul}, {Py_nb_remainder, (void *)expr_mod},
    {Py_nb_subtract, (void *)expr_sub}, {0, NULL},
};

static PyMethodDef dim_methods[] = {{"get", STATIC_KW(get_dim)}, {0}};
static PyMethodDef symbol_methods[] = {{"get", STATIC_KW(get_symbol)}, {0}};
static PyMethodDef constant_methods[] = {{"get", STATIC_KW(get_constant)}, {0}};
static PyMethodDef no_methods[] = {{0}};
static PyMethodDef add_methods[] = {{"get", STATIC(get_add)}, {0}};
static PyMethodDef mul_methods[] = {{"get", STATIC(get_mul)}, {0}};
static PyMethodDef mod_methods[] = {{"get", STATIC(get_mod)}, {0}};
static PyMethodDef floor_methods[] = {{"get", STATIC(get_floor_div)}, {0}};
static PyMethodDef ceil_methods[] = {{"get", STATIC(get_ceil_div)}, {0}};
static PyGetSetDef position_getset[] = {{"position", expr_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef constant_getset[] = {{"value", expr_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef binary_getset[] = {
    {"lhs", expr_side, NULL, NULL, NULL}, {"rhs", expr_side, NULL, NULL, (void *)1}, {0}};
static PyGetSetDef no_getset[] = {{0}};

static const struct {
    const char *name;
    int base;
    PyMethodDef *methods;
    PyGetSetDef *getset;
} rows[AFFINE_COUNT] = {
    [AFFINE_DIM] = {"ttmlir.ir.AffineDimExpr", -1, dim_methods, position_getset},
    [AFFINE_SYMBOL] = {"ttmlir.ir.AffineSymbolExpr", -1, symbol_methods, position_getset},
    [AFFINE_CONSTANT] = {"ttmlir.ir.AffineConstantExpr", -1, constant_methods,
                         constant_getset},
    [AFFINE_BINARY] = {"ttmlir.ir.AffineBinaryExpr", -1, no_methods, binary_getset},
    [AFFINE_ADD] = {"ttmlir.ir.AffineAddExpr", AFFINE_BINARY, add_methods, no_getset},
    [AFFINE_MUL] = {"ttmlir.ir.AffineMulExpr", AFFINE_BINARY, mul_methods, no_getset},
    [AFFINE_MOD] = {"ttmlir.ir.AffineModExpr", AFFINE_BINARY, mod_methods, no_getset},
    [AFFINE_FLOORDIV] = {"ttmlir.ir.AffineFloorDivExpr", AFFINE_BINARY, floor_methods,
                         no_getset},
    [AFFINE_CEILDIV] = {"ttmlir.ir.AffineCeilDivExpr", AFFINE_BINARY, ceil_methods,
                        no_getset},
};

#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE)
static PyType_Spec expr_spec = {"ttmlir.ir.AffineExpr", sizeof(py_item), 0, FLAGS,
                                expr_slots};
bool py_make_affine_classes(PyObject *module, py_state *state)
{
    PyTypeObject *item = state->classes[PY_ITEM];
    PyTypeObject *base = py_make_class(module, &expr_spec, item);
    state->classes[PY_AFFINE_EXPR] = base;
    state->classes[PY_AFFINE_MAP] = py_make_class(module, &py_affine_map_spec, item);
    state->classes[PY_INTEGER_SET] = py_make_class(module, &py_integer_set_spec, item);
    if (!base || !state->classes[PY_AFFINE_MAP] || !state->classes[PY_INTEGER_SET])
        return false;
    for (size_t i = 0; i < AFFINE_COUNT; i++) {
        PyType_Slot slots[] = {
            {Py_tp_methods, rows[i].methods}, {Py_tp_getset, rows[i].getset}, {0, NULL}};
        PyType_Spec spec = {rows[i].name, sizeof(py_item), 0, FLAGS, slots};
        state->affine[i] = py_make_class(
            module, &spec, rows[i].base < 0 ? base : state->affine[rows[i].base]);
        if (!state->affine[i])
            return false;
    }
    return true;
}
