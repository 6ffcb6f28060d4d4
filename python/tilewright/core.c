/* core.c: the extension module tilewright._core, the library's Python API.
 *
 * compile(text, options, exchange) returns a Program; Program.runner(...) returns the
 * callable that torch runs for a captured graph.
 *
 * Written against the limited API, so one binary serves every Python from 3.10 on. */
#include "core_program.h"

#include "../../bindings/pjrt/pjrt.h"
#include "core_binary.h"
#include "core_diagnostics.h"
#include "core_eager.h"
#include "core_grid.h"
#include "core_jit.h"
#include "core_memory.h"
#include "core_module.h"
#include "core_transform.h"
#include "interrupt.h"
#include "support/base.h"
#include "support/threadpool.h"
#include "tilewright/grid.h"

static PyObject *decoded(const char *text, const char *errors)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), errors);
}

PyObject *core_text(void *text)
{
    return decoded(text, "surrogateescape");
}

PyObject *core_shown(void *text)
{
    return decoded(text, "replace");
}

PyObject *core_raise(tw_status status)
{
    return core_raise_as(status, PyExc_RuntimeError);
}

PyObject *core_raise_as(tw_status status, PyObject *kind)
{
    switch (tw_status_code(status)) {
    case TW_UNSUPPORTED:
        kind = PyExc_NotImplementedError;
        break;
    case TW_NOT_FOUND:
        kind = PyExc_LookupError;
        break;
    case TW_IO:
        kind = PyExc_OSError;
        break;
    case TW_CANCELLED:
        tw_status_free(status);
        return py_interrupted();
    default:
        break;
    }
    PyObject *error =
        PyObject_CallFunction(kind, "N", core_text((void *)tw_status_message(status)));
    PyObject *rule = error ? PyUnicode_FromString(tw_status_rule(status)) : NULL;
    if (rule && PyObject_SetAttrString(error, "rule", rule) == 0)
        PyErr_SetObject(kind, error);
    Py_XDECREF(rule);
    Py_XDECREF(error);
    tw_status_free(status);
    return NULL;
}

/* The value of a key, or NULL where it is absent or None. */
static PyObject *option(PyObject *options, const char *key)
{
    PyObject *value = PyDict_Check(options) ? PyDict_GetItemString(options, key) : NULL;

    return value != Py_None ? value : NULL;
}

static const char *text_option(PyObject *options, const char *key)
{
    PyObject *value = option(options, key);

    return value ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
}

static bool is_set(PyObject *options, const char *key)
{
    PyObject *value = option(options, key);

    return value && PyObject_IsTrue(value) == 1;
}

/* A text, or bytes of a binary. */
static const char *core_source_text(PyObject *source, Py_ssize_t *out_size)
{
    char *bytes;
    if (PyUnicode_Check(source))
        return PyUnicode_AsUTF8AndSize(source, out_size);
    return PyBytes_AsStringAndSize(source, &bytes, out_size) < 0 ? NULL : bytes;
}

static PyObject *core_compile(PyObject *module, PyObject *args)
{
    const char *text = NULL;
    Py_ssize_t size = 0;
    PyObject *source, *options, *capsule;
    core_state *state = PyModule_GetState(module);

    if (!PyArg_ParseTuple(args, "OOO", &source, &options, &capsule)) {
        return NULL;
    }
    const bool built = core_is_module(source);
    if (!built && !(text = core_source_text(source, &size))) {
        return NULL;
    }
    const dl_exchange *exchange = NULL;
    if (capsule != Py_None &&
        !(exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api"))) {
        return NULL;
    }
    if (exchange && exchange->major != 1) {
        return PyErr_Format(PyExc_ImportError, "DLPack %u is not known; 1 is",
                            exchange->major);
    }
    tw_compile_options choice = {.name = text_option(options, "name"),
                                 .entry = text_option(options, "entry"),
                                 .dump_dir = text_option(options, "dump_dir"),
                                 .cache_dir = text_option(options, "cache_dir"),
                                 .dram_fallback = is_set(options, "dram_fallback"),
                                 .host = is_set(options, "host"),
                                 .as_written = is_set(options, "as_written"),
                                 .pipeline_options =
                                     text_option(options, "pipeline_options"),
                                 .kernels = tw_grid_engine()};
    PyObject *threads = option(options, "threads");
    choice.threads = threads ? (int)PyLong_AsLong(threads) : 1;
    if (PyErr_Occurred()) {
        return NULL;
    }
    tw_module *taken = built ? core_module_take(source) : NULL;
    if (built && !taken) {
        return NULL;
    }
    program_object *self = PyObject_New(program_object, state->program_type);
    if (!self) {
        tw_module_destroy(taken);
        return NULL;
    }
    core_program_init(self, exchange, option(options, "observer"));
    const tw_observer observer = {core_observer_notify, self};
    choice.observer = self->observer ? &observer : NULL;
    tw_status status;
    choice.cancel = py_interrupt_begin();
    Py_BEGIN_ALLOW_THREADS status =
        built ? tw_program_compile_module(taken, &choice, &self->program)
              : tw_program_compile(text, (size_t)size, &choice, &self->program);
    Py_END_ALLOW_THREADS py_interrupt_end(choice.cancel);
    if (status) {
        Py_DECREF(self);
        /* A fault of the compiler is not passed over by running the program elsewhere. */
        const tw_code code = tw_status_code(status);
        const bool fault = code == TW_RESOURCE || code == TW_INTERNAL;
        return core_raise_as(status, fault ? PyExc_RuntimeError : state->refused);
    }
    return (PyObject *)self;
}

/* A DLPack view of the tensor in (tensor, exchange). */
static int view_of(PyObject *args, dl_tensor *out)
{
    PyObject *tensor, *capsule;

    if (!PyArg_ParseTuple(args, "OO", &tensor, &capsule)) {
        return -1;
    }
    const dl_exchange *exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    return exchange ? exchange->tensor_from_object(tensor, out) : -1;
}

/* core_fingerprint for Python callers. */
static PyObject *core_fingerprint_of(PyObject *module, PyObject *args)
{
    dl_tensor view;

    (void)module;
    if (view_of(args, &view) != 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(core_fingerprint(&view));
}

static PyObject *core_use_openmp(PyObject *module, PyObject *args)
{
    const char *library;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &library))
        return NULL;
    return PyBool_FromLong(tw_threadpool_use_openmp(library));
}

static PyObject *core_extremes_of(PyObject *module, PyObject *args)
{
    dl_tensor view;
    int64_t low, high;

    (void)module;
    if (view_of(args, &view) != 0) {
        return NULL;
    }
    if (!core_is_dense(&view) || !core_extremes(&view, &low, &high)) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("LL", (long long)low, (long long)high);
}

static PyObject *core_version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(tw_version());
}

/* (dtype, address, rows, row, packed=False): rounds f32 values in place. */
static PyObject *core_round_blocks(PyObject *module, PyObject *args)
{
    int dtype;
    unsigned long long address;
    Py_ssize_t rows, row;
    int packed = 0;

    (void)module;
    if (!PyArg_ParseTuple(args, "iKnn|p", &dtype, &address, &rows, &row, &packed)) {
        return NULL;
    }
    float *numbers = (float *)(uintptr_t)address;
    return PyBool_FromLong((packed ? tw_dtype_pack_blocks : tw_dtype_round_blocks)(
        (tw_dtype)dtype, numbers, (size_t)rows, (size_t)row, numbers));
}

/* Operations that operators of torch become (ttnn/elementwise.def, ttir/ttir.def). */
static PyObject *core_operators(PyObject *module, PyObject *unused)
{
    static const struct {
        const char *name, *form, *source, *operators;
    } rows[] = {
#define HLO(name) "stablehlo." #name
#define CHLO(name) "chlo." #name
#define none ""
#define TTIR_ELEMENTWISE(ttir, ttnn, form, folding, hlo, aten, ...)                        \
    {#ttir, #form, hlo, aten},
#include "ttnn/elementwise.def"
#undef none
#define TTIR_ATEN(id, operators) {#id, "CALL", "", operators},
#include "ttir/ttir.def"
    };
    PyObject *list = PyList_New(0);

    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < TW_COUNT(rows); i++) {
        if (!*rows[i].operators)
            continue;
        PyObject *row = Py_BuildValue("(ssss)", rows[i].name, rows[i].form, rows[i].source,
                                      rows[i].operators);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef core_methods[] = {
    {"compile", core_compile, METH_VARARGS,
     "compile(text or Module, options, exchange): a Program; a module is taken over. "
     "options: dict of name, entry, "
     "dump_dir, cache_dir, dram_fallback, threads, host, as_written, observer (see "
     "core_memory.h); "
     "exchange None: for Program.run_memory only."},
    {"operators", core_operators, METH_NOARGS,
     "operators(): (name in TTIR, UNARY or BINARY of elements or CALL, operation of "
     "StableHLO or CHLO if there is one, operators of torch) of each operation that "
     "operators of torch become."},
    {"fingerprint", core_fingerprint_of, METH_VARARGS,
     "fingerprint(tensor, exchange): a number that changes with the tensor's values."},
    {"use_openmp", core_use_openmp, METH_VARARGS,
     "use_openmp(path): runs programs on the threads of this OpenMP library, which the "
     "process has loaded; False where it has not."},
    {"extremes", core_extremes_of, METH_VARARGS,
     "extremes(tensor, exchange): the minimum and maximum of a dense tensor's integers; "
     "None "
     "for others."},
    {"round_blocks", core_round_blocks, METH_VARARGS,
     "round_blocks(dtype, address, rows, row, packed=False): f32 numbers as block floats "
     "hold them, in place; packed: as a core packs them."},
    {"version", core_version, METH_NOARGS, "version(): the library's version."},
    {0},
};

static int core_exec(PyObject *module)
{
    core_state *state = PyModule_GetState(module);

    pj_python_interrupts = (pj_interrupts){py_interrupt_begin, py_interrupt_end};
    state->program_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &core_program_spec, NULL);
    state->runner_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &core_runner_spec, NULL);
    state->refused =
        PyErr_NewException("tilewright._core.Refused", PyExc_RuntimeError, NULL);
    if (!state->program_type || !state->runner_type || !state->refused)
        return -1;
    if (PyModule_AddObjectRef(module, "Refused", state->refused) < 0)
        return -1;
    if (core_grid_add(module) < 0 || core_diagnostics_add(module) < 0 ||
        core_binary_add(module) < 0 || core_memory_add(module) < 0 ||
        core_ttnn_tensor_add(module) < 0 || core_ttnn_rows_add(module) < 0 ||
        core_eager_add(module) < 0 || core_jit_add(module) < 0 ||
        core_emitted_add(module) < 0 || core_module_add(module) < 0)
        return -1;
    return core_transform_add(module);
}

static PyModuleDef_Slot core_slots[] = {{Py_mod_exec, core_exec}, {0}};
static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tilewright._core",
    .m_doc = "The compiler and the embedded device.",
    .m_size = sizeof(core_state),
    .m_methods = core_methods,
    .m_slots = core_slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
