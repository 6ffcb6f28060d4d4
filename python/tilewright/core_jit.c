/* core_jit.c: runs compiled programs on ttnn's tensors, for functions that ttnn_jit
 * compiled. */
#include "core_jit.h"

#include "core_eager.h"
#include "core_program.h"

#include <stdlib.h>

enum { JIT_VALUES_MAX = 256 };

/* The tensor's values in memory, read back from the grid if they are newer there; NULL
 * after an exception. */
static const void *values_of(PyObject *object, const tw_tensor_desc *desc, Py_ssize_t i)
{
    const int is_tensor = PyObject_IsInstance(object, (PyObject *)core_eager.base);
    if (is_tensor <= 0) {
        if (is_tensor == 0)
            PyErr_Format(PyExc_TypeError, "argument %zd: expected a ttnn.Tensor", i);
        return NULL;
    }
    eager_tensor *t = (eager_tensor *)object;
    if (t->stale || t->given_back || !t->tensor.data) {
        PyObject *read = PyObject_CallMethod(object, "values", NULL);
        if (!read)
            return NULL;
        Py_DECREF(read);
    }
    if (tw_tensor_bytes(&t->tensor) != desc->bytes) {
        PyErr_Format(PyExc_ValueError,
                     "argument %zd: expected a tensor of %zu bytes, found %zu", i,
                     desc->bytes, tw_tensor_bytes(&t->tensor));
        return NULL;
    }
    return t->tensor.data;
}

/* Memory for a result like `t`. */
static void *room_for(const tw_tensor *t)
{
    void *data = tw_eager_allocate(tw_tensor_bytes(t));
    if (!data)
        PyErr_NoMemory();
    return data;
}

static PyObject *results_of(PyObject *like, void **data, Py_ssize_t n)
{
    PyObject *all = PyTuple_New(n);
    for (Py_ssize_t i = 0; i < n; i++) {
        const eager_tensor *t = (eager_tensor *)PyTuple_GetItem(like, i);
        tw_tensor made = t->tensor;
        made.data = data[i];
        PyObject *one = all ? core_tensor_of(&made, t->memory, t->device) : NULL;
        if (!one)
            tw_eager_free(data[i]);
        if (all && (!one || PyTuple_SetItem(all, i, one) < 0))
            Py_CLEAR(all);
    }
    return all;
}

/* ttnn_run(program, tensors, like): the results, a tuple; each has the metadata of the
 * tensor in `like` at its index. */
static PyObject *run(PyObject *module, PyObject *args)
{
    PyObject *program, *tensors, *like;
    const core_state *state = PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "O!O!O!", state->program_type, &program, &PyTuple_Type,
                          &tensors, &PyTuple_Type, &like))
        return NULL;
    program_object *self = (program_object *)program;
    const Py_ssize_t ins = PyTuple_Size(tensors), outs = PyTuple_Size(like);
    if ((size_t)ins != tw_program_input_count(self->program) ||
        (size_t)outs != tw_program_output_count(self->program) ||
        ins + outs > JIT_VALUES_MAX)
        return PyErr_Format(
            PyExc_ValueError,
            "the program has %zu arguments and %zu results, not %zd and %zd",
            tw_program_input_count(self->program), tw_program_output_count(self->program),
            ins, outs);
    const void *inputs[JIT_VALUES_MAX];
    void *outputs[JIT_VALUES_MAX];
    for (Py_ssize_t i = 0; i < ins; i++)
        if (!(inputs[i] = values_of(PyTuple_GetItem(tensors, i),
                                    tw_program_input(self->program, (size_t)i), i)))
            return NULL;
    Py_ssize_t made = 0;
    for (; made < outs; made++) {
        PyObject *one = PyTuple_GetItem(like, made);
        if (PyObject_IsInstance(one, (PyObject *)core_eager.base) != 1 ||
            !(outputs[made] = room_for(&((eager_tensor *)one)->tensor)))
            break;
    }
    tw_status status = made == outs ? core_run(self, inputs, outputs) : TW_SUCCESS;
    if (made == outs && !status)
        return results_of(like, outputs, outs);
    while (made-- > 0)
        tw_eager_free(outputs[made]);
    if (!status && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "ttnn_run: expected tensors like the results");
    return status ? core_raise(status) : NULL;
}

static PyMethodDef methods[] = {
    {"ttnn_run", run, METH_VARARGS,
     "ttnn_run(program, tensors, like): a tuple of results, each with the metadata of the "
     "tensor in `like` at its index."},
    {0},
};

int core_jit_add(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
