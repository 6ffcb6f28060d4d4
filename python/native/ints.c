/* ints.c: see ints.h. */
#include "ints.h"

PyObject *py_ints(const int64_t *values, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(values[i]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)i, number) < 0)
            Py_CLEAR(list);
    }
    return list;
}

bool py_ints_arg(PyObject *sequence, int64_t **out, size_t *count)
{
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    Py_ssize_t n = PyList_Size(list);
    int64_t *values = PyMem_Malloc((size_t)(n + 1) * sizeof *values);
    bool ok = values != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *number = PyNumber_Index(PyList_GetItem(list, i));
        values[i] = number ? PyLong_AsLongLong(number) : -1;
        Py_XDECREF(number);
        ok = values[i] != -1 || !PyErr_Occurred();
    }
    Py_DECREF(list);
    if (!ok) {
        PyMem_Free(values);
        return false;
    }
    *out = values;
    *count = (size_t)n;
    return true;
}

Py_ssize_t py_ints_into(PyObject *sequence, int64_t *out, Py_ssize_t capacity)
{
    Py_ssize_t n = PySequence_Size(sequence);
    if (n > capacity) {
        PyErr_Format(PyExc_ValueError, "%zd integers where at most %zd fit", n, capacity);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        out[i] = item ? PyLong_AsLongLong(item) : -1;
        Py_XDECREF(item);
        if (out[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return n;
}
