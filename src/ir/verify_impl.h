/* verify_impl.h: declarations shared by the files of the verifier. */
#ifndef TILEWRIGHT_IR_VERIFY_IMPL_H
#define TILEWRIGHT_IR_VERIFY_IMPL_H

#include "ir/op.h"

/* verify_traits.c: reports the first trait that is violated. */
bool ir_check_traits(ir_op *op);
/* verify_dominance.c: relies on the operation order assigned by verification. */
bool ir_check_dominance(ir_op *op);

#endif
