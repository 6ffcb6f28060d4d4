/* init.c: builds operations from the arguments of their generated classes, and the classes'
 * named accessors.
 *
 * An OpSpec describes the arguments of one operation's class: names, order and kinds;
 * python/ttmlir/dialects makes it from the row. OpView's initialiser binds arguments by it,
 * so generated classes contain no code. */
#include "build.h"

#include "ir/dialect.h"

typedef enum arg_kind {
    ARG_RESULT,
    ARG_OPERAND,
    ARG_ATTRIBUTE,
    ARG_SUCCESSOR,
    ARG_REGION_COUNT,
    ARG_REGION, /* accessors only */
    ARG_KINDS
} arg_kind;

typedef struct spec_arg {
    PyObject *name, *other; /* other: the name in snake case, if it differs */
    uint8_t kind;
    bool keyword_only, required;
    uint16_t index; /* index in the operation's declaration */
} spec_arg;

typedef struct py_spec {
    PyObject_HEAD const ir_op_def *def;
    spec_arg *args;
    size_t n_args;
    bool infers; /* result types may be omitted, or passed as results= */
} py_spec;

/* ---- OpSpec ------------------------------------------------------------------------- */

static void spec_dealloc(PyObject *self)
{
    py_spec *s = (py_spec *)self;
    for (size_t i = 0; i < s->n_args; i++)
        Py_XDECREF(s->args[i].name), Py_XDECREF(s->args[i].other);
    PyMem_Free(s->args);
    py_free(self);
}

/* OpSpec(operation name, [(name, other, kind, index, keyword only, required)], infers) */
static PyObject *spec_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    const char *name;
    PyObject *list;
    int infers;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "sOp", &name, &list, &infers))
        return NULL;
    py_spec *s = py_alloc(cls);
    Py_ssize_t n = s ? PySequence_Size(list) : -1;
    s->def = py_row_of_op(name);
    s->infers = infers;
    bool ok = n >= 0 && s->def && (s->args = PyMem_Calloc((size_t)n + 1, sizeof *s->args));
    if (n >= 0 && !s->def)
        PyErr_Format(PyExc_ValueError, "no row for '%s'", name);
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *row = PySequence_GetItem(list, i), *text, *other;
        int kind, keyword_only, required;
        unsigned index;
        ok = row && PyArg_ParseTuple(row, "UUiIpp", &text, &other, &kind, &index,
                                     &keyword_only, &required);
        if (ok) {
            Py_INCREF(text);
            Py_INCREF(other);
            PyUnicode_InternInPlace(&text);
            s->args[s->n_args++] = (spec_arg){.name = text,
                                              .other = other,
                                              .kind = (uint8_t)kind,
                                              .keyword_only = keyword_only,
                                              .required = required,
                                              .index = (uint16_t)index};
        }
        Py_XDECREF(row);
    }
    if (!ok)
        Py_CLEAR(s);
    return (PyObject *)s;
}

static PyType_Slot spec_slots[] = {
    {Py_tp_new, (void *)spec_new}, {Py_tp_dealloc, (void *)spec_dealloc}, {0, NULL}};
static PyType_Spec spec_spec = {"ttmlir.ir._OpSpec", sizeof(py_spec), 0, Py_TPFLAGS_DEFAULT,
                                spec_slots};

/* ---- binding arguments -------------------------------------------------------------- */

typedef struct bound {
    PyObject **values; /* borrowed, one for each argument of the spec; NULL: not passed */
    PyObject *loc, *ip, *results;
} bound;

static int find_arg(const py_spec *s, PyObject *name)
{
    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].name == name)
            return (int)i;
    for (size_t i = 0; i < s->n_args; i++)
        if (PyUnicode_Compare(s->args[i].name, name) == 0 ||
            PyUnicode_Compare(s->args[i].other, name) == 0)
            return (int)i;
    return -1;
}

static bool bind_keyword(const py_spec *s, bound *b, PyObject *name, PyObject *value)
{
    int i = find_arg(s, name);
    if (i >= 0) {
        if (b->values[i]) {
            PyErr_Format(PyExc_TypeError, "%s: got multiple values for argument '%U'",
                         s->def->name, name);
            return false;
        }
        b->values[i] = value;
        return true;
    }
    if (PyUnicode_CompareWithASCIIString(name, "loc") == 0)
        b->loc = value;
    else if (PyUnicode_CompareWithASCIIString(name, "ip") == 0)
        b->ip = value;
    else if (PyUnicode_CompareWithASCIIString(name, "results") == 0)
        b->results = value;
    else {
        PyErr_Format(PyExc_TypeError, "%s: got an unexpected keyword argument '%U'",
                     s->def->name, name);
        return false;
    }
    return true;
}

static bool bind(const py_spec *s, bound *b, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_Size(args), used = 0;
    for (size_t i = 0; i < s->n_args && used < given; i++)
        if (!s->args[i].keyword_only)
            b->values[i] = PyTuple_GetItem(args, used++);
    if (used < given) {
        PyErr_Format(PyExc_TypeError,
                     "%s takes %zd positional arguments but %zd were given", s->def->name,
                     used, given);
        return false;
    }
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (kwargs && PyDict_Next(kwargs, &at, &name, &value))
        if (!bind_keyword(s, b, name, value))
            return false;
    for (size_t i = 0; i < s->n_args; i++) {
        const spec_arg *a = &s->args[i];
        if (b->values[i] == Py_None && !a->required)
            b->values[i] = NULL;
        if (!b->values[i] && a->required && !(a->kind == ARG_RESULT && b->results)) {
            PyErr_Format(PyExc_TypeError, "%s: missing required argument '%U'",
                         s->def->name, a->name);
            return false;
        }
    }
    return true;
}

/* ---- collecting --------------------------------------------------------------------- */

/* Values of a variadic group: a sequence, the results of an operation, or a single
 * value. */
static bool add_operands(py_build *b, PyObject *given, size_t *count)
{
    if (py_is(given, PY_VALUE)) {
        ir_value *v = py_value_arg(given, b->c);
        *count = 1;
        return v && py_build_operand(b, v);
    }
    PyObject *list;
    if (py_is(given, PY_OPERATION_BASE)) {
        PyObject *results = PyObject_GetAttrString(given, "results");
        list = results ? PySequence_List(results) : NULL;
        Py_XDECREF(results);
    } else {
        list = PySequence_List(given);
    }
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    bool ok = list != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        ir_value *v = py_value_arg(PyList_GetItem(list, i), b->c);
        ok = v && py_build_operand(b, v);
    }
    Py_XDECREF(list);
    *count = (size_t)n;
    return ok;
}

/* A list of lists; the inner sizes become an attribute. */
static bool add_nested(py_build *b, PyObject *given, const char *segments, size_t *count)
{
    PyObject *list = PySequence_List(given);
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    int64_t *sizes = PyMem_Malloc(((size_t)n + 1) * sizeof *sizes);
    bool ok = list && sizes;
    *count = 0;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        size_t inner = 0;
        ok = add_operands(b, PyList_GetItem(list, i), &inner);
        sizes[i] = (int64_t)inner;
        *count += inner;
    }
    if (ok && segments)
        ok = py_build_named(b, segments, ir_dense_i32_array(b->c->ctx, sizes, (size_t)n));
    PyMem_Free(sizes);
    Py_XDECREF(list);
    return ok;
}

static bool collect_operand(py_build *b, const ir_operand_def *def, PyObject *given,
                            size_t *count)
{
    *count = 0;
    if (!given || (given == Py_None && def->arity >= IR_VARIADIC))
        return true;
    if (def->arity == IR_VARIADIC)
        return add_operands(b, given, count);
    if (def->arity == IR_VARIADIC_OF_VARIADIC)
        return add_nested(b, given, def->segments, count);
    ir_value *v = py_value_arg(given, b->c);
    *count = 1;
    return v && py_build_operand(b, v);
}

static bool collect_result(py_build *b, const ir_operand_def *def, PyObject *given,
                           size_t *count)
{
    *count = 0;
    if (!given)
        return true;
    if (def->arity == IR_VARIADIC && !py_is(given, PY_TYPE)) {
        ir_type *types;
        py_context *c = b->c;
        if (!py_types_arg(given, &c, &types, count))
            return false;
        bool ok = py_build_results(b, types, *count);
        PyMem_Free(types);
        return ok;
    }
    ir_type type;
    *count = 1;
    return py_type_arg(given, b->c, &type) && py_build_results(b, &type, 1);
}

static PyObject *value_of(const py_spec *s, const bound *given, arg_kind kind, size_t index)
{
    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].kind == kind && s->args[i].index == index)
            return given->values[i];
    return NULL;
}

static bool collect_attributes(py_build *b, const py_spec *s, const bound *given)
{
    for (size_t i = 0; i < s->def->attrs.count; i++) {
        const ir_attr_use *use = &s->def->attrs.at[i];
        PyObject *value = value_of(s, given, ARG_ATTRIBUTE, i);
        ir_attr attr;
        if (value && !py_build_attr(b->c, value, use->type, &attr))
            return false;
        if (value && attr && !py_build_named(b, use->name, attr))
            return false;
    }
    return true;
}

static bool collect_results(py_build *b, const py_spec *s, const bound *given)
{
    const ir_op_def *def = s->def;
    int64_t sizes[BUILD_GROUPS];
    if (given->results && given->results != Py_None) {
        ir_type *types;
        size_t n;
        py_context *c = b->c;
        if (!py_types_arg(given->results, &c, &types, &n))
            return false;
        bool ok = py_build_results(b, types, n);
        PyMem_Free(types);
        return ok;
    }
    if (s->infers)
        return py_infer_results(b);
    for (size_t i = 0; i < def->results.count; i++) {
        size_t count;
        if (!collect_result(b, &def->results.at[i], value_of(s, given, ARG_RESULT, i),
                            &count))
            return false;
        if (i < BUILD_GROUPS)
            sizes[i] = (int64_t)count;
    }
    return !(def->traits & IR_RESULT_SEGMENTS) || def->results.count > BUILD_GROUPS ||
           py_build_named(b, "resultSegmentSizes",
                          ir_dense_i32_array(b->c->ctx, sizes, def->results.count));
}

static bool collect(py_build *b, const py_spec *s, const bound *given)
{
    const ir_op_def *def = s->def;
    int64_t sizes[BUILD_GROUPS];
    if (def->operands.count > BUILD_GROUPS) {
        PyErr_Format(PyExc_NotImplementedError, "'%s' has more than %d groups of operands",
                     def->name, BUILD_GROUPS);
        return false;
    }
    for (size_t i = 0; i < def->operands.count; i++) {
        size_t count;
        if (!collect_operand(b, &def->operands.at[i], value_of(s, given, ARG_OPERAND, i),
                             &count))
            return false;
        sizes[i] = (int64_t)count;
    }
    if (def->traits & IR_OPERAND_SEGMENTS &&
        !py_build_named(b, "operandSegmentSizes",
                        ir_dense_i32_array(b->c->ctx, sizes, def->operands.count)))
        return false;
    if (!collect_attributes(b, s, given))
        return false;
    for (size_t i = 0; i < def->successors.count; i++) {
        PyObject *value = value_of(s, given, ARG_SUCCESSOR, i);
        if (!value)
            continue;
        if (!def->successors.at[i].variadic) {
            if (!py_build_successor(b, value))
                return false;
            continue;
        }
        PyObject *list = PySequence_List(value);
        bool ok = list != NULL;
        for (Py_ssize_t k = 0; ok && k < PyList_Size(list); k++)
            ok = py_build_successor(b, PyList_GetItem(list, k));
        Py_XDECREF(list);
        if (!ok)
            return false;
    }
    for (size_t i = 0; i < def->regions.count; i++) {
        PyObject *n = value_of(s, given, ARG_REGION_COUNT, i);
        Py_ssize_t count = n ? PyNumber_AsSsize_t(n, PyExc_OverflowError) : 1;
        if (count < 0 || count > UINT16_MAX) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "no such number of regions");
            return false;
        }
        b->n_regions += def->regions.at[i].variadic ? (n ? (size_t)count : 0) : 1;
    }
    return collect_results(b, s, given);
}

/* OpView(operation) views it; OpView(name, regions, operand segments, result segments, ...)
 * builds an operation of the class from plain lists, for classes outside the tables. */
static py_handle *plain_view(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"operation", NULL};
    PyObject *from = PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : NULL;
    py_handle *h;
    if (from && PyUnicode_Check(from)) {
        PyObject *rest = PyTuple_GetSlice(args, 4, PyTuple_Size(args));
        PyObject *view =
            rest ? py_build_generic((PyObject *)Py_TYPE(self), rest, kwargs) : NULL;
        h = view ? ((py_view *)view)->operation : NULL;
        Py_XINCREF(h);
        Py_XDECREF(view);
        Py_XDECREF(rest);
        return h;
    }
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &from))
        return NULL;
    h = py_op_arg(from);
    Py_XINCREF(h);
    return h;
}

/* Builds the class's operation from its arguments. */
int py_view_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    py_view *view = (py_view *)self;
    PyObject *spec = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "_SPEC");
    if (view->operation) {
        Py_XDECREF(spec);
        PyErr_SetString(PyExc_RuntimeError, "the operation is made already");
        return -1;
    }
    if (!spec || !py_is(spec, PY_OP_SPEC)) {
        PyErr_Clear();
        Py_XDECREF(spec);
        view->operation = plain_view(self, args, kwargs);
        return view->operation ? 0 : -1;
    }
    py_spec *s = (py_spec *)spec;
    py_build b = {.def = s->def};
    bound given = {.values = PyMem_Calloc(s->n_args + 1, sizeof *given.values)};
    bool ok = given.values && bind(s, &given, args, kwargs) &&
              py_made_loc_arg(given.loc, &b.c, &b.loc) && collect(&b, s, &given);
    py_handle *h = ok ? py_build_op(&b, given.ip) : NULL;
    /* Python code that read `self` meanwhile may have built it already. */
    if (h && !view->operation)
        view->operation = h;
    else
        Py_XDECREF(h);
    py_build_free(&b);
    PyMem_Free(given.values);
    Py_DECREF(spec);
    return h ? 0 : -1;
}

/* ---- accessors ---------------------------------------------------------------------- */

typedef struct py_accessor {
    PyObject_HEAD arg_kind kind;
    uint32_t index;
    PyObject *doc;
} py_accessor;

/* _Accessor(kind, index, doc) */
static PyObject *accessor_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    int kind;
    unsigned index;
    PyObject *doc = Py_None;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "iI|O", &kind, &index, &doc))
        return NULL;
    py_accessor *a = py_alloc(cls);
    if (a) {
        Py_INCREF(doc);
        *a = (py_accessor){
            .ob_base = a->ob_base, .kind = (arg_kind)kind, .index = index, .doc = doc};
    }
    return (PyObject *)a;
}

static void accessor_dealloc(PyObject *self)
{
    Py_XDECREF(((py_accessor *)self)->doc);
    py_free(self);
}

static PyObject *group(py_handle *h, const py_accessor *a, bool operands)
{
    const ir_op_def *def = h->op->def;
    size_t start, count;
    const ir_operand_def *declared = NULL;
    if (a->index < (operands ? def->operands.count : def->results.count))
        declared = operands ? &def->operands.at[a->index] : &def->results.at[a->index];
    if (!declared || !(operands ? ir_op_operand_group
                                : ir_op_result_group)(h->op, a->index, &start, &count)) {
        PyErr_Format(PyExc_ValueError, "'%s' does not have the %s that its definition says",
                     def->name, operands ? "operands" : "results");
        return NULL;
    }
    if (declared->arity == IR_VARIADIC || declared->arity == IR_VARIADIC_OF_VARIADIC)
        return py_list_new(operands ? PY_OPERAND_LIST : PY_RESULT_LIST, h, 0,
                           (uint32_t)start, (uint32_t)count);
    if (count == 0)
        Py_RETURN_NONE;
    return py_wrap_value(h->owner,
                         operands ? h->op->operands[start].value : &h->op->results[start]);
}

static bool is_unit(const ir_op_def *def, size_t index)
{
    const ir_constraint *c = def->attrs.at[index].type;
    return c && c->storage && strcmp(c->storage, "UnitAttr") == 0;
}

static PyObject *accessor_get(PyObject *self, PyObject *object, PyObject *cls)
{
    py_accessor *a = (py_accessor *)self;
    (void)cls;
    if (!object || object == Py_None || !py_is(object, PY_OP_VIEW)) {
        Py_INCREF(self);
        return self;
    }
    py_handle *h = ((py_view *)object)->operation;
    ir_op *op = py_op_get(h);
    if (!op)
        return NULL;
    switch (a->kind) {
    case ARG_OPERAND:
        return group(h, a, true);
    case ARG_RESULT:
        return group(h, a, false);
    case ARG_ATTRIBUTE:
        if (a->index >= op->def->attrs.count)
            break;
        if (is_unit(op->def, a->index))
            return PyBool_FromLong(op->props[a->index] != NULL);
        return py_wrap_attr(h->owner, op->props[a->index]);
    case ARG_REGION:
        if (a->index >= op->n_regions)
            break;
        return py_wrap_region(h, a->index);
    case ARG_SUCCESSOR:
        if (a->index >= op->n_successors)
            break;
        return (PyObject *)py_block_handle(h->owner, op->successors[a->index]);
    default:
        break;
    }
    PyErr_Format(PyExc_ValueError, "'%s' does not have what its definition says",
                 op->def->name);
    return NULL;
}

static int accessor_set(PyObject *self, PyObject *object, PyObject *value)
{
    py_accessor *a = (py_accessor *)self;
    if (!py_is(object, PY_OP_VIEW) || a->kind != ARG_ATTRIBUTE) {
        PyErr_SetString(PyExc_AttributeError, "only attributes can be set");
        return -1;
    }
    py_handle *h = ((py_view *)object)->operation;
    ir_op *op = py_op_get(h);
    if (!op || a->index >= op->def->attrs.count)
        return -1;
    const ir_attr_use *use = &op->def->attrs.at[a->index];
    if (!value || value == Py_None) {
        if (!use->optional && !use->deflt && !is_unit(op->def, a->index)) {
            PyErr_Format(PyExc_ValueError,
                         "'%s' not allowed as value for mandatory "
                         "attributes",
                         "None");
            return -1;
        }
        op->props[a->index] = NULL;
        return 0;
    }
    ir_attr attr;
    if (!py_build_attr(h->owner, value, use->type, &attr))
        return -1;
    op->props[a->index] = attr;
    return 0;
}

static PyMemberDef accessor_members[] = {
    {"__doc__", T_OBJECT, offsetof(py_accessor, doc), READONLY, NULL}, {0}};
static PyType_Slot accessor_slots[] = {
    {Py_tp_new, (void *)accessor_new},       {Py_tp_dealloc, (void *)accessor_dealloc},
    {Py_tp_descr_get, (void *)accessor_get}, {Py_tp_descr_set, (void *)accessor_set},
    {Py_tp_members, accessor_members},       {0, NULL}};
static PyType_Spec accessor_spec = {"ttmlir.ir._Accessor", sizeof(py_accessor), 0,
                                    Py_TPFLAGS_DEFAULT, accessor_slots};

const py_class_row py_build_classes[] = {
    {PY_OP_SPEC, &spec_spec, -1},
    {PY_ACCESSOR, &accessor_spec, -1},
    {0},
};
