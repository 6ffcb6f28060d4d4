/* kernel_engine.h: what runs the kernels of ttnn.generic.  The runtime knows no device with
 * cores; who has one passes this table with a program's options (grid/machine/engine.c). */
#ifndef TILEWRIGHT_RUNTIME_KERNEL_ENGINE_H
#define TILEWRIGHT_RUNTIME_KERNEL_ENGINE_H

#include "ir/op.h"
#include "support/status.h"
#include "tilewright/dtype.h"

/* A tensor that kernels read or write: its type, with its layout on the device, and the
 * elements of its dense, row-major data in the host's memory. */
typedef struct rt_kernel_tensor {
    ir_type type;
    tw_dtype dtype;
    bool written; /* read back after the run */
    size_t first; /* index of the first operand that is the same tensor */
} rt_kernel_tensor;

struct tw_kernel_engine {
    /* Makes what runs the operation on tensors of these types; everything that it needs is
     * copied. */
    tw_status (*prepare)(ir_op *generic, const rt_kernel_tensor *tensors, size_t n_tensors,
                         void **out_state);
    /* data[i]: that of tensor i.  The message of a failure holds every report. */
    tw_status (*run)(void *state, void *const *data);
    void (*release)(void *state);
};

#endif
