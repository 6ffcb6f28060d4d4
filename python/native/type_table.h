/* type_table.h: table of the builtin types' classes, shared by type.c and type_make.c. */
#ifndef TILEWRIGHT_PYIR_TYPE_TABLE_H
#define TILEWRIGHT_PYIR_TYPE_TABLE_H

#include "pyir.h"

typedef struct py_type_row {
    const char *name;
    int base;     /* row of the base class, -1: Type */
    uint8_t kind; /* ir_type_kind; 0xff: abstract */
    uint8_t sign; /* float: ir_float_kind */
    const char *type_name;
    PyMethodDef *methods;
    PyGetSetDef *getset;
} py_type_row;

enum { PY_TYPE_COUNT = 32 };
extern const py_type_row py_type_rows[PY_TYPE_COUNT];
const py_type_row *py_type_row_of(PyObject *cls); /* NULL if it is no builtin class */

PyObject *py_simple_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_integer_get_signless(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_integer_get_signed(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_integer_get_unsigned(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_complex_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_vector_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_tensor_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_unranked_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_memref_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_unranked_memref_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_tuple_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_function_get(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_opaque_get(PyObject *cls, PyObject *args, PyObject *kwargs);

#endif
