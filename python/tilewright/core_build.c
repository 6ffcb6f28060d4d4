/* core_build.c: the methods of tilewright._core.Module that build it.
 *
 * Values and blocks are integers for Python, numbers in the module's tables, so that a
 * builder costs no object for each. Types and attributes are given as text, which is parsed
 * once for each module, or as numbers. */
#define PY_SSIZE_T_CLEAN
#include "core_module_impl.h"

#include "ir/diagnostic_print.h"
#include "ir/infer.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "pipelines/module.h"

#include <stdlib.h>
#include <string.h>

/* ---- what Python gives --------------------------------------------------------------- */

static ir_value *value_of(module_object *self, PyObject *number)
{
    const size_t i = PyLong_AsSize_t(number);
    if (!PyErr_Occurred() && (i >= self->n_values || !self->values[i]))
        PyErr_Format(PyExc_IndexError, "the module has no value %R", number);
    return PyErr_Occurred() ? NULL : self->values[i];
}

static ir_block *block_of(module_object *self, PyObject *number)
{
    const size_t i = PyLong_AsSize_t(number);
    if (!PyErr_Occurred() && i >= self->n_blocks)
        PyErr_Format(PyExc_IndexError, "the module has no block %R", number);
    return PyErr_Occurred() ? NULL : self->blocks[i];
}

static size_t add_value(module_object *self, ir_value *v)
{
    TW_PUSH(self->values, self->n_values, self->values_capacity, v);
    return self->n_values - 1;
}

/* Parses a short text with `parse`, once for each text. */
static void *parsed(module_object *self, PyObject *known, PyObject *text,
                    void *(*parse)(ir_context *ctx, tw_str text))
{
    PyObject *found = PyDict_GetItemWithError(known, text);
    if (found)
        return PyLong_AsVoidPtr(found);
    Py_ssize_t size;
    const char *data = PyErr_Occurred() ? NULL : PyUnicode_AsUTF8AndSize(text, &size);
    if (!data)
        return NULL;
    ir_context *ctx = self->module->ctx;
    ir_diagnostic_log log = {.quotes = {{data, (size_t)size}, "<text>"}};
    ir_diagnostic_sink outer = ir_context_set_sink(ctx, ir_diagnostic_log_sink(&log));
    void *made = parse(ctx, (tw_str){data, (size_t)size});
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, outer);
    PyObject *address = made ? PyLong_FromVoidPtr(made) : NULL;
    if (!made)
        PyErr_Format(PyExc_ValueError, "%U: %s", text, tw_strbuf_text(&log.text));
    tw_strbuf_free(&log.text);
    if (address && PyDict_SetItem(known, text, address) < 0)
        made = NULL;
    Py_XDECREF(address);
    return made;
}

static void *parse_type(ir_context *ctx, tw_str text)
{
    return (void *)ir_parse_type(ctx, text);
}

static void *parse_attr(ir_context *ctx, tw_str text)
{
    return (void *)ir_parse_attr(ctx, text);
}

static ir_type type_of(module_object *self, PyObject *text)
{
    return parsed(self, self->types, text, parse_type);
}

/* A list of integers. */
static ir_attr integers(ir_context *ctx, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    int64_t few[16], *all = n <= 16 ? few : tw_xmalloc((size_t)n * sizeof *all);
    for (Py_ssize_t i = 0; i < n; i++)
        all[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    ir_attr made = PyErr_Occurred() ? NULL : ir_dense_i64_array(ctx, all, (size_t)n);
    if (all != few)
        free(all);
    return made;
}

/* (type, number): every element; (type, memory): the elements as they lie there. */
static ir_attr dense(module_object *self, PyObject *pair)
{
    PyObject *text, *from;
    if (!PyArg_ParseTuple(pair, "OO", &text, &from))
        return NULL;
    ir_type type = type_of(self, text);
    if (!type)
        return NULL;
    if (PyLong_Check(from)) {
        int64_t v = PyLong_AsLongLong(from);
        return PyErr_Occurred() ? NULL : ir_dense_splat_int(type, v);
    }
    if (PyFloat_Check(from))
        return ir_dense_splat(type, PyFloat_AsDouble(from));
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(from, &data, &size) < 0)
        return NULL;
    const int64_t n = ir_type_num_elements(type);
    if (n < 0 || (size_t)n * ir_dense_element_size(ir_type_element(type)) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "%zd bytes are not the elements of %U", size, text);
        return NULL;
    }
    return ir_dense_attr(type, data, (size_t)size);
}

/* An attribute: None is a unit, True and False are booleans, an integer is an i64, bytes
 * are a string, a list is a dense array of integers, a tuple dense elements, and a text is
 * parsed. */
static ir_attr attr_of(module_object *self, PyObject *given)
{
    ir_context *ctx = self->module->ctx;
    if (PyUnicode_Check(given))
        return parsed(self, self->attrs, given, parse_attr);
    if (given == Py_None)
        return ir_unit_attr(ctx);
    if (PyBool_Check(given))
        return ir_bool_attr(ctx, given == Py_True);
    if (PyLong_Check(given)) {
        int64_t v = PyLong_AsLongLong(given);
        return PyErr_Occurred() ? NULL : ir_i64_attr(ctx, v);
    }
    if (PyList_Check(given))
        return integers(ctx, given);
    if (PyTuple_Check(given))
        return dense(self, given);
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(given, &data, &size) < 0)
        return NULL;
    return ir_string_attr(ctx, (tw_str){data, (size_t)size});
}

/* (file, line, column), or None. */
static bool loc_of(module_object *self, PyObject *given, ir_loc *out)
{
    *out = (ir_loc){0};
    if (given == Py_None)
        return true;
    PyObject *file =
        PyTuple_Check(given) && PyTuple_Size(given) == 3 ? PyTuple_GetItem(given, 0) : NULL;
    PyObject *bytes =
        file ? PyUnicode_AsEncodedString(file, "utf-8", "surrogateescape") : NULL;
    if (!bytes) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "expected (file, line, column), got %R", given);
        return false;
    }
    const long line = PyLong_AsLong(PyTuple_GetItem(given, 1));
    const long column = PyLong_AsLong(PyTuple_GetItem(given, 2));
    ir_context *ctx = self->module->ctx;
    *out = ir_loc_file(ctx, ir_ident_from(ctx, PyBytes_AsString(bytes)), (uint32_t)line,
                       (uint32_t)column);
    Py_DECREF(bytes);
    return !PyErr_Occurred();
}

/* ---- operations ---------------------------------------------------------------------- */

enum { FEW = 16 }; /* operands, results and attributes that need no memory of their own */

typedef struct making {
    module_object *self;
    ir_op_state state;
    ir_value *operands[FEW], **all_operands;
    ir_type results[FEW], *all_results;
    ir_named_attr attrs[FEW], *all_attrs;
} making;

static bool take_operands(making *m, PyObject *tuple)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    if (n < 0)
        return false;
    m->all_operands =
        n <= FEW ? m->operands : tw_xmalloc((size_t)n * sizeof *m->all_operands);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(m->all_operands[i] = value_of(m->self, PyTuple_GetItem(tuple, i))))
            return false;
    m->state.operands = m->all_operands;
    m->state.n_operands = (size_t)n;
    return true;
}

static bool take_results(making *m, PyObject *given)
{
    const bool one = PyUnicode_Check(given);
    const Py_ssize_t n = one ? 1 : PyTuple_Size(given);
    if (n < 0)
        return false;
    m->all_results = n <= FEW ? m->results : tw_xmalloc((size_t)n * sizeof *m->all_results);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(m->all_results[i] =
                  type_of(m->self, one ? given : PyTuple_GetItem(given, i))))
            return false;
    m->state.results = m->all_results;
    m->state.n_results = (size_t)n;
    return true;
}

static bool take_attrs(making *m, PyObject *given)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, n = given == Py_None ? 0 : PyDict_Size(given);
    if (n <= 0)
        return n == 0;
    m->all_attrs = n <= FEW ? m->attrs : tw_xmalloc((size_t)n * sizeof *m->all_attrs);
    m->state.attrs = m->all_attrs;
    while (PyDict_Next(given, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        ir_attr attr = name ? attr_of(m->self, value) : NULL;
        if (!attr)
            return false;
        m->all_attrs[m->state.n_attrs++] =
            (ir_named_attr){ir_ident_from(m->self->module->ctx, name), attr};
    }
    return true;
}

static bool infer_results(making *m)
{
    ir_type found[IR_INFER_CAPACITY];
    size_t n = IR_INFER_CAPACITY;
    if (!ir_infer_state_results(m->self->module->ctx, &m->state, found, &n)) {
        PyErr_Format(PyExc_ValueError, "the result types of '%s' cannot be inferred",
                     m->state.def->name);
        return false;
    }
    m->all_results = n <= FEW ? m->results : tw_xmalloc(n * sizeof *m->all_results);
    memcpy(m->all_results, found, n * sizeof *found);
    m->state.results = m->all_results;
    m->state.n_results = n;
    return true;
}

static bool fill_regions(module_object *self, ir_op *op, PyObject *regions)
{
    for (Py_ssize_t i = 0; i < op->n_regions; i++) {
        PyObject *given = PyTuple_GetItem(regions, i);
        ir_block *block = given == Py_None ? NULL : block_of(self, given);
        if (block && !block->region)
            ir_region_append(&op->regions[i], block);
        else if (given != Py_None) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "block %R is in a region already", given);
            return false;
        }
    }
    return true;
}

/* Gives the results the reserved numbers, or new ones: the first of them. */
static PyObject *number_results(module_object *self, ir_op *op, PyObject *reserved)
{
    const size_t first = self->n_values;
    if (reserved == Py_None) {
        for (uint32_t i = 0; i < op->n_results; i++)
            add_value(self, &op->results[i]);
        return op->n_results ? PyLong_FromSize_t(first) : Py_NewRef(Py_None);
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        PyObject *number = PyTuple_GetItem(reserved, i);
        const size_t at = number ? PyLong_AsSize_t(number) : 0;
        if (PyErr_Occurred())
            return NULL;
        if (at >= self->n_values || self->values[at])
            return PyErr_Format(PyExc_IndexError, "%R is no reserved value", number);
        self->values[at] = &op->results[i];
    }
    return Py_NewRef(Py_None);
}

static PyObject *make_op(making *m, PyObject *const *args)
{
    PyObject *results = args[3], *regions = args[6], *reserved = args[7], *behind = args[8];
    module_object *self = m->self;
    ir_block *block = block_of(self, args[0]);
    Py_ssize_t size;
    const char *name = block ? PyUnicode_AsUTF8AndSize(args[1], &size) : NULL;
    if (!name)
        return NULL;
    m->state.def = ir_context_op_def(self->module->ctx, (tw_str){name, (size_t)size});
    if (!m->state.def)
        return PyErr_Format(PyExc_ValueError, "'%U' is no operation", args[1]);
    m->state.n_regions = regions == Py_None ? 0 : (size_t)PyTuple_Size(regions);
    if (!loc_of(self, args[5], &m->state.loc) || !take_operands(m, args[2]) ||
        !take_attrs(m, args[4]) ||
        !(results == Py_None ? infer_results(m) : take_results(m, results)))
        return NULL;
    ir_value *after = behind == Py_None ? NULL : value_of(self, behind);
    if (behind != Py_None && (!after || after->is_argument)) {
        if (after)
            PyErr_SetString(PyExc_ValueError, "no operation defines an argument");
        return NULL;
    }
    ir_op *op = ir_op_create(self->module->ctx, &m->state);
    if (after)
        ir_op_insert_after(op, ir_value_def(after));
    else
        ir_block_append(block, op);
    return fill_regions(self, op, regions) ? number_results(self, op, reserved) : NULL;
}

PyObject *core_build_op(PyObject *object, PyObject *const *args, Py_ssize_t n)
{
    making m = {.self = (module_object *)object};
    PyObject *all[9];
    if (!core_module_open(m.self))
        return NULL;
    if (n < 6 || n > 9)
        return PyErr_Format(PyExc_TypeError, "op() takes 6 to 9 arguments, got %zd", n);
    for (Py_ssize_t i = 0; i < 9; i++)
        all[i] = i < n ? args[i] : Py_None;
    PyObject *result = make_op(&m, all);
    if (m.all_operands != m.operands)
        free(m.all_operands);
    if (m.all_results != m.results)
        free(m.all_results);
    if (m.all_attrs != m.attrs)
        free(m.all_attrs);
    return result;
}

/* ---- blocks and functions */

PyObject *core_build_reserve(PyObject *object, PyObject *unused)
{
    module_object *self = (module_object *)object;
    (void)unused;
    return core_module_open(self) ? PyLong_FromSize_t(add_value(self, NULL)) : NULL;
}

/* The number of a block, from now on: a new one, or the module's own. */
static PyObject *add_block(module_object *self, bool top)
{
    if (!core_module_open(self))
        return NULL;
    TW_PUSH(self->blocks, self->n_blocks, self->blocks_capacity,
            top ? ir_op_body(self->module->op, 0) : ir_block_create(self->module->ctx));
    return PyLong_FromSize_t(self->n_blocks - 1);
}

PyObject *core_build_block(PyObject *object, PyObject *unused)
{
    (void)unused;
    return add_block((module_object *)object, false);
}

PyObject *core_build_argument(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    PyObject *number, *text, *where;
    Py_ssize_t at = -1;
    ir_loc loc;
    if (!core_module_open(self) ||
        !PyArg_ParseTuple(args, "OOO|n", &number, &text, &where, &at))
        return NULL;
    ir_block *b = block_of(self, number);
    ir_type type = b ? type_of(self, text) : NULL;
    if (!type || !loc_of(self, where, &loc))
        return NULL;
    ir_value *v = ir_block_add_arg(self->module->ctx, b, type, loc);
    for (uint32_t i = b->n_args - 1; at >= 0 && i > (size_t)at; i--) {
        b->args[i] = b->args[i - 1];
        b->args[i]->index = i;
        b->args[i - 1] = v;
        v->index = i - 1;
    }
    return PyLong_FromSize_t(add_value(self, v));
}

PyObject *core_build_is_empty(PyObject *object, PyObject *number)
{
    module_object *self = (module_object *)object;
    ir_block *b = core_module_open(self) ? block_of(self, number) : NULL;
    return b ? PyBool_FromLong(!b->first) : NULL;
}

PyObject *core_build_append(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    PyObject *to_number, *from_number;
    if (!core_module_open(self) || !PyArg_ParseTuple(args, "OO", &to_number, &from_number))
        return NULL;
    ir_block *to = block_of(self, to_number);
    ir_block *from = to ? block_of(self, from_number) : NULL;
    if (!from)
        return NULL;
    if (from->first)
        ir_block_splice(to, NULL, from, from->first, from->last);
    Py_RETURN_NONE;
}

static bool set_arg_attrs(module_object *self, ir_op *f, PyObject *list)
{
    PyObject *key, *value;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++)
        for (Py_ssize_t at = 0; PyDict_Next(PyList_GetItem(list, i), &at, &key, &value);) {
            const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
            ir_attr attr = name ? attr_of(self, value) : NULL;
            if (!attr)
                return false;
            func_set_arg_attr(f, (size_t)i, name, attr);
        }
    return true;
}

PyObject *core_build_function(PyObject *object, PyObject *args)
{
    module_object *self = (module_object *)object;
    const char *name;
    Py_ssize_t size;
    PyObject *number, *where, *attrs, *arg_attrs, *key, *value;
    int is_private = 0, first = 0;
    ir_loc loc;
    if (!core_module_open(self) ||
        !PyArg_ParseTuple(args, "s#OOO!O!|pp", &name, &size, &number, &where, &PyDict_Type,
                          &attrs, &PyList_Type, &arg_attrs, &is_private, &first))
        return NULL;
    ir_context *ctx = self->module->ctx;
    ir_block *b = block_of(self, number);
    if (!b || b->region || !loc_of(self, where, &loc)) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "block %R is in a region already", number);
        return NULL;
    }
    ir_block *top = ir_op_body(self->module->op, 0);
    ir_builder at =
        first ? ir_builder_at_start(ctx, top, loc) : ir_builder_at_end(ctx, top, loc);
    ir_op *f = func_create(&at, ir_string_attr(ctx, (tw_str){name, (size_t)size}),
                           ir_function_type(ctx, NULL, 0, NULL, 0), is_private);
    ir_region_append(&f->regions[0], b);
    func_refresh_type(f);
    for (Py_ssize_t i = 0; PyDict_Next(attrs, &i, &key, &value);) {
        const char *attr_name = PyUnicode_AsUTF8AndSize(key, NULL);
        ir_attr attr = attr_name ? attr_of(self, value) : NULL;
        if (!attr)
            return NULL;
        ir_op_set_attr(f, attr_name, attr);
    }
    return set_arg_attrs(self, f, arg_attrs) ? Py_NewRef(Py_None) : NULL;
}

PyObject *core_build_set_name(PyObject *object, PyObject *text)
{
    module_object *self = (module_object *)object;
    Py_ssize_t size;
    const char *name = core_module_open(self) ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    if (!name)
        return NULL;
    ir_op_set_attr(self->module->op, "sym_name",
                   ir_string_attr(self->module->ctx, (tw_str){name, (size_t)size}));
    Py_RETURN_NONE;
}

PyObject *core_build_top(PyObject *object, PyObject *unused)
{
    (void)unused;
    return add_block((module_object *)object, true);
}
