/* verify_impl.h: what the files of the verifier share. */
#ifndef TILEWRIGHT_IR_VERIFY_IMPL_H
#define TILEWRIGHT_IR_VERIFY_IMPL_H

#include "ir/op.h"

/* verify_traits.c: reports the first trait that does not hold. */
bool ir_check_traits(ir_op *op);
/* verify_dominance.c: relies on the order that verifying gave the operations. */
bool ir_check_dominance(ir_op *op);

#endif
