/* core_binary.h: compiled files for Python, wrapped by _ttmlir_runtime.binary. */
#ifndef TILEWRIGHT_PYTHON_CORE_BINARY_H
#define TILEWRIGHT_PYTHON_CORE_BINARY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds Binary and system(). */
int core_binary_add(PyObject *module);

#endif
