/* frontend.h: shardings that frameworks write as text into mhlo.frontend_attributes. */
#ifndef TILEWRIGHT_SDY_MESH_FRONTEND_H
#define TILEWRIGHT_SDY_MESH_FRONTEND_H

#include "ir/op.h"

/* Puts sdy.sharding_constraint behind calls of @Sharding, @tt.sharding_constraint and
 * @xla.sdy.FuncResultSharding whose attributes hold a sharding of Shardy's; false after an
 * error. */
bool mesh_read_constraints(ir_op *module);

#endif
