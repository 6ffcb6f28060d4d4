/* core_module_impl.h: the object behind tilewright._core.Module. */
#ifndef TILEWRIGHT_CORE_MODULE_IMPL_H
#define TILEWRIGHT_CORE_MODULE_IMPL_H

#include "core_module.h"
#include "ir/op.h"

typedef struct module_object {
    PyObject_HEAD tw_module *module; /* NULL: taken over */
    ir_value **values;
    size_t n_values, values_capacity;
    ir_block **blocks;
    size_t n_blocks, blocks_capacity;
    PyObject *types, *attrs; /* text -> address */
    bool sealed;             /* passes have run: the tables are void */
    bool busy;               /* in a call without the interpreter's lock */
} module_object;

/* The module while it can be added to, or NULL with an exception. */
tw_module *core_module_open(module_object *self);
/* Methods of the class that build (core_build.c); its table says what they do. */
PyObject *core_build_op(PyObject *object, PyObject *const *args, Py_ssize_t n);
PyObject *core_build_reserve(PyObject *object, PyObject *unused);
PyObject *core_build_block(PyObject *object, PyObject *unused);
PyObject *core_build_top(PyObject *object, PyObject *unused);
PyObject *core_build_argument(PyObject *object, PyObject *args);
PyObject *core_build_is_empty(PyObject *object, PyObject *number);
PyObject *core_build_append(PyObject *object, PyObject *args);
PyObject *core_build_function(PyObject *object, PyObject *args);
PyObject *core_build_set_name(PyObject *object, PyObject *text);

#endif
