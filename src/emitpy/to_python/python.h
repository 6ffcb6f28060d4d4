/* python.h: emits Python source from the emitpy dialect. */
#ifndef TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_H
#define TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_H

#include "ir/op.h"
#include "support/strbuf.h"

/* Writes all emitpy and func operations of a module as Python; false after diagnostics. */
bool python_emit(ir_op *module, tw_strbuf *out);

#endif
