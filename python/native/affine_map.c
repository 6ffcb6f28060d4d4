/* affine_map.c: AffineMap and IntegerSet. */
#include "pyir.h"

static py_context *owner_of(PyObject *self)
{
    return ((py_item *)self)->owner;
}

PyObject *py_wrap_map(py_context *c, ir_affine_map map)
{
    return py_item_new(py_cls(PY_AFFINE_MAP), c, map);
}

PyObject *py_wrap_set(py_context *c, ir_integer_set set)
{
    return py_item_new(py_cls(PY_INTEGER_SET), c, set);
}

#define STATIC_KW(f) PY_METHOD(f), PY_KW | METH_STATIC, NULL
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE)

/* ---- maps --------------------------------------------------------------------------- */

static ir_affine_map map_of(PyObject *self)
{
    return ((py_item *)self)->map;
}

static bool exprs_arg(PyObject *sequence, py_context *c, ir_affine **out, size_t *count)
{
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    Py_ssize_t n = PyList_Size(list);
    ir_affine *exprs = PyMem_Malloc((size_t)(n + 1) * sizeof *exprs);
    bool ok = exprs != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = py_affine_arg(PyList_GetItem(list, i), c, &exprs[i]);
    Py_DECREF(list);
    if (!ok) {
        PyMem_Free((void *)exprs);
        return false;
    }
    *out = exprs;
    *count = (size_t)n;
    return true;
}

/* True if the expression uses dims and symbols within the bounds only. */
static bool named_within(ir_affine e, uint32_t n_dims, uint32_t n_symbols)
{
    if (e->kind == IR_AFFINE_DIM)
        return e->value < n_dims;
    if (e->kind == IR_AFFINE_SYMBOL)
        return e->value < n_symbols;
    return e->kind == IR_AFFINE_CONSTANT || (named_within(e->lhs, n_dims, n_symbols) &&
                                             named_within(e->rhs, n_dims, n_symbols));
}

static bool all_within(const ir_affine *exprs, size_t n, unsigned n_dims,
                       unsigned n_symbols)
{
    for (size_t i = 0; i < n; i++)
        if (!named_within(exprs[i], n_dims, n_symbols)) {
            PyErr_Format(PyExc_ValueError,
                         "expression %zu names a dimension or symbol beyond %u and %u", i,
                         n_dims, n_symbols);
            return false;
        }
    return true;
}

static PyObject *map_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dim_count", "symbol_count", "exprs", "context", NULL};
    unsigned n_dims, n_symbols;
    PyObject *list, *context = NULL, *result = NULL;
    ir_affine *exprs;
    size_t n;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IIO|O", names, &n_dims, &n_symbols,
                                     &list, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    if (!c || !exprs_arg(list, c, &exprs, &n))
        return NULL;
    if (all_within(exprs, n, n_dims, n_symbols))
        result = py_wrap_map(c, ir_affine_map_get(c->ctx, n_dims, n_symbols, exprs, n));
    PyMem_Free((void *)exprs);
    return result;
}

static PyObject *map_of_numbers(PyObject *args, PyObject *kwargs, char **names, int what)
{
    long long a = 0, b = 0;
    PyObject *context = NULL;
    ir_affine exprs[64];
    bool ok =
        what == 0   ? PyArg_ParseTupleAndKeywords(args, kwargs, "L|O", names, &a, &context)
        : what == 1 ? PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &context)
        : what == 2
            ? PyArg_ParseTupleAndKeywords(args, kwargs, "L|O", names, &a, &context)
            : PyArg_ParseTupleAndKeywords(args, kwargs, "LL|O", names, &a, &b, &context);
    py_context *c = ok ? py_context_arg(context) : NULL;
    if (!c)
        return NULL;
    if (what >= 2 && (a < 0 || a > 64 || b < 0 || b > a)) {
        PyErr_SetString(PyExc_ValueError, "no such number of dimensions");
        return NULL;
    }
    if (what == 0) {
        exprs[0] = ir_affine_constant(c->ctx, a);
        return py_wrap_map(c, ir_affine_map_get(c->ctx, 0, 0, exprs, 1));
    }
    if (what == 1)
        return py_wrap_map(c, ir_affine_map_get(c->ctx, 0, 0, NULL, 0));
    if (what == 2)
        return py_wrap_map(c, ir_affine_identity(c->ctx, (uint32_t)a));
    for (long long i = 0; i < b; i++)
        exprs[i] = ir_affine_dim(c->ctx, a - b + i);
    return py_wrap_map(c, ir_affine_map_get(c->ctx, (uint32_t)a, 0, exprs, (size_t)b));
}

#define MAP_MAKER(function, what, ...)                                                     \
    static PyObject *function(PyObject *cls, PyObject *args, PyObject *kwargs)             \
    {                                                                                      \
        static char *names[] = {__VA_ARGS__, "context", NULL};                             \
        (void)cls;                                                                         \
        return map_of_numbers(args, kwargs, names, what);                                  \
    }
MAP_MAKER(map_constant, 0, "value")
MAP_MAKER(map_identity, 2, "n_dims")
MAP_MAKER(map_minor, 3, "n_dims", "n_results")

static PyObject *map_empty(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", NULL};
    (void)cls;
    return map_of_numbers(args, kwargs, names, 1);
}

static PyObject *map_permutation(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"permutation", "context", NULL};
    PyObject *list, *context = NULL;
    int64_t *positions;
    size_t n;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &list, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    if (!c || !py_ints_arg(list, &positions, &n))
        return NULL;
    bool ok = n <= 64;
    uint64_t seen = 0;
    for (size_t i = 0; ok && i < n; i++) {
        ok = positions[i] >= 0 && (size_t)positions[i] < n && !(seen >> positions[i] & 1);
        if (ok)
            seen |= (uint64_t)1 << positions[i];
    }
    PyObject *result =
        ok ? py_wrap_map(c, ir_affine_permutation(c->ctx, positions, n)) : NULL;
    if (!ok)
        PyErr_SetString(PyExc_RuntimeError,
                        "Invalid permutation when attempting to create an AffineMap");
    PyMem_Free(positions);
    return result;
}

static PyObject *map_str(PyObject *self)
{
    tw_strbuf text = {0};
    ir_print_affine_map(map_of(self), &text);
    return py_buf_text(&text);
}

static PyObject *map_number(PyObject *self, void *closure)
{
    ir_affine_map m = map_of(self);
    uintptr_t what = (uintptr_t)closure;
    return PyLong_FromUnsignedLong(what == 0   ? m->n_dims
                                   : what == 1 ? m->n_symbols
                                               : m->n_dims + m->n_symbols);
}

static PyObject *expr_list(py_context *c, const ir_affine *exprs, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *e = py_wrap_affine(c, exprs[i]);
        if (!e || PyList_SetItem(list, (Py_ssize_t)i, e) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *map_results(PyObject *self, void *closure)
{
    (void)closure;
    return expr_list(owner_of(self), map_of(self)->results, map_of(self)->n_results);
}

static PyObject *map_is_permutation(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(ir_affine_map_is_permutation(map_of(self)));
}

static PyObject *map_is_projection(PyObject *self, void *closure)
{
    ir_affine_map m = map_of(self);
    (void)closure;
    bool ok = m->n_symbols == 0 && m->n_results <= m->n_dims;
    for (uint32_t i = 0; ok && i < m->n_results; i++) {
        ok = m->results[i]->kind == IR_AFFINE_DIM;
        for (uint32_t j = 0; ok && j < i; j++)
            ok = m->results[j] != m->results[i];
    }
    return PyBool_FromLong(ok);
}

static PyObject *submap(PyObject *self, PyObject *list)
{
    py_context *c = owner_of(self);
    ir_affine_map m = map_of(self);
    int64_t *positions;
    size_t n;
    if (!py_ints_arg(list, &positions, &n))
        return NULL;
    ir_affine *exprs = PyMem_Malloc((n + 1) * sizeof *exprs);
    bool ok = exprs != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        ok = positions[i] >= 0 && positions[i] < (int64_t)m->n_results;
        if (ok)
            exprs[i] = m->results[positions[i]];
        else
            PyErr_SetString(PyExc_ValueError, "result position out of bounds");
    }
    PyObject *result =
        ok ? py_wrap_map(c, ir_affine_map_get(c->ctx, m->n_dims, m->n_symbols, exprs, n))
           : NULL;
    PyMem_Free((void *)exprs);
    PyMem_Free(positions);
    return result;
}

static PyMethodDef map_methods[] = {
    {"get", STATIC_KW(map_get)},
    {"get_constant", STATIC_KW(map_constant)},
    {"get_empty", STATIC_KW(map_empty)},
    {"get_identity", STATIC_KW(map_identity)},
    {"get_minor_identity", STATIC_KW(map_minor)},
    {"get_permutation", STATIC_KW(map_permutation)},
    {"get_submap", submap, METH_O, NULL},
    {0},
};
static PyGetSetDef map_getset[] = {
    {"n_dims", map_number, NULL, NULL, NULL},
    {"n_symbols", map_number, NULL, NULL, (void *)1},
    {"n_inputs", map_number, NULL, NULL, (void *)2},
    {"results", map_results, NULL, NULL, NULL},
    {"is_permutation", map_is_permutation, NULL, NULL, NULL},
    {"is_projected_permutation", map_is_projection, NULL, NULL, NULL},
    {0},
};
static PyType_Slot map_slots[] = {{Py_tp_str, (void *)map_str},
                                  {Py_tp_methods, map_methods},
                                  {Py_tp_getset, map_getset},
                                  {0, NULL}};

/* ---- sets --------------------------------------------------------------------------- */

static PyObject *set_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"num_dims", "num_symbols", "exprs",
                            "eq_flags", "context",     NULL};
    unsigned n_dims, n_symbols;
    PyObject *list, *flags, *context = NULL, *result = NULL;
    ir_affine *exprs;
    int64_t *marks;
    size_t n, n_marks;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IIOO|O", names, &n_dims, &n_symbols,
                                     &list, &flags, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    if (!c || !exprs_arg(list, c, &exprs, &n))
        return NULL;
    if (py_ints_arg(flags, &marks, &n_marks)) {
        bool *equal = PyMem_Malloc(n + 1);
        if (n == 0 || n != n_marks) {
            PyErr_SetString(PyExc_ValueError, n ? "Expected the number of constraints to "
                                                  "match that of equality flags"
                                                : "Expected non-empty list of constraints");
        } else if (equal && all_within(exprs, n, n_dims, n_symbols)) {
            for (size_t i = 0; i < n; i++)
                equal[i] = marks[i] != 0;
            result = py_wrap_set(
                c, ir_integer_set_get(c->ctx, n_dims, n_symbols, exprs, equal, n));
        }
        PyMem_Free(equal);
        PyMem_Free(marks);
    }
    PyMem_Free((void *)exprs);
    return result;
}

static PyObject *set_str(PyObject *self)
{
    py_item *item = (py_item *)self;
    tw_strbuf text = {0};
    ir_print_attr(ir_integer_set_attr(item->owner->ctx, item->set), &text);
    /* affine_set<...> */
    const char *open = strchr(tw_strbuf_text(&text), '<');
    tw_str body = {text.data, text.size};
    if (open && text.size)
        body = (tw_str){open + 1, text.size - (size_t)(open + 1 - text.data) - 1};
    PyObject *result = py_text(body);
    tw_strbuf_free(&text);
    return result;
}

static PyObject *set_number(PyObject *self, void *closure)
{
    ir_integer_set s = ((py_item *)self)->set;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < s->n_constraints; i++)
        equal += s->is_equality[i];
    uint32_t numbers[] = {s->n_dims, s->n_symbols, s->n_dims + s->n_symbols, equal,
                          s->n_constraints - equal};
    return PyLong_FromUnsignedLong(numbers[(uintptr_t)closure]);
}

static PyMethodDef set_methods[] = {{"get", STATIC_KW(set_get)}, {0}};
static PyGetSetDef set_getset[] = {
    {"n_dims", set_number, NULL, NULL, (void *)0},
    {"n_symbols", set_number, NULL, NULL, (void *)1},
    {"n_inputs", set_number, NULL, NULL, (void *)2},
    {"n_equalities", set_number, NULL, NULL, (void *)3},
    {"n_inequalities", set_number, NULL, NULL, (void *)4},
    {0},
};
static PyType_Slot set_slots[] = {{Py_tp_str, (void *)set_str},
                                  {Py_tp_methods, set_methods},
                                  {Py_tp_getset, set_getset},
                                  {0, NULL}};

PyType_Spec py_affine_map_spec = {"ttmlir.ir.AffineMap", sizeof(py_item), 0,
                                  FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION, map_slots};
PyType_Spec py_integer_set_spec = {"ttmlir.ir.IntegerSet", sizeof(py_item), 0,
                                   FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION, set_slots};
