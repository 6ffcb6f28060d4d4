/* core_eager.c: functions of ttnn as functions of Python: arguments are bound to a
 * function's row, and its results become tensors. */
#include "core_eager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_program.h"
#include "support/base.h"
#include "support/strbuf.h"

/* A function of Python: what PyCFunction has as self. */
typedef struct function_object {
    PyObject_HEAD const tw_function *row;
    PyObject *names[TW_EAGER_MAX_PARAMETERS][3]; /* interned; NULL = none */
    PyMethodDef method;
} function_object;

static PyTypeObject *function_type;

/* The arguments of a call, and memory for what they point to. */
enum { ITEMS = 192, PLACEMENTS = 4 };
typedef struct binding {
    tw_value arguments[TW_EAGER_MAX_PARAMETERS];
    tw_value items[ITEMS];
    const char *names[ITEMS];
    PyObject *held[ITEMS]; /* lists whose items are borrowed, texts */
    tw_placement placements[PLACEMENTS];
    tw_cores cores[PLACEMENTS][CORE_EAGER_CORES];
    size_t n_items, n_held, n_placements;
    PyObject *memory;    /* the memory config that was given, */
    PyObject *device;    /* the device of the arguments, */
    eager_tensor *first; /* and the first tensor; borrowed */
    PyObject *output;    /* the tensor that takes the result, or NULL; borrowed */
    bool large;
    const tw_function *row;
} binding;

static bool convert(binding *b, PyObject *o, tw_value *out);

static bool hold(binding *b, PyObject *o)
{
    if (!o)
        return false;
    if (b->n_held == ITEMS) {
        Py_DECREF(o);
        PyErr_Format(PyExc_ValueError, "%s: more than %d nested values", b->row->name,
                     ITEMS);
        return false;
    }
    b->held[b->n_held++] = o;
    return true;
}

static tw_value *take_items(binding *b, size_t n)
{
    if (n > ITEMS - b->n_items) {
        PyErr_Format(PyExc_ValueError, "%s: more than %d values in lists", b->row->name,
                     ITEMS);
        return NULL;
    }
    b->n_items += n;
    return b->items + b->n_items - n;
}

/* ---- arguments ----------------------------------------------------------------------- */

static bool convert_tensor(binding *b, PyObject *o, tw_value *out)
{
    enum { LARGE = 1 << 17 };
    eager_tensor *t = (eager_tensor *)o;
    if (t->given_back) {
        PyErr_Format(
            PyExc_ValueError,
            "%s: expected a tensor, found one that ttnn.deallocate gave back; keep "
            "it until it has been used",
            b->row->name);
        return false;
    }
    if (t->stale || !t->tensor.data) {
        PyObject *values = PyObject_CallMethod(o, "values", NULL);
        if (!values)
            return false;
        Py_DECREF(values);
    }
    *out = (tw_value){.kind = TW_VALUE_TENSOR, .tensor = &t->tensor};
    b->first = b->first ? b->first : t;
    if (!b->device && t->device != Py_None)
        b->device = t->device;
    b->large = b->large || tw_tensor_bytes(&t->tensor) > LARGE;
    return true;
}

static bool convert_list(binding *b, PyObject *o, tw_value *out)
{
    PyObject *list = PySequence_Tuple(o);
    if (!hold(b, list))
        return false;
    const size_t n = (size_t)PyTuple_Size(list);
    tw_value *items = take_items(b, n);
    for (size_t i = 0; items && i < n; i++)
        if (!convert(b, PyTuple_GetItem(list, (Py_ssize_t)i), &items[i]))
            return false;
    *out = (tw_value){.kind = TW_VALUE_LIST, .n = n, .items = items};
    return items != NULL;
}

static bool convert_text(binding *b, PyObject *o, tw_value *out)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(o, &size);
    (void)b;
    *out = (tw_value){.kind = TW_VALUE_TEXT, .text = text, .n = (size_t)size};
    return text != NULL;
}

static bool convert_memory(binding *b, PyObject *o, tw_value *out)
{
    if (b->n_placements == PLACEMENTS) {
        PyErr_Format(PyExc_ValueError, "%s: more than %d memory configs", b->row->name,
                     PLACEMENTS);
        return false;
    }
    tw_placement *p = &b->placements[b->n_placements];
    *out = (tw_value){.kind = TW_VALUE_PLACEMENT, .placement = p};
    b->memory = b->memory ? b->memory : o;
    if (o == core_eager.dram || o == core_eager.l1)
        *p = (tw_placement){.space = o == core_eager.l1 ? TW_IN_L1 : TW_IN_DRAM};
    else if (!core_placement(o, p, b->cores[b->n_placements]))
        return false;
    b->n_placements++;
    return true;
}

/* The fields of a configuration that are set, by name. */
static bool convert_record(binding *b, PyObject *o, tw_value *out)
{
    PyObject *type = PyObject_GetAttrString(o, "_type");
    PyObject *fields = hold(b, type) ? PyObject_GetAttrString(o, "_fields") : NULL;
    PyObject *list = hold(b, fields) ? PyMapping_Items(fields) : NULL;
    if (!hold(b, list))
        return false;
    const size_t n = (size_t)PyList_Size(list);
    tw_value *items = take_items(b, n);
    const char **names = items ? b->names + (items - b->items) : NULL;
    for (size_t i = 0; items && i < n; i++) {
        PyObject *pair = PyList_GetItem(list, (Py_ssize_t)i);
        names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(pair, 0), NULL);
        if (!names[i] || !convert(b, PyTuple_GetItem(pair, 1), &items[i]))
            return false;
    }
    *out = (tw_value){.kind = TW_VALUE_RECORD,
                      .n = n,
                      .items = items,
                      .names = names,
                      .text = PyUnicode_AsUTF8AndSize(type, NULL)};
    return items && out->text;
}

/* Members of enumerations: data types and layouts, others by name. */
static bool convert_case(binding *b, PyObject *o, tw_value *out)
{
    for (int i = 0; i < 2; i++)
        if (o == core_eager.layouts[i]) {
            *out = (tw_value){.kind = TW_VALUE_LAYOUT, .i = i};
            return true;
        }
    PyObject *name = PyObject_GetAttrString(o, "name");
    return hold(b, name) && convert_text(b, name, out);
}

static bool convert_dtype(PyObject *o, tw_value *out)
{
    for (int i = 0; i < TW_DTYPE_COUNT; i++)
        if (o == core_eager.dtypes[i]) {
            *out = (tw_value){.kind = TW_VALUE_DTYPE, .i = i};
            return true;
        }
    return false;
}

static bool is_a(PyObject *o, PyObject *type)
{
    return (PyObject *)Py_TYPE(o) == type || PyObject_IsInstance(o, type) == 1;
}

/* Whatever has an index, parts, a number or a path: NumPy's scalars, cores, pathlib's. */
static bool convert_number(binding *b, PyObject *o, tw_value *out)
{
    PyObject *index = PyIndex_Check(o) ? PyNumber_Index(o) : NULL;
    if (index) {
        *out = (tw_value){.kind = TW_VALUE_INT, .i = PyLong_AsLongLong(index)};
        Py_DECREF(index);
        return !PyErr_Occurred();
    }
    PyErr_Clear();
    if (PyObject_HasAttrString(o, "_ttnn_parts")) { /* cores and ranges of them */
        PyObject *values = PyObject_GetAttrString(o, "_ttnn_parts");
        return hold(b, values) && convert_list(b, values, out);
    }
    if (PyObject_HasAttrString(o, "__float__") && !PyObject_HasAttrString(o, "shape")) {
        *out = (tw_value){.kind = TW_VALUE_REAL, .real = PyFloat_AsDouble(o)};
        return !PyErr_Occurred();
    }
    if (PyObject_HasAttrString(o, "__fspath__")) {
        PyObject *path = PyOS_FSPath(o);
        return hold(b, path) && convert_text(b, path, out);
    }
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__");
    PyErr_Format(
        PyExc_TypeError,
        "%s: expected tensors of ttnn, numbers, lists and configurations, found an "
        "object of class %S; ttnn.from_torch(tensor) makes a tensor of torch's",
        b->row->name, name ? name : Py_None);
    Py_XDECREF(name);
    return false;
}

static bool convert(binding *b, PyObject *o, tw_value *out)
{
    if (Py_TYPE(o) == core_eager.tensor)
        return convert_tensor(b, o, out);
    if (o == Py_None) {
        *out = (tw_value){.kind = TW_VALUE_NONE};
        return true;
    }
    if (PyBool_Check(o)) {
        *out = (tw_value){.kind = TW_VALUE_BOOL, .i = o == Py_True};
        return true;
    }
    if (PyFloat_Check(o)) {
        *out = (tw_value){.kind = TW_VALUE_REAL, .real = PyFloat_AsDouble(o)};
        return true;
    }
    if (convert_dtype(o, out))
        return true;
    if (is_a(o, core_eager.enum_class))
        return convert_case(b, o, out);
    if (PyLong_Check(o)) {
        *out = (tw_value){.kind = TW_VALUE_INT, .i = PyLong_AsLongLong(o)};
        return !PyErr_Occurred();
    }
    if (PyUnicode_Check(o))
        return convert_text(b, o, out);
    if (is_a(o, core_eager.memory_class))
        return convert_memory(b, o, out);
    if (is_a(o, core_eager.record_class))
        return convert_record(b, o, out);
    if (PyList_Check(o) || PyTuple_Check(o))
        return convert_list(b, o, out);
    if (is_a(o, core_eager.device_class)) {
        *out = (tw_value){.kind = TW_VALUE_DEVICE};
        b->device = o;
        return true;
    }
    if (is_a(o, (PyObject *)core_eager.base))
        return convert_tensor(b, o, out);
    return convert_number(b, o, out);
}

/* ---- binding ------------------------------------------------------------------------- */

/* The parameter of that name: by identity first, for names in source code are interned. */
static Py_ssize_t parameter_named(const function_object *f, PyObject *name)
{
    const size_t n = f->row->n_parameters;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            if (f->names[i][k] == name)
                return (Py_ssize_t)i;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            if (f->names[i][k] && PyUnicode_Compare(f->names[i][k], name) == 0)
                return (Py_ssize_t)i;
    return -1;
}

static bool refuse_name(const function_object *f, PyObject *name)
{
    PyObject *known = PyUnicode_FromString("");
    for (size_t i = 0; known && i < f->row->n_parameters; i++) {
        PyObject *more = PyUnicode_FromFormat("%U%s%s", known,
                                              i && *f->row->parameters[i].name ? ", " : "",
                                              f->row->parameters[i].name);
        Py_DECREF(known);
        known = more;
    }
    if (known)
        PyErr_Format(PyExc_TypeError, "%s: there is no argument '%U'; there are %U",
                     f->row->name, name, known);
    Py_XDECREF(known);
    return false;
}

/* ttnn's names for a tensor, made before, that takes the result: functions of one result
 * have it without a parameter of their row. */
static const char *const output_names[] = {"output_tensor", "optional_output_tensor"};

/* True if the argument is such a tensor; false without an exception if it is another one.
 */
static bool bind_output(binding *b, PyObject *name, PyObject *o)
{
    bool named = false;
    for (size_t i = 0; i < TW_COUNT(output_names); i++)
        named |= PyUnicode_CompareWithASCIIString(name, output_names[i]) == 0;
    if (!named || b->row->n_results != 1)
        return false;
    if (o == Py_None)
        return true;
    if (!is_a(o, (PyObject *)core_eager.base)) {
        PyErr_Format(PyExc_TypeError, "%s: %U: expected a tensor of ttnn, or None",
                     b->row->name, name);
        return false;
    }
    b->output = o;
    return true;
}

static bool bind(binding *b, const function_object *f, PyObject *const *args,
                 Py_ssize_t n_args, PyObject *names)
{
    const tw_function *row = f->row;
    Py_ssize_t positions = 0, named = names ? PyTuple_Size(names) : 0;
    while ((size_t)positions < row->n_parameters && row->parameters[positions].by_position)
        positions++;
    if (n_args > positions) {
        PyErr_Format(PyExc_TypeError,
                     "%s: expected at most %zd arguments by position, found %zd; give the "
                     "others by name",
                     row->name, positions, n_args);
        return false;
    }
    for (size_t i = 0; i < row->n_parameters; i++)
        b->arguments[i].kind = TW_VALUE_ABSENT;
    for (Py_ssize_t i = 0; i < n_args; i++)
        if (!convert(b, args[i], &b->arguments[i]))
            return false;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        const Py_ssize_t at = parameter_named(f, name);
        if (at < 0 && bind_output(b, name, args[n_args + i]))
            continue;
        if (at < 0)
            return PyErr_Occurred() ? false : refuse_name(f, name);
        if (b->arguments[at].kind != TW_VALUE_ABSENT) {
            PyErr_Format(PyExc_TypeError, "%s: argument '%U' is given twice", row->name,
                         name);
            return false;
        }
        if (!convert(b, args[n_args + i], &b->arguments[at]))
            return false;
    }
    return true;
}

/* ---- results ------------------------------------------------------------------------- */

static bool same_placement(const tw_placement *a, const tw_placement *b)
{
    return a->space == b->space && a->sharding == b->sharding &&
           (a->sharding == TW_INTERLEAVED ||
            (a->shard[0] == b->shard[0] && a->shard[1] == b->shard[1] &&
             a->by_columns == b->by_columns && a->n_cores == b->n_cores &&
             memcmp(a->cores, b->cores, a->n_cores * sizeof *a->cores) == 0));
}

/* The memory config of a placement, preferably one that the call was given; a new
 * reference. */
static PyObject *memory_object(const binding *b, const tw_placement *p)
{
    if (b->memory && b->n_placements && same_placement(p, &b->placements[0]))
        return Py_NewRef(b->memory);
    if (b->first && same_placement(p, &b->first->tensor.placement))
        return Py_NewRef(b->first->memory);
    if (p->sharding == TW_INTERLEAVED)
        return Py_NewRef(p->space == TW_IN_L1 ? core_eager.l1 : core_eager.dram);
    for (size_t i = 0; i < b->row->n_parameters; i++) /* of another operand */
        if (b->arguments[i].kind == TW_VALUE_TENSOR &&
            same_placement(p, &b->arguments[i].tensor->placement)) {
            const tw_tensor *t = b->arguments[i].tensor;
            const eager_tensor *owner =
                (const eager_tensor *)(const void *)((const char *)t -
                                                     offsetof(eager_tensor, tensor));
            return Py_NewRef(owner->memory);
        }
    return Py_NewRef(core_eager.dram);
}

static PyObject *result_object(const binding *b, tw_tensor *r)
{
    PyObject *device = b->device && r->placement.space != TW_ON_HOST ? b->device : Py_None;
    PyObject *memory = memory_object(b, &r->placement);
    if (device == Py_None)
        r->placement = (tw_placement){.space = TW_ON_HOST};
    PyObject *made = memory ? core_tensor_of(r, memory, device) : NULL;
    Py_XDECREF(memory);
    if (!made)
        tw_eager_free(r->data);
    return made;
}

static PyObject *result_objects(const binding *b, tw_tensor *results, size_t n)
{
    if (n == 0)
        Py_RETURN_NONE;
    if (n == 1)
        return result_object(b, &results[0]);
    PyObject *all = PyTuple_New((Py_ssize_t)n);
    for (size_t i = 0; i < n; i++) {
        PyObject *one = all ? result_object(b, &results[i]) : NULL;
        if (!all)
            tw_eager_free(results[i].data);
        else if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(all);
    }
    return all;
}

/* Tensors that the operation modified: the grid's copies are older now. */
static bool tell_written(const binding *b, PyObject *const *args, Py_ssize_t n)
{
    for (size_t i = 0; i < b->row->n_parameters; i++) {
        if (!b->row->parameters[i].is_written || b->arguments[i].kind != TW_VALUE_TENSOR)
            continue;
        for (Py_ssize_t k = 0; k < n; k++) {
            if (!is_a(args[k], (PyObject *)core_eager.base) ||
                &((eager_tensor *)args[k])->tensor != b->arguments[i].tensor)
                continue;
            PyObject *done = PyObject_CallMethod(args[k], "written_on_host", NULL);
            if (!done)
                return false;
            Py_DECREF(done);
        }
    }
    return true;
}

/* ---- calls --------------------------------------------------------------------------- */

static PyObject *raise(tw_status status)
{
    const bool invalid = tw_status_code(status) == TW_INVALID;
    return core_raise_as(status, invalid ? PyExc_ValueError : PyExc_RuntimeError);
}

/* The output has the result's shape, data type and layout. */
static bool fits_output(const binding *b, const tw_tensor *result)
{
    const tw_tensor *to = &((const eager_tensor *)b->output)->tensor;
    bool same = to->dtype == result->dtype && to->tiled == result->tiled &&
                to->rank == result->rank;
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s: expected an output tensor of ", b->row->name);
    for (int k = 0; k < 2; k++) {
        const tw_tensor *t = k ? to : result;
        tw_strbuf_puts(&text, k ? ", found " : "");
        for (int i = 0; i < t->rank; i++) {
            tw_strbuf_printf(&text, "%lldx", (long long)t->dims[i]);
            same = same && to->dims[i] == result->dims[i];
        }
        tw_strbuf_printf(&text, "%s in %s", tw_dtype_name(t->dtype),
                         t->tiled ? "TILE_LAYOUT" : "ROW_MAJOR_LAYOUT");
    }
    if (!same)
        PyErr_Format(PyExc_ValueError, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return same;
}

/* The output gets the memory of the result, whose reference is taken; returns the output.
 */
static PyObject *put_into_output(PyObject *output, PyObject *made)
{
    PyObject *values = PyObject_CallMethod(made, "values", NULL);
    PyObject *done = values ? PyObject_CallMethod(output, "replace", "O", values) : NULL;
    Py_XDECREF(values);
    Py_DECREF(made);
    if (!done)
        return NULL;
    Py_DECREF(done);
    return Py_NewRef(output);
}

static PyObject *call_bound(const function_object *f, binding *b, PyObject *const *args,
                            Py_ssize_t n)
{
    tw_tensor results[TW_EAGER_MAX_RESULTS];
    size_t n_results;
    tw_status status;
    if (b->large) {
        Py_BEGIN_ALLOW_THREADS status =
            tw_eager_call(core_eager.session, f->row, b->arguments, results, &n_results);
        Py_END_ALLOW_THREADS
    } else {
        status =
            tw_eager_call(core_eager.session, f->row, b->arguments, results, &n_results);
    }
    if (status)
        return raise(status);
    if (b->output && !fits_output(b, &results[0])) {
        tw_eager_free(results[0].data);
        return NULL;
    }
    PyObject *made = result_objects(b, results, n_results);
    if (made && !tell_written(b, args, n))
        Py_CLEAR(made);
    return made && b->output ? put_into_output(b->output, made) : made;
}

/* The method by which an argument, or the first item of a list, takes the call itself:
 * those of functions that are traced (ttnn_jit).  NULL without an error if there is none.
 */
static PyObject *taker_of(PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = args[i], *item = NULL;
        if ((PyList_Check(o) || PyTuple_Check(o)) && PySequence_Size(o) > 0)
            o = item = PySequence_GetItem(o, 0);
        PyObject *taker = PyObject_HasAttrString(o, "__ttnn_function__")
                              ? PyObject_GetAttrString(o, "__ttnn_function__")
                              : NULL;
        Py_XDECREF(item);
        if (taker)
            return taker;
    }
    return NULL;
}

/* A call's arguments as a tuple and a dictionary, both new. */
static bool as_objects(PyObject *const *args, Py_ssize_t n_args, PyObject *names,
                       PyObject **list, PyObject **options)
{
    *list = PyTuple_New(n_args);
    *options = PyDict_New();
    bool ok = *list && *options;
    for (Py_ssize_t i = 0; ok && i < n_args; i++) {
        Py_INCREF(args[i]);
        ok = PyTuple_SetItem(*list, i, args[i]) == 0;
    }
    for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; ok && i < n; i++)
        ok = PyDict_SetItem(*options, PyTuple_GetItem(names, i), args[n_args + i]) == 0;
    return ok;
}

/* Notes the call for a trace, if one is captured; the result, NULL on failure. */
static PyObject *recorded(const tw_function *row, PyObject *const *args, Py_ssize_t n_args,
                          PyObject *names, PyObject *made)
{
    PyObject *list, *options;
    if (!made || !core_eager.record)
        return made;
    bool ok = as_objects(args, n_args, names, &list, &options);
    PyObject *note =
        ok ? Py_BuildValue("(sOOO)", strchr(row->name, '.') + 1, list, options, made)
           : NULL;
    if (!note || PyList_Append(core_eager.record, note))
        Py_CLEAR(made);
    Py_XDECREF(note);
    Py_XDECREF(list);
    Py_XDECREF(options);
    return made;
}

static PyObject *hand_over(PyObject *taker, const tw_function *row, PyObject *const *args,
                           Py_ssize_t n_args, PyObject *names)
{
    PyObject *list, *options, *made = NULL;
    if (as_objects(args, n_args, names, &list, &options))
        made =
            PyObject_CallFunction(taker, "sOO", strchr(row->name, '.') + 1, list, options);
    Py_XDECREF(list);
    Py_XDECREF(options);
    return made;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                      PyObject *names)
{
    const function_object *f = (const function_object *)self;
    binding b;
    b.n_items = b.n_held = b.n_placements = 0;
    b.memory = b.device = NULL;
    b.first = NULL;
    b.output = NULL;
    b.large = false;
    b.row = f->row;
    const Py_ssize_t all = n_args + (names ? PyTuple_Size(names) : 0);
    PyObject *made = bind(&b, f, args, n_args, names) ? call_bound(f, &b, args, all) : NULL;
    for (size_t i = 0; i < b.n_held; i++)
        Py_DECREF(b.held[i]);
    if (made || !PyErr_ExceptionMatches(PyExc_TypeError))
        return recorded(f->row, args, n_args, names, made);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *taker = taker_of(args, all);
    if (!taker) {
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    made = hand_over(taker, f->row, args, n_args, names);
    Py_DECREF(taker);
    return made;
}

/* ---- functions ----------------------------------------------------------------------- */

static PyObject *make_function(const tw_function *row)
{
    function_object *f = PyObject_New(function_object, function_type);
    if (!f)
        return NULL;
    f->row = row;
    memset(f->names, 0, sizeof f->names);
    for (size_t i = 0; i < row->n_parameters; i++) {
        const tw_parameter *p = &row->parameters[i];
        const char *names[] = {p->name, p->other[0], p->other[1]};
        for (int k = 0; k < 3; k++)
            if (names[k] && *names[k])
                f->names[i][k] = PyUnicode_InternFromString(names[k]);
    }
    f->method =
        (PyMethodDef){strrchr(row->name, '.') + 1, (PyCFunction)(void (*)(void))call,
                      METH_FASTCALL | METH_KEYWORDS, core_eager_signature(row)};
    PyObject *module = PyUnicode_FromString("ttnn");
    PyObject *made = module ? PyCFunction_NewEx(&f->method, (PyObject *)f, module) : NULL;
    Py_XDECREF(module);
    if (!made) /* else the function lives as long as the process: its method is in it */
        Py_DECREF(f);
    return made;
}

/* ttnn_functions(): [(name, function)] */
static PyObject *list_functions(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < tw_function_count(TW_PYTHON); i++) {
        const tw_function *row = tw_function_at(TW_PYTHON, i);
        PyObject *function = make_function(row);
        PyObject *pair = function ? Py_BuildValue("(sN)", row->name, function) : NULL;
        if (!pair || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* ttnn_counts(): (calls, plans made, plans held) */
static PyObject *counts(PyObject *module, PyObject *unused)
{
    const tw_eager_counts c = tw_eager_count(core_eager.session);
    (void)module;
    (void)unused;
    return Py_BuildValue("(KKn)", (unsigned long long)c.calls, (unsigned long long)c.plans,
                         (Py_ssize_t)c.cached);
}

static PyObject *forget(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    tw_eager_forget(core_eager.session);
    Py_RETURN_NONE;
}

/* ttnn_register(Tensor, MemoryConfig, Device, Enum, Record, {dtype's value: member}, (rows,
 * tiles), DRAM, L1, memory_of, threads): what calls must know of Python's classes. */
static PyObject *register_classes(PyObject *module, PyObject *args)
{
    PyObject *tensor, *memory, *device, *cases, *record, *dtypes, *rows, *tiles, *dram, *l1,
        *memory_of;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int threads;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOO(OO)OOOi", &tensor, &memory, &device, &cases,
                          &record, &dtypes, &rows, &tiles, &dram, &l1, &memory_of,
                          &threads))
        return NULL;
    core_eager.tensor = (PyTypeObject *)Py_NewRef(tensor);
    core_eager.memory_class = Py_NewRef(memory);
    core_eager.device_class = Py_NewRef(device);
    core_eager.enum_class = Py_NewRef(cases);
    core_eager.record_class = Py_NewRef(record);
    core_eager.layouts[0] = Py_NewRef(rows);
    core_eager.layouts[1] = Py_NewRef(tiles);
    core_eager.dram = Py_NewRef(dram);
    core_eager.l1 = Py_NewRef(l1);
    core_eager.memory_of = Py_NewRef(memory_of);
    while (PyDict_Next(dtypes, &at, &key, &value)) {
        const long dtype = PyLong_AsLong(key);
        if (dtype < 0 || dtype >= TW_DTYPE_COUNT)
            return PyErr_Format(PyExc_ValueError, "%ld is no data type", dtype);
        core_eager.dtypes[dtype] = Py_NewRef(value);
    }
    tw_status status =
        core_eager.session ? TW_SUCCESS : tw_eager_create(threads, &core_eager.session);
    if (status)
        return core_raise(status);
    Py_RETURN_NONE;
}

static PyObject *record_calls(PyObject *module, PyObject *list)
{
    (void)module;
    if (list != Py_None && !PyList_Check(list))
        return PyErr_Format(PyExc_TypeError, "expected a list or None");
    Py_XDECREF(core_eager.record);
    core_eager.record = list == Py_None ? NULL : Py_NewRef(list);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"ttnn_record", record_calls, METH_O,
     "ttnn_record(list): appends (name, arguments, named ones, result) of each call to it; "
     "None: no longer."},
    {"ttnn_register", register_classes, METH_VARARGS,
     "ttnn_register(...): what eager calls know of ttnn's classes."},
    {"ttnn_functions", list_functions, METH_NOARGS, "ttnn_functions(): [(name, function)]"},
    {"ttnn_forget", forget, METH_NOARGS, "ttnn_forget(): drops the plans."},
    {"ttnn_counts", counts, METH_NOARGS, "ttnn_counts(): (calls, plans made, plans held)"},
    {0},
};

static void function_dealloc(PyObject *self)
{
    function_object *f = (function_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (size_t i = 0; i < TW_EAGER_MAX_PARAMETERS; i++)
        for (int k = 0; k < 3; k++)
            Py_XDECREF(f->names[i][k]);
    free((void *)(uintptr_t)f->method.ml_doc);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, function_dealloc}, {0, NULL}};
static PyType_Spec spec = {.name = "tilewright._core.FunctionRow",
                           .basicsize = sizeof(function_object),
                           .flags = Py_TPFLAGS_DEFAULT,
                           .slots = slots};

int core_eager_add(PyObject *module)
{
    function_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return function_type ? PyModule_AddFunctions(module, methods) : -1;
}
