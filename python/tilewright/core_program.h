/* core_program.h: tilewright._core.Program and Runner, shared by the files of the module.
 *
 * Tensors are passed by DLPack's C exchange table, which torch publishes as
 * torch.Tensor.__dlpack_c_exchange_api__: viewing a tensor costs no Python call and no
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
    const dl_exchange *exchange; /* NULL: runs over plain memory only */
    PyObject **held;             /* tensors whose memory constant arguments are, or NULL */
    PyObject *observer;          /* called for operations; see core_memory.h */
    PyObject *raised[3];         /* the exception it raised in the current run */
    PyThread_type_lock lock;     /* a program is used by one thread at a time */
    unsigned long holder;        /* thread that holds the lock; 0: none */
    tw_fork_watch fork;
    bool quick; /* its runs are too short for Ctrl-C to be watched */
} program_object;

/* State of the module. */
typedef struct core_state {
    PyTypeObject *program_type;
    PyTypeObject *runner_type;
    PyObject *refused; /* the RuntimeError for unsupported programs */
} core_state;

/* A text of the library for Python, decoded as file names are, since it may not be UTF-8;
 * None for NULL. A converter of Py_BuildValue's O&. */
PyObject *core_text(void *text);
/* The same for display, where Python cannot print such a name. */
PyObject *core_shown(void *text);
/* Raises the status as an exception and frees it; always NULL. */
PyObject *core_raise(tw_status status);
/* The same with the caller's exception where the status has no Python exception of its
 * own. */
PyObject *core_raise_as(tw_status status, PyObject *kind);

/* Initialises a program object that has no program yet. */
void core_program_init(program_object *self, const dl_exchange *exchange,
                       PyObject *observer);

extern PyType_Spec core_program_spec, core_runner_spec;

/* Waits for the program's lock, with the interpreter's lock released. */
void core_program_lock(program_object *self);
void core_program_unlock(program_object *self);

/* Waits for the program's lock, and runs. */
tw_status core_run(program_object *self, const void *const *inputs, void *const *outputs);
/* Runs with the program's lock held. */
tw_status core_run_holding(program_object *self, const void *const *inputs,
                           void *const *outputs);
/* Makes an argument constant. `tensor`, whose dense data these are, is kept as long as the
 * program reads its memory; with a stamp, other programs share what is made of it
 * (tw_program_share_constant). The lock is held. */
tw_status core_hold_constant(program_object *self, size_t i, PyObject *tensor,
                             const void *data, const uint64_t *stamp);
/* The memory of a dense tensor that matches the description, or NULL with an error set. */
void *core_dense_data(program_object *self, PyObject *tensor, const tw_tensor_desc *desc,
                      const char *what, Py_ssize_t i);
/* Program.runner(arguments, constants, results, mutated, fallback): the callable that torch
 * runs for a captured graph. */
PyObject *core_program_runner(program_object *self, PyObject *args);

#endif
