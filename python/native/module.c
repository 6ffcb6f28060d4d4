/* module.c: the extension module tilewright._ir: its state, its classes, pointer maps. */
#include "pyir.h"

#include <stdlib.h>

#include "support/hash.h"

/* ---- pointer maps ------------------------------------------------------------------- */

static size_t home(const py_map *map, const void *key)
{
    return tw_hash_end(tw_hash_ptr(0, key)) & map->mask;
}

static size_t slot_of(const py_map *map, const void *key)
{
    size_t i = home(map, key);
    while (map->slots[i].key && map->slots[i].key != key)
        i = (i + 1) & map->mask;
    return i;
}

void *py_map_get(const py_map *map, const void *key)
{
    return map->slots ? map->slots[slot_of(map, key)].value : NULL;
}

void py_map_set(py_map *map, const void *key, void *value)
{
    if (!map->slots || map->count * 2 > map->mask) {
        py_map grown = {.mask = map->slots ? map->mask * 2 + 1 : 63, .count = map->count};
        grown.slots = tw_xcalloc(grown.mask + 1, sizeof *grown.slots);
        for (size_t i = 0; map->slots && i <= map->mask; i++)
            if (map->slots[i].key)
                grown.slots[slot_of(&grown, map->slots[i].key)] = map->slots[i];
        free(map->slots);
        *map = grown;
    }
    struct py_map_slot *slot = &map->slots[slot_of(map, key)];
    map->count += !slot->key;
    slot->key = key;
    slot->value = value;
}

void *py_map_take(py_map *map, const void *key)
{
    if (!map->slots)
        return NULL;
    size_t hole = slot_of(map, key);
    void *value = map->slots[hole].value;
    if (!map->slots[hole].key)
        return NULL;
    map->count--;
    /* Move later entries of the probe sequence back, so that searches need no
     * tombstones. */
    for (size_t i = (hole + 1) & map->mask; map->slots[i].key; i = (i + 1) & map->mask) {
        size_t at = home(map, map->slots[i].key);
        if (((i - at) & map->mask) >= ((i - hole) & map->mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct py_map_slot){0};
    return value;
}

/* ---- state -------------------------------------------------------------------------- */

static struct PyModuleDef definition;

py_state *py_get_state(void)
{
    PyObject *module = PyState_FindModule(&definition);
    assert(module && "the module is alive while its objects are");
    return PyModule_GetState(module);
}

PyObject *py_text(tw_str text)
{
    return PyUnicode_DecodeUTF8(text.data ? text.data : "", (Py_ssize_t)text.size,
                                "surrogateescape");
}

PyObject *py_buf_text(tw_strbuf *buf)
{
    PyObject *text = py_text((tw_str){buf->data, buf->size});
    tw_strbuf_free(buf);
    return text;
}

PyTypeObject *py_make_class(PyObject *module, PyType_Spec *spec, PyTypeObject *base)
{
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;
    if (base && !bases)
        return NULL;
    PyObject *cls = PyType_FromSpecWithBases(spec, bases);
    Py_XDECREF(bases);
    if (!cls)
        return NULL;
    const char *dot = strrchr(spec->name, '.');
    Py_INCREF(cls);
    if (PyModule_AddObject(module, dot ? dot + 1 : spec->name, cls) < 0) {
        Py_DECREF(cls);
        Py_DECREF(cls);
        return NULL;
    }
    return (PyTypeObject *)cls; /* the state's reference */
}

bool py_set_text(PyObject *object, const char *name, const char *text)
{
    PyObject *value = text ? PyUnicode_FromString(text) : NULL;
    bool ok = value ? PyObject_SetAttrString(object, name, value) == 0 : !text;
    Py_XDECREF(value);
    return ok;
}

static bool make_classes(PyObject *module, py_state *state, const py_class_row *rows)
{
    for (; rows->spec; rows++) {
        PyTypeObject *base = rows->base >= 0 ? state->classes[rows->base] : NULL;
        state->classes[rows->id] = py_make_class(module, rows->spec, base);
        if (!state->classes[rows->id])
            return false;
    }
    return true;
}

/* _hooks(resolve=, attr_builders=, error=, severities=, walk_results=, walk_orders=,
 * named=, inferrers=, type_casters=, value_casters=): registers callbacks of the Python
 * side. */
static PyObject *set_hooks(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"resolve",      "attr_builders", "error", "severities",
                            "walk_results", "walk_orders",   "named", "inferrers",
                            "type_casters", "value_casters", NULL};
    PyObject *given[10];
    py_state *state = PyModule_GetState(module);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOOO", names, &given[0],
                                     &given[1], &given[2], &given[3], &given[4], &given[5],
                                     &given[6], &given[7], &given[8], &given[9]))
        return NULL;
    PyObject **slots[] = {&state->resolve,      &state->attr_builders, &state->error,
                          &state->severities,   &state->walk_results,  &state->walk_orders,
                          &state->named,        &state->inferrers,     &state->type_casters,
                          &state->value_casters};
    for (size_t i = 0; i < TW_COUNT(slots); i++) {
        Py_XDECREF(*slots[i]);
        Py_INCREF(given[i]);
        *slots[i] = given[i];
    }
    Py_RETURN_NONE;
}

static PyMethodDef hook_functions[] = {
    {"_hooks", PY_METHOD(set_hooks), PY_KW, "What the Python side provides."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tilewright._ir",
    .m_doc = "The IR of the library; see the package ttmlir.",
    .m_size = sizeof(py_state),
};

PyMODINIT_FUNC PyInit__ir(void);

PyMODINIT_FUNC PyInit__ir(void)
{
    static const py_class_row *const tables[] = {
        py_context_classes,    py_item_classes,  py_handle_classes, py_op_classes,
        py_region_classes,     py_value_classes, py_list_classes,   py_build_classes,
        py_diagnostic_classes, py_asm_classes,   py_pass_classes,
    };
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    py_state *state = PyModule_GetState(module);
    state->stack_key = PyUnicode_InternFromString("tilewright._ir.stack");
    state->unregistered = PyDict_New();
    bool ok = state->stack_key && state->unregistered;
    for (size_t i = 0; ok && i < TW_COUNT(tables); i++)
        ok = make_classes(module, state, tables[i]);
    ok = ok && py_make_loc_classes(module, state) && py_make_type_classes(module, state) &&
         py_make_attr_classes(module, state) && py_make_affine_classes(module, state) &&
         PyModule_AddFunctions(module, hook_functions) == 0 &&
         PyModule_AddFunctions(module, py_row_functions) == 0 &&
         PyModule_AddFunctions(module, py_body_functions) == 0 &&
         PyModule_AddFunctions(module, py_eval_functions) == 0 &&
         PyModule_AddFunctions(module, py_rewrite_functions) == 0 &&
         PyModule_AddFunctions(module, py_translate_functions) == 0;
    if (!ok)
        Py_CLEAR(module);
    return module;
}
