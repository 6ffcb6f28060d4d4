/* threads.h: what the conversions from d2m ask of threads and their cores. */
#ifndef TILEWRIGHT_D2M_THREADS_H
#define TILEWRIGHT_D2M_THREADS_H

#include "ir/op.h"

/* The attribute of generics and functions that maps operands to circular buffer ports. */
#define D2M_PORT_MAP "d2m.physical_cb_ports"

/* False after an error if a data movement thread below is on a core that `backend` does not
 * support. */
bool d2m_check_cores(ir_op *func, const char *backend);
/* The NoC that a data movement core uses by default. */
int64_t d2m_core_noc(ir_op *op, int64_t core);
/* That of a function's thread; -1 if it is none of data movement. */
int64_t d2m_thread_noc(ir_op *func);
/* True if the device's chip is a Quasar. */
bool d2m_is_quasar(ir_op *op);

#endif
