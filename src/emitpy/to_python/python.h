/* python.h: Python text from emitpy. */
#ifndef TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_H
#define TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_H

#include "ir/op.h"
#include "support/strbuf.h"

/* Writes everything in a module of emitpy (and func) operations; false after
 * diagnostics. */
bool python_emit(ir_op *module, tw_strbuf *out);

#endif
