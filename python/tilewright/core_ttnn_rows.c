/* core_ttnn_rows.c: rows of functions and configurations for Python: signatures, names,
 * fields. */
#include "core_eager.h"

#include <stdio.h>
#include <string.h>

#include "support/base.h"
#include "ttnn/emit/ttnn_calls.h"
#include "ttnn/ttnn.h"

/* Defaults that Python's reader of signatures evaluates. */
static const char *shown_default(const char *deflt)
{
    static const char *const words[] = {"None", "True", "False"};
    for (size_t i = 0; i < TW_COUNT(words); i++)
        if (strcmp(deflt, words[i]) == 0)
            return deflt;
    return strspn(deflt, "-.0123456789e") == strlen(deflt) ? deflt : "None";
}

/* "add(input_tensor_a, ..., *, dtype=None)\n--\n\n..." */
char *core_eager_signature(const tw_function *row)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool starred = false, defaults = false, first = true;
    fprintf(out, "%s(", strrchr(row->name, '.') + 1);
    for (size_t i = 0; i < row->n_parameters; i++) {
        const tw_parameter *p = &row->parameters[i];
        const char *deflt = p->deflt               ? shown_default(p->deflt)
                            : defaults && !starred ? "None"
                                                   : NULL;
        if (!*p->name)
            continue;
        if (!p->by_position && !starred)
            fprintf(out, "%s*", first ? "" : ", ");
        first = first && p->by_position;
        starred = starred || !p->by_position;
        defaults = defaults || deflt;
        fprintf(out, "%s%s%s%s", first ? "" : ", ", p->name, deflt ? "=" : "",
                deflt ? deflt : "");
        first = false;
    }
    fprintf(out, ")\n--\n\nThe operation %s of the embedded device.", row->operation);
    for (size_t i = 0; i < row->n_parameters; i++)
        if (*row->parameters[i].name)
            fprintf(out, "\n    %s: %s", row->parameters[i].name,
                    row->parameters[i].meaning);
    fclose(out);
    return text;
}

/* ttnn_parameters(): {name: (results, [(name, names, meaning, default, by position)])} */
static PyObject *list_parameters(PyObject *module, PyObject *unused)
{
    PyObject *all = PyDict_New();
    (void)module;
    (void)unused;
    for (size_t i = 0; all && i < tw_function_count(TW_PYTHON); i++) {
        const tw_function *row = tw_function_at(TW_PYTHON, i);
        PyObject *list = PyList_New(0);
        for (size_t k = 0; list && k < row->n_parameters; k++) {
            const tw_parameter *p = &row->parameters[k];
            PyObject *one =
                Py_BuildValue("(s(zz)szO)", p->name, p->other[0], p->other[1], p->meaning,
                              p->deflt, p->by_position ? Py_True : Py_False);
            if (!one || PyList_Append(list, one) < 0)
                Py_CLEAR(list);
            Py_XDECREF(one);
        }
        PyObject *entry =
            list ? Py_BuildValue("(snN)", row->operation, (Py_ssize_t)row->n_results, list)
                 : NULL;
        if (!entry || PyDict_SetItemString(all, row->name, entry) < 0)
            Py_CLEAR(all);
        Py_XDECREF(entry);
    }
    return all;
}

/* ttnn_records(): [(class, type, [field])] */
static PyObject *list_records(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    const tw_record *r;
    (void)module;
    (void)unused;
    for (size_t i = 0; list && (r = tw_record_at(TW_PYTHON, i)); i++) {
        PyObject *fields = PyList_New(0);
        for (size_t k = 0; fields && k < r->n_fields; k++) {
            PyObject *name = PyUnicode_FromString(r->fields[k]);
            if (!name || PyList_Append(fields, name) < 0)
                Py_CLEAR(fields);
            Py_XDECREF(name);
        }
        PyObject *row = fields ? Py_BuildValue("(ssN)", r->name, r->type, fields) : NULL;
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ttnn_activations(): names of activations, such as RELU */
static PyObject *list_activations(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;
    for (uint32_t i = 0; list && i < ttnn_enum_UnaryOpType.cases.count; i++) {
        tw_strbuf text = {0};
        ttnn_put_upper(&text, ttnn_enum_UnaryOpType.cases.at[i].text);
        PyObject *name = PyUnicode_FromString(tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"ttnn_activations", list_activations, METH_NOARGS,
     "ttnn_activations(): names of activations, such as RELU"},
    {"ttnn_parameters", list_parameters, METH_NOARGS,
     "ttnn_parameters(): {name: (operation, results, parameters)}"},
    {"ttnn_records", list_records, METH_NOARGS,
     "ttnn_records(): [(class, type, fields)] of configurations"},
    {0},
};

int core_ttnn_rows_add(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
