/* walk.c: operation.walk: calls back for an operation and all nested ones. */
#include "pyir.h"

typedef struct walk {
    PyObject *callback, *filter; /* filter: a class of OpView, or NULL */
    bool post;
} walk;

enum { WALK_ADVANCE, WALK_INTERRUPT, WALK_SKIP, WALK_FAILED };

static int enum_value(PyObject *object)
{
    PyObject *value = PyObject_GetAttrString(object, "value");
    long n = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    return n == -1 && PyErr_Occurred() ? WALK_FAILED : (int)n;
}

static int call_back(const walk *w, py_handle *h)
{
    PyObject *view = w->filter ? py_view_of(h) : NULL;
    if (w->filter) {
        int fits = view ? PyObject_IsInstance(view, w->filter) : -1;
        if (fits <= 0) {
            Py_XDECREF(view);
            return fits < 0 ? WALK_FAILED : WALK_ADVANCE;
        }
    }
    PyObject *answer = PyObject_CallFunctionObjArgs(w->callback, (PyObject *)h, NULL);
    Py_XDECREF(view);
    int result =
        answer ? answer == Py_None ? WALK_ADVANCE : enum_value(answer) : WALK_FAILED;
    Py_XDECREF(answer);
    return result;
}

static int walk_op(const walk *w, py_handle *h);

/* Handles of a block's operations are created first: the callback may erase any of them. */
static int walk_block(const walk *w, py_handle *block)
{
    PyObject *ops = PyList_New(0);
    for (ir_op *op = block->block->first; ops && op; op = op->next) {
        PyObject *h = (PyObject *)py_op_handle(block->owner, op);
        if (!h || PyList_Append(ops, h) < 0)
            Py_CLEAR(ops);
        Py_XDECREF(h);
    }
    int result = ops ? WALK_ADVANCE : WALK_FAILED;
    Py_ssize_t n = ops ? PyList_Size(ops) : 0;
    for (Py_ssize_t i = 0; i < n && (result == WALK_ADVANCE || result == WALK_SKIP); i++) {
        py_handle *h = (py_handle *)PyList_GetItem(ops, i);
        if (h->any)
            result = walk_op(w, h);
    }
    Py_XDECREF(ops);
    return result;
}

static int walk_inside(const walk *w, py_handle *h)
{
    PyObject *blocks = PyList_New(0);
    for (uint16_t r = 0; blocks && r < h->op->n_regions; r++)
        for (ir_block *b = h->op->regions[r].first; blocks && b; b = b->next) {
            PyObject *handle = (PyObject *)py_block_handle(h->owner, b);
            if (!handle || PyList_Append(blocks, handle) < 0)
                Py_CLEAR(blocks);
            Py_XDECREF(handle);
        }
    int result = blocks ? WALK_ADVANCE : WALK_FAILED;
    Py_ssize_t n = blocks ? PyList_Size(blocks) : 0;
    for (Py_ssize_t i = 0; i < n && (result == WALK_ADVANCE || result == WALK_SKIP); i++) {
        py_handle *b = (py_handle *)PyList_GetItem(blocks, i);
        if (b->any)
            result = walk_block(w, b);
    }
    Py_XDECREF(blocks);
    return result;
}

static int walk_op(const walk *w, py_handle *h)
{
    if (!w->post) {
        int result = call_back(w, h);
        if (result != WALK_ADVANCE || !h->any)
            return result;
    }
    int result = h->op->n_regions ? walk_inside(w, h) : WALK_ADVANCE;
    if (result == WALK_INTERRUPT || result == WALK_FAILED)
        return result;
    return w->post && h->any ? call_back(w, h) : WALK_ADVANCE;
}

/* walk(callback, walk_order=WalkOrder.POST_ORDER, op_class=None) */
PyObject *py_op_walk(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"callback", "walk_order", "op_class", NULL};
    PyObject *order = NULL, *filter = NULL;
    walk w = {.post = true};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", names, &w.callback, &order,
                                     &filter))
        return NULL;
    py_handle *h = py_op_arg(self);
    if (!h)
        return NULL;
    if (order && order != Py_None) {
        int value = enum_value(order);
        if (value == WALK_FAILED)
            return NULL;
        w.post = value != 0;
    }
    w.filter = filter && filter != Py_None ? filter : NULL;
    Py_INCREF(h);
    int result = walk_op(&w, h);
    Py_DECREF(h);
    if (result == WALK_FAILED)
        return NULL;
    Py_RETURN_NONE;
}
