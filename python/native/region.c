/* region.c: Region, Block and InsertionPoint. */
#include "pyir.h"

/* ---- Region ------------------------------------------------------------------------- */

ir_region *py_region_get(PyObject *object)
{
    py_region *r = (py_region *)object;
    ir_op *op = py_op_get(r->op);
    if (!op)
        return NULL;
    if (r->index >= op->n_regions) {
        PyErr_SetString(PyExc_RuntimeError, "the region has been invalidated");
        return NULL;
    }
    return &op->regions[r->index];
}

PyObject *py_wrap_region(py_handle *op, uint32_t index)
{
    PyTypeObject *cls = py_cls(PY_REGION);
    py_region *r = py_alloc(cls);
    if (r) {
        Py_INCREF(op);
        r->op = op;
        r->index = index;
    }
    return (PyObject *)r;
}

static void region_dealloc(PyObject *self)
{
    Py_XDECREF(((py_region *)self)->op);
    py_free(self);
}

static PyObject *region_blocks(PyObject *self, void *closure)
{
    (void)closure;
    py_region *r = (py_region *)self;
    return py_region_get(self) ? py_list_new(PY_BLOCK_LIST, r->op, r->index, 0, UINT32_MAX)
                               : NULL;
}

static PyObject *region_iter(PyObject *self)
{
    PyObject *blocks = region_blocks(self, NULL);
    PyObject *iterator = blocks ? PyObject_GetIter(blocks) : NULL;
    Py_XDECREF(blocks);
    return iterator;
}

static PyObject *region_owner(PyObject *self, void *closure)
{
    (void)closure;
    return py_view_of(((py_region *)self)->op);
}

static PyObject *region_compare(PyObject *a, PyObject *b, int op)
{
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    bool same = py_is(b, PY_REGION) && ((py_region *)a)->op == ((py_region *)b)->op &&
                ((py_region *)a)->index == ((py_region *)b)->index;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t region_hash(PyObject *self)
{
    py_region *r = (py_region *)self;
    Py_hash_t hash = (Py_hash_t)(((uintptr_t)r->op >> 4) * 31 + r->index);
    return hash == -1 ? -2 : hash;
}

static PyGetSetDef region_getset[] = {{"blocks", region_blocks, NULL, NULL, NULL},
                                      {"owner", region_owner, NULL, NULL, NULL},
                                      {0}};
static PyType_Slot region_slots[] = {{Py_tp_dealloc, (void *)region_dealloc},
                                     {Py_tp_iter, (void *)region_iter},
                                     {Py_tp_richcompare, (void *)region_compare},
                                     {Py_tp_hash, (void *)region_hash},
                                     {Py_tp_getset, region_getset},
                                     {0, NULL}};

/* ---- Block -------------------------------------------------------------------------- */

/* Adds arguments of the given types, each with its own location or the common one. */
static bool add_arguments(py_context *c, ir_block *block, PyObject *types, PyObject *locs)
{
    ir_type *t = NULL;
    size_t n = 0;
    if (types && types != Py_None && !py_types_arg(types, &c, &t, &n))
        return false;
    bool ok = true;
    PyObject *list = locs && locs != Py_None ? PySequence_List(locs) : NULL;
    if (locs && locs != Py_None && (!list || PyList_Size(list) != (Py_ssize_t)n)) {
        if (list)
            PyErr_Format(PyExc_ValueError, "Expected %zu locations, got: %zd", n,
                         PyList_Size(list));
        ok = false;
    }
    for (size_t i = 0; ok && i < n; i++) {
        ir_loc loc = IR_LOC_UNKNOWN;
        if (list)
            ok = py_loc_arg(PyList_GetItem(list, (Py_ssize_t)i), &c, &loc);
        else if (py_current(PY_LOCATION))
            ok = py_loc_arg(NULL, &c, &loc);
        if (ok)
            ir_block_add_arg(c->ctx, block, t[i], loc);
    }
    Py_XDECREF(list);
    PyMem_Free(t);
    return ok;
}

/* A new block with arguments, owned by its handle until it is inserted. */
static py_handle *new_block(py_context *c, PyObject *types, PyObject *locs)
{
    py_handle *h = py_block_handle(c, ir_block_create(c->ctx));
    if (h && !add_arguments(c, h->block, types, locs))
        Py_CLEAR(h);
    return h;
}

static PyObject *create_at_start(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"parent", "arg_types", "arg_locs", NULL};
    PyObject *parent, *types = NULL, *locs = NULL;
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", names, &parent, &types, &locs))
        return NULL;
    if (!py_is(parent, PY_REGION)) {
        PyErr_Format(PyExc_TypeError, "expected a Region, got %R", parent);
        return NULL;
    }
    ir_region *region = py_region_get(parent);
    py_handle *h = region ? new_block(((py_region *)parent)->op->owner, types, locs) : NULL;
    if (!h)
        return NULL;
    if (region->first)
        ir_block_insert_before(h->block, region->first);
    else
        ir_region_append(region, h->block);
    py_handle_moved(h);
    return (PyObject *)h;
}

/* create_before(*types, arg_locs=None), create_after */
static PyObject *create_beside(PyObject *self, PyObject *args, PyObject *kwargs, bool after)
{
    ir_block *block = py_block_get((py_handle *)self);
    PyObject *locs = kwargs ? PyDict_GetItemString(kwargs, "arg_locs") : NULL;
    if (!block)
        return NULL;
    if (!block->region) {
        PyErr_SetString(PyExc_ValueError, "the block is in no region");
        return NULL;
    }
    py_handle *h = new_block(((py_handle *)self)->owner, args, locs);
    if (!h)
        return NULL;
    ir_block *before = after ? block->next : block;
    if (before)
        ir_block_insert_before(h->block, before);
    else
        ir_region_append(block->region, h->block);
    py_handle_moved(h);
    return (PyObject *)h;
}

static PyObject *create_before(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return create_beside(self, args, kwargs, false);
}

static PyObject *create_after(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return create_beside(self, args, kwargs, true);
}

static PyObject *append_to(PyObject *self, PyObject *target)
{
    py_handle *h = (py_handle *)self;
    ir_block *block = py_block_get(h);
    if (!py_is(target, PY_REGION)) {
        PyErr_Format(PyExc_TypeError, "expected a Region, got %R", target);
        return NULL;
    }
    ir_region *region = block ? py_region_get(target) : NULL;
    if (!region)
        return NULL;
    py_context *c = h->owner;
    if (((py_region *)target)->op->owner != c)
        return py_mismatch("the region");
    /* A block cannot be inserted into an operation that it contains. */
    for (ir_op *op = region->owner; op; op = ir_op_parent(op))
        if (op->block == block) {
            PyErr_SetString(PyExc_ValueError, "a block cannot be put inside itself");
            return NULL;
        }
    ir_block probe = {.region = region};
    for (ir_op *op = block->first; op; op = op->next)
        if (!py_nesting_fits(&probe, op))
            return NULL;
    if (block->region)
        py_branch_blocks_move(c, block->region);
    ir_block_remove(block);
    ir_region_append(region, block);
    py_handle_moved(h);
    Py_RETURN_NONE;
}

static PyObject *block_append(PyObject *self, PyObject *object)
{
    py_handle *op = py_op_arg(object);
    if (!op || !py_insert(op, (py_handle *)self, NULL))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *add_argument(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"type", "loc", NULL};
    PyObject *type, *loc = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &type, &loc))
        return NULL;
    py_context *c = ((py_handle *)self)->owner;
    ir_block *block = py_block_get((py_handle *)self);
    ir_type t;
    ir_loc l;
    if (!block || !py_type_arg(type, c, &t) || !py_loc_arg(loc, &c, &l))
        return NULL;
    return py_wrap_value(c, ir_block_add_arg(c->ctx, block, t, l));
}

static PyObject *erase_argument(PyObject *self, PyObject *number)
{
    ir_block *block = py_block_get((py_handle *)self);
    Py_ssize_t i = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (!block || (i == -1 && PyErr_Occurred()))
        return NULL;
    if (i < 0 || (size_t)i >= block->n_args) {
        PyErr_Format(PyExc_ValueError,
                     "Must specify a block argument index in the range "
                     "[0, %u)",
                     block->n_args);
        return NULL;
    }
    if (block->args[i]->uses) {
        PyErr_Format(PyExc_ValueError, "block argument %zd still has uses", i);
        return NULL;
    }
    ir_block_erase_arg(block, (size_t)i);
    Py_RETURN_NONE;
}

static PyObject *block_owner(PyObject *self, void *closure)
{
    (void)closure;
    ir_block *block = py_block_get((py_handle *)self);
    if (!block)
        return NULL;
    return py_wrap_op(((py_handle *)self)->owner,
                      block->region ? block->region->owner : NULL);
}

static PyObject *block_region(PyObject *self, void *closure)
{
    (void)closure;
    ir_block *block = py_block_get((py_handle *)self);
    if (!block || !block->region) {
        if (block)
            Py_RETURN_NONE;
        return NULL;
    }
    py_handle *op = py_op_handle(((py_handle *)self)->owner, block->region->owner);
    PyObject *region =
        op ? py_wrap_region(op, (uint32_t)(block->region - block->region->owner->regions))
           : NULL;
    Py_XDECREF(op);
    return region;
}

static PyObject *block_operations(PyObject *self, void *closure)
{
    (void)closure;
    return py_block_get((py_handle *)self)
               ? py_list_new(PY_OPERATION_LIST, (py_handle *)self, 0, 0, UINT32_MAX)
               : NULL;
}

static PyObject *block_arguments(PyObject *self, void *closure)
{
    (void)closure;
    return py_block_get((py_handle *)self)
               ? py_list_new(PY_ARGUMENT_LIST, (py_handle *)self, 0, 0, UINT32_MAX)
               : NULL;
}

static PyObject *block_iter(PyObject *self)
{
    PyObject *list = block_operations(self, NULL);
    PyObject *iterator = list ? PyObject_GetIter(list) : NULL;
    Py_XDECREF(list);
    return iterator;
}

static PyObject *block_successors(PyObject *self, void *closure)
{
    (void)closure;
    ir_block *block = py_block_get((py_handle *)self);
    PyObject *list = block ? PyList_New(0) : NULL;
    ir_op *last = block ? block->last : NULL;
    for (uint16_t i = 0; list && last && i < last->n_successors; i++) {
        PyObject *b =
            (PyObject *)py_block_handle(((py_handle *)self)->owner, last->successors[i]);
        if (!b || PyList_Append(list, b) < 0)
            Py_CLEAR(list);
        Py_XDECREF(b);
    }
    return list;
}

static PyObject *block_predecessors(PyObject *self, void *closure)
{
    (void)closure;
    ir_block *block = py_block_get((py_handle *)self);
    PyObject *list = block ? PyList_New(0) : NULL;
    for (ir_block *b = block && block->region ? block->region->first : NULL; list && b;
         b = b->next)
        for (uint16_t i = 0; list && b->last && i < b->last->n_successors; i++) {
            if (b->last->successors[i] != block)
                continue;
            PyObject *h = (PyObject *)py_block_handle(((py_handle *)self)->owner, b);
            if (!h || PyList_Append(list, h) < 0)
                Py_CLEAR(list);
            Py_XDECREF(h);
        }
    return list;
}

static PyObject *block_str(PyObject *self)
{
    ir_block *block = py_block_get((py_handle *)self);
    if (!block)
        return NULL;
    tw_strbuf text = {0};
    ir_print_block(block, &text);
    py_discard(((py_handle *)self)->owner);
    return py_buf_text(&text);
}

static PyMethodDef block_methods[] = {
    {"create_at_start", PY_METHOD(create_at_start), PY_KW | METH_STATIC,
     "create_at_start(parent, arg_types=[], arg_locs=None)"},
    {"create_before", PY_METHOD(create_before), PY_KW, NULL},
    {"create_after", PY_METHOD(create_after), PY_KW, NULL},
    {"append_to", append_to, METH_O, "Puts the block at a region's end."},
    {"append", block_append, METH_O, "Puts an operation at the end."},
    {"add_argument", PY_METHOD(add_argument), PY_KW, NULL},
    {"erase_argument", erase_argument, METH_O, NULL},
    {0},
};
static PyGetSetDef block_getset[] = {
    {"owner", block_owner, NULL, NULL, NULL},
    {"region", block_region, NULL, NULL, NULL},
    {"operations", block_operations, NULL, NULL, NULL},
    {"arguments", block_arguments, NULL, NULL, NULL},
    {"successors", block_successors, NULL, NULL, NULL},
    {"predecessors", block_predecessors, NULL, NULL, NULL},
    {0},
};
static PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_handle, weak), READONLY, NULL}, {0}};
static PyType_Slot block_slots[] = {{Py_tp_dealloc, (void *)py_handle_dealloc},
                                    {Py_tp_iter, (void *)block_iter},
                                    {Py_tp_str, (void *)block_str},
                                    {Py_tp_methods, block_methods},
                                    {Py_tp_getset, block_getset},
                                    {Py_tp_members, handle_members},
                                    {0, NULL}};

/* ---- InsertionPoint ----------------------------------------------------------------- */

static PyObject *make_point(PyTypeObject *cls, py_handle *block, py_handle *before)
{
    py_ip *ip = py_alloc(cls);
    if (ip) {
        Py_INCREF(block);
        Py_XINCREF(before);
        ip->block = block;
        ip->before = before;
    }
    return (PyObject *)ip;
}

/* Before an operation, or at the block's end if `op` is NULL. */
static PyObject *point_before(PyTypeObject *cls, py_context *c, ir_block *block, ir_op *op)
{
    if (!block) {
        PyErr_SetString(PyExc_ValueError, "Operation is not attached to a block");
        return NULL;
    }
    py_handle *b = py_block_handle(c, block), *o = op ? py_op_handle(c, op) : NULL;
    PyObject *point = b && (o || !op) ? make_point(cls, b, o) : NULL;
    Py_XDECREF(b);
    Py_XDECREF(o);
    return point;
}

static PyObject *ip_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    PyObject *at;
    if (kwargs && PyDict_Size(kwargs) == 1 && PyTuple_Size(args) == 0) {
        at = PyDict_GetItemString(kwargs, "block");
        at = at ? at : PyDict_GetItemString(kwargs, "beforeOperation");
        if (!at) {
            PyErr_SetString(PyExc_TypeError, "expected block= or beforeOperation=");
            return NULL;
        }
    } else if (!PyArg_ParseTuple(args, "O", &at)) {
        return NULL;
    }
    if (py_is(at, PY_BLOCK))
        return py_block_get((py_handle *)at) ? make_point(cls, (py_handle *)at, NULL)
                                             : NULL;
    py_handle *op = py_op_arg(at);
    return op ? point_before(cls, op->owner, op->op->block, op->op) : NULL;
}

static PyObject *at_block_begin(PyObject *cls, PyObject *object)
{
    if (!py_is(object, PY_BLOCK)) {
        PyErr_Format(PyExc_TypeError, "expected a Block, got %R", object);
        return NULL;
    }
    ir_block *b = py_block_get((py_handle *)object);
    return b ? point_before((PyTypeObject *)cls, ((py_handle *)object)->owner, b, b->first)
             : NULL;
}

static PyObject *at_block_terminator(PyObject *cls, PyObject *object)
{
    if (!py_is(object, PY_BLOCK)) {
        PyErr_Format(PyExc_TypeError, "expected a Block, got %R", object);
        return NULL;
    }
    ir_block *b = py_block_get((py_handle *)object);
    if (b && (!b->last || !(b->last->def->traits & IR_TERMINATOR))) {
        PyErr_SetString(PyExc_ValueError, "Block has no terminator");
        return NULL;
    }
    return b ? point_before((PyTypeObject *)cls, ((py_handle *)object)->owner, b, b->last)
             : NULL;
}

static PyObject *after(PyObject *cls, PyObject *object)
{
    py_handle *op = py_op_arg(object);
    return op ? point_before((PyTypeObject *)cls, op->owner, op->op->block, op->op->next)
              : NULL;
}

bool py_may_insert(py_handle *block, const ir_op *before)
{
    const ir_block *b = before ? NULL : py_block_get(block);
    if (before || (b && (!b->last || !(b->last->def->traits & IR_TERMINATOR))))
        return true;
    if (b)
        PyErr_SetString(PyExc_IndexError,
                        "Cannot insert operation at the end of a block that already has a "
                        "terminator. Did you mean to use "
                        "'InsertionPoint.at_block_terminator(block)' versus "
                        "'InsertionPoint(block)'?");
    return false;
}

static PyObject *ip_insert(PyObject *self, PyObject *object)
{
    py_ip *ip = (py_ip *)self;
    py_handle *op = py_op_arg(object);
    if (!op)
        return NULL;
    if (op->op->block) {
        PyErr_SetString(PyExc_ValueError,
                        "Attempt to insert operation that has already been inserted");
        return NULL;
    }
    ir_op *before = ip->before ? py_op_get(ip->before) : NULL;
    if ((ip->before && !before) || !py_may_insert(ip->block, before) ||
        !py_insert(op, ip->block, before))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *ip_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!py_push((PyObject *)((py_ip *)self)->block->owner, NULL, self))
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *ip_exit(PyObject *self, PyObject *args)
{
    (void)args;
    if (!py_pop(self, PY_INSERTION_POINT))
        return NULL;
    Py_RETURN_NONE;
}

static void ip_dealloc(PyObject *self)
{
    Py_XDECREF(((py_ip *)self)->block);
    Py_XDECREF(((py_ip *)self)->before);
    py_free(self);
}

static PyObject *ip_block(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *block = (PyObject *)((py_ip *)self)->block;
    Py_INCREF(block);
    return block;
}

static PyObject *ip_ref(PyObject *self, void *closure)
{
    (void)closure;
    py_handle *before = ((py_ip *)self)->before;
    if (!before)
        Py_RETURN_NONE;
    Py_INCREF(before);
    return (PyObject *)before;
}

static PyMethodDef ip_methods[] = {
    {"at_block_begin", at_block_begin, METH_O | METH_CLASS, NULL},
    {"at_block_terminator", at_block_terminator, METH_O | METH_CLASS, NULL},
    {"after", after, METH_O | METH_CLASS, NULL},
    {"insert", ip_insert, METH_O, NULL},
    {"__enter__", ip_enter, METH_NOARGS, NULL},
    {"__exit__", ip_exit, METH_VARARGS, NULL},
    {0},
};
static PyGetSetDef ip_getset[] = {{"block", ip_block, NULL, NULL, NULL},
                                  {"ref_operation", ip_ref, NULL, NULL, NULL},
                                  {0}};
static PyType_Slot ip_slots[] = {{Py_tp_new, (void *)ip_new},
                                 {Py_tp_dealloc, (void *)ip_dealloc},
                                 {Py_tp_methods, ip_methods},
                                 {Py_tp_getset, ip_getset},
                                 {0, NULL}};

#define CLOSED (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION)
static PyType_Spec region_spec = {"ttmlir.ir.Region", sizeof(py_region), 0, CLOSED,
                                  region_slots};
static PyType_Spec block_spec = {"ttmlir.ir.Block", sizeof(py_handle), 0, CLOSED,
                                 block_slots};
static PyType_Spec ip_spec = {"ttmlir.ir.InsertionPoint", sizeof(py_ip), 0,
                              Py_TPFLAGS_DEFAULT, ip_slots};

const py_class_row py_region_classes[] = {
    {PY_REGION, &region_spec, -1},
    {PY_BLOCK, &block_spec, -1},
    {PY_INSERTION_POINT, &ip_spec, -1},
    {0},
};
