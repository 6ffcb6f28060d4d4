/* dense.c: constants (DenseElementsAttr and related classes), in and out through buffers;
 * reading does not copy. */
#include "attr_table.h"
#include "buffer.h"

/* Buffer format of an element, or NULL if it has none. Types of 8-bit floats and bf16
 * appear as their bits. */
static const char *format_of(ir_type e)
{
    if (e->kind == IR_TYPE_INDEX)
        return "q";
    if (e->kind == IR_TYPE_COMPLEX)
        return ir_type_is_float(e->element, IR_F32)   ? "Zf"
               : ir_type_is_float(e->element, IR_F64) ? "Zd"
                                                      : NULL;
    if (e->kind == IR_TYPE_FLOAT)
        return e->sign == IR_F64   ? "d"
               : e->sign == IR_F32 ? "f"
               : e->sign == IR_F16 ? "e"
               : e->width == 16    ? "H"
               : e->width <= 8     ? "B"
                                   : NULL;
    if (e->kind != IR_TYPE_INTEGER)
        return NULL;
    bool is_unsigned = e->sign == IR_UNSIGNED;
    switch (ir_dense_element_size(e)) {
    case 1:
        return e->width == 1 ? "?" : is_unsigned ? "B" : "b";
    case 2:
        return is_unsigned ? "H" : "h";
    case 4:
        return is_unsigned ? "I" : "i";
    case 8:
        return is_unsigned ? "Q" : "q";
    default:
        return NULL;
    }
}

/* The element type for a buffer format. */
static ir_type type_of_format(ir_context *ctx, const char *format, Py_ssize_t size,
                              bool signless)
{
    while (format && *format && strchr("@=<", *format))
        format++;
    if (!format || !format[0] || (format[1] && format[0] != 'Z'))
        return NULL;
    if (format[0] == 'Z')
        return format[1] == 'f'   ? ir_complex_type(ir_float_type(ctx, IR_F32))
               : format[1] == 'd' ? ir_complex_type(ir_float_type(ctx, IR_F64))
                                  : NULL;
    switch (format[0]) {
    case 'd':
        return ir_float_type(ctx, IR_F64);
    case 'f':
        return ir_float_type(ctx, IR_F32);
    case 'e':
        return ir_float_type(ctx, IR_F16);
    case '?':
        return ir_integer_type(ctx, 1, IR_SIGNLESS);
    default:
        break;
    }
    if (strchr("bhilqn", format[0]))
        return ir_integer_type(ctx, (uint32_t)size * 8, signless ? IR_SIGNLESS : IR_SIGNED);
    if (strchr("BHILQN", format[0]))
        return ir_integer_type(ctx, (uint32_t)size * 8,
                               signless ? IR_SIGNLESS : IR_UNSIGNED);
    return NULL;
}

/* ---- out ---------------------------------------------------------------------------- */

static ir_attr attr_of(PyObject *self)
{
    return ((py_item *)self)->attr;
}

static int dense_buffer(PyObject *self, py_buffer *view, int flags)
{
    ir_attr a = attr_of(self);
    ir_type e = ir_type_element(a->type);
    const char *format = a->splat & 2 ? NULL : format_of(e);
    view->obj = NULL;
    if (!format || (flags & PyBUF_WRITABLE)) {
        PyErr_SetString(PyExc_BufferError,
                        format ? "constants cannot be written"
                               : "elements of this type have no buffer format");
        return -1;
    }
    uint32_t rank = a->type->count;
    bool splat = a->splat & 1 && ir_type_num_elements(a->type) != 1;
    if (splat && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "a splat needs strides");
        return -1;
    }
    Py_ssize_t size = (Py_ssize_t)ir_dense_element_size(e), step = size;
    Py_ssize_t *numbers = PyMem_Malloc((2 * (size_t)rank + 1) * sizeof *numbers);
    if (!numbers) {
        PyErr_NoMemory();
        return -1;
    }
    for (uint32_t i = rank; i-- > 0;) {
        numbers[i] = (Py_ssize_t)a->type->dims[i];
        numbers[rank + i] = splat ? 0 : step;
        step *= numbers[i];
    }
    *view = (py_buffer){
        .buf = (void *)(uintptr_t)a->blob->data,
        .obj = self,
        .len = step,
        .itemsize = size,
        .readonly = 1,
        .ndim = (int)rank,
        .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
        .shape = flags & PyBUF_ND ? numbers : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? numbers + rank : NULL,
        .internal = numbers,
    };
    Py_INCREF(self);
    return 0;
}

static void dense_release(PyObject *self, py_buffer *view)
{
    (void)self;
    PyMem_Free(view->internal);
}

static Py_ssize_t dense_length(PyObject *self)
{
    return (Py_ssize_t)ir_type_num_elements(attr_of(self)->type);
}

static PyObject *number_of(py_context *c, ir_attr element)
{
    if (element->kind == IR_ATTR_FLOAT)
        return PyFloat_FromDouble(element->real);
    if (element->kind != IR_ATTR_INTEGER)
        return py_wrap_attr(c, element);
    if (ir_attr_is_bool(element))
        return PyBool_FromLong(element->value != 0);
    return element->type->sign == IR_UNSIGNED && element->type->kind == IR_TYPE_INTEGER
               ? PyLong_FromUnsignedLongLong((unsigned long long)element->value)
               : PyLong_FromLongLong(element->value);
}

static PyObject *dense_at(PyObject *self, Py_ssize_t i)
{
    if (i < 0 || i >= dense_length(self)) {
        PyErr_SetString(PyExc_IndexError, "attempt to access out-of-bounds element");
        return NULL;
    }
    return number_of(((py_item *)self)->owner, ir_dense_element(attr_of(self), (size_t)i));
}

static PyObject *dense_item(PyObject *self, PyObject *key)
{
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    return i == -1 && PyErr_Occurred() ? NULL : dense_at(self, i);
}

static PyObject *is_splat(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(attr_of(self)->splat & 1);
}

static PyObject *splat_value(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!(attr_of(self)->splat & 1)) {
        PyErr_SetString(PyExc_ValueError,
                        "get_splat_value called on a non-splat attribute");
        return NULL;
    }
    return py_wrap_attr(((py_item *)self)->owner, ir_dense_element(attr_of(self), 0));
}

/* ---- in ----------------------------------------------------------------------------- */

static bool static_shaped(ir_type t)
{
    if (ir_type_is_ranked(t) && t->kind != IR_TYPE_MEMREF && ir_type_num_elements(t) >= 0)
        return true;
    PyErr_Format(PyExc_ValueError,
                 "Expected a static ShapedType for the shaped_type parameter: Type(%s)",
                 ir_type_text(t->ctx, t));
    return false;
}

/* The shaped type requested by the arguments; NULL: raised. */
static ir_type wanted_type(py_context *c, PyObject *type, PyObject *shape, ir_type found,
                           const int64_t *dims, size_t rank)
{
    ir_type t = found;
    if (type && type != Py_None && !py_type_arg(type, c, &t))
        return NULL;
    if (!t) {
        PyErr_SetString(PyExc_ValueError,
                        "unimplemented array format conversion: give type=");
        return NULL;
    }
    if (ir_type_is_shaped(t))
        return static_shaped(t) ? t : NULL;
    int64_t *given = NULL;
    if (shape && shape != Py_None) {
        if (!py_ints_arg(shape, &given, &rank))
            return NULL;
        dims = given;
    }
    ir_type result = ir_tensor_type(t, dims, rank, NULL);
    PyMem_Free(given);
    return static_shaped(result) ? result : NULL;
}

static PyObject *from_buffer(py_context *c, py_buffer *view, PyObject *type,
                             PyObject *shape, bool signless)
{
    int64_t dims[64];
    if (view->ndim > (int)TW_COUNT(dims)) {
        PyErr_SetString(PyExc_ValueError, "too many dimensions");
        return NULL;
    }
    int64_t count = 1;
    for (int i = 0; i < view->ndim; i++) {
        dims[i] = view->shape[i];
        count *= dims[i];
    }
    ir_type found = type_of_format(c->ctx, view->format, view->itemsize, signless);
    ir_type t = wanted_type(c, type, shape, found, dims, (size_t)view->ndim);
    if (!t)
        return NULL;
    size_t size = ir_dense_element_size(ir_type_element(t));
    int64_t wanted = ir_type_num_elements(t);
    if (size == 0 || size != (size_t)view->itemsize ||
        (count != wanted && !(count == 1 && wanted > 0))) {
        PyErr_Format(
            PyExc_ValueError,
            "the buffer has %lld elements of %zd bytes, the type wants %lld of %zu",
            (long long)count, view->itemsize, (long long)wanted, size);
        return NULL;
    }
    return py_wrap_attr(c, ir_dense_attr(t, view->buf, (size_t)view->len));
}

/* Writes the element of an attribute as raw data; false: it does not fit. */
static bool put_element(ir_attr a, ir_type e, char *out)
{
    size_t size = ir_dense_element_size(e);
    if (!a || a->type != e)
        return false;
    if (a->kind == IR_ATTR_INTEGER)
        memcpy(out, &a->value, size);
    else if (a->kind == IR_ATTR_FLOAT)
        memcpy(out, &a->bits, TW_MIN(size, sizeof a->bits));
    else
        return false;
    return true;
}

static PyObject *from_attrs(py_context *c, PyObject *list, PyObject *type)
{
    ir_attr *items;
    size_t n;
    if (!py_attrs_arg(list, &c, &items, &n))
        return NULL;
    PyObject *result = NULL;
    int64_t count = (int64_t)n;
    if (n == 0)
        PyErr_SetString(PyExc_ValueError, "Attributes list must be non-empty.");
    ir_type t = n ? wanted_type(c, type, NULL, items[0]->type, &count, 1) : NULL;
    ir_type e = t ? ir_type_element(t) : NULL;
    size_t size = e ? ir_dense_element_size(e) : 0;
    if (t && (size == 0 || size > 8 || (count != 1 && ir_type_num_elements(t) != count))) {
        PyErr_Format(PyExc_ValueError, "%zu attributes do not fill the type", n);
        t = NULL;
    }
    char *data = t ? PyMem_Malloc(n * size + 8) : NULL;
    for (size_t i = 0; data && i < n; i++)
        if (!put_element(items[i], e, data + i * size)) {
            PyErr_Format(PyExc_ValueError,
                         "All attributes must be of the same type and match the type "
                         "parameter: expected=%s, but got=%s",
                         ir_type_text(t->ctx, t),
                         items[i]->type ? ir_type_text(t->ctx, items[i]->type) : "none");
            PyMem_Free(data);
            data = NULL;
        }
    if (data)
        result = py_wrap_attr(c, ir_dense_attr(t, data, n * size));
    PyMem_Free(data);
    PyMem_Free(items);
    return result;
}

PyObject *py_dense_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"array", "signless", "type", "shape", "context", NULL};
    PyObject *array, *signless = NULL, *type = NULL, *shape = NULL, *context = NULL;
    (void)cls;
    if (kwargs && PyDict_GetItemString(kwargs, "attrs")) {
        static char *other[] = {"attrs", "type", "context", NULL};
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", other, &array, &type,
                                         &context))
            return NULL;
    } else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOO", names, &array,
                                            &signless, &type, &shape, &context)) {
        return NULL;
    }
    if (PySequence_Check(array) && PyList_Check(array)) {
        /* get(attrs, type=None, context=None) */
        if (signless && py_is(signless, PY_TYPE))
            type = signless;
        py_context *c = context && context != Py_None ? py_context_arg(context) : NULL;
        return c || !PyErr_Occurred() ? from_attrs(c, array, type) : NULL;
    }
    int plain = signless ? PyObject_IsTrue(signless) : 1;
    py_context *c = context && context != Py_None ? py_context_arg(context)
                    : type && type != Py_None     ? py_context_of(type)
                                                  : py_context_arg(NULL);
    py_buffer view;
    if (!c || plain < 0 ||
        PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "expected a Type for type=");
        return NULL;
    }
    PyObject *result = from_buffer(c, &view, type, shape, plain);
    PyBuffer_Release(&view);
    return result;
}

PyObject *py_dense_splat(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shaped_type", "element_attr", NULL};
    PyObject *type, *element;
    ir_type t;
    ir_attr a;
    char data[16] = {0};
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO", names, &type, &element) ||
        !py_type_arg(type, NULL, &t) || !py_attr_arg(element, ((py_item *)type)->owner, &a))
        return NULL;
    if (!static_shaped(t))
        return NULL;
    ir_type e = ir_type_element(t);
    size_t size = ir_dense_element_size(e);
    if (size == 0 || size > sizeof data || !put_element(a, e, data)) {
        PyErr_Format(PyExc_ValueError,
                     "Shaped element type and attribute type must be equal: "
                     "shaped=Type(%s), element=Attribute(%s)",
                     ir_type_text(t->ctx, t), ir_attr_text(t->ctx, a));
        return NULL;
    }
    return py_wrap_attr(((py_item *)type)->owner, ir_dense_attr(t, data, size));
}

/* ---- resources ---------------------------------------------------------------------- */

PyObject *py_resource_get(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"array",      "name",    "type", "alignment",
                            "is_mutable", "context", NULL};
    PyObject *array, *type, *alignment = NULL, *is_mutable = NULL, *context = NULL;
    const char *name;
    ir_type t;
    py_buffer view;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OsO|OOO", names, &array, &name, &type,
                                     &alignment, &is_mutable, &context) ||
        !py_type_arg(type, NULL, &t) || !static_shaped(t) ||
        PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return NULL;
    py_context *c = ((py_item *)type)->owner;
    tw_arena *arena = ir_context_arena(c->ctx);
    char *data = tw_arena_alloc(arena, (size_t)view.len + 64);
    data = (char *)tw_align_up((size_t)data, 64);
    memcpy(data, view.buf, (size_t)view.len);
    ir_ident dialect = ir_ident_from(c->ctx, "builtin"), key = ir_ident_from(c->ctx, name);
    ir_resource_add(c->ctx, dialect, key,
                    (ir_blob){.data = data, .size = (size_t)view.len});
    PyBuffer_Release(&view);
    return py_wrap_attr(c, ir_resource_attr(t, dialect, key));
}

#define GET(function) PY_METHOD(function), PY_KW | METH_STATIC, NULL

PyMethodDef py_dense_methods[] = {
    {"get", GET(py_dense_get)},
    {"get_splat", GET(py_dense_splat)},
    {"get_splat_value", splat_value, METH_NOARGS, NULL},
    {0},
};
PyMethodDef py_dense_int_methods[] = {{0}};
PyMethodDef py_resource_methods[] = {{"get_from_buffer", GET(py_resource_get)}, {0}};
PyGetSetDef py_dense_getset[] = {{"is_splat", is_splat, NULL, NULL, NULL}, {0}};
const PyType_Slot py_dense_slots[] = {
    {Py_mp_length, (void *)dense_length},
    {Py_mp_subscript, (void *)dense_item},
    {Py_sq_item, (void *)dense_at},
    {Py_bf_getbuffer, (void *)dense_buffer},
    {Py_bf_releasebuffer, (void *)dense_release},
    {0, NULL},
};
