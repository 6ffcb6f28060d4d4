/* ttcore_constraints.h: the constraints of the ttcore dialect, for files beside its table.
 */
#ifndef TILEWRIGHT_TTCORE_TTCORE_CONSTRAINTS_H
#define TILEWRIGHT_TTCORE_TTCORE_CONSTRAINTS_H

#include "ir/constraints.h"
#include "ttcore/ttcore.h"

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "ttcore/ttcore_constraints.def"
#undef IR_CONSTRAINT

#endif
