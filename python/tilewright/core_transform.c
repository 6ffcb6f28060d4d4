/* core_transform.c: tilewright/transform.h for Python. */
#define PY_SSIZE_T_CLEAN
#include "core_transform.h"

#include "core_module.h"
#include "core_program.h"
#include "interrupt.h"
#include "tilewright/transform.h"

#include <stdlib.h>

static PyObject *transform(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t size;
    int locations = 0, generic = 0, cpp = 0;
    PyObject *callback = Py_None;
    tw_transform_options o = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "s#zz|ppOp", &text, &size, &o.name, &o.pipeline, &locations,
                          &generic, &callback, &cpp))
        return NULL;
    o.locations = locations;
    o.generic = generic;
    o.kernels_cpp = cpp;
    o.dump = callback == Py_None ? NULL : core_dump_text;
    o.user = callback;
    char *out;
    size_t out_size;
    tw_status status;
    o.cancel = py_interrupt_begin();
    Py_BEGIN_ALLOW_THREADS;
    status = tw_transform(text, (size_t)size, &o, &out, &out_size);
    Py_END_ALLOW_THREADS;
    py_interrupt_end(o.cancel);
    if (status)
        return core_raise(status);
    PyObject *result = PyUnicode_DecodeUTF8(out, (Py_ssize_t)out_size, "surrogateescape");
    free(out);
    return result;
}

static PyMethodDef methods[] = {
    {"transform", transform, METH_VARARGS,
     "transform(text, name, pipeline, locations=False, generic=False, dump=None, "
     "cpp=False): "
     "the module's text after the passes, or its kernels' C++; dump(text) receives what "
     "each "
     "pass left."},
    {0},
};

int core_transform_add(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
