/* handle.c: the Python objects of operations and blocks: identity, lifetime, insertion. */
#include "pyir.h"

/* Maximum nesting depth of operations: printing, verifying and freeing recurse. */
enum { MAX_NESTING = 256 };

/* ---- outside uses ------------------------------------------------------------------- */

static bool within(const ir_op *op, const void *root)
{
    for (; op; op = ir_op_parent(op))
        if (op == root || op->block == root)
            return true;
    return false;
}

static bool value_used_outside(const ir_value *v, const ir_block *block, const void *root)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!(block && use->owner->block == block) && !within(use->owner, root))
            return true;
    return false;
}

static bool op_used_outside(const ir_op *op, const void *root);

static bool block_used_outside(const ir_block *block, const void *root)
{
    for (uint32_t i = 0; i < block->n_args; i++)
        if (value_used_outside(block->args[i], block, root))
            return true;
    for (const ir_op *op = block->first; op; op = op->next)
        if (op_used_outside(op, root))
            return true;
    return false;
}

static bool op_used_outside(const ir_op *op, const void *root)
{
    /* Operations next to the root are outside. */
    const ir_block *block = op == root ? NULL : op->block;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (value_used_outside(&op->results[i], block, root))
            return true;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (const ir_block *b = op->regions[r].first; b; b = b->next)
            if (block_used_outside(b, root))
                return true;
    return false;
}

bool py_used_outside(ir_op *op)
{
    return op_used_outside(op, op);
}

/* ---- handles ------------------------------------------------------------------------ */

static py_handle *new_handle(py_context *c, py_class cls_id, const void *thing,
                             py_handle *keep)
{
    PyTypeObject *cls = py_cls(cls_id);
    py_handle *h = PyObject_New(py_handle, cls);
    if (!h) {
        Py_XDECREF(keep);
        return NULL;
    }
    Py_INCREF(c);
    h->owner = c;
    h->any = thing;
    h->keep = keep;
    h->is_block = cls_id == PY_BLOCK;
    h->weak = NULL;
    py_map_set(&c->handles, thing, h);
    return h;
}

static py_handle *known(py_context *c, const void *thing)
{
    py_handle *h = py_map_get(&c->handles, thing);
    Py_XINCREF(h);
    return h;
}

/* The handle of the operation's parent; *failed if it could not be created. */
static py_handle *container_of_op(py_context *c, const ir_op *op, bool *failed)
{
    if (!op->block)
        return NULL;
    py_handle *h = op->block->region ? py_op_handle(c, op->block->region->owner)
                                     : py_block_handle(c, op->block);
    *failed = !h;
    return h;
}

py_handle *py_op_handle(py_context *c, ir_op *op)
{
    py_handle *h = known(c, op);
    if (h)
        return h;
    bool failed = false;
    py_handle *keep = container_of_op(c, op, &failed);
    return failed ? NULL : new_handle(c, PY_OPERATION, op, keep);
}

py_handle *py_block_handle(py_context *c, ir_block *block)
{
    py_handle *h = known(c, block);
    if (h)
        return h;
    py_handle *keep = NULL;
    if (block == c->gone) {
        PyErr_SetString(PyExc_RuntimeError, "the block has been erased");
        return NULL;
    }
    if (block->region && !(keep = py_op_handle(c, block->region->owner)))
        return NULL;
    return new_handle(c, PY_BLOCK, block, keep);
}

void py_handle_moved(py_handle *h)
{
    bool failed = false;
    py_handle *old = h->keep;
    if (py_is((PyObject *)h, PY_BLOCK)) {
        h->keep = h->block->region ? py_op_handle(h->owner, h->block->region->owner) : NULL;
    } else {
        h->keep = container_of_op(h->owner, h->op, &failed);
    }
    Py_XDECREF(old);
}

void py_handle_dealloc(PyObject *self)
{
    py_handle *h = (py_handle *)self;
    py_context *c = h->owner;
    if (h->weak)
        PyObject_ClearWeakRefs(self);
    if (h->any) {
        py_map_take(&c->handles, h->any);
        /* The tree is freed with its last handle; if others still use its values, it stays
         * with the context. */
        if (h->is_block) {
            if (!h->block->region && !block_used_outside(h->block, h->block))
                ir_block_erase(c->ctx, h->block);
        } else if (!h->op->block && !op_used_outside(h->op, h->op)) {
            ir_op_erase(h->op);
        }
    }
    Py_XDECREF(h->keep);
    Py_DECREF(c);
    py_free(self);
}

ir_op *py_op_get(py_handle *h)
{
    if (!h || !h->any) {
        PyErr_SetString(PyExc_RuntimeError, "the operation has been invalidated");
        return NULL;
    }
    return h->op;
}

ir_block *py_block_get(py_handle *h)
{
    if (!h || !h->any) {
        PyErr_SetString(PyExc_RuntimeError, "the block has been invalidated");
        return NULL;
    }
    return h->block;
}

PyObject *py_view_of(py_handle *h)
{
    const ir_op *op = py_op_get(h);
    if (!op)
        return NULL;
    PyTypeObject *cls = py_cls(PY_OP_VIEW);
    if (!(op->def->traits & IR_UNREGISTERED)) {
        PyTypeObject *own = py_row_class(op->def, op->def->name);
        if (own)
            cls = own;
        else if (PyErr_Occurred())
            return NULL;
    } else {
        PyObject *own = PyDict_GetItemString(py_get_state()->unregistered, op->def->name);
        cls = own ? (PyTypeObject *)own : cls;
    }
    py_view *view = py_alloc(cls);
    if (view) {
        Py_INCREF(h);
        view->operation = h;
    }
    return (PyObject *)view;
}

PyObject *py_wrap_op(py_context *c, ir_op *op)
{
    if (!op)
        Py_RETURN_NONE;
    py_handle *h = py_op_handle(c, op);
    PyObject *view = h ? py_view_of(h) : NULL;
    Py_XDECREF(h);
    return view;
}

py_handle *py_op_arg(PyObject *object)
{
    py_state *state = py_get_state();
    py_handle *h = NULL;
    if (PyObject_TypeCheck(object, state->classes[PY_OPERATION]))
        h = (py_handle *)object;
    else if (PyObject_TypeCheck(object, state->classes[PY_OP_VIEW]) ||
             PyObject_TypeCheck(object, state->classes[PY_MODULE]))
        h = ((py_view *)object)->operation;
    else
        PyErr_Format(PyExc_TypeError, "expected an operation, got %R", Py_TYPE(object));
    return h && py_op_get(h) ? h : NULL;
}

/* ---- insertion ---------------------------------------------------------------------- */

static int height(const ir_op *op, int limit)
{
    int deepest = 0;
    if (limit <= 0)
        return 1;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (const ir_block *b = op->regions[r].first; b; b = b->next)
            for (const ir_op *o = b->first; o; o = o->next) {
                int h = height(o, limit - 1);
                deepest = TW_MAX(deepest, h);
            }
    return deepest + 1;
}

bool py_nesting_fits(const ir_block *block, const ir_op *op)
{
    int depth = 0;
    for (const ir_op *o = block->region ? block->region->owner : NULL; o;
         o = ir_op_parent(o)) {
        if (o == op) {
            PyErr_SetString(PyExc_ValueError, "an operation cannot be put inside itself");
            return false;
        }
        depth++;
    }
    if (depth + (op->n_regions ? height(op, MAX_NESTING) : 1) > MAX_NESTING) {
        PyErr_Format(PyExc_ValueError, "operations nest deeper than %d levels",
                     MAX_NESTING);
        return false;
    }
    return true;
}

bool py_insert(py_handle *op, py_handle *block, ir_op *before)
{
    ir_op *o = py_op_get(op);
    ir_block *b = o ? py_block_get(block) : NULL;
    if (!b)
        return false;
    if (op->owner != block->owner) {
        py_mismatch("the operation");
        return false;
    }
    if (before && before->block != b) {
        PyErr_SetString(PyExc_ValueError,
                        "the insertion point's operation has left its block");
        return false;
    }
    if (!py_nesting_fits(b, o))
        return false;
    py_branch_moved(op->owner, o);
    if (before)
        ir_op_insert_before(o, before);
    else
        ir_block_append(b, o);
    py_handle_moved(op);
    return true;
}
