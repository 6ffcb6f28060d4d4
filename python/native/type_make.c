/* type_make.c: the `get` functions of the builtin types. */
#include "type_table.h"

#define PARSE(format, ...)                                                                 \
    do {                                                                                   \
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, __VA_ARGS__))        \
            return NULL;                                                                   \
    } while (0)

/* F32Type.get(context=None), IndexType.get, NoneType.get */
PyObject *py_simple_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", NULL};
    PyObject *context = NULL;
    PARSE("|O", &context);
    const py_type_row *row = py_type_row_of(cls);
    py_context *c = py_context_arg(context);
    if (!c || !row) {
        if (c)
            PyErr_SetString(PyExc_TypeError, "subclasses have no get");
        return NULL;
    }
    ir_type type = row->kind == IR_TYPE_INDEX  ? ir_index_type(c->ctx)
                   : row->kind == IR_TYPE_NONE ? ir_none_type(c->ctx)
                                               : ir_float_type(c->ctx, row->sign);
    return py_wrap_type(c, type);
}

static PyObject *integer_get(PyObject *args, PyObject *kwargs, ir_signedness sign)
{
    static char *names[] = {"width", "context", NULL};
    unsigned long width;
    PyObject *context = NULL;
    PARSE("k|O", &width, &context);
    py_context *c = py_context_arg(context);
    if (!c)
        return NULL;
    if (width >= 1u << 24) { /* MLIR's limit */
        PyErr_Format(PyExc_ValueError, "integer width %lu is over the limit of 16777215",
                     width);
        return NULL;
    }
    return py_wrap_type(c, ir_integer_type(c->ctx, (uint32_t)width, sign));
}

PyObject *py_integer_get_signless(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    return integer_get(args, kwargs, IR_SIGNLESS);
}

PyObject *py_integer_get_signed(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    return integer_get(args, kwargs, IR_SIGNED);
}

PyObject *py_integer_get_unsigned(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    return integer_get(args, kwargs, IR_UNSIGNED);
}

static bool element_arg(PyObject *object, PyObject *context, PyObject *loc, py_context **c,
                        ir_type *out)
{
    if (!py_type_arg(object, NULL, out))
        return false;
    *c = ((py_item *)object)->owner;
    PyObject *others[] = {context, loc};
    for (size_t i = 0; i < 2; i++)
        if (others[i] && others[i] != Py_None && py_context_of(others[i]) != *c) {
            py_mismatch("the element type");
            return false;
        }
    return true;
}

static bool optional_attr(PyObject *object, py_context *c, ir_attr *out)
{
    *out = NULL;
    return !object || object == Py_None || py_attr_arg(object, c, out);
}

/* Raises with the message of MLIR's verifier of types. */
static bool not_a_type(py_context *c, const char *message)
{
    ir_error(c->ctx, IR_LOC_UNKNOWN, "%s", message);
    return py_deliver(c, "Invalid type");
}

/* Integers, with None for a dynamic dimension. */
static bool dims_arg(py_context *c, PyObject *shape, int64_t **out, size_t *count)
{
    PyObject *list = PySequence_List(shape);
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    bool ok = list != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        if (PyList_GetItem(list, i) == Py_None)
            ok = PyList_SetItem(list, i, PyLong_FromLongLong(IR_DYNAMIC)) == 0;
    ok = ok && py_ints_arg(list, out, count);
    Py_XDECREF(list);
    for (size_t i = 0; ok && i < *count; i++)
        if ((*out)[i] < 0 && (*out)[i] != IR_DYNAMIC) {
            PyMem_Free(*out);
            return not_a_type(c, "invalid tensor dimension size");
        }
    return ok;
}

PyObject *py_complex_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"element_type", NULL};
    PyObject *element;
    py_context *c;
    ir_type e;
    (void)cls;
    PARSE("O", &element);
    if (!element_arg(element, NULL, NULL, &c, &e))
        return NULL;
    if (e->kind != IR_TYPE_FLOAT && e->kind != IR_TYPE_INTEGER) {
        PyErr_Format(PyExc_ValueError,
                     "invalid 'Type(%S)' and expected floating point or integer type.",
                     element);
        return NULL;
    }
    return py_wrap_type(c, ir_complex_type(e));
}

static bool valid_element(py_context *c, ir_type e, ir_type_kind of)
{
    bool bad =
        e->kind == IR_TYPE_FUNCTION || e->kind == IR_TYPE_NONE ||
        e->kind == IR_TYPE_TUPLE ||
        (of == IR_TYPE_VECTOR
             ? e->kind != IR_TYPE_INTEGER && e->kind != IR_TYPE_FLOAT &&
                   e->kind != IR_TYPE_INDEX && e->kind != IR_TYPE_DIALECT
             : of == IR_TYPE_TENSOR &&
                   (e->kind == IR_TYPE_TENSOR || e->kind == IR_TYPE_UNRANKED_TENSOR ||
                    e->kind == IR_TYPE_MEMREF || e->kind == IR_TYPE_UNRANKED_MEMREF));
    if (!bad)
        return true;
    char message[512];
    snprintf(message, sizeof message,
             of == IR_TYPE_VECTOR   ? "failed to verify 'elementType': "
                                      "VectorElementTypeInterface instance"
             : of == IR_TYPE_TENSOR ? "invalid tensor element type: '%s'"
                                    : "invalid memref element type",
             ir_type_text(c->ctx, e));
    return not_a_type(c, message);
}

PyObject *py_tensor_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shape", "element_type", "encoding", "loc", "context", NULL};
    PyObject *shape, *element, *encoding = NULL, *loc = NULL, *context = NULL;
    py_context *c;
    ir_type e;
    ir_attr layout;
    int64_t *dims;
    size_t rank;
    (void)cls;
    PARSE("OO|OOO", &shape, &element, &encoding, &loc, &context);
    if (!element_arg(element, context, loc, &c, &e) ||
        !valid_element(c, e, IR_TYPE_TENSOR) || !optional_attr(encoding, c, &layout) ||
        !dims_arg(c, shape, &dims, &rank))
        return NULL;
    ir_type type = ir_tensor_type(e, dims, rank, layout);
    PyMem_Free(dims);
    return py_wrap_type(c, type);
}

PyObject *py_unranked_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"element_type", "loc", "context", NULL};
    PyObject *element, *loc = NULL, *context = NULL;
    py_context *c;
    ir_type e;
    (void)cls;
    PARSE("O|OO", &element, &loc, &context);
    if (!element_arg(element, context, loc, &c, &e) || !valid_element(c, e, IR_TYPE_TENSOR))
        return NULL;
    return py_wrap_type(c, ir_unranked_tensor_type(e));
}

PyObject *py_vector_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shape", "element_type", "scalable", "scalable_dims",
                            "loc",   "context",      NULL};
    PyObject *shape, *element, *scalable = NULL, *which = NULL, *loc = NULL,
                               *context = NULL;
    py_context *c;
    ir_type e;
    int64_t *dims, *flags = NULL;
    size_t rank, n_flags = 0;
    (void)cls;
    PARSE("OO|OOOO", &shape, &element, &scalable, &which, &loc, &context);
    if (!element_arg(element, context, loc, &c, &e) ||
        !valid_element(c, e, IR_TYPE_VECTOR) || !dims_arg(c, shape, &dims, &rank))
        return NULL;
    bool *marks = PyMem_Calloc(rank + 1, sizeof *marks);
    bool ok = marks != NULL;
    if (ok && scalable && scalable != Py_None && which && which != Py_None) {
        PyErr_SetString(PyExc_ValueError, "'scalable' and 'scalable_dims' kwargs are "
                                          "mutually exclusive.");
        ok = false;
    }
    if (ok && scalable && scalable != Py_None) {
        ok = py_ints_arg(scalable, &flags, &n_flags);
        if (ok && n_flags != rank) {
            PyErr_SetString(PyExc_ValueError, "Expected len(scalable) == len(shape).");
            ok = false;
        }
        for (size_t i = 0; ok && i < rank; i++)
            marks[i] = flags[i] != 0;
    } else if (ok && which && which != Py_None) {
        ok = py_ints_arg(which, &flags, &n_flags);
        for (size_t i = 0; ok && i < n_flags; i++) {
            ok = flags[i] >= 0 && (size_t)flags[i] < rank;
            if (ok)
                marks[flags[i]] = true;
            else
                PyErr_SetString(PyExc_ValueError,
                                "Scalable dimension index out of bounds.");
        }
    }
    for (size_t i = 0; ok && i < rank; i++)
        if (dims[i] <= 0) {
            tw_strbuf text = {0};
            tw_strbuf_puts(&text,
                           "vector types must have positive constant sizes but got ");
            for (size_t k = 0; k < rank; k++)
                tw_strbuf_printf(&text, "%s%lld", k ? ", " : "", (long long)dims[k]);
            ok = not_a_type(c, tw_strbuf_text(&text));
            tw_strbuf_free(&text);
        }
    bool any = false;
    for (size_t i = 0; ok && i < rank; i++)
        any = any || marks[i];
    ir_type type = ok ? ir_vector_type(e, dims, rank, any ? marks : NULL) : NULL;
    PyMem_Free(marks);
    PyMem_Free(flags);
    PyMem_Free(dims);
    return ok ? py_wrap_type(c, type) : NULL;
}

PyObject *py_memref_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shape", "element_type", "layout", "memory_space",
                            "loc",   "context",      NULL};
    PyObject *shape, *element, *layout = NULL, *space = NULL, *loc = NULL, *context = NULL;
    py_context *c;
    ir_type e;
    ir_attr l, s;
    int64_t *dims;
    size_t rank;
    (void)cls;
    PARSE("OO|OOOO", &shape, &element, &layout, &space, &loc, &context);
    if (!element_arg(element, context, loc, &c, &e) ||
        !valid_element(c, e, IR_TYPE_MEMREF) || !optional_attr(layout, c, &l) ||
        !optional_attr(space, c, &s) || !dims_arg(c, shape, &dims, &rank))
        return NULL;
    bool ok = !l || (l->kind == IR_ATTR_AFFINE_MAP && l->map->n_dims == rank) ||
              (l->kind == IR_ATTR_STRIDED && l->count == rank) ||
              l->kind == IR_ATTR_DIALECT || l->kind == IR_ATTR_OPAQUE;
    if (!ok)
        PyErr_Format(PyExc_ValueError, "memref layout mismatch between rank %zu and %R",
                     rank, layout);
    ir_type type = ok ? ir_memref_type(e, dims, rank, l, s) : NULL;
    PyMem_Free(dims);
    return ok ? py_wrap_type(c, type) : NULL;
}

PyObject *py_unranked_memref_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"element_type", "memory_space", "loc", "context", NULL};
    PyObject *element, *space = NULL, *loc = NULL, *context = NULL;
    py_context *c;
    ir_type e;
    ir_attr s;
    (void)cls;
    PARSE("O|OOO", &element, &space, &loc, &context);
    if (!element_arg(element, context, loc, &c, &e) ||
        !valid_element(c, e, IR_TYPE_MEMREF) || !optional_attr(space, c, &s))
        return NULL;
    return py_wrap_type(c, ir_unranked_memref_type(e, s));
}

/* The context of members, else the given or current one. */
static py_context *list_context(py_context *found, PyObject *context)
{
    if (found && context && context != Py_None && py_context_of(context) != found) {
        py_mismatch("a type");
        return NULL;
    }
    return found ? found : py_context_arg(context);
}

PyObject *py_tuple_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"elements", "context", NULL};
    PyObject *members, *context = NULL, *result = NULL;
    py_context *c = NULL;
    ir_type *types;
    size_t n;
    (void)cls;
    PARSE("O|O", &members, &context);
    if (!py_types_arg(members, &c, &types, &n))
        return NULL;
    if ((c = list_context(c, context)))
        result = py_wrap_type(c, ir_tuple_type(c->ctx, types, n));
    PyMem_Free(types);
    return result;
}

PyObject *py_function_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"inputs", "results", "context", NULL};
    PyObject *in, *out, *context = NULL, *result = NULL;
    py_context *c = NULL;
    ir_type *inputs, *results;
    size_t n_inputs, n_results;
    (void)cls;
    PARSE("OO|O", &in, &out, &context);
    if (!py_types_arg(in, &c, &inputs, &n_inputs))
        return NULL;
    if (py_types_arg(out, &c, &results, &n_results)) {
        if ((c = list_context(c, context)))
            result = py_wrap_type(
                c, ir_function_type(c->ctx, inputs, n_inputs, results, n_results));
        PyMem_Free(results);
    }
    PyMem_Free(inputs);
    return result;
}

PyObject *py_opaque_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dialect_namespace", "buffer", "context", NULL};
    const char *dialect, *body;
    Py_ssize_t dialect_size, body_size;
    PyObject *context = NULL;
    (void)cls;
    PARSE("s#s#|O", &dialect, &dialect_size, &body, &body_size, &context);
    py_context *c = py_context_arg(context);
    if (!c)
        return NULL;
    ir_ident d = ir_ident_get(c->ctx, (tw_str){dialect, (size_t)dialect_size});
    ir_ident b = ir_ident_get(c->ctx, (tw_str){body, (size_t)body_size});
    return py_wrap_type(c, ir_opaque_type(c->ctx, d, b));
}
