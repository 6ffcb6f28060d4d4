/* core_eager.h: ttnn's tensors and functions in Python. */
#ifndef TILEWRIGHT_CORE_EAGER_H
#define TILEWRIGHT_CORE_EAGER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tilewright/eager.h"

/* A tensor of Python: the base of ttnn.Tensor. */
typedef struct eager_tensor {
    PyObject_HEAD tw_tensor tensor; /* the shards' cores are its own */
    PyObject *host;                 /* torch's or NumPy's tensor with the data, or NULL */
    PyObject *device, *memory;      /* ttnn's objects; device may be None */
    bool owned;                     /* the data is the tensor's own */
    bool stale;                     /* the grid's copy is newer: values() reads it */
    bool given_back;                /* deallocated */
} eager_tensor;

/* What Python registers, and the session; one for the process. */
typedef struct eager_python {
    PyTypeObject *base;     /* TensorBase */
    PyTypeObject *tensor;   /* ttnn.Tensor */
    PyObject *memory_class; /* ttnn.MemoryConfig */
    PyObject *device_class, *enum_class, *record_class;
    PyObject *dtypes[TW_DTYPE_COUNT], *layouts[2];
    PyObject *dram, *l1; /* memory configs */
    PyObject *memory_of; /* (space, sharding, ...): a memory config */
    PyObject *record;    /* a list that gets each call, or NULL */
    tw_eager *session;
} eager_python;
extern eager_python core_eager;

/* The placement that a memory config says; `cores` has room for CORE_EAGER_CORES. False
 * after an exception. */
enum { CORE_EAGER_CORES = 64 };
bool core_placement(PyObject *memory, tw_placement *out, tw_cores *cores);

/* A tensor of a result, whose data it takes; NULL after an exception. `memory` and `device`
 * are borrowed. */
PyObject *core_tensor_of(const tw_tensor *result, PyObject *memory, PyObject *device);

/* A function's signature and meaning as its ml_doc; to be freed. NULL if memory is short.
 */
char *core_eager_signature(const tw_function *row);

/* core_ttnn_tensor.c, core_ttnn_rows.c and core_eager.c: add TensorBase and the functions
 * to the module. */
int core_ttnn_tensor_add(PyObject *module);
int core_ttnn_rows_add(PyObject *module);
int core_eager_add(PyObject *module);
int core_emitted_add(PyObject *module);

#endif
