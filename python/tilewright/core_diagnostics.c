/* core_diagnostics.c: lists of diagnostics and their reports, for ttlang-sim. */
#include "core_diagnostics.h"

static const char tag[] = "tilewright.diagnostics";

static void end_list(PyObject *capsule)
{
    tw_diagnostics_destroy(PyCapsule_GetPointer(capsule, tag));
}

static PyObject *diagnostics_create(PyObject *module, PyObject *args)
{
    (void)module, (void)args;
    return PyCapsule_New(tw_diagnostics_create(), tag, end_list);
}

tw_diagnostics *core_diagnostics_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, tag);
}

/* One note: nothing, or a text with a location. */
static PyObject *diagnostics_add(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    tw_diagnostics *list;
    tw_diagnostic d = {0};
    tw_diagnostic_note note = {0};
    int severity;

    (void)module;
    if (!PyArg_ParseTuple(args, "OizzIIsz", &capsule, &severity, &d.rule, &d.at.file,
                          &d.at.line, &d.at.column, &d.text, &note.text) ||
        !(list = core_diagnostics_of(capsule))) {
        return NULL;
    }
    d.severity = (tw_severity)severity;
    note.at = d.at;
    d.notes = &note;
    d.n_notes = note.text != NULL;
    tw_diagnostics_add(list, &d);
    Py_RETURN_NONE;
}

static PyObject *diagnostics_errors(PyObject *module, PyObject *capsule)
{
    tw_diagnostics *list = core_diagnostics_of(capsule);
    size_t errors = 0;

    (void)module;
    if (!list) {
        return NULL;
    }
    for (size_t i = 0; i < tw_diagnostics_count(list); i++) {
        errors += tw_diagnostics_at(list, i)->severity == TW_SEVERITY_ERROR;
    }
    return PyLong_FromSize_t(errors);
}

static PyObject *diagnostics_report(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    tw_diagnostics *list;
    tw_report_about about = {0};
    const char *format;
    int failed;

    (void)module;
    if (!PyArg_ParseTuple(args, "Osssp", &capsule, &format, &about.tool, &about.input,
                          &failed) ||
        !(list = core_diagnostics_of(capsule))) {
        return NULL;
    }
    about.failed = failed != 0;
    const char *text = tw_diagnostics_report(list, format, &about);
    if (!text) {
        PyErr_Format(PyExc_ValueError, "no format '%s'", format);
        return NULL;
    }
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *report_formats(PyObject *module, PyObject *args)
{
    PyObject *list = PyList_New(0);
    const char *name;

    (void)module, (void)args;
    for (size_t i = 0; list && (name = tw_report_format(i)); i++) {
        PyObject *item = PyUnicode_FromString(name);
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"diagnostics_create", diagnostics_create, METH_NOARGS,
     "diagnostics_create(): a list that grid_open takes"},
    {"diagnostics_add", diagnostics_add, METH_VARARGS,
     "diagnostics_add(list, severity, rule, file, line, column, text, note)"},
    {"diagnostics_errors", diagnostics_errors, METH_O,
     "diagnostics_errors(list): number of errors"},
    {"diagnostics_report", diagnostics_report, METH_VARARGS,
     "diagnostics_report(list, format, tool, input, failed): text"},
    {"report_formats", report_formats, METH_NOARGS, "report_formats(): names"},
    {0},
};

int core_diagnostics_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
