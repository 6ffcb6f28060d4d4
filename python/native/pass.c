/* pass.c: PassManager. */
#include "pyir.h"

#include <ctype.h>

#include "interrupt.h"
#include "ir/pass/anchored.h"
#include "pipelines/registry.h"

static const char failed[] = "Failure while executing pass pipeline";

/* A manager keeps its settings; a library manager is made for each run, since its options
 * are fixed at creation. */
typedef struct py_manager {
    PyObject_HEAD py_context *owner;
    PyObject *pipeline; /* list of (text, options or None), or (function, label, anchor) */
    PyObject *anchor;
    pass_config config;
    PyObject *tree; /* directory of dumps, or NULL */
} py_manager;

/* Output of a run. */
typedef struct run_output {
    tw_strbuf dumps;
    PyObject *steps; /* list of (name, text) for step listeners, or NULL */
} run_output;

static void write_dump(void *user, tw_str text)
{
    tw_strbuf_str(&((run_output *)user)->dumps, text);
}

/* Only records: Python code must not run before the library has returned. */
static void keep_step(void *user, const char *name, ir_op *module)
{
    run_output *out = user;
    const ir_print_options print = {.debug_info = true};
    tw_strbuf text = {0};
    ir_print_op(module, &print, &text);
    PyObject *entry = Py_BuildValue("(ss#)", name, text.data, (Py_ssize_t)text.size);
    if (!entry || PyList_Append(out->steps, entry) < 0)
        PyErr_Clear(); /* out of memory: this step is dropped */
    Py_XDECREF(entry);
    tw_strbuf_free(&text);
}

static bool tell_steps(py_manager *m, run_output *out)
{
    bool ok = true;
    for (Py_ssize_t i = 0; ok && out->steps && i < PyList_Size(m->owner->logs); i++) {
        PyObject *done =
            PyObject_CallFunction(PyList_GetItem(m->owner->logs, i), "O", out->steps);
        ok = done != NULL;
        Py_XDECREF(done);
    }
    Py_CLEAR(out->steps);
    return ok;
}

static bool is_function(PyObject *entry)
{
    return PyTuple_Size(entry) == 3;
}

static const char any_op[] = "any";

/* Borrowed from the manager's object. */
static const char *anchor_of(py_manager *m)
{
    const char *text = PyUnicode_AsUTF8AndSize(m->anchor, NULL);
    return text ? text : "";
}

/* The library's manager for entries that are text; NULL with diagnostics. */
static pass_manager *make(py_manager *m, run_output *out, const volatile int *cancel,
                          Py_ssize_t from, Py_ssize_t to)
{
    pass_config config = m->config;
    config.write = write_dump;
    config.user = out;
    config.cancel = cancel;
    config.after_step = out->steps ? keep_step : NULL;
    pass_manager *pm = pass_manager_create(m->owner->ctx, &tw_passes, &config);
    const char *anchor = anchor_of(m);
    if (strcmp(anchor, any_op) != 0)
        pass_manager_set_anchor(pm, anchor);
    for (Py_ssize_t i = from; i < to; i++) {
        const char *name, *options;
        PyObject *entry = PyList_GetItem(m->pipeline, i);
        if (!PyArg_ParseTuple(entry, "sz", &name, &options))
            PyErr_Clear();
        bool ok = options ? pass_manager_add_named(pm, name, tw_str_from(options))
                          : pass_manager_add(pm, tw_str_from(name));
        if (!ok) {
            pass_manager_destroy(pm);
            return NULL;
        }
    }
    return pm;
}

static bool add(py_manager *m, const char *text, const char *options, const char *failure)
{
    PyObject *entry = Py_BuildValue("(sz)", text, options);
    bool ok = entry && PyList_Append(m->pipeline, entry) == 0;
    Py_XDECREF(entry);
    if (!ok)
        return false;
    run_output out = {0};
    Py_ssize_t n = PyList_Size(m->pipeline);
    pass_manager *pm = make(m, &out, NULL, n - 1, n);
    tw_strbuf_free(&out.dumps);
    if (!pm) { /* reports the reason in a ValueError, and drops the entry */
        PyList_SetSlice(m->pipeline, n - 1, n, NULL);
        ir_flush_diagnostics(m->owner->ctx);
        PyErr_Format(PyExc_ValueError, "%s: %s", failure,
                     m->owner->n_queue ? m->owner->queue[m->owner->n_queue - 1].text
                                       : text);
        py_discard(m->owner);
        return false;
    }
    pass_manager_destroy(pm);
    py_discard(m->owner); /* warnings come with each run */
    return true;
}

static py_manager *new_manager(PyTypeObject *cls, py_context *c, const char *anchor)
{
    py_manager *m = py_alloc(cls);
    if (!m)
        return NULL;
    Py_INCREF(c);
    m->owner = c;
    m->pipeline = PyList_New(0);
    m->anchor = PyUnicode_FromString(*anchor ? anchor : any_op);
    if (!m->pipeline || !m->anchor)
        Py_CLEAR(m);
    return m;
}

static PyObject *manager_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"anchor_op", "context", NULL};
    const char *anchor = "any";
    PyObject *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|sO", names, &anchor, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    return c ? (PyObject *)new_manager(cls, c, anchor) : NULL;
}

static void manager_dealloc(PyObject *self)
{
    py_manager *m = (py_manager *)self;
    Py_XDECREF(m->owner);
    Py_XDECREF(m->pipeline);
    Py_XDECREF(m->anchor);
    Py_XDECREF(m->tree);
    py_free(self);
}

/* Returns X of "X(...)"; raises where the text is not wholly inside such brackets. */
static PyObject *wrapping_anchor(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t size = strlen(text), name = strcspn(text, " ({,)\n");
    while (size && isspace((unsigned char)text[size - 1]))
        size--;
    int depth = 0;
    bool whole = name > 0 && text[name] == '(' && text[size - 1] == ')';
    for (size_t i = name; whole && i + 1 < size; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        whole = depth > 0;
    }
    if (!whole) {
        PyErr_SetString(PyExc_ValueError,
                        "expected pass pipeline to be wrapped with the anchor operation "
                        "type, e.g. 'builtin.module(...)'");
        return NULL;
    }
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)name);
}

static PyObject *manager_parse(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"pipeline", "context", NULL};
    const char *text;
    PyObject *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O", names, &text, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    PyObject *anchor = c ? wrapping_anchor(text) : NULL;
    const char *name = anchor ? PyUnicode_AsUTF8AndSize(anchor, NULL) : NULL;
    py_manager *m = name ? new_manager((PyTypeObject *)cls, c, name) : NULL;
    Py_XDECREF(anchor);
    if (m && !add(m, text, NULL, "Unable to parse pass pipeline"))
        Py_CLEAR(m);
    return (PyObject *)m;
}

/* add(function, name=, argument=, description=, op_name=) */
static PyObject *add_function(py_manager *m, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"run", "name", "argument", "description", "op_name", NULL};
    PyObject *run, *name = NULL, *label;
    const char *argument = NULL, *description, *anchor = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Ozzz", names, &run, &name, &argument,
                                     &description, &anchor))
        return NULL;
    if (argument && *argument) {
        label = PyUnicode_FromString(argument);
    } else {
        PyObject *given = name && name != Py_None ? PyObject_Str(name)
                                                  : PyObject_GetAttrString(run, "__name__");
        if (!given) { /* a callable object */
            PyErr_Clear();
            given = PyObject_GetAttrString((PyObject *)Py_TYPE(run), "__name__");
        }
        label = given ? PyUnicode_FromFormat("unknown<%U>", given) : NULL;
        Py_XDECREF(given);
    }
    PyObject *entry = label ? Py_BuildValue("(OOz)", run, label, anchor) : NULL;
    bool ok = entry && PyList_Append(m->pipeline, entry) == 0;
    Py_XDECREF(label);
    Py_XDECREF(entry);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* add(pipeline) or add(function, ...) */
static PyObject *manager_add(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"pipeline", NULL};
    PyObject *first = PyTuple_Size(args) ? PyTuple_GetItem(args, 0)
                      : kwargs           ? PyDict_GetItemString(kwargs, "run")
                                         : NULL;
    const char *text;
    if (first && PyCallable_Check(first))
        return add_function((py_manager *)self, args, kwargs);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s", names, &text) ||
        !add((py_manager *)self, text, NULL, "Unable to add pass pipeline"))
        return NULL;
    Py_RETURN_NONE;
}

/* _add_named(name, options): one pass or pipeline, options as on a command line */
static PyObject *manager_add_named(PyObject *self, PyObject *args)
{
    const char *name, *options;
    if (!PyArg_ParseTuple(args, "ss", &name, &options) ||
        !add((py_manager *)self, name, options, "Failed to add pipeline to pass manager"))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *enable_verifier(PyObject *self, PyObject *on)
{
    int verify = PyObject_IsTrue(on);
    if (verify < 0)
        return NULL;
    ((py_manager *)self)->config.no_verify = !verify;
    Py_RETURN_NONE;
}

static PyObject *enable_timing(PyObject *self, PyObject *unused)
{
    (void)unused;
    ((py_manager *)self)->config.timing = true;
    Py_RETURN_NONE;
}

/* Accepted without effect: passes collect no statistics. */
static PyObject *enable_statistics(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"displayMode", NULL};
    PyObject *mode;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &mode))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *enable_printing(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"print_before_all",
                            "print_after_all",
                            "print_module_scope",
                            "print_after_change",
                            "print_after_failure",
                            "large_elements_limit",
                            "large_resource_limit",
                            "enable_debug_info",
                            "print_generic_op_form",
                            "tree_printing_dir_path",
                            NULL};
    int before = 0, after = 1, scope = 0, change = 0, failure = 0, debug = 0, generic = 0;
    PyObject *elements = NULL, *resources = NULL, *tree = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pppppOOppO", names, &before, &after,
                                     &scope, &change, &failure, &elements, &resources,
                                     &debug, &generic, &tree))
        return NULL;
    py_manager *m = (py_manager *)self;
    m->config.print_before_all = before;
    m->config.print_after_all = after;
    m->config.print_module_scope = scope;
    m->config.print_after_change = change;
    m->config.print_after_failure = failure;
    m->config.print = (ir_print_options){.debug_info = debug, .generic = generic};
    if (elements && elements != Py_None)
        m->config.print.elide_elements = PyLong_AsLongLong(elements);
    if (PyErr_Occurred())
        return NULL;
    Py_XDECREF(m->tree);
    m->tree = tree && tree != Py_None ? PyObject_Str(tree) : NULL;
    Py_RETURN_NONE;
}

/* Dumps go to sys.stderr, or to a file of the given directory. */
static bool show_dumps(py_manager *m, tw_strbuf *dumps)
{
    if (!dumps->size)
        return true;
    PyObject *text = py_text((tw_str){dumps->data, dumps->size}), *done = NULL;
    if (m->tree) {
        PyObject *helper = PyImport_ImportModule("ttmlir.passmanager");
        done = text && helper
                   ? PyObject_CallMethod(helper, "_write_dumps", "OO", m->tree, text)
                   : NULL;
        Py_XDECREF(helper);
    } else {
        PyObject *err = PySys_GetObject("stderr");
        done = text && err ? PyObject_CallMethod(err, "write", "O", text) : NULL;
    }
    Py_XDECREF(text);
    Py_XDECREF(done);
    return done != NULL;
}

/* Runs entries that are text; false with an exception. */
static bool run_text(py_manager *m, py_handle *h, Py_ssize_t from, Py_ssize_t to)
{
    run_output out = {0};
    if (m->owner->logs && !(out.steps = PyList_New(0)))
        return false;
    if (out.steps && from == 0)
        keep_step(&out, "PRE-PIPELINE", h->op);
    const volatile int *flag = py_interrupt_begin();
    pass_manager *pm = make(m, &out, flag, from, to);
    bool ok = pm && pass_manager_run(pm, h->op), cancelled = flag && *flag && !ok;
    py_interrupt_end(flag);
    if (pm && m->config.timing)
        pass_manager_timing(pm, &(pass_times){0}, &out.dumps);
    if (pm)
        pass_manager_destroy(pm);
    bool shown = tell_steps(m, &out) && show_dumps(m, &out.dumps);
    tw_strbuf_free(&out.dumps);
    if (cancelled && shown) {
        py_discard(m->owner);
        return py_interrupted() != NULL;
    }
    if (!shown) { /* the pending exception has more detail */
        py_discard(m->owner);
        return false;
    }
    return py_deliver(m->owner, ok ? NULL : failed);
}

/* Runs an entry that is a function; its result must be valid. */
static bool run_function(py_manager *m, py_handle *h, PyObject *entry)
{
    PyObject *helper = PyImport_ImportModule("ttmlir.passmanager");
    PyObject *done =
        helper ? PyObject_CallMethod(helper, "_run_function", "OO", h, entry) : NULL;
    int good = done ? PyObject_IsTrue(done) : -1;
    Py_XDECREF(helper);
    Py_XDECREF(done);
    if (good < 0)
        return false;
    if (good && !py_op_get(h))
        return false;
    if (good && !m->config.no_verify)
        good = ir_verify(h->op);
    return py_deliver(m->owner, good ? NULL : failed);
}

static PyObject *manager_run(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"operation", "invalidate_ops", NULL};
    PyObject *object;
    int invalidate = 1;
    py_manager *m = (py_manager *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p", names, &object, &invalidate))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    if (h->owner != m->owner)
        return py_mismatch("the operation");
    const char *anchor = anchor_of(m);
    if (strcmp(anchor, any_op) != 0 && strcmp(anchor, h->op->def->name) != 0) {
        ir_error(m->owner->ctx, h->op->loc, "can't run '%s' pass manager on '%s' op",
                 anchor, h->op->def->name);
        py_deliver(m->owner, failed);
        return NULL;
    }
    /* Passes require a valid program; what Python built may be invalid. */
    if (!ir_verify(h->op)) {
        py_deliver(m->owner, failed);
        return NULL;
    }
    PyObject *entries = PySequence_List(m->pipeline); /* functions may add to the list */
    Py_ssize_t n = entries ? PyList_Size(entries) : 0, i = 0;
    bool ok = entries != NULL;
    Py_INCREF(h);
    do {
        Py_ssize_t from = i;
        if (i < n && is_function(PyList_GetItem(entries, i))) {
            ok = ok && run_function(m, h, PyList_GetItem(entries, i++));
            continue;
        }
        while (i < n && !is_function(PyList_GetItem(entries, i)))
            i++;
        ok = ok && py_op_get(h) && run_text(m, h, from, i);
    } while (ok && i < n);
    Py_DECREF(h);
    Py_XDECREF(entries);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *manager_str(PyObject *self)
{
    py_manager *m = (py_manager *)self;
    PyObject *parts = PyList_New(0);
    for (Py_ssize_t i = 0; parts && i < PyList_Size(m->pipeline); i++) {
        PyObject *entry = PyList_GetItem(m->pipeline, i), *part;
        if (is_function(entry)) {
            part = PyTuple_GetItem(entry, 1);
            Py_INCREF(part);
        } else {
            run_output out = {0};
            tw_strbuf text = {0};
            pass_manager *pm = make(m, &out, NULL, i, i + 1);
            if (pm)
                pass_manager_print(pm, &text);
            pass_manager_destroy(pm);
            tw_strbuf_free(&out.dumps);
            py_discard(m->owner);
            part = py_buf_text(&text);
        }
        if (!part || PyList_Append(parts, part) < 0)
            Py_CLEAR(parts);
        Py_XDECREF(part);
    }
    PyObject *helper = parts ? PyImport_ImportModule("ttmlir.passmanager") : NULL;
    PyObject *text =
        helper ? PyObject_CallMethod(helper, "_joined", "OO", m->anchor, parts) : NULL;
    Py_XDECREF(helper);
    Py_XDECREF(parts);
    return text;
}

static PyMethodDef manager_methods[] = {
    {"parse", PY_METHOD(manager_parse), PY_KW | METH_CLASS,
     "parse(pipeline, context=None)"},
    {"add", PY_METHOD(manager_add), PY_KW,
     "add(pipeline) or add(function of (op, pass), name=, argument=, description=, "
     "op_name=)"},
    {"enable_statistics", PY_METHOD(enable_statistics), PY_KW, NULL},
    {"_add_named", manager_add_named, METH_VARARGS, NULL},
    {"enable_verifier", enable_verifier, METH_O, NULL},
    {"enable_timing", enable_timing, METH_NOARGS, NULL},
    {"enable_ir_printing", PY_METHOD(enable_printing), PY_KW, NULL},
    {"run", PY_METHOD(manager_run), PY_KW, "run(operation)"},
    {0},
};
static PyType_Slot manager_slots[] = {{Py_tp_new, (void *)manager_new},
                                      {Py_tp_dealloc, (void *)manager_dealloc},
                                      {Py_tp_str, (void *)manager_str},
                                      {Py_tp_methods, manager_methods},
                                      {0, NULL}};
static PyType_Spec manager_spec = {"ttmlir.passmanager.PassManager", sizeof(py_manager), 0,
                                   Py_TPFLAGS_DEFAULT, manager_slots};

const py_class_row py_pass_classes[] = {{PY_PASS_MANAGER, &manager_spec, -1}, {0}};
