/* eval.c: evaluates StableHLO functions on constants, element by element. */
#include "pyir.h"

#include "interrupt.h"
#include "stablehlo/eval/eval.h"

static PyObject *results_as_list(py_context *c, const ir_attr *out, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *one = py_wrap_attr(c, out[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *run(py_context *c, ir_op *function, const ir_attr *in, size_t n_in)
{
    ir_block *body = ir_op_body(function, 0);
    if (!body || body->n_args != n_in) {
        PyErr_Format(PyExc_ValueError, "the function takes %u arguments, %zu were given",
                     body ? (unsigned)body->n_args : 0, n_in);
        return NULL;
    }
    size_t n = body->last->n_operands;
    ir_attr *out = PyMem_Calloc(n + 1, sizeof *out);
    ir_op *where = NULL;
    const char *why = NULL;
    const volatile int *flag = py_interrupt_begin();
    bool ok = out && hlo_eval_attrs(function, in, out, flag, &where, &why) == HLO_PASSED;
    bool cancelled = flag && *flag && !ok;
    py_interrupt_end(flag);
    PyObject *list = ok ? results_as_list(c, out, n) : NULL;
    PyMem_Free(out);
    if (cancelled)
        return py_interrupted();
    if (!ok && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError,
                     "'%s' cannot be computed: the evaluator does not know %s",
                     where ? where->def->name : function->def->name, why ? why : "it");
    return list;
}

/* _eval_function(func.func, [constants]) -> [constants] */
static PyObject *eval_function(PyObject *module, PyObject *args)
{
    PyObject *object, *given;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &object, &given))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    if (strcmp(h->op->def->name, "func.func") != 0) {
        PyErr_Format(PyExc_TypeError, "expected a func.func, got '%s'", h->op->def->name);
        return NULL;
    }
    ir_op *root = h->op;
    while (ir_op_parent(root))
        root = ir_op_parent(root);
    if (!ir_verify(root)) { /* the evaluator requires a valid program */
        py_deliver(h->owner, "The program is not valid");
        return NULL;
    }
    py_context *c = h->owner;
    ir_attr *in;
    size_t n;
    if (!py_attrs_arg(given, &c, &in, &n))
        return NULL;
    PyObject *list = run(h->owner, h->op, in, n);
    PyMem_Free(in);
    return list;
}

PyMethodDef py_eval_functions[] = {
    {"_eval_function", eval_function, METH_VARARGS, NULL},
    {0},
};
