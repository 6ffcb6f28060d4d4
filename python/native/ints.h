/* ints.h: lists of numbers, to Python and from it. */
#ifndef TILEWRIGHT_PYTHON_INTS_H
#define TILEWRIGHT_PYTHON_INTS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

PyObject *py_ints(const int64_t *values, size_t count); /* a list */
/* Numbers of any sequence or iterable; *out is to be freed with PyMem_Free. */
bool py_ints_arg(PyObject *sequence, int64_t **out, size_t *count);
/* Of a sequence of at most `most`, into `out`; how many, or -1 after an exception. */
Py_ssize_t py_ints_into(PyObject *sequence, int64_t *out, Py_ssize_t most);

#endif
