/* host.h: programs of which the device runs some parts and the host the rest.
 *
 * The host walks the function and computes operations that the device does not support with
 * the evaluator of StableHLO; it calls the device for everything in between, and executes
 * its loops and branches. */
#ifndef TILEWRIGHT_RUNTIME_HOST_H
#define TILEWRIGHT_RUNTIME_HOST_H

#include "ir/op.h"
#include "support/status.h"
#include "tilewright/tilewright.h"

typedef struct rt_host rt_host;

/* Takes a StableHLO function that calls only itself. TW_UNSUPPORTED for an operation that
 * the host cannot compute either; *out_named: the message names it. */
tw_status rt_host_create(ir_op *func, const tw_compile_options *options, rt_host **out_host,
                         bool *out_named) TW_NODISCARD;
void rt_host_destroy(rt_host *host);
tw_status rt_host_run(rt_host *host, const void *const *inputs, void *const *outputs,
                      const volatile int *cancel) TW_NODISCARD;

/* True if the evaluator can run the program: it has operations of StableHLO. */
bool rt_host_takes(ir_op *module);

size_t rt_host_op_count(const rt_host *host);
const tw_host_op *rt_host_op(const rt_host *host, size_t i);
/* Peak bytes of the host's own values, in any run so far. */
size_t rt_host_peak(const rt_host *host);
size_t rt_host_segment_count(const rt_host *host);
tw_program *rt_host_segment(const rt_host *host, size_t i); /* NULL: it runs on the host */

#endif
