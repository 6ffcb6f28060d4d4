/* core_program.h: tilewright._core.Program and Runner, for the files of the module.
 *
 * Tensors cross by DLPack's C exchange table, which torch publishes as
 * torch.Tensor.__dlpack_c_exchange_api__: a look into a tensor costs no Python call and no
 * allocation, and results are allocated by torch itself. */
#ifndef TILEWRIGHT_PYTHON_CORE_PROGRAM_H
#define TILEWRIGHT_PYTHON_CORE_PROGRAM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core_tensor.h"
#include "support/fork.h"
#include "tilewright/tilewright.h"

typedef struct program_object {
    PyObject_HEAD tw_program *program;
    const dl_exchange *exchange; /* NULL: it runs over plain memory only */
    PyObject *observer;          /* what it tells of operations; see core_memory.h */
    PyObject *raised[3];         /* what that raised in the run under way */
    PyThread_type_lock lock;     /* a program is used by one thread at a time */
    unsigned long holder;        /* of the lock; 0: none */
    tw_fork_watch fork;
    bool quick; /* its runs end before Ctrl-C could wait for them */
} program_object;

/* Of the module. */
typedef struct core_state {
    PyTypeObject *program_type;
    PyTypeObject *runner_type;
    PyObject *refused; /* the RuntimeError of a program that the compiler refuses */
} core_state;

/* A text of the library for Python, as names of files are there, which may be no UTF-8;
 * None for NULL.  A converter of Py_BuildValue's O&. */
PyObject *core_text(void *text);
/* The same to be shown, where Python can print no such name. */
PyObject *core_shown(void *text);
/* Raises what the status says and frees it; always NULL. */
PyObject *core_raise(tw_status status);
/* The same with the caller's exception for what is not one of Python's own kinds. */
PyObject *core_raise_as(tw_status status, PyObject *kind);

/* A program object before there is a program in it. */
void core_program_init(program_object *self, const dl_exchange *exchange,
                       PyObject *observer);

extern PyType_Spec core_program_spec, core_runner_spec;

/* Waits for the program's lock; the interpreter goes on meanwhile. */
void core_program_lock(program_object *self);
void core_program_unlock(program_object *self);

/* Waits for the program's lock, and runs. */
tw_status core_run(program_object *self, const void *const *inputs, void *const *outputs);
/* Runs with the program's lock held. */
tw_status core_run_holding(program_object *self, const void *const *inputs,
                           void *const *outputs);
/* The memory of a dense tensor that fits the description, or NULL with an error set. */
void *core_dense_data(program_object *self, PyObject *tensor, const tw_tensor_desc *desc,
                      const char *what, Py_ssize_t i);
/* Program.runner(arguments, constants, results, mutated, apart): what torch calls for a
 * captured graph. */
PyObject *core_program_runner(program_object *self, PyObject *args);

#endif
