/* body.c: the regions implied by linalg's named operations. */
#include "pyir.h"

#include "ir/dialect.h"
#include "mlir/linalg/linalg.h"

/* _fill_body(operation): builds the body of a named operation with an empty region. */
static PyObject *fill_body(PyObject *module, PyObject *object)
{
    (void)module;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    ir_op *op = h->op;
    if (!linalg_is_named(op->def) || op->n_regions != 1) {
        PyErr_Format(PyExc_ValueError, "'%s' has no region that its name implies",
                     op->def->name);
        return NULL;
    }
    if (op->regions[0].first) {
        PyErr_Format(PyExc_ValueError, "the region of '%s' is not empty", op->def->name);
        return NULL;
    }
    if (!linalg_make_body(op)) {
        if (op->regions[0].first)
            ir_block_erase(h->owner->ctx, op->regions[0].first);
        PyErr_Format(PyExc_ValueError, "'%s' is not known for these operands",
                     op->def->name);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef py_body_functions[] = {
    {"_fill_body", fill_body, METH_O, NULL},
    {0},
};
