/* core_memory.c: programs over plain memory: anything with Python's buffer protocol. */
#define PY_SSIZE_T_CLEAN
#include "core_memory.h"

#include <string.h>

#include "buffer.h"
#include "ints.h"
#include "runtime/plan.h"

/* ---- signatures --------------------------------------------------------------------- */

/* Appends the item, whose reference it consumes. */
static bool append(PyObject *list, PyObject *item)
{
    bool done = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return done;
}

/* signature() -> ([(data type's enum value, shape)] of the arguments, the same of
 * results) */
PyObject *core_program_signature(program_object *self, PyObject *unused)
{
    (void)unused;
    PyObject *lists[2] = {PyList_New(0), PyList_New(0)};
    size_t n[2] = {tw_program_input_count(self->program),
                   tw_program_output_count(self->program)};
    bool ok = lists[0] && lists[1];
    for (size_t i = 0; ok && i < n[0] + n[1]; i++) {
        bool output = i >= n[0];
        const tw_tensor_desc *d = output ? tw_program_output(self->program, i - n[0])
                                         : tw_program_input(self->program, i);
        ok = append(lists[output], Py_BuildValue("(iN)", (int)d->dtype,
                                                 py_ints(d->dims, (size_t)d->rank)));
    }
    if (ok)
        return Py_BuildValue("(NN)", lists[0], lists[1]);
    Py_XDECREF(lists[0]);
    Py_XDECREF(lists[1]);
    return NULL;
}

/* ---- running ------------------------------------------------------------------------ */

typedef struct views {
    py_buffer *at;
    size_t n;
} views;

static void release(views *v)
{
    for (size_t i = 0; i < v->n; i++)
        PyBuffer_Release(&v->at[i]);
    PyMem_Free(v->at);
}

/* The memory of each tensor of the list; checks the sizes. */
static int collect(program_object *self, PyObject *list, size_t count, bool input, views *v)
{
    const char *what = input ? "argument" : "result";
    if (PySequence_Size(list) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_ValueError, "the program has %zu %ss, not %zd", count, what,
                     PySequence_Size(list));
        return -1;
    }
    v->at = PyMem_Malloc((count + 1) * sizeof *v->at);
    if (!v->at) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const tw_tensor_desc *d = input ? tw_program_input(self->program, i)
                                        : tw_program_output(self->program, i);
        PyObject *item = PySequence_GetItem(list, (Py_ssize_t)i);
        int failed = item ? PyObject_GetBuffer(item, &v->at[i],
                                               input ? PyBUF_SIMPLE : PyBUF_WRITABLE)
                          : -1;
        Py_XDECREF(item); /* the view keeps it */
        if (failed)
            return -1;
        v->n++;
        if ((size_t)v->at[i].len != d->bytes) {
            PyErr_Format(PyExc_ValueError, "%s %zu takes %zu bytes of %s, not %zd", what, i,
                         d->bytes, tw_dtype_name(d->dtype), v->at[i].len);
            return -1;
        }
    }
    return 0;
}

static PyObject *run_views(program_object *self, const views *in, const views *out)
{
    void **memory = PyMem_Malloc((in->n + out->n + 1) * sizeof *memory);
    if (!memory)
        return PyErr_NoMemory();
    for (size_t i = 0; i < in->n + out->n; i++)
        memory[i] = i < in->n ? in->at[i].buf : out->at[i - in->n].buf;
    tw_status status =
        core_run(self, (const void *const *)memory, (void *const *)memory + in->n);
    PyMem_Free(memory);
    if (self->raised[0]) { /* by the observer, which cancelled the run */
        tw_status_free(status);
        PyErr_Restore(self->raised[0], self->raised[1], self->raised[2]);
        memset(self->raised, 0, sizeof self->raised);
        return NULL;
    }
    if (status)
        return core_raise(status);
    Py_RETURN_NONE;
}

PyObject *core_program_run_memory(program_object *self, PyObject *args)
{
    PyObject *inputs, *outputs, *result = NULL;
    views in = {0}, out = {0};
    if (!PyArg_ParseTuple(args, "OO", &inputs, &outputs))
        return NULL;
    if (!collect(self, inputs, tw_program_input_count(self->program), true, &in) &&
        !collect(self, outputs, tw_program_output_count(self->program), false, &out))
        result = run_views(self, &in, &out);
    release(&in);
    release(&out);
    return result;
}

/* ---- observing ---------------------------------------------------------------------- */

static PyObject *tensors_of(const tw_op_event *event, size_t first, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = first; list && i < first + n; i++) {
        const tw_tensor_desc *d = &event->tensors[i];
        if (!append(list, Py_BuildValue("(NniN)", PyLong_FromVoidPtr(event->data[i]),
                                        (Py_ssize_t)d->bytes, (int)d->dtype,
                                        py_ints(d->dims, (size_t)d->rank))))
            Py_CLEAR(list);
    }
    return list;
}

void core_observer_notify(void *user, const tw_op_event *event)
{
    program_object *self = user;
    if (self->raised[0])
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *inputs = tensors_of(event, 0, event->n_inputs);
    PyObject *outputs = tensors_of(event, event->n_inputs, event->n_outputs);
    PyObject *result =
        inputs && outputs
            ? PyObject_CallFunction(self->observer, "sOLLOOnn", event->name,
                                    event->before ? Py_True : Py_False,
                                    (long long)event->program, (long long)event->operation,
                                    inputs, outputs, (Py_ssize_t)event->l1_bank_used,
                                    (Py_ssize_t)event->dram_bank_used)
            : NULL;
    Py_XDECREF(inputs);
    Py_XDECREF(outputs);
    if (!result)
        PyErr_Fetch(&self->raised[0], &self->raised[1], &self->raised[2]);
    Py_XDECREF(result);
    PyGILState_Release(state);
}

/* ---- moving ------------------------------------------------------------------------- */

/* Copies elements of any strides, in elements, row by row into dense memory. */
static void gather(char *to, const char *from, const int64_t *dims, const int64_t *strides,
                   int rank, size_t size)
{
    int64_t n = rank ? dims[0] : 1;
    size_t inner = size;
    for (int i = 1; i < rank; i++)
        inner *= (size_t)dims[i];
    for (int64_t i = 0; i < n; i++, to += inner) {
        const char *row = rank ? from + i * strides[0] * (int64_t)size : from;
        if (rank > 1)
            gather(to, row, dims + 1, strides + 1, rank - 1, size);
        else
            memcpy(to, row, size);
    }
}

/* gather(to, address, shape, strides, item size) */
static PyObject *gather_memory(PyObject *module, PyObject *args)
{
    enum { CAPACITY = 16 };
    PyObject *to, *address, *shape, *stride;
    Py_ssize_t size;
    int64_t dims[CAPACITY], strides[CAPACITY];
    py_buffer view;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOn", &to, &address, &shape, &stride, &size))
        return NULL;
    const void *from = PyLong_AsVoidPtr(address);
    Py_ssize_t rank = PyErr_Occurred() ? -1 : py_ints_into(shape, dims, CAPACITY);
    if (rank < 0 || py_ints_into(stride, strides, CAPACITY) < 0)
        return NULL;
    int64_t bytes = size;
    for (Py_ssize_t i = 0; i < rank; i++)
        bytes *= dims[i];
    if (PySequence_Size(stride) != rank || size < 1 || (bytes && !from))
        return PyErr_Format(
            PyExc_ValueError,
            "expected memory, and a stride for each dimension of the shape");
    if (PyObject_GetBuffer(to, &view, PyBUF_WRITABLE) < 0)
        return NULL;
    bool fits = view.len == bytes;
    if (fits && bytes)
        gather(view.buf, from, dims, strides, (int)rank, (size_t)size);
    PyBuffer_Release(&view);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "the shape takes %lld bytes",
                            (long long)bytes);
    Py_RETURN_NONE;
}

/* convert(to, its data type's enum value, from, its data type's enum value) */
static PyObject *convert_memory(PyObject *module, PyObject *args)
{
    PyObject *objects[2];
    int types[2];
    py_buffer views[2];
    (void)module;
    if (!PyArg_ParseTuple(args, "OiOi", &objects[0], &types[0], &objects[1], &types[1]))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (types[i] < 0 || types[i] >= TW_DTYPE_COUNT ||
            !tw_dtype_size((tw_dtype)types[i]))
            return PyErr_Format(PyExc_ValueError, "%d is no type of single elements",
                                types[i]);
    if (PyObject_GetBuffer(objects[0], &views[0], PyBUF_WRITABLE) < 0)
        return NULL;
    if (PyObject_GetBuffer(objects[1], &views[1], PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&views[0]);
        return NULL;
    }
    tw_dtype to = (tw_dtype)types[0], from = (tw_dtype)types[1];
    size_t n = (size_t)views[0].len / tw_dtype_size(to);
    bool same = n == (size_t)views[1].len / tw_dtype_size(from);
    if (same)
        rt_convert(from, views[1].buf, to, views[0].buf, n);
    PyBuffer_Release(&views[0]);
    PyBuffer_Release(&views[1]);
    if (!same)
        return PyErr_Format(PyExc_ValueError, "the two have different numbers of elements");
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"gather", gather_memory, METH_VARARGS,
     "gather(to, address, shape, strides, item_size): elements at any strides, dense."},
    {"convert", convert_memory, METH_VARARGS,
     "convert(to, type, from, type): elements in another type, as the device converts."},
    {0},
};

int core_memory_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
