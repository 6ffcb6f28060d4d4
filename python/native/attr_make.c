/* attr_make.c: the `get` functions of the builtin attributes other than dense elements. */
#include "attr_table.h"

#define PARSE(format, ...)                                                                 \
    do {                                                                                   \
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, __VA_ARGS__))        \
            return NULL;                                                                   \
    } while (0)

PyObject *py_integer_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"type", "value", NULL};
    PyObject *type, *value;
    ir_type t;
    (void)cls;
    PARSE("OO", &type, &value);
    if (!py_type_arg(type, NULL, &t))
        return NULL;
    if (t->kind != IR_TYPE_INTEGER && t->kind != IR_TYPE_INDEX) {
        PyErr_Format(PyExc_ValueError, "expected an integer or index type, got %R", type);
        return NULL;
    }
    PyObject *number = PyNumber_Index(value);
    long long n = 0;
    bool ok = number != NULL;
    if (ok) {
        n = PyLong_AsLongLong(number);
        if (n == -1 &&
            PyErr_ExceptionMatches(PyExc_OverflowError)) { /* large unsigned integer */
            PyErr_Clear();
            n = (long long)PyLong_AsUnsignedLongLong(number);
        }
        ok = !PyErr_Occurred();
    }
    Py_XDECREF(number);
    return ok ? py_wrap_attr(((py_item *)type)->owner, ir_integer_attr(t, n)) : NULL;
}

PyObject *py_bool_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "context", NULL};
    int value;
    PyObject *context = NULL;
    (void)cls;
    PARSE("p|O", &value, &context);
    py_context *c = py_context_arg(context);
    return c ? py_wrap_attr(c, ir_bool_attr(c->ctx, value)) : NULL;
}

PyObject *py_float_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"type", "value", "loc", "context", NULL};
    PyObject *type, *loc = NULL, *context = NULL;
    double value;
    ir_type t;
    (void)cls;
    PARSE("Od|OO", &type, &value, &loc, &context);
    if (!py_type_arg(type, NULL, &t))
        return NULL;
    if (t->kind != IR_TYPE_FLOAT) {
        PyErr_Format(PyExc_ValueError, "invalid '%R' and expected floating point type",
                     type);
        return NULL;
    }
    return py_wrap_attr(((py_item *)type)->owner, ir_float_attr(t, value));
}

static PyObject *float_of(PyObject *args, PyObject *kwargs, ir_float_kind kind)
{
    static char *names[] = {"value", "context", NULL};
    double value;
    PyObject *context = NULL;
    PARSE("d|O", &value, &context);
    py_context *c = py_context_arg(context);
    return c ? py_wrap_attr(c, ir_float_attr(ir_float_type(c->ctx, kind), value)) : NULL;
}

PyObject *py_float_attr_f32(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    return float_of(args, kwargs, IR_F32);
}

PyObject *py_float_attr_f64(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    return float_of(args, kwargs, IR_F64);
}

/* Text or bytes; borrowed. */
static bool text_arg(PyObject *object, tw_str *out)
{
    Py_ssize_t size;
    char *data;
    if (PyBytes_Check(object)) {
        if (PyBytes_AsStringAndSize(object, &data, &size) < 0)
            return false;
        *out = (tw_str){data, (size_t)size};
        return true;
    }
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    *out = (tw_str){text, (size_t)size};
    return text != NULL;
}

PyObject *py_string_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "context", NULL};
    PyObject *value, *context = NULL;
    tw_str text;
    (void)cls;
    PARSE("O|O", &value, &context);
    py_context *c = py_context_arg(context);
    if (!c || !text_arg(value, &text))
        return NULL;
    return py_wrap_attr(c, ir_string_attr(c->ctx, text));
}

PyObject *py_string_attr_typed(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"type", "value", NULL};
    PyObject *type, *value;
    ir_type t;
    tw_str text;
    (void)cls;
    PARSE("OO", &type, &value);
    if (!py_type_arg(type, NULL, &t) || !text_arg(value, &text))
        return NULL;
    py_context *c = ((py_item *)type)->owner;
    return py_wrap_attr(c, ir_typed_string_attr(c->ctx, text, t));
}

PyObject *py_array_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"attributes", "context", NULL};
    PyObject *list, *context = NULL;
    ir_attr *items;
    size_t n;
    (void)cls;
    PARSE("O|O", &list, &context);
    py_context *c = context && context != Py_None ? py_context_arg(context) : NULL;
    if (!c && PyErr_Occurred())
        return NULL;
    if (!py_attrs_arg(list, &c, &items, &n))
        return NULL;
    if (!c)
        c = py_context_arg(NULL);
    PyObject *result = c ? py_wrap_attr(c, ir_array_attr(c->ctx, items, n)) : NULL;
    PyMem_Free(items);
    return result;
}

PyObject *py_dict_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "context", NULL};
    PyObject *dict = NULL, *context = NULL;
    (void)cls;
    PARSE("|OO", &dict, &context);
    PyObject *items = dict ? PyMapping_Items(dict) : PyList_New(0);
    if (!items)
        return NULL;
    Py_ssize_t n = PyList_Size(items);
    py_context *c = context && context != Py_None ? py_context_arg(context)
                    : n ? py_context_of(PyTuple_GetItem(PyList_GetItem(items, 0), 1))
                        : NULL;
    if (!c && !PyErr_Occurred())
        c = py_context_arg(NULL);
    ir_named_attr *entries = PyMem_Malloc((size_t)(n + 1) * sizeof *entries);
    bool ok = c && entries;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *pair = PyList_GetItem(items, i);
        tw_str name;
        ok = text_arg(PyTuple_GetItem(pair, 0), &name) &&
             py_attr_arg(PyTuple_GetItem(pair, 1), c, &entries[i].value);
        if (ok)
            entries[i].name = ir_ident_get(c->ctx, name);
    }
    PyObject *result =
        ok ? py_wrap_attr(c, ir_dict_attr(c->ctx, entries, (size_t)n)) : NULL;
    PyMem_Free(entries);
    Py_DECREF(items);
    return result;
}

PyObject *py_type_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "context", NULL};
    PyObject *type, *context = NULL;
    ir_type t;
    (void)cls;
    PARSE("O|O", &type, &context);
    if (!py_type_arg(type, NULL, &t))
        return NULL;
    return py_wrap_attr(((py_item *)type)->owner, ir_type_attr(t));
}

PyObject *py_flat_symbol_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "context", NULL};
    PyObject *value, *context = NULL;
    tw_str text;
    (void)cls;
    PARSE("O|O", &value, &context);
    py_context *c = py_context_arg(context);
    if (!c || !text_arg(value, &text))
        return NULL;
    return py_wrap_attr(c, ir_symbol_ref(c->ctx, text));
}

PyObject *py_symbol_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"symbols", "context", NULL};
    PyObject *symbols, *context = NULL;
    (void)cls;
    PARSE("O|O", &symbols, &context);
    if (PyUnicode_Check(symbols))
        return py_flat_symbol_attr_get(cls, args, kwargs);
    py_context *c = py_context_arg(context);
    PyObject *list = c ? PySequence_List(symbols) : NULL;
    if (!list)
        return NULL;
    Py_ssize_t n = PyList_Size(list);
    ir_attr *parts = PyMem_Malloc((size_t)(n + 1) * sizeof *parts);
    bool ok = parts && n > 0;
    if (parts && !ok)
        PyErr_SetString(PyExc_RuntimeError, "SymbolRefAttr must be composed of at least "
                                            "one symbol.");
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        tw_str text;
        ok = text_arg(PyList_GetItem(list, i), &text);
        if (ok)
            parts[i] = ir_string_attr(c->ctx, text);
    }
    PyObject *result =
        ok ? py_wrap_attr(c, ir_symbol_ref_nested(c->ctx, parts, (size_t)n)) : NULL;
    PyMem_Free(parts);
    Py_DECREF(list);
    return result;
}

PyObject *py_unit_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", NULL};
    PyObject *context = NULL;
    (void)cls;
    PARSE("|O", &context);
    py_context *c = py_context_arg(context);
    return c ? py_wrap_attr(c, ir_unit_attr(c->ctx)) : NULL;
}

/* ---- dense arrays ------------------------------------------------------------------- */

static ir_attr float_array(ir_context *ctx, PyObject *list, uint32_t width)
{
    Py_ssize_t n = PyList_Size(list);
    char *data = PyMem_Malloc((size_t)n * (width / 8) + 1);
    bool ok = data != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        double d = PyFloat_AsDouble(PyList_GetItem(list, i));
        float f = (float)d;
        if (width == 32)
            memcpy(data + 4 * i, &f, sizeof f);
        else
            memcpy(data + 8 * i, &d, sizeof d);
        ok = d != -1 || !PyErr_Occurred();
    }
    ir_type type = ir_float_type(ctx, width == 32 ? IR_F32 : IR_F64);
    ir_attr array = ok ? ir_dense_array(type, data, (size_t)n) : NULL;
    PyMem_Free(data);
    return array;
}

static ir_attr int_array(ir_context *ctx, PyObject *list, uint32_t width)
{
    int64_t *values;
    size_t n;
    if (width == 1) { /* truthiness, so that NumPy's booleans are accepted */
        for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
            int value = PyObject_IsTrue(PyList_GetItem(list, i));
            if (value < 0 || PyList_SetItem(list, i, PyBool_FromLong(value)) < 0)
                return NULL;
        }
    }
    if (!py_ints_arg(list, &values, &n))
        return NULL;
    size_t size = width == 1 ? 1 : width / 8;
    char *data = PyMem_Malloc(n * size + 1);
    bool ok = data != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        int64_t top = width < 64 && width > 1 ? (int64_t)1 << (width - 1) : INT64_MAX;
        if (width < 64 && (values[i] >= top || values[i] < -top)) {
            PyErr_Format(PyExc_OverflowError, "%lld does not fit in %u bits",
                         (long long)values[i], width);
            ok = false;
        } else {
            memcpy(data + i * size, &values[i], size); /* little-endian */
        }
    }
    ir_type type = ir_integer_type(ctx, width, IR_SIGNLESS);
    ir_attr array = ok ? ir_dense_array(type, data, n) : NULL;
    PyMem_Free(data);
    PyMem_Free(values);
    return array;
}

PyObject *py_dense_array_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"values", "context", NULL};
    static const uint8_t widths[] = {
        [PY_DENSE_BOOL_ARRAY_ATTR] = 1, [PY_DENSE_I8_ARRAY_ATTR] = 8,
        [PY_DENSE_I16_ARRAY_ATTR] = 16, [PY_DENSE_I32_ARRAY_ATTR] = 32,
        [PY_DENSE_I64_ARRAY_ATTR] = 64, [PY_DENSE_F32_ARRAY_ATTR] = 32,
        [PY_DENSE_F64_ARRAY_ATTR] = 64,
    };
    PyObject *values, *context = NULL;
    PARSE("O|O", &values, &context);
    int index = py_attr_index(cls);
    py_context *c = py_context_arg(context);
    PyObject *list = c && index >= 0 ? PySequence_List(values) : NULL;
    if (!list) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "subclasses have no get");
        return NULL;
    }
    bool is_float = index == PY_DENSE_F32_ARRAY_ATTR || index == PY_DENSE_F64_ARRAY_ATTR;
    ir_attr array = is_float ? float_array(c->ctx, list, widths[index])
                             : int_array(c->ctx, list, widths[index]);
    Py_DECREF(list);
    return array ? py_wrap_attr(c, array) : NULL;
}

/* ---- affine, strided, opaque -------------------------------------------------------- */

PyObject *py_map_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"affine_map", NULL};
    PyObject *object;
    ir_affine_map map;
    (void)cls;
    PARSE("O", &object);
    if (!py_map_arg(object, NULL, &map))
        return NULL;
    py_context *c = ((py_item *)object)->owner;
    return py_wrap_attr(c, ir_affine_map_attr(c->ctx, map));
}

PyObject *py_set_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"integer_set", NULL};
    PyObject *object;
    (void)cls;
    PARSE("O", &object);
    if (!py_is(object, PY_INTEGER_SET)) {
        PyErr_Format(PyExc_TypeError, "expected an IntegerSet, got %R", object);
        return NULL;
    }
    py_context *c = ((py_item *)object)->owner;
    return py_wrap_attr(c, ir_integer_set_attr(c->ctx, ((py_item *)object)->set));
}

PyObject *py_strided_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"offset", "strides", "context", NULL};
    long long offset;
    PyObject *list, *context = NULL;
    int64_t *strides;
    size_t n;
    (void)cls;
    PARSE("LO|O", &offset, &list, &context);
    py_context *c = py_context_arg(context);
    if (!c || !py_ints_arg(list, &strides, &n))
        return NULL;
    ir_attr attr = ir_strided_attr(c->ctx, strides, n, offset);
    PyMem_Free(strides);
    return py_wrap_attr(c, attr);
}

PyObject *py_opaque_attr_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dialect_namespace", "buffer", "type", "context", NULL};
    PyObject *dialect, *body, *type, *context = NULL;
    tw_str d, b;
    (void)cls;
    PARSE("OOO|O", &dialect, &body, &type, &context);
    py_context *c = py_context_arg(context);
    if (!c || !text_arg(dialect, &d) || !text_arg(body, &b))
        return NULL;
    return py_wrap_attr(
        c, ir_opaque_attr(c->ctx, ir_ident_get(c->ctx, d), ir_ident_get(c->ctx, b)));
}
