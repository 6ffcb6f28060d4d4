/* arrays.h: arrays of .npz files as programs' arguments, results and expectations. */
#ifndef TILEWRIGHT_TOOLS_ARRAYS_H
#define TILEWRIGHT_TOOLS_ARRAYS_H

#include "npz.h"
#include "tensors.h"

/* An error for the first array whose name is no argument (in0, in1, ...) and no result
 * (out0,
 * ...) of the program.  `prefix` names the kind that the file is read for. */
tw_status array_check_names(const npz *arrays, const char *file, const char *prefix,
                            size_t n_inputs, size_t n_outputs) TW_NODISCARD;

/* Copies the array `name` if the argument has its shape and type; bf16 is also accepted as
 * its bits in u16, bf16 and f16 as f32 values, which are rounded, booleans as u8.  `file`
 * is for messages. */
tw_status array_take(const npz *arrays, const char *file, const char *name,
                     const tw_tensor_desc *d, void *out) TW_NODISCARD;

/* Adds a copy. */
void array_add(npz *arrays, const char *prefix, size_t index, const tw_tensor_desc *d,
               const void *data);
/* Writes arguments to PATH.npz: a validate_write. */
tw_status array_write_inputs(const char *path, const tw_tensor_desc *types,
                             const void *const *data, size_t n) TW_NODISCARD;

/* The array `name` in the shape of the result; its elements may have another type of the
 * same kind (floats, integers, booleans), *out_type. */
tw_status array_wanted(const npz *arrays, const char *file, const char *name,
                       const tw_tensor_desc *d, const void **out,
                       tw_dtype *out_type) TW_NODISCARD;

#endif
