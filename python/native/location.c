/* location.c: Location, its classes, and the `with` blocks of locations. */
#include "pyir.h"

typedef enum loc_class {
    LOC_UNKNOWN,
    LOC_FILE,
    LOC_NAME,
    LOC_CALLSITE,
    LOC_FUSED
} loc_class;

static ir_attr attr_of(PyObject *self)
{
    return ((py_item *)self)->attr;
}

static py_context *owner_of(PyObject *self)
{
    return ((py_item *)self)->owner;
}

PyObject *py_wrap_loc(py_context *c, ir_loc loc)
{
    return py_item_new(py_cls(PY_LOCATION), c, ir_loc_attr(c->ctx, loc));
}

static PyObject *wrap(py_context *c, ir_attr attr)
{
    return attr ? py_item_new(py_cls(PY_LOCATION), c, attr) : NULL;
}

/* ---- making ------------------------------------------------------------------------- */

static PyObject *loc_unknown(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", NULL};
    PyObject *context = NULL;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    return c ? py_wrap_loc(c, IR_LOC_UNKNOWN) : NULL;
}

/* file(filename, line, col) or file(filename, start_line, start_col, end_line, end_col) */
static PyObject *loc_file(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"filename", "line", "col", "context", NULL};
    static char *range[] = {"filename", "start_line", "start_col", "end_line",
                            "end_col",  "context",    NULL};
    const char *file;
    Py_ssize_t size;
    unsigned line, column, end_line, end_column;
    PyObject *context = NULL;
    (void)cls;
    bool is_range =
        PyTuple_Size(args) > 4 || (kwargs && PyDict_GetItemString(kwargs, "start_line"));
    if (is_range) {
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#IIII|O", range, &file, &size,
                                         &line, &column, &end_line, &end_column, &context))
            return NULL;
    } else {
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#II|O", names, &file, &size, &line,
                                         &column, &context))
            return NULL;
        end_line = line, end_column = column;
    }
    py_context *c = py_context_arg(context);
    if (!c)
        return NULL;
    ir_ident name = ir_ident_get(c->ctx, (tw_str){file, (size_t)size});
    return wrap(c,
                ir_loc_file_range_attr(c->ctx, name, line, column, end_line, end_column));
}

static PyObject *loc_name(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "childLoc", "context", NULL};
    const char *name;
    Py_ssize_t size;
    PyObject *child = NULL, *context = NULL;
    ir_loc inner = IR_LOC_UNKNOWN;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#|OO", names, &name, &size, &child,
                                     &context))
        return NULL;
    py_context *c = py_context_arg(context && context != Py_None ? context : child);
    if (!c || (child && child != Py_None && !py_loc_arg(child, &c, &inner)))
        return NULL;
    ir_ident id = ir_ident_get(c->ctx, (tw_str){name, (size_t)size});
    return py_wrap_loc(c, ir_loc_name(c->ctx, id, inner));
}

/* The attributes of a list of locations. */
static bool locs_arg(PyObject *sequence, py_context **c, ir_attr **out, size_t *count)
{
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    Py_ssize_t n = PyList_Size(list);
    ir_attr *locs = PyMem_Malloc((size_t)(n + 1) * sizeof *locs);
    bool ok = locs != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        ir_loc loc;
        PyObject *item = PyList_GetItem(list, i);
        ok = item != Py_None && py_loc_arg(item, c, &loc);
        if (ok)
            locs[i] = attr_of(item);
        else if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "expected a Location, got None");
    }
    Py_DECREF(list);
    if (!ok) {
        PyMem_Free(locs);
        return false;
    }
    *out = locs;
    *count = (size_t)n;
    return true;
}

static PyObject *loc_callsite(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"callee", "frames", "context", NULL};
    PyObject *callee, *frames, *context = NULL;
    py_context *c = NULL;
    ir_loc loc;
    ir_attr *callers;
    size_t n;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O", names, &callee, &frames,
                                     &context) ||
        !py_loc_arg(callee, &c, &loc) || !locs_arg(frames, &c, &callers, &n))
        return NULL;
    ir_attr result = n ? callers[n - 1] : NULL;
    for (size_t i = n; i-- > 1;)
        result = ir_loc_callsite_attr(c->ctx, callers[i - 1], result);
    PyMem_Free(callers);
    if (!result) {
        PyErr_SetString(PyExc_ValueError, "No caller frames provided.");
        return NULL;
    }
    return wrap(c, ir_loc_callsite_attr(c->ctx, ir_loc_attr(c->ctx, loc), result));
}

static PyObject *loc_fused(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"locations", "metadata", "context", NULL};
    PyObject *list, *metadata = NULL, *context = NULL;
    py_context *c = NULL;
    ir_attr *locs, data = NULL;
    size_t n;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", names, &list, &metadata,
                                     &context))
        return NULL;
    if (context && context != Py_None && !(c = py_context_arg(context)))
        return NULL;
    if (!locs_arg(list, &c, &locs, &n))
        return NULL;
    PyObject *result = NULL;
    if (!c)
        c = py_context_arg(NULL);
    if (c && (!metadata || metadata == Py_None || py_attr_arg(metadata, c, &data))) {
        if (data || n > 1) {
            result = wrap(c, ir_loc_fused_attr(c->ctx, locs, n, data));
        } else {
            result = n ? wrap(c, locs[0]) : py_wrap_loc(c, IR_LOC_UNKNOWN);
        }
    }
    PyMem_Free(locs);
    return result;
}

static PyObject *from_attr(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"attribute", "context", NULL};
    PyObject *attribute, *context = NULL;
    ir_attr attr;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &attribute, &context) ||
        !py_attr_arg(attribute, NULL, &attr))
        return NULL;
    if (!ir_attr_is_loc(attr)) {
        PyErr_Format(PyExc_ValueError, "no location: %R", attribute);
        return NULL;
    }
    return wrap(owner_of(attribute), attr);
}

/* ---- using -------------------------------------------------------------------------- */

static PyObject *loc_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!py_push((PyObject *)owner_of(self), self, NULL))
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *loc_exit(PyObject *self, PyObject *args)
{
    (void)args;
    if (!py_pop(self, PY_LOCATION))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *loc_str(PyObject *self)
{
    tw_strbuf text = {0};
    ir_print_loc(owner_of(self)->ctx, ir_loc_from_attr(attr_of(self)), &text);
    return py_buf_text(&text);
}

static PyObject *loc_attr(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_attr(owner_of(self), attr_of(self));
}

static PyObject *emit_error(PyObject *self, PyObject *message)
{
    const char *text = PyUnicode_AsUTF8AndSize(message, NULL);
    py_context *c = owner_of(self);
    if (!text)
        return NULL;
    ir_error(c->ctx, ir_loc_from_attr(attr_of(self)), "%s", text);
    if (!py_deliver(c, NULL))
        return NULL;
    Py_RETURN_NONE;
}

static bool fits(ir_attr a, loc_class want)
{
    static const uint8_t kinds[] = {[LOC_UNKNOWN] = IR_ATTR_LOC_UNKNOWN,
                                    [LOC_FILE] = IR_ATTR_LOC_FILE,
                                    [LOC_NAME] = IR_ATTR_LOC_NAME,
                                    [LOC_CALLSITE] = IR_ATTR_LOC_CALLSITE,
                                    [LOC_FUSED] = IR_ATTR_LOC_FUSED};
    return a->kind == kinds[want];
}

static PyObject *is_a(PyObject *self, void *closure)
{
    return PyBool_FromLong(fits(attr_of(self), (loc_class)(uintptr_t)closure));
}

static bool check(PyObject *self, loc_class want)
{
    if (fits(attr_of(self), want))
        return true;
    PyErr_SetString(PyExc_AttributeError, "a location of another kind");
    return false;
}

static PyObject *file_name(PyObject *self, void *closure)
{
    (void)closure;
    return check(self, LOC_FILE) ? py_text(ir_ident_str(attr_of(self)->ident)) : NULL;
}

static PyObject *file_number(PyObject *self, void *closure)
{
    if (!check(self, LOC_FILE))
        return NULL;
    ir_attr a = attr_of(self);
    uint32_t numbers[] = {a->line, a->column, a->end_line, a->end_column};
    return PyLong_FromUnsignedLong(numbers[(uintptr_t)closure]);
}

static PyObject *name_str(PyObject *self, void *closure)
{
    (void)closure;
    return check(self, LOC_NAME) ? py_text(ir_ident_str(attr_of(self)->ident)) : NULL;
}

static PyObject *name_child(PyObject *self, void *closure)
{
    (void)closure;
    if (!check(self, LOC_NAME))
        return NULL;
    return py_wrap_loc(owner_of(self), ir_loc_from_attr(attr_of(self)->child));
}

static PyObject *call_part(PyObject *self, void *closure)
{
    if (!check(self, LOC_CALLSITE))
        return NULL;
    return wrap(owner_of(self), attr_of(self)->items[(uintptr_t)closure]);
}

static PyObject *fused_locations(PyObject *self, void *closure)
{
    (void)closure;
    ir_attr a = attr_of(self);
    PyObject *list = check(self, LOC_FUSED) ? PyList_New((Py_ssize_t)a->count) : NULL;
    for (uint32_t i = 0; list && i < a->count; i++) {
        PyObject *loc = wrap(owner_of(self), a->items[i]);
        if (!loc || PyList_SetItem(list, (Py_ssize_t)i, loc) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *fused_metadata(PyObject *self, void *closure)
{
    (void)closure;
    ir_attr a = attr_of(self);
    return check(self, LOC_FUSED) ? py_wrap_attr(owner_of(self), a->items[a->count]) : NULL;
}

#define MAKE(f) PY_METHOD(f), PY_KW | METH_STATIC, NULL
static PyMethodDef loc_methods[] = {
    {"unknown", MAKE(loc_unknown)},
    {"file", MAKE(loc_file)},
    {"name", MAKE(loc_name)},
    {"callsite", MAKE(loc_callsite)},
    {"fused", MAKE(loc_fused)},
    {"from_attr", MAKE(from_attr)},
    {"emit_error", emit_error, METH_O, "Reports an error here."},
    {"__enter__", loc_enter, METH_NOARGS, NULL},
    {"__exit__", loc_exit, METH_VARARGS, NULL},
    {0},
};
#define CLOSURE(n) ((void *)(uintptr_t)(n))
static PyGetSetDef loc_getset[] = {
    {"attr", loc_attr, NULL, NULL, NULL},
    {"_is_unknown", is_a, NULL, NULL, CLOSURE(LOC_UNKNOWN)},
    {"_is_file", is_a, NULL, NULL, CLOSURE(LOC_FILE)},
    {"_is_name", is_a, NULL, NULL, CLOSURE(LOC_NAME)},
    {"_is_callsite", is_a, NULL, NULL, CLOSURE(LOC_CALLSITE)},
    {"_is_fused", is_a, NULL, NULL, CLOSURE(LOC_FUSED)},
    {"filename", file_name, NULL, NULL, NULL},
    {"start_line", file_number, NULL, NULL, CLOSURE(0)},
    {"start_col", file_number, NULL, NULL, CLOSURE(1)},
    {"end_line", file_number, NULL, NULL, CLOSURE(2)},
    {"end_col", file_number, NULL, NULL, CLOSURE(3)},
    {"name_str", name_str, NULL, NULL, NULL},
    {"child_loc", name_child, NULL, NULL, NULL},
    {"callee", call_part, NULL, NULL, CLOSURE(0)},
    {"caller", call_part, NULL, NULL, CLOSURE(1)},
    {"locations", fused_locations, NULL, NULL, NULL},
    {"metadata", fused_metadata, NULL, NULL, NULL},
    {0},
};
static PyType_Slot loc_slots[] = {{Py_tp_str, (void *)loc_str},
                                  {Py_tp_repr, (void *)loc_str},
                                  {Py_tp_methods, loc_methods},
                                  {Py_tp_getset, loc_getset},
                                  {0, NULL}};
static PyType_Spec loc_spec = {"ttmlir.ir.Location", sizeof(py_item), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               loc_slots};

bool py_make_loc_classes(PyObject *module, py_state *state)
{
    state->classes[PY_LOCATION] = py_make_class(module, &loc_spec, state->classes[PY_ITEM]);
    return state->classes[PY_LOCATION] != NULL;
}
