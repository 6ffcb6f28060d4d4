/* core_module.h: tilewright._core.Module, a module in memory that Python builds. */
#ifndef TILEWRIGHT_CORE_MODULE_H
#define TILEWRIGHT_CORE_MODULE_H

#include <Python.h>

#include "tilewright/module.h"

/* Adds the class Module to the extension module. */
int core_module_add(PyObject *module);
/* True for an object of that class. */
bool core_is_module(PyObject *object);
/* A tw_transform_options.dump for a callable, called without the interpreter's lock. */
void core_dump_text(void *user, const char *text, size_t size);
/* Takes the module out of the object, which is empty then; NULL with an exception if it is
 * already. */
tw_module *core_module_take(PyObject *object);

#endif
