/* type.c: Type and the classes of the builtin types: casts and queries. type_make.c makes
 * types. */
#include "type_table.h"

#include "ir/dialect.h"

/* ---- classes ------------------------------------------------------------------------ */

static size_t class_of(ir_type t)
{
    for (size_t i = 0; i < PY_TYPE_COUNT; i++) {
        const py_type_row *row = &py_type_rows[i];
        if (row->kind == t->kind && (row->kind != IR_TYPE_FLOAT || row->sign == t->sign))
            return i;
    }
    return SIZE_MAX;
}

PyTypeObject *py_type_class(ir_type t)
{
    py_state *state = py_get_state();
    if (t->kind == IR_TYPE_DIALECT) {
        PyTypeObject *own = py_row_class(t->def, t->def->mnemonic);
        return own || PyErr_Occurred() ? own : state->classes[PY_TYPE];
    }
    size_t i = class_of(t);
    return i == SIZE_MAX ? state->classes[PY_TYPE] : state->types[i];
}

PyObject *py_wrap_type(py_context *c, ir_type type)
{
    if (!type)
        Py_RETURN_NONE;
    PyTypeObject *cls = py_type_class(type);
    py_state *state = py_get_state();
    if (!cls)
        return NULL;
    return py_cast_own(state->type_casters, cls, py_item_new(cls, c, type));
}

const py_type_row *py_type_row_of(PyObject *cls)
{
    py_state *state = py_get_state();
    for (size_t i = 0; i < PY_TYPE_COUNT; i++)
        if ((PyObject *)state->types[i] == cls)
            return &py_type_rows[i];
    return NULL;
}

/* 1, 0, or -1 with an exception. */
static int is_a(PyObject *object, PyObject *cls)
{
    if (!py_is(object, PY_TYPE))
        return 0;
    PyTypeObject *natural = py_type_class(((py_item *)object)->type);
    PyTypeObject *wanted = py_library_class((PyTypeObject *)cls);
    return natural ? PyObject_IsSubclass((PyObject *)natural, (PyObject *)wanted) : -1;
}

/* RankedTensorType(t): the same type viewed as that class. */
static PyObject *type_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    return py_item_cast(cls, args, kwargs, is_a, "cast_from_type", "type");
}

static PyObject *type_isinstance(PyObject *cls, PyObject *object)
{
    int fits = is_a(object, cls);
    return fits < 0 ? NULL : PyBool_FromLong(fits);
}

static PyObject *type_downcast(PyObject *self, PyObject *unused)
{
    (void)unused;
    return py_wrap_type(((py_item *)self)->owner, ((py_item *)self)->type);
}

static PyObject *type_parse(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    tw_str text;
    py_context *c = py_parse_args(args, kwargs, &text);
    if (!c)
        return NULL;
    ir_type type = ir_parse_type(c->ctx, text);
    return py_deliver(c, type ? NULL : "Unable to parse type") ? py_wrap_type(c, type)
                                                               : NULL;
}

static PyObject *type_str(PyObject *self)
{
    tw_strbuf text = {0};
    ir_print_type(((py_item *)self)->type, &text);
    return py_buf_text(&text);
}

static PyMethodDef type_methods[] = {
    {"parse", PY_METHOD(type_parse), PY_KW | METH_STATIC, "parse(asm, context=None)"},
    {"isinstance", type_isinstance, METH_O | METH_CLASS, NULL},
    {"maybe_downcast", type_downcast, METH_NOARGS, NULL},
    {0},
};
static PyType_Slot type_slots[] = {
    {Py_tp_new, (void *)type_new},
    {Py_tp_init, (void *)py_init_own},
    {Py_tp_str, (void *)type_str},
    {Py_tp_methods, type_methods},
    {0, NULL},
};
static PyType_Spec type_spec = {"ttmlir.ir.Type", sizeof(py_item), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, type_slots};

bool py_make_type_classes(PyObject *module, py_state *state)
{
    PyTypeObject *base = state->classes[PY_TYPE] =
        py_make_class(module, &type_spec, state->classes[PY_ITEM]);
    for (size_t i = 0; base && i < PY_TYPE_COUNT; i++) {
        const py_type_row *row = &py_type_rows[i];
        PyType_Slot slots[4] = {{Py_tp_methods, row->methods}};
        if (row->getset)
            slots[1] = (PyType_Slot){Py_tp_getset, row->getset};
        PyType_Spec spec = {row->name, sizeof(py_item), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        PyTypeObject *cls = state->types[i] =
            py_make_class(module, &spec, row->base < 0 ? base : state->types[row->base]);
        if (!cls || !py_set_text((PyObject *)cls, "type_name", row->type_name))
            return false;
    }
    return base != NULL;
}

/* ---- queries ------------------------------------------------------------------------ */

static ir_type type_of(PyObject *self)
{
    return ((py_item *)self)->type;
}

static PyObject *get_width(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(type_of(self)->width);
}

static PyObject *get_sign(PyObject *self, void *closure)
{
    return PyBool_FromLong(type_of(self)->sign == (uint8_t)(uintptr_t)closure);
}

static PyObject *get_element(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_type(((py_item *)self)->owner, type_of(self)->element);
}

static bool ranked(PyObject *self)
{
    if (ir_type_is_ranked(type_of(self)))
        return true;
    PyErr_SetString(PyExc_ValueError, "calling this method requires that the type has a "
                                      "rank.");
    return false;
}

static PyObject *get_rank(PyObject *self, void *closure)
{
    (void)closure;
    return ranked(self) ? PyLong_FromUnsignedLong(type_of(self)->count) : NULL;
}

static PyObject *get_has_rank(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(ir_type_is_ranked(type_of(self)));
}

static PyObject *get_static(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(ir_type_has_static_shape(type_of(self)));
}

static PyObject *get_shape(PyObject *self, void *closure)
{
    (void)closure;
    return ranked(self) ? py_ints(type_of(self)->dims, type_of(self)->count) : NULL;
}

static PyObject *get_encoding(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_attr(((py_item *)self)->owner, type_of(self)->encoding);
}

static PyObject *get_space(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_attr(((py_item *)self)->owner, type_of(self)->space);
}

static PyObject *get_affine_map(PyObject *self, void *closure)
{
    (void)closure;
    py_context *c = ((py_item *)self)->owner;
    ir_attr layout = type_of(self)->encoding;
    if (layout && layout->kind != IR_ATTR_AFFINE_MAP) {
        PyErr_SetString(PyExc_ValueError, "the layout is no affine map");
        return NULL;
    }
    return py_wrap_map(c, layout ? layout->map
                                 : ir_affine_identity(c->ctx, type_of(self)->count));
}

static PyObject *get_layout(PyObject *self, void *closure)
{
    (void)closure;
    py_context *c = ((py_item *)self)->owner;
    ir_attr layout = type_of(self)->encoding;
    if (!layout)
        layout =
            ir_affine_map_attr(c->ctx, ir_affine_identity(c->ctx, type_of(self)->count));
    return py_wrap_attr(c, layout);
}

/* Row-major strides, or those of a strided layout: ([strides], offset). */
static PyObject *strides_and_offset(PyObject *self, PyObject *unused)
{
    (void)unused;
    ir_type t = type_of(self);
    PyObject *strides = PyList_New((Py_ssize_t)t->count);
    int64_t step = 1, offset = 0;
    if (t->encoding && t->encoding->kind != IR_ATTR_STRIDED) {
        Py_XDECREF(strides);
        PyErr_SetString(PyExc_ValueError,
                        "Failed to extract strides and offset from memref");
        return NULL;
    }
    for (uint32_t i = t->count; strides && i-- > 0;) {
        int64_t stride = t->encoding ? t->encoding->strides[i] : step;
        if (step != IR_DYNAMIC && t->dims[i] != IR_DYNAMIC)
            step *= t->dims[i];
        else
            step = IR_DYNAMIC;
        PyList_SetItem(strides, (Py_ssize_t)i, PyLong_FromLongLong(stride));
    }
    if (t->encoding)
        offset = t->encoding->offset;
    return strides ? Py_BuildValue("(NL)", strides, (long long)offset) : NULL;
}

static bool dim_arg(PyObject *self, PyObject *number, int64_t *out)
{
    if (!ranked(self))
        return false;
    Py_ssize_t i = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return false;
    if (i < 0 || (size_t)i >= type_of(self)->count) {
        PyErr_Format(PyExc_IndexError, "dimension %zd of a type of rank %u", i,
                     type_of(self)->count);
        return false;
    }
    *out = type_of(self)->dims[i];
    return true;
}

static PyObject *dim_size(PyObject *self, PyObject *number)
{
    int64_t size;
    return dim_arg(self, number, &size) ? PyLong_FromLongLong(size) : NULL;
}

static PyObject *is_dynamic_dim(PyObject *self, PyObject *number)
{
    int64_t size;
    return dim_arg(self, number, &size) ? PyBool_FromLong(size == IR_DYNAMIC) : NULL;
}

static PyObject *is_dynamic(PyObject *self, PyObject *number)
{
    (void)self;
    long long size = PyLong_AsLongLong(number);
    if (size == -1 && PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(size == IR_DYNAMIC);
}

static PyObject *dynamic_size(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromLongLong(IR_DYNAMIC);
}

static PyObject *scalable_dims(PyObject *self, void *closure)
{
    ir_type t = type_of(self);
    PyObject *list = PyList_New((Py_ssize_t)t->count);
    bool any = false;
    for (uint32_t i = 0; list && i < t->count; i++) {
        bool on = t->scalable && t->scalable[i];
        any = any || on;
        PyList_SetItem(list, (Py_ssize_t)i, PyBool_FromLong(on));
    }
    if (closure || !list) /* true or false for the type: any scalable dimension */
        return list;
    Py_DECREF(list);
    return PyBool_FromLong(any);
}

static PyObject *type_list(PyObject *self, const ir_type *types, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *type = py_wrap_type(((py_item *)self)->owner, types[i]);
        if (!type || PyList_SetItem(list, (Py_ssize_t)i, type) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *get_inputs(PyObject *self, void *closure)
{
    (void)closure;
    return type_list(self, type_of(self)->types, type_of(self)->count);
}

static PyObject *get_results(PyObject *self, void *closure)
{
    (void)closure;
    return type_list(self, ir_function_results(type_of(self)), type_of(self)->results);
}

static PyObject *tuple_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(type_of(self)->count);
}

static PyObject *tuple_member(PyObject *self, PyObject *number)
{
    Py_ssize_t i = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    if (i < 0 || (size_t)i >= type_of(self)->count) {
        PyErr_Format(PyExc_IndexError, "member %zd of a tuple of %u", i,
                     type_of(self)->count);
        return NULL;
    }
    return py_wrap_type(((py_item *)self)->owner, type_of(self)->types[i]);
}

static PyObject *opaque_part(PyObject *self, void *closure)
{
    return py_text(ir_ident_str(closure ? type_of(self)->body : type_of(self)->dialect));
}

#define CLOSURE(n) ((void *)(uintptr_t)(n))

static PyGetSetDef integer_getset[] = {
    {"width", get_width, NULL, NULL, NULL},
    {"is_signless", get_sign, NULL, NULL, CLOSURE(IR_SIGNLESS)},
    {"is_signed", get_sign, NULL, NULL, CLOSURE(IR_SIGNED)},
    {"is_unsigned", get_sign, NULL, NULL, CLOSURE(IR_UNSIGNED)},
    {0},
};
static PyGetSetDef float_getset[] = {{"width", get_width, NULL, NULL, NULL}, {0}};
static PyGetSetDef complex_getset[] = {{"element_type", get_element, NULL, NULL, NULL},
                                       {0}};
static PyGetSetDef shaped_getset[] = {
    {"element_type", get_element, NULL, NULL, NULL},
    {"has_rank", get_has_rank, NULL, NULL, NULL},
    {"rank", get_rank, NULL, NULL, NULL},
    {"has_static_shape", get_static, NULL, NULL, NULL},
    {"shape", get_shape, NULL, NULL, NULL},
    {0},
};
static PyMethodDef shaped_methods[] = {
    {"get_dim_size", dim_size, METH_O, NULL},
    {"is_dynamic_dim", is_dynamic_dim, METH_O, NULL},
    {"is_dynamic_size", is_dynamic, METH_O | METH_STATIC, NULL},
    {"is_dynamic_stride_or_offset", is_dynamic, METH_O | METH_STATIC, NULL},
    {"get_dynamic_size", dynamic_size, METH_NOARGS | METH_STATIC, NULL},
    {"get_dynamic_stride_or_offset", dynamic_size, METH_NOARGS | METH_STATIC, NULL},
    {0},
};
static PyGetSetDef vector_getset[] = {
    {"scalable", scalable_dims, NULL, NULL, NULL},
    {"scalable_dims", scalable_dims, NULL, NULL, CLOSURE(1)},
    {0},
};
static PyGetSetDef tensor_getset[] = {{"encoding", get_encoding, NULL, NULL, NULL}, {0}};
static PyGetSetDef memref_getset[] = {
    {"layout", get_layout, NULL, NULL, NULL},
    {"affine_map", get_affine_map, NULL, NULL, NULL},
    {"memory_space", get_space, NULL, NULL, NULL},
    {0},
};
static PyMethodDef memref_methods[] = {
    {"get", PY_METHOD(py_memref_get), PY_KW | METH_STATIC, NULL},
    {"get_unchecked", PY_METHOD(py_memref_get), PY_KW | METH_STATIC, NULL},
    {"get_strides_and_offset", strides_and_offset, METH_NOARGS, NULL},
    {0},
};
static PyGetSetDef space_getset[] = {{"memory_space", get_space, NULL, NULL, NULL}, {0}};
static PyGetSetDef tuple_getset[] = {{"num_types", tuple_count, NULL, NULL, NULL}, {0}};
static PyMethodDef tuple_methods[] = {
    {"get_tuple", PY_METHOD(py_tuple_get), PY_KW | METH_STATIC, NULL},
    {"get", PY_METHOD(py_tuple_get), PY_KW | METH_STATIC, NULL},
    {"get_type", tuple_member, METH_O, NULL},
    {0},
};
static PyGetSetDef function_getset[] = {
    {"inputs", get_inputs, NULL, NULL, NULL},
    {"results", get_results, NULL, NULL, NULL},
    {0},
};
static PyGetSetDef opaque_getset[] = {
    {"dialect_namespace", opaque_part, NULL, NULL, NULL},
    {"data", opaque_part, NULL, NULL, CLOSURE(1)},
    {0},
};

#define NOTHING 0xff
static PyMethodDef none[] = {{0}};
static PyMethodDef float_methods[] = {
    {"get", PY_METHOD(py_simple_get), PY_KW | METH_CLASS, "get(context=None)"}, {0}};
static PyMethodDef ranked_methods[] = {
    {"get", PY_METHOD(py_tensor_get), PY_KW | METH_STATIC, NULL},
    {"get_unchecked", PY_METHOD(py_tensor_get), PY_KW | METH_STATIC, NULL},
    {0}};
static PyMethodDef unranked_methods[] = {
    {"get", PY_METHOD(py_unranked_get), PY_KW | METH_STATIC, NULL},
    {"get_unchecked", PY_METHOD(py_unranked_get), PY_KW | METH_STATIC, NULL},
    {0}};
static PyMethodDef vector_methods[] = {
    {"get", PY_METHOD(py_vector_get), PY_KW | METH_STATIC, NULL},
    {"get_unchecked", PY_METHOD(py_vector_get), PY_KW | METH_STATIC, NULL},
    {0}};
static PyMethodDef unranked_memref_methods[] = {
    {"get", PY_METHOD(py_unranked_memref_get), PY_KW | METH_STATIC, NULL},
    {"get_unchecked", PY_METHOD(py_unranked_memref_get), PY_KW | METH_STATIC, NULL},
    {0}};
static PyMethodDef integer_methods[] = {
    {"get_signless", PY_METHOD(py_integer_get_signless), PY_KW | METH_STATIC, NULL},
    {"get_signed", PY_METHOD(py_integer_get_signed), PY_KW | METH_STATIC, NULL},
    {"get_unsigned", PY_METHOD(py_integer_get_unsigned), PY_KW | METH_STATIC, NULL},
    {0}};
static PyMethodDef complex_methods[] = {
    {"get", PY_METHOD(py_complex_get), PY_KW | METH_STATIC, NULL}, {0}};
static PyMethodDef function_methods[] = {
    {"get", PY_METHOD(py_function_get), PY_KW | METH_STATIC, NULL}, {0}};
static PyMethodDef opaque_methods[] = {
    {"get", PY_METHOD(py_opaque_get), PY_KW | METH_STATIC, NULL}, {0}};

#define FLOAT(cls, kind, text)                                                             \
    {                                                                                      \
        "ttmlir.ir." cls, 1, IR_TYPE_FLOAT, kind, "builtin." text, float_methods, NULL     \
    }
#define SHAPED 2

const py_type_row py_type_rows[PY_TYPE_COUNT] = {
    {"ttmlir.ir.IntegerType", -1, IR_TYPE_INTEGER, 0, "builtin.integer", integer_methods,
     integer_getset},
    {"ttmlir.ir.FloatType", -1, NOTHING, 0, NULL, none, float_getset},
    {"ttmlir.ir.ShapedType", -1, NOTHING, 0, NULL, shaped_methods, shaped_getset},
    FLOAT("Float4E2M1FNType", IR_F4E2M1FN, "f4E2M1FN"),
    FLOAT("Float6E2M3FNType", IR_F6E2M3FN, "f6E2M3FN"),
    FLOAT("Float6E3M2FNType", IR_F6E3M2FN, "f6E3M2FN"),
    FLOAT("Float8E5M2Type", IR_F8E5M2, "f8E5M2"),
    FLOAT("Float8E4M3Type", IR_F8E4M3, "f8E4M3"),
    FLOAT("Float8E4M3FNType", IR_F8E4M3FN, "f8E4M3FN"),
    FLOAT("Float8E5M2FNUZType", IR_F8E5M2FNUZ, "f8E5M2FNUZ"),
    FLOAT("Float8E4M3FNUZType", IR_F8E4M3FNUZ, "f8E4M3FNUZ"),
    FLOAT("Float8E4M3B11FNUZType", IR_F8E4M3B11FNUZ, "f8E4M3B11FNUZ"),
    FLOAT("Float8E3M4Type", IR_F8E3M4, "f8E3M4"),
    FLOAT("Float8E8M0FNUType", IR_F8E8M0FNU, "f8E8M0FNU"),
    FLOAT("BF16Type", IR_BF16, "bf16"),
    FLOAT("F16Type", IR_F16, "f16"),
    FLOAT("FloatTF32Type", IR_TF32, "tf32"),
    FLOAT("F32Type", IR_F32, "f32"),
    FLOAT("F64Type", IR_F64, "f64"),
    FLOAT("F80Type", IR_F80, "f80"),
    FLOAT("F128Type", IR_F128, "f128"),
    {"ttmlir.ir.IndexType", -1, IR_TYPE_INDEX, 0, "builtin.index", float_methods, NULL},
    {"ttmlir.ir.NoneType", -1, IR_TYPE_NONE, 0, "builtin.none", float_methods, NULL},
    {"ttmlir.ir.ComplexType", -1, IR_TYPE_COMPLEX, 0, "builtin.complex", complex_methods,
     complex_getset},
    {"ttmlir.ir.VectorType", SHAPED, IR_TYPE_VECTOR, 0, "builtin.vector", vector_methods,
     vector_getset},
    {"ttmlir.ir.RankedTensorType", SHAPED, IR_TYPE_TENSOR, 0, "builtin.tensor",
     ranked_methods, tensor_getset},
    {"ttmlir.ir.UnrankedTensorType", SHAPED, IR_TYPE_UNRANKED_TENSOR, 0,
     "builtin.unranked_tensor", unranked_methods, NULL},
    {"ttmlir.ir.MemRefType", SHAPED, IR_TYPE_MEMREF, 0, "builtin.memref", memref_methods,
     memref_getset},
    {"ttmlir.ir.UnrankedMemRefType", SHAPED, IR_TYPE_UNRANKED_MEMREF, 0,
     "builtin.unranked_memref", unranked_memref_methods, space_getset},
    {"ttmlir.ir.FunctionType", -1, IR_TYPE_FUNCTION, 0, "builtin.function",
     function_methods, function_getset},
    {"ttmlir.ir.TupleType", -1, IR_TYPE_TUPLE, 0, "builtin.tuple", tuple_methods,
     tuple_getset},
    {"ttmlir.ir.OpaqueType", -1, IR_TYPE_OPAQUE, 0, "builtin.opaque", opaque_methods,
     opaque_getset},
};
