/* build.h: an operation under construction, shared by build.c and init.c. */
#ifndef TILEWRIGHT_PYIR_BUILD_H
#define TILEWRIGHT_PYIR_BUILD_H

#include "pyir.h"

enum { BUILD_GROUPS = 64 }; /* maximum operand groups of a row; checked by a test */

typedef struct py_build {
    py_context *c;
    const ir_op_def *def;
    ir_loc loc;
    ir_value **operands;
    size_t n_operands;
    ir_type *results;
    size_t n_results;
    ir_named_attr *attrs;
    size_t n_attrs;
    ir_block **successors;
    size_t n_successors, n_regions;
} py_build;

bool py_build_operand(py_build *b, ir_value *value);
bool py_build_results(py_build *b, const ir_type *types, size_t count);
bool py_build_named(py_build *b, const char *name, ir_attr value);
bool py_build_successor(py_build *b, PyObject *block);
/* Converts a value (plain or an Attribute) to what the row declares; None gives NULL. */
bool py_build_attr(py_context *c, PyObject *value, const ir_constraint *kind, ir_attr *out);
/* Adds the result types inferred from the rest; false: raised. */
bool py_infer_results(py_build *b);
/* Creates and inserts the operation; new reference or NULL. */
py_handle *py_build_op(py_build *b, PyObject *ip);
void py_build_free(py_build *b);

#endif
