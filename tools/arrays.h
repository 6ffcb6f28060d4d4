/* arrays.h: arrays of .npz files as programs' arguments, results and expectations. */
#ifndef TILEWRIGHT_TOOLS_ARRAYS_H
#define TILEWRIGHT_TOOLS_ARRAYS_H

#include "npz.h"
#include "support/strbuf.h"
#include "tilewright/tilewright.h"

/* "f32[2, 3]" */
void array_put_shape(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank);

/* Copies the array `name` where the argument has its shape and type; bf16 also comes as its
 * bits in u16, bf16 and f16 as numbers in f32, which are rounded, truths as u8.  `file` is
 * for messages. */
tw_status array_take(const npz *arrays, const char *file, const char *name,
                     const tw_tensor_desc *d, void *out) TW_NODISCARD;

/* Adds a copy. */
void array_add(npz *arrays, const char *prefix, size_t index, const tw_tensor_desc *d,
               const void *data);

/* The array `name`, with elements of any type, in the shape of the result; *out_type is the
 * elements' type. */
tw_status array_wanted(const npz *arrays, const char *file, const char *name,
                       const tw_tensor_desc *d, const void **out,
                       tw_dtype *out_type) TW_NODISCARD;

#endif
