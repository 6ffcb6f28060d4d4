/* core_ttnn_tensor.c: TensorBase, what ttnn.Tensor and eager calls share: shape, type,
 * placement and the host's data. */
#include "core_eager.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

#include "ints.h"

eager_python core_eager;

static void forget_data(eager_tensor *self)
{
    if (self->owned)
        tw_eager_free(self->tensor.data);
    self->owned = false;
    self->tensor.data = NULL;
    Py_CLEAR(self->host);
}

static void tensor_dealloc(PyObject *object)
{
    eager_tensor *self = (eager_tensor *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    forget_data(self);
    Py_CLEAR(self->device);
    Py_CLEAR(self->memory);
    free((void *)(uintptr_t)self->tensor.placement.cores);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static int tensor_traverse(PyObject *object, visitproc visit, void *arg)
{
    eager_tensor *self = (eager_tensor *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->host);
    Py_VISIT(self->device);
    Py_VISIT(self->memory);
    return 0;
}

static int tensor_clear(PyObject *object)
{
    eager_tensor *self = (eager_tensor *)object;
    Py_CLEAR(self->device);
    return 0;
}

/* ---- placements ---------------------------------------------------------------------- */

/* A memory config's _packed: space, sharding, by columns, shard's rows and columns, then
 * four for each rectangle of cores. */
bool core_placement(PyObject *memory, tw_placement *out, tw_cores *cores)
{
    enum { HEAD = 5 };
    int64_t numbers[HEAD + 4 * CORE_EAGER_CORES];
    PyObject *packed = PyObject_GetAttrString(memory, "_packed");
    const Py_ssize_t n =
        packed ? py_ints_into(packed, numbers, HEAD + 4 * CORE_EAGER_CORES) : -1;
    Py_XDECREF(packed);
    if (n < 0)
        return false;
    *out = (tw_placement){.space = (tw_space)numbers[0],
                          .sharding = (tw_sharding)numbers[1],
                          .by_columns = numbers[2] != 0,
                          .shard = {numbers[3], numbers[4]},
                          .n_cores = (size_t)(n - HEAD) / 4,
                          .cores = cores};
    for (size_t i = 0; i < out->n_cores; i++)
        cores[i] = (tw_cores){
            (int32_t)numbers[HEAD + 4 * i], (int32_t)numbers[HEAD + 4 * i + 1],
            (int32_t)numbers[HEAD + 4 * i + 2], (int32_t)numbers[HEAD + 4 * i + 3]};
    return true;
}

/* Sets the placement, with a copy of its cores. */
static bool keep_placement(eager_tensor *self, const tw_placement *p)
{
    const bool sharded = p->sharding != TW_INTERLEAVED && p->n_cores;
    tw_cores *cores = sharded ? malloc(p->n_cores * sizeof *cores) : NULL;
    if (sharded && !cores)
        return PyErr_NoMemory();
    if (sharded)
        memcpy(cores, p->cores, p->n_cores * sizeof *cores);
    free((void *)(uintptr_t)self->tensor.placement.cores);
    self->tensor.placement = *p;
    self->tensor.placement.cores = cores;
    return true;
}

PyObject *core_tensor_of(const tw_tensor *result, PyObject *memory, PyObject *device)
{
    eager_tensor *self = (eager_tensor *)PyType_GenericAlloc(core_eager.tensor, 0);
    if (!self)
        return NULL;
    self->tensor = *result;
    self->tensor.placement.cores = NULL;
    self->owned = true;
    self->device = Py_NewRef(device);
    self->memory = Py_NewRef(memory);
    if (!keep_placement(self, &result->placement))
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* ---- from and to Python -------------------------------------------------------------- */

static void replace(PyObject **slot, PyObject *value)
{
    PyObject *old = *slot;
    *slot = Py_NewRef(value);
    Py_XDECREF(old);
}

/* _set(dtype, tiled, shape, memory, device): everything but data. */
static PyObject *tensor_set(PyObject *object, PyObject *args)
{
    eager_tensor *self = (eager_tensor *)object;
    int dtype, tiled;
    PyObject *shape, *memory, *device;
    tw_cores cores[CORE_EAGER_CORES];
    tw_placement placement = {.space = TW_ON_HOST};
    if (!PyArg_ParseTuple(args, "ipOOO", &dtype, &tiled, &shape, &memory, &device))
        return NULL;
    self->tensor.dtype = (tw_dtype)dtype;
    self->tensor.tiled = tiled;
    Py_ssize_t rank = py_ints_into(shape, self->tensor.dims, TW_TENSOR_MAX_RANK);
    if (rank < 0 || (device != Py_None && !core_placement(memory, &placement, cores)) ||
        !keep_placement(self, &placement))
        return NULL;
    self->tensor.rank = (int)rank;
    replace(&self->memory, memory);
    replace(&self->device, device);
    Py_RETURN_NONE;
}

/* _lend(host, address): the host's tensor whose data this is; None: none. */
static PyObject *tensor_lend(PyObject *object, PyObject *args)
{
    eager_tensor *self = (eager_tensor *)object;
    PyObject *host, *address;
    if (!PyArg_ParseTuple(args, "OO", &host, &address))
        return NULL;
    void *data = host == Py_None ? NULL : PyLong_AsVoidPtr(address);
    if (PyErr_Occurred())
        return NULL;
    forget_data(self);
    self->tensor.data = data;
    self->host = host == Py_None ? NULL : Py_NewRef(host);
    Py_RETURN_NONE;
}

/* _view(host): a torch or NumPy tensor over the data; the tensor keeps both. */
static PyObject *tensor_view(PyObject *object, PyObject *host)
{
    eager_tensor *self = (eager_tensor *)object;
    replace(&self->host, host);
    Py_RETURN_NONE;
}

static void free_block(PyObject *capsule)
{
    tw_eager_free(PyCapsule_GetPointer(capsule, "tilewright.data"));
}

/* _take(): (owner of the data, its address, bytes): the data belongs to the owner from now
 * on; owner None where it is lent. */
static PyObject *tensor_take(PyObject *object, PyObject *unused)
{
    eager_tensor *self = (eager_tensor *)object;
    (void)unused;
    PyObject *owner = NULL;
    if (self->owned && self->tensor.data) {
        owner = PyCapsule_New(self->tensor.data, "tilewright.data", free_block);
        if (!owner)
            return NULL;
        self->owned = false;
    }
    return Py_BuildValue("(NNn)", owner ? owner : Py_NewRef(Py_None),
                         PyLong_FromVoidPtr(self->tensor.data),
                         (Py_ssize_t)tw_tensor_bytes(&self->tensor));
}

static PyObject *get_shape(PyObject *object, void *unused)
{
    const tw_tensor *t = &((eager_tensor *)object)->tensor;
    (void)unused;
    PyObject *shape = PyTuple_New(t->rank);
    for (int i = 0; shape && i < t->rank; i++) {
        PyObject *size = PyLong_FromLongLong(t->dims[i]);
        if (!size || PyTuple_SetItem(shape, i, size) < 0)
            Py_CLEAR(shape);
    }
    return shape;
}

static PyObject *get_dtype(PyObject *object, void *unused)
{
    (void)unused;
    PyObject *dtype = core_eager.dtypes[((eager_tensor *)object)->tensor.dtype];
    return Py_NewRef(dtype ? dtype : Py_None);
}

static PyObject *get_layout(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef(core_eager.layouts[((eager_tensor *)object)->tensor.tiled]);
}

static PyGetSetDef getters[] = {
    {"shape", get_shape, NULL, "The sizes of its dimensions.", NULL},
    {"dtype", get_dtype, NULL, "The data type of its elements.", NULL},
    {"layout", get_layout, NULL, "Tiles or rows.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"_host", T_OBJECT, offsetof(eager_tensor, host), READONLY, "The host's tensor."},
    {"_device", T_OBJECT, offsetof(eager_tensor, device), READONLY, "Its device."},
    {"_memory", T_OBJECT, offsetof(eager_tensor, memory), READONLY, "Its memory config."},
    {"_stale", T_BOOL, offsetof(eager_tensor, stale), 0, "The grid's copy is newer."},
    {"given_back", T_BOOL, offsetof(eager_tensor, given_back), 0, "It was deallocated."},
    {0},
};

static PyMethodDef methods[] = {
    {"_set", tensor_set, METH_VARARGS, "_set(dtype, tiled, shape, memory, device)"},
    {"_lend", tensor_lend, METH_VARARGS, "_lend(host, address): its data is the host's."},
    {"_view", tensor_view, METH_O, "_view(host): keeps a view of its data."},
    {"_take", tensor_take, METH_NOARGS, "_take(): (owner, address, bytes) of its data."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_traverse, tensor_traverse},
    {Py_tp_clear, tensor_clear},
    {Py_tp_getset, getters},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The part of ttnn.Tensor that eager calls know."},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "tilewright._core.TensorBase",
    .basicsize = sizeof(eager_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int core_ttnn_tensor_add(PyObject *module)
{
    core_eager.base = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return core_eager.base
               ? PyModule_AddObjectRef(module, "TensorBase", (PyObject *)core_eager.base)
               : -1;
}
