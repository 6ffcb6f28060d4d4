/* build.c: builds operations from lists (Operation.create and OpView.build_generic), and
 * parts shared with init.c: attributes from plain values, result types, insertion. */
#include "build.h"

#include "ir/infer.h"

/* ---- insertion ---------------------------------------------------------------------- */

bool py_place(py_handle *op, PyObject *ip)
{
    if (ip == Py_False)
        return true;
    if (!ip || ip == Py_None)
        ip = py_current(PY_INSERTION_POINT);
    if (!ip)
        return true;
    if (!py_is(ip, PY_INSERTION_POINT)) {
        PyErr_Format(PyExc_TypeError, "expected an InsertionPoint, got %R", ip);
        return false;
    }
    py_ip *point = (py_ip *)ip;
    ir_op *before = point->before ? py_op_get(point->before) : NULL;
    return (!point->before || before) && py_may_insert(point->block, before) &&
           py_insert(op, point->block, before);
}

/* ---- attributes from plain values --------------------------------------------------- */

bool py_build_attr(py_context *c, PyObject *value, const ir_constraint *kind, ir_attr *out)
{
    *out = NULL;
    if (value == Py_None)
        return true;
    if (py_is(value, PY_ATTRIBUTE))
        return py_attr_arg(value, c, out);
    PyObject *builders = py_get_state()->attr_builders;
    PyObject *builder =
        builders && kind && kind->name ? PyDict_GetItemString(builders, kind->name) : NULL;
    PyObject *made = NULL;
    if (builder) {
        made = PyObject_CallFunctionObjArgs(builder, value, c, NULL);
    } else if (kind && builders && (builder = PyDict_GetItemString(builders, ""))) {
        /* By the constraint's kind instead of by its name. */
        made =
            PyObject_CallFunction(builder, "OOzzzO", value, c, kind->name, kind->storage,
                                  kind->value_type, kind->enumeration ? Py_True : Py_False);
    } else {
        PyErr_Format(PyExc_TypeError, "expected an Attribute, got %R", value);
    }
    bool ok = made && (made == Py_None || py_attr_arg(made, c, out));
    Py_XDECREF(made);
    return ok;
}

/* ---- result types ------------------------------------------------------------------- */

/* By a function of the Python side; returns true with *found false if there is none. */
static bool by_function(py_build *b, bool *found)
{
    PyObject *functions = py_get_state()->inferrers;
    PyObject *function = functions ? PyDict_GetItemString(functions, b->def->name) : NULL;
    *found = function != NULL;
    if (!function)
        return true;
    PyObject *operands = PyList_New(0), *attributes = PyDict_New();
    bool ok = operands && attributes;
    for (size_t i = 0; ok && i < b->n_operands; i++) {
        PyObject *v = py_wrap_value(b->c, b->operands[i]);
        ok = v && PyList_Append(operands, v) == 0;
        Py_XDECREF(v);
    }
    for (size_t i = 0; ok && i < b->n_attrs; i++) {
        PyObject *a = py_wrap_attr(b->c, b->attrs[i].value);
        ok = a && PyDict_SetItemString(attributes, b->attrs[i].name->text, a) == 0;
        Py_XDECREF(a);
    }
    PyObject *list =
        ok ? PyObject_CallFunctionObjArgs(function, operands, attributes, NULL) : NULL;
    ir_type *types = NULL;
    size_t n;
    py_context *c = b->c;
    ok = list && py_types_arg(list, &c, &types, &n) && py_build_results(b, types, n);
    PyMem_Free(types);
    Py_XDECREF(list);
    Py_XDECREF(operands);
    Py_XDECREF(attributes);
    return ok;
}

bool py_infer_results(py_build *b)
{
    bool found;
    ir_type results[IR_INFER_CAPACITY];
    size_t n = IR_INFER_CAPACITY;
    if (!b->def->infer && (!by_function(b, &found) || found))
        return found && !PyErr_Occurred();
    const ir_op_state state = {.def = b->def,
                               .loc = b->loc,
                               .operands = b->operands,
                               .n_operands = b->n_operands,
                               .attrs = b->attrs,
                               .n_attrs = b->n_attrs};
    if (ir_infer_state_results(b->c->ctx, &state, results, &n))
        return py_build_results(b, results, n);
    if (b->def->infer)
        py_deliver(b->c, "Failed to infer result types");
    else
        PyErr_Format(
            PyExc_ValueError,
            "the result types of '%s' cannot be inferred: give results=", b->def->name);
    return false;
}

/* ---- assembling --------------------------------------------------------------------- */

static bool grow(void **array, size_t need, size_t item)
{
    void *grown = PyMem_Realloc(*array, (need + 1) * item);
    if (!grown) {
        PyErr_NoMemory();
        return false;
    }
    *array = grown;
    return true;
}

bool py_build_operand(py_build *b, ir_value *value)
{
    if (!grow((void **)&b->operands, b->n_operands + 1, sizeof *b->operands))
        return false;
    b->operands[b->n_operands++] = value;
    return true;
}

bool py_build_results(py_build *b, const ir_type *types, size_t count)
{
    if (!grow((void **)&b->results, b->n_results + count, sizeof *b->results))
        return false;
    for (size_t i = 0; i < count; i++)
        b->results[b->n_results++] = types[i];
    return true;
}

bool py_build_named(py_build *b, const char *name, ir_attr value)
{
    if (!grow((void **)&b->attrs, b->n_attrs + 1, sizeof *b->attrs))
        return false;
    b->attrs[b->n_attrs++] = (ir_named_attr){ir_ident_from(b->c->ctx, name), value};
    return true;
}

bool py_build_successor(py_build *b, PyObject *object)
{
    ir_block *block = py_is(object, PY_BLOCK) ? py_block_get((py_handle *)object) : NULL;
    if (!block || ((py_handle *)object)->owner != b->c) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "expected a Block of this Context, got %R",
                         object);
        return false;
    }
    if (!grow((void **)&b->successors, b->n_successors + 1, sizeof *b->successors))
        return false;
    b->successors[b->n_successors++] = block;
    return true;
}

void py_build_free(py_build *b)
{
    PyMem_Free(b->operands);
    PyMem_Free(b->results);
    PyMem_Free(b->attrs);
    PyMem_Free(b->successors);
}

py_handle *py_build_op(py_build *b, PyObject *ip)
{
    if (b->n_regions > UINT16_MAX || b->n_successors > UINT16_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many regions or successors");
        return NULL;
    }
    ir_op_state state = {
        .def = b->def,
        .loc = b->loc,
        .operands = b->operands,
        .n_operands = b->n_operands,
        .results = b->results,
        .n_results = b->n_results,
        .attrs = b->attrs,
        .n_attrs = b->n_attrs,
        .successors = b->successors,
        .n_successors = b->n_successors,
        .n_regions = b->n_regions,
    };
    ir_op *made = ir_op_create(b->c->ctx, &state);
    py_branch_moved(b->c, made);
    py_handle *h = py_op_handle(b->c, made);
    if (h && !py_place(h, ip))
        Py_CLEAR(h); /* frees the operation with it */
    return h;
}

/* ---- from lists --------------------------------------------------------------------- */

static bool operands_of(py_build *b, PyObject *given)
{
    PyObject *list = given && given != Py_None ? PySequence_List(given) : PyList_New(0);
    bool ok = list != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_Size(list); i++) {
        ir_value *v = py_value_arg(PyList_GetItem(list, i), b->c);
        ok = v && py_build_operand(b, v);
    }
    Py_XDECREF(list);
    return ok;
}

static bool results_of(py_build *b, PyObject *given)
{
    ir_type *types;
    size_t n;
    py_context *c = b->c;
    if (!given || given == Py_None)
        return true;
    if (!py_types_arg(given, &c, &types, &n))
        return false;
    bool ok = py_build_results(b, types, n);
    PyMem_Free(types);
    return ok;
}

static bool attributes_of(py_build *b, PyObject *given)
{
    PyObject *items = given && given != Py_None ? PyMapping_Items(given) : PyList_New(0);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(pair, 0), NULL);
        ir_attr value;
        ok = name && py_attr_arg(PyTuple_GetItem(pair, 1), b->c, &value) &&
             py_build_named(b, name, value);
    }
    Py_XDECREF(items);
    return ok;
}

static bool successors_of(py_build *b, PyObject *given)
{
    PyObject *list = given && given != Py_None ? PySequence_List(given) : PyList_New(0);
    bool ok = list != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_Size(list); i++)
        ok = py_build_successor(b, PyList_GetItem(list, i));
    Py_XDECREF(list);
    return ok;
}

static const ir_op_def *find_def(py_context *c, tw_str name)
{
    const ir_op_def *def = ir_context_op_def(c->ctx, name);
    if (def)
        return def;
    if (!memchr(name.data, '.', name.size) || !ir_context_allows_unregistered(c->ctx)) {
        PyErr_Format(
            PyExc_ValueError,
            "'%.200s' is no registered operation; allow_unregistered_dialects lets "
            "it be made all the same",
            name.data);
        return NULL;
    }
    return ir_context_op_def_or_unregistered(c->ctx, name);
}

PyObject *py_op_create(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name",    "results", "operands", "attributes", "successors",
                            "regions", "loc",     "ip",       "infer_type", NULL};
    const char *name;
    Py_ssize_t size;
    PyObject *results = NULL, *operands = NULL, *attributes = NULL, *successors = NULL,
             *loc = NULL, *ip = NULL;
    unsigned regions = 0;
    int infer = 0;
    py_build b = {0};
    (void)cls;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#|OOOOIOOp", names, &name, &size,
                                     &results, &operands, &attributes, &successors,
                                     &regions, &loc, &ip, &infer) ||
        !py_made_loc_arg(loc, &b.c, &b.loc))
        return NULL;
    b.def = find_def(b.c, (tw_str){name, (size_t)size});
    b.n_regions = regions;
    bool ok = b.def && operands_of(&b, operands) && attributes_of(&b, attributes) &&
              successors_of(&b, successors) && results_of(&b, results);
    if (ok && infer && !b.n_results)
        ok = py_infer_results(&b);
    py_handle *h = ok ? py_build_op(&b, ip) : NULL;
    py_build_free(&b);
    return (PyObject *)h;
}

/* The number of regions that a class declares; for operations without a row. */
static size_t declared_regions(PyObject *cls, const ir_op_def *def)
{
    PyObject *declared =
        def->traits & IR_UNREGISTERED ? PyObject_GetAttrString(cls, "_ODS_REGIONS") : NULL;
    PyObject *count = declared ? PySequence_GetItem(declared, 0) : NULL;
    Py_ssize_t n = count ? PyNumber_AsSsize_t(count, NULL) : -1;
    Py_XDECREF(declared);
    Py_XDECREF(count);
    PyErr_Clear();
    return n >= 0 && n <= UINT16_MAX ? (size_t)n : def->regions.count;
}

/* cls.build_generic(...): builds the class's operation from plain lists. */
PyObject *py_build_generic(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"results", "operands", "attributes", "successors",
                            "regions", "loc",      "ip",         NULL};
    PyObject *results = NULL, *operands = NULL, *attributes = NULL, *successors = NULL,
             *regions = NULL, *loc = NULL, *ip = NULL, *made = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOOO", names, &results, &operands,
                                     &attributes, &successors, &regions, &loc, &ip))
        return NULL;
    PyObject *name = PyObject_GetAttrString(cls, "OPERATION_NAME");
    py_build b = {0};
    tw_str text = {0};
    Py_ssize_t size = 0;
    bool ok = name && (text.data = PyUnicode_AsUTF8AndSize(name, &size)) &&
              py_made_loc_arg(loc, &b.c, &b.loc);
    text.size = (size_t)size;
    ok = ok && (b.def = find_def(b.c, text)) && operands_of(&b, operands) &&
         attributes_of(&b, attributes) && successors_of(&b, successors) &&
         results_of(&b, results);
    if (ok) {
        b.n_regions = declared_regions(cls, b.def);
        if (regions && regions != Py_None) {
            Py_ssize_t n = PyNumber_AsSsize_t(regions, PyExc_OverflowError);
            b.n_regions = (size_t)n;
            ok = n >= 0 || !PyErr_Occurred();
        }
    }
    py_handle *h = ok ? py_build_op(&b, ip) : NULL;
    if (h)
        made = py_view_of(h);
    Py_XDECREF(h);
    Py_XDECREF(name);
    py_build_free(&b);
    return made;
}
