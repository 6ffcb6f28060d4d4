/* interrupt.h: Ctrl-C while the library works without the interpreter. */
#ifndef TILEWRIGHT_PYTHON_INTERRUPT_H
#define TILEWRIGHT_PYTHON_INTERRUPT_H

#include <Python.h>

/* Between these two SIGINT also raises a flag, whose place the library is given: it stops
 * soon after.  NULL where the signal is not ours to see (other threads than the first, or
 * a program that does not want it); py_interrupt_end takes that as well.  They nest. */
const volatile int *py_interrupt_begin(void);
void py_interrupt_end(const volatile int *flag);
/* Raises what the handlers of signals raise, else KeyboardInterrupt; NULL. */
PyObject *py_interrupted(void);

#endif
