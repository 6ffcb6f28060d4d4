/* core_runner.c: tilewright._core.Runner, the callable that torch runs for a captured
 * graph. */
#include "core_program.h"

#include <string.h>

typedef struct runner_object {
    PyObject_HEAD program_object *program;
    Py_ssize_t input_count, output_count, result_count, mutated_count;
    Py_ssize_t *argument; /* per program input: index of the caller's argument; -1: bound
                             permanently */
    bool *constant;       /* per program input: set once, checked for changes */
    PyObject **known;     /* per constant input: the tensor last set */
    PyObject **version;   /* ... its version counter then */
    void **address;       /* ... the address of its values */
    uint64_t *print;      /* ... and their fingerprint */
    Py_ssize_t *result;   /* >= 0: index of a program output; < 0: argument -1 - result */
    Py_ssize_t *mutated;  /* pairs: argument, program output */
    Py_ssize_t *updated;  /* per pair: the program input whose memory the output may share;
                             -1:  none */
    bool asked;           /* the program has been asked for these, after its first run */
    const void **inputs;
    void **outputs;
    char **span; /* pairs: start and end address of each mutated argument in this call */
    bool shared; /* in this call another argument overlaps a mutated one */
    PyObject *fallback;  /* fallback called then, which computes in the model's own order;
                         also for values that the device cannot represent */
    PyObject **made;     /* the output tensors of the current call */
    PyObject *increment; /* torch's function that counts a write to a tensor; NULL: none */
    PyObject *name_version, *name_contiguous, *name_copy, *name_detach;
} runner_object;

static void runner_dealloc(runner_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);

    for (Py_ssize_t i = 0; i < self->input_count; i++) {
        Py_XDECREF(self->known[i]);
        Py_XDECREF(self->version[i]);
    }
    PyMem_Free(self->argument);
    Py_XDECREF(self->fallback);
    Py_XDECREF(self->increment);
    Py_XDECREF(self->name_version);
    Py_XDECREF(self->name_contiguous);
    Py_XDECREF(self->name_copy);
    Py_XDECREF(self->name_detach);
    Py_XDECREF((PyObject *)self->program);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Records the address ranges of mutated arguments, and whether they overlap other
 * arguments. */
static int find_spans(runner_object *self, PyObject *const *args)
{
    self->shared = false;
    for (Py_ssize_t m = 0; m < self->mutated_count; m++) {
        dl_tensor view;
        if (self->program->exchange->tensor_from_object(args[self->mutated[2 * m]],
                                                        &view) != 0) {
            return -1;
        }
        char *begin = core_data_of(&view), *end = begin + core_extent(&view);
        for (Py_ssize_t k = 0; k < m; k++) {
            self->shared |= begin < self->span[2 * k + 1] && self->span[2 * k] < end;
        }
        self->span[2 * m] = begin;
        self->span[2 * m + 1] = end;
    }
    return 0;
}

static void look_for_shared(runner_object *self, Py_ssize_t i, const dl_tensor *view)
{
    const char *begin = self->mutated_count ? core_data_of(view) : NULL;

    for (Py_ssize_t m = 0; m < self->mutated_count; m++) {
        self->shared |= self->argument[i] != self->mutated[2 * m] &&
                        begin < self->span[2 * m + 1] &&
                        self->span[2 * m] < begin + core_extent(view);
    }
}

/* Sets a parameter again if it is another tensor, or has other values, than in the last
 * call. */
static int refresh_constant(runner_object *self, Py_ssize_t i, PyObject *tensor)
{
    dl_tensor view;
    program_object *program = self->program;

    if (program->exchange->tensor_from_object(tensor, &view) != 0) {
        return -1;
    }
    look_for_shared(self, i, &view);
    PyObject *version = PyObject_GetAttr(tensor, self->name_version);
    if (!version) {
        return -1;
    }
    if (tensor == self->known[i] && core_data_of(&view) == self->address[i]) {
        int same = version == self->version[i] ||
                   PyObject_RichCompareBool(version, self->version[i], Py_EQ);
        if (same != 0 && (same < 0 || core_fingerprint(&view) == self->print[i])) {
            Py_DECREF(version);
            return same < 0 ? -1 : 0;
        }
    }
    /* A tensor of its own: an assignment to tensor.data leaves it the memory. */
    PyObject *own = PyObject_CallMethod(tensor, "detach", NULL);
    PyObject *dense =
        own ? PyObject_CallMethodObjArgs(own, self->name_contiguous, NULL) : NULL;
    Py_XDECREF(own);
    const tw_tensor_desc *desc = tw_program_input(program->program, (size_t)i);
    void *data = dense ? core_dense_data(program, dense, desc, "argument", i) : NULL;
    if (PyErr_Occurred()) {
        Py_XDECREF(dense);
        Py_DECREF(version);
        return -1;
    }
    const uint64_t print = core_fingerprint(&view);
    const uint64_t count = PyLong_AsUnsignedLongLong(version);
    if (PyErr_Occurred()) {
        Py_DECREF(dense);
        Py_DECREF(version);
        return -1;
    }
    /* What is made of a tensor's memory serves other programs until it is written. */
    const uint64_t stamp = print ^ count * UINT64_C(0x9e3779b97f4a7c15);
    tw_status status = core_hold_constant(program, (size_t)i, dense, data, &stamp);
    Py_DECREF(dense);
    if (status) {
        Py_DECREF(version);
        core_raise(status);
        return -1;
    }
    Py_XDECREF(self->known[i]);
    Py_XDECREF(self->version[i]);
    Py_INCREF(tensor);
    self->known[i] = tensor;
    self->version[i] = version;
    self->address[i] = core_data_of(&view);
    self->print[i] = print;
    return 0;
}

/* One input's address; a copy, where needed, is kept in *out_copy until the run is over. */
static int gather_input(runner_object *self, Py_ssize_t i, PyObject *tensor,
                        PyObject **out_copy)
{
    dl_tensor view;
    program_object *program = self->program;
    const tw_tensor_desc *desc = tw_program_input(program->program, (size_t)i);

    if (program->exchange->tensor_from_object(tensor, &view) != 0 ||
        core_check_tensor(&view, desc, "argument", i) != 0) {
        return -1;
    }
    look_for_shared(self, i, &view);
    if (!core_is_dense(&view)) {
        *out_copy = PyObject_CallMethodObjArgs(tensor, self->name_contiguous, NULL);
        if (!*out_copy || program->exchange->tensor_from_object(*out_copy, &view) != 0) {
            return -1;
        }
    }
    self->inputs[i] = core_data_of(&view);
    return 0;
}

/* Finds the arguments that the program can update where they are; results that the caller
 * gets have memory of their own. */
static void find_updated(runner_object *self)
{
    for (Py_ssize_t m = 0; m < self->mutated_count; m++) {
        const Py_ssize_t out = self->mutated[2 * m + 1];
        self->updated[m] = -1;
        for (Py_ssize_t i = 0; self->increment && i < self->input_count; i++) {
            if (self->argument[i] == self->mutated[2 * m] && !self->constant[i] &&
                tw_program_updates(self->program->program, (size_t)i, (size_t)out)) {
                self->updated[m] = i;
            }
        }
        for (Py_ssize_t r = 0; r < self->result_count; r++) {
            if (self->result[r] == out) {
                self->updated[m] = -1;
            }
        }
    }
    self->asked = true;
}

/* True if the output of the pair is written where the argument is: its data are dense. */
static bool is_updated(const runner_object *self, Py_ssize_t m)
{
    return self->asked && self->updated[m] >= 0 &&
           self->inputs[self->updated[m]] == (const void *)self->span[2 * m];
}

static int make_outputs(runner_object *self)
{
    for (Py_ssize_t m = 0; m < self->mutated_count; m++) {
        if (is_updated(self, m)) {
            self->outputs[self->mutated[2 * m + 1]] = self->span[2 * m];
            self->made[self->mutated[2 * m + 1]] = Py_None;
            Py_INCREF(Py_None);
        }
    }
    for (Py_ssize_t i = 0; i < self->output_count; i++) {
        if (self->made[i]) {
            continue;
        }
        const tw_tensor_desc *desc = tw_program_output(self->program->program, (size_t)i);
        self->made[i] = core_make_tensor(self->program->exchange, desc, &self->outputs[i]);
        if (!self->made[i]) {
            return -1;
        }
    }
    return 0;
}

/* Writes mutated inputs back and picks the results in the captured graph's order. */
static PyObject *collect(runner_object *self, PyObject *const *args)
{
    for (Py_ssize_t m = 0; m < self->mutated_count; m++) {
        /* torch forbids writing parameters while gradients are recorded; an alias may be
         * written. */
        PyObject *target =
            PyObject_CallMethodObjArgs(args[self->mutated[2 * m]], self->name_detach, NULL);
        PyObject *done =
            target && is_updated(self, m)
                ? PyObject_CallFunctionObjArgs(self->increment, target, NULL)
            : target
                ? PyObject_CallMethodObjArgs(target, self->name_copy,
                                             self->made[self->mutated[2 * m + 1]], NULL)
                : NULL;
        Py_XDECREF(target);
        if (!done) {
            return NULL;
        }
        Py_DECREF(done);
    }
    PyObject *results = PyTuple_New(self->result_count);
    for (Py_ssize_t r = 0; results && r < self->result_count; r++) {
        Py_ssize_t from = self->result[r];
        PyObject *value = from >= 0 ? self->made[from] : args[-1 - from];
        Py_INCREF(value);
        PyTuple_SetItem(results, r, value);
    }
    return results;
}

static PyObject *runner_call_locked(runner_object *self, PyObject *const *args)
{
    PyObject *copies = NULL, *results = NULL;
    tw_status status = TW_SUCCESS;
    int failed = find_spans(self, args);

    for (Py_ssize_t i = 0; i < self->input_count && !failed; i++) {
        if (self->argument[i] < 0) {
            continue;
        }
        PyObject *tensor = args[self->argument[i]], *copy = NULL;
        failed = self->constant[i] ? refresh_constant(self, i, tensor)
                                   : gather_input(self, i, tensor, &copy);
        if (copy) {
            copies = copies ? copies : PyList_New(0);
            failed = failed || !copies || PyList_Append(copies, copy) < 0;
            Py_DECREF(copy);
        }
    }
    if (!failed && !self->shared && make_outputs(self) == 0) {
        status = core_run_holding(self->program, self->inputs, self->outputs);
        results = status ? core_raise(status) : collect(self, args);
        if (!status && !self->asked) {
            find_updated(self);
        }
    }
    for (Py_ssize_t i = 0; i < self->output_count; i++) {
        Py_CLEAR(self->made[i]);
    }
    Py_XDECREF(copies);
    return results;
}

/* Forwards a call that the program cannot serve to the fallback, with the error's text, if
 * any. */
static PyObject *call_fallback(runner_object *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL, *why = NULL, *result = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *tuple = PyTuple_New(count), *names = PyDict_New();
    int failed = !tuple || !names;

    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(tuple, i, args[i]);
    }
    if (!failed && value) {
        why = PyObject_Str(value);
        failed = !why || PyDict_SetItemString(names, "why", why) < 0;
    }
    if (!failed) {
        result = PyObject_Call(self->fallback, tuple, names);
    }
    Py_XDECREF(why);
    Py_XDECREF(tuple);
    Py_XDECREF(names);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return result;
}

/* (inputs of the captured graph) -> tuple of its outputs */
static PyObject *runner_call(runner_object *self, PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < self->input_count; i++) {
        if (self->argument[i] >= count) {
            return PyErr_Format(PyExc_TypeError, "the graph takes more than %zd arguments",
                                count);
        }
    }
    core_program_lock(self->program);
    PyObject *results = runner_call_locked(self, args);
    bool shared = !results && !PyErr_Occurred() && self->shared;
    core_program_unlock(self->program);
    if (results || (!shared && !PyErr_ExceptionMatches(PyExc_NotImplementedError))) {
        return results;
    }
    return call_fallback(self, args, count);
}

/* Reads a tuple of integers into `out`. */
static int read_indices(PyObject *tuple, Py_ssize_t count, Py_ssize_t *out)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        out[i] = item ? PyLong_AsSsize_t(item) : -1;
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    return 0;
}

/* All arrays of a runner share one allocation. */
static int runner_allocate(runner_object *self)
{
    size_t ins = (size_t)self->input_count, outs = (size_t)self->output_count;
    size_t words =
        ins * 6 + outs * 2 + (size_t)self->result_count + 5 * (size_t)self->mutated_count;
    void **block = PyMem_Calloc(words + ins + 1, sizeof(void *));

    if (!block) {
        PyErr_NoMemory();
        return -1;
    }
    self->argument = (Py_ssize_t *)block;
    self->known = (PyObject **)(block + ins);
    self->version = (PyObject **)(block + 2 * ins);
    self->address = block + 3 * ins;
    self->inputs = (const void **)(block + 4 * ins);
    self->print = (uint64_t *)(block + 5 * ins);
    self->outputs = block + 6 * ins;
    self->made = (PyObject **)(block + 6 * ins + outs);
    self->result = (Py_ssize_t *)(block + 6 * ins + 2 * outs);
    self->mutated = self->result + self->result_count;
    self->updated = self->mutated + 2 * self->mutated_count;
    self->span = (char **)(self->updated + self->mutated_count);
    self->constant = (bool *)(block + words);
    return 0;
}

/* runner(arguments, constants, results, mutated, fallback): see runner_object's fields. */
PyObject *core_program_runner(program_object *self, PyObject *args)
{
    PyObject *arguments, *constants, *results, *mutated, *fallback;
    PyObject *module = PyType_GetModule(Py_TYPE((PyObject *)self));
    core_state *state = module ? PyModule_GetState(module) : NULL;

    if (!state || !PyArg_ParseTuple(args, "O!O!O!O!O", &PyTuple_Type, &arguments,
                                    &PyTuple_Type, &constants, &PyTuple_Type, &results,
                                    &PyTuple_Type, &mutated, &fallback)) {
        return NULL;
    }
    Py_ssize_t ins = PyTuple_Size(arguments);
    if ((size_t)ins != tw_program_input_count(self->program) ||
        PyTuple_Size(constants) != ins) {
        return PyErr_Format(PyExc_ValueError, "the program has %zu arguments",
                            tw_program_input_count(self->program));
    }
    runner_object *runner = PyObject_New(runner_object, state->runner_type);
    if (!runner) {
        return NULL;
    }
    memset((char *)runner + sizeof(PyObject), 0, sizeof(*runner) - sizeof(PyObject));
    runner->output_count = (Py_ssize_t)tw_program_output_count(self->program);
    runner->result_count = PyTuple_Size(results);
    runner->mutated_count = PyTuple_Size(mutated) / 2;
    runner->input_count = ins;
    if (runner_allocate(runner) < 0) {
        runner->input_count = 0;
        Py_DECREF((PyObject *)runner);
        return NULL;
    }
    Py_INCREF((PyObject *)self);
    Py_INCREF(fallback);
    runner->program = self;
    runner->fallback = fallback;
    if (runner->mutated_count) {
        PyObject *module = PyImport_ImportModule("torch.autograd.graph");
        runner->increment =
            module ? PyObject_GetAttrString(module, "increment_version") : NULL;
        Py_XDECREF(module);
        PyErr_Clear(); /* older torch: results are copied to their arguments */
    }
    runner->name_version = PyUnicode_InternFromString("_version");
    runner->name_contiguous = PyUnicode_InternFromString("contiguous");
    runner->name_copy = PyUnicode_InternFromString("copy_");
    runner->name_detach = PyUnicode_InternFromString("detach");
    for (Py_ssize_t i = 0; i < ins; i++) {
        runner->constant[i] = PyObject_IsTrue(PyTuple_GetItem(constants, i)) == 1;
    }
    if (read_indices(arguments, ins, runner->argument) < 0 ||
        read_indices(results, runner->result_count, runner->result) < 0 ||
        read_indices(mutated, 2 * runner->mutated_count, runner->mutated) < 0) {
        Py_DECREF((PyObject *)runner);
        return NULL;
    }
    return (PyObject *)runner;
}

static PyMethodDef runner_methods[] = {
    {"call", (PyCFunction)(void (*)(void))runner_call, METH_FASTCALL,
     "call(*inputs): the captured graph's outputs."},
    {0},
};
static PyType_Slot runner_slots[] = {
    {Py_tp_dealloc, runner_dealloc},
    {Py_tp_methods, runner_methods},
    {0},
};
PyType_Spec core_runner_spec = {
    .name = "tilewright._core.Runner",
    .basicsize = sizeof(runner_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = runner_slots,
};
