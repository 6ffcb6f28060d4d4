/* list.c: the sequences of operations, regions and blocks: operands, results, regions,
 * successors, blocks, operations, arguments; and the map of attributes.
 *
 * A list holds a handle and reads the operation again at each access, so it never shows a
 * freed object. */
#include "pyir.h"

#include <stdlib.h>

typedef struct py_list {
    PyObject_HEAD py_handle *holder;
    py_class kind;
    uint32_t region;       /* block lists: index of the operation's region */
    uint32_t start, count; /* a slice of a flat list; UINT32_MAX: the whole list */
} py_list;

PyObject *py_list_new(py_class kind, py_handle *holder, uint32_t region, uint32_t start,
                      uint32_t count)
{
    PyTypeObject *cls = py_cls(kind);
    py_list *list = py_alloc(cls);
    if (list) {
        Py_INCREF(holder);
        *list = (py_list){.ob_base = list->ob_base,
                          .holder = holder,
                          .kind = kind,
                          .region = region,
                          .start = start,
                          .count = count};
    }
    return (PyObject *)list;
}

static void list_dealloc(PyObject *self)
{
    Py_XDECREF(((py_list *)self)->holder);
    py_free(self);
}

static ir_block *first_block(py_list *l)
{
    ir_op *op = py_op_get(l->holder);
    if (!op)
        return NULL;
    return l->region < op->n_regions ? op->regions[l->region].first : NULL;
}

/* Length of the whole flat list; -1: raised. */
static Py_ssize_t total(py_list *l)
{
    if (l->kind == PY_OPERATION_LIST || l->kind == PY_ARGUMENT_LIST) {
        ir_block *block = py_block_get(l->holder);
        Py_ssize_t n = 0;
        if (!block)
            return -1;
        if (l->kind == PY_ARGUMENT_LIST)
            return block->n_args;
        for (ir_op *op = block->first; op; op = op->next)
            n++;
        return n;
    }
    ir_op *op = py_op_get(l->holder);
    if (!op)
        return -1;
    switch (l->kind) {
    case PY_OPERAND_LIST:
        return op->n_operands;
    case PY_RESULT_LIST:
        return op->n_results;
    case PY_REGION_LIST:
        return op->n_regions;
    case PY_SUCCESSOR_LIST:
        return op->n_successors;
    default: {
        Py_ssize_t n = 0;
        for (ir_block *b = first_block(l); b; b = b->next)
            n++;
        return n;
    }
    }
}

static Py_ssize_t list_length(PyObject *self)
{
    py_list *l = (py_list *)self;
    Py_ssize_t n = total(l);
    if (n < 0 || l->count == UINT32_MAX)
        return n;
    if ((Py_ssize_t)l->start + l->count > n) {
        PyErr_SetString(PyExc_RuntimeError, "the list has been invalidated");
        return -1;
    }
    return l->count;
}

static PyObject *item_at(py_list *l, Py_ssize_t i)
{
    py_context *c = l->holder->owner;
    switch (l->kind) {
    case PY_OPERAND_LIST:
        return py_wrap_value(c, l->holder->op->operands[i].value);
    case PY_RESULT_LIST:
        return py_wrap_value(c, &l->holder->op->results[i]);
    case PY_REGION_LIST:
        return py_wrap_region(l->holder, (uint32_t)i);
    case PY_SUCCESSOR_LIST:
        return (PyObject *)py_block_handle(c, l->holder->op->successors[i]);
    case PY_ARGUMENT_LIST:
        return py_wrap_value(c, l->holder->block->args[i]);
    case PY_OPERATION_LIST: {
        ir_op *op = l->holder->block->first;
        while (i-- > 0)
            op = op->next;
        return py_wrap_op(c, op);
    }
    default: {
        ir_block *b = first_block(l);
        while (i-- > 0)
            b = b->next;
        return (PyObject *)py_block_handle(c, b);
    }
    }
}

static PyObject *list_item(PyObject *self, Py_ssize_t i)
{
    py_list *l = (py_list *)self;
    Py_ssize_t n = list_length(self);
    if (n < 0)
        return NULL;
    if (i < 0 || i >= n) {
        PyErr_SetString(PyExc_IndexError, l->kind == PY_OPERATION_LIST
                                              ? "attempt to access out of bounds operation"
                                          : l->kind == PY_BLOCK_LIST
                                              ? "attempt to access out of bounds block"
                                              : "index out of range");
        return NULL;
    }
    return item_at(l, i + l->start);
}

/* A slice: a list of the same kind where it is a contiguous range of a flat one, else a
 * list. */
static PyObject *list_slice(PyObject *self, PyObject *key)
{
    py_list *l = (py_list *)self;
    Py_ssize_t n = list_length(self), start, stop, step;
    if (n < 0 || PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t count = PySlice_AdjustIndices(n, &start, &stop, step);
    if (step == 1 && l->kind != PY_OPERATION_LIST && l->kind != PY_BLOCK_LIST)
        return py_list_new(l->kind, l->holder, l->region, l->start + (uint32_t)start,
                           (uint32_t)count);
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *item = list_item(self, start + i * step);
        if (!item || PyList_SetItem(list, i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *list_subscript(PyObject *self, PyObject *key)
{
    if (PyObject_TypeCheck(key, &PySlice_Type))
        return list_slice(self, key);
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    if (i < 0) {
        Py_ssize_t n = list_length(self);
        if (n < 0)
            return NULL;
        i += n;
    }
    return list_item(self, i);
}

static PyObject *list_concat(PyObject *a, PyObject *b)
{
    PyObject *left = PySequence_List(a), *right = PySequence_List(b);
    PyObject *sum = left && right ? PySequence_Concat(left, right) : NULL;
    Py_XDECREF(left);
    Py_XDECREF(right);
    return sum;
}

/* operands[i] = value, successors[i] = block */
static int list_set(PyObject *self, PyObject *key, PyObject *value)
{
    py_list *l = (py_list *)self;
    Py_ssize_t n = list_length(self), i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (n < 0 || (i == -1 && PyErr_Occurred()))
        return -1;
    i += i < 0 ? n : 0;
    if (i < 0 || i >= n || !value) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return -1;
    }
    py_context *c = l->holder->owner;
    if (l->kind == PY_SUCCESSOR_LIST) {
        ir_block *block = py_is(value, PY_BLOCK) ? py_block_get((py_handle *)value) : NULL;
        if (!block || ((py_handle *)value)->owner != c) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "expected a Block of this Context");
            return -1;
        }
        l->holder->op->successors[l->start + i] = block;
        return 0;
    }
    ir_value *v = py_value_arg(value, c);
    if (!v)
        return -1;
    ir_op_set_operand(l->holder->op, (size_t)(l->start + i), v);
    return 0;
}

static PyObject *list_types(PyObject *self, void *closure)
{
    (void)closure;
    Py_ssize_t n = list_length(self);
    PyObject *types = n < 0 ? NULL : PyList_New(n);
    for (Py_ssize_t i = 0; types && i < n; i++) {
        PyObject *value = list_item(self, i);
        PyObject *type = value ? PyObject_GetAttrString(value, "type") : NULL;
        Py_XDECREF(value);
        if (!type || PyList_SetItem(types, i, type) < 0)
            Py_CLEAR(types);
    }
    return types;
}

static PyObject *list_owner(PyObject *self, void *closure)
{
    (void)closure;
    return py_view_of(((py_list *)self)->holder);
}

/* BlockList.append(*types, arg_locs=None): a new block at the region's end. */
static PyObject *append_block(PyObject *self, PyObject *args, PyObject *kwargs)
{
    py_list *l = (py_list *)self;
    PyObject *region = py_wrap_region(l->holder, l->region), *locs = NULL, *result = NULL;
    if (kwargs)
        locs = PyDict_GetItemString(kwargs, "arg_locs");
    PyObject *block =
        region ? PyObject_CallMethod((PyObject *)py_cls(PY_BLOCK), "create_at_start", "OOO",
                                     region, args, locs ? locs : Py_None)
               : NULL;
    PyObject *moved = block ? PyObject_CallMethod(block, "append_to", "O", region) : NULL;
    if (moved) {
        result = block;
        Py_INCREF(result);
    }
    Py_XDECREF(moved);
    Py_XDECREF(block);
    Py_XDECREF(region);
    return result;
}

/* ---- iterating linked lists --------------------------------------------------------- */

typedef struct py_iterator {
    PyObject_HEAD py_handle *next; /* NULL: at the end */
    bool blocks;
} py_iterator;

static PyObject *list_iter(PyObject *self)
{
    py_list *l = (py_list *)self;
    py_handle *next = NULL;
    py_context *c = l->holder->owner;
    if (l->kind == PY_OPERATION_LIST) {
        ir_block *block = py_block_get(l->holder);
        if (!block || (block->first && !(next = py_op_handle(c, block->first))))
            return NULL;
    } else if (l->kind == PY_BLOCK_LIST) {
        ir_block *b = first_block(l);
        if (PyErr_Occurred() || (b && !(next = py_block_handle(c, b))))
            return NULL;
    } else {
        return PySeqIter_New(self);
    }
    PyTypeObject *cls = py_cls(PY_ITERATOR);
    py_iterator *it = py_alloc(cls);
    if (!it) {
        Py_XDECREF(next);
        return NULL;
    }
    it->next = next;
    it->blocks = l->kind == PY_BLOCK_LIST;
    return (PyObject *)it;
}

/* Continues from the current successor, so that a loop may erase the item it was given. */
static PyObject *iterator_next(PyObject *self)
{
    py_iterator *it = (py_iterator *)self;
    py_handle *here = it->next, *next = NULL;
    if (!here)
        return NULL;
    if (!here->any) {
        PyErr_SetString(PyExc_RuntimeError,
                        "what comes next was erased while a loop went over it");
        return NULL;
    }
    py_context *c = here->owner;
    if (it->blocks ? here->block->next && !(next = py_block_handle(c, here->block->next))
                   : here->op->next && !(next = py_op_handle(c, here->op->next)))
        return NULL;
    it->next = next;
    if (it->blocks)
        return (PyObject *)here;
    PyObject *view = py_view_of(here);
    Py_DECREF(here);
    return view;
}

static void iterator_dealloc(PyObject *self)
{
    Py_XDECREF(((py_iterator *)self)->next);
    py_free(self);
}

static PyObject *iterator_self(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

/* ---- classes ------------------------------------------------------------------------ */

static PyType_Slot list_slots[] = {
    {Py_tp_dealloc, (void *)list_dealloc},     {Py_tp_iter, (void *)list_iter},
    {Py_sq_length, (void *)list_length},       {Py_mp_length, (void *)list_length},
    {Py_sq_item, (void *)list_item},           {Py_sq_concat, (void *)list_concat},
    {Py_mp_subscript, (void *)list_subscript}, {0, NULL}};
static PyGetSetDef typed_getset[] = {
    {"types", list_types, NULL, NULL, NULL}, {"owner", list_owner, NULL, NULL, NULL}, {0}};
static PyType_Slot typed_slots[] = {{Py_tp_getset, typed_getset}, {0, NULL}};
static PyType_Slot operand_slots[] = {
    {Py_tp_getset, typed_getset}, {Py_mp_ass_subscript, (void *)list_set}, {0, NULL}};
static PyType_Slot successor_slots[] = {{Py_mp_ass_subscript, (void *)list_set}, {0, NULL}};
static PyMethodDef block_methods[] = {
    {"append", PY_METHOD(append_block), PY_KW, "append(*types, arg_locs=None)"}, {0}};
static PyType_Slot block_slots[] = {{Py_tp_methods, block_methods}, {0, NULL}};
static PyMethodDef no_methods[] = {{0}};
static PyType_Slot plain_slots[] = {{Py_tp_methods, no_methods}, {0, NULL}};
static PyType_Slot iterator_slots[] = {{Py_tp_dealloc, (void *)iterator_dealloc},
                                       {Py_tp_iter, (void *)iterator_self},
                                       {Py_tp_iternext, (void *)iterator_next},
                                       {0, NULL}};

#define CLOSED (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION)
#define SPEC(variable, name, slots)                                                        \
    static PyType_Spec variable = {"ttmlir.ir." name, sizeof(py_list), 0,                  \
                                   CLOSED | Py_TPFLAGS_BASETYPE, slots}
SPEC(list_spec, "_List", list_slots);
SPEC(operands_spec, "OpOperandList", operand_slots);
SPEC(results_spec, "OpResultList", typed_slots);
SPEC(regions_spec, "RegionSequence", plain_slots);
SPEC(successors_spec, "OpSuccessors", successor_slots);
SPEC(blocks_spec, "BlockList", block_slots);
SPEC(operations_spec, "OperationList", plain_slots);
SPEC(arguments_spec, "BlockArgumentList", typed_slots);
static PyType_Spec iterator_spec = {"ttmlir.ir.OperationIterator", sizeof(py_iterator), 0,
                                    CLOSED, iterator_slots};

/* ---- attributes --------------------------------------------------------------------- */

typedef struct py_attributes {
    PyObject_HEAD py_handle *op;
} py_attributes;

PyObject *py_named_attribute(py_context *c, ir_named_attr entry)
{
    PyObject *value = py_wrap_attr(c, entry.value);
    PyObject *kind = py_get_state()->named;
    PyObject *name = value ? py_text(ir_ident_str(entry.name)) : NULL;
    PyObject *made =
        name && kind ? PyObject_CallFunctionObjArgs(kind, name, value, NULL) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(value);
    return made;
}

PyObject *py_attribute_map(py_handle *op)
{
    PyTypeObject *cls = py_cls(PY_ATTRIBUTE_MAP);
    py_attributes *map = py_alloc(cls);
    if (map) {
        Py_INCREF(op);
        map->op = op;
    }
    return (PyObject *)map;
}

static void map_dealloc(PyObject *self)
{
    Py_XDECREF(((py_attributes *)self)->op);
    py_free(self);
}

/* All attributes, inherent ones included, as one sorted dictionary. */
static ir_attr all_attributes(PyObject *self)
{
    ir_op *op = py_op_get(((py_attributes *)self)->op);
    if (!op)
        return NULL;
    ir_attr dict = op->attrs ? op->attrs : ir_dict_attr(op->ctx, NULL, 0);
    size_t n = ir_def_n_props(op->def), count = 0;
    ir_named_attr *all = tw_xmalloc((n + dict->count + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        if (op->props[i])
            all[count++] = (ir_named_attr){
                ir_ident_from(op->ctx, ir_def_prop_name(op->def, i)), op->props[i]};
    for (uint32_t i = 0; i < dict->count; i++)
        all[count++] = dict->entries[i];
    ir_attr merged = ir_dict_attr(op->ctx, all, count);
    free(all);
    return merged;
}

static Py_ssize_t map_length(PyObject *self)
{
    ir_attr all = all_attributes(self);
    return all ? (Py_ssize_t)all->count : -1;
}

static PyObject *map_item(PyObject *self, PyObject *key)
{
    py_handle *h = ((py_attributes *)self)->op;
    ir_op *op = py_op_get(h);
    if (!op)
        return NULL;
    if (PyLong_Check(key)) {
        ir_attr all = all_attributes(self);
        Py_ssize_t i = PyLong_AsSsize_t(key);
        if (i < 0 && !PyErr_Occurred())
            i += (Py_ssize_t)all->count;
        if (i < 0 || i >= (Py_ssize_t)all->count) {
            PyErr_Clear();
            PyErr_SetString(PyExc_IndexError, "attempt to access out of bounds attribute");
            return NULL;
        }
        return py_named_attribute(h->owner, all->entries[i]);
    }
    Py_ssize_t size;
    const char *name = PyUnicode_AsUTF8AndSize(key, &size);
    if (!name)
        return NULL;
    ir_attr value = ir_op_attr_str(op, (tw_str){name, (size_t)size});
    if (!value) {
        PyErr_SetString(PyExc_KeyError, "attempt to access a non-existent attribute");
        return NULL;
    }
    return py_wrap_attr(h->owner, value);
}

static int map_set(PyObject *self, PyObject *key, PyObject *value)
{
    py_handle *h = ((py_attributes *)self)->op;
    ir_op *op = py_op_get(h);
    const char *name = op ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
    ir_attr attr = NULL;
    if (!name || (value && !py_attr_arg(value, h->owner, &attr)))
        return -1;
    if (!value && !ir_op_attr(op, name)) {
        PyErr_SetString(PyExc_KeyError, "attempt to delete a non-existent attribute");
        return -1;
    }
    ir_op_set_attr(op, name, attr);
    return 0;
}

static int map_contains(PyObject *self, PyObject *key)
{
    ir_op *op = py_op_get(((py_attributes *)self)->op);
    Py_ssize_t size;
    const char *name = op ? PyUnicode_AsUTF8AndSize(key, &size) : NULL;
    return name ? ir_op_attr_str(op, (tw_str){name, (size_t)size}) != NULL : -1;
}

static PyObject *entry_list(PyObject *self, int what)
{
    ir_attr all = all_attributes(self);
    py_context *c = ((py_attributes *)self)->op->owner;
    PyObject *list = all ? PyList_New((Py_ssize_t)all->count) : NULL;
    for (uint32_t i = 0; list && i < all->count; i++) {
        ir_named_attr e = all->entries[i];
        PyObject *name = what != 1 ? py_text(ir_ident_str(e.name)) : NULL;
        PyObject *value = what ? py_wrap_attr(c, e.value) : NULL, *item;
        if (what == 2)
            item = name && value ? PyTuple_Pack(2, name, value) : NULL;
        else if (what == 3)
            item = py_named_attribute(c, e);
        else
            item = what ? value : name;
        if (what >= 2) {
            Py_XDECREF(name);
            Py_XDECREF(value);
        }
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *map_keys(PyObject *self, PyObject *unused)
{
    (void)unused;
    return entry_list(self, 0);
}

static PyObject *map_values(PyObject *self, PyObject *unused)
{
    (void)unused;
    return entry_list(self, 1);
}

static PyObject *map_items(PyObject *self, PyObject *unused)
{
    (void)unused;
    return entry_list(self, 2);
}

static PyObject *map_iter(PyObject *self)
{
    PyObject *list = entry_list(self, 3);
    PyObject *iterator = list ? PyObject_GetIter(list) : NULL;
    Py_XDECREF(list);
    return iterator;
}

static PyObject *map_get(PyObject *self, PyObject *args)
{
    PyObject *key, *otherwise = Py_None;
    if (!PyArg_ParseTuple(args, "O|O", &key, &otherwise))
        return NULL;
    int there = map_contains(self, key);
    if (there < 0)
        return NULL;
    if (there)
        return map_item(self, key);
    Py_INCREF(otherwise);
    return otherwise;
}

static PyMethodDef map_methods[] = {
    {"get", map_get, METH_VARARGS, NULL},
    {"keys", map_keys, METH_NOARGS, NULL},
    {"values", map_values, METH_NOARGS, NULL},
    {"items", map_items, METH_NOARGS, NULL},
    {0},
};
static PyType_Slot map_slots[] = {
    {Py_tp_dealloc, (void *)map_dealloc},   {Py_tp_iter, (void *)map_iter},
    {Py_mp_length, (void *)map_length},     {Py_mp_subscript, (void *)map_item},
    {Py_mp_ass_subscript, (void *)map_set}, {Py_sq_contains, (void *)map_contains},
    {Py_tp_methods, map_methods},           {0, NULL}};
static PyType_Spec map_spec = {"ttmlir.ir.OpAttributeMap", sizeof(py_attributes), 0, CLOSED,
                               map_slots};

const py_class_row py_list_classes[] = {
    {PY_LIST, &list_spec, -1},
    {PY_OPERAND_LIST, &operands_spec, PY_LIST},
    {PY_RESULT_LIST, &results_spec, PY_LIST},
    {PY_REGION_LIST, &regions_spec, PY_LIST},
    {PY_SUCCESSOR_LIST, &successors_spec, PY_LIST},
    {PY_BLOCK_LIST, &blocks_spec, PY_LIST},
    {PY_OPERATION_LIST, &operations_spec, PY_LIST},
    {PY_ARGUMENT_LIST, &arguments_spec, PY_LIST},
    {PY_ITERATOR, &iterator_spec, -1},
    {PY_ATTRIBUTE_MAP, &map_spec, -1},
    {0},
};
