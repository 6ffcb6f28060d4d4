/* core_memory.h: programs over plain memory, wrapped by _ttmlir_runtime.runtime. */
#ifndef TILEWRIGHT_PYTHON_CORE_MEMORY_H
#define TILEWRIGHT_PYTHON_CORE_MEMORY_H

#include "core_program.h"

/* Program.signature() and Program.run_memory(inputs, outputs). */
PyObject *core_program_signature(program_object *self, PyObject *unused);
PyObject *core_program_run_memory(program_object *self, PyObject *args);

/* A tw_observer that calls a Python function: observer(name, before, program, operation,
 * inputs, outputs, l1, dram), a tensor being (address, bytes, data type's enum value,
 * shape). An exception that it raises ends the run. */
void core_observer_notify(void *user, const tw_op_event *event);

/* Adds gather() and convert(). */
int core_memory_add(PyObject *module);

#endif
