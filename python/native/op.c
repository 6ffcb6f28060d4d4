/* op.c: Module, Operation and OpView. */
#include "pyir.h"

#include <stdlib.h>

/* ---- members shared by both kinds of operation -------------------------------------- */

/* The handle behind a live Operation, OpView or Module; NULL: raised. */
static py_handle *self_op(PyObject *self)
{
    py_handle *h =
        py_is(self, PY_OPERATION) ? (py_handle *)self : ((py_view *)self)->operation;
    return py_op_get(h) ? h : NULL;
}

static PyObject *get_operation(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *h =
        py_is(self, PY_OPERATION) ? self : (PyObject *)((py_view *)self)->operation;
    if (!h) {
        PyErr_SetString(PyExc_RuntimeError, "the operation was never made");
        return NULL;
    }
    Py_INCREF(h);
    return h;
}

static PyObject *get_view(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? py_view_of(h) : NULL;
}

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    Py_INCREF(h->owner);
    return (PyObject *)h->owner;
}

static PyObject *get_name(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? PyUnicode_FromString(h->op->def->name) : NULL;
}

static PyObject *get_list(PyObject *self, void *closure)
{
    py_handle *h = self_op(self);
    return h ? py_list_new((py_class)(uintptr_t)closure, h, 0, 0, UINT32_MAX) : NULL;
}

static PyObject *get_op_operands(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    PyObject *list = h ? PyList_New(0) : NULL;
    for (uint32_t i = 0; list && i < h->op->n_operands; i++) {
        PyObject *o = py_wrap_operand(h->owner, &h->op->operands[i]);
        if (!o || PyList_Append(list, o) < 0)
            Py_CLEAR(list);
        Py_XDECREF(o);
    }
    return list;
}

static PyObject *get_result(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    ir_value *v = h ? py_value_arg((PyObject *)h, NULL) : NULL;
    return v ? py_wrap_value(h->owner, v) : NULL;
}

static PyObject *get_attributes(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? py_attribute_map(h) : NULL;
}

static PyObject *get_location(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? py_wrap_loc(h->owner, h->op->loc) : NULL;
}

static int set_location(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    py_context *c = h ? h->owner : NULL;
    ir_loc loc;
    if (!h || !value || !py_loc_arg(value, &c, &loc))
        return -1;
    h->op->loc = loc;
    return 0;
}

static PyObject *get_parent(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    ir_op *parent = ir_op_parent(h->op);
    /* Only a module may have no parent. */
    if (!parent && strcmp(h->op->def->name, "builtin.module") != 0) {
        PyErr_SetString(PyExc_ValueError, "Detached operations have no parent");
        return NULL;
    }
    if (!parent)
        Py_RETURN_NONE;
    return (PyObject *)py_op_handle(h->owner, parent);
}

static PyObject *get_block(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    if (!h->op->block)
        Py_RETURN_NONE;
    return (PyObject *)py_block_handle(h->owner, h->op->block);
}

static PyObject *get_attached(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? PyBool_FromLong(h->op->block != NULL) : NULL;
}

static PyObject *get_is_symbol_table(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    return h ? PyBool_FromLong((h->op->def->traits & IR_SYMBOL_TABLE) != 0) : NULL;
}

static PyObject *op_verify(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_handle *h = self_op(self);
    if (!h || !py_deliver(h->owner, ir_verify(h->op) ? NULL : "Verification failed"))
        return NULL;
    Py_RETURN_TRUE;
}

static PyObject *op_erase(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    if (py_used_outside(h->op)) {
        PyErr_Format(PyExc_RuntimeError,
                     "'%s' cannot be erased: its results still have uses",
                     h->op->def->name);
        return NULL;
    }
    ir_op_erase(h->op); /* empties this handle and the nested ones */
    Py_RETURN_NONE;
}

static PyObject *op_detach(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    if (!h->op->block) {
        PyErr_SetString(PyExc_ValueError, "Detached operation has no parent.");
        return NULL;
    }
    /* The parent may be freed with the handle that held it. */
    py_handle *keep = h->keep;
    Py_XINCREF(keep);
    py_branch_moved(h->owner, h->op);
    ir_op_remove(h->op);
    py_handle_moved(h);
    Py_XDECREF(keep);
    return py_view_of(h);
}

static PyObject *op_clone(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ip", NULL};
    PyObject *ip = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &ip))
        return NULL;
    py_handle *h = self_op(self);
    if (!h)
        return NULL;
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(h->op, map);
    ir_mapping_free(map);
    py_branch_copied(h->owner, copy);
    py_handle *made = py_op_handle(h->owner, copy);
    PyObject *view = NULL;
    if (made && py_place(made, ip))
        view = py_view_of(made);
    Py_XDECREF(made);
    return view;
}

static PyObject *move(PyObject *self, PyObject *other, bool after)
{
    py_handle *h = self_op(self), *o = h ? py_op_arg(other) : NULL;
    if (!o)
        return NULL;
    if (!o->op->block) {
        PyErr_SetString(PyExc_ValueError, "the other operation is in no block");
        return NULL;
    }
    if (o == h)
        Py_RETURN_NONE;
    py_handle *block = py_block_handle(o->owner, o->op->block);
    ir_op *before = after ? o->op->next : o->op;
    if (before == h->op)
        before = before->next;
    bool ok = block && py_insert(h, block, before);
    Py_XDECREF(block);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *move_after(PyObject *self, PyObject *other)
{
    return move(self, other, true);
}

static PyObject *move_before(PyObject *self, PyObject *other)
{
    return move(self, other, false);
}

static PyObject *is_before(PyObject *self, PyObject *other)
{
    py_handle *h = self_op(self), *o = h ? py_op_arg(other) : NULL;
    if (!o)
        return NULL;
    if (!h->op->block || h->op->block != o->op->block) {
        PyErr_SetString(PyExc_ValueError, "the operations are not in one block");
        return NULL;
    }
    return PyBool_FromLong(ir_op_before(h->op, o->op));
}

/* ---- Operation ---------------------------------------------------------------------- */

static PyObject *op_compare(PyObject *a, PyObject *b, int op)
{
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    bool same = false;
    if (py_is(b, PY_OPERATION_BASE)) {
        const void *x = py_is(a, PY_OPERATION) ? a : (void *)((py_view *)a)->operation;
        const void *y = py_is(b, PY_OPERATION) ? b : (void *)((py_view *)b)->operation;
        same = x == y;
    }
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t op_hash(PyObject *self)
{
    const void *h = py_is(self, PY_OPERATION) ? self : (void *)((py_view *)self)->operation;
    Py_hash_t hash = (Py_hash_t)((uintptr_t)h >> 4);
    return hash == -1 ? -2 : hash;
}

/* Parses one operation, or a module around several. */
static ir_op *parse_text(py_context *c, PyObject *source, const char *name, bool module,
                         const char *failure)
{
    Py_ssize_t size;
    char *data;
    if (PyBytes_Check(source)) {
        if (PyBytes_AsStringAndSize(source, &data, &size) < 0)
            return NULL;
    } else if (!(data = (char *)(uintptr_t)PyUnicode_AsUTF8AndSize(source, &size))) {
        return NULL;
    }
    ir_parse_options o = {.no_implicit_module = !module};
    ir_op *op = ir_parse(c->ctx, (tw_str){data, (size_t)size}, name, &o);
    if (!py_deliver(c, op ? NULL : failure)) {
        if (op)
            ir_op_erase(op);
        return NULL;
    }
    return op;
}

static PyObject *op_parse(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"source", "source_name", "context", NULL};
    PyObject *source, *context = NULL;
    const char *name = "-";
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$sO", names, &source, &name,
                                     &context))
        return NULL;
    py_context *c = py_context_arg(context);
    ir_op *op =
        c ? parse_text(c, source, name, false, "Unable to parse operation assembly") : NULL;
    if (!op)
        return NULL;
    py_handle *h = py_op_handle(c, op);
    PyObject *view = h ? py_view_of(h) : NULL;
    Py_XDECREF(h);
    if (view && PyObject_IsSubclass(cls, (PyObject *)py_cls(PY_OP_VIEW)) == 1 &&
        PyObject_IsInstance(view, cls) != 1) {
        PyObject *wanted = PyObject_GetAttrString(cls, "OPERATION_NAME");
        if (wanted)
            PyErr_Format(PyExc_ValueError, "Expected a '%S' op, got: '%s'", wanted,
                         op->def->name);
        Py_XDECREF(wanted);
        Py_CLEAR(view);
    }
    return view;
}

static PyObject *replace_uses_of(PyObject *self, PyObject *args)
{
    PyObject *of, *with;
    py_handle *h = self_op(self);
    if (!h || !PyArg_ParseTuple(args, "OO", &of, &with))
        return NULL;
    ir_value *from = py_value_arg(of, h->owner);
    ir_value *to = from ? py_value_arg(with, h->owner) : NULL;
    if (!to)
        return NULL;
    for (uint32_t i = 0; i < h->op->n_operands; i++)
        if (h->op->operands[i].value == from)
            ir_op_set_operand(h->op, i, to);
    Py_RETURN_NONE;
}

static PyObject *capi_self(PyObject *self, void *closure)
{
    (void)closure;
    Py_INCREF(self);
    return self;
}

#define CLOSURE(n) ((void *)(uintptr_t)(n))
static PyMethodDef base_methods[] = {
    {"verify", op_verify, METH_NOARGS, "Raises MLIRError if the operation is invalid."},
    {"erase", op_erase, METH_NOARGS, "Frees the operation and all inside it."},
    {"detach_from_parent", op_detach, METH_NOARGS, NULL},
    {"clone", PY_METHOD(op_clone), PY_KW, "clone(ip=None)"},
    {"move_after", move_after, METH_O, NULL},
    {"move_before", move_before, METH_O, NULL},
    {"is_before_in_block", is_before, METH_O, NULL},
    {"walk", PY_METHOD(py_op_walk), PY_KW, "walk(callback, walk_order=..., op_class=None)"},
    {"get_asm", PY_METHOD(py_get_asm), PY_KW, "The operation as text."},
    {"print", PY_METHOD(py_print), PY_KW, "Prints the operation to a file."},
    {"write_bytecode", PY_METHOD(py_write_bytecode), PY_KW, NULL},
    {"replace_uses_of_with", replace_uses_of, METH_VARARGS, NULL},
    {0},
};
static PyGetSetDef base_getset[] = {
    {"operation", get_operation, NULL, NULL, NULL},
    {"opview", get_view, NULL, NULL, NULL},
    {"context", get_context, NULL, NULL, NULL},
    {"name", get_name, NULL, NULL, NULL},
    {"operands", get_list, NULL, NULL, CLOSURE(PY_OPERAND_LIST)},
    {"op_operands", get_op_operands, NULL, NULL, NULL},
    {"results", get_list, NULL, NULL, CLOSURE(PY_RESULT_LIST)},
    {"regions", get_list, NULL, NULL, CLOSURE(PY_REGION_LIST)},
    {"successors", get_list, NULL, NULL, CLOSURE(PY_SUCCESSOR_LIST)},
    {"result", get_result, NULL, "The only result.", NULL},
    {"attributes", get_attributes, NULL, NULL, NULL},
    {"location", get_location, set_location, NULL, NULL},
    {"parent", get_parent, NULL, NULL, NULL},
    {"block", get_block, NULL, NULL, NULL},
    {"attached", get_attached, NULL, NULL, NULL},
    {"_is_symbol_table", get_is_symbol_table, NULL, NULL, NULL},
    {"_CAPIPtr", capi_self, NULL, NULL, NULL},
    {0},
};
static PyType_Slot base_slots[] = {
    {Py_tp_hash, (void *)op_hash},  {Py_tp_richcompare, (void *)op_compare},
    {Py_tp_str, (void *)py_op_str}, {Py_tp_methods, base_methods},
    {Py_tp_getset, base_getset},    {0, NULL}};

static PyMethodDef op_methods[] = {
    {"create", PY_METHOD(py_op_create), PY_KW | METH_STATIC,
     "create(name, results=None, operands=None, attributes=None, successors=None, "
     "regions=0, loc=None, ip=None, infer_type=False)"},
    {"parse", PY_METHOD(op_parse), PY_KW | METH_CLASS, NULL},
    {0},
};
static PyMemberDef op_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_handle, weak), READONLY, NULL}, {0}};
static PyType_Slot op_slots[] = {{Py_tp_dealloc, (void *)py_handle_dealloc},
                                 {Py_tp_methods, op_methods},
                                 {Py_tp_members, op_members},
                                 {0, NULL}};

/* ---- OpView ------------------------------------------------------------------------- */

static void view_dealloc(PyObject *self)
{
    Py_XDECREF(((py_view *)self)->operation);
    py_free(self);
}

static PyObject *view_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    return py_alloc(cls);
}

static PyMethodDef view_methods[] = {
    {"build_generic", PY_METHOD(py_build_generic), PY_KW | METH_CLASS,
     "build_generic(results=None, operands=None, attributes=None, successors=None, "
     "regions=None, loc=None, ip=None)"},
    {"parse", PY_METHOD(op_parse), PY_KW | METH_CLASS, NULL},
    {0},
};
static PyType_Slot view_slots[] = {{Py_tp_new, (void *)view_new},
                                   {Py_tp_dealloc, (void *)view_dealloc},
                                   {Py_tp_init, (void *)py_view_init},
                                   {Py_tp_methods, view_methods},
                                   {0, NULL}};

/* ---- Module ------------------------------------------------------------------------- */

static PyObject *module_of(py_context *c, ir_op *op)
{
    PyTypeObject *cls = py_cls(PY_MODULE);
    py_handle *h = py_op_handle(c, op);
    py_view *m = h ? py_alloc(cls) : NULL;
    if (m)
        m->operation = h;
    else
        Py_XDECREF(h);
    return (PyObject *)m;
}

static PyObject *module_parse(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"asm", "context", NULL};
    PyObject *source, *context = NULL;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &source, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    ir_op *op =
        c ? parse_text(c, source, "-", true, "Unable to parse module assembly") : NULL;
    return op ? module_of(c, op) : NULL;
}

static PyObject *module_parse_file(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", "context", NULL};
    PyObject *path, *context = NULL, *bytes = NULL;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &path, &context))
        return NULL;
    py_context *c = py_context_arg(context);
    PyObject *io = c ? PyImport_ImportModule("io") : NULL;
    PyObject *file = io ? PyObject_CallMethod(io, "open", "Os", path, "rb") : NULL;
    if (file)
        bytes = PyObject_CallMethod(file, "read", NULL);
    PyObject *closed = file ? PyObject_CallMethod(file, "close", NULL) : NULL;
    PyObject *text = bytes ? PyObject_Str(path) : NULL;
    const char *name = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    ir_op *op =
        name ? parse_text(c, bytes, name, true, "Unable to parse module assembly") : NULL;
    Py_XDECREF(io);
    Py_XDECREF(file);
    Py_XDECREF(bytes);
    Py_XDECREF(closed);
    Py_XDECREF(text);
    return op ? module_of(c, op) : NULL;
}

static PyObject *module_create(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"loc", NULL};
    PyObject *loc = NULL;
    py_context *c = NULL;
    ir_loc l;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &loc) ||
        !py_made_loc_arg(loc, &c, &l))
        return NULL;
    return module_of(c, ir_module_create(c->ctx, l));
}

static PyObject *module_body(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *h = self_op(self);
    ir_block *body = h ? ir_op_body(h->op, 0) : NULL;
    if (h && !body)
        PyErr_SetString(PyExc_ValueError, "the module has no body");
    return body ? (PyObject *)py_block_handle(h->owner, body) : NULL;
}

static PyObject *module_compare(PyObject *a, PyObject *b, int op)
{
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    bool same =
        py_is(b, PY_MODULE) && ((py_view *)a)->operation == ((py_view *)b)->operation;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t module_hash(PyObject *self)
{
    return (Py_hash_t)((uintptr_t)((py_view *)self)->operation >> 4);
}

static PyObject *module_dump(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *text = py_op_str(self), *err = PySys_GetObject("stderr");
    bool ok = text && (!err || PyFile_WriteObject(text, err, Py_PRINT_RAW) == 0);
    Py_XDECREF(text);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
    {"parse", PY_METHOD(module_parse), PY_KW | METH_STATIC, "parse(asm, context=None)"},
    {"parseFile", PY_METHOD(module_parse_file), PY_KW | METH_STATIC, NULL},
    {"create", PY_METHOD(module_create), PY_KW | METH_STATIC, "create(loc=None)"},
    {"dump", module_dump, METH_NOARGS, NULL},
    {0},
};
static PyGetSetDef module_getset[] = {
    {"operation", get_operation, NULL, NULL, NULL},
    {"context", get_context, NULL, NULL, NULL},
    {"body", module_body, NULL, NULL, NULL},
    {"_CAPIPtr", capi_self, NULL, NULL, NULL},
    {0},
};
static PyType_Slot module_slots[] = {{Py_tp_dealloc, (void *)view_dealloc},
                                     {Py_tp_str, (void *)py_op_str},
                                     {Py_tp_richcompare, (void *)module_compare},
                                     {Py_tp_hash, (void *)module_hash},
                                     {Py_tp_methods, module_methods},
                                     {Py_tp_getset, module_getset},
                                     {0, NULL}};

#define CLOSED (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION)
static PyType_Spec base_spec = {"ttmlir.ir._OperationBase", sizeof(PyObject), 0,
                                CLOSED | Py_TPFLAGS_BASETYPE, base_slots};
static PyType_Spec op_spec = {"ttmlir.ir.Operation", sizeof(py_handle), 0, CLOSED,
                              op_slots};
static PyType_Spec view_spec = {"ttmlir.ir.OpView", sizeof(py_view), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, view_slots};
static PyType_Spec module_spec = {"ttmlir.ir.Module", sizeof(py_view), 0, CLOSED,
                                  module_slots};

const py_class_row py_handle_classes[] = {{PY_OPERATION_BASE, &base_spec, -1}, {0}};
const py_class_row py_op_classes[] = {
    {PY_OPERATION, &op_spec, PY_OPERATION_BASE},
    {PY_OP_VIEW, &view_spec, PY_OPERATION_BASE},
    {PY_MODULE, &module_spec, -1},
    {0},
};
