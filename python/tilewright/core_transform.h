/* core_transform.h: the part of the extension module that runs passes. */
#ifndef TILEWRIGHT_CORE_TRANSFORM_H
#define TILEWRIGHT_CORE_TRANSFORM_H

#include <Python.h>

/* Adds the function transform to the module. */
int core_transform_add(PyObject *module);

#endif
