/* core_program.c: tilewright._core.Program, a compiled program. */
#include "core_program.h"

#include "core_memory.h"
#include "interrupt.h"

#include <string.h>
#include <time.h>

/* A lock held by another thread of the parent would stay held in the child for ever. That
 * thread's unfinished run leaves the program in the state of a cancelled run. */
static void reset_in_child(tw_fork_watch *watch)
{
    program_object *self = TW_FORK_OWNER(watch, program_object, fork);

    if (self->holder == PyThread_get_thread_ident())
        return;
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK))
        PyThread_release_lock(self->lock);
    else
        self->lock = PyThread_allocate_lock();
    self->holder = 0;
    memset(self->raised, 0, sizeof self->raised);
}

void core_program_lock(program_object *self)
{
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    self->holder = PyThread_get_thread_ident();
}

void core_program_unlock(program_object *self)
{
    self->holder = 0;
    PyThread_release_lock(self->lock);
}

void core_program_init(program_object *self, const dl_exchange *exchange,
                       PyObject *observer)
{
    self->program = NULL;
    self->exchange = exchange;
    self->lock = PyThread_allocate_lock();
    self->holder = 0;
    tw_fork_watch_begin(&self->fork, reset_in_child);
    self->quick = false;
    self->held = NULL;
    memset(self->raised, 0, sizeof self->raised);
    self->observer = observer;
    Py_XINCREF(observer);
}

static void program_dealloc(program_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);

    tw_fork_watch_end(&self->fork);
    const size_t count = self->held ? tw_program_input_count(self->program) : 0;
    tw_program_destroy(self->program);
    for (size_t i = 0; i < count; i++) {
        Py_XDECREF(self->held[i]);
    }
    PyMem_Free(self->held);
    if (self->lock) {
        PyThread_free_lock(self->lock);
    }
    Py_XDECREF(self->observer);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Runs with the lock held. Watching for Ctrl-C costs a microsecond, so the first run
 * measures whether it is worth that. */
tw_status core_run_holding(program_object *self, const void *const *inputs,
                           void *const *outputs)
{
    enum { QUICK_NS = 20000000 };
    struct timespec start, end;
    tw_status status;
    const volatile int *flag = self->quick ? NULL : py_interrupt_begin();

    if (self->quick) {
        Py_BEGIN_ALLOW_THREADS status = tw_program_run(self->program, inputs, outputs);
        Py_END_ALLOW_THREADS return status;
    }
    tw_program_set_cancel(self->program, flag);
    clock_gettime(CLOCK_MONOTONIC, &start);
    Py_BEGIN_ALLOW_THREADS status = tw_program_run(self->program, inputs, outputs);
    Py_END_ALLOW_THREADS clock_gettime(CLOCK_MONOTONIC, &end);
    tw_program_set_cancel(self->program, NULL);
    py_interrupt_end(flag);
    self->quick =
        !status &&
        (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec < QUICK_NS;
    return status;
}

tw_status core_run(program_object *self, const void *const *inputs, void *const *outputs)
{
    core_program_lock(self);
    tw_status status = core_run_holding(self, inputs, outputs);
    core_program_unlock(self);
    return status;
}

void *core_dense_data(program_object *self, PyObject *tensor, const tw_tensor_desc *desc,
                      const char *what, Py_ssize_t i)
{
    dl_tensor view;

    if (!self->exchange) {
        PyErr_SetString(PyExc_TypeError, "the program was compiled for plain memory");
        return NULL;
    }
    if (self->exchange->tensor_from_object(tensor, &view) != 0 ||
        core_check_tensor(&view, desc, what, i) != 0) {
        return NULL;
    }
    if (!core_is_dense(&view)) {
        PyErr_Format(PyExc_ValueError, "%s %zd: the tensor is not contiguous", what, i);
        return NULL;
    }
    return core_data_of(&view);
}

tw_status core_hold_constant(program_object *self, size_t i, PyObject *tensor,
                             const void *data, const uint64_t *stamp)
{
    const size_t count = tw_program_input_count(self->program);

    if (!self->held) {
        self->held = PyMem_Calloc(count + 1, sizeof *self->held);
    }
    if (!self->held) {
        return tw_program_set_constant(self->program, i, data);
    }
    tw_status status = stamp ? tw_program_share_constant(self->program, i, data, *stamp)
                             : tw_program_borrow_constant(self->program, i, data);
    PyObject *former = self->held[i];
    if (!status) {
        Py_INCREF(tensor);
        self->held[i] = tensor;
        Py_XDECREF(former);
    }
    return status;
}

static PyObject *program_set_constant(program_object *self, PyObject *args)
{
    Py_ssize_t i;
    PyObject *tensor;

    if (!PyArg_ParseTuple(args, "nO", &i, &tensor)) {
        return NULL;
    }
    if (i < 0 || (size_t)i >= tw_program_input_count(self->program)) {
        return PyErr_Format(PyExc_IndexError, "the program has no argument %zd", i);
    }
    void *data = core_dense_data(self, tensor, tw_program_input(self->program, (size_t)i),
                                 "argument", i);
    if (!data && PyErr_Occurred()) {
        return NULL;
    }
    core_program_lock(self);
    tw_status status = core_hold_constant(self, (size_t)i, tensor, data, NULL);
    core_program_unlock(self);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

/* Addresses of a sequence of tensors; None marks a constant argument. */
static int addresses(program_object *self, PyObject *list, size_t count, bool is_input,
                     const void **out)
{
    if ((size_t)PySequence_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "the program has %zu %s, not %zd", count,
                     is_input ? "arguments" : "results", PySequence_Size(list));
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const tw_tensor_desc *desc = is_input ? tw_program_input(self->program, i)
                                              : tw_program_output(self->program, i);
        PyObject *item = PySequence_GetItem(list, (Py_ssize_t)i);
        if (!item) {
            return -1;
        }
        out[i] = item == Py_None
                     ? NULL
                     : core_dense_data(self, item, desc, is_input ? "argument" : "result",
                                       (Py_ssize_t)i);
        Py_DECREF(item); /* the list keeps it */
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    return 0;
}

static PyObject *program_run(program_object *self, PyObject *args)
{
    PyObject *inputs, *outputs;

    if (!PyArg_ParseTuple(args, "OO", &inputs, &outputs)) {
        return NULL;
    }
    size_t ins = tw_program_input_count(self->program);
    size_t outs = tw_program_output_count(self->program);
    const void **memory = PyMem_Malloc((ins + outs + 1) * sizeof(*memory));
    if (!memory) {
        return PyErr_NoMemory();
    }
    tw_status status = TW_SUCCESS;
    int failed = addresses(self, inputs, ins, true, memory) ||
                 addresses(self, outputs, outs, false, memory + ins);
    if (!failed) {
        status = core_run(self, memory, (void *const *)(memory + ins));
    }
    PyMem_Free(memory);
    if (failed) {
        return NULL;
    }
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *program_set_profiling(program_object *self, PyObject *on)
{
    int flag = PyObject_IsTrue(on);

    if (flag < 0) {
        return NULL;
    }
    tw_program_set_profiling(self->program, flag != 0);
    Py_RETURN_NONE;
}

static PyObject *program_cache_use(program_object *self, PyObject *unused)
{
    static const char *const names[] = {
        [TW_CACHE_NONE] = "none",         [TW_CACHE_HIT] = "hit",
        [TW_CACHE_MISS] = "miss",         [TW_CACHE_DISCARDED] = "discarded",
        [TW_CACHE_NOT_KEPT] = "not_kept",
    };
    (void)unused;
    return PyUnicode_FromString(names[tw_program_cache_use(self->program)]);
}

static PyObject *program_steps(program_object *self, PyObject *unused)
{
    (void)unused;
    size_t count = tw_program_step_count(self->program);
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < count; i++) {
        PyObject *item =
            Py_BuildValue("(sK)", tw_program_step_name(self->program, i),
                          (unsigned long long)tw_program_step_time(self->program, i));
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *device_op(const tw_device_op *op)
{
    static const char *const bounds[] = {[TW_BOUND_NOTHING] = "",
                                         [TW_BOUND_COMPUTE] = "compute",
                                         [TW_BOUND_NOC] = "noc",
                                         [TW_BOUND_DRAM] = "dram"};
    PyObject *step =
        op->step == SIZE_MAX ? Py_NewRef(Py_None) : PyLong_FromSize_t(op->step);
    return Py_BuildValue(
        "{s:s,s:s,s:z,s:I,s:N,s:N,s:N,s:i,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:s}", "operation",
        op->name, "result", op->result, "file", op->file, "line", op->line, "step", step,
        "once", PyBool_FromLong(op->once), "bytes_only", PyBool_FromLong(op->bytes_only),
        "cores", op->cores, "cycles", op->cycles, "compute", op->compute, "noc", op->noc,
        "dram", op->dram, "read_bytes", op->read_bytes, "write_bytes", op->write_bytes,
        "noc_bytes", op->noc_bytes, "bound", bounds[op->bound]);
}

static PyObject *program_device_time(program_object *self, PyObject *unused)
{
    (void)unused;
    core_program_lock(self);
    const tw_device_time *t = tw_program_device_time(self->program);
    core_program_unlock(self);
    if (!t) {
        Py_RETURN_NONE;
    }
    PyObject *ops = PyList_New(0);
    for (size_t i = 0; ops && i < t->n_ops; i++) {
        PyObject *op = device_op(&t->ops[i]);
        if (!op || PyList_Append(ops, op) < 0) {
            Py_CLEAR(ops);
        }
        Py_XDECREF(op);
    }
    return ops ? Py_BuildValue("{s:s,s:i,s:d,s:d,s:d,s:d,s:n,s:N}", "chip", t->chip,
                               "cores", t->cores, "clock_ghz", t->clock_ghz, "launch_us",
                               t->launch_us, "total_us", t->us, "cycles", t->cycles,
                               "launches", (Py_ssize_t)t->launches, "operations", ops)
               : NULL;
}

static PyObject *program_write_page(program_object *self, PyObject *args)
{
    const char *path;

    if (!PyArg_ParseTuple(args, "s", &path)) {
        return NULL;
    }
    core_program_lock(self);
    tw_status status = tw_program_write_page(self->program, path);
    core_program_unlock(self);
    if (status) {
        return core_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *program_parse_count(program_object *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSize_t(tw_program_parse_count(self->program));
}

static PyMethodDef program_methods[] = {
    {"set_constant", (PyCFunction)program_set_constant, METH_VARARGS,
     "set_constant(index, tensor): this argument is this tensor from now on. Its memory is "
     "read in "
     "runs: give a tensor of its own (detach()), and set it again when its values change."},
    {"run", (PyCFunction)program_run, METH_VARARGS,
     "run(inputs, outputs): None marks a constant argument; outputs are written."},
    {"run_memory", (PyCFunction)core_program_run_memory, METH_VARARGS,
     "run_memory(inputs, outputs): the same over objects with the buffer protocol."},
    {"signature", (PyCFunction)core_program_signature, METH_NOARGS,
     "signature(): ([(number of the type, shape)] of arguments, the same of results)."},
    {"runner", (PyCFunction)core_program_runner, METH_VARARGS,
     "runner(arguments, constants, results, mutated, fallback): a callable for a captured "
     "graph; `fallback` is called instead where a mutated argument overlaps another one."},
    {"set_profiling", (PyCFunction)program_set_profiling, METH_O,
     "set_profiling(on): take the time of each step."},
    {"cache_use", (PyCFunction)program_cache_use, METH_NOARGS,
     "cache_use(): what the cache folder did: none, hit, miss, discarded or not_kept."},
    {"parse_count", (PyCFunction)program_parse_count, METH_NOARGS,
     "parse_count(): how many texts were read for the program: 0 for a module that was "
     "built."},
    {"steps", (PyCFunction)program_steps, METH_NOARGS,
     "steps(): (name, nanoseconds in the last run) of each operation."},
    {"device_time", (PyCFunction)program_device_time, METH_NOARGS,
     "device_time(): what the modelled chip would take for a run: a dictionary with the "
     "operations; None if nothing is lowered to the chip."},
    {"write_page", (PyCFunction)program_write_page, METH_VARARGS,
     "write_page(path): both times of each operation and their graph as a page of HTML."},
    {0},
};
static PyType_Slot program_slots[] = {
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, program_methods},
    {Py_tp_doc, "A compiled program. See tilewright.h."},
    {0},
};
PyType_Spec core_program_spec = {
    .name = "tilewright._core.Program",
    .basicsize = sizeof(program_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = program_slots,
};
