/* context.c: Context, and the per-thread stack of current context, location and insertion
 * point that `with` blocks push to.
 *
 * A frame is a tuple (context, location or None, point or None). A new frame of the same
 * context inherits the fields of the frame below. */
#include "pyir.h"

#include <stdlib.h>

#include "pipelines/dialects.h"

/* ---- the stack ---------------------------------------------------------------------- */

static PyObject *stack(void) /* borrowed list; NULL: raised */
{
    PyObject *dict = PyThreadState_GetDict(), *key = py_get_state()->stack_key;
    if (!dict) {
        PyErr_SetString(PyExc_RuntimeError, "no thread state");
        return NULL;
    }
    PyObject *list = PyDict_GetItemWithError(dict, key);
    if (!list && !PyErr_Occurred() && (list = PyList_New(0))) {
        int bad = PyDict_SetItem(dict, key, list);
        Py_DECREF(list); /* the dictionary holds it */
        if (bad)
            return NULL;
    }
    return list;
}

static PyObject *frame_item(PyObject *frame, py_class what)
{
    PyObject *item =
        PyTuple_GetItem(frame, what == PY_CONTEXT ? 0 : (what == PY_LOCATION ? 1 : 2));
    return item == Py_None ? NULL : item;
}

PyObject *py_current(py_class what)
{
    PyObject *list = stack();
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    if (n <= 0) {
        PyErr_Clear();
        return NULL;
    }
    return frame_item(PyList_GetItem(list, n - 1), what);
}

bool py_push(PyObject *context, PyObject *location, PyObject *point)
{
    PyObject *list = stack();
    if (!list)
        return false;
    if (py_current(PY_CONTEXT) == context) {
        location = location ? location : py_current(PY_LOCATION);
        point = point ? point : py_current(PY_INSERTION_POINT);
    }
    PyObject *frame =
        PyTuple_Pack(3, context, location ? location : Py_None, point ? point : Py_None);
    if (!frame)
        return false;
    int bad = PyList_Append(list, frame);
    Py_DECREF(frame);
    return !bad;
}

bool py_pop(PyObject *expected, py_class what)
{
    PyObject *list = stack();
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    if (n <= 0 || frame_item(PyList_GetItem(list, n - 1), what) != expected) {
        PyErr_Format(PyExc_RuntimeError, "unbalanced %s enter and exit",
                     what == PY_CONTEXT    ? "Context"
                     : what == PY_LOCATION ? "Location"
                                           : "InsertionPoint");
        return false;
    }
    return PyList_SetSlice(list, n - 1, n, NULL) == 0;
}

py_context *py_context_arg(PyObject *arg)
{
    if (arg && arg != Py_None) {
        py_context *c = py_context_of(arg);
        if (!c)
            PyErr_Format(PyExc_TypeError, "expected a Context, got %R", Py_TYPE(arg));
        return c;
    }
    PyObject *current = py_current(PY_CONTEXT);
    if (!current)
        PyErr_SetString(PyExc_RuntimeError,
                        "no Context is given and none is current: pass context= or work "
                        "inside 'with Context():'");
    return (py_context *)current;
}

py_context *py_context_of(PyObject *object)
{
    py_state *state = py_get_state();
    if (PyObject_TypeCheck(object, state->classes[PY_CONTEXT]))
        return (py_context *)object;
    static const py_class items[] = {PY_TYPE,        PY_ATTRIBUTE,  PY_LOCATION,
                                     PY_AFFINE_EXPR, PY_AFFINE_MAP, PY_INTEGER_SET};
    for (size_t i = 0; i < TW_COUNT(items); i++)
        if (PyObject_TypeCheck(object, state->classes[items[i]]))
            return ((py_item *)object)->owner;
    if (PyObject_TypeCheck(object, state->classes[PY_OPERATION]) ||
        PyObject_TypeCheck(object, state->classes[PY_BLOCK]))
        return ((py_handle *)object)->owner;
    if (PyObject_TypeCheck(object, state->classes[PY_OP_VIEW]) ||
        PyObject_TypeCheck(object, state->classes[PY_MODULE])) {
        py_handle *h = ((py_view *)object)->operation;
        return h ? h->owner : NULL;
    }
    if (PyObject_TypeCheck(object, state->classes[PY_VALUE]))
        return ((py_value *)object)->holder->owner;
    return NULL;
}

PyObject *py_mismatch(const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s belongs to another Context", what);
    return NULL;
}

/* ---- Context ------------------------------------------------------------------------ */

static PyObject *context_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    py_context *c = py_alloc(cls);
    if (!c)
        return NULL;
    c->ctx = ir_context_create();
    ir_context_note_operations(c->ctx, true);
    c->emit_errors = false;
    ir_register_all(c->ctx);
    c->handlers = PyList_New(0);
    if (!c->handlers) {
        Py_DECREF(c);
        return NULL;
    }
    py_listen(c);
    return (PyObject *)c;
}

static void context_dealloc(PyObject *self)
{
    py_context *c = (py_context *)self;
    if (c->weak)
        PyObject_ClearWeakRefs(self);
    /* No handle is left, since each holds its context. */
    if (c->ctx) {
        ir_context_set_free_listener(c->ctx, (ir_free_listener){0});
        py_branch_end(c);
        ir_context_set_sink(c->ctx, (ir_diagnostic_sink){0});
        ir_context_destroy(c->ctx);
    }
    py_queue_free(c);
    Py_XDECREF(c->logs);
    free(c->handles.slots);
    py_handlers_forget(c);
    py_free(self);
}

static PyObject *context_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!py_push(self, NULL, NULL))
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *context_exit(PyObject *self, PyObject *args)
{
    (void)args;
    if (!py_pop(self, PY_CONTEXT))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_self(PyObject *self, void *closure)
{
    (void)closure;
    Py_INCREF(self);
    return self;
}

static PyObject *return_self(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_INCREF(self);
    return self;
}

static PyObject *capi_create(PyObject *cls, PyObject *object)
{
    (void)cls;
    if (!py_is(object, PY_CONTEXT)) {
        PyErr_SetString(PyExc_TypeError, "expected what Context._CAPIPtr gave");
        return NULL;
    }
    Py_INCREF(object);
    return object;
}

static PyObject *get_allow(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(ir_context_allows_unregistered(((py_context *)self)->ctx));
}

static int set_allow(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    int on = value ? PyObject_IsTrue(value) : 0;
    if (on < 0)
        return -1;
    ir_context_allow_unregistered(((py_context *)self)->ctx, on);
    return 0;
}

static PyObject *get_emit(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((py_context *)self)->emit_errors);
}

static int set_emit(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    int on = value ? PyObject_IsTrue(value) : 0;
    if (on < 0)
        return -1;
    ((py_context *)self)->emit_errors = on;
    return 0;
}

static PyObject *accept(PyObject *self, PyObject *args)
{
    (void)self, (void)args; /* contexts are single-threaded and load all dialects */
    Py_RETURN_NONE;
}

static PyObject *attach(PyObject *self, PyObject *callback)
{
    if (!PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "a diagnostic handler must be callable");
        return NULL;
    }
    return py_handler_attach((py_context *)self, callback);
}

static PyObject *is_registered(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"operation_name", NULL};
    const char *name;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s", names, &name))
        return NULL;
    return PyBool_FromLong(
        ir_context_op_def(((py_context *)self)->ctx, tw_str_from(name)) != NULL);
}

static PyObject *num_threads(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromLong(1);
}

static PyObject *dialect_names(PyObject *self, PyObject *unused)
{
    (void)unused;
    ir_context *ctx = ((py_context *)self)->ctx;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < ir_context_dialect_count(ctx); i++) {
        PyObject *name = PyUnicode_FromString(ir_context_dialect_at(ctx, i)->name);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *handle_count(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSize_t(((py_context *)self)->handles.count);
}

/* _log_steps(callable): called after each pipeline with [(step, module's text)] */
static PyObject *log_steps(PyObject *self, PyObject *callable)
{
    py_context *c = (py_context *)self;
    if (!PyCallable_Check(callable)) {
        PyErr_SetString(PyExc_TypeError, "expected a callable");
        return NULL;
    }
    if ((!c->logs && !(c->logs = PyList_New(0))) || PyList_Append(c->logs, callable) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef context_methods[] = {
    {"__enter__", context_enter, METH_NOARGS, NULL},
    {"__exit__", context_exit, METH_VARARGS, NULL},
    {"_get_context_again", return_self, METH_NOARGS, NULL},
    {"_CAPICreate", capi_create, METH_O | METH_STATIC, NULL},
    {"enable_multithreading", accept, METH_VARARGS, "Accepted; nothing is shared."},
    {"load_all_available_dialects", accept, METH_NOARGS, "All are loaded already."},
    {"append_dialect_registry", accept, METH_VARARGS, "All dialects are registered."},
    {"get_num_threads", num_threads, METH_NOARGS, NULL},
    {"attach_diagnostic_handler", attach, METH_O,
     "Calls callback(Diagnostic) -> handled for what is reported from now on."},
    {"is_registered_operation", PY_METHOD(is_registered), PY_KW, NULL},
    {"_dialect_names", dialect_names, METH_NOARGS, NULL},
    {"_log_steps", log_steps, METH_O, NULL},
    {"_get_live_operation_count", handle_count, METH_NOARGS,
     "How many operations and blocks have Python objects."},
    {0},
};

static PyGetSetDef context_getset[] = {
    {"_CAPIPtr", get_self, NULL, NULL, NULL},
    {"allow_unregistered_dialects", get_allow, set_allow, NULL, NULL},
    {"emit_error_diagnostics", get_emit, set_emit, NULL, NULL},
    {0},
};

static PyMemberDef context_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_context, weak), READONLY, NULL},
    {0},
};

static PyType_Slot context_slots[] = {
    {Py_tp_new, (void *)context_new},
    {Py_tp_dealloc, (void *)context_dealloc},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {Py_tp_members, context_members},
    {Py_tp_doc, "Owns types, attributes and programs."},
    {0, NULL},
};

static PyType_Spec context_spec = {"ttmlir.ir.Context", sizeof(py_context), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, context_slots};

const py_class_row py_context_classes[] = {{PY_CONTEXT, &context_spec, -1}, {0}};
