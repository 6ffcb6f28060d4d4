/* core_diagnostics.h: lists of diagnostics in the extension module. */
#ifndef TILEWRIGHT_CORE_DIAGNOSTICS_H
#define TILEWRIGHT_CORE_DIAGNOSTICS_H

#include <Python.h>

#include "tilewright/diagnostics.h"

/* Adds the functions diagnostics_* and report_formats to the module. */
int core_diagnostics_add(PyObject *module);
/* The list of a capsule; NULL with an exception for another object. */
tw_diagnostics *core_diagnostics_of(PyObject *capsule);

#endif
