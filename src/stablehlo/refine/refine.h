/* refine.h: what passes that refine shapes share. */
#ifndef TILEWRIGHT_STABLEHLO_REFINE_REFINE_H
#define TILEWRIGHT_STABLEHLO_REFINE_REFINE_H

#include "ir/rewrite/rewrite.h"

/* The target of a custom call that keeps users of a refined argument as they were. */
#define HLO_OPERAND_WRAPPER "stablehlo.shape_refinement_operand_wrapper"

/* The one function, or @main of several; NULL (with an error if there are some). */
ir_op *hlo_refinement_target(ir_op *module);

/* Gives a function's arguments those types; users still see the old ones.  False after an
 * error. */
bool hlo_refine_arguments(ir_op *func, const ir_type *to, size_t n);

/* ---- results (refine_results.c) ----------------------------------------------------- */

/* Narrows the types of an operation's results to what else is known of them; false if that
 * is nothing new, contradicts, or some user cannot take it. */
bool hlo_refine_results(ir_op *op, rw_rewriter *rw, const ir_type *types, size_t n);
/* Every operation but calls. */
bool hlo_refine_op(ir_op *op, rw_rewriter *rw);

#endif
