/* kernel_engine.h: what runs the kernels of ttnn.generic, and the programs of .ttm
 * binaries. The runtime knows no device with cores; the caller passes this table with a
 * program's options (grid/machine/engine.c). */
#ifndef TILEWRIGHT_RUNTIME_KERNEL_ENGINE_H
#define TILEWRIGHT_RUNTIME_KERNEL_ENGINE_H

#include "ir/op.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

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

    /* Opens a program of a .ttm: the options name it and the binary, and have the observer
     * of its commands. */
    tw_status (*open)(tw_str bytes, const tw_compile_options *options, void **out_queue);
    /* The i-th argument or result; NULL past the end. */
    const tw_tensor_desc *(*input)(const void *queue, size_t i);
    const tw_tensor_desc *(*output)(const void *queue, size_t i);
    /* Does the program's commands. `cancel` may be NULL. */
    tw_status (*run_queue)(void *queue, const void *const *inputs, void *const *outputs,
                           const volatile int *cancel);
    void (*close)(void *queue);
};

#endif
