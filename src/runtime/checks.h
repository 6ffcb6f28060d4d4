/* checks.h: functions that check themselves. */
#ifndef TILEWRIGHT_RUNTIME_CHECKS_H
#define TILEWRIGHT_RUNTIME_CHECKS_H

#include "ir/op.h"
#include "support/arena.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

/* Converts the function's check operations to pairs of results, actual and expected, which
 * are compared after a run. TW_UNSUPPORTED for checks inside regions. */
tw_status rt_checks_take(ir_op *func, tw_arena *arena, tw_check **out_checks,
                         size_t *out_count) TW_NODISCARD;
/* TW_UNSUPPORTED if the device could not decide a check: values that it cannot hold. */
tw_status rt_refuse_wide_checks(ir_op *func) TW_NODISCARD;
bool rt_has_checks(const ir_op *func);

#endif
