/* cpp.h: C++ text from emitc. */
#ifndef TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_H
#define TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_H

#include "ir/op.h"
#include "support/strbuf.h"

/* Writes everything in a module of emitc (and func) operations; false after diagnostics. */
bool cpp_emit(ir_op *module, tw_strbuf *out);
/* One function under another name; `name` NULL keeps its own. */
bool cpp_emit_function(ir_op *func, const char *name, tw_strbuf *out);

/* Every thread function of a module that convert-ttkernel-to-emitc has been through, each
 * as a source of its own behind a line `// NAME`: includes, helpers, kernel_main. */
bool cpp_emit_kernels(ir_op *module, tw_strbuf *out);
bool cpp_emit_kernel(ir_op *func, tw_strbuf *out);

/* The kernels and a host that launches them, of a module with ttkernel.programs. */
bool cpp_emit_dylib(ir_op *module, tw_strbuf *out);

#endif
