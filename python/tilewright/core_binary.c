/* core_binary.c: tilewright._core.Binary, for inspecting a compiled file (.ttnn, .ttm,
 * .ttsys). */
#include "core_binary.h"

#include <stdlib.h>

#include "core_program.h"
#include "flatbuffer/json.h"
#include "ints.h"
#include "ttcore/system/sysdesc.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

typedef struct binary_object {
    PyObject_HEAD PyObject *bytes; /* the memory that the views read */
    fb_file_id kind;
    fb_view root;
    fb_vec programs;
    fb_ttnn ttnn; /* of a file of that kind */
} binary_object;

static void binary_dealloc(binary_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);

    Py_XDECREF(self->bytes);
    PyObject_Free(self);
    Py_DECREF(type);
}

static tw_status open_bytes(binary_object *self, const char *data, size_t size)
{
    TW_TRY(fb_detect(data, size, &self->kind));
    TW_TRY(fb_open(data, size, self->kind, &self->root));
    if (self->kind == FB_FILE_TTNN)
        TW_TRY(fb_ttnn_open(data, size, &self->ttnn));
    int slot = fb_slot(self->root, "programs");
    self->programs = slot < 0 ? (fb_vec){0} : fb_get_vec(self->root, slot);
    return TW_SUCCESS;
}

static PyObject *binary_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *bytes;
    char *data;
    Py_ssize_t size;

    (void)names;
    if (!PyArg_ParseTuple(args, "S", &bytes) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        return NULL;
    }
    binary_object *self = PyObject_New(binary_object, type);
    if (!self) {
        return NULL;
    }
    Py_INCREF(bytes);
    self->bytes = bytes;
    tw_status status = open_bytes(self, data, (size_t)size);
    if (status) {
        Py_DECREF(self);
        return core_raise(status);
    }
    return (PyObject *)self;
}

static PyObject *from_str(tw_str s)
{
    return PyUnicode_DecodeUTF8(s.data ? s.data : "", (Py_ssize_t)s.size, "replace");
}

/* The requested table: the file's root, or the program of that index. */
static int table_of(binary_object *self, Py_ssize_t program, fb_view *out)
{
    if (program >= (Py_ssize_t)self->programs.count) {
        PyErr_Format(PyExc_IndexError, "the binary has %u programs, no program %zd",
                     self->programs.count, program);
        return -1;
    }
    *out = program < 0 ? self->root : fb_vec_table(self->programs, (size_t)program);
    return 0;
}

/* json(program, field): of the file itself where program is -1; the whole where field is
 * "". */
static PyObject *binary_json(binary_object *self, PyObject *args)
{
    Py_ssize_t program;
    const char *field;
    fb_view table;
    tw_strbuf text = {0};

    if (!PyArg_ParseTuple(args, "ns", &program, &field) ||
        table_of(self, program, &table) < 0) {
        return NULL;
    }
    int slot = *field ? fb_slot(table, field) : -1;
    if (*field && (slot < 0 || !fb_has(table, slot))) {
        return PyUnicode_FromString("");
    }
    tw_status status = slot < 0 ? fb_to_json(table, 0, 0, &text)
                                : fb_field_to_json(table, slot, 0, 0, &text);
    PyObject *result =
        status ? core_raise(status) : from_str((tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return result;
}

static PyObject *binary_info(binary_object *self, PyObject *unused)
{
    const fb_file_kind *kind = &fb_file_kinds[self->kind];
    const uint8_t *v = fb_get_struct(self->root, fb_slot(self->root, "version"));
    char version[64] = "";

    (void)unused;
    if (v)
        snprintf(version, sizeof version, "%d.%d.%d",
                 (int)fb_member_int(v, FB_STRUCT_Version, 0),
                 (int)fb_member_int(v, FB_STRUCT_Version, 1),
                 (int)fb_member_int(v, FB_STRUCT_Version, 2));
    return Py_BuildValue(
        "(ssNNs)", kind->identifier, version,
        from_str(fb_get_str(self->root, fb_slot(self->root, "schema_hash"))),
        from_str(fb_get_str(self->root, fb_slot(self->root, "ttmlir_git_hash"))),
        kind->schema_hash);
}

/* program(i) -> (name, private, rows of its mesh, columns, operations) */
static PyObject *binary_program(binary_object *self, PyObject *arg)
{
    fb_view table;
    Py_ssize_t i = PyLong_AsSsize_t(arg);

    if (PyErr_Occurred() || table_of(self, i < 0 ? PY_SSIZE_T_MAX : i, &table) < 0) {
        return NULL;
    }
    int private = fb_slot(table, "private"), mesh = fb_slot(table, "mesh_shape");
    int operations = fb_slot(table, "operations");
    const uint8_t *shape = mesh < 0 ? NULL : fb_get_struct(table, mesh);
    return Py_BuildValue("(NOLLn)", from_str(fb_get_str(table, fb_slot(table, "name"))),
                         private >= 0 && fb_get_bool(table, private) ? Py_True : Py_False,
                         shape ? (long long)fb_member_int(shape, FB_STRUCT_Dim2d, 0) : 1LL,
                         shape ? (long long)fb_member_int(shape, FB_STRUCT_Dim2d, 1) : 1LL,
                         operations < 0 ? (Py_ssize_t)0
                                        : (Py_ssize_t)fb_get_vec(table, operations).count);
}

/* Appends a tensor to the operation's list of operands or of results. */
static tw_status put_tensor(void *user, fb_view ref, bool output)
{
    PyObject *const *lists = user;
    fb_tensor t = fb_read_tensor(ref);
    PyObject *item =
        Py_BuildValue("(INi)", t.id, py_ints(t.dims, (size_t)t.rank), (int)t.dtype);
    int failed = item ? PyList_Append(lists[output], item) : -1;
    Py_XDECREF(item);
    return failed ? tw_error(TW_RESOURCE, "memory is exhausted") : TW_SUCCESS;
}

/* operation(program, i) -> (text, location, [(id, shape, type)] read, the same of results)
 */
static PyObject *binary_operation(binary_object *self, PyObject *args)
{
    Py_ssize_t program, i;

    if (!PyArg_ParseTuple(args, "nn", &program, &i)) {
        return NULL;
    }
    if (self->kind != FB_FILE_TTNN) {
        PyErr_SetString(PyExc_NotImplementedError,
                        "only TTNN binaries have operations to look at one by one");
        return NULL;
    }
    if (program < 0 || (size_t)program >= fb_ttnn_program_count(&self->ttnn)) {
        return PyErr_Format(PyExc_IndexError, "no program %zd", program);
    }
    fb_program p = fb_ttnn_program(&self->ttnn, (size_t)program);
    if (i < 0 || (size_t)i >= p.n_operations) {
        return PyErr_Format(PyExc_IndexError, "program %zd has no operation %zd", program,
                            i);
    }
    fb_op op = fb_program_op(&p, (size_t)i);
    PyObject *lists[2] = {PyList_New(0), PyList_New(0)};
    tw_status status = lists[0] && lists[1] ? fb_op_each_tensor(&op, put_tensor, lists)
                                            : tw_error(TW_RESOURCE, "memory is exhausted");
    if (status) {
        Py_XDECREF(lists[0]);
        Py_XDECREF(lists[1]);
        return core_raise(status);
    }
    return Py_BuildValue("(NNNN)", from_str(op.debug), from_str(op.loc), lists[0],
                         lists[1]);
}

static PyMethodDef binary_methods[] = {
    {"json", (PyCFunction)binary_json, METH_VARARGS,
     "json(program, field): a field as JSON, \"\" where it is absent; program -1: the "
     "file's own, field \"\": all of it."},
    {"info", (PyCFunction)binary_info, METH_NOARGS,
     "info(): (identifier, version, schema hash, git hash, the schema hash that this "
     "library writes)."},
    {"program", (PyCFunction)binary_program, METH_O,
     "program(i): (name, private, rows of its mesh, columns, number of operations)."},
    {"operation", (PyCFunction)binary_operation, METH_VARARGS,
     "operation(program, i): (text, location, tensors read, results), each tensor as "
     "(id, shape, number of its type)."},
    {0},
};

static PyObject *binary_count(binary_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->programs.count);
}

static PyObject *binary_bytes(binary_object *self, void *unused)
{
    (void)unused;
    Py_INCREF(self->bytes);
    return self->bytes;
}

static PyGetSetDef binary_attributes[] = {
    {"programs", (getter)binary_count, NULL, "How many programs there are.", NULL},
    {"bytes", (getter)binary_bytes, NULL, "The file.", NULL},
    {0},
};

static PyType_Slot binary_slots[] = {
    {Py_tp_new, binary_new},
    {Py_tp_dealloc, binary_dealloc},
    {Py_tp_methods, binary_methods},
    {Py_tp_getset, binary_attributes},
    {Py_tp_doc, "Binary(bytes): a compiled file, verified, to look into."},
    {0},
};
static PyType_Spec binary_spec = {
    .name = "tilewright._core.Binary",
    .basicsize = sizeof(binary_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = binary_slots,
};

/* system(name) -> the .ttsys of a known board */
static PyObject *system_of(PyObject *module, PyObject *args)
{
    const char *name;
    void *data;
    size_t size;

    (void)module;
    if (!PyArg_ParseTuple(args, "s", &name)) {
        return NULL;
    }
    tw_status status = fb_sysdesc_of_preset(name, &data, &size);
    if (status) {
        return core_raise(status);
    }
    PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    free(data);
    return bytes;
}

static PyMethodDef functions[] = {
    {"system", system_of, METH_VARARGS,
     "system(name): the system descriptor of a board (n150, n300, p150, ...) as a .ttsys."},
    {0},
};

int core_binary_add(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &binary_spec, NULL);
    int failed = type ? PyModule_AddObjectRef(module, "Binary", type) : -1;

    Py_XDECREF(type);
    return failed ? failed : PyModule_AddFunctions(module, functions);
}
