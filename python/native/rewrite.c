/* rewrite.c: patterns from Python, run by the library's greedy driver: functions of an
 * operation, and modules of the pdl dialect with the functions that they call.
 *
 * Functions may change the program freely. The driver and the running pattern are notified
 * at once of every freed object; an exception stops the driver and reaches the caller.
 * (Only here does Python run while the library works on a program.) */
#include "pyir.h"

#include "mlir/pdl/rewrite/pdl.h"

static const char capsule_name[] = "ttmlir.rewrite.patterns";

typedef struct py_patterns {
    py_context *c;
    pdl_patterns *set;
} py_patterns;

/* One pattern of a run: a function, or a pattern of a pdl module. */
typedef struct entry {
    const ir_op_def *root; /* NULL: any */
    PyObject *function;
    const pdl_pattern *pdl;
    PyObject *constraints, *rewrites; /* dictionaries of functions by name */
} entry;

struct py_run {
    py_context *c;
    struct py_run *outer;
    struct rw_driver *driver;
    ir_op *current;       /* NULL: freed meanwhile */
    ir_mapping *existing; /* NULL, or the only operations to be visited */
    pdl_natives natives;
    const entry *at; /* the running pattern */
    entry *entries;
    Py_ssize_t n_entries;
    PyObject *rewriter, *results; /* classes */
    bool stop;
    PyObject *error[3];
};

void py_run_freed(py_context *c, const void *thing)
{
    for (py_run *run = c->runs; run; run = run->outer) {
        if (run->driver)
            rw_forget(run->driver, thing);
        if (run->natives.frame)
            pdl_frame_freed(run->natives.frame, thing);
        if (run->current == thing)
            run->current = NULL;
        if (run->existing && ir_mapping_get(run->existing, thing))
            ir_mapping_set(run->existing, thing, NULL);
    }
}

/* Keeps the pending exception until the driver has ended. */
static void stop(py_run *run)
{
    run->stop = true;
    if (PyErr_Occurred() && !run->error[0])
        PyErr_Fetch(&run->error[0], &run->error[1], &run->error[2]);
    PyErr_Clear();
}

/* The rewriter of an operation, which must not have been erased; new reference. */
static PyObject *make_rewriter(py_run *run, ir_op *op)
{
    if (!op || !op->block) {
        PyErr_SetString(PyExc_RuntimeError, "the matched operation has been erased");
        return NULL;
    }
    PyObject *h = (PyObject *)py_op_handle(run->c, op);
    PyObject *made = h ? PyObject_CallFunctionObjArgs(run->rewriter, h, NULL) : NULL;
    Py_XDECREF(h);
    return made;
}

/* Returns 1: succeeded (a falsy answer); 0: failed; -1: raised. */
static int succeeded(PyObject *answer)
{
    int failed = answer ? PyObject_IsTrue(answer) : -1;
    return failed < 0 ? -1 : !failed;
}

/* ---- functions called by pdl patterns ----------------------------------------------- */

static PyObject *wrap_one(py_context *c, pdl_kind kind, const void *item)
{
    switch (kind) {
    case PDL_KIND_ATTRIBUTE:
        return py_wrap_attr(c, item);
    case PDL_KIND_TYPE:
        return py_wrap_type(c, item);
    case PDL_KIND_VALUE:
        return py_wrap_value(c, (ir_value *)(uintptr_t)item);
    default:
        return (PyObject *)py_op_handle(c, (ir_op *)(uintptr_t)item);
    }
}

/* A range becomes a list. */
static PyObject *wrap(py_context *c, const pdl_bound *b)
{
    if (!b->range)
        return wrap_one(c, b->kind, b->items[0]);
    PyObject *list = PyList_New((Py_ssize_t)b->count);
    for (uint32_t i = 0; list && i < b->count; i++) {
        PyObject *one = b->items[i] ? wrap_one(c, b->kind, b->items[i]) : NULL;
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool unwrap_one(py_context *c, pdl_kind kind, PyObject *object, const void **out)
{
    ir_attr attr = NULL;
    ir_type type = NULL;
    switch (kind) {
    case PDL_KIND_ATTRIBUTE:
        *out = py_attr_arg(object, c, &attr) ? attr : NULL;
        return *out != NULL;
    case PDL_KIND_TYPE:
        *out = py_type_arg(object, c, &type) ? type : NULL;
        return *out != NULL;
    case PDL_KIND_VALUE:
        *out = py_value_arg(object, c);
        return *out != NULL;
    default: {
        const py_handle *h = py_op_arg(object);
        if (h && h->owner != c)
            return py_mismatch("the operation") != NULL;
        *out = h ? h->op : NULL;
        return h != NULL;
    }
    }
}

static bool unwrap(py_run *run, pdl_frame *frame, PyObject *object, pdl_bound *to)
{
    PyObject *list = to->range ? PySequence_List(object) : PyList_New(0);
    if (list && !to->range && PyList_Append(list, object) < 0)
        Py_CLEAR(list);
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    const void **items = list ? PyMem_Calloc((size_t)n + 1, sizeof *items) : NULL;
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = unwrap_one(run->c, to->kind, PyList_GetItem(list, i), &items[i]);
    if (ok)
        pdl_bind(frame, to, items, (size_t)n);
    PyMem_Free(items);
    Py_XDECREF(list);
    return ok;
}

static bool take_results(py_run *run, const pdl_call *call, PyObject *results)
{
    PyObject *list = PyObject_GetAttrString(results, "_items");
    Py_ssize_t n = list ? PyList_Size(list) : -1;
    bool ok = n == (Py_ssize_t)call->n_results;
    if (!ok && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError,
                     "the function '%s' appended %zd results where the pattern has %zu",
                     call->name->text, n, call->n_results);
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = unwrap(run, call->frame, PyList_GetItem(list, i), &call->results[i]);
    Py_XDECREF(list);
    return ok;
}

static PyObject *wrap_args(py_run *run, const pdl_call *call)
{
    PyObject *list = PyList_New((Py_ssize_t)call->n_args);
    for (size_t i = 0; list && i < call->n_args; i++) {
        PyObject *one = wrap(run->c, &call->args[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static pdl_verdict call_native(void *user, const pdl_call *call)
{
    py_run *run = user;
    PyObject *functions = call->constraint ? run->at->constraints : run->at->rewrites;
    PyObject *function = PyDict_GetItemString(functions, call->name->text);
    if (!function) {
        PyErr_Format(PyExc_LookupError, "no function '%s' is registered", call->name->text);
        stop(run);
        return PDL_STOP;
    }
    Py_INCREF(function);
    PyObject *rewriter = make_rewriter(run, call->at);
    PyObject *results = rewriter ? PyObject_CallFunctionObjArgs(run->results, NULL) : NULL;
    PyObject *args = results ? wrap_args(run, call) : NULL;
    PyObject *answer =
        args ? PyObject_CallFunctionObjArgs(function, rewriter, results, args, NULL) : NULL;
    int good = succeeded(answer);
    if (good > 0 && !take_results(run, call, results))
        good = -1;
    Py_DECREF(function);
    Py_XDECREF(answer);
    Py_XDECREF(args);
    Py_XDECREF(results);
    Py_XDECREF(rewriter);
    if (good < 0)
        stop(run);
    return good < 0 ? PDL_STOP : good ? PDL_YES : PDL_NO;
}

/* ---- running ------------------------------------------------------------------------ */

static bool call_function(py_run *run, const entry *e, ir_op *op)
{
    PyObject *rewriter = make_rewriter(run, op);
    PyObject *view = rewriter ? py_wrap_op(run->c, op) : NULL;
    PyObject *answer =
        view ? PyObject_CallFunctionObjArgs(e->function, view, rewriter, NULL) : NULL;
    int good = succeeded(answer);
    Py_XDECREF(answer);
    Py_XDECREF(view);
    Py_XDECREF(rewriter);
    if (good < 0)
        stop(run);
    return good > 0;
}

/* The only pattern registered with the driver: tries all of the run's patterns. */
static bool try_all(ir_op *op, rw_rewriter *rw)
{
    py_run *run = rw->user;
    if (run->existing && !ir_mapping_get(run->existing, op))
        return false;
    run->current = op;
    for (Py_ssize_t i = 0; !run->stop && run->current && i < run->n_entries; i++) {
        const entry *e = &run->entries[i];
        if (e->root && e->root != op->def)
            continue;
        run->at = e;
        if (e->function) {
            if (call_function(run, e, op))
                return true;
            continue;
        }
        pdl_verdict verdict = pdl_apply(e->pdl, op, rw, &run->natives);
        if (verdict == PDL_STOP)
            stop(run);
        if (verdict == PDL_YES)
            return true;
    }
    return !run->current; /* a failed pattern may have erased it nevertheless */
}

static ir_walk count_one(ir_op *op, void *user)
{
    (void)op;
    ++*(int64_t *)user;
    return IR_WALK_ON;
}

/* Rewrites allowed in one iteration where the caller sets no limit: ends patterns that
 * never converge. */
static int64_t default_rewrites(ir_op *root)
{
    int64_t ops = 0;
    ir_walk_pre(root, count_one, &ops);
    return 10000 + 10 * ops;
}

static ir_walk note_one(ir_op *op, void *user)
{
    ir_mapping_set(user, op, op);
    return IR_WALK_ON;
}

/* Folders require valid programs; patterns and Python may leave invalid ones. */
static bool fold(py_handle *h, const rw_options *options)
{
    rw_options folding = {.no_constant_cse = options->no_constant_cse,
                          .bottom_up = options->bottom_up,
                          .regions = options->regions};
    if (!ir_verify(h->op))
        return false;
    rw_greedy(h->op, NULL, 0, &folding);
    return true;
}

/* Folds, then offers each operation to the patterns, iteration after iteration; false: the
 * program is not valid. *converged: true if the last iteration changed nothing. */
static bool run_iterations(py_run *run, py_handle *h, const rw_options *options,
                           bool *converged)
{
    const rw_pattern pattern = {NULL, try_all, NULL};
    rw_options matching = *options;
    matching.max_iterations = 1;
    matching.no_fold = matching.no_constant_cse = true;
    matching.regions = RW_REGIONS_DISABLED;
    matching.driver = &run->driver;
    matching.stop = &run->stop;
    matching.user = run;
    *converged = true;
    for (int left = options->max_iterations; left && h->any && !run->stop; left--) {
        if (PyErr_CheckSignals() < 0)
            stop(run);
        else if (!options->no_fold && !fold(h, options))
            return false;
        *converged = !rw_greedy(h->op, &pattern, 1, &matching);
        if (*converged)
            break;
    }
    *converged |= !h->any; /* a pattern has erased the root: nothing is left to do */
    return true;
}

/* False with an exception. */
static bool run_greedily(py_run *run, py_handle *h, rw_options *options, bool *converged)
{
    if (options->max_rewrites <= 0)
        options->max_rewrites = default_rewrites(h->op);
    if (run->existing)
        ir_walk_pre(h->op, note_one, run->existing);
    run->outer = run->c->runs;
    run->c->runs = run;
    bool valid = run_iterations(run, h, options, converged);
    run->c->runs = run->outer;
    if (run->error[0]) {
        py_discard(run->c);
        PyErr_Restore(run->error[0], run->error[1], run->error[2]);
        return false;
    }
    return py_deliver(run->c, run->stop || !valid ? "pattern application failed" : NULL);
}

static py_patterns *patterns_arg(PyObject *object)
{
    return PyCapsule_GetPointer(object, capsule_name);
}

/* (root name or None, function, None, None, None) or (..., None, capsule, index, ...) */
static bool read_entry(py_context *c, PyObject *object, entry *e)
{
    const char *name;
    PyObject *function, *capsule;
    Py_ssize_t number;
    if (!PyArg_ParseTuple(object, "zOOnOO", &name, &function, &capsule, &number,
                          &e->constraints, &e->rewrites))
        return false;
    if (name)
        e->root = ir_context_op_def_or_unregistered(c->ctx, tw_str_from(name));
    if (capsule == Py_None) {
        e->function = function;
        return true;
    }
    const py_patterns *p = patterns_arg(capsule);
    if (!p)
        return false;
    if (p->c != c)
        return py_mismatch("the patterns") != NULL;
    e->pdl = pdl_patterns_at(p->set, (size_t)number);
    return true;
}

/* _apply_patterns(operation, [patterns], rewriter class, result list class, iterations,
 * rewrites, top down, fold, existing ones only, regions, constant cse, dce) -> bool: true
 * if the last iteration changed nothing */
static PyObject *apply_patterns(PyObject *module, PyObject *args)
{
    PyObject *object, *list;
    int iterations, top_down, folds, existing, regions, cse, dce;
    long long rewrites;
    py_run run = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOiLpppppp", &object, &list, &run.rewriter, &run.results,
                          &iterations, &rewrites, &top_down, &folds, &existing, &regions,
                          &cse, &dce))
        return NULL;
    py_handle *h = py_op_arg(object);
    if (!h)
        return NULL;
    PyObject *kept = PySequence_List(list); /* keeps every function of the list alive */
    run.c = h->owner;
    run.natives = (pdl_natives){call_native, &run, NULL};
    run.n_entries = kept ? PyList_Size(kept) : 0;
    run.entries =
        kept ? PyMem_Calloc((size_t)run.n_entries + 1, sizeof *run.entries) : NULL;
    bool ok = run.entries != NULL;
    for (Py_ssize_t i = 0; ok && i < run.n_entries; i++)
        ok = read_entry(run.c, PyList_GetItem(kept, i), &run.entries[i]);
    rw_options options = {.max_iterations = iterations,
                          .max_rewrites = rewrites,
                          .no_fold = !folds,
                          .no_dce = !dce,
                          .no_constant_cse = !cse,
                          .bottom_up = !top_down,
                          .regions = regions ? RW_REGIONS_NORMAL : RW_REGIONS_DISABLED};
    Py_INCREF(h);
    bool converged = true;
    run.existing = existing ? ir_mapping_create() : NULL;
    ok = ok && (!iterations || run_greedily(&run, h, &options, &converged));
    Py_DECREF(h);
    if (run.existing)
        ir_mapping_free(run.existing);
    PyMem_Free(run.entries);
    Py_XDECREF(kept);
    return ok ? PyBool_FromLong(converged) : NULL;
}

/* ---- modules of patterns ------------------------------------------------------------ */

static void free_patterns(PyObject *capsule)
{
    py_patterns *p = PyCapsule_GetPointer(capsule, capsule_name);
    if (!p)
        return;
    pdl_patterns_free(p->set);
    Py_DECREF(p->c);
    PyMem_Free(p);
}

/* _compile_pdl(module) -> capsule; compiles a copy, so later changes of the module have no
 * effect */
static PyObject *compile_pdl(PyObject *module, PyObject *object)
{
    py_handle *h = py_op_arg(object);
    (void)module;
    py_patterns *p = h ? PyMem_Calloc(1, sizeof *p) : NULL;
    if (!p)
        return h ? PyErr_NoMemory() : NULL;
    ir_mapping *none = ir_mapping_create();
    p->set = pdl_patterns_create(ir_op_clone(h->op, none));
    ir_mapping_free(none);
    if (!p->set) {
        PyMem_Free(p);
        py_deliver(h->owner, "the module of patterns is not valid");
        return NULL;
    }
    p->c = h->owner;
    PyObject *capsule = PyCapsule_New(p, capsule_name, free_patterns);
    if (!capsule) {
        pdl_patterns_free(p->set);
        PyMem_Free(p);
        return NULL;
    }
    Py_INCREF(p->c);
    return capsule;
}

typedef struct name_list {
    py_context *c;
    PyObject *list;
} name_list;

static bool add_name(void *user, ir_op *op, ir_ident name, bool constraint)
{
    name_list *names = user;
    PyObject *loc = py_wrap_loc(names->c, op->loc);
    PyObject *entry =
        loc ? Py_BuildValue("(sOO)", name->text, constraint ? Py_True : Py_False, loc)
            : NULL;
    bool ok = entry && PyList_Append(names->list, entry) == 0;
    Py_XDECREF(loc);
    Py_XDECREF(entry);
    return ok;
}

/* _pdl_contents(capsule) -> ([(root or None, benefit)], [(function, is constraint, loc)])
 */
static PyObject *pdl_contents(PyObject *module, PyObject *capsule)
{
    const py_patterns *p = patterns_arg(capsule);
    (void)module;
    if (!p)
        return NULL;
    size_t n = pdl_patterns_count(p->set);
    PyObject *patterns = PyList_New((Py_ssize_t)n);
    name_list names = {p->c, PyList_New(0)};
    bool ok = patterns && names.list;
    for (size_t i = 0; ok && i < n; i++) {
        const pdl_pattern *one = pdl_patterns_at(p->set, i);
        const ir_op_def *root = pdl_pattern_root(one);
        PyObject *row = Py_BuildValue("(zL)", root ? root->name : NULL,
                                      (long long)pdl_pattern_benefit(one));
        ok = row && PyList_SetItem(patterns, (Py_ssize_t)i, row) == 0;
    }
    ok = ok && pdl_patterns_each_name(p->set, add_name, &names);
    PyObject *both = ok ? Py_BuildValue("(OO)", patterns, names.list) : NULL;
    Py_XDECREF(patterns);
    Py_XDECREF(names.list);
    return both;
}

PyMethodDef py_rewrite_functions[] = {
    {"_apply_patterns", apply_patterns, METH_VARARGS, NULL},
    {"_compile_pdl", compile_pdl, METH_O, NULL},
    {"_pdl_contents", pdl_contents, METH_O, NULL},
    {0},
};
