/* scf_build.h: building operations of scf. */
#ifndef TILEWRIGHT_MLIR_SCF_SCF_BUILD_H
#define TILEWRIGHT_MLIR_SCF_SCF_BUILD_H

#include "ir/op.h"

/* Builds scf.for without results; `body` then builds in front of its yield.  Returns the
 * loop's variable. */
ir_value *scf_for(ir_builder *b, ir_value *from, ir_value *to, ir_value *step,
                  ir_builder *body);

#endif
