/* program.h: a d2m.generic whose threads are kernels, as a program for a device. */
#ifndef TILEWRIGHT_D2M_PROGRAM_H
#define TILEWRIGHT_D2M_PROGRAM_H

#include "d2m/generic.h"

/* The value behind views. */
ir_value *d2m_behind(ir_value *v);
/* The rectangle of cores that the generic's grid covers: row and column of the first core,
 * rows and columns.  Reports a grid that is none. */
bool d2m_program_cores(const d2m_generic *g, int64_t origin[2], int64_t size[2]);
/* The function of a thread; reports a thread without one. */
ir_op *d2m_kernel_of(const d2m_generic *g, ir_attr thread);
bool d2m_kernel_has(ir_op *kernel, const ir_op_def *def);
/* The rows and columns of the grid of cores that a memref with a device layout covers. */
bool d2m_memref_grid(ir_type memref, int64_t out[2]);
/* A parameter of an attribute, changed. */
ir_attr d2m_with_param(ir_attr attr, const char *name, ir_attr value);

#endif
