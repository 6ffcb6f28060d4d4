/* core_tensor.h: tensor views by DLPack's C exchange table. */
#ifndef TILEWRIGHT_CORE_TENSOR_H
#define TILEWRIGHT_CORE_TENSOR_H

#include <Python.h>

#include "tilewright/tilewright.h"

/* -- DLPack 1.x, as far as it is used here (github.com/dmlc/dlpack,
 * include/dlpack/dlpack.h) -- */

typedef struct dl_type {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} dl_type;

typedef struct dl_tensor {
    void *data;
    int32_t device_type;
    int32_t device_id;
    int32_t ndim;
    dl_type dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_managed *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_managed;

typedef void dl_set_error(void *context, const char *kind, const char *message);

typedef struct dl_exchange {
    uint32_t major, minor;
    struct dl_exchange *previous;
    int (*allocate)(dl_tensor *prototype, dl_managed **out, void *context,
                    dl_set_error *fail);
    int (*managed_from_object)(void *object, dl_managed **out);
    int (*managed_to_object)(dl_managed *tensor, void **out);
    int (*tensor_from_object)(void *object, dl_tensor *out);
    int (*current_stream)(int32_t device_type, int32_t device_id, void **out);
} dl_exchange;

bool core_is_dense(const dl_tensor *t);

/* Returns -1 with an error set where a tensor does not match the description's shape and
 * type. */
int core_check_tensor(const dl_tensor *t, const tw_tensor_desc *desc, const char *what,
                      Py_ssize_t i);

void *core_data_of(const dl_tensor *t);

/* Bytes from the first element to the end of the last. */
size_t core_extent(const dl_tensor *t);

/* Detects changes of a tensor's memory that its version counter misses, as by writing
 * through .data or a NumPy view. Up to 8 KiB every byte is hashed; beyond that, 64 bytes of
 * every 2 KiB, so a change of 2 KiB in a row is always detected. */
uint64_t core_fingerprint(const dl_tensor *t);

/* The minimum and maximum of a non-empty dense tensor of integers; false where its elements
 * are neither signed integers nor bytes. */
bool core_extremes(const dl_tensor *t, int64_t *out_low, int64_t *out_high);

/* A new torch tensor of the description's shape and type; *out_data is its memory. */
PyObject *core_make_tensor(const dl_exchange *exchange, const tw_tensor_desc *desc,
                           void **out_data);

#endif
