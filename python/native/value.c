/* value.c: Value, OpResult, BlockArgument and OpOperand. */
#include "pyir.h"

/* ---- values ------------------------------------------------------------------------- */

ir_value *py_value_get(PyObject *object)
{
    py_value *v = (py_value *)object;
    if (!v->arg) {
        ir_op *op = py_op_get(v->holder);
        if (op && v->index < op->n_results)
            return &op->results[v->index];
        if (op)
            PyErr_SetString(PyExc_RuntimeError, "the result has been invalidated");
        return NULL;
    }
    /* The argument may have been erased; its memory is the context's, so the search is
     * safe, and the recorded index is tried first. */
    ir_block *block = py_block_get(v->holder);
    if (!block)
        return NULL;
    if (v->index < block->n_args && block->args[v->index] == v->arg)
        return v->arg;
    for (uint32_t i = 0; i < block->n_args; i++)
        if (block->args[i] == v->arg) {
            v->index = i;
            return v->arg;
        }
    PyErr_SetString(PyExc_RuntimeError, "the block argument has been invalidated");
    return NULL;
}

static PyObject *wrap_plainly(py_context *c, ir_value *value)
{
    if (!value)
        Py_RETURN_NONE;
    py_handle *holder = value->is_argument ? py_block_handle(c, value->owner)
                                           : py_op_handle(c, value->owner);
    if (!holder)
        return NULL;
    PyTypeObject *cls = py_cls(value->is_argument ? PY_BLOCK_ARGUMENT : PY_OP_RESULT);
    py_value *v = py_alloc(cls);
    if (!v) {
        Py_DECREF(holder);
        return NULL;
    }
    v->holder = holder;
    v->index = value->index;
    v->arg = value->is_argument ? value : NULL;
    return (PyObject *)v;
}

PyObject *py_wrap_value(py_context *c, ir_value *value)
{
    PyObject *casters = py_get_state()->value_casters;
    PyObject *plain = wrap_plainly(c, value);
    if (!plain || !value || !casters || PyDict_Size(casters) == 0)
        return plain;
    return py_cast_own(casters, py_type_class(value->type), plain);
}

ir_value *py_value_arg(PyObject *object, py_context *c)
{
    py_state *state = py_get_state();
    if (PyObject_TypeCheck(object, state->classes[PY_VALUE])) {
        ir_value *value = py_value_get(object);
        if (value && c && ((py_value *)object)->holder->owner != c) {
            py_mismatch("a value");
            return NULL;
        }
        return value;
    }
    if (PyObject_TypeCheck(object, state->classes[PY_RESULT_LIST])) {
        PyObject *only = PySequence_GetItem(object, 0);
        ir_value *value = only ? py_value_arg(only, c) : NULL;
        Py_XDECREF(only);
        return value;
    }
    if (PyObject_TypeCheck(object, state->classes[PY_OPERATION_BASE])) {
        py_handle *h = py_op_arg(object);
        if (!h)
            return NULL;
        if (c && h->owner != c) {
            py_mismatch("an operation");
            return NULL;
        }
        if (h->op->n_results != 1) {
            PyErr_Format(PyExc_ValueError,
                         "Cannot call .result on operation %s which has %u results (it is "
                         "only valid for operations with a single result)",
                         h->op->def->name, h->op->n_results);
            return NULL;
        }
        return &h->op->results[0];
    }
    PyErr_Format(PyExc_TypeError,
                 "expected a Value or an operation with one result, got %R", object);
    return NULL;
}

static void value_dealloc(PyObject *self)
{
    Py_XDECREF(((py_value *)self)->holder);
    py_free(self);
}

/* Identity that never touches freed memory: equal if both denote the same value. */
static const void *identity_of(PyObject *self)
{
    py_value *v = (py_value *)self;
    return v->arg ? (const void *)v->arg : (const char *)v->holder + v->index + 1;
}

static Py_hash_t value_hash(PyObject *self)
{
    py_value *v = (py_value *)self;
    uintptr_t bits =
        v->arg ? (uintptr_t)v->arg >> 4 : ((uintptr_t)v->holder >> 4) * 31 + v->index;
    Py_hash_t hash = (Py_hash_t)bits;
    return hash == -1 ? -2 : hash;
}

static PyObject *value_compare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    bool same = py_is(b, PY_VALUE) && identity_of(a) == identity_of(b) &&
                ((py_value *)a)->holder == ((py_value *)b)->holder;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static PyObject *value_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", NULL};
    PyObject *from;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &from))
        return NULL;
    ir_value *value = py_value_arg(from, NULL);
    if (!value)
        return NULL;
    PyObject *made = py_is(from, PY_VALUE)
                         ? wrap_plainly(((py_value *)from)->holder->owner, value)
                         : wrap_plainly(py_context_of(from), value);
    PyTypeObject *wanted = py_library_class(cls);
    int fits =
        made ? PyObject_IsSubclass((PyObject *)Py_TYPE(made), (PyObject *)wanted) : -1;
    if (fits == 1 && wanted != cls) {
        /* A user-defined class over OpResult or Value. */
        py_value *own = py_alloc(cls), *v = (py_value *)made;
        if (own) {
            Py_INCREF(v->holder);
            own->holder = v->holder;
            own->arg = v->arg;
            own->index = v->index;
        }
        Py_DECREF(made);
        return (PyObject *)own;
    }
    if (fits == 1)
        return made;
    Py_XDECREF(made);
    PyObject *name =
        fits == 0 ? PyObject_GetAttrString((PyObject *)wanted, "__name__") : NULL;
    if (name)
        PyErr_Format(PyExc_ValueError, "Cannot cast value to %U (from %R)", name, from);
    Py_XDECREF(name);
    return NULL;
}

static PyObject *value_isinstance(PyObject *cls, PyObject *object)
{
    return PyBool_FromLong(PyObject_IsInstance(object, cls) == 1);
}

static PyObject *get_type(PyObject *self, void *closure)
{
    (void)closure;
    ir_value *v = py_value_get(self);
    return v ? py_wrap_type(((py_value *)self)->holder->owner, v->type) : NULL;
}

static PyObject *set_type(PyObject *self, PyObject *type)
{
    ir_value *v = py_value_get(self);
    ir_type t;
    if (!v || !py_type_arg(type, ((py_value *)self)->holder->owner, &t))
        return NULL;
    v->type = t;
    Py_RETURN_NONE;
}

static PyObject *get_owner(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *holder = ((py_value *)self)->holder;
    if (!py_value_get(self))
        return NULL;
    Py_INCREF(holder);
    return (PyObject *)holder;
}

static PyObject *get_number(PyObject *self, void *closure)
{
    (void)closure;
    ir_value *v = py_value_get(self);
    return v ? PyLong_FromUnsignedLong(v->index) : NULL;
}

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *c = (PyObject *)((py_value *)self)->holder->owner;
    Py_INCREF(c);
    return c;
}

static PyObject *get_location(PyObject *self, void *closure)
{
    (void)closure;
    ir_value *v = py_value_get(self);
    return v ? py_wrap_loc(((py_value *)self)->holder->owner, ir_value_loc(v)) : NULL;
}

static PyObject *set_location(PyObject *self, PyObject *loc)
{
    py_context *c = ((py_value *)self)->holder->owner;
    ir_value *v = py_value_get(self);
    ir_loc l;
    if (!v || !py_loc_arg(loc, &c, &l))
        return NULL;
    v->loc = l;
    Py_RETURN_NONE;
}

/* ---- uses --------------------------------------------------------------------------- */

typedef struct py_operand {
    PyObject_HEAD py_handle *op;
    uint32_t number;
} py_operand;

PyObject *py_wrap_operand(py_context *c, const ir_operand *use)
{
    PyTypeObject *cls = py_cls(PY_OP_OPERAND);
    py_handle *h = py_op_handle(c, use->owner);
    py_operand *o = h ? py_alloc(cls) : NULL;
    if (!o) {
        Py_XDECREF(h);
        return NULL;
    }
    o->op = h;
    o->number = (uint32_t)ir_operand_number(use);
    return (PyObject *)o;
}

static PyObject *get_uses(PyObject *self, void *closure)
{
    (void)closure;
    ir_value *v = py_value_get(self);
    PyObject *list = v ? PyList_New(0) : NULL;
    for (const ir_operand *use = v ? v->uses : NULL; list && use; use = use->next_use) {
        PyObject *o = py_wrap_operand(((py_value *)self)->holder->owner, use);
        if (!o || PyList_Append(list, o) < 0)
            Py_CLEAR(list);
        Py_XDECREF(o);
    }
    PyObject *iterator = list ? PyObject_GetIter(list) : NULL;
    Py_XDECREF(list);
    return iterator;
}

static PyObject *replace_uses(PyObject *self, PyObject *with)
{
    ir_value *from = py_value_get(self);
    ir_value *to = from ? py_value_arg(with, ((py_value *)self)->holder->owner) : NULL;
    if (!to)
        return NULL;
    if (from != to)
        ir_value_replace_uses(from, to);
    Py_RETURN_NONE;
}

/* replace_all_uses_except(with_, exceptions): the excepted operations keep their
 * operands. */
static PyObject *replace_except(PyObject *self, PyObject *args)
{
    PyObject *with, *exceptions;
    if (!PyArg_ParseTuple(args, "OO", &with, &exceptions))
        return NULL;
    py_context *c = ((py_value *)self)->holder->owner;
    ir_value *from = py_value_get(self);
    ir_value *to = from ? py_value_arg(with, c) : NULL;
    if (!to)
        return NULL;
    PyObject *list =
        py_is(exceptions, PY_OPERATION_BASE) ? PyList_New(0) : PySequence_List(exceptions);
    if (list && py_is(exceptions, PY_OPERATION_BASE) && PyList_Append(list, exceptions) < 0)
        Py_CLEAR(list);
    if (!list)
        return NULL;
    Py_ssize_t n = PyList_Size(list);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!py_op_arg(PyList_GetItem(list, i))) {
            Py_DECREF(list);
            return NULL;
        }
    for (ir_operand *use = from->uses, *next; use && from != to; use = next) {
        next = use->next_use;
        bool kept = false;
        for (Py_ssize_t i = 0; i < n && !kept; i++)
            kept = py_op_arg(PyList_GetItem(list, i))->op == use->owner;
        if (!kept)
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
    Py_DECREF(list);
    Py_RETURN_NONE;
}

static PyObject *value_str(PyObject *self)
{
    ir_value *v = py_value_get(self);
    if (!v) {
        PyErr_Clear();
        return PyUnicode_FromString("<Invalidated Value>");
    }
    tw_strbuf text = {0};
    ir_print_options options = {0};
    if (!v->is_argument) {
        ir_print_op(v->owner, &options, &text);
        while (text.size && text.data[text.size - 1] == '\n')
            text.size--;
    } else {
        tw_strbuf_puts(&text, "<block argument> of type '");
        ir_print_type(v->type, &text);
        tw_strbuf_printf(&text, "' at index: %u", v->index);
    }
    py_discard(((py_value *)self)->holder->owner);
    PyObject *body = py_buf_text(&text);
    PyObject *result = body ? PyUnicode_FromFormat("Value(%U)", body) : NULL;
    Py_XDECREF(body);
    return result;
}

static PyObject *downcast(PyObject *self, PyObject *unused)
{
    (void)unused;
    ir_value *v = py_value_get(self);
    return v ? py_wrap_value(((py_value *)self)->holder->owner, v) : NULL;
}

static PyMethodDef value_methods[] = {
    {"isinstance", value_isinstance, METH_O | METH_CLASS, NULL},
    {"set_type", set_type, METH_O, NULL},
    {"replace_all_uses_with", replace_uses, METH_O, NULL},
    {"replace_all_uses_except", replace_except, METH_VARARGS, NULL},
    {"get_name", PY_METHOD(py_value_name), PY_KW, NULL},
    {"maybe_downcast", downcast, METH_NOARGS, NULL},
    {0},
};
static PyGetSetDef value_getset[] = {
    {"type", get_type, NULL, NULL, NULL},
    {"owner", get_owner, NULL, NULL, NULL},
    {"context", get_context, NULL, NULL, NULL},
    {"location", get_location, NULL, NULL, NULL},
    {"uses", get_uses, NULL, NULL, NULL},
    {0},
};
static PyType_Slot value_slots[] = {
    {Py_tp_new, (void *)value_new},
    {Py_tp_init, (void *)py_init_own},
    {Py_tp_dealloc, (void *)value_dealloc},
    {Py_tp_hash, (void *)value_hash},
    {Py_tp_richcompare, (void *)value_compare},
    {Py_tp_str, (void *)value_str},
    {Py_tp_methods, value_methods},
    {Py_tp_getset, value_getset},
    {0, NULL},
};
static PyGetSetDef result_getset[] = {{"result_number", get_number, NULL, NULL, NULL}, {0}};
static PyType_Slot result_slots[] = {{Py_tp_getset, result_getset}, {0, NULL}};
static PyGetSetDef arg_getset[] = {{"arg_number", get_number, NULL, NULL, NULL}, {0}};
static PyMethodDef arg_methods[] = {{"set_location", set_location, METH_O, NULL}, {0}};
static PyType_Slot arg_slots[] = {
    {Py_tp_getset, arg_getset}, {Py_tp_methods, arg_methods}, {0, NULL}};

/* ---- OpOperand ---------------------------------------------------------------------- */

static void operand_dealloc(PyObject *self)
{
    Py_XDECREF(((py_operand *)self)->op);
    py_free(self);
}

static PyObject *operand_owner(PyObject *self, void *closure)
{
    (void)closure;
    return py_view_of(((py_operand *)self)->op);
}

static PyObject *operand_number(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(((py_operand *)self)->number);
}

static PyObject *operand_value(PyObject *self, void *closure)
{
    (void)closure;
    py_operand *o = (py_operand *)self;
    ir_op *op = py_op_get(o->op);
    if (!op)
        return NULL;
    if (o->number >= op->n_operands) {
        PyErr_SetString(PyExc_RuntimeError, "the operand has been invalidated");
        return NULL;
    }
    return py_wrap_value(o->op->owner, op->operands[o->number].value);
}

static PyGetSetDef operand_getset[] = {
    {"owner", operand_owner, NULL, NULL, NULL},
    {"operand_number", operand_number, NULL, NULL, NULL},
    {"value", operand_value, NULL, NULL, NULL},
    {0},
};
static PyType_Slot operand_slots[] = {
    {Py_tp_dealloc, (void *)operand_dealloc}, {Py_tp_getset, operand_getset}, {0, NULL}};

#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE)
static PyType_Spec value_spec = {"ttmlir.ir.Value", sizeof(py_value), 0, FLAGS,
                                 value_slots};
static PyType_Spec result_spec = {"ttmlir.ir.OpResult", sizeof(py_value), 0, FLAGS,
                                  result_slots};
static PyType_Spec arg_spec = {"ttmlir.ir.BlockArgument", sizeof(py_value), 0, FLAGS,
                               arg_slots};
static PyType_Spec operand_spec = {"ttmlir.ir.OpOperand", sizeof(py_operand), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   operand_slots};

const py_class_row py_value_classes[] = {
    {PY_VALUE, &value_spec, -1},
    {PY_OP_RESULT, &result_spec, PY_VALUE},
    {PY_BLOCK_ARGUMENT, &arg_spec, PY_VALUE},
    {PY_OP_OPERAND, &operand_spec, -1},
    {0},
};
