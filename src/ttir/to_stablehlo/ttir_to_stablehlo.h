/* ttir_to_stablehlo.h: functions of TTIR and TTNN as StableHLO, for the reference
 * evaluator.
 *
 * The meaning of each operation is written here a second time, from its documentation: it
 * shares no table and no code with the conversions from StableHLO and to TTNN, nor with the
 * kernels that run TTNN, so that mistakes in those are seen beside it. */
#ifndef TILEWRIGHT_TTIR_TO_STABLEHLO_H
#define TILEWRIGHT_TTIR_TO_STABLEHLO_H

#include "ir/op.h"

/* An attribute of the last operation that another one became: the other's name. */
#define TTIR_MEANS "ttir.means"

/* Rewrites a function, and those that it calls. False: *out_stuck has no counterpart
 * here, and the function is half rewritten. */
bool ttir_to_stablehlo(ir_op *function, ir_op **out_stuck);

#endif
