/* core_module.c: modules in memory for front ends in Python: built operation by operation
 * (core_build.c), changed by passes in place, then compiled or loaded as kernels without
 * being printed. */
#define PY_SSIZE_T_CLEAN
#include "core_module_impl.h"

#include "core_program.h"
#include "interrupt.h"
#include "pipelines/module.h"

#include <stdlib.h>

static PyTypeObject *module_type;

/* ---- state --------------------------------------------------------------------------- */

/* The module, or NULL with an exception. */
static tw_module *get(module_object *self)
{
    if (!self->module)
        PyErr_SetString(PyExc_ValueError, "the module has been compiled or loaded");
    else if (self->busy)
        PyErr_SetString(PyExc_RuntimeError, "the module is in use by another thread");
    else
        return self->module;
    return NULL;
}

tw_module *core_module_open(module_object *self)
{
    tw_module *m = get(self);
    if (m && self->sealed) {
        PyErr_SetString(PyExc_ValueError,
                        "the module is finished: passes have run over it");
        return NULL;
    }
    return m;
}

static void drop_tables(module_object *self)
{
    free(self->values);
    free(self->blocks);
    self->values = NULL;
    self->blocks = NULL;
    self->n_values = self->values_capacity = self->n_blocks = self->blocks_capacity = 0;
    Py_CLEAR(self->types);
    Py_CLEAR(self->attrs);
    self->sealed = true;
}

bool core_is_module(PyObject *object)
{
    return PyObject_TypeCheck(object, module_type);
}

tw_module *core_module_take(PyObject *object)
{
    module_object *self = (module_object *)object;
    tw_module *m = get(self);
    if (!m)
        return NULL;
    drop_tables(self);
    self->module = NULL;
    return m;
}

static void dealloc(module_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    drop_tables(self);
    tw_module_destroy(self->module);
    PyObject_Free(self);
    Py_DECREF(type);
}

static module_object *allocate(PyTypeObject *type)
{
    allocfunc allocator = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    module_object *self = (module_object *)allocator(type, 0);
    if (self && (!(self->types = PyDict_New()) || !(self->attrs = PyDict_New())))
        Py_CLEAR(self);
    return self;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "") || (kwargs && PyDict_Size(kwargs)))
        return NULL;
    module_object *self = allocate(type);
    if (self)
        self->module = tw_module_create();
    return (PyObject *)self;
}

static PyObject *read_text(PyObject *type, PyObject *args)
{
    const char *data, *name = NULL;
    Py_ssize_t size;
    tw_module *m = NULL;
    if (!PyArg_ParseTuple(args, "s#|z", &data, &size, &name))
        return NULL;
    tw_status status = tw_module_read(data, (size_t)size, name, &m);
    if (status)
        return core_raise(status);
    module_object *self = allocate((PyTypeObject *)type);
    if (self)
        self->module = m;
    else
        tw_module_destroy(m);
    return (PyObject *)self;
}

/* ---- passes and text */

/* The interpreter's lock is released while passes run, so a dump acquires it again. */
void core_dump_text(void *user, const char *text, size_t size)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *piece = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
    PyObject *result = piece ? PyObject_CallFunctionObjArgs(user, piece, NULL) : NULL;
    if (!result)
        PyErr_WriteUnraisable(user);
    Py_XDECREF(piece);
    Py_XDECREF(result);
    PyGILState_Release(state);
}

/* Runs the passes without the interpreter's lock, until Ctrl-C; with `out` it gives C++. */
static tw_status transform(module_object *self, tw_transform_options *o, char **out,
                           size_t *size)
{
    tw_status status;
    self->busy = true;
    o->cancel = py_interrupt_begin();
    Py_BEGIN_ALLOW_THREADS;
    status = out ? tw_module_emit(self->module, o, out, size)
                 : tw_module_transform(self->module, o);
    Py_END_ALLOW_THREADS;
    py_interrupt_end(o->cancel);
    self->busy = false;
    return status;
}

static PyObject *run(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    PyObject *callback = Py_None;
    tw_transform_options o = {.locations = true};
    int verify = 1;
    if (!get(self) ||
        !PyArg_ParseTuple(args, "zz|Op", &o.pipeline, &o.name, &callback, &verify))
        return NULL;
    o.unverified = !verify;
    o.dump = callback == Py_None ? NULL : core_dump_text;
    o.user = callback;
    drop_tables(self);
    tw_status status = transform(self, &o, NULL, NULL);
    if (status)
        return core_raise(status);
    Py_RETURN_NONE;
}

static PyObject *unicode_of(char *text, size_t size)
{
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
    free(text);
    return result;
}

static PyObject *cpp(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    tw_transform_options o = {.locations = true, .kernels_cpp = true};
    char *out;
    size_t size;
    if (!get(self) || !PyArg_ParseTuple(args, "zz", &o.pipeline, &o.name))
        return NULL;
    tw_status status = transform(self, &o, &out, &size);
    return status ? core_raise(status) : unicode_of(out, size);
}

static PyObject *text(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    int locations = 0;
    tw_transform_options o = {0};
    char *out;
    size_t size;
    if (!get(self) || !PyArg_ParseTuple(args, "|p", &locations))
        return NULL;
    o.locations = locations;
    tw_status status = tw_module_print(self->module, &o, &out, &size);
    return status ? core_raise(status) : unicode_of(out, size);
}

static PyObject *parse_count(PyObject *object, void *unused)
{
    const tw_module *m = get((module_object *)object);
    (void)unused;
    return m ? PyLong_FromSize_t(tw_module_parse_count(m)) : NULL;
}

static PyMethodDef methods[] = {
    {"op", (PyCFunction)(void (*)(void))core_build_op, METH_FASTCALL,
     "op(block, name, operands, results, attributes, location, regions=None, "
     "reserved=None, "
     "behind=None): appends an operation to the block, or puts it behind the one that "
     "defines a value. operands: a tuple of values; results: a type, a tuple of types, or "
     "None to infer them; attributes: a dict or None; regions: a tuple of blocks, None for "
     "an empty region; reserved: the results' values. The first result."},
    {"reserve", core_build_reserve, METH_NOARGS,
     "reserve(): a value that an operation will define."},
    {"block", core_build_block, METH_NOARGS, "block(): a new block, in no region."},
    {"top", core_build_top, METH_NOARGS, "top(): the block of the module itself."},
    {"argument", core_build_argument, METH_VARARGS,
     "argument(block, type, location, at=-1): adds an argument, or inserts it at an "
     "index."},
    {"is_empty", core_build_is_empty, METH_O,
     "is_empty(block): True if it has no operations."},
    {"append", core_build_append, METH_VARARGS,
     "append(block, other): moves the operations of another block to the block's end."},
    {"function", core_build_function, METH_VARARGS,
     "function(name, block, location, attributes, argument_attributes, private=False, "
     "first=False): a function of the block, whose arguments and return make its type, at "
     "the module's end or begin."},
    {"set_name", core_build_set_name, METH_O, "set_name(name): names the module."},
    {"read", read_text, METH_VARARGS | METH_CLASS,
     "read(text, name=None): the module that a text has; `name` is the text's in "
     "messages."},
    {"run", run, METH_VARARGS,
     "run(pipeline, name, dump=None, verify=True): runs passes in place, after which "
     "nothing can be added; None only verifies. `name` is the text's in messages; "
     "dump(text) receives what each pass left; verify: after each pass, else what uses "
     "the module verifies it."},
    {"text", text, METH_VARARGS, "text(locations=False): the module as text."},
    {"cpp", cpp, METH_VARARGS,
     "cpp(pipeline, name): the C++ of its kernels after passes that end with "
     "convert-ttkernel-to-emitc, each after a line \"// NAME\"; the module stays as it "
     "is."},
    {0},
};

static PyGetSetDef fields[] = {
    {"parse_count", parse_count, NULL, "How many texts were read into its context.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_getset, fields},
    {Py_tp_doc, "A module in memory: built, changed by passes, then given to compile() or "
                "kernels_load(), which take it over."},
    {0},
};
static PyType_Spec spec = {
    .name = "tilewright._core.Module",
    .basicsize = sizeof(module_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_module_add(PyObject *module)
{
    module_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return module_type ? PyModule_AddObjectRef(module, "Module", (PyObject *)module_type)
                       : -1;
}
