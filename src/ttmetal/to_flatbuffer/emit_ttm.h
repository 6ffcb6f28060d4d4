/* ttmetal/to_flatbuffer/emit_ttm.h: writes a module in the TTMetal dialect as a .ttm. */
#ifndef TILEWRIGHT_TTMETAL_TO_FLATBUFFER_EMIT_TTM_H
#define TILEWRIGHT_TTMETAL_TO_FLATBUFFER_EMIT_TTM_H

#include "ttnn/to_flatbuffer/emit.h"

/* Writes the public functions of a module in the TTMetal dialect, with the C++ of the
 * kernels that they run (from an earlier convert-ttkernel-to-emitc). */
bool fb_emit_ttm(ir_op *module, const fb_emit_options *options, void **out_data,
                 size_t *out_size);

#endif
