/* hoisted.h: functions that passes moved to a module for the host (ttcore.cpu_module). */
#ifndef TILEWRIGHT_RUNTIME_HOISTED_H
#define TILEWRIGHT_RUNTIME_HOISTED_H

#include "ir/op.h"
#include "support/status.h"

/* Marks operations of such a function but its last, which is observed for the call. */
#define RT_UNOBSERVED "tt.unobserved"

/* Replaces each call of such a function by its operations, lowered to TTNN where the caller
 * is, and erases the module. *out_ok is false after diagnostics of the lowering. */
tw_status rt_inline_hoisted(ir_op *module, bool *out_ok) TW_NODISCARD;

#endif
