/* rows.c: the dialects' tables as Python data, and the mapping from rows to classes. */
#include "pyir.h"

#include "ir/dialect.h"
#include "ir/infer.h"
#include "pipelines/dialects.h"
#include "pipelines/translations.h"
#include "tilewright/tilewright.h"

/* All dialects of a context: the tables are constant, so they are the same in any
 * context. */
static ir_context *tables(PyObject *module)
{
    (void)module;
    py_state *state = py_get_state();
    if (!state->tables) {
        state->tables = ir_context_create();
        ir_register_all(state->tables);
    }
    return state->tables;
}

const ir_op_def *py_row_of_op(const char *name)
{
    return ir_context_op_def(tables(NULL), tw_str_from(name));
}

static PyObject *text_or_none(const char *text)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_FromString(text);
}

/* [(name, arity)] */
static PyObject *operands_of(const ir_operand_def *defs, uint32_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (uint32_t i = 0; list && i < count; i++) {
        PyObject *row = Py_BuildValue("(si)", defs[i].name, (int)defs[i].arity);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* _operand_types(operation) -> for each operand the text of the only type that it can have,
 * or None */
static PyObject *operand_types(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    const ir_op_def *def =
        text ? ir_context_op_def(tables(module), tw_str_from(text)) : NULL;
    if (!def) {
        if (text)
            PyErr_Format(PyExc_LookupError, "no operation '%s'", text);
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)def->operands.count);
    for (uint32_t i = 0; list && i < def->operands.count; i++) {
        const ir_constraint *type = def->operands.at[i].type;
        PyObject *only = text_or_none(type ? type->builds : NULL);
        if (!only || PyList_SetItem(list, (Py_ssize_t)i, only) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* [(name, constraint, optional, storage)] */
static PyObject *attributes_of(const ir_op_def *def)
{
    PyObject *list = PyList_New((Py_ssize_t)def->attrs.count);
    for (uint32_t i = 0; list && i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        PyObject *row =
            Py_BuildValue("(szOz)", use->name, use->type ? use->type->name : NULL,
                          use->optional || use->deflt ? Py_True : Py_False,
                          use->type ? use->type->storage : NULL);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *regions_of(const ir_op_def *def)
{
    PyObject *list = PyList_New((Py_ssize_t)def->regions.count);
    for (uint32_t i = 0; list && i < def->regions.count; i++) {
        PyObject *row = Py_BuildValue("(sO)", def->regions.at[i].name,
                                      def->regions.at[i].variadic ? Py_True : Py_False);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *successors_of(const ir_op_def *def)
{
    PyObject *list = PyList_New((Py_ssize_t)def->successors.count);
    for (uint32_t i = 0; list && i < def->successors.count; i++) {
        PyObject *row = Py_BuildValue("(sO)", def->successors.at[i].name,
                                      def->successors.at[i].variadic ? Py_True : Py_False);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* _ops(dialect) -> [(name, operands, attributes, results, regions, successors,
 * infers)] */
static PyObject *ops(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    const ir_dialect *d =
        text ? ir_context_dialect(tables(module), tw_str_from(text)) : NULL;
    if (!d) {
        if (text)
            PyErr_Format(PyExc_LookupError, "no dialect '%s'", text);
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)d->ops.count);
    for (uint32_t i = 0; list && i < d->ops.count; i++) {
        const ir_op_def *def = &d->ops.at[i];
        PyObject *row = Py_BuildValue(
            "(sNNNNNO)", def->name, operands_of(def->operands.at, def->operands.count),
            attributes_of(def), operands_of(def->results.at, def->results.count),
            regions_of(def), successors_of(def), ir_def_infers(def) ? Py_True : Py_False);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *params_of(const ir_param_def *params, uint32_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (uint32_t i = 0; list && i < count; i++) {
        const ir_param_def *p = &params[i];
        PyObject *row =
            Py_BuildValue("(siOOz)", p->name, (int)p->kind, p->array ? Py_True : Py_False,
                          p->optional || p->deflt ? Py_True : Py_False,
                          p->enumeration ? p->enumeration->name : NULL);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* _params(dialect) -> ([(attribute's mnemonic, class, parameters, enumeration)], the same
 * of types) */
static PyObject *params(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    const ir_dialect *d =
        text ? ir_context_dialect(tables(module), tw_str_from(text)) : NULL;
    if (!d) {
        if (text)
            PyErr_Format(PyExc_LookupError, "no dialect '%s'", text);
        return NULL;
    }
    PyObject *attrs = PyList_New(0), *types = PyList_New(0);
    bool ok = attrs && types;
    for (uint32_t i = 0; ok && i < d->attrs.count; i++) {
        const ir_attr_def *def = &d->attrs.at[i];
        PyObject *row = Py_BuildValue("(szNz)", def->mnemonic, def->cls,
                                      params_of(def->params.at, def->params.count),
                                      def->enumeration ? def->enumeration->name : NULL);
        ok = row && PyList_Append(attrs, row) == 0;
        Py_XDECREF(row);
    }
    for (uint32_t i = 0; ok && i < d->types.count; i++) {
        const ir_type_def *def = &d->types.at[i];
        PyObject *row = Py_BuildValue("(szNz)", def->mnemonic, def->cls,
                                      params_of(def->params.at, def->params.count), NULL);
        ok = row && PyList_Append(types, row) == 0;
        Py_XDECREF(row);
    }
    if (ok)
        return Py_BuildValue("(NN)", attrs, types);
    Py_XDECREF(attrs);
    Py_XDECREF(types);
    return NULL;
}

/* ---- enums: a dialect's own are those that its attributes wrap, and those that only its
 * rows use ---- */

static bool wraps(const ir_dialect *d, const ir_enum_def *e)
{
    for (uint32_t i = 0; i < d->attrs.count; i++)
        if (d->attrs.at[i].enumeration == e)
            return true;
    return false;
}

static bool elsewhere(ir_context *ctx, const ir_dialect *d, const ir_enum_def *e)
{
    for (size_t i = 0; i < ir_context_dialect_count(ctx); i++) {
        const ir_dialect *other = ir_context_dialect_at(ctx, i);
        if (other != d && wraps(other, e))
            return true;
    }
    return false;
}

/* Adds (name, bitmask, [(symbol, value, text)], attribute) unless present. */
static bool add_enum(PyObject *dict, const ir_enum_def *e)
{
    if (!e || PyDict_GetItemString(dict, e->name))
        return true;
    PyObject *cases = PyList_New(0);
    for (uint32_t k = 0; cases && k < e->cases.count; k++) {
        const ir_enum_case *one = &e->cases.at[k];
        PyObject *row =
            Py_BuildValue("(sLs)", one->symbol, (long long)one->value, one->text);
        if (!row || PyList_Append(cases, row) < 0)
            Py_CLEAR(cases);
        Py_XDECREF(row);
    }
    PyObject *row = cases ? Py_BuildValue("(sONz)", e->name, e->bits ? Py_True : Py_False,
                                          cases, e->specialized_attr)
                          : NULL;
    bool ok = row && PyDict_SetItemString(dict, e->name, row) == 0;
    Py_XDECREF(row);
    return ok;
}

static bool add_params(PyObject *dict, ir_context *ctx, const ir_dialect *d,
                       const ir_param_def *params, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        if (params[i].enumeration && !elsewhere(ctx, d, params[i].enumeration))
            ok = add_enum(dict, params[i].enumeration);
    return ok;
}

/* _enums(dialect) -> [(name, bitmask, [(symbol, value, text)], attribute)] */
static PyObject *enums(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    ir_context *ctx = tables(module);
    const ir_dialect *d = text ? ir_context_dialect(ctx, tw_str_from(text)) : NULL;
    PyObject *dict = d ? PyDict_New() : NULL;
    if (text && !d)
        PyErr_Format(PyExc_LookupError, "no dialect '%s'", text);
    bool ok = dict != NULL;
    for (uint32_t i = 0; ok && i < d->enums.count; i++)
        ok = add_enum(dict, d->enums.at[i]);
    for (uint32_t i = 0; ok && i < d->attrs.count; i++) {
        const ir_attr_def *def = &d->attrs.at[i];
        ok = add_enum(dict, def->enumeration) &&
             add_params(dict, ctx, d, def->params.at, def->params.count);
    }
    for (uint32_t i = 0; ok && i < d->types.count; i++)
        ok =
            add_params(dict, ctx, d, d->types.at[i].params.at, d->types.at[i].params.count);
    for (uint32_t i = 0; ok && i < d->ops.count; i++)
        for (uint32_t k = 0; ok && k < d->ops.at[i].attrs.count; k++) {
            const ir_constraint *c = d->ops.at[i].attrs.at[k].type;
            if (c && c->enumeration && !elsewhere(ctx, d, c->enumeration))
                ok = add_enum(dict, c->enumeration);
        }
    PyObject *list = ok ? PyDict_Values(dict) : NULL;
    Py_XDECREF(dict);
    return list;
}

static PyObject *dialects(PyObject *module, PyObject *unused)
{
    (void)unused;
    ir_context *ctx = tables(module);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < ir_context_dialect_count(ctx); i++) {
        PyObject *name = text_or_none(ir_context_dialect_at(ctx, i)->name);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static const void *row_of(const char *kind, const char *name)
{
    ir_context *ctx = tables(NULL);
    tw_str text = tw_str_from(name);
    return *kind == 'o'   ? (const void *)ir_context_op_def(ctx, text)
           : *kind == 'a' ? (const void *)ir_attr_def_find(ctx, text)
                          : (const void *)ir_type_def_find(ctx, text);
}

/* _register("op" | "attr" | "type", full name, class) */
static PyObject *register_class(PyObject *module, PyObject *args)
{
    const char *kind, *name;
    PyObject *cls;
    if (!PyArg_ParseTuple(args, "ssO", &kind, &name, &cls))
        return NULL;
    const void *row = row_of(kind, name);
    py_state *state = PyModule_GetState(module);
    py_class wanted = *kind == 'o' ? PY_OP_VIEW : *kind == 'a' ? PY_ATTRIBUTE : PY_TYPE;
    if (!row && *kind == 'o' && strchr(name, '.') && PyType_Check(cls) &&
        PyObject_IsSubclass(cls, (PyObject *)state->classes[wanted]) == 1) {
        if (PyDict_SetItemString(state->unregistered, name, cls) < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    /* A class over an operation must have the memory layout of the classes made in C. */
    if (!row || !PyType_Check(cls) ||
        PyObject_IsSubclass(cls, (PyObject *)state->classes[wanted]) != 1) {
        PyErr_Format(PyExc_ValueError, "no such row, or no class for it: %s %s", kind,
                     name);
        return NULL;
    }
    Py_XDECREF(py_map_get(&state->rows, row));
    Py_INCREF(cls);
    py_map_set(&state->rows, row, cls);
    Py_RETURN_NONE;
}

/* _make(context, "attr" | "type", full name, values) */
static PyObject *make(PyObject *module, PyObject *args)
{
    PyObject *context, *values;
    const char *kind, *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "OssO", &context, &kind, &name, &values))
        return NULL;
    py_context *c = py_context_arg(context);
    const void *row = c ? row_of(kind, name) : NULL;
    if (!row) {
        if (c)
            PyErr_Format(PyExc_ValueError, "no such row: %s %s", kind, name);
        return NULL;
    }
    bool is_attr = *kind == 'a';
    const ir_param_def *defs = is_attr ? ((const ir_attr_def *)row)->params.at
                                       : ((const ir_type_def *)row)->params.at;
    size_t count = is_attr ? ((const ir_attr_def *)row)->params.count
                           : ((const ir_type_def *)row)->params.count;
    ir_attr given[64] = {0};
    if (count > TW_COUNT(given) || PySequence_Size(values) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_TypeError, "%s has %zu parameters", name, count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *value = PySequence_GetItem(values, (Py_ssize_t)i);
        bool ok = value && py_param_arg(c, value, &defs[i], &given[i]);
        Py_XDECREF(value);
        if (!ok)
            return NULL;
    }
    bool ok = true;
    if (is_attr) {
        const ir_attr_def *def = row;
        ir_attr attr = ir_dialect_attr(c->ctx, def, given, count);
        ok = !def->verify || def->verify(c->ctx, IR_LOC_UNKNOWN, attr);
        return py_deliver(c, ok ? NULL : "Invalid attribute") ? py_wrap_attr(c, attr)
                                                              : NULL;
    }
    const ir_type_def *def = row;
    ir_type type = ir_dialect_type(c->ctx, def, given, count);
    ok = !def->verify || def->verify(c->ctx, IR_LOC_UNKNOWN, type);
    return py_deliver(c, ok ? NULL : "Invalid type") ? py_wrap_type(c, type) : NULL;
}

/* _param(attribute or type, index) */
static PyObject *param(PyObject *module, PyObject *args)
{
    PyObject *object;
    unsigned index;
    (void)module;
    if (!PyArg_ParseTuple(args, "OI", &object, &index))
        return NULL;
    py_item *item = (py_item *)object;
    if (py_is(object, PY_ATTRIBUTE) && item->attr->kind == IR_ATTR_DIALECT &&
        index < item->attr->def->params.count)
        return py_param_value(item->owner, item->attr->params[index],
                              &item->attr->def->params.at[index]);
    if (py_is(object, PY_TYPE) && item->type->kind == IR_TYPE_DIALECT &&
        index < item->type->def->params.count)
        return py_param_value(item->owner, item->type->params[index],
                              &item->type->def->params.at[index]);
    PyErr_SetString(PyExc_ValueError, "no such parameter");
    return NULL;
}

static PyObject *current(PyObject *module, PyObject *number)
{
    static const py_class what[] = {PY_CONTEXT, PY_LOCATION, PY_INSERTION_POINT};
    (void)module;
    long i = PyLong_AsLong(number);
    PyObject *found = i >= 0 && i < 3 ? py_current(what[i]) : NULL;
    if (PyErr_Occurred())
        return NULL;
    if (!found)
        Py_RETURN_NONE;
    Py_INCREF(found);
    return found;
}

/* True if the row has a trait flag of that name. */
static bool has_trait_bit(const ir_op_def *def, const char *wanted)
{
    static const struct {
        const char *name;
        uint64_t bit;
    } bits[] = {
#define X(id, name) {name, (uint64_t)1 << IR_TRAIT_BIT_##id},
        IR_TRAITS(X)
#undef X
    };
    for (size_t i = 0; i < TW_COUNT(bits); i++)
        if (strcmp(bits[i].name, wanted) == 0)
            return def->traits & bits[i].bit;
    return false;
}

/* True if the row declares the operation's memory effects. */
static bool declares_effects(const ir_op_def *def)
{
    bool declared = def->traits & (IR_PURE | IR_NO_MEMORY_EFFECT) ||
                    ir_def_rule(def, "MemoryEffects", &(tw_str){0});
    for (uint32_t i = 0; i < def->operands.count; i++)
        declared = declared || def->operands.at[i].effects;
    for (uint32_t i = 0; i < def->results.count; i++)
        declared = declared || def->results.at[i].effects;
    return declared;
}

static PyObject *has_row(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    (void)module;
    return text ? PyBool_FromLong(py_row_of_op(text) != NULL) : NULL;
}

/* _has_interface(operation name, interface or trait) */
static PyObject *has_interface(PyObject *module, PyObject *args)
{
    const char *name, *wanted;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss", &name, &wanted))
        return NULL;
    const ir_op_def *def = py_row_of_op(name);
    bool has = def && (has_trait_bit(def, wanted) || ir_def_has(def, wanted));
    if (def && strcmp(wanted, "InferTypeOpInterface") == 0)
        has = has || ir_def_infers(def);
    if (def && strcmp(wanted, "MemoryEffectsOpInterface") == 0)
        has = has || declares_effects(def);
    if (def && strcmp(wanted, "ConditionallySpeculatable") == 0)
        has = has || def->traits & IR_PURE || ir_def_has(def, "RecursivelySpeculatable");
    return PyBool_FromLong(has);
}

/* _write_operands(operation) -> [index] */
static PyObject *write_operands(PyObject *module, PyObject *object)
{
    (void)module;
    py_handle *h = py_op_arg(object);
    PyObject *list = h ? PyList_New(0) : NULL;
    for (uint32_t g = 0; list && g < h->op->def->operands.count; g++) {
        const char *effects = h->op->def->operands.at[g].effects;
        size_t start, count;
        if (!effects || !strstr(effects, "write") ||
            !ir_op_operand_group(h->op, g, &start, &count))
            continue;
        for (size_t i = 0; list && i < count; i++) {
            PyObject *n = PyLong_FromSize_t(start + i);
            if (!n || PyList_Append(list, n) < 0)
                Py_CLEAR(list);
            Py_XDECREF(n);
        }
    }
    return list;
}

/* _set_traceback(f(location or None) or None) */
static PyObject *set_traceback(PyObject *module, PyObject *function)
{
    py_state *state = PyModule_GetState(module);
    Py_CLEAR(state->traceback);
    if (function != Py_None) {
        Py_INCREF(function);
        state->traceback = function;
    }
    Py_RETURN_NONE;
}

/* _support(operation) -> (in binaries, run, as Python, as C++) of an operation of ttnn */
static PyObject *support(PyObject *module, PyObject *name)
{
    (void)module;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    const ir_op_def *def = text ? py_row_of_op(text) : NULL;
    if (!def) {
        if (text)
            PyErr_Format(PyExc_LookupError, "no operation '%s'", text);
        return NULL;
    }
    const tw_row_forms forms = tw_forms_of_row(def);
    bool has[] = {forms.binary, tw_operation_runs(def->name), forms.python, forms.cpp};
    return Py_BuildValue("(OOOO)", has[0] ? Py_True : Py_False, has[1] ? Py_True : Py_False,
                         has[2] ? Py_True : Py_False, has[3] ? Py_True : Py_False);
}

PyMethodDef py_row_functions[] = {
    {"_support", support, METH_O, NULL},
    {"_set_traceback", set_traceback, METH_O, NULL},
    {"_has_row", has_row, METH_O, NULL},
    {"_has_interface", has_interface, METH_VARARGS, NULL},
    {"_write_operands", write_operands, METH_O, NULL},
    {"_dialects", dialects, METH_NOARGS, NULL},
    {"_ops", ops, METH_O, NULL},
    {"_operand_types", operand_types, METH_O, NULL},
    {"_params", params, METH_O, NULL},
    {"_enums", enums, METH_O, NULL},
    {"_register", register_class, METH_VARARGS, NULL},
    {"_make", make, METH_VARARGS, NULL},
    {"_param", param, METH_VARARGS, NULL},
    {"_current", current, METH_O, NULL},
    {0},
};
