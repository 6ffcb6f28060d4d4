/* functions.h: naming, cloning and ordering of a module's functions. */
#ifndef TILEWRIGHT_SDY_IMPORT_FUNCTIONS_H
#define TILEWRIGHT_SDY_IMPORT_FUNCTIONS_H

#include "ir/op.h"
#include "support/arena.h"

/* Attributes of functions. */
#define SDY_ORIGINAL_NAME "sdy.original_func_name" /* original name of a clone */
#define SDY_FUNC_MANUAL_AXES "sdy.func_manual_axes"
#define SDY_EXECUTION_THREAD "execution_thread"

/* Renames a symbol of the module's body if its name is taken; `counter` numbers the new
 * names and persists between calls. */
void sdy_make_unique(ir_op *module, ir_op *symbol, unsigned *counter);
/* Returns the original name of a function or of the function it was cloned from. */
ir_attr sdy_original_name(const ir_op *func);
/* Clones a function, with clones of its callees, to the end of the module. Requires an
 * acyclic call graph (see the order below): recursive functions cannot be cloned. */
ir_op *sdy_clone_function(ir_op *module, ir_op *func, unsigned *counter);

/* Collects the functions reachable from public ones, callees before callers. Recursion,
 * direct or not, is an error; `out` is valid then, too. */
bool sdy_functions_in_order(ir_op *module, ir_op_list *out);
/* Collects all calls in these functions, those in callees first. */
bool sdy_calls_in_order(ir_op *module, ir_op_list *out);

#endif
