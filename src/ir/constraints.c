/* constraints.c: the constraints that rows of several dialects name. */
#include "ir/constraints.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "ir/constraints.def"
