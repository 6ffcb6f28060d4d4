/* host.h: programs of which the device runs parts, and the host the rest.
 *
 * The host goes through the function and computes what has no form on the device, by the
 * evaluator of StableHLO; it calls the device for everything in between, and turns its
 * loops and takes its branches. */
#ifndef TILEWRIGHT_RUNTIME_HOST_H
#define TILEWRIGHT_RUNTIME_HOST_H

#include "ir/op.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

typedef struct rt_host rt_host;

/* Takes a function of StableHLO that calls nothing but itself.  TW_UNSUPPORTED for an
 * operation that the host cannot compute either; *out_named: the message names it. */
tw_status rt_host_create(ir_op *func, const tw_compile_options *options, rt_host **out_host,
                         bool *out_named) TW_NODISCARD;
void rt_host_destroy(rt_host *host);
tw_status rt_host_run(rt_host *host, const void *const *inputs, void *const *outputs,
                      const volatile int *cancel) TW_NODISCARD;

/* Whether the program is one for the evaluator: it has operations of StableHLO. */
bool rt_host_takes(ir_op *module);

size_t rt_host_op_count(const rt_host *host);
const tw_host_op *rt_host_op(const rt_host *host, size_t i);
/* Bytes that the host's own values took at most, in any run so far. */
size_t rt_host_peak(const rt_host *host);
size_t rt_host_segment_count(const rt_host *host);
tw_program *rt_host_segment(const rt_host *host, size_t i); /* NULL: it runs on the host */

#endif
