/* asm.c: programs as text and bytecode, whole or as names of values. */
#include "pyir.h"

#include "ir/bytecode.h"

/* The printing arguments of MLIR's bindings, in their order. `assume` has no effect: an
 * invalid program prints in generic form. */
typedef struct print_args {
    PyObject *elements, *resources;
    int debug, pretty_debug, generic, local, prefix, assume, skip;
} print_args;

/* The leading arguments, shared by get_asm and print. */
#define PRINT_ARG_NAMES                                                                    \
    "large_elements_limit", "large_resource_limit", "enable_debug_info",                   \
        "pretty_debug_info", "print_generic_op_form", "use_local_scope",                   \
        "use_name_loc_as_prefix", "assume_verified"
#define PRINT_ARG_FORMAT "OOpppppp"
#define PRINT_ARG_TARGETS(a)                                                               \
    &(a).elements, &(a).resources, &(a).debug, &(a).pretty_debug, &(a).generic,            \
        &(a).local, &(a).prefix, &(a).assume

static ir_print_options options_of(const print_args *a)
{
    ir_print_options o = {
        .generic = a->generic,
        .debug_info = a->debug || a->pretty_debug,
        .pretty_debug_info = a->pretty_debug,
        .local_scope = a->local,
        .skip_regions = a->skip,
        .names_from_locs = a->prefix,
    };
    return o;
}

/* A limit; None means no limit. */
static bool limit_of(PyObject *value, int64_t *out)
{
    if (!value || value == Py_None)
        return true;
    *out = PyLong_AsLongLong(value);
    return *out != -1 || !PyErr_Occurred();
}

static bool limits_of(const print_args *a, ir_print_options *o)
{
    return limit_of(a->elements, &o->elide_elements) &&
           limit_of(a->resources, &o->elide_resource);
}

static bool print_op(PyObject *self, const ir_print_options *o, tw_strbuf *text)
{
    py_handle *h = py_op_arg(self);
    if (!h)
        return false;
    ir_print_op(h->op, o, text);
    /* An invalid operation prints in generic form; its diagnostics are dropped. */
    py_discard(h->owner);
    return true;
}

/* As in MLIR, an operation without a parent ends with a newline and a nested one does
 * not. */
static void trim(PyObject *self, const ir_print_options *o, tw_strbuf *text)
{
    py_handle *h = py_op_arg(self);
    if (h && (h->op->block || o->local_scope))
        while (text->size && text->data[text->size - 1] == '\n')
            text->data[--text->size] = 0;
}

PyObject *py_op_str(PyObject *self)
{
    tw_strbuf text = {0};
    ir_print_options o = {0};
    py_handle *h =
        py_is(self, PY_OPERATION) ? (py_handle *)self : ((py_view *)self)->operation;
    if (!h || !h->any)
        return PyUnicode_FromString("<Invalid Operation>");
    if (!print_op(self, &o, &text))
        return NULL;
    trim(self, &o, &text);
    return py_buf_text(&text);
}

static PyObject *text_of(PyObject *self, const print_args *a, bool binary)
{
    tw_strbuf text = {0};
    ir_print_options o = options_of(a);
    if (!limits_of(a, &o) || !print_op(self, &o, &text))
        return NULL;
    trim(self, &o, &text);
    if (!binary)
        return py_buf_text(&text);
    PyObject *bytes = PyBytes_FromStringAndSize(text.data, (Py_ssize_t)text.size);
    tw_strbuf_free(&text);
    return bytes;
}

PyObject *py_get_asm(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"binary", PRINT_ARG_NAMES, "skip_regions", NULL};
    print_args a = {0};
    int binary = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p" PRINT_ARG_FORMAT "p", names,
                                     &binary, PRINT_ARG_TARGETS(a), &a.skip))
        return NULL;
    return text_of(self, &a, binary);
}

/* True if the call is print(state, file=None, binary=False). */
static bool has_state(PyObject *args, PyObject *kwargs)
{
    return (PyTuple_Size(args) && py_is(PyTuple_GetItem(args, 0), PY_ASM_STATE)) ||
           (kwargs && PyDict_GetItemString(kwargs, "state"));
}

/* print(..., file=None, binary=False): to a file, sys.stdout by default. */
PyObject *py_print(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {PRINT_ARG_NAMES, "file", "binary", "skip_regions", NULL};
    static char *of_state[] = {"state", "file", "binary", NULL};
    PyObject *file = NULL, *state;
    print_args a = {0};
    int binary = 0;
    if (has_state(args, kwargs)
            ? !PyArg_ParseTupleAndKeywords(args, kwargs, "O!|Op", of_state,
                                           py_cls(PY_ASM_STATE), &state, &file, &binary)
            : !PyArg_ParseTupleAndKeywords(args, kwargs, "|" PRINT_ARG_FORMAT "Opp", names,
                                           PRINT_ARG_TARGETS(a), &file, &binary, &a.skip))
        return NULL;
    PyObject *text = text_of(self, &a, binary);
    PyObject *out = file && file != Py_None ? file : PySys_GetObject("stdout");
    PyObject *done =
        text && out && out != Py_None ? PyObject_CallMethod(out, "write", "O", text) : NULL;
    Py_XDECREF(text);
    if (!done && PyErr_Occurred())
        return NULL;
    Py_XDECREF(done);
    Py_RETURN_NONE;
}

PyObject *py_write_bytecode(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"file", "desired_version", NULL};
    PyObject *file, *version = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &file, &version))
        return NULL;
    py_handle *h = py_op_arg(self);
    if (!h)
        return NULL;
    ir_bytecode_options o = {.version = IR_BYTECODE_VERSION};
    if (version && version != Py_None) {
        long wanted = PyLong_AsLong(version);
        if (wanted == -1 && PyErr_Occurred())
            return NULL;
        if (wanted < 0 || wanted > IR_BYTECODE_VERSION) {
            PyErr_Format(
                PyExc_ValueError,
                "Unable to honor desired bytecode version %ld: 0 to %d are written", wanted,
                IR_BYTECODE_VERSION);
            return NULL;
        }
        o.version = (int)wanted;
    }
    tw_strbuf bytes = {0};
    bool ok = ir_bytecode_write(h->op, &o, &bytes);
    if (!py_deliver(h->owner, ok ? NULL : "Unable to write bytecode")) {
        tw_strbuf_free(&bytes);
        return NULL;
    }
    PyObject *data = PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.size);
    tw_strbuf_free(&bytes);
    PyObject *done = data ? PyObject_CallMethod(file, "write", "O", data) : NULL;
    Py_XDECREF(data);
    if (!done)
        return NULL;
    Py_DECREF(done);
    Py_RETURN_NONE;
}

/* ---- names of values ---------------------------------------------------------------- */

typedef struct py_asm_state {
    PyObject_HEAD py_handle *op;
    bool local;
} py_asm_state;

static PyObject *state_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"op", "use_local_scope", NULL};
    PyObject *object;
    int local = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p", names, &object, &local))
        return NULL;
    py_handle *h = NULL;
    if (py_is(object, PY_VALUE)) {
        ir_value *v = py_value_get(object);
        ir_op *op = v ? ir_value_def(v) : NULL;
        if (v && !op && ir_value_block(v)->region)
            op = ir_value_block(v)->region->owner;
        if (!op) {
            if (v)
                PyErr_SetString(PyExc_ValueError, "the value belongs to no operation");
            return NULL;
        }
        while (ir_op_parent(op) && !(op->def->traits & IR_ISOLATED))
            op = ir_op_parent(op);
        h = py_op_handle(((py_value *)object)->holder->owner, op);
    } else {
        h = py_op_arg(object);
        Py_XINCREF(h);
    }
    if (!h)
        return NULL;
    py_asm_state *state = py_alloc(cls);
    if (!state) {
        Py_DECREF(h);
        return NULL;
    }
    state->op = h;
    state->local = local;
    return (PyObject *)state;
}

static void state_dealloc(PyObject *self)
{
    Py_XDECREF(((py_asm_state *)self)->op);
    py_free(self);
}

static PyType_Slot state_slots[] = {
    {Py_tp_new, (void *)state_new}, {Py_tp_dealloc, (void *)state_dealloc}, {0, NULL}};
static PyType_Spec state_spec = {"ttmlir.ir.AsmState", sizeof(py_asm_state), 0,
                                 Py_TPFLAGS_DEFAULT, state_slots};

/* get_name(use_local_scope=False, use_name_loc_as_prefix=False) or get_name(state) */
PyObject *py_value_name(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"use_local_scope", "use_name_loc_as_prefix", NULL};
    PyObject *first = NULL;
    int prefix = 0;
    if (kwargs && (first = PyDict_GetItemString(kwargs, "state")))
        kwargs = NULL;
    else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op", names, &first, &prefix))
        return NULL;
    ir_value *v = py_value_get(self);
    if (!v)
        return NULL;
    py_context *c = ((py_value *)self)->holder->owner;
    ir_print_options o = {.names_from_locs = prefix};
    ir_op *scope = NULL;
    if (first && py_is(first, PY_ASM_STATE)) {
        py_handle *h = ((py_asm_state *)first)->op;
        if (h->owner != c)
            return py_mismatch("the AsmState");
        if (!(scope = py_op_get(h)))
            return NULL;
    } else {
        /* MLIR names by the outermost operation, or, for a local scope, by the nearest
         * isolated one. */
        int local = first ? PyObject_IsTrue(first) : 0;
        if (local < 0)
            return NULL;
        scope = ir_value_def(v);
        if (!scope && ir_value_block(v)->region)
            scope = ir_value_block(v)->region->owner;
        while (scope && ir_op_parent(scope) && !(local && scope->def->traits & IR_ISOLATED))
            scope = ir_op_parent(scope);
    }
    if (!scope)
        return PyUnicode_FromString("<<UNKNOWN SSA VALUE>>");
    tw_strbuf text = {0};
    ir_op_printer *printer = ir_op_printer_create(scope, &o);
    ir_op_printer_value(printer, v, &text);
    ir_op_printer_free(printer);
    py_discard(c);
    return py_buf_text(&text);
}

const py_class_row py_asm_classes[] = {{PY_ASM_STATE, &state_spec, -1}, {0}};
