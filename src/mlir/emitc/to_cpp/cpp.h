/* cpp.h: C++ text from emitc. */
#ifndef TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_H
#define TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_H

#include "ir/op.h"
#include "support/strbuf.h"

/* Writes all emitc (and func) operations of a module; false after diagnostics. */
bool cpp_emit(ir_op *module, tw_strbuf *out);
/* Writes one function under another name; `name` NULL keeps its own. */
bool cpp_emit_function(ir_op *func, const char *name, tw_strbuf *out);

/* Writes every thread function of a module lowered by convert-ttkernel-to-emitc, each as a
 * separate source after a line `// NAME`: includes, helpers, kernel_main. */
bool cpp_emit_kernels(ir_op *module, tw_strbuf *out);
bool cpp_emit_kernel(ir_op *func, tw_strbuf *out);

/* Writes the kernels and a launching host of a module with ttkernel.programs. */
bool cpp_emit_dylib(ir_op *module, tw_strbuf *out);

/* True for a name of letters, digits and _ that begins with no digit. */
bool cpp_is_identifier(tw_str text);

#endif
