/* translate.c: programs into files' forms: flatbuffers, C++ and Python. */
#include "pyir.h"

#include <stdlib.h>

#include "dialect/vhlo/vhlo_version.h"
#include "ir/bytecode.h"
#include "target/cpp/cpp.h"
#include "target/flatbuffer/emit.h"
#include "target/python/python.h"

static const char capsule_name[] = "ttmlir.binary";

static bool to_binary(ir_op *module, tw_strbuf *out)
{
    void *data;
    size_t size;
    if (!fb_emit_ttnn(module, NULL, &data, &size))
        return false;
    tw_strbuf_append(out, data, size);
    free(data);
    return true;
}

static const struct {
    const char *name;
    bool (*run)(ir_op *module, tw_strbuf *out);
} directions[] = {
    {"ttnn-to-flatbuffer", to_binary},        {"mlir-to-cpp", cpp_emit},
    {"mlir-to-python", python_emit},          {"ttkernel-to-cpp", cpp_emit_kernels},
    {"ttkernel-to-cpp-one", cpp_emit_kernel},
};

/* _translate(operation, direction) -> bytes */
static PyObject *translate(PyObject *module, PyObject *args)
{
    PyObject *object;
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &object, &name))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    for (size_t i = 0; i < TW_COUNT(directions); i++) {
        if (strcmp(directions[i].name, name) != 0)
            continue;
        tw_strbuf out = {0};
        /* Writers rely on valid programs. */
        bool ok = ir_verify(h->op) && directions[i].run(h->op, &out);
        PyObject *bytes = NULL;
        if (py_deliver(h->owner, ok ? NULL : "Translation failed"))
            bytes = PyBytes_FromStringAndSize(out.data, (Py_ssize_t)out.size);
        tw_strbuf_free(&out);
        return bytes;
    }
    PyErr_Format(PyExc_ValueError, "no translation '%s'", name);
    return NULL;
}

static void free_capsule(PyObject *capsule)
{
    Py_XDECREF((PyObject *)PyCapsule_GetPointer(capsule, capsule_name));
}

/* _capsule(bytes): what stands for a binary between passes and the runtime */
static PyObject *capsule(PyObject *module, PyObject *bytes)
{
    (void)module;
    if (!PyBytes_Check(bytes)) {
        PyErr_SetString(PyExc_TypeError, "expected bytes");
        return NULL;
    }
    Py_INCREF(bytes);
    PyObject *made = PyCapsule_New(bytes, capsule_name, free_capsule);
    if (!made)
        Py_DECREF(bytes);
    return made;
}

/* _capsule_bytes(capsule) */
static PyObject *capsule_bytes(PyObject *module, PyObject *object)
{
    (void)module;
    PyObject *bytes = PyCapsule_GetPointer(object, capsule_name);
    Py_XINCREF(bytes);
    return bytes;
}

/* _artifact(operation in vhlo, version) -> bytes: a portable artifact */
static PyObject *artifact(PyObject *module, PyObject *args)
{
    PyObject *object;
    const char *text;
    uint64_t version;
    char producer[64];
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &object, &text))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    if (!vhlo_version_from(tw_str_from(text), &version)) {
        PyErr_Format(PyExc_ValueError, "'%s' is no version", text);
        return NULL;
    }
    snprintf(producer, sizeof producer, "StableHLO_v%.32s", text);
    const ir_bytecode_options options = {.version = vhlo_bytecode_version(version),
                                         .producer = producer,
                                         .use_orders = true};
    tw_strbuf out = {0};
    PyObject *bytes = NULL;
    bool ok = ir_bytecode_write(h->op, &options, &out);
    if (py_deliver(h->owner, ok ? NULL : "Unable to write bytecode"))
        bytes = PyBytes_FromStringAndSize(out.data, (Py_ssize_t)out.size);
    tw_strbuf_free(&out);
    return bytes;
}

/* _vhlo_version() -> the newest one known */
static PyObject *newest_version(PyObject *module, PyObject *unused)
{
    char text[32];
    (void)module;
    (void)unused;
    vhlo_version_text(VHLO_CURRENT, text);
    return PyUnicode_FromString(text);
}

PyMethodDef py_translate_functions[] = {
    {"_artifact", artifact, METH_VARARGS, NULL},
    {"_vhlo_version", newest_version, METH_NOARGS, NULL},
    {"_translate", translate, METH_VARARGS, NULL},
    {"_capsule", capsule, METH_O, NULL},
    {"_capsule_bytes", capsule_bytes, METH_O, NULL},
    {0},
};
