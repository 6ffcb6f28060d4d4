/* connect.h: pipes and semaphores in the plan's form. */
#ifndef TILEWRIGHT_TTL_PASSES_CONNECT_H
#define TILEWRIGHT_TTL_PASSES_CONNECT_H

#include "ir/op.h"

/* Numbers that attributes give become operands, and cores that they name remote forms of
 * the semaphore; `op` is one of the operations with semaphores.  False after an error. */
bool ttl_connect_convert(ir_op *op);

/* Gives pipes (three each) and semaphores (two) of a kernel or function the lowest numbers
 * that none of them has.  False after an error. */
bool ttl_connect_number(ir_op *owner);

#endif
