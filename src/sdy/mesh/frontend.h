/* frontend.h: shardings that frameworks write as text into mhlo.frontend_attributes. */
#ifndef TILEWRIGHT_SDY_MESH_FRONTEND_H
#define TILEWRIGHT_SDY_MESH_FRONTEND_H

#include "ir/op.h"

/* Inserts sdy.sharding_constraint after calls of @Sharding, @tt.sharding_constraint and
 * @xla.sdy.FuncResultSharding that carry a Shardy sharding; false after an error. */
bool mesh_read_constraints(ir_op *module);

#endif
