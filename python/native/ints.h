/* ints.h: lists of integers, to and from Python. */
#ifndef TILEWRIGHT_PYTHON_INTS_H
#define TILEWRIGHT_PYTHON_INTS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

PyObject *py_ints(const int64_t *values, size_t count); /* a list */
/* Integers of a sequence or iterable; *out is to be freed with PyMem_Free. */
bool py_ints_arg(PyObject *sequence, int64_t **out, size_t *count);
/* Reads a sequence of at most `capacity` integers into `out`; returns the count, or -1
 * after an exception. */
Py_ssize_t py_ints_into(PyObject *sequence, int64_t *out, Py_ssize_t capacity);

#endif
