/* attr_table.h: table of the builtin attributes' classes, shared by attr.c, attr_make.c and
 * dense.c. */
#ifndef TILEWRIGHT_PYIR_ATTR_TABLE_H
#define TILEWRIGHT_PYIR_ATTR_TABLE_H

#include "pyir.h"

typedef enum py_attr_class {
    PY_INTEGER_ATTR,
    PY_BOOL_ATTR,
    PY_FLOAT_ATTR,
    PY_STRING_ATTR,
    PY_ARRAY_ATTR,
    PY_DICT_ATTR,
    PY_TYPE_ATTR,
    PY_SYMBOL_REF_ATTR,
    PY_FLAT_SYMBOL_REF_ATTR,
    PY_UNIT_ATTR,
    PY_DENSE_ATTR,
    PY_DENSE_INT_ATTR,
    PY_DENSE_FP_ATTR,
    PY_RESOURCE_ATTR,
    PY_DENSE_BOOL_ARRAY_ATTR,
    PY_DENSE_I8_ARRAY_ATTR,
    PY_DENSE_I16_ARRAY_ATTR,
    PY_DENSE_I32_ARRAY_ATTR,
    PY_DENSE_I64_ARRAY_ATTR,
    PY_DENSE_F32_ARRAY_ATTR,
    PY_DENSE_F64_ARRAY_ATTR,
    PY_AFFINE_MAP_ATTR,
    PY_INTEGER_SET_ATTR,
    PY_STRIDED_ATTR,
    PY_OPAQUE_ATTR,
    PY_ATTR_COUNT
} py_attr_class;

typedef struct py_attr_row {
    const char *name;
    int base; /* a py_attr_class; -1: Attribute */
    const char *attr_name;
    PyMethodDef *methods;
    PyGetSetDef *getset;
    const PyType_Slot *slots; /* up to four more */
} py_attr_row;

/* Index of the class among the builtin ones, or -1. */
int py_attr_index(PyObject *cls);

typedef PyObject *py_maker(PyObject *cls, PyObject *args, PyObject *kwargs);
py_maker py_integer_attr_get, py_bool_attr_get, py_float_attr_get, py_float_attr_f32,
    py_float_attr_f64, py_string_attr_get, py_string_attr_typed, py_array_attr_get,
    py_dict_attr_get, py_type_attr_get, py_symbol_attr_get, py_flat_symbol_attr_get,
    py_unit_attr_get, py_dense_array_get, py_dense_get, py_dense_splat, py_resource_get,
    py_map_attr_get, py_set_attr_get, py_strided_attr_get, py_opaque_attr_get;

/* dense.c */
extern PyMethodDef py_dense_methods[], py_dense_int_methods[], py_resource_methods[];
extern PyGetSetDef py_dense_getset[];
extern const PyType_Slot py_dense_slots[];

#endif
