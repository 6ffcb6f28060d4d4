/* verify_impl.h: declarations shared by the files of the verifier. */
#ifndef TILEWRIGHT_IR_VERIFY_IMPL_H
#define TILEWRIGHT_IR_VERIFY_IMPL_H

#include "ir/op.h"

/* rules/predicates.c: true if the attribute satisfies the row's `confined`. */
bool ir_attr_is_confined(ir_attr attr, const ir_attr_use *use);
/* What `confined` says in words, to follow the constraint's text; NULL if nothing. */
const char *ir_confined_text(const ir_attr_use *use);
/* verify_traits.c: reports the first trait that is violated. */
bool ir_check_traits(ir_op *op);
/* verify_known.c: the hash of what an operation's checks depend on; 0 if they may depend on
 * more. */
uint64_t ir_valid_hash(ir_op *op);
bool ir_is_known_valid(const ir_op *op, uint64_t hash);
void ir_remember_valid(const ir_op *op, uint64_t hash);
/* verify.c: verifies the operation by itself, without what is in its regions; reports
 * nothing. */
bool ir_fits_row(ir_op *op);
/* verify_dominance.c: relies on the operation order assigned by verification. */
bool ir_check_dominance(ir_op *op);

#endif
