/* tensors.h: memory of tensors, whose size the input declares, and their types as text. */
#ifndef TILEWRIGHT_TOOLS_TENSORS_H
#define TILEWRIGHT_TOOLS_TENSORS_H

#include "support/status.h"
#include "support/strbuf.h"
#include "tilewright/tilewright.h"

/* "f32[2, 3]" */
void array_put_shape(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank);

/* Uninitialized memory, aligned to a cache line, for the caller to free.  TW_RESOURCE if
 * there is none: the message has its purpose, `format`'s text, and the number of bytes. */
tw_status tensor_allocate(size_t bytes, void **out, const char *format, ...)
    TW_PRINTF(3, 4) TW_NODISCARD;
/* The same for a program's tensor: `what` is "input" or "output". */
tw_status tensor_create(const tw_tensor_desc *d, const char *what, size_t index,
                        void **out) TW_NODISCARD;
/* Of all outputs; `out` has `tw_program_output_count` entries of NULL. */
tw_status tensor_create_outputs(const tw_program *p, void **out) TW_NODISCARD;

#endif
