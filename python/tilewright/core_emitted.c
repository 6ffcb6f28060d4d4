/* core_emitted.c: calls of compiled programs that were emitted as C++. */
#include "core_eager.h"

#include <string.h>

#include "core_program.h"

enum { MAX_RESULTS = 256 };

typedef int64_t emitted_call(const tw_eager_api *api, const char *name,
                             const tw_tensor *inputs, size_t n, tw_tensor *results,
                             size_t capacity, char *error, size_t size);

/* The tensors of a list with values on the host; the number, or -1 after an exception. */
static Py_ssize_t collect(PyObject *list, tw_tensor *out)
{
    const Py_ssize_t n = PyList_Size(list);
    if (n > MAX_RESULTS) {
        PyErr_Format(PyExc_ValueError, "%zd tensors; the most is %d", n, MAX_RESULTS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = PyList_GetItem(list, i);
        if (PyObject_IsInstance(o, (PyObject *)core_eager.base) != 1) {
            PyErr_Format(PyExc_TypeError, "input %zd is no tensor of ttnn", i);
            return -1;
        }
        eager_tensor *t = (eager_tensor *)o;
        PyObject *values =
            t->stale || !t->tensor.data ? PyObject_CallMethod(o, "values", NULL) : NULL;
        if ((t->stale || !t->tensor.data) && !values)
            return -1;
        Py_XDECREF(values);
        out[i] = t->tensor;
    }
    return n;
}

/* The memory config of a placement: one of the two plain ones, or a new one. */
static PyObject *memory_of(const tw_placement *p)
{
    if (p->sharding == TW_INTERLEAVED)
        return Py_NewRef(p->space == TW_IN_L1 ? core_eager.l1 : core_eager.dram);
    PyObject *cores = PyList_New(0);
    for (size_t i = 0; cores && i < p->n_cores; i++) {
        const tw_cores *c = &p->cores[i];
        PyObject *one = Py_BuildValue("(iiii)", c->x0, c->y0, c->x1, c->y1);
        if (!one || PyList_Append(cores, one) < 0)
            Py_CLEAR(cores);
        Py_XDECREF(one);
    }
    PyObject *made =
        cores ? PyObject_CallFunction(core_eager.memory_of, "ii(LL)OO", (int)p->space,
                                      (int)p->sharding, (long long)p->shard[0],
                                      (long long)p->shard[1],
                                      p->by_columns ? Py_True : Py_False, cores)
              : NULL;
    Py_XDECREF(cores);
    return made;
}

static PyObject *results_of(const tw_tensor *results, size_t n, PyObject *device)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++) {
        const tw_tensor *r = &results[i];
        PyObject *memory = list ? memory_of(&r->placement) : NULL;
        PyObject *made =
            memory ? core_tensor_of(r, memory,
                                    r->placement.space == TW_ON_HOST ? Py_None : device)
                   : NULL;
        if (!made)
            tw_eager_free(r->data);
        if (list && (!made || PyList_Append(list, made) < 0))
            Py_CLEAR(list);
        Py_XDECREF(made);
        Py_XDECREF(memory);
    }
    return list;
}

/* ttnn_call_emitted(address of tw_emitted_call, program, tensors or None, device) */
static PyObject *call_emitted(PyObject *module, PyObject *args)
{
    static tw_tensor inputs[MAX_RESULTS], results[MAX_RESULTS];
    static tw_eager_api api; /* a library frees its cached constants with it, at exit */
    char error[1024] = "";
    PyObject *address, *list, *device;
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "OsOO", &address, &name, &list, &device))
        return NULL;
    emitted_call *call = (emitted_call *)PyLong_AsVoidPtr(address);
    const Py_ssize_t n = !call ? -1 : list == Py_None ? 0 : collect(list, inputs);
    if (n < 0)
        return NULL;
    api = tw_eager_table(core_eager.session);
    const int64_t made = call(&api, name, list == Py_None ? NULL : inputs, (size_t)n,
                              results, MAX_RESULTS, error, sizeof error);
    if (made < 0) {
        PyErr_SetString(PyExc_RuntimeError, error);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) { /* operations may have modified them in place */
        PyObject *done =
            PyObject_CallMethod(PyList_GetItem(list, i), "written_on_host", NULL);
        Py_XDECREF(done);
        PyErr_Clear();
    }
    return results_of(results, (size_t)made, device);
}

/* ttnn_cpp(): ([(name, what it returns, its parameters)], [(class, type, fields)]) */
static PyObject *cpp_rows(PyObject *module, PyObject *unused)
{
    PyObject *functions = PyList_New(0), *records = PyList_New(0), *one = NULL;
    const tw_record *r;
    (void)module;
    (void)unused;
    bool ok = functions && records;
    for (size_t i = 0; ok && i < tw_function_count(TW_CPP); i++) {
        const tw_function *f = tw_function_at(TW_CPP, i);
        one = Py_BuildValue("(ssn)", f->name, f->n_results ? f->returns : "nothing",
                            (Py_ssize_t)f->n_parameters);
        ok = one && PyList_Append(functions, one) == 0;
        Py_XDECREF(one);
    }
    for (size_t i = 0; ok && (r = tw_record_at(TW_CPP, i)); i++) {
        PyObject *fields = PyTuple_New((Py_ssize_t)r->n_fields);
        for (size_t k = 0; fields && k < r->n_fields; k++)
            PyTuple_SetItem(fields, (Py_ssize_t)k, PyUnicode_FromString(r->fields[k]));
        one = fields ? Py_BuildValue("(ssN)", r->name, r->type, fields) : NULL;
        ok = one && PyList_Append(records, one) == 0;
        Py_XDECREF(one);
    }
    if (ok)
        return Py_BuildValue("(NN)", functions, records);
    Py_XDECREF(functions);
    Py_XDECREF(records);
    return NULL;
}

static PyMethodDef methods[] = {
    {"ttnn_call_emitted", call_emitted, METH_VARARGS,
     "ttnn_call_emitted(address, program, tensors, device): its results."},
    {"ttnn_cpp", cpp_rows, METH_NOARGS,
     "ttnn_cpp(): rows of functions and configurations."},
    {0},
};

int core_emitted_add(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
