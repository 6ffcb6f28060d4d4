/* attr.c: Attribute and the classes of the builtin attributes: casts and queries.
 * attr_make.c makes attributes; dense.c has the elements. */
#include "attr_table.h"

#include "ir/dialect.h"

static const py_attr_row rows[PY_ATTR_COUNT];

/* ---- classes ------------------------------------------------------------------------ */

static int array_class(ir_type e)
{
    if (e->kind == IR_TYPE_FLOAT)
        return e->width == 32 ? PY_DENSE_F32_ARRAY_ATTR : PY_DENSE_F64_ARRAY_ATTR;
    switch (e->width) {
    case 1:
        return PY_DENSE_BOOL_ARRAY_ATTR;
    case 8:
        return PY_DENSE_I8_ARRAY_ATTR;
    case 16:
        return PY_DENSE_I16_ARRAY_ATTR;
    case 32:
        return PY_DENSE_I32_ARRAY_ATTR;
    default:
        return PY_DENSE_I64_ARRAY_ATTR;
    }
}

static int dense_class(ir_attr a)
{
    ir_type e = ir_type_element(a->type);
    return e->kind == IR_TYPE_INTEGER || e->kind == IR_TYPE_INDEX ? PY_DENSE_INT_ATTR
           : e->kind == IR_TYPE_FLOAT                             ? PY_DENSE_FP_ATTR
                                                                  : PY_DENSE_ATTR;
}

static int class_of(ir_attr a)
{
    switch ((ir_attr_kind)a->kind) {
    case IR_ATTR_INTEGER:
        return ir_attr_is_bool(a) ? PY_BOOL_ATTR : PY_INTEGER_ATTR;
    case IR_ATTR_FLOAT:
        return PY_FLOAT_ATTR;
    case IR_ATTR_STRING:
        return PY_STRING_ATTR;
    case IR_ATTR_ARRAY:
        return PY_ARRAY_ATTR;
    case IR_ATTR_DICT:
        return PY_DICT_ATTR;
    case IR_ATTR_TYPE:
        return PY_TYPE_ATTR;
    case IR_ATTR_SYMBOL_REF:
        return a->count == 1 ? PY_FLAT_SYMBOL_REF_ATTR : PY_SYMBOL_REF_ATTR;
    case IR_ATTR_UNIT:
        return PY_UNIT_ATTR;
    case IR_ATTR_DENSE:
        return dense_class(a);
    case IR_ATTR_DENSE_ARRAY:
        return array_class(a->type);
    case IR_ATTR_RESOURCE:
        return PY_RESOURCE_ATTR;
    case IR_ATTR_AFFINE_MAP:
        return PY_AFFINE_MAP_ATTR;
    case IR_ATTR_INTEGER_SET:
        return PY_INTEGER_SET_ATTR;
    case IR_ATTR_STRIDED:
        return PY_STRIDED_ATTR;
    case IR_ATTR_OPAQUE:
        return PY_OPAQUE_ATTR;
    default:
        return -1;
    }
}

static PyTypeObject *natural_class(ir_attr a)
{
    py_state *state = py_get_state();
    if (a->kind == IR_ATTR_DIALECT) {
        PyTypeObject *own = py_row_class(a->def, a->def->mnemonic);
        return own || PyErr_Occurred() ? own : state->classes[PY_ATTRIBUTE];
    }
    int i = class_of(a);
    return i < 0 ? state->classes[PY_ATTRIBUTE] : state->attrs[i];
}

PyObject *py_wrap_attr(py_context *c, ir_attr attr)
{
    if (!attr)
        Py_RETURN_NONE;
    PyTypeObject *cls = natural_class(attr);
    return cls ? py_item_new(cls, c, attr) : NULL;
}

int py_attr_index(PyObject *cls)
{
    py_state *state = py_get_state();
    for (int i = 0; i < PY_ATTR_COUNT; i++)
        if ((PyObject *)state->attrs[i] == cls)
            return i;
    return -1;
}

static int is_a(PyObject *object, PyObject *cls)
{
    if (!py_is(object, PY_ATTRIBUTE))
        return 0;
    ir_attr a = ((py_item *)object)->attr;
    cls = (PyObject *)py_library_class((PyTypeObject *)cls);
    /* Classes that overlap without one deriving from the other. */
    int index = py_attr_index(cls);
    if (index == PY_INTEGER_ATTR && a->kind == IR_ATTR_INTEGER)
        return 1;
    if (index == PY_SYMBOL_REF_ATTR && a->kind == IR_ATTR_SYMBOL_REF)
        return 1;
    PyTypeObject *natural = natural_class(a);
    return natural ? PyObject_IsSubclass((PyObject *)natural, cls) : -1;
}

static PyObject *attr_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs)
{
    return py_item_cast(cls, args, kwargs, is_a, "cast_from_attr", "attribute");
}

static PyObject *attr_isinstance(PyObject *cls, PyObject *object)
{
    int fits = is_a(object, cls);
    return fits < 0 ? NULL : PyBool_FromLong(fits);
}

/* attr.maybe_downcast() returns the attribute as its own class. X.maybe_downcast(attr) of a
 * dialect's class (made in Python) returns None where the attribute is no X. */
static PyObject *attr_downcast(PyObject *self, PyObject *unused)
{
    (void)unused;
    return py_wrap_attr(((py_item *)self)->owner, ((py_item *)self)->attr);
}

static PyObject *attr_parse(PyObject *cls, PyObject *args, PyObject *kwargs)
{
    (void)cls;
    tw_str text;
    py_context *c = py_parse_args(args, kwargs, &text);
    if (!c)
        return NULL;
    ir_attr attr = ir_parse_attr(c->ctx, text);
    return py_deliver(c, attr ? NULL : "Unable to parse attribute") ? py_wrap_attr(c, attr)
                                                                    : NULL;
}

static PyObject *attr_str(PyObject *self)
{
    tw_strbuf text = {0};
    ir_print_attr(((py_item *)self)->attr, &text);
    return py_buf_text(&text);
}

static ir_attr attr_of(PyObject *self)
{
    return ((py_item *)self)->attr;
}

static PyObject *get_type(PyObject *self, void *closure)
{
    (void)closure;
    py_item *item = (py_item *)self;
    ir_attr a = item->attr;
    if (a->kind != IR_ATTR_TYPE && a->type)
        return py_wrap_type(item->owner, a->type);
    return py_wrap_type(item->owner, ir_none_type(item->owner->ctx));
}

static PyObject *get_named(PyObject *self, PyObject *name)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text)
        return NULL;
    py_context *c = ((py_item *)self)->owner;
    ir_ident id = ir_ident_get(c->ctx, (tw_str){text, (size_t)size});
    return py_named_attribute(c, (ir_named_attr){id, attr_of(self)});
}

static PyMethodDef attr_methods[] = {
    {"parse", PY_METHOD(attr_parse), PY_KW | METH_STATIC, "parse(asm, context=None)"},
    {"isinstance", attr_isinstance, METH_O | METH_CLASS, NULL},
    {"maybe_downcast", attr_downcast, METH_NOARGS, NULL},
    {"get_named", get_named, METH_O, NULL},
    {0},
};
static PyGetSetDef attr_getset[] = {{"type", get_type, NULL, NULL, NULL}, {0}};
static PyType_Slot attr_slots[] = {
    {Py_tp_new, (void *)attr_new}, {Py_tp_init, (void *)py_init_own},
    {Py_tp_str, (void *)attr_str}, {Py_tp_methods, attr_methods},
    {Py_tp_getset, attr_getset},   {0, NULL},
};
static PyType_Spec attr_spec = {"ttmlir.ir.Attribute", sizeof(py_item), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, attr_slots};

bool py_make_attr_classes(PyObject *module, py_state *state)
{
    PyTypeObject *base = state->classes[PY_ATTRIBUTE] =
        py_make_class(module, &attr_spec, state->classes[PY_ITEM]);
    for (size_t i = 0; base && i < PY_ATTR_COUNT; i++) {
        const py_attr_row *row = &rows[i];
        PyType_Slot slots[10] = {{Py_tp_methods, row->methods}};
        size_t n = 1;
        if (row->getset)
            slots[n++] = (PyType_Slot){Py_tp_getset, row->getset};
        for (const PyType_Slot *s = row->slots; s && s->slot; s++)
            slots[n++] = *s;
        PyType_Spec spec = {row->name, sizeof(py_item), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        PyTypeObject *cls = state->attrs[i] =
            py_make_class(module, &spec, row->base < 0 ? base : state->attrs[row->base]);
        if (!cls || !py_set_text((PyObject *)cls, "attr_name", row->attr_name))
            return false;
    }
    return base != NULL;
}

/* ---- queries ------------------------------------------------------------------------ */

static PyObject *integer_value(PyObject *self, void *closure)
{
    (void)closure;
    ir_attr a = attr_of(self);
    if (a->type && a->type->kind == IR_TYPE_INTEGER && a->type->sign == IR_UNSIGNED)
        return PyLong_FromUnsignedLongLong((unsigned long long)a->value);
    if (ir_attr_is_bool(a))
        return PyBool_FromLong(a->value != 0);
    return PyLong_FromLongLong(a->value);
}

static PyObject *integer_int(PyObject *self)
{
    return integer_value(self, NULL);
}

static PyObject *bool_value(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(attr_of(self)->value != 0);
}

static int bool_true(PyObject *self)
{
    return attr_of(self)->value != 0;
}

static PyObject *float_value(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(attr_of(self)->real);
}

static PyObject *float_float(PyObject *self)
{
    return float_value(self, NULL);
}

static PyObject *string_value(PyObject *self, void *closure)
{
    tw_str s = ir_attr_str(attr_of(self));
    return closure ? PyBytes_FromStringAndSize(s.data, (Py_ssize_t)s.size) : py_text(s);
}

static PyObject *type_value(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_type(((py_item *)self)->owner, attr_of(self)->type);
}

static PyObject *symbol_value(PyObject *self, void *closure)
{
    ir_attr a = attr_of(self);
    if (closure) /* a flat symbol reference */
        return py_text(ir_attr_str(a->items[0]));
    PyObject *list = PyList_New((Py_ssize_t)a->count);
    for (uint32_t i = 0; list && i < a->count; i++) {
        PyObject *part = py_text(ir_attr_str(a->items[i]));
        if (!part || PyList_SetItem(list, (Py_ssize_t)i, part) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static Py_ssize_t item_count(PyObject *self)
{
    return attr_of(self)->count;
}

static PyObject *out_of_range(const char *what)
{
    PyErr_Format(PyExc_IndexError, "%s index out of range", what);
    return NULL;
}

static PyObject *array_item(PyObject *self, Py_ssize_t i)
{
    ir_attr a = attr_of(self);
    if (i < 0 || i >= (Py_ssize_t)a->count)
        return out_of_range("ArrayAttribute");
    return py_wrap_attr(((py_item *)self)->owner, a->items[i]);
}

static PyObject *numbers_item(PyObject *self, Py_ssize_t i)
{
    ir_attr a = attr_of(self);
    if (i < 0 || i >= (Py_ssize_t)a->count)
        return out_of_range("DenseArray");
    if (a->type->kind == IR_TYPE_FLOAT) {
        const char *at = (const char *)a->blob->data + (size_t)i * (a->type->width / 8);
        float f;
        double d;
        if (a->type->width == 32) {
            memcpy(&f, at, sizeof f);
            d = f;
        } else {
            memcpy(&d, at, sizeof d);
        }
        return PyFloat_FromDouble(d);
    }
    int64_t value = ir_dense_array_int(a, (size_t)i);
    return a->type->width == 1 ? PyBool_FromLong(value != 0) : PyLong_FromLongLong(value);
}

/* list + list, as in MLIR's sequences: attributes, then a list of attributes. */
static PyObject *concat(PyObject *self, PyObject *other)
{
    PyObject *mine = PySequence_List(self), *theirs = PySequence_List(other);
    PyObject *sum = mine && theirs ? PySequence_Concat(mine, theirs) : NULL;
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return sum;
}

static PyObject *array_add(PyObject *self, PyObject *other)
{
    PyObject *sum = concat(self, other), *context = NULL, *result = NULL;
    if (sum) {
        context = (PyObject *)((py_item *)self)->owner;
        result = PyObject_CallMethod((PyObject *)Py_TYPE(self), "get", "OO", sum, context);
    }
    Py_XDECREF(sum);
    return result;
}

static PyObject *dict_item(PyObject *self, PyObject *key)
{
    ir_attr a = attr_of(self);
    py_context *c = ((py_item *)self)->owner;
    if (PyLong_Check(key)) {
        Py_ssize_t i = PyLong_AsSsize_t(key);
        if (i < 0 || i >= (Py_ssize_t)a->count) {
            PyErr_Clear();
            PyErr_SetString(PyExc_IndexError, "attempt to access out of bounds attribute");
            return NULL;
        }
        return py_named_attribute(c, a->entries[i]);
    }
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(key, &size);
    if (!text)
        return NULL;
    ir_attr value = ir_dict_get(a, (tw_str){text, (size_t)size});
    if (!value) {
        PyErr_SetString(PyExc_KeyError, "attempt to access a non-existent attribute");
        return NULL;
    }
    return py_wrap_attr(c, value);
}

static PyObject *dict_iter(PyObject *self)
{
    ir_attr a = attr_of(self);
    PyObject *list = PyList_New((Py_ssize_t)a->count);
    for (uint32_t i = 0; list && i < a->count; i++) {
        PyObject *entry = py_named_attribute(((py_item *)self)->owner, a->entries[i]);
        if (!entry || PyList_SetItem(list, (Py_ssize_t)i, entry) < 0)
            Py_CLEAR(list);
    }
    PyObject *iterator = list ? PyObject_GetIter(list) : NULL;
    Py_XDECREF(list);
    return iterator;
}

static int dict_contains(PyObject *self, PyObject *key)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(key, &size);
    return text ? ir_dict_get(attr_of(self), (tw_str){text, (size_t)size}) != NULL : -1;
}

static PyObject *map_value(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_map(((py_item *)self)->owner, attr_of(self)->map);
}

static PyObject *set_value(PyObject *self, void *closure)
{
    (void)closure;
    return py_wrap_set(((py_item *)self)->owner, attr_of(self)->set);
}

static PyObject *strided_offset(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(attr_of(self)->offset);
}

static PyObject *strided_strides(PyObject *self, void *closure)
{
    (void)closure;
    return py_ints(attr_of(self)->strides, attr_of(self)->count);
}

static PyObject *opaque_part(PyObject *self, void *closure)
{
    tw_str s = ir_ident_str(closure ? attr_of(self)->body : attr_of(self)->dialect);
    return closure ? PyBytes_FromStringAndSize(s.data, (Py_ssize_t)s.size) : py_text(s);
}

#define CLOSURE(n) ((void *)(uintptr_t)(n))
#define GET(function) PY_METHOD(function), PY_KW | METH_CLASS, NULL

static PyMethodDef integer_methods[] = {{"get", GET(py_integer_attr_get)}, {0}};
static PyMethodDef bool_methods[] = {{"get", GET(py_bool_attr_get)}, {0}};
static PyMethodDef float_methods[] = {{"get", GET(py_float_attr_get)},
                                      {"get_unchecked", GET(py_float_attr_get)},
                                      {"get_f32", GET(py_float_attr_f32)},
                                      {"get_f64", GET(py_float_attr_f64)},
                                      {0}};
static PyMethodDef string_methods[] = {
    {"get", GET(py_string_attr_get)}, {"get_typed", GET(py_string_attr_typed)}, {0}};
static PyMethodDef array_methods[] = {{"get", GET(py_array_attr_get)}, {0}};
static PyMethodDef dict_methods[] = {{"get", GET(py_dict_attr_get)}, {0}};
static PyMethodDef type_methods[] = {{"get", GET(py_type_attr_get)}, {0}};
static PyMethodDef symbol_methods[] = {{"get", GET(py_symbol_attr_get)}, {0}};
static PyMethodDef flat_methods[] = {{"get", GET(py_flat_symbol_attr_get)}, {0}};
static PyMethodDef unit_methods[] = {{"get", GET(py_unit_attr_get)}, {0}};
static PyMethodDef numbers_methods[] = {{"get", GET(py_dense_array_get)}, {0}};
static PyMethodDef map_methods[] = {{"get", GET(py_map_attr_get)}, {0}};
static PyMethodDef set_methods[] = {{"get", GET(py_set_attr_get)}, {0}};
static PyMethodDef strided_methods[] = {{"get", GET(py_strided_attr_get)}, {0}};
static PyMethodDef opaque_methods[] = {{"get", GET(py_opaque_attr_get)}, {0}};

static PyGetSetDef integer_getset[] = {{"value", integer_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef bool_getset[] = {{"value", bool_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef float_getset[] = {{"value", float_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef string_getset[] = {{"value", string_value, NULL, NULL, NULL},
                                      {"value_bytes", string_value, NULL, NULL, CLOSURE(1)},
                                      {0}};
static PyGetSetDef type_getset[] = {{"value", type_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef symbol_getset[] = {{"value", symbol_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef flat_getset[] = {{"value", symbol_value, NULL, NULL, CLOSURE(1)}, {0}};
static PyGetSetDef map_getset[] = {{"value", map_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef set_getset[] = {{"value", set_value, NULL, NULL, NULL}, {0}};
static PyGetSetDef strided_getset[] = {{"offset", strided_offset, NULL, NULL, NULL},
                                       {"strides", strided_strides, NULL, NULL, NULL},
                                       {0}};
static PyGetSetDef opaque_getset[] = {{"dialect_namespace", opaque_part, NULL, NULL, NULL},
                                      {"data", opaque_part, NULL, NULL, CLOSURE(1)},
                                      {0}};

static const PyType_Slot integer_slots[] = {{Py_nb_int, (void *)integer_int}, {0, NULL}};
static const PyType_Slot bool_slots[] = {{Py_nb_bool, (void *)bool_true}, {0, NULL}};
static const PyType_Slot float_slots[] = {{Py_nb_float, (void *)float_float}, {0, NULL}};
static const PyType_Slot array_slots[] = {{Py_sq_length, (void *)item_count},
                                          {Py_sq_item, (void *)array_item},
                                          {Py_sq_concat, (void *)array_add},
                                          {0, NULL}};
static const PyType_Slot numbers_slots[] = {{Py_sq_length, (void *)item_count},
                                            {Py_sq_item, (void *)numbers_item},
                                            {Py_sq_concat, (void *)array_add},
                                            {0, NULL}};
static const PyType_Slot dict_slots[] = {{Py_mp_length, (void *)item_count},
                                         {Py_mp_subscript, (void *)dict_item},
                                         {Py_sq_contains, (void *)dict_contains},
                                         {Py_tp_iter, (void *)dict_iter},
                                         {0, NULL}};

#define NUMBERS(cls)                                                                       \
    {                                                                                      \
        "ttmlir.ir." cls, -1, NULL, numbers_methods, NULL, numbers_slots                   \
    }

static const py_attr_row rows[PY_ATTR_COUNT] = {
    [PY_INTEGER_ATTR] = {"ttmlir.ir.IntegerAttr", -1, "builtin.integer", integer_methods,
                         integer_getset, integer_slots},
    [PY_BOOL_ATTR] = {"ttmlir.ir.BoolAttr", -1, NULL, bool_methods, bool_getset,
                      bool_slots},
    [PY_FLOAT_ATTR] = {"ttmlir.ir.FloatAttr", -1, "builtin.float", float_methods,
                       float_getset, float_slots},
    [PY_STRING_ATTR] = {"ttmlir.ir.StringAttr", -1, "builtin.string", string_methods,
                        string_getset, NULL},
    [PY_ARRAY_ATTR] = {"ttmlir.ir.ArrayAttr", -1, "builtin.array", array_methods, NULL,
                       array_slots},
    [PY_DICT_ATTR] = {"ttmlir.ir.DictAttr", -1, "builtin.dictionary", dict_methods, NULL,
                      dict_slots},
    [PY_TYPE_ATTR] = {"ttmlir.ir.TypeAttr", -1, "builtin.type", type_methods, type_getset,
                      NULL},
    [PY_SYMBOL_REF_ATTR] = {"ttmlir.ir.SymbolRefAttr", -1, "builtin.symbol_ref",
                            symbol_methods, symbol_getset, NULL},
    [PY_FLAT_SYMBOL_REF_ATTR] = {"ttmlir.ir.FlatSymbolRefAttr", -1, "builtin.symbol_ref",
                                 flat_methods, flat_getset, NULL},
    [PY_UNIT_ATTR] = {"ttmlir.ir.UnitAttr", -1, "builtin.unit", unit_methods, NULL, NULL},
    [PY_DENSE_ATTR] = {"ttmlir.ir.DenseElementsAttr", -1, "builtin.dense_elements",
                       py_dense_methods, py_dense_getset, py_dense_slots},
    [PY_DENSE_INT_ATTR] = {"ttmlir.ir.DenseIntElementsAttr", PY_DENSE_ATTR, NULL,
                           py_dense_int_methods, NULL, NULL},
    [PY_DENSE_FP_ATTR] = {"ttmlir.ir.DenseFPElementsAttr", PY_DENSE_ATTR, NULL,
                          py_dense_int_methods, NULL, NULL},
    [PY_RESOURCE_ATTR] = {"ttmlir.ir.DenseResourceElementsAttr", -1,
                          "builtin.dense_resource_elements", py_resource_methods, NULL,
                          NULL},
    [PY_DENSE_BOOL_ARRAY_ATTR] = NUMBERS("DenseBoolArrayAttr"),
    [PY_DENSE_I8_ARRAY_ATTR] = NUMBERS("DenseI8ArrayAttr"),
    [PY_DENSE_I16_ARRAY_ATTR] = NUMBERS("DenseI16ArrayAttr"),
    [PY_DENSE_I32_ARRAY_ATTR] = NUMBERS("DenseI32ArrayAttr"),
    [PY_DENSE_I64_ARRAY_ATTR] = NUMBERS("DenseI64ArrayAttr"),
    [PY_DENSE_F32_ARRAY_ATTR] = NUMBERS("DenseF32ArrayAttr"),
    [PY_DENSE_F64_ARRAY_ATTR] = NUMBERS("DenseF64ArrayAttr"),
    [PY_AFFINE_MAP_ATTR] = {"ttmlir.ir.AffineMapAttr", -1, "builtin.affine_map",
                            map_methods, map_getset, NULL},
    [PY_INTEGER_SET_ATTR] = {"ttmlir.ir.IntegerSetAttr", -1, "builtin.integer_set",
                             set_methods, set_getset, NULL},
    [PY_STRIDED_ATTR] = {"ttmlir.ir.StridedLayoutAttr", -1, "builtin.strided_layout",
                         strided_methods, strided_getset, NULL},
    [PY_OPAQUE_ATTR] = {"ttmlir.ir.OpaqueAttr", -1, "builtin.opaque", opaque_methods,
                        opaque_getset, NULL},
};
