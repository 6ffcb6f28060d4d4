/* item.c: interned objects: the common part of types, attributes, locations and affine
 * objects, and the conversion of arguments to them. */
#include "pyir.h"

PyObject *py_item_new(PyTypeObject *cls, py_context *owner, const void *any)
{
    py_item *item = py_alloc(cls);
    if (item) {
        Py_INCREF(owner);
        item->owner = owner;
        item->any = any;
    }
    return (PyObject *)item;
}

PyObject *py_item_cast(PyTypeObject *cls, PyObject *args, PyObject *kwargs,
                       int (*fits)(PyObject *object, PyObject *cls), const char *keyword,
                       const char *what)
{
    char *names[] = {(char *)keyword, NULL};
    PyObject *from;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &from))
        return NULL;
    int fit = fits(from, (PyObject *)cls);
    if (fit < 0)
        return NULL;
    if (fit)
        return py_item_new(cls, ((py_item *)from)->owner, ((py_item *)from)->any);
    PyObject *name = PyObject_GetAttrString((PyObject *)py_library_class(cls), "__name__");
    bool type = strcmp(what, "type") == 0;
    if (name)
        PyErr_Format(PyExc_ValueError, "Cannot cast %s to %U (from %s(%S))", what, name,
                     type ? "Type" : "Attribute", from);
    Py_XDECREF(name);
    return NULL;
}

PyTypeObject *py_library_class(PyTypeObject *cls)
{
    PyObject *found = NULL, *mro = PyObject_GetAttrString((PyObject *)cls, "__mro__");
    for (Py_ssize_t i = 0; mro && !found && i < PyTuple_Size(mro); i++) {
        PyObject *base = PyTuple_GetItem(mro, i);
        PyObject *module = PyObject_GetAttrString(base, "__module__");
        const char *text = module ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
        if (text && strncmp(text, "ttmlir.", 7) == 0)
            found = base; /* base whose class holds cls */
        Py_XDECREF(module);
    }
    Py_XDECREF(mro);
    PyErr_Clear();
    return found ? (PyTypeObject *)found : cls;
}

int py_init_own(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    (void)args;
    (void)kwargs;
    return 0; /* the object exists already; a user's __init__ may call this one */
}

PyObject *py_cast_own(PyObject *casters, PyTypeObject *cls, PyObject *object)
{
    PyObject *caster = NULL;
    if (object && casters && cls && PyDict_Size(casters) > 0)
        caster = PyDict_GetItem(casters, (PyObject *)cls);
    if (!caster)
        return object;
    PyObject *made = PyObject_CallFunctionObjArgs(caster, object, NULL);
    Py_DECREF(object);
    return made;
}

py_context *py_parse_args(PyObject *args, PyObject *kwargs, tw_str *out_text)
{
    static char *names[] = {"asm", "context", NULL};
    const char *text;
    Py_ssize_t size;
    PyObject *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#|O", names, &text, &size, &context))
        return NULL;
    *out_text = (tw_str){text, (size_t)size};
    return py_context_arg(context);
}

static void item_dealloc(PyObject *self)
{
    Py_XDECREF(((py_item *)self)->owner);
    py_free(self);
}

static Py_hash_t item_hash(PyObject *self)
{
    Py_hash_t hash = (Py_hash_t)((uintptr_t)((py_item *)self)->any >> 4);
    return hash == -1 ? -2 : hash;
}

static PyObject *item_compare(PyObject *a, PyObject *b, int op)
{
    static const py_class groups[] = {PY_TYPE,        PY_ATTRIBUTE,  PY_LOCATION,
                                      PY_AFFINE_EXPR, PY_AFFINE_MAP, PY_INTEGER_SET};
    py_state *state = py_get_state();
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    for (size_t i = 0; i < TW_COUNT(groups); i++) {
        PyTypeObject *cls = state->classes[groups[i]];
        if (!PyObject_TypeCheck(a, cls))
            continue;
        bool same = PyObject_TypeCheck(b, cls) &&
                    ((py_item *)a)->any == ((py_item *)b)->any &&
                    ((py_item *)a)->owner == ((py_item *)b)->owner;
        return PyBool_FromLong(same == (op == Py_EQ));
    }
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *item_context(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *owner = (PyObject *)((py_item *)self)->owner;
    Py_INCREF(owner);
    return owner;
}

static PyObject *item_self(PyObject *self, void *closure)
{
    (void)closure;
    Py_INCREF(self);
    return self;
}

static PyObject *item_dump(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *text = PyObject_Str(self), *err = PySys_GetObject("stderr");
    PyObject *line = text ? PyUnicode_FromFormat("%U\n", text) : NULL;
    bool ok = line && (!err || PyFile_WriteObject(line, err, Py_PRINT_RAW) == 0);
    Py_XDECREF(text);
    Py_XDECREF(line);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* "RankedTensorType(tensor<2xf32>)" */
static PyObject *item_repr(PyObject *self)
{
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "__name__");
    PyObject *text = name ? PyObject_Str(self) : NULL;
    PyObject *repr = text ? PyUnicode_FromFormat("%U(%U)", name, text) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(text);
    return repr;
}

static PyGetSetDef item_getset[] = {
    {"context", item_context, NULL, "The Context that owns this.", NULL},
    {"_CAPIPtr", item_self, NULL, NULL, NULL},
    {0},
};
static PyMethodDef item_methods[] = {
    {"dump", item_dump, METH_NOARGS, "Prints to sys.stderr."},
    {0},
};
#define ITEM_SLOTS                                                                         \
    {Py_tp_dealloc, (void *)item_dealloc}, {Py_tp_hash, (void *)item_hash},                \
        {Py_tp_richcompare, (void *)item_compare}, {Py_tp_getset, item_getset},            \
        {Py_tp_methods, item_methods},                                                     \
    {                                                                                      \
        Py_tp_repr, (void *)item_repr                                                      \
    }
static PyType_Slot item_slots[] = {ITEM_SLOTS, {0, NULL}};
static PyType_Spec item_spec = {"ttmlir.ir._Item", sizeof(py_item), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                item_slots};

const py_class_row py_item_classes[] = {{PY_ITEM, &item_spec, -1}, {0}};

/* ---- classes of rows ---------------------------------------------------------------- */

PyTypeObject *py_row_class(const void *row, const char *full_name)
{
    py_state *state = py_get_state();
    PyTypeObject *cls = py_map_get(&state->rows, row);
    if (cls || !state->resolve)
        return cls;
    /* Registers the classes of the whole dialect, or records None. */
    const char *dot = strchr(full_name, '.');
    PyObject *done = PyObject_CallFunction(state->resolve, "s#", full_name,
                                           (Py_ssize_t)(dot ? dot - full_name : 0));
    if (!done)
        return NULL;
    Py_DECREF(done);
    return py_map_get(&state->rows, row);
}

/* ---- arguments ---------------------------------------------------------------------- */

/* The same attribute or type in another context, as its text read again; NULL if it has no
 * text that says everything. */
static const void *copied(const py_item *item, py_class cls, py_context *to)
{
    tw_strbuf text = {0};
    const void *made = NULL;
    ir_diagnostic_sink sink = ir_context_set_sink(to->ctx, (ir_diagnostic_sink){0});
    if (cls == PY_TYPE)
        ir_print_type((ir_type)item->any, &text);
    else if (cls == PY_ATTRIBUTE)
        ir_print_attr((ir_attr)item->any, &text);
    const tw_str all = {tw_strbuf_text(&text), text.size};
    if (cls == PY_TYPE)
        made = ir_parse_type(to->ctx, all);
    else if (cls == PY_ATTRIBUTE)
        made = ir_parse_attr(to->ctx, all);
    ir_flush_diagnostics(to->ctx);
    ir_context_set_sink(to->ctx, sink);
    tw_strbuf_free(&text);
    return made;
}

static bool item_arg(PyObject *object, py_class cls, const char *what, py_context *c,
                     const void **out)
{
    if (!py_is(object, cls)) {
        PyErr_Format(PyExc_TypeError, "expected %s, got %R", what, object);
        return false;
    }
    const py_item *item = (py_item *)object;
    *out = c && item->owner != c ? copied(item, cls, c) : item->any;
    if (!*out)
        py_mismatch(what);
    return *out != NULL;
}

bool py_type_arg(PyObject *object, py_context *c, ir_type *out)
{
    return item_arg(object, PY_TYPE, "a Type", c, (const void **)out);
}

bool py_attr_arg(PyObject *object, py_context *c, ir_attr *out)
{
    return item_arg(object, PY_ATTRIBUTE, "an Attribute", c, (const void **)out);
}

bool py_map_arg(PyObject *object, py_context *c, ir_affine_map *out)
{
    return item_arg(object, PY_AFFINE_MAP, "an AffineMap", c, (const void **)out);
}

bool py_affine_arg(PyObject *object, py_context *c, ir_affine *out)
{
    if (PyLong_Check(object) && c) {
        long long value = PyLong_AsLongLong(object);
        if (value == -1 && PyErr_Occurred())
            return false;
        *out = ir_affine_constant(c->ctx, value);
        return true;
    }
    return item_arg(object, PY_AFFINE_EXPR, "an AffineExpr", c, (const void **)out);
}

bool py_loc_arg(PyObject *object, py_context **io_context, ir_loc *out)
{
    if (!object || object == Py_None) {
        object = py_current(PY_LOCATION);
        if (!object) {
            if (!*io_context && !(*io_context = py_context_arg(NULL)))
                return false;
            PyErr_SetString(PyExc_RuntimeError,
                            "no Location is given and none is current: pass loc= or work "
                            "inside 'with Location.unknown():'");
            return false;
        }
    }
    if (!py_is(object, PY_LOCATION)) {
        PyErr_Format(PyExc_TypeError, "expected a Location, got %R", object);
        return false;
    }
    py_item *loc = (py_item *)object;
    if (*io_context && *io_context != loc->owner) {
        py_mismatch("the location");
        return false;
    }
    *io_context = loc->owner;
    *out = ir_loc_from_attr(loc->attr);
    return true;
}

bool py_made_loc_arg(PyObject *object, py_context **io_context, ir_loc *out)
{
    PyObject *traceback = py_get_state()->traceback;
    if (!traceback)
        return py_loc_arg(object, io_context, out);
    PyObject *loc =
        PyObject_CallFunctionObjArgs(traceback, object ? object : Py_None, NULL);
    bool ok = loc && py_loc_arg(loc, io_context, out);
    Py_XDECREF(loc); /* the context keeps the location */
    return ok;
}

static bool items_arg(PyObject *sequence, py_class cls, const char *what,
                      py_context **io_context, const void ***out, size_t *count)
{
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    Py_ssize_t n = PyList_Size(list);
    const void **items = PyMem_Malloc((size_t)(n + 1) * sizeof *items);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        ok = item_arg(item, cls, what, *io_context, &items[i]);
        if (ok && !*io_context)
            *io_context = ((py_item *)item)->owner;
    }
    Py_DECREF(list);
    if (!ok) {
        PyMem_Free((void *)items);
        return false;
    }
    *out = items;
    *count = (size_t)n;
    return true;
}

bool py_types_arg(PyObject *sequence, py_context **io_context, ir_type **out, size_t *count)
{
    return items_arg(sequence, PY_TYPE, "a Type", io_context, (const void ***)out, count);
}

bool py_attrs_arg(PyObject *sequence, py_context **io_context, ir_attr **out, size_t *count)
{
    return items_arg(sequence, PY_ATTRIBUTE, "an Attribute", io_context,
                     (const void ***)out, count);
}

/* ---- parameters of dialect attributes and types ------------------------------------- */

static PyObject *list_value(py_context *c, ir_attr value, const ir_param_def *def)
{
    ir_param_def item = *def;
    item.array = false;
    size_t n = value->count;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *object = py_param_value(c, value->items[i], &item);
        if (!object || PyList_SetItem(list, (Py_ssize_t)i, object) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *py_param_value(py_context *c, ir_attr value, const ir_param_def *def)
{
    if (!value) {
        if (def->array && !def->optional)
            return PyList_New(0);
        Py_RETURN_NONE;
    }
    if (def->array && value->kind == IR_ATTR_ARRAY)
        return list_value(c, value, def);
    if (value->kind == IR_ATTR_INTEGER && !value->type)
        return def->kind == IR_PARAM_BOOL ? PyBool_FromLong(value->value != 0)
                                          : PyLong_FromLongLong(value->value);
    switch (def->kind) {
    case IR_PARAM_STRING:
    case IR_PARAM_SYMBOL:
        if (value->kind == IR_ATTR_STRING)
            return py_text(ir_attr_str(value));
        break;
    case IR_PARAM_FLOAT:
        return PyFloat_FromDouble(ir_attr_real(value, 0));
    case IR_PARAM_TYPE:
        return py_wrap_type(c, value->type);
    case IR_PARAM_AFFINE_MAP:
        if (value->kind == IR_ATTR_AFFINE_MAP)
            return py_wrap_map(c, value->map);
        break;
    default:
        break;
    }
    return py_wrap_attr(c, value);
}

static bool list_param(py_context *c, PyObject *value, const ir_param_def *def,
                       ir_attr *out)
{
    ir_param_def item = *def;
    item.array = false;
    PyObject *list = PySequence_List(value);
    if (!list)
        return false;
    Py_ssize_t n = PyList_Size(list);
    ir_attr *items = PyMem_Malloc((size_t)(n + 1) * sizeof *items);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = py_param_arg(c, PyList_GetItem(list, i), &item, &items[i]);
    if (ok)
        *out = ir_array_attr(c->ctx, items, (size_t)n);
    PyMem_Free(items);
    Py_DECREF(list);
    return ok;
}

/* An integer, an enum member (its .value) or an attribute that wraps an enum case. */
static bool int_param(py_context *c, PyObject *value, const ir_param_def *def, ir_attr *out)
{
    PyObject *number = NULL;
    if (PyUnicode_Check(value) && def->enumeration) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        const ir_enum_case *found =
            text ? ir_enum_by_text(def->enumeration, (tw_str){text, (size_t)size}) : NULL;
        if (!found) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "%R is no case of %s", value,
                             def->enumeration->name);
            return false;
        }
        *out = ir_raw_int(c->ctx, found->value);
        return true;
    }
    if (py_is(value, PY_ATTRIBUTE)) {
        ir_attr attr = ((py_item *)value)->attr;
        *out = ir_raw_int(c->ctx, ir_enum_value(attr, ir_attr_int(attr, 0)));
        return true;
    }
    if (PyIndex_Check(value)) {
        number = PyNumber_Index(value);
    } else {
        PyObject *inner = PyObject_GetAttrString(value, "value");
        number = inner ? PyNumber_Index(inner) : NULL;
        Py_XDECREF(inner);
    }
    long long n = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    if (n == -1 && PyErr_Occurred())
        return false;
    if (def->enumeration && !def->enumeration->bits &&
        !ir_enum_by_value(def->enumeration, n)) {
        PyErr_Format(PyExc_ValueError, "%lld is no case of %s", n, def->enumeration->name);
        return false;
    }
    *out = ir_raw_int(c->ctx, n);
    return true;
}

bool py_param_arg(py_context *c, PyObject *value, const ir_param_def *def, ir_attr *out)
{
    if (value == Py_None) {
        if (!def->optional && !def->deflt && !def->array) {
            PyErr_Format(PyExc_TypeError, "parameter '%s' is missing", def->name);
            return false;
        }
        *out = def->array && !def->optional ? ir_array_attr(c->ctx, NULL, 0) : NULL;
        return true;
    }
    if (def->array && !py_is(value, PY_ATTRIBUTE))
        return list_param(c, value, def, out);
    if (def->kind == IR_PARAM_TYPE) {
        ir_type type;
        if (!py_type_arg(value, c, &type))
            return false;
        *out = ir_type_attr(type);
        return true;
    }
    if (def->kind == IR_PARAM_AFFINE_MAP && py_is(value, PY_AFFINE_MAP)) {
        ir_affine_map map;
        if (!py_map_arg(value, c, &map))
            return false;
        *out = ir_affine_map_attr(c->ctx, map);
        return true;
    }
    if (def->kind == IR_PARAM_INT || def->kind == IR_PARAM_BOOL ||
        def->kind == IR_PARAM_ENUM)
        return int_param(c, value, def, out);
    Py_ssize_t size = 0;
    if ((def->kind == IR_PARAM_STRING || def->kind == IR_PARAM_SYMBOL) &&
        PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        if (!text)
            return false;
        *out = ir_string_attr(c->ctx, (tw_str){text, (size_t)size});
        return true;
    }
    if (def->kind == IR_PARAM_ATTR && PyUnicode_Check(value)) {
        tw_str text = {PyUnicode_AsUTF8AndSize(value, &size), 0};
        text.size = (size_t)size;
        if (!text.data)
            return false;
        *out = ir_string_attr(c->ctx, text);
        return true;
    }
    if (def->kind == IR_PARAM_ATTR && PyBool_Check(value)) {
        *out = ir_bool_attr(c->ctx, value == Py_True);
        return true;
    }
    if (def->kind == IR_PARAM_FLOAT && PyNumber_Check(value) &&
        !py_is(value, PY_ATTRIBUTE)) {
        double real = PyFloat_AsDouble(value);
        if (real == -1 && PyErr_Occurred())
            return false;
        *out = ir_float_attr(ir_float_type(c->ctx, IR_F64), real);
        return true;
    }
    return py_attr_arg(value, c, out);
}
