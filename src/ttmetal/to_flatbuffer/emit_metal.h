/* emit_metal.h: shared by the files that write a .ttm. */
#ifndef TILEWRIGHT_TTMETAL_TO_FLATBUFFER_EMIT_METAL_H
#define TILEWRIGHT_TTMETAL_TO_FLATBUFFER_EMIT_METAL_H

#include "ttmetal/to_flatbuffer/emit_ttm.h"
#include "ttnn/to_flatbuffer/emit_impl.h"

/* A buffer, scalar or semaphore, created on first use; `number` is the address of a
 * buffer or global semaphore, or a local semaphore's value.  0 after diagnostics. */
fb_ref fb_emit_metal_value(emit *e, ir_value *value, uint64_t number);
/* TensorRef of an argument or result, for tools. */
fb_ref fb_emit_metal_tensor(emit *e, ir_type type);
/* Fills the fields of the root that only a .ttm has: its programs. */
bool fb_emit_metal_file(emit *e, fb_row *root);
/* A vector of one rectangle: y, x, rows, columns. */
fb_ref fb_emit_cores(emit *e, const int32_t range[4]);

#endif
