/* nests.h: what the passes on compute loops share: affine loops and accesses. */
#ifndef TILEWRIGHT_D2M_PASSES_NESTS_H
#define TILEWRIGHT_D2M_PASSES_NESTS_H

#include "d2m/allocation/buffer_memory.h"
#include "d2m/generic.h"
#include "ir/op.h"

/* An affine.for over constants; its variable. *out_body builds at its end. */
ir_value *d2m_affine_loop(ir_builder *b, int64_t from, int64_t to, int64_t step,
                          ir_builder *out_body);
/* Replaces an scf.for of constant bounds by an affine.for; NULL if it has others. */
ir_op *d2m_scf_to_affine(ir_op *loop);
/* affine.load and affine.store at indices. */
ir_value *d2m_affine_load(ir_builder *b, ir_value *memref, ir_value *const *at, size_t n);
void d2m_affine_store(ir_builder *b, ir_value *value, ir_value *memref, ir_value *const *at,
                      size_t n);
/* The variable of a loop (affine.for or scf.for). */
static inline ir_value *d2m_loop_variable(const ir_op *loop)
{
    return ir_op_body(loop, 0)->args[0];
}
bool d2m_is_loop(const ir_op *op); /* affine.for or scf.for */

#endif
