/* translate.c: translates programs to file formats: flatbuffers, C++ and Python. */
#include "pyir.h"

#include <stdlib.h>

#include "pipelines/translations.h"

static const char capsule_name[] = "ttmlir.binary";

/* The text as bytes, or the exception of diagnostics and of `failure`. */
static PyObject *deliver_text(py_handle *h, tw_strbuf *text, const char *failure)
{
    PyObject *bytes = NULL;
    if (py_deliver(h->owner, failure))
        bytes = PyBytes_FromStringAndSize(text->data, (Py_ssize_t)text->size);
    tw_strbuf_free(text);
    return bytes;
}

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
    const tw_translation *t = tw_translation_named(name);
    if (!t || !t->to_text) {
        PyErr_Format(PyExc_ValueError, "no translation '%s'", name);
        return NULL;
    }
    tw_strbuf out = {0};
    /* Writers require valid programs. */
    bool ok = ir_verify(h->op) && t->to_text(h->op, &out);
    return deliver_text(h, &out, ok ? NULL : "Translation failed");
}

/* ---- binaries */

/* Data that a file contains besides its programs, borrowed from Python's lists. */
typedef struct extras {
    tw_arena arena;
    fb_emit_options options;
} extras;

/* (key, name, device, data type's enum value, shape, bytes) */
static bool read_golden(PyObject *item, tw_arena *arena, fb_golden *out)
{
    PyObject *shape, *bytes;
    char *data;
    Py_ssize_t size;
    int device;
    if (!PyArg_ParseTuple(item, "ssiiOS", &out->key, &out->name, &device, &out->dtype,
                          &shape, &bytes) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) < 0)
        return false;
    Py_ssize_t rank = PySequence_Size(shape);
    if (rank < 0)
        return false;
    int64_t *dims = TW_ARENA_ARRAY(arena, int64_t, (size_t)rank + 1);
    if (py_ints_into(shape, dims, rank) < 0)
        return false;
    out->device = (uint32_t)device;
    out->dims = dims;
    out->rank = (size_t)rank;
    out->data = data;
    out->size = (size_t)size;
    return true;
}

/* (name of a pass, the module's text after it) */
static bool read_stage(PyObject *item, fb_stage *out)
{
    Py_ssize_t size;
    if (!PyArg_ParseTuple(item, "ss#", &out->name, &out->text.data, &size))
        return false;
    out->text.size = (size_t)size;
    return true;
}

/* Both lists are Python's lists of tuples, made by ttmlir.passes. */
static bool read_extras(PyObject *goldens, PyObject *stages, extras *out)
{
    size_t n_goldens = (size_t)PyList_Size(goldens), n_stages = (size_t)PyList_Size(stages);
    if (PyErr_Occurred())
        return false;
    fb_golden *golden = TW_ARENA_ARRAY(&out->arena, fb_golden, n_goldens + 1);
    fb_stage *stage = TW_ARENA_ARRAY(&out->arena, fb_stage, n_stages + 1);
    for (size_t i = 0; i < n_goldens; i++)
        if (!read_golden(PyList_GetItem(goldens, (Py_ssize_t)i), &out->arena, &golden[i]))
            return false;
    for (size_t i = 0; i < n_stages; i++)
        if (!read_stage(PyList_GetItem(stages, (Py_ssize_t)i), &stage[i]))
            return false;
    out->options = (fb_emit_options){
        .goldens = golden, .n_goldens = n_goldens, .stages = stage, .n_stages = n_stages};
    return true;
}

/* _binary(operation, is for TTMetal, goldens, stages) -> bytes */
static PyObject *binary(PyObject *module, PyObject *args)
{
    PyObject *object, *goldens, *stages;
    int metal;
    (void)module;
    if (!PyArg_ParseTuple(args, "OpOO", &object, &metal, &goldens, &stages))
        return NULL;
    py_handle *h = py_op_arg(object);
    extras more = {0};
    if (!h || !read_extras(goldens, stages, &more)) {
        tw_arena_free(&more.arena);
        return NULL;
    }
    void *data = NULL;
    size_t size = 0;
    bool ok = ir_verify(h->op) &&
              tw_translation_named(metal ? "ttmetal-to-flatbuffer" : "ttnn-to-flatbuffer")
                  ->to_binary(h->op, &more.options, &data, &size);
    tw_arena_free(&more.arena);
    PyObject *bytes = NULL;
    if (py_deliver(h->owner, ok ? NULL : "Translation failed"))
        bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    free(data);
    return bytes;
}

static void free_capsule(PyObject *capsule)
{
    Py_XDECREF((PyObject *)PyCapsule_GetPointer(capsule, capsule_name));
}

/* _capsule(bytes): the form of a binary between passes and the runtime */
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
    char version[32];
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &object, &text))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    if (!tw_artifact_version(tw_str_from(text), version)) {
        PyErr_Format(PyExc_ValueError, "'%s' is no version", text);
        return NULL;
    }
    tw_strbuf out = {0};
    bool ok = tw_artifact_write(h->op, tw_str_from(text), &out);
    return deliver_text(h, &out, ok ? NULL : "Unable to write bytecode");
}

/* _vhlo_version() -> the newest version known */
static PyObject *newest_version(PyObject *module, PyObject *unused)
{
    char text[32];
    (void)module;
    (void)unused;
    tw_artifact_version(TW_STR("current"), text);
    return PyUnicode_FromString(text);
}

PyMethodDef py_translate_functions[] = {
    {"_artifact", artifact, METH_VARARGS, NULL},
    {"_vhlo_version", newest_version, METH_NOARGS, NULL},
    {"_translate", translate, METH_VARARGS, NULL},
    {"_binary", binary, METH_VARARGS, NULL},
    {"_capsule", capsule, METH_O, NULL},
    {"_capsule_bytes", capsule_bytes, METH_O, NULL},
    {0},
};
