/* core_jit.h: compiled programs on ttnn's tensors. */
#ifndef TILEWRIGHT_CORE_JIT_H
#define TILEWRIGHT_CORE_JIT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds ttnn_run to the module; negative after an exception. */
int core_jit_add(PyObject *module);

#endif
