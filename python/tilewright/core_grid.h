/* core_grid.h: the part of the extension module that launches kernels (tilewright.sim). */
#ifndef TILEWRIGHT_CORE_GRID_H
#define TILEWRIGHT_CORE_GRID_H

#include <Python.h>

/* Adds the functions grid_*, tensor_*, kernels_* and launch_* to the module. */
int core_grid_add(PyObject *module);

#endif
