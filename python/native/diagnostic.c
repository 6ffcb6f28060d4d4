/* diagnostic.c: the library's diagnostics: queued while it runs and delivered afterwards to
 * handlers, an MLIRError, or sys.stderr. */
#include "pyir.h"

#include <stdlib.h>

typedef struct py_note { /* Diagnostic */
    PyObject_HEAD py_context *owner;
    int severity;
    ir_attr loc;
    PyObject *message;
    PyObject *notes; /* tuple */
} py_note;

typedef struct py_handler {
    PyObject_HEAD py_context *owner; /* NULL: detached */
    PyObject *callback;
    bool failed;
} py_handler;

/* ---- the queue ---------------------------------------------------------------------- */

static py_diagnostic copy_one(ir_context *ctx, const ir_diagnostic *d)
{
    py_diagnostic copy = {
        .severity = d->severity,
        .loc = ir_loc_attr(ctx, d->loc),
        .text = tw_xstrdup(d->text),
        .notes = d->n_notes ? tw_xcalloc(d->n_notes, sizeof *copy.notes) : NULL,
        .n_notes = d->n_notes,
    };
    for (size_t i = 0; i < d->n_notes; i++)
        copy.notes[i] = copy_one(ctx, &d->notes[i]);
    return copy;
}

static void free_one(py_diagnostic *d)
{
    for (size_t i = 0; i < d->n_notes; i++)
        free_one(&d->notes[i]);
    free(d->notes);
    free(d->text);
}

void py_queue(py_context *c, const ir_diagnostic *d)
{
    TW_PUSH(c->queue, c->n_queue, c->queue_capacity, copy_one(c->ctx, d));
}

static void sink(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)ctx;
    py_queue(user, d);
}

void py_discard(py_context *c)
{
    if (c->ctx)
        ir_flush_diagnostics(c->ctx);
    for (size_t i = 0; i < c->n_queue; i++)
        free_one(&c->queue[i]);
    c->n_queue = 0;
}

void py_queue_free(py_context *c)
{
    for (size_t i = 0; i < c->n_queue; i++)
        free_one(&c->queue[i]);
    free(c->queue);
    c->queue = NULL;
    c->n_queue = c->queue_capacity = 0;
}

static void freed(void *user, const void *thing)
{
    py_handle *h = py_map_take(&((py_context *)user)->handles, thing);
    if (h)
        h->any = NULL;
    py_branch_freed(user, thing);
    py_run_freed(user, thing);
}

void py_listen(py_context *c)
{
    ir_context_set_sink(c->ctx, (ir_diagnostic_sink){sink, c});
    ir_context_set_free_listener(c->ctx, (ir_free_listener){freed, c});
}

/* ---- Diagnostic --------------------------------------------------------------------- */

static PyObject *make_note(py_context *c, const py_diagnostic *d)
{
    PyObject *notes = PyTuple_New((Py_ssize_t)d->n_notes);
    for (size_t i = 0; notes && i < d->n_notes; i++) {
        PyObject *note = make_note(c, &d->notes[i]);
        if (!note || PyTuple_SetItem(notes, (Py_ssize_t)i, note) < 0)
            Py_CLEAR(notes);
    }
    PyTypeObject *cls = py_cls(PY_DIAGNOSTIC);
    py_note *note = notes ? py_alloc(cls) : NULL;
    if (!note) {
        Py_XDECREF(notes);
        return NULL;
    }
    Py_INCREF(c);
    note->owner = c;
    note->severity = d->severity;
    note->loc = d->loc;
    note->notes = notes;
    note->message = py_text(tw_str_from(d->text));
    if (!note->message)
        Py_CLEAR(note);
    return (PyObject *)note;
}

static void note_dealloc(PyObject *self)
{
    py_note *n = (py_note *)self;
    Py_XDECREF(n->owner);
    Py_XDECREF(n->message);
    Py_XDECREF(n->notes);
    py_free(self);
}

static PyObject *note_severity(PyObject *self, void *closure)
{
    (void)closure;
    /* MLIR numbers notes before remarks; the Python enum is looked up by name. */
    static const char *const names[] = {[IR_ERROR] = "ERROR",
                                        [IR_WARNING] = "WARNING",
                                        [IR_REMARK] = "REMARK",
                                        [IR_NOTE] = "NOTE"};
    return PyObject_GetAttrString(py_get_state()->severities,
                                  names[((py_note *)self)->severity]);
}

static PyObject *note_location(PyObject *self, void *closure)
{
    (void)closure;
    py_note *n = (py_note *)self;
    return py_wrap_loc(n->owner, ir_loc_from_attr(n->loc));
}

static PyObject *note_str(PyObject *self)
{
    PyObject *message = ((py_note *)self)->message;
    Py_INCREF(message);
    return message;
}

static PyMemberDef note_members[] = {
    {"message", T_OBJECT_EX, offsetof(py_note, message), READONLY, NULL},
    {"notes", T_OBJECT_EX, offsetof(py_note, notes), READONLY, NULL},
    {0},
};
static PyGetSetDef note_getset[] = {
    {"severity", note_severity, NULL, NULL, NULL},
    {"location", note_location, NULL, NULL, NULL},
    {0},
};
static PyType_Slot note_slots[] = {
    {Py_tp_dealloc, (void *)note_dealloc},
    {Py_tp_str, (void *)note_str},
    {Py_tp_members, note_members},
    {Py_tp_getset, note_getset},
    {0, NULL},
};
static PyType_Spec note_spec = {"ttmlir.ir.Diagnostic", sizeof(py_note), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                note_slots};

/* ---- DiagnosticHandler -------------------------------------------------------------- */

PyObject *py_handler_attach(py_context *c, PyObject *callback)
{
    PyTypeObject *cls = py_cls(PY_DIAGNOSTIC_HANDLER);
    py_handler *h = py_alloc(cls);
    if (!h)
        return NULL;
    Py_INCREF(callback);
    h->callback = callback;
    if (PyList_Append(c->handlers, (PyObject *)h) < 0) {
        Py_DECREF(h);
        return NULL;
    }
    h->owner = c; /* borrowed: the context drops its handlers when it is freed */
    return (PyObject *)h;
}

static PyObject *handler_detach(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_handler *h = (py_handler *)self;
    py_context *c = h->owner;
    if (!c)
        Py_RETURN_NONE;
    h->owner = NULL;
    Py_ssize_t n = PyList_Size(c->handlers);
    for (Py_ssize_t i = n - 1; i >= 0; i--)
        if (PyList_GetItem(c->handlers, i) == self) {
            PyList_SetSlice(c->handlers, i, i + 1, NULL);
            break;
        }
    Py_RETURN_NONE;
}

void py_handlers_forget(py_context *c)
{
    Py_ssize_t n = c->handlers ? PyList_Size(c->handlers) : 0;
    for (Py_ssize_t i = 0; i < n; i++)
        ((py_handler *)PyList_GetItem(c->handlers, i))->owner = NULL;
    Py_CLEAR(c->handlers);
}

static PyObject *handler_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_INCREF(self);
    return self;
}

static PyObject *handler_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return handler_detach(self, NULL);
}

static int handler_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((py_handler *)self)->callback);
    return 0;
}

static void handler_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((py_handler *)self)->callback);
    py_free(self);
}

static PyObject *handler_attached(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((py_handler *)self)->owner != NULL);
}

static PyObject *handler_had_error(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((py_handler *)self)->failed);
}

static PyMethodDef handler_methods[] = {
    {"detach", handler_detach, METH_NOARGS, "No diagnostic comes here any more."},
    {"__enter__", handler_enter, METH_NOARGS, NULL},
    {"__exit__", handler_exit, METH_VARARGS, NULL},
    {0},
};
static PyGetSetDef handler_getset[] = {
    {"attached", handler_attached, NULL, NULL, NULL},
    {"had_error", handler_had_error, NULL, "Whether the callback raised.", NULL},
    {0},
};
static PyType_Slot handler_slots[] = {
    {Py_tp_dealloc, (void *)handler_dealloc},
    {Py_tp_traverse, (void *)handler_traverse},
    {Py_tp_methods, handler_methods},
    {Py_tp_getset, handler_getset},
    {0, NULL},
};
static PyType_Spec handler_spec = {"ttmlir.ir.DiagnosticHandler", sizeof(py_handler), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                       Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   handler_slots};

/* ---- delivery ----------------------------------------------------------------------- */

/* Calls the handlers, innermost first; returns 1 if one handled the diagnostic. Diagnostics
 * raised by a handler are not delivered to handlers: that would never end. */
static int ask(py_context *c, PyObject *note)
{
    if (c->delivering)
        return 0;
    c->delivering = true;
    PyObject *handlers = PyList_GetSlice(c->handlers, 0, PyList_Size(c->handlers));
    int handled = 0;
    for (Py_ssize_t i = handlers ? PyList_Size(handlers) - 1 : -1; !handled && i >= 0;
         i--) {
        py_handler *h = (py_handler *)PyList_GetItem(handlers, i);
        if (!h->owner)
            continue;
        PyObject *answer = PyObject_CallFunctionObjArgs(h->callback, note, NULL);
        handled = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        if (handled < 0) { /* an exception in a handler is printed, not lost */
            h->failed = true;
            PyErr_WriteUnraisable(h->callback);
            handled = 0;
        }
    }
    c->delivering = false;
    Py_XDECREF(handlers);
    return handled;
}

static bool show(py_context *c, py_note *note)
{
    static const char *const names[] = {[IR_ERROR] = "error",
                                        [IR_WARNING] = "warning",
                                        [IR_REMARK] = "remark",
                                        [IR_NOTE] = "note"};
    tw_strbuf text = {0};
    ir_ident file;
    uint32_t line, column;
    if (ir_loc_position(c->ctx, ir_loc_from_attr(note->loc), &file, &line, &column)) {
        tw_strbuf_printf(&text, "%s:%u:%u", file->text, line, column);
    } else {
        ir_print_loc(c->ctx, ir_loc_from_attr(note->loc), &text);
    }
    PyObject *location = py_buf_text(&text);
    PyObject *line_text = location
                              ? PyUnicode_FromFormat("%U: %s: %U\n", location,
                                                     names[note->severity], note->message)
                              : NULL;
    Py_XDECREF(location);
    PyObject *err = PySys_GetObject("stderr");
    bool ok = line_text && (!err || err == Py_None ||
                            PyFile_WriteObject(line_text, err, Py_PRINT_RAW) == 0);
    Py_XDECREF(line_text);
    Py_ssize_t n = PyTuple_Size(note->notes);
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = show(c, (py_note *)PyTuple_GetItem(note->notes, i));
    return ok;
}

static void raise_error(const char *failure, PyObject *errors)
{
    PyObject *kind = py_get_state()->error;
    PyObject *made = PyObject_CallFunction(kind ? kind : PyExc_RuntimeError,
                                           kind ? "sO" : "s", failure, errors);
    if (made) {
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
        Py_DECREF(made);
    }
}

bool py_deliver(py_context *c, const char *failure)
{
    ir_flush_diagnostics(c->ctx);
    if (!failure && !c->n_queue)
        return true;
    /* Handlers may call the library again, which queues again. */
    py_diagnostic *queue = c->queue;
    size_t n = c->n_queue;
    c->queue = NULL;
    c->n_queue = c->queue_capacity = 0;
    PyObject *errors = PyList_New(0);
    bool ok = errors != NULL;
    for (size_t i = 0; i < n; i++) {
        PyObject *note = ok ? make_note(c, &queue[i]) : NULL;
        bool capture = failure && queue[i].severity == IR_ERROR && !c->emit_errors;
        if (note && failure && queue[i].severity == IR_ERROR)
            ok = PyList_Append(errors, note) == 0;
        if (note && !capture && !ask(c, note))
            ok = show(c, (py_note *)note) && ok;
        ok = ok && note;
        Py_XDECREF(note);
        free_one(&queue[i]);
    }
    free(queue);
    if (ok && failure)
        raise_error(failure, errors);
    Py_XDECREF(errors);
    return ok && !failure;
}

const py_class_row py_diagnostic_classes[] = {
    {PY_DIAGNOSTIC, &note_spec, -1},
    {PY_DIAGNOSTIC_HANDLER, &handler_spec, -1},
    {0},
};
