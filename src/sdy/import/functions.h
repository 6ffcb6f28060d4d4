/* functions.h: names, copies and order of a module's functions. */
#ifndef TILEWRIGHT_SDY_IMPORT_FUNCTIONS_H
#define TILEWRIGHT_SDY_IMPORT_FUNCTIONS_H

#include "ir/op.h"
#include "support/arena.h"

/* Attributes of functions. */
#define SDY_ORIGINAL_NAME "sdy.original_func_name" /* of which it is a copy */
#define SDY_FUNC_MANUAL_AXES "sdy.func_manual_axes"
#define SDY_EXECUTION_THREAD "execution_thread"

/* Gives a symbol of the module's body another name if its own is taken; `counter` goes on
 * from one to the next. */
void sdy_make_unique(ir_op *module, ir_op *symbol, unsigned *counter);
/* The name that a function, or what it was copied from, had. */
ir_attr sdy_original_name(const ir_op *func);
/* A copy of a function, whose calls are of copies too, at the end of the module. Only where
 * the order below was found: functions that call themselves have no such copy. */
ir_op *sdy_clone_function(ir_op *module, ir_op *func, unsigned *counter);

/* Functions that public ones reach; callees before those who call them. An error where one
 * calls itself, directly or not; what was found is in `out` then, too. */
bool sdy_functions_in_order(ir_op *module, ir_op_list *out);
/* All calls in them, callees' first. */
bool sdy_calls_in_order(ir_op *module, ir_op_list *out);

#endif
