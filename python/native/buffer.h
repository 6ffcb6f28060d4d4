/* buffer.h: Python's buffer protocol under the limited API of 3.10.
 *
 * The protocol became part of the limited API in 3.11; the structure and the functions have
 * been the same since 3.3 and are frozen, and classes made from a specification accept the
 * two slots since 3.9. A module for 3.10 therefore declares them itself. */
#ifndef TILEWRIGHT_PYIR_BUFFER_H
#define TILEWRIGHT_PYIR_BUFFER_H

#include "pyir.h"

#if defined(Py_LIMITED_API) && Py_LIMITED_API + 0 < 0x030B0000
typedef struct py_buffer { /* Py_buffer */
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} py_buffer;
#ifndef Py_bf_getbuffer
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#endif
enum {
    PyBUF_SIMPLE = 0,
    PyBUF_WRITABLE = 1,
    PyBUF_FORMAT = 4,
    PyBUF_ND = 8,
    PyBUF_STRIDES = 0x10 | PyBUF_ND,
    PyBUF_C_CONTIGUOUS = 0x20 | PyBUF_STRIDES,
};
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(py_buffer *view);
#else
typedef Py_buffer py_buffer;
#endif

#endif
