/* interrupt.h: Ctrl-C while the library works without the interpreter. */
#ifndef TILEWRIGHT_PYTHON_INTERRUPT_H
#define TILEWRIGHT_PYTHON_INTERRUPT_H

#include <Python.h>

/* Between these two, SIGINT also raises a flag whose address is passed to the library,
 * which stops soon after. NULL where the signal is not handled here (threads other than the
 * main one, or a program that has its own handler); py_interrupt_end accepts NULL. The
 * calls nest. */
const volatile int *py_interrupt_begin(void);
void py_interrupt_end(const volatile int *flag);
/* Raises what the signal handlers raise, else KeyboardInterrupt; returns NULL. */
PyObject *py_interrupted(void);

#endif
