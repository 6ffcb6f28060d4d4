/* refine.h: shared by the passes that refine shapes. */
#ifndef TILEWRIGHT_STABLEHLO_REFINE_REFINE_H
#define TILEWRIGHT_STABLEHLO_REFINE_REFINE_H

#include "ir/rewrite/rewrite.h"

/* Target of a custom call through which users of a refined argument keep its old type. */
#define HLO_OPERAND_WRAPPER "stablehlo.shape_refinement_operand_wrapper"

/* The only function, or @main of several; NULL (with an error if there are some). */
ir_op *hlo_refinement_target(ir_op *module);

/* Sets the types of a function's arguments; users still see the old ones.  False after an
 * error. */
bool hlo_refine_arguments(ir_op *func, const ir_type *to, size_t n);

/* ---- results (refine_results.c) ----------------------------------------------------- */

/* Narrows the types of an operation's results by what is known of them; false if that
 * adds nothing, is a contradiction, or a user does not allow it. */
bool hlo_refine_results(ir_op *op, rw_rewriter *rw, const ir_type *types, size_t n);
/* Refines every operation except calls. */
bool hlo_refine_op(ir_op *op, rw_rewriter *rw);

#endif
