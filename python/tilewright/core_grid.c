/* core_grid.c: tilewright/grid.h for Python: functions on capsules, which tilewright.sim
 * wraps in classes. Host arrays are passed by address; sim.py has checked them. */
#define PY_SSIZE_T_CLEAN
#include "core_grid.h"

#include "core_diagnostics.h"

#include "core_module.h"
#include "core_program.h"
#include "interrupt.h"
#include "ints.h"
#include "support/arena.h"
#include "tilewright/debug.h"
#include "tilewright/grid.h"
#include "tilewright/search.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char grid_tag[] = "tw_grid", tensor_tag[] = "tw_grid_tensor",
                  kernels_tag[] = "tw_kernels", launch_tag[] = "tw_launch";

static void end_grid(PyObject *c)
{
    tw_grid_close(PyCapsule_GetPointer(c, grid_tag));
}
static void end_tensor(PyObject *c)
{
    tw_grid_tensor_destroy(PyCapsule_GetPointer(c, tensor_tag));
}
static void end_kernels(PyObject *c)
{
    tw_kernels_destroy(PyCapsule_GetPointer(c, kernels_tag));
}
static void end_launch(PyObject *c)
{
    tw_launch_destroy(PyCapsule_GetPointer(c, launch_tag));
}

/* ---- grid and tensors -------------------------------------------------------------- */

static PyObject *grid_open(PyObject *module, PyObject *args)
{
    tw_grid_options o = {0};
    unsigned long long seed, budget;
    int numerics, profile, no_races;
    PyObject *diagnostics = Py_None;
    tw_grid *grid;

    (void)module;
    if (!PyArg_ParseTuple(args, "zKKipip|O", &o.chip, &seed, &budget, &numerics, &profile,
                          &o.threads, &no_races, &diagnostics)) {
        return NULL;
    }
    if (diagnostics != Py_None && !(o.diagnostics = core_diagnostics_of(diagnostics))) {
        return NULL;
    }
    o.seed = seed;
    o.budget = budget;
    o.numerics = (tw_numerics)numerics;
    o.profile = profile != 0;
    o.no_races = no_races != 0;
    tw_status status = tw_grid_open(&o, &grid);
    return status ? core_raise(status) : PyCapsule_New(grid, grid_tag, end_grid);
}

static PyObject *grid_size(PyObject *module, PyObject *capsule)
{
    tw_grid *grid = PyCapsule_GetPointer(capsule, grid_tag);
    int rows, columns;

    (void)module;
    if (!grid) {
        return NULL;
    }
    tw_grid_size(grid, &rows, &columns);
    return Py_BuildValue("ii", rows, columns);
}

static PyObject *grid_set_seed(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    unsigned long long seed;
    tw_grid *grid;

    (void)module;
    if (!PyArg_ParseTuple(args, "OK", &capsule, &seed) ||
        !(grid = PyCapsule_GetPointer(capsule, grid_tag))) {
        return NULL;
    }
    tw_grid_set_seed(grid, seed);
    Py_RETURN_NONE;
}

static PyObject *tensor_create(PyObject *module, PyObject *args)
{
    PyObject *capsule, *dims, *shards;
    tw_grid *grid;
    tw_grid_layout layout = {0};
    tw_grid_tensor *tensor;
    int dtype, tiled, memory;
    int64_t shard[7] = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OiOpiO", &capsule, &dtype, &dims, &tiled, &memory,
                          &shards) ||
        !(grid = PyCapsule_GetPointer(capsule, grid_tag))) {
        return NULL;
    }
    Py_ssize_t rank = py_ints_into(dims, layout.dims, 8);
    if (rank < 0 || py_ints_into(shards, shard, 7) < 0) {
        return NULL;
    }
    layout.rank = (int)rank;
    layout.dtype = (tw_dtype)dtype;
    layout.tiled = tiled != 0;
    layout.memory = (tw_grid_memory)memory;
    layout.shard_rows = (int)shard[0];
    layout.shard_columns = (int)shard[1];
    layout.core_row = (int)shard[2];
    layout.core_column = (int)shard[3];
    layout.core_columns = (int)shard[4];
    layout.shard_height = shard[5];
    layout.shard_width = shard[6];
    tw_status status = tw_grid_tensor_create(grid, &layout, &tensor);
    return status ? core_raise(status) : PyCapsule_New(tensor, tensor_tag, end_tensor);
}

/* (tensor, dtype, address), for both directions. */
static PyObject *move(PyObject *args, int write)
{
    PyObject *capsule;
    tw_grid_tensor *tensor;
    int dtype;
    unsigned long long address;

    if (!PyArg_ParseTuple(args, "OiK", &capsule, &dtype, &address) ||
        !(tensor = PyCapsule_GetPointer(capsule, tensor_tag))) {
        return NULL;
    }
    void *data = (void *)(uintptr_t)address;
    tw_status status = write ? tw_grid_tensor_write(tensor, (tw_dtype)dtype, data)
                             : tw_grid_tensor_read(tensor, (tw_dtype)dtype, data);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *tensor_write(PyObject *module, PyObject *args)
{
    (void)module;
    return move(args, 1);
}

static PyObject *tensor_read(PyObject *module, PyObject *args)
{
    (void)module;
    return move(args, 0);
}

static PyObject *tensor_empty(PyObject *module, PyObject *capsule)
{
    tw_grid_tensor *tensor = PyCapsule_GetPointer(capsule, tensor_tag);
    tw_status status = tensor ? tw_grid_tensor_empty(tensor) : NULL;

    (void)module;
    if (!tensor || status) {
        return status ? core_raise(status) : NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *tensor_place(PyObject *module, PyObject *capsule)
{
    tw_grid_tensor *tensor = PyCapsule_GetPointer(capsule, tensor_tag);

    (void)module;
    return tensor ? Py_BuildValue("Kn", (unsigned long long)tw_grid_tensor_address(tensor),
                                  (Py_ssize_t)tw_grid_tensor_page_bytes(tensor))
                  : NULL;
}

/* ---- kernels ----------------------------------------------------------------------- */

static PyObject *kernels_load(PyObject *module, PyObject *args)
{
    PyObject *capsule, *source;
    const char *text = NULL, *name;
    Py_ssize_t size = 0;
    tw_grid *grid;
    tw_kernels *kernels;
    tw_module *taken = NULL;
    tw_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOz", &capsule, &source, &name) ||
        !(grid = PyCapsule_GetPointer(capsule, grid_tag)) ||
        !(core_is_module(source) ? (taken = core_module_take(source)) != NULL
                                 : (text = PyUnicode_AsUTF8AndSize(source, &size)) != NULL))
        return NULL;
    status = taken ? tw_kernels_of_module(grid, taken, name, &kernels)
                   : tw_kernels_load(grid, text, (size_t)size, name, &kernels);
    return status ? core_raise(status) : PyCapsule_New(kernels, kernels_tag, end_kernels);
}

static PyObject *kernel_api_write(PyObject *module, PyObject *folder)
{
    const char *path = PyUnicode_AsUTF8AndSize(folder, NULL);
    tw_status status = path ? tw_kernel_api_write(path) : TW_SUCCESS;

    (void)module;
    if (!path)
        return NULL;
    if (status)
        return core_raise(status);
    Py_RETURN_NONE;
}

static PyObject *kernels_list(PyObject *module, PyObject *capsule)
{
    tw_kernels *kernels = PyCapsule_GetPointer(capsule, kernels_tag);
    PyObject *list = kernels ? PyList_New(0) : NULL;

    (void)module;
    for (size_t i = 0; list && i < tw_kernels_count(kernels); i++) {
        bool compute = tw_kernels_kind(kernels, i) == TW_KERNEL_COMPUTE;
        PyObject *item =
            Py_BuildValue("ss", tw_kernels_name(kernels, i), compute ? "compute" : "noc");
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *kernels_add_cpp(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    tw_cpp_kernel kernel = {0};
    Py_ssize_t size;
    int compute;
    tw_kernels *kernels;

    (void)module;
    if (!PyArg_ParseTuple(args, "Osps#zz", &capsule, &kernel.name, &compute, &kernel.text,
                          &size, &kernel.path, &kernel.defines) ||
        !(kernels = PyCapsule_GetPointer(capsule, kernels_tag))) {
        return NULL;
    }
    kernel.kind = compute ? TW_KERNEL_COMPUTE : TW_KERNEL_DATA;
    kernel.size = (size_t)size;
    tw_status status = tw_kernels_add_cpp(kernels, &kernel);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

/* ---- launches ---------------------------------------------------------------------- */

/* Memory of one call, freed together. */
typedef struct scratch {
    void **at;
    size_t n, capacity;
} scratch;

static void *allocate(scratch *s, size_t size)
{
    void *p = PyMem_Calloc(1, size + 1);

    if (!p) {
        PyErr_NoMemory();
        return NULL;
    }
    TW_PUSH(s->at, s->n, s->capacity, p);
    return p;
}

/* A flat list of kind, value, kind, value, ... */
static int arguments(scratch *s, PyObject *list, const tw_kernel_arg **out, size_t *out_n)
{
    Py_ssize_t n = PySequence_Size(list);
    int64_t *flat = n < 0 ? NULL : allocate(s, (size_t)n * sizeof *flat);
    tw_kernel_arg *to = flat ? allocate(s, (size_t)n * sizeof *to) : NULL;

    if (!to || py_ints_into(list, flat, n) < 0) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < n / 2; i++) {
        to[i] = (tw_kernel_arg){(tw_kernel_arg_kind)flat[2 * i], flat[2 * i + 1]};
    }
    *out = to;
    *out_n = (size_t)n / 2;
    return 0;
}

/* (name, (row, column, rows, columns), compile, common, args, args per core, (noc,
 * fidelity, wide, full_sync, approximate), unpack_to_dst, tensor_pages); args per core < 0:
 * one list for all cores */
static int read_kernel(scratch *s, PyObject *item, tw_kernel_run *k)
{
    PyObject *compile, *common, *args;
    int wide, full, approximate, pages;
    Py_ssize_t per_core;
    unsigned long long unpack;

    if (!PyArg_ParseTuple(item, "s(iiii)OOOn(iippp)Kp", &k->function, &k->row, &k->column,
                          &k->rows, &k->columns, &compile, &common, &args, &per_core,
                          &k->noc, &k->fidelity, &wide, &full, &approximate, &unpack,
                          &pages) ||
        arguments(s, compile, &k->compile_args, &k->n_compile_args) < 0 ||
        arguments(s, common, &k->common_args, &k->n_common_args) < 0 ||
        arguments(s, args, &k->args, &k->n_args) < 0) {
        return -1;
    }
    k->wide_dst = wide != 0;
    k->full_sync = full != 0;
    k->approximate = approximate != 0;
    k->unpack_to_dst = unpack;
    k->tensor_pages = pages != 0;
    if (per_core >= 0) {
        if (k->rows <= 0 || k->columns <= 0 ||
            k->n_args != (size_t)per_core * (size_t)k->rows * (size_t)k->columns) {
            PyErr_Format(PyExc_ValueError, "@%s: every core needs %zd arguments",
                         k->function, per_core);
            return -1;
        }
        k->args_per_core = true;
        k->n_args = (size_t)per_core;
    }
    return 0;
}

/* (port, dtype, pages, page_bytes, tensor or -1, name) */
static int read_cb(PyObject *item, tw_cb_config *c)
{
    int dtype;
    long long pages;
    Py_ssize_t page;

    if (!PyArg_ParseTuple(item, "iiLniz", &c->port, &dtype, &pages, &page, &c->tensor,
                          &c->name)) {
        return -1;
    }
    c->dtype = (tw_dtype)dtype;
    c->pages = pages;
    c->page_bytes = (size_t)page;
    c->aliases = c->tensor >= 0;
    return 0;
}

static int read_spec(scratch *s, PyObject *kernels, PyObject *cbs, PyObject *tensors,
                     PyObject *semaphores, tw_launch_spec *out)
{
    Py_ssize_t nk = PyTuple_Size(kernels), nc = PyTuple_Size(cbs),
               nt = PyTuple_Size(tensors), ns = PyTuple_Size(semaphores);

    if (nk < 0 || nc < 0 || nt < 0 || ns < 0 || nk > 64) {
        PyErr_SetString(PyExc_ValueError, "tuples are needed, of at most 64 kernels");
        return -1;
    }
    tw_kernel_run *k = allocate(s, (size_t)nk * sizeof *k);
    tw_cb_config *c = allocate(s, (size_t)nc * sizeof *c);
    tw_grid_tensor **t = allocate(s, (size_t)nt * sizeof(void *));
    uint32_t *values = allocate(s, (size_t)ns * sizeof *values);
    if (!k || !c || !t || !values) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < nk; i++) {
        if (read_kernel(s, PyTuple_GetItem(kernels, i), &k[i]) < 0) {
            return -1;
        }
    }
    for (Py_ssize_t i = 0; i < nc; i++) {
        if (read_cb(PyTuple_GetItem(cbs, i), &c[i]) < 0) {
            return -1;
        }
    }
    for (Py_ssize_t i = 0; i < nt; i++) {
        t[i] = PyCapsule_GetPointer(PyTuple_GetItem(tensors, i), tensor_tag);
        if (!t[i]) {
            return -1;
        }
    }
    for (Py_ssize_t i = 0; i < ns; i++) {
        values[i] = (uint32_t)PyLong_AsUnsignedLongMask(PyTuple_GetItem(semaphores, i));
    }
    *out =
        (tw_launch_spec){k, (size_t)nk, c, (size_t)nc, t, (size_t)nt, values, (size_t)ns};
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *launch_create(PyObject *module, PyObject *args)
{
    PyObject *capsule, *kernels, *cbs, *tensors, *semaphores;
    tw_kernels *of;
    tw_launch *launch = NULL;
    tw_launch_spec spec;
    scratch s = {.n = 0};
    tw_status status = NULL;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!O!O!", &capsule, &PyTuple_Type, &kernels,
                          &PyTuple_Type, &cbs, &PyTuple_Type, &tensors, &PyTuple_Type,
                          &semaphores) ||
        !(of = PyCapsule_GetPointer(capsule, kernels_tag))) {
        return NULL;
    }
    int ok = read_spec(&s, kernels, cbs, tensors, semaphores, &spec) == 0;
    if (ok) {
        status = tw_launch_create(of, &spec, &launch);
    }
    while (s.n) {
        PyMem_Free(s.at[--s.n]);
    }
    free(s.at);
    return !ok      ? NULL
           : status ? core_raise(status)
                    : PyCapsule_New(launch, launch_tag, end_launch);
}

/* Returns True, or False if errors were reported for the kernels. */
static PyObject *launch_run(PyObject *module, PyObject *capsule)
{
    tw_launch *launch = PyCapsule_GetPointer(capsule, launch_tag);
    tw_status status;

    (void)module;
    if (!launch) {
        return NULL;
    }
    const volatile int *flag = py_interrupt_begin();
    tw_launch_set_cancel(launch, flag);
    Py_BEGIN_ALLOW_THREADS status = tw_launch_run(launch);
    Py_END_ALLOW_THREADS py_interrupt_end(flag);
    if (status && tw_launch_report_count(launch)) {
        tw_status_free(status);
        Py_RETURN_FALSE;
    }
    if (status) {
        return core_raise(status);
    }
    if (tw_launch_report_count(launch)) {
        return PyLong_FromLong(2);
    }
    Py_RETURN_TRUE;
}

/* (launch, orders, seed): orders, distinct, pairs, broken, found, delays, tries, the delays
 * as text */
static PyObject *launch_explore(PyObject *module, PyObject *args)
{
    PyObject *of;
    unsigned long long orders, seed;
    tw_launch *launch;
    tw_explore_result r = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OKK", &of, &orders, &seed) ||
        !(launch = PyCapsule_GetPointer(of, launch_tag))) {
        return NULL;
    }
    const tw_explore_options options = {.orders = orders, .seed = seed};
    tw_status status;
    const volatile int *flag = py_interrupt_begin();
    tw_launch_set_cancel(launch, flag);
    Py_BEGIN_ALLOW_THREADS status = tw_launch_explore(launch, &options, &r);
    Py_END_ALLOW_THREADS tw_launch_set_cancel(launch, NULL);
    py_interrupt_end(flag);
    if (r.interrupted) {
        tw_status_free(status);
        py_interrupted();
        PyErr_Clear(); /* replaced by one with the figures so far */
        return PyErr_Format(PyExc_KeyboardInterrupt,
                            "interrupted after %llu of %llu orders with seed %llu, without "
                            "an error",
                            (unsigned long long)r.orders, orders, seed);
    }
    if (status && !r.broken) {
        return core_raise(status);
    }
    tw_status_free(status);
    return Py_BuildValue("KKKOKnKO&", (unsigned long long)r.orders,
                         (unsigned long long)r.distinct, (unsigned long long)r.pairs,
                         r.broken ? Py_True : Py_False, (unsigned long long)r.found,
                         (Py_ssize_t)r.delays, (unsigned long long)r.tries, core_text,
                         tw_launch_delays(launch));
}

/* ---- tuning ------------------------------------------------------------------------ */

enum { MAX_AXES = 16 };

static const char tune_tag[] = "tw_tune";

static void end_tune(PyObject *c)
{
    tw_tune_destroy(PyCapsule_GetPointer(c, tune_tag));
}

/* Indices of axes; their number, or -1. */
static Py_ssize_t read_indices(PyObject *list, size_t *out)
{
    int64_t values[MAX_AXES];
    Py_ssize_t n = py_ints_into(list, values, MAX_AXES);

    for (Py_ssize_t i = 0; i < n; i++) {
        out[i] = (size_t)values[i];
    }
    return n;
}

static PyObject *tune_create(PyObject *module, PyObject *args)
{
    PyObject *sizes, *start;
    Py_ssize_t runs;
    size_t n[MAX_AXES] = {0}, at[MAX_AXES] = {0};
    tw_tune *tune;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOn", &sizes, &start, &runs)) {
        return NULL;
    }
    Py_ssize_t axes = read_indices(sizes, n);
    if (axes < 0 || read_indices(start, at) < 0) {
        return NULL;
    }
    tw_status status = tw_tune_create(n, (size_t)axes, at, (size_t)runs, &tune);
    return status ? core_raise(status) : PyCapsule_New(tune, tune_tag, end_tune);
}

static PyObject *tune_next(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t axes;
    size_t point[MAX_AXES];
    tw_tune *tune;

    (void)module;
    if (!PyArg_ParseTuple(args, "On", &capsule, &axes) || axes > MAX_AXES ||
        !(tune = PyCapsule_GetPointer(capsule, tune_tag))) {
        return NULL;
    }
    if (!tw_tune_next(tune, point)) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New(axes);
    for (Py_ssize_t i = 0; list && i < axes; i++) {
        PyList_SetItem(list, i, PyLong_FromSize_t(point[i]));
    }
    return list;
}

static PyObject *tune_give(PyObject *module, PyObject *args)
{
    PyObject *capsule, *list;
    double cycles;
    size_t point[MAX_AXES];
    tw_tune *tune;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOd", &capsule, &list, &cycles) ||
        !(tune = PyCapsule_GetPointer(capsule, tune_tag)) ||
        read_indices(list, point) < 0) {
        return NULL;
    }
    tw_tune_give(tune, point, cycles);
    Py_RETURN_NONE;
}

/* [(what, file or None, line, twice, free)], and all as text, which a KeyboardInterrupt has
 * of what was measured before it */
static PyObject *launch_what_if(PyObject *module, PyObject *capsule)
{
    tw_launch *launch = PyCapsule_GetPointer(capsule, launch_tag);
    PyObject *list;

    (void)module;
    if (!launch) {
        return NULL;
    }
    tw_status status;
    const volatile int *flag = py_interrupt_begin();
    tw_launch_set_cancel(launch, flag);
    Py_BEGIN_ALLOW_THREADS status = tw_launch_what_if(launch, NULL);
    Py_END_ALLOW_THREADS tw_launch_set_cancel(launch, NULL);
    py_interrupt_end(flag);
    if (tw_status_code(status) == TW_CANCELLED && *tw_launch_help_text(launch)) {
        tw_status_free(status);
        py_interrupted();
        PyErr_Clear(); /* replaced by one with the table so far */
        PyErr_SetString(PyExc_KeyboardInterrupt, tw_launch_help_text(launch));
        return NULL;
    }
    if (status) {
        return core_raise(status);
    }
    list = PyList_New(0);
    for (size_t i = 0; list && tw_launch_help(launch, i); i++) {
        const tw_help *h = tw_launch_help(launch, i);
        PyObject *item = Py_BuildValue("O&O&Idd", core_text, h->what, core_text, h->file,
                                       h->line, h->twice, h->free);
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list ? Py_BuildValue("NO&", list, core_text, tw_launch_help_text(launch)) : NULL;
}

/* ---- the debugger ------------------------------------------------------------------ */

static const char stop_tag[] = "tw_stop", over_tag[] = "over";

typedef struct stop_caller {
    PyObject *call;                     /* of each stop */
    PyObject *type, *value, *traceback; /* what it raised */
} stop_caller;

/* Called without the interpreter's lock. An exception ends the run. */
static void call_on_stop(void *user, tw_stop *stop)
{
    stop_caller *c = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *capsule = PyCapsule_New(stop, stop_tag, NULL),
             *result =
                 capsule ? PyObject_CallFunctionObjArgs(c->call, capsule, NULL) : NULL;
    if (capsule) {
        PyCapsule_SetName(capsule, over_tag); /* it is valid during the call only */
    }
    Py_XDECREF(capsule);
    if (!result) {
        char *text;
        PyErr_Fetch(&c->type, &c->value, &c->traceback);
        tw_stop_command(stop, "quit", &text);
        free(text);
    }
    Py_XDECREF(result);
    PyGILState_Release(state);
}

/* (launch, breaks, function): as launch_run, and calls the function with each stop */
static PyObject *launch_debug(PyObject *module, PyObject *args)
{
    PyObject *of, *breaks, *call;
    tw_launch *launch;

    if (!PyArg_ParseTuple(args, "OO!O", &of, &PyTuple_Type, &breaks, &call) ||
        !(launch = PyCapsule_GetPointer(of, launch_tag))) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(breaks); i++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(breaks, i), NULL);
        tw_status status = text ? tw_launch_add_break(launch, text) : TW_SUCCESS;
        if (!text || status) {
            return text ? core_raise(status) : NULL;
        }
    }
    stop_caller caller = {.call = call};
    tw_launch_set_on_stop(launch, call_on_stop, &caller);
    PyObject *result = launch_run(module, of);
    tw_launch_set_on_stop(launch, NULL, NULL);
    if (caller.type) { /* replaces what ended the run */
        Py_XDECREF(result);
        PyErr_Clear();
        PyErr_Restore(caller.type, caller.value, caller.traceback);
        return NULL;
    }
    return result;
}

static tw_stop *stop_of(PyObject *capsule)
{
    tw_stop *stop = PyCapsule_GetPointer(capsule, stop_tag);

    if (!stop) {
        PyErr_SetString(PyExc_ValueError, "the run has gone on: this stop is over");
    }
    return stop;
}

/* (stop, command): what comes next, and the answer */
static PyObject *stop_command(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    const char *command;
    char *text;
    tw_stop *stop;

    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &command) || !(stop = stop_of(capsule))) {
        return NULL;
    }
    tw_stop_next next = tw_stop_command(stop, command, &text);
    PyObject *result = Py_BuildValue("iO&", (int)next, core_text, text);
    free(text);
    return result;
}

/* (stop): what it has, as JSON */
static PyObject *stop_describe(PyObject *module, PyObject *capsule)
{
    tw_stop *stop = stop_of(capsule);

    (void)module;
    if (!stop) {
        return NULL;
    }
    char *text = tw_stop_describe(stop);
    PyObject *result = PyUnicode_FromString(text);
    free(text);
    return result;
}

/* (launch): its run, or the next one, stops before the next line */
static PyObject *launch_pause(PyObject *module, PyObject *of)
{
    tw_launch *launch = PyCapsule_GetPointer(of, launch_tag);

    (void)module;
    if (!launch) {
        return NULL;
    }
    tw_launch_pause(launch);
    Py_RETURN_NONE;
}

/* (stop, buffer's name or number, tile), or (stop, None, tile of DST): bytes of 32x32 f32,
 * or None past the end */
static PyObject *stop_tile(PyObject *module, PyObject *args)
{
    enum { TILE = 1024 };
    PyObject *capsule;
    const char *name;
    int i;
    float tile[TILE];
    tw_stop *stop;

    (void)module;
    if (!PyArg_ParseTuple(args, "Ozi", &capsule, &name, &i) || !(stop = stop_of(capsule))) {
        return NULL;
    }
    int port = name ? tw_stop_port(stop, name) : -1;
    if (name && port < 0) {
        return PyErr_Format(PyExc_KeyError, "there is no circular buffer '%s' on this core",
                            name);
    }
    if (i < 0 ||
        !(name ? tw_stop_page(stop, port, (size_t)i, tile) : tw_stop_dst(stop, i, tile))) {
        Py_RETURN_NONE;
    }
    return PyBytes_FromStringAndSize((const char *)tile, sizeof tile);
}

/* (stop, i): the value, or None */
static PyObject *stop_semaphore(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    int i;
    uint32_t value;
    tw_stop *stop;

    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &i) || !(stop = stop_of(capsule))) {
        return NULL;
    }
    if (!tw_stop_semaphore(stop, i, &value)) {
        Py_RETURN_NONE;
    }
    return PyLong_FromUnsignedLong(value);
}

static PyObject *launch_set_delays(PyObject *module, PyObject *args)
{
    PyObject *of;
    const char *text, *name;
    Py_ssize_t size;
    tw_launch *launch;

    (void)module;
    if (!PyArg_ParseTuple(args, "Os#s", &of, &text, &size, &name) ||
        !(launch = PyCapsule_GetPointer(of, launch_tag))) {
        return NULL;
    }
    tw_status status = tw_launch_set_delays(launch, text, (size_t)size, name);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *launch_set_tensor(PyObject *module, PyObject *args)
{
    PyObject *of, *tensor;
    Py_ssize_t i;
    tw_launch *launch;
    tw_grid_tensor *to;

    (void)module;
    if (!PyArg_ParseTuple(args, "OnO", &of, &i, &tensor) ||
        !(launch = PyCapsule_GetPointer(of, launch_tag)) ||
        !(to = PyCapsule_GetPointer(tensor, tensor_tag))) {
        return NULL;
    }
    tw_status status = tw_launch_set_tensor(launch, (size_t)i, to);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *launch_set_arg(PyObject *module, PyObject *args)
{
    PyObject *of;
    Py_ssize_t kernel, i;
    int core;
    long long value;
    tw_launch *launch;

    (void)module;
    if (!PyArg_ParseTuple(args, "OninL", &of, &kernel, &core, &i, &value) ||
        !(launch = PyCapsule_GetPointer(of, launch_tag))) {
        return NULL;
    }
    tw_status status = tw_launch_set_arg(launch, (size_t)kernel, core, (size_t)i, value);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *launch_reports(PyObject *module, PyObject *capsule)
{
    tw_launch *launch = PyCapsule_GetPointer(capsule, launch_tag);
    PyObject *list = launch ? PyList_New(0) : NULL;

    (void)module;
    for (size_t i = 0; list && i < tw_launch_report_count(launch); i++) {
        const tw_grid_report *r = tw_launch_report(launch, i);
        PyObject *item =
            Py_BuildValue("{ss,sO,ss,sO&,ss,sO&,sI,sI,sO&,sO&,sI,sI,s(ii),si,sd}", "kind",
                          r->kind, "warning", r->warning ? Py_True : Py_False, "cores",
                          r->cores, "text", core_text, r->text, "kernel", r->kernel, "file",
                          core_text, r->file, "line", r->line, "column", r->column, "note",
                          core_text, r->note, "note_file", core_text, r->note_file,
                          "note_line", r->note_line, "note_column", r->note_column, "core",
                          r->row, r->column_of_core, "times", r->times, "cycle", r->cycle);
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

/* (log, profile, cycles, Perfetto's JSON, HTML page, table of zones) */
static PyObject *output_of(const tw_launch *launch)
{
    return Py_BuildValue("O&O&dO&O&O&", core_text, tw_launch_log(launch), core_shown,
                         tw_launch_profile(launch), tw_launch_cycles(launch), core_shown,
                         tw_launch_trace_json(launch), core_shown,
                         tw_launch_trace_html(launch), core_shown,
                         tw_launch_trace_csv(launch));
}

static PyObject *launch_output(PyObject *module, PyObject *capsule)
{
    tw_launch *launch = PyCapsule_GetPointer(capsule, launch_tag);

    (void)module;
    return launch ? output_of(launch) : NULL;
}

/* Appends the output of a launch to a list; a failure leaves it out. */
static void observe(void *list, const tw_launch *launch)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *output = output_of(launch);
    if (!output || PyList_Append(list, output) < 0)
        PyErr_Clear();
    Py_XDECREF(output);
    PyGILState_Release(state);
}

static PyObject *grid_observe(PyObject *module, PyObject *list)
{
    (void)module;
    if (list != Py_None && !PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "grid_observe: expected a list or None");
        return NULL;
    }
    tw_grid_engine_observe(list == Py_None ? NULL : observe, list);
    Py_RETURN_NONE;
}

static PyObject *elementwise(PyObject *module, PyObject *args)
{
    PyObject *list = PyList_New(0);
    tw_elementwise row;
    (void)module, (void)args;
    for (size_t i = 0; list && tw_elementwise_at(i, &row); i++) {
        PyObject *item =
            Py_BuildValue("(sizs)", row.name, row.operands, row.meaning, row.padding);
        if (!item || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *elementwise_value(PyObject *module, PyObject *args)
{
    const char *name;
    double x, y = 0, value;
    (void)module;
    if (!PyArg_ParseTuple(args, "sd|d", &name, &x, &y))
        return NULL;
    if (!tw_elementwise_value(name, x, y, &value))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(value);
}

static PyMethodDef functions[] = {
    {"elementwise", elementwise, METH_NOARGS,
     "elementwise(): name, operands, meaning or None and padding of each function of TTL"},
    {"elementwise_value", elementwise_value, METH_VARARGS,
     "elementwise_value(name, x, y=0): what the function makes of values, or None"},
    {"grid_open", grid_open, METH_VARARGS,
     "grid_open(chip, seed, budget, numerics, profile, threads, no_races, "
     "diagnostics=None)"},
    {"grid_size", grid_size, METH_O, "grid_size(grid): rows, columns"},
    {"grid_set_seed", grid_set_seed, METH_VARARGS, "grid_set_seed(grid, seed)"},
    {"tensor_create", tensor_create, METH_VARARGS,
     "tensor_create(grid, dtype, dims, tiled, memory, shards)"},
    {"tensor_write", tensor_write, METH_VARARGS, "tensor_write(tensor, dtype, address)"},
    {"tensor_read", tensor_read, METH_VARARGS, "tensor_read(tensor, dtype, address)"},
    {"tensor_empty", tensor_empty, METH_O,
     "tensor_empty(tensor): it counts as never written"},
    {"tensor_place", tensor_place, METH_O, "tensor_place(tensor): address, page's bytes"},
    {"kernels_load", kernels_load, METH_VARARGS,
     "kernels_load(grid, text or Module, name): a module is taken over"},
    {"kernels_list", kernels_list, METH_O, "kernels_list(kernels): names and kinds"},
    {"kernel_api_write", kernel_api_write, METH_O,
     "kernel_api_write(folder): the headers that kernels and their libraries include"},
    {"kernels_add_cpp", kernels_add_cpp, METH_VARARGS,
     "kernels_add_cpp(kernels, name, compute, text, path, defines)"},
    {"launch_create", launch_create, METH_VARARGS,
     "launch_create(kernels, runs, cbs, tensors, semaphores)"},
    {"launch_run", launch_run, METH_O,
     "launch_run(launch): False after errors, 2 after warnings"},
    {"launch_explore", launch_explore, METH_VARARGS,
     "launch_explore(launch, orders, seed): figures, and delays as text"},
    {"tune_create", tune_create, METH_VARARGS, "tune_create(sizes, start, runs)"},
    {"tune_next", tune_next, METH_VARARGS, "tune_next(tune, axes): a point or None"},
    {"tune_give", tune_give, METH_VARARGS, "tune_give(tune, point, cycles)"},
    {"launch_debug", launch_debug, METH_VARARGS,
     "launch_debug(launch, breaks, function): as launch_run; calls function(stop)"},
    {"stop_command", stop_command, METH_VARARGS, "stop_command(stop, command): next, text"},
    {"stop_describe", stop_describe, METH_O, "stop_describe(stop): JSON"},
    {"launch_pause", launch_pause, METH_O,
     "launch_pause(launch): its run, or the next one, stops before the next line"},
    {"stop_tile", stop_tile, METH_VARARGS,
     "stop_tile(stop, buffer or None for DST, i): bytes or None"},
    {"stop_semaphore", stop_semaphore, METH_VARARGS, "stop_semaphore(stop, i)"},
    {"launch_what_if", launch_what_if, METH_O,
     "launch_what_if(launch): what would help, as a list and as text"},
    {"launch_set_delays", launch_set_delays, METH_VARARGS,
     "launch_set_delays(launch, text, name)"},
    {"launch_set_tensor", launch_set_tensor, METH_VARARGS,
     "launch_set_tensor(launch, i, tensor)"},
    {"launch_set_arg", launch_set_arg, METH_VARARGS,
     "launch_set_arg(launch, kernel, core, i, value)"},
    {"launch_reports", launch_reports, METH_O, "launch_reports(launch): dicts"},
    {"grid_observe", grid_observe, METH_O,
     "grid_observe(list): appends launch_output() of each ttnn.generic that this thread "
     "runs from now on to the list, which the caller keeps until grid_observe(None)"},
    {"launch_output", launch_output, METH_O,
     "launch_output(launch): log, profile, cycles, JSON, HTML"},
    {0},
};

int core_grid_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
