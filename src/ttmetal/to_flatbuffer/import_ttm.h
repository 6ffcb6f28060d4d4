/* import_ttm.h: a .ttm as a module in the TTMetal dialect again.
 *
 * The way back of emit_ttm.h, so that the simulated grid runs a binary as it runs a module:
 * each program is a public function, its commands are operations, its buffers memrefs with
 * their layouts. Kernels are private functions with their C++ as an attribute, and a body
 * in TTKernel's operations where the file has those (emit_metal.c puts them beside the
 * C++). */
#ifndef TILEWRIGHT_TTMETAL_TO_FLATBUFFER_IMPORT_TTM_H
#define TILEWRIGHT_TTMETAL_TO_FLATBUFFER_IMPORT_TTM_H

#include "flatbuffer/reader.h"
#include "ir/op.h"
#include "support/status.h"

/* The attribute of a kernel's function that holds its C++. */
extern const char ttm_source_attr[];

/* `root`: of a file that fb_open has verified; `cpp`: kernels without bodies. The module is
 * verified; TW_UNSUPPORTED names a command that has no way back. */
tw_status ttm_import(ir_context *ctx, fb_view root, bool cpp,
                     ir_op **out_module) TW_NODISCARD;

#endif
